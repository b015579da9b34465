"""Does the way by which the balanced mixture was reached leave a trace, and does it last?"""

import numpy as np

from claims.history_dependence.paper import IMMEDIATE_GAP, REPORTED_GAP, ZUO_2026
from pytest_claims import Below, Exceeds, Parts, Reported, Values, Within, claim

HALF_THE_GAP = REPORTED_GAP / 2
"""Ours: smaller than half of what was reported counts as near zero."""


@claim(
    ZUO_2026,
    "Arriving at the balanced mixture from below leaves a larger contextual-minus-fixed margin than arriving "
    "from above.",
    predicts=Exceeds(0.0),
    reported=IMMEDIATE_GAP,
    controls={"histories": "histories_without_excursion"},
)
def test_immediate_gap(histories):
    """Margin from below − margin from above at hold 0, protocol `settled`."""
    series = histories.courses() if histories.course_every else None
    return Values(histories.gap(0), series=series)


@claim(
    ZUO_2026,
    "The same on a plain ramp, without settling updates: another reading of the paper's schedule.",
    predicts=Exceeds(0.0),
    reported=IMMEDIATE_GAP,
)
def test_immediate_gap_plain_ramp(plain_ramp_histories):
    """The gap when the ramp has just ended."""
    return plain_ramp_histories.gap(0)


@claim(
    ZUO_2026,
    "The gap has the reported size, on loops with δ = 0.2 and legs of 50 updates.",
    predicts=Within(REPORTED_GAP / 2, REPORTED_GAP * 2, source="ours"),
    reported=IMMEDIATE_GAP,
)
def test_gap_size(paper_sized_histories):
    """The gap at hold 0, the mean of eight loop draws an anchor."""
    return paper_sized_histories.gap(0)


@claim(
    ZUO_2026,
    "After 25 further updates at the balance the gap is slightly reversed.",
    predicts=Below(0.0),
    reported=Reported(text="slightly reversed", unit="logits"),
    controls={"histories": "histories_without_excursion"},
)
def test_reversal(histories):
    """The gap at hold 25."""
    return histories.gap(25)


@claim(
    ZUO_2026,
    "After 100 further updates at the balance the gap is near zero.",
    predicts=Within(-HALF_THE_GAP, HALF_THE_GAP, source="ours"),
    reported=Reported(text="near zero", unit="logits"),
    controls={"updates_held": "no_updates_held"},
)
def test_relaxation(histories, updates_held):
    """The gap at hold 100; half the reported gap counts as near zero."""
    return histories.gap(updates_held)


@claim(
    ZUO_2026,
    "Slow sweeps leave no persistent gap between the branches, and the slower the sweep the smaller its gap.",
    predicts={
        "gap_after_slow_4x": Within(-HALF_THE_GAP, HALF_THE_GAP, source="ours"),
        "gap_after_slow_8x": Within(-HALF_THE_GAP, HALF_THE_GAP, source="ours"),
        "slope_on_log_leg": Below(0.0),
    },
    reported=Reported(text="no persistent branch gap under slow sweeps", unit="logits"),
    controls={"histories_by_leg": "histories_by_leg_with_offset"},
)
def test_no_hysteresis(histories_by_leg):
    """Gaps after hold 100 on loops 4 and 8 times slower; slope of the hold-0 gap on ln(leg)."""
    legs = sorted(histories_by_leg)
    _, slow_4x, slow_8x = (histories_by_leg[leg] for leg in legs)
    gaps = np.stack([histories_by_leg[leg].gap(0) for leg in legs])
    slope = np.polyfit(np.log(legs), gaps, 1)[0]
    return Parts(
        series={"legs": legs, "gaps_at_hold_0": gaps.T},
        gap_after_slow_4x=slow_4x.gap(100),
        gap_after_slow_8x=slow_8x.gap(100),
        slope_on_log_leg=slope,
    )
