"""From collected tests to declared claims: ids, what may not be declared, declarations as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from unittest import TestCase

import pytest

from pytest_claims.declare import Claim, claim_of, slug

DECLARATION = pytest.StashKey[dict[str, Any]]()
"""Where an item keeps its claim as plain data."""


def declare(item: pytest.Item) -> None:
    """Note what a collected test claims, if anything, and mark it by its kind, so that ``-m design`` selects.

    The declaration is made at once: with ``--dist loadgroup`` pytest-xdist changes the item's nodeid later.
    """
    declared = claim_of(getattr(item, "obj", None))
    if declared is not None:
        item.stash[DECLARATION] = declaration(
            declared, _name(item), item.nodeid, inspect.getdoc(getattr(item, "obj", None))
        )
        item.add_marker(declared.kind)


def declaration(declared: Claim, name: str, nodeid: str, method: str | None = None) -> dict[str, Any]:
    """Return a claim as plain data, as the report's declarations are.

    Args:
        declared: The claim.
        name: The second half of its id.
        nodeid: The test that measures it.
        method: How it is measured: the test's docstring.
    """
    replacements: dict[str, list[str]] = {}
    for fixture, replacement in declared.controls:
        replacements.setdefault(fixture, []).append(replacement)
    return {
        "id": f"{declared.paper.key}/{name}",
        "nodeid": nodeid,
        "paper": declared.paper.key,
        "kind": declared.kind,
        "statement": declared.statement,
        "method": method,
        "reported": declared.reported.to_json() if declared.reported else None,
        "prediction": _prediction(declared.predicts),
        "unit": declared.unit,
        "seeds_asked": declared.seeds,
        "replacements": replacements,
        "tolerance": declared.tolerance,
    }


def problems(items: Sequence[pytest.Item]) -> list[tuple[str, str]]:
    """What is wrong with the claims of a collection that no single declaration can tell.

    Returns:
        Pairs of the nodeid to blame and a message.
    """
    claims = [item for item in items if DECLARATION in item.stash]
    found = [(item.nodeid, problem) for item in claims for problem in _item_problems(item)]
    return found + _duplicates(claims) + _paper_problems(claims)


def papers(items: Iterable[pytest.Item]) -> list[dict[str, Any]]:
    """The papers of the collected claims, in order of first claim."""
    found: dict[str, dict[str, Any]] = {}
    for item in items:
        declared = claim_of(getattr(item, "obj", None))
        if declared is not None:
            found.setdefault(declared.paper.key, declared.paper.to_json())
    return list(found.values())


def _name(item: pytest.Item) -> str:
    assert isinstance(item, pytest.Function)
    name = slug(item.originalname)
    callspec = getattr(item, "callspec", None)
    return name if callspec is None else f"{name}[{callspec.id}]"


def _prediction(predicts: Any) -> dict[str, Any] | None:
    if predicts is None:
        return None
    if isinstance(predicts, Mapping):
        return {name: _prediction(part) for name, part in predicts.items()}
    return {"kind": predicts.kind, "bound": predicts.bound, "text": predicts.text, "source": predicts.source}


def _item_problems(item: pytest.Item) -> Iterable[str]:
    name = item.stash[DECLARATION]["id"]
    if isinstance(getattr(item, "instance", None), TestCase):
        yield f"claim {name} is a method of a unittest.TestCase, which loses what it returns"
    if not _ids_are_written(item):
        yield f"claim {name}: give each parameter an id of its own, as in pytest.param(10_000, id='n=10000')"
    fixtures = item.session._fixturemanager
    for replacements in item.stash[DECLARATION]["replacements"].values():
        for replacement in replacements:
            if not fixtures.getfixturedefs(replacement, item):
                yield f"claim {name}: there is no fixture {replacement!r} for its control"


def _ids_are_written(item: pytest.Item) -> bool:
    """Ids made up by pytest follow the value's text or position, and a claim's id must outlive both."""
    return all(
        mark.kwargs.get("ids") is not None or all(getattr(value, "id", None) for value in _values(mark))
        for mark in item.iter_markers("parametrize")
    )


def _values(mark: pytest.Mark) -> Sequence[Any]:
    values: Sequence[Any] = mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"]
    return values


def _duplicates(claims: Sequence[pytest.Item]) -> list[tuple[str, str]]:
    first: dict[str, str] = {}
    found = []
    for item in claims:
        name, nodeid = item.stash[DECLARATION]["id"], item.stash[DECLARATION]["nodeid"]
        if name in first:
            found.append((nodeid, f"duplicate claim {name}: declared by {first[name]} and by {nodeid}"))
        first.setdefault(name, nodeid)
    return found


def _paper_problems(claims: Sequence[pytest.Item]) -> list[tuple[str, str]]:
    first: dict[str, tuple[object, str]] = {}
    found = []
    for item in claims:
        declared = claim_of(getattr(item, "obj", None))
        assert declared is not None
        paper, nodeid = declared.paper, item.stash[DECLARATION]["nodeid"]
        same, owner = first.setdefault(paper.key, (paper, nodeid))
        if same != paper:
            found.append((nodeid, f"{owner} and {nodeid} cite different papers under the key {paper.key!r}"))
    return found
