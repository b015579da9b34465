import threading
import time
from pathlib import Path

import numpy as np
import pytest

from pytest_claims.store import entries
from pytest_claims.store.fill import Filler
from pytest_claims.store.fingerprint import Source
from pytest_claims.store.locks import Locks
from pytest_claims.store.memory import Memory
from pytest_claims.store.misses import Misses
from pytest_claims.store.progress import Reporter, read_progress
from pytest_claims.store.work import Work


def key(seed):
    return f"{seed:064d}"


class Bench:
    """A filler, and a record of what it was made to do."""

    def __init__(self, root, workers=1, patience=0.0):
        self.root = root
        self.batches = []
        self.lost = []
        self.filler = Filler(
            folder=root / "entries",
            locks=Locks(root / "locks", "gw0"),
            memory=Memory(),
            reporter=Reporter(root, "gw0"),
            misses=Misses(root / "entries", lambda line: None, None),
            workers=workers,
            patience=patience,
            made=lambda work, seed: None,
            lost=self.lost.append,
        )

    def work(self, seeds=range(5), at_once=None, ready=None):
        def compute(batch, progress):
            self.batches.append(batch)
            return {"value": np.array(batch, dtype=float)}

        return Work(
            kind="run",
            name="toy.Run",
            label="toy",
            fields={},
            source=Source(),
            keys={seed: key(seed) for seed in seeds},
            at_once=at_once,
            compute=compute,
            prepare=lambda missing: missing if ready is None else tuple(s for s in missing if s in ready),
        )

    def stored(self, seed):
        return entries.load(entries.Place(self.root / "entries/toy.Run", key(seed))) is not None


@pytest.mark.parametrize(
    ("workers", "at_once", "batches"),
    [
        (1, None, [(0, 1, 2, 3, 4)]),
        (2, None, [(0, 1, 2), (3,), (4,)]),
        (5, None, [(0,), (1,), (2,), (3,), (4,)]),
        (1, 2, [(0, 1), (2, 3), (4,)]),
    ],
)
def test_a_batch_is_a_share_of_what_is_missing(tmp_path, workers, at_once, batches):
    bench = Bench(tmp_path, workers)
    filled = bench.filler.fill(bench.work(at_once=at_once))
    assert bench.batches == batches
    assert {seed: float(entry["value"]) for seed, entry in filled.items()} == {
        seed: seed for seed in range(5)
    }


def test_what_others_are_making_is_left_to_them_and_then_waited_for_by_name(tmp_path):
    bench = Bench(tmp_path, patience=0.05)
    other = Locks(tmp_path / "locks", "gw1").take(key(0), "toy seed 0")
    with pytest.raises(TimeoutError, match=r"toy seed 0, being made by toy seed 0 \(gw1, process \d+\)"):
        bench.filler.fill(bench.work())
    assert bench.batches == [(1, 2, 3, 4)]
    other.release()


def test_without_waiting_the_others_seeds_are_left_out(tmp_path):
    bench = Bench(tmp_path, patience=30)
    other = Locks(tmp_path / "locks", "gw1").take(key(0), "toy seed 0")
    assert set(bench.filler.fill(bench.work(), wait=False)) == {1, 2, 3, 4}
    other.release()


def test_while_waiting_the_progress_names_the_holder_and_a_lock_given_up_is_taken_over(tmp_path):
    bench = Bench(tmp_path, patience=30)
    other = Locks(tmp_path / "locks", "gw1").take(key(0), "toy seed 0")
    seen = []

    def watch():
        while not (seen and seen[-1].waits_for):
            seen.extend(read_progress(tmp_path))
            time.sleep(0.01)
        other.locks._held.clear()  # as when its process dies: nothing is tidied, the system frees the lock
        other.file.release()

    thread = threading.Thread(target=watch)
    thread.start()
    filled = bench.filler.fill(bench.work([0]))
    thread.join()
    assert seen[-1].waits_for.startswith("toy seed 0 (gw1, process ")
    assert bench.batches == [(0,)]
    assert set(filled) == {0}


def test_seeds_whose_inputs_are_there_come_first(tmp_path):
    bench = Bench(tmp_path, workers=2)
    bench.filler.fill(bench.work(ready={3, 4}))
    assert bench.batches[0] == (3, 4)
    assert sorted(seed for batch in bench.batches for seed in batch) == [0, 1, 2, 3, 4]


def test_without_waiting_a_seed_whose_input_others_make_is_left_out(tmp_path):
    bench = Bench(tmp_path)
    assert set(bench.filler.fill(bench.work(ready={1}), wait=False)) == {1}
    assert bench.batches == [(1,)]


def test_an_entry_stored_between_the_look_and_the_lock_is_not_made_again(tmp_path, monkeypatch):
    bench, other = Bench(tmp_path), Bench(tmp_path)
    work = bench.work()
    monkeypatch.setattr(bench.filler.misses, "tell", lambda *_: other.filler.fill(other.work()))
    assert set(bench.filler.fill(work)) == set(range(5))
    assert bench.batches == []


def test_an_error_gives_the_locks_back_and_keeps_what_was_finished(tmp_path):
    bench = Bench(tmp_path)
    work = bench.work(at_once=1)
    compute = work.compute

    def interrupted(batch, progress):
        if batch == (2,):
            raise KeyboardInterrupt
        return compute(batch, progress)

    object.__setattr__(work, "compute", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:  # kept, with all that its frames hold
        bench.filler.fill(work)
    assert caught.tb is not None
    assert [bench.stored(seed) for seed in range(5)] == [True, True, False, False, False]
    others = Locks(tmp_path / "locks", "gw1")
    assert all(others.is_free(key(seed)) for seed in range(5))


def test_an_unreadable_entry_is_made_again(tmp_path):
    Bench(tmp_path).filler.fill(Bench(tmp_path).work())
    place = entries.Place(tmp_path / "entries/toy.Run", key(3))
    place.arrays.write_bytes(place.arrays.read_bytes()[:-1])
    bench = Bench(tmp_path)
    bench.filler.fill(bench.work())
    assert bench.batches == [(3,)]
    assert bench.stored(3)


@pytest.mark.parametrize("where", ["entries.save", "lock"])
def test_when_the_disk_is_full_the_results_are_returned_and_it_is_said_once(tmp_path, monkeypatch, where):
    bench = Bench(tmp_path)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    if where == "lock":
        monkeypatch.setattr("filelock.FileLock.acquire", full)
    else:
        monkeypatch.setattr(entries, "_write", full)
    bench.filler.memory.capacity = 16  # two of the entries
    work = bench.work(at_once=1)
    assert set(bench.filler.fill(work)) == set(range(5))
    assert bench.lost == ["No space left on device"]
    assert set(bench.filler.fill(work)) == set(range(5))
    assert bench.batches == [(0,), (1,), (2,), (3,), (4,)]
    assert not Path(tmp_path / "entries/toy.Run").exists() or not bench.stored(0)
