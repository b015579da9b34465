"""The loss of one attention row over compiled prompts, with its gradient: many replicates at once.

A *replicate* is one fine-tuning: a seed, or a seed and one of its sample draws. Replicates never mix. Every product is a batched one,
so that a replicate's bits do not depend on which others stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from models.compiled_recaller import CompiledPrompts


@dataclass(frozen=True, eq=False)
class AttentionRowLoss:
    """Cross-entropy of the right token at a temperature, as a function of the row's weights.

    Attributes:
        masks: `[replicate, mask, position]`.
        counts: `[replicate, class, mask]`.
        multiplicity: tokens of each class in each sequence, `[replicate, sequence, class]`.
        right: share of sequences whose right token is of each class, `[replicate, class, 1]`.
        power: k of the memory's activation.
        temperature: T > 0; logits are divided by it.
    """

    masks: Tensor
    counts: Tensor
    multiplicity: Tensor
    right: Tensor
    power: int
    temperature: float

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise ValueError(f"temperature must be positive, got {self.temperature}")

    @property
    def positions(self) -> int:
        """Length of the row."""
        return self.masks.shape[2]

    def loss(self, weights: Tensor) -> Tensor:
        """Mean cross-entropy of every replicate, `[replicate, position]` to `[replicate]`."""
        _, logits = self._logits(weights.softmax(dim=1))
        highest = logits.amax(dim=1, keepdim=True)
        scaled = (logits - highest) / self.temperature
        partition = torch.bmm(self.multiplicity, scaled.exp())
        return partition.log().mean(dim=(1, 2)) - (self.right * scaled).sum(dim=(1, 2))

    def gradient(self, weights: Tensor) -> Tensor:
        """Gradient of `loss`, `[replicate, position]`."""
        attention = weights.softmax(dim=1)
        hidden_slope, logits = self._logits(attention)
        scaled = (logits - logits.amax(dim=1, keepdim=True)) / self.temperature
        exponentials = scaled.exp()
        partition = torch.bmm(self.multiplicity, exponentials)
        shares = torch.bmm(self.multiplicity.mT, partition.reciprocal()) * exponentials / partition.shape[1]
        on_logits = (shares - self.right) / self.temperature
        on_seen = torch.bmm(self.counts.mT, on_logits) * hidden_slope
        on_attention = torch.bmm(self.masks.mT, on_seen)
        mean = torch.bmm(attention[:, None, :], on_attention)
        return attention * (on_attention - mean)[:, :, 0]

    def _logits(self, attention: Tensor) -> tuple[Tensor, Tensor]:
        """Slope of every mask's activation `[replicate, mask, 1]`, and the logits `[replicate, class, 1]`."""
        seen = torch.bmm(self.masks, attention[:, :, None])
        return self.power * seen ** (self.power - 1), torch.bmm(self.counts, seen**self.power)


def stack_losses(
    prompts: Sequence[CompiledPrompts], *, power: int, temperature: float, classes: int | None = None
) -> AttentionRowLoss:
    """Stack compiled prompts, one replicate each, of equally many sequences.

    Args:
        prompts: the replicates' sequences.
        power: k of the activation.
        temperature: T > 0.
        classes: pad to this many classes. Replicates that decode the vocabulary need it: their classes differ in number, and
            the bits of a product depend on its length, which must therefore not depend on the other replicates.

    Raises:
        ValueError: more classes than `classes`.
    """
    width = classes or len(prompts[0].counts)
    most = max(len(one.counts) for one in prompts)
    if most > width:
        raise ValueError(f"a replicate has {most} classes, more than the {width} allowed for")
    shape = (len(prompts), width)
    masks = np.stack([one.masks for one in prompts]).astype(np.float64)
    counts = np.zeros((*shape, masks.shape[1]))
    multiplicity = np.zeros((len(prompts), len(prompts[0].class_of), width))
    right = np.zeros((*shape, 1))
    for index, one in enumerate(prompts):
        own = len(one.counts)
        counts[index, :own] = one.counts
        multiplicity[index, :, :own] = one.multiplicity
        right[index, :own, 0] = np.bincount(one.target_classes, minlength=own) / len(one.targets)
    as_tensor = torch.from_numpy
    return AttentionRowLoss(
        as_tensor(masks), as_tensor(counts), as_tensor(multiplicity), as_tensor(right), power, temperature
    )
