"""The statistics of one value a seed, exact where they can be.

Everything starts at one gate that refuses what is not finite: scipy's permutation test answers p = 0 to a NaN
without a word. scipy is imported inside the functions, because it is slow to load and most commands judge
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ALPHA = 0.05
EXACT_SEEDS = 20
"""With up to so many seeds all 2^n sign flips are counted."""
RANDOM_FLIPS = 200_000
"""With more, so many random ones stand for them."""


def finite(values: ArrayLike) -> NDArray[np.float64]:
    """The gate: `values` as floats `[seed]`.

    Raises:
        ValueError: There are none, they are not one-dimensional, or one is not finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"statistics need one value a seed, not shape {list(array.shape)}")
    if not np.isfinite(array).all():
        raise ValueError(f"not finite: {array[~np.isfinite(array)].tolist()}")
    return array


def sign_flip_p(values: ArrayLike, *, two_sided: bool = False) -> float:
    """The p value of the sign-flip test that the values are symmetric about 0, against a positive mean.

    The share of sign assignments whose sum is at least the one seen; all 2^n of them up to `EXACT_SEEDS`,
    else a random set with its own seed in which the one seen counts too, so p is never 0. Source:
    Pitman 1937; Phipson & Smyth 2010 for the random set.

    Ours rather than scipy's `permutation_test`: its tolerance for ties is a share of the sum seen,
    so where the sum is near 0 rounding decides which flips tie.
    """
    array = finite(values)
    largest = float(np.abs(array).max())
    if largest == 0:
        return 1.0
    # Scaled, so that neither tiny nor huge values lose or overflow the tolerance.
    array = array / largest
    if two_sided and array.sum() < 0:
        array = -array
    # A flipped set takes 2 · (its sum) off the sum, so the sum stays at least the one seen where that is ≤ 0.
    p = float((_flipped_sums(array) <= 1e-12 * np.abs(array).sum()).mean())
    # The null is symmetric: the other tail is as large.
    return min(1.0, 2 * p) if two_sided else p


def _flipped_sums(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of every subset of the values, or of random subsets; the empty one, as seen, comes first."""
    if array.size <= EXACT_SEEDS:
        sums = np.zeros(1)
        for value in array:
            sums = np.concatenate([sums, sums + value])
        return sums
    flips = np.random.default_rng(0).integers(0, 2, size=(RANDOM_FLIPS, array.size), dtype=np.int8)
    return np.concatenate([np.zeros(1), flips @ array])


def sign_test_p(successes: int, n: int) -> float:
    """P(at least `successes` of `n` fair coins): against a median that is not on the claimed side."""
    from scipy.stats import binomtest

    return float(binomtest(successes, n, 0.5, alternative="greater").pvalue)


def side_p(beyond: ArrayLike, *, inclusive: bool) -> float:
    """The p value against the null that the median seed is not on the claimed side.

    The larger of the sign-flip p and the sign-test p: with skewed or bounded values the sign-flip test alone
    rejects too often. A value of exactly 0 lies on the bound. It is a failure, or with `inclusive` a success,
    and then the sign test stands alone, since no flip moves a 0.

    Args:
        beyond: How far each seed lies beyond the bound on the claimed side `[seed]`, negative on the other
            side.
        inclusive: Whether the bound itself is on the claimed side.
    """
    array = finite(beyond)
    successes = int((array >= 0).sum() if inclusive else (array > 0).sum())
    signs = sign_test_p(successes, array.size)
    if inclusive and (array == 0).any():
        return signs
    return max(signs, sign_flip_p(array))


def t_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float] | None:
    """Student's interval of the mean; None for one seed or no spread, where it would claim certainty."""
    from scipy.stats import t

    array = finite(values)
    if array.size < 2 or no_spread(array):
        return None
    half = (
        float(t.ppf((1 + confidence) / 2, array.size - 1)) * float(array.std(ddof=1)) / math.sqrt(array.size)
    )
    mean = float(array.mean())
    return mean - half, mean + half


def hedges_g(values: ArrayLike) -> float | None:
    """The standardised paired effect g_z = J · mean / sd, with J = Γ(m/2) / (√(m/2) Γ((m−1)/2)), m = n − 1.

    Source: Hedges 1981 for J; Lakens 2013 for g_z. None for fewer than three seeds or no spread between them.
    """
    array = finite(values)
    if array.size < 3 or no_spread(array):
        return None
    m = array.size - 1
    correction = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    return correction * float(array.mean()) / float(array.std(ddof=1))


def fieller_interval(
    numerator: ArrayLike, denominator: ArrayLike, confidence: float = 0.95
) -> tuple[float, float] | None:
    """The interval of mean(numerator) / mean(denominator), paired by seed.

    It holds every ratio r that Student's test of numerator − r · denominator does not reject. Source:
    Fieller 1954. None where that set is unbounded (the denominator's mean is not told from 0), for
    one seed, and where neither varies between seeds.
    """
    from scipy.stats import t

    top, bottom = finite(numerator), finite(denominator)
    n = top.size
    if n < 2:
        return None
    covariance = np.cov(top, bottom, ddof=1) / n
    squared_t = float(t.ppf((1 + confidence) / 2, n - 1)) ** 2
    a = float(bottom.mean()) ** 2 - squared_t * float(covariance[1, 1])
    b = float(top.mean()) * float(bottom.mean()) - squared_t * float(covariance[0, 1])
    c = float(top.mean()) ** 2 - squared_t * float(covariance[0, 0])
    discriminant = b * b - a * c
    if a <= 0 or discriminant <= 0:
        return None
    root = math.sqrt(discriminant)
    return (b - root) / a, (b + root) / a


def no_spread(values: ArrayLike) -> bool:
    """Whether all seeds gave the same number."""
    array = finite(values)
    return bool((array == array[0]).all())


def seeds_needed(alpha: float = ALPHA) -> int:
    """The least n at which n seeds on the claimed side reach `alpha`: 2^−n ≤ alpha."""
    return math.ceil(-math.log2(alpha))


def attainable(n: int, alpha: float = ALPHA) -> float:
    """The largest p ≤ `alpha` that the sign test can give with `n` seeds, 0 if there is none.

    This is how often a claim at the very edge of its null is replicated by chance; at 5 seeds 1/32, not 0.05.
    """
    from scipy.stats import binom

    # P(X ≥ k) for k = 0 … n.
    tails = binom.sf(np.arange(n + 1) - 1, n, 0.5)
    reached = tails[tails <= alpha]
    return float(reached.max()) if reached.size else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given. Source: Holm 1979."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted


def expected_false_replications(rows: Iterable[Mapping[str, Any]], alpha: float = ALPHA) -> float:
    """How many claims chance would replicate on average if every claim were false.

    Counted over the claims that were judged by a p value, each at the level that its number of seeds can
    attain. It is an upper bound: a claim of several parts, or one far from its bound, is replicated by chance
    less often.
    """
    return sum(attainable(len(row["seeds"]), alpha) for row in rows if row.get("p_value") is not None)
