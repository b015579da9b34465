"""Gather claims' rows where the reports of all workers come together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_claims.running import error_row

_COST = ("runs", "trained", "measured", "seconds")


class Gathering:
    """Rows, notes and failures of a session, as they come in.

    Attributes:
        notes: What the store had to say, in order.
        others: Failures of anything that is not a claim: tests, collection.
    """

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.others = 0

    def add(self, report: Any) -> None:
        """Take what a report of pytest's brings, be it of a test or of collection."""
        row = getattr(report, "claims_row", None)
        if row is not None:
            self._rows.append(row)
        elif report.failed:
            self.others += 1
        self.notes += [note for note in getattr(report, "claims_notes", ()) if note not in self.notes]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each claim and outcome: with ``--dist each``, workers that agree are one row."""
        merged: dict[str, dict[str, Any]] = {}
        for row in self._rows:
            outcome = json.dumps({k: v for k, v in row.items() if k not in _COST}, sort_keys=True)
            merged[outcome] = _both(merged[outcome], row) if outcome in merged else row
        return list(merged.values())


def crash_row(nodeid: str, worker: str, declarations: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the row of the claim in which a worker died, None if it died in another test.

    Args:
        nodeid: What the worker ran; with ``--dist loadgroup`` this ends in the group's name.
        worker: Its name.
        declarations: The collected claims.
    """
    by_node = {declaration["nodeid"]: declaration for declaration in declarations}
    declaration = by_node.get(nodeid) or by_node.get(nodeid.rpartition("@")[0])
    return None if declaration is None else error_row(declaration, f"worker {worker} died")


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """One row for two workers that saw the same: what they made is added up. One that died tells no cost."""
    if "seconds" not in one:
        return dict(other)
    return {
        **one,
        "trained": one["trained"] + other.get("trained", 0),
        "measured": one["measured"] + other.get("measured", 0),
        "seconds": max(one["seconds"], other.get("seconds", 0.0)),
    }
