"""Figures of the factual-recall claims, drawn from the series in the report, every seed visible.

Nothing is imported from beside this file: what trains brings torch, and drawing must not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from claims.drawing import Rows, canvas, legend, rows_of, said, series_of, spread
from pytest_claims.figures import COLOURS, Figure, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
KEY = "huang2026"
POSITIONS = ("s1", "a1", "s2", "a2", "s3", "<sep>")
SHOWN_STEPS = 120
"""Small steps that the figure of training shows; later ones move little."""


def draw(report: Mapping[str, Any]) -> list[Figure]:
    """The figures whose claims ran, in the order of the argument."""
    rows = rows_of(report, KEY)
    figures: tuple[Callable[[Rows], Figure | None], ...] = (
        _training,
        _pattern,
        _accuracy,
        _growth,
        _weights,
    )
    return [figure for make in figures if (figure := make(rows)) is not None]


def _found(rows: Rows, panels: Sequence[tuple[str, str]]) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Name, title and series of the panels whose claims ran."""
    return [(name, title, found) for name, title in panels if (found := series_of(rows, name)) is not None]


def _finished(drawn: Any, title: str, alt: str, *claims: str) -> Figure:
    return Figure(title, alt, to_svg(drawn), tuple(f"{KEY}/{claim}" for claim in claims))


def _heavier_first(attention: Floats) -> Floats:
    """Attention `[seed, …, 6]` with the pair first that weighs more in the end."""
    last = attention.reshape(len(attention), -1, 6)[:, -1]
    turned = attention[..., [2, 3, 0, 1, 4, 5]]
    heavier = (last[:, 0] >= last[:, 2]).reshape(-1, *[1] * (attention.ndim - 1))
    return np.where(heavier, attention, turned)


GROUPS = (
    ("subject, heavier pair", 0, COLOURS[0], "-"),
    ("answer, heavier pair", 1, COLOURS[0], "--"),
    ("subject, lighter pair", 2, COLOURS[1], "-"),
    ("answer, lighter pair", 3, COLOURS[1], "--"),
    ("query subject s3", 4, COLOURS[5], "-"),
    ("<sep>", 5, COLOURS[5], "--"),
)
KEPT_SCALE = 2
"""Of the perturbations of `escape`, the one whose path its series holds."""


def _training(rows: Rows) -> Figure | None:
    """V over the small steps, with the saddle and the escape."""
    panels = _found(
        rows, (("escape", "symmetrised, ρ = {:g}"), ("perturbation-needed", "samples as drawn, ρ = 0"))
    )
    if not panels:
        return None
    drawn, axes = canvas((2 + 4.2 * len(panels), 3.8), columns=len(panels), sharey=True)
    words = []
    for axis, (_, title, found) in zip(axes[0], panels, strict=True):
        # Index 0 is the start, 1 the large step, 2 the perturbation: small step 0.
        steps = np.array(found["index"]) - 2
        shown = steps <= SHOWN_STEPS
        attention = _heavier_first(np.array(found["attention"]))
        for label, position, colour, style in GROUPS:
            lines = axis.plot(steps[shown], attention[:, shown, position].T, color=colour, ls=style, lw=0.9)
            lines[0].set_label(label)
        escapes = np.array(found["steps"], dtype=float)
        named = title
        if escapes.ndim == 2:
            escapes, named = escapes[:, KEPT_SCALE], title.format(found["scale"][KEPT_SCALE])
        seen = escapes[escapes <= SHOWN_STEPS]
        axis.plot(seen, np.full(len(seen), -0.02), "^", color="black", ms=4, label="escape, a mark a seed")
        axis.axvline(-1, color="black", lw=0.8, ls=":", label="saddle: after the large step")
        axis.set_title(named, fontsize=10)
        axis.set_xlabel("small steps")
        apart = np.abs(attention[:, 1, 0] - attention[:, 1, 2])
        words.append(
            f"{named}: the pairs' subjects are {said(apart)} apart after the large step, and count as apart "
            f"from small step {said(escapes)} on"
        )
    axes[0, 0].set_ylabel("attention v on a position")
    legend(axes[0, -1])
    alt = (
        "Attention on six positions against small steps, a line a seed, with the end of the large step and "
        f"each seed's escape marked. Mean (least to most), {'; '.join(words)}."
    )
    return _finished(drawn, "Attention over training (share)", alt, *(name for name, *_ in panels))


def _pattern(rows: Rows) -> Figure | None:
    """V against (a, a, ½ − a, ½ − a, 0, 0)."""
    found = series_of(rows, "pairwise-pattern")
    if found is None:
        return None
    attention = _heavier_first(np.array(found["attention"]))
    weight = float(np.mean(found["weight"]))
    form = np.array([weight, weight, 0.5 - weight, 0.5 - weight, 0, 0])
    drawn, axes = canvas((6.5, 3.4))
    axis = axes[0, 0]
    places = np.arange(len(form))
    axis.hlines(
        form, places - 0.35, places + 0.35, color=COLOURS[5], lw=4, alpha=0.6, label=f"form, a = {weight:.3f}"
    )
    for offset, row in zip(spread(0, len(attention), 0.4), attention, strict=True):
        lines = axis.plot(places + offset, row, "o", ms=4, color=COLOURS[0])
    lines[0].set_label("a dot a seed")
    axis.set_xticks(places, POSITIONS)
    axis.set_xlabel("position, the heavier pair first")
    axis.set_ylabel("attention v")
    legend(axis)
    farthest = np.abs(attention - form).max()
    alt = (
        "Attention at the end of training on each position, a dot a seed, over bars at the pairwise form "
        f"(a, a, ½−a, ½−a, 0, 0) with the seeds' mean a = {weight:.3f}. The dot farthest from its bar is "
        f"{farthest:.3g} away."
    )
    return _finished(drawn, "Attention against the pairwise form (share)", alt, "pairwise-pattern")


SHARES = (
    ("sample-complexity", "half of them confusing"),
    ("sample-complexity-natural-share", "confusing as they fall"),
)


def _accuracy(rows: Rows) -> Figure | None:
    """Accuracy against m for every n."""
    panels = _found(rows, SHARES)
    if not panels:
        return None
    drawn, axes = canvas((2 + 4.2 * len(panels), 3.6), columns=len(panels), sharey=True)
    words = []
    for axis, (_, title, found) in zip(axes[0], panels, strict=True):
        levels = sorted({m for row in found["levels"] for m in row})
        for n, m, accuracy, colour in zip(
            found["n"], found["levels"], found["accuracy"], _colours(len(found["n"])), strict=True
        ):
            curves = np.array(accuracy)
            lines = axis.plot(m, curves.T, color=colour, lw=0.9, marker=".", ms=4)
            lines[0].set_label(f"n = {n:,.0f}")
            words.append(f"{title}, n = {n:,.0f}, m = {m[0]} to {m[-1]}: {_range(curves)}")
        _plain_log(axis, "x", levels if len(levels) <= 8 else levels[:: len(levels) // 6])
        axis.set_xlabel("fine-tuning sequences m")
        axis.set_title(title, fontsize=10)
    axes[0, 0].set_ylabel("accuracy (lesser of mixed, confusing)")
    legend(axes[0, -1])
    alt = (
        "Accuracy, averaged over draws, against the number of fine-tuning sequences, a line a seed, a colour "
        f"a number of facts n. Mean over seeds from the fewest sequences to the most, {'; '.join(words)}."
    )
    return _finished(drawn, "Accuracy against the number of sequences", alt, *(name for name, *_ in panels))


def _colours(count: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(count)]


def _range(curves: Floats) -> str:
    return f"{curves[:, 0].mean():.3g} to {curves[:, -1].mean():.3g}"


def _plain_log(axis: Axes, which: str, ticks: Sequence[float]) -> None:
    """A logarithmic axis whose ticks are the levels that were measured, written out."""
    axis.set(**{f"{which}scale": "log"})
    chosen = axis.xaxis if which == "x" else axis.yaxis
    chosen.set_ticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    chosen.set_ticks([], minor=True)


def _growth(rows: Rows) -> Figure | None:
    """Least m against n with both fits."""
    panels = _found(rows, SHARES)
    if not panels:
        return None
    drawn, axes = canvas((8.5, 3.8))
    axis = axes[0, 0]
    words = []
    for (_, title, found), colour in zip(panels, COLOURS, strict=False):
        sizes, least = np.array(found["n"]), np.array(found["least"])
        for factor, row in zip(np.exp(spread(0, len(least), 0.25)), least, strict=True):
            lines = axis.plot(sizes * factor, row, "o", ms=4, color=colour)
        lines[0].set_label(f"{title}: a dot a seed")
        grid = np.geomspace(sizes[0], sizes[-1], 60)
        power, polylog = (np.mean(found[fit], axis=0) for fit in ("power_law", "polylog"))
        straight = np.exp(np.polyval(power, np.log(grid)))
        curved = np.exp(np.polyval(polylog, np.log(np.log(grid))))
        axis.plot(grid, straight, color=colour, lw=1.2, label=f"power law, n^{power[0]:.2f}")
        axis.plot(grid, curved, color=colour, lw=1.2, ls="--", label=f"polylog, (ln n)^{polylog[0]:.2f}")
        slopes = said([slope for slope, _ in found["power_law"]])
        words.append(f"{title}: exponent of n {slopes}, of ln n {said([one for one, _ in found['polylog']])}")
    highest = max(float(np.max(found["least"])) for *_, found in panels)
    _plain_log(axis, "x", panels[0][2]["n"])
    _plain_log(axis, "y", [2.0**i for i in range(int(np.log2(highest)) + 2)])
    axis.set(xlabel="facts n", ylabel="least sufficient sequences m*")
    legend(axis)
    alt = (
        "Least number of sequences that suffice against the number of facts, a dot a seed, with a power law "
        f"(solid) and a power of ln n (dashed). Mean (least to most), {'; '.join(words)}."
    )
    return _finished(drawn, "Sequences needed against facts", alt, *(name for name, *_ in panels))


def _weights(rows: Rows) -> Figure | None:
    """A against a*(k)."""
    found = {
        name: one
        for name in rows
        if name.startswith("optimal-weight") and (one := series_of(rows, name)) is not None
    }
    if not found:
        return None
    drawn, axes = canvas((6.5, 3.4))
    axis = axes[0, 0]
    ordered = sorted(found.values(), key=lambda one: float(one["k"]))
    powers, predicted = [one["k"] for one in ordered], [one["predicted"] for one in ordered]
    axis.plot(powers, predicted, color=COLOURS[1], lw=1, marker="_", ms=16, mew=1.5, label="a*(k), predicted")
    for one in ordered:
        places = spread(one["k"], len(one["weight"]), 0.3)
        lines = axis.plot(places, one["weight"], "o", ms=4, color=COLOURS[0])
    lines[0].set_label("a dot a seed")
    axis.set_xticks(powers)
    axis.set(xlabel="power k of the activation", ylabel="weight a of the heavier pair")
    legend(axis)
    points = "; ".join(
        f"k = {one['k']}: {said(one['weight'])} where {one['predicted']:.4f} is predicted" for one in ordered
    )
    alt = (
        "Weight of the heavier pair against the activation's power, a dot a seed, over the predicted a*(k). "
        f"Mean (least to most), {points}."
    )
    return _finished(drawn, "Weight against the optimal weight (share)", alt, *found)
