"""Cooperative filling: several workers that need the same entries share the making, each made once.

Every worker takes at most its share of what is missing, by taking the locks. Finding one taken, it goes on to
the next; only when all are taken does it wait, and when a holder dies its locks are free again and another
worker takes over. No worker waits while holding a lock on entries of the same work, and work only ever needs
work that its fields hold, so nothing can wait in a circle.
"""

import contextlib
import datetime
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_claims.store import arrays, entries, seeds
from pytest_claims.store.arrays import Arrays
from pytest_claims.store.locks import Lock, Locks
from pytest_claims.store.memory import Memory
from pytest_claims.store.misses import Misses, provenance_of
from pytest_claims.store.progress import Reporter
from pytest_claims.store.work import Work

PATIENCE = 12 * 3600.0
"""Seconds to wait for another worker's training before giving up with its name."""

FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.5
"""Seconds between two looks at what another worker makes."""


@dataclass
class Filler:
    """Makes what is missing.

    Attributes:
        folder: The folder of entries.
        locks: The locks of its keys.
        memory: Entries read or made before.
        reporter: Told of what is being made.
        misses: Told of what is missing.
        workers: How many processes share the making.
        patience: Seconds to wait for another worker.
        made: Called with the work and its seed whenever an entry was made.
        lost: Called with the reason when an entry could not be written; nothing is written after that.
    """

    folder: Path
    locks: Locks
    memory: Memory
    reporter: Reporter
    misses: Misses
    workers: int
    patience: float
    made: Callable[[Work, int], None]
    lost: Callable[[str], None]
    writable: bool = True

    def fill(self, work: Work, *, wait: bool = True) -> dict[int, Arrays]:
        """Have every seed of some work: from memory, from disk, or made now, by this worker or another.

        Args:
            work: What is wanted.
            wait: Whether to wait for seeds that only others are making; without, these are left out.

        Returns:
            Seed → name → array, not to be written into.

        Raises:
            TimeoutError: Another worker took longer than `patience`.
        """
        filled: dict[int, Arrays] = {}
        problems = {seed: self._look(work, seed, filled) for seed in work.keys}
        missing = tuple(seed for seed in work.keys if seed not in filled)
        if missing:
            self.misses.tell(work, {seed: problems[seed] for seed in missing})
        while missing:
            before = len(filled)
            # A seed whose input another worker is still making comes last: it would only be waited for.
            batch = self._take(work, work.prepare(missing), filled, math.ceil(len(missing) / self.workers))
            if not batch and wait:
                batch = self._take(work, missing, filled, 1)
            if batch:
                self._make(work, batch, filled)
            elif len(filled) == before:
                if not wait:
                    break
                self._wait(work, missing)
            missing = tuple(seed for seed in missing if seed not in filled)
        return filled

    def _look(self, work: Work, seed: int, filled: dict[int, Arrays]) -> str | None:
        """Fill a seed from memory or disk if it is there; says what is wrong with it if it cannot be read."""
        key = work.keys[seed]
        entry = self.memory.get(key)
        if entry is None:
            try:
                entry = entries.load(entries.Place(self.folder / work.name, key))
            except entries.UnreadableError as error:
                return str(error)
            if entry is None:
                return None
            self.memory.put(key, entry)
        filled[seed] = entry
        return None

    def _take(
        self, work: Work, missing: Sequence[int], filled: dict[int, Arrays], share: int
    ) -> dict[int, Lock]:
        """Lock at most `share` of what is missing and not being made."""
        share = share if work.at_once is None else min(share, work.at_once)
        batch: dict[int, Lock] = {}
        try:
            for seed in missing:
                if len(batch) == share:
                    break
                lock = self._lock(work, seed)
                if lock is None:
                    continue
                batch[seed] = lock
                # It may have been stored between the last look and the lock.
                self._look(work, seed, filled)
                if seed in filled:
                    batch.pop(seed).release()
        except BaseException:
            _release(batch)
            raise
        return batch

    def _lock(self, work: Work, seed: int) -> Lock | None:
        what = f"{work.label} {seeds.words([seed])}"
        try:
            return self.locks.take(work.keys[seed], what)
        except OSError as error:
            self._give_up(error)
            return self.locks.take(work.keys[seed], what)

    def _make(self, work: Work, batch: Mapping[int, Lock], filled: dict[int, Arrays]) -> None:
        """Make a batch and store each of its seeds; the locks are given back whatever happens."""
        try:
            made = tuple(batch)
            start = time.monotonic()
            with self.reporter.job(f"{work.label} {seeds.words(made)}") as progress:
                result = work.compute(made, progress)
            each = (time.monotonic() - start) / len(made)
            for seed, entry in arrays.split(result, made, work.label).items():
                self._store(work, seed, entry, each)
                filled[seed] = entry
                batch[seed].release()
        finally:
            _release(batch)

    def _store(self, work: Work, seed: int, entry: Arrays, seconds: float) -> None:
        key = work.keys[seed]
        self.memory.put(key, entry)
        if self.writable:
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            provenance = {**provenance_of(work, seed), "created": now, "seconds": round(seconds, 3)}
            try:
                entries.save(entries.Place(self.folder / work.name, key), entry, provenance)
            except OSError as error:
                self._give_up(error)
        self.made(work, seed)

    def _give_up(self, error: OSError) -> None:
        """Go on in memory. A result that cannot be kept is still a result."""
        self.writable = False
        self.memory.capacity = None
        self.locks.abandon()
        self.lost(str(error.strerror or error))

    def _wait(self, work: Work, missing: Sequence[int]) -> None:
        """Wait until one of the entries that others are making is made, or given up."""
        watched = [work.keys[seed] for seed in missing]
        deadline = time.monotonic() + self.patience
        pause = FIRST_PAUSE
        with self.reporter.waiting(f"{work.label} {seeds.words(missing)}", self.locks.holder(watched[0])):
            while not any(self.locks.is_free(key) for key in watched):
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        f"waited {self.patience:.0f} s for {work.label} {seeds.words(missing)}, "
                        f"being made by {self.locks.holder(watched[0])}"
                    )
                time.sleep(pause)
                pause = min(1.5 * pause, LONGEST_PAUSE)


def _release(batch: Mapping[int, Lock]) -> None:
    with contextlib.ExitStack() as stack:  # one that fails must not keep the others
        for lock in batch.values():
            stack.callback(lock.release)
