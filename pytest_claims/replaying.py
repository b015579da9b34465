"""Replays: a run's first updates and each measurement, made again in seconds and compared with the baseline.

Retraining absorbs some faults: with the attention's scale off by a tenth a model still learns its task, and
every result stays where it was. The same updates from the same state give it away at once.

A run is replayed as `run.shortened()`, if it has that, else whole. What it starts from is the checkpoint that
the baseline keeps (of runs whose class says `keeps_checkpoint`), else its own input shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytest_claims import specs
from pytest_claims.store import keys, work
from pytest_claims.store.arrays import Arrays

SEED = 0
"""The seed that is replayed."""

ROUNDING = 1e-7
"""Relative size of the noise that stands for rounding, about that of single precision."""

TOLERANCE = 1e-4
"""A larger relative difference is another computation, unless rounding alone makes as much."""

TWINS = 5
"""Differences up to so many times that of the rounding twin are rounding."""

NEGLIGIBLE = 1e-12
"""Differences up to this are double precision's own, whatever the numbers: sums that cancel to nothing."""

WHOLE = 64
"""Arrays of up to so many numbers are kept whole, larger ones as a few numbers that depend on all."""

BUDGET = 2**20
"""Bytes of checkpoints beside a baseline: half of the 2 MiB that all its replays may take."""

Summary = dict[str, list[float]]


class ReplayStore:
    """Stands in for the store while a replay trains: nothing is read from or written to disk.

    Args:
        checkpoints: Digest of a run → its arrays of one seed.
        rounding: See `Store`.
    """

    def __init__(self, checkpoints: Mapping[str, Arrays], rounding: float = 0.0) -> None:
        self.rounding = rounding
        self._checkpoints = checkpoints
        self._made: dict[str, Arrays] = {}

    def get(self, run: Any, seeds: Sequence[int]) -> Arrays:
        """What a run starts from: a checkpoint, or a shortened run."""
        digest = keys.digest(specs.of_run(run))
        if digest in self._checkpoints:
            return {name: self._rounded(array) for name, array in self._checkpoints[digest].items()}
        return self.train(run, seeds)

    def train(self, run: Any, seeds: Sequence[int]) -> Arrays:
        """The shortened run, trained once."""
        short = _shortened(run)
        digest = keys.digest(specs.of_run(short))
        if digest not in self._made:
            found = short.train(tuple(seeds), self, _no_progress)
            self._made[digest] = {name: np.asarray(array) for name, array in found.items()}
        return {name: array.copy() for name, array in self._made[digest].items()}

    def measure(self, function: Callable[..., Any], run: Any, seeds: Sequence[int], **plain: Any) -> Any:
        """A measurement on what `get` gives."""
        plain.pop("in_replay", None)
        short = {name: _shortened(value) for name, value in plain.items()}
        runs = run if isinstance(run, tuple) else (run,)
        found = tuple(self.get(one, seeds) for one in runs)
        return function(found if isinstance(run, tuple) else found[0], tuple(seeds), **short)

    def _rounded(self, array: NDArray[Any]) -> NDArray[Any]:
        if not self.rounding or array.dtype.kind != "f":
            return array.copy()
        noise = np.random.default_rng(0).standard_normal(array.shape)
        return np.asarray(array * (1 + self.rounding * noise), dtype=array.dtype)


def replay(
    wanted: Mapping[str, Any], checkpoints: Mapping[str, Arrays], *, rounding: float = 0.0
) -> dict[str, Summary | str]:
    """Replay runs and measurements.

    Args:
        wanted: Digest → spec.
        checkpoints: See `ReplayStore`.
        rounding: Size of the noise on what training starts from.

    Returns:
        Digest → what came out, or a sentence where the present code could not make it.
    """
    store = ReplayStore(checkpoints, rounding)
    return {digest: _outcome(store, spec) for digest, spec in wanted.items()}


def _outcome(store: ReplayStore, spec: Any) -> Summary | str:
    try:
        asked = specs.load(spec)
        if isinstance(asked, specs.Measurement):
            made = store.measure(asked.function, asked.runs, (SEED,), **asked.plain)
            return _summary(made if isinstance(made, Mapping) else {"value": made})
        return _summary(store.train(asked, (SEED,)))
    except specs.SpecError as error:
        return str(error)
    except Exception as error:  # whatever the changed code raises is what changed
        return f"{type(error).__name__}: {error}"


def _summary(arrays: Mapping[str, Any]) -> Summary:
    """What is compared of arrays. Bytes (checksums) say nothing about how far two runs are apart."""
    found = {}
    for name, value in arrays.items():
        array = np.asarray(value)
        if array.dtype.kind not in "fiub" or array.dtype == np.uint8:
            continue
        flat = array.astype(np.float64).ravel()
        if flat.size > WHOLE:
            lots = np.random.default_rng(0).standard_normal(flat.size)
            flat = np.array([flat.mean(), np.sqrt((flat**2).mean()), flat @ lots / np.sqrt(flat.size)])
        found[name] = flat.tolist()
    return found


def distance(one: Summary, other: Summary) -> float:
    """The largest relative difference of any array: in it, as a share of its largest number."""
    if one.keys() != other.keys():
        return float("inf")
    return max((_apart(np.array(one[name]), np.array(other[name])) for name in one), default=0.0)


def _apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    if one.shape != other.shape or not (np.isfinite(one).all() and np.isfinite(other).all()):
        return float("inf")
    largest = float(np.abs(one - other).max(initial=0.0))
    scale = float(max(np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0)))
    return largest / scale if largest > NEGLIGIBLE else 0.0


def allowed(base: Summary, twin: Summary) -> float:
    """How far a replay may be from the baseline's: as far as rounding makes it, and at least `TOLERANCE`."""
    return max(TOLERANCE, TWINS * distance(base, twin))


def short_spec(spec: Any) -> Any:
    """The spec of what is replayed in a spec's place; specs that are replayed alike have the same.

    A spec that the code cannot make stands for itself.
    """
    try:
        asked = specs.load(spec)
    except specs.SpecError:
        return spec
    if not isinstance(asked, specs.Measurement):
        return specs.of_run(_shortened(asked))
    plain = {name: _shortened(value) for name, value in asked.plain.items()}
    return specs.of_measurement(asked.function, _shortened(asked.runs), plain, {})


def _shortened(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_shortened(item) for item in value)
    return value.shortened() if hasattr(value, "shortened") else value


def runs_of(spec: Any) -> list[Any]:
    """All runs that a run or measurement rests on, those that start others first; a run itself included."""
    try:
        asked = specs.load(spec)
    except specs.SpecError:
        return []
    runs = asked.runs if isinstance(asked, specs.Measurement) else asked
    found: list[Any] = []
    for run in runs if isinstance(runs, tuple) else (runs,):
        _collect(run, found)
    return found


def _collect(run: Any, found: list[Any]) -> None:
    for inner in work.inputs_of(run):
        _collect(inner, found)
    if run not in found:
        found.append(run)


def keepers(wanted: Iterable[Any]) -> dict[str, Any]:
    """Digest → run, of all runs in the specs that keep a checkpoint, in the order met."""
    # What is short already can be trained when it is needed.
    return {
        keys.digest(specs.of_run(run)): run
        for spec in wanted
        for run in runs_of(spec)
        if getattr(run, "keeps_checkpoint", False) and _shortened(run) != run
    }


def _no_progress(_done: int, _total: int) -> None:
    """Nobody watches a replay."""
