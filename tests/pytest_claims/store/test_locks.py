import threading

import pytest

from pytest_claims.store.locks import Locks

KEY = "a" * 64


def test_one_holder_at_a_time(tmp_path):
    mine, other = Locks(tmp_path, "gw0"), Locks(tmp_path, "gw1")
    lock = mine.take(KEY, "anchor seed 3")
    assert other.take(KEY, "anchor seed 3") is None
    assert not other.is_free(KEY)
    lock.release()
    assert other.is_free(KEY)
    assert other.take(KEY, "anchor seed 3") is not None


def test_the_holder_is_named_to_those_who_wait(tmp_path):
    mine, other = Locks(tmp_path, "gw0"), Locks(tmp_path, "gw1")
    lock = mine.take(KEY, "anchor seed 3")
    assert other.holder(KEY).startswith("anchor seed 3 (gw0, process ")
    lock.release()
    assert other.holder(KEY) == "another process"


@pytest.mark.parametrize("on_disk", [True, False])
def test_taking_again_what_one_holds_is_an_error_not_a_wait(tmp_path, on_disk):
    locks = Locks(tmp_path if on_disk else None, "gw0")
    held = locks.take(KEY, "anchor seed 3")
    with pytest.raises(RuntimeError, match="anchor seed 3 needs its own result"):
        locks.take(KEY, "anchor seed 3")
    held.release()


def test_releasing_twice_does_not_free_the_next_holder(tmp_path):
    locks, other = Locks(tmp_path, "gw0"), Locks(tmp_path, "gw1")
    lock = locks.take(KEY, "anchor seed 3")
    lock.release()
    held = other.take(KEY, "anchor seed 3")
    lock.release()
    assert not locks.is_free(KEY)
    held.release()


def test_without_a_folder_nothing_is_written(tmp_path):
    locks = Locks(tmp_path / "locks", "gw0")
    locks.abandon()
    locks.take(KEY, "anchor seed 3").release()
    assert not (tmp_path / "locks").exists()


def test_sweep_leaves_what_is_held(tmp_path):
    mine, other = Locks(tmp_path, "gw0"), Locks(tmp_path, "gw1")
    held = mine.take(KEY, "anchor seed 3")
    mine.take("b" * 64, "anchor seed 4").release()
    other.sweep()
    assert {file.stem for file in tmp_path.iterdir()} == {KEY}
    assert not other.is_free(KEY)
    held.release()


def test_another_thread_finds_it_taken(tmp_path):
    locks = Locks(tmp_path, "gw0")
    held = locks.take(KEY, "anchor seed 3")
    found = []
    thread = threading.Thread(target=lambda: found.append(locks.take(KEY, "anchor seed 3")))
    thread.start()
    thread.join()
    assert found == [None]
    held.release()
