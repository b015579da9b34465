"""Where the query position looks: attention patterns, averaged over trials."""

import torch
from torch import Tensor

from models.decoder import Parameters, forward
from probes.query import layer_count

_TRIALS_AT_ONCE = 256


@torch.inference_mode()
def query_attention(params: Parameters, tokens: Tensor) -> Tensor:
    """The mean attention of the query position `[layer, head, position]` over prompts `[trial, position]`."""
    hooks = [f"blocks.{layer}.attn.hook_pattern" for layer in range(layer_count(params))]
    total = torch.zeros((), dtype=torch.float64, device=tokens.device)
    for some in torch.split(tokens, _TRIALS_AT_ONCE):
        _, recorded = forward(params, some, record=hooks)
        total = total + torch.stack([recorded[hook][:, :, -1].double().sum(0) for hook in hooks])
    return total / len(tokens)
