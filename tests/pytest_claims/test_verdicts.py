import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_claims.declare import Reported
from pytest_claims.measurements import MeasurementError, Parts, Ratio, Values
from pytest_claims.predictions import AtLeast, AtMost, Below, Exceeds, Holds, Within
from pytest_claims.verdicts import judge, judge_design, with_reported
from tests.helpers import close

FIVE = range(5)
ONE_SIDED = st.sampled_from([Exceeds, Below, AtLeast, AtMost])
VALUES = st.lists(st.floats(-10, 10, allow_nan=False, width=32), min_size=1, max_size=9)


def test_replicated():
    judged = judge([0.05, 0.12, 0.08, 0.11, 0.13], Exceeds(0.0), FIVE)
    assert judged.verdict == "replicated"
    assert judged.reason is None
    assert judged.p_value == close(1 / 32)
    assert judged.p_two_sided == close(1 / 16)
    assert judged.estimate == close(0.098)
    assert judged.signs == "+++++"
    assert judged.interval[0] < 0.098 < judged.interval[1]


def test_a_claim_with_its_arms_swapped_is_contradicted():
    judged = judge([-0.05, -0.12, -0.08, -0.11, -0.13], Exceeds(0.0), FIVE)
    assert judged.verdict == "contradicted"
    assert judged.p_contradicted == close(1 / 32)
    assert judged.reason == "every seed on the other side of “> 0”"


def test_a_contradicted_threshold_of_ours_says_so():
    judged = judge([0.5, 0.6, 0.55, 0.5, 0.7], AtLeast(0.8, source="ours"), FIVE)
    assert judged.verdict == "contradicted"
    assert "ours, not the paper's" in judged.reason


def test_inconclusive_names_the_seeds():
    judged = judge([0.05, -0.12, 0.08, 0.11, 0.13], Exceeds(0.0), [0, 1, 2, 3, 4])
    assert judged.verdict == "inconclusive"
    assert judged.reason.startswith("seed 1 on the other side")
    assert judged.signs == "+-+++"


@pytest.mark.parametrize("n", [1, 2, 4])
def test_too_few_seeds_are_inconclusive_and_say_how_many_it_takes(n):
    judged = judge([0.1 * (i + 1) for i in range(n)], Exceeds(0.0), range(n))
    assert judged.verdict == "inconclusive"
    assert "needs at least 5 seeds" in judged.reason
    assert judged.reached is False


def test_one_seed_claims_no_certainty():
    judged = judge([0.3], Exceeds(0.0), [0])
    assert (judged.interval, judged.effect_size, judged.verdict) == (None, None, "inconclusive")


def test_five_equal_values_are_judged_and_say_that_there_is_no_spread():
    judged = judge([1.0] * 5, AtLeast(0.999), FIVE)
    assert judged.verdict == "replicated"
    assert (judged.interval, judged.effect_size, judged.spread) == (None, None, False)
    assert "no spread between seeds" in judged.reason


def test_values_on_the_bound():
    assert judge([1.0] * 5, AtLeast(1.0), FIVE).verdict == "replicated"
    assert judge([1.0] * 5, AtMost(1.0), FIVE).verdict == "replicated"
    # A gap of exactly nothing in every seed contradicts that there is one.
    assert judge([0.0] * 5, Exceeds(0.0), FIVE).verdict == "contradicted"
    assert judge([0.0] * 5, Below(0.0), FIVE).verdict == "contradicted"
    assert judge([0.0] * 5, Exceeds(0.0), FIVE).signs == "00000"


def test_within_is_two_one_sided_tests():
    inside = judge([0.01, -0.02, 0.03, 0.0, 0.01], Within(-0.05, 0.05), FIVE)
    assert (inside.verdict, inside.p_value, inside.signs) == ("replicated", close(1 / 32), "+++++")
    # One seed outside, so the upper test has 4 of 5.
    edge = judge([0.01, -0.02, 0.06, 0.0, 0.01], Within(-0.05, 0.05), FIVE)
    assert (edge.verdict, edge.p_value) == ("inconclusive", close(6 / 32))


def test_contradicting_a_region_doubles_the_smaller_p():
    five = judge([0.2] * 4 + [0.3], Within(-0.05, 0.05), FIVE)
    assert (five.verdict, five.p_contradicted) == ("inconclusive", close(2 / 32))
    assert "every seed outside of the region" in five.reason
    six = judge([-0.2] * 5 + [-0.3], Within(-0.05, 0.05), range(6))
    assert (six.verdict, six.p_contradicted) == ("contradicted", close(2 / 64))


def test_holds():
    assert judge([True] * 5, Holds(), FIVE).verdict == "replicated"
    broken = judge([True] * 4 + [False], Holds(), FIVE)
    assert (broken.verdict, broken.reason) == ("inconclusive", "holds in 4 of 5 seeds (not in seed 4)")
    assert judge([False] * 5, Holds(), FIVE).verdict == "contradicted"
    # 19 of 20 would pass a sign test; "in every seed" it is not.
    assert judge([True] * 19 + [False], Holds(), range(20)).verdict == "inconclusive"
    assert "needs at least 5" in judge([True] * 4, Holds(), range(4)).reason


def test_a_ratio_is_judged_on_its_contrast():
    top, bottom = [0.08, 0.09, 0.10, 0.08, 0.10], [0.10, 0.10, 0.11, 0.10, 0.12]
    judged = judge(Ratio(top, bottom), AtLeast(0.5), FIVE)
    assert judged.verdict == "replicated"
    assert judged.estimate == close(sum(top) / sum(bottom))
    assert judged.values == close([a / b for a, b in zip(top, bottom, strict=True)])
    # 0.80 · denominator is .08 .08 .088 .08 .096: two numerators equal it, so AtLeast counts them.
    assert judge(Ratio(top, bottom), AtLeast(0.9), FIVE).verdict == "inconclusive"


def test_a_ratio_to_nothing_is_inconclusive():
    judged = judge(Ratio([0.08, 0.09, -0.1, 0.08, 0.1], [0.1, 0.1, -0.11, 0.1, 0.12]), AtLeast(0.5), FIVE)
    assert judged.verdict == "inconclusive"
    assert judged.reason.startswith("nothing to attenuate")
    # Even where the contrast alone would contradict.
    small = judge(Ratio([-1.0] * 5, [0.1, 0.1, -0.1, 0.1, -0.1]), AtLeast(0.5), FIVE)
    assert small.verdict == "inconclusive"


def test_a_ratio_by_zero_in_one_seed_has_no_value_there():
    judged = judge(Ratio([0.1] * 5, [0.0, 0.2, 0.2, 0.2, 0.3]), AtLeast(0.1), FIVE)
    assert judged.values[0] is None
    json.dumps(judged.to_row(), allow_nan=False)


def test_parts():
    predictions = {"gap": Exceeds(0.0), "calm": Within(-0.1, 0.1)}
    up, calm = [0.1, 0.2, 0.1, 0.3, 0.2], [0.01, 0.0, 0.02, -0.01, 0.05]
    both = judge(Parts(gap=up, calm=calm), predictions, FIVE)
    assert (both.verdict, both.p_value) == ("replicated", close(1 / 32))
    contradicted = judge(Parts(gap=[-x for x in up], calm=calm), predictions, FIVE)
    assert contradicted.verdict == "contradicted"
    assert contradicted.reason.startswith("gap: ")
    assert contradicted.p_value == close(max(1.0, 1 / 32))
    open_one = judge(Parts(gap=up, calm=[0.01, 0.0, 0.2, -0.01, 0.05]), predictions, FIVE)
    assert (open_one.verdict, open_one.reason.split(":")[0]) == ("inconclusive", "calm")
    assert open_one.to_row()["parts"]["calm"]["prediction"]["text"] == "within ±0.1"


@pytest.mark.parametrize(
    ("measured", "prediction", "says"),
    [
        ([1.0] * 5, {"a": Exceeds(0.0)}, "returned no Parts"),
        (Parts(a=[1.0] * 5), Exceeds(0.0), "predicts one thing"),
        (Parts(a=[1.0] * 5), {"b": Exceeds(0.0)}, "returned the parts"),
        ([1.0] * 5, Holds(), "one bool a seed"),
        ([True] * 5, Exceeds(0.0), "predict Holds"),
        (Ratio([1.0] * 5, [1.0] * 5), Holds(), "judged by a bound"),
        ([0.1, math.nan, 0.2, 0.3, 0.1], Exceeds(0.0), "not finite at seed 1"),
    ],
)
def test_a_measurement_that_does_not_fit_its_prediction_is_refused(measured, prediction, says):
    with pytest.raises(MeasurementError, match=says):
        judge(measured, prediction, FIVE)


def test_design():
    assert judge_design(True).verdict == "replicated"
    assert judge_design(np.False_).verdict == "contradicted"
    with pytest.raises(MeasurementError, match="bool, not int"):
        judge_design(1)


@given(VALUES, ONE_SIDED, st.floats(-5, 5, width=32))
@settings(max_examples=80, deadline=None)
def test_never_replicated_and_contradicted(values, prediction, bound):
    judged = judge(values, prediction(bound), range(len(values)))
    assert judged.p_value > 0.05 or judged.p_contradicted > 0.05
    assert 0.5 ** len(values) <= judged.p_value <= 1


@given(VALUES, ONE_SIDED, st.floats(-5, 5, width=32), st.floats(0.0625, 3, width=32))
@settings(max_examples=80, deadline=None)
def test_a_harder_bound_is_never_easier_to_reach(values, prediction, bound, step):
    # Ties aside: on the bound the sign test stands alone, by the rule, and may be kinder than both together.
    if bound in values or bound + step in values:
        return
    low, high = (judge(values, prediction(b), range(len(values))) for b in (bound, bound + step))
    easier, harder = (low, high) if prediction in (Exceeds, AtLeast) else (high, low)
    assert easier.p_value <= harder.p_value + 1e-12
    assert easier.p_contradicted >= harder.p_contradicted - 1e-12


@given(VALUES, ONE_SIDED, st.randoms())
@settings(max_examples=40, deadline=None)
def test_the_order_of_seeds_does_not_matter(values, prediction, random):
    shuffled = random.sample(values, len(values))
    one, other = (judge(v, prediction(0.5), range(len(v))) for v in (values, shuffled))
    assert (one.verdict, one.p_value) == (other.verdict, close(other.p_value))


def test_compared_with_the_reported_number():
    row = judge([0.05, 0.12, 0.08, 0.11, 0.13], Exceeds(0.0), FIVE).to_row()
    compared = with_reported(row, Reported(0.0976, unit="logits"))
    assert compared["share_of_reported"] == close(0.098 / 0.0976)
    assert compared["reported_in_interval"] is True
    assert with_reported(row, Reported(5.0))["reported_in_interval"] is False
    assert with_reported(row, None)["share_of_reported"] is None
    assert with_reported(row, Reported(text="near zero"))["reported_in_interval"] is None


def test_a_row_is_strict_plain_data_and_keeps_the_series():
    row = judge(Values([0.1] * 5, series={"curve": np.arange(2)}), Exceeds(0.0), FIVE).to_row()
    assert json.loads(json.dumps(row, allow_nan=False))["series"] == {"curve": [0, 1]}
