"""The loss of one attention row over compiled prompts, with its gradient: many replicates at once.

A *replicate* is one fine-tuning: a seed, or a seed and one of its sample draws. Replicates never mix: every
product is a batched one, so that a replicate's bits do not depend on which others stand beside it. Two things
make that true. All lengths are padded to whole cache lines, because the product's kernel follows the
alignment of its operands, and a replicate's place in the batch would otherwise show in its last bits. And
nothing is reduced over replicates.

The products multiply a row by a matrix, the form in which a batched product with tall tables is fast; tables
are kept in both orientations for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.compiled_recaller import CompiledPrompts

CACHE_LINE = 8
"""Doubles in 64 bytes."""


@dataclass(frozen=True, eq=False)
class Table:
    """A matrix a replicate, `[replicate, row, column]`, laid out for products from both sides."""

    matrix: Tensor
    transposed: Tensor

    @classmethod
    def of(cls, matrix: NDArray[np.float64]) -> Table:
        """Keep a matrix in both layouts, padded with zeros."""
        rows, columns = (-length % CACHE_LINE for length in matrix.shape[1:])
        padded = torch.from_numpy(np.pad(matrix, ((0, 0), (0, rows), (0, columns))))
        return cls(padded, padded.mT.contiguous())

    def rows_of(self, columns: Tensor) -> Tensor:
        """`[replicate, 1, column]` to `[replicate, 1, row]`: the matrix times a vector."""
        return torch.bmm(columns, self.transposed)

    def columns_of(self, rows: Tensor) -> Tensor:
        """`[replicate, 1, row]` to `[replicate, 1, column]`: its transpose times a vector."""
        return torch.bmm(rows, self.matrix)


@dataclass(frozen=True, eq=False)
class AttentionRowLoss:
    """Cross-entropy of the right token at a temperature, as a function of the row's weights.

    Attributes:
        masks: which positions a mask covers, `[replicate, mask, position]`.
        counts: units of each mask that write a token of a class, `[replicate, class, mask]`.
        multiplicity: tokens of each class in each sequence, `[replicate, sequence, class]`.
        weight: of each sequence in the mean, `[replicate, 1, sequence]`; 0 for padding.
        right: share of sequences whose right token is of each class, `[replicate, 1, class]`.
        positions: length of the row.
        power: k of the memory's activation.
        temperature: T > 0; logits are divided by it.
    """

    masks: Table
    counts: Table
    multiplicity: Table
    weight: Tensor
    right: Tensor
    positions: int
    power: int
    temperature: float

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise ValueError(f"temperature must be positive, got {self.temperature}")

    def loss(self, weights: Tensor) -> Tensor:
        """Mean cross-entropy of every replicate, `[replicate, position]` to `[replicate]`."""
        seen = self.masks.rows_of(self._attention(weights))
        scaled = self._scaled(self.counts.rows_of(seen**self.power))
        partition = self.multiplicity.rows_of(scaled.exp())
        return (self.weight * partition.log()).sum(dim=(1, 2)) - (self.right * scaled).sum(dim=(1, 2))

    def gradient(self, weights: Tensor) -> Tensor:
        """Gradient of `loss`, `[replicate, position]`."""
        attention = self._attention(weights)
        seen = self.masks.rows_of(attention)
        exponentials = self._scaled(self.counts.rows_of(seen**self.power)).exp()
        inverse = self.weight / self.multiplicity.rows_of(exponentials)
        shares = self.multiplicity.columns_of(inverse) * exponentials
        on_logits = (shares - self.right) / self.temperature
        on_seen = self.counts.columns_of(on_logits) * (self.power * seen ** (self.power - 1))
        on_attention = self.masks.columns_of(on_seen)
        mean = torch.bmm(attention, on_attention.mT)
        return (attention * (on_attention - mean))[:, 0, : self.positions]

    def _attention(self, weights: Tensor) -> Tensor:
        """V = softmax(w), padded, `[replicate, 1, position]`."""
        padding = -self.positions % CACHE_LINE
        return torch.nn.functional.pad(weights.softmax(dim=1), (0, padding))[:, None]

    def _scaled(self, logits: Tensor) -> Tensor:
        """Logits over the temperature, the replicate's largest subtracted first.

        A sequence whose tokens all lie more than 700 T below that one underflows to a partition function of 0
        and a gradient that is not finite, on which the descent stops. (The right class at T = .002 would have
        to lag by 1.4.)
        """
        return (logits - logits.amax(dim=2, keepdim=True)) / self.temperature


def stack_losses(
    prompts: Sequence[CompiledPrompts],
    *,
    power: int,
    temperature: float,
    classes: int | None = None,
    sequences: int | None = None,
) -> AttentionRowLoss:
    """Stack compiled prompts, one replicate each.

    Replicates that differ in their numbers of classes or sequences are padded to given numbers. These must
    not depend on which replicates stand beside each other, because the bits of a product depend on its
    length.

    Args:
        prompts: the replicates' sequences.
        power: k of the activation.
        temperature: T > 0.
        classes: number of classes to pad to; by default all replicates have as many.
        sequences: number of sequences to pad to; by default all replicates have as many.

    Raises:
        ValueError: a replicate without sequences, or with other numbers than it may have.
    """
    width = classes or len(prompts[0].counts)
    length = sequences or len(prompts[0].targets)
    for one in prompts:
        for name, number, allowed, exact in (
            ("classes", len(one.counts), width, classes is None),
            ("sequences", len(one.targets), length, sequences is None),
        ):
            if number == 0 or number > allowed or (exact and number != allowed):
                raise ValueError(f"a replicate has {number} {name}; the stack is for {allowed}")
    masks = np.stack([one.masks for one in prompts]).astype(np.float64)
    counts = np.zeros((len(prompts), width, masks.shape[1]))
    padded = length + -length % CACHE_LINE
    multiplicity = np.zeros((len(prompts), padded, width))
    weight = np.zeros((len(prompts), 1, padded))
    right = np.zeros((len(prompts), 1, width + -width % CACHE_LINE))
    for index, one in enumerate(prompts):
        own, number = len(one.counts), len(one.targets)
        counts[index, :own] = one.counts
        multiplicity[index, :number, :own] = one.multiplicity
        # A padding sequence has weight 0; a token of every class keeps its partition function from being 0.
        multiplicity[index, number:] = 1
        weight[index, :, :number] = 1 / number
        right[index, 0, :own] = np.bincount(one.target_classes, minlength=own) / number
    return AttentionRowLoss(
        masks=Table.of(masks),
        counts=Table.of(counts),
        multiplicity=Table.of(multiplicity),
        weight=torch.from_numpy(weight),
        right=torch.from_numpy(right),
        positions=masks.shape[2],
        power=power,
        temperature=temperature,
    )
