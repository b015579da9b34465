"""Where is the history kept? The paper names telling optimizer memory from parameter memory as its limit.

The predictions of the memory claims were registered after pilot seeds 1000-1005, which are never judged: 10
updates into the hold the gap itself was near 0, equalising the first moment raised it by about 0.1 logits,
equalising the parameters lowered it by about 0.15, and the second moment moved it by less than 0.001.
"""

import numpy as np

from claims.history_dependence import protocol
from claims.history_dependence.paper import REPORTED_GAP, ZUO_2026
from claims.history_dependence.test_history import HALF_THE_GAP
from pytest_claims import AtMost, Below, Exceeds, Parts, Values, Within, claim

SOON = 10
"""Updates into the hold: late enough for a graft to act, early enough to tell it from relaxation."""


@claim(
    ZUO_2026,
    "The immediate gap needs Adam's momentum: without it there is no gap as large as the reported one.",
    kind="extension",
    predicts={
        "gap_lost": Exceeds(0.0, source="ours"),
        "gap_without_momentum": AtMost(REPORTED_GAP, source="ours"),
    },
    unit="logits",
)
def test_momentum_needed(histories, histories_without_momentum):
    """Primary gap − gap with beta1 = 0 throughout; the gap with beta1 = 0."""
    without = histories_without_momentum.gap(0)
    return Parts(gap_lost=histories.gap(0) - without, gap_without_momentum=without)


@claim(
    ZUO_2026,
    "The farther the mixture strays, the larger the immediate gap.",
    kind="extension",
    predicts=Exceeds(0.0, source="ours"),
    controls={"doses": "shuffled_doses"},
    unit="logits per unit of δ",
)
def test_dose_response(histories_by_dose, doses):
    """Slope of the hold-0 gap on δ."""
    gaps = np.stack([one.gap(0) for one in histories_by_dose], axis=1)
    slopes = [np.polyfit(dose, gap, 1)[0] for dose, gap in zip(doses, gaps, strict=True)]
    return Values(slopes, series={"doses": protocol.DOSES, "gaps": gaps})


@claim(
    ZUO_2026,
    "Adam's first moment keeps the history: with it equalised at the start of the hold, the gap 10 updates "
    "later is larger.",
    kind="extension",
    predicts=Exceeds(0.0, source="ours"),
    controls={"histories": "histories_without_excursion"},
    unit="logits",
)
def test_memory_first_moment(histories, first_moment):
    """Gap at hold 10 with both first moments replaced by their mean, less the plain gap."""
    return Values(_change(histories, first_moment), series=_courses(histories, first_moment))


@claim(
    ZUO_2026,
    "Adam's second moment keeps no history: equalising it leaves the gap 10 updates later where it was.",
    kind="extension",
    predicts=Within(-HALF_THE_GAP, HALF_THE_GAP, source="ours"),
    controls={"second_moment": "first_moment"},
    unit="logits",
)
def test_memory_second_moment(histories, second_moment):
    """As memory-first-moment; half the reported gap counts as where it was."""
    return Values(_change(histories, second_moment), series=_courses(histories, second_moment))


@claim(
    ZUO_2026,
    "The parameters keep the history: with them equalised at the start of the hold, the gap 10 updates later "
    "is smaller.",
    kind="extension",
    predicts=Below(0.0, source="ours"),
    controls={"histories": "histories_without_excursion"},
    unit="logits",
)
def test_memory_parameters(histories, parameters):
    """As memory-first-moment, with the parameters."""
    return Values(_change(histories, parameters), series=_courses(histories, parameters))


def _change(histories, part):
    return histories.equalised_gap(part, SOON) - histories.gap(SOON)


def _courses(histories, part):
    if not histories.course_every:
        return None
    return {
        "every": histories.course_every,
        "plain": histories.hold_course(),
        "equalised": histories.hold_course(part),
    }
