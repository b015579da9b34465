import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_claims.declare import Reported
from pytest_claims.measurements import MeasurementError, Parts, Ratio
from pytest_claims.predictions import AtLeast, AtMost, Below, Exceeds, Holds, Within
from pytest_claims.verdicts import judge, judge_design, with_reported
from tests.helpers import close

FIVE = range(5)
ONE_SIDED = st.sampled_from([Exceeds, Below, AtLeast, AtMost])
VALUES = st.lists(st.floats(-10, 10, allow_nan=False, width=32), min_size=1, max_size=9)
BOUND = st.floats(-5, 5, width=32)
PREDICTION = st.one_of(
    st.builds(lambda kind, bound: kind(bound), ONE_SIDED, BOUND),
    st.builds(lambda low, size: Within(low, low + size), BOUND, st.floats(0.125, 5, width=32)),
)


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
    assert judged.reason == "“> 0” holds in no seed"


def test_a_contradicted_threshold_of_ours_says_so():
    judged = judge([0.5, 0.6, 0.55, 0.5, 0.7], AtLeast(0.8, source="ours"), FIVE)
    assert judged.verdict == "contradicted"
    assert "ours, not the paper's" in judged.reason


def test_inconclusive_names_the_seeds():
    judged = judge([0.05, -0.12, 0.08, 0.11, 0.13], Exceeds(0.0), [0, 1, 2, 3, 4])
    assert judged.verdict == "inconclusive"
    assert judged.reason == "“> 0” does not hold in seed 1"
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
    assert "one seed gives no interval and no effect size" in judged.reason


def test_two_seeds_give_an_interval_but_no_effect_size():
    judged = judge([0.3, 0.4], Exceeds(0.0), [0, 1])
    assert judged.interval is not None
    assert judged.effect_size is None
    assert judged.reason.endswith("two seeds give no effect size")


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


def test_a_value_on_the_bound_but_for_rounding_is_on_the_bound():
    # 0.7 + 0.1 is 0.7999999999999999 in floating point, and 0.8 · 0.1 is 0.08000000000000002.
    assert judge([0.7 + 0.1] * 5, AtLeast(0.8), FIVE).signs == "00000"
    assert judge([0.1 + 0.2] * 5, Exceeds(0.3), FIVE).signs == "00000"
    judged = judge(Ratio([0.08, 0.16, 0.24, 0.32, 0.4], [0.1, 0.2, 0.3, 0.4, 0.5]), AtLeast(0.8), FIVE)
    assert (judged.verdict, judged.signs, judged.interval) == ("replicated", "00000", None)
    assert "no spread" in judged.reason


def test_the_sign_test_stands_alone_where_a_seed_lies_on_the_bound():
    # 9 of 10 at the ceiling, one far below: no flip set finds the sum large, the median is on the bound.
    judged = judge([1.0] * 9 + [0.5], AtLeast(1.0), range(10))
    assert (judged.verdict, judged.p_value) == ("replicated", close(11 / 1024))
    assert judged.reason == "“≥ 1” does not hold in seed 9"


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e200, 1e298])
@pytest.mark.parametrize("prediction", [Exceeds(0.0), Within(-1.7e308, 1.7e308)])
def test_tiny_and_huge_values_are_judged(unit, prediction):
    values = [unit * x for x in (5, 12, 8, 11, 13)]
    judged = judge(values, prediction, FIVE)
    assert (judged.verdict, judged.signs) == ("replicated", "+++++")
    json.dumps(judged.to_row(), allow_nan=False)
    ratio = judge(Ratio(values, values[::-1]), Below(10.0), FIVE)
    assert ratio.verdict == "replicated"
    assert ratio.interval[0] < 1 < ratio.interval[1]


def test_a_distance_that_overflows_is_refused_by_its_seed():
    with pytest.raises(MeasurementError, match=r"distance from the bound 1e\+200 is not finite at seed 1"):
        judge(Ratio([1.0] * 2, [1.0, 1e200]), AtLeast(1e200), [0, 1])


def test_within_is_two_one_sided_tests():
    inside = judge([0.01, -0.02, 0.03, 0.0, 0.01], Within(-0.05, 0.05), FIVE)
    assert (inside.verdict, inside.p_value, inside.signs) == ("replicated", close(1 / 32), "+++++")
    # One seed outside, so the upper test has 4 of 5.
    edge = judge([0.01, -0.02, 0.06, 0.0, 0.01], Within(-0.05, 0.05), FIVE)
    assert (edge.verdict, edge.p_value) == ("inconclusive", close(6 / 32))


def test_contradicting_a_region_doubles_the_smaller_p():
    five = judge([0.2] * 4 + [0.3], Within(-0.05, 0.05), FIVE)
    assert (five.verdict, five.p_contradicted) == ("inconclusive", close(2 / 32))
    assert "needs at least 6 seeds" in five.reason
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
    assert judged.reason.startswith("nothing to attenuate: the denominator is not above 0 in seed 2")
    # Both tests must pass, so the p shown is the denominator's: 4 of 5.
    assert judged.p_value == close(6 / 32)
    # Even where the contrast alone would contradict.
    small = judge(Ratio([-1.0] * 5, [0.1, 0.1, -0.1, 0.1, -0.1]), AtLeast(0.5), FIVE)
    assert small.verdict == "inconclusive"
    assert small.p_contradicted > 0.05
    # Too few seeds to say that the denominator is not above 0.
    assert "nothing" not in judge(Ratio([1.0, 2.0], [1.0, 1.5]), AtLeast(0.5), [0, 1]).reason


def test_a_ratio_that_is_not_identified_says_so():
    bottom = [0.01, 0.02, 0.01, 2.0, 0.01]
    judged = judge(Ratio([0.5 * b + 0.01 for b in bottom], bottom), AtLeast(0.1), FIVE)
    assert (judged.verdict, judged.interval) == ("replicated", None)
    assert judged.reason == "the ratio is not identified: its interval is unbounded"


def test_a_ratio_by_zero_in_one_seed_has_no_value_there():
    judged = judge(Ratio([0.1] * 5, [0.0, 0.2, 0.2, 0.2, 0.3]), AtLeast(0.1), FIVE)
    assert judged.values[0] is None
    tiny = judge(Ratio([1.0] * 5, [1e-310] * 5), AtLeast(0.1), FIVE)
    assert (tiny.values, tiny.estimate) == ([None] * 5, None)
    json.dumps(judged.to_row(), allow_nan=False)


def test_parts():
    predictions = {"gap": Exceeds(0.0), "calm": Within(-0.1, 0.1)}
    up, calm = [0.1, 0.2, 0.1, 0.3, 0.2], [0.01, 0.0, 0.02, -0.01, 0.05]
    both = judge(Parts(gap=up, calm=calm), predictions, FIVE)
    assert (both.verdict, both.p_value) == ("replicated", close(1 / 32))
    contradicted = judge(Parts(gap=[-x for x in up], calm=calm), predictions, FIVE)
    assert contradicted.verdict == "contradicted"
    assert contradicted.reason.startswith("gap: ")
    assert (contradicted.p_value, contradicted.p_contradicted) == (1.0, close(1 / 32))
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
    broken = judge_design(np.False_)
    assert (broken.verdict, broken.reason) == ("contradicted", "the property does not hold")
    assert broken.to_row()["values"] == []
    with pytest.raises(MeasurementError, match="bool, not int"):
        judge_design(1)


@given(VALUES, PREDICTION)
@settings(max_examples=150, deadline=None)
def test_never_replicated_and_contradicted(values, prediction):
    judged = judge(values, prediction, range(len(values)))
    assert judged.p_value > 0.05 or judged.p_contradicted > 0.05
    for p in (judged.p_value, judged.p_contradicted, judged.p_two_sided):
        assert 0.5 ** len(values) <= p <= 1


@given(st.lists(st.booleans(), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_nor_what_holds(values):
    judged = judge(values, Holds(), range(len(values)))
    assert judged.p_value > 0.05 or judged.p_contradicted > 0.05


@given(VALUES, ONE_SIDED, st.floats(-5, 5, width=32), st.floats(0.0625, 3, width=32))
@settings(max_examples=80, deadline=None)
def test_a_harder_bound_is_never_easier_to_reach(values, prediction, bound, step):
    # Ties aside: on the bound the sign test stands alone, by the rule, and may be kinder than both together.
    if any(v == close(b) for v in values for b in (bound, bound + step)):
        return
    low, high = (judge(values, prediction(b), range(len(values))) for b in (bound, bound + step))
    easier, harder = (low, high) if prediction in (Exceeds, AtLeast) else (high, low)
    assert easier.p_value <= harder.p_value + 1e-12
    assert easier.p_contradicted >= harder.p_contradicted - 1e-12


TIED = st.lists(st.integers(-3, 3).map(float), min_size=5, max_size=7)
RANK = {"contradicted": 0, "inconclusive": 1, "replicated": 2}


@given(TIED, ONE_SIDED, st.integers(-4, 4), st.integers(1, 3))
@settings(max_examples=120, deadline=None)
def test_with_seeds_on_the_bound_a_harder_one_is_still_never_easier(values, prediction, bound, step):
    # Up to seven seeds, where every seed must agree; with more, the sign test alone may be the kinder one.
    low, high = (judge(values, prediction(b), range(len(values))) for b in (bound, bound + step))
    easier, harder = (low, high) if prediction in (Exceeds, AtLeast) else (high, low)
    assert RANK[easier.verdict] >= RANK[harder.verdict]


@given(st.lists(st.integers(-3, 3).map(float), min_size=5, max_size=7), st.integers(1, 3), st.integers(1, 2))
@settings(max_examples=80, deadline=None)
def test_a_wider_region_is_never_harder_to_hit(values, half, step):
    narrow, wide = (judge(values, Within(-h, h), range(len(values))) for h in (half, half + step))
    assert RANK[wide.verdict] >= RANK[narrow.verdict]


@given(VALUES, PREDICTION, st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_order_of_seeds_does_not_matter(values, prediction, random):
    shuffled = random.sample(values, len(values))
    one, other = (judge(v, prediction, range(len(v))) for v in (values, shuffled))
    assert (one.verdict, one.p_value, one.p_contradicted) == (
        other.verdict,
        other.p_value,
        other.p_contradicted,
    )


@given(VALUES, st.floats(-5, 5, width=32), st.sampled_from([1e-9, 0.3, 7.0, 1e9]))
@settings(max_examples=60, deadline=None)
def test_the_unit_does_not_matter(values, bound, unit):
    one = judge(values, Exceeds(bound), range(len(values)))
    other = judge([v * unit for v in values], Exceeds(bound * unit), range(len(values)))
    assert (one.verdict, one.p_value, one.signs) == (other.verdict, other.p_value, other.signs)
    assert other.estimate == pytest.approx(one.estimate * unit, rel=1e-9, abs=1e-12 * unit)


@given(VALUES, PREDICTION)
@settings(max_examples=60, deadline=None)
def test_what_there_is_no_number_for_is_said(values, prediction):
    judged = judge(values, prediction, range(len(values)))
    if judged.interval is None or judged.effect_size is None:
        assert any(word in judged.reason for word in ("no interval", "no effect size"))
    if judged.verdict != "replicated":
        assert judged.reason


def test_compared_with_the_reported_number():
    row = judge([0.05, 0.12, 0.08, 0.11, 0.13], Exceeds(0.0), FIVE).to_row()
    compared = with_reported(row, Reported(0.0976, unit="logits"))
    assert compared["share_of_reported"] == close(0.098 / 0.0976)
    assert compared["reported_in_interval"] is True
    assert with_reported(row, Reported(5.0))["reported_in_interval"] is False
    assert with_reported(row, None)["share_of_reported"] is None
    assert with_reported(row, Reported(0.0))["share_of_reported"] is None
    assert with_reported(row, Reported(text="near zero"))["reported_in_interval"] is None
