import math

import numpy as np
import pytest

from pytest_claims.calibration import noise
from tests.helpers import close

SHAPE = (4000, 10)


def drawn(name, **options):
    return noise.draw(name, noise.own_generator("test", name), SHAPE, **options)


def at_most_errors(share, expected, count=SHAPE[0] * SHAPE[1]):
    """Within five standard errors of what it should be."""
    return abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("name", noise.MEDIAN)
def test_a_median_null_is_at_the_edge(name, inclusive):
    beyond = drawn(name, inclusive=inclusive)
    assert beyond.shape == SHAPE
    claimed = beyond >= 0 if inclusive else beyond > 0
    assert at_most_errors(claimed.mean(), 0.5)


@pytest.mark.parametrize("name", noise.MEAN)
def test_a_mean_null_has_its_mean_on_the_bound_and_its_median_off_it(name):
    beyond = drawn(name, inclusive=True, null="mean")
    # The spread is 1.
    assert abs(beyond.mean()) <= 5 / math.sqrt(beyond.size)
    assert abs(np.median(beyond)) > 0.1


@pytest.mark.parametrize("name", [noise.NORMAL, noise.SKEWED_TOWARDS, noise.SKEWED_AGAINST, noise.BOUNDED])
def test_the_unit_is_the_standard_deviation(name):
    beyond = drawn(name, inclusive=True)
    assert beyond.std() == pytest.approx(1, abs=0.06)


def test_the_unit_of_heavy_tails_is_the_normal_quartile():
    beyond = drawn(noise.HEAVY, inclusive=True)
    assert at_most_errors((beyond > 0.6744897501960817).mean(), 0.25)


def test_skewed_seeds_are_mirror_images():
    towards, against = (
        noise.draw(name, np.random.default_rng(0), (3, 5), inclusive=True)
        for name in (noise.SKEWED_TOWARDS, noise.SKEWED_AGAINST)
    )
    assert (towards == -against).all()
    assert drawn(noise.SKEWED_TOWARDS, inclusive=True).mean() > 0.2


def test_bounded_seeds_lie_on_the_bound_exactly():
    beyond = drawn(noise.BOUNDED, inclusive=True)
    assert at_most_errors((beyond == 0).mean(), 0.25)
    assert beyond.max() == close(1 / math.sqrt(2.6875))


def test_the_mean_null_of_bounded_seeds_is_one_failure_in_ten():
    beyond = drawn(noise.BOUNDED, inclusive=True, null="mean")
    assert at_most_errors((beyond < 0).mean(), 0.1)
    assert len(np.unique(beyond)) == 2


def test_a_generator_is_known_by_its_name():
    assert noise.own_generator("a", 5).random() == noise.own_generator("a", 5).random()
    assert noise.own_generator("a", 5).random() != noise.own_generator("a", 6).random()
