"""What is being trained, shown while pytest runs: one line below pytest's own output, or a line now and then.

A thread of the process that the user sees reads what the workers wrote about their progress. It writes to a
copy of the terminal's file descriptor, because pytest captures the original one while a test runs.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REFRESH = 0.5
"""Seconds between two looks at the workers."""
PLAIN_EVERY = 30.0
"""Seconds between two lines where nothing can be refreshed in place; a shorter session shows none."""

ERASE = "\x1b[J"
# Index (a line feed that keeps the column and scrolls where it must) and up again make room for a line below
# the cursor; then: save the cursor, go to the start of the next line, clear it …
BELOW = "\x1bD\x1b[A\x1b7\x1b[B\r\x1b[2K"
# … and come back.
BACK = "\x1b8"


class Display:
    """Shows progress until it is stopped.

    Args:
        reporter: pytest's terminal reporter.
        file: Where to write: a descriptor of its own.
        live: Refresh one line in place.
        line: Returns what there is to show, "" for nothing.
    """

    def __init__(
        self, reporter: pytest.TerminalReporter, file: int, live: bool, line: Callable[[], str]
    ) -> None:
        self._writer = reporter._tw
        self._file = file
        self._live = live
        self._line = line
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="claims-progress", daemon=True)
        if live:
            self._writer._file = _Erasing(self._writer._file)
        self._thread.start()

    def stop(self) -> None:
        """Erase the line and leave the terminal to pytest."""
        self._over.set()
        self._thread.join()
        if isinstance(self._writer._file, _Erasing):
            self._writer._file = self._writer._file.file
            self._put(ERASE)
        os.close(self._file)

    def _run(self) -> None:
        last, shown, column = time.monotonic(), "", 0
        while not self._over.wait(REFRESH):
            line = self._line()
            if self._live:
                if line or shown:
                    self._put(BELOW + line[: self._writer.fullwidth - 1] + BACK if line else ERASE)
                shown = line
            elif line and time.monotonic() - last >= PLAIN_EVERY:
                # pytest's writer does not learn that its line was ended; once is enough.
                ended = self._writer.width_of_current_line in (0, column)
                last, column = time.monotonic(), self._writer.width_of_current_line
                self._put(f"{'' if ended else chr(10)}{line}\n")

    def _put(self, text: str) -> None:
        encoding = getattr(self._writer._file, "encoding", None) or "utf-8"
        # Progress is for the eye: a closed pipe must not end a training over it.
        with contextlib.suppress(OSError):
            os.write(self._file, text.encode(encoding, "replace"))


class _Erasing:
    """pytest's output, with the line below it erased before each write: the next line feed would run into it.

    Args:
        file: Takes the output.
    """

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, text: str) -> object:
        return self.file.write(ERASE + text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def show_progress(config: pytest.Config, folder: Path) -> Display | None:
    """Start to show what workers tell in a folder; None if asked to be quiet or there is nowhere to write."""
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or reporter.verbosity < 0:
        return None
    try:
        file = os.dup(reporter._tw._file.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    # Imported here: it brings numpy.
    from pytest_claims.store import progress_line, read_progress

    # With -s a test's own output comes at any moment, and a line in place would be torn by it.
    live = (
        os.isatty(file) and os.environ.get("TERM", "dumb") != "dumb" and config.getoption("capture") != "no"
    )
    return Display(reporter, file, live, lambda: progress_line(read_progress(folder)))
