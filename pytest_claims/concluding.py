"""The end of a session: the report, the comparison with the baseline, the exit status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_claims import baseline, registry
from pytest_claims.files import FileError
from pytest_claims.handover import Declared
from pytest_claims.options import Options

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
    lines: list[str] = []
    path = None
    if files.accepted is not None:
        compared = baseline.compare(report, files.accepted)
        lines += [f"against {options.baseline}: {'unchanged' if compared.ok else 'CHANGED'}"]
        lines += [f"  {line}" for line in compared.lines]
        if status in JUDGED:
            status = int(not compared.ok or others > 0)
    try:
        # An empty report would replace one that may have taken hours.
        if rows:
            lines += publish(report, options.report, root)
            path = options.report / "report.json"
        if options.write_baseline is not None:
            baseline.write(report, options.write_baseline)
            lines.append(f"baseline written: {options.write_baseline}")
    except (FileError, OSError) as error:
        lines.append(str(error))
        status = status or pytest.ExitCode.TESTS_FAILED
    return Conclusion(report, path, lines, int(status))


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
