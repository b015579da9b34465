"""The registry: every claim's criterion, written down before it is judged, so that a moved threshold shows.

``registered.json`` holds, a claim, all that its verdict depends on: the statement, the prediction, the kind,
the number that the paper printed, the seeds that the claim asks for, what its controls replace, and the
protocol of its paper, with a hash over them. ``--seeds`` is not part of it: more seeds test the same claim
harder.

A *declaration* is a claim as plain data (see `pytest_claims.report`).
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_claims.files import FileError, load_json

SCHEMA_VERSION = 1

FIELDS = ("statement", "prediction", "kind", "reported", "seeds_asked", "replacements")
"""What the criterion takes from a declaration; the protocol comes from the paper."""

_WORDS = {"seeds_asked": "seeds", "replacements": "controls"}


def criterion(declaration: Mapping[str, Any], paper: Mapping[str, Any] | None) -> dict[str, Any]:
    """Collect what a verdict on this claim depends on.

    Args:
        declaration: The claim as plain data.
        paper: Its paper as plain data, of which the protocol counts.
    """
    found = {field: declaration.get(field) for field in FIELDS}
    return {**found, "protocol": list((paper or {}).get("protocol") or [])}


def digest(criterion: Mapping[str, Any]) -> str:
    """The SHA-256 of a criterion's canonical JSON. Integers and equal floats count as the same number."""
    text = json.dumps(
        _canonical(criterion), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): _canonical(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_canonical(item) for item in value]
    raise TypeError(f"a criterion holds plain data only, not {type(value).__name__}")


def build(declarations: Sequence[Mapping[str, Any]], papers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Build the registry of these claims, in their order. Papers without a claim are left out."""
    by_key = {paper["key"]: paper for paper in papers}
    used = {declaration["paper"] for declaration in declarations}
    claims = {}
    for declaration in declarations:
        found = criterion(declaration, by_key.get(declaration["paper"]))
        claims[declaration["id"]] = {
            "paper": declaration["paper"],
            **{field: found[field] for field in FIELDS},
            "unit": declaration.get("unit"),
            "nodeid": declaration.get("nodeid"),
            "hash": digest(found),
        }
    return {
        "schema_version": SCHEMA_VERSION,
        "papers": {key: dict(paper) for key, paper in by_key.items() if key in used},
        "claims": claims,
    }


def load(path: Path) -> dict[str, Any]:
    """Read a registry and check every hash in it.

    Raises:
        FileError: There is no such file, it is no registry, it is newer than this code, or an entry does not
            match its hash (it was edited by hand).
    """
    data = load_json(path, "claims registry", SCHEMA_VERSION)
    claims, papers = data.get("claims"), data.get("papers")
    if not isinstance(claims, dict) or not isinstance(papers, dict):
        raise FileError(f"{path}: not a claims registry: it has no claims or no papers")
    for name, entry in claims.items():
        if digest(criterion(entry, papers.get(entry.get("paper")))) != entry.get("hash"):
            raise FileError(
                f"{path}: the entry of {name} does not match its hash, so it was edited by hand; "
                "declare the criterion in the claim and register it with --claims-register"
            )
    return data


def gone(registered: Mapping[str, Any], declarations: Sequence[Mapping[str, Any]], root: Path) -> list[str]:
    """Name the registered claims whose test is gone: its file is, or the file has no such function any more.

    Args:
        registered: The registry.
        declarations: All claims that were collected; they are there, wherever they have moved.
        root: The folder from which node ids start.
    """
    collected = {declaration["id"] for declaration in declarations}
    functions: dict[str, set[str]] = {}
    found = []
    for name, entry in registered["claims"].items():
        file, _, test = str(entry.get("nodeid") or "").partition("::")
        if name in collected or not test:
            continue
        if file not in functions:
            functions[file] = _functions(root / file)
        if test.partition("[")[0].rpartition("::")[2] not in functions[file]:
            found.append(name)
    return found


def _functions(path: Path) -> set[str]:
    """Names of the functions in a file, none where it cannot be read."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def changes(
    declaration: Mapping[str, Any], paper: Mapping[str, Any] | None, registered: Mapping[str, Any]
) -> list[str] | None:
    """Name what differs between a claim's criterion now and as registered: "prediction", "protocol: batch".

    Returns:
        ``None`` when the claim is not registered; the empty list when nothing changed.
    """
    entry = registered["claims"].get(declaration["id"])
    if entry is None:
        return None
    now = criterion(declaration, paper)
    then = criterion(entry, registered["papers"].get(entry["paper"]))
    found = [
        _WORDS.get(field, field) for field in FIELDS if _canonical(now[field]) != _canonical(then[field])
    ]
    return found + _protocol_changes(then["protocol"], now["protocol"])


def _protocol_changes(then: Sequence[Any], now: Sequence[Any]) -> list[str]:
    if _canonical(then) == _canonical(now):
        return []
    before = {choice["name"]: _canonical(choice) for choice in then}
    after = {choice["name"]: _canonical(choice) for choice in now}
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return [f"protocol: {', '.join(names)}" if names else "protocol: order"]
