"""A card a claim: what was claimed, the criterion, the evidence seed by seed, and what stands against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_claims import formats
from pytest_claims.page.drawing import badge, dots
from pytest_claims.page.markup import Markup, join, tag

KINDS = {
    "reported": "reported by the paper",
    "design": "property of the experiment, exact",
    "extension": "ours, beyond the paper",
}


def card(claim: Mapping[str, Any], anchor: str, figures: Sequence[tuple[int, str]] = ()) -> Markup:
    """One claim.

    Args:
        claim: The row of the report.
        anchor: The fragment under which links find it.
        figures: Number and fragment of the paper's figures that show this claim.
    """
    kind = formats.clean(claim.get("kind"))
    about = [KINDS.get(kind, kind)]
    if claim.get("registered") and not claim.get("criterion_changed"):
        about.append("criterion as registered")
    head = tag(
        "header",
        tag("p", tag("code", claim.get("id")), *(f" · {text}" for text in about if text), class_="id"),
        tag("h4", claim.get("statement") or "No statement", id=anchor, tabindex="-1"),
        tag("p", badge(claim), class_="badges"),
    )
    parts = formats.parts(claim)
    facts = tag("dl", *_fact("Measured", formats.clean(claim.get("method"))), *_facts(claim))
    picture = dots(claim)
    shown = join((tag("a", f"figure {n}", href=f"#{name}") for n, name in figures), ", ")
    return tag(
        "article",
        head,
        *(tag("p", line, class_="reason") for line in formats.reasons(claim)),
        *(tag("p", f"{mark}.".capitalize(), class_="alert") for mark in formats.marks(claim)),
        tag("div", facts, picture, class_="columns") if picture else facts,
        _parts_table(parts) if parts else "",
        tag("p", "Shown in ", shown, ".") if shown else "",
        _provenance(claim),
        class_="card",
        aria_labelledby=anchor,
    )


def _facts(row: Mapping[str, Any]) -> Iterator[Markup]:
    """Terms and definitions; what is not known is left out."""
    if not row.get("parts"):
        yield from _fact("Predicted", formats.prediction(row))
    yield from _fact("Reported", formats.reported(row))
    yield from _fact("Ours", formats.with_unit(formats.estimate(row), row.get("unit")))
    yield from _fact("Measured", formats.clean(row.get("method")))
    yield from _fact("Compared", formats.compared(row) or formats.MISSING)
    yield from _fact("Seeds", formats.signs(row))
    yield from _fact("Effect size", formats.effect_size(row.get("effect_size")))
    yield from _fact("p", _p_values(row))
    for line in formats.controls(row):
        yield from _fact("Control", line)


def _fact(term: str, text: str) -> Iterator[Markup]:
    if text and text != formats.MISSING:
        yield tag("div", tag("dt", term), tag("dd", text))


def _p_values(row: Mapping[str, Any]) -> str:
    named = (
        ("for the claim", "p_value"),
        ("against it", "p_contradicted"),
        ("two-sided", "p_two_sided"),
        ("Holm-adjusted", "p_holm"),
    )
    return ", ".join(
        f"{formats.p_value(row[key])} {name}" for name, key in named if formats.is_number(row.get(key))
    )


def _parts_table(parts: Sequence[tuple[str, Mapping[str, Any]]]) -> Markup:
    head = tag(
        "tr", *(tag("th", name, scope="col") for name in ("Part", "Evidence", "Every seed", "Verdict"))
    )
    rows = [
        tag(
            "tr",
            tag("th", tag("b", name), scope="row"),
            tag("td", tag("dl", *_facts(part))),
            tag("td", dots(part)),
            tag("td", badge(part)),
        )
        for name, part in parts
    ]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="parts")


def _provenance(claim: Mapping[str, Any]) -> Markup:
    """What was trained for the claim and where its test is, folded away."""
    seeds = claim.get("seeds") or []
    values = claim.get("values") or []
    facts = [
        ("Test", formats.clean(claim.get("nodeid"))),
        ("Seeds asked for", formats.exact(claim["seeds_asked"]) if claim.get("seeds_asked") else ""),
        (
            "Value of each seed",
            ", ".join(f"{s}: {formats.number(v)}" for s, v in zip(seeds, values, strict=False)),
        ),
        ("Runs", ", ".join(formats.clean(run) for run in claim.get("runs") or [])),
        ("Trained, measured", f"{claim.get('trained') or 0} runs, {claim.get('measured') or 0} measurements"),
        ("Took", formats.duration(claim.get("seconds"))),
    ]
    rows = [item for term, text in facts for item in _fact(term, text)]
    return tag("details", tag("summary", "Runs and provenance"), tag("dl", *rows))
