"""What a run leaves behind: report.json with the papers' figures, and the page and the Markdown of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_claims import figures, markdown, page, report
from pytest_claims.files import write_text


def publish(built: Mapping[str, Any], folder: Path, root: Path) -> list[str]:
    """Write ``report.json``, ``report.html`` and ``report.md``, each whole or not at all.

    The JSON is written first and without figures, so that nothing that goes wrong while drawing can lose the
    numbers.

    Args:
        built: See `pytest_claims.report.build`.
        folder: Where to.
        root: The project's folder, from which the claims' node ids start.

    Returns:
        A sentence for each paper whose figures could not be drawn.

    Raises:
        OSError: A file cannot be written.
        ValueError: A number in the report is not finite.
    """
    report.write(built, folder)
    drawn, problems = figures.draw(built, root)
    report.write(drawn, folder)
    write_text(folder / "report.html", page.render(drawn))
    write_text(folder / "report.md", markdown.render(drawn))
    return problems
