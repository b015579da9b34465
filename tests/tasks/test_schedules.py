import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.ambiguous_recall import contextual_count
from tasks.schedules import Loop

loops = st.builds(
    Loop,
    delta=st.floats(0, 0.5),
    leg=st.integers(1, 60),
    settle=st.integers(0, 30),
)


def test_levels_by_hand():
    expected = [0.5, 0.55, 0.65, 0.65, 0.55, 0.45, 0.35, 0.35, 0.45, 0.5]
    assert Loop(delta=0.2, leg=2, settle=1).levels() == pytest.approx(expected, abs=1e-15)


def test_the_primary_loop_has_140_updates_and_comes_within_a_half_step_of_delta():
    levels = Loop(delta=0.3, leg=25, settle=20).levels()
    assert len(levels) == 140
    assert levels[:20] == levels[-20:] == [0.5] * 20
    assert max(levels) == pytest.approx(0.5 + 0.3 * 24.5 / 25)
    assert min(levels) == pytest.approx(0.5 - 0.3 * 24.5 / 25)


@given(loops)
def test_a_loop_is_exactly_antisymmetric_about_its_balance(loop: Loop):
    levels = loop.levels()
    assert len(levels) == loop.updates
    assert all(a + b == pytest.approx(1, abs=1e-15) for a, b in zip(levels, reversed(levels), strict=True))
    counts = [contextual_count(level, 64) for level in levels]
    assert sum(counts) == 32 * len(levels)
    assert [64 - count for count in reversed(counts)] == counts


@given(loops)
def test_a_loop_starts_and_ends_at_its_balance(loop: Loop):
    levels = loop.levels()
    half_step = 0 if loop.settle else loop.delta / loop.leg / 2
    assert levels[0] == pytest.approx(0.5 + half_step)
    assert levels[-1] == pytest.approx(0.5 - half_step)


@pytest.mark.parametrize("fields", [{"delta": 0.6}, {"delta": 0.3, "p0": 0.8}, {"leg": 0}, {"settle": -1}])
def test_loops_that_do_not_exist_are_refused(fields: dict[str, float]):
    with pytest.raises(ValueError, match="got"):
        Loop(**{"delta": 0.3, "leg": 5, **fields})
