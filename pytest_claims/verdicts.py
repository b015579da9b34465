"""Judge a measurement by its prediction: replicated, contradicted or inconclusive, and why.

    replicated     the p value of the claim is at most alpha
    contradicted   the p value of its negation is
    inconclusive   neither, with the reason in words

The two can never both hold: each needs more than half of the seeds on its own side of the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_claims import statistics
from pytest_claims.measurements import MeasurementError, PlainParts, PlainRatio, PlainValues, normalise
from pytest_claims.predictions import Holds, OneSided, Prediction, Within
from pytest_claims.statistics import ALPHA

if TYPE_CHECKING:
    from numpy.typing import NDArray

REPLICATED, CONTRADICTED, INCONCLUSIVE = "replicated", "contradicted", "inconclusive"
NO_SPREAD = "no spread between seeds: no interval and no effect size"
NOT_IDENTIFIED = "the ratio is not identified: its interval is unbounded"
OURS = "the threshold is ours, not the paper's"


@dataclass(frozen=True)
class Judgement:
    """What a measurement says about a prediction.

    Attributes:
        verdict: "replicated", "contradicted" or "inconclusive".
        reason: Why, in words; None where the numbers say it all.
        values: One a seed; for a ratio numerator / denominator, None where the denominator is 0.
        depth: How far the estimate lies beyond the bound on the claimed side, in the measurement's unit (for
            `Holds`
            the share of seeds above one half); None for Parts.
        signs: A character a seed: + on the claimed side, - on the other, 0 on the bound.
        reached: Whether so many seeds can reach alpha at all.
    """

    verdict: str
    reason: str | None = None
    values: list[float | bool | None] = field(default_factory=list)
    estimate: float | None = None
    interval: tuple[float, float] | None = None
    effect_size: float | None = None
    p_value: float | None = None
    p_contradicted: float | None = None
    p_two_sided: float | None = None
    depth: float | None = None
    signs: str | None = None
    spread: bool | None = None
    reached: bool | None = None
    numerator: list[float] | None = None
    denominator: list[float] | None = None
    parts: Mapping[str, tuple[Prediction, Judgement]] | None = None
    series: Any = None

    def to_row(self) -> dict[str, Any]:
        """The judgement as the fields of a report's row."""
        row = self._fields()
        row["series"] = self.series
        row["parts"] = None
        if self.parts is not None:
            row["parts"] = {
                name: {"prediction": plain_prediction(prediction), **judgement._fields()}
                for name, (prediction, judgement) in self.parts.items()
            }
        return row

    def _fields(self) -> dict[str, Any]:
        return {
            "values": self.values,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "estimate": self.estimate,
            "interval": None if self.interval is None else list(self.interval),
            "effect_size": self.effect_size,
            "p_value": self.p_value,
            "p_contradicted": self.p_contradicted,
            "p_two_sided": self.p_two_sided,
            "signs": self.signs,
            "spread": self.spread,
            "reached": self.reached,
            "verdict": self.verdict,
            "reason": self.reason,
        }


def plain_prediction(prediction: Prediction) -> dict[str, Any]:
    """A prediction as plain data."""
    return {
        "kind": prediction.kind,
        "bound": prediction.bound,
        "text": prediction.text,
        "source": prediction.source,
    }


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
    holds = bool(result)
    return Judgement(
        REPLICATED if holds else CONTRADICTED,
        None if holds else "the property does not hold",
        depth=0.5 if holds else -0.5,
    )


def with_reported(row: Mapping[str, Any], reported: Any) -> dict[str, Any]:
    """Add to a row how it compares with the number that the paper printed.

    `share_of_reported` is estimate / reported, None for a reported 0; `reported_in_interval` says whether our
    interval holds the reported number, None without an interval.
    """
    value = None if reported is None else reported.value
    estimate, interval = row["estimate"], row["interval"]
    share = estimate / value if value and estimate is not None else None
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
    reasons = [f"{name}: {judgement.reason or verdict}" for name, judgement in (decisive or others).items()]
    p_values = [j.p_value for j in judgements.values() if j.p_value is not None]
    whole = len(p_values) == len(judgements)
    return Judgement(
        verdict,
        "; ".join(reasons) or None,
        p_value=max(p_values) if whole else None,
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
    values = plain.values
    centre = sum(prediction.bound) / 2 if isinstance(prediction, Within) else prediction.bound
    depth = _depth(prediction, lambda bound: values - bound)
    spread = not statistics.no_spread(values)
    judged = _judge_depth(prediction, lambda bound: values - bound, depth, seeds, alpha)
    return replace(
        judged,
        reason=_join(judged.reason, None if spread or len(seeds) == 1 else NO_SPREAD),
        values=values.tolist(),
        estimate=float(values.mean()),
        interval=statistics.t_interval(values),
        effect_size=statistics.hedges_g(values - centre),
        p_two_sided=statistics.sign_flip_p(values - centre, two_sided=True),
        depth=float(_depth(prediction, lambda bound: np.array([values.mean() - bound]))[0]),
        spread=spread,
    )


def _judge_ratio(
    plain: PlainRatio, prediction: OneSided | Within, seeds: Sequence[int], alpha: float
) -> Judgement:
    """Judge numerator − bound · denominator, provided that the denominator itself is above 0."""
    top, bottom = plain.numerator, plain.denominator

    def contrast(bound: float) -> NDArray[np.float64]:
        return top - bound * bottom

    depth = _depth(prediction, contrast)
    judged = _judge_depth(prediction, contrast, depth, seeds, alpha)
    p_denominator = statistics.side_p(bottom, inclusive=False)
    if p_denominator > alpha:
        reason = f"nothing to attenuate: the denominator is not above 0 (p = {p_denominator:.3g})"
        judged = replace(judged, verdict=INCONCLUSIVE, reason=_join(reason, _too_few(seeds, alpha)))
    mean = float(bottom.mean())
    estimate = float(top.mean()) / mean if mean != 0 else None
    interval = statistics.fieller_interval(top, bottom) if mean > 0 else None
    centre = sum(prediction.bound) / 2 if isinstance(prediction, Within) else prediction.bound
    ratios = [float(t / b) if b != 0 else None for t, b in zip(top, bottom, strict=True)]
    spread = not statistics.no_spread(contrast(centre))
    if not spread:
        unclear = NO_SPREAD if len(seeds) > 1 else None
    else:
        unclear = NOT_IDENTIFIED if interval is None else None
    return replace(
        judged,
        reason=_join(judged.reason, unclear),
        values=ratios,
        numerator=top.tolist(),
        denominator=bottom.tolist(),
        estimate=estimate,
        interval=interval,
        effect_size=statistics.hedges_g(contrast(centre)),
        p_two_sided=statistics.sign_flip_p(contrast(centre), two_sided=True),
        depth=None
        if estimate is None
        else float(_depth(prediction, lambda bound: np.array([estimate - bound]))[0]),
        spread=spread,
    )


def _judge_depth(
    prediction: OneSided | Within,
    beyond: Callable[[float], NDArray[np.float64]],
    depth: NDArray[np.float64],
    seeds: Sequence[int],
    alpha: float,
) -> Judgement:
    """The verdict and its p values; `beyond(bound)` is value − bound a seed, `depth` the way inside."""
    if isinstance(prediction, Within):
        # Two one-sided tests (Schuirmann 1987); the negation holds on one side or the other, hence the
        # doubling.
        low, high = prediction.bound
        p = max(
            statistics.side_p(beyond(low), inclusive=True), statistics.side_p(-beyond(high), inclusive=True)
        )
        opposite = min(
            statistics.side_p(-beyond(low), inclusive=False), statistics.side_p(beyond(high), inclusive=False)
        )
        p_contradicted = min(1.0, 2 * opposite)
        inclusive = True
    else:
        inclusive = prediction.inclusive
        p = statistics.side_p(depth, inclusive=inclusive)
        p_contradicted = statistics.side_p(-depth, inclusive=not inclusive)
    return _decided(prediction, p, p_contradicted, depth, seeds, alpha, inclusive=inclusive)


def _judge_holds(values: NDArray[np.float64], seeds: Sequence[int], alpha: float) -> Judgement:
    n, k = len(seeds), int(values.sum())
    # Holding in every seed is what is claimed, so one failure leaves no p value that could replicate it.
    p = 2.0**-n if k == n else 1.0
    p_contradicted = statistics.sign_test_p(n - k, n)
    wrong = [seed for seed, value in zip(seeds, values, strict=True) if not value]
    count = f"holds in {k} of {n} seeds" + (f" (not in {_named(wrong)})" if wrong else "")
    if p <= alpha:
        verdict, reason = REPLICATED, None
    elif p_contradicted <= alpha:
        verdict, reason = CONTRADICTED, count
    else:
        verdict, reason = INCONCLUSIVE, _join(count, _too_few(seeds, alpha))
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
        reached=_too_few(seeds, alpha) is None,
    )


def _decided(
    prediction: OneSided | Within,
    p: float,
    p_contradicted: float,
    depth: NDArray[np.float64],
    seeds: Sequence[int],
    alpha: float,
    *,
    inclusive: bool,
) -> Judgement:
    wrong = [seed for seed, d in zip(seeds, depth, strict=True) if (d < 0 if inclusive else d <= 0)]
    reason: str | None = None
    if p <= alpha:
        verdict = REPLICATED
        if wrong:
            reason = f"{_named(wrong)} on the other side"
    elif p_contradicted <= alpha:
        verdict = CONTRADICTED
        where = "every seed" if len(wrong) == len(seeds) else f"{len(wrong)} of {len(seeds)} seeds"
        reason = f"{where} on the other side of “{prediction.text}”"
        if prediction.source == "ours":
            reason = f"{reason}; {OURS}"
    else:
        verdict = INCONCLUSIVE
        reason = _too_few(seeds, alpha)
        if reason is None:
            reason = _why_undecided(wrong, seeds, p, p_contradicted)
    return Judgement(
        verdict,
        reason,
        p_value=p,
        p_contradicted=p_contradicted,
        signs="".join("+" if d > 0 else "-" if d < 0 else "0" for d in depth),
        reached=_too_few(seeds, alpha) is None,
    )


def _why_undecided(wrong: Sequence[int], seeds: Sequence[int], p: float, p_contradicted: float) -> str:
    odds = f"p = {p:.3g}, for the opposite {p_contradicted:.3g}"
    if not wrong:
        return f"every seed on the claimed side, but not far enough ({odds})"
    if len(wrong) == len(seeds):
        # Only a region can be missed by every seed and yet not be contradicted: its p is doubled.
        return f"every seed outside of the region, but too few or on both sides to contradict it ({odds})"
    if len(wrong) * 2 < len(seeds):
        return f"{_named(wrong)} on the other side ({odds})"
    right = [seed for seed in seeds if seed not in wrong]
    return f"only {_named(right)} on the claimed side ({odds})"


def _too_few(seeds: Sequence[int], alpha: float) -> str | None:
    needed = statistics.seeds_needed(alpha)
    return f"needs at least {needed} seeds at this α ({alpha:g})" if len(seeds) < needed else None


def _depth(
    prediction: OneSided | Within, beyond: Callable[[float], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """How far inside the claimed region, negative outside; `beyond(bound)` is value − bound."""
    if isinstance(prediction, Within):
        low, high = prediction.bound
        return np.minimum(beyond(low), -beyond(high))
    return prediction.direction * beyond(prediction.bound)


def _named(seeds: Sequence[int]) -> str:
    """Such as "seeds 1 and 3"; a long list is cut to its first ten, and says so."""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if len(seeds) > 12:
        return f"seeds {', '.join(map(str, seeds[:10]))} and {len(seeds) - 10} more"
    return f"seeds {', '.join(map(str, seeds[:-1]))} and {seeds[-1]}"


def _join(*reasons: str | None) -> str | None:
    return "; ".join(reason for reason in reasons if reason) or None
