"""`claims gate` and `claims compare`: did anything change, without training anything."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_claims import formats
from pytest_claims.files import FileError
from pytest_claims.project import locate, settings

if TYPE_CHECKING:
    from pytest_claims.gate import Comparison


def add_gate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare `claims gate`."""
    text = "compare the present code with the baseline; exit 1 if something moved"
    parser = commands.add_parser(
        "gate",
        help=text,
        description=f"{text.capitalize()}. Without --replay: `pytest claims -n auto --claims-baseline FILE`.",
    )
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        help="the baseline (default: ini option claims_baseline, else baseline.json beside the registry)",
    )
    parser.add_argument(
        "--replay",
        action="store_true",
        help="only replay first updates and measurements, in seconds: the check to run before every commit",
    )
    parser.set_defaults(command=_gate)


def add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare `claims compare`."""
    text = "compare two reports as the gate does; exit 1 if they differ"
    parser = commands.add_parser("compare", help=text, description=f"{text.capitalize()}.")
    parser.add_argument("old", metavar="OLD.json", type=Path, help="the report to compare with")
    parser.add_argument("new", metavar="NEW.json", type=Path, help="the report to judge")
    parser.set_defaults(command=_compare)


def _gate(options: argparse.Namespace) -> int:
    here = Path.cwd()
    project = settings(here)[0]
    path = _baseline(options.baseline, here)
    if not options.replay:
        command = [sys.executable, "-m", "pytest", "claims", "-n", "auto", "--claims-baseline", str(path)]
        return subprocess.run(command, cwd=project, check=False).returncode
    from pytest_claims.threads import limit_threads

    # Before any numerical library is imported, as when the baseline was made.
    limit_threads()
    from pytest_claims import recording

    moved = recording.moved(path, project)
    for one in moved:
        _say(f"{one.text}; claims: {', '.join(one.claims)}")
    replays = formats.plural(recording.count(path), "replay")
    _say(f"{replays} against {path}: " + (f"{len(moved)} CHANGED" if moved else "unchanged"))
    return int(bool(moved))


def _compare(options: argparse.Namespace) -> int:
    from pytest_claims import baseline, gate, report

    old, new = report.load(options.old), report.load(options.new)
    found: Comparison = gate.compare(new, baseline.build(old))
    for line in found.lines:
        _say(line)
    return int(not found.ok)


def _baseline(asked: str | None, here: Path) -> Path:
    found = locate(asked, "claims_baseline", here)
    if found is None:
        registry = locate(None, "claims_registry", here)
        if registry is None:
            raise FileError("gate: no baseline: give --baseline FILE, or set the ini option claims_baseline")
        found = registry.with_name("baseline.json")
    return found


def _say(text: str) -> None:
    print(formats.plain(text, sys.stdout.encoding or "ascii"))
