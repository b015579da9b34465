"""Schedulers of pytest-xdist that survive a crashed worker.

Several things go wrong in pytest-xdist 3.8 when a worker dies in the middle of a test:

* ``loadgroup``, ``loadfile`` and ``loadscope`` give the test that killed the worker to the next one, and the
  next, until no restart is left; a claim is never run until it does not crash;
* they also hand on work units that are finished, or that hold a single test. A worker starts a test only once
  it knows the next one or is told that there is none, so a unit of one test keeps its worker and the session
  waiting for ever;
* ``each`` lets the worker that replaces one which died in its last test run everything from the start;
* ``each`` forgets what such a replacement collected, so that if it dies too, nobody learns in which test; and
  it fails on a replacement that has not collected yet when another one has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from xdist.scheduler import (  # type: ignore[import-untyped]
    EachScheduling,
    LoadFileScheduling,
    LoadGroupScheduling,
    LoadScopeScheduling,
)

Units = Mapping[str, Mapping[str, bool]]
"""Work unit → test → whether it is done."""


class _SurvivingUnits:
    """The part of a `LoadScopeScheduling` that deals with a worker's death."""

    assigned_work: dict[Any, Units]
    registered_collections: dict[Any, list[str]]
    workqueue: dict[str, Mapping[str, bool]]

    def remove_node(self, node: Any) -> str | None:
        """Forget a worker; return the test in which it died, and queue the others that it had."""
        left = _unfinished(self.assigned_work.pop(node))
        if not left:
            return None
        unit = next(iter(left))
        crashed = next(iter(left[unit]))
        del left[unit][crashed]
        self.workqueue.update(_unfinished(left))
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: Any) -> None:
        # A worker that has only just replaced another one is called again when it has collected.
        if node.shutting_down or node not in self.registered_collections:
            return
        # At least the present test and the next one, or the news that there is no next one.
        while self.workqueue and _count(_unfinished(self.assigned_work[node])) < 2:
            self._assign_work_unit(node)
        if not self.workqueue:
            node.shutdown()

    def _assign_work_unit(self, node: Any) -> None:
        super()._assign_work_unit(node)  # type: ignore[misc]


class _LoadScope(_SurvivingUnits, LoadScopeScheduling):  # type: ignore[misc]
    pass


class _LoadFile(_SurvivingUnits, LoadFileScheduling):  # type: ignore[misc]
    pass


class _LoadGroup(_SurvivingUnits, LoadGroupScheduling):  # type: ignore[misc]
    pass


class _Each(EachScheduling):  # type: ignore[misc]
    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        super().add_node_collection(node, collection)
        self.node2collection[node] = list(collection)

    def schedule(self) -> None:
        # A worker that comes when all have started replaces one: it has that one's tests, or nothing to do.
        replacing = len(self._started) >= self.numnodes
        for node, pending in self.node2pending.items():
            if node in self._started or node not in self.node2collection:
                continue
            self._started.append(node)
            if not replacing:
                pending[:] = range(len(self.node2collection[node]))
            if pending:
                node.send_runtest_some(pending)
            node.shutdown()


_SURVIVING = {"each": _Each, "loadscope": _LoadScope, "loadfile": _LoadFile, "loadgroup": _LoadGroup}


def make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return a scheduler for the chosen ``--dist`` mode, None where pytest-xdist's own one is sound."""
    chosen = _SURVIVING.get(config.getoption("dist"))
    return None if chosen is None else chosen(config, log)


def _unfinished(units: Units) -> dict[str, dict[str, bool]]:
    left = {unit: {test: False for test, done in tests.items() if not done} for unit, tests in units.items()}
    return {unit: tests for unit, tests in left.items() if tests}


def _count(units: Units) -> int:
    return sum(len(tests) for tests in units.values())
