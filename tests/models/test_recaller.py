import numpy as np
import pytest
import torch

from models.associative_memory import ConstructedMemory
from models.perturbed_gradient_descent import Schedule
from models.recaller import Recaller, fine_tune
from tasks.factual_sequences import draw_sequences
from tasks.knowledge_base import draw_knowledge_base


@pytest.fixture
def case():
    base = draw_knowledge_base(8, np.random.default_rng(0))
    embeddings = torch.eye(base.n_tokens, dtype=torch.float64)
    recaller = Recaller(6, embeddings, ConstructedMemory(torch.from_numpy(base.triplets), embeddings, 2))
    sequences = draw_sequences(base, 16, 0.5, np.random.default_rng(1))
    tokens = torch.from_numpy(sequences.prompts(base))
    return recaller, tokens, torch.from_numpy(base.relation_token + sequences.relations)


def test_attention_starts_uniform_and_depends_on_the_position_alone(case):
    recaller, tokens, _ = case
    assert torch.equal(recaller.rows[0].softmax(0), torch.full((6,), 1 / 6, dtype=torch.float64))
    # With uniform attention the order of the tokens does not matter; with unequal attention it does.
    shuffled = tokens[:, [2, 1, 0, 3, 4, 5]]
    torch.testing.assert_close(recaller(tokens), recaller(shuffled))
    with torch.no_grad():
        recaller.rows[0].copy_(torch.arange(6.0))
    assert not torch.allclose(recaller(tokens), recaller(shuffled))


def test_step_two_has_its_own_row(case):
    recaller, tokens, targets = case
    longer = torch.cat([tokens, targets[:, None]], dim=1)
    before = recaller(longer)
    with torch.no_grad():
        recaller.rows[0].copy_(torch.arange(6.0))
    assert torch.equal(recaller(longer), before)
    with pytest.raises(ValueError, match="6 positions"):
        recaller(tokens[:, :5])


def test_any_orthonormal_embeddings_give_the_same_logits(case):
    recaller, tokens, _ = case
    one_hot = recaller.get_buffer("embeddings")
    width = len(one_hot) + 3
    rotation, _ = torch.linalg.qr(
        torch.randn(width, width, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    )
    rotated = rotation[: len(one_hot)]
    triplets = torch.from_numpy(draw_knowledge_base(8, np.random.default_rng(0)).triplets)
    other = Recaller(6, rotated, ConstructedMemory(triplets, rotated, 2))
    torch.testing.assert_close(other(tokens), recaller(tokens), atol=1e-12, rtol=0)


def test_fine_tuning_changes_its_row_and_no_other_bit(case):
    recaller, tokens, targets = case
    before = {name: tensor.clone() for name, tensor in recaller.state_dict().items()}
    path = fine_tune(
        recaller,
        tokens,
        targets,
        temperature=0.02,
        schedule=Schedule(5.0, 0.1, 30),
        perturbation=torch.linspace(-0.05, 0.05, 6, dtype=torch.float64),
    )
    after = recaller.state_dict()
    assert {name for name in before if not torch.equal(before[name], after[name])} == {"rows.0"}
    assert path.shape == (33, 6)
    assert torch.equal(path[-1], after["rows.0"])
    assert torch.equal(path[0], before["rows.0"])
    # It learned: the rival with the swapped facts loses.
    assert (recaller(tokens).argmax(1) == targets).double().mean() > 0.9


def test_a_temperature_of_zero_is_refused_and_a_tiny_one_stays_finite(case):
    recaller, tokens, targets = case
    schedule, push = Schedule(5.0, 0.0, 2), torch.zeros(6, dtype=torch.float64)
    arguments = {"schedule": schedule, "perturbation": push}
    with pytest.raises(ValueError, match="temperature"):
        fine_tune(recaller, tokens, targets, temperature=0.0, **arguments)
    assert fine_tune(recaller, tokens, targets, temperature=1e-38, **arguments).isfinite().all()
