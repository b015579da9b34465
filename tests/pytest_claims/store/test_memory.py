import numpy as np

from pytest_claims.store.memory import Memory

KIB = {"a": np.zeros(128)}


def test_what_was_not_used_for_longest_goes_first():
    memory = Memory(capacity=2 * 1024)
    memory.put("one", KIB)
    memory.put("two", KIB)
    memory.get("one")
    memory.put("three", KIB)
    assert [key for key in ("one", "two", "three") if memory.get(key)] == ["one", "three"]


def test_an_entry_put_again_counts_once():
    memory = Memory(capacity=2 * 1024)
    memory.put("one", KIB)
    for _ in range(3):
        memory.put("two", KIB)
    assert memory.get("one") is not None


def test_without_a_capacity_nothing_goes():
    memory = Memory(capacity=None)
    for i in range(100):
        memory.put(str(i), KIB)
    assert memory.get("0") is not None
