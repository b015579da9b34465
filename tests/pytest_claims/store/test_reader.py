import numpy as np
import pytest

from pytest_claims.store import Store
from pytest_claims.store.entries import UnreadableError
from pytest_claims.store.reader import Reader
from tests.pytest_claims.store.toys import PROJECT, Anchor, Branch, calls


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store", project_root=PROJECT, announce=lambda line: None)


@pytest.fixture
def reader(tmp_path):
    return Reader(tmp_path / "store", PROJECT)


def test_it_finds_the_seeds_and_what_was_stored(store, reader, log):
    trained = store.get(Anchor(log), (7, 0, 12))
    assert reader.seeds(Anchor(log)) == (0, 7, 12)
    found = reader.get(Anchor(log), (12, 7))
    assert found.keys() == trained.keys()
    for name, values in found.items():
        np.testing.assert_array_equal(values, trained[name][[2, 0]])


def test_another_run_of_the_same_class_is_not_seen(store, reader, log):
    store.get(Anchor(log), (0,))
    assert reader.seeds(Anchor(log, scale=2.0)) == ()
    assert reader.seeds(Branch(Anchor(log), log)) == ()


def test_looking_trains_nothing_and_writes_nothing(tmp_path, log):
    reader = Reader(tmp_path / "nowhere", PROJECT)
    assert reader.seeds(Anchor(log)) == ()
    with pytest.raises(LookupError, match=r"Anchor of seed 3 is not in .*nowhere"):
        reader.get(Anchor(log), (3,))
    assert calls(log) == []
    assert list(tmp_path.iterdir()) == []


def test_changed_sources_hide_an_entry(store, tmp_path, log):
    store.get(Anchor(log), (0,))
    # the same class, seen from a project in which its file lies elsewhere: another fingerprint
    assert Reader(tmp_path / "store", PROJECT / "tests").seeds(Anchor(log)) == ()


def test_a_damaged_entry_is_not_read(store, reader, tmp_path, log):
    store.get(Anchor(log), (0, 1))
    file = next((tmp_path / "store").rglob("*.safetensors"))
    data = file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert reader.seeds(Anchor(log)) == (0, 1)
    with pytest.raises(UnreadableError, match="checksum"):
        reader.get(Anchor(log), (0, 1))


def test_a_file_that_is_no_entry_is_passed_over(store, reader, tmp_path, log):
    store.get(Anchor(log), (0,))
    (file,) = (tmp_path / "store" / "entries").rglob("*.json")
    file.with_name("damaged.json").write_text("{")
    assert reader.seeds(Anchor(log)) == (0,)
