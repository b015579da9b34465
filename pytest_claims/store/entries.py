"""Entries on disk: one safetensors file of arrays and, beside it, one JSON file of provenance.

The provenance is written last and holds the checksum of the arrays and of itself. So an entry is there,
complete, exactly when its JSON is: a process killed at any moment leaves either no entry or a whole one, and
a cut or flipped byte is noticed. Nothing is ever unpickled.
"""

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.numpy

from pytest_claims.store import keys
from pytest_claims.store.arrays import Arrays

FORMAT = 1

TEMPORARY = ".tmp-"
"""Between the final name and the process id in the name of a file that is being written."""


class UnreadableError(Exception):
    """An entry is there but cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True)
class Place:
    """Where an entry lies: a folder for its run's class, a file name from its key."""

    folder: Path
    key: str

    @property
    def arrays(self) -> Path:
        """The safetensors file."""
        return self.folder / f"{self.key}.safetensors"

    @property
    def provenance(self) -> Path:
        """The JSON file."""
        return self.folder / f"{self.key}.json"


def save(place: Place, arrays: Arrays, provenance: dict[str, Any]) -> None:
    """Write an entry so that it is whole or absent.

    Raises:
        OSError: It could not be written; no entry is left.
    """
    place.folder.mkdir(parents=True, exist_ok=True)
    # An unreadable entry is being replaced: its JSON must not vouch for the new arrays.
    place.provenance.unlink(missing_ok=True)
    data = safetensors.numpy.save(arrays)
    _write(place.arrays, data)
    record = {
        **provenance,
        "format": FORMAT,
        "key": place.key,
        "shapes": {name: list(array.shape) for name, array in arrays.items()},
        "bytes": len(data),
        "checksum": hashlib.sha256(data).hexdigest(),
    }
    text = json.dumps({**record, "seal": keys.digest(record)}, indent=1, sort_keys=True, allow_nan=False)
    _write(place.provenance, (text + "\n").encode())


def load(place: Place) -> Arrays | None:
    """The arrays of an entry, None when there is none.

    Raises:
        UnreadableError: It is there, but it is not what was written.
    """
    record = read_provenance(place)
    if record is None:
        return None
    try:
        data = place.arrays.read_bytes()
    except OSError as error:
        raise UnreadableError(f"arrays missing ({error.strerror})") from error
    if hashlib.sha256(data).hexdigest() != record["checksum"]:
        raise UnreadableError("checksum differs")
    try:
        return dict(safetensors.numpy.load(data))
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError) as error:
        raise UnreadableError(f"not a safetensors file ({error})") from error


def read_provenance(place: Place) -> dict[str, Any] | None:
    """An entry's provenance, checked against its own seal; None when there is no entry.

    Raises:
        UnreadableError: It is not what was written.
    """
    try:
        record = json.loads(place.provenance.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UnreadableError(f"provenance cannot be read ({error})") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT or record.get("key") != place.key:
        raise UnreadableError("provenance is not of this entry")
    seal = record.pop("seal", None)
    if seal != keys.digest(record):
        raise UnreadableError("checksum of the provenance differs")
    return record


def _write(target: Path, data: bytes) -> None:
    """Write beside the target, sync, rename, sync the folder: a name has all its bytes or is not there."""
    temporary = target.with_name(f"{target.name}{TEMPORARY}{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    # Windows cannot open a folder; there the rename is as durable as it gets.
    with contextlib.suppress(PermissionError, NotImplementedError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
