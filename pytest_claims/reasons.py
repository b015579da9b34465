"""Why a verdict is what it is, in words: which seeds, how many it takes, and what there is no number for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_claims.predictions import OneSided, Within
from pytest_claims.statistics import seeds_needed, sign_test_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_SPREAD = "no spread between seeds: no interval and no effect size"
NOT_IDENTIFIED = "the ratio is not identified: its interval is unbounded"
OURS = "the threshold is ours, not the paper's"


def join(*reasons: str | None) -> str | None:
    """Put several reasons, some of which may be None, into one."""
    return "; ".join(reason for reason in reasons if reason) or None


def named(seeds: Sequence[int]) -> str:
    """Such as "seeds 1 and 3"; a long list is cut to its first ten, and says so."""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if len(seeds) > 12:
        return f"seeds {', '.join(map(str, seeds[:10]))} and {len(seeds) - 10} more"
    return f"seeds {', '.join(map(str, seeds[:-1]))} and {seeds[-1]}"


def too_few(n: int, alpha: float) -> str | None:
    """Say how many seeds it takes to decide anything, None where there are as many."""
    needed = seeds_needed(alpha)
    return f"needs at least {needed} seeds at this α ({alpha:g})" if n < needed else None


def failing(text: str, wrong: Sequence[int], seeds: Sequence[int]) -> str:
    """Say in which seeds a prediction does not hold; where those in which it does are fewer, name these."""
    if len(wrong) == len(seeds):
        return f"“{text}” holds in no seed"
    if len(wrong) * 2 <= len(seeds):
        return f"“{text}” does not hold in {named(wrong)}"
    return f"“{text}” holds only in {named([seed for seed in seeds if seed not in set(wrong)])}"


def undecided(
    prediction: OneSided | Within,
    beyond: Sequence[NDArray[np.float64]],
    wrong: Sequence[int],
    seeds: Sequence[int],
    alpha: float,
) -> str | None:
    """Say why seeds that lie as they do decide nothing.

    Args:
        prediction: The criterion.
        beyond: For each of its bounds how far every seed lies beyond it `[seed]`.
        wrong: The seeds in which it does not hold.
        seeds: All of them.
        alpha: The level.
    """
    few = too_few(len(seeds), alpha)
    said = failing(prediction.text, wrong, seeds) if wrong else None
    if few is not None:
        return join(few, said)
    # All seeds on one side of a bound decide. So this is a region, missed by all, and its p is doubled.
    if len(wrong) == len(seeds):
        if all((side < 0).any() for side in beyond):
            return join(said, "but they lie on both sides of the region")
        return join(
            said,
            f"to contradict a region needs at least {seeds_needed(alpha / 2)} seeds at this α ({alpha:g})",
        )
    n = len(seeds)
    short = max(int((side < 0).sum() if prediction.inclusive else (side <= 0).sum()) for side in beyond)
    if sign_test_p(n - len(wrong), n) <= alpha or sign_test_p(short, n) <= alpha / len(beyond):
        return join(said, "the few lie so far off that they outweigh the many")
    return said


def missing(n: int, *, spread: bool, interval: bool, effect_size: bool) -> str | None:
    """Say why there is no interval or no effect size.

    Args:
        n: The number of seeds.
        spread: Whether the seeds differ.
        interval: Whether there is an interval. Two seeds that differ always give one, but for a ratio.
        effect_size: Whether there is an effect size.
    """
    if n == 1:
        return "one seed gives no interval and no effect size"
    if not spread:
        return NO_SPREAD
    no_effect_size = "two seeds give no effect size" if n == 2 else "no effect size: no spread from the bound"
    return join(None if interval else NOT_IDENTIFIED, None if effect_size else no_effect_size)
