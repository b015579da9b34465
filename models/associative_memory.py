"""An MLP that stores triplets by construction: any two elements of a stored triplet retrieve the third.

Every triplet (s, r, a) has three hidden units, each reading two elements and writing the third::

    reads s and a, writes r        reads s and r, writes a        reads r and a, writes s

A unit's activation is its pre-activation to a power k. With k = 2 or more it is convex, and that is what
tells apart two readings of one bag of tokens: (2v)^k + (2u)^k > 2·(v + u)^k as soon as v ≠ u. The weights are
written, not learned.
"""

from __future__ import annotations

import torch
from torch import Tensor

READS_AND_WRITES = ((0, 2, 1), (0, 1, 2), (1, 2, 0))
"""Of (subject, relation, answer): the two elements that a unit reads, and the one that it writes."""


class ConstructedMemory(torch.nn.Module):
    """The memory as dense weights: for small bases and for reading.

    Args:
        triplets: facts as token ids (subject, relation, answer), `[triplet, 3]`.
        embeddings: one row a token, orthonormal for exact retrieval, `[token, width]`.
        power: k of the activation z^k.
    """

    def __init__(self, triplets: Tensor, embeddings: Tensor, power: int) -> None:
        super().__init__()
        if power < 1:
            raise ValueError(f"power must be at least 1, got {power}")
        self.power = power
        columns = [[triplets[:, element] for element in unit] for unit in READS_AND_WRITES]
        first, second, written = (torch.cat(column) for column in zip(*columns, strict=True))
        self.register_buffer("w_in", embeddings[first] + embeddings[second])  # [unit, width]
        self.register_buffer("w_out", embeddings[written])  # [unit, width]

    def forward(self, x: Tensor) -> Tensor:
        """`x` `[…, width]` to what the memory writes, `[…, width]`."""
        hidden: Tensor = (x @ self.get_buffer("w_in").T) ** self.power
        return hidden @ self.get_buffer("w_out")
