import numpy as np
import pytest

from pytest_claims.store import arrays


def test_split_and_stack_undo_each_other():
    given = {"a": np.arange(12.0).reshape(3, 2, 2), "b": np.array([True, False, True]), "c": np.zeros((3, 0))}
    parts = arrays.split(given, (5, 2, 9), "toy")
    assert list(parts) == [5, 2, 9]
    assert parts[2]["b"].shape == ()
    back = arrays.stack([parts[seed] for seed in (5, 2, 9)])
    for name, array in given.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype


def test_an_entry_shares_no_memory_with_what_training_returned():
    given = np.zeros((2, 3))
    part = arrays.split({"a": given}, (0, 1), "toy")[0]["a"]
    given += 1
    assert not part.any()


def test_other_byte_orders_are_made_native():
    part = arrays.split({"a": np.array([1.5], dtype=">f8")}, (0,), "toy")[0]["a"]
    assert part.dtype == np.dtype(np.float64)
    assert part == 1.5


class Tensor:
    """What is used of a torch tensor."""

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.array([[1.0], [2.0]])


def test_a_tensor_is_converted():
    assert arrays.split({"a": Tensor()}, (0, 1), "toy")[1]["a"] == 2.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_with_run_array_and_seed(bad):
    values = np.zeros((3, 2))
    values[1, 0] = bad
    with pytest.raises(ValueError, match=r"toy: array 'loss' of seed 7 is not finite in 1 of 2 values"):
        arrays.split({"loss": values}, (0, 7, 3), "toy")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ([1, 2], TypeError),
        ({1: np.zeros(2)}, TypeError),
        ({"a": np.array(["x", "y"])}, TypeError),
        ({"a": np.array([None, None])}, TypeError),
        ({}, ValueError),
        ({"a": np.zeros(3)}, ValueError),
        ({"a": np.float64(1)}, ValueError),
    ],
)
def test_what_is_not_one_part_a_seed_is_refused(wrong, error):
    with pytest.raises(error, match="toy"):
        arrays.split(wrong, (0, 1), "toy")
