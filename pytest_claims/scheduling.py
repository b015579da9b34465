"""Schedulers of pytest-xdist that survive a crashed worker.

Several things go wrong in pytest-xdist 3.8 when a worker dies in the middle of a test:

* ``loadgroup``, ``loadfile`` and ``loadscope`` give the test that killed the worker to the next one, and the next, until no
  restart is left; a claim is never run until it does not crash;
* they also hand on work units that are finished, or that hold a single test. A worker starts a test only once it knows the
  next one or is told that there is none, so a unit of one test keeps its worker, and the session, waiting for ever;
* ``each`` lets the worker that replaces one which died in its last test run everything from the start;
* ``each`` forgets what such a replacement collected, so that if it dies too, nobody learns in which test; and it fails
  on a replacement that has not collected yet when another one has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling, Scheduling
    from xdist.workermanage import WorkerController


def make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Return a scheduler for the chosen ``--dist`` mode, None where pytest-xdist's own one is sound."""
    from xdist.scheduler import LoadFileScheduling, LoadGroupScheduling, LoadScopeScheduling

    bases: dict[str, type[LoadScopeScheduling]] = {
        "loadscope": LoadScopeScheduling,
        "loadfile": LoadFileScheduling,
        "loadgroup": LoadGroupScheduling,
    }
    mode = config.getoption("dist")
    if mode == "each":
        return _each(config, log)
    return _by_unit(bases[mode], config, log) if mode in bases else None


def _by_unit(base: type[LoadScopeScheduling], config: pytest.Config, log: Producer) -> Scheduling:
    class Surviving(base):  # type: ignore[valid-type, misc]
        def remove_node(self, node: WorkerController) -> str | None:
            left = _unfinished(self.assigned_work.pop(node))
            if not left:
                return None
            first = next(iter(left))
            crashed = next(iter(left[first]))
            del left[first][crashed]
            self.workqueue.update(_unfinished(left))
            for other in self.nodes:
                self._reschedule(other)
            return crashed

        def _reschedule(self, node: WorkerController) -> None:
            # A worker that has only just replaced another one is called again when it has collected.
            if node.shutting_down or node not in self.registered_collections:
                return
            # At least the present test and the next one, or the news that there is no next one.
            while self.workqueue and self._pending_of(self.assigned_work[node]) < 2:
                self._assign_work_unit(node)
            if not self.workqueue:
                node.shutdown()

    return Surviving(config, log)


def _unfinished(work: Any) -> dict[str, dict[str, bool]]:
    left = {unit: {test: False for test, done in tests.items() if not done} for unit, tests in work.items()}
    return {unit: tests for unit, tests in left.items() if tests}


def _each(config: pytest.Config, log: Producer) -> Scheduling:
    from xdist.scheduler import EachScheduling

    class Surviving(EachScheduling):
        def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
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

    return Surviving(config, log)
