"""Prompts of in-context factual recall: pairs of one hidden relation, then a query subject.

A prompt and its two targets, with relation 4 hidden (two pairs)::

    s7 a2  s1 a9  s3 <sep>      step 1 -> r4
    s7 a2  s1 a9  s3 <sep> r4   step 2 -> a5, the answer of s3 under r4: nothing in the prompt says it

*Assumption 1*: two pairs determine the relation. Sequences with two pairs that fit a second relation are
never drawn. *Assumption 2*: confusing sequences occur. Such a sequence has a rival, a relation that holds the
same answers for the same subjects in another order (above: r6 with s7 -> a9 and s1 -> a2), so that the bag of
tokens fits both.

The rivals of a drawn sequence come from the base alone. A rival r′ of r permutes subjects by σ = r′⁻¹ ∘ r,
and a sequence is confusing when its subjects are a union of cycles of some σ, at most one of them a fixed
point. Cycles are plentiful (a random permutation has 1/L cycles of length L on average), which lets confusing
sequences be drawn without search. With more than two pairs the types of rival (for three: one pair kept and
two exchanged, or all three moved round) are drawn equally often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.knowledge_base import Ints, KnowledgeBase

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FactualSequences:
    """Sequences of one base.

    Attributes:
        relations: the hidden relation, `[sequence]`.
        subjects: subjects of the pairs, then the query subject, `[sequence, pair + 1]`.
        answers: their answers, the last one not part of the prompt, `[sequence, pair + 1]`.
        confusing: whether a rival relation permutes the pairs, `[sequence]`.
    """

    relations: Ints
    subjects: Ints
    answers: Ints
    confusing: Bools

    def __len__(self) -> int:
        return len(self.relations)

    @property
    def pairs(self) -> int:
        """Pairs in a prompt."""
        return int(self.subjects.shape[1]) - 1

    def __getitem__(self, index: slice | Ints | Bools) -> FactualSequences:
        return FactualSequences(
            self.relations[index], self.subjects[index], self.answers[index], self.confusing[index]
        )

    def reordered(self, order: Sequence[int]) -> FactualSequences:
        """The same sequences with their pairs in another order, such as (1, 0)."""
        columns = [*order, self.pairs]
        return FactualSequences(
            self.relations, self.subjects[:, columns], self.answers[:, columns], self.confusing
        )

    def among(self, others: FactualSequences, base: KnowledgeBase) -> Bools:
        """Which sequences occur among others, `[sequence]`."""
        own, theirs = (_names(base, one.relations, one.subjects) for one in (self, others))
        return np.isin(own, theirs)

    def facts(self, base: KnowledgeBase) -> Bools:
        """Which facts occur, those of the queries included, `[relation, subject]`."""
        used = np.zeros(base.answers.shape, dtype=bool)
        used[self.relations[:, None], self.subjects] = True
        return used

    def prompts(self, base: KnowledgeBase) -> Ints:
        """Tokens s1 a1 s2 a2 … s_query <sep>, `[sequence, 2·pair + 2]`."""
        tokens = np.full((len(self), 2 * self.pairs + 2), base.separator)
        tokens[:, 0:-1:2] = self.subjects
        tokens[:, 1:-1:2] = base.answer_token + self.answers[:, :-1]
        return tokens


@dataclass(frozen=True)
class Rivals:
    """How many relations other than the hidden one stand in each relation to a sequence, `[sequence]` each.

    Attributes:
        sharing_two: hold two or more pairs of the prompt. Assumption 1: none.
        permuted: hold the prompt's answers in another order. Assumption 2: some sequences have one.
        half_mismatched: give one of the prompt's answers to two of its subjects. Impossible for injective
            relations.
    """

    sharing_two: Ints
    permuted: Ints
    half_mismatched: Ints


def count_rivals(
    table: Ints, relations: Ints, subjects: Ints, answers: Ints, *, sequences_at_once: int = 1024
) -> Rivals:
    """Compare every sequence with every relation of a table, whose relations need not be injective.

    Args:
        table: the answers of every relation, `[relation, subject]`.
        relations: hidden relation, `[sequence]`.
        subjects: subjects of the pairs, without the query, `[sequence, pair]`.
        answers: their answers, `[sequence, pair]`.
        sequences_at_once: bounds the memory of the comparison, `[relation, sequence]` a few times over.
    """
    parts: list[tuple[Ints, Ints, Ints]] = []
    pairs = subjects.shape[1]
    for start in range(0, max(len(relations), 1), sequences_at_once):
        chunk = slice(start, start + sequences_at_once)
        shape = (len(table), len(relations[chunk]))
        shared = np.zeros(shape, dtype=np.int8)
        inside = np.ones(shape, dtype=bool)
        given = np.zeros((pairs, *shape), dtype=np.int8)  # how many subjects a relation gives each answer to
        for i in range(pairs):
            image = table[:, subjects[chunk, i]]
            matches = [image == answers[chunk, j] for j in range(pairs)]
            shared += matches[i]
            inside &= np.logical_or.reduce(matches)
            given += np.array(matches)
        repeated = (given > 1).any(axis=0)
        other = np.arange(len(table))[:, None] != relations[chunk]
        sharing_two = shared >= 2
        parts.append(
            (
                (sharing_two & other).sum(axis=0),
                (inside & ~sharing_two & ~repeated & other).sum(axis=0),
                (repeated & other).sum(axis=0),
            )
        )
    sharing, permuted, half = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Rivals(sharing, permuted, half)


def draw_sequences(
    base: KnowledgeBase,
    count: int,
    confusing_share: float | None,
    generator: np.random.Generator,
    *,
    pairs: int = 2,
    avoid: Bools | None = None,
    unlike: FactualSequences | None = None,
) -> FactualSequences:
    """Draw sequences that keep Assumption 1.

    Args:
        base: the facts.
        count: how many sequences.
        confusing_share: share of confusing sequences, exact in every prefix up to rounding (half up), so that
            the first m of a draw are themselves a draw of m. `None`: as they fall.
        generator: source of every choice.
        pairs: pairs in a prompt.
        avoid: facts that may not occur, query included, `[relation, subject]`.
        unlike: sequences that may not occur: held-out sequences are drawn unlike the training ones.

    Raises:
        ValueError: the base has too few such sequences.
    """
    if confusing_share is not None and not 0 <= confusing_share <= 1:
        raise ValueError(f"confusing_share must lie in [0, 1], got {confusing_share}")

    def admissible(candidates: tuple[Ints, Ints], confusing: bool | None) -> FactualSequences:
        return _admissible(base, candidates, confusing, avoid, unlike)

    def uniform(size: int) -> tuple[Ints, Ints]:
        return _uniform(base, pairs, size, generator)

    def permuted(size: int) -> tuple[Ints, Ints]:
        return _permuted(base, pairs, size, generator)

    if confusing_share is None:
        return _take(lambda size: admissible(uniform(size), None), count)
    quota = np.floor(np.arange(count + 1) * confusing_share + 0.5).astype(np.int64)
    is_confusing = np.diff(quota) > 0
    n_confusing = int(quota[-1])
    confusing = _take(lambda size: admissible(permuted(size), True), n_confusing)
    plain = _take(lambda size: admissible(uniform(size), False), count - n_confusing)
    order = np.empty(count, dtype=np.int64)
    order[is_confusing] = np.arange(n_confusing)
    order[~is_confusing] = n_confusing + np.arange(count - n_confusing)
    return concatenate([confusing, plain])[order]


def concatenate(parts: Sequence[FactualSequences]) -> FactualSequences:
    """All sequences of `parts`, in order."""
    return FactualSequences(
        np.concatenate([part.relations for part in parts]),
        np.concatenate([part.subjects for part in parts]),
        np.concatenate([part.answers for part in parts]),
        np.concatenate([part.confusing for part in parts]),
    )


def _take(batch: Callable[[int], FactualSequences], count: int) -> FactualSequences:
    """The first `count` sequences of batches of a size; gives up after many empty ones in a row."""
    parts: list[FactualSequences] = []
    found = fruitless = 0
    while found < count or not parts:
        part = batch(count + count // 4 + 32)
        parts.append(part)
        found += len(part)
        fruitless = 0 if len(part) else fruitless + 1
        if fruitless == 50:
            raise ValueError(f"found {found} of {count} sequences: the base has too few that are asked for")
    return concatenate(parts)[:count]


def _admissible(
    base: KnowledgeBase,
    candidates: tuple[Ints, Ints],
    confusing: bool | None,
    avoid: Bools | None,
    unlike: FactualSequences | None,
) -> FactualSequences:
    """The candidates (relations, subjects) that keep Assumption 1 and are what was asked for."""
    relations, subjects = candidates
    allowed = np.ones(len(relations), dtype=bool)
    if avoid is not None:
        allowed &= ~avoid[relations[:, None], subjects].any(axis=1)
    if unlike is not None:
        names = _names(base, relations, subjects)
        allowed &= ~np.isin(names, _names(base, unlike.relations, unlike.subjects))
    relations, subjects = relations[allowed], subjects[allowed]
    answers = base.answers[relations[:, None], subjects]
    rivals = count_rivals(base.answers, relations, subjects[:, :-1], answers[:, :-1])
    keep = rivals.sharing_two == 0
    is_confusing = rivals.permuted > 0
    if confusing is not None:
        keep &= is_confusing == confusing
    return FactualSequences(relations, subjects, answers, is_confusing)[keep]


def _names(base: KnowledgeBase, relations: Ints, subjects: Ints) -> Ints:
    """A number for each sequence, equal only for equal sequences."""
    names = relations
    for column in subjects.T:
        names = names * base.n_subjects + column
    return names


def _uniform(base: KnowledgeBase, pairs: int, size: int, generator: np.random.Generator) -> tuple[Ints, Ints]:
    """Uniform relation, uniform distinct subjects; fewer than `size` where subjects coincide."""
    relations = generator.integers(base.n_relations, size=size)
    subjects = generator.integers(base.n_subjects, size=(size, pairs + 1))
    ordered = np.sort(subjects, axis=1)
    distinct = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return relations[distinct], subjects[distinct]


def _permuted(
    base: KnowledgeBase, pairs: int, size: int, generator: np.random.Generator
) -> tuple[Ints, Ints]:
    """Sequences with a rival that permutes their pairs: subjects are cycles of σ, in random order."""
    size = min(size, 2048)  # bounds the table of permutations, [size, subject]
    relations = generator.integers(base.n_relations, size=size)
    rivals = generator.integers(base.n_relations, size=size)
    sigma = np.take_along_axis(base.subjects[rivals], base.answers[relations], axis=1)
    found = [_on_cycles(sigma, lengths, generator) for lengths in _cycle_types(pairs)]
    each = min(len(rows) for rows, _ in found)
    rows = np.concatenate([rows[:each] for rows, _ in found])
    members = generator.permuted(np.concatenate([members[:each] for _, members in found]), axis=1)
    query = generator.integers(base.n_subjects, size=len(rows))
    order = np.flatnonzero((members != query[:, None]).all(axis=1))
    generator.shuffle(order)
    return relations[rows[order]], np.column_stack([members, query])[order]


def _cycle_types(pairs: int) -> list[tuple[int, ...]]:
    """Cycle lengths of permutations of `pairs` elements with at most one fixed: 3 -> (3,), (2, 1)."""

    def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
        if total == 0:
            yield ()
        for first in range(min(total, largest), 0, -1):
            for rest in partitions(total - first, first):
                yield (first, *rest)

    return [lengths for lengths in partitions(pairs, pairs) if lengths.count(1) < 2]


def _on_cycles(sigma: Ints, lengths: tuple[int, ...], generator: np.random.Generator) -> tuple[Ints, Ints]:
    """Pick one cycle of each length in every permutation `[row, element]` that has them all.

    Returns:
        The rows that have them, and the elements of the chosen cycles, `[row, sum of lengths]`.
    """
    rows = np.arange(len(sigma))
    members = np.empty((len(sigma), 0), dtype=np.int64)
    for length in lengths:
        moved = np.arange(sigma.shape[1])
        free = np.ones((len(rows), sigma.shape[1]), dtype=bool)
        np.put_along_axis(free, members, False, axis=1)
        position = np.broadcast_to(moved, (len(rows), sigma.shape[1]))
        for step in range(1, length + 1):
            position = np.take_along_axis(sigma[rows], position, axis=1)
            free &= (position == moved) == (step == length)
        start = (generator.random(free.shape) * free).argmax(axis=1)
        has_one = free.any(axis=1)
        rows, members, element = rows[has_one], members[has_one], start[has_one]
        for _ in range(length):
            members = np.column_stack([members, element])
            element = sigma[rows, element]
    return rows, members
