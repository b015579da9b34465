"""Baselines with replays, and the gate over whole sessions of a paper whose model is a few lines of numpy."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from fnmatch import fnmatch

import pytest

from pytest_claims import recording
from pytest_claims.files import FileError
from tests.pytest_claims import replayed

CLAIMS = """
import numpy as np
import pytest

from fitting import Fit, Further, average
from pytest_claims import Below, Exceeds, Paper, claim

PAPER = Paper(key="toy2026", title="A toy", authors="A. Uthor", year=2026)

@pytest.fixture
def fit():
    return Fit(40)

@pytest.fixture
def unfit():
    return Fit(0)

@claim(PAPER, "The weights are found.", predicts=Exceeds(0.3), controls={"fit": "unfit"})
def test_found(store, seeds, fit):
    return store.measure(average, fit, seeds, trials=4096, in_replay={"trials": 4})

@claim(PAPER, "They vanish further on.", predicts=Below(0.1))
def test_vanish(store, seeds):
    return store.get(Further(Fit(40)), seeds)["weights"].mean(axis=1)
"""
SETTINGS = """
[tool.pytest.ini_options]
pythonpath = ["."]
claims_registry = "registered.json"
"""
WITHOUT = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:benchmark")


class Project:
    """A checkout of the toy paper with a baseline."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments, **options):
        return self._process("-m", "pytest", *WITHOUT, *arguments, **options)

    def gate(self, *arguments, **options):
        return self.run("--claims-baseline=baseline.json", *arguments, **options)

    def replay(self, **options):
        command = "import sys; from pytest_claims.cli import main; sys.exit(main(['gate', '--replay']))"
        return self._process("-c", command, **options)

    def edit(self, old, new, file="fitting.py"):
        text = (self.path / file).read_text()
        assert old in text
        (self.path / file).write_text(text.replace(old, new))

    def report(self):
        return json.loads((self.path / ".claims/report/report.json").read_text())

    def _process(self, *arguments, threads="1"):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.path,
            env={**os.environ, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    """The project with its baseline, made once."""
    made = Project(tmp_path_factory.mktemp("accepted"))
    (made.path / "pyproject.toml").write_text(SETTINGS)
    (made.path / "fitting.py").write_text(inspect.getsource(replayed))
    (made.path / "test_toy.py").write_text(CLAIMS)
    assert made.run("--claims-register").returncode == 0
    assert "baseline written" in made.run("--claims-write-baseline=baseline.json").stdout
    return made


@pytest.fixture
def project(accepted, tmp_path):
    shutil.copytree(accepted.path, tmp_path / "project")
    return Project(tmp_path / "project")


@pytest.mark.parametrize("time", range(20))
def test_an_unchanged_tree_passes_20_times_out_of_20(project, time):
    """From a warm and from an empty store, with and without workers, with one thread and with two."""
    store = ("--claims-store=.claims", "--claims-store=empty")[time % 2]
    workers = ("0", "2")[time // 2 % 2]
    threads = ("1", "2")[time // 4 % 2]
    result = project.gate(store, "-n", workers, threads=threads)
    assert result.returncode == 0
    assert_lines(result, "*unchanged*", "*2 claims run, no error, no verdict changed*")
    assert project.replay(threads=threads).returncode == 0


def test_what_lies_beside_the_baseline_is_small_and_no_pickle(project):
    found = json.loads((project.path / "baseline.replay.json").read_text())["replays"]
    assert {entry["spec"].get("measure", "run").rpartition(".")[2] for entry in found.values()} == {
        "average",
        "run",
    }
    assert sorted({name for entry in found.values() for name in entry["claims"]}) == [
        "toy2026/found",
        "toy2026/vanish",
    ]
    entries = json.loads((project.path / "baseline.json").read_text())["claims"]
    assert len(entries["toy2026/found"]["twin"]) == 5
    assert entries["toy2026/found"]["twin"] != entries["toy2026/found"]["values"]
    assert {"fitting.py", "test_toy.py"} <= set(entries["toy2026/found"]["sources"])


def test_a_comment_trains_nothing_and_passes(project):
    project.edit("    def train(self", "    # A comment.\n\n    def train(self")
    result = project.gate()
    assert result.returncode == 0
    assert all(claim["trained"] == 0 for claim in project.report()["claims"])


def test_a_pure_refactor_trains_again_and_passes(project):
    project.edit("        losses = []\n", "        losses = list()\n")
    result = project.gate()
    assert result.returncode == 0
    assert any(claim["trained"] for claim in project.report()["claims"])
    assert project.replay().returncode == 0


def test_rounding_as_of_another_machine_passes(project):
    project.edit("weights = weights * (1 +", "weights = (1 + 1e-7) * weights * (1 +")
    result = project.gate()
    assert result.returncode == 0
    assert_lines(result, "*no result and no computation moved*")
    assert project.replay().returncode == 0


def test_a_fault_that_training_absorbs_is_seen_by_the_replay_which_names_the_claims(project):
    # Least squares has one solution, whatever the learning rate.
    project.edit("self.rate *", "0.9 * self.rate *")
    result = project.replay()
    assert result.returncode == 1
    assert_lines(result, "computation changed: *claims: toy2026/found*", "*CHANGED")
    result = project.gate()
    assert result.returncode == 1
    assert_lines(result, "*toy2026/found: computation changed: *; changed: fitting.py*")


def test_a_moved_result_is_red_and_in_the_report(project):
    project.edit("np.arange(8.0) / 8", "np.arange(8.0) / 7")
    result = project.gate()
    assert result.returncode == 1
    assert_lines(result, "*toy2026/found: result moved: * before, * now, difference * tolerance *")
    gate = project.report()["gate"]
    assert gate["ok"] is False
    assert any(finding["claim"] == "toy2026/found" and finding["red"] for finding in gate["findings"])


def test_what_is_gone_is_red(project):
    project.edit("class Further", "class Farther")
    project.edit("Further", "Farther", "test_toy.py")
    result = project.replay()
    assert result.returncode == 1
    assert_lines(result, "*Further cannot be replayed: *is gone*")


def test_a_damaged_file_is_named(project):
    (project.path / "baseline.safetensors").write_bytes(b"no")
    with pytest.raises(FileError, match=r"baseline\.safetensors: cannot be read as checkpoints"):
        recording.moved(project.path / "baseline.json", project.path)
    (project.path / "baseline.replay.json").unlink()
    assert not recording.there(project.path / "baseline.json")
    result = project.replay()
    assert result.returncode == 2
    assert "baseline.replay.json: no such file" in result.stderr


def assert_lines(result, *patterns):
    """Every pattern matches a line of the output."""
    lines = result.stdout.splitlines()
    for pattern in patterns:
        assert any(fnmatch(line, pattern) for line in lines), f"{pattern} in\n{result.stdout}"
