import importlib
import sys

import pytest

from pytest_claims.store import Store, commands
from pytest_claims.store.locks import Locks

CODE = """
from dataclasses import dataclass
import numpy as np

@dataclass(frozen=True)
class Run:
    lr: float = 0.5
    label = "anchor"

    def train(self, seeds, store, progress):
        return {"weights": np.array(seeds) + FACTOR}

FACTOR = 1

def doubled(arrays, seeds):
    return 2 * arrays["weights"]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "toy_for_commands.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "toy_for_commands", raising=False)
    return tmp_path


@pytest.fixture
def root(project):
    """A store with a run of three seeds and a measurement of two."""
    toy = importlib.import_module("toy_for_commands")
    store = Store(project / "store", project_root=project, announce=lambda line: None)
    store.get(toy.Run(), range(3))
    store.measure(toy.doubled, toy.Run(), range(2))
    return project / "store"


def files(root, pattern):
    return sorted(root.glob(f"entries/*/{pattern}"))


def test_list_shows_a_line_for_each_run_and_measurement(root):
    run, measurement, total = commands.list_(root).text.splitlines()
    assert run.split()[:4] == ["run", "anchor", "seeds", "0-2"]
    assert "Run(" not in run
    assert commands.list_(root, verbose=True).text.splitlines()[0].endswith("toy_for_commands.Run(lr=0.5)")
    assert measurement.startswith("measurement  doubled of anchor  seeds 0-1")
    assert total.startswith("5 entries, ")


def test_list_of_no_store(tmp_path):
    assert commands.list_(tmp_path).text.startswith("0 entries, ")
    assert not list(tmp_path.iterdir())


def test_list_counts_what_it_cannot_read(root):
    files(root, "*.json")[0].write_text("{")
    assert "1 unreadable" in commands.list_(root).text


def test_verify_names_what_is_damaged(root):
    assert commands.verify(root).status == 0
    damaged = files(root, "*.safetensors")[0]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    text, status = commands.verify(root)
    assert status == 1
    assert text.splitlines()[0] == f"{damaged.parent.name}/{damaged.stem}: checksum differs"
    assert "4 entries verified, 1 unreadable" in text


def test_prune_keeps_what_can_still_be_used(root, project):
    before = files(root, "*")
    assert commands.prune(root, project).text.startswith("0 removed")
    assert files(root, "*") == before
    assert not list((root / "locks").iterdir())


def test_prune_removes_entries_of_other_code(root, project):
    (project / "toy_for_commands.py").write_text(CODE.replace("FACTOR = 1", "FACTOR = 2"))
    first, second, total = commands.prune(root, project).text.splitlines()
    assert first == "removed anchor (source changed: toy_for_commands.py), seeds 0-2"
    assert second == "removed doubled of anchor (source changed: toy_for_commands.py), seeds 0-1"
    assert total.startswith("5 removed, ")
    assert files(root, "*") == []


def test_prune_removes_leftovers_and_damage(root, project):
    damaged, orphan, *_ = files(root, "*.safetensors")
    damaged.write_bytes(b"")
    orphan.with_suffix(".json").unlink()
    leftover = orphan.with_name("0" * 64 + ".json.tmp-123")
    leftover.touch()
    probe = root / "probe.tmp-123"
    probe.touch()
    text = commands.prune(root, project).text
    assert "unreadable, checksum differs" in text
    assert "arrays without provenance" in text
    assert "left by a process that died" in text
    assert not any(file.exists() for file in (damaged, orphan, leftover, probe))
    assert commands.verify(root).text.startswith("3 entries verified, 0 unreadable")


def test_prune_leaves_alone_what_another_process_is_writing(root, project):
    orphan = files(root, "*.safetensors")[0]
    orphan.with_suffix(".json").unlink()
    temporary = orphan.with_name(f"{orphan.stem}.json.tmp-123")
    temporary.touch()
    writer = Locks(root / "locks", "gw0").take(orphan.stem, "anchor seed 0")
    commands.prune(root, project)
    assert orphan.exists()
    assert temporary.exists()
    writer.release()
    commands.prune(root, project)
    assert not orphan.exists()
