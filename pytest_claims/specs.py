"""Runs and measurements as plain data, and back: what the baseline keeps to replay them without any test."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_claims.store import keys

Json = Any


class SpecError(Exception):
    """A run or measurement of the baseline that the present code cannot make. The message says why."""


@dataclass(frozen=True)
class Measurement:
    """A measurement to replay.

    Attributes:
        function: What measures.
        runs: What it is given: one run, or a tuple of them.
        plain: Its further arguments, with those for a replay in place.
    """

    function: Callable[..., Any]
    runs: Any
    plain: Mapping[str, Any]


def of_run(run: Any) -> Json:
    """A run as plain data."""
    return {"run": keys.canonical(run, type(run).__qualname__)}


def of_measurement(
    function: Callable[..., Any], runs: Any, plain: Mapping[str, Any], in_replay: Mapping[str, Any]
) -> Json:
    """A measurement as plain data, with the arguments that a replay takes.

    Raises:
        TypeError: An argument for replays that the measurement does not have.
    """
    unknown = set(in_replay) - set(plain)
    if unknown:
        raise TypeError(f"in_replay names {sorted(unknown)}, which {function.__name__} is not given")
    taken = {**plain, **in_replay}
    return {
        "measure": keys.class_name(function, "the measurement"),
        "runs": keys.canonical(runs, "the measured run"),
        "plain": {
            name: keys.canonical(value, f"{function.__name__}({name}=…)") for name, value in taken.items()
        },
    }


def name(spec: Json) -> str:
    """A short name for people, without importing anything."""
    if "run" in spec:
        return str(spec["run"]["class"]).rpartition(".")[2]
    runs = spec["runs"] if isinstance(spec["runs"], list) else [spec["runs"]]
    classes = ", ".join(str(run["class"]).rpartition(".")[2] for run in runs)
    return f"{str(spec['measure']).rpartition('.')[2]} of {classes}"


def load(spec: Json) -> Any:
    """The run, or the `Measurement`, that a spec stands for.

    Raises:
        SpecError: The code has no such class or function any more, or it takes other fields.
    """
    if "run" in spec:
        return _value(spec["run"])
    plain = {name: _value(value) for name, value in spec["plain"].items()}
    return Measurement(_named(spec["measure"]), _value(spec["runs"]), plain)


def _value(data: Json) -> Any:
    """The inverse of `keys.canonical`."""
    if isinstance(data, list):
        return tuple(_value(item) for item in data)
    if not isinstance(data, Mapping):
        return data
    if "float" in data:
        return float.fromhex(data["float"])
    cls = _named(data["class"])
    try:
        return cls(**{name: _value(value) for name, value in data["fields"].items()})
    except (TypeError, ValueError) as error:
        raise SpecError(f"{data['class']} cannot be made as it was: {error}") from None


def _named(name: str) -> Any:
    """A class or function by its module-qualified name; a class within a class is not looked for."""
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SpecError(f"{name} is gone: {error}") from None
