"""The statistics of one value a seed, exact where they can be.

Everything starts at one gate that refuses what is not finite: scipy's permutation test answers p = 0 to a NaN
without a word. scipy is imported inside the functions, because it is slow to load and most commands judge
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ALPHA = 0.05
EXACT_SEEDS = 20
"""With up to so many seeds all 2^n sign flips are counted."""
RANDOM_FLIPS = 200_000
"""With more, so many random ones stand for them."""
ROUNDING = 1e-12
"""Numbers that differ by this share of their size or less differ by rounding alone."""

_CHUNK = 2**20
"""How many random signs are held at a time."""


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
    # Scaled, so that neither tiny nor huge values lose or overflow the tolerance; sorted, so that the order
    # of seeds decides nothing, neither by rounding nor by which of them a random set flips.
    array = np.sort(_scaled(array)[0])
    if two_sided and array.sum() < 0:
        array = np.sort(-array)
    # A flipped set takes 2 · (its sum) off the sum, so the sum stays at least the one seen where that is ≤ 0.
    # Values are differences from a bound, so their rounding error may be large beside them: a wide tolerance
    # counts a few ties too many, a narrow one would lose some.
    tolerance = 1e-9 * float(np.abs(array).sum())
    tied = total = 0
    for sums in _flipped_sums(array):
        tied += int((sums <= tolerance).sum())
        total += sums.size
    p = tied / total
    # The null is symmetric: the other tail is as large.
    return min(1.0, 2 * p) if two_sided else p


def _flipped_sums(array: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """The sum of every subset of the values, or of random subsets; the empty one, as seen, comes first."""
    sums = np.zeros(1)
    if array.size <= EXACT_SEEDS:
        for value in array:
            sums = np.concatenate([sums, sums + value])
        yield sums
        return
    yield sums
    generator, left = np.random.default_rng(0), RANDOM_FLIPS
    while left:
        flips = generator.integers(
            0, 2, size=(min(left, max(1, _CHUNK // array.size)), array.size), dtype=np.int8
        )
        yield flips @ array
        left -= len(flips)


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
    array, exponent = _scaled(array)
    half = (
        float(t.ppf((1 + confidence) / 2, array.size - 1)) * float(array.std(ddof=1)) / math.sqrt(array.size)
    )
    mean = float(array.mean())
    return math.ldexp(mean - half, exponent), math.ldexp(mean + half, exponent)


def hedges_g(values: ArrayLike) -> float | None:
    """The standardised paired effect g_z = J · mean / sd, with J = Γ(m/2) / (√(m/2) Γ((m−1)/2)), m = n − 1.

    Source: Hedges 1981 for J; Lakens 2013 for g_z. None for fewer than three seeds or no spread between them.
    """
    array = finite(values)
    if array.size < 3 or no_spread(array):
        return None
    array, _ = _scaled(array)
    m = array.size - 1
    correction = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    return correction * float(array.mean()) / float(array.std(ddof=1))


def fieller_interval(
    numerator: ArrayLike, denominator: ArrayLike, confidence: float = 0.95
) -> tuple[float, float] | None:
    """The interval of mean(numerator) / mean(denominator), paired by seed.

    It holds every ratio r that Student's test of numerator − r · denominator does not reject. Source:
    Fieller 1954. None where that set is unbounded (the denominator's mean is not told from 0), for
    one seed, and where the ratio is the same in every seed.
    """
    from scipy.stats import t

    (top, up), (bottom, down) = _scaled(finite(numerator)), _scaled(finite(denominator))
    if top.size < 2 or float(bottom.mean()) == 0 or same_ratio(numerator, denominator):
        return None
    ratio = float(top.mean()) / float(bottom.mean())
    # Solved for r − ratio: the residuals keep the digits that the difference of squared means would lose.
    residual = top - ratio * bottom
    covariance = (
        np.cov(residual, bottom, ddof=1) * float(t.ppf((1 + confidence) / 2, top.size - 1)) ** 2 / top.size
    )
    a = float(bottom.mean()) ** 2 - float(covariance[1, 1])
    if a <= 0:
        return None
    b = -float(covariance[0, 1])
    root = math.sqrt(b * b + a * float(covariance[0, 0]))
    with np.errstate(over="ignore"):
        low, high = np.ldexp([ratio + (b - root) / a, ratio + (b + root) / a], up - down)
    return (float(low), float(high)) if np.isfinite([low, high]).all() else None


def difference(left: ArrayLike, right: ArrayLike) -> NDArray[np.float64]:
    """`left` − `right` `[seed]`, exactly 0 where the two differ by rounding alone: 0.7 + 0.1 is 0.8.

    Raises:
        ValueError: It is not finite.
    """
    with np.errstate(over="ignore"):
        one, other = np.broadcast_arrays(np.asarray(left, np.float64), np.asarray(right, np.float64))
        found = finite(one - other)
    return np.where(np.abs(found) <= ROUNDING * np.maximum(np.abs(one), np.abs(other)), 0.0, found)


def no_spread(values: ArrayLike) -> bool:
    """Whether all seeds gave the same number, but for rounding."""
    array, _ = _scaled(finite(values))
    return float(array.max() - array.min()) <= ROUNDING * float(np.abs(array).max())


def same_ratio(numerator: ArrayLike, denominator: ArrayLike) -> bool:
    """Whether numerator / denominator is the same in every seed, but for rounding."""
    top, bottom = _scaled(finite(numerator))[0], _scaled(finite(denominator))[0]
    if float(bottom.mean()) == 0:
        return False
    return not difference(top, float(top.mean()) / float(bottom.mean()) * bottom).any()


def _scaled(array: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """The values over a power of 2 near the largest, which rounds nothing, and its exponent.

    Squares of the scaled values neither overflow nor vanish.
    """
    exponent = math.frexp(float(np.abs(array).max()))[1]
    return np.ldexp(array, -exponent), exponent


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

    Args:
        rows: The report's claims, each with its `seeds`, `p_value` and `prediction`.
        alpha: The level of each test.
    """
    return sum(_false_replications(row, alpha) for row in rows if row.get("p_value") is not None)


def _false_replications(row: Mapping[str, Any], alpha: float) -> float:
    n = len(row["seeds"])
    prediction = row.get("prediction") or {}
    parts = (prediction.get("parts") or {}).values()
    if prediction.get("kind") == "holds" or any(part["kind"] == "holds" for part in parts):
        # Every seed must be true, however many there are; all parts must replicate, so the rarest counts.
        return 2.0**-n if n >= seeds_needed(alpha) else 0.0
    return attainable(n, alpha)
