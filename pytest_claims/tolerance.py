"""How far a result may move between two runs before the move is more than rounding."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pytest_claims.statistics import finite

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ROUNDING_FACTOR = 5.0
"""How many standard errors of a mean of rounding noise are still taken for rounding."""


def rounding_tolerance(twin_differences: ArrayLike, n: int, stated: float = 0.0) -> float:
    """How far the mean over `n` seeds may move: max(stated, 5 · rms / √n), in the measurement's unit.

    The twin is the same run with its weights moved by rounding alone. Its differences from the run have mean
    0 by construction, so their root mean square is their spread; a mean over n seeds moves by that over √n.
    A tolerance of 0 (a twin that equals its run in every bit, and nothing stated) allows no move at all.

    Args:
        twin_differences: The twin's value less the run's, one a seed `[seed]`, of any number of seeds.
        n: The number of seeds in the mean that is compared, at least 1.
        stated: The tolerance that the claim states itself, at least 0.

    Raises:
        ValueError: A difference or `stated` is not finite, there are none, `n` is below 1, or `stated` is
            negative.
    """
    differences = finite(twin_differences)
    if n < 1:
        raise ValueError(f"a mean over {n} seeds does not exist")
    if not (math.isfinite(stated) and stated >= 0):
        raise ValueError(f"a tolerance of {stated} allows nothing; it must be finite and at least 0")
    # Over the largest, so that no square overflows or vanishes.
    largest = float(np.abs(differences).max())
    if largest == 0:
        return float(stated)
    rms = largest * math.sqrt(float(np.mean((differences / largest) ** 2)))
    return max(float(stated), ROUNDING_FACTOR * rms / math.sqrt(n))
