"""One numerical thread a process, so that a seed's result does not depend on how many workers there are."""

import os

VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def limit_threads() -> None:
    """Ask numerical libraries for one thread, unless the user asked for another number.

    They read these variables when they are imported, so this has to come before any of them is. Child
    processes, such as the workers of pytest-xdist, inherit the setting.
    """
    for variable in VARIABLES:
        os.environ.setdefault(variable, "1")


def thread_limit() -> int:
    """How many threads each process was asked to use."""
    asked = os.environ.get(VARIABLES[0], "")
    return int(asked) if asked.isdigit() else os.cpu_count() or 1
