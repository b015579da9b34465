import copy
import math

import pytest

from pytest_claims import baseline, gate
from pytest_claims.gate import Moved
from tests.pytest_claims import sample_reports as samples

NAME = "zuo2026/immediate-gap"
TWIN_STEP = 1e-3


def whole():
    """A report in which every declared claim ran and has a verdict."""
    rows = [row for row in samples.rows() if row["verdict"] != "error"]
    ids = {row["id"] for row in rows}
    return samples.build(rows, [declared for declared in samples.DECLARATIONS if declared["id"] in ids])


def claim(report, name=NAME):
    return next(claim for claim in report["claims"] if claim["id"] == name)


def shifted(report, by):
    """The same with every number moved, alternately up and down."""
    moved = copy.deepcopy(report)
    for one in moved["claims"]:
        for _, part in baseline.series(one):
            part["values"] = [
                value if isinstance(value, bool) or value is None else value + by * (-1) ** place
                for place, value in enumerate(part.get("values") or [])
            ]
    return moved


@pytest.fixture
def accepted():
    return baseline.build(whole(), shifted(whole(), TWIN_STEP))


def never():
    raise AssertionError("nothing changed, so nothing is replayed")


def test_a_report_passes_against_itself_whatever_its_verdicts_without_a_replay(accepted):
    found = gate.compare(whole(), accepted, never)
    assert found.ok
    assert found.lines == ("7 claims run, no error, no verdict changed, all equal to the bit",)


def test_rounding_passes(accepted):
    found = gate.compare(shifted(whole(), TWIN_STEP), accepted, list)
    assert found.ok
    assert found.lines == ("7 claims run, no error, no verdict changed, no result and no computation moved",)


def test_a_result_that_moved_is_red_with_both_numbers_and_the_tolerance(accepted):
    report = whole()
    claim(report).update(estimate=0.2, values=[0.2] * 5, sources={"models/decoder.py": "2"})
    found = gate.compare(report, accepted, list)
    assert not found.ok
    (line,) = found.lines
    # By hand: the mean of 0.2 − value is 0.11466; 5 · 0.001 / √5 is 0.002236.
    assert line.startswith(f"{NAME}: result moved: 0.08534 before, 0.2 now, difference 0.1147 [")
    assert line.endswith("tolerance 0.002236 (5 × rounding / √5); changed: models/decoder.py")


def test_a_result_that_moved_without_any_change_of_code_is_another_machines_rounding():
    report = whole()
    for one in report["claims"]:
        one["sources"] = {"models/decoder.py": "1"}
    accepted = baseline.build(report, shifted(report, TWIN_STEP))
    claim(report).update(estimate=0.2, values=[0.2] * 5)
    found = gate.compare(report, accepted, list)
    assert found.ok
    assert "rounding alone, since no source file of it and no computation changed" in found.lines[0]
    # Where nothing can be replayed, nothing says so.
    assert not gate.compare(report, accepted).ok
    moved = [Moved("Anchor", [NAME], 0.1, 1e-4)]
    assert not gate.compare(report, accepted, lambda: moved).ok
    claim(report)["sources"] = {"models/decoder.py": "2"}
    assert not gate.compare(report, accepted, list).ok


def test_what_double_precision_alone_does_passes_where_the_twin_is_equal():
    report = whole()
    accepted = baseline.build(report, report)
    moved = copy.deepcopy(report)
    claim(moved)["values"] = [value * (1 + 1e-12) for value in claim(report)["values"]]
    assert gate.compare(moved, accepted, list).ok
    claim(moved)["values"] = [value * (1 + 1e-6) for value in claim(report)["values"]]
    (line,) = gate.compare(moved, accepted, list).lines
    assert "(double precision)" in line


def test_a_stated_tolerance_counts_where_rounding_is_less():
    report = whole()
    claim(report)["tolerance"] = 0.5
    accepted = baseline.build(report, shifted(report, TWIN_STEP))
    moved = copy.deepcopy(report)
    claim(moved)["values"] = [value + 0.4 for value in claim(report)["values"]]
    assert gate.compare(moved, accepted, list).ok
    claim(moved)["values"] = [value + 0.6 for value in claim(report)["values"]]
    assert "tolerance 0.5 (stated)" in gate.compare(moved, accepted, list).lines[0]


def test_only_common_seeds_are_compared(accepted):
    report = whole()
    one = claim(report)
    one.update(seeds=[*one["seeds"], 5], values=[*one["values"], 9.0])
    assert gate.compare(report, accepted, list).ok
    one.update(seeds=[7, 8], values=[0.1, 0.1])
    assert "no seed in common" in gate.compare(report, accepted, list).lines[0]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"verdict": "error", "reason": "worker gw1 died"}, f"{NAME}: error: worker gw1 died"),
        ({"verdict": "not run"}, f"{NAME}: did not run"),
        (
            {"criterion_changed": True, "criterion_changes": ["prediction"]},
            f"{NAME}: criterion changed since it was registered: prediction",
        ),
        ({"registered": False}, f"{NAME}: not registered"),
    ],
)
def test_what_is_red_whatever_the_numbers(accepted, change, line):
    report = whole()
    claim(report).update(change)
    found = gate.compare(report, accepted, list)
    assert not found.ok
    assert found.lines == (line,)


def test_a_verdict_that_fell_is_at_the_edge_where_nothing_else_moved(accepted):
    report = whole()
    claim(report)["verdict"] = "inconclusive"
    found = gate.compare(report, accepted, list)
    assert found.ok
    assert "replicated in the baseline, now inconclusive" in found.lines[0]
    assert "at the edge" in found.lines[0]


def test_a_verdict_that_fell_is_red_where_the_computation_moved(accepted):
    report = whole()
    claim(report)["verdict"] = "inconclusive"
    moved = [Moved("recall of FineTuning", [NAME], 0.1, 1e-4)]
    found = gate.compare(report, accepted, lambda: moved)
    assert not found.ok
    assert (
        "computation changed: recall of FineTuning has a relative difference of 0.1 (0.0001 passes)"
        in found.lines[0]
    )
    assert [finding.red for finding in found.findings] == [True, True]


def test_a_verdict_that_fell_is_red_without_a_twin_to_tell_rounding_by():
    report = whole()
    claim(report)["verdict"] = "inconclusive"
    assert not gate.compare(report, baseline.build(whole()), list).ok


def test_many_claims_that_did_not_run_are_one_line(accepted):
    report = whole()
    for one in report["claims"]:
        one["verdict"] = "not run"
    found = gate.compare(report, accepted, list)
    assert len(found.findings) == 7
    (line,) = found.lines
    assert line.startswith("7 claims did not run: ")
    assert line.endswith(" and 4 more")


def test_a_verdict_that_improved_is_named_and_passes(accepted):
    report = whole()
    claim(report, "zuo2026/immediate-gap-plain-ramp")["verdict"] = "replicated"
    found = gate.compare(report, accepted, list)
    assert found.ok
    assert "improved" in found.lines[0]


def test_a_replay_of_no_declared_claim_is_red_too(accepted):
    moved = [Moved("Anchor", ["zuo2026/gone"], math.inf, 1e-4, "toy.Anchor is gone")]
    report = shifted(whole(), TWIN_STEP)
    found = gate.compare(report, accepted, lambda: moved)
    assert found.lines == ("computation changed: Anchor cannot be replayed: toy.Anchor is gone",)


def test_a_new_claim_and_a_lost_one(accepted):
    report = whole()
    claim(report)["id"] = "zuo2026/renamed"
    assert gate.compare(report, accepted, list).lines == (
        "zuo2026/renamed: replicated, and not in the baseline",
        f"{NAME}: in the baseline, but no longer declared",
    )


def test_other_parts_are_red(accepted):
    report = whole()
    parts = claim(report, "zuo2026/no-hysteresis")["parts"]
    parts["slower"] = parts.pop("slow")
    assert not gate.compare(report, accepted, list).ok
