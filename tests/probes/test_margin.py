import pytest
import torch

from models.decoder import Sizes, forward, initial_parameters, unflatten
from probes.margin import margins, mean_margin, query_logits
from tasks.ambiguous_recall import Prompts, Task, draw_conflict_trials, draw_permutation
from tasks.generators import generator

TASK, SIZES = Task(), Sizes()


def test_margins_by_hand():
    logits = torch.tensor([[1.0, 4.0, 2.0], [0.5, -1.0, 3.0]])
    prompts = Prompts(torch.zeros(2, 9), contextual=torch.tensor([1, 0]), fixed=torch.tensor([2, 2]))
    assert margins(logits, prompts).tolist() == [2.0, -2.5]


def test_the_mean_margin_is_that_of_the_plain_forward_pass():
    params = initial_parameters(SIZES, generator(0, "weights"))
    prompts = draw_conflict_trials(TASK, draw_permutation(TASK, generator(0, "p")), 150, generator(0, "t"))
    logits = forward(unflatten(params, SIZES), prompts.tokens)[0][:, TASK.query_position]
    torch.testing.assert_close(query_logits(params, SIZES, prompts.tokens), logits, rtol=0, atol=2e-6)
    each = [
        (row[contextual] - row[fixed]).item()
        for row, contextual, fixed in zip(logits, prompts.contextual, prompts.fixed, strict=True)
    ]
    assert mean_margin(params, SIZES, prompts) == pytest.approx(sum(each) / 150, abs=1e-6)
