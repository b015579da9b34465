"""Which part of the network carries the history? Mean replacement and activation patching at hold 0."""

import numpy as np

from claims.history_dependence.paper import ZUO_2026
from claims.history_dependence.pilots import SEEDS_FOR_ATTENUATION
from pytest_claims import AtLeast, Below, Exceeds, Holds, Ratio, Reported, Values, claim

ATTENUATION = Reported(0.868, text="86.8 % of the gap")


@claim(
    ZUO_2026,
    "Replacing the outputs of all heads at the query position by their means takes away at least 80 % of the "
    "gap.",
    predicts=AtLeast(0.80, source="ours"),
    reported=ATTENUATION,
    controls={"heads_replaced": "mlps_replaced"},
    seeds=SEEDS_FOR_ATTENUATION,
)
def test_head_attenuation(attenuation, heads_replaced):
    """(Gap − gap with heads replaced) / gap, pooled over seeds; the mean of eight loop draws an anchor.

    The number of seeds has a power of 0.82 on the pilot's mean and spread; see pilots.py.
    """
    return Ratio(attenuation.carried(heads_replaced), attenuation.gap(), series=attenuation.series())


@claim(
    ZUO_2026,
    "The heads at the query position carry most of the gap.",
    predicts=AtLeast(0.50, source="ours"),
    reported=ATTENUATION,
    controls={"heads_replaced": "mlps_replaced"},
)
def test_heads_carry_most(attenuation, heads_replaced):
    """As head-attenuation, against one half."""
    return Ratio(attenuation.carried(heads_replaced), attenuation.gap())


@claim(
    ZUO_2026,
    "The MLPs at the query position do not carry the gap.",
    predicts=Below(0.50, source="ours"),
    reported=Reported(text="heads, not MLPs, carry it"),
    controls={"mlps_replaced": "heads_replaced"},
)
def test_mlp_attenuation(attenuation, mlps_replaced):
    """As head-attenuation, with the MLPs' outputs replaced."""
    return Ratio(attenuation.carried(mlps_replaced), attenuation.gap())


@claim(
    ZUO_2026,
    "The head with the largest replacement effect is the same one in both branches.",
    predicts=Holds(),
    reported=Reported(text="same identity"),
    controls={"head_effects": "head_effects_across_seeds"},
)
def test_dominant_head(head_effects):
    """The head whose replacement moves the margin most, below against above."""
    below, above = (np.abs(effects).reshape(len(effects), -1).argmax(1) for effects in head_effects)
    return Values(below == above, series={"below": head_effects[0], "above": head_effects[1]})


@claim(
    ZUO_2026,
    "Both branches route the answer through the same residual streams.",
    predicts=Exceeds(0.999),
    reported=Reported(text="correlation above .999"),
    controls={"residual_maps": "residual_maps_across_seeds"},
    unit="correlation",
)
def test_route_map_residual(residual_maps):
    """Correlation of patching effects over (layer, position), below against above."""
    return Values(residual_maps.correlation(), series=residual_maps.series())


@claim(
    ZUO_2026,
    "Both branches route the answer through the same heads.",
    predicts=Exceeds(0.999),
    reported=Reported(text="correlation above .999"),
    controls={"head_maps": "head_maps_across_seeds"},
    unit="correlation",
)
def test_route_map_heads(head_maps):
    """Correlation of patching effects over (layer, head) at the query position, below against above."""
    return Values(head_maps.correlation(), series=head_maps.series())


@claim(
    ZUO_2026,
    "The history changes the gain of a shared route: its effects are larger from below than from above.",
    predicts=Exceeds(1.0),
    reported=Reported(text="modulates gain"),
    controls={"residual_maps": "residual_maps_without_excursion"},
)
def test_shared_gain(residual_maps):
    """Slope of the patching map from below on the one from above, over (layer, position)."""
    return residual_maps.gain()
