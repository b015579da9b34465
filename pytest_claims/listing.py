"""`claims list`: every registered claim with its last accepted verdict, from two JSON files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TextIO

from rich.table import Table
from rich.text import Text

from pytest_claims import formats
from pytest_claims.terminal import Screen

NOT_ACCEPTED = "none accepted"


def print_list(
    registered: Mapping[str, Any],
    baseline: Mapping[str, Any] | None,
    *,
    file: TextIO | None = None,
    width: int | None = None,
) -> None:
    """Print the claims paper by paper: verdict, id, statement, prediction.

    Args:
        registered: See `pytest_claims.registry.load`.
        baseline: See `pytest_claims.baseline.load`; ``None`` where nothing was accepted yet.
        file: Where to; by default standard output.
        width: Columns; by default the terminal's.
    """
    screen = Screen.of(file, width)
    accepted = (baseline or {}).get("claims", {})
    for key, paper in registered["papers"].items():
        screen.print(screen.text(formats.heading(paper), "bold"))
        screen.print(_table(screen, key, registered["claims"], accepted))
        screen.print()
    counts = [accepted.get(name, {}).get("verdict", NOT_ACCEPTED) for name in registered["claims"]]
    words = [f"{counts.count(word)} {word}" for word in (*formats.VERDICTS, NOT_ACCEPTED) if word in counts]
    head = f"{formats.plural(len(counts), 'claim')} registered"
    screen.print(screen.text(f"{head}: {', '.join(words)}" if words else head, "bold"))


def _table(
    screen: Screen,
    key: str,
    claims: Mapping[str, Mapping[str, Any]],
    accepted: Mapping[str, Mapping[str, Any]],
) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=screen.width >= 60, overflow="fold")
    grid.add_column(overflow="fold")
    for name, entry in claims.items():
        if entry["paper"] != key:
            continue
        verdict = accepted.get(name, {}).get("verdict")
        shown = screen.verdict({"verdict": verdict}) if verdict else screen.text(NOT_ACCEPTED, "dim")
        kind = "" if entry["kind"] == "reported" else f" ({entry['kind']})"
        about = Text.assemble(
            screen.text(name, "bold"),
            screen.text(f"{kind}\n{formats.clean(entry['statement'])}\n"),
            screen.text(f"predicted: {_prediction(entry)}", "dim"),
        )
        grid.add_row(shown, about)
    return grid


def _prediction(entry: Mapping[str, Any]) -> str:
    """The registry keeps the parts' predictions as declared: a mapping of name to prediction."""
    found = entry.get("prediction")
    if found and not isinstance(found.get("kind"), str):
        return "; ".join(
            f"{name}: {formats.prediction({**entry, 'prediction': part})}" for name, part in found.items()
        )
    return formats.prediction(entry)
