import math

import pytest

from pytest_claims import statistics
from pytest_claims.calibration import simulation

REPETITIONS = 400


@pytest.fixture(scope="module")
def table():
    return simulation.simulate(REPETITIONS)


def near(share, exact, repetitions=REPETITIONS):
    """Within five standard errors of what it should be."""
    return abs(share - exact) <= 5 * simulation.standard_error(exact, repetitions)


def test_it_is_the_same_on_every_run(table):
    assert simulation.simulate(REPETITIONS) == table


def test_five_continuous_seeds_replicate_a_false_claim_once_in_32(table):
    cells = [
        cell
        for cell in table["nulls"]
        if cell["null"] == "median" and cell["seeds"] == 5 and cell["prediction"] != "holds"
    ]
    assert len(cells) == 2 * 5 * 5
    for cell in cells:
        assert near(cell["replicated"], 1 / 32), cell
    pooled = sum(cell["replicated"] for cell in cells) / len(cells)
    assert near(pooled, 1 / 32, REPETITIONS * len(cells))


def test_no_null_that_is_tested_is_rejected_more_often_than_the_sign_test_can(table):
    for cell in table["nulls"]:
        if cell["null"] in ("median", "denominator"):
            most = statistics.attainable(cell["seeds"])
            assert cell["replicated"] <= most + 5 * simulation.standard_error(most, REPETITIONS), cell
            assert "replicated" not in cell["above"]


def test_the_sign_flip_test_alone_passes_alpha_with_skewed_seeds(table):
    rates = {(cell["noise"], cell["seeds"]): cell["replicated"] for cell in table["sign_flip_alone"]}
    assert near(rates["normal", 5], 1 / 32)
    assert near(rates["normal", 20], 0.05)
    assert simulation.exceeds_alpha(rates["skewed towards the claim", 20], REPETITIONS)


def test_holds_by_the_binomial(table):
    for cell in table["holds"]:
        assert near(cell["replicated"], cell["share"] ** cell["seeds"]), cell


def test_parts_by_the_binomial(table):
    for cell in table["parts"]:
        if cell["seeds"] == 5:
            exact = 1 - (1 - 1 / 32) ** cell["parts"]
            assert near(cell["contradicted"], exact), cell


def test_skewed_seeds_whose_mean_is_on_the_bound_are_replicated_too_often(table):
    # A log-normal seed lies below its mean with probability Φ(1/2); all five must.
    exact = (0.5 * (1 + math.erf(0.5 / math.sqrt(2)))) ** 5
    for cell in table["nulls"]:
        if (cell["null"], cell["noise"], cell["seeds"]) == ("mean", "skewed against the claim", 5):
            assert near(cell["replicated"], exact)
            assert cell["above"]["replicated"] > 0


def test_bounded_seeds_reach_any_margin(table):
    found = [c for c in table["nulls"] if (c["null"], c["noise"], c["seeds"]) == ("mean", "bounded", 5)]
    assert found
    assert all(cell["above"] == {"replicated": None} for cell in found)


def test_power_grows_with_the_effect_and_wrong_contradictions_vanish(table):
    rows = {}
    for cell in table["power"]:
        key = (cell["prediction"], cell["measurement"], cell["noise"], cell["seeds"])
        rows.setdefault(key, []).append(cell)
    assert len(rows) == 4 * 5 * 3
    for cells in rows.values():
        assert [cell["effect"] for cell in cells] == sorted(cell["effect"] for cell in cells)
        assert cells[-1]["replicated"] > max(0.6, cells[0]["replicated"])
        assert cells[-1]["contradicted"] == 0


def test_power_of_normal_seeds_by_hand(table):
    # Five seeds must all lie beyond the bound: Φ(effect)^5.
    for cell in table["power"]:
        if (cell["prediction"], cell["noise"], cell["seeds"]) == ("exceeds", "normal", 5):
            above = 0.5 * (1 + math.erf(cell["effect"] / math.sqrt(2)))
            assert near(cell["replicated"], above**5), cell


def test_a_rate_is_above_alpha_only_beyond_its_error():
    # Three standard errors at 100 experiments are 0.075 for 0.07, at 10,000 they are 0.0077.
    assert not simulation.exceeds_alpha(0.07, 100)
    assert simulation.exceeds_alpha(0.07, 10_000)
    assert not simulation.exceeds_alpha(0.05, 10**9)


def test_the_standard_error_of_none_is_not_none():
    assert simulation.standard_error(0.0, 100) > 0
    assert simulation.standard_error(1.0, 100) > 0
    assert simulation.standard_error(0.5, 100) == pytest.approx(0.05)
