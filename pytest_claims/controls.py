"""Say whether a control tells the claim apart from its absence.

A control measures the same thing where the effect is absent, or wrong, by construction, and is judged by the
same criterion. It should not come out replicated. Where it does, and lies at least half as far beyond the
bound as the claim, the claim's measurement cannot discriminate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_claims.judgement import REPLICATED, Judgement
from pytest_claims.predictions import Prediction
from pytest_claims.statistics import ROUNDING

ENOUGH = 0.5
"""A control this share of the claim's way beyond the bound, or more, is as good as the claim."""


def discriminates(
    claim: Judgement, control: Judgement, prediction: Prediction | Mapping[str, Prediction] | None
) -> dict[str, Any]:
    """Compare a control with its claim.

    Args:
        claim: The claim's judgement.
        control: The judgement of the same measurement with one fixture replaced.
        prediction: The criterion of both.

    Returns:
        `verdict` and `estimate` of the control (no estimate for parts); `share`, how far it lies beyond the
        bound as a share of the claim's way (for parts the smallest, None where the claim itself is not beyond
        its bound); `discriminates`, False when the control marks its claim.
    """
    if isinstance(prediction, Mapping):
        assert claim.parts is not None
        assert control.parts is not None
        shares = [_share(claim.parts[name][1], control.parts[name][1]) for name in prediction]
        known = [share for share in shares if share is not None]
        share = min(known) if known else None
    else:
        # A property holds or does not; it has no size to be a share of.
        share = None if prediction is None else _share(claim, control)
    # Where the claim has no way beyond its bound to compare with, a replicated control is beyond it farther.
    as_good = share is None or share >= ENOUGH * (1 - ROUNDING)
    return {
        "verdict": control.verdict,
        "estimate": control.estimate,
        "share": share,
        "discriminates": not (control.verdict == REPLICATED and as_good),
    }


def _share(claim: Judgement, control: Judgement) -> float | None:
    if claim.depth is None or control.depth is None or claim.depth <= 0:
        return None
    return control.depth / claim.depth
