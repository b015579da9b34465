import math

import pytest
from scipy.stats import t

from pytest_claims.calibration import alarms


@pytest.fixture(scope="module")
def cells():
    return alarms.false_alarms(4000, [5, 10])


def test_normal_noise_gives_students_tail(cells):
    # The mean over rms / √n of an independent draw is Student's t; one twin has n degrees of freedom.
    for cell in cells:
        if cell["noise"] == "normal":
            exact = 2 * t.sf(5, cell["twins"] * cell["seeds"])
            assert abs(cell["rate"] - exact) <= 5 * math.sqrt(exact / cell["repetitions"])


def test_noise_with_tails_alarms_more_often(cells):
    rates = {(cell["noise"], cell["twins"], cell["seeds"]): cell["rate"] for cell in cells}
    for noise in ("heavy-tailed", "unequal seeds"):
        assert rates[noise, 1, 5] > 4 * rates["normal", 1, 5]
        assert rates[noise, 3, 5] < rates[noise, 1, 5]


def test_one_seed_that_outweighs_the_rest_alarms_by_the_arctangent(monkeypatch):
    # Its twin z₁ and its new value z₂ give the mean |z₂| / n against 5 |z₁| / n: P(|z₁ / z₂| < 1 / 5).
    monkeypatch.setattr(alarms, "_AMPLIFICATION", 60.0)
    rate = alarms.false_alarms(4000, [5])[4]
    assert (rate["noise"], rate["twins"]) == ("unequal seeds", 1)
    exact = 2 / math.pi * math.atan(1 / 5)
    assert abs(rate["rate"] - exact) <= 0.02


def test_the_chance_of_any_alarm_grows_with_the_comparisons(cells):
    for cell in cells:
        assert cell["any"] == pytest.approx(1 - (1 - cell["rate"]) ** alarms.COMPARISONS, abs=1e-6)


def test_a_cell_does_not_depend_on_the_others(cells):
    assert alarms.false_alarms(4000, [10]) == [cell for cell in cells if cell["seeds"] == 10]
