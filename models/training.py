"""Training with Adam, where everything that decides the next update is plain data.

A `State` holds the parameters, both of Adam's moments and the number of updates. Copying it forks a training;
storing it and going on gives the same bits as never having stopped.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from models.decoder import Sizes
from models.gradient import DistinctRows, QueryLoss


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, arXiv 1412.6980, Algorithm 1) with a linear warm-up.

    Raises:
        ValueError: A coefficient outside its range.
    """

    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    warmup: int = 100

    def __post_init__(self) -> None:
        """Refuse coefficients for which the update is not defined."""
        if not (0 <= self.beta1 < 1 and 0 <= self.beta2 < 1 and self.learning_rate > 0 and self.epsilon > 0):
            raise ValueError(f"need 0 ≤ beta < 1 and positive learning rate and epsilon, got {self}")

    def rate(self, update: int) -> float:
        """The learning rate of an update, the first being 1: it reaches its full value at `warmup`."""
        return self.learning_rate * min(1.0, update / self.warmup) if self.warmup else self.learning_rate


@dataclass
class State:
    """The complete state of a training: three flat vectors and a count."""

    params: Tensor  # [parameter]
    first_moment: Tensor  # [parameter]
    second_moment: Tensor  # [parameter]
    updates: int = 0

    @classmethod
    def start(cls, params: Tensor) -> "State":
        """A training that has not begun. `params` is copied."""
        return cls(params.clone(), torch.zeros_like(params), torch.zeros_like(params))

    def clone(self) -> "State":
        """A copy that shares no memory."""
        return State(self.params.clone(), self.first_moment.clone(), self.second_moment.clone(), self.updates)


def adam_update(state: State, gradient: Tensor, optimizer: Adam) -> None:
    """Apply one update in place."""
    state.updates += 1
    state.first_moment.lerp_(gradient, 1 - optimizer.beta1)
    state.second_moment.mul_(optimizer.beta2).addcmul_(gradient, gradient, value=1 - optimizer.beta2)
    # Both bias corrections are numbers, so they go into the step and epsilon rather than over the vectors.
    first_bias = 1 - optimizer.beta1**state.updates
    second_bias = math.sqrt(1 - optimizer.beta2**state.updates)
    root = state.second_moment.sqrt().add_(optimizer.epsilon * second_bias)
    step = optimizer.rate(state.updates) * second_bias / first_bias
    state.params.addcdiv_(state.first_moment, root, value=-step)


def train(
    state: State, sizes: Sizes, optimizer: Adam, tokens: Tensor, targets: Tensor, *, can_occur: Tensor
) -> Tensor:
    """Train in place, one update a batch, on the loss at the last position.

    Args:
        state: What to train.
        sizes: Of the decoder.
        optimizer: Its coefficients.
        tokens: Prompts `[update, trial, position]`.
        targets: Tokens `[update, trial]`.
        can_occur: Which tokens can stand where, booleans `[vocabulary, position]`. The fewer, the faster;
            another choice rounds differently.

    Returns:
        The loss before each update, `[update]`.

    Raises:
        FloatingPointError: A loss is not finite. The state is then of no use.
    """
    losses = []
    with torch.inference_mode():  # autograd's bookkeeping is a fifteenth of an update
        query_loss, rows = QueryLoss(state.params, sizes), DistinctRows.of(tokens, can_occur)
        for batch, target in enumerate(targets):
            losses.append(query_loss(rows, batch, target))
            adam_update(state, query_loss.gradient, optimizer)
    stacked = torch.stack(losses)
    if not stacked.isfinite().all():
        first = int((~stacked.isfinite()).nonzero()[0])
        at = state.updates - len(losses) + first + 1
        raise FloatingPointError(f"the loss is {stacked[first].item()} at update {at}; training stopped")
    return stacked
