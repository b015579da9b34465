"""What is being trained, told between processes: each worker writes a small file, one reads all."""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

INTERVAL = 0.2
"""Seconds between two writes: training calls far more often than anyone looks."""


class Progress(Protocol):
    """What `train` is given to say how far it is."""

    def __call__(self, done: int, total: int) -> None:
        """Say that `done` of `total` updates are done."""


@dataclass
class Job:
    """One worker's present occupation.

    Attributes:
        worker: Its name, such as `gw0`.
        pid: Its process.
        what: The run and seeds: `anchor seeds 0-2`.
        done: Updates done.
        total: Updates in all; 0 while not known.
        seconds_left: Estimated from the pace so far; None while not known.
        waits_for: Who holds what this worker needs next, None while it works.
    """

    worker: str
    pid: int
    what: str
    done: int = 0
    total: int = 0
    seconds_left: float | None = None
    waits_for: str | None = None


class Reporter:
    """Writes one worker's progress.

    Args:
        folder: The scratch folder that the controller reads; None tells nobody.
        worker: This worker's name.
    """

    def __init__(self, folder: Path | None, worker: str) -> None:
        self._file = folder / f"{worker}.progress.json" if folder else None
        self._worker = worker
        self._jobs: list[Job] = []

    @contextlib.contextmanager
    def job(self, what: str) -> Iterator[Progress]:
        """Tell of a training while it runs; inside another one, the inner one is told."""
        job = Job(self._worker, os.getpid(), what)
        self._jobs.append(job)
        self._write()
        try:
            yield self._counter(job)
        finally:
            self._jobs.pop()
            self._write()

    @contextlib.contextmanager
    def waiting(self, what: str, holder: str) -> Iterator[None]:
        """Tell that this worker needs `what`, which `holder` is making."""
        self._jobs.append(Job(self._worker, os.getpid(), what, waits_for=holder))
        self._write()
        try:
            yield
        finally:
            self._jobs.pop()
            self._write()

    def _counter(self, job: Job) -> Progress:
        first: tuple[float, int] | None = None
        written = 0.0

        def progress(done: int, total: int) -> None:
            nonlocal first, written
            now = time.monotonic()
            # From the first call on: what came before may have been an inner training.
            first = first or (now, done)
            job.done, job.total = done, total
            if done > first[1]:
                job.seconds_left = (now - first[0]) / (done - first[1]) * (total - done)
            if now - written >= INTERVAL or done == total:
                written = now
                self._write()

        return progress

    def _write(self) -> None:
        if self._file is None:
            return
        # Progress is for the eye: a full disk must not end a training over it.
        with contextlib.suppress(OSError):
            if not self._jobs:
                self._file.unlink(missing_ok=True)
                return
            temporary = self._file.with_suffix(".tmp")
            temporary.write_text(json.dumps(asdict(self._jobs[-1])))
            temporary.replace(self._file)


def read_progress(folder: Path) -> list[Job]:
    """The present jobs of all live workers, by worker name."""
    jobs = []
    for file in sorted(folder.glob("*.progress.json")):
        with contextlib.suppress(OSError, ValueError, TypeError):
            job = Job(**json.loads(file.read_text()))
            if _alive(job.pid):
                jobs.append(job)
    return jobs


def progress_line(jobs: Sequence[Job]) -> str:
    """One line that tells it all, `anchor seeds 0-2: 1200 of 4000, 3 min left`; "" when nobody trains."""
    return "; ".join(_phrase(job) for job in jobs)


def _phrase(job: Job) -> str:
    if job.waits_for is not None:
        return f"{job.worker} waits for {job.waits_for}"
    if not job.total:
        return job.what
    left = "" if job.seconds_left is None else f", {duration(job.seconds_left)} left"
    return f"{job.what}: {job.done} of {job.total}{left}"


def duration(seconds: float) -> str:
    """Seconds in words as coarse as an estimate is: `40 s`, `3 min`, `2 h 5 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
