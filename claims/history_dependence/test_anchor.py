"""Is the anchor the model that the paper describes, and has it learned both rules?"""

from claims.history_dependence import protocol
from claims.history_dependence.measurements import rule_fit
from claims.history_dependence.paper import ZUO_2026
from models.decoder import parameter_count, shapes
from pytest_claims import AtLeast, AtMost, Parts, Reported, Within, claim


@claim(
    ZUO_2026,
    "The anchor has learned both rules and the mixture: its answers are the two candidates, at the loss and "
    "the margin of a calibrated model.",
    predicts={
        "mass_on_candidates": AtLeast(0.95, source="ours"),
        "loss_above_ln_2": AtMost(0.15, source="ours"),
        "margin_above_calibrated": Within(-0.15, 0.15, source="ours"),
    },
    reported=Reported(text="converged"),
    controls={"anchor": "untrained"},
)
def test_both_rules_learned(store, seeds, anchor):
    """Probability mass, expected loss less ln 2, and mean margin less logit(p0), over conflict trials."""
    fit = store.measure(
        rule_fit,
        anchor,
        seeds,
        task=protocol.TASK,
        sizes=protocol.SIZES,
        trials=protocol.MARGIN_TRIALS,
        p0=protocol.P0,
    )
    return Parts(
        mass_on_candidates=fit["mass"],
        loss_above_ln_2=fit["excess_loss"],
        margin_above_calibrated=fit["margin"],
    )


@claim(
    ZUO_2026,
    "The decoder has about 72k parameters.",
    kind="design",
    reported=Reported(72_000, unit="parameters", text="about 72k"),
    controls={"sizes": "sizes_of_a_single_layer"},
)
def test_parameter_count(sizes):
    """Exactly 71,744 with our sizes."""
    return parameter_count(sizes) == 71_744


@claim(
    ZUO_2026,
    "The decoder has 2 layers and 4 heads.",
    kind="design",
    reported=Reported(text="2 layers, 4 heads"),
    controls={"sizes": "sizes_of_a_single_layer"},
)
def test_layers_and_heads(sizes):
    """Read from the shapes of the query weights, [width, head, d_head] a layer."""
    queries = [shape for name, shape in shapes(sizes).items() if name.endswith("attn.W_Q")]
    return [heads for _, heads, _ in queries] == [4, 4]
