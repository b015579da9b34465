"""What comes of judging a measurement: the verdict, and every number that stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_claims.predictions import Prediction

REPLICATED, CONTRADICTED, INCONCLUSIVE = "replicated", "contradicted", "inconclusive"


@dataclass(frozen=True)
class Judgement:
    """What a measurement says about a prediction.

    Attributes:
        verdict: "replicated", "contradicted" or "inconclusive".
        reason: Why, in words; None where the numbers say it all.
        values: One a seed; for a ratio numerator / denominator, None where the denominator is 0.
        depth: How far the estimate lies beyond the bound on the claimed side, in the measurement's unit; for
            a region the way to its nearer edge, for `Holds` the share of seeds above one half; None for Parts
            and for design claims, which have no size.
        effect_size: Hedges g_z of value − bound, for a region of value − its middle.
        p_value: For Parts the largest, for a ratio at least that of its denominator.
        p_contradicted: Of the negation; for Parts the smallest, unadjusted: one contradicted part decides.
        p_two_sided: The sign-flip p of a difference from the bound, or from the middle of a region.
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
