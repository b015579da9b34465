"""How often the gate stops an unchanged tree because another machine rounds otherwise.

A twin measures what rounding alone does to each seed; the mean of a new run may move by
`pytest_claims.tolerance.rounding_tolerance`. Simulated with nothing stated beside it, the least favourable
case: a stated tolerance only lets more pass. On the machine of the baseline an unchanged tree gives equal
bits, and no rule is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_claims.calibration.noise import HEAVY, NORMAL, draw, own_generator
from pytest_claims.tolerance import rounding_tolerance

if TYPE_CHECKING:
    from numpy.random import Generator

UNEQUAL = "unequal seeds"
"""Normal noise whose size differs between seeds, and is the same in every run of a seed."""
NOISES = (NORMAL, HEAVY, UNEQUAL)
TWINS = (1, 3)
"""How many twins measure the rounding noise."""
COMPARISONS = 60
"""For how many independent comparisons the chance of any false alarm is given."""
GATE_FACTOR = 10
"""False alarms are rarer than wrong verdicts and cheaper to simulate: so many times the repetitions."""

_AMPLIFICATION = 2.0
"""The standard deviation of the logarithm of the unequal noise: between two seeds a factor of 7 is common."""
_BATCH = 10_000
"""How many experiments are held at a time."""


def false_alarms(repetitions: int, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """The share of unchanged runs that the gate stops, by noise, number of twins and of seeds.

    Args:
        repetitions: How many experiments a cell.
        seeds: The numbers of seeds.
    """
    cells = []
    for noise in NOISES:
        for twins in TWINS:
            for n in seeds:
                generator = own_generator("gate", noise, twins, n)
                batches = [min(_BATCH, repetitions - done) for done in range(0, repetitions, _BATCH)]
                rate = sum(_alarms(noise, twins, (size, n), generator) for size in batches) / repetitions
                cell = {"noise": noise, "twins": twins, "seeds": n, "repetitions": repetitions}
                cells.append({**cell, "rate": rate, "any": round(1 - (1 - rate) ** COMPARISONS, 6)})
    return cells


def _alarms(noise: str, twins: int, shape: tuple[int, int], generator: Generator) -> int:
    """How many of so many unchanged runs `(experiments, seeds)` the gate stops.

    The differences of each twin and of the new run are draws of the same noise.
    """
    unequal = noise == UNEQUAL
    scale = np.exp(_AMPLIFICATION * generator.standard_normal(shape)) if unequal else np.ones(shape)
    kind = NORMAL if unequal else noise
    new, *others = (scale * draw(kind, generator, shape, inclusive=False) for _ in range(twins + 1))
    measured = np.concatenate(others, axis=1)
    allowed = np.array([rounding_tolerance(differences, shape[1]) for differences in measured])
    return int((np.abs(new.mean(axis=1)) > allowed).sum())
