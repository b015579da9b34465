import numpy as np
import pytest
import torch

from models.attention_row import stack_losses
from models.compiled_recaller import compile_prompts
from tasks.factual_sequences import concatenate, draw_sequences
from tasks.knowledge_base import draw_knowledge_base


def compiled(seed, decode="relations", count=20, n_subjects=12, symmetrised=False):
    base = draw_knowledge_base(n_subjects, np.random.default_rng(seed))
    sequences = draw_sequences(base, count, 0.5, np.random.default_rng(seed + 100))
    if symmetrised:
        sequences = concatenate([sequences, sequences.reordered((1, 0))])
    return compile_prompts(
        base.answers, sequences.prompts(base), base.relation_token + sequences.relations, decode=decode
    )


def weights(replicates, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(replicates, 6, dtype=torch.float64, generator=generator)


@pytest.mark.parametrize("decode", ["relations", "vocabulary"])
def test_the_loss_is_the_cross_entropy_of_the_logits_over_the_temperature(decode):
    prompts = compiled(0, decode)
    loss = stack_losses([prompts], power=3, temperature=0.05)
    w = weights(1)
    logits = torch.from_numpy(prompts.logits(w[0].softmax(0).numpy(), 3))
    expected = torch.nn.functional.cross_entropy(logits / 0.05, torch.from_numpy(prompts.targets))
    assert loss.loss(w).item() == pytest.approx(expected.item(), rel=1e-12)


@pytest.mark.parametrize("power", [1, 2, 6])
def test_the_gradient_is_that_of_the_loss(power):
    loss = stack_losses([compiled(0), compiled(1)], power=power, temperature=0.05)
    w = weights(2).requires_grad_()
    (expected,) = torch.autograd.grad(loss.loss(w).sum(), w)
    torch.testing.assert_close(loss.gradient(w.detach()), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize(("decode", "classes"), [("relations", None), ("vocabulary", 256)])
@pytest.mark.parametrize("count", [7, 20])
def test_a_replicate_has_the_same_bits_alone_and_among_others(decode, classes, count):
    prompts = [compiled(seed, decode, count=count) for seed in range(5)]
    together = stack_losses(prompts, power=2, temperature=0.02, classes=classes)
    w = weights(5)
    path = w
    for _ in range(20):
        path = path - 0.1 * together.gradient(path)
    for index, one in enumerate(prompts):
        alone = stack_losses([one], power=2, temperature=0.02, classes=classes)
        own = w[index : index + 1]
        for _ in range(20):
            own = own - 0.1 * alone.gradient(own)
        assert torch.equal(own[0], path[index])


def test_padding_with_sequences_changes_nothing_but_rounding():
    prompts = compiled(0, count=13)
    w = weights(2)
    plain = stack_losses([prompts], power=2, temperature=0.02).gradient(w[:1])
    padded = stack_losses([prompts, prompts[:5]], power=2, temperature=0.02, sequences=30)
    torch.testing.assert_close(padded.gradient(w)[:1], plain, atol=1e-12, rtol=0)
    fewer = stack_losses([prompts[:5]], power=2, temperature=0.02)
    torch.testing.assert_close(padded.gradient(w)[1:], fewer.gradient(w[1:]), atol=1e-12, rtol=0)
    torch.testing.assert_close(padded.loss(w)[1:], fewer.loss(w[1:]), atol=1e-12, rtol=0)


def test_at_the_tie_the_gradient_is_zero_and_one_direction_leads_down():
    loss = stack_losses([compiled(0, symmetrised=True)], power=2, temperature=0.02)
    tie = torch.tensor([[0.0, 0.0, 0.0, 0.0, -80.0, -80.0]], dtype=torch.float64)
    assert loss.gradient(tie).norm() < 1e-12
    hessian = torch.autograd.functional.hessian(lambda w: loss.loss(w).sum(), tie)[0, :, 0]
    values, vectors = torch.linalg.eigh(hessian)
    assert values[0] < -0.1
    # It leads down where one pair gains what the other loses.
    direction = vectors[:4, 0] * vectors[0, 0].sign() * 2
    torch.testing.assert_close(
        direction, torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64), atol=1e-5, rtol=0
    )


def test_a_linear_memory_has_no_slope_and_no_curvature_there():
    loss = stack_losses([compiled(0, symmetrised=True)], power=1, temperature=0.02)
    assert loss.gradient(weights(1)).norm() < 1e-12


def test_a_tiny_temperature_stays_finite_and_zero_is_refused():
    # At uniform attention the right token's logit is the highest, to which T = 1e-38 adds nothing.
    uniform = torch.zeros(1, 6, dtype=torch.float64)
    tiny = stack_losses([compiled(0)], power=2, temperature=1e-38)
    assert tiny.loss(uniform).isfinite()
    assert stack_losses([compiled(0)], power=2, temperature=1e-5).gradient(uniform).isfinite().all()
    with pytest.raises(ValueError, match="temperature"):
        stack_losses([compiled(0)], power=2, temperature=0.0)


def test_stacks_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="sequences"):
        stack_losses([compiled(0), compiled(1, count=9)], power=2, temperature=0.1)
    with pytest.raises(ValueError, match="0 sequences"):
        stack_losses([compiled(0)[:0]], power=2, temperature=0.1)
    with pytest.raises(ValueError, match="classes"):
        stack_losses([compiled(0, "vocabulary")], power=2, temperature=0.1, classes=20)
