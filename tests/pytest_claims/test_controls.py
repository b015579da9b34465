import pytest

from pytest_claims.controls import discriminates
from pytest_claims.measurements import Parts, Ratio
from pytest_claims.predictions import AtLeast, Below, Exceeds, Holds, Within
from pytest_claims.verdicts import judge, judge_design
from tests.helpers import close

SPREAD = [-0.02, -0.01, 0.0, 0.01, 0.02]


def compare(prediction, claim, control):
    return discriminates(judge(claim, prediction, range(5)), judge(control, prediction, range(5)), prediction)


def around(centre):
    return [centre + noise for noise in SPREAD]


def test_a_control_without_the_effect_leaves_the_claim_be():
    found = compare(Exceeds(0.0), around(1.0), SPREAD)
    assert found["discriminates"]
    assert found["share"] == close(0.0)


@pytest.mark.parametrize(("centre", "kept"), [(0.9, False), (0.51, False), (0.49, True), (0.1, True)])
def test_a_replicated_control_marks_the_claim_from_half_the_way_on(centre, kept):
    found = compare(Exceeds(0.0), around(1.0), around(centre))
    assert found["verdict"] == "replicated"
    assert found["share"] == close(centre)
    assert found["discriminates"] is kept


def test_a_control_as_far_beyond_but_not_replicated_leaves_the_claim_be():
    assert compare(Exceeds(0.0), around(1.0), [5.0, 5.0, 5.0, 5.0, -0.1])["discriminates"]


def test_exactly_half_of_the_way_counts_whatever_rounding_makes_of_it():
    # 0.85 − 0.8 over 0.9 − 0.8 is 0.4999999999999994 in floating point.
    assert not compare(AtLeast(0.8), [0.9] * 5, [0.85] * 5)["discriminates"]


def test_the_way_is_measured_from_the_bound():
    # 0.95 against 0.9 and 1.0: half of the way from the bound, though 95 % of the value.
    assert compare(AtLeast(0.9), around(1.0), around(0.945))["share"] == close(0.45)
    assert compare(Below(0.0), around(-1.0), around(-0.25))["share"] == close(0.25)


def test_within_measures_the_way_to_the_nearest_edge():
    assert compare(Within(-1.0, 1.0), around(0.0), around(0.75))["share"] == close(0.25)


def test_a_claim_short_of_its_bound_is_marked_by_a_replicated_control():
    found = compare(Exceeds(0.0), around(-1.0), around(1.0))
    assert found["share"] is None
    assert not found["discriminates"]


def test_ratio():
    found = compare(AtLeast(0.5), Ratio([0.9] * 5, [1.0] * 5), Ratio([0.6] * 5, [1.0] * 5))
    assert found["share"] == close(0.25)
    assert found["estimate"] == close(0.6)


def test_holds_and_design():
    assert not compare(Holds(), [True] * 5, [True] * 5)["discriminates"]
    assert compare(Holds(), [True] * 5, [True] * 4 + [False])["discriminates"]
    assert not discriminates(judge_design(True), judge_design(True), None)["discriminates"]
    found = discriminates(judge_design(True), judge_design(False), None)
    assert found == {"verdict": "contradicted", "estimate": None, "share": None, "discriminates": True}


def test_parts_must_all_be_as_good():
    predictions = {"a": Exceeds(0.0), "b": Exceeds(0.0)}
    claim = Parts(a=around(1.0), b=around(1.0))
    assert not compare(predictions, claim, Parts(a=around(1.0), b=around(0.8)))["discriminates"]
    weak = compare(predictions, claim, Parts(a=around(1.0), b=around(0.2)))
    assert weak["discriminates"]
    assert weak["share"] == close(0.2)
    assert weak["estimate"] is None
