"""How many seeds head-attenuation needs, calculated on pilot seeds before any judged seed was opened.

Pilot seeds are 1000 and up and never judged. `python -m claims.history_dependence.pilots` prints the power.
"""

import numpy as np
from numpy.typing import NDArray

from pytest_claims.statistics import ALPHA, side_p

PILOT_SEEDS = (1000, 1001, 1002, 1003, 1004, 1005)
PILOT_GAPS = (0.41, 0.43, 0.40, 0.36, 0.48, 0.53)
"""The whole model's gap at hold 0 in logits, one a pilot seed: 8 loop draws, 8192 trials."""
PILOT_SHARES = (0.676, 0.912, 1.001, 0.849, 0.935, 1.291)
"""The share of it that all heads at the query position carry, measured as head-attenuation measures it."""

WANTED_POWER = 0.80
SEEDS_FOR_ATTENUATION = 26
"""The power at this size is 0.8 by `power`; at five seeds it is 0.2."""


def contrasts(bound: float) -> NDArray[np.float64]:
    """What a ratio is judged on, numerator − bound · denominator, `[pilot seed]`."""
    return (np.array(PILOT_SHARES) - bound) * np.array(PILOT_GAPS)


def power(seeds: int, bound: float, repetitions: int = 1000) -> float:
    """The share of experiments of that size that replicate, if seeds are normal as the pilot's were.

    The pilot's mean and standard deviation are themselves uncertain with six seeds, so this is a plan, not a
    promise.
    """
    pilot, generator = contrasts(bound), np.random.default_rng(0)
    drawn = generator.normal(pilot.mean(), pilot.std(ddof=1), size=(repetitions, seeds))
    return float(np.mean([side_p(one, inclusive=True) <= ALPHA for one in drawn]))


if __name__ == "__main__":
    for size in (5, 8, 11, 13, 18, 20, SEEDS_FOR_ATTENUATION, 30):
        print(f"{size:3d} seeds: power {power(size, 0.80):.2f}")
