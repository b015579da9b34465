"""Trained runs and measurements, made once and kept."""

from pytest_claims.store.progress import Job, Progress, progress_line, read_progress
from pytest_claims.store.store import Seen, Store
from pytest_claims.store.work import Run

__all__ = ["Job", "Progress", "Run", "Seen", "Store", "progress_line", "read_progress"]
