"""Register claims: freeze the criteria of some, and leave those of all others as they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_claims import registry
from pytest_claims.files import FileError, write_json
from pytest_claims.handover import Declared


def register(path: Path, selected: Sequence[Mapping[str, Any]], collected: Declared) -> list[str]:
    """Write the selected claims' criteria to the registry.

    Args:
        path: The registry; it need not exist.
        selected: Declarations of the claims to register.
        collected: All collected claims, which give the order, and their papers.

    Returns:
        What was done, in lines for the user.

    Raises:
        pytest.UsageError: The registry cannot be read or written, or a claim that is not selected would
            change with the protocol of its paper.
    """
    try:
        old = registry.load(path) if path.exists() else {"claims": {}, "papers": {}}
        merged = _merged(old, registry.build(selected, collected.papers), collected)
        write_json(path, merged)
    except (FileError, OSError) as error:
        raise pytest.UsageError(str(error)) from None
    known = {declaration["id"] for declaration in collected.declarations}
    lines = [f"registered {_count(len(selected))} in {path}"]
    lines += [f"kept, not collected now: {name}" for name in merged["claims"] if name not in known]
    return lines


def _merged(old: Mapping[str, Any], new: Mapping[str, Any], collected: Declared) -> dict[str, Any]:
    kept = {name: entry for name, entry in old["claims"].items() if name not in new["claims"]}
    for key, paper in new["papers"].items():
        before = old["papers"].get(key, paper)
        bound = [name for name, entry in kept.items() if entry["paper"] == key]
        if bound and before["protocol"] != paper["protocol"]:
            raise pytest.UsageError(
                f"the protocol of {key} has changed, and with it the criterion of all its claims: register "
                f"them together, or remove from the registry what is no claim any more ({', '.join(bound)})"
            )
    claims = {**kept, **new["claims"]}
    order = [declaration["id"] for declaration in collected.declarations]
    names = [name for name in order if name in claims] + [name for name in claims if name not in order]
    return {
        **new,
        "papers": {**old["papers"], **new["papers"]},
        "claims": {name: claims[name] for name in names},
    }


def _count(claims: int) -> str:
    return f"{claims} claim" if claims == 1 else f"{claims} claims"
