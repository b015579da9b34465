import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from models.decoder import Sizes, forward, initial_parameters, unflatten
from models.gradient import DistinctRows, QueryLoss

SIZES = Sizes(vocabulary=11, positions=5, layers=2, heads=2, width=8, hidden=12)


def case(sizes: Sizes, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """Parameters with biases and gains away from 0 and 1, two batches of prompts, and their targets."""
    generator = torch.Generator().manual_seed(5)
    params = initial_parameters(sizes, generator, dtype=dtype)
    params += 0.1 * torch.randn(len(params), generator=generator, dtype=dtype)
    tokens = torch.randint(sizes.vocabulary, (2, 16, sizes.positions), generator=generator)
    return params, tokens, torch.randint(sizes.vocabulary, (2, 16), generator=generator)


def anywhere(sizes: Sizes) -> Tensor:
    return torch.ones(sizes.vocabulary, sizes.positions, dtype=torch.bool)


@pytest.mark.parametrize("sizes", [SIZES, Sizes()], ids=["small", "paper"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 2e-6)])
def test_loss_and_gradient_are_those_of_autograd(sizes: Sizes, dtype: torch.dtype, tolerance: float):
    params, tokens, targets = case(sizes, dtype)
    fast, rows = QueryLoss(params, sizes), DistinctRows.of(tokens, anywhere(sizes))
    for batch in (0, 1, 0):
        loss = fast(rows, batch, targets[batch])
        plain = params.clone().requires_grad_()
        logits, _ = forward(unflatten(plain, sizes), tokens[batch])
        expected = cross_entropy(logits[:, -1], targets[batch])
        expected.backward()
        torch.testing.assert_close(loss, expected.detach(), rtol=0, atol=10 * tolerance)
        torch.testing.assert_close(fast.gradient, plain.grad, rtol=0, atol=tolerance)
        torch.testing.assert_close(
            fast.logits(rows, batch), logits[:, -1].detach(), rtol=0, atol=10 * tolerance
        )


def test_no_gradient_is_left_out():
    """All but key biases, tokens that do not occur and units that never fire get a gradient."""
    params, tokens, targets = case(SIZES, torch.float64)
    fast = QueryLoss(params, SIZES)
    fast(DistinctRows.of(tokens, anywhere(SIZES)), 0, targets[0])
    for name, gradient in unflatten(fast.gradient, SIZES).items():
        assert gradient.abs().max() > 0 or name.endswith("b_K"), name


def test_updates_of_the_parameters_in_place_are_seen():
    params, tokens, targets = case(SIZES, torch.float64)
    fast, rows = QueryLoss(params, SIZES), DistinctRows.of(tokens, anywhere(SIZES))
    before = fast(rows, 0, targets[0])
    params -= 0.01 * fast.gradient
    assert fast(rows, 0, targets[0]) < before


def test_distinct_rows_look_up_the_prompts():
    _, tokens, _ = case(SIZES, torch.float64)
    can_occur = anywhere(SIZES)
    can_occur[[0, 3], [1, 2]] = False
    tokens[:, :, 1:3] = tokens[:, :, 1:3].clamp(min=4)
    rows = DistinctRows.of(tokens, can_occur)
    assert len(rows.token) == 53
    assert can_occur[rows.token, rows.position].all()
    assert torch.equal(rows.token[rows.index].view_as(tokens), tokens)
    assert torch.equal(rows.position[rows.index].view_as(tokens), torch.arange(5).expand_as(tokens))


def test_a_token_where_it_cannot_occur_is_refused():
    can_occur = anywhere(SIZES)
    can_occur[0, 1] = False
    with pytest.raises(ValueError, match="cannot"):
        DistinctRows.of(torch.zeros(1, 1, 5, dtype=torch.long), can_occur)


def test_another_number_of_layers_is_refused():
    with pytest.raises(ValueError, match="two layers"):
        QueryLoss(torch.zeros(1), Sizes(layers=3))
