"""Judge a measurement by its prediction: replicated, contradicted or inconclusive, and why.

    replicated     the p value of the claim is at most alpha
    contradicted   the p value of its negation is
    inconclusive   neither, with the reason in words

The two can never both hold: each needs more than half of the seeds on its own side of the bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_claims import reasons, statistics
from pytest_claims.judgement import CONTRADICTED, INCONCLUSIVE, REPLICATED, Judgement
from pytest_claims.measurements import MeasurementError, PlainParts, PlainRatio, PlainValues, normalise
from pytest_claims.predictions import Holds, OneSided, Prediction, Within
from pytest_claims.statistics import ALPHA

if TYPE_CHECKING:
    from numpy.typing import NDArray


def judge(
    measurement: object,
    prediction: Prediction | Mapping[str, Prediction],
    seeds: Sequence[int],
    *,
    alpha: float = ALPHA,
) -> Judgement:
    """Judge what a claim measured over `seeds`.

    Args:
        measurement: What the claim returned.
        prediction: What it must show; for Parts one prediction a part.
        seeds: The seeds in the order of the values.
        alpha: The level of each test.

    Raises:
        MeasurementError: The measurement is not finite, has the wrong shape, or its parts are not those
            predicted.
    """
    if not seeds:
        raise MeasurementError("there are no seeds to judge over")
    plain = normalise(measurement, seeds)
    if isinstance(prediction, Mapping):
        if not isinstance(plain, PlainParts):
            raise MeasurementError(f"predicts the parts {', '.join(prediction)}, but returned no Parts")
        return _judge_parts(plain, prediction, seeds, alpha)
    if isinstance(plain, PlainParts):
        raise MeasurementError(
            f"returned Parts ({', '.join(plain.parts)}), but predicts one thing: {prediction.text}"
        )
    return replace(_judge_one(plain, prediction, seeds, alpha), series=plain.series)


def judge_design(result: object) -> Judgement:
    """Judge a design claim: an exact property, true or false, without statistics.

    Raises:
        MeasurementError: `result` is no bool.
    """
    if not isinstance(result, bool | np.bool_):
        raise MeasurementError(f"a design claim returns a bool, not {type(result).__name__}")
    return Judgement(REPLICATED) if result else Judgement(CONTRADICTED, "the property does not hold")


def with_reported(row: Mapping[str, Any], reported: Any) -> dict[str, Any]:
    """Add to a row how it compares with the number that the paper printed.

    `share_of_reported` is estimate / reported, None for a reported 0; `reported_in_interval` says whether our
    interval holds the reported number, None without an interval.
    """
    value = None if reported is None else reported.value
    estimate, interval = row["estimate"], row["interval"]
    share = None if value is None or estimate is None else _quotient(estimate, value)
    inside = interval[0] <= value <= interval[1] if value is not None and interval is not None else None
    return {**row, "share_of_reported": share, "reported_in_interval": inside}


def _judge_parts(
    plain: PlainParts, predictions: Mapping[str, Prediction], seeds: Sequence[int], alpha: float
) -> Judgement:
    if set(plain.parts) != set(predictions):
        raise MeasurementError(
            f"returned the parts {sorted(plain.parts)}, but predicts {sorted(predictions)}"
        )
    parts = {
        name: (prediction, _judge_one(plain.parts[name], prediction, seeds, alpha))
        for name, prediction in predictions.items()
    }
    judgements = {name: judgement for name, (_, judgement) in parts.items()}
    verdicts = {judgement.verdict for judgement in judgements.values()}
    if CONTRADICTED in verdicts:
        verdict = CONTRADICTED
    else:
        verdict = REPLICATED if verdicts == {REPLICATED} else INCONCLUSIVE
    decisive = {name: j for name, j in judgements.items() if verdict != REPLICATED and j.verdict == verdict}
    others = {name: j for name, j in judgements.items() if j.verdict == REPLICATED and j.reason}
    why = [f"{name}: {judgement.reason or verdict}" for name, judgement in (decisive or others).items()]
    return Judgement(
        verdict,
        reasons.join(*why),
        p_value=max(j.p_value for j in judgements.values() if j.p_value is not None),
        p_contradicted=min(j.p_contradicted for j in judgements.values() if j.p_contradicted is not None),
        reached=all(j.reached for j in judgements.values()),
        parts=parts,
        series=plain.series,
    )


def _judge_one(
    plain: PlainValues | PlainRatio, prediction: Prediction, seeds: Sequence[int], alpha: float
) -> Judgement:
    if isinstance(plain, PlainRatio):
        if not isinstance(prediction, OneSided | Within):
            raise MeasurementError(f"a Ratio is judged by a bound, not by “{prediction.text}”")
        return _judge_ratio(plain, prediction, seeds, alpha)
    if isinstance(prediction, Holds):
        if not plain.boolean:
            raise MeasurementError("Holds is judged on one bool a seed; the values are numbers")
        return _judge_holds(plain.values, seeds, alpha)
    if plain.boolean:
        raise MeasurementError(
            f"returned bools, but “{prediction.text}” is judged on numbers; predict Holds()"
        )
    values, n = plain.values, len(seeds)
    centre = _difference(seeds, values, _centre(prediction))
    spread = not statistics.no_spread(values)
    estimate = float(values.mean())
    interval = statistics.t_interval(values)
    effect_size = statistics.hedges_g(centre) if spread else None
    verdict = _decide(prediction, _beyond(prediction, seeds, values), seeds, alpha)
    unclear = reasons.missing(
        n, spread=spread, interval=interval is not None, effect_size=effect_size is not None
    )
    return replace(
        verdict,
        reason=reasons.join(verdict.reason, unclear),
        values=values.tolist(),
        estimate=estimate,
        interval=interval,
        effect_size=effect_size,
        p_two_sided=statistics.sign_flip_p(centre, two_sided=True),
        depth=_depth_of(prediction, estimate),
        spread=spread,
    )


def _judge_ratio(
    plain: PlainRatio, prediction: OneSided | Within, seeds: Sequence[int], alpha: float
) -> Judgement:
    """Judge numerator − bound · denominator, provided that the denominator itself is above 0."""
    top, bottom = plain.numerator, plain.denominator
    verdict = _decide(prediction, _beyond(prediction, seeds, top, bottom), seeds, alpha)
    verdict = _with_denominator(verdict, bottom, seeds, alpha)
    centre = _difference(seeds, top, _centre(prediction), bottom)
    spread = not statistics.same_ratio(top, bottom)
    estimate = _quotient(float(top.mean()), float(bottom.mean()))
    interval = statistics.fieller_interval(top, bottom)
    effect_size = statistics.hedges_g(centre) if spread else None
    unclear = reasons.missing(
        len(seeds),
        spread=spread,
        interval=interval is not None,
        effect_size=effect_size is not None,
    )
    return replace(
        verdict,
        reason=reasons.join(verdict.reason, unclear),
        values=[_quotient(t, b) for t, b in zip(top.tolist(), bottom.tolist(), strict=True)],
        numerator=top.tolist(),
        denominator=bottom.tolist(),
        estimate=estimate,
        interval=interval,
        effect_size=effect_size,
        p_two_sided=statistics.sign_flip_p(centre, two_sided=True),
        depth=None if estimate is None else _depth_of(prediction, estimate),
        spread=spread,
    )


def _with_denominator(
    judged: Judgement, denominator: NDArray[np.float64], seeds: Sequence[int], alpha: float
) -> Judgement:
    """Let a verdict on a ratio stand only where its denominator is above 0.

    Both tests must pass, so the larger p counts.
    """
    p = statistics.side_p(denominator, inclusive=False)
    assert judged.p_value is not None
    assert judged.p_contradicted is not None
    verdict, reason = judged.verdict, judged.reason
    low = [seed for seed, value in zip(seeds, denominator, strict=True) if value <= 0]
    if p > alpha:
        verdict, reason = INCONCLUSIVE, reasons.too_few(len(seeds), alpha)
        if low:
            where = "any seed" if len(low) == len(seeds) else reasons.named(low)
            reason = reasons.join(f"nothing to attenuate: the denominator is not above 0 in {where}", reason)
    return replace(
        judged,
        verdict=verdict,
        reason=reason,
        p_value=max(judged.p_value, p),
        p_contradicted=max(judged.p_contradicted, p),
    )


def _decide(
    prediction: OneSided | Within, beyond: Sequence[NDArray[np.float64]], seeds: Sequence[int], alpha: float
) -> Judgement:
    """The verdict, its p values and signs.

    A region is two one-sided tests (Schuirmann 1987): both must pass, so the larger p. Its negation holds on
    one side or on the other, so the smaller p counts, doubled.

    Args:
        prediction: The criterion.
        beyond: For each of its bounds how far every seed lies beyond it `[seed]`.
        seeds: The seeds.
        alpha: The level.
    """
    inclusive = prediction.inclusive
    p = max(statistics.side_p(side, inclusive=inclusive) for side in beyond)
    opposite = min(statistics.side_p(-side, inclusive=not inclusive) for side in beyond)
    p_contradicted = min(1.0, len(beyond) * opposite)
    nearest = np.min(beyond, axis=0)
    wrong = [seed for seed, d in zip(seeds, nearest, strict=True) if (d < 0 if inclusive else d <= 0)]
    reason: str | None = None
    if p <= alpha:
        verdict = REPLICATED
        if wrong:
            reason = reasons.failing(prediction.text, wrong, seeds)
    elif p_contradicted <= alpha:
        verdict = CONTRADICTED
        ours = reasons.OURS if prediction.source == "ours" else None
        reason = reasons.join(reasons.failing(prediction.text, wrong, seeds), ours)
    else:
        verdict = INCONCLUSIVE
        reason = reasons.undecided(prediction, beyond, wrong, seeds, alpha)
    return Judgement(
        verdict,
        reason,
        p_value=p,
        p_contradicted=p_contradicted,
        signs="".join("+" if d > 0 else "-" if d < 0 else "0" for d in nearest),
        reached=reasons.too_few(len(seeds), alpha) is None,
    )


def _judge_holds(values: NDArray[np.float64], seeds: Sequence[int], alpha: float) -> Judgement:
    n, k = len(seeds), int(values.sum())
    # Holding in every seed is what is claimed, so one failure leaves no p value that could replicate it.
    p = 2.0**-n if k == n else 1.0
    p_contradicted = statistics.sign_test_p(n - k, n)
    wrong = [seed for seed, value in zip(seeds, values, strict=True) if not value]
    count = f"holds in {k} of {n} seeds" + (f" (not in {reasons.named(wrong)})" if wrong else "")
    if p <= alpha:
        verdict, reason = REPLICATED, None
    elif p_contradicted <= alpha:
        verdict, reason = CONTRADICTED, count
    else:
        verdict, reason = INCONCLUSIVE, reasons.join(count, reasons.too_few(n, alpha))
    return Judgement(
        verdict,
        reason,
        values=[bool(value) for value in values],
        estimate=k / n,
        p_value=p,
        p_contradicted=p_contradicted,
        depth=k / n - 0.5,
        signs="".join("+" if value else "-" for value in values),
        spread=0 < k < n,
        reached=reasons.too_few(n, alpha) is None,
    )


def _beyond(
    prediction: OneSided | Within,
    seeds: Sequence[int],
    values: NDArray[np.float64],
    denominator: NDArray[np.float64] | float = 1.0,
) -> list[NDArray[np.float64]]:
    """For each bound how far every seed lies beyond it on the claimed side `[seed]`."""
    return [
        direction * _difference(seeds, values, bound, denominator) for bound, direction in _bounds(prediction)
    ]


def _difference(
    seeds: Sequence[int],
    values: NDArray[np.float64],
    bound: float,
    denominator: NDArray[np.float64] | float = 1.0,
) -> NDArray[np.float64]:
    """Values − bound · denominator `[seed]`."""
    with np.errstate(over="ignore"):
        scaled = bound * np.broadcast_to(denominator, values.shape)
        bad = [seed for seed, gap in zip(seeds, values - scaled, strict=True) if not np.isfinite(gap)]
    if bad:
        raise MeasurementError(f"the distance from the bound {bound:g} is not finite at {reasons.named(bad)}")
    return statistics.difference(values, scaled)


def _depth_of(prediction: OneSided | Within, estimate: float) -> float:
    """How far an estimate lies beyond the nearer bound."""
    bounds = _bounds(prediction)
    return min(direction * float(statistics.difference([estimate], bound)[0]) for bound, direction in bounds)


def _bounds(prediction: OneSided | Within) -> list[tuple[float, int]]:
    """Each bound, and +1 or -1 for the side of it that is claimed."""
    if isinstance(prediction, Within):
        return [(prediction.low, 1), (prediction.high, -1)]
    return [(prediction.bound, prediction.direction)]


def _centre(prediction: OneSided | Within) -> float:
    """The bound, or the middle of a region: what two-sided statements refer to."""
    bounds = _bounds(prediction)
    return sum(bound / len(bounds) for bound, _ in bounds)


def _quotient(numerator: float, denominator: float) -> float | None:
    """A ratio, None where there is no finite one."""
    if denominator == 0:
        return None
    quotient = numerator / denominator
    return quotient if math.isfinite(quotient) else None
