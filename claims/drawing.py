"""What the papers' figures share: their canvas, their words for numbers, and how they read the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Rows = Mapping[str, Mapping[str, Any]]
"""A paper's claims in the report, by what follows the paper's key in their ids."""


def rows_of(report: Mapping[str, Any], key: str) -> Rows:
    """The claims of the paper with this key."""
    return {
        row["id"].removeprefix(f"{key}/"): row
        for row in report.get("claims") or []
        if row.get("paper") == key and row.get("id")
    }


def series_of(rows: Rows, name: str) -> Mapping[str, Any] | None:
    """The series of a claim; ``None`` where it did not run or has none."""
    found = rows.get(name, {}).get("series")
    return found if isinstance(found, Mapping) else None


def band_of(prediction: Mapping[str, Any] | None) -> tuple[float, float] | None:
    """Both bounds of a prediction that has two."""
    bound = (prediction or {}).get("bound")
    return (bound[0], bound[1]) if isinstance(bound, list) and len(bound) == 2 else None


def canvas(
    size: tuple[float, float], rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Canvas, NDArray[Any]]:
    """An empty drawing.

    Args:
        size: Width and height in inches.
        rows: Rows of axes.
        columns: Columns of axes.
        options: For `matplotlib.figure.Figure.subplots`.

    Returns:
        The drawing and its axes `[row, column]`.
    """
    from matplotlib.figure import Figure as Canvas

    drawn = Canvas(figsize=size, layout="constrained")
    axes = drawn.subplots(rows, columns, squeeze=False, **options)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    return drawn, axes


def legend(axis: Axes, **options: Any) -> None:
    """A legend to the right of the axes, where it hides no seed."""
    axis.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), **options)


def spread(place: float, count: int, width: float) -> NDArray[np.float64]:
    """Places of `count` dots side by side around `place`, so that equal seeds do not hide each other."""
    return place + (np.linspace(-width / 2, width / 2, count) if count > 1 else np.zeros(1))


def said(values: ArrayLike) -> str:
    """Mean, least and most over seeds, for alternative texts: "0.095 (0.081 to 0.104)"."""
    array = np.asarray(values, dtype=float)
    return f"{array.mean():.3g} ({array.min():.3g} to {array.max():.3g})"
