"""Figures of the factual-recall claims, drawn from the series in the report, every seed visible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytest_claims.figures import COLOURS, Figure, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Series = Mapping[str, Any]
KEY = "huang2026"
POSITIONS = ("s1", "a1", "s2", "a2", "s3", "<sep>")


def draw(report: Mapping[str, Any]) -> list[Figure]:
    """The figures whose claims ran, in the order of the argument."""
    series = {
        row["id"].removeprefix(f"{KEY}/"): row["series"]
        for row in report["claims"]
        if row["paper"] == KEY and row.get("series")
    }
    figures: tuple[Callable[[Mapping[str, Series]], Figure | None], ...] = (
        _training,
        _pattern,
        _accuracy,
        _growth,
        _weights,
    )
    return [figure for make in figures if (figure := make(series)) is not None]


def _canvas(panels: int) -> tuple[Canvas, list[Axes]]:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(4.2 * panels, 3.4), layout="constrained")
    axes = list(np.atleast_1d(canvas.subplots(1, panels, sharey=panels > 1)))
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return canvas, axes


def _finished(canvas: Canvas, title: str, alt: str, *claims: str) -> Figure:
    return Figure(title, alt, to_svg(canvas), tuple(f"{KEY}/{claim}" for claim in claims))


def _heavier_first(attention: NDArray[np.float64]) -> NDArray[np.float64]:
    """Attention `[seed, …, 6]` with the pair first that weighs more in the end."""
    last = attention.reshape(len(attention), -1, 6)[:, -1]
    turned = attention[..., [2, 3, 0, 1, 4, 5]]
    heavier = (last[:, 0] >= last[:, 2]).reshape(-1, *[1] * (attention.ndim - 1))
    return np.where(heavier, attention, turned)


def _training(series: Mapping[str, Series]) -> Figure | None:
    """V over the small steps, with the saddle and the escape."""
    panels = [
        (name, panel)
        for name, panel in (("escape", "symmetrised, ρ = 1e-4"), ("perturbation-needed", "as drawn, ρ = 0"))
        if name in series
    ]
    if not panels:
        return None
    canvas, axes = _canvas(len(panels))
    groups = (
        ("heavier pair", (0, 1), COLOURS[0]),
        ("lighter pair", (2, 3), COLOURS[1]),
        ("s3, <sep>", (4, 5), COLOURS[5]),
    )
    for axis, (name, panel) in zip(axes, panels, strict=True):
        # Index 0 is the start, 1 the large step, 2 the perturbation: small step 0.
        steps = np.array(series[name]["index"]) - 2
        for label, positions, colour in groups:
            curves = _heavier_first(np.array(series[name]["attention"]))[:, :, positions]
            lines = axis.plot(steps, np.moveaxis(curves, 1, 0).reshape(len(steps), -1), color=colour, lw=0.8)
            lines[0].set_label(label)
        axis.set_title(panel, fontsize=10)
        axis.set_xlabel("small steps (−2: start, −1: after the large step)")
        axis.set_xlim(-3, 120)
    axes[0].set_ylabel("attention v")
    axes[0].legend(frameon=False, fontsize=8)
    alt = (
        "Attention on six positions against small steps, every seed. On the symmetrised problem the four pair"
        " positions meet near a quarter after the large step, stay there for some 40 steps, then part into a "
        "heavier pair near 1/3 and a lighter one near 1/6. On samples as drawn they are apart from the start."
    )
    return _finished(canvas, "Attention over training", alt, *(name for name, _ in panels))


def _pattern(series: Mapping[str, Series]) -> Figure | None:
    """V against (a, a, ½ − a, ½ − a, 0, 0)."""
    if "pairwise-pattern" not in series:
        return None
    attention = _heavier_first(np.array(series["pairwise-pattern"]["attention"]))
    weight = float(np.mean(series["pairwise-pattern"]["weight"]))
    canvas, (axis,) = _canvas(1)
    for position, value in enumerate((weight, weight, 0.5 - weight, 0.5 - weight, 0, 0)):
        axis.hlines(value, position - 0.35, position + 0.35, color=COLOURS[5], lw=4, alpha=0.6)
    offsets = np.linspace(-0.2, 0.2, len(attention))
    for offset, row in zip(offsets, attention, strict=True):
        axis.plot(np.arange(6) + offset, row, "o", ms=4, color=COLOURS[0])
    axis.set_xticks(range(6), POSITIONS)
    axis.set_xlabel("position, the heavier pair first")
    axis.set_ylabel("attention v")
    axis.set_title(f"bars: a = {weight:.3f}", fontsize=10)
    alt = (
        "Attention at the end of training on each position, one dot a seed, on bars at (a, a, ½−a, ½−a, 0, 0)"
        f" with a = {weight:.3f}: the dots lie on the bars."
    )
    return _finished(canvas, "Attention against the pairwise pattern", alt, "pairwise-pattern")


SHARES = (
    ("sample-complexity", "half of them confusing"),
    ("sample-complexity-natural-share", "confusing as they fall"),
)


def _accuracy(series: Mapping[str, Series]) -> Figure | None:
    """Accuracy against m for every n."""
    panels = [(name, panel) for name, panel in SHARES if name in series]
    if not panels:
        return None
    canvas, axes = _canvas(len(panels))
    for axis, (name, panel) in zip(axes, panels, strict=True):
        found = series[name]
        for colour, n, levels, accuracy in zip(
            COLOURS, found["n"], found["levels"], found["accuracy"], strict=False
        ):
            lines = axis.plot(levels, np.array(accuracy).T, color=colour, lw=0.8, marker=".", ms=3)
            lines[0].set_label(f"n = {n:,.0f}")
        axis.set_xscale("log")
        axis.set_xlabel("fine-tuning sequences m")
        axis.set_title(panel, fontsize=10)
    axes[0].set_ylabel("accuracy (lesser of mixed, confusing)")
    axes[-1].legend(frameon=False, fontsize=8)
    alt = (
        "Accuracy averaged over 20 draws against the number of fine-tuning sequences, one line a seed, one "
        "colour a number of facts. With half of the sequences confusing all curves reach 1 by a dozen. "
        "With confusing ones as they fall, the curves move right as the number of facts grows."
    )
    return _finished(canvas, "Accuracy against the number of sequences", alt, *(name for name, _ in panels))


def _growth(series: Mapping[str, Series]) -> Figure | None:
    """Least m against n with both fits."""
    panels = [(name, panel) for name, panel in SHARES if name in series]
    if not panels:
        return None
    canvas, (axis,) = _canvas(1)
    slopes = []
    for colour, (name, panel) in zip(COLOURS, panels, strict=False):
        found = series[name]
        sizes, least = np.array(found["n"]), np.array(found["least"])
        for row in least:
            axis.plot(sizes, row, "o", ms=4, color=colour, alpha=0.6)
        grid = np.geomspace(sizes[0], sizes[-1], 60)
        power, polylog = (np.mean(found[fit], axis=0) for fit in ("power_law", "polylog"))
        axis.plot(
            grid, np.exp(np.polyval(power, np.log(grid))), color=colour, label=f"{panel}: n^{power[0]:.2f}"
        )
        curve = np.exp(np.polyval(polylog, np.log(np.log(grid))))
        axis.plot(grid, curve, color=colour, ls="--", label=f"(ln n)^{polylog[0]:.1f}")
        slopes.append(f"{panel}: m* grows as n to the {power[0]:.2f}")
    axis.set(xscale="log", yscale="log", xlabel="facts n", ylabel="least sufficient sequences m*")
    axis.legend(frameon=False, fontsize=8)
    alt = (
        "Least number of sequences that suffice against the number of facts, one dot a seed, with a power law"
        f" (solid) and a power of ln n (dashed). {'; '.join(slopes)}."
    )
    return _finished(canvas, "Sequences needed against facts", alt, *(name for name, _ in panels))


def _weights(series: Mapping[str, Series]) -> Figure | None:
    """A against a*(k)."""
    found = {name: one for name, one in series.items() if name.startswith("optimal-weight")}
    if not found:
        return None
    canvas, (axis,) = _canvas(1)
    for one in found.values():
        spread = one["k"] + np.linspace(-0.12, 0.12, len(one["weight"]))
        axis.plot(spread, one["weight"], "o", ms=4, color=COLOURS[0])
    powers, predicted = zip(*sorted((one["k"], one["predicted"]) for one in found.values()), strict=True)
    axis.plot(powers, predicted, color=COLOURS[1], lw=1, marker="_", ms=14, label="a*(k)")
    axis.set(xlabel="power k of the activation", ylabel="weight a of the heavier pair")
    axis.legend(frameon=False)
    alt = "Weight of the heavier pair against the activation's power, one dot a seed, on the predicted a*(k)."
    return _finished(canvas, "Weight against the optimal weight", alt, *found)
