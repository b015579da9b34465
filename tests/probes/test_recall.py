import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.recall import accuracy, argmax_accuracy, relative_margins


def plain(logits, targets):
    """A plain row of logits as the probes take it: (right, logits, rivals)."""
    logits, targets = np.array(logits, dtype=float), np.array(targets)
    rivals = np.ones(logits.shape, dtype=np.int64)
    rivals[np.arange(len(targets)), targets] = 0
    return logits[np.arange(len(targets)), targets], logits, rivals


def test_relative_margins_by_hand():
    margins = relative_margins(*plain([[2.0, 1.5, 0.0], [1.0, 4.0, 3.0]], [0, 2]))
    np.testing.assert_allclose(margins, [0.25, -1 / 3])


def test_a_margin_below_one_percent_is_not_right():
    margins = relative_margins(*plain([[1.0, 1 - 1e-9], [1.0, 0.9901], [1.0, 0.98], [0.0, 0.0]], [0] * 4))
    assert accuracy(margins) == 0.25
    assert margins[3] == -np.inf


def test_argmax_rewards_any_margin_and_ties_share_the_credit():
    argmax = argmax_accuracy(*plain([[1.0, 1 - 1e-8, 0], [2, 2, 2], [2, 2, 3], [1, 0, 0]], [0, 0, 0, 0]))
    assert argmax == pytest.approx((1 + 1 / 3 + 0 + 1) / 4)


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=4, max_size=4), min_size=1, max_size=6),
    st.floats(0.1, 100),
)
def test_neither_scale_nor_grouping_of_equal_logits_matters(rows, scale):
    logits = np.array(rows, dtype=float)
    targets = np.zeros(len(rows), dtype=np.int64)
    right, plain_logits, rivals = plain(logits, targets)
    values = np.arange(1.0, 10)
    counts = np.stack([np.bincount(np.array(row[1:]), minlength=10)[1:] for row in rows])
    expected = relative_margins(right, plain_logits, rivals)
    np.testing.assert_allclose(relative_margins(right * scale, values * scale, counts), expected, atol=1e-12)
    assert argmax_accuracy(right * scale, values[None] * scale, counts) == pytest.approx(
        argmax_accuracy(right, plain_logits, rivals)
    )
