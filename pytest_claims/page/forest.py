"""The forest plot: every claim on one axis, as a table whose rows lead to the claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_claims import formats
from pytest_claims.page.drawing import badge, forest_axis, strip
from pytest_claims.page.markup import Markup, tag

Section = tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]


def forest(sections: Sequence[Section], anchors: Mapping[int, str]) -> Markup:
    """The table of all claims.

    Args:
        sections: Papers with their claims.
        anchors: The fragment of each claim's card, by the claim's ``id()``.
    """
    head = tag(
        "tr",
        tag("th", "Claim", scope="col"),
        tag("th", "Reported", scope="col", class_="wide"),
        tag("th", "Ours, 95 % interval", scope="col", class_="wide"),
        tag(
            "th",
            tag("span", "Standard deviations beyond the bound"),
            forest_axis(),
            scope="col",
            class_="plot",
        ),
        tag("th", "Verdict", scope="col"),
    )
    bodies = [_body(paper, claims, anchors) for paper, claims in sections if claims]
    return tag("table", tag("thead", head), *bodies, class_="forest")


def _body(
    paper: Mapping[str, Any], claims: Sequence[Mapping[str, Any]], anchors: Mapping[int, str]
) -> Markup:
    name = formats.clean(paper.get("key")) or "Claims without a paper"
    head = tag("tr", tag("th", name, colspan=5, scope="rowgroup"), class_="paper")
    return tag("tbody", head, *(_row(claim, anchors[id(claim)]) for claim in claims))


def _row(claim: Mapping[str, Any], anchor: str) -> Markup:
    name = formats.clean(claim.get("id")).partition("/")[2] or formats.clean(claim.get("id")) or "unnamed"
    parts = formats.parts(claim)
    return tag(
        "tr",
        tag("th", tag("a", name, href=f"#{anchor}"), scope="row"),
        tag("td", formats.reported(claim), class_="wide"),
        tag("td", _ours(claim, parts), class_="wide number"),
        tag("td", strip(parts or [("", claim)]), class_="plot"),
        tag("td", badge(claim)),
    )


def _ours(claim: Mapping[str, Any], parts: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    if not parts:
        return formats.with_unit(formats.estimate(claim), claim.get("unit"))
    replicated = sum(part.get("verdict") == "replicated" for _, part in parts)
    return f"{replicated} of {formats.plural(len(parts), 'part')} replicated"
