"""A toy paper whose claims run in milliseconds, for tests that run pytest inside pytest."""

import json

import pytest

# pytester forgets modules that an inner session imported; numpy refuses to be imported twice.
import scipy.stats  # noqa: F401

import pytest_claims.report
import pytest_claims.store
import pytest_claims.terminal
import pytest_claims.verdicts  # noqa: F401

HEADER = """
import os
from dataclasses import dataclass

import numpy as np
import pytest

from pytest_claims import Below, Choice, Exceeds, Holds, Paper, Parts, Ratio, Reported, Values, Within, claim

PROTOCOL = [Choice("slope", 1.0, "ours")]
PAPER = Paper(key="toy2026", title="A toy", authors="A. Uthor", year=2026, protocol=PROTOCOL)

@dataclass(frozen=True)
class Line:
    slope: float

    def train(self, seeds, store, progress):
        return {"w": np.array([self.slope * (seed + 1.0) for seed in seeds])}

@pytest.fixture
def line(store, seeds):
    return store.get(Line(1.0), seeds)["w"]

@pytest.fixture
def flat(store, seeds):
    return 0.0 * store.get(Line(2.0), seeds)["w"]

@pytest.fixture
def steep(store, seeds):
    return store.get(Line(3.0), seeds)["w"]
"""

RISES = """
@claim(PAPER, "The line rises.", predicts=Exceeds(0.0))
def test_rises(line):
    return line
"""

FALLS = """
@claim(PAPER, "The line falls.", predicts=Below(0.0))
def test_falls(line):
    return line
"""


# These two take seconds of every inner session.
WITHOUT = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:benchmark")


class Toy:
    """A project in a folder of its own, with claims about the toy paper."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        pytester.makeini("[pytest]\nfilterwarnings = error\n")

    def write(self, *claims: str, name: str = "test_toy") -> None:
        self.pytester.makepyfile(**{name: HEADER + "".join(claims)})

    def run(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_inprocess(*WITHOUT, *arguments)

    def spawn(self, *arguments: str) -> pytest.RunResult:
        """Run in a process of its own: what hangs or dies there does not take this one with it."""
        return self.pytester.runpytest_subprocess(*WITHOUT, *arguments, timeout=60)

    def report(self, folder: str = ".claims/report") -> dict:
        return json.loads((self.path / folder / "report.json").read_text())

    def rows(self) -> dict[str, dict]:
        return {claim["id"].removeprefix("toy2026/"): claim for claim in self.report()["claims"]}


@pytest.fixture
def toy(pytester: pytest.Pytester) -> Toy:
    return Toy(pytester)
