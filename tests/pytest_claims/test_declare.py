import math

import pytest

from pytest_claims import Choice, Exceeds, Paper, Reported, claim
from pytest_claims.declare import claim_of, slug

PAPER = Paper(key="toy2026", title="T", authors="A", year=2026)


def declare(function=None, statement="It holds.", **arguments):
    def test_it(line, seeds): ...

    arguments.setdefault("predicts", Exceeds(0.0))
    return claim_of(claim(PAPER, statement, **arguments)(function or test_it))


def test_a_claim_is_attached_to_its_function_which_stays_itself():
    def test_gap(): ...

    assert claim(PAPER, "There is a gap.", predicts=Exceeds(0.5))(test_gap) is test_gap
    found = claim_of(test_gap)
    assert (found.paper, found.statement, found.predicts, found.kind) == (
        PAPER,
        "There is a gap.",
        Exceeds(0.5),
        "reported",
    )


def test_an_ordinary_function_claims_nothing():
    assert claim_of(test_an_ordinary_function_claims_nothing) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predicts": None}, "predicts nothing"),
        ({"predicts": 0.5}, "not a prediction"),
        ({"predicts": Exceeds}, "not a prediction"),
        ({"predicts": {}}, "empty"),
        ({"predicts": {"a": 0.5}}, r"predicts\['a'\] is 0.5"),
        ({"kind": "design"}, "remove predicts="),
        ({"kind": "guess"}, "none of reported, design, extension"),
        ({"seeds": 0}, "at least one seed"),
        ({"seeds": True}, "at least one seed"),
        ({"seeds": 5.0}, "at least one seed"),
        ({"statement": "  "}, "no statement"),
        ({"controls": {"lines": "flat"}}, "'lines', which the function does not use"),
        ({"controls": {"line": "line"}}, "replaces itself"),
        ({"controls": {"line": ["flat", "flat"]}}, "two controls are called 'flat'"),
    ],
)
def test_a_bad_declaration_is_refused_and_names_the_function(arguments, message):
    with pytest.raises(ValueError, match=f"claim test_it: .*{message}"):
        declare(**arguments)


def test_declaring_a_function_twice_is_refused():
    def test_it(): ...

    declare(test_it)
    with pytest.raises(ValueError, match="declared twice"):
        declare(test_it)


def test_controls_keep_their_order_and_may_share_a_fixture():
    found = declare(controls={"line": ["flat", "steep"], "seeds": "other"})
    assert found.controls == (("line", "flat"), ("line", "steep"), ("seeds", "other"))


def test_the_unit_is_that_of_the_reported_number_unless_given():
    assert declare(reported=Reported(0.1, unit="logits")).unit == "logits"
    assert declare(reported=Reported(0.1, unit="logits"), unit="nats").unit == "nats"
    assert declare().unit is None


def test_the_slug_is_the_functions_name():
    assert slug("test_immediate_gap_plain_ramp") == "immediate-gap-plain-ramp"


@pytest.mark.parametrize("key", ["", "Zuo2026", "zuo/2026", "zuo 2026", "zuo--2026", "[x]"])
def test_a_paper_key_that_would_spoil_an_id_is_refused(key):
    with pytest.raises(ValueError, match="paper key"):
        Paper(key=key, title="T", authors="A", year=2026)


@pytest.mark.parametrize("value", [math.nan, math.inf, None, [1]])
def test_a_choice_is_plain_finite_data(value):
    with pytest.raises(ValueError, match="choice 'x'"):
        Choice("x", value, "ours")


def test_a_choice_says_whose_it_is():
    with pytest.raises(ValueError, match="'paper' or 'ours'"):
        Choice("x", 1, "theirs")


def test_reported_says_something_finite():
    with pytest.raises(ValueError, match="says nothing"):
        Reported()
    with pytest.raises(ValueError, match="finite"):
        Reported(math.nan)


def test_a_paper_as_plain_data_keeps_whose_choice_each_is():
    paper = Paper(
        key="a1", title="T", authors="A", year=2026, protocol=[Choice("batch", 64, "ours")], caveat="Beware."
    )
    assert paper.to_json()["protocol"] == [{"name": "batch", "value": 64, "source": "ours"}]
    assert paper.to_json()["caveat"] == "Beware."
