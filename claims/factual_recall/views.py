"""What was fine-tuned, as the claims look at it: each view asks the store for its measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claims.factual_recall import protocol
from claims.factual_recall.experiment import (
    FineTuning,
    FineTuningOfLearned,
    HeldOut,
    LargeStep,
    SampleDraws,
    Setting,
    Tie,
    answer_recall,
    attention_at,
    attention_path,
    knowledge_base,
    least_samples,
    recall,
    recall_of_learned,
    steps_to_escape,
    steps_to_settle,
)
from probes.attention_pattern import attention_after_copy, induction_attention
from pytest_claims import Store

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tuned:
    """A fine-tuned row as the claims look at it.

    Attributes:
        setting: what was fine-tuned.
        seeds: its seeds.
        store: keeps it.
        index: where on the trajectory: −1 its end, 0 its start.
    """

    setting: Setting
    seeds: tuple[int, ...]
    store: Store
    index: int = -1

    @property
    def run(self) -> FineTuning:
        """What the store trains."""
        return FineTuning(self.setting)

    @property
    def attention(self) -> Floats:
        """v, `[seed, position]`."""
        return np.asarray(self.store.measure(attention_at, self.run, self.seeds, index=self.index))

    def path(self, indices: tuple[int, ...]) -> Floats:
        """V along the trajectory, `[seed, index, position]`."""
        return np.asarray(self.store.measure(attention_path, self.run, self.seeds, indices=indices))

    def recall(self, held_out: HeldOut) -> Mapping[str, Floats]:
        """Accuracies on held-out sequences, `[seed]` each."""
        found: Mapping[str, Floats] = self.store.measure(
            recall, self.run, self.seeds, setting=self.setting, held_out=held_out, index=self.index
        )
        return found

    def steps_to_settle(self) -> Floats:
        """Steps until v is near its final value, `[seed]`."""
        within = protocol.SETTLED_WITHIN
        return np.asarray(self.store.measure(steps_to_settle, self.run, self.seeds, within=within))

    def steps_to_escape(self) -> Floats:
        """Steps until the pairs weigh differently, `[seed]`."""
        gap = protocol.ESCAPE_GAP
        return np.asarray(self.store.measure(steps_to_escape, self.run, self.seeds, gap=gap))

    def with_(self, **changes: Any) -> Tuned:
        """Fine-tuned with something else."""
        return replace(self, setting=replace(self.setting, **changes))

    def at_start(self) -> Tuned:
        """Before training: uniform attention."""
        return replace(self, index=0)


@dataclass(frozen=True)
class TwoSteps:
    """Both steps over one memory, the answer after the model's own relation."""

    settings: tuple[Setting, Setting]
    seeds: tuple[int, ...]
    store: Store
    shuffle_relation: bool = False

    @property
    def runs(self) -> tuple[FineTuning, FineTuning]:
        """What the store trains."""
        first, second = self.settings
        return FineTuning(first), FineTuning(second)

    def recall(self, held_out: HeldOut) -> Mapping[str, Floats]:
        """Accuracies of the answer on held-out sequences, `[seed]` each."""
        found: Mapping[str, Floats] = self.store.measure(
            answer_recall,
            self.runs,
            self.seeds,
            settings=self.settings,
            held_out=held_out,
            shuffle_relation=self.shuffle_relation,
        )
        return found

    def copy_prompts(self) -> list[CopyPrompts]:
        """Prompts whose query repeats the first subject, one element a seed, with v of both steps."""
        rows = [self.store.measure(attention_at, one, self.seeds, index=-1) for one in self.runs]
        found = []
        for first, second, seed in zip(*rows, self.seeds, strict=True):
            base = knowledge_base(self.settings[0].n_subjects, seed)
            tokens = protocol.HELD_OUT.sequences(base, self.settings[0], seed).prompts(base)
            tokens[:, 4] = tokens[:, 0]
            found.append(
                CopyPrompts(tokens, tuple(np.tile(row[:6], (len(tokens), 1)) for row in (first, second)))
            )
        return found


@dataclass(frozen=True, eq=False)
class CopyPrompts:
    """Prompts with an earlier copy of their query, and the attention on their positions.

    Attributes:
        tokens: `[prompt, 6]`.
        attention: of each step, `[prompt, 6]`.
    """

    tokens: NDArray[np.int64]
    attention: tuple[Floats, ...]

    def after_copy(self) -> float:
        """Mean attention on the token after the copy, at the step where it is larger."""
        means = (attention_after_copy(one, self.tokens, query=4).mean() for one in self.attention)
        return float(max(means))

    def under_induction(self) -> CopyPrompts:
        """The same prompts under a hand-built induction head."""
        return CopyPrompts(self.tokens, (induction_attention(self.tokens, query=4),))


@dataclass(frozen=True)
class Saddle:
    """The tie between the pairs: how far the large step leaves it, and what it looks like."""

    large_step: LargeStep
    tie: Tie
    seeds: tuple[int, ...]
    store: Store


@dataclass(frozen=True)
class Growth:
    """Samples needed at each n."""

    runs: Mapping[int, SampleDraws]
    seeds: tuple[int, ...]
    store: Store

    def least(self) -> Floats:
        """m*, `[size, seed]`."""
        return np.stack(
            [
                self.store.measure(
                    least_samples,
                    run,
                    self.seeds,
                    levels=run.levels,
                    required=protocol.REQUIRED_ACCURACY,
                )
                for run in self.runs.values()
            ]
        )

    def accuracy(self, n_triplets: int) -> Floats:
        """Accuracy, the lesser of mixed and confusing, averaged over draws, `[seed, level]`."""
        return np.asarray(self.store.get(self.runs[n_triplets], self.seeds)["accuracy"].mean(axis=1))


@dataclass(frozen=True)
class OverLearned:
    """Attention fine-tuned over a memory that gradient descent learned."""

    run: FineTuningOfLearned
    seeds: tuple[int, ...]
    store: Store

    @property
    def attention(self) -> Floats:
        """v, `[seed, position]`."""
        return np.asarray(self.store.measure(attention_at, self.run, self.seeds, index=-1))

    def recall(self) -> Mapping[str, Floats]:
        """Accuracies of the relation on held-out sequences, and the share of facts stored, `[seed]` each."""
        found: Mapping[str, Floats] = self.store.measure(
            recall_of_learned,
            (self.run.memory, self.run),
            self.seeds,
            learned=self.run,
            held_out=protocol.HELD_OUT,
        )
        return found
