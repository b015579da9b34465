"""The forest plot: every claim on one axis, as a table whose rows lead to the claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_claims import formats
from pytest_claims.page.drawing import badge, forest_axis, strip
from pytest_claims.page.markup import Markup, escape, tag
from pytest_claims.page.scale import standing

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
    rows = [row for claim in claims for row in _rows(claim, anchors[id(claim)])]
    return tag("tbody", head, *rows)


def _rows(claim: Mapping[str, Any], anchor: str) -> list[Markup]:
    name = formats.clean(claim.get("id")).partition("/")[2] or formats.clean(claim.get("id")) or "unnamed"
    label = tag("a", name, href=f"#{anchor}")
    parts = formats.parts(claim)
    rows = [_row(claim, label, Markup("") if parts else None)]
    rows += [_row(part, escape(part_name), None, class_="part") for part_name, part in parts]
    return rows


def _row(row: Mapping[str, Any], label: Markup, plot: Markup | None, class_: str | None = None) -> Markup:
    drawn = strip(standing(row), row.get("verdict")) if plot is None else plot
    ours = formats.estimate(row)
    return tag(
        "tr",
        tag("th", label, scope="row"),
        tag("td", formats.reported(row), class_="wide"),
        tag("td", formats.with_unit(ours, row.get("unit")), class_="wide number"),
        tag("td", drawn, class_="plot"),
        tag("td", badge(row)),
        class_=class_,
    )
