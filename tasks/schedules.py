"""Triangular mixture schedules: the share of contextual targets, update by update.

    from below   p0 → p0 + δ → p0 − δ → p0        from above   p0 → p0 − δ → p0 + δ → p0

A loop has four linear legs of equal length between settling updates at p0. Its levels are the midpoints of
the steps of the ramp, so that the loop is exactly antisymmetric about p0: the way from above is the way from
below in reversed order. From above runs the very batches of from below in reversed order, so the two ways see
the same multiset of (prompt, target) rows, the same exposure and the same number of updates.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Loop:
    """A loop of the mixture about the balance.

    Attributes:
        delta: Largest distance from p0; 0 is an excursion that goes nowhere.
        leg: Updates in each of the four legs.
        settle: Updates at p0 before the first leg, and again after the last.
        p0: The balance.
    """

    delta: float
    leg: int
    settle: int = 0
    p0: float = 0.5

    def __post_init__(self) -> None:
        """Refuse a loop that leaves [0, 1] or has no legs."""
        if abs(self.delta) > min(self.p0, 1 - self.p0):
            raise ValueError(f"p0 ± delta must stay in [0, 1], got {self.p0} ± {self.delta}")
        if self.leg < 1 or self.settle < 0:
            raise ValueError(f"need leg ≥ 1 and settle ≥ 0, got {self}")

    @property
    def updates(self) -> int:
        """Length of the loop."""
        return 4 * self.leg + 2 * self.settle

    def levels(self) -> list[float]:
        """The mixture from below, one level an update."""
        up = [self.delta * (step + 0.5) / self.leg for step in range(self.leg)]
        away = [*up, *reversed(up)]
        rest = [0.0] * self.settle
        return [self.p0 + shift for shift in (*rest, *away, *(-shift for shift in away), *rest)]
