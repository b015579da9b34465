"""What is measured on the experiment's trained states, a value a seed, for `store.measure`."""

import math
from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.decoder import Sizes
from probes.margin import margins, mean_margin, query_logits
from tasks.ambiguous_recall import Prompts, Task, draw_conflict_trials, draw_permutation
from tasks.generators import generator

Floats = NDArray[np.float64]


def conflict_margin(
    arrays: Mapping[str, NDArray[np.generic]],
    seeds: tuple[int, ...],
    *,
    task: Task,
    sizes: Sizes,
    trials: int,
) -> Floats:
    """The mean margin over a seed's conflict trials, the same trials for every run of that seed.

    Returns:
        `[seed]` for an anchor or a branch, `[seed, kept]` for a hold.
    """
    params = torch.tensor(arrays["params"])
    values = np.empty(params.shape[:-1])
    for place, seed in enumerate(seeds):
        prompts = evaluation_trials(task, seed, trials)
        for at in np.ndindex(params.shape[1:-1]):
            values[(place, *at)] = mean_margin(params[(place, *at)], sizes, prompts)
    return values


def rule_fit(
    arrays: Mapping[str, NDArray[np.generic]],
    seeds: tuple[int, ...],
    *,
    task: Task,
    sizes: Sizes,
    trials: int,
    p0: float,
) -> dict[str, Floats]:
    """How well an anchor has learned both rules, over a seed's conflict trials; `[seed]` each.

    `mass`: probability on the two candidate answers. `excess_loss`: expected cross-entropy at the mixture p0
    above that of a model that knows both rules and the mixture, −p0 ln p0 − (1 − p0) ln(1 − p0): ln 2 at the
    balance. `margin`: the mean margin less logit(p0).
    """
    least = -p0 * math.log(p0) - (1 - p0) * math.log(1 - p0)
    params, rows = torch.tensor(arrays["params"]), []
    for place, seed in enumerate(seeds):
        prompts = evaluation_trials(task, seed, trials)
        logits = query_logits(params[place], sizes, prompts.tokens).double()
        log_p = logits.log_softmax(1)
        contextual, fixed = _at(log_p, prompts.contextual), _at(log_p, prompts.fixed)
        mass = (contextual.exp() + fixed.exp()).mean()
        loss = -(p0 * contextual + (1 - p0) * fixed).mean()
        margin = margins(logits, prompts).mean()
        rows.append([mass.item(), loss.item() - least, margin.item() - math.log(p0 / (1 - p0))])
    return dict(zip(("mass", "excess_loss", "margin"), np.array(rows).T, strict=True))


def evaluation_trials(task: Task, seed: int, trials: int) -> Prompts:
    """A seed's conflict trials for measuring, apart from all that is trained on."""
    permutation = draw_permutation(task, generator(seed, "permutation"))
    return draw_conflict_trials(task, permutation, trials, generator(seed, "evaluation"))


def _at(table: Tensor, tokens: Tensor) -> Tensor:
    return table.gather(1, tokens[:, None])[:, 0]
