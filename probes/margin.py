"""The margin: how far a model's answer leans to the contextual rule, in logits.

    margin = logit(contextual answer) − logit(fixed answer) at the query position

Averaged over conflict trials. A calibrated model trained at the mixture p has margin log(p / (1 − p)).
"""

import torch
from torch import Tensor

from models.decoder import Sizes
from models.gradient import DistinctRows, QueryLoss
from tasks.ambiguous_recall import Prompts

_TRIALS_AT_ONCE = 64  # their activations fit in the cache


def query_logits(params: Tensor, sizes: Sizes, tokens: Tensor) -> Tensor:
    """The logits `[trial, vocabulary]` at the query position of prompts `[trial, position]`.

    By the fast forward pass of the training step, which is tested against `decoder.forward`.
    """
    with torch.inference_mode():
        fast = QueryLoss(params, sizes)
        anywhere = torch.ones(sizes.vocabulary, sizes.positions, dtype=torch.bool, device=params.device)
        parts = torch.split(tokens.to(params.device), _TRIALS_AT_ONCE)
        return torch.cat([fast.logits(DistinctRows.of(part[None], anywhere), 0) for part in parts])


def margins(logits: Tensor, prompts: Prompts) -> Tensor:
    """The margin of every trial, `[trial]`, from logits `[trial, vocabulary]` at the query position."""
    contextual = logits.gather(1, prompts.contextual.to(logits.device)[:, None])
    fixed = logits.gather(1, prompts.fixed.to(logits.device)[:, None])
    return (contextual - fixed)[:, 0]


def mean_margin(params: Tensor, sizes: Sizes, prompts: Prompts) -> float:
    """The mean margin over trials, summed in float64."""
    return margins(query_logits(params, sizes, prompts.tokens), prompts).double().mean().item()
