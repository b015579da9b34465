import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims.tolerance import rounding_tolerance
from tests.helpers import close

DIFFERENCES = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20)


def test_by_hand():
    # Mean square (9 + 16) / 2 = 12.5; a mean of four seeds: 5 · √12.5 / 2.
    assert rounding_tolerance([3.0, -4.0], 4) == close(5 * math.sqrt(12.5) / 2)


def test_the_stated_tolerance_is_a_floor():
    assert rounding_tolerance([1e-6] * 5, 5, 0.01) == 0.01
    assert rounding_tolerance([1.0] * 5, 5, 0.01) == close(5 / math.sqrt(5))


def test_a_twin_that_equals_its_run_allows_what_is_stated_and_no_more():
    assert rounding_tolerance([0.0] * 5, 5) == 0
    assert rounding_tolerance([0.0] * 5, 5, 0.25) == 0.25


def test_a_shift_common_to_all_seeds_counts_as_rounding():
    # The root mean square, not the standard deviation, which would be 0 here.
    assert rounding_tolerance([2.0, 2.0, 2.0, 2.0], 4) == close(5.0)


@given(DIFFERENCES, st.integers(1, 50))
def test_it_covers_the_twin_itself(differences, n):
    # |mean| ≤ rms, so at up to 25 seeds the twin's own move is always within the tolerance.
    tolerance = rounding_tolerance(differences, min(n, 25))
    assert abs(sum(differences) / len(differences)) <= tolerance * (1 + 1e-12)


@given(DIFFERENCES, st.sampled_from([1e-200, 1e-9, 1e9, 1e200]))
def test_it_does_not_depend_on_the_unit(differences, unit):
    scaled = rounding_tolerance([d * unit for d in differences], 5)
    assert scaled / unit == close(rounding_tolerance(differences, 5))


@pytest.mark.parametrize(
    ("differences", "n", "stated", "message"),
    [
        ([0.1, math.nan], 5, 0.0, "not finite"),
        ([], 5, 0.0, "one value a seed"),
        ([0.1], 0, 0.0, "over 0 seeds"),
        ([0.1], 5, -1.0, "-1.0 allows nothing"),
        ([0.1], 5, math.nan, "nan allows nothing"),
    ],
)
def test_what_cannot_be_a_tolerance_is_refused(differences, n, stated, message):
    with pytest.raises(ValueError, match=message):
        rounding_tolerance(differences, n, stated)
