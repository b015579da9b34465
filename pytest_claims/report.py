"""The report: one JSON document that says what was claimed, what was seen and how each claim was judged.

Terminal, HTML and Markdown render from it. `build` is a pure function of plain data:

* a *declaration* is a claim as declared: ``id``, ``nodeid``, ``paper`` (its key), ``kind``, ``statement``,
  ``method`` (how it is measured, in words),
  ``reported``, ``prediction`` (``{"kind", "bound", "text"}``, a mapping of those for a claim in parts, or
  ``None``), ``unit``, ``seeds_asked`` (a number or ``None``) and ``replacements`` (fixture name → names of
  the fixtures that controls put in its place);
* a *row* is a declaration of a claim that ran, with the judgement's fields, ``seeds`` (the list),
  ``controls``, ``runs``, ``trained``, ``measured``, ``seconds`` and ``series``;
* a *paper* is ``{"key", "title", "authors", "year", "url", "licence", "protocol", "caveat"}``.

``schema.json`` beside this module describes the document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_claims import registry
from pytest_claims.calibration.cautions import cautions
from pytest_claims.files import load_json, write_json
from pytest_claims.formats import VERDICTS, discriminates
from pytest_claims.statistics import expected_false_replications, holm

SCHEMA_VERSION = 1

ALPHA = 0.05

KINDS = ("reported", "extension", "design")
"""The order in which a paper's claims are shown: what it says first, what must hold exactly last."""

_CLAIM: dict[str, Any] = {
    "id": None, "nodeid": None, "paper": None, "kind": "reported", "statement": "", "method": None,
    "reported": None, "prediction": None, "unit": None, "seeds_asked": None, "seeds": [], "values": [],
    "numerator": None, "denominator": None, "parts": None, "estimate": None, "interval": None,
    "effect_size": None, "p_value": None, "p_contradicted": None, "p_two_sided": None, "p_holm": None,
    "signs": None, "spread": None, "reached": None, "share_of_reported": None,
    "reported_in_interval": None, "verdict": "not run", "reason": None, "cautions": [],
    "registered": None, "criterion_changed": False, "criterion_changes": [], "controls": [],
    "attempts": [], "runs": [], "trained": 0, "measured": 0, "seconds": None, "sources": {},
    "tolerance": 0.0, "series": None,
}  # fmt: skip
"""Every field of a claim in the report, in order, with its value where a row says nothing."""

_PAPER: dict[str, Any] = {
    "key": None, "title": "", "authors": "", "year": None, "url": None, "licence": None, "caveat": None,
    "protocol": [], "figures": [],
}  # fmt: skip

_WORST_FIRST = ("error", "contradicted", "inconclusive", "replicated", "not run")


def build(
    *,
    rows: Sequence[Mapping[str, Any]],
    declarations: Sequence[Mapping[str, Any]],
    registered: Mapping[str, Any] | None,
    papers: Sequence[Mapping[str, Any]],
    environment: Mapping[str, Any],
    command: str,
    created: str,
    duration_s: float,
) -> dict[str, Any]:
    """Build the report. It does not depend on the order of `rows`, nor on how many processes made them.

    Args:
        rows: One a claim that ran, in any order. Several of one claim (a crashed worker's, and that of the
            one who took over) become one row with the worst verdict, all named in ``attempts``.
        declarations: Every claim collected, also the deselected ones, in the order of collection.
        registered: The registry (`pytest_claims.registry.load`), or ``None``: then the claims collected are
            the declared ones. A registered claim without a row is there as "not run".
        papers: The papers of the declarations; papers that only the registry knows are added.
        environment: See `pytest_claims.environment.describe`.
        command: The command line.
        created: When the run ended, ISO 8601.
        duration_s: How long it took, in seconds.
    """
    everything = {**(registered or {}).get("papers", {}), **{paper["key"]: paper for paper in papers}}
    claims = _claims(rows, declarations, registered, everything)
    keys = list(dict.fromkeys(claim["paper"] for claim in claims))
    claims.sort(key=lambda claim: (keys.index(claim["paper"]), _kind_order(claim["kind"])))
    _adjust(claims)
    summary = summarise(claims)
    return {
        "schema_version": SCHEMA_VERSION,
        "created": created,
        "duration_s": duration_s,
        "command": command,
        "partial": summary["run"] < summary["declared"],
        "environment": dict(environment),
        "papers": [_filled(_PAPER, everything.get(key, {"key": key})) for key in keys],
        "summary": summary,
        "gate": None,
        "claims": claims,
    }


def _claims(
    rows: Sequence[Mapping[str, Any]],
    declarations: Sequence[Mapping[str, Any]],
    registered: Mapping[str, Any] | None,
    papers: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """One claim a declared, collected or reported id, in the order of the registry, then of collection."""
    known: dict[str, Mapping[str, Any]] = {}
    if registered is not None:
        known.update({name: {"id": name, **entry} for name, entry in registered["claims"].items()})
    for declaration in [*declarations, *sorted(rows, key=lambda row: str(row["id"]))]:
        # A dict keeps the place of a key that is set again: registry order stays, content is the collected
        # one.
        known[declaration["id"]] = declaration
    attempts: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        attempts.setdefault(row["id"], []).append(row)
    collected = {declaration["id"]: declaration for declaration in declarations}
    claims = []
    for name, declared in known.items():
        tried = sorted(attempts.get(name, []), key=_badness)
        claim = _filled(_CLAIM, {**_declared_only(declared), **(tried[0] if tried else {})})
        claim["prediction"] = _prediction(claim["prediction"])
        claim["cautions"] = cautions(claim)
        if len(tried) > 1:
            claim["attempts"] = [{"verdict": row["verdict"], "reason": row.get("reason")} for row in tried]
        if registered is not None:
            _compare(claim, collected.get(name) or next(iter(tried), None), papers, registered)
        claims.append(claim)
    return claims


def _declared_only(declared: Mapping[str, Any]) -> dict[str, Any]:
    fields = (
        *("id", "nodeid", "paper", "kind", "statement", "method"),
        *("reported", "prediction", "unit", "seeds_asked"),
    )
    return {field: declared[field] for field in fields if field in declared}


def _badness(row: Mapping[str, Any]) -> tuple[int, str]:
    return _WORST_FIRST.index(row["verdict"]), str(row.get("reason"))


def _prediction(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Give a claim in parts a prediction of its own, so that every prediction has a kind and a text."""
    if found is None or isinstance(found.get("kind"), str):
        return None if found is None else dict(found)
    text = "; ".join(f"{name}: {part['text']}" for name, part in found.items())
    return {
        "kind": "parts",
        "bound": None,
        "text": text,
        "parts": {name: dict(part) for name, part in found.items()},
    }


def _compare(
    claim: dict[str, Any],
    declaration: Mapping[str, Any] | None,
    papers: Mapping[str, Mapping[str, Any]],
    registered: Mapping[str, Any],
) -> None:
    """Say whether the claim is registered and whether its criterion is still the registered one."""
    claim["registered"] = claim["id"] in registered["claims"]
    if declaration is None:  # known from the registry alone: nothing to compare it with
        return
    found = registry.changes(declaration, papers.get(claim["paper"]), registered) or []
    claim["criterion_changed"], claim["criterion_changes"] = bool(found), found


def _filled(defaults: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The known fields in their order; a copy that shares nothing with what the report is built from."""
    plain: dict[str, Any] = json.loads(
        json.dumps({field: found.get(field, default) for field, default in defaults.items()}, allow_nan=False)
    )
    return plain


def _kind_order(kind: str) -> int:
    return KINDS.index(kind) if kind in KINDS else len(KINDS)


def _adjust(claims: Iterable[dict[str, Any]]) -> None:
    """Add Holm-adjusted p values over the claims that have a p, where their seeds could reach significance.

    The smallest p of n seeds is 2^-n, so among m claims no adjusted p is below m·2^-n: with few seeds the
    adjustment would only say that there are few seeds.
    """
    tested = [claim for claim in claims if claim["p_value"] is not None]
    adjusted = holm([claim["p_value"] for claim in tested])
    for claim, p in zip(tested, adjusted, strict=True):
        if len(tested) * 2.0 ** -len(claim["seeds"]) <= ALPHA:
            claim["p_holm"] = p


def summarise(claims: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count the claims a verdict, those that cannot discriminate, and what chance would replicate."""
    counts = {verdict: sum(claim["verdict"] == verdict for claim in claims) for verdict in VERDICTS}
    return {
        "declared": len(claims),
        "run": len(claims) - counts["not run"],
        **{verdict.replace(" ", "_"): count for verdict, count in counts.items()},
        "cannot_discriminate": sum(not discriminates(claim) for claim in claims),
        "expected_false_replications": expected_false_replications(claims),
    }


def write(report: Mapping[str, Any], folder: Path) -> Path:
    """Write ``report.json`` into `folder` in one step and return its path.

    Raises:
        ValueError: A number in the report is not finite.
    """
    path = folder / "report.json"
    write_json(path, report)
    return path


def load(path: Path) -> dict[str, Any]:
    """Read a report.

    Raises:
        FileError: It is not there, is no report, or was written by a newer version.
    """
    return load_json(path, "report", SCHEMA_VERSION)


def schema() -> dict[str, Any]:
    """The JSON Schema of the document, as published in ``schema.json``."""
    text = Path(__file__).with_name("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
