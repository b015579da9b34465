"""Small drawings whose horizontal positions are shares of the width, so that they fit any column."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_claims import formats
from pytest_claims.page.markup import Markup, join, tag
from pytest_claims.page.scale import REACH, TICKS, Axis, Standing, compressed, numbers, standing

SHAPES = {
    "replicated": "M-5,0A5,5 0 1 1 5,0A5,5 0 1 1 -5,0Z",
    "contradicted": "M-5,-3L-3,-5L0,-2L3,-5L5,-3L2,0L5,3L3,5L0,2L-3,5L-5,3L-2,0Z",
    "inconclusive": "M-4.5,-4.5H4.5V4.5H-4.5ZM-2.5,-2.5V2.5H2.5V-2.5Z",
    "error": "M0,-6L6,5H-6Z",
    "not run": "M-5,-1H5V1H-5Z",
}
"""A shape a verdict, around the origin, about ten pixels wide: disc, cross, hollow square, triangle, dash."""

FARTHER = {True: "M8,-4L12,0L8,4", False: "M-8,-4L-12,0L-8,4"}
"""An arrowhead beside what lies beyond the axis, by its side."""

REPORTED = "M0,-7L6,0L0,7L-6,0ZM0,-4L-3.4,0L0,4L3.4,0Z"
"""The paper's number: a hollow diamond."""


def shape(verdict: object) -> Markup:
    """A verdict's sign, beside its word."""
    word = formats.clean(verdict)
    path = tag("path", d=SHAPES.get(word, SHAPES["error"]))
    return tag("svg", path, class_=f"sign v-{slug(word)}", viewBox="-7 -7 14 14", aria_hidden="true")


def badge(row: Mapping[str, Any]) -> Markup:
    """A verdict as sign and word, with the mark of a claim that cannot discriminate."""
    word = formats.clean(row.get("verdict")) or "not run"
    badges = [tag("span", shape(word), " ", word, class_=f"badge v-{slug(word)}")]
    if not formats.discriminates(row):
        badges.append(tag("span", formats.CANNOT_DISCRIMINATE, class_="badge mark"))
    if formats.marks(row):
        badges.append(
            tag(
                "span",
                "criterion changed" if row.get("criterion_changed") else "not registered",
                class_="badge mark",
            )
        )
    return join(badges, " ")


def slug(word: str) -> str:
    """A verdict as part of a class name."""
    return word.replace(" ", "-") if word in formats.VERDICTS else "error"


def placed(at: str, path: str, class_: str, middle: int = 12) -> Markup:
    """A shape at a share of the width."""
    inner = tag("path", d=path, class_=class_)
    return tag("svg", inner, x=at, y=middle, overflow="visible", width=1, height=1)


def line(at: str, class_: str, top: float = 0, bottom: float = 24) -> Markup:
    """A vertical line at a share of the width."""
    return tag("line", x1=at, x2=at, y1=top, y2=bottom, class_=class_)


def bar(low: str, high: str, class_: str, middle: float = 12) -> Markup:
    """A horizontal line between two shares of the width."""
    return tag("line", x1=low, x2=high, y1=middle, y2=middle, class_=class_)


LANE = 13
"""Pixels between the parts of a claim in the forest plot."""


def strip(lanes: Sequence[tuple[str, Mapping[str, Any]]]) -> Markup:
    """One row of the forest plot, a lane a part; a claim without numbers has none.

    Args:
        lanes: The claim itself with an empty name, or its parts by name.
    """
    placed_lanes = [(name, row, standing(row)) for name, row in lanes]
    if all(where is None for *_, where in placed_lanes):
        return tag("span", "no number to place", class_="quiet")
    height = 24 + LANE * (len(lanes) - 1)
    pieces = [line(compressed(tick), "grid", 0, height) for tick in TICKS if tick]
    pieces.append(line(compressed(0), "bound", 0, height))
    said = []
    for i, (name, row, where) in enumerate(placed_lanes):
        if where is not None:
            pieces += _lane(where, row.get("verdict"), 12 + LANE * i)
            said.append(": ".join(text for text in (name, _said(where)) if text))
    label = "; ".join(said)
    return tag("svg", *pieces, class_="strip", role="img", height=height, width="100%", aria_label=label)


def _lane(where: Standing, verdict: object, middle: int) -> Iterator[Markup]:
    if where.interval is not None:
        yield bar(compressed(where.interval[0]), compressed(where.interval[1]), "interval", middle)
    word = formats.clean(verdict)
    at = compressed(where.estimate)
    yield placed(at, SHAPES.get(word, SHAPES["error"]), f"v-{slug(word)}", middle)
    if where.reported is not None:
        yield placed(compressed(where.reported), REPORTED, "reported", middle)
    if abs(where.estimate) > REACH:
        yield placed(at, FARTHER[where.estimate > 0], "interval", middle)


def _said(where: Standing) -> str:
    if math.isinf(where.estimate):
        side = "the claimed" if where.estimate > 0 else "the other"
        return f"every seed has the same value, on {side} side of the bound"
    text = f"{formats.number(where.estimate)} standard deviations beyond the bound"
    if where.interval is not None:
        low, high = (formats.number(end) for end in where.interval)
        text += f", 95 % interval {low} to {high}"
    if where.reported is not None:
        text += f"; the paper's number lies at {formats.number(where.reported)}"
    return text


def forest_axis() -> Markup:
    """The head of the forest plot's column: its ticks."""
    labels = [
        tag(
            "text",
            formats.exact(tick),
            x=compressed(tick),
            y=12,
            class_="minor" if abs(tick) in (3, 30) else None,
        )
        for tick in TICKS
    ]
    return tag("svg", *labels, class_="strip axis", height=16, width="100%", aria_hidden="true")


def dots(row: Mapping[str, Any]) -> Markup:
    """Every seed as a dot on the claim's own axis, with the bound, the interval and the paper's number."""
    values = numbers(row)
    if not values:
        return Markup("")
    bound = (row.get("prediction") or {}).get("bound")
    edges = list(formats.limits(bound) or ([bound] if formats.is_number(bound) else []))
    interval = formats.limits(row.get("interval"))
    reported = (row.get("reported") or {}).get("value")
    landmarks = [*edges, *(interval or ()), *([reported] if formats.is_number(reported) else [])]
    axis = Axis.over([*values, *landmarks])
    pieces = []
    if len(edges) == 2:
        left, right = float(axis.at(edges[0])[:-1]), float(axis.at(edges[1])[:-1])
        pieces.append(tag("rect", x=f"{left}%", width=f"{right - left:.1f}%", y=2, height=40, class_="band"))
    pieces += [line(axis.at(edge), "bound", 2, 42) for edge in edges]
    if interval is not None:
        pieces.append(bar(axis.at(interval[0]), axis.at(interval[1]), "interval", 34))
    if formats.is_number(row.get("estimate")):
        at = axis.at(row["estimate"])
        pieces.append(line(at, "mean", 28, 40))
    if formats.is_number(reported):
        pieces.append(placed(axis.at(reported), REPORTED, "reported", 34))
    # Three heights, so that equal values do not hide each other.
    pieces += [tag("circle", cx=axis.at(value), cy=(14, 8, 20)[i % 3], r=4) for i, value in enumerate(values)]
    pieces.append(tag("text", formats.number(axis.low), x="4%", y=56, class_="start"))
    pieces.append(tag("text", formats.number(axis.high), x="96%", y=56, class_="end"))
    label = f"Values of {formats.plural(len(values), 'seed')}: {', '.join(map(formats.number, values))}"
    return tag("svg", *pieces, class_="dots", role="img", height=60, width="100%", aria_label=label)
