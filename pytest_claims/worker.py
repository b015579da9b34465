"""The process that runs tests: pytest itself, or each worker of pytest-xdist. It finds and runs claims."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_claims import collection
from pytest_claims.collection import DECLARATION
from pytest_claims.declare import claim_of
from pytest_claims.handover import Declared, Scratch
from pytest_claims.options import Options
from pytest_claims.registering import register
from pytest_claims.running import ClaimError, error_row, run_claim

if TYPE_CHECKING:
    from pytest_claims.store import Seen, Store

ROW = pytest.StashKey[dict[str, Any]]()
STARTED = pytest.StashKey[float]()
SEEN: pytest.StashKey[Seen] = pytest.StashKey()


class Worker:
    """The hooks of a process that runs tests.

    Args:
        config: pytest's.
        options: The settings.
        scratch: The folder shared by this session's processes.
        name: This process's name.
        count: How many processes run tests.
    """

    def __init__(
        self, config: pytest.Config, options: Options, scratch: Scratch, name: str = "main", count: int = 1
    ) -> None:
        self._root = config.rootpath
        self._options = options
        self._scratch = scratch
        self._name = name
        self._count = count
        self._store: Store | None = None
        self._notes: list[str] = []

    @property
    def store(self) -> Store:
        """The store, opened when the first claim needs it."""
        # Imported here: it brings numpy, which tests without claims need not wait for.
        from pytest_claims.replaying import ROUNDING
        from pytest_claims.store import Store

        if self._store is None:
            self._store = Store(
                self._options.store,
                project_root=self._root,
                workers=self._count,
                announce=self._notes.append,
                worker=self._name,
                scratch=self._scratch.path,
                rounding=ROUNDING if self._options.twin else 0.0,
            )
        return self._store

    def seeds_of(self, item: pytest.Item) -> tuple[int, ...]:
        """The seeds of a test: the default ones, and as many more as its claim asks for."""
        asked = item.stash[DECLARATION]["seeds_asked"] if DECLARATION in item.stash else None
        return tuple(range(max(self._options.seeds, asked or 0)))

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Recognise claims."""
        collection.declare(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Write down all claims before any is deselected; refuse them if they contradict each other."""
        declarations = [item.stash[DECLARATION] for item in items if DECLARATION in item.stash]
        if not declarations:
            return
        self._scratch.write_declared(self._name, Declared(declarations, collection.papers(items)))
        if problems := collection.problems(items):
            for nodeid, message in problems:
                report = pytest.CollectReport(nodeid, "failed", message, result=[])
                session.config.hook.pytest_collectreport(report=report)
            # pytest-xdist runs what it can despite errors: nothing may run on contradictory declarations.
            items.clear()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Register the selected claims instead of running them."""
        if not self._options.register or session.testsfailed or session.config.option.collectonly:
            return None
        assert self._options.registry is not None
        selected = [item.stash[DECLARATION] for item in session.items if DECLARATION in item.stash]
        lines = register(self._options.registry, selected, self._scratch.read_declared())
        if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
            for line in lines:
                reporter.write_line(line)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note which runs a claim uses, its fixtures included."""
        if DECLARATION not in item.stash:
            return (yield)
        item.stash[STARTED] = time.perf_counter()
        with self.store.watch() as seen:
            item.stash[SEEN] = seen
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Measure and judge a claim."""
        declared = claim_of(pyfuncitem.obj)
        if declared is None:
            return None

        def measure(replace: tuple[str, str] | None = None) -> object:
            arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
            if replace is not None:
                arguments[replace[0]] = pyfuncitem._request.getfixturevalue(replace[1])
            return pyfuncitem.obj(**arguments)

        declaration, seeds = pyfuncitem.stash[DECLARATION], self.seeds_of(pyfuncitem)
        try:
            row = run_claim(declared, declaration, seeds, measure, controls=not self._options.twin)
        except ClaimError as error:
            row = error_row(declaration, str(error), seeds)
        pyfuncitem.stash[ROW] = row
        if row["verdict"] != "replicated":
            pytest.fail(f"{row['verdict']}: {row['reason']}", pytrace=False)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach a claim's row to its report, which pytest-xdist brings to the controller."""
        row = self._row(item, call) if DECLARATION in item.stash else None
        if row is not None and call.when == "call":
            item.user_properties.append(("verdict", row["verdict"]))
            if row.get("effect_size") is not None:
                item.user_properties.append(("effect_size", row["effect_size"]))
        report = yield
        if row is not None:
            vars(report)["claims_row"] = row
        if self._notes:
            vars(report)["claims_notes"] = list(self._notes)
            self._notes.clear()
        return report

    def _row(self, item: pytest.Item, call: pytest.CallInfo[None]) -> dict[str, Any] | None:
        """The row that one phase of a claim's test makes: its call, or any phase that fails."""
        failure, declaration = call.excinfo, item.stash[DECLARATION]
        if call.when == "call" and ROW in item.stash:
            row = item.stash[ROW]
        elif failure is None or isinstance(failure.value, pytest.skip.Exception):
            return None
        else:
            row = error_row(declaration, _reason(failure, call.when), self.seeds_of(item))
        seen = item.stash[SEEN]
        cost = {"runs": seen.runs, "trained": seen.trained, "measured": seen.measured}
        if self._options.write_baseline is not None:
            self._scratch.write_asked(declaration["id"], seen.asked)
        sources = {**seen.sources, **self.store.sources(_modules(item))}
        cost["sources"] = {file: digest[:16] for file, digest in sorted(sources.items())}
        return {**row, **cost, "seconds": time.perf_counter() - item.stash[STARTED]}


def _modules(item: pytest.Item) -> list[str]:
    """The modules that make a claim: its test's, and the conftest in the same package."""
    module = item.obj.__module__ if isinstance(item, pytest.Function) else ""
    names = [module, f"{module.rpartition('.')[0]}.conftest"] if "." in module else [module]
    return [name for name in names if name in sys.modules]


def _reason(failure: pytest.ExceptionInfo[BaseException], phase: str) -> str:
    """One line for an exception; its traceback stands in pytest's own output."""
    first = (failure.exconly(tryshort=True).splitlines() or [failure.typename])[0]
    notes = getattr(failure.value, "__notes__", [])
    return " ".join([*([] if phase == "call" else [f"in {phase}:"]), first, *notes])
