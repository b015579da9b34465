"""Updates of the paper-sized decoder: the hand-written step beside a plain PyTorch loop, one seed at a time.

    OMP_NUM_THREADS=1 pytest benchmarks

The note worth keeping is the ratio of the two in one run; absolute times depend on the machine.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from claims.history_dependence.protocol import ADAM, BATCH, SIZES, TASK
from models.decoder import forward, initial_parameters, unflatten
from models.training import State, train
from tasks.ambiguous_recall import draw_permutation, draw_prompts
from tasks.generators import generator

UPDATES = 10


def data() -> tuple[Tensor, Tensor]:
    permutation = draw_permutation(TASK, generator(0, "permutation"))
    drawn = draw_prompts(TASK, permutation, UPDATES * BATCH, generator(0, "benchmark"))
    return drawn.tokens.view(UPDATES, BATCH, -1), drawn.contextual.view(UPDATES, BATCH)


def plain() -> Callable[[], None]:
    start = unflatten(initial_parameters(SIZES, generator(0, "weights")), SIZES)
    params = {name: view.clone().requires_grad_() for name, view in start.items()}
    optimizer = torch.optim.Adam(params.values(), lr=ADAM.learning_rate, betas=(ADAM.beta1, ADAM.beta2))
    tokens, answers = data()

    def updates() -> None:
        for batch, target in zip(tokens, answers, strict=True):
            optimizer.zero_grad()
            cross_entropy(forward(params, batch)[0][:, -1], target).backward()
            optimizer.step()

    return updates


def fast() -> Callable[[], None]:
    state = State.start(initial_parameters(SIZES, generator(0, "weights")))
    tokens, answers = data()

    def updates() -> None:
        train(state, SIZES, ADAM, tokens, answers, can_occur=TASK.can_occur())

    return updates


def test_plain_loop(benchmark):
    benchmark.group = f"{UPDATES} updates"
    benchmark(plain())


def test_hand_written_step(benchmark):
    benchmark.group = f"{UPDATES} updates"
    benchmark(fast())
