"""What seeds may look like: how far each lies beyond a bound, drawn so that the claim is false by a hair.

A *median null* has a seed on the claimed side with probability exactly one half, the edge of the null that
the judge tests. A *mean null* has the mean on the bound, which is what a reader may take the claim to deny,
since the estimate is a mean. Where the seeds are symmetric the two are one.

Every distribution is drawn in units of its spread: its standard deviation, and for the heavy-tailed one,
which has none, the scale that gives it the quartiles of the standard normal distribution.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

NORMAL, HEAVY, BOUNDED = "normal", "heavy-tailed", "bounded"
SKEWED_TOWARDS, SKEWED_AGAINST = "skewed towards the claim", "skewed against the claim"
"""Log-normal, the long tail on the claimed side or on the other one."""

MEDIAN = (NORMAL, SKEWED_TOWARDS, SKEWED_AGAINST, HEAVY, BOUNDED)
"""What can be drawn with the median on the bound."""
MEAN = (SKEWED_TOWARDS, SKEWED_AGAINST, BOUNDED)
"""What can be drawn with the mean on the bound and the median off it."""

SEED = 5
"""Enters every generator."""
RARE = 0.1
"""The share of seeds that fail in the mean null of bounded seeds."""

_LOG_NORMAL_SPREAD = math.sqrt((math.e - 1) * math.e)
"""The standard deviation of exp(z)."""
_T2_SCALE = 0.6744897501960817 * math.sqrt(1.5)
"""The upper quartile of z over that of Student's t with 2 degrees of freedom, √(2/3)."""
_BOUNDED_SPREAD = math.sqrt(0.25 + 0.5 * 6 - 0.75**2)
"""The standard deviation of bounded seeds in steps; 6 is the mean square of a geometric number of mean 2."""


def own_generator(*name: object) -> Generator:
    """The generator of one cell of a table.

    It is seeded by the cell's name, so that a table is the same on every run and a cell does not depend on
    which others were simulated.
    """
    return np.random.default_rng([SEED, *"/".join(map(str, name)).encode()])


def draw(
    noise: str, generator: Generator, shape: tuple[int, int], *, inclusive: bool, null: str = "median"
) -> NDArray[np.float64]:
    """How far seeds lie beyond the bound, positive on the claimed side, `[experiment, seed]`.

    Args:
        noise: One of `MEDIAN`, or of `MEAN`.
        generator: Where the numbers come from.
        shape: The numbers of experiments and of seeds.
        inclusive: Whether the bound itself is on the claimed side. It decides where the edge of the null is
            for bounded seeds, which can lie on the bound.
        null: "median" or "mean": which of them is at the edge of the null.
    """
    if noise == NORMAL:
        return generator.standard_normal(shape)
    if noise == HEAVY:
        return generator.standard_t(2, shape) * _T2_SCALE
    if noise == BOUNDED:
        return _rare_failures(generator, shape) if null == "mean" else _bounded(generator, shape, inclusive)
    centre = 1.0 if null == "median" else math.exp(0.5)
    towards = (np.exp(generator.standard_normal(shape)) - centre) / _LOG_NORMAL_SPREAD
    return towards if noise == SKEWED_TOWARDS else -towards


def _bounded(generator: Generator, shape: tuple[int, int], inclusive: bool) -> NDArray[np.float64]:
    """An accuracy near 1: a quarter of the seeds at the ceiling, a quarter one step below, a tail below that.

    The bound lies one step below the ceiling where it is itself on the claimed side, else two steps.
    """
    u = generator.random(shape)
    steps = np.where(u < 0.25, 1, np.where(u < 0.5, 0, -generator.geometric(0.5, shape)))
    return (steps if inclusive else steps + 1) / _BOUNDED_SPREAD


def _rare_failures(generator: Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """All seeds at the ceiling but one in ten, which falls short by as much as puts the mean on the bound."""
    failed = generator.random(shape) < RARE
    return np.where(failed, RARE - 1, RARE) / math.sqrt(RARE * (1 - RARE))
