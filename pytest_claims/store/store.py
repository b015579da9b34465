"""The store as claims see it: trained runs and measurements on them, made once and kept."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_claims import specs
from pytest_claims.store import arrays, folder, keys, work
from pytest_claims.store.arrays import Array, Arrays
from pytest_claims.store.fill import PATIENCE, Filler
from pytest_claims.store.fingerprint import Fingerprints
from pytest_claims.store.locks import Locks
from pytest_claims.store.memory import CAPACITY, Memory
from pytest_claims.store.misses import Misses
from pytest_claims.store.progress import Progress, Reporter
from pytest_claims.store.seeds import checked
from pytest_claims.store.work import Run, Work

BARE = "__array__"
"""The name under which a measurement that is one array is stored."""


@dataclass
class Seen:
    """What was asked of the store during a while.

    Attributes:
        runs: Labels of the runs asked for, measured or not, in order of first use. What a training asks for
            is not listed, so that the list is the same whether or not anything was trained.
        sources: Source file → digest of its code, of all that was asked for.
        asked: Digest → the run or measurement as plain data, see `pytest_claims.specs`.
        trained: Entries that this process trained.
        measured: Entries that this process measured.
    """

    runs: list[str] = field(default_factory=list)
    asked: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    trained: int = 0
    measured: int = 0


class Store:
    """Trained runs and measurements, one entry a seed, under a key of everything they depend on.

    Args:
        root: The store's folder.
        project_root: The folder whose sources count in the keys.
        workers: How many processes share this store in this session.
        announce: Takes each line that a person should read: why something is missing, that nothing can be
            written.
        worker: This process's name, such as `gw0`.
        scratch: A folder shared by this session's workers, where they tell their progress; None for a process
            alone.
        patience: Seconds to wait for another worker's training.
        rounding: Size of the relative noise on initial weights, 0 for none. It is part of every key. The gate
            trains such twins to see what rounding alone does to a result; a run applies it in `train`.

    Attributes:
        rounding: As given.
        trained: Entries that this process trained.
        measured: Entries that this process measured.
    """

    def __init__(
        self,
        root: Path,
        *,
        project_root: Path,
        workers: int = 1,
        announce: Callable[[str], object] = print,
        worker: str = "main",
        scratch: Path | None = None,
        patience: float = PATIENCE,
        rounding: float = 0.0,
    ) -> None:
        root = Path(root).resolve()
        problem = folder.prepare(root)
        self._root = root
        self._announce = announce
        self._fingerprints = Fingerprints(Path(project_root))
        self._watchers: list[Seen] = []
        self._depth = 0
        self.rounding = rounding
        self.trained = 0
        self.measured = 0
        self._filler = Filler(
            folder=folder.entries_folder(root),
            locks=Locks(folder.locks_folder(root) if problem is None else None, worker),
            memory=Memory(CAPACITY if problem is None else None),
            reporter=Reporter(scratch, worker),
            misses=Misses(folder.entries_folder(root), announce, scratch / "told" if scratch else None),
            workers=max(1, workers),
            patience=patience,
            made=self._count,
            lost=self._lost,
            writable=problem is None,
        )
        if problem is not None:
            self._lost(problem)

    def get(self, run: Run, seeds: Sequence[int]) -> Arrays:
        """A trained run, from the store or trained now.

        Args:
            run: A frozen dataclass with `train`.
            seeds: The seeds, in the order wanted.

        Returns:
            Name → array `[seed, …]`, copies that the caller may change.

        Raises:
            TypeError: Not a run, a field that no key can hold, or arrays that no entry can.
            ValueError: Training returned something not finite, or not one part a seed.
        """
        found = self._get(run, checked(seeds), note=True)
        self._ask(specs.of_run(run))
        return found

    def measure(
        self,
        function: Callable[..., Any],
        run: Run | tuple[Run, ...],
        seeds: Sequence[int],
        *,
        in_replay: Mapping[str, Any] | None = None,
        **plain: Any,
    ) -> Any:
        """A measurement on trained runs, from the store or made now; on a hit the runs are not even read.

        Args:
            function: Called as `function(arrays, seeds, **plain)` with the run's arrays (a tuple of them for
                a tuple of runs). It returns an array `[seed, …]`, or a mapping from names to such arrays.
            run: The run, or a tuple of runs.
            seeds: The seeds, in the order wanted.
            in_replay: What of `plain` the gate replaces when it replays the measurement, to be quick. It has
                no part in the result, nor in the key.
            plain: Further arguments, of the kinds that a run's fields may have.

        Returns:
            What the function returns, as numpy arrays `[seed, …]`.

        Raises:
            TypeError: Not a function at the top level of a module, or an argument that no key can hold.
            ValueError: It returned something not finite, or not one part a seed.
        """
        wanted = checked(seeds)
        runs = run if isinstance(run, tuple) else (run,)
        if not runs:
            raise ValueError("no run was given to measure")
        works = [self._work(each, wanted) for each in runs]
        self._note(works)

        def compute(some: tuple[int, ...], _progress: Progress) -> Mapping[str, Any]:
            found = tuple(self._get(each, some, note=False) for each in runs)
            with self._inside():
                result = function(found if isinstance(run, tuple) else found[0], some, **plain)
            return result if isinstance(result, Mapping) else {BARE: result}

        asked = work.of_measurement(
            function,
            works,
            plain,
            self._fingerprints,
            compute=compute,
            prepare=self._prepare(runs),
        )
        result = self._stack(asked, wanted)
        if not self._depth:
            for seen in self._watchers:
                seen.sources |= asked.source.files
        self._ask(specs.of_measurement(function, run, plain, in_replay or {}))
        return result[BARE] if set(result) == {BARE} else result

    def sources(self, modules: Sequence[str]) -> dict[str, str]:
        """Source file → digest of its code, of some modules and all that they import inside the project.

        A module that lies elsewhere is passed over.
        """
        found: dict[str, str] = {}
        for module in modules:
            with contextlib.suppress(ValueError):
                found |= self._fingerprints.of([module]).files
        return found

    @contextlib.contextmanager
    def watch(self) -> Iterator[Seen]:
        """Count what happens meanwhile."""
        seen = Seen()
        self._watchers.append(seen)
        try:
            yield seen
        finally:
            self._watchers = [other for other in self._watchers if other is not seen]

    def _get(self, run: Run, wanted: tuple[int, ...], *, note: bool) -> Arrays:
        asked = self._work(run, wanted)
        if note:
            self._note([asked])
        return self._stack(asked, wanted)

    def _work(self, run: Run, wanted: tuple[int, ...]) -> Work:
        def compute(some: tuple[int, ...], progress: Progress) -> Mapping[str, Any]:
            with self._inside():
                return run.train(some, self, progress)

        prepare = self._prepare(work.inputs_of(run))
        return work.of_run(
            run, wanted, self._fingerprints, compute=compute, prepare=prepare, rounding=self.rounding
        )

    def _prepare(self, inputs: Sequence[Run]) -> work.Prepare:
        def prepare(missing: tuple[int, ...]) -> tuple[int, ...]:
            ready = missing
            for run in inputs:
                filled = self._filler.fill(self._work(run, missing), wait=False)
                ready = tuple(seed for seed in ready if seed in filled)
            return ready

        return prepare

    def _stack(self, asked: Work, wanted: tuple[int, ...]) -> dict[str, Array]:
        filled = self._filler.fill(asked)
        return arrays.stack([filled[seed] for seed in wanted])

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        """While training or measuring: what is asked for then belongs to it, not to the claim."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _note(self, works: Sequence[Work]) -> None:
        if self._depth:
            return
        for seen in self._watchers:
            seen.runs += [asked.label for asked in works if asked.label not in seen.runs]
            for asked in works:
                seen.sources |= asked.source.files

    def _ask(self, spec: Any) -> None:
        if not self._depth:
            for seen in self._watchers:
                seen.asked.setdefault(keys.digest(spec), spec)

    def _count(self, asked: Work, _seed: int) -> None:
        if asked.kind == "run":
            self.trained += 1
        else:
            self.measured += 1
        for seen in self._watchers:
            if asked.kind == "run":
                seen.trained += 1
            else:
                seen.measured += 1

    def _lost(self, reason: str) -> None:
        self._announce(
            f"the store {self._root} cannot be written ({reason}): "
            "results are kept in memory, and lost at the end of this run"
        )
