"""`claims show`: one claim in full, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from pytest_claims import formats
from pytest_claims.naming import full_id
from pytest_claims.plotting import chart, curves, dot_plot
from pytest_claims.terminal import Screen, print_block

PLOT_WIDTH = 72


def find(report: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Find a claim by its id, or by the part after the paper's key where that is unique.

    Returns:
        The claim and its paper.

    Raises:
        FileError: There is no such claim, or several; the message says which come near.
    """
    claims = {formats.clean(claim.get("id")): claim for claim in report.get("claims") or []}
    claim = claims[full_id(name, claims, "in the report")]
    papers = {paper.get("key"): paper for paper in report.get("papers") or []}
    return claim, papers.get(claim.get("paper"), {"key": claim.get("paper")})


def print_claim(
    report: Mapping[str, Any], name: str, *, file: TextIO | None = None, width: int | None = None
) -> None:
    """Print everything that the report knows of a claim.

    Args:
        report: See `pytest_claims.report`.
        name: The claim's id.
        file: Where to; by default standard output.
        width: Columns; by default the terminal's.

    Raises:
        FileError: There is no such claim.
    """
    claim, paper = find(report, name)
    screen = Screen.of(file, width)
    screen.print(screen.text(formats.heading(paper), "bold"))
    if paper.get("caveat"):
        screen.print(screen.text(f"Note: {paper['caveat']}"))
    screen.print()
    print_block(screen, claim)
    _print_plots(screen, claim)
    screen.print()
    screen.print_lines(_details(report, claim))
    _print_curves(screen, claim)


def _print_plots(screen: Screen, claim: Mapping[str, Any]) -> None:
    width = min(PLOT_WIDTH, screen.width - 2)
    rows = [("", claim), *formats.parts(claim)]
    drawn = [(name, dot_plot(row, width)) for name, row in rows]
    for name, lines in drawn:
        if lines:
            screen.print()
            if name:
                screen.print(screen.text(f"  {name}"))
            screen.print(screen.text("\n".join(f"  {line}" for line in lines)))
    if any(lines for _, lines in drawn):
        key = "o a seed   |--x--| mean and 95 % interval   R the paper's number   ^ the bound"
        screen.print(screen.text(f"  {key}", "dim"))


def _details(report: Mapping[str, Any], claim: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Labels and texts for what the block leaves out; what is unknown is passed over."""
    found = (
        ("measured", formats.clean(claim.get("method"))),
        ("compared", formats.compared(claim)),
        ("p against", formats.p_value(claim.get("p_contradicted"))),
        ("p two-sided", formats.p_value(claim.get("p_two_sided"))),
        ("p Holm", formats.p_value(claim.get("p_holm"))),
        ("values", _values(claim)),
        ("asked for", f"{claim['seeds_asked']} seeds" if claim.get("seeds_asked") else ""),
        ("runs", ", ".join(formats.clean(run) for run in claim.get("runs") or [])),
        ("trained", f"{claim.get('trained') or 0} runs, {claim.get('measured') or 0} measurements"),
        ("took", formats.duration(claim.get("seconds"))),
        ("kind", formats.clean(claim.get("kind"))),
        ("test", formats.clean(claim.get("nodeid"))),
        ("report of", formats.clean(report.get("created"))),
    )
    return ((label, text) for label, text in found if text and text != formats.MISSING)


def _values(claim: Mapping[str, Any]) -> str:
    pairs = zip(claim.get("seeds") or [], claim.get("values") or [], strict=False)
    return "   ".join(f"{seed}: {formats.number(value)}" for seed, value in pairs)


def _print_curves(screen: Screen, claim: Mapping[str, Any]) -> None:
    for found in curves(claim.get("series")):
        screen.print()
        screen.print(screen.text(f"  {found.title}"))
        for row in chart(found.lines, min(PLOT_WIDTH, screen.width - 2)):
            screen.print(screen.text(f"  {row}"))
