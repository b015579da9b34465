import numpy as np
import pytest
import torch

from models.associative_memory import ConstructedMemory
from tasks.knowledge_base import KnowledgeBase

TEN = KnowledgeBase(np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2]]))
"""Ten triplets: relation 0 gives every subject its own answer, relation 1 exchanges the first two and rotates
the rest."""


def memory(power, triplets=TEN.triplets):
    return ConstructedMemory(torch.from_numpy(triplets), torch.eye(TEN.n_tokens, dtype=torch.float64), power)


def test_logits_of_ten_triplets_worked_out_by_hand():
    # s0 a0 s1 a1 s2 <sep> attended with .3 .3 .15 .15 .05 .05, k = 2.
    x = torch.zeros(TEN.n_tokens, dtype=torch.float64)
    x[[0, 1, 2]] = torch.tensor([0.3, 0.15, 0.05], dtype=torch.float64)
    x[[TEN.answer_token, TEN.answer_token + 1]] = torch.tensor([0.3, 0.15], dtype=torch.float64)
    x[TEN.separator] = 0.05
    expected = [
        0.09 + 0.0225,  # s0: (r0, a0) and (r1, a1)
        0.0225 + 0.09,  # s1: (r0, a1) and (r1, a0)
        *(0, 0, 0),
        0.36 + 0.09 + 0.0025,  # r0: (s0, a0), (s1, a1), s2 alone
        0.2025 + 0.2025 + 0.0025,  # r1: (s0, a1), (s1, a0), s2 alone
        0.09 + 0.0225,  # a0: (s0, r0) and (s1, r1)
        0.0225 + 0.09,  # a1
        0.0025,  # a2: (s2, r0)
        0.0025,  # a3: (s2, r1)
        *(0, 0),  # a4, <sep>
    ]
    np.testing.assert_allclose(memory(2)(x), expected, atol=1e-15)


@pytest.mark.parametrize("power", [1, 2, 3, 6])
def test_two_elements_retrieve_the_third_above_all_that_share_one_element(power):
    # (s2, a3) is stored under relation 1 alone.
    x = torch.zeros(TEN.n_tokens, dtype=torch.float64)
    x[[2, TEN.answer_token + 3]] = 1
    relations = memory(power)(x)[TEN.relation_token : TEN.answer_token]
    assert relations[1] == 2**power
    assert relations[0] == 2


def test_a_deleted_triplet_is_not_retrieved():
    x = torch.zeros(TEN.n_tokens, dtype=torch.float64)
    x[[0, TEN.relation_token]] = 1
    assert memory(6)(x)[TEN.answer_token] == 64
    assert memory(6, TEN.triplets[1:])(x)[TEN.answer_token] == 0


def test_the_power_is_at_least_one():
    with pytest.raises(ValueError, match="power"):
        memory(0)


def test_the_weights_are_no_parameters():
    assert list(memory(2).parameters()) == []
    assert set(memory(2).state_dict()) == {"w_in", "w_out"}
