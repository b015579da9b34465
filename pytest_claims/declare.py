"""How a claim is declared: the paper, what it chose, what it printed, and the criterion that judges it.

Whatever can be wrong with a declaration is refused here, when the file is imported, before anything trains.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pytest_claims.predictions import Prediction

KINDS = ("reported", "design", "extension")
SOURCES = ("paper", "ours")
ATTRIBUTE = "__claim__"
"""The attribute of a test function that holds its `Claim`."""

_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_Test = TypeVar("_Test", bound=Callable[..., object])


@dataclass(frozen=True)
class Choice:
    """One choice of the protocol.

    Attributes:
        name: What was chosen: ``"updates a leg"``.
        value: The value, a text, number or truth value.
        source: ``"paper"`` if the paper states it, ``"ours"`` if it had to be chosen.
    """

    name: str
    value: str | int | float | bool
    source: str

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise ValueError(f"choice {self.name!r}: source is 'paper' or 'ours', not {self.source!r}")
        if not isinstance(self.value, str | int | float) or not _finite(self.value):
            raise ValueError(
                f"choice {self.name!r}: a value is a finite number, a text or a bool, not {self.value!r}"
            )


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The work whose claims are tested.

    Attributes:
        key: Short name, first half of every claim's id: lower-case letters and digits, ``zuo2026``.
        title: As printed.
        authors: As printed.
        year: Of publication.
        url: Where to read it.
        licence: Under which it may be quoted.
        protocol: Every choice of the procedure, stated by the paper or made here.
        caveat: One sentence that the report repeats beside the paper's claims.
    """

    key: str
    title: str
    authors: str
    year: int
    url: str | None = None
    licence: str | None = None
    protocol: Sequence[Choice] = ()
    caveat: str | None = None

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key):
            raise ValueError(f"paper key {self.key!r}: use lower-case letters, digits and single hyphens")
        object.__setattr__(self, "protocol", tuple(self.protocol))

    def to_json(self) -> dict[str, Any]:
        """Return the paper as it stands in the report."""
        return {
            "key": self.key,
            "title": self.title,
            "authors": self.authors,
            "year": self.year,
            "url": self.url,
            "licence": self.licence,
            "protocol": [{"name": c.name, "value": c.value, "source": c.source} for c in self.protocol],
            "caveat": self.caveat,
        }


@dataclass(frozen=True)
class Reported:
    """What the paper printed for a claim; shown beside the measured value, never judged against.

    Attributes:
        value: The number.
        unit: Its unit.
        seeds: How many seeds it rests on.
        p_value: The p value printed with it.
        text: For what is no number: ``"near zero"``.
    """

    value: float | None = None
    unit: str | None = None
    seeds: int | None = None
    p_value: float | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if self.value is None and self.text is None:
            raise ValueError("Reported() says nothing: give a value or a text")
        for name in ("value", "p_value"):
            if not _finite(getattr(self, name)):
                raise ValueError(f"Reported: {name} is {getattr(self, name)}; it must be finite")

    def to_json(self) -> dict[str, Any]:
        """Return the reported result as it stands in the report."""
        return {
            "value": self.value,
            "unit": self.unit,
            "seeds": self.seeds,
            "p_value": self.p_value,
            "text": self.text,
        }


@dataclass(frozen=True)
class Claim:
    """What a test function claims, as declared; see `claim`.

    Attributes:
        paper: Whose claim.
        statement: The sentence.
        kind: ``"reported"``, ``"design"`` or ``"extension"``.
        predicts: The criterion; a mapping for the parts of `Parts`; None for a design claim.
        reported: What the paper printed.
        seeds: More seeds than the default, None for the default.
        controls: Pairs of a fixture and the fixture that replaces it, in declared order.
        unit: Of the measured values.
        tolerance: How far the mean may move before the gate calls it a change.
    """

    paper: Paper
    statement: str
    kind: str
    predicts: Prediction | Mapping[str, Prediction] | None
    reported: Reported | None
    seeds: int | None
    controls: tuple[tuple[str, str], ...]
    unit: str | None
    tolerance: float = 0.0


def claim(
    paper: Paper,
    statement: str,
    *,
    predicts: Prediction | Mapping[str, Prediction] | None = None,
    reported: Reported | None = None,
    kind: str = "reported",
    seeds: int | None = None,
    controls: Mapping[str, str | Sequence[str]] | None = None,
    unit: str | None = None,
    tolerance: float = 0.0,
) -> Callable[[_Test], _Test]:
    """Declare that a test function measures a claim.

    The function returns what it measured and is judged by the plugin; it asserts nothing.

    Args:
        paper: Whose claim it is.
        statement: The claim in one sentence.
        predicts: What the measurement must show; for `Parts` a prediction for each name. Absent for a design
            claim.
        reported: What the paper printed.
        kind: ``"reported"`` by the paper, ``"design"`` (an exact property of the experiment; the function
            returns a bool) or ``"extension"`` (goes beyond the paper).
        seeds: Asks for more seeds than the default.
        controls: For a fixture of the function the fixture, or the fixtures, that replace it by one where the
            effect is absent by construction. Each is one control: the function is called again with that one
            fixture replaced.
        unit: Unit of the measured values; that of `reported` if absent.
        tolerance: How far the mean may move between two versions of the code, in that unit, before the gate
            calls it a change. What rounding alone moves is always allowed.

    Raises:
        ValueError: The declaration is incomplete or contradicts itself; the message names the function.
    """

    def attach(function: _Test) -> _Test:
        name = getattr(function, "__name__", repr(function))
        try:
            declared = Claim(
                paper=paper,
                statement=_statement(statement),
                kind=_kind(kind),
                predicts=_predictions(predicts, kind),
                reported=reported,
                seeds=_seeds(seeds),
                controls=_controls(controls or {}, function),
                unit=unit if unit is not None or reported is None else reported.unit,
                tolerance=_tolerance(tolerance),
            )
            if hasattr(function, ATTRIBUTE):
                raise ValueError("is declared twice; a function is one claim")
        except ValueError as error:
            raise ValueError(f"claim {name}: {error}") from None
        setattr(function, ATTRIBUTE, declared)
        return function

    return attach


def claim_of(function: object) -> Claim | None:
    """Return what a test function claims, None if it is an ordinary test."""
    found = getattr(function, ATTRIBUTE, None)
    return found if isinstance(found, Claim) else None


def slug(function_name: str) -> str:
    """Turn a function's name into the second half of its claim's id: ``test_no_gap`` becomes ``no-gap``."""
    return function_name.removeprefix("test_").replace("_", "-")


def _statement(statement: str) -> str:
    if not isinstance(statement, str) or not statement.strip():
        raise ValueError("has no statement; write the claim as a sentence")
    return statement


def _kind(kind: str) -> str:
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is none of {', '.join(KINDS)}")
    return kind


def _predictions(
    predicts: Prediction | Mapping[str, Prediction] | None, kind: str
) -> Prediction | Mapping[str, Prediction] | None:
    if kind == "design":
        if predicts is not None:
            raise ValueError("a design claim returns a bool and predicts nothing; remove predicts=")
        return None
    if predicts is None:
        raise ValueError("predicts nothing; say what it must show, such as predicts=Exceeds(0.0)")
    if not isinstance(predicts, Mapping):
        _require_prediction("predicts", predicts)
        return predicts
    if not predicts:
        raise ValueError("predicts= is empty; name a prediction for each part")
    for name, prediction in predicts.items():
        _require_prediction(f"predicts[{name!r}]", prediction)
    return MappingProxyType(dict(predicts))


def _require_prediction(where: str, prediction: object) -> None:
    # Imported here: a paper.py that only cites needs none of it.
    from pytest_claims.predictions import Prediction

    if not isinstance(prediction, Prediction):
        raise ValueError(f"{where} is {prediction!r}, not a prediction such as Exceeds(0.0)")


def _seeds(seeds: int | None) -> int | None:
    if seeds is not None and (isinstance(seeds, bool) or not isinstance(seeds, int) or seeds < 1):
        raise ValueError(f"seeds={seeds!r}; ask for at least one seed")
    return seeds


def _tolerance(tolerance: float) -> float:
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        raise ValueError(f"tolerance={tolerance!r} is no number")
    if not math.isfinite(tolerance) or tolerance < 0:
        raise ValueError(f"tolerance={tolerance!r}; it must be finite and at least 0")
    return float(tolerance)


def _controls(
    controls: Mapping[str, str | Sequence[str]], function: Callable[..., object]
) -> tuple[tuple[str, str], ...]:
    pairs = [
        (fixture, replacement)
        for fixture, replacements in controls.items()
        for replacement in ([replacements] if isinstance(replacements, str) else replacements)
    ]
    arguments = inspect.signature(function).parameters
    for fixture, replacement in pairs:
        if fixture not in arguments:
            raise ValueError(f"controls replace the fixture {fixture!r}, which the function does not use")
        if fixture == replacement:
            raise ValueError(f"the control {replacement!r} replaces itself")
    names = [replacement for _, replacement in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two controls are called {name!r}")
    return tuple(pairs)


def _finite(value: object) -> bool:
    return not isinstance(value, float) or math.isfinite(value)
