"""What a claim reads from measured margins and maps, on hand-made ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from claims.history_dependence import circuits, protocol
from claims.history_dependence.causal import replacement_margins, route_maps
from claims.history_dependence.circuits import Attenuation, Maps, residual_and_head_maps
from claims.history_dependence.histories import Histories
from models.decoder import Sizes, initial_parameters
from tasks.ambiguous_recall import Task
from tasks.generators import generator
from tests.helpers import close

SEEDS = (0, 1, 2)
LAYERS, HEADS = 2, 2
maps = arrays(np.float64, (3, LAYERS, 4), elements=st.floats(-5, 5))


class Measured:
    """A store in which every measurement of a branch is already made."""

    def __init__(self, measure):
        self.of = measure
        self.asked = []

    def measure(self, function, run, seeds, **plain):
        self.asked.append((function, run, plain))
        return self.of(function, run, seeds, **plain)


def rows(whole, **parts):
    """A branch's margins `[seed]`, with every part that is not given left without effect."""
    whole = np.array(whole, dtype=float)
    filled = dict.fromkeys(("without_heads", "without_mlps", "contextual", "fixed"), whole)
    filled |= {
        "without_layer": np.tile(whole[:, None], (1, LAYERS)),
        "without_head": np.tile(whole[:, None, None], (1, LAYERS, HEADS)),
    }
    return {"whole": whole, **filled, **{name: np.array(value, dtype=float) for name, value in parts.items()}}


BELOW = [
    rows([1.0, 2.0, 3.0], without_heads=[0.1, 0.2, 0.3], without_mlps=[0.9, 1.8, 2.7]),
    rows([2.0, 3.0, 4.0], without_heads=[0.2, 0.1, 0.0]),
]
ABOVE = [rows([0.0, 1.0, 1.0], without_heads=[0.0, 0.1, 0.1]), rows([1.0, 0.0, 1.0])]


def attenuation(draws=2, below=BELOW, above=ABOVE):
    tables = {"below": below, "above": above}
    store = Measured(lambda function, run, seeds, **plain: tables[run.direction][run.draw])
    return Attenuation(Histories(store, SEEDS, protocol.SETTLED, draws=draws))


# Attenuation ----------------------------------------------------------------------------------------------


def test_the_gap_and_what_is_carried_are_means_over_draws():
    found = attenuation()
    assert found.gap().tolist() == close([(1 + 1) / 2, (1 + 3) / 2, (2 + 3) / 2])
    # gaps without heads: 0.1, 0.1, 0.2 in the first draw and -0.8, 0.1, -1.0 in the second
    assert found.carried("without_heads").tolist() == close([1 + 0.35, 2 - 0.1, 2.5 + 0.4])
    assert attenuation(draws=1).carried("without_heads").tolist() == close([0.9, 0.9, 1.8])


def test_replacing_what_carries_nothing_carries_nothing():
    still = [rows([1.0, 2.0, 3.0])]
    found = attenuation(draws=1, below=still, above=[rows([0.0, 0.5, 1.0])])
    for part in ("without_heads", "without_mlps"):
        assert found.carried(part).tolist() == [0.0, 0.0, 0.0]
    series = found.series()
    for name in ("heads", "mlps", "layers", "single_heads"):
        assert not np.any(series[name])


def test_shares_are_of_the_gap_and_details_of_the_first_draw():
    layers = [[0.5, 1.0], [1.0, 2.0], [3.0, 1.0]]
    below = [rows([1.0, 2.0, 3.0], without_layer=layers), BELOW[1]]
    above = [rows([0.0, 0.0, 1.0]), ABOVE[1]]
    series = attenuation(below=below, above=above).series()
    assert series["layers"].tolist() == [close([0.5, 0.0]), close([0.5, 0.0]), close([0.0, 1.0])]
    assert series["heads"].shape == series["mlps"].shape == (3,)
    assert series["single_heads"].shape == (3, LAYERS, HEADS)


def test_head_effects_are_what_the_margin_loses():
    heads = np.arange(12).reshape(3, LAYERS, HEADS) / 10
    below = [rows([1.0, 2.0, 3.0], without_head=heads)]
    one, other = attenuation(draws=1, below=below, above=[rows([0.0, 0.5, 1.0])]).head_effects()
    assert one[0].tolist() == [close([1.0, 0.9]), close([0.8, 0.7])]
    assert one[2, 1, 1] == close(3.0 - 1.1)
    assert not other.any()


def test_single_heads_are_measured_in_the_first_draw_alone():
    found = attenuation()
    found.carried("without_heads")
    asked = found.histories.store.asked
    assert {(run.draw, plain["each_head"]) for _, run, plain in asked} == {(0, True), (1, False)}
    assert {function for function, _, _ in asked} == {replacement_margins}
    assert {run.direction for _, run, _ in asked} == {"below", "above"}
    for _, run, plain in asked:
        assert (run.anchor, run.loop) == (protocol.ANCHOR, protocol.SETTLED)
        assert plain["trials"] == protocol.ATTENUATION_TRIALS
        assert plain["reference_trials"] == protocol.REFERENCE_TRIALS


def test_the_two_logits_carry_the_whole_gap_between_them(monkeypatch):
    task = Task(keys=6, values=6, pairs=3)
    sizes = Sizes(vocabulary=12, positions=7, layers=LAYERS, heads=HEADS, width=16, hidden=24)
    monkeypatch.setattr(circuits, "SIZES_OF_TASK", {"task": task, "sizes": sizes})
    monkeypatch.setattr(protocol, "ATTENUATION_TRIALS", 40)
    monkeypatch.setattr(protocol, "REFERENCE_TRIALS", 30)

    def measure(function, run, seeds, *, in_replay, **plain):
        weights = [generator(seed, run.direction) for seed in seeds]
        params = [initial_parameters(sizes, one).numpy() for one in weights]
        return function({"params": np.stack(params)}, seeds, **plain)

    store = Measured(measure)
    series = Attenuation(Histories(store, SEEDS, protocol.SETTLED, draws=1)).series()
    np.testing.assert_allclose(series["contextual_logit"] + series["fixed_logit"], 1.0, atol=1e-4)
    assert np.abs(series["heads"]).min() > 1e-3


# Maps -----------------------------------------------------------------------------------------------------

ABOVE_MAP = np.random.default_rng(0).normal(size=(3, LAYERS, 4))


def test_a_map_of_twice_the_other_has_gain_two_and_correlation_one():
    found = Maps(2 * ABOVE_MAP, ABOVE_MAP)
    assert found.gain().tolist() == close([2.0] * 3)
    assert found.correlation().tolist() == close([1.0] * 3)


def test_gain_is_a_slope_and_no_ratio_of_sizes():
    assert Maps(2 * ABOVE_MAP + 5, ABOVE_MAP).gain().tolist() == close([2.0] * 3)
    assert Maps(-0.5 * ABOVE_MAP, ABOVE_MAP).gain().tolist() == close([-0.5] * 3)
    assert Maps(-0.5 * ABOVE_MAP, ABOVE_MAP).correlation().tolist() == close([-1.0] * 3)


def test_gain_is_not_symmetric_where_the_maps_differ_in_more():
    noisy = ABOVE_MAP + np.random.default_rng(1).normal(size=ABOVE_MAP.shape)
    there, back = Maps(noisy, ABOVE_MAP).gain(), Maps(ABOVE_MAP, noisy).gain()
    correlation = Maps(noisy, ABOVE_MAP).correlation()
    assert (there * back).tolist() == close((correlation**2).tolist())
    assert (correlation < 0.999).all()


def test_each_seed_has_a_value_of_its_own():
    scale = np.array([1.0, 2.0, 3.0])[:, None, None]
    assert Maps(scale * ABOVE_MAP, ABOVE_MAP).gain().tolist() == close([1.0, 2.0, 3.0])


def test_across_seeds_takes_from_above_of_the_next_seed():
    shifted = Maps(ABOVE_MAP, ABOVE_MAP).across_seeds()
    assert np.array_equal(shifted.below, ABOVE_MAP)
    assert np.array_equal(shifted.above, ABOVE_MAP[[1, 2, 0]])
    assert (np.abs(shifted.correlation()) < 0.999).all()


@given(st.data())
def test_matching_heads_undoes_a_permutation_of_each_layer(data):
    permuted = ABOVE_MAP.copy()
    for seed in range(3):
        for layer in range(LAYERS):
            permuted[seed, layer] = permuted[seed, layer][data.draw(st.permutations(range(4)))]
    matched = Maps(ABOVE_MAP, permuted).with_heads_matched()
    assert np.array_equal(matched.below, ABOVE_MAP)
    assert np.array_equal(matched.above, ABOVE_MAP)


@given(maps, maps)
def test_matching_renames_heads_within_a_layer_and_never_makes_it_worse(below, above):
    matched = Maps(below, above).with_heads_matched()
    assert np.array_equal(np.sort(matched.above, axis=2), np.sort(above, axis=2))
    before, after = (((below - other) ** 2).sum((1, 2)) for other in (above, matched.above))
    assert (after <= before + 1e-9).all()


def test_maps_come_from_the_first_draw_of_both_branches():
    made = {
        way: {"residual": np.full((3, LAYERS, 7), value), "heads": np.full((3, LAYERS, HEADS), -value)}
        for way, value in (("below", 2.0), ("above", 1.0))
    }
    store = Measured(lambda function, run, seeds, **plain: made[run.direction])
    residual, heads = residual_and_head_maps(Histories(store, SEEDS, protocol.SETTLED, draws=3))
    assert residual.below.shape == (3, LAYERS, 7)
    assert heads.below.shape == (3, LAYERS, HEADS)
    assert (residual.below.mean(), residual.above.mean()) == (2.0, 1.0)
    assert (heads.below.mean(), heads.above.mean()) == (-2.0, -1.0)
    assert [(function, run.draw) for function, run, _ in store.asked] == [(route_maps, 0)] * 2
    assert residual.series() == {"below": residual.below, "above": residual.above}


def test_a_map_without_spread_has_no_correlation():
    with np.errstate(invalid="ignore"):
        assert np.isnan(Maps(np.ones_like(ABOVE_MAP), ABOVE_MAP).correlation()).all()
