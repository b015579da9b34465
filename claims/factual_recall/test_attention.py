"""What does the fine-tuned attention look like, and what does it depend on?"""

import numpy as np
import pytest

from claims.factual_recall import protocol
from claims.factual_recall.paper import HUANG_2026
from probes.attention_pattern import nearest_pairwise, optimal_weight
from pytest_claims import AtMost, Below, Exceeds, Holds, Parts, Reported, Values, Within, claim

COLDER = -np.log(protocol.TEMPERATURES)
"""−ln T: grows as T falls, so that a slope is positive when its quantity grows as T falls."""


@claim(
    HUANG_2026,
    "Attention converges to the pairwise pattern: a subject and its answer weigh the same, the two pairs do "
    "not.",
    predicts={"distance": Below(0.02, source="ours"), "offset": Within(0.02, 0.23, source="ours")},
    reported=Reported(text="v = (a, a, ½−a, ½−a, 0, 0)"),
    controls={"tuned": "without_confusing"},
)
def test_pairwise_pattern(tuned):
    """Distance of v to the nearest such pattern, and a − ¼, at T = .02."""
    weight, distance = nearest_pairwise(tuned.attention)
    return Parts(
        distance=distance, offset=weight - 0.25, series={"attention": tuned.attention, "weight": weight}
    )


@claim(
    HUANG_2026,
    "Attention on the query subject and the separator is suppressed.",
    predicts=AtMost(0.02, source="ours"),
    reported=Reported(text="suppressed"),
    controls={"tuned": "untrained"},
)
def test_irrelevant_tokens(tuned):
    """V on both together when the relation is decoded."""
    return tuned.attention[:, 4:].sum(axis=1)


@claim(
    HUANG_2026,
    "Success requires pairing: whatever is fine-tuned to an accuracy of 99.9 % has the pairwise pattern.",
    predicts=Holds(),
    reported=Reported(text="success requires it"),
)
def test_pairing_required(tuned):
    """Over a grid of temperatures and step sizes: every accurate run lies within .02 of the pattern."""
    holds = np.ones(len(tuned.seeds), dtype=bool)
    runs = []
    for temperature, step in protocol.GRID:
        run = tuned.with_(temperature=temperature, schedule=protocol.schedule(step))
        found = run.recall(protocol.HELD_OUT)
        accurate = np.minimum(found["mixed"], found["confusing"]) >= protocol.REQUIRED_ACCURACY
        distance = nearest_pairwise(run.attention)[1]
        holds &= ~accurate | (distance < protocol.PAIRWISE_WITHIN)
        runs.append(
            {"temperature": temperature, "step": step, "accurate": accurate.tolist(), "distance": distance}
        )
    return Values(holds, series={"runs": runs})


@claim(
    HUANG_2026,
    "A low temperature amplifies the differences between logits.",
    predicts=Exceeds(0.0),
    reported=Reported(text="low T amplifies logit differences"),
)
def test_temperature(tuned):
    """Slope of the worst-case relative margin on −ln T, over T = .1, .05, .02, .01."""
    margins = [
        tuned.with_(temperature=temperature).recall(protocol.HELD_OUT)["least_margin"]
        for temperature in protocol.TEMPERATURES
    ]
    return Values(np.polyfit(COLDER, margins, 1)[0], series={"T": protocol.TEMPERATURES, "margin": margins})


@claim(
    HUANG_2026,
    "A low temperature accelerates convergence.",
    predicts=Below(0.0),
    reported=Reported(text="low T accelerates convergence"),
)
def test_temperature_convergence(tuned):
    """Slope on −ln T of the steps until v stays within .02 of its final value, over T = .1, .05, .02, .01."""
    steps = [tuned.with_(temperature=temperature).steps_to_settle() for temperature in protocol.TEMPERATURES]
    return Values(np.polyfit(COLDER, steps, 1)[0], series={"T": protocol.TEMPERATURES, "steps": steps})


@claim(
    HUANG_2026,
    "The mechanism is not induction: a repeated query subject does not draw attention to what followed its "
    "copy.",
    predicts=Below(0.5, source="ours"),
    reported=Reported(text="distinct mechanism"),
    controls={"induction_prompts": "induction_head"},
)
def test_distinct_from_induction(induction_prompts):
    """Prompts with s3 = s1: attention on the token after the earlier copy, at the step where it is larger."""
    return [prompts.after_copy() for prompts in induction_prompts]


@claim(
    HUANG_2026,
    "Without confusing sequences the two pairs keep equal weights.",
    kind="extension",
    predicts=Within(0.23, 0.27, source="ours"),
    reported=Reported(text="Assumption 2"),
)
def test_confusing_needed(without_confusing):
    """A when no fine-tuning sequence is confusing, at T = .02."""
    weight, _ = nearest_pairwise(without_confusing.attention)
    found = without_confusing.recall(protocol.HELD_OUT)
    return Values(weight, series={"confusing": found["confusing"], "argmax": found["argmax"]})


@claim(
    HUANG_2026,
    "At a low temperature the weight is the one that maximises the least margin over rivals, a*(k).",
    kind="extension",
    predicts=Within(-0.005, 0.005, source="ours"),
    reported=Reported(text="only the form"),
    controls={"predicted_power": "wrong_power"},
)
@pytest.mark.parametrize("power", [pytest.param(k, id=f"k={k}") for k in protocol.OPTIMAL])
def test_optimal_weight(tuned_at_power, predicted_power):
    """A − a*(k)."""
    weight, _ = nearest_pairwise(tuned_at_power.attention)
    predicted = optimal_weight(predicted_power)
    return Values(weight - predicted, series={"k": predicted_power, "weight": weight, "predicted": predicted})
