import dataclasses
import json
import os
import time

import pytest

from pytest_claims.store import misses
from pytest_claims.store.fingerprint import Source
from pytest_claims.store.misses import Misses
from pytest_claims.store.work import Work

SOURCE = Source({"models/decoder.py": "1", "models/training.py": "1"}, {"torch": "2.13.0"})


def asked(seeds=(0, 1, 2), source=SOURCE, label="anchor", **fields):
    return Work(
        kind="run",
        name="toy.Anchor",
        label=label,
        fields={"class": "toy.Anchor", "lr": 0.001, **fields},
        source=source,
        keys={seed: f"{seed:064d}" for seed in seeds},
        at_once=None,
        compute=None,
        prepare=None,
    )


@pytest.fixture
def store(tmp_path):
    """Puts entries' provenance where it is looked for."""

    def put(work):
        for seed in work.keys:
            file = tmp_path / work.name / f"{len(list(tmp_path.glob('*/*')))}.json"
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(misses.provenance_of(work, seed)))

    return put


def told(tmp_path, work, problems=None):
    lines = []
    Misses(tmp_path, lines.append, None).tell(work, problems or dict.fromkeys(work.keys))
    return lines


def test_the_first_time(tmp_path):
    assert told(tmp_path, asked()) == ["first time, seeds 0-2 · anchor"]


def test_new_seeds(tmp_path, store):
    store(asked())
    assert told(tmp_path, asked((5,))) == ["seed 5 is new · anchor"]
    assert told(tmp_path, asked((5, 6))) == ["seeds 5-6 are new · anchor"]


def test_changed_source(tmp_path, store):
    store(asked())
    changed = Source({"models/decoder.py": "2", "models/other.py": "1"}, SOURCE.versions)
    assert told(tmp_path, asked(source=changed)) == [
        "seeds 0-2: source changed: models/decoder.py, models/other.py (now used), "
        "models/training.py (no longer used) · anchor"
    ]
    assert told(tmp_path, asked((7,), source=changed))[0].startswith(
        "seed 7 is new; source changed: models/d"
    )


def test_many_changed_files_are_counted(tmp_path, store):
    store(asked())
    changed = Source({f"f{i}.py": "1" for i in range(9)} | SOURCE.files, SOURCE.versions)
    assert told(tmp_path, asked(source=changed))[0].endswith("f2.py (now used) and 6 more · anchor")


def test_changed_version(tmp_path, store):
    store(asked())
    changed = Source(SOURCE.files, {"torch": "2.14.0"})
    assert told(tmp_path, asked(source=changed)) == ["seeds 0-2: torch 2.13.0 → 2.14.0 · anchor"]


def test_changed_field(tmp_path, store):
    store(asked())
    assert told(tmp_path, asked(lr=0.003)) == ["seeds 0-2: field lr 0.001 → 0.003 · anchor"]


def test_the_nearest_entry_is_compared(tmp_path, store):
    store(asked((0, 1), lr=0.5, batch=8))
    store(asked((0,)))
    changed = Source({**SOURCE.files, "models/decoder.py": "2"}, SOURCE.versions)
    store(asked((1,), source=changed))
    # Seed 0 was trained by other code; that seed 1 was by this code is no reason.
    assert told(tmp_path, asked((0,), source=changed)) == [
        "seed 0: source changed: models/decoder.py · anchor"
    ]


def test_another_label_is_another_thing(tmp_path, store):
    store(asked(label="from below"))
    assert told(tmp_path, asked(label="from above", lr=0.2)) == ["first time, seeds 0-2 · from above"]


def test_an_unreadable_entry_says_so_beside_other_reasons(tmp_path, store):
    store(asked((0, 1)))
    assert told(tmp_path, asked((1, 2)), {1: "checksum differs", 2: None}) == [
        "seed 1: entry unreadable: checksum differs; trained again · anchor",
        "seed 2 is new · anchor",
    ]
    measurement = dataclasses.replace(asked((1,)), kind="measurement")
    assert told(tmp_path, measurement, {1: "checksum differs"})[0].endswith("measured again · anchor")


def test_a_damaged_neighbour_is_passed_over(tmp_path, store):
    store(asked())
    (tmp_path / "toy.Anchor/damaged.json").write_text("{")
    (tmp_path / "toy.Anchor/other.json").write_text("[]")
    assert told(tmp_path, asked((5,))) == ["seed 5 is new · anchor"]


def test_each_miss_is_told_once_among_all_workers(tmp_path):
    lines = []
    workers = [Misses(tmp_path / "entries", lines.append, tmp_path / "told") for _ in range(2)]
    first, later = asked((0, 1)), asked((1, 2))
    for work in (first, first, later):
        for worker in workers:
            worker.tell(work, dict.fromkeys(work.keys))
    assert lines == ["first time, seeds 0-1 · anchor", "first time, seed 2 · anchor"]


def test_what_this_session_made_is_no_reason(tmp_path, store):
    lines = []
    found = Misses(tmp_path, lines.append, None)
    store(asked(lr=0.5))
    for file in tmp_path.glob("*/*.json"):
        os.utime(file, (time.time() + 60,) * 2)
    found.tell(asked(), {0: None})
    assert lines == ["first time, seed 0 · anchor"]


def test_misses_for_one_reason_are_one_line():
    told = [f"seeds 0-4: source changed: models/decoder.py · run {i}" for i in range(5)]
    assert misses.grouped([*told, "first time, seed 1 · a", "the store cannot be written"]) == [
        "seeds 0-4: source changed: models/decoder.py · run 0, run 1 and 3 more",
        "first time, seed 1 · a",
        "the store cannot be written",
    ]
