"""The calibration written down: as Markdown tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pytest_claims.calibration.alarms import COMPARISONS
from pytest_claims.calibration.simulation import exceeds_alpha, standard_error

Cell = Mapping[str, Any]
Label = Callable[[Cell], str]

BEGIN, END = "<!-- calibration -->", "<!-- /calibration -->"
"""Between them a document holds the tables."""

_PREDICTIONS = {"exceeds": ">", "below": "<", "at_least": "≥", "at_most": "≤", "within": "within"}


def render(table: Mapping[str, Any]) -> str:
    """Write the calibration (`pytest_claims.calibration.simulation.simulate`) as Markdown."""
    n, alpha, nulls = table["repetitions"], table["alpha"], table["nulls"]
    medians = [cell for cell in nulls if cell["null"] == "median" and cell["prediction"] != "holds"]
    means = [cell for cell in nulls if cell["null"] == "mean"]
    denominators = [cell for cell in nulls if cell["null"] == "denominator"]

    def shares(cells: Iterable[Cell], row: Label, column: Label, *fields: str) -> str:
        return _pivot(cells, row, column, lambda cell: _share(cell, fields, n, alpha))

    def rates(column: Label, field: str, *, bold: bool) -> str:
        return _pivot(table["gate"], _noise, column, lambda cell: _rate(cell, field, alpha, bold=bold))

    gate = table["gate"][0]["repetitions"]
    parts = [
        f"All rates are in per cent, of {n:,} experiments each ({gate:,} for the gate). A rate r has "
        f"the Monte-Carlo standard error √(r(1−r)/{n:,}): {_error(0.03, n)} at 3, {_error(0.5, n)} at 50. "
        f"**Bold** is a rate of wrong verdicts above α = {100 * alpha:g} by more than three standard errors. "
        "Three numbers in a cell stand for 5, 10 and 20 seeds.",
        "### False replications",
        "The claim is false by a hair: a seed lies on the claimed side with probability one half.",
        shares(medians, _criterion, _noise, "replicated"),
        "A ratio far beyond its bound whose denominator has its median on 0: "
        f"{' · '.join(_share(cell, ('replicated',), n, alpha) for cell in denominators)}.",
        "For comparison, “>” if the sign-flip test stood alone, without the sign test beside it:",
        shares(table["sign_flip_alone"], _always(">"), _noise, "replicated"),
        "### False contradictions",
        "The same experiments, read the other way: the claim is true by a hair.",
        shares(medians, _criterion, _noise, "contradicted"),
        "Independent parts, each true by a hair; one contradicted part contradicts the claim.",
        shares(
            table["parts"], lambda cell: f"{cell['parts']} parts", _always("contradicted"), "contradicted"
        ),
        "### Where only the mean lies on the bound",
        "The median lies off it, so these are no errors about the median seed. They are errors for a reader "
        "who takes the verdict to speak of the mean.",
        "Replicated:",
        shares(means, _criterion, _noise, "replicated"),
        "Contradicted:",
        shares(means, _criterion, _noise, "contradicted"),
        "### Power, and what is left open",
        "The median lies beyond the bound by so many spreads of the seeds; a region's half-width takes the "
        "effect's place, the truth lying in its middle. A cell: replicated / inconclusive / contradicted.",
    ]
    for seeds in sorted({cell["seeds"] for cell in table["power"]}):
        cells = [cell for cell in table["power"] if cell["seeds"] == seeds]
        three = ("replicated", "inconclusive", "contradicted")
        parts += [f"{seeds} seeds:", shares(cells, _criterion_and_noise, _effect, *three)]
    parts += [
        "### Holds",
        "By the share of seeds in which the property holds; the null that is tested is one half.",
        shares(
            table["holds"], lambda cell: f"{100 * cell['share']:g} %", _always("replicated"), "replicated"
        ),
        "### The gate",
        "False alarms a comparison, by the number of twins that measured the rounding noise:",
        rates(_twins, "rate", bold=True),
        f"Any false alarm among {COMPARISONS} independent comparisons:",
        rates(_twins, "any", bold=False),
    ]
    return "\n\n".join(parts) + "\n"


def insert(text: str, tables: str) -> str:
    """Put `tables` in the place of those in a document, between its two marks; without marks they are all."""
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        return tables
    return f"{text[: start + len(BEGIN)]}\n\n{tables}\n{text[end:]}"


def dump(table: Mapping[str, Any]) -> str:
    """Write the calibration as strict JSON, one rate a line."""
    fields = []
    for name, value in table.items():
        text = _json(value)
        if isinstance(value, list):
            text = "[\n  " + ",\n  ".join(map(_json, value)) + "\n ]"
        fields.append(f" {_json(name)}: {text}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _pivot(cells: Iterable[Cell], row: Label, column: Label, write: Callable[[Cell], str]) -> str:
    """A table of the cells by row and column; those that share both stand in one, in their order."""
    found: dict[str, dict[str, list[str]]] = {}
    columns: dict[str, None] = {}
    for cell in cells:
        columns[column(cell)] = None
        found.setdefault(row(cell), {}).setdefault(column(cell), []).append(write(cell))
    lines = [["", *columns], ["---", *("---:" for _ in columns)]]
    for label, written in found.items():
        lines.append([label, *(" · ".join(written.get(name, ["–"])) for name in columns)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(cell: Cell, fields: tuple[str, ...], repetitions: int, alpha: float) -> str:
    """Shares of verdicts; a share of wrong ones is bold where it is above alpha."""
    every = {**cell, "inconclusive": 1 - cell.get("replicated", 0) - cell.get("contradicted", 0)}
    # Beyond the bound a replication is right, and so is no verdict at all.
    right = ("replicated", "inconclusive") if "effect" in cell or "share" in cell else ()
    written = []
    for field in fields:
        wrong = field not in right and exceeds_alpha(every[field], repetitions, alpha)
        written.append(_bold(_percent(every[field]), wrong))
    return " / ".join(written)


def _rate(cell: Cell, field: str, alpha: float, *, bold: bool) -> str:
    wrong = bold and exceeds_alpha(cell[field], cell["repetitions"], alpha)
    return _bold(f"{100 * cell[field]:.2g}", wrong)


def _bold(text: str, wrong: bool) -> str:
    return f"**{text}**" if wrong else text


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _error(share: float, repetitions: int) -> str:
    return f"{100 * standard_error(share, repetitions):.2g}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _criterion(cell: Cell) -> str:
    kind = _PREDICTIONS[cell["prediction"]]
    return f"ratio {kind}" if cell["measurement"] == "ratio" else kind


def _criterion_and_noise(cell: Cell) -> str:
    return f"{_criterion(cell)}, {cell['noise']}"


def _noise(cell: Cell) -> str:
    return str(cell["noise"])


def _effect(cell: Cell) -> str:
    return f"{cell['effect']:g}"


def _twins(cell: Cell) -> str:
    return f"{cell['twins']} twin" + ("s" if cell["twins"] > 1 else "")


def _always(text: str) -> Label:
    return lambda _: text
