import numpy as np
import pytest
import torch

from models.associative_memory import ConstructedMemory
from models.compiled_recaller import compile_prompts, position_masks
from models.recaller import Recaller
from tasks.factual_sequences import draw_sequences
from tasks.knowledge_base import KnowledgeBase, draw_knowledge_base


def prompts_of(n_subjects, pairs, step, count=12, seed=0):
    base = draw_knowledge_base(n_subjects, np.random.default_rng(seed))
    sequences = draw_sequences(base, count, 0.5, np.random.default_rng(seed + 1), pairs=pairs)
    tokens = sequences.prompts(base)
    targets = base.relation_token + sequences.relations
    if step == 2:
        # Some of the relations wrong, as they may be when the model predicts them itself.
        appended = sequences.relations.copy()
        appended[::3] = (appended[::3] + 1) % n_subjects
        tokens = np.column_stack([tokens, base.relation_token + appended])
        targets = base.answer_token + sequences.answers[:, -1]
    return base, tokens, targets


@pytest.mark.parametrize("pairs", [2, 3, 4])
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("power", [1, 2, 6])
def test_the_compiled_form_equals_the_dense_forward(pairs, step, power):
    base, tokens, targets = prompts_of(10, pairs, step)
    embeddings = torch.eye(base.n_tokens, dtype=torch.float64)
    recaller = Recaller(
        2 * pairs + 2, embeddings, ConstructedMemory(torch.from_numpy(base.triplets), embeddings, power)
    )
    row = recaller.rows[step - 1]
    with torch.no_grad():
        row.copy_(torch.randn(len(row), dtype=torch.float64, generator=torch.Generator().manual_seed(3)))
    attention = row.softmax(0).detach().numpy()
    dense = recaller(torch.from_numpy(tokens)).detach().numpy()

    everything = compile_prompts(base.answers, tokens, targets)
    np.testing.assert_allclose(everything.logits(attention, power), dense, atol=1e-10, rtol=0)
    assert everything.first_token == 0
    np.testing.assert_array_equal(everything.targets, targets)

    if step == 1:
        relations = compile_prompts(base.answers, tokens, targets, decode="relations")
        np.testing.assert_allclose(
            relations.logits(attention, power),
            dense[:, base.relation_token : base.answer_token],
            atol=1e-10,
            rtol=0,
        )
        np.testing.assert_array_equal(relations.targets + relations.first_token, targets)


def test_logits_of_ten_triplets_worked_out_by_hand():
    base = KnowledgeBase(np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2]]))
    tokens = np.array([[0, base.answer_token, 1, base.answer_token + 1, 2, base.separator]])
    attention = np.array([0.3, 0.3, 0.15, 0.15, 0.05, 0.05])
    compiled = compile_prompts(base.answers, tokens, np.array([base.relation_token]))
    logits = compiled.logits(attention, power=2)[0]
    np.testing.assert_allclose(logits[5:7], [0.4525, 0.4075], atol=1e-15)
    np.testing.assert_allclose(logits[7:10], [0.1125, 0.1125, 0.0025], atol=1e-15)
    # The swap margin at k = 2 is 2 (v_s1 − v_s2)(v_a1 − v_a2).
    assert logits[5] - logits[6] == pytest.approx(2 * 0.15 * 0.15, abs=1e-15)


def test_the_swap_margin_identity_holds_at_any_attention():
    base = KnowledgeBase(np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2]]))
    tokens = np.array([[0, base.answer_token, 1, base.answer_token + 1, 2, base.separator]])
    compiled = compile_prompts(base.answers, tokens, np.array([5]), decode="relations")
    for attention in np.random.default_rng(0).dirichlet(np.ones(6), size=20):
        s1, a1, s2, a2 = attention[:4]
        right, rival = compiled.logits(attention, power=2)[0]
        assert right - rival == pytest.approx(2 * (s1 - s2) * (a1 - a2), abs=1e-15)


def test_multiplicities_count_every_token_and_rivals_leave_out_the_right_one():
    base, tokens, targets = prompts_of(12, 2, 1)
    compiled = compile_prompts(base.answers, tokens, targets)
    assert (compiled.multiplicity.sum(axis=1) == base.n_tokens).all()
    assert (compiled.rivals.sum(axis=1) == base.n_tokens - 1).all()
    assert (compiled.rivals >= 0).all()
    part = compiled[3:5]
    np.testing.assert_array_equal(part.multiplicity, compiled.multiplicity[3:5])
    np.testing.assert_array_equal(part.target_classes, compiled.target_classes[3:5])


def test_bases_of_any_size_share_the_classes_of_their_relations():
    small = compile_prompts(*_relations(8), decode="relations")
    large = compile_prompts(*_relations(40), decode="relations")
    # 13 partial matchings of three subjects and two answers: 1 + 6 + 6.
    assert len(small.counts) == 13
    np.testing.assert_array_equal(small.counts, large.counts)


def _relations(n_subjects):
    base, tokens, targets = prompts_of(n_subjects, 2, 1)
    return base.answers, tokens, targets


def test_masks_of_two_pairs():
    assert len(position_masks(2, with_relation=False)) == 5 + 6
    assert len(position_masks(2, with_relation=True)) == 5 + 6 + 1 + 5


def test_a_prompt_that_repeats_a_token_is_refused():
    base, tokens, targets = prompts_of(8, 2, 1)
    tokens[0, 4] = tokens[0, 0]
    with pytest.raises(ValueError, match="repeats a subject"):
        compile_prompts(base.answers, tokens, targets)
    with pytest.raises(ValueError, match="decode"):
        compile_prompts(base.answers, tokens, targets, decode="answers")
