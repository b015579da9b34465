"""Activation patching: which activation, carried from a clean run into a corrupted one, restores the answer.

    clean      k3 v7 k9 v2 k1 v1 k4 v9 | k9      answers v2 by the contextual rule
    corrupted  k3 v7 k9 v5 k1 v1 k4 v9 | k9      the value beside the query key is another

The effect of a coordinate is the margin of the clean prompt's answers in the corrupted run with the clean
activation put there, less that margin without, averaged over trials. Restoring everything gives the gap
between the clean and the corrupted run, which is returned beside the maps.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from models.decoder import Parameters, run_blocks
from probes.interventions import QUERY, Site, put
from probes.margin import margins
from probes.query import answer, layer_count, look
from tasks.ambiguous_recall import Prompts

_TRIALS_AT_ONCE = 256


@dataclass(frozen=True)
class Maps:
    """Patching effects, in logits.

    Attributes:
        residual: Of the residual stream before a block `[layer, position]`.
        heads: Of a head's output at the query position `[layer, head]`.
        gap: The clean margin less the corrupted one, a scalar.
    """

    residual: Tensor
    heads: Tensor
    gap: Tensor


@torch.inference_mode()
def patching_maps(params: Parameters, clean: Prompts, corrupted: Tensor) -> Maps:
    """Both maps of one checkpoint.

    Args:
        params: Of the checkpoint.
        clean: The prompts and the answers that the margin is about.
        corrupted: The corrupted prompts `[trial, position]`.
    """
    residual, heads, gap = [], [], []
    for start in range(0, len(corrupted), _TRIALS_AT_ONCE):
        some = slice(start, start + _TRIALS_AT_ONCE)
        prompts = Prompts(clean.tokens[some], clean.contextual[some], clean.fixed[some])
        pair = _Pair(params, prompts, corrupted[some])
        residual.append(pair.residual_effects().sum(2))
        heads.append(pair.head_effects().sum(2))
        gap.append((pair.clean_margin - pair.margin).sum())
    trials = len(corrupted)
    return Maps(
        torch.stack(residual).sum(0) / trials,
        torch.stack(heads).sum(0) / trials,
        torch.stack(gap).sum() / trials,
    )


class _Pair:
    """The clean and the corrupted run of some trials, and patches from one into the other."""

    def __init__(self, params: Parameters, clean: Prompts, corrupted: Tensor) -> None:
        self.params, self.clean = params, clean
        self.layers = layer_count(params)
        resid = [f"blocks.{layer}.hook_resid_pre" for layer in range(self.layers)]
        z = [f"blocks.{layer}.attn.hook_z" for layer in range(self.layers)]
        context, self.there = look(params, clean.tokens, record=resid)
        logits, self.clean_z = answer(params, context, record=z)
        self.clean_margin = margins(logits, clean).double()
        self.context, self.here = look(params, corrupted, record=resid)
        self.margin = margins(answer(params, self.context)[0], clean).double()

    def residual_effects(self) -> Tensor:
        """The effect of every residual stream before a block, `[layer, position, trial]`, in float64."""
        effects = [
            torch.stack([self._residual_effect(layer, position) for position in range(activation.shape[1])])
            for layer, activation in enumerate(self.here.values())
        ]
        return torch.stack(effects)

    def _residual_effect(self, layer: int, position: int) -> Tensor:
        """Patch and run on, only for the trials in which the patch changes anything.

        Causality leaves most corrupted activations equal to the clean ones, bit for bit: no effect there.
        """
        site = Site(f"blocks.{layer}.hook_resid_pre", (position,))
        here, there = self.here[site.hook], self.there[site.hook]
        changed = ((here != there) & site.mask(here)).flatten(1).any(1).nonzero()[:, 0]
        effect = torch.zeros_like(self.margin)
        if len(changed):
            patch = put({site: there[changed]})
            logits, _ = run_blocks(
                self.params, here[changed], first=layer, last_only=True, interventions=patch
            )
            tokens, contextual, fixed = self.clean.tokens, self.clean.contextual, self.clean.fixed
            some = Prompts(tokens[changed], contextual[changed], fixed[changed])
            effect[changed] = margins(logits[:, -1], some).double() - self.margin[changed]
        return effect

    def head_effects(self) -> Tensor:
        """The effect of every head's output at the query position, `[layer, head, trial]`, in float64."""
        effects = [
            torch.stack([self._head_effect(hook, head) for head in range(z.shape[2])])
            for hook, z in self.clean_z.items()
        ]
        return torch.stack(effects)

    def _head_effect(self, hook: str, head: int) -> Tensor:
        patch = put({Site(hook, QUERY, (head,)): self.clean_z[hook]})
        logits, _ = answer(self.params, self.context, interventions=patch)
        return margins(logits, self.clean).double() - self.margin
