"""Where a row of positional attention lies, against the patterns that the theory knows.

The *pairwise* pattern for two pairs is (a, a, ½ − a, ½ − a, 0, 0) over s1 a1 s2 a2 s3 <sep>, up to exchange
of the pairs: a subject and its answer weigh the same, the two pairs do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def nearest_pairwise(attention: Floats) -> tuple[Floats, Floats]:
    """The nearest pairwise pattern to each row.

    Args:
        attention: `[…, 6]`, rows that sum to 1.

    Returns:
        Weight a of the heavier pair's members, and the Euclidean distance to the pattern, `[…]` each.
    """
    first = (attention[..., 0] + attention[..., 1] + 1 - attention[..., 2] - attention[..., 3]) / 4
    weights = np.stack([first, first, 0.5 - first, 0.5 - first, 0 * first, 0 * first], axis=-1)
    distance = np.sqrt(((attention - weights) ** 2).sum(axis=-1))
    return np.maximum(first, 0.5 - first), distance


def pair_mismatch(attention: Floats) -> Floats:
    """Largest |v_subject − v_answer| among the pairs of each row, `[…, 2·pairs + 2]` to `[…]`."""
    subjects, answers = attention[..., 0:-2:2], attention[..., 1:-2:2]
    return np.asarray(np.abs(subjects - answers).max(axis=-1))


def pair_gap(attention: Floats) -> Floats:
    """|v_s1 − v_s2|: 0 at the saddle, where both pairs weigh the same, `[…, position]` to `[…]`."""
    return np.asarray(np.abs(attention[..., 0] - attention[..., 2]))


def optimal_weight(power: int) -> float:
    """The weight a*(k) that maximises the least margin over rivals as the temperature goes to 0.

    Two rivals bind: the one with the swapped facts, and the one that shares the heavier pair. With u = 2a
    their margins are u^k + (1 − u)^k − 2^(1−k), which grows with u, and (1 − u)^k − 2((1 − u)/2)^k, which
    falls; a* is where they meet.

    Args:
        power: k of the activation, at least 2: a linear memory has no such weight.

    Returns:
        a* in (¼, ½): .3333, .3090, .2952, .2803, .2726 for k = 2, 3, 4, 6, 8.
    """
    if power < 2:
        raise ValueError(f"power must be at least 2, got {power}")

    def excess(u: float) -> float:
        rest = 1 - u
        return u**power + rest**power - 2.0 ** (1 - power) - (rest**power - 2 * (rest / 2) ** power)

    low, high = 0.5, 1.0  # excess is negative at the tie and positive where one pair has all the weight
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)
    return (low + high) / 4


def attention_after_copy(attention: Floats, tokens: NDArray[np.int64], query: int) -> Floats:
    """Attention on the token after the earlier copy of the query token: what an induction head attends to.

    Args:
        attention: `[prompt, position]`.
        tokens: `[prompt, position]`; each holds its query token once more before `query`.
        query: position of the query token.

    Returns:
        `[prompt]`.

    Raises:
        ValueError: a prompt has no earlier copy, or more than one.
    """
    copies = tokens[:, :query] == tokens[:, query, None]
    if not (copies.sum(axis=1) == 1).all():
        raise ValueError("every prompt must hold its query token exactly once before the query position")
    after: Floats = attention[np.arange(len(tokens)), copies.argmax(axis=1) + 1]
    return after


def induction_attention(tokens: NDArray[np.int64], query: int) -> Floats:
    """A hand-built induction head: all attention on what followed the copy, `[prompt, position]`."""
    attention = np.zeros(tokens.shape)
    copy = (tokens[:, :query] == tokens[:, query, None]).argmax(axis=1)
    attention[np.arange(len(tokens)), copy + 1] = 1.0
    return attention
