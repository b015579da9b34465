"""One lock a key between all processes, never waited for inside: who finds it taken does something else.

The operating system frees a dead holder's lock. Beside each lock a small file names the holder, for messages
only.
"""

import contextlib
import json
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

import filelock


class Locks:
    """The locks of one store, as one worker takes them.

    Args:
        folder: Where lock files lie; None when the store cannot be written, so that there is nothing to
            protect.
        worker: This process's name in messages, such as `gw0`.
    """

    def __init__(self, folder: Path | None, worker: str) -> None:
        self._folder = folder
        self._worker = worker
        self._held: dict[str, int] = {}

    def abandon(self) -> None:
        """Take no more lock files: the folder cannot be written."""
        self._folder = None

    def take(self, key: str, what: str) -> "Lock | None":
        """Take a key's lock if it is free.

        Args:
            key: The entry's key.
            what: What the holder does, for those who wait: `anchor seed 3`.

        Raises:
            RuntimeError: This very thread holds it: a training that needs its own result.
            OSError: The lock file cannot be created.
        """
        if self._held.get(key) == threading.get_ident():
            raise RuntimeError(f"{what} needs its own result: its training asks the store for itself")
        lock = None
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = filelock.FileLock(lock_file(self._folder, key), thread_local=False)
            try:
                lock.acquire(blocking=False)
            except filelock.Timeout:
                return None
            self._write_holder(key, what)
        self._held[key] = threading.get_ident()
        return Lock(self, key, lock)

    def release(self, lock: "Lock") -> None:
        """Give a lock back; a second time does nothing."""
        if self._held.pop(lock.key, None) is None or lock.file is None:
            return
        with contextlib.suppress(OSError):
            Path(lock.file.lock_file).with_suffix(".holder").unlink(missing_ok=True)
        lock.file.release()

    def is_free(self, key: str) -> bool:
        """Whether nobody holds a key's lock at this moment."""
        if self._folder is None:
            return True
        lock = filelock.FileLock(lock_file(self._folder, key), thread_local=False)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            return False
        lock.release()
        return True

    def sweep(self) -> None:
        """Remove the lock files that nobody holds; none is ever needed again, for a lock makes its own."""
        if self._folder is None:
            return
        for file in self._folder.glob("*.lock"):
            lock = filelock.FileLock(file)
            with contextlib.suppress(filelock.Timeout, OSError):
                lock.acquire(blocking=False)
                file.with_suffix(".holder").unlink(missing_ok=True)
                file.unlink(missing_ok=True)
                lock.release()

    def holder(self, key: str) -> str:
        """Who holds a key's lock: `anchor seed 3 (gw1, process 4711)`."""
        try:
            assert self._folder is not None
            said = json.loads(lock_file(self._folder, key).with_suffix(".holder").read_text())
            return f"{said['what']} ({said['worker']}, process {said['pid']})"
        except (OSError, ValueError, LookupError, TypeError, AssertionError):
            return "another process"  # between its taking the lock and its signing

    def _write_holder(self, key: str, what: str) -> None:
        assert self._folder is not None
        said = {"what": what, "worker": self._worker, "pid": os.getpid()}
        with contextlib.suppress(OSError):
            lock_file(self._folder, key).with_suffix(".holder").write_text(json.dumps(said))


@dataclass(frozen=True)
class Lock:
    """A lock that is held."""

    locks: Locks = field(repr=False)
    key: str
    file: filelock.BaseFileLock | None

    def release(self) -> None:
        """Give it back; a second time does nothing."""
        self.locks.release(self)


def lock_file(folder: Path, key: str) -> Path:
    """The lock file of a key."""
    return folder / f"{key}.lock"
