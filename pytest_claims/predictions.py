"""What a claim says that the measurement will show: a bound, and the side of it.

    Exceeds(0.0)                          every measured seed's value is expected above 0
    AtLeast(0.80, source="ours")          the threshold is ours; the paper names none
    Within(-0.05, 0.05, source="ours")    equivalence
    Holds()                               true in every seed

A prediction is fixed before the seeds are opened and never moved afterwards. Each says its `kind` (its name
in registries and reports), its `bound` (a number, `[low, high]`, or None), whose threshold it is (`source`:
the paper's, or ours where the paper names none) and `text`, all of it in a few characters.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

Source = Literal["paper", "ours"]


@dataclass(frozen=True)
class OneSided:
    """A bound and the side of it on which the values are expected.

    Raises:
        ValueError: The bound is not finite, or the source is neither "paper" nor "ours".
    """

    bound: float
    source: Source = "paper"

    kind: ClassVar[str]
    symbol: ClassVar[str]
    direction: ClassVar[int]
    """+1 where larger values are claimed, -1 where smaller ones are."""
    inclusive: ClassVar[bool]
    """Whether a value equal to the bound is on the claimed side."""

    def __post_init__(self) -> None:
        """Refuse what cannot be judged."""
        _require_finite(type(self).__name__, self.bound)
        _require_source(type(self).__name__, self.source)
        # An int and a float must register as the same criterion.
        object.__setattr__(self, "bound", float(self.bound))

    @property
    def text(self) -> str:
        """Such as "> 0" or "≥ 0.8 (ours)"."""
        return f"{self.symbol} {_written(self.bound)}{_whose(self.source)}"


class Exceeds(OneSided):
    """The values lie above the bound; a value equal to it does not count."""

    kind, symbol, direction, inclusive = "exceeds", ">", 1, False


class Below(OneSided):
    """The values lie below the bound; a value equal to it does not count."""

    kind, symbol, direction, inclusive = "below", "<", -1, False


class AtLeast(OneSided):
    """The values lie above the bound or on it."""

    kind, symbol, direction, inclusive = "at_least", "≥", 1, True


class AtMost(OneSided):
    """The values lie below the bound or on it."""

    kind, symbol, direction, inclusive = "at_most", "≤", -1, True


@dataclass(frozen=True)
class Within:
    """The values lie between two bounds, or on one of them.

    Raises:
        ValueError: A bound is not finite, `low` is not below `high`, or the source is neither "paper" nor
            "ours".
    """

    low: float
    high: float
    source: Source = "paper"

    kind: ClassVar[str] = "within"
    inclusive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse what cannot be judged."""
        _require_finite("Within", self.low)
        _require_finite("Within", self.high)
        if not self.low < self.high:
            raise ValueError(f"Within({self.low}, {self.high}): the lower bound must lie below the upper one")
        _require_source("Within", self.source)

    @property
    def bound(self) -> list[float]:
        """Both bounds, the lower one first."""
        return [float(self.low), float(self.high)]

    @property
    def text(self) -> str:
        """Such as "within ±0.0488 (ours)" or "within 0.1 to 0.4"."""
        symmetric = self.low == -self.high
        region = f"±{_written(self.high)}" if symmetric else f"{_written(self.low)} to {_written(self.high)}"
        return f"within {region}{_whose(self.source)}"


@dataclass(frozen=True)
class Holds:
    """Something is true in every seed."""

    source: Source = "paper"

    kind: ClassVar[str] = "holds"

    def __post_init__(self) -> None:
        """Refuse an unknown source."""
        _require_source("Holds", self.source)

    @property
    def bound(self) -> None:
        """There is none."""
        return

    @property
    def text(self) -> str:
        """The prediction in words."""
        return f"holds in every seed{_whose(self.source)}"


Prediction = OneSided | Within | Holds


def _written(bound: float) -> str:
    """All digits of a bound and no more: a criterion is never rounded."""
    short = f"{bound:g}"
    return short if float(short) == bound else repr(float(bound))


def _whose(source: Source) -> str:
    return " (ours)" if source == "ours" else ""


def _require_finite(name: str, bound: object) -> None:
    # A bool is an int to Python, but True is no bound.
    if isinstance(bound, bool) or not isinstance(bound, int | float) or not math.isfinite(bound):
        raise ValueError(f"{name}: the bound {bound!r} is not a finite number")


def _require_source(name: str, source: object) -> None:
    if source not in ("paper", "ours"):
        raise ValueError(f'{name}: source={source!r}; whose threshold is it, "paper" or "ours"?')
