import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims.page.scale import REACH, Axis, compressed, numbers, standing

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def share(text):
    assert text.endswith("%")
    return float(text[:-1])


@given(st.lists(FINITE, min_size=1), FINITE)
def test_every_value_has_a_place_on_the_axis(values, other):
    axis = Axis.over(values)
    assert all(4 <= share(axis.at(value)) <= 96 for value in [*values, other])


def test_the_ends_of_an_axis():
    axis = Axis.over([1.0, 3.0, 2.0])
    assert (axis.at(1.0), axis.at(2.0), axis.at(3.0)) == ("4.0%", "50.0%", "96.0%")
    assert Axis.over([-1e308, 1e308]).at(0.0) == "50.0%"


@pytest.mark.parametrize("value", [0.0, 5.0, -5.0])
def test_equal_values_lie_in_the_middle(value):
    assert Axis.over([value, value]).at(value) == "50.0%"


@given(FINITE, FINITE)
def test_farther_beyond_the_bound_is_never_farther_left(a, b):
    low, high = sorted((a, b))
    assert share(compressed(low)) <= share(compressed(high))


def test_the_ends_of_the_forest_plot():
    assert (compressed(0), compressed(REACH), compressed(math.inf), compressed(-math.inf)) == (
        "50.0%", "96.0%", "96.0%", "4.0%",
    )  # fmt: skip


def row(kind, bound, values, interval=None, reported=None):
    return {
        "prediction": {"kind": kind, "bound": bound},
        "values": values,
        "estimate": sum(values) / len(values),
        "interval": interval,
        "reported": {"value": reported},
    }


@pytest.mark.parametrize(
    ("kind", "bound", "expected"),
    [("exceeds", 1.0, 1.0), ("at_least", 3.0, -1.0), ("below", 3.0, 1.0), ("at_most", 1.0, -1.0)],
)
def test_a_claim_counts_from_its_bound_in_standard_deviations(kind, bound, expected):
    where = standing(row(kind, bound, [1.0, 2.0, 3.0], [1.5, 2.5], reported=bound))
    assert where.estimate == expected
    assert where.interval == (expected - 0.5, expected + 0.5)
    assert where.reported == 0.0


def test_a_band_counts_inwards_from_its_nearer_edge():
    inside = standing(row("within", [0.0, 5.0], [1.0, 2.0, 3.0], [1.0, 3.0]))
    assert inside.estimate == 2.0
    assert inside.interval == (1.0, 2.5)
    assert standing(row("within", [3.0, 5.0], [1.0, 2.0, 3.0])).estimate == -1.0


def test_seeds_that_all_agree_lie_infinitely_far_out():
    assert standing(row("at_least", 0.9, [1.0, 1.0], [1.0, 1.0], 0.95)).estimate == math.inf
    assert standing(row("at_least", 0.9, [0.0, 0.0])).estimate == -math.inf
    assert standing(row("at_least", 1.0, [1.0, 1.0])).estimate == 0.0
    assert standing(row("at_least", 0.9, [1.0])).interval is None


@pytest.mark.parametrize(
    "fields",
    [
        {"prediction": None},
        {"prediction": {}},
        {"prediction": {"kind": "holds", "bound": None}},
        {"prediction": {"kind": "within", "bound": 3.0}},
        {"prediction": {"kind": "exceeds", "bound": None}},
        {"prediction": {"kind": "exceeds", "bound": [0, 1]}},
        {"prediction": {"kind": "unheard of", "bound": 1.0}},
        {"estimate": None},
        {"values": []},
        {"values": None},
        {"values": [True, False]},
    ],
)
def test_what_has_no_place_gets_none(fields):
    assert standing({**row("exceeds", 0.0, [1.0, 2.0]), **fields}) is None


def test_values_that_are_no_numbers_are_left_out():
    assert numbers({"values": [1, None, True, 2.5, "x"]}) == [1.0, 2.5]
    assert numbers({}) == []
