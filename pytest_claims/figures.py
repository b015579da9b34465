"""The papers' own figures: drawn beside the claims, kept in the report as SVG.

A paper's folder of claims may hold a ``figures.py`` with a function ``draw(report) -> list[Figure]``. It gets
the whole report and draws what the series of its claims allow; a claim that did not run, or has no series,
must not stop it. It is called when a run ends, and again by ``claims render`` in the checkout for a report
without figures. A drawing library belongs into `draw`, not to the top of the file:

    def draw(report):
        from matplotlib.figure import Figure as Canvas

        from pytest_claims.figures import Figure, to_svg

        canvas = Canvas(figsize=(8, 3.5), layout="constrained")
        ...
        alt = "Five curves that fall from 0.09 logits …"
        return [Figure("The gap over the hold", alt, to_svg(canvas), ("zuo2026/relaxation",))]
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_claims.project import load_module
from pytest_claims.sections import sections

COLOURS = ("#2f7ec4", "#d0671a", "#2a9a6a", "#a566cc", "#cf4a63", "#8a8f98")
"""For lines and marks: each stands out by 3:1 on the light and on the dark page. Black follows the text."""


@dataclass(frozen=True)
class Figure:
    """One figure of a paper.

    Attributes:
        title: What it shows, in a few words with the units.
        alt: What one would say of it to someone who does not see it.
        svg: The drawing; see `to_svg`.
        claims: The ids of the claims whose evidence it is.
    """

    title: str
    alt: str
    svg: str
    claims: tuple[str, ...] = ()


def to_svg(canvas: Any) -> str:
    """Turn a `matplotlib.figure.Figure` into SVG for the page: transparent, real text, reproducible."""
    import matplotlib as mpl

    buffer = io.StringIO()
    settings: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "pytest-claims",
        "font.family": ["sans-serif"],
    }
    with mpl.rc_context(settings):
        engine = canvas.get_layout_engine()
        if engine is not None:
            # Done here once; saving would draw the whole figure a second time for it.
            engine.execute(canvas)
            canvas.set_layout_engine("none")
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def draw(report: Mapping[str, Any], root: Path) -> tuple[dict[str, Any], list[str]]:
    """Add to a report the figures of every paper that has none yet.

    Args:
        report: See `pytest_claims.report`.
        root: The project's folder, from which the claims' node ids start.

    Returns:
        The report with figures, and a sentence for each paper whose figures could not be drawn. That is never
        a reason to lose the report.
    """
    problems: list[str] = []
    papers = []
    for paper, claims in sections(report):
        if paper not in (report.get("papers") or []):
            continue
        found = list(paper.get("figures") or [])
        for folder in [] if found else _folders(claims, root):
            try:
                found += [asdict(figure) for figure in load_module(root, folder / "figures.py").draw(report)]
            except Exception as error:
                problems.append(f"figures of {paper.get('key')} not drawn: {type(error).__name__}: {error}")
        papers.append(
            {**paper, "figures": [{**figure, "claims": list(figure["claims"])} for figure in found]}
        )
    return {**report, "papers": papers}, problems


def _folders(claims: list[Mapping[str, Any]], root: Path) -> Iterator[Path]:
    """Folders of these claims' tests that hold figures, never one outside the project."""
    folders = {Path(str(claim.get("nodeid") or "").partition("::")[0]).parent for claim in claims}
    for folder in sorted(folders):
        named = all(part.isidentifier() for part in folder.parts)
        if folder.parts and named and (root / folder / "figures.py").is_file():
            yield folder
