import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from pytest_claims.store import entries
from tests.pytest_claims.store.toys import PROJECT

KEY = "a" * 64
ARRAYS = {
    "weights": np.arange(6.0).reshape(2, 3),
    "count": np.array(3),
    "empty": np.zeros((0, 2), dtype=np.int32),
}


@pytest.fixture
def place(tmp_path):
    return entries.Place(tmp_path / "toy.Run", KEY)


def same(found):
    return found.keys() == ARRAYS.keys() and all(
        np.array_equal(found[name], array)
        and found[name].dtype == array.dtype
        and found[name].shape == array.shape
        for name, array in ARRAYS.items()
    )


def test_what_was_saved_is_loaded(place):
    entries.save(place, ARRAYS, {"label": "toy"})
    assert same(entries.load(place))
    record = entries.read_provenance(place)
    assert record["label"] == "toy"
    assert record["shapes"] == {"weights": [2, 3], "count": [], "empty": [0, 2]}
    assert {file.name for file in place.folder.iterdir()} == {f"{KEY}.json", f"{KEY}.safetensors"}


def test_no_entry_is_none(place):
    assert entries.load(place) is None


@pytest.mark.parametrize("suffix", ["json", "safetensors"])
@pytest.mark.parametrize("where", [0.0, 0.1, 0.3, 0.6, 0.999])
def test_a_flipped_byte_is_noticed(place, suffix, where):
    entries.save(place, ARRAYS, {"label": "toy", "seconds": 1.5})
    file = place.folder / f"{KEY}.{suffix}"
    data = bytearray(file.read_bytes().rstrip())
    data[int(where * len(data))] ^= 1
    file.write_bytes(data)
    with pytest.raises(entries.UnreadableError):
        entries.load(place)


@pytest.mark.parametrize("suffix", ["json", "safetensors"])
@pytest.mark.parametrize("left", [0, 10, -2])
def test_a_cut_file_is_noticed(place, suffix, left):
    entries.save(place, ARRAYS, {})
    file = place.folder / f"{KEY}.{suffix}"
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(entries.UnreadableError):
        entries.load(place)


def test_missing_arrays_are_noticed(place):
    entries.save(place, ARRAYS, {})
    place.arrays.unlink()
    with pytest.raises(entries.UnreadableError, match="arrays missing"):
        entries.load(place)


def test_an_entry_under_another_key_is_refused(place):
    entries.save(place, ARRAYS, {})
    other = entries.Place(place.folder, "b" * 64)
    place.provenance.rename(other.provenance)
    place.arrays.rename(other.arrays)
    with pytest.raises(entries.UnreadableError, match="not of this entry"):
        entries.load(other)


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("a pickle was run",)


def test_a_pickle_is_refused_even_when_the_checksums_vouch_for_it(place, monkeypatch):
    monkeypatch.setattr(entries.safetensors.numpy, "save", lambda arrays: pickle.dumps(Bomb()))
    entries.save(place, ARRAYS, {})
    with pytest.raises(entries.UnreadableError, match="not a safetensors file"):
        entries.load(place)


def test_a_failed_write_leaves_nothing(place, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(entries.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        entries.save(place, ARRAYS, {})
    assert list(place.folder.iterdir()) == []


# Saves in a child that is killed at one of its syncs: 0 and 1 are the arrays and their folder, 2 and 3 the
# provenance and its folder. Beforehand there is nothing, or a damaged entry that is being replaced.
KILLED = """
import os, signal, sys
from pathlib import Path
from pytest_claims.store import entries
from tests.pytest_claims.store.test_entries import ARRAYS, KEY
sync = os.fsync
for step in range(4):
    for before in ("none", "damaged"):
        place = entries.Place(Path(sys.argv[1]) / before / str(step), KEY)
        if before == "damaged":
            entries.save(place, {"weights": ARRAYS["weights"] + 1}, {})
            place.arrays.write_bytes(b"damaged")
        if os.fork() == 0:
            calls = iter(range(4))
            def fsync(descriptor):
                if next(calls) == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                sync(descriptor)
            entries.os.fsync = fsync
            entries.save(place, ARRAYS, {})
            os._exit(0)
        assert os.wait()[1] == signal.SIGKILL
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="kills a forked child")
def test_a_process_killed_while_saving_leaves_the_whole_entry_or_none(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=PROJECT, check=True)
    for before in ("none", "damaged"):
        for step in range(4):
            place = entries.Place(tmp_path / before / str(step), KEY)
            found = entries.load(place)
            assert same(found) if step == 3 else found is None
            entries.save(place, ARRAYS, {})  # and the next process is not in its way
            assert same(entries.load(place))


def test_the_provenance_is_strict_json(place):
    entries.save(place, ARRAYS, {})
    json.loads(place.provenance.read_text(), parse_constant=pytest.fail)
    with pytest.raises(ValueError, match="JSON"):
        entries.save(place, ARRAYS, {"seconds": float("nan")})
