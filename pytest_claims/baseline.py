"""The baseline: every claim's last accepted verdict and values, for a gate that asks "did anything change?".

A verdict of any colour is accepted by writing it down. `compare` is red exactly when a declared claim did not
run, a claim erred, or a claim is not what the baseline says: that is what a continuous check can ask of
honest science, which keeps its contradicted claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_claims import formats
from pytest_claims.files import FileError, load_json, write_json

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Comparison:
    """What a report's comparison with the baseline found.

    Attributes:
        ok: Nothing changed, nothing erred, nothing is missing.
        lines: One sentence a finding, in the report's order; a single summary line when all is well.
    """

    ok: bool
    lines: tuple[str, ...]


def build(report: Mapping[str, Any]) -> dict[str, Any]:
    """Take from a report what a later run is compared with."""
    return {
        "schema_version": SCHEMA_VERSION,
        "created": report["created"],
        "environment": report["environment"],
        "claims": {claim["id"]: _entry(claim) for claim in report["claims"]},
    }


def _entry(claim: Mapping[str, Any]) -> dict[str, Any]:
    parts = claim.get("parts")
    return {
        "verdict": claim["verdict"],
        "seeds": claim["seeds"],
        "values": claim["values"],
        "estimate": claim["estimate"],
        "parts": parts
        and {
            name: {field: part.get(field) for field in ("verdict", "values", "estimate")}
            for name, part in parts.items()
        },
    }


def write(report: Mapping[str, Any], path: Path) -> None:
    """Accept every verdict of a report as the baseline, replacing what `path` held.

    Raises:
        FileError: The report is partial or has errors. Merging it with older entries would accept verdicts
            that nobody looked at together, so the file is left as it was.
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
    write_json(path, build(report))


def load(path: Path) -> dict[str, Any]:
    """Read a baseline.

    Raises:
        FileError: It is not there, is no baseline, or was written by a newer version.
    """
    data = load_json(path, "claims baseline", SCHEMA_VERSION)
    if not isinstance(data.get("claims"), dict):
        raise FileError(f"{path}: not a claims baseline: it has no claims")
    return data


def compare(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> Comparison:
    """Compare a run with the baseline.

    Args:
        report: See `pytest_claims.report`.
        baseline: See `load`.

    Returns:
        ``ok`` exactly when every declared claim ran, none erred, each has the baseline's verdict under its
        registered criterion, and none of the baseline's claims is gone.
    """
    accepted = baseline["claims"]
    lines = [
        f"{claim['id']}: {finding}"
        for claim in report["claims"]
        for finding in _findings(claim, accepted.get(claim["id"]))
    ]
    present = {claim["id"] for claim in report["claims"]}
    lines += [f"{name}: in the baseline, but no longer declared" for name in accepted if name not in present]
    if lines:
        return Comparison(False, tuple(lines))
    count = formats.plural(len(report["claims"]), "claim")
    return Comparison(True, (f"{count} run, no error, no verdict changed",))


def _findings(claim: Mapping[str, Any], accepted: Mapping[str, Any] | None) -> Iterator[str]:
    verdict = claim["verdict"]
    if verdict == "not run":
        yield "did not run"
    elif verdict == "error":
        yield f"error: {formats.clean(claim.get('reason'))}"
    elif accepted is None:
        yield f"{verdict}, and not in the baseline"
    elif verdict != accepted["verdict"]:
        yield f"{accepted['verdict']} in the baseline, now {verdict}{_values(claim, accepted)}"
    yield from formats.marks(claim)


def _values(claim: Mapping[str, Any], accepted: Mapping[str, Any]) -> str:
    """The two estimates, where there are two: how far the number moved explains the verdict."""
    if not formats.is_number(claim["estimate"]) or not formats.is_number(accepted.get("estimate")):
        return ""
    return f" (estimate {formats.number(accepted['estimate'])}, now {formats.number(claim['estimate'])})"
