"""The process that the user sees: it gathers the rows of all workers, reports, and sets the exit status."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_claims import environment
from pytest_claims.concluding import Conclusion, Files, conclude, prepare
from pytest_claims.display import Display, show_progress
from pytest_claims.gathering import Gathering, crash_row
from pytest_claims.handover import INPUT, Declared, Scratch
from pytest_claims.options import Options
from pytest_claims.threads import thread_limit

_STATUS: dict[str, tuple[str, str, str | tuple[str, dict[str, bool]]]] = {
    "replicated": ("passed", "R", "REPLICATED"),
    "contradicted": ("failed", "C", ("CONTRADICTED", {"red": True})),
    "inconclusive": ("failed", "I", ("INCONCLUSIVE", {"yellow": True})),
    "error": ("failed", "E", ("ERROR", {"red": True})),
}
"""A verdict's category in pytest's counts, its letter and its word."""


class Controller:
    """The hooks of the process that reports.

    Args:
        config: pytest's.
        options: The settings.
        scratch: The folder shared by this session's processes.
    """

    def __init__(self, config: pytest.Config, options: Options, scratch: Scratch) -> None:
        self._config = config
        self._options = options
        self._scratch = scratch
        self._started = time.perf_counter()
        self._gathering = Gathering()
        self._declared = Declared()
        self._files: Files | None = prepare(options) if options.explicit and not options.register else None
        self._conclusion: Conclusion | None = None
        self._display: Display | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of pytest-xdist where the shared folder is."""
        node.workerinput[INPUT] = str(self._scratch.path)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Choose a scheduler that survives a crashed worker."""
        # Imported here: pytest-xdist need not be installed.
        from pytest_claims.scheduling import make_scheduler

        return make_scheduler(config, log)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Learn what there is to run from the first worker that knows."""
        self._learn()
        self._refuse_a_part(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn what there is to run, where this process collects itself."""
        self._learn()
        if self._declared.declarations:
            self._refuse_a_part([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        """Give the claim in which a worker died a row."""
        worker = vars(report)["node"].gateway.id
        row = crash_row(crashitem, worker, self._declared.declarations)
        if row is not None:
            vars(report)["claims_row"] = row

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather a claim's row."""
        self._gathering.add(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count what could not be collected."""
        self._gathering.add(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, object] | None:
        """Show verdicts; what pytest reports of a claim's setup and teardown stays pytest's."""
        row = getattr(report, "claims_row", None)
        if row is None or hasattr(report, "wasxfail") or report.when in ("setup", "teardown"):
            return None
        return _STATUS[row["verdict"]]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the report and decide the exit status."""
        self._stop_display()
        if (
            self._files is None
            or exitstatus == pytest.ExitCode.USAGE_ERROR
            or self._config.option.collectonly
        ):
            return
        if self._gathering.others and not self._gathering.rows:
            return  # pytest has said what kept the claims from running, and does not end well
        self._conclusion = conclude(
            self._options,
            self._files,
            self._declared,
            root=self._config.rootpath,
            rows=self._gathering.rows,
            others=self._gathering.others,
            status=exitstatus,
            asked=self._scratch.read_asked() if self._options.write_baseline is not None else {},
            twin=self._measure_twins,
            environment=environment.describe(self._config.rootpath, thread_limit()),
            command=shlex.join(["pytest", *map(str, self._config.invocation_params.args)]),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            duration_s=time.perf_counter() - self._started,
        )
        session.exitstatus = self._conclusion.status

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the report."""
        if self._conclusion is None:
            return
        # Imported here: rich takes a while, and a session without claims prints nothing.
        from pytest_claims import terminal
        from pytest_claims.store.misses import grouped

        writer = terminalreporter._tw
        if self._gathering.notes and terminalreporter.verbosity >= 0:
            terminalreporter.write_sep("=", "store")
            for note in grouped(self._gathering.notes):
                terminalreporter.write_line(note)
        terminalreporter.write_sep("=", "claims")
        terminal.print_report(
            self._conclusion.report,
            file=writer._file,
            width=writer.fullwidth,
            colour=writer.hasmarkup,
            path=self._conclusion.path,
        )
        for line in self._conclusion.lines:
            terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Leave nothing behind."""
        self._stop_display()
        self._scratch.remove()

    def _learn(self) -> None:
        """Read what was collected, once; if there are claims, refuse now what would fail at the end."""
        if self._declared.declarations:
            return
        self._declared = self._scratch.read_declared()
        if not self._declared.declarations:
            return
        if self._options.register or self._config.option.collectonly:
            return
        if self._files is None:
            self._files = prepare(self._options)
        self._say_if_nothing_can_be_stored()
        self._display = show_progress(self._config, self._scratch.path)

    def _refuse_a_part(self, nodeids: list[str]) -> None:
        """Refuse to compare a part of the claims with a baseline, before anything trains."""
        options = self._options
        if options.baseline is None or options.allow_partial or options.register or self._files is None:
            return
        if self._config.option.collectonly:
            return
        # With --dist loadgroup a node id ends in the name of its group.
        asked = {*nodeids, *(nodeid.rpartition("@")[0] for nodeid in nodeids)}
        selected = {one["id"] for one in self._declared.declarations if one["nodeid"] in asked}
        every = {*(self._files.registered or {"claims": {}})["claims"]}
        every |= {one["id"] for one in self._declared.declarations}
        if selected < every:
            pytest.exit(
                f"PARTIAL: {len(selected)} of {len(every)} claims selected. A baseline is about all of them: "
                "select all, or compare these alone with --claims-allow-partial",
                returncode=pytest.ExitCode.USAGE_ERROR,
            )

    def _say_if_nothing_can_be_stored(self) -> None:
        # Imported here: the store brings numpy. The workers say it too, but only at the end.
        from pytest_claims.store.folder import prepare as prepare_store

        problem = prepare_store(self._options.store)
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if problem is not None and reporter is not None:
            reporter.write_line(f"the store {self._options.store} cannot be written: {problem}")

    def _measure_twins(self) -> Mapping[str, Any]:
        # Imported here: only who writes a baseline needs it.
        from pytest_claims import twins

        if reporter := self._config.pluginmanager.get_plugin("terminalreporter"):
            reporter.write_line("")
            reporter.write_line("measuring the rounding twins: the same runs, weights × (1 + 1e-7 · N)")
        parameters = self._config.invocation_params
        return twins.measure(self._options, list(map(str, parameters.args)), Path(parameters.dir))

    def _stop_display(self) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None
