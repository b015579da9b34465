"""The rounding twins: the same claims again on runs whose weights differ by rounding, without controls."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_claims.files import FileError
from pytest_claims.options import Options

_WITH_VALUE = ("--claims-write-baseline", "--claims-baseline", "--claims-report", "--junitxml", "--junit-xml")
_FLAGS = ("--claims-allow-partial", "-v", "-vv", "--verbose")


def measure(options: Options, arguments: Sequence[str], folder: Path) -> dict[str, Any]:
    """Run pytest again with `--claims-twin` and return its report.

    Args:
        options: The settings of this session.
        arguments: Its command line, which the twins follow.
        folder: Where it was called.

    Raises:
        FileError: A twin could not be measured.
    """
    from pytest_claims import report as reports

    with tempfile.TemporaryDirectory(prefix="pytest-claims-twin-") as made:
        command = [
            *(sys.executable, "-m", "pytest", *_without_outputs(arguments)),
            *("--claims-twin", "--claims-report", made, "--claims-store", str(options.store), "-q"),
        ]
        # What the ini file asks for is not asked of the twins: an empty value overrides it.
        command += ["-o", "claims_write_baseline=", "-o", "claims_baseline="]
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")
        }
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        try:
            report = reports.load(Path(made) / "report.json")
        except FileError:
            last = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
            raise FileError(f"the rounding twins were not measured:\n{last}") from None
    failed = [claim["id"] for claim in report["claims"] if claim["verdict"] in ("error", "not run")]
    if failed:
        raise FileError(f"the rounding twins of {', '.join(failed)} were not measured")
    return report


def _without_outputs(arguments: Sequence[str]) -> list[str]:
    """The command line without what it would write or compare."""
    kept, skip = [], False
    for argument in map(str, arguments):
        if skip:
            skip = False
        elif argument in _WITH_VALUE:
            skip = True
        elif argument not in _FLAGS and not argument.startswith(tuple(f"{name}=" for name in _WITH_VALUE)):
            kept.append(argument)
    return kept
