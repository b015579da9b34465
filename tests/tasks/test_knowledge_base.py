import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.knowledge_base import KnowledgeBase, draw_knowledge_base, subjects_for


@given(n_subjects=st.integers(1, 12), seed=st.integers(0, 99))
def test_every_relation_is_a_permutation_and_the_inverse_table_undoes_it(n_subjects, seed):
    base = draw_knowledge_base(n_subjects, np.random.default_rng(seed))
    subjects = np.arange(n_subjects)
    assert base.n_triplets == n_subjects**2
    for answers, inverse in zip(base.answers, base.subjects, strict=True):
        assert sorted(answers) == list(subjects)
        assert list(inverse[answers]) == list(subjects)


def test_relations_are_drawn_independently():
    base = draw_knowledge_base(50, np.random.default_rng(0))
    agreement = (base.answers[0] == base.answers[1:]).mean()
    assert agreement < 0.1


def test_a_half_mismatched_relation_is_refused():
    with pytest.raises(ValueError, match="permutation"):
        KnowledgeBase(np.array([[0, 1, 2], [0, 0, 2]]))


def test_tokens_are_numbered_subjects_relations_answers_separator():
    base = KnowledgeBase(np.array([[1, 0, 2], [0, 1, 2]]))
    assert (base.relation_token, base.answer_token, base.separator, base.n_tokens) == (3, 5, 8, 9)
    assert base.triplets.tolist() == [[0, 3, 6], [1, 3, 5], [2, 3, 7], [0, 4, 5], [1, 4, 6], [2, 4, 7]]


@pytest.mark.parametrize(("n", "subjects"), [(100, 10), (1_000, 32), (10_000, 100), (100_000, 316)])
def test_a_size_is_held_as_the_nearest_square(n, subjects):
    assert subjects_for(n) == subjects
