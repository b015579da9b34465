"""Positions on a horizontal axis, in per cent of its width, and how far values lie beyond a bound."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_claims import formats


@dataclass(frozen=True)
class Axis:
    """A linear axis with a margin on both sides.

    Attributes:
        low: The value at the left margin.
        high: The value at the right margin.
    """

    low: float
    high: float

    @classmethod
    def over(cls, values: Sequence[float]) -> Axis:
        """The axis on which all of these values have a place."""
        low, high = min(values), max(values)
        if low == high:
            pad = abs(low) / 2 or 1.0
            return cls(low - pad, high + pad)
        return cls(low, high)

    def at(self, value: float) -> str:
        """Where a value lies: "43.2%"."""
        # Halves before subtracting: the span of two huge values of opposite sign overflows.
        share = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return f"{4 + 92 * min(1.0, max(0.0, share)):.1f}%"


REACH = 100.0
"""Standard deviations at the ends of the forest plot's axis; what lies beyond is drawn at the end."""

TICKS = (-30, -10, -3, -1, 0, 1, 3, 10, 30)


def compressed(deviations: float) -> str:
    """Where so many deviations lie on the forest plot's axis: linear near 0, logarithmic far out."""
    share = (1 + math.asinh(deviations) / math.asinh(REACH)) / 2
    return f"{4 + 92 * min(1.0, max(0.0, share)):.1f}%"


@dataclass(frozen=True)
class Standing:
    """Where a claim stands, in standard deviations between seeds beyond the bound, the claimed side positive.

    Attributes:
        estimate: What was measured; infinite when all seeds agree.
        interval: Its 95 % interval, if there is one.
        reported: The paper's number, if there is one.
    """

    estimate: float
    interval: tuple[float, float] | None
    reported: float | None


def standing(row: Mapping[str, Any]) -> Standing | None:
    """Standardise a claim or a part, so that unlike ones share an axis; ``None`` where there are no numbers.

    A bound that is a band counts from its nearer edge, inwards.
    """
    prediction = row.get("prediction")
    estimate = row.get("estimate")
    values = numbers(row)
    if not isinstance(prediction, Mapping) or not formats.is_number(estimate) or not values:
        return None
    kind, bound = prediction.get("kind"), prediction.get("bound")
    if not _fits(kind, bound):
        return None
    spread = statistics.stdev(values) if len(values) > 1 else 0.0

    def deviations(value: float) -> float:
        beyond = _beyond(value, kind, bound)
        return beyond / spread if spread > 0 else math.copysign(math.inf, beyond) if beyond else 0.0

    reported = (row.get("reported") or {}).get("value")
    return Standing(
        deviations(float(estimate)),
        _interval(row, bound, deviations) if spread > 0 else None,
        deviations(reported) if formats.is_number(reported) and spread > 0 else None,
    )


def numbers(row: Mapping[str, Any]) -> list[float]:
    """The seeds' values that are numbers: a ratio has none where its denominator is 0."""
    return [float(value) for value in row.get("values") or [] if formats.is_number(value)]


def _fits(kind: object, bound: object) -> bool:
    if kind == "within":
        return formats.limits(bound) is not None
    return kind in ("exceeds", "at_least", "below", "at_most") and formats.is_number(bound)


def _beyond(value: float, kind: object, bound: Any) -> float:
    if kind == "within":
        return float(min(value - bound[0], bound[1] - value))
    return float(value - bound if kind in ("exceeds", "at_least") else bound - value)


def _interval(row: Mapping[str, Any], bound: Any, deviations: Any) -> tuple[float, float] | None:
    pair = formats.limits(row.get("interval"))
    if pair is None:
        return None
    ends = [deviations(end) for end in pair]
    if formats.limits(bound) is not None:
        # Inwards from the nearer edge, the middle of the band is the highest point.
        ends.append(deviations(min(max((bound[0] + bound[1]) / 2, pair[0]), pair[1])))
    return min(ends), max(ends)
