import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims.plotting import chart, curves, dot_plot

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
ROW = {
    "values": [0.0, 5.0, 10.0, 10.0],
    "prediction": {"bound": 0.0},
    "interval": [2.5, 7.5],
    "estimate": 5.0,
    "reported": {"value": 1.0},
}


def test_a_dot_plot_shows_seeds_interval_reported_number_and_bound():
    assert dot_plot(ROW, 41) == [
        "o                   o                   2",
        "    R     |---------x---------|          ",
        "-" * 41,
        "^                                        ",
        "0                                      10",
    ]


def test_a_band_has_two_bounds():
    assert dot_plot({"values": [1.0], "prediction": {"bound": [0.0, 2.0]}}, 5) == [
        "  o  ",
        "-----",
        "^   ^",
        "0   2",
    ]


def test_many_seeds_in_one_place_are_counted():
    (seeds, *_) = dot_plot({"values": [1.0] * 9 + [2.0] * 10}, 20)
    assert seeds == "9" + " " * 18 + "#"


@pytest.mark.parametrize(
    "row",
    [{}, {"values": None}, {"values": []}, {"values": [True, False]}, {"values": [None, "x"]}],
)
def test_without_numbers_there_is_no_plot(row):
    assert dot_plot(row, 40) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"prediction": None},
        {"interval": [1]},
        {"reported": None},
        {"estimate": None},
        {"prediction": {"bound": "x"}},
    ],
)
def test_missing_fields_do_not_stop_a_plot(fields):
    assert dot_plot({**ROW, **fields}, 30)


@given(st.lists(FINITE, min_size=1, max_size=60), st.integers(10, 80))
def test_no_line_is_wider_than_asked_and_all_is_ascii(values, width):
    # The numbers at the ends take what they need: at most 2 × 11 columns.
    lines = dot_plot({"values": values, "interval": [min(values), max(values)], "estimate": values[0]}, width)
    assert all(len(line) <= max(width, 24) for line in lines)
    assert all(line.isascii() for line in lines)
    counted = [1 if mark == "o" else int(mark) for mark in lines[0] if mark not in " #"]
    assert "#" in lines[0] or sum(counted) == len(values)


EIGHT = [float(i % 3) for i in range(8)]


@pytest.mark.parametrize(
    ("series", "titles"),
    [
        ({"gap": [EIGHT, EIGHT]}, ["gap, 2 curves"]),
        ({"gap": EIGHT}, ["gap"]),
        ({"steps": list(range(8)), "gap": EIGHT}, ["gap, over steps from 0 to 7"]),
        ({"steps": list(range(8)), "a": [EIGHT], "b": [EIGHT] * 2}, ["a, over steps from 0 to 7",
                                                                      "b, 2 curves, over steps from 0 to 7"]),
        ({"steps": list(range(8))}, ["steps"]),
        ({"n": [100, 1000, 10_000], "least": [[8, 48, 128]] * 5},
         ["least, 5 curves, over n from 100 to 10,000"]),
        ({"seeds": [0, 1, 2, 3, 4], "weight": [0.3, 0.2, 0.3, 0.3, 0.3]}, []),
        ({"fit": [[0.5, 1.0]] * 5}, []),
        ({"k": 2, "words": "x", "mixed": [1.0, "x"] * 8, "deep": [[[1.0] * 8]], "empty": [],
          "none": None}, []),
        ({"flags": [True, False] * 8}, []),
        ({"holes": [1.0, None] * 8}, []),
        (None, []),
        ([1.0] * 8, []),
    ],
)  # fmt: skip
def test_which_series_are_curves(series, titles):
    assert [found.title for found in curves(series)] == titles


def test_the_values_of_curves_are_those_of_the_series():
    (found,) = curves({"gap": [[1, 2, 3], [3, 2, 1]]})
    assert found.lines == [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]


def test_a_chart_has_labels_a_zero_line_and_the_curve():
    assert chart([[2.0, 1.0, 0.0, -1.0]], width=9, height=4) == ["  2|*", "   | *", "  0|..**.", " -1|    *"]


@given(
    st.lists(st.lists(FINITE, min_size=2, max_size=40), min_size=1, max_size=6),
    st.integers(30, 80),
    st.integers(2, 12),
)
def test_a_chart_keeps_its_size(lines, width, height):
    drawn = chart(lines, width, height)
    assert len(drawn) == height
    assert max(map(len, drawn)) <= width
    assert all(line.isascii() for line in drawn)
    assert any("*" in row for row in drawn)


def test_a_flat_curve_is_one_line():
    drawn = chart([[1.0, 1.0]], 20, 5)
    assert sum("*" in row for row in drawn) == 1
