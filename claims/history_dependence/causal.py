"""What interventions measure on the experiment's trained states, a value a seed, for `store.measure`."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from claims.history_dependence.measurements import evaluation_trials
from models.decoder import Sizes, unflatten
from probes.attention import query_attention
from probes.margin import margins
from probes.mean_replacement import Part, mean_replaced, query_means
from probes.patching import patching_maps
from probes.query import answer, look
from tasks.ambiguous_recall import Prompts, Task, draw_permutation, draw_prompts
from tasks.generators import generator

Arrays = Mapping[str, NDArray[np.generic]]
Floats = NDArray[np.float64]


def replacement_margins(
    arrays: Arrays,
    seeds: tuple[int, ...],
    *,
    task: Task,
    sizes: Sizes,
    trials: int,
    reference_trials: int,
    each_head: bool,
) -> dict[str, Floats]:
    """Mean margins over a seed's conflict trials, whole and with parts at the query position mean-replaced.

    Returns:
        `whole`, `without_heads` (all of both layers), `without_mlps`, `[seed]` each; `contextual` and
        `fixed`, the two answers' mean logits above the mean of all logits `[seed]`; with `each_head` also
        `without_layer` (all heads of one) `[seed, layer]` and `without_head` `[seed, layer, head]`.
    """
    rows = [
        _replacement_row(
            unflatten(torch.tensor(arrays["params"][place]), sizes),
            sizes,
            evaluation_trials(task, seed, trials),
            reference_prompts(task, seed, reference_trials),
            each_head=each_head,
        )
        for place, seed in enumerate(seeds)
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _replacement_row(
    params: dict[str, Tensor], sizes: Sizes, prompts: Prompts, reference: Tensor, *, each_head: bool
) -> dict[str, object]:
    heads, layers = tuple(range(sizes.heads)), range(sizes.layers)
    context, _ = look(params, prompts.tokens)
    means = query_means(params, look(params, reference)[0])

    def without(*parts: Part) -> float:
        return _mean_margin(mean_replaced(params, context, means, parts), prompts)

    logits = answer(params, context)[0].double()
    centred = logits - logits.mean(1, keepdim=True)
    row: dict[str, object] = {
        "whole": _mean_margin(logits, prompts),
        "without_heads": without(*(Part(layer, heads) for layer in layers)),
        "without_mlps": without(*(Part(layer, None) for layer in layers)),
        "contextual": centred.gather(1, prompts.contextual[:, None]).mean().item(),
        "fixed": centred.gather(1, prompts.fixed[:, None]).mean().item(),
    }
    if each_head:
        row["without_layer"] = [without(Part(layer, heads)) for layer in layers]
        row["without_head"] = [[without(Part(layer, (head,))) for head in heads] for layer in layers]
    return row


def route_maps(
    arrays: Arrays, seeds: tuple[int, ...], *, task: Task, sizes: Sizes, trials: int
) -> dict[str, Floats]:
    """Activation patching between clean and corrupted prompts, over a seed's conflict trials.

    Returns:
        `residual` `[seed, layer, position]`, `heads` `[seed, layer, head]` at the query position, `gap` (the
        clean margin less the corrupted one) `[seed]`, and `attention` of the query position
        `[seed, layer, head, position]`.
    """
    rows = []
    for place, seed in enumerate(seeds):
        params = unflatten(torch.tensor(arrays["params"][place]), sizes)
        clean = evaluation_trials(task, seed, trials)
        maps = patching_maps(params, clean, corrupt(task, seed, clean))
        rows.append(
            {
                "residual": maps.residual.numpy(),
                "heads": maps.heads.numpy(),
                "gap": maps.gap.numpy(),
                "attention": query_attention(params, clean.tokens).numpy(),
            }
        )
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def reference_prompts(task: Task, seed: int, trials: int) -> Tensor:
    """The fixed prompts over which means are taken, apart from all that is measured or trained on."""
    permutation = draw_permutation(task, generator(seed, "permutation"))
    return draw_prompts(task, permutation, trials, generator(seed, "reference")).tokens


def corrupt(task: Task, seed: int, clean: Prompts) -> Tensor:
    """The prompts with the value beside the query key changed to one that is in no pair and is no answer."""
    beside = clean.tokens == clean.contextual[:, None]
    taken = torch.zeros(len(clean.tokens), task.vocabulary, dtype=torch.bool)
    taken.scatter_(1, clean.tokens, value=True).scatter_(1, clean.fixed[:, None], value=True)
    taken[:, : task.keys] = True
    lots = torch.rand(taken.shape, generator=generator(seed, "corrupt"))
    other = lots.masked_fill(taken, -1.0).argmax(1)
    return torch.where(beside, other[:, None], clean.tokens)


def _mean_margin(logits: Tensor, prompts: Prompts) -> float:
    return margins(logits, prompts).double().mean().item()
