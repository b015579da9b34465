"""Makes the README's pictures from a report: python docs/pictures.py .claims/report/report.json.

``page.png`` is the top of the page, ``terminal.svg`` an excerpt of the table in the terminal. It takes
Chromium, playwright (the extra ``dev``) and the checkout.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZE = {"width": 1280, "height": 1100}
COLUMNS = 160
ROWS = 5
"""Claims in the excerpt of the table: the last that a paper reports and that have a value a seed."""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Yes."""
        return True


def page(report: Mapping[str, Any], path: Path) -> None:
    """Photograph the top of the page."""
    from playwright.sync_api import sync_playwright

    from pytest_claims import page as pages

    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no browser: none of {', '.join(BROWSERS)} is on PATH")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        shown = started.new_page(viewport=SIZE, color_scheme="light")
        shown.set_content(pages.render(report))
        shown.screenshot(path=path)
        started.close()


def terminal(report: Mapping[str, Any], path: Path) -> None:
    """Draw an excerpt of the terminal's table as SVG, without the web font that rich would load."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.text import Text

    from pytest_claims import terminal as terminals

    stream = Terminal()
    terminals.print_report(_excerpt(report), file=stream, width=COLUMNS, colour=True)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(stream.getvalue().strip("\n")))
    template = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    svg = console.export_svg(title=report["command"], code_format=template, unique_id="claims")
    path.write_text(svg, encoding="utf-8")


def _excerpt(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report with a few claims of one paper, under the counts of all."""
    for paper in reversed(report["papers"]):
        claims = [claim for claim in report["claims"] if claim["paper"] == paper["key"] and claim["values"]]
        chosen = ([claim for claim in claims if claim["reported"]] or claims)[-ROWS:]
        if len(chosen) == ROWS:
            break
    return {**report, "papers": [paper], "claims": chosen}


def main() -> None:
    """Read the report and make both pictures."""
    sys.path.insert(0, str(ROOT))
    from pytest_claims import figures, report

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("--folder", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    document, _ = figures.draw(report.load(options.report), ROOT)
    page(document, options.folder / "page.png")
    terminal(document, options.folder / "terminal.svg")


if __name__ == "__main__":
    main()
