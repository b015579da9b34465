"""Does the descent reach a saddle first, and what takes it away from there?"""

import numpy as np

from claims.factual_recall import protocol
from claims.factual_recall.paper import HUANG_2026
from pytest_claims import AtMost, Below, Exceeds, Holds, Parts, Reported, Values, Within, claim

PATH = (0, 1, *range(2, protocol.ESCAPE_STEPS + 3, 2))
"""Points of a trajectory that a figure shows."""


@claim(
    HUANG_2026,
    "The large step converges to a saddle, where both pairs weigh the same.",
    predicts={
        "exponent": Within(-0.6, -0.4, source="ours"),
        "gradient_norm": AtMost(1e-8, source="ours"),
        "least_curvature": Below(0.0),
    },
    reported=Reported(text="converges first to a saddle"),
    controls={"saddle": "linear_saddle"},
)
def test_saddle(saddle):
    """Exponent of |v_s1 − v_s2| after the large step against m; gradient and least curvature at the tie."""
    gap = saddle.store.get(saddle.large_step, saddle.seeds)["gap"]
    tie = saddle.store.get(saddle.tie, saddle.seeds)
    # A linear memory leaves the pairs exactly equal; the floor keeps its logarithm finite.
    logs = np.log(np.maximum(gap, np.finfo(float).tiny))
    return Parts(
        exponent=np.polyfit(np.log(protocol.SADDLE_LEVELS), logs.T, 1)[0],
        gradient_norm=tie["gradient_norm"],
        least_curvature=tie["least_curvature"],
        series={"m": protocol.SADDLE_LEVELS, "gap": gap},
    )


@claim(
    HUANG_2026,
    "A perturbation escapes the saddle, in a number of steps that grows with the logarithm of its inverse "
    "size.",
    predicts=Exceeds(0.95, source="ours"),
    reported=Reported(text="the perturbation escapes"),
)
def test_escape(symmetrised):
    """R² of the steps to escape on log(1/ρ), on the symmetrised problem, one direction a seed."""
    steps = np.stack(
        [symmetrised.with_(perturbation=scale).steps_to_escape() for scale in protocol.ESCAPE_SCALES], axis=1
    )
    logs = -np.log(protocol.ESCAPE_SCALES)
    return Values(
        [np.corrcoef(logs, row)[0, 1] ** 2 for row in steps],
        series={
            "scale": protocol.ESCAPE_SCALES,
            "steps": steps,
            "index": PATH,
            "attention": symmetrised.with_(perturbation=protocol.ESCAPE_SCALES[2]).path(PATH),
        },
    )


@claim(
    HUANG_2026,
    "The perturbation is needed: without it the descent on finite samples stays at the saddle.",
    predicts=Holds(),
    reported=Reported(text="escapes through the perturbation"),
)
def test_perturbation_needed(symmetrised):
    """Unsymmetrised samples, no perturbation: at the saddle after the steps that suffice with ρ = 1e-3."""
    sufficient = symmetrised.with_(perturbation=protocol.SUFFICIENT_SCALE).steps_to_escape()
    unperturbed = symmetrised.with_(symmetrised=False, perturbation=0.0)
    steps = unperturbed.steps_to_escape()
    return Values(
        steps > sufficient,
        series={
            "steps": steps,
            "sufficient": sufficient,
            "index": PATH,
            "attention": unperturbed.path(PATH),
        },
    )
