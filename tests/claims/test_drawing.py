import pytest

from claims.drawing import band_of, canvas, rows_of, said, series_of, spread

ROWS = [
    {"id": "toy2026/one", "paper": "toy2026", "series": {"x": [1]}},
    {"id": "toy2026/two", "paper": "toy2026", "series": None},
    {"id": "other2026/one", "paper": "other2026", "series": {"x": [2]}},
    {"paper": "toy2026"},
]


def test_rows_are_those_of_one_paper_without_its_key():
    assert list(rows_of({"claims": ROWS}, "toy2026")) == ["one", "two"]
    assert rows_of({}, "toy2026") == {}
    assert rows_of({"claims": None}, "toy2026") == {}


def test_a_claim_that_did_not_run_has_no_series():
    rows = rows_of({"claims": ROWS}, "toy2026")
    assert series_of(rows, "one") == {"x": [1]}
    assert series_of(rows, "two") is None
    assert series_of(rows, "three") is None


@pytest.mark.parametrize(
    ("prediction", "band"),
    [({"bound": [-1, 2]}, (-1, 2)), ({"bound": 3}, None), ({"bound": None}, None), ({}, None), (None, None)],
)
def test_a_band_has_two_bounds(prediction, band):
    assert band_of(prediction) == band


def test_dots_side_by_side():
    assert spread(3, 1, 0.5).tolist() == [3]
    assert spread(3, 3, 0.5).tolist() == [2.75, 3, 3.25]


@pytest.mark.parametrize(
    ("values", "text"),
    [([1], "1 (1 to 1)"), ([0.08123, 0.1], "0.0906 (0.0812 to 0.1)"), ([-2, 2.0], "0 (-2 to 2)")],
)
def test_what_is_said_of_seeds(values, text):
    assert said(values) == text


def test_a_canvas_has_rows_and_columns_of_axes():
    _, axes = canvas((4, 3), rows=2, columns=3)
    assert axes.shape == (2, 3)
