"""What the store is asked to have: a run or a measurement, over seeds, with the key of each."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from pytest_claims.store import keys
from pytest_claims.store.entries import FORMAT
from pytest_claims.store.fingerprint import Fingerprints, Source
from pytest_claims.store.progress import Progress

Compute = Callable[[tuple[int, ...], Progress], Mapping[str, Any]]
Prepare = Callable[[tuple[int, ...]], tuple[int, ...]]


class Run(Protocol):
    """A frozen dataclass that says everything its training depends on.

    A run held in one of its fields is trained before it; its `train` gets the arrays from the store.

    It may also have `label` (a short name for people, by default the class's name) and `seeds_at_once` (a
    class attribute: the most seeds that one call of `train` gets; 1 for runs that gain nothing from training
    seeds together).
    """

    def train(self, seeds: tuple[int, ...], store: Any, progress: Progress) -> Mapping[str, Any]:
        """Name → array `[seed, …]`, each seed's part independent of which seeds are beside it."""


@dataclass(frozen=True)
class Work:
    """A run or a measurement over seeds.

    Attributes:
        kind: `run` or `measurement`.
        name: The class or function, module-qualified: where its entries lie.
        label: Its short name for people.
        fields: What was asked of it, as plain JSON.
        source: The code that makes it.
        keys: Seed → key.
        at_once: The most seeds to make together, None for any number.
        compute: Makes the arrays `[seed, …]` of some seeds.
        prepare: Makes this worker's share of what the missing seeds need; says which have all they need.
        extra: What else the provenance tells.
    """

    kind: str
    name: str
    label: str
    fields: Any
    source: Source
    keys: dict[int, str]
    at_once: int | None
    compute: Compute
    prepare: Prepare
    extra: dict[str, Any] = field(default_factory=dict)


def label_of(run: Run) -> str:
    """A run's short name."""
    return str(getattr(run, "label", type(run).__name__))


def inputs_of(run: Run) -> list[Run]:
    """The runs that a run holds in its fields, not those that these hold in turn."""
    return [found for _, value in keys.fields_of(run) for found in _runs_in(value)]


def _runs_in(value: object) -> Iterator[Run]:
    if isinstance(value, tuple):
        for item in value:
            yield from _runs_in(item)
    elif keys.is_frozen(value) and callable(getattr(value, "train", None)):
        yield cast(Run, value)
    elif keys.is_frozen(value):
        for _, item in keys.fields_of(value):
            yield from _runs_in(item)


def of_run(
    run: Run,
    seeds: Sequence[int],
    fingerprints: Fingerprints,
    *,
    compute: Compute,
    prepare: Prepare,
    rounding: float = 0.0,
) -> Work:
    """The work of training a run; measurements on it inherit its rounding through its keys.

    Raises:
        TypeError: Not a frozen dataclass with `train`, or a field that no key can hold.
    """
    name = type(run).__qualname__
    if not keys.is_frozen(run) or not callable(getattr(run, "train", None)):
        raise TypeError(
            f"{name} is not a run: a run is an instance of a frozen dataclass with a train method"
        )
    at_once = getattr(run, "seeds_at_once", None)
    if at_once is not None and (not isinstance(at_once, int) or at_once < 1):
        raise ValueError(f"{name}.seeds_at_once is {at_once!r}, not a positive number of seeds")
    content = keys.canonical(run, name)
    source = fingerprints.of(cls.__module__ for cls in keys.classes(run))
    return Work(
        kind="run",
        name=keys.class_name(type(run), name),
        label=label_of(run),
        fields=keys.readable(run),
        source=source,
        keys=_keys(
            {"kind": "run", "run": content} | ({"rounding": rounding} if rounding else {}),
            source,
            {seed: [] for seed in seeds},
        ),
        at_once=at_once,
        compute=compute,
        prepare=prepare,
    )


def of_measurement(
    function: Callable[..., Any],
    runs: Sequence[Work],
    plain: Mapping[str, object],
    fingerprints: Fingerprints,
    *,
    compute: Compute,
    prepare: Prepare,
) -> Work:
    """The work of measuring trained runs.

    Args:
        function: A function at the top level of a module.
        runs: What it is given, over the same seeds.
        plain: Its further arguments.
        fingerprints: Reads the function's source.
        compute: Calls it.
        prepare: Makes a share of the runs.

    Raises:
        TypeError: Not such a function, or an argument that no key can hold.
    """
    if not inspect.isfunction(function):
        raise TypeError(f"{function!r} is not a plain function, so its name does not say what it measures")
    name = keys.class_name(function, "the measurement")
    content = {
        "kind": "measurement",
        "function": name,
        "plain": {key: keys.canonical(value, f"{name}({key}=…)") for key, value in plain.items()},
    }
    modules = {function.__module__} | {
        cls.__module__ for value in plain.values() for cls in keys.classes(value)
    }
    own = fingerprints.of(modules)
    source = own
    for run in runs:
        source |= run.source
    fields = {
        "arguments": {key: keys.readable(value) for key, value in plain.items()},
        "of": runs[0].fields if len(runs) == 1 else [run.fields for run in runs],
    }
    return Work(
        kind="measurement",
        name=name,
        label=f"{function.__name__} of {', '.join(run.label for run in runs)}",
        fields=fields,
        source=source,
        keys=_keys(content, own, {seed: [run.keys[seed] for run in runs] for seed in runs[0].keys}),
        at_once=None,
        compute=compute,
        prepare=prepare,
        extra={"runs": [run.label for run in runs]},
    )


def _keys(content: Any, source: Source, inputs: Mapping[int, list[str]]) -> dict[int, str]:
    """The key of each seed, from everything that its result depends on."""
    shared = {
        **content,
        "format": FORMAT,
        "source": keys.digest(source.files),
        "versions": source.versions,
    }
    return {seed: keys.digest({**shared, "seed": seed, "inputs": used}) for seed, used in inputs.items()}
