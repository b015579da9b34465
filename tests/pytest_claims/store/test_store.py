import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import pytest_claims.store
from pytest_claims.store import Store, work
from pytest_claims.store.fingerprint import Fingerprints
from pytest_claims.store.locks import Locks
from tests.pytest_claims.store import toys
from tests.pytest_claims.store.toys import PROJECT, Anchor, Branch, Interrupted, OneByOne, calls


@pytest.fixture
def lines():
    return []


@pytest.fixture
def opened(tmp_path, lines):
    """Opens the store anew, as the next session does."""
    return lambda **options: Store(tmp_path / "store", project_root=PROJECT, announce=lines.append, **options)


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log")


def test_a_run_is_trained_once_and_found_in_the_next_session(opened, log, lines):
    first = opened().get(Anchor(log), (0, 1, 2))
    again = opened().get(Anchor(log), (0, 1, 2))
    assert calls(log) == [(0, 1, 2)]
    assert lines == ["first time, seeds 0-2 · Anchor"]
    for name in first:
        np.testing.assert_array_equal(again[name], first[name])


def test_arrays_come_in_the_order_of_the_seeds_asked_for(opened, log):
    store = opened()
    assert store.get(Anchor(log), (0, 1, 2))["updates"].tolist() == [100, 101, 102]
    assert store.get(Anchor(log), (2, 0))["updates"].tolist() == [102, 100]


def test_more_seeds_train_only_the_new_ones(opened, log, lines):
    opened().get(Anchor(log), range(5))
    store = opened()
    store.get(Anchor(log), range(6))
    assert calls(log) == [(0, 1, 2, 3, 4), (5,)]
    assert lines[1:] == ["seed 5 is new · Anchor"]
    assert store.trained == 1


def test_one_seed_equals_the_same_seed_beside_four_others(tmp_path, log):
    five = Store(tmp_path / "five", project_root=PROJECT).get(Anchor(log), range(5))
    for seed in range(5):
        one = Store(tmp_path / f"one{seed}", project_root=PROJECT).get(Anchor(log), [seed])
        for name, array in five.items():
            assert one[name].tobytes() == array[[seed]].tobytes()


def test_what_a_claim_does_to_its_arrays_reaches_no_other(opened, log):
    store = opened()
    first = store.get(Anchor(log), (0,))
    kept = first["weights"].copy()
    first["weights"] += 1
    np.testing.assert_array_equal(store.get(Anchor(log), (0,))["weights"], kept)
    np.testing.assert_array_equal(opened().get(Anchor(log), (0,))["weights"], kept)


def test_a_run_that_holds_another_has_it_trained_first(opened, log, tmp_path):
    branch = Branch(Anchor(log), str(tmp_path / "branches"))
    store = opened(workers=2)
    found = store.get(branch, range(5))
    np.testing.assert_array_equal(found["weights"], store.get(Anchor(log), range(5))["weights"] + 1)
    # The anchors of all five, not only of the branch seeds that this worker took first.
    assert calls(log)[0] == (0, 1, 2)
    assert store.trained == 10


def test_seeds_whose_inner_run_another_worker_is_training_come_last(opened, log, tmp_path):
    store = opened(patience=0.05)
    inner = work.of_run(Anchor(log), (0,), Fingerprints(PROJECT), compute=None, prepare=None)
    other = Locks(tmp_path / "store/locks", "gw1").take(inner.keys[0], "Anchor seed 0")
    branch = Branch(Anchor(log), str(tmp_path / "branches"))
    with pytest.raises(TimeoutError, match=r"Anchor seed 0, being made by Anchor seed 0 \(gw1"):
        store.get(branch, range(3))
    assert calls(tmp_path / "branches") == [(1, 2), (0,)]
    other.release()


def test_a_measurement_is_made_once_and_a_hit_reads_no_run(opened, log, tmp_path, lines):
    first = opened().measure(toys.mean_weight, Anchor(log), (0, 1), power=2)
    for file in (tmp_path / "store/entries").glob("*Anchor/*"):
        file.unlink()
    lines.clear()
    store = opened()
    again = store.measure(toys.mean_weight, Anchor(log), (1, 0), power=2)
    np.testing.assert_array_equal(again, first[::-1])
    assert calls(log) == [(0, 1)]
    assert lines == []
    assert (store.trained, store.measured) == (0, 0)


def test_a_measurement_of_two_runs_with_named_results(opened, log, lines):
    runs = (Anchor(log), Anchor(log, scale=2.0))
    store = opened()
    found = store.measure(toys.both, runs, (4, 2))
    np.testing.assert_array_equal(found["difference"], store.get(runs[0], (4, 2))["weights"])
    assert found["seeds"].tolist() == [4, 2]
    assert lines[0] == "first time, seeds 2, 4 · both of Anchor, Anchor"


def test_only_new_seeds_are_measured(opened, log):
    opened().measure(toys.mean_weight, Anchor(log), range(2))
    store = opened()
    store.measure(toys.mean_weight, Anchor(log), range(3))
    assert (store.trained, store.measured) == (1, 1)


def test_watching_counts_and_names_the_same_runs_on_a_hit(opened, log):
    seen = []
    for _ in range(2):
        store = opened()
        store.get(Anchor(log, 7.0), (0,))  # before: another claim's
        with store.watch() as watched:
            store.measure(toys.mean_weight, OneByOne(log), (0, 1))
            store.get(Branch(Anchor(log), log), (0,))
        store.get(Anchor(log, 9.0), (0,))  # after
        seen.append(watched)
    assert seen[0].runs == seen[1].runs == ["one by one", "Branch"]
    assert [(each.trained, each.measured) for each in seen] == [(4, 2), (0, 0)]


def test_what_is_not_finite_is_an_error_and_is_not_stored(opened, tmp_path):
    with pytest.raises(ValueError, match=r"Diverging: array 'losses' of seed 3 is not finite"):
        opened().get(toys.Diverging(), (2, 3))
    assert not list((tmp_path / "store/entries").glob("*/*"))


def test_a_run_that_asks_for_itself_is_an_error_not_a_hang(opened):
    with pytest.raises(RuntimeError, match="SelfSeeking seed 0 needs its own result"):
        opened().get(toys.SelfSeeking(), (0,))


def test_an_interruption_keeps_what_was_finished(opened, log):
    with pytest.raises(KeyboardInterrupt):
        opened().get(Interrupted(log), range(5))
    store = opened()
    assert store.get(Interrupted(log), (0, 1))["weights"].tolist() == [0, 1]
    assert store.trained == 0


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_entry_is_trained_again_and_said_so(opened, log, tmp_path, lines, damage):
    first = opened().get(Anchor(log), (0, 1))
    file = sorted((tmp_path / "store/entries").glob("*/*.safetensors"))[0]
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data[:-1] if damage == "cut" else data)
    lines.clear()
    again = opened().get(Anchor(log), (0, 1))
    np.testing.assert_array_equal(again["weights"], first["weights"])
    assert [line.partition(": ")[2] for line in lines] == [
        "entry unreadable: checksum differs; trained again · Anchor"
    ]
    assert len(calls(log)) == 2
    opened().get(Anchor(log), (0, 1))
    assert len(calls(log)) == 2


def test_a_place_that_cannot_be_written_is_said_at_the_start_and_the_results_are_there(tmp_path, log, lines):
    (tmp_path / "file").touch()
    store = Store(tmp_path / "file/store", project_root=PROJECT, announce=lines.append)
    assert len(lines) == 1
    assert "cannot be written (Not a directory)" in lines[0]
    assert store.measure(toys.mean_weight, Anchor(log), (0, 1)).shape == (2,)
    store.get(Anchor(log), (0, 1))
    assert calls(log) == [(0, 1)]
    assert sum("cannot be written" in line for line in lines) == 1


CHILD = """
import sys
from pathlib import Path
from pytest_claims.store import Store, work
from pytest_claims.store.fingerprint import Fingerprints
from pytest_claims.store.locks import Locks
from tests.pytest_claims.store import toys
store = Store(Path(sys.argv[1]), project_root=toys.PROJECT, workers=4, worker=sys.argv[4])
run = getattr(toys, sys.argv[2])(sys.argv[3])
print(store.get(run, range(6))["weights"].tolist())
"""


def child(tmp_path, run, worker):
    arguments = [str(tmp_path / "store"), run, str(tmp_path / "log"), worker]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    )


def test_a_race_of_four_processes_trains_each_seed_once(tmp_path, log):
    racing = [child(tmp_path, "Slow", f"gw{i}") for i in range(4)]
    results = [process.communicate(timeout=60)[0].splitlines()[-1] for process in racing]
    assert set(results) == {str([float(seed) for seed in range(6)])}
    assert sorted(seed for batch in calls(log) for seed in batch) == list(range(6))


def test_a_killed_holders_seeds_are_taken_over(tmp_path, log, opened):
    holder = child(tmp_path, "DiesOnce", "gw1")
    while not Path(log).exists():
        assert holder.poll() is None
        time.sleep(0.01)
    killer = threading.Timer(0.2, holder.kill)
    killer.start()
    found = opened(patience=60).get(toys.DiesOnce(log), range(6))
    killer.join()
    holder.communicate()
    assert found["weights"].tolist() == [0, 1, 2, 3, 4, 5]
    # The killed one had a quarter, rounded up; no seed of its was lost, none made a third time.
    assert calls(log)[0] == (0, 1)
    assert sorted(seed for batch in calls(log)[1:] for seed in batch) == [0, 1, 2, 3, 4, 5]


def test_the_package_imports_no_torch():
    code = "import sys, pytest_claims.store, pytest_claims.store.commands; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=True)
    assert pytest_claims.store.__all__ == sorted(pytest_claims.store.__all__)
