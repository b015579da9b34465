"""A decoder as TransformerLens knows it, so that trained models can be opened there.

Both use the same parameter names. Three things differ: TransformerLens lays out W_Q, W_K and W_V with the
head first, its unembedding has a bias, which is 0 here, and it reads sizes from a configuration of its own.
"""

import torch
from torch import Tensor

from models.decoder import LAYER_NORM_EPSILON, Parameters, Sizes

_HEAD_FIRST = ("attn.W_Q", "attn.W_K", "attn.W_V")


def lens_state(params: Parameters) -> dict[str, Tensor]:
    """A decoder's parameters under TransformerLens's names, in its layouts.

    Contiguous copies. W_Q, W_K and W_V become `[head, width, d_head]`; `unembed.b_U` `[vocabulary]` is added.
    """
    state = {
        name: value.transpose(0, 1).contiguous() if name.endswith(_HEAD_FIRST) else value.clone()
        for name, value in params.items()
    }
    unembed = params["unembed.W_U"]
    state["unembed.b_U"] = torch.zeros(unembed.shape[1], dtype=unembed.dtype, device=unembed.device)
    return state


def lens_config(sizes: Sizes) -> dict[str, int | float | str | bool]:
    """What `TransformerBridge.boot_native` takes to build a decoder of these sizes."""
    return {
        "architecture": "TransformerLensNative",
        "d_model": sizes.width,
        "d_head": sizes.width // sizes.heads,
        "n_heads": sizes.heads,
        "n_layers": sizes.layers,
        "d_mlp": sizes.hidden,
        "n_ctx": sizes.positions,
        "d_vocab": sizes.vocabulary,
        "act_fn": "relu",
        "normalization_type": "LN",
        "eps": LAYER_NORM_EPSILON,
        "positional_embedding_type": "standard",
        "attention_dir": "causal",
    }
