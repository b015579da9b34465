"""Figures of what carries the gap: shares a part, effects a head, and patching maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from claims.drawing import Rows, canvas, legend, said, series_of, spread
from pytest_claims.figures import COLOURS, Figure, to_svg

KEY = "zuo2026"
BELOW, ABOVE, QUIET = COLOURS[0], COLOURS[1], COLOURS[5]
POSITIONS = ("k1", "v1", "k2", "v2", "k3", "v3", "k4", "v4", "query")


def attenuation(rows: Rows) -> Figure | None:
    """Share of the gap that each part carries, a dot a seed."""
    found = series_of(rows, "head-attenuation")
    if found is None:
        return None
    layers, single = np.array(found["layers"]), np.array(found["single_heads"])
    columns = [("all\nheads", np.array(found["heads"])), ("all\nMLPs", np.array(found["mlps"]))]
    columns += [(f"layer {layer}\nheads", layers[:, layer]) for layer in range(layers.shape[1])]
    columns += [
        (f"head\n{layer}.{head}", single[:, layer, head]) for layer, head in np.ndindex(single.shape[1:])
    ]
    logits = (("contextual", "contextual_logit"), ("fixed", "fixed_logit"))
    columns += [(f"{words}\nlogit", np.array(found[name])) for words, name in logits]
    drawn, axes = canvas((10.5, 4))
    axis = axes[0, 0]
    for place, (_, values) in enumerate(columns):
        axis.plot(spread(place, len(values), 0.5), values, "o", ms=3, color=BELOW)
        axis.hlines(values.mean(), place - 0.35, place + 0.35, color="black", lw=1.5)
    axis.axhline(0, color="black", lw=0.8)
    bound = (rows["head-attenuation"].get("prediction") or {}).get("bound")
    if isinstance(bound, int | float):
        axis.axhline(bound, color=ABOVE, lw=1, ls="--", label=f"{bound:g}, the criterion for all heads")
        axis.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    for border in (1.5, 1.5 + layers.shape[1], len(columns) - 2.5):
        axis.axvline(border, color=QUIET, lw=0.8, ls=":")
    axis.set_xticks(range(len(columns)), [name for name, _ in columns], fontsize=8)
    axis.set_ylabel("share of the gap at hold 0")
    shares = "; ".join(f"{name} {said(values)}".replace("\n", " ") for name, values in columns)
    alt = (
        "Share of the gap at hold 0 that goes when a part is mean-replaced at the query position (heads are "
        "named layer.head), and the share that sits in each of the two logits; a dot a seed, a line their "
        f"mean. Mean (least to most): {shares}."
    )
    claims = ("head-attenuation", "heads-carry-most", "mlp-attenuation")
    return _finished(drawn, "What carries the gap (share of the gap)", alt, claims)


def head_effects(rows: Rows) -> Figure | None:
    """Effect of each head's replacement in both branches."""
    found = series_of(rows, "dominant-head")
    if found is None:
        return None
    effects = {words: np.array(found[words]) for words in ("below", "above")}
    seeds, layers, heads = effects["below"].shape
    names = [f"{layer}.{head}" for layer, head in np.ndindex(layers, heads)]
    drawn, axes = canvas((9, 3.6))
    axis = axes[0, 0]
    largest = []
    for words, colour, side in (("below", BELOW, -0.2), ("above", ABOVE, 0.2)):
        flat = effects[words].reshape(seeds, -1)
        places = np.arange(len(names)) + side
        axis.bar(places, flat.mean(0), 0.36, color=colour, alpha=0.4, label=f"from {words}, mean")
        for offset, row in zip(spread(0, seeds, 0.24), flat, strict=True):
            axis.plot(places + offset, row, "o", ms=3.5, color=colour)
        largest.append(f"from {words} {', '.join(names[at] for at in np.abs(flat).argmax(1))}")
    axis.axhline(0, color="black", lw=0.8)
    axis.set_xticks(range(len(names)), names)
    axis.set(xlabel="head, as layer.head", ylabel="margin − margin without it (logits)")
    legend(axis)
    alt = (
        "Margin lost when one head is mean-replaced at the query position, in both branches: bars are means, "
        f"dots seeds. The head with the largest effect, seed by seed: {'; '.join(largest)}."
    )
    return _finished(drawn, "Effect of each head in both branches (logits)", alt, ("dominant-head",))


def residual_maps(rows: Rows) -> Figure | None:
    """Patching the residual stream, over (layer, position)."""
    title = "Patching the residual stream before each layer (logits of margin)"
    return _maps(rows, "route-map-residual", POSITIONS, "position", title, "shared-gain")


def head_maps(rows: Rows) -> Figure | None:
    """Patching single heads at the query position, over (layer, head)."""
    title = "Patching heads at the query position (logits of margin)"
    return _maps(rows, "route-map-heads", tuple("0123"), "head", title)


def _maps(
    rows: Rows, name: str, names: Sequence[str], across: str, title: str, *others: str
) -> Figure | None:
    """Both patching maps and their difference side by side, a row a seed."""
    found = series_of(rows, name)
    if found is None:
        return None
    below, above = np.array(found["below"]), np.array(found["above"])
    seeds, layers, width = below.shape
    labels = [*names[:width], *map(str, range(len(names), width))]
    drawn, axes = canvas((10, 1.6 + 0.22 * seeds * (layers + 1)), columns=3, sharey=True)
    largest = float(np.abs([below, above]).max()) or 1.0
    apart = float(np.abs(below - above).max()) or 1.0
    columns = (
        ("from below", below, largest),
        ("from above", above, largest),
        ("below − above", below - above, apart),
    )
    for axis, (words, maps, limit) in zip(axes[0], columns, strict=True):
        # One mesh for all seeds, with an empty row between them, is drawn much faster than axes a seed.
        rows_apart = np.pad(maps, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, width)
        mesh = axis.pcolormesh(rows_apart[:-1], cmap="RdBu_r", vmin=-limit, vmax=limit)
        axis.set_xticks(np.arange(width) + 0.5, labels, fontsize=8)
        axis.set_title(words, fontsize=9)
        axis.set_xlabel(across, fontsize=9)
        axis.spines[:].set_visible(False)
        drawn.colorbar(mesh, ax=axis, location="bottom", aspect=30).ax.tick_params(labelsize=7)
    names_of_rows = [
        f"seed {seed}, layer {layer}" for seed in _seeds(rows[name], seeds) for layer in range(layers)
    ]
    places = [row * (layers + 1) + layer + 0.5 for row in range(seeds) for layer in range(layers)]
    axes[0, 0].set_yticks(places, names_of_rows, fontsize=8)
    axes[0, 0].invert_yaxis()
    mean = (below.mean(0), above.mean(0))
    at = np.unravel_index(np.abs(mean[0]).argmax(), (layers, width))
    alt = (
        f"Heat maps of patching effects over layer and {across}, a row a seed: from below, from above, and "
        f"their difference on a scale of its own. The largest mean effect from below is in layer {at[0]} at "
        f"{across} {labels[int(at[1])]}: {mean[0][at]:.3g}, where from above has {mean[1][at]:.3g}; the "
        f"largest difference in any seed is {apart:.3g}."
    )
    return _finished(drawn, title, alt, (name, *others))


def _seeds(row: Mapping[str, Any], count: int) -> Sequence[object]:
    found = row.get("seeds") or []
    return found if len(found) == count else range(count)


def _finished(drawn: Any, title: str, alt: str, claims: Sequence[str]) -> Figure:
    return Figure(title, alt, to_svg(drawn), tuple(f"{KEY}/{claim}" for claim in claims))
