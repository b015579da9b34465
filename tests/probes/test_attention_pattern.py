import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.attention_pattern import (
    attention_after_copy,
    induction_attention,
    nearest_pairwise,
    optimal_weight,
    pair_gap,
    pair_mismatch,
)


@pytest.mark.parametrize(
    ("power", "weight"), [(2, 0.3333), (3, 0.3090), (4, 0.2952), (6, 0.2803), (8, 0.2726)]
)
def test_the_optimal_weight_from_its_equation(power, weight):
    assert optimal_weight(power) == pytest.approx(weight, abs=5e-5)


@pytest.mark.parametrize("power", [2, 3, 4, 6, 8])
def test_no_other_weight_has_a_larger_least_margin(power):
    def least_margin(a):
        heavy, light = 2 * a, 1 - 2 * a
        right = heavy**power + light**power
        swapped = 2 * 0.5**power
        sharing_heavy = heavy**power + 2 * (light / 2) ** power
        return right - max(swapped, sharing_heavy)

    best = least_margin(optimal_weight(power))
    assert all(least_margin(a) <= best + 1e-12 for a in np.linspace(0.2501, 0.4999, 500))


def test_a_linear_memory_has_no_optimal_weight():
    with pytest.raises(ValueError, match="at least 2"):
        optimal_weight(1)


@given(st.floats(0.25, 0.5), st.booleans())
def test_a_pairwise_pattern_is_its_own_nearest_and_order_does_not_matter(a, exchange):
    attention = np.array([a, a, 0.5 - a, 0.5 - a, 0, 0])
    if exchange:
        attention = attention[[2, 3, 0, 1, 4, 5]]
    weight, distance = nearest_pairwise(attention)
    assert weight == pytest.approx(a, abs=1e-12)
    assert distance == pytest.approx(0, abs=1e-12)


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
def test_no_pattern_is_nearer_than_the_nearest(raw):
    attention = np.array(raw) / sum(raw)
    _, distance = nearest_pairwise(attention)
    for a in np.linspace(0, 0.5, 101):
        other = np.array([a, a, 0.5 - a, 0.5 - a, 0, 0])
        assert distance <= np.linalg.norm(attention - other) + 1e-12


def test_gap_and_mismatch_by_hand():
    attention = np.array([[0.3, 0.25, 0.2, 0.15, 0.06, 0.04], [0.1, 0.1, 0.4, 0.3, 0.05, 0.05]])
    np.testing.assert_allclose(pair_gap(attention), [0.1, 0.3])
    np.testing.assert_allclose(pair_mismatch(attention), [0.05, 0.1])


def test_an_induction_head_attends_to_what_followed_the_copy():
    tokens = np.array([[7, 1, 8, 2, 7, 0], [7, 1, 8, 2, 8, 0]])
    head = induction_attention(tokens, query=4)
    np.testing.assert_array_equal(head, np.eye(6)[[1, 3]])
    np.testing.assert_array_equal(attention_after_copy(head, tokens, query=4), [1, 1])
    uneven = np.tile([0.0, 0.1, 0.0, 0.6, 0.2, 0.1], (2, 1))
    np.testing.assert_allclose(attention_after_copy(uneven, tokens, query=4), [0.1, 0.6])
    with pytest.raises(ValueError, match="exactly once"):
        attention_after_copy(uneven, np.array([[7, 1, 8, 2, 9, 0]] * 2), query=4)
