"""A small random decoder and its prompts, for the proofs of the probes, in float64."""

import torch

from models.decoder import Sizes, initial_parameters, unflatten
from tasks.ambiguous_recall import Task, draw_conflict_trials, draw_permutation
from tasks.generators import generator

TASK = Task(keys=6, values=6, pairs=3)
SIZES = Sizes(vocabulary=12, positions=7, layers=2, heads=2, width=16, hidden=24)


def decoder(seed=0):
    """Named parameters with weights large enough that heads and MLPs matter."""
    vector = initial_parameters(SIZES, generator(seed, "weights"), dtype=torch.float64)
    return unflatten(vector * 2, SIZES)


def trials(count=40, seed=0):
    """Conflict trials, and the same with the value beside the query key exchanged for a random other one."""
    permutation = draw_permutation(TASK, generator(seed, "permutation"))
    clean = draw_conflict_trials(TASK, permutation, count, generator(seed, "trials"))
    beside = clean.tokens == clean.contextual[:, None]
    other = TASK.keys + (clean.contextual - TASK.keys + 1) % TASK.values
    return clean, torch.where(beside, other[:, None], clean.tokens)
