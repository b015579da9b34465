import numpy as np
import pytest
import torch

from models.pretrained_memory import LearnedMemory, Pretraining, pretrain_memory
from tasks.knowledge_base import KnowledgeBase

BASE = KnowledgeBase(np.array([[0, 1, 2, 3], [1, 2, 3, 0], [0, 3, 1, 2]]))
"""(s0, a0) fits relations 0 and 2."""
HOW = Pretraining(units=96, steps=250, batch=48, learning_rate=1e-2, distractors=1)


@pytest.fixture(scope="module")
def memory():
    return pretrain_memory(torch.from_numpy(BASE.triplets), BASE.n_tokens, HOW, 0, lambda done, total: None)


def test_it_learns_the_third_and_both_thirds_where_there_are_two(memory):
    one_hot = torch.eye(BASE.n_tokens)
    with torch.no_grad():
        by_relation = memory(one_hot[2] + one_hot[BASE.relation_token + 1]).softmax(0)
        by_answer = memory(one_hot[0] + one_hot[BASE.answer_token]).softmax(0)
    assert by_relation[BASE.answer_token + 3] > 0.9
    both = by_answer[[BASE.relation_token, BASE.relation_token + 2]]
    assert both.sum() > 0.9
    assert both.min() > 0.3


def test_scaling_the_input_scales_the_logits_by_the_square(memory):
    x = torch.rand(BASE.n_tokens)
    with torch.no_grad():
        torch.testing.assert_close(memory(3 * x), 9 * memory(x), rtol=1e-4, atol=1e-4)


def test_a_seed_gives_the_same_memory_and_another_seed_another():
    short = Pretraining(units=8, steps=3, batch=4, learning_rate=1e-2, distractors=2)
    triplets = torch.from_numpy(BASE.triplets)
    first, again, other = (
        pretrain_memory(triplets, BASE.n_tokens, short, seed, lambda done, total: None) for seed in (1, 1, 2)
    )
    assert torch.equal(first.w_in, again.w_in)
    assert not torch.equal(first.w_in, other.w_in)


def test_a_loss_that_is_not_finite_stops_the_training():
    wild = Pretraining(units=8, steps=50, batch=4, learning_rate=1e20, distractors=0)
    with pytest.raises(FloatingPointError, match="the loss is"):
        pretrain_memory(torch.from_numpy(BASE.triplets), BASE.n_tokens, wild, 0, lambda done, total: None)


def test_units_are_squared_and_negative_ones_are_silent():
    memory = LearnedMemory(2, 1, torch.Generator())
    with torch.no_grad():
        memory.w_in.copy_(torch.tensor([[2.0], [-1.0]]))
        memory.w_out.copy_(torch.tensor([[1.0, 3.0]]))
        assert memory(torch.tensor([1.0, 0.0])).tolist() == [4.0, 12.0]
        assert memory(torch.tensor([0.0, 1.0])).tolist() == [0.0, 0.0]
