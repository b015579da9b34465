import numpy as np
import pytest

from pytest_claims.store import seeds


def test_seeds_become_plain_integers_in_their_order():
    found = seeds.checked(np.array([3, 1]))
    assert found == (3, 1)
    assert all(type(seed) is int for seed in found)


@pytest.mark.parametrize("wrong", [[1.0], [True], ["1"]])
def test_only_integers_are_seeds(wrong):
    with pytest.raises(TypeError):
        seeds.checked(wrong)


def test_no_seeds_are_refused():
    with pytest.raises(ValueError, match="no seeds"):
        seeds.checked([])


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([7], "seed 7"), ([0, 1, 2], "seeds 0-2"), ([4, 0, 1, 7, 8], "seeds 0-1, 4, 7-8"), ([2, 2], "seed 2")],
)
def test_words(numbers, text):
    assert seeds.words(numbers) == text
