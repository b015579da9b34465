import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.factual_sequences import FactualSequences, concatenate, count_rivals, draw_sequences
from tasks.knowledge_base import KnowledgeBase, draw_knowledge_base


def draw(share, count=60, n_subjects=16, pairs=2, seed=0, **more):
    base = draw_knowledge_base(n_subjects, np.random.default_rng(seed))
    return base, draw_sequences(base, count, share, np.random.default_rng(seed + 1), pairs=pairs, **more)


def rivals_by_hand(base, subjects, answers, relation):
    """(relations that share two pairs, relations that permute the answers) of one sequence."""
    sharing, permuting = 0, 0
    for rival in range(base.n_relations):
        given_answers = [int(base.answers[rival, s]) for s in subjects]
        shared = sum(g == a for g, a in zip(given_answers, answers, strict=True))
        if rival != relation:
            sharing += shared >= 2
            permuting += shared < 2 and sorted(given_answers) == sorted(answers)
    return sharing, permuting


@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 999),
    pairs=st.sampled_from([2, 3]),
    share=st.sampled_from([None, 0.0, 0.3, 1.0]),
)
def test_what_is_drawn_states_facts_and_keeps_both_assumptions(seed, pairs, share):
    base, sequences = draw(share, count=12, pairs=pairs, seed=seed)
    assert len(sequences) == 12
    assert sequences.pairs == pairs
    for relation, subjects, answers, confusing in zip(
        sequences.relations, sequences.subjects, sequences.answers, sequences.confusing, strict=True
    ):
        assert len(set(subjects)) == pairs + 1
        assert list(base.answers[relation, subjects]) == list(answers)
        sharing, permuting = rivals_by_hand(base, subjects[:pairs], list(answers[:pairs]), relation)
        assert sharing == 0
        assert confusing == (permuting > 0)
    if share is not None:
        assert sequences.confusing.sum() == int(12 * share + 0.5)


def test_every_prefix_of_a_draw_has_the_share():
    _, sequences = draw(0.25, count=40)
    counts = np.cumsum(sequences.confusing)
    assert list(counts) == [int(0.25 * m + 0.5) for m in range(1, 41)]


def test_confusing_sequences_fall_at_about_one_in_s():
    _, sequences = draw(None, count=4000, n_subjects=20)
    assert 0.035 < sequences.confusing.mean() < 0.065


def test_with_three_pairs_both_types_of_rival_occur_equally_often():
    base, sequences = draw(1.0, count=400, n_subjects=30, pairs=3)
    images = base.answers[:, sequences.subjects[:, :3]]
    shared = (images == sequences.answers[:, :3]).sum(axis=2)
    permutes = np.array(
        [
            [
                sorted(image) == sorted(answers[:3])
                for image, answers in zip(row, sequences.answers, strict=True)
            ]
            for row in images
        ]
    )
    one_kept = (permutes & (shared == 1)).any(axis=0).mean()
    assert 0.4 < one_kept < 0.6


def test_a_half_mismatched_rival_is_counted_where_relations_need_not_be_injective():
    table = np.array([[0, 1, 2], [0, 0, 2], [1, 0, 2], [0, 1, 2]])
    rivals = count_rivals(table, np.array([0]), np.array([[0, 1]]), np.array([[0, 1]]))
    assert rivals.half_mismatched.tolist() == [1]
    assert rivals.permuted.tolist() == [1]
    assert rivals.sharing_two.tolist() == [1]


def test_rivals_are_the_same_however_many_sequences_are_compared_at_once():
    base, sequences = draw(0.5)
    arguments = (base.answers, sequences.relations, sequences.subjects[:, :2], sequences.answers[:, :2])
    one, other = count_rivals(*arguments), count_rivals(*arguments, sequences_at_once=7)
    assert one.permuted.tolist() == other.permuted.tolist()
    assert one.permuted.sum() >= 30


def test_avoided_facts_and_given_sequences_do_not_occur():
    base, first = draw(0.5, count=8, n_subjects=30)
    source = np.random.default_rng(5)
    unseen = draw_sequences(base, 200, 0.5, source, avoid=first.facts(base))
    assert not (unseen.facts(base) & first.facts(base)).any()
    small, few = draw(1.0, count=300, n_subjects=8)
    others = draw_sequences(small, 40, 1.0, source, unlike=few)
    assert few.among(few, small).all()
    assert not others.among(few, small).any()


def test_a_base_without_confusing_sequences_is_an_error():
    base = KnowledgeBase(np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]]))
    with pytest.raises(ValueError, match="0 of 1 sequences"):
        draw_sequences(base, 1, 1.0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="confusing_share"):
        draw_sequences(base, 1, 1.5, np.random.default_rng(0))


def test_the_prompt_is_pairs_query_separator():
    base = KnowledgeBase(np.array([[1, 0, 2, 3], [0, 1, 3, 2]]))
    sequence = FactualSequences(
        np.array([0]), np.array([[2, 0, 3]]), np.array([[2, 1, 3]]), np.array([False])
    )
    assert sequence.prompts(base).tolist() == [[2, 6 + 2, 0, 6 + 1, 3, base.separator]]
    exchanged = sequence.reordered((1, 0))
    assert exchanged.prompts(base).tolist() == [[0, 6 + 1, 2, 6 + 2, 3, base.separator]]
    assert concatenate([sequence, exchanged])[1:].subjects.tolist() == exchanged.subjects.tolist()
