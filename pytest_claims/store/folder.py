"""The store's folder: kept out of version control and backups, and tried before anything depends on it."""

import contextlib
import os
from pathlib import Path

from pytest_claims.store.entries import TEMPORARY

PROBE_BYTES = 2**20
"""Written once at the start: about one entry, so that a full disk is noticed before training, not after."""

PROBE = f"probe{TEMPORARY}"
"""Start of the name of the file that is written to try it."""

CACHEDIR_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache made by pytest-claims. See https://bford.info/cachedir/
"""


def entries_folder(root: Path) -> Path:
    """Where entries lie, one folder a run class or measuring function."""
    return root / "entries"


def locks_folder(root: Path) -> Path:
    """Where locks lie."""
    return root / "locks"


def prepare(root: Path) -> str | None:
    """Make the folder ready.

    Returns:
        None, or why nothing can be written there.
    """
    probe = root / f"{PROBE}{os.getpid()}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", CACHEDIR_TAG)):
            if not (root / name).exists():
                (root / name).write_text(text)
        entries_folder(root).mkdir(exist_ok=True)
        locks_folder(root).mkdir(exist_ok=True)
        with probe.open("wb") as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return str(error.strerror or error)
    finally:
        with contextlib.suppress(OSError):
            probe.unlink(missing_ok=True)
    return None
