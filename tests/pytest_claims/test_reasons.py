import numpy as np
import pytest

from pytest_claims import reasons
from pytest_claims.predictions import Exceeds, Within


@pytest.mark.parametrize(
    ("seeds", "text"),
    [
        ([3], "seed 3"),
        ([1, 3], "seeds 1 and 3"),
        ([1, 3, 4], "seeds 1, 3 and 4"),
        (list(range(20)), "seeds 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 more"),
    ],
)
def test_seeds_by_name(seeds, text):
    assert reasons.named(seeds) == text


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ([2], "“> 0” does not hold in seed 2"),
        ([0, 1, 2], "“> 0” holds only in seed 3"),
        ([0, 1], "“> 0” does not hold in seeds 0 and 1"),
        ([0, 1, 2, 3], "“> 0” holds in no seed"),
    ],
)
def test_the_fewer_seeds_are_named(wrong, text):
    assert reasons.failing("> 0", wrong, range(4)) == text


def test_too_few():
    assert reasons.too_few(4, 0.05) == "needs at least 5 seeds at this α (0.05)"
    assert reasons.too_few(5, 0.05) is None
    assert reasons.too_few(6, 0.01) == "needs at least 7 seeds at this α (0.01)"


def undecided(prediction, beyond):
    """As `judge` calls it, for seeds that lie so far beyond each bound."""
    sides = [np.asarray(side, dtype=float) for side in beyond]
    nearest = np.min(sides, axis=0)
    inclusive = prediction.inclusive
    wrong = [i for i, d in enumerate(nearest) if (d < 0 if inclusive else d <= 0)]
    return reasons.undecided(prediction, sides, wrong, range(len(nearest)), 0.05)


def test_a_few_seeds_far_off():
    outweigh = "the few lie so far off that they outweigh the many"
    assert undecided(Exceeds(0.0), [[1.0] * 9 + [-100.0]]) == f"“> 0” does not hold in seed 9; {outweigh}"
    assert undecided(Exceeds(0.0), [[-1.0] * 9 + [100.0]]) == f"“> 0” holds only in seed 9; {outweigh}"
    assert undecided(Exceeds(0.0), [[1.0] * 5 + [-1.0] * 4]) == "“> 0” does not hold in seeds 5, 6, 7 and 8"


def region(values):
    values = np.array(values)
    return undecided(Within(-1.0, 1.0), [values + 1.0, 1.0 - values])


def test_a_region_that_every_seed_misses():
    assert "needs at least 6 seeds" in region([2.0] * 5)
    assert "both sides" in region([2.0, 2.0, -2.0, 2.0, -2.0, 2.0])
    # Nine of ten miss it, but on both sides: nothing outweighs anything.
    assert region([2.0] * 5 + [-2.0] * 4 + [0.0]) == "“within ±1” holds only in seed 9"


def test_what_there_is_no_number_for():
    def missing(n=5, spread=True, interval=True, effect_size=True):
        return reasons.missing(n, spread=spread, interval=interval, effect_size=effect_size)

    assert missing() is None
    assert missing(n=1, spread=False, interval=False, effect_size=False).startswith("one seed gives no")
    assert missing(spread=False, interval=False, effect_size=False) == reasons.NO_SPREAD
    assert missing(n=2, effect_size=False) == "two seeds give no effect size"
    assert missing(interval=False) == reasons.NOT_IDENTIFIED
    assert missing(effect_size=False) == "no effect size: no spread from the bound"
