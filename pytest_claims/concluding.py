"""The end of a session: the report, the comparison with the baseline, the exit status."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_claims import baseline, registry
from pytest_claims.annotating import workflow_commands
from pytest_claims.files import FileError
from pytest_claims.handover import Declared
from pytest_claims.options import Options

if TYPE_CHECKING:
    from pytest_claims import gate

JUDGED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
"""The ends of a session whose exit status the baseline decides; an interrupted one stays that."""


@dataclass(frozen=True)
class Files:
    """What was read at the start: the registry and the baseline, None where there is none."""

    registered: Mapping[str, Any] | None
    accepted: Mapping[str, Any] | None


@dataclass(frozen=True)
class Conclusion:
    """How a session ends.

    Attributes:
        report: What to print.
        path: Where it was written, None if no claim ran.
        lines: What else to tell.
        status: The exit status.
    """

    report: Mapping[str, Any]
    path: Path | None
    lines: Sequence[str]
    status: int


def prepare(options: Options) -> Files:
    """Read and try, before anything trains, all that the end of the session will need.

    Raises:
        pytest.UsageError: A file cannot be read, or a folder cannot be written.
    """
    try:
        registered = _read_registry(options)
        accepted = baseline.load(options.baseline) if options.baseline is not None else None
        _try_folder(options.report)
        if options.write_baseline is not None:
            _try_folder(options.write_baseline.parent)
    except FileError as error:
        raise pytest.UsageError(str(error)) from None
    return Files(registered, accepted)


def conclude(
    options: Options,
    files: Files,
    declared: Declared,
    *,
    root: Path,
    rows: Sequence[Mapping[str, Any]],
    others: int,
    status: int,
    asked: Mapping[str, Mapping[str, Any]],
    twin: Callable[[], Mapping[str, Any]],
    **about: Any,
) -> Conclusion:
    """Report what ran, compare it, and decide how the session ends.

    Args:
        options: The settings.
        files: See `prepare`.
        declared: The collected claims.
        root: The folder from which the claims' node ids start.
        rows: Those of the claims that ran.
        others: Failures of anything that is no claim.
        status: pytest's own exit status.
        asked: Claim → digest → run or measurement that it asked for, where a baseline is written.
        twin: Measures the rounding twins and returns their report; called only where a baseline is written.
        about: The report's `environment`, `command`, `created` and `duration_s`.
    """
    # Imported here: statistics bring numpy, which a session without claims does not need.
    from pytest_claims import report as reports
    from pytest_claims.publishing import publish

    report = reports.build(
        rows=rows,
        declarations=declared.declarations,
        registered=files.registered,
        papers=declared.papers,
        **about,
    )
    errors = _registry_errors(report, files.registered, declared, root)
    lines = list(errors)
    if errors:
        status = status or pytest.ExitCode.TESTS_FAILED
    path = None
    if files.accepted is not None and options.baseline is not None:
        compared = _compare(report, files.accepted, options, root)
        report["gate"] = {
            "baseline": str(options.baseline),
            "ok": compared.ok,
            "findings": [asdict(finding) for finding in compared.findings],
        }
        partial = " (PARTIAL)" if report["partial"] else ""
        lines += [f"against {options.baseline}: {'unchanged' if compared.ok else 'CHANGED'}{partial}"]
        lines += [f"  {line}" for line in compared.lines]
        lines += workflow_commands(compared)
        if status in JUDGED:
            status = int(not compared.ok or others > 0 or bool(errors))
    try:
        # An empty report would replace one that may have taken hours.
        if rows:
            lines += publish(report, options.report, root)
            path = options.report / "report.json"
        if options.write_baseline is not None:
            lines += _accept(report, options, options.write_baseline, root, asked, twin)
    except (FileError, OSError) as error:
        lines.append(str(error))
        status = status or pytest.ExitCode.TESTS_FAILED
    return Conclusion(report, path, lines, int(status))


def _registry_errors(
    report: Mapping[str, Any], registered: Mapping[str, Any] | None, declared: Declared, root: Path
) -> list[str]:
    """What of the declared claims and the registry is missing in the other; an error of the run."""
    if registered is None:
        return []
    lines = [
        f"error: {claim['id']} is not registered: --claims-register freezes its criterion"
        for claim in report["claims"]
        if claim["registered"] is False
    ]
    lines += [
        f"error: {name} is registered, but its test is gone: restore it, or remove it from the registry"
        for name in registry.gone(registered, declared.declarations, root)
    ]
    return lines


def _compare(
    report: Mapping[str, Any], accepted: Mapping[str, Any], options: Options, root: Path
) -> gate.Comparison:
    from pytest_claims import gate

    assert options.baseline is not None
    path = options.baseline
    if options.allow_partial:
        report = {**report, "claims": [claim for claim in report["claims"] if claim["verdict"] != "not run"]}
        ran = {claim["id"] for claim in report["claims"]}
        entries = {name: entry for name, entry in accepted["claims"].items() if name in ran}
        accepted = {**accepted, "claims": entries}

    def replays() -> list[gate.Moved]:
        from pytest_claims import recording

        return recording.moved(path, root) if recording.there(path) else []

    return gate.compare(report, accepted, replays)


def _accept(
    report: Mapping[str, Any],
    options: Options,
    path: Path,
    root: Path,
    asked: Mapping[str, Mapping[str, Any]],
    twin: Callable[[], Mapping[str, Any]],
) -> list[str]:
    """Write the baseline and what lies beside it."""
    from pytest_claims import recording
    from pytest_claims.store import Store

    baseline.check(report, path)
    baseline.write(report, path, twin())
    specs: dict[str, Any] = {}
    users: dict[str, list[str]] = {}
    for claim in report["claims"]:
        for digest, spec in asked.get(claim["id"], {}).items():
            specs.setdefault(digest, spec)
            users.setdefault(digest, []).append(claim["id"])
    told: list[str] = []
    store = Store(options.store, project_root=root, announce=told.append)
    problems = recording.write(path, specs, users, store, root)
    return [f"baseline written: {path}", *problems, *told]


def _read_registry(options: Options) -> Mapping[str, Any] | None:
    if options.registry is None:
        return None
    try:
        return registry.load(options.registry)
    except FileError as error:
        raise FileError(f"{error}. --claims-register writes the registry") from None


def _try_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".pytest-claims-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror}") from None
