import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_claims import statistics as s
from tests.helpers import close

VALUES = st.lists(st.integers(-50, 50).map(lambda i: i / 8), min_size=1, max_size=8)


def brute_force_sign_flip(values):
    """Count, one assignment after the other, in exact arithmetic (eighths are exact in binary)."""
    flips = list(itertools.product([1, -1], repeat=len(values)))
    seen = sum(values)
    return sum(sum(f * v for f, v in zip(flip, values, strict=True)) >= seen for flip in flips) / len(flips)


def test_two_seeds_by_hand():
    # Values 3 and 1: the four sums are 4, 2, -2, -4; at least 4 is one of four.
    assert s.sign_flip_p([3.0, 1.0]) == close(1 / 4)
    # Values 3 and -1 (sum 2): 4 and 2 are at least 2, two of four.
    assert s.sign_flip_p([3.0, -1.0]) == close(2 / 4)
    # Values -3 and 1 (sum -2): 4, 2 and -2, three of four.
    assert s.sign_flip_p([-3.0, 1.0]) == close(3 / 4)
    # Values 1 and -1 (sum 0): 2, 0 and 0, three of four; ties count.
    assert s.sign_flip_p([1.0, -1.0]) == close(3 / 4)


def test_five_seeds_of_one_sign_give_the_p_values_that_the_paper_printed():
    gaps = [0.05, 0.12, 0.08, 0.11, 0.13]
    assert s.sign_flip_p(gaps) == close(1 / 32)
    assert s.sign_flip_p(gaps, two_sided=True) == close(0.0625)


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_sign_flip_agrees_with_brute_force(values):
    assert s.sign_flip_p(values) == close(brute_force_sign_flip(values))


@given(VALUES, st.sampled_from([1e-200, 1e-9, 1e9, 1e200]))
@settings(max_examples=30, deadline=None)
def test_sign_flip_does_not_depend_on_the_unit(values, unit):
    assert s.sign_flip_p([v * unit for v in values]) == close(s.sign_flip_p(values))


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=8), st.randoms())
@settings(max_examples=30, deadline=None)
def test_sign_flip_does_not_depend_on_the_order_of_seeds(values, random):
    shuffled = random.sample(values, len(values))
    assert s.sign_flip_p(shuffled) == s.sign_flip_p(values)


def test_nor_does_the_random_set():
    values = np.random.default_rng(3).normal(0.3, 1, size=30)
    assert s.sign_flip_p(values[::-1]) == s.sign_flip_p(values)


def test_ties_by_rounding_count():
    # In floating point 0.1 + 0.2 - 0.3 is not 0: without a tolerance the flips that tie would be lost.
    assert s.sign_flip_p([0.1, 0.2, -0.3]) == close(5 / 8)
    assert s.sign_flip_p([0.1] * 7 + [-0.1]) == close(9 / 256)
    # Differences carry the rounding of the numbers that they came from: these are ±0.1, off by 2e-10.
    assert s.sign_flip_p(np.array([1e6 + 0.1, 1e6 - 0.1]) - 1e6) == close(3 / 4)


def test_many_seeds_use_a_random_set_and_never_give_zero():
    p = s.sign_flip_p(np.ones(40))
    assert 0 < p < 1e-4
    assert s.sign_flip_p(np.linspace(-1, 1.2, 40)) == s.sign_flip_p(np.linspace(-1, 1.2, 40))


def test_the_random_set_agrees_with_all_flips(monkeypatch):
    values = np.random.default_rng(5).normal(0.3, 1, size=18)
    exact = s.sign_flip_p(values)
    monkeypatch.setattr(s, "EXACT_SEEDS", 17)
    # Four standard errors of a share of 200,000.
    assert abs(s.sign_flip_p(values) - exact) < 4 * math.sqrt(exact * (1 - exact) / s.RANDOM_FLIPS)


@pytest.mark.parametrize("n", [20, 300])
def test_memory_is_bounded(n):
    values = np.linspace(-1, 1.2, n)
    tracemalloc.start()
    s.sign_flip_p(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * 2**20


def test_two_sided_by_hand():
    # Values -3 and 1: sums 4, 2, -2, -4; as far from 0 as -2 are all four. Values -3 and -1: two of four.
    assert s.sign_flip_p([-3.0, 1.0], two_sided=True) == close(1.0)
    assert s.sign_flip_p([-3.0, -1.0], two_sided=True) == close(0.5)
    assert s.sign_flip_p([3.0, 1.0], two_sided=True) == close(0.5)


@pytest.mark.parametrize("values", [[0.1, math.nan, 0.2, 0.3, 0.1], [math.inf, 1.0], [], [[1.0]]])
@pytest.mark.parametrize(
    "test", [s.sign_flip_p, s.t_interval, s.hedges_g, lambda v: s.side_p(v, inclusive=True)]
)
def test_what_is_not_finite_is_refused_by_every_test(test, values):
    with pytest.raises(ValueError, match=r"not finite|one value a seed"):
        test(values)


def test_sign_test_by_hand():
    # At least 4 heads of 5: 5 + 1 of 32.
    assert s.sign_test_p(4, 5) == close(6 / 32)


def test_the_larger_p_counts():
    # One huge seed among seven: the sign-flip p is small only as the sign test allows, and the other
    # way round.
    assert s.side_p([9.0, 1.0, 1.0, 1.0, -0.5], inclusive=False) == close(6 / 32)
    # One huge seed on the other side: 7 of 8 positive, but no flip set finds the sum large.
    values = [1.0] * 7 + [-20.0]
    assert s.side_p(values, inclusive=False) == s.sign_flip_p(values) > s.sign_test_p(7, 8)


def test_the_bound_itself_counts_only_where_it_is_claimed():
    assert s.side_p([0.0] * 5, inclusive=True) == close(1 / 32)
    assert s.side_p([0.0] * 5, inclusive=False) == 1.0
    assert s.side_p([0.0, 1, 1, 1, 1], inclusive=False) == close(6 / 32)
    assert s.side_p([0.0, 1, 1, 1, 1], inclusive=True) == close(1 / 32)


def test_t_interval_by_hand():
    # Mean 3, sd sqrt(2.5), t(4) at 97.5 % = 2.776445.
    low, high = s.t_interval([1, 2, 3, 4, 5])
    assert (low, high) == (
        close(3 - 2.776445 * math.sqrt(0.5), 1e-6),
        close(3 + 2.776445 * math.sqrt(0.5), 1e-6),
    )


def test_hedges_g_by_hand():
    # d = 3 / sqrt(2.5); at m = 4: gamma(2) / (sqrt(2) gamma(1.5)) = 0.797885.
    assert s.hedges_g([1, 2, 3, 4, 5]) == close(0.797885 * 3 / math.sqrt(2.5), 1e-5)


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e-9, 1e9, 1e200, 1e299])
def test_interval_and_effect_size_follow_the_unit(unit):
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    tolerance = 1e-2 if unit < 1e-300 else 1e-9  # So near the end of the range few digits are left.
    scaled = [end / unit for end in s.t_interval(values * unit)]
    assert scaled == close(list(s.t_interval(values)), tolerance)
    assert s.hedges_g(values * unit) == close(s.hedges_g(values), tolerance)
    low, high = s.fieller_interval(values * unit, (values + 10) * unit)
    assert [low, high] == close(list(s.fieller_interval(values, values + 10)), tolerance)


@pytest.mark.parametrize("values", [[0.5], [1.0] * 5, [0.1 + 0.2, 0.3, 0.3]])
def test_no_spread_gives_no_interval_and_no_effect_size(values):
    assert s.t_interval(values) is None
    assert s.hedges_g(values) is None


def test_fieller_holds_exactly_the_ratios_that_students_test_does_not_reject():
    from scipy.stats import ttest_1samp

    top, bottom = np.array([0.8, 0.95, 0.7, 0.9, 0.85]), np.array([1.0, 1.1, 0.9, 1.05, 0.95])
    low, high = s.fieller_interval(top, bottom)
    for edge in (low, high):
        assert ttest_1samp(top - edge * bottom, 0).pvalue == close(0.05, 1e-6)
    assert low < top.mean() / bottom.mean() < high


def test_fieller_with_a_constant_denominator_is_the_t_interval():
    top = [1.0, 2.0, 3.0, 4.0, 5.0]
    low, high = s.t_interval(top)
    assert s.fieller_interval(top, [2.0] * 5) == (close(low / 2), close(high / 2))


def test_one_ratio_in_every_seed_has_no_interval():
    # Width 0 would claim certainty, and to call it unbounded would claim the contrary.
    bottom = np.array([0.1, 0.2, 0.3, 0.4, 0.7])
    assert s.fieller_interval(0.3 * bottom, bottom) is None
    assert s.same_ratio(0.3 * bottom, bottom)
    assert not s.same_ratio(bottom, bottom + 1e-6)
    assert not s.same_ratio([1.0, 1.0], [1.0, -1.0])


def test_what_differs_by_rounding_alone_is_equal():
    assert s.difference([0.7 + 0.1, 0.9, 0.8 - 1e-9], 0.8).tolist() == [0.0, close(0.1), close(-1e-9)]
    assert s.difference([1e-300], 0.0).tolist() == [1e-300]
    with pytest.raises(ValueError, match="not finite"):
        s.difference([1.7e308], -1.7e308)


def test_fieller_is_unbounded_where_the_denominator_may_be_zero():
    assert s.fieller_interval([1.0, 1.1, 0.9], [0.1, -0.2, 0.15]) is None


def test_seeds_needed():
    assert s.seeds_needed(0.05) == 5
    assert s.seeds_needed(0.5) == 1


def test_attainable_level():
    assert s.attainable(4) == 0.0
    assert s.attainable(5) == close(1 / 32)
    # Eight seeds: at least 7 of 8 is 9/256 = 0.035; at least 6 is 37/256.
    assert s.attainable(8) == close(9 / 256)


def test_holm_by_hand():
    # Sorted .01 .02 .04 times 3, 2, 1, then made monotone.
    assert s.holm([0.04, 0.01, 0.02]) == close([0.04, 0.03, 0.04])
    assert s.holm([0.9, 0.8]) == close([1.0, 1.0])
    assert s.holm([]) == []


def test_expected_false_replications_counts_what_was_tested_at_its_own_level():
    rows = [
        {"seeds": range(5), "p_value": 0.03},
        {"seeds": range(8), "p_value": 1.0},
        {"seeds": range(5), "p_value": None},
    ]
    assert s.expected_false_replications(rows) == close(1 / 32 + 9 / 256)


def test_what_must_hold_in_every_seed_is_rarer_by_chance():
    holds, exceeds = {"kind": "holds"}, {"kind": "exceeds"}
    for prediction in (holds, {"kind": "parts", "parts": {"a": exceeds, "b": holds}}):
        row = {"seeds": range(8), "p_value": 1.0, "prediction": prediction}
        assert s.expected_false_replications([row]) == close(1 / 256)
    assert s.expected_false_replications([{"seeds": range(4), "p_value": 1.0, "prediction": holds}]) == 0


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("draw", ["normal", "skewed", "bounded"])
def test_under_a_true_null_no_more_than_alpha_is_significant(n, draw):
    generator = np.random.default_rng(20)
    noise = generator.normal(size=(1500, n))
    if draw == "skewed":
        noise = np.exp(noise) - 1.0  # Median 0, mean well above it: sign-flip alone would reject too often.
    if draw == "bounded":
        noise = np.where(
            noise > 0, 0.01, noise
        )  # An accuracy near its ceiling: the mean far below the median.
        noise = -noise
    p = np.array([s.side_p(row, inclusive=False) for row in noise])
    # Three standard errors above alpha.
    assert (p <= s.ALPHA).mean() <= s.ALPHA + 3 * math.sqrt(s.ALPHA * (1 - s.ALPHA) / 1500)
