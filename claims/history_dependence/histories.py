"""The two histories of one protocol, as a claim reads them: the margins of both branches, seed by seed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claims.history_dependence import protocol
from claims.history_dependence.experiment import Anchor, Branch, Graft, Hold, Memory
from claims.history_dependence.measurements import conflict_margin
from pytest_claims import Store
from tasks.schedules import Loop

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Histories:
    """Both branches of a loop and their holds, trained and measured when asked for.

    Attributes:
        store: Where runs and measurements come from.
        seeds: The training seeds.
        loop: The schedule.
        keep: Updates of the hold at which there is a margin.
        draws: Loops an anchor, independent of each other; a seed's gap is the mean over them.
        course_every: Updates between the points of the courses; 0 where no figure needs them.
        offset: Added to every gap; only a control plants one.
        anchor: What the branches are cloned from.
    """

    store: Store
    seeds: Sequence[int]
    loop: Loop
    keep: tuple[int, ...] = (0,)
    draws: int = 1
    course_every: int = 0
    offset: float = 0.0
    anchor: Anchor = protocol.ANCHOR

    def gap(self, updates: int) -> Floats:
        """Margin from below − margin from above after `updates` of the hold, in logits, `[seed]`."""
        gaps = [self._margin(below, updates) - self._margin(above, updates) for below, above in self.ways()]
        return np.mean(gaps, axis=0) + self.offset

    def equalised_gap(self, part: Memory, updates: int) -> Floats:
        """The gap after `updates` of a hold that starts with a part of both states replaced by its mean."""
        (below, above) = self.ways()[0]
        ends = [
            self._margin(way, updates, Graft(part, other, share=0.5))
            for way, other in ((below, above), (above, below))
        ]
        return ends[0] - ends[1]

    def hold_course(self, part: Memory | None = None) -> list[list[float]]:
        """The gap over the hold `[seed][point]`, a part equalised at its start if one is named."""
        below, above = self.ways()[0]
        courses = [
            self.store.get(self._hold(way, Graft(part, other, share=0.5) if part else None), self.seeds)[
                "course"
            ]
            for way, other in ((below, above), (above, below))
        ]
        return (courses[0] - courses[1]).tolist()

    def courses(self) -> dict[str, object]:
        """The margins along loop and hold, as a figure's data; margins are `[seed][point]`.

        `updates` counts from the fork, `levels` is the mixture from below, an update each.
        """
        below, above = self.ways()[0]
        margins = {"below": self._course(below), "above": self._course(above)}
        points = len(margins["below"][0])
        return {
            "seeds": list(self.seeds),
            "updates": [self.course_every * point for point in range(points)],
            "hold_starts": self.loop.updates,
            "levels": self.loop.levels(),
            "p0": self.loop.p0,
            **margins,
        }

    def ways(self) -> list[tuple[Branch, Branch]]:
        """The branches from below and from above of every draw. Only the first has a course."""
        return [
            protocol.branches(
                self.loop,
                anchor=self.anchor,
                draw=draw,
                course_every=0 if draw else self.course_every,
            )
            for draw in range(self.draws)
        ]

    def _hold(self, branch: Branch, graft: Graft | None = None) -> Hold:
        return Hold(branch, self.keep, graft, course_every=self.course_every)

    def _margin(self, branch: Branch, updates: int, graft: Graft | None = None) -> Floats:
        # A branch is its own hold of no updates.
        run = branch if self.keep == (0,) and graft is None else self._hold(branch, graft)
        margins = self.store.measure(
            conflict_margin,
            run,
            self.seeds,
            task=protocol.TASK,
            sizes=protocol.SIZES,
            trials=protocol.MARGIN_TRIALS,
            in_replay={"trials": protocol.REPLAY_TRIALS},
        )
        return margins if run is branch else margins[:, self.keep.index(updates)]

    def _course(self, branch: Branch) -> list[list[float]]:
        """The loop's course and the hold's, whose first point is the loop's last."""
        loop = self.store.get(branch, self.seeds)["course"]
        hold = self.store.get(self._hold(branch), self.seeds)["course"]
        return np.concatenate([loop, hold[:, 1:]], axis=1).tolist()
