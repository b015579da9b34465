"""The command `claims calibrate`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pytest_claims import formats
from pytest_claims.files import FileError, write_text

LEAST = 100
"""Fewer experiments tell no rate."""


def add_calibrate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of `claims`."""
    text = "simulate how often the judge and the gate are wrong; some minutes on one core"
    parser = commands.add_parser("calibrate", help=text, description=f"{text.capitalize()}.")
    parser.add_argument(
        "--repetitions", metavar="N", type=int, help=f"experiments a rate (default: 10,000; at least {LEAST})"
    )
    parser.add_argument(
        "--markdown",
        metavar="FILE",
        type=Path,
        help="write the tables, between the two marks of a file that has them (default: print them)",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the rates as plain data")
    parser.set_defaults(command=_calibrate)


def _calibrate(options: argparse.Namespace) -> int:
    # Imported here, so that no other command waits for numpy.
    from pytest_claims.calibration import simulation, tables

    repetitions = simulation.REPETITIONS if options.repetitions is None else options.repetitions
    if repetitions < LEAST:
        raise FileError(f"calibrate: {repetitions} experiments tell no rate; at least {LEAST} do")
    found = simulation.simulate(repetitions)
    if options.json is not None:
        write_text(options.json, tables.dump(found))
    if options.markdown is not None:
        present = options.markdown.read_text(encoding="utf-8") if options.markdown.exists() else ""
        write_text(options.markdown, tables.insert(present, tables.render(found)))
    if options.json is None and options.markdown is None:
        print(formats.plain(tables.render(found), sys.stdout.encoding or "ascii"))
    return 0
