"""The recaller in compiled form: exact, and nearly independent of how many facts the memory holds.

With orthonormal embeddings a hidden unit sees nothing of a prompt but the attention on the positions that
hold its two elements. So a prompt's units fall into a few kinds, one a *position mask*, and a token's logit
is a count of masks::

    logit = Σ over masks  count · (Σ attention on the mask's positions) ^ k

Tokens of one prompt with equal counts have equal logits. A *class* is one row of counts; classes are shared
by all prompts, whose only difference is how many tokens they have in each class. Training needs just that
table, one row a sequence: the loss of a step is one matrix product, whatever the size of the base.

Rows of counts are formed from integer codes, exactly as the memory's three kinds of unit write them:

- a relation r′ is written by (s, a) units: the code says which of the prompt's answers r′ gives to each of
  its subjects;
- an answer is written by (s, r) units: the code counts the relations that give it to each of the prompt's
  subjects, and at step 2 says whether the prompt's relation r gives it to one of them;
- a subject is written by (r, a) units: the same with answers and subjects exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CompiledPrompts:
    """Prompts of one base, ready to be evaluated at any attention.

    Attributes:
        masks: which positions a mask covers, 0 or 1, `[mask, position]`.
        counts: units of each mask that write a token of a class, `[class, mask]`.
        class_of: class of every token that may be decoded, `[sequence, token]`.
        targets: the right token, as an index into the second axis of `class_of`, `[sequence]`.
        first_token: id of the token at index 0 of that axis.
    """

    masks: Ints
    counts: Ints
    class_of: Ints
    targets: Ints
    first_token: int

    def __getitem__(self, sequences: slice | Ints) -> CompiledPrompts:
        """Some of the prompts."""
        return replace(self, class_of=self.class_of[sequences], targets=self.targets[sequences])

    def class_logits(self, attention: NDArray[np.float64], power: int) -> NDArray[np.float64]:
        """Logits of the classes, `[class]`, at an attention `[position]`."""
        return np.asarray(self.counts @ (self.masks @ attention) ** power)

    def logits(self, attention: NDArray[np.float64], power: int) -> NDArray[np.float64]:
        """Logits of all tokens that may be decoded, `[sequence, token]`, before division by a temperature."""
        return np.asarray(self.class_logits(attention, power)[self.class_of])

    @property
    def multiplicity(self) -> Ints:
        """How many tokens a sequence has in each class, `[sequence, class]`."""
        sequences, classes = len(self.class_of), len(self.counts)
        flat = self.class_of + classes * np.arange(sequences)[:, None]
        return np.bincount(flat.ravel(), minlength=sequences * classes).reshape(sequences, classes)

    @property
    def target_classes(self) -> Ints:
        """Class of each right token, `[sequence]`."""
        return self.class_of[np.arange(len(self.targets)), self.targets]

    @property
    def rivals(self) -> Ints:
        """How many tokens other than the right one a sequence has in each class, `[sequence, class]`."""
        rivals = self.multiplicity
        rivals[np.arange(len(self.targets)), self.target_classes] -= 1
        return rivals


def position_masks(pairs: int, *, with_relation: bool) -> list[tuple[int, ...]]:
    """Positions of every mask that a unit of a prompt can see, in the order used throughout this module.

    Positions are s1 a1 s2 a2 … s_query <sep>, then the relation at step 2.
    """
    subjects, answers = range(0, 2 * pairs + 1, 2), range(1, 2 * pairs, 2)
    masks: list[tuple[int, ...]] = [(position,) for position in range(2 * pairs + 1)]
    masks += [(subject, answer) for subject in subjects for answer in answers]
    if with_relation:
        relation = 2 * pairs + 2
        masks += [(relation,), *((position, relation) for position in range(2 * pairs + 1))]
    return masks


def compile_prompts(
    table: Ints, prompts: Ints, targets: Ints, *, decode: str = "vocabulary"
) -> CompiledPrompts:
    """Compile prompts of one base.

    Args:
        table: the answer of every subject under every relation, `[relation, subject]`, rows injective. Tokens
            are numbered subjects first, then relations, then answers, then the separator.
        prompts: tokens s1 a1 s2 a2 … s_query <sep>, and the relation at step 2, `[sequence, position]`.
        targets: the right token, `[sequence]`.
        decode: `"relations"` or `"vocabulary"`: among which tokens the model decodes.

    Raises:
        ValueError: a prompt repeats a subject or an answer (its masks would overlap), or an unknown `decode`.
    """
    if decode not in ("relations", "vocabulary"):
        raise ValueError(f"decode must be 'relations' or 'vocabulary', got {decode!r}")
    n_relations, n_subjects = table.shape
    length = prompts.shape[1]
    pairs, with_relation = (length - 2) // 2, bool(length % 2)
    subjects = prompts[:, 0 : 2 * pairs + 1 : 2]
    answers = prompts[:, 1 : 2 * pairs : 2] - n_subjects - n_relations
    for name, tokens in (("subject", subjects), ("answer", answers)):
        ordered = np.sort(tokens, axis=1)
        if (ordered[:, 1:] == ordered[:, :-1]).any():
            raise ValueError(f"a prompt repeats a {name}: its position masks would overlap")
    relation = prompts[:, -1] - n_subjects if with_relation else None

    masks = position_masks(pairs, with_relation=with_relation)
    column = {mask: index for index, mask in enumerate(masks)}
    parts = [_relation_classes(table, subjects, answers, column)]
    first_token = n_subjects
    if decode == "vocabulary":
        first_token = 0
        facts = np.zeros(
            (n_subjects, n_subjects), dtype=np.int64
        )  # relations between a subject and an answer
        np.add.at(facts, (np.arange(n_subjects), table), 1)
        given = table[relation] if relation is not None else None  # [sequence, subject] -> answer under r
        holder = (
            np.argsort(given, axis=1) if given is not None else None
        )  # [sequence, answer] -> subject under r
        of_subjects = _element_classes(
            facts.T[answers], _hits(given, answers), range(1, 2 * pairs, 2), column
        )
        of_answers = _element_classes(
            facts[subjects], _hits(holder, subjects), range(0, 2 * pairs + 1, 2), column
        )
        separator = (np.zeros((1, len(masks)), dtype=np.int64), np.zeros((len(prompts), 1), dtype=np.int64))
        parts = [of_subjects, *parts, of_answers, separator]
    counts = np.concatenate([rows for rows, _ in parts])
    starts = np.cumsum([0] + [len(rows) for rows, _ in parts[:-1]])
    class_of = np.concatenate(
        [classes + start for (_, classes), start in zip(parts, starts, strict=True)], axis=1
    )
    covered = np.zeros((len(masks), length), dtype=np.int64)
    for mask, index in column.items():
        covered[index, list(mask)] = 1
    return CompiledPrompts(covered, counts, class_of, targets - first_token, first_token)


def _relation_classes(
    table: Ints, subjects: Ints, answers: Ints, column: dict[tuple[int, ...], int]
) -> tuple[Ints, Ints]:
    """Classes of the relation tokens: which of the prompt's answers a relation gives to which subject.

    All partial matchings have a row, whether they occur or not, so that bases of any size share their
    classes.

    Returns:
        Counts `[class, mask]` and the class of every relation `[sequence, relation]`.
    """
    sequences, pairs = answers.shape
    codes = np.zeros((sequences, len(table)), dtype=np.int64)
    for i in range(pairs + 1):
        image = table[:, subjects[:, i]].T  # [sequence, relation]
        for j in range(pairs):
            codes += (j + 1) * (pairs + 1) ** i * (image == answers[:, j, None])
    matchings = [
        digits
        for digits in np.ndindex(*([pairs + 1] * (pairs + 1)))
        if len(hit := [digit for digit in digits if digit]) == len(set(hit))
    ]
    counts = np.zeros((len(matchings), len(column)), dtype=np.int64)
    class_of_code = np.empty((pairs + 1) ** (pairs + 1), dtype=np.int64)
    for index, digits in enumerate(matchings):
        class_of_code[sum(digit * (pairs + 1) ** i for i, digit in enumerate(digits))] = index
        for i, digit in enumerate(digits):
            counts[index, column[(2 * i, 2 * digit - 1) if digit else (2 * i,)]] += 1
        for j in set(range(1, pairs + 1)) - set(digits):
            counts[index, column[(2 * j - 1,)]] += 1
    return counts, class_of_code[codes]


def _hits(given: Ints | None, elements: Ints) -> Ints | None:
    """Which of the prompt's elements, numbered from 1, the prompt's relation gives to a token; 0 for none.

    Args:
        given: element that the prompt's relation gives to every token, `[sequence, token]`; `None` at step 1.
        elements: the prompt's elements, `[sequence, element]`.
    """
    if given is None:
        return None
    hits = np.zeros_like(given)
    for index in range(elements.shape[1]):
        hits += (index + 1) * (given == elements[:, index, None])
    return hits


def _element_classes(
    facts: Ints, hits: Ints | None, positions: range, column: dict[tuple[int, ...], int]
) -> tuple[Ints, Ints]:
    """Classes of the answer tokens (from the prompt's subjects) or the subject tokens (from its answers).

    Args:
        facts: relations that join an element of the prompt to a token, `[sequence, element, token]`.
        hits: which element the prompt's own relation joins to a token, from 1, else 0, `[sequence, token]`.
        positions: positions of the elements.
        column: where a mask's count stands.

    Returns:
        Counts `[class, mask]` and the class of every token `[sequence, token]`.
    """
    radix = int(facts.max(initial=0)) + 1
    codes = np.zeros_like(facts[:, 0]) if hits is None else hits.copy()
    space = 1 if hits is None else len(positions) + 1
    for index in range(len(positions)):
        codes += space * facts[:, index]
        space *= radix
    occurring = np.flatnonzero(np.bincount(codes.ravel(), minlength=space))
    class_of_code = np.zeros(space, dtype=np.int64)
    class_of_code[occurring] = np.arange(len(occurring))

    counts = np.zeros((len(occurring), len(column)), dtype=np.int64)
    rest = occurring
    if hits is not None:
        rest, hit = np.divmod(occurring, len(positions) + 1)
        relation = max(max(mask) for mask in column)
        for index, position in enumerate(positions):
            counts[:, column[(position, relation)]] += hit == index + 1
            counts[:, column[(position,)]] -= hit == index + 1  # that unit sees the relation as well
        counts[:, column[(relation,)]] += (
            hit == 0
        )  # the fact of r about a subject or answer outside the prompt
    for position in positions:
        rest, number = np.divmod(rest, radix)
        counts[:, column[(position,)]] += number
    return counts, class_of_code[codes]
