"""The fixtures of the paper's claims: each is one condition of the experiment, and beside it its control."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from claims.history_dependence import protocol
from claims.history_dependence.circuits import Attenuation, Maps, residual_and_head_maps
from claims.history_dependence.experiment import (
    Anchor,
    Batches,
    Branch,
    Memory,
    digest,
    draw_batches,
)
from claims.history_dependence.histories import Histories
from claims.history_dependence.paper import REPORTED_GAP
from models.decoder import Sizes
from models.training import State
from pytest_claims import Store
from tasks.ambiguous_recall import contextual_count
from tasks.generators import generator
from tasks.schedules import Loop

Sampler = Callable[[int, float], Tensor]
Ways = Callable[[int], tuple[Batches, Batches]]

# The histories of every protocol --------------------------------------------------------------------------


@pytest.fixture
def histories(store: Store, seeds: Sequence[int]) -> Histories:
    """The primary protocol, held for 100 updates."""
    return Histories(store, seeds, protocol.SETTLED, keep=protocol.HOLDS, course_every=protocol.COURSE_EVERY)


@pytest.fixture
def histories_without_excursion(store: Store, seeds: Sequence[int]) -> Histories:
    """The same data in the same two orders, but δ = 0: there is no history to depend on."""
    return Histories(store, seeds, protocol.NO_EXCURSION, keep=protocol.HOLDS)


@pytest.fixture
def plain_ramp_histories(store: Store, seeds: Sequence[int]) -> Histories:
    """Another reading of the paper's schedule: no settling updates."""
    return Histories(store, seeds, protocol.PLAIN_RAMP)


@pytest.fixture
def paper_sized_histories(store: Store, seeds: Sequence[int]) -> Histories:
    """The reading whose gap was seen near the reported size, over independent loop draws."""
    return Histories(store, seeds, protocol.PAPER_SIZED, draws=protocol.PAPER_SIZED_DRAWS)


@pytest.fixture
def histories_by_leg(store: Store, seeds: Sequence[int], histories: Histories) -> dict[int, Histories]:
    """The primary protocol and its slower loops, by the length of a leg."""
    slower = (protocol.SLOWER_4X, protocol.SLOWER_8X)
    return {
        protocol.SETTLED.leg: histories,
        **{loop.leg: Histories(store, seeds, loop, keep=protocol.HOLDS) for loop in slower},
    }


@pytest.fixture
def histories_by_leg_with_offset(histories_by_leg: dict[int, Histories]) -> dict[int, Histories]:
    """The same, with a gap of the reported size that nothing relaxes planted in every loop."""
    return {leg: replace(one, offset=REPORTED_GAP) for leg, one in histories_by_leg.items()}


@pytest.fixture
def updates_held() -> int:
    """The end of the longest hold."""
    return protocol.HOLDS[-1]


@pytest.fixture
def no_updates_held() -> int:
    """The start of the hold, where the gap has not relaxed."""
    return 0


@pytest.fixture
def histories_without_momentum(store: Store, seeds: Sequence[int]) -> Histories:
    """The primary protocol with beta1 = 0 throughout."""
    return Histories(store, seeds, protocol.SETTLED, anchor=protocol.WITHOUT_MOMENTUM)


@pytest.fixture
def histories_by_dose(store: Store, seeds: Sequence[int], histories: Histories) -> list[Histories]:
    """The primary protocol at every δ of the dose response."""
    loops = [replace(protocol.SETTLED, delta=dose) for dose in protocol.DOSES]
    return [histories if loop == histories.loop else Histories(store, seeds, loop) for loop in loops]


@pytest.fixture
def doses(seeds: Sequence[int]) -> NDArray[np.float64]:
    """The δ of every measured gap, `[seed, dose]`."""
    return np.tile(protocol.DOSES, (len(seeds), 1))


@pytest.fixture
def shuffled_doses(seeds: Sequence[int], doses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same in an order of each seed's own."""
    rows = zip(seeds, doses, strict=True)
    return np.stack([np.random.default_rng(seed).permutation(row) for seed, row in rows])


@pytest.fixture
def first_moment() -> Memory:
    """The part of a state that momentum lives in."""
    return "first_moment"


@pytest.fixture
def second_moment() -> Memory:
    """The part of a state that scales the steps."""
    return "second_moment"


@pytest.fixture
def parameters() -> Memory:
    """The part of a state that answers."""
    return "params"


# What carries the gap -------------------------------------------------------------------------------------


@pytest.fixture
def attenuation(histories: Histories) -> Attenuation:
    """Mean replacement on the primary protocol, over independent loop draws."""
    return Attenuation(replace(histories, draws=protocol.ATTENUATION_DRAWS))


@pytest.fixture
def heads_replaced() -> str:
    """All heads of both layers at the query position."""
    return "without_heads"


@pytest.fixture
def mlps_replaced() -> str:
    """Both MLPs at the query position."""
    return "without_mlps"


@pytest.fixture
def head_effects(attenuation: Attenuation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Single heads' replacement effects in both branches, `[seed, layer, head]`."""
    return attenuation.head_effects()


@pytest.fixture
def head_effects_across_seeds(attenuation: Attenuation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same, from above of the next seed."""
    below, above = attenuation.head_effects()
    return below, np.roll(above, -1, axis=0)


@pytest.fixture
def residual_maps(histories: Histories) -> Maps:
    """Patching effects over (layer, position)."""
    return residual_and_head_maps(histories)[0]


@pytest.fixture
def residual_maps_across_seeds(residual_maps: Maps) -> Maps:
    """Branches of two different seeds."""
    return residual_maps.across_seeds()


@pytest.fixture
def residual_maps_without_excursion(histories_without_excursion: Histories) -> Maps:
    """The maps where δ = 0."""
    return residual_and_head_maps(histories_without_excursion)[0]


@pytest.fixture
def head_maps(histories: Histories) -> Maps:
    """Patching effects over (layer, head) at the query position."""
    return residual_and_head_maps(histories)[1]


@pytest.fixture
def head_maps_across_seeds(head_maps: Maps) -> Maps:
    """Branches of two different seeds, heads matched as well as they can be."""
    return head_maps.across_seeds().with_heads_matched()


# The anchor -----------------------------------------------------------------------------------------------


@pytest.fixture
def anchor() -> Anchor:
    """The model that all branches are cloned from."""
    return protocol.ANCHOR


@pytest.fixture
def untrained() -> Anchor:
    """The same model before its first update."""
    return protocol.UNTRAINED


@pytest.fixture
def sizes() -> Sizes:
    """The decoder's sizes."""
    return protocol.SIZES


@pytest.fixture
def sizes_of_a_single_layer() -> Sizes:
    """A decoder of another shape."""
    return replace(protocol.SIZES, layers=1, heads=2)


# What the two branches share by design --------------------------------------------------------------------


@pytest.fixture
def ways() -> Ways:
    """The batches on which a seed's two branches train, from below and from above."""
    below, above = protocol.branches(protocol.SETTLED)
    return lambda seed: (below.batches(seed), above.batches(seed))


@pytest.fixture
def ways_with_a_batch_exchanged(ways: Ways) -> Ways:
    """The same, but at its extreme mixture the way from above takes a batch from the way from below."""
    extreme = protocol.SETTLED.settle + protocol.SETTLED.leg

    def exchanged(seed: int) -> tuple[Batches, Batches]:
        below, above = ways(seed)
        return below, above.exchanged(extreme, below)

    return exchanged


def _ages(store: Store, seeds: Sequence[int], loops: tuple[Loop, Loop]) -> tuple[list[int], list[int]]:
    below, above = (protocol.branches(loop)[way] for way, loop in enumerate(loops))
    return store.get(below, seeds)["updates"].tolist(), store.get(above, seeds)["updates"].tolist()


@pytest.fixture
def ages(store: Store, seeds: Sequence[int]) -> tuple[list[int], list[int]]:
    """The optimizer's update counts at the end of both branches, `[seed]` each."""
    return _ages(store, seeds, (protocol.PLAIN_RAMP, protocol.PLAIN_RAMP))


@pytest.fixture
def ages_with_one_way_settled(store: Store, seeds: Sequence[int]) -> tuple[list[int], list[int]]:
    """The same, but only the way from above has settling updates."""
    return _ages(store, seeds, (protocol.PLAIN_RAMP, protocol.NO_EXCURSION))


def _forks(store: Store, seeds: Sequence[int], keep_moments: bool) -> list[tuple[bytes, bytes, bytes]]:
    """Digests of a seed's anchor and of both branches' states before their first update."""
    anchors = store.get(protocol.ANCHOR, seeds)
    ways: list[Branch] = list(protocol.branches(protocol.PLAIN_RAMP))
    forks = [store.get(way, seeds)["fork"] for way in ways]
    found = []
    for place in range(len(seeds)):
        state = State(
            torch.tensor(anchors["params"][place]),
            torch.tensor(anchors["first_moment"][place]) * keep_moments,
            torch.tensor(anchors["second_moment"][place]) * keep_moments,
            int(anchors["updates"][place]),
        )
        found.append((digest(state), forks[0][place].tobytes(), forks[1][place].tobytes()))
    return found


@pytest.fixture
def forks(store: Store, seeds: Sequence[int]) -> list[tuple[bytes, bytes, bytes]]:
    """The complete state of a seed's anchor and of both branches at the fork, as digests."""
    return _forks(store, seeds, keep_moments=True)


@pytest.fixture
def forks_without_moments(store: Store, seeds: Sequence[int]) -> list[tuple[bytes, bytes, bytes]]:
    """The same against an anchor that has lost Adam's moments."""
    return _forks(store, seeds, keep_moments=False)


@pytest.fixture
def sampler() -> Sampler:
    """Draws a seed's training prompts at a mixture, from the same generator state at every mixture."""

    def draw(seed: int, p_icl: float) -> Tensor:
        anchor = protocol.ANCHOR
        permutation = anchor.permutation(seed)
        return draw_batches(anchor, permutation, (p_icl,) * 4, generator(seed, "anchor")).tokens

    return draw


@pytest.fixture
def leaking_sampler() -> Sampler:
    """Draws the trials of each rule apart, so that the prompts depend on how many follow which."""

    def draw(seed: int, p_icl: float) -> Tensor:
        anchor, draws = protocol.ANCHOR, generator(seed, "anchor")
        permutation = anchor.permutation(seed)
        contextual = contextual_count(p_icl, anchor.batch)
        counts = [count for count in (contextual, anchor.batch - contextual) if count]
        parts = [replace(anchor, batch=count) for count in counts]
        drawn = [draw_batches(part, permutation, (p_icl,) * 4, draws).tokens for part in parts]
        return torch.cat(drawn, dim=1)

    return draw
