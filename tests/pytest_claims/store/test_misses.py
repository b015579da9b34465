import dataclasses
import json

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
    assert told(tmp_path, asked()) == ["anchor: first time, seeds 0-2"]


def test_new_seeds(tmp_path, store):
    store(asked())
    assert told(tmp_path, asked((5,))) == ["anchor: seed 5 is new"]
    assert told(tmp_path, asked((5, 6))) == ["anchor: seeds 5-6 are new"]


def test_changed_source(tmp_path, store):
    store(asked())
    changed = Source({"models/decoder.py": "2", "models/other.py": "1"}, SOURCE.versions)
    assert told(tmp_path, asked(source=changed)) == [
        "anchor, seeds 0-2: source changed: models/decoder.py, models/other.py (now used), "
        "models/training.py (no longer used)"
    ]
    assert told(tmp_path, asked((7,), source=changed))[0].startswith(
        "anchor: seed 7 is new; source changed: models/d"
    )


def test_many_changed_files_are_counted(tmp_path, store):
    store(asked())
    changed = Source({f"f{i}.py": "1" for i in range(9)} | SOURCE.files, SOURCE.versions)
    assert told(tmp_path, asked(source=changed))[0].endswith("f2.py (now used) and 6 more")


def test_changed_version(tmp_path, store):
    store(asked())
    changed = Source(SOURCE.files, {"torch": "2.14.0"})
    assert told(tmp_path, asked(source=changed)) == ["anchor, seeds 0-2: torch 2.13.0 → 2.14.0"]


def test_changed_field(tmp_path, store):
    store(asked())
    assert told(tmp_path, asked(lr=0.003)) == ["anchor, seeds 0-2: field lr 0.001 → 0.003"]


def test_the_nearest_entry_is_compared(tmp_path, store):
    store(asked((0, 1), lr=0.5, batch=8))
    store(asked((0,)))
    changed = Source({**SOURCE.files, "models/decoder.py": "2"}, SOURCE.versions)
    store(asked((1,), source=changed))
    # Seed 0 was trained by other code; that seed 1 was by this code is no reason.
    assert told(tmp_path, asked((0,), source=changed)) == [
        "anchor, seed 0: source changed: models/decoder.py"
    ]


def test_another_label_is_another_thing(tmp_path, store):
    store(asked(label="from below"))
    assert told(tmp_path, asked(label="from above", lr=0.2)) == ["from above: first time, seeds 0-2"]


def test_an_unreadable_entry_says_so_beside_other_reasons(tmp_path, store):
    store(asked((0, 1)))
    assert told(tmp_path, asked((1, 2)), {1: "checksum differs", 2: None}) == [
        "anchor, seed 1: entry unreadable: checksum differs; trained again",
        "anchor: seed 2 is new",
    ]
    measurement = dataclasses.replace(asked((1,)), kind="measurement")
    assert told(tmp_path, measurement, {1: "checksum differs"})[0].endswith("measured again")


def test_a_damaged_neighbour_is_passed_over(tmp_path, store):
    store(asked())
    (tmp_path / "toy.Anchor/damaged.json").write_text("{")
    (tmp_path / "toy.Anchor/other.json").write_text("[]")
    assert told(tmp_path, asked((5,))) == ["anchor: seed 5 is new"]


def test_each_miss_is_told_once_among_all_workers(tmp_path):
    lines = []
    workers = [Misses(tmp_path / "entries", lines.append, tmp_path / "told") for _ in range(2)]
    first, later = asked((0, 1)), asked((1, 2))
    for work in (first, first, later):
        for worker in workers:
            worker.tell(work, dict.fromkeys(work.keys))
    assert lines == ["anchor: first time, seeds 0-1", "anchor: first time, seed 2"]
