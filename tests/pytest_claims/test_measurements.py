import math

import numpy as np
import pytest

from pytest_claims.measurements import MeasurementError, Parts, Ratio, Values, normalise

SEEDS = [0, 1, 2]


class Tensor:
    """Stands for a tensor that needs gradients: numpy alone would refuse it."""

    def __init__(self, values):
        self.values = values

    def __array__(self, *args, **kwargs):
        raise RuntimeError("call detach first")

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.asarray(self.values)


@pytest.mark.parametrize(
    "measured",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3], dtype=np.int32),
        np.array([[1.0], [2.0], [3.0]], dtype=np.float32),
        [np.float32(1), np.array(2.0), 3],
        Tensor([1.0, 2.0, 3.0]),
        Values([1, 2, 3]),
    ],
)
def test_anything_that_converts_to_one_number_a_seed_is_taken(measured):
    assert normalise(measured, SEEDS).values.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("measured", "says"),
    [
        ([1.0, 2.0], r"shape \[2\] is not one number a seed, \[3\]"),
        (1.0, "one number for 3 seeds"),
        ([[1.0, 2.0]] * 3, "shape"),
        ("123", "str"),
        ({"a": 1}, "dict"),
        ([object()] * 3, "does not convert"),
        ([1.0, [2.0], 3.0], "does not convert"),
        ([1.0, math.nan, 3.0], "not finite at seed 1: nan"),
        ([1.0, 2.0, -math.inf], "not finite at seed 2: -inf"),
        (Ratio([1, 2, 3], [1, math.nan, 3]), "denominator: not finite at seed 1"),
        (Ratio([1, 2], [1, 2, 3]), "numerator: shape"),
        (Parts(a=[1, 2, 3], b=[1, math.inf, 3]), "part 'b': not finite at seed 1"),
        (Parts(a=Parts(b=[1, 2, 3])), "part 'a': has parts of its own"),
        (Parts(), "without a part"),
        (
            Values([1, 2, 3], series={"curve": [0.0, math.nan]}),
            "series 'curve': nan in the series is not finite",
        ),
        (Values([1, 2, 3], series={"curve": np.array([math.inf])}), "not finite"),
        (Values([1, 2, 3], series={"curve": object()}), "no plain data"),
        (Parts(series=[1], a=[1, 2, 3]), "the series of Parts is a mapping"),
        (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), "MaskedArray"),
        ([1.0, 2e300, 3.0], "too large to judge at seed 1"),
        (np.array(["1e4000", "1", "1"], dtype=np.longdouble), "not finite at seed 0: inf"),
    ],
)
def test_what_cannot_be_judged_is_refused_by_name(measured, says):
    with pytest.raises(MeasurementError, match=says):
        normalise(measured, SEEDS)


def test_booleans_are_told_from_numbers():
    assert normalise([True, False, True], SEEDS).boolean
    assert not normalise([1, 0, 1], SEEDS).boolean


def test_a_series_becomes_plain_data():
    series = {
        "curve": np.arange(3, dtype=np.float32),
        "seeds": (0, 1),
        "name": "gap",
        "none": None,
        "on": True,
    }
    plain = normalise(Values([1, 2, 3], series=series), SEEDS).series
    assert plain == {"curve": [0.0, 1.0, 2.0], "seeds": [0, 1], "name": "gap", "none": None, "on": True}


def test_the_series_of_a_part_stays_under_its_name():
    parts = Parts(series={"all": [1]}, a=Values([1, 2, 3], series={"own": [2]}), b=[1, 2, 3])
    assert normalise(parts, SEEDS).series == {"all": [1], "a": {"own": [2]}}


def test_one_seed_may_be_a_bare_number():
    assert normalise(4.0, [7]).values.tolist() == [4.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_number_in_short_format_is_the_decimal_that_it_stands_for(dtype):
    # float32(0.95) is 0.949999988…: read as that, an accuracy of 0.95 would miss the bound 0.95.
    assert normalise(np.full(3, 0.95, dtype), SEEDS).values.tolist() == [0.95] * 3
    assert normalise([dtype(0.95)] * 3, SEEDS).values.tolist() == [0.95] * 3
