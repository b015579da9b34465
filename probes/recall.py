"""Whether a token is recalled, and by how much.

An item is *right* only with a relative margin of at least .01. An argmax without noise rewards margins of
1e-9: fine-tuned without confusing sequences, a model scores 1.000 by argmax in most seeds while it knows
nothing.

Logits come with a count of rivals: how many tokens other than the right one have that logit. For a plain row
of logits the counts are ones, and zero at the right token; in compiled form many tokens share a logit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST_MARGIN = 0.01
"""Relative margin from which an item counts as right."""

TIE = 1e-9
"""Logits closer than this share of the right answer's are tied: the same sum in another order."""


def relative_margins(right: Floats, logits: Floats, rivals: NDArray[np.int64]) -> Floats:
    """(Right token's logit − its best rival's) / |right token's logit|, before any temperature.

    Args:
        right: logit of the right token, `[item]`.
        logits: `[item, logit]`, or `[logit]` where all items have the same.
        rivals: how many rivals have each logit, `[item, logit]`.

    Returns:
        `[item]`; −inf where the right token's logit is 0.
    """
    best = np.where(rivals > 0, logits, -np.inf).max(axis=1)
    margins = np.full(len(right), -np.inf)
    np.divide(right - best, np.abs(right), out=margins, where=right != 0)
    return margins


def accuracy(margins: Floats) -> float:
    """Share of items that are right, each by at least `LEAST_MARGIN`."""
    return float((margins >= LEAST_MARGIN).mean())


def argmax_accuracy(right: Floats, logits: Floats, rivals: NDArray[np.int64]) -> float:
    """Share of items with no higher logit than the right token's, whatever the margin; ties share the credit.

    The arguments are those of `relative_margins`.
    """
    difference = (right[:, None] - logits) / np.abs(right[:, None])
    highest = ((difference >= -TIE) | (rivals == 0)).all(axis=1)
    tied = np.where(np.abs(difference) <= TIE, rivals, 0).sum(axis=1)
    return float((highest / (1 + tied)).mean())
