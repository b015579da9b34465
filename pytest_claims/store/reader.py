"""What a store holds of a run, for those who only look: nothing is trained and nothing is written."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pytest_claims.store import arrays, entries, folder, work
from pytest_claims.store.arrays import Arrays
from pytest_claims.store.fingerprint import Fingerprints
from pytest_claims.store.work import Run, Work


class Reader:
    """Looks into a store as the present sources and versions would: an entry of other code is not seen.

    Args:
        root: The store's folder, which need not be there.
        project_root: The folder whose sources count in the keys.

    Attributes:
        root: As given.
    """

    def __init__(self, root: Path, project_root: Path) -> None:
        self.root = Path(root)
        self._entries = folder.entries_folder(self.root)
        self._fingerprints = Fingerprints(Path(project_root))

    def seeds(self, run: Run) -> tuple[int, ...]:
        """The seeds of which the store holds this run, ascending. Their arrays are not read yet."""
        place = self._entries / self._work(run, ()).name
        seeds = sorted({seed for file in place.glob("*.json") if (seed := _seed(file)) is not None})
        keys = self._work(run, seeds).keys
        return tuple(seed for seed in seeds if (place / f"{keys[seed]}.json").exists())

    def get(self, run: Run, seeds: Sequence[int]) -> Arrays:
        """The arrays of a run, name → array `[seed, …]`.

        Raises:
            LookupError: The store does not hold it for a seed.
            UnreadableError: It does, but the entry is damaged.
        """
        asked = self._work(run, seeds)
        found = []
        for seed in seeds:
            entry = entries.load(entries.Place(self._entries / asked.name, asked.keys[seed]))
            if entry is None:
                raise LookupError(f"{asked.label} of seed {seed} is not in {self.root}")
            found.append(entry)
        return arrays.stack(found)

    def _work(self, run: Run, seeds: Sequence[int]) -> Work:
        return work.of_run(run, seeds, self._fingerprints, compute=_never, prepare=_never)


def _seed(provenance: Path) -> int | None:
    """The seed that an entry says it is of; None where it cannot be read."""
    try:
        record: Mapping[str, Any] = json.loads(provenance.read_bytes())
        return int(record["seed"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _never(*_: object) -> NoReturn:
    raise AssertionError("a reader makes nothing")
