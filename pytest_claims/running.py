"""Run one claim: measure, judge, measure its controls, and put it all into one row of plain data.

Nothing here knows how tests are collected or where the row goes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pytest_claims.declare import Claim


class ClaimError(Exception):
    """What a claim returned is no measurement. The message says what is wrong; a traceback would add none."""


class Measure(Protocol):
    """Calls the claim's function."""

    def __call__(self, replace: tuple[str, str] | None = None) -> object:
        """Return the measurement; for a control, made with one fixture replaced by another."""


def run_claim(
    declared: Claim,
    declaration: Mapping[str, Any],
    seeds: Sequence[int],
    measure: Measure,
    *,
    controls: bool = True,
) -> dict[str, Any]:
    """Measure and judge a claim and its controls.

    Args:
        declared: The claim.
        declaration: The same as plain data.
        seeds: The seeds that it is measured over.
        measure: Calls its function.
        controls: Whether to measure its controls too.

    Returns:
        The claim's row: its declaration, the judgement, the controls.

    Raises:
        ClaimError: The claim or a control returned no measurement. Whatever else the function raises passes
            through, with a note that names the control.
    """
    # Imported here and below: they bring numpy.
    from pytest_claims.controls import discriminates
    from pytest_claims.verdicts import with_reported

    judgement = _judge(declared, measure(), seeds)
    found = []
    for fixture, replacement in declared.controls if controls else ():
        try:
            control = _judge(declared, measure((fixture, replacement)), seeds)
        except ClaimError as error:
            raise ClaimError(f"control {replacement}: {error}") from None
        except Exception as error:
            error.add_note(f"This was the control {replacement}.")
            raise
        found.append({"name": replacement, **discriminates(judgement, control, declared.predicts)})
    row = with_reported(judgement.to_row(), declared.reported)
    return _plain({**declaration, "seeds": list(seeds), **row, "controls": found})


def error_row(declaration: Mapping[str, Any], reason: str, seeds: Sequence[int] = ()) -> dict[str, Any]:
    """Return the row of a claim that could not be judged."""
    return {**declaration, "seeds": list(seeds), "verdict": "error", "reason": reason}


def _judge(declared: Claim, measured: object, seeds: Sequence[int]) -> Any:
    from pytest_claims.measurements import MeasurementError
    from pytest_claims.verdicts import judge, judge_design

    if measured is None:
        raise ClaimError("returned nothing; a claim returns what it measured")
    try:
        if declared.predicts is None:
            return judge_design(measured)
        return judge(measured, declared.predicts, seeds)
    except MeasurementError as error:
        raise ClaimError(str(error)) from None


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Make sure that the row can travel between processes and into strict JSON."""
    try:
        plain: dict[str, Any] = json.loads(json.dumps(row, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ClaimError(f"the measurement is not finite plain data: {error}") from None
    return plain
