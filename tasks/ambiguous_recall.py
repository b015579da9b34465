"""Ambiguous associative recall: a query with two answers, and a target that follows one of two rules.

    k3 v7 k9 v2 k1 v1 k4 v9 | k9  ->  contextual: v2     fixed: v[permutation(k9)]

The *contextual* rule reads the value beside the query key in this prompt; the *fixed* rule is a global
permutation from keys to values, which only the weights can hold. The target follows the contextual rule with
probability `p_icl`; the prompt never depends on it. A *conflict trial* is one whose two answers differ.

Keys are the tokens 0 … keys − 1, values the tokens keys … keys + values − 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Task:
    """The sizes of the task. Keys and values are distinct within a prompt."""

    keys: int = 16
    values: int = 16
    pairs: int = 4

    def __post_init__(self) -> None:
        """Refuse sizes for which prompts or the permutation do not exist."""
        if not 1 <= self.pairs <= self.keys or self.keys != self.values:
            raise ValueError(f"need 1 ≤ pairs ≤ keys = values, got {self}")

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return self.keys + self.values

    @property
    def positions(self) -> int:
        """Length of a prompt."""
        return 2 * self.pairs + 1

    @property
    def query_position(self) -> int:
        """Where the query key stands, and where the answer is read."""
        return 2 * self.pairs

    def can_occur(self) -> Tensor:
        """Which tokens can stand where, `[vocabulary, position]`: keys at even places, values at odd."""
        is_key = torch.arange(self.vocabulary) < self.keys
        return is_key[:, None] == (torch.arange(self.positions) % 2 == 0)


@dataclass(frozen=True)
class Prompts:
    """Prompts with both of their answers, all as tokens."""

    tokens: Tensor  # [..., trial, position]
    contextual: Tensor  # [..., trial]
    fixed: Tensor  # [..., trial]


def draw_permutation(task: Task, generator: torch.Generator) -> Tensor:
    """The fixed rule: the value token of every key, `[key]`."""
    return task.keys + torch.randperm(task.values, generator=generator)


def draw_prompts(task: Task, permutation: Tensor, trials: int, generator: torch.Generator) -> Prompts:
    """Draw prompts, uniform over distinct keys, distinct values and the query among the keys."""
    keys = torch.rand(trials, task.keys, generator=generator).argsort(1)[:, : task.pairs]
    values = torch.rand(trials, task.values, generator=generator).argsort(1)[:, : task.pairs] + task.keys
    asked = torch.randint(task.pairs, (trials, 1), generator=generator)
    query = keys.gather(1, asked)
    pairs = torch.stack([keys, values], 2).flatten(1)  # k v k v …
    return Prompts(torch.cat([pairs, query], 1), values.gather(1, asked)[:, 0], permutation[query[:, 0]])


def draw_conflict_trials(task: Task, permutation: Tensor, trials: int, generator: torch.Generator) -> Prompts:
    """Draw prompts until `trials` of them are conflict trials, and keep those."""
    kept: list[Prompts] = []
    while sum(len(prompts.tokens) for prompts in kept) < trials:
        drawn = draw_prompts(task, permutation, trials, generator)
        conflict = drawn.contextual != drawn.fixed
        kept.append(Prompts(drawn.tokens[conflict], drawn.contextual[conflict], drawn.fixed[conflict]))
    return Prompts(
        torch.cat([prompts.tokens for prompts in kept])[:trials],
        torch.cat([prompts.contextual for prompts in kept])[:trials],
        torch.cat([prompts.fixed for prompts in kept])[:trials],
    )


def contextual_count(p_icl: float, batch: int) -> int:
    """How many targets of a batch follow the contextual rule: stratified, so exactly round(p_icl · batch).

    Raises:
        ValueError: `p_icl` is no probability.
    """
    if not 0 <= p_icl <= 1:
        raise ValueError(f"p_icl must lie in [0, 1], got {p_icl}")
    return round(p_icl * batch)


def targets(prompts: Prompts, levels: Sequence[float]) -> Tensor:
    """The training targets `[batch, trial]` of prompts `[batch, trial, …]`, one mixture level a batch.

    The first round(p_icl · trials) trials of a batch follow the contextual rule. A trial's content does not
    depend on its place in the batch, so no further draw is needed to choose them.
    """
    trials = prompts.contextual.shape[-1]
    counts = torch.tensor([contextual_count(level, trials) for level in levels])
    return torch.where(torch.arange(trials) < counts[:, None], prompts.contextual, prompts.fixed)
