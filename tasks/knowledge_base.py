"""A knowledge base of (subject, relation, answer) triplets, and the names of its tokens.

Every relation is a permutation from subjects to answers, drawn independently of the others, so that S
subjects and S relations hold S·S facts. With S = 3::

    relation 0:  s0 -> a2   s1 -> a0   s2 -> a1
    relation 1:  s0 -> a0   s1 -> a1   s2 -> a2
    relation 2:  s0 -> a1   s1 -> a0   s2 -> a2        (s1, a0) fits relations 0 and 2: one pair does not name
    a relation

Relations are injective for a reason. A *half-mismatched* rival, a relation that maps both subjects of a
prompt to its first answer, would score (v_s1 + v_a1)^k + (v_s2 + v_a1)^k, and no attention that depends on
positions alone beats both this rival and its mirror (both subjects to the second answer). A permutation
cannot be such a rival.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """Facts as a table, and the ids of their tokens: subjects, relations, answers, then the separator.

    Attributes:
        answers: answer of every subject under every relation, `[relation, subject]`, each row a permutation.
    """

    answers: Ints

    def __post_init__(self) -> None:
        if self.answers.ndim != 2:
            raise ValueError(f"answers must be [relation, subject], got shape {self.answers.shape}")
        if not (np.sort(self.answers, axis=1) == np.arange(self.answers.shape[1])).all():
            raise ValueError(
                "every relation must be a permutation of the answers (one row of `answers` is not)"
            )

    @property
    def n_relations(self) -> int:
        """How many relations there are."""
        return len(self.answers)

    @property
    def n_subjects(self) -> int:
        """How many subjects there are; there are as many answers."""
        return int(self.answers.shape[1])

    @property
    def n_triplets(self) -> int:
        """How many facts there are."""
        return int(self.answers.size)

    @property
    def relation_token(self) -> int:
        """Token of relation 0; subject 0 is token 0."""
        return self.n_subjects

    @property
    def answer_token(self) -> int:
        """Token of answer 0."""
        return self.n_subjects + self.n_relations

    @property
    def separator(self) -> int:
        """Token that ends a prompt."""
        return 2 * self.n_subjects + self.n_relations

    @property
    def n_tokens(self) -> int:
        """Size of the vocabulary."""
        return self.separator + 1

    @cached_property
    def subjects(self) -> Ints:
        """The inverse table: the subject that has an answer under a relation, `[relation, answer]`."""
        return np.argsort(self.answers, axis=1)

    @cached_property
    def triplets(self) -> Ints:
        """Every fact as tokens (subject, relation, answer), `[triplet, 3]`."""
        relation, subject = np.indices(self.answers.shape)
        columns = (subject, self.relation_token + relation, self.answer_token + self.answers)
        return np.stack([column.ravel() for column in columns], axis=1)


def subjects_for(n_triplets: int) -> int:
    """Subjects, and relations, of the base nearest in size: 10^5 triplets are held as 316² = 99,856."""
    return round(math.sqrt(n_triplets))


def draw_knowledge_base(n_subjects: int, generator: np.random.Generator) -> KnowledgeBase:
    """Draw `n_subjects` relations, each an independent uniform permutation."""
    table = np.tile(np.arange(n_subjects), (n_subjects, 1))
    return KnowledgeBase(generator.permuted(table, axis=1))
