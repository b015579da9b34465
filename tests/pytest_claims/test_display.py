import io
import os
import threading
from types import SimpleNamespace

from pytest_claims import display
from pytest_claims.display import BACK, BELOW, ERASE, Display


class Terminal(io.StringIO):
    encoding = "utf-8"


def shown(monkeypatch, lines, live, column=0):
    """Show `lines` one after another; return what reached the terminal and what pytest's own writer wrote."""
    monkeypatch.setattr(display, "REFRESH", 0.001)
    monkeypatch.setattr(display, "PLAIN_EVERY", 0.0)
    reader, file = os.pipe()
    over = threading.Event()
    waiting = list(lines)

    def line():
        if waiting:
            return waiting.pop(0)
        over.set()
        return ""

    writer = SimpleNamespace(_file=Terminal(), fullwidth=20, width_of_current_line=column)
    own = writer._file
    shown = Display(SimpleNamespace(_tw=writer), file, live, line)
    assert over.wait(10)
    writer._file.write("pytest")
    shown.stop()
    assert writer._file is own
    with os.fdopen(reader, encoding="utf-8", newline="") as pipe:
        return pipe.read(), own.getvalue()


def test_a_line_is_refreshed_below_the_cursor_and_erased(monkeypatch):
    terminal, own = shown(monkeypatch, ["one", "two"], live=True)
    assert terminal.startswith(f"{BELOW}one{BACK}{BELOW}two{BACK}{ERASE}")
    assert terminal.endswith(ERASE)
    assert own == f"{ERASE}pytest"


def test_a_line_never_wraps(monkeypatch):
    terminal, _ = shown(monkeypatch, ["x" * 50], live=True)
    assert f"{BELOW}{'x' * 19}{BACK}" in terminal


def test_where_nothing_can_be_refreshed_lines_are_plain(monkeypatch):
    assert shown(monkeypatch, ["one"], live=False) == ("one\n", "pytest")


def test_a_plain_line_starts_a_line_of_its_own(monkeypatch):
    assert shown(monkeypatch, ["one"], live=False, column=7)[0] == "\none\n"


def test_a_second_plain_line_leaves_no_gap(monkeypatch):
    assert shown(monkeypatch, ["one", "two"], live=False, column=7)[0] == "\none\ntwo\n"


def test_where_nothing_trains_nothing_is_written(monkeypatch):
    assert shown(monkeypatch, ["", ""], live=True)[0] == ERASE


def test_a_short_run_shows_no_plain_line(monkeypatch):
    monkeypatch.setattr(display, "PLAIN_EVERY", 3600.0)
    reader, file = os.pipe()
    asked = threading.Event()
    monkeypatch.setattr(display, "REFRESH", 0.001)
    writer = SimpleNamespace(_file=Terminal(), fullwidth=20, width_of_current_line=0)
    running = Display(SimpleNamespace(_tw=writer), file, False, lambda: asked.set() or "busy")
    assert asked.wait(10)
    running.stop()
    with os.fdopen(reader) as pipe:
        assert pipe.read() == ""
