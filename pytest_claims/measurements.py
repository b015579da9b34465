"""What a claim test returns: one value a seed, a ratio of two such, or several named parts.

The training seed is the unit of replication, so nothing here has a second axis: what was averaged over trials
or over test items was averaged by the probe.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


LARGEST = 1e300
"""Beyond it an interval could overflow: nothing that large is a measurement."""


class MeasurementError(ValueError):
    """What a claim returned cannot be judged: the wrong shape, the wrong type, or not finite."""


class Values:
    """One value a seed, with the data of its figure.

    Args:
        values: Anything that converts to one number a seed: list, tuple, array, tensor.
        series: Plain data for the claim's figure.
    """

    def __init__(self, values: object, series: Mapping[str, Any] | None = None) -> None:
        self.values = values
        self.series = series


class Ratio:
    """A pooled ratio: a numerator and a denominator a seed, judged on numerator − bound · denominator.

    Args:
        numerator: One number a seed.
        denominator: One number a seed, in the same order.
        series: Plain data for the claim's figure.
    """

    def __init__(
        self, numerator: object, denominator: object, series: Mapping[str, Any] | None = None
    ) -> None:
        self.numerator = numerator
        self.denominator = denominator
        self.series = series


class Parts:
    """Several measurements under names, for a claim that holds only when all of its parts do.

    Args:
        series: Plain data for the claim's figure.
        parts: The measurements, each one value a seed or a `Ratio`.
    """

    def __init__(self, series: Mapping[str, Any] | None = None, **parts: object) -> None:
        self.series = series
        self.parts = parts


@dataclass(frozen=True)
class PlainValues:
    """One finite number (or bool) a seed `[seed]`."""

    values: NDArray[np.float64]
    boolean: bool = False
    series: Any = None


@dataclass(frozen=True)
class PlainRatio:
    """Two finite numbers a seed, each `[seed]`."""

    numerator: NDArray[np.float64]
    denominator: NDArray[np.float64]
    series: Any = None


@dataclass(frozen=True)
class PlainParts:
    """Named measurements."""

    parts: Mapping[str, PlainValues | PlainRatio] = field(default_factory=dict)
    series: Any = None


Plain = PlainValues | PlainRatio | PlainParts


def normalise(measurement: object, seeds: Sequence[int]) -> Plain:
    """Turn what a claim returned into plain finite numbers.

    Args:
        measurement: `Values`, `Ratio`, `Parts`, or anything that converts to one number a seed.
        seeds: The seeds in their order; messages name them.

    Returns:
        The same as plain data.

    Raises:
        MeasurementError: It has another length than `seeds`, is not numeric, or anything in it is not finite.
    """
    if not isinstance(measurement, Parts):
        return _normalise_part("", measurement, seeds)
    if not measurement.parts:
        raise MeasurementError("Parts without a part")
    parts = {
        name: _normalise_part(f"part {name!r}: ", part, seeds) for name, part in measurement.parts.items()
    }
    # A part's series stays under its name, beside those of the whole.
    whole = plain_series(measurement.series, "")
    if whole is not None and not isinstance(whole, dict):
        raise MeasurementError("the series of Parts is a mapping: its parts' series stand beside it by name")
    series = dict(whole or {})
    series |= {name: part.series for name, part in parts.items() if part.series is not None}
    return PlainParts(parts, series or None)


def _normalise_part(where: str, measurement: object, seeds: Sequence[int]) -> PlainValues | PlainRatio:
    """As `normalise`, for anything but Parts; `where` starts the messages."""
    if isinstance(measurement, Parts):
        raise MeasurementError(f"{where}has parts of its own; name them all in one Parts")
    own = isinstance(measurement, Values | Ratio)
    series = plain_series(getattr(measurement, "series", None), where) if own else None
    if isinstance(measurement, Ratio):
        numerator, _ = _one_a_seed(f"{where}numerator: ", measurement.numerator, seeds)
        denominator, _ = _one_a_seed(f"{where}denominator: ", measurement.denominator, seeds)
        return PlainRatio(numerator, denominator, series)
    values = measurement.values if isinstance(measurement, Values) else measurement
    numbers, boolean = _one_a_seed(where, values, seeds)
    return PlainValues(numbers, boolean, series)


def plain_series(series: object, where: str) -> Any:
    """Copy a figure's data as strict JSON data: arrays and tensors become lists.

    Raises:
        MeasurementError: Something in it is not finite, or is no plain data.
    """
    if series is None or isinstance(series, bool | str):
        return series
    if isinstance(series, Mapping):
        return {str(key): plain_series(value, f"{where}series {key!r}: ") for key, value in series.items()}
    if isinstance(series, list | tuple):
        return [plain_series(value, where) for value in series]
    if isinstance(series, int | float):
        if not math.isfinite(series):
            raise MeasurementError(f"{where}{series} in the series is not finite")
        return series
    array = _array(series)
    if array is None or array.dtype.kind not in "biuf":
        raise MeasurementError(f"{where}{type(series).__name__} in the series is no plain data")
    return plain_series(array.tolist(), where)


def _one_a_seed(where: str, values: object, seeds: Sequence[int]) -> tuple[NDArray[np.float64], bool]:
    """The values as numbers `[seed]`, and whether they were all booleans."""
    if isinstance(values, str | bytes | Mapping):
        raise MeasurementError(f"{where}{type(values).__name__} is not one number a seed")
    array = _array(values)
    if array is None or array.dtype.kind not in "biuf":
        raise MeasurementError(f"{where}{type(values).__name__} does not convert to one number a seed")
    if array.ndim == 0 and len(seeds) > 1:
        raise MeasurementError(f"{where}one number for {len(seeds)} seeds; return one a seed, not their mean")
    if array.shape not in ((len(seeds),), (len(seeds), 1)) and not (array.ndim == 0 and len(seeds) == 1):
        raise MeasurementError(f"{where}shape {list(array.shape)} is not one number a seed, [{len(seeds)}]")
    numbers = _as_float64(array).reshape(len(seeds))
    for what, refused in (
        ("not finite", ~np.isfinite(numbers)),
        ("too large to judge", abs(numbers) > LARGEST),
    ):
        bad = [f"seed {seeds[int(i)]}: {numbers[i]}" for i in np.flatnonzero(refused)]
        if bad:
            raise MeasurementError(f"{where}{what} at {', '.join(bad)}")
    return numbers, array.dtype.kind == "b"


def _as_float64(array: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers in double precision.

    One in a shorter format is read as the shortest decimal that it stands for. Its binary expansion would
    put a float32 accuracy of 0.95 just below the bound 0.95.
    """
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        return np.array([float(str(value)) for value in array.ravel()])
    with np.errstate(over="ignore"):  # What overflows becomes infinite, and is refused as such.
        return array.astype(np.float64)


def _array(values: object) -> NDArray[Any] | None:
    """An array, from anything that numpy or a tensor's own methods can turn into one."""
    detach = getattr(values, "detach", None)
    if callable(detach):  # A tensor may need gradients or lie on a device; numpy would refuse both.
        values = detach().cpu().numpy()
    if isinstance(values, list | tuple):
        # Element by element, so that a list of tensors (one a seed) converts too.
        values = [item.item() if _is_scalar_tensor(item) else item for item in values]
    if np.ma.is_masked(values):  # numpy would hand out what the mask hides.
        return None
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        return None


def _is_scalar_tensor(item: object) -> bool:
    # numpy's own numbers stay as they are: `item()` would hide how many digits they have.
    return hasattr(item, "item") and not isinstance(item, np.generic) and np.ndim(item) == 0  # type: ignore[arg-type]
