"""The procedure of the factual-recall paper: what is trained, and what is measured on held-out sequences.

Every random choice has a generator of its own, made from the seed and a purpose, so that a change to one
leaves the others as they were. A seed draws its knowledge base, its fine-tuning sequences, its perturbation
and its held-out sequences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from models.attention_row import AttentionRowLoss, stack_losses
from models.compiled_recaller import CompiledPrompts, compile_prompts
from models.perturbed_gradient_descent import Schedule, descend
from models.pretrained_memory import LearnedMemory, Pretraining, pretrain_memory
from models.recaller import Recaller, fine_tune
from probes.attention_pattern import pair_gap
from probes.recall import accuracy, argmax_accuracy, relative_margins
from pytest_claims import Progress, Store
from tasks.factual_sequences import FactualSequences, concatenate, draw_sequences
from tasks.knowledge_base import KnowledgeBase, draw_knowledge_base

Arrays = Mapping[str, NDArray[Any]]
Floats = NDArray[np.float64]

PURPOSES = (
    "base",
    "fine-tuning",
    "perturbation",
    "held-out",
    "shuffled relation",
    "shuffled base",
    "rounding",
)
"""What a generator is for; its place here is part of the generator's seed."""

VOCABULARY_CLASSES = 512
"""Width to which the classes of prompts decoded over the vocabulary are padded: some 300 occur with 10^5
facts."""


SHORT_STEPS = 20
SHORT_HELD_OUT = 200
"""Lengths of shortened runs and measurements, which the gate replays instead of whole ones."""

SMALL_SAMPLE = 64
"""Up to this many sequences a step costs little more than its overhead, so that such samples share a
stack."""


def generator(seed: int, purpose: str, *more: int) -> np.random.Generator:
    """The generator of one purpose under one seed."""
    return np.random.default_rng([seed, PURPOSES.index(purpose), *more])


def knowledge_base(n_subjects: int, seed: int) -> KnowledgeBase:
    """The seed's base."""
    return draw_knowledge_base(n_subjects, generator(seed, "base"))


def perturbation(seed: int, positions: int, length: float) -> Floats:
    """A uniform direction of a seed, scaled to a length, `[position]`."""
    direction = generator(seed, "perturbation").standard_normal(positions)
    return direction * (length / np.linalg.norm(direction))


def start(seeds: tuple[int, ...], positions: int, rounding: float) -> torch.Tensor:
    """Initial weights: 0, or every seed's own `rounding` · N(0, 1), `[seed, position]`."""
    if not rounding:
        return torch.zeros(len(seeds), positions, dtype=torch.float64)
    noise = [generator(seed, "rounding").standard_normal(positions) for seed in seeds]
    return torch.from_numpy(rounding * np.stack(noise))


def compiled(
    base: KnowledgeBase,
    sequences: FactualSequences,
    *,
    step: int,
    decode: str,
    answer_order: tuple[int, ...] | None = None,
    predicted_relation: NDArray[np.int64] | None = None,
) -> CompiledPrompts:
    """Sequences as prompts of step 1 (the relation is right) or step 2 (the answer is right).

    Step 2 appends the true relation, or the one given in its place.
    """
    prompts = sequences.prompts(base)
    if answer_order is not None:
        prompts[:, 1:-1:2] = prompts[:, 1:-1:2][:, answer_order]
    if step == 1:
        targets = base.relation_token + sequences.relations
    else:
        relations = sequences.relations if predicted_relation is None else predicted_relation
        prompts = np.column_stack([prompts, base.relation_token + relations])
        targets = base.answer_token + sequences.answers[:, -1]
    return compile_prompts(base.answers, prompts, targets, decode=decode)


@dataclass(frozen=True)
class Setting:
    """Everything that fine-tuning one attention row depends on, but the seed.

    Attributes:
        n_subjects: S; the base holds S² triplets.
        power: k of the memory's activation.
        temperature: T of the cross-entropy.
        schedule: large step, learning rate, number of small steps.
        perturbation: length of the perturbation; its direction is the seed's.
        samples: fine-tuning sequences, m.
        confusing_share: share of confusing ones among them; None: as they fall.
        decode: `"relations"` or `"vocabulary"`.
        step: 1 decodes the relation, 2 the answer after the true relation.
        pairs: pairs in a prompt.
        answer_order: order in which the answers stand beside the subjects, None for their own.
        symmetrised: every sequence also with its pairs exchanged, and w symmetric until the perturbation.
    """

    n_subjects: int
    power: int
    temperature: float
    schedule: Schedule
    perturbation: float
    samples: int
    confusing_share: float | None
    decode: str = "relations"
    step: int = 1
    pairs: int = 2
    answer_order: tuple[int, ...] | None = None
    symmetrised: bool = False

    def shortened(self) -> Setting:
        """The same for a few small steps."""
        return replace(self, schedule=replace(self.schedule, steps=min(self.schedule.steps, SHORT_STEPS)))

    def sequences(self, base: KnowledgeBase, seed: int) -> FactualSequences:
        """The seed's fine-tuning sequences. Steps 1 and 2 of a seed see the same."""
        return draw_sequences(
            base, self.samples, self.confusing_share, generator(seed, "fine-tuning"), pairs=self.pairs
        )

    def compile(self, base: KnowledgeBase, sequences: FactualSequences) -> CompiledPrompts:
        """Sequences as prompts of this fine-tuning."""
        return compiled(base, sequences, step=self.step, decode=self.decode, answer_order=self.answer_order)

    def loss(self, seeds: tuple[int, ...]) -> AttentionRowLoss:
        """The loss of every seed."""
        prompts = []
        for seed in seeds:
            base = knowledge_base(self.n_subjects, seed)
            sequences = self.sequences(base, seed)
            if self.symmetrised:
                sequences = concatenate([sequences, sequences.reordered((1, 0))])
            prompts.append(self.compile(base, sequences))
        return stack_losses(
            prompts,
            power=self.power,
            temperature=self.temperature,
            classes=VOCABULARY_CLASSES if self.decode == "vocabulary" else None,
        )


@dataclass(frozen=True)
class FineTuning:
    """One attention row fine-tuned over the constructed memory, seeds together.

    Attributes:
        setting: what it depends on.
    """

    setting: Setting

    def shortened(self) -> FineTuning:
        """The same for a few small steps."""
        return FineTuning(self.setting.shortened())

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Arrays:
        """The whole trajectory of w: `weights` `[seed, steps + 3, position]`."""
        loss = self.setting.loss(seeds)
        pushes = np.stack([perturbation(seed, loss.positions, self.setting.perturbation) for seed in seeds])
        weights = descend(
            loss.gradient,
            start(seeds, loss.positions, store.rounding),
            torch.from_numpy(pushes),
            self.setting.schedule,
            project=symmetric if self.setting.symmetrised else None,
            progress=progress,
        )
        return {"weights": weights.numpy()}


def symmetric(weights: torch.Tensor) -> torch.Tensor:
    """W `[seed, 6]` averaged with its image under exchange of the two pairs."""
    return (weights + weights[:, [2, 3, 0, 1, 4, 5]]) / 2


def attention_at(arrays: Arrays, seeds: tuple[int, ...], *, index: int) -> Floats:  # noqa: ARG001
    """V = softmax(w) at one index of the trajectory, `[seed, position]`."""
    return softmax(arrays["weights"][:, index])


def softmax(weights: Floats) -> Floats:
    """Softmax over the last axis."""
    exponentials = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class HeldOut:
    """Held-out sequences, none of them among the fine-tuning ones.

    Attributes:
        count: how many.
        confusing_share: share of confusing ones; None: as they fall, with `count` confusing ones drawn apart.
        unseen: no fact of a sequence occurred in fine-tuning.
    """

    count: int
    confusing_share: float | None
    unseen: bool = False

    def shortened(self) -> HeldOut:
        """Fewer of them."""
        return replace(self, count=min(self.count, SHORT_HELD_OUT))

    def sequences(self, base: KnowledgeBase, setting: Setting, seed: int) -> FactualSequences:
        """The held-out sequences of a seed; as they fall, `count` confusing ones follow."""
        trained_on = setting.sequences(base, seed)
        source = generator(seed, "held-out")
        avoid = trained_on.facts(base) if self.unseen else None

        def draw(share: float | None) -> FactualSequences:
            return draw_sequences(
                base, self.count, share, source, pairs=setting.pairs, avoid=avoid, unlike=trained_on
            )

        if self.confusing_share is not None:
            return draw(self.confusing_share)
        return concatenate([draw(None), draw(1.0)])

    def mixed(self, sequences: FactualSequences) -> NDArray[np.bool_]:
        """Which of the held-out sequences are not the confusing ones drawn apart."""
        return np.arange(len(sequences)) < self.count


def scores(margins: Floats, confusing: NDArray[np.bool_], mixed: NDArray[np.bool_]) -> dict[str, float]:
    """Accuracy on the items drawn mixed, and on all confusing ones apart."""
    return {"mixed": accuracy(margins[mixed]), "confusing": accuracy(margins[confusing])}


def stacked(rows: list[dict[str, float]]) -> dict[str, Floats]:
    """A list of one row a seed as arrays `[seed]`."""
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def margins_of(prompts: CompiledPrompts, attention: Floats, power: int) -> Floats:
    """Relative margin of every prompt, `[sequence]`."""
    logits = prompts.class_logits(attention, power)
    return relative_margins(logits[prompts.target_classes], logits, prompts.rivals)


def recall(
    arrays: Arrays, seeds: tuple[int, ...], *, setting: Setting, held_out: HeldOut, index: int
) -> dict[str, Floats]:
    """Recall of a fine-tuned row on held-out sequences.

    Returns:
        `[seed]` each: accuracy `mixed` and `confusing`, `argmax` accuracy (no margin asked, ties share), and
        `least_margin`, the worst relative margin.
    """
    rows = []
    for seed, attention in zip(seeds, attention_at(arrays, seeds, index=index), strict=True):
        base = knowledge_base(setting.n_subjects, seed)
        sequences = held_out.sequences(base, setting, seed)
        prompts = setting.compile(base, sequences)
        logits = prompts.class_logits(attention, setting.power)
        right = logits[prompts.target_classes]
        margins = relative_margins(right, logits, prompts.rivals)
        rows.append(
            scores(margins, sequences.confusing, held_out.mixed(sequences))
            | {
                "argmax": argmax_accuracy(right, logits, prompts.rivals),
                "least_margin": float(margins.min()),
            }
        )
    return stacked(rows)


def answer_recall(
    arrays: tuple[Arrays, Arrays],
    seeds: tuple[int, ...],
    *,
    settings: tuple[Setting, Setting],
    held_out: HeldOut,
    shuffle_relation: bool,
) -> dict[str, Floats]:
    """Recall of the answer after the relation that the model itself predicted at step 1.

    A prediction is the token with the highest logit, the first of equal ones; an item whose prediction is no
    relation is wrong.

    Args:
        arrays: trajectories of step 1 and step 2.
        seeds: their seeds.
        settings: both fine-settings.
        held_out: the sequences.
        shuffle_relation: put another relation, drawn at random, in place of each predicted one.

    Returns:
        Accuracy `mixed` and `confusing`, `[seed]` each.
    """
    first, second = settings
    rows = []
    for seed, at_first, at_second in zip(
        seeds,
        attention_at(arrays[0], seeds, index=-1),
        attention_at(arrays[1], seeds, index=-1),
        strict=True,
    ):
        base = knowledge_base(first.n_subjects, seed)
        sequences = held_out.sequences(base, first, seed)
        prompts = first.compile(base, sequences)
        predicted = (
            prompts.logits(at_first, first.power).argmax(axis=1) + prompts.first_token - base.relation_token
        )
        is_relation = (predicted >= 0) & (predicted < base.n_relations)
        if shuffle_relation:
            shift = generator(seed, "shuffled relation").integers(1, base.n_relations, len(predicted))
            predicted = np.where(is_relation, (predicted + shift) % base.n_relations, predicted)
        asked = compiled(
            base,
            sequences[is_relation],
            step=2,
            decode=second.decode,
            predicted_relation=predicted[is_relation],
        )
        margins = np.full(len(sequences), -np.inf)
        margins[is_relation] = margins_of(asked, at_second, second.power)
        rows.append(scores(margins, sequences.confusing, held_out.mixed(sequences)))
    return stacked(rows)


def steps_to_settle(arrays: Arrays, seeds: tuple[int, ...], *, within: float) -> Floats:  # noqa: ARG001
    """Small steps after which every component of v stays `within` its final value, `[seed]`."""
    attention = softmax(arrays["weights"][:, 2:])
    far = np.abs(attention - attention[:, -1:]).max(axis=2) > within
    return (far * np.arange(1, far.shape[1] + 1)).max(axis=1).astype(np.float64)


def steps_to_escape(arrays: Arrays, seeds: tuple[int, ...], *, gap: float) -> Floats:  # noqa: ARG001
    """Small steps until |v_s1 − v_s2| first exceeds `gap`, `[seed]`.

    0: the perturbation did it; −1: the large step did; the number of steps + 1 where it never does.
    """
    beyond = pair_gap(softmax(arrays["weights"][:, 1:])) > gap
    never = beyond.shape[1] - 1
    return np.where(beyond.any(axis=1), beyond.argmax(axis=1) - 1, never).astype(np.float64)


def attention_path(arrays: Arrays, seeds: tuple[int, ...], *, indices: tuple[int, ...]) -> Floats:  # noqa: ARG001
    """V at some indices of the trajectory, for a figure, `[seed, index, position]`."""
    return softmax(arrays["weights"][:, list(indices)])


@dataclass(frozen=True)
class LargeStep:
    """How far apart the large step alone leaves the two pairs, against the number of samples.

    Attributes:
        setting: what is fine-tuned; its own number of samples is not used.
        levels: numbers of samples.
        pool: sequences drawn; a level m splits them into pool // m disjoint samples.
    """

    setting: Setting
    levels: tuple[int, ...]
    pool: int

    def shortened(self) -> LargeStep:
        """The same for its smallest samples, fewer of them."""
        return replace(self, levels=self.levels[:1], pool=min(self.pool, 8 * self.levels[0]))

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Arrays:
        """`gap` `[seed, level]`: mean of |v_s1 − v_s2| over the level's samples."""
        gaps = np.empty((len(seeds), len(self.levels)))
        for row, seed in enumerate(seeds):
            base = knowledge_base(self.setting.n_subjects, seed)
            setting = replace(self.setting, samples=self.pool)
            pool = setting.compile(base, setting.sequences(base, seed))
            for column, level in enumerate(self.levels):
                blocks = [pool[i * level : (i + 1) * level] for i in range(self.pool // level)]
                loss = stack_losses(blocks, power=setting.power, temperature=setting.temperature)
                begin = start((seed,), loss.positions, store.rounding).repeat(len(blocks), 1)
                schedule = replace(self.setting.schedule, steps=0)
                path = descend(loss.gradient, begin, torch.zeros_like(begin), schedule)
                gaps[row, column] = pair_gap(softmax(path[:, 1].numpy())).mean()
            progress(row + 1, len(seeds))
        return {"gap": gaps}


@dataclass(frozen=True)
class Tie:
    """The exchange-symmetrised problem at v = (¼, ¼, ¼, ¼, 0, 0).

    Attributes:
        setting: a symmetrised fine-tuning.
    """

    setting: Setting

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Arrays:  # noqa: ARG002
        """`gradient_norm` and `least_curvature` (least eigenvalue of the Hessian in w), `[seed]` each."""
        loss = self.setting.loss(seeds)
        tie = torch.tensor([[0.0, 0.0, 0.0, 0.0, -80.0, -80.0]], dtype=torch.float64).repeat(len(seeds), 1)
        hessian = torch.autograd.functional.hessian(lambda w: loss.loss(w).sum(), tie)  # type: ignore[no-untyped-call]
        blocks = torch.stack([hessian[i, :, i] for i in range(len(seeds))])
        return {
            "gradient_norm": loss.gradient(tie).norm(dim=1).numpy(),
            "least_curvature": torch.linalg.eigvalsh(blocks)[:, 0].numpy(),
        }


@dataclass(frozen=True)
class SampleDraws:
    """Fine-tuning repeated over draws of samples of growing number, to see how many are enough.

    Attributes:
        setting: what is fine-tuned; its own number of samples is not used.
        levels: numbers of samples m, growing; a draw's smaller samples are prefixes of its larger ones.
        draws: draws a seed.
        held_out: on which every result is measured, less those that occur in its sample.
    """

    setting: Setting
    levels: tuple[int, ...]
    draws: int
    held_out: HeldOut

    def shortened(self) -> SampleDraws:
        """One draw of the smallest samples, for a few small steps."""
        return replace(
            self,
            setting=self.setting.shortened(),
            levels=self.levels[:2],
            draws=1,
            held_out=self.held_out.shortened(),
        )

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Arrays:
        """`accuracy` `[seed, draw, level]`: the lesser of mixed and confusing."""
        result = np.empty((len(seeds), self.draws, len(self.levels)))
        positions = 2 * self.setting.pairs + 2
        for row, seed in enumerate(seeds):
            base = knowledge_base(self.setting.n_subjects, seed)
            held_out = self.held_out.sequences(base, replace(self.setting, samples=0), seed)
            asked = self.setting.compile(base, held_out)
            rivals = asked.rivals > 0
            samples = [
                draw_sequences(
                    base, self.levels[-1], self.setting.confusing_share, generator(seed, "fine-tuning", draw)
                )
                for draw in range(self.draws)
            ]
            prompts = [self.setting.compile(base, sample) for sample in samples]
            push = torch.from_numpy(perturbation(seed, positions, self.setting.perturbation))
            for group in self._groups():
                cells = [(draw, column) for draw in range(self.draws) for column in group]
                loss = stack_losses(
                    [prompts[draw][: self.levels[column]] for draw, column in cells],
                    power=self.setting.power,
                    temperature=self.setting.temperature,
                    sequences=self.levels[group[-1]],
                )
                begin = start((seed,), positions, store.rounding).repeat(len(cells), 1)
                path = descend(loss.gradient, begin, push.expand_as(begin), self.setting.schedule)
                for (draw, column), attention in zip(cells, softmax(path[:, -1].numpy()), strict=True):
                    logits = asked.class_logits(attention, self.setting.power)
                    margins = relative_margins(logits[asked.target_classes], logits, rivals)
                    new = ~held_out.among(samples[draw][: self.levels[column]], base)
                    both = scores(margins, held_out.confusing & new, self.held_out.mixed(held_out) & new)
                    result[row, draw, column] = min(both.values())
            progress(row + 1, len(seeds))
        return {"accuracy": result}

    def _groups(self) -> list[list[int]]:
        """Levels that are fine-tuned in one stack: the small ones together, each large one alone."""
        small = [column for column, level in enumerate(self.levels) if level <= SMALL_SAMPLE]
        return [small] * bool(small) + [[column] for column in range(len(small), len(self.levels))]


def least_samples(
    arrays: Arrays,
    seeds: tuple[int, ...],  # noqa: ARG001
    *,
    levels: tuple[int, ...],
    required: float,
) -> Floats:
    """m* of every seed: median over draws of the least level from which on every level reaches the accuracy.

    A draw that fails at its last level counts as twice that level: a lower bound.

    Returns:
        `[seed]`.
    """
    failed = arrays["accuracy"] < required
    after_last_failure = failed.shape[2] - np.where(
        failed.any(axis=2), failed[:, :, ::-1].argmax(axis=2), failed.shape[2]
    )
    return np.asarray(
        np.median(np.array([*levels, 2 * levels[-1]])[after_last_failure], axis=1), dtype=np.float64
    )


@dataclass(frozen=True)
class LearnedMemories:
    """A memory learned by gradient descent on the triplets of the seed's base.

    Attributes:
        n_subjects: S.
        how: units, steps and the rest.
    """

    seeds_at_once = 1

    n_subjects: int
    how: Pretraining

    def shortened(self) -> LearnedMemories:
        """The same for a few updates."""
        return replace(self, how=replace(self.how, steps=min(self.how.steps, SHORT_STEPS)))

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Arrays:
        """`w_in` `[seed, token, unit]` and `w_out` `[seed, unit, token]`."""
        found = []
        for seed in seeds:
            base = knowledge_base(self.n_subjects, seed)
            triplets = torch.from_numpy(base.triplets)
            found.append(
                pretrain_memory(triplets, base.n_tokens, self.how, seed, progress, rounding=store.rounding)
            )
        return {
            "w_in": np.stack([memory.w_in.detach().numpy() for memory in found]),
            "w_out": np.stack([memory.w_out.detach().numpy() for memory in found]),
        }


@dataclass(frozen=True)
class FineTuningOfLearned:
    """Attention fine-tuned over a learned memory, by the plain dense forward.

    Attributes:
        memory: the memory.
        setting: the rest; its power is not used.
        shuffled: the sequences state another base than the memory was trained on.
    """

    seeds_at_once = 1

    memory: LearnedMemories
    setting: Setting
    shuffled: bool = False

    def shortened(self) -> FineTuningOfLearned:
        """The same for a few updates and small steps."""
        return replace(self, memory=self.memory.shortened(), setting=self.setting.shortened())

    def base(self, seed: int) -> KnowledgeBase:
        """The base of the sequences."""
        if self.shuffled:
            return draw_knowledge_base(self.setting.n_subjects, generator(seed, "shuffled base"))
        return knowledge_base(self.setting.n_subjects, seed)

    def recaller(self, base: KnowledgeBase, w_in: NDArray[Any], w_out: NDArray[Any]) -> Recaller:
        """The model over a memory's weights, in float64."""
        memory = LearnedMemory(*w_in.shape, torch.Generator())
        memory.load_state_dict({"w_in": torch.from_numpy(w_in), "w_out": torch.from_numpy(w_out)})
        return Recaller(6, torch.eye(base.n_tokens, dtype=torch.float64), memory.double())

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Arrays:
        """`weights` `[seed, steps + 3, position]`."""
        memories = store.get(self.memory, seeds)
        paths = []
        for row, seed in enumerate(seeds):
            base = self.base(seed)
            recaller = self.recaller(base, memories["w_in"][row], memories["w_out"][row])
            sequences = self.setting.sequences(base, seed)
            paths.append(
                fine_tune(
                    recaller,
                    torch.from_numpy(sequences.prompts(base)),
                    torch.from_numpy(base.relation_token + sequences.relations),
                    temperature=self.setting.temperature,
                    schedule=self.setting.schedule,
                    perturbation=torch.from_numpy(perturbation(seed, 6, self.setting.perturbation)),
                )
            )
            progress(row + 1, len(seeds))
        return {"weights": torch.stack(paths).numpy()}


def recall_of_learned(
    arrays: tuple[Arrays, Arrays], seeds: tuple[int, ...], *, learned: FineTuningOfLearned, held_out: HeldOut
) -> dict[str, Floats]:
    """Recall of the relation over a learned memory (arrays: the memory's, the fine-tuning's).

    Returns:
        `[seed]` each: accuracy `mixed` and `confusing`; `stored`, the share of pairs of elements for which
        the memory alone retrieves a consistent third.
    """
    memories, tuned = arrays
    rows = []
    for row, seed in enumerate(seeds):
        base = learned.base(seed)
        recaller = learned.recaller(base, memories["w_in"][row], memories["w_out"][row])
        with torch.no_grad():
            recaller.rows[0].copy_(torch.from_numpy(tuned["weights"][row, -1]))
            sequences = held_out.sequences(base, learned.setting, seed)
            logits = recaller(torch.from_numpy(sequences.prompts(base))).numpy()
        items = np.arange(len(sequences))
        targets = base.relation_token + sequences.relations
        rivals = np.ones(logits.shape, dtype=np.int64)
        rivals[items, targets] = 0
        margins = relative_margins(logits[items, targets], logits, rivals)
        stored = stored_share(recaller.memory, knowledge_base(learned.memory.n_subjects, seed))
        rows.append(scores(margins, sequences.confusing, held_out.mixed(sequences)) | {"stored": stored})
    return stacked(rows)


def stored_share(memory: torch.nn.Module, base: KnowledgeBase) -> float:
    """Share of (triplet, two of its elements) for which a memory retrieves a consistent third."""
    triplets = torch.from_numpy(base.triplets)
    one_hot = torch.eye(base.n_tokens, dtype=torch.float64)
    right = []
    for first, second, third in ((0, 1, 2), (1, 2, 0), (0, 2, 1)):
        with torch.no_grad():
            written = memory(one_hot[triplets[:, first]] + one_hot[triplets[:, second]]).argmax(dim=1)
        names = triplets[:, first] * base.n_tokens + triplets[:, second]
        facts = names * base.n_tokens + triplets[:, third]
        right.append(torch.isin(names * base.n_tokens + written, facts))
    return float(torch.cat(right).double().mean())
