"""The procedure: an anchor, two branches cloned from it, and their hold on common batches.

    Anchor ──┬── Branch(below) ── Hold        p0 → p0 + δ → p0 − δ → p0, then p0
             └── Branch(above) ── Hold        p0 → p0 − δ → p0 + δ → p0, then p0

Every run says in its fields all that its training depends on; `protocol.py` chooses the values. Seeds are
trained one at a time: at batch 64 stacking them gains nothing, and so each is kept as soon as it is done. The
batches of a branch or hold are drawn by its method `batches`, which claims about the design use too.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.decoder import Sizes, initial_parameters
from models.training import Adam, State, train
from probes.margin import mean_margin
from pytest_claims import Progress, Store
from tasks.ambiguous_recall import (
    Prompts,
    Task,
    draw_conflict_trials,
    draw_permutation,
    draw_prompts,
    targets,
)
from tasks.generators import generator
from tasks.schedules import Loop

Outputs = Mapping[str, NDArray[np.generic]]
Direction = Literal["below", "above"]
_VECTORS = ("params", "first_moment", "second_moment")
Memory = Literal["params", "first_moment", "second_moment"]

CHUNK = 100
"""Updates whose data are drawn and trained on together. It shapes the anchor's stream of draws."""

LONGEST_HOLD = 100
"""Updates of the longest hold. Shorter ones are its beginning, so they are drawn together."""

SHORT_UPDATES = 10
SHORT_PHASE = 2
"""Length of shortened runs, which the gate replays instead of whole ones."""

COURSE_TRIALS = 512
"""Conflict trials for the margin along a branch or hold: fewer than a claim is judged on, for figures."""


@dataclass(frozen=True)
class Batches:
    """What a run trains on, in order."""

    tokens: Tensor  # [update, trial, position]
    targets: Tensor  # [update, trial]
    levels: tuple[float, ...]  # the mixture, one an update

    def reversed(self) -> "Batches":
        """The same batches in the opposite order."""
        return Batches(self.tokens.flip(0), self.targets.flip(0), self.levels[::-1])

    def exchanged(self, update: int, other: "Batches") -> "Batches":
        """These batches with one of them, its mixture included, taken from `other`."""
        tokens, chosen, levels = self.tokens.clone(), self.targets.clone(), list(self.levels)
        tokens[update], chosen[update] = other.tokens[update], other.targets[update]
        levels[update] = other.levels[update]
        return Batches(tokens, chosen, tuple(levels))

    def multiset(self) -> str:
        """A SHA-256 of the sorted (prompt, target) rows: equal for equal multisets, whatever their order."""
        rows = torch.cat([self.tokens.flatten(0, 1), self.targets.flatten()[:, None]], 1).numpy()
        return hashlib.sha256(np.ascontiguousarray(rows[np.lexsort(rows.T)]).tobytes()).hexdigest()

    def between(self, start: int, stop: int) -> "Batches":
        """The batches of updates start … stop − 1, counted from 0."""
        return Batches(self.tokens[start:stop], self.targets[start:stop], self.levels[start:stop])


@dataclass(frozen=True)
class Anchor:
    """The model trained at the balanced mixture, from which all branches are cloned.

    Attributes:
        task: Sizes of the prompts.
        sizes: Sizes of the decoder.
        optimizer: Adam's coefficients, which branches and holds keep.
        batch: Trials a batch.
        p0: The mixture.
        updates: Length of training, the warm-up included; 0 gives the untrained model.
        device: Where torch trains.
        dtype: Name of torch's floating-point type.
    """

    seeds_at_once: ClassVar[int] = 1
    keeps_checkpoint: ClassVar[bool] = True

    task: Task
    sizes: Sizes
    optimizer: Adam
    batch: int
    p0: float
    updates: int
    device: str = "cpu"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        """Refuse a decoder that does not fit the task."""
        needed = (self.task.vocabulary, self.task.positions)
        if (self.sizes.vocabulary, self.sizes.positions) != needed:
            raise ValueError(f"the task needs vocabulary and positions {needed}, got {self.sizes}")

    @property
    def label(self) -> str:
        """Short name for people."""
        return f"anchor ({self.updates} updates)"

    def permutation(self, seed: int) -> Tensor:
        """The seed's fixed rule, `[key]`."""
        return draw_permutation(self.task, generator(seed, "permutation"))

    def start(self, seed: int, rounding: float = 0.0) -> State:
        """The seed's state before training, every weight times 1 + `rounding` · N(0, 1)."""
        weights = generator(seed, "weights")
        dtype = getattr(torch, self.dtype)
        params = initial_parameters(self.sizes, weights, device=self.device, dtype=dtype)
        if rounding:
            noise = torch.randn(params.shape, generator=generator(seed, "rounding"), dtype=dtype)
            params = params * (1 + rounding * noise.to(self.device))
        return State.start(params)

    def shortened(self) -> "Anchor":
        """The same with its first few updates alone."""
        return replace(self, updates=min(self.updates, SHORT_UPDATES))

    def batches(self, seed: int) -> Iterator[Batches]:
        """What the anchor trains on, `CHUNK` updates at a time."""
        permutation, draws = self.permutation(seed), generator(seed, "anchor")
        for start in range(0, self.updates, CHUNK):
            levels = (self.p0,) * min(CHUNK, self.updates - start)
            yield draw_batches(self, permutation, levels, draws)

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Outputs:
        """`params`, `first_moment`, `second_moment` `[seed, parameter]`, `updates` `[seed]`, `losses`."""

        def one(_place: int, seed: int, advance: Callable[[int], None]) -> Outputs:
            state, losses = self.start(seed, store.rounding), []
            for batches in self.batches(seed):
                losses.append(self.fit(state, batches))
                advance(state.updates)
            return {**_to_arrays(state), "losses": _losses(losses)}

        return _each(seeds, self.updates, progress, one)

    def fit(self, state: State, batches: Batches) -> Tensor:
        """Train `state` in place; the losses `[update]`."""
        tokens, chosen = batches.tokens.to(self.device), batches.targets.to(self.device)
        can_occur = self.task.can_occur().to(self.device)
        return train(state, self.sizes, self.optimizer, tokens, chosen, can_occur=can_occur)


@dataclass(frozen=True)
class Branch:
    """A clone of the anchor taken through a loop of the mixture.

    Attributes:
        anchor: What is cloned: parameters, both moments and the update count.
        loop: The schedule.
        direction: `below` runs the loop as written, `above` the same batches in reversed order.
        draw: Which draw of the loop's data; other draws of one anchor are independent of it.
        course_every: Updates between margins of the `course`; 0 for none.
    """

    seeds_at_once: ClassVar[int] = 1

    anchor: Anchor
    loop: Loop
    direction: Direction
    draw: int = 0
    course_every: int = 0

    def __post_init__(self) -> None:
        """Refuse a direction that does not exist, and a loop about another mixture."""
        if self.direction not in ("below", "above"):
            raise ValueError(f"direction is below or above, not {self.direction!r}")
        if self.loop.p0 != self.anchor.p0:
            raise ValueError(f"the loop starts at {self.loop.p0}, its anchor was trained at {self.anchor.p0}")

    @property
    def label(self) -> str:
        """Short name for people."""
        loop = self.loop
        return (
            f"{self.direction} (δ {loop.delta}, legs of {loop.leg}, settling {loop.settle}, draw {self.draw})"
        )

    def shortened(self) -> "Branch":
        """The same through a loop of every phase, a few updates each, without its course."""
        loop = replace(
            self.loop, leg=min(self.loop.leg, SHORT_PHASE), settle=min(self.loop.settle, SHORT_PHASE)
        )
        return replace(self, loop=loop, draw=min(self.draw, 1), course_every=0)

    def batches(self, seed: int) -> Batches:
        """What the branch trains on."""
        anchor, draws = self.anchor, generator(seed, "loop", self.draw)
        below = draw_batches(anchor, anchor.permutation(seed), tuple(self.loop.levels()), draws)
        return below if self.direction == "below" else below.reversed()

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Outputs:
        """The anchor's arrays after the loop; `fork` `[seed, 32]`, `losses`, `course` if asked for.

        `fork` is a SHA-256 of the complete state just before the first update, and `course` `[seed, point]`
        the margin before it and after every `course_every` updates.
        """
        starts = store.get(self.anchor, seeds)

        def one(place: int, seed: int, advance: Callable[[int], None]) -> Outputs:
            state = _to_state(starts, place, self.anchor)
            fork = digest(state)
            walked = _walk(
                self.anchor, state, self.batches(seed), seed, advance, course_every=self.course_every
            )
            return {**_to_arrays(state), "fork": np.frombuffer(fork, np.uint8), **walked}

        return _each(seeds, self.loop.updates, progress, one)


@dataclass(frozen=True)
class Graft:
    """One part of another branch's state, put in place of a branch's own at the start of its hold.

    Attributes:
        part: Which vector of the state.
        donor: The branch that it comes from, on the same anchor.
        share: 1 replaces the part; 0.5 takes the mean of both, which equalises two branches.
    """

    part: Memory
    donor: Branch
    share: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a part that does not exist and a share outside (0, 1]."""
        if self.part not in _VECTORS:
            raise ValueError(f"part is params, first_moment or second_moment, not {self.part!r}")
        if not 0 < self.share <= 1:
            raise ValueError(f"share must lie in (0, 1], got {self.share}")


@dataclass(frozen=True)
class Hold:
    """Further updates at p0 on batches common to both branches.

    Attributes:
        branch: What is held.
        keep: After how many updates the state is kept, increasing; 0 is the start. The last is the length.
        graft: What is put in place of a part of the branch's state before the first update.
        course_every: Updates between margins of the `course`; 0 for none.
    """

    seeds_at_once: ClassVar[int] = 1

    branch: Branch
    keep: tuple[int, ...]
    graft: Graft | None = None
    course_every: int = 0

    def __post_init__(self) -> None:
        """Refuse a list of updates that does not increase, and a graft from another anchor."""
        if not self.keep or sorted(set(self.keep)) != list(self.keep) or self.keep[0] < 0:
            raise ValueError(f"keep must be increasing update counts, got {self.keep}")
        if self.updates > LONGEST_HOLD:
            raise ValueError(f"a hold has at most {LONGEST_HOLD} updates, got {self.updates}")
        if self.graft is not None and self.graft.donor.anchor != self.branch.anchor:
            raise ValueError("the donor of a graft must stand on the same anchor")

    @property
    def updates(self) -> int:
        """Length of the hold."""
        return self.keep[-1]

    @property
    def label(self) -> str:
        """Short name for people."""
        graft = f" with {self.graft.share:g} of the other's {self.graft.part}" if self.graft else ""
        return f"hold {self.updates}{graft} after {self.branch.label}"

    def shortened(self) -> "Hold":
        """The same after a shortened branch, for a few updates."""
        graft = self.graft and replace(self.graft, donor=self.graft.donor.shortened())
        keep = tuple(range(min(len(self.keep), SHORT_PHASE)))
        return Hold(self.branch.shortened(), keep, graft)

    def batches(self, seed: int) -> Batches:
        """What the hold trains on: the same for both branches of a draw, and for holds of any length."""
        anchor, draws = self.branch.anchor, generator(seed, "hold", self.branch.draw)
        longest = draw_batches(anchor, anchor.permutation(seed), (anchor.p0,) * LONGEST_HOLD, draws)
        return longest.between(0, self.updates)

    def train(self, seeds: tuple[int, ...], store: Store, progress: Progress) -> Outputs:
        """The state at each kept update: `params`, both moments `[seed, kept, parameter]`, `updates`.

        Also `losses` `[seed, update]`, and `course` `[seed, point]` as for a branch.
        """
        starts = store.get(self.branch, seeds)
        donors = store.get(self.graft.donor, seeds) if self.graft else None

        def one(place: int, seed: int, advance: Callable[[int], None]) -> Outputs:
            state = _to_state(starts, place, self.branch.anchor)
            if self.graft is not None and donors is not None:
                donor = _to_state(donors, place, self.branch.anchor)
                part = self.graft.part
                getattr(state, part).lerp_(getattr(donor, part), self.graft.share)
            anchor, batches = self.branch.anchor, self.batches(seed)
            return _walk(
                anchor, state, batches, seed, advance, course_every=self.course_every, keep=self.keep
            )

        return _each(seeds, self.updates, progress, one)


def draw_batches(
    anchor: Anchor, permutation: Tensor, levels: tuple[float, ...], draws: torch.Generator
) -> Batches:
    """Fresh batches at the given mixtures. The prompts depend on the generator alone, never on the levels."""
    drawn = draw_prompts(anchor.task, permutation, len(levels) * anchor.batch, draws)
    shape = (len(levels), anchor.batch)
    prompts = Prompts(drawn.tokens.view(*shape, -1), drawn.contextual.view(shape), drawn.fixed.view(shape))
    return Batches(prompts.tokens, targets(prompts, levels), levels)


def digest(state: State) -> bytes:
    """A SHA-256 of the complete state."""
    vectors = (state.params, state.first_moment, state.second_moment)
    content = b"".join(vector.cpu().numpy().tobytes() for vector in vectors)
    return hashlib.sha256(content + state.updates.to_bytes(8, "big")).digest()


def _walk(
    anchor: Anchor,
    state: State,
    batches: Batches,
    seed: int,
    advance: Callable[[int], None],
    *,
    course_every: int,
    keep: tuple[int, ...] = (),
) -> dict[str, NDArray[np.generic]]:
    """Train `state` in place on `batches`, and collect what is asked for on the way."""
    updates = len(batches.levels)
    course_at = range(0, updates + 1, course_every) if course_every else ()
    stops = sorted({0, updates, *keep, *course_at, *range(0, updates, CHUNK)})
    trials = draw_conflict_trials(
        anchor.task, anchor.permutation(seed), COURSE_TRIALS, generator(seed, "course")
    )
    course, kept, losses = [], [], []
    for stop, following in zip(stops, [*stops[1:], None], strict=True):
        if stop in course_at:
            course.append(mean_margin(state.params, anchor.sizes, trials))
        if stop in keep:
            kept.append(_to_arrays(state))
        if following is not None:
            losses.append(anchor.fit(state, batches.between(stop, following)))
            advance(following)
    outputs = {"losses": _losses(losses)}
    if course_every:
        outputs["course"] = np.array(course)
    if keep:
        outputs |= {name: np.stack([arrays[name] for arrays in kept]) for name in kept[0]}
    return outputs


def _each(
    seeds: tuple[int, ...],
    updates: int,
    progress: Progress,
    one: Callable[[int, int, Callable[[int], None]], Outputs],
) -> Outputs:
    """Train one seed after another with `one(place, seed, advance)`, and stack what each returns."""
    outputs = []
    for place, seed in enumerate(seeds):

        def advance(done: int, before: int = place * updates) -> None:
            progress(before + done, len(seeds) * updates)

        outputs.append(one(place, seed, advance))
    return {name: np.stack([arrays[name] for arrays in outputs]) for name in outputs[0]}


def _to_arrays(state: State) -> dict[str, NDArray[np.generic]]:
    """Copies, so that later updates do not reach them."""
    vectors = {name: getattr(state, name).cpu().numpy().copy() for name in _VECTORS}
    return {**vectors, "updates": np.array(state.updates)}


def _to_state(arrays: Outputs, place: int, anchor: Anchor) -> State:
    params, first, second = (torch.tensor(arrays[name][place], device=anchor.device) for name in _VECTORS)
    return State(params, first, second, int(arrays["updates"][place]))


def _losses(parts: list[Tensor]) -> NDArray[np.generic]:
    return torch.cat(parts).cpu().numpy() if parts else np.zeros(0)
