import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from models.decoder import Sizes, forward, initial_parameters, unflatten
from models.training import Adam, State, adam_update, train

SIZES = Sizes(vocabulary=11, positions=5, layers=2, heads=2, width=8, hidden=12)


def data(updates: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(4)
    tokens = torch.randint(11, (updates, 8, 5), generator=generator)
    return tokens, torch.randint(11, (updates, 8), generator=generator)


def fresh(dtype: torch.dtype = torch.float32) -> State:
    return State.start(initial_parameters(SIZES, torch.Generator().manual_seed(0), dtype=dtype))


def run(state: State, optimizer: Adam, tokens: Tensor, targets: Tensor) -> Tensor:
    return train(state, SIZES, optimizer, tokens, targets, can_occur=torch.ones(11, 5, dtype=torch.bool))


def vectors(state: State) -> list[Tensor]:
    return [state.params, state.first_moment, state.second_moment]


@pytest.mark.parametrize("beta1", [0.9, 0.0])
def test_an_update_is_that_of_torch_optim_adam(beta1: float):
    start = torch.randn(50, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    state, plain = State.start(start), start.clone().requires_grad_()
    reference = torch.optim.Adam([plain], lr=1e-2, betas=(beta1, 0.99), eps=1e-6)
    optimizer = Adam(learning_rate=1e-2, beta1=beta1, beta2=0.99, epsilon=1e-6, warmup=0)
    generator = torch.Generator().manual_seed(1)
    for _ in range(20):
        plain.grad = torch.randn(50, dtype=torch.float64, generator=generator)
        reference.step()
        adam_update(state, plain.grad, optimizer)
    torch.testing.assert_close(state.params, plain.detach(), rtol=0, atol=1e-13)
    torch.testing.assert_close(state.second_moment, reference.state[plain]["exp_avg_sq"], rtol=0, atol=1e-13)
    assert state.updates == 20


def test_training_is_that_of_a_plain_loop():
    """Autograd, torch.optim.Adam and its scheduler, in float64."""
    tokens, targets = data(12)
    state = fresh(torch.float64)
    plain = state.params.clone().requires_grad_()
    reference = torch.optim.Adam([plain], lr=1e-2, eps=1e-6)
    warmup = torch.optim.lr_scheduler.LambdaLR(reference, lambda done: min(1.0, (done + 1) / 5))
    expected = []
    for batch, target in zip(tokens, targets, strict=True):
        reference.zero_grad()
        loss = cross_entropy(forward(unflatten(plain, SIZES), batch)[0][:, -1], target)
        loss.backward()
        reference.step()
        warmup.step()
        expected.append(loss.detach())
    losses = run(state, Adam(learning_rate=1e-2, epsilon=1e-6, warmup=5), tokens, targets)
    torch.testing.assert_close(losses, torch.stack(expected), rtol=0, atol=1e-10)
    torch.testing.assert_close(state.params, plain.detach(), rtol=0, atol=1e-10)


def test_the_warm_up_is_linear_and_ends_at_the_full_rate():
    optimizer = Adam(learning_rate=0.1, warmup=4)
    assert [optimizer.rate(update) for update in (1, 2, 4, 5, 100)] == pytest.approx(
        [0.025, 0.05, 0.1, 0.1, 0.1]
    )
    assert Adam(learning_rate=0.1, warmup=0).rate(1) == 0.1


@pytest.mark.parametrize("stop", [1, 5, 9])
def test_stopping_and_going_on_gives_the_same_bits(stop: int):
    tokens, targets = data(10)
    whole, halted = fresh(), fresh()
    losses = run(whole, Adam(warmup=3), tokens, targets)
    first = run(halted, Adam(warmup=3), tokens[:stop], targets[:stop])
    resumed = halted.clone()
    second = run(resumed, Adam(warmup=3), tokens[stop:], targets[stop:])
    assert all(torch.equal(a, b) for a, b in zip(vectors(whole), vectors(resumed), strict=True))
    assert torch.equal(losses, torch.cat([first, second]))
    assert whole.updates == resumed.updates == 10
    assert halted.updates == stop


def test_a_clone_shares_no_memory():
    state = fresh()
    start = state.params.clone()
    twin = state.clone()
    run(twin, Adam(), *data(3))
    assert torch.equal(state.params, start)
    assert not state.first_moment.any()
    assert state.updates == 0


def test_a_loss_that_is_not_finite_stops_training_and_names_the_update():
    state = fresh()
    run(state, Adam(), *data(3))
    state.params[0] = torch.inf
    with pytest.raises(FloatingPointError, match="at update 4"):
        run(state, Adam(), torch.zeros(2, 8, 5, dtype=torch.long), torch.zeros(2, 8, dtype=torch.long))


@pytest.mark.parametrize(
    "fields", [{"beta1": 1.0}, {"beta2": -0.1}, {"learning_rate": 0.0}, {"epsilon": 0.0}]
)
def test_coefficients_without_an_update_are_refused(fields: dict[str, float]):
    with pytest.raises(ValueError, match="got Adam"):
        Adam(**fields)
