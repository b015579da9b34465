"""Count how often the judge is wrong, and how often it is right, in experiments whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_claims.calibration.alarms import GATE_FACTOR, false_alarms
from pytest_claims.calibration.judging import ONE_SIDED, Verdicts, flip_p, judge, judge_holds, prediction_of
from pytest_claims.calibration.noise import MEAN, MEDIAN, NORMAL, RARE, SEED, draw, own_generator
from pytest_claims.predictions import AtLeast, Within
from pytest_claims.statistics import ALPHA

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

SCHEMA_VERSION = 1
REPETITIONS = 10_000
SEEDS = (5, 10, 20)
EFFECTS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""How far the median lies beyond the bound, in units of the seeds' spread."""
PART_COUNTS = (2, 3, 4)
HOLDS_IN = (0.5, 0.8, 0.9, 0.95, 0.99, 1.0)
"""The share of seeds in which a property holds."""
_RATIO_BOUND = 0.8
_DENOMINATOR = 5.0
"""The denominator's mean in units of its spread: it is never in doubt."""
_FAR = 1000.0
"""Half the width of a region whose other edge no seed comes near."""

_POWER = (("exceeds", "values"), ("at_least", "values"), ("within", "values"), ("at_least", "ratio"))
"""The other kinds are mirror images of these."""


def simulate(repetitions: int = REPETITIONS) -> dict[str, Any]:
    """Simulate everything and return it as plain data, the content of ``calibration.json``.

    Args:
        repetitions: How many experiments a cell.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "alpha": ALPHA,
        "repetitions": repetitions,
        "seed": SEED,
        "nulls": list(_nulls(repetitions)),
        "sign_flip_alone": list(_sign_flip_alone(repetitions)),
        "parts": list(_parts(repetitions)),
        "power": list(_power(repetitions)),
        "holds": list(_holds(repetitions)),
        "gate": false_alarms(repetitions * GATE_FACTOR, SEEDS),
    }


def standard_error(share: float, repetitions: int) -> float:
    """The Monte-Carlo standard error of a share; one of 0 or 1 is taken for one experiment short of it."""
    inside = min(max(share, 1 / (repetitions + 1)), repetitions / (repetitions + 1))
    return math.sqrt(inside * (1 - inside) / repetitions)


def exceeds_alpha(share: float, repetitions: int, alpha: float = ALPHA) -> bool:
    """Whether a share lies above alpha by more than three Monte-Carlo standard errors."""
    return share - 3 * standard_error(share, repetitions) > alpha


def _nulls(repetitions: int) -> Iterator[dict[str, Any]]:
    """False replications of claims at the edge of their null, by prediction, measurement, noise and seeds."""
    for measurement in ("values", "ratio"):
        for kind in (*ONE_SIDED, "within"):
            for null, noises in (("median", MEDIAN), ("mean", MEAN)):
                for noise in noises:
                    for n in SEEDS:
                        cell = {"prediction": kind, "measurement": measurement, "null": null, "noise": noise}
                        generator = own_generator("null", *cell.values(), n)
                        beyond = draw(
                            noise, generator, (repetitions, n), inclusive=_inclusive(kind), null=null
                        )
                        # A region's other edge is out of play: the least favourable case.
                        found = _experiments(kind, measurement, beyond, _FAR, generator)
                        yield {**cell, "seeds": n, **_shares(found), **_above(found)}
    for n in SEEDS:  # A ratio that is far beyond its bound, but whose denominator is not above 0.
        generator = own_generator("denominator", n)
        denominator = draw(NORMAL, generator, (repetitions, n), inclusive=False)
        found = judge(AtLeast(_RATIO_BOUND), denominator + _FAR, denominator)
        cell = {"prediction": "at_least", "measurement": "ratio", "null": "denominator", "noise": NORMAL}
        yield {**cell, "seeds": n, **_shares(found), **_above(found)}
    for null, share in (("median", 0.5), ("rare failures", 1 - RARE)):
        for n in SEEDS:
            cell = {"prediction": "holds", "measurement": "truth", "null": null, "noise": "binary"}
            found = judge_holds(own_generator("null", *cell.values(), n).random((repetitions, n)) < share)
            yield {**cell, "seeds": n, **_shares(found), **_above(found)}


def _sign_flip_alone(repetitions: int) -> Iterator[dict[str, Any]]:
    """False replications if the sign test did not stand beside the sign-flip test: why it does."""
    for noise in MEDIAN:
        for n in SEEDS:
            beyond = draw(noise, own_generator("alone", noise, n), (repetitions, n), inclusive=False)
            share = float((flip_p(beyond) <= ALPHA).mean())
            yield {"noise": noise, "seeds": n, "replicated": share}


def _parts(repetitions: int) -> Iterator[dict[str, Any]]:
    """False contradictions of a claim of several independent parts, all true and all at their bounds."""
    for count in PART_COUNTS:
        for n in SEEDS:
            contradicted = np.zeros(repetitions, dtype=bool)
            for part in range(count):
                generator = own_generator("parts", count, n, part)
                beyond = draw(NORMAL, generator, (repetitions, n), inclusive=True)
                contradicted |= judge(AtLeast(0.0), beyond).contradicted
            share = float(contradicted.mean())
            above: dict[str, None] = {"contradicted": None} if exceeds_alpha(share, repetitions) else {}
            yield {"parts": count, "seeds": n, "contradicted": share, "above": above}


def _power(repetitions: int) -> Iterator[dict[str, Any]]:
    """The verdicts on true claims, by how far the median lies beyond the bound.

    A region's half-width takes the effect's place: the truth lies in its middle.
    """
    for kind, measurement in _POWER:
        for noise in MEDIAN:
            for effect in EFFECTS:
                if kind == "within" and effect == 0:
                    continue
                for n in SEEDS:
                    cell = {"prediction": kind, "measurement": measurement, "noise": noise, "effect": effect}
                    generator = own_generator("power", *cell.values(), n)
                    beyond = draw(noise, generator, (repetitions, n), inclusive=_inclusive(kind)) + effect
                    found = _experiments(kind, measurement, beyond, effect, generator)
                    yield {**cell, "seeds": n, **_shares(found)}


def _holds(repetitions: int) -> Iterator[dict[str, Any]]:
    """The verdicts on a property, by the share of seeds in which it holds."""
    for share in HOLDS_IN:
        for n in SEEDS:
            held = own_generator("holds", share, n).random((repetitions, n)) < share
            yield {"share": share, "seeds": n, **_shares(judge_holds(held))}


def _experiments(
    kind: str, measurement: str, beyond: NDArray[np.float64], half_width: float, generator: Generator
) -> Verdicts:
    """Judge experiments by how far seeds lie beyond the bound, a region's upper one `[experiment, seed]`."""
    ratio = measurement == "ratio"
    denominator = _DENOMINATOR + generator.standard_normal(beyond.shape) if ratio else None
    middle = _RATIO_BOUND if ratio else 0.0
    bound = [middle - half_width, middle + half_width] if kind == "within" else middle
    prediction = prediction_of(kind, bound)
    if isinstance(prediction, Within):
        edge, direction = prediction.high, -1
    else:
        edge, direction = prediction.bound, prediction.direction
    values = edge * (1.0 if denominator is None else denominator) + direction * beyond
    return judge(prediction, values, denominator)


def _inclusive(kind: str) -> bool:
    return Within.inclusive if kind == "within" else ONE_SIDED[kind].inclusive


def _shares(found: Verdicts) -> dict[str, float]:
    replicated, contradicted = float(found.replicated.mean()), float(found.contradicted.mean())
    return {"replicated": replicated, "contradicted": contradicted}


def _above(found: Verdicts) -> dict[str, dict[str, float | None]]:
    """For each verdict whose rate is above alpha up to which margin that reaches, None for any margin.

    The seeds of at most a share alpha of all experiments lie further beyond the bound, on the verdict's side
    and in units of their spread, and have the verdict.
    """
    reach: dict[str, float | None] = {}
    for verdict, which, side in (
        ("replicated", found.replicated, 1),
        ("contradicted", found.contradicted, -1),
    ):
        if exceeds_alpha(float(which.mean()), len(which)):
            margins = np.sort(side * found.margin[which])[::-1]
            margin = float(margins[int(ALPHA * len(which))])
            reach[verdict] = round(margin, 3) if math.isfinite(margin) else None
    return {"above": reach}
