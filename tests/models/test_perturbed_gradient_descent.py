import pytest
import torch

from models.perturbed_gradient_descent import Schedule, descend


def bowl(weights):
    return weights * torch.tensor([1.0, 4.0])


def test_the_phases_by_hand():
    start = torch.tensor([[1.0, -1.0]])
    push = torch.tensor([[0.5, 0.0]])
    path = descend(bowl, start, push, Schedule(large_step=2.0, step=0.1, steps=2))
    # Gradient (1, −4): the large step moves the second weight by 2 and the first by .5.
    expected = [[1.0, -1.0], [0.5, 1.0], [1.0, 1.0], [0.9, 0.6], [0.81, 0.36]]
    torch.testing.assert_close(path[0], torch.tensor(expected))


def test_the_projection_comes_between_the_large_step_and_the_perturbation():
    path = descend(
        bowl,
        torch.tensor([[1.0, -1.0]]),
        torch.tensor([[0.5, 0.0]]),
        Schedule(2.0, 0.1, 1),
        project=lambda weights: weights.mean(dim=1, keepdim=True).expand_as(weights),
    )
    torch.testing.assert_close(path[0, 1:3], torch.tensor([[0.75, 0.75], [1.25, 0.75]]))


def test_replicates_take_their_own_large_step_and_one_without_a_slope_takes_none():
    start = torch.tensor([[0.0, 0.0], [0.0, 1e-15], [3.0, 0.0]])
    path = descend(bowl, start, torch.zeros_like(start), Schedule(1.0, 0.0, 0))
    torch.testing.assert_close(path[:, 1], torch.tensor([[0.0, 0.0], [0.0, 1e-15], [2.0, 0.0]]))


def test_weights_that_are_not_finite_stop_the_descent():
    with pytest.raises(FloatingPointError, match="not finite"):
        descend(
            lambda weights: weights * float("nan"),
            torch.ones(1, 2),
            torch.zeros(1, 2),
            Schedule(1.0, 0.1, 3),
        )


def test_progress_is_told():
    told = []
    descend(
        bowl,
        torch.ones(1, 2),
        torch.zeros(1, 2),
        Schedule(1.0, 0.1, 250),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(0, 250), (100, 250), (200, 250)]
