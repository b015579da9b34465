"""The model at the query position alone, given what the earlier positions have computed.

Attention is causal and the query is the last position, so an intervention there changes nothing before it.
One pass over the prompts (`look`) then serves any number of interventions at the query position, each at
about a twentieth of a forward pass. `tests/probes/test_query.py` holds the two equal.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from models.decoder import (
    LAYER_NORM_EPSILON,
    NO_INTERVENTIONS,
    Interventions,
    Parameters,
    forward,
)

_TRIALS_AT_ONCE = 256  # their activations fit in the cache


@dataclass(frozen=True)
class Context:
    """What the query position reads.

    Attributes:
        resid: Its residual stream before the first block `[trial, width]`.
        keys: A layer's keys at the earlier positions `[trial, head, d_head, position]`.
        values: A layer's values there `[trial, head, position, d_head]`.
    """

    resid: Tensor
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]


def layer_count(params: Parameters) -> int:
    """How many blocks the parameters hold."""
    return sum(name.endswith("attn.W_Q") for name in params)


@torch.inference_mode()
def look(
    params: Parameters, tokens: Tensor, record: Collection[str] = ()
) -> tuple[Context, dict[str, Tensor]]:
    """Run prompts `[trial, position]` once; what their query positions read, and the recorded activations."""
    layers = range(layer_count(params))
    names = [f"blocks.{layer}.attn.hook_{kind}" for layer in layers for kind in "kv"]
    wanted = {"blocks.0.hook_resid_pre", *names, *record}
    parts = [
        forward(params, some, last_only=True, record=wanted)[1]
        for some in torch.split(tokens, _TRIALS_AT_ONCE)
    ]
    seen = {name: torch.cat([part[name] for part in parts]) for name in wanted}
    earlier = [seen[name][:, :-1] for name in names]
    keys = tuple(keys.permute(0, 2, 3, 1).contiguous() for keys in earlier[::2])
    values = tuple(values.transpose(1, 2).contiguous() for values in earlier[1::2])
    return Context(seen["blocks.0.hook_resid_pre"][:, -1], keys, values), {
        name: seen[name] for name in record
    }


@torch.inference_mode()
def answer(
    params: Parameters,
    context: Context,
    *,
    record: Collection[str] = (),
    interventions: Interventions = NO_INTERVENTIONS,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Run the query position.

    Args:
        params: Named parameters.
        context: What it reads.
        record: Activations to return: a block's `attn.hook_z` `[trial, 1, head, d_head]` or `hook_mlp_out`
            `[trial, 1, width]`.
        interventions: Replacements of the same activations; their position axis has the query only.

    Returns:
        The logits `[trial, vocabulary]` and the recorded activations.

    Raises:
        ValueError: Another activation is named.
    """
    layers = range(len(context.keys))
    known = {f"blocks.{layer}.{hook}" for layer in layers for hook in ("attn.hook_z", "hook_mlp_out")}
    if unknown := {*record, *interventions} - known:
        raise ValueError(f"not among the activations of the query position: {', '.join(sorted(unknown))}")
    recorded: dict[str, Tensor] = {}

    def tap(name: str, activation: Tensor) -> Tensor:
        activation = activation[:, None]
        if name in interventions:
            activation = interventions[name](activation)
        if name in record:
            recorded[name] = activation
        return activation[:, 0]

    def norm(resid: Tensor, name: str) -> Tensor:
        weight, bias = params[f"{name}.w"], params[f"{name}.b"]
        return layer_norm(resid, resid.shape[-1:], weight, bias, LAYER_NORM_EPSILON)

    resid = context.resid
    for layer in layers:
        at = f"blocks.{layer}"
        normed = norm(resid, f"{at}.ln1")
        q, k, v = (
            (normed @ params[f"{at}.attn.W_{kind}"].flatten(1)).view(-1, *params[f"{at}.attn.b_{kind}"].shape)
            + params[f"{at}.attn.b_{kind}"]
            for kind in "QKV"
        )
        own = (q * k).sum(-1, keepdim=True)
        earlier = (q[:, :, None] @ context.keys[layer])[:, :, 0]
        pattern = (torch.cat([earlier, own], -1) / math.sqrt(q.shape[-1])).softmax(-1)
        mixed = (pattern[:, :, None, :-1] @ context.values[layer])[:, :, 0]
        z = tap(f"{at}.attn.hook_z", mixed + pattern[:, :, -1:] * v)
        resid = resid + z.flatten(1) @ params[f"{at}.attn.W_O"].flatten(0, 1) + params[f"{at}.attn.b_O"]
        hidden = (norm(resid, f"{at}.ln2") @ params[f"{at}.mlp.W_in"] + params[f"{at}.mlp.b_in"]).relu()
        out = hidden @ params[f"{at}.mlp.W_out"] + params[f"{at}.mlp.b_out"]
        resid = resid + tap(f"{at}.hook_mlp_out", out)
    return norm(resid, "ln_final") @ params["unembed.W_U"], recorded
