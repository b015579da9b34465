"""Mean replacement: what remains of an answer when parts of the model say only what they say on average.

An activation at the query position is replaced by its mean over a reference set, prompts apart from those
measured, taken on the very checkpoint that is measured. A part whose replacement takes an effect away
carries it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from models.decoder import Parameters
from probes.interventions import QUERY, Site, put
from probes.query import Context, answer

Means = Mapping[str, Tensor]


@dataclass(frozen=True)
class Part:
    """A set of heads, or an MLP, at the query position.

    Attributes:
        layer: Its block.
        heads: Which heads of the block; None for the block's MLP.
    """

    layer: int
    heads: tuple[int, ...] | None

    @property
    def site(self) -> Site:
        """Its coordinates: z of the heads, or the MLP's output."""
        if self.heads is None:
            return Site(f"blocks.{self.layer}.hook_mlp_out", QUERY)
        return Site(f"blocks.{self.layer}.attn.hook_z", QUERY, self.heads)


def query_means(params: Parameters, reference: Context) -> dict[str, Tensor]:
    """The mean of every head's output and of every MLP's output at the query position.

    Args:
        params: Of the checkpoint.
        reference: The reference prompts, as the checkpoint saw them.

    Returns:
        By hook name, `[1, head, d_head]` for `hook_z` and `[1, width]` for `hook_mlp_out`: one position, the
        query. Summed in float64 over the whole set.
    """
    layers = range(len(reference.keys))
    hooks = [f"blocks.{layer}.{hook}" for layer in layers for hook in ("attn.hook_z", "hook_mlp_out")]
    _, recorded = answer(params, reference, record=hooks)
    return {hook: recorded[hook].double().mean(0).to(recorded[hook].dtype) for hook in hooks}


def mean_replaced(params: Parameters, context: Context, means: Means, parts: Collection[Part]) -> Tensor:
    """The logits `[trial, vocabulary]` at the query position with the parts replaced by their means."""
    with torch.inference_mode():
        values = {part.site: means[part.site.hook] for part in parts}
        return answer(params, context, interventions=put(values))[0]
