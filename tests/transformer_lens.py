"""TransformerLens as the independent implementation: it shares no code with the models and probes.

The experiments below are written with its model, its cache and its hooks, as its own users would write them.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from probes.mean_replacement import Part
from tasks.ambiguous_recall import Prompts

TOLERANCE = {"rtol": 1e-4, "atol": 1e-4}
"""In float32: two implementations sum in different orders."""


def require() -> None:
    """Skip the test where TransformerLens is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies, while they are imported
        pytest.importorskip("transformer_lens", reason="needs transformer-lens, of the extra dev")


def booted(config: dict[str, Any], state: dict[str, Tensor]) -> Any:
    """A `TransformerBridge` with these parameters, or a skipped test.

    Args:
        config: What `boot_native` takes.
        state: Parameters under TransformerLens's names.
    """
    require()
    from transformer_lens.model_bridge import TransformerBridge
    from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

    bridge = TransformerBridge.boot_native(config)
    bridge.load_state_dict(convert_tl_checkpoint(state, bridge.cfg))
    return bridge


def activations(bridge: Any, tokens: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
    """Its cache under the given names."""
    _, cache = bridge.run_with_cache(tokens)
    found = {}
    for name in names:
        found[name] = cache[name]
        if name.endswith("hook_attn_scores"):
            # There, 4.3.0 has what hook_pattern has, after the softmax; so take the scores from its q and k.
            q, k = (cache[name.replace("attn_scores", kind)].transpose(1, 2) for kind in "qk")
            future = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
            found[name] = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(future, -torch.inf)
    return found


class Effects(NamedTuple):
    """What a patch restores, as `probes.patching.Maps`."""

    residual: Tensor
    heads: Tensor
    gap: Tensor


def patching_loop(bridge: Any, clean: Prompts, corrupted: Tensor) -> Effects:
    """Activation patching, one forward pass a coordinate."""
    layers, heads = range(bridge.cfg.n_layers), range(bridge.cfg.n_heads)
    clean_logits, cache = bridge.run_with_cache(clean.tokens)
    before = _margin(bridge(corrupted), clean)

    def effect(name: str, where: tuple[int, ...]) -> Tensor:
        def patch(activation: Tensor, hook: Any) -> Tensor:
            activation[(slice(None), *where)] = cache[name][(slice(None), *where)]
            return activation

        return _margin(bridge.run_with_hooks(corrupted, fwd_hooks=[(name, patch)]), clean) - before

    positions = range(corrupted.shape[1])
    residual = [
        [effect(f"blocks.{at}.hook_resid_pre", (position,)) for position in positions] for at in layers
    ]
    z = [[effect(f"blocks.{at}.attn.hook_z", (-1, head)) for head in heads] for at in layers]
    return Effects(torch.tensor(residual), torch.tensor(z), _margin(clean_logits, clean) - before)


def mean_replacement(bridge: Any, tokens: Tensor, reference: Tensor, parts: Sequence[Part]) -> Tensor:
    """The logits `[trial, token]` at the query position with the parts there replaced by their means."""
    _, cache = bridge.run_with_cache(reference)
    hooks = []
    for part in parts:
        name = f"blocks.{part.layer}." + ("hook_mlp_out" if part.heads is None else "attn.hook_z")
        mean = cache[name][:, -1].mean(0)

        def replace(activation: Tensor, hook: Any, mean: Tensor = mean, part: Part = part) -> Tensor:
            if part.heads is None:
                activation[:, -1] = mean
            for head in part.heads or ():
                activation[:, -1, head] = mean[head]
            return activation

        hooks.append((name, replace))
    return bridge.run_with_hooks(tokens, fwd_hooks=hooks)[:, -1]


def _margin(logits: Tensor, prompts: Prompts) -> Tensor:
    """The mean margin at the last position."""
    rows = torch.arange(len(logits))
    return (logits[rows, -1, prompts.contextual] - logits[rows, -1, prompts.fixed]).mean()
