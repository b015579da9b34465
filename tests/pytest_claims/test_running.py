import json

import pytest

from pytest_claims import Exceeds, Paper, Parts, Reported, Values, claim
from pytest_claims.collection import declaration
from pytest_claims.declare import claim_of
from pytest_claims.running import ClaimError, error_row, run_claim

PAPER = Paper(key="toy2026", title="T", authors="A", year=2026)
NOTHING = object()
"""Stands for a control that returns None; for `run` None means that there is no control."""
UP = [1.0, 2.0, 3.0, 2.0, 1.0]


def run(returned, seeds=range(5), controlled=None, **arguments):
    """Run a claim that returns `returned`, and whose control returns `controlled`."""
    arguments.setdefault("predicts", Exceeds(0.0))
    controls = {} if controlled is None else {"line": "flat"}

    def test_it(line): ...

    claim(PAPER, "It holds.", controls=controls, **arguments)(test_it)
    declared = claim_of(test_it)

    def measure(replace=None):
        assert replace in (None, ("line", "flat"))
        value = returned if replace is None else controlled
        if value is NOTHING:
            return None
        if isinstance(value, Exception):
            raise value
        return value

    return run_claim(declared, declaration(declared, "it", "test_toy.py::test_it"), tuple(seeds), measure)


def test_a_row_says_what_was_declared_seen_and_judged():
    row = run(UP, reported=Reported(2.0, unit="logits"))
    assert (row["id"], row["nodeid"], row["paper"]) == ("toy2026/it", "test_toy.py::test_it", "toy2026")
    assert row["prediction"] == {"kind": "exceeds", "bound": 0.0, "text": "> 0", "source": "paper"}
    assert (row["verdict"], row["seeds"], row["values"]) == ("replicated", [0, 1, 2, 3, 4], UP)
    assert row["p_value"] == pytest.approx(1 / 32)
    assert row["share_of_reported"] == pytest.approx(0.9)
    assert row["controls"] == []


def test_a_row_is_strict_json_as_it_is():
    row = run(Values(UP, series={"x": [1, 2]}), controlled=[0.0] * 5)
    assert json.loads(json.dumps(row, allow_nan=False)) == row


def test_a_false_claim_is_contradicted():
    assert run([-value for value in UP])["verdict"] == "contradicted"


def test_a_control_that_passes_marks_the_claim_and_leaves_its_verdict():
    row = run(UP, controlled=UP)
    assert row["verdict"] == "replicated"
    assert row["controls"][0]["name"] == "flat"
    assert row["controls"][0]["verdict"] == "replicated"
    assert row["controls"][0]["discriminates"] is False


def test_a_control_without_the_effect_does_not_mark():
    assert run(UP, controlled=[0.1, -0.1, 0.1, -0.1, 0.1])["controls"][0]["discriminates"] is True


def test_a_design_claim_is_a_bool_without_statistics():
    assert run(True, predicts=None, kind="design")["verdict"] == "replicated"
    row = run(False, predicts=None, kind="design", controlled=True)
    assert (row["verdict"], row["p_value"], row["values"]) == ("contradicted", None, [])


@pytest.mark.parametrize(
    ("returned", "arguments", "message"),
    [
        (None, {}, "returned nothing; a claim returns what it measured"),
        ([1.0, float("nan"), 1.0, 1.0, 1.0], {}, "seed 1: nan"),
        ([1.0, 2.0], {}, "not one number a seed"),
        (Values(UP, series={"x": float("inf")}), {}, "not finite"),
        (1.0, {"predicts": None, "kind": "design"}, "bool"),
        (Parts(a=UP), {"predicts": {"b": Exceeds(0.0)}}, "parts"),
    ],
)
def test_what_is_no_measurement_is_an_error_in_words(returned, arguments, message):
    with pytest.raises(ClaimError, match=message):
        run(returned, **arguments)


def test_an_error_in_a_control_names_the_control():
    with pytest.raises(ClaimError, match="control flat: returned nothing"):
        run(UP, controlled=NOTHING)
    with pytest.raises(RuntimeError, match="boom") as caught:
        run(UP, controlled=RuntimeError("boom"))
    assert caught.value.__notes__ == ["This was the control flat."]


def test_an_error_row_still_says_what_was_declared():
    row = error_row({"id": "toy2026/it", "statement": "It holds."}, "worker gw1 died", (0, 1))
    assert row == {
        "id": "toy2026/it",
        "statement": "It holds.",
        "seeds": [0, 1],
        "verdict": "error",
        "reason": "worker gw1 died",
    }
