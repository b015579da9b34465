"""What carries the gap, as a claim reads it: mean replacement and activation patching in both branches."""

from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from claims.history_dependence import protocol
from claims.history_dependence.causal import replacement_margins, route_maps
from claims.history_dependence.histories import Histories

Floats = NDArray[np.float64]
Replaced = Literal["without_heads", "without_mlps"]
SIZES_OF_TASK = {"task": protocol.TASK, "sizes": protocol.SIZES}


@dataclass(frozen=True)
class Attenuation:
    """The gap with and without parts of the model at the query position, the mean over all loop draws."""

    histories: Histories

    def gap(self) -> Floats:
        """The gap of the whole model at hold 0, `[seed]`."""
        return np.mean([self._gaps(draw)["whole"] for draw in self._draws()], axis=0)

    def carried(self, replaced: Replaced) -> Floats:
        """The gap less the gap with the parts mean-replaced, `[seed]`."""
        return self.gap() - np.mean([self._gaps(draw)[replaced] for draw in self._draws()], axis=0)

    def series(self) -> dict[str, object]:
        """Shares of the gap that each part carries, for figures; the details are of the first draw."""
        first, whole = self._gaps(0), self._gaps(0)["whole"]
        return {
            "heads": self.carried("without_heads") / self.gap(),
            "mlps": self.carried("without_mlps") / self.gap(),
            "layers": 1 - first["without_layer"] / whole[:, None],
            "single_heads": 1 - first["without_head"] / whole[:, None, None],
            "contextual_logit": first["contextual"] / whole,
            "fixed_logit": -first["fixed"] / whole,
        }

    def head_effects(self) -> tuple[Floats, Floats]:
        """Margin less the margin without a head, in both branches, `[seed, layer, head]` each."""
        ways = self._margins(0)
        below, above = (way["whole"][:, None, None] - way["without_head"] for way in ways)
        return below, above

    def _draws(self) -> range:
        return range(self.histories.draws)

    def _gaps(self, draw: int) -> dict[str, Floats]:
        below, above = self._margins(draw)
        return {name: below[name] - above[name] for name in below}

    def _margins(self, draw: int) -> list[dict[str, Floats]]:
        return [
            self.histories.store.measure(
                replacement_margins,
                branch,
                self.histories.seeds,
                trials=protocol.ATTENUATION_TRIALS,
                reference_trials=protocol.REFERENCE_TRIALS,
                each_head=draw == 0,
                in_replay={"trials": protocol.REPLAY_TRIALS, "reference_trials": protocol.REPLAY_TRIALS},
                **SIZES_OF_TASK,
            )
            for branch in self.histories.ways()[draw]
        ]


@dataclass(frozen=True)
class Maps:
    """A patching map of both branches, `[seed, layer, position]` or `[seed, layer, head]` each."""

    below: Floats
    above: Floats

    def correlation(self) -> Floats:
        """Over all coordinates, `[seed]`."""
        pairs = zip(self.below, self.above, strict=True)
        return np.array([np.corrcoef(below.ravel(), above.ravel())[0, 1] for below, above in pairs])

    def gain(self) -> Floats:
        """The least-squares slope of the map from below on the map from above, `[seed]`."""
        pairs = zip(self.below, self.above, strict=True)
        return np.array([np.polyfit(above.ravel(), below.ravel(), 1)[0] for below, above in pairs])

    def across_seeds(self) -> "Maps":
        """From above of the next seed in place of one's own."""
        return Maps(self.below, np.roll(self.above, -1, axis=0))

    def with_heads_matched(self) -> "Maps":
        """From above with its heads renamed, layer by layer, so that the maps agree best.

        Heads of different seeds have no common names, so comparing them by number would be unfair.
        """
        matched = [_match(below, above) for below, above in zip(self.below, self.above, strict=True)]
        return Maps(self.below, np.stack(matched))

    def series(self) -> dict[str, object]:
        """Both maps, as a figure's data."""
        return {"below": self.below, "above": self.above}


def residual_and_head_maps(histories: Histories) -> tuple[Maps, Maps]:
    """The maps over (layer, position) and over (layer, head) of the first draw's branches at hold 0."""
    below, above = (
        histories.store.measure(
            route_maps,
            branch,
            histories.seeds,
            trials=protocol.MARGIN_TRIALS,
            in_replay={"trials": protocol.REPLAY_TRIALS},
            **SIZES_OF_TASK,
        )
        for branch in histories.ways()[0]
    )
    return Maps(below["residual"], above["residual"]), Maps(below["heads"], above["heads"])


def _match(below: Floats, above: Floats) -> Floats:
    """The heads of a layer, `[layer, head]`, in the order that leaves the least squared difference."""
    orders = [list(order) for order in permutations(range(below.shape[1]))]
    rows = [
        min((there[order] for order in orders), key=lambda row, here=here: float(((here - row) ** 2).sum()))
        for here, there in zip(below, above, strict=True)
    ]
    return np.stack(rows)
