"""What a report says of the machine and the software that made it. Nothing here imports what it describes."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

DISTRIBUTIONS = (
    "pytest-claims", "pytest", "pytest-xdist", "numpy", "scipy", "safetensors", "torch", "matplotlib"
)  # fmt: skip
"""The distributions whose versions are reported where they are installed."""


def describe(root: Path, threads: int) -> dict[str, Any]:
    """Describe the software, the machine and the state of the checkout.

    Args:
        root: A folder inside the git checkout.
        threads: Numerical threads that each process was given.

    Returns:
        The report's ``environment``: ``python``, ``platform``, ``cpu``, ``cores``, ``threads``, ``versions``
        (a version a distribution), ``commit`` and ``dirty`` (both ``None`` outside a checkout).
    """
    commit = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu": _cpu(),
        "cores": _cores(),
        "threads": threads,
        "versions": _versions(),
        "commit": commit or None,
        "dirty": None if changes is None else bool(changes),
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    # platform.processor() is empty or just the architecture on Linux; the kernel names the model.
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        field, _, value = line.partition(":")
        if field.strip() == "model name" and value.strip():
            return value.strip()
    return platform.processor() or platform.machine()


def _cores() -> int:
    """Cores that this process may use: fewer than the machine has under taskset or in a container."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
