"""Many experiments judged at once, by the rules that `pytest_claims.verdicts` applies to one.

The sign-flip p is exact at any number of seeds up to `statistics.EXACT_SEEDS`: the 2^n sums are counted from
two halves of 2^(n/2) each (Horowitz & Sahni 1974), and only where the sign test has not settled the matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_claims.predictions import AtLeast, AtMost, Below, Exceeds, OneSided, Within
from pytest_claims.statistics import ALPHA, EXACT_SEEDS, ROUNDING, seeds_needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE_SIDED: dict[str, type[OneSided]] = {kind.kind: kind for kind in (Exceeds, Below, AtLeast, AtMost)}

_CHUNK = 1000
"""How many experiments' subset sums are held at a time."""


@dataclass(frozen=True)
class Verdicts:
    """What became of every experiment, and how far its seeds lay from the bound.

    Attributes:
        replicated: `[experiment]`.
        contradicted: `[experiment]`; inconclusive is what is neither.
        margin: The mean of the seeds' distances beyond the nearest bound over their standard deviation
            `[experiment]`, infinite where they have none; NaN for truth values.
    """

    replicated: NDArray[np.bool_]
    contradicted: NDArray[np.bool_]
    margin: NDArray[np.float64]


def judge(
    prediction: OneSided | Within,
    values: NDArray[np.float64],
    denominator: NDArray[np.float64] | None = None,
    *,
    alpha: float = ALPHA,
) -> Verdicts:
    """Judge experiments of one value a seed, or of one ratio a seed.

    Args:
        prediction: The criterion.
        values: `[experiment, seed]`; for a ratio its numerators.
        denominator: `[experiment, seed]` for a ratio.
        alpha: The level of each test.
    """
    beyond = distances(prediction, values, denominator)
    inclusive = prediction.inclusive
    passed = [side_p(side, inclusive=inclusive, settled=alpha) <= alpha for side in beyond]
    # The negation of a region holds on one side or on the other: its p is the smaller one, doubled.
    level = alpha / len(beyond)
    failed = [side_p(-side, inclusive=not inclusive, settled=level) <= level for side in beyond]
    replicated, contradicted = np.logical_and.reduce(passed), np.logical_or.reduce(failed)
    if denominator is not None:
        defined = side_p(denominator, inclusive=False, settled=alpha) <= alpha
        replicated, contradicted = replicated & defined, contradicted & defined
    return Verdicts(replicated, contradicted, margin(np.minimum.reduce(beyond)))


def prediction_of(kind: str, bound: Any) -> OneSided | Within:
    """The prediction that a report writes as its kind and its bound.

    Args:
        kind: "exceeds", "below", "at_least", "at_most" or "within".
        bound: A number, for a region the two edges.
    """
    return Within(*bound) if kind == "within" else ONE_SIDED[kind](bound)


def judge_holds(held: NDArray[np.bool_], *, alpha: float = ALPHA) -> Verdicts:
    """Judge experiments of one truth value a seed `[experiment, seed]` by `Holds`."""
    n = held.shape[1]
    enough = n >= seeds_needed(alpha)
    contradicted = _sign_p(n)[(~held).sum(axis=1)] <= alpha
    return Verdicts(held.all(axis=1) & enough, contradicted, np.full(len(held), np.nan))


def distances(
    prediction: OneSided | Within,
    values: NDArray[np.float64],
    denominator: NDArray[np.float64] | None = None,
) -> list[NDArray[np.float64]]:
    """For each bound how far every seed lies beyond it, exactly 0 where rounding alone keeps it off.

    Args:
        prediction: The criterion.
        values: `[…, seed]`; for a ratio its numerators.
        denominator: `[…, seed]` for a ratio.
    """
    if isinstance(prediction, Within):
        bounds = [(prediction.low, 1), (prediction.high, -1)]
    else:
        bounds = [(prediction.bound, prediction.direction)]
    found = []
    for bound, direction in bounds:
        scaled = bound * (np.ones_like(values) if denominator is None else denominator)
        gap = values - scaled
        off = np.abs(gap) > ROUNDING * np.maximum(np.abs(values), np.abs(scaled))
        found.append(np.where(off, direction * gap, 0.0))
    return found


def margin(beyond: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over standard deviation of distances `[…, seed]` → `[…]`, infinite without spread."""
    mean, spread = beyond.mean(axis=-1), beyond.std(axis=-1, ddof=1)
    flat = spread <= ROUNDING * np.abs(beyond).max(axis=-1)
    infinite = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    ratio: NDArray[np.float64] = np.where(flat, infinite, mean / np.where(flat, 1.0, spread))
    return ratio


def side_p(beyond: NDArray[np.float64], *, inclusive: bool, settled: float = 1.0) -> NDArray[np.float64]:
    """The p of `pytest_claims.statistics.side_p` for every experiment.

    Args:
        beyond: How far each seed lies beyond the bound on the claimed side `[experiment, seed]`.
        inclusive: Whether the bound itself is on the claimed side.
        settled: Where the sign test's p is above this, it is returned as it stands: the larger of two
            p values can only be above it too.
    """
    successes = (beyond >= 0 if inclusive else beyond > 0).sum(axis=1)
    p: NDArray[np.float64] = _sign_p(beyond.shape[1])[successes]
    open_ = p <= settled
    if inclusive:
        open_ &= ~(beyond == 0).any(axis=1)
    rows = np.flatnonzero(open_)
    p[rows] = np.maximum(p[rows], flip_p(beyond[rows]))
    return p


def flip_p(beyond: NDArray[np.float64]) -> NDArray[np.float64]:
    """The one-sided p of `pytest_claims.statistics.sign_flip_p` for every experiment `[experiment, seed]`.

    Raises:
        ValueError: There are more than `EXACT_SEEDS` seeds.
    """
    n = beyond.shape[1]
    if n > EXACT_SEEDS:
        raise ValueError(f"{n} seeds are more than the {EXACT_SEEDS} at which all sign flips are counted")
    return np.concatenate(
        [np.empty(0), *(_flip_p(beyond[at : at + _CHUNK]) for at in range(0, len(beyond), _CHUNK))]
    )


def _flip_p(beyond: NDArray[np.float64]) -> NDArray[np.float64]:
    n = beyond.shape[1]
    scale = np.abs(beyond).max(axis=1, keepdims=True)
    scaled = np.sort(beyond / np.where(scale == 0, 1.0, scale), axis=1)
    tolerance = 1e-9 * np.abs(scaled).sum(axis=1)
    left, right = _subset_sums(scaled[:, : n // 2]), np.sort(_subset_sums(scaled[:, n // 2 :]), axis=1)
    # A subset of the left half and one of the right tie with what was seen where their sum is at most 0.
    most = tolerance[:, np.newaxis] - left
    tied = [
        int(np.searchsorted(sums, each, side="right").sum()) for sums, each in zip(right, most, strict=True)
    ]
    p: NDArray[np.float64] = np.array(tied) / 2.0**n
    return p


def _subset_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of every subset of a row, `[experiment, seed]` → `[experiment, 2^seeds]`."""
    sums = np.zeros((len(values), 1))
    for column in values.T:
        sums = np.concatenate([sums, sums + column[:, np.newaxis]], axis=1)
    return sums


def _sign_p(n: int) -> NDArray[np.float64]:
    """The sign test's p by the number of successes `[n + 1]`."""
    from scipy.stats import binom

    return np.asarray(binom.sf(np.arange(n + 1) - 1, n, 0.5), dtype=np.float64)
