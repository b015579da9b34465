"""What the processes of one session tell each other through a folder.

Under pytest-xdist the controller collects nothing, and a worker that crashes returns nothing. So each worker
writes down what it collected before anything runs.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_claims.files import load_json, write_json

INPUT = "claims_scratch"
"""The key under which a worker finds the folder in its ``workerinput``."""

_VERSION = 1


@dataclass(frozen=True)
class Declared:
    """The claims that were collected, deselected ones included, and their papers, as plain data."""

    declarations: Sequence[Mapping[str, Any]] = ()
    papers: Sequence[Mapping[str, Any]] = ()


class Scratch:
    """A temporary folder, made when it is first needed.

    Args:
        given: A folder that another process made and will remove.
    """

    def __init__(self, given: Path | None = None) -> None:
        self._given = given
        self._made: Path | None = None

    @property
    def path(self) -> Path:
        """The folder."""
        if self._given is not None:
            return self._given
        if self._made is None:
            self._made = Path(tempfile.mkdtemp(prefix="pytest-claims-"))
        return self._made

    def write_declared(self, worker: str, declared: Declared) -> None:
        """Write down what a worker collected."""
        data = {
            "schema_version": _VERSION,
            "declarations": list(declared.declarations),
            "papers": list(declared.papers),
        }
        write_json(self.path / f"{worker}.declared.json", data)

    def read_declared(self) -> Declared:
        """Read what was collected, nothing if there is no claim. All workers collect the same."""
        if self._given is None and self._made is None:
            return Declared()
        for file in sorted(self.path.glob("*.declared.json")):
            data = load_json(file, "list of claims", _VERSION)
            return Declared(data["declarations"], data["papers"])
        return Declared()

    def write_asked(self, claim: str, asked: Mapping[str, Any]) -> None:
        """Write down the runs and measurements that a claim asked for, by digest."""
        name = hashlib.sha256(claim.encode()).hexdigest()
        data = {"schema_version": _VERSION, "claim": claim, "asked": dict(asked)}
        write_json(self.path / f"{name}.asked.json", data)

    def read_asked(self) -> dict[str, Mapping[str, Any]]:
        """What was asked for: claim → digest → run or measurement as plain data."""
        found = {}
        for file in self.path.glob("*.asked.json"):
            data = load_json(file, "list of runs", _VERSION)
            found[data["claim"]] = data["asked"]
        return found

    def remove(self) -> None:
        """Remove the folder if this process made it."""
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)
            self._made = None
