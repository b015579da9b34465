import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_claims import statistics, verdicts
from pytest_claims.calibration import judging
from pytest_claims.measurements import Ratio
from pytest_claims.predictions import AtLeast, AtMost, Below, Exceeds, Holds, Within
from tests.helpers import close

# Eighths, so that ties and values on a bound are frequent and exact.
EIGHTHS = st.integers(-12, 12).map(lambda i: i / 8)
PREDICTIONS = st.one_of(
    st.builds(lambda kind, bound: kind(bound), st.sampled_from([Exceeds, Below, AtLeast, AtMost]), EIGHTHS),
    st.builds(lambda low, width: Within(low, low + width / 8), EIGHTHS, st.integers(1, 12)),
)
ROWS = st.integers(5, 9).flatmap(lambda n: st.lists(EIGHTHS, min_size=n, max_size=n))


@given(ROWS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_p_value_is_that_of_one_experiment(row, inclusive):
    found = judging.side_p(np.array([row, row[::-1]]), inclusive=inclusive)
    assert found == close(statistics.side_p(row, inclusive=inclusive))


@pytest.mark.parametrize("n", [1, 5, 10, 13, 20])
def test_the_sign_flips_are_all_counted(n):
    values = np.random.default_rng(n).normal(0.4, 1, size=(4, n))
    values[0] = np.round(values[0], 1)
    assert judging.flip_p(values) == close(np.array([statistics.sign_flip_p(row) for row in values]))


def test_no_experiments_have_no_p_values():
    assert judging.flip_p(np.empty((0, 5))).shape == (0,)


def test_more_seeds_than_can_be_counted_are_refused():
    with pytest.raises(ValueError, match="21 seeds are more than the 20"):
        judging.flip_p(np.ones((1, 21)))


def test_a_settled_p_is_a_lower_bound_and_never_at_most_alpha():
    beyond = np.random.default_rng(0).normal(0.5, 1, size=(300, 8))
    whole, quick = (judging.side_p(beyond, inclusive=False, settled=level) for level in (1.0, 0.05))
    assert (quick <= whole).all()
    assert ((quick <= 0.05) == (whole <= 0.05)).all()


@given(PREDICTIONS, ROWS)
@settings(max_examples=200, deadline=None)
def test_values_get_the_verdict_of_the_judge(prediction, row):
    found = judging.judge(prediction, np.array([row]))
    assert verdict_of(found) == verdicts.judge(row, prediction, range(len(row))).verdict


@given(
    PREDICTIONS,
    st.integers(5, 8).flatmap(lambda n: st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=n, max_size=n)),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_ratios_get_the_verdict_of_the_judge(prediction, pairs, positive):
    top, bottom = (np.array(column) for column in zip(*pairs, strict=True))
    bottom = np.abs(bottom) + 0.5 if positive else bottom
    found = judging.judge(prediction, top[np.newaxis], bottom[np.newaxis])
    assert verdict_of(found) == verdicts.judge(Ratio(top, bottom), prediction, range(len(top))).verdict


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_truth_values_get_the_verdict_of_the_judge(held):
    found = judging.judge_holds(np.array([held]))
    assert verdict_of(found) == verdicts.judge(held, Holds(), range(len(held))).verdict


def verdict_of(found):
    if found.replicated[0]:
        assert not found.contradicted[0]
        return "replicated"
    return "contradicted" if found.contradicted[0] else "inconclusive"


def test_rounding_leaves_a_value_on_its_bound():
    (beyond,) = judging.distances(AtLeast(0.8), np.array([0.7 + 0.1, 0.9]))
    assert beyond[0] == 0
    assert beyond[1] == close(0.1)


def test_margins_by_hand():
    # Mean 2, standard deviation 1; no spread; nothing at all.
    found = judging.margin(np.array([[1.0, 2.0, 3.0], [0.1, 0.1, 0.1], [-1.0, -1.0, -1.0], [0.0, 0.0, 0.0]]))
    assert found.tolist() == close([2.0, np.inf, -np.inf, 0.0])


@pytest.mark.parametrize(
    "prediction", [Exceeds(0.5), Below(-1.0), AtLeast(2.0), AtMost(0.0), Within(-1.0, 2.0)]
)
def test_a_prediction_is_found_again_from_a_report(prediction):
    assert judging.prediction_of(prediction.kind, prediction.bound) == prediction
