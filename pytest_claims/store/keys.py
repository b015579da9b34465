"""Canonical data: the same run gives the same bytes in every process, and different runs different ones.

A value is encoded as JSON with sorted keys. What JSON would merge is kept apart: a float is written as its
exact hexadecimal form (so 1.0 is not 1, and -0.0 is not 0.0), a frozen dataclass carries its module-qualified
class name. Everything whose content or order could depend on the process (sets, dictionaries, callables,
arrays, objects) is refused by name.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""Plain JSON data."""


def canonical(value: object, where: str) -> Json:
    """JSON data that stands for `value` and for no other value.

    Args:
        value: A bool, int, float, string, None, tuple of these, or a frozen dataclass whose fields are these.
        where: What to call the value in an error, such as `Anchor`.

    Raises:
        TypeError: A type that has no canonical form; the message names the field.
        ValueError: A float that is not a number, which equals nothing, not even itself.
    """
    # Exact types: a subclass (numpy.float64, IntEnum) may behave differently in training and yet look equal.
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        if math.isnan(value):
            raise ValueError(f"{where} is NaN, which no key can hold")
        return {"float": value.hex()}
    if type(value) is tuple:
        return [canonical(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if is_frozen(value):
        return {
            "class": class_name(type(value), where),
            "fields": {name: canonical(item, f"{where}.{name}") for name, item in fields_of(value)},
        }
    raise TypeError(
        f"{where} is a {type(value).__module__}.{type(value).__qualname__}, which no key can hold: use bool, "
        "int, float, str, None, a tuple or a frozen dataclass of these (for numpy scalars: float(x), int(x))"
    )


def readable(value: object) -> Json:
    """The same value as plain JSON for people, once `canonical` has accepted it."""
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, tuple):
        return [readable(item) for item in value]
    if is_frozen(value):
        named = {name: readable(item) for name, item in fields_of(value)}
        return {"class": class_name(type(value), "value"), **named}
    return value


def classes(value: object) -> Iterator[type]:
    """Every dataclass within `value`: their methods may take part in training, wherever they were written."""
    if isinstance(value, tuple):
        for item in value:
            yield from classes(item)
    elif is_frozen(value):
        yield type(value)
        for _, item in fields_of(value):
            yield from classes(item)


def is_frozen(value: object) -> bool:
    """Whether `value` is an instance of a frozen dataclass."""
    params = getattr(type(value), "__dataclass_params__", None)
    return params is not None and bool(params.frozen)


def fields_of(value: object) -> list[tuple[str, object]]:
    """Field names and values of a dataclass instance."""
    return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]  # type: ignore[arg-type]


def class_name(thing: Any, where: str) -> str:
    """The module-qualified name of a class or function that lives at module level.

    Raises:
        TypeError: It has no such name, so its name would not say which code it is, nor what it captured.
    """
    name = getattr(thing, "__qualname__", None)
    if name is None or "<" in name:
        raise TypeError(
            f"{where}: {name or thing!r} must be at the top level of a module, so that its name identifies it"
        )
    return f"{thing.__module__}.{name}"


def dumps(data: Json) -> str:
    """Canonical JSON text: sorted keys, no spaces, plain ASCII, nothing that is not JSON."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(data: Json) -> str:
    """The SHA-256 of canonical JSON, in hexadecimal."""
    return hashlib.sha256(dumps(data).encode()).hexdigest()


def flatten(data: Json, name: str = "") -> dict[str, str]:
    """Readable data as one text a leaf (`anchor.lr` → `0.001`), for comparing two runs field by field."""
    if isinstance(data, Mapping):
        pairs = [(f"{name}.{key}" if name else str(key), item) for key, item in data.items()]
    elif isinstance(data, list) and any(isinstance(item, Mapping) for item in data):
        pairs = [(f"{name}[{i}]", item) for i, item in enumerate(data)]
    else:
        return {name: json.dumps(data)}
    return {leaf: text for key, item in pairs for leaf, text in flatten(item, key).items()}
