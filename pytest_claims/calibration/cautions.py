"""What the calibration says about one claim: the rates of wrong verdicts above alpha that touch it.

A rate touches a claim that has the verdict in question, the same prediction and measurement and as many
seeds, unless the claim's own seeds rule it out: they lie further beyond the bound, in units of their spread,
than such noise puts them with that verdict in a share alpha of all experiments. Bounded noise touches the
claims in which two seeds or more share the best value, as counts near their ceiling do; other noise the rest.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent.with_name("calibration.json")
"""The rates found by `claims calibrate`, shipped with the package."""


def cautions(row: Mapping[str, Any], table: Mapping[str, Any] | None = None) -> list[str]:
    """Say in words which rates above alpha touch a claim; nothing where none does.

    Args:
        row: The claim as it stands in the report: ``prediction``, ``seeds``, ``verdict``, its numbers or its
            ``parts``.
        table: The calibration (default: the one shipped).
    """
    table = _shipped() if table is None else table
    n, parts = len(row.get("seeds") or []), row.get("parts")
    if not isinstance(parts, Mapping):
        return list(_of_one(row, n, table))
    # Only parts with the whole's verdict decided it; those that share a caution share the sentence.
    names: dict[str, list[str]] = {}
    for name, part in parts.items():
        if part.get("verdict") == row.get("verdict"):
            for said in _of_one(part, n, table):
                names.setdefault(said, []).append(name)
    shared = [f"{', '.join(which)}: {said}" for said, which in names.items()]
    return [*shared, *_of_parts(row, n, table)]


@functools.cache
def _shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def _of_one(row: Mapping[str, Any], n: int, table: Mapping[str, Any]) -> Iterator[str]:
    verdict, prediction = str(row.get("verdict")), row.get("prediction")
    if not isinstance(prediction, Mapping):
        return
    kind = prediction.get("kind")
    measurement = "truth" if kind == "holds" else "values" if row.get("numerator") is None else "ratio"
    cells = [
        cell for cell in table["nulls"] if (cell["prediction"], cell["measurement"]) == (kind, measurement)
    ]
    for cell in _at(cells, n):
        if verdict in cell["above"] and (kind == "holds" or _within_reach(row, cell)):
            yield _sentence(cell, verdict, table["alpha"])


def _of_parts(row: Mapping[str, Any], n: int, table: Mapping[str, Any]) -> Iterator[str]:
    """A rate above alpha because any of several parts may contradict, however it came to be so."""
    count, verdict = len(row["parts"]), row.get("verdict")
    most = max((cell["parts"] for cell in table["parts"] if cell["parts"] <= count), default=0)
    for cell in _at([cell for cell in table["parts"] if cell["parts"] == most], n):
        if verdict in cell["above"]:
            yield (
                f"the test's false-contradiction rate at {cell['seeds']} seeds is "
                f"{_rate(cell, 'contradicted', table['alpha'])} for {most} parts that all lie on their bounds"
            )


def _at(cells: list[Any], n: int) -> list[Any]:
    """The cells simulated at `n` seeds, or at the next smaller number of seeds that was."""
    known = [cell["seeds"] for cell in cells if cell["seeds"] <= n]
    return [cell for cell in cells if known and cell["seeds"] == max(known)]


def _within_reach(row: Mapping[str, Any], cell: Mapping[str, Any]) -> bool:
    """Whether such noise gives a margin like the row's more often than alpha."""
    # Imported where a rate is above alpha at all: it takes the simulation's modules.
    import numpy as np

    from pytest_claims.calibration.judging import distances, margin, prediction_of

    ratio, found, verdict = cell["measurement"] == "ratio", row["prediction"], row["verdict"]
    values = np.asarray(row["numerator"] if ratio else row["values"], dtype=np.float64)
    if values.size < 2:
        return False
    denominator = np.asarray(row["denominator"], dtype=np.float64) if ratio else None
    beyond = np.minimum.reduce(distances(prediction_of(found["kind"], found["bound"]), values, denominator))
    tied = np.count_nonzero(beyond == beyond.max()) > 1
    if tied != (cell["noise"] == "bounded"):
        return False
    side, reach = 1 if verdict == "replicated" else -1, cell["above"][verdict]
    return reach is None or side * float(margin(beyond)) <= reach


def _sentence(cell: Mapping[str, Any], verdict: str, alpha: float) -> str:
    what = "replication" if verdict == "replicated" else "contradiction"
    said = f"the test's false-{what} rate at {cell['seeds']} seeds is {_rate(cell, verdict, alpha)}"
    if cell["null"] == "rare failures":
        return f"{said} for what fails in one seed of ten"
    noise = str(cell["noise"]).split(" ", maxsplit=1)[0]
    return f"{said} under {noise} noise" + (" whose mean lies on the bound" if cell["null"] == "mean" else "")


def _rate(cell: Mapping[str, Any], verdict: str, alpha: float) -> str:
    return f"{100 * cell[verdict]:.3g} % (α {100 * alpha:g} %)"
