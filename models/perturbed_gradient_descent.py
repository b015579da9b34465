"""Perturbed gradient descent: one large step, a perturbation, then small steps.

The large step is scaled by the gradient's largest component, so that this component moves by a given length
however flat the start is: it suppresses the useless positions at once and lands beside the saddle where all
pairs weigh the same. The perturbation leaves the saddle, the small steps descend from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

STATIONARY = 1e-12
"""A gradient without a component above this has no direction: the large step is not taken."""


@dataclass(frozen=True)
class Schedule:
    """How far each phase moves.

    Attributes:
        large_step: how far the large step moves the component with the largest gradient.
        step: learning rate of the small steps.
        steps: number of small steps.
    """

    large_step: float
    step: float
    steps: int


def descend(
    gradient: Callable[[Tensor], Tensor],
    start: Tensor,
    perturbation: Tensor,
    schedule: Schedule,
    *,
    project: Callable[[Tensor], Tensor] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tensor:
    """Descend from `start`, every replicate for itself.

    Args:
        gradient: gradient of each replicate's loss, `[replicate, weight]` to the same shape.
        start: initial weights, `[replicate, weight]`.
        perturbation: added after the large step, `[replicate, weight]`.
        schedule: lengths of the phases.
        project: applied after the large step, before the perturbation (symmetrisation, where a claim is about
            an exactly symmetric problem).
        progress: called now and then with the steps done and their total.

    Returns:
        The whole trajectory `[replicate, steps + 3, weight]`: start, after the large step, after the
        perturbation, then after every small step.

    Raises:
        FloatingPointError: weights that are not finite.
    """
    trajectory = torch.empty(len(start), schedule.steps + 3, start.shape[1], dtype=start.dtype)
    trajectory[:, 0] = start
    slope = gradient(start)
    largest = slope.abs().amax(dim=1, keepdim=True)
    scaled = torch.where(largest > STATIONARY, slope / largest.clamp(min=STATIONARY), torch.zeros_like(slope))
    weights = start - schedule.large_step * scaled
    trajectory[:, 1] = weights = weights if project is None else project(weights)
    trajectory[:, 2] = weights = weights + perturbation
    for number in range(schedule.steps):
        weights = weights - schedule.step * gradient(weights)
        trajectory[:, number + 3] = weights
        if number % 100 == 0:
            _check(weights, number)
            if progress is not None:
                progress(number, schedule.steps)
    _check(weights, schedule.steps)
    return trajectory


def _check(weights: Tensor, number: int) -> None:
    if not weights.isfinite().all():
        raise FloatingPointError(f"attention weights are not finite after {number} small steps")
