"""The baseline: every claim's last accepted verdict and values, for a gate that asks "did anything change?".

A verdict of any colour is accepted by writing it down. Beside it are each seed's values, those of the
rounding twin (the same runs with weights × (1 + 1e-7 · N), see `pytest_claims.replaying`), and digests of the
source files that made them. `pytest_claims.gate` compares a run with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_claims import formats
from pytest_claims.files import FileError, load_json, write_json

SCHEMA_VERSION = 1

_KEPT = ("verdict", "values", "estimate")


def build(report: Mapping[str, Any], twin: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Take from a report what a later run is compared with.

    Args:
        report: What is accepted.
        twin: The report of the rounding twins; without it only equal values pass as unchanged.
    """
    twins = {claim["id"]: claim for claim in twin["claims"]} if twin is not None else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "created": report["created"],
        "environment": report["environment"],
        "sources": {
            file: digest
            for claim in report["claims"]
            for file, digest in (claim.get("sources") or {}).items()
        },
        "claims": {claim["id"]: _entry(claim, twins.get(claim["id"])) for claim in report["claims"]},
    }


def _entry(claim: Mapping[str, Any], twin: Mapping[str, Any] | None) -> dict[str, Any]:
    parts = claim.get("parts")
    twin_parts = (twin or {}).get("parts") or {}
    return {
        **{field: claim.get(field) for field in _KEPT},
        "seeds": claim["seeds"],
        "tolerance": claim.get("tolerance") or 0.0,
        "twin": twin.get("values") if twin is not None and not parts else None,
        "sources": sorted(claim.get("sources") or {}),
        "parts": parts
        and {
            name: {
                **{field: part.get(field) for field in _KEPT},
                "twin": (twin_parts.get(name) or {}).get("values"),
            }
            for name, part in parts.items()
        },
    }


def check(report: Mapping[str, Any], path: Path) -> None:
    """Refuse a report that is no baseline.

    Raises:
        FileError: It is partial or has errors. Merging it with older entries would accept verdicts that
            nobody looked at together.
    """
    summary = report["summary"]
    if report["partial"] or summary["error"]:
        what = (
            formats.partial(summary)
            if report["partial"]
            else f"{formats.plural(summary['error'], 'claim')} erred"
        )
        raise FileError(
            f"{path}: baseline not written: {what}; a baseline holds every declared claim with a verdict"
        )


def write(report: Mapping[str, Any], path: Path, twin: Mapping[str, Any] | None = None) -> None:
    """Accept every verdict of a report as the baseline, replacing what `path` held.

    Raises:
        FileError: See `check`; the file is left as it was.
    """
    check(report, path)
    write_json(path, build(report, twin))


def load(path: Path) -> dict[str, Any]:
    """Read a baseline.

    Raises:
        FileError: It is not there, is no baseline, or was written by a newer version.
    """
    data = load_json(path, "claims baseline", SCHEMA_VERSION)
    if not isinstance(data.get("claims"), dict):
        raise FileError(f"{path}: not a claims baseline: it has no claims")
    return data


def series(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What of a claim has values of its own: its parts by name, else itself under an empty name.

    Args:
        entry: A claim of a report or of a baseline.
    """
    parts = entry.get("parts")
    if parts:
        yield from parts.items()
    else:
        yield "", entry
