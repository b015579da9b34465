import numpy as np
import pytest

from claims.history_dependence import pilots


def test_the_contrast_is_what_a_ratio_is_judged_on():
    assert pilots.contrasts(0.80)[:2] == pytest.approx([(0.676 - 0.8) * 0.41, (0.912 - 0.8) * 0.43])
    assert pilots.contrasts(0.0) == pytest.approx(np.multiply(pilots.PILOT_SHARES, pilots.PILOT_GAPS))


def test_pilot_seeds_are_never_judged():
    assert min(pilots.PILOT_SEEDS) >= 1000
    assert len(pilots.PILOT_SEEDS) == len(pilots.PILOT_SHARES) == len(pilots.PILOT_GAPS)


def test_the_registered_number_of_seeds_has_power_and_the_default_has_not():
    assert pilots.power(5, 0.80, repetitions=200) < 0.4
    assert pilots.power(pilots.SEEDS_FOR_ATTENUATION, 0.80, repetitions=100) > 0.7
    assert pilots.power(5, 0.50, repetitions=200) > 0.7
