"""Figures of the history-dependence claims, drawn from the series in the report, every seed visible.

Nothing is imported from beside this file: what trains brings torch, and drawing must not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from claims.drawing import Rows, band_of, canvas, legend, rows_of, said, series_of
from claims.history_dependence import circuit_figures
from pytest_claims.figures import COLOURS, Figure, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KEY = "zuo2026"
BELOW, ABOVE, QUIET = COLOURS[0], COLOURS[1], COLOURS[5]
MEASURED = (0, 25, 100)
"""Updates of the hold after which the paper measures."""


def draw(report: Mapping[str, Any]) -> list[Figure]:
    """The figures whose claims ran, in the order of the argument."""
    rows = rows_of(report, KEY)
    figures: tuple[Callable[[Rows], Figure | None], ...] = (
        _loop,
        _hold,
        _legs,
        _doses,
        circuit_figures.attenuation,
        circuit_figures.head_effects,
        circuit_figures.residual_maps,
        circuit_figures.head_maps,
        _memories,
    )
    return [figure for make in figures if (figure := make(rows)) is not None]


def _loop(rows: Rows) -> Figure | None:
    """Both branches' margins over loop and hold, with the schedule under them."""
    found = series_of(rows, "immediate-gap")
    if found is None:
        return None
    drawn, axes = canvas((9, 4.8), rows=2, sharex=True, height_ratios=(3, 1))
    top, bottom = axes[:, 0]
    updates, hold = np.array(found["updates"]), found["hold_starts"]
    margins = {words: np.array(found[words]) for words in ("below", "above")}
    levels = np.array(found["levels"])
    ways = (("below", BELOW, levels), ("above", ABOVE, levels[::-1]))
    for words, colour, way in ways:
        lines = top.plot(updates, margins[words].T, color=colour, lw=0.9)
        lines[0].set_label(f"from {words}, a line a seed")
        held = np.concatenate([way, np.full(int(updates[-1]) - len(way) + 1, found["p0"])])
        bottom.step(np.arange(len(held)), held, where="post", color=colour, lw=1.2)
    for axis in (top, bottom):
        axis.axvline(hold, color=QUIET, lw=0.9, ls=":")
    top.axvline(hold, color=QUIET, lw=0.9, ls=":", label="hold 0")
    top.set_ylabel("margin (logits)")
    legend(top)
    bottom.set(ylabel="p(contextual)", xlabel="updates since the fork")
    at = int(np.searchsorted(updates, hold))
    below, above = (said(margins[words][:, at]) for words in ("below", "above"))
    alt = (
        f"Margins of both branches of {len(margins['below'])} seeds over {updates[-1]} updates, a line a "
        f"seed, above the mixture at which they were trained. At hold 0, {hold} updates after the fork, from "
        f"below is at {below} logits and from above at {above}; mean (least to most)."
    )
    return _finished(drawn, "Margins over the loop and the hold, with the schedule", alt, "immediate-gap")


def _hold(rows: Rows) -> Figure | None:
    """The gap over the hold with the band that counts as near zero."""
    found = series_of(rows, "immediate-gap")
    if found is None:
        return None
    drawn, axes = canvas((9, 3.8))
    axis = axes[0, 0]
    updates = np.array(found["updates"]) - found["hold_starts"]
    gaps = (np.array(found["below"]) - np.array(found["above"]))[:, updates >= 0]
    updates = updates[updates >= 0]
    band = _band(axis, rows.get("relaxation", {}).get("prediction"))
    lines = axis.plot(updates, gaps.T, color=BELOW, lw=0.9, marker=".", ms=4)
    lines[0].set_label("a line a seed")
    axis.plot(updates, gaps.mean(0), color="black", lw=2, label="mean of the seeds")
    reported = (rows["immediate-gap"].get("reported") or {}).get("value")
    if reported is not None:
        axis.plot([0], [reported], "D", color=ABOVE, ms=7, mfc="none", mew=1.5, label="reported at hold 0")
    for when in MEASURED:
        axis.axvline(when, color=QUIET, lw=0.9, ls=":")
    axis.set(xlabel="updates of the hold", ylabel="gap (logits)")
    legend(axis)
    points = "; ".join(f"after {when}: {said(gaps[:, _nearest(updates, when)])}" for when in MEASURED)
    alt = (
        f"Gap between the branches over the hold, a line a seed and their mean{band}. In logits, mean (least "
        f"to most), {points}. Drawn from fewer trials than are judged."
    )
    return _finished(drawn, "The gap over the hold", alt, "immediate-gap", "reversal", "relaxation")


def _band(axis: Axes, prediction: Mapping[str, Any] | None) -> str:
    """Shade what counts as near zero by a claim's criterion, and say so."""
    axis.axhline(0, color="black", lw=0.8)
    band = band_of(prediction)
    if band is None:
        return ""
    axis.axhspan(*band, color=QUIET, alpha=0.25, lw=0, label="counts as near zero")
    return f", with a band from {band[0]:.3g} to {band[1]:.3g} that counts as near zero"


def _nearest(updates: NDArray[Any], when: int) -> int:
    return int(np.argmin(abs(updates - when)))


def _legs(rows: Rows) -> Figure | None:
    """The gap at hold 0 against the length of a leg."""
    found = series_of(rows, "no-hysteresis")
    if found is None:
        return None
    drawn, axes = canvas((6, 3.4))
    axis = axes[0, 0]
    axis.axhline(0, color="black", lw=0.8)
    legs, gaps = found["legs"], np.array(found["gaps_at_hold_0"])
    axis.plot(legs, gaps.T, color=BELOW, lw=0.9, marker="o", ms=4)
    axis.set(xscale="log", xlabel="updates a leg of the loop", ylabel="gap at hold 0 (logits)")
    axis.set_xticks(legs, [str(leg) for leg in legs])
    axis.minorticks_off()
    points = "; ".join(f"{leg} updates a leg: {said(gaps[:, i])}" for i, leg in enumerate(legs))
    alt = (
        f"Gap at hold 0 against the updates a leg, a line a seed. In logits, mean (least to most), {points}."
    )
    return _finished(drawn, "The gap of slower loops", alt, "no-hysteresis")


def _doses(rows: Rows) -> Figure | None:
    """The gap at hold 0 against δ."""
    found = series_of(rows, "dose-response")
    if found is None:
        return None
    drawn, axes = canvas((6, 3.4))
    axis = axes[0, 0]
    axis.axhline(0, color="black", lw=0.8)
    doses, gaps = found["doses"], np.array(found["gaps"])
    axis.plot(doses, gaps.T, color=BELOW, lw=0.9, marker="o", ms=4)
    axis.set(xlabel="δ, how far the mixture strays", ylabel="gap at hold 0 (logits)")
    points = "; ".join(f"δ = {dose:g}: {said(gaps[:, i])}" for i, dose in enumerate(doses))
    alt = f"Gap at hold 0 against δ, a line a seed. In logits, mean (least to most), {points}."
    return _finished(drawn, "The gap against the excursion", alt, "dose-response")


MEMORIES = (
    ("memory-first-moment", "first moment"),
    ("memory-second-moment", "second moment"),
    ("memory-parameters", "parameters"),
)


def _memories(rows: Rows) -> Figure | None:
    """The gap over the hold after a part of the state was equalised."""
    panels = [
        (name, words, found) for name, words in MEMORIES if (found := series_of(rows, name)) is not None
    ]
    if not panels:
        return None
    drawn, axes = canvas((1.5 + 3.2 * len(panels), 3.6), columns=len(panels), sharey=True)
    judged = []
    for axis, (name, words, found) in zip(axes[0], panels, strict=True):
        axis.axhline(0, color="black", lw=0.8)
        for key, colour, label in (("plain", QUIET, "as it was"), ("equalised", BELOW, "equalised")):
            curves = np.array(found[key])
            lines = axis.plot(np.arange(curves.shape[1]) * found["every"], curves.T, color=colour, lw=0.9)
            lines[0].set_label(f"{label}, a line a seed")
        axis.set_title(f"{words} equalised", fontsize=9)
        axis.set_xlabel("updates of the hold")
        if rows[name].get("values"):
            judged.append(f"{words}: {said(rows[name]['values'])}")
    axes[0, 0].set_ylabel("gap (logits)")
    legend(axes[0, -1])
    changes = f" Change of the gap as judged, in logits, mean (least to most), {'; '.join(judged)}."
    alt = (
        "Gap over the hold, a line a seed, as it was and after both branches got the mean of a part of their "
        f"states.{changes if judged else ''}"
    )
    return _finished(drawn, "The gap after equalising a part", alt, *(name for name, *_ in panels))


def _finished(drawn: Any, title: str, alt: str, *claims: str) -> Figure:
    return Figure(f"{title} (logits)", alt, to_svg(drawn), tuple(f"{KEY}/{claim}" for claim in claims))
