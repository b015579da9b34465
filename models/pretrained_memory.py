"""An associative memory learned by gradient descent: an MLP trained to complete triplets.

It sees two elements of a triplet, summed, and predicts the third: where several triplets share the two, all
their thirds in equal parts. Up to two random distractor tokens are added to the sum, because the recaller
will show it a sum of six. Squared ReLU without biases makes it homogeneous of degree two: scaling the input
scales the logits, and changes no ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from models.associative_memory import READS_AND_WRITES


class LearnedMemory(torch.nn.Module):
    """An MLP from the sum of some tokens' one-hot embeddings to logits over tokens.

    Args:
        tokens: size of the vocabulary.
        units: hidden units.
        generator: source of the initial weights.
    """

    def __init__(self, tokens: int, units: int, generator: torch.Generator) -> None:
        super().__init__()
        self.w_in = torch.nn.Parameter(torch.randn(tokens, units, generator=generator) / tokens**0.5)
        self.w_out = torch.nn.Parameter(torch.randn(units, tokens, generator=generator) / units**0.5)

    def forward(self, x: Tensor) -> Tensor:
        """`[…, token]` to `[…, token]`."""
        return (x @ self.w_in).relu().square() @ self.w_out


@dataclass(frozen=True)
class Pretraining:
    """How the memory learns.

    Attributes:
        units: hidden units.
        steps: updates.
        batch: completions in each.
        learning_rate: Adam's, falling to 0 along a cosine.
        distractors: most random tokens added to an input; each number from 0 is equally likely.
    """

    units: int
    steps: int
    batch: int
    learning_rate: float
    distractors: int


def pretrain_memory(
    triplets: Tensor,
    tokens: int,
    how: Pretraining,
    seed: int,
    progress: Callable[[int, int], None],
    *,
    rounding: float = 0.0,
) -> LearnedMemory:
    """Train a memory on triplets `[triplet, 3]` of token ids (subject, relation, answer).

    Args:
        triplets: What it learns.
        tokens: Size of the vocabulary.
        how: Units, updates and the rest.
        seed: Of initial weights and data.
        progress: Called now and then with the updates done and their total.
        rounding: Every initial weight is multiplied by 1 + `rounding` · N(0, 1).

    Raises:
        FloatingPointError: a loss that is not finite.
    """
    memory = LearnedMemory(tokens, how.units, torch.Generator().manual_seed(2 * seed))
    if rounding:
        noise = torch.Generator().manual_seed(2**32 + seed)
        with torch.no_grad():
            for weights in memory.parameters():
                weights.mul_(1 + rounding * torch.randn(weights.shape, generator=noise))
    data = torch.Generator().manual_seed(2 * seed + 1)
    optimizer = torch.optim.Adam(memory.parameters(), lr=how.learning_rate, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, how.steps)
    one_hot = torch.eye(tokens)
    order = torch.tensor(READS_AND_WRITES)
    thirds = _consistent_thirds(triplets, tokens)
    for number in range(how.steps):
        chosen = torch.randint(len(triplets), (how.batch,), generator=data)
        kinds = torch.randint(len(order), (how.batch,), generator=data)
        elements = triplets[chosen[:, None], order[kinds]]  # [completion, (read, read, written)]
        extra = torch.randint(tokens, (how.batch, how.distractors), generator=data)
        amount = torch.randint(how.distractors + 1, (how.batch, 1), generator=data)
        shown = torch.arange(how.distractors) < amount
        inputs = one_hot[elements[:, :2]].sum(dim=1) + (one_hot[extra] * shown[:, :, None]).sum(dim=1)
        targets = thirds[elements[:, 0], elements[:, 1]]
        loss = torch.nn.functional.cross_entropy(memory(inputs), targets)
        if not loss.isfinite():
            raise FloatingPointError(f"the loss is {loss.item()} at update {number}")
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        if number % 20 == 0:
            progress(number, how.steps)
    return memory


def _consistent_thirds(triplets: Tensor, tokens: int) -> Tensor:
    """Share of each third among the triplets that hold two elements, `[token, token, token]`."""
    thirds = torch.zeros(tokens, tokens, tokens)
    for first, second, third in READS_AND_WRITES:
        thirds[triplets[:, first], triplets[:, second], triplets[:, third]] = 1
    return thirds / thirds.sum(dim=2, keepdim=True).clamp(min=1)
