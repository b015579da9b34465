"""From what training returned to one plain set of arrays a seed, and back to a stack."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Arrays: TypeAlias = dict[str, Array]


def split(result: Mapping[str, Any], seeds: Sequence[int], label: str) -> dict[int, Arrays]:
    """What each seed's entry holds.

    Args:
        result: Name → array or CPU tensor `[seed, …]`, in the order of `seeds`.
        seeds: The seeds that were asked for.
        label: The run's name, for errors.

    Returns:
        Seed → name → array `[…]`, contiguous copies.

    Raises:
        TypeError: Not a mapping from names to numeric arrays.
        ValueError: No arrays, a wrong leading axis, or a value that is not finite.
    """
    if not isinstance(result, Mapping) or not all(isinstance(name, str) for name in result):
        raise TypeError(
            f"{label} returned a {type(result).__name__}, not a mapping from names to arrays [seed, …]"
        )
    if not result:
        raise ValueError(f"{label} returned no arrays")
    stacked = {name: _plain(value, f"{label}: array {name!r}") for name, value in result.items()}
    for name, array in stacked.items():
        if array.ndim == 0 or len(array) != len(seeds):
            raise ValueError(
                f"{label}: array {name!r} has shape {array.shape}, but its first axis is {len(seeds)} seeds"
            )
        _require_finite(array, seeds, name, label)
    return {
        seed: {name: np.array(array[i], order="C") for name, array in stacked.items()}
        for i, seed in enumerate(seeds)
    }


def stack(entries: Sequence[Arrays]) -> Arrays:
    """Name → array `[seed, …]`: fresh copies, so that what a claim does to them reaches no other claim."""
    return {name: np.stack([entry[name] for entry in entries]) for name in entries[0]}


def size(arrays: Arrays) -> int:
    """Bytes that the arrays take in memory."""
    return sum(array.nbytes for array in arrays.values())


def _plain(value: Any, name: str) -> Array:
    if hasattr(value, "detach"):  # a tensor, recognised by what it can do: this package does not import torch
        value = value.detach().cpu().numpy()
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name} has dtype {array.dtype}; only numbers and booleans can be stored")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _require_finite(array: Array, seeds: Sequence[int], name: str, label: str) -> None:
    if array.dtype.kind in "biu":
        return
    for i, seed in enumerate(seeds):
        bad = int(np.count_nonzero(~np.isfinite(array[i])))
        if bad:
            raise ValueError(
                f"{label}: array {name!r} of seed {seed} is not finite in {bad} of {array[i].size} values; "
                "nothing was stored"
            )
