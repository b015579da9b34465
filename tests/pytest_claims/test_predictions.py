import math

import pytest

from pytest_claims.predictions import AtLeast, AtMost, Below, Exceeds, Holds, Within


@pytest.mark.parametrize("prediction", [Exceeds, Below, AtLeast, AtMost])
@pytest.mark.parametrize("bound", [math.nan, math.inf, -math.inf, True, "0.5", None])
def test_a_bound_that_is_no_finite_number_is_refused(prediction, bound):
    with pytest.raises(ValueError, match=f"{prediction.__name__}: the bound {bound!r}"):
        prediction(bound)


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (2.0, 1.0)])
def test_an_empty_region_is_refused(low, high):
    with pytest.raises(ValueError, match="must lie below"):
        Within(low, high)


def test_an_unbounded_region_is_refused():
    with pytest.raises(ValueError, match="inf"):
        Within(0.0, math.inf)


@pytest.mark.parametrize("make", [lambda s: Exceeds(0, s), lambda s: Within(0, 1, s), Holds])
def test_an_unknown_source_is_refused(make):
    with pytest.raises(ValueError, match="whose threshold"):
        make("theirs")


@pytest.mark.parametrize(
    ("prediction", "text"),
    [
        (Exceeds(0.0), "> 0"),
        (Below(0.5), "< 0.5"),
        (AtLeast(0.8, source="ours"), "≥ 0.8 (ours)"),
        (AtMost(0.15), "≤ 0.15"),
        (Within(-0.0488, 0.0488, source="ours"), "within ±0.0488 (ours)"),
        (Within(0.0488, 0.1952), "within 0.0488 to 0.1952"),
        (Holds(), "holds in every seed"),
        (Exceeds(0.99999999), "> 0.99999999"),
        (Within(0.1234567, 2.0), "within 0.1234567 to 2"),
    ],
)
def test_the_text_says_bound_and_source(prediction, text):
    assert prediction.text == text


def test_an_integer_bound_is_the_same_criterion_as_a_float():
    assert Exceeds(0) == Exceeds(0.0)
    assert type(Exceeds(0).bound) is float
