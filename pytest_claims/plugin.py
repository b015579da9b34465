"""Registers the plugin's options, fixtures and hooks; each delegates to the module that holds the idea."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_claims.declare import KINDS
from pytest_claims.handover import INPUT, Scratch
from pytest_claims.options import add_options, read_options
from pytest_claims.threads import limit_threads
from pytest_claims.worker import Worker

if TYPE_CHECKING:
    from pytest_claims.store import Store

_MARKERS = {
    "reported": "a claim that the paper reports",
    "design": "a property of the paper's experiment that holds exactly",
    "extension": "a claim that goes beyond the paper",
}
_WORKER = pytest.StashKey[Worker]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Settle the number of threads before a conftest imports a numerical library."""
    limit_threads()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Registering runs nothing, so it needs no workers."""
    register = config.getoption("claims_register") or config.getini("claims_register")
    if register and hasattr(config.option, "numprocesses"):
        config.option.numprocesses = 0
        config.option.dist, config.option.tx = "no", []


def pytest_configure(config: pytest.Config) -> None:
    """Register the hooks of what this process is: the one that runs tests, the one that reports, or both."""
    for kind in KINDS:
        config.addinivalue_line("markers", f"{kind}: {_MARKERS[kind]}")
    options = read_options(config)
    remote = getattr(config, "workerinput", None)
    scratch = Scratch(Path(remote[INPUT]) if remote else None)
    if remote is None:
        # Imported here: a worker reports to nobody.
        from pytest_claims.controller import Controller

        config.pluginmanager.register(Controller(config, options, scratch), "claims-controller")
        worker = Worker(config, options, scratch)
    else:
        worker = Worker(config, options, scratch, remote["workerid"], remote["workercount"])
    # Under pytest-xdist the controller collects and runs nothing, so its worker's hooks stay idle.
    config.stash[_WORKER] = worker
    config.pluginmanager.register(worker, "claims-worker")


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> tuple[int, ...]:
    """The training seeds 0 to n−1, n being ``--seeds`` or what the claim asks for, whichever is more."""
    return request.config.stash[_WORKER].seeds_of(request.node)


@pytest.fixture(scope="session")
def store(request: pytest.FixtureRequest) -> Store:
    """The store of trained runs and measurements."""
    return request.config.stash[_WORKER].store
