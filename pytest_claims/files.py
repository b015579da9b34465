"""Reads and writes the suite's JSON and text files: whole or not at all, with errors that name the file."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any


class FileError(Exception):
    """A file is missing, damaged or of another version. The message is meant for the user."""


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` in one step, making its folder where needed.

    The text goes to a temporary file in the same folder first (a rename does not work across file systems),
    so that a reader sees the old file or the new one, never a part.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner may read; a report is as public as the folder that it lies
        # in.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def dump(data: Any) -> str:
    """Write `data` as strict JSON for people to read.

    Raises:
        ValueError: A number is not finite (JSON has no NaN).
    """
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_json(path: Path, data: Any) -> None:
    """Replace `path` by `data` as strict JSON in one step; see `dump` and `write_text`."""
    write_text(path, dump(data))


def load_json(path: Path, what: str, version: int) -> dict[str, Any]:
    """Read a JSON object that carries a ``schema_version``.

    Args:
        path: The file.
        what: What the file is, for messages ("report").
        version: The newest version that this code reads.

    Raises:
        FileError: The file is not there, is no such JSON, or is newer than this code.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except FileNotFoundError:
        raise FileError(f"{path}: no such file (looked for a {what})") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read as a {what}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: not a {what}, or damaged: {error}") from error
    found = data.get("schema_version") if isinstance(data, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise FileError(f"{path}: not a {what}: it has no schema_version")
    if found > version:
        raise FileError(
            f"{path}: this {what} has schema_version {found}, newer than this pytest-claims can read "
            f"({version}); upgrade pytest-claims to read it"
        )
    result: dict[str, Any] = data
    return result


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
