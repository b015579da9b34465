import math

import numpy as np
import pytest
import torch

from claims.history_dependence.measurements import conflict_margin, evaluation_trials, rule_fit
from models.decoder import Sizes, forward, initial_parameters, unflatten
from tasks.ambiguous_recall import Task
from tasks.generators import generator

TASK = Task(keys=4, values=4, pairs=2)
SIZES = Sizes(vocabulary=8, positions=5, layers=2, heads=2, width=8, hidden=12)


def params(seed: int) -> np.ndarray:
    return initial_parameters(SIZES, generator(seed, "weights")).numpy()


def test_margins_have_the_shape_of_the_states_and_each_seed_its_own_trials():
    stack = np.stack([[params(0), params(1)], [params(0), params(2)]])
    values = conflict_margin({"params": stack}, (5, 6), task=TASK, sizes=SIZES, trials=100)
    assert values.shape == (2, 2)
    alone = conflict_margin({"params": stack[1, 1][None]}, (6,), task=TASK, sizes=SIZES, trials=100)
    assert values[1, 1] == alone[0]
    assert values[0, 0] != values[1, 0]  # equal parameters, other trials


def test_a_rule_fit_is_that_of_the_plain_forward_pass():
    fit = rule_fit({"params": params(0)[None]}, (5,), task=TASK, sizes=SIZES, trials=80, p0=0.25)
    prompts = evaluation_trials(TASK, 5, 80)
    logits = forward(unflatten(torch.tensor(params(0)), SIZES), prompts.tokens)[0][:, -1].double()
    mass = loss = margin = 0.0
    for row, contextual, fixed in zip(logits, prompts.contextual, prompts.fixed, strict=True):
        p = row.exp() / row.exp().sum()
        mass += (p[contextual] + p[fixed]).item() / 80
        loss -= (0.25 * p[contextual].log() + 0.75 * p[fixed].log()).item() / 80
        margin += (row[contextual] - row[fixed]).item() / 80
    entropy = -0.25 * math.log(0.25) - 0.75 * math.log(0.75)
    assert fit["mass"] == pytest.approx([mass], abs=1e-6)
    assert fit["excess_loss"] == pytest.approx([loss - entropy], abs=1e-6)
    assert fit["margin"] == pytest.approx([margin - math.log(1 / 3)], abs=1e-6)


def test_evaluation_trials_are_conflict_trials_and_the_same_at_every_call():
    trials, again = evaluation_trials(TASK, 0, 10), evaluation_trials(TASK, 0, 10)
    assert torch.equal(trials.tokens, again.tokens)
    assert (trials.contextual != trials.fixed).all()
