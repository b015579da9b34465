"""Plots made of characters: a dot a seed on a line, and small charts of curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pytest_claims import formats

ROW_MARK = "o"


def dot_plot(row: Mapping[str, Any], width: int) -> list[str]:
    """Draw every seed's value on the claim's axis, with the bound, the interval and the paper's number.

    Args:
        row: A claim or a part.
        width: Columns.

    Returns:
        Lines of ASCII: the seeds ("o", a digit where several fall together), the interval ("|---x---|") with
        the paper's number ("R") where there is one, and the axis with the bound ("^" below it); nothing
        without numbers.
    """
    values = [value for value in row.get("values") or [] if formats.is_number(value)]
    if not values:
        return []
    bound = (row.get("prediction") or {}).get("bound")
    edges = list(formats.limits(bound) or ([bound] if formats.is_number(bound) else []))
    interval = formats.limits(row.get("interval"))
    reported = (row.get("reported") or {}).get("value")
    landmarks = [*values, *edges, *(interval or ()), *([reported] if formats.is_number(reported) else [])]
    low, high = min(landmarks), max(landmarks)

    def column(value: float) -> int:
        return round((value - low) / (high - low) * (width - 1)) if high > low else width // 2

    return [line for line in (
        _seeds([column(value) for value in values], width),
        _interval(interval, row.get("estimate"), reported, column, width),
        "-" * width,
        _below(edges, column, width),
        _ends(formats.number(low), formats.number(high), width),
    ) if line.strip()]  # fmt: skip


def _seeds(columns: Sequence[int], width: int) -> str:
    cells = [" "] * width
    for at in columns:
        count = columns.count(at)
        cells[at] = ROW_MARK if count == 1 else str(count) if count < 10 else "#"
    return "".join(cells)


def _interval(pair: Any, estimate: Any, reported: Any, column: Any, width: int) -> str:
    cells = [" "] * width
    if pair is not None:
        left, right = column(pair[0]), column(pair[1])
        cells[left : right + 1] = "-" * (right - left + 1)
        cells[left] = cells[right] = "|"
    if formats.is_number(estimate) and pair is not None:
        cells[column(estimate)] = "x"
    if formats.is_number(reported):
        cells[column(reported)] = "R"
    return "".join(cells)


def _below(edges: Sequence[float], column: Any, width: int) -> str:
    cells = [" "] * width
    for edge in edges:
        cells[column(edge)] = "^"
    return "".join(cells)


def _ends(low: str, high: str, width: int) -> str:
    return low if low == high else f"{low}{high.rjust(width - len(low))}"


@dataclass(frozen=True)
class Curves:
    """What one chart shows.

    Attributes:
        title: Their name in the series, how many there are, and what they are measured over.
        lines: The values of each, at least two.
    """

    title: str
    lines: list[list[float]]


FEWEST = 8
"""Points from which on a single list counts as a curve: shorter ones hold a value a seed, or levels. Of
several lists of one length it takes three, as two are a slope and an intercept more often than not."""


def curves(series: object) -> list[Curves]:
    """Find what can be drawn as curves in a claim's series, whatever its shape.

    A single list that only rises, beside others of its length, is what they are measured over, and is not
    drawn itself.

    Args:
        series: Plain data: a mapping whose values are lists of numbers (one curve) or lists of such lists (a
            curve a seed); all else is passed over.

    Returns:
        The charts, in the order of the series.
    """
    if not isinstance(series, Mapping):
        return []
    found: dict[str, list[list[float]]] = {}
    for name, data in series.items():
        lists = data if _is_table(data) else [data]
        if all(_is_curve(item) for item in lists):
            found[str(name)] = [list(map(float, item)) for item in lists]
    axes = {name: lines[0] for name, lines in found.items() if len(lines) == 1 and _rises(lines[0])}
    charts = []
    for name, lines in found.items():
        length = len(lines[0])
        if name in axes and any(len(other[0]) == length for key, other in found.items() if key not in axes):
            continue
        if length < (FEWEST if len(lines) == 1 else 3):
            continue
        over = next((key for key, axis in axes.items() if key != name and len(axis) == length), None)
        charts.append(Curves(_title(name, lines, over, axes), lines))
    return charts


def _rises(line: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(line))


def _title(name: str, lines: Sequence[object], over: str | None, axes: Mapping[str, Sequence[float]]) -> str:
    title = f"{name}, {formats.plural(len(lines), 'curve')}" if len(lines) > 1 else name
    if over is None:
        return title
    return f"{title}, over {over} from {formats.number(axes[over][0])} to {formats.number(axes[over][-1])}"


def _is_curve(data: object) -> bool:
    return isinstance(data, list) and len(data) > 1 and all(formats.is_number(value) for value in data)


def _is_table(data: object) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(item, list) for item in data)


def chart(lines: Sequence[Sequence[float]], width: int, height: int = 8) -> list[str]:
    """Draw curves over their index, all on one vertical axis, as a grid of dots.

    Args:
        lines: Curves of at least two values.
        width: Columns, the labels of the axis included.
        height: Rows.
    """
    low, high = min(map(min, lines)), max(map(max, lines))
    labels = (formats.number(high), formats.number(low))
    margin = max(map(len, labels)) + 1
    inner = max(2, width - margin - 1)
    rows = [[" "] * inner for _ in range(height)]
    zero = _level(0.0, low, high, height) if low < 0 < high else None
    if zero is not None:
        rows[zero] = ["."] * inner
    for line in lines:
        for at in range(inner):
            # The mean of what falls into a column would hide oscillations; its nearest value does not invent
            # any.
            value = line[round(at * (len(line) - 1) / (inner - 1))]
            rows[_level(value, low, high, height)][at] = "*"
    names = {
        0: labels[0],
        height - 1: labels[1],
        **({zero: "0"} if zero not in (None, 0, height - 1) else {}),
    }
    return [f"{names.get(i, '').rjust(margin)}|{''.join(row).rstrip()}" for i, row in enumerate(rows)]


def _level(value: float, low: float, high: float, height: int) -> int:
    share = (value - low) / (high - low) if high > low else 0.5
    return height - 1 - math.floor(share * (height - 1) + 0.5)
