"""The report in the terminal: a table a paper where there is room, a block a claim where there is not.

Nothing is ever cut: long text is folded. Where the output is no terminal, or ``NO_COLOR``, ``TERM=dumb`` or
the encoding ask for it, it is plain text without colour and box drawing, and what the encoding lacks is
spelled out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pytest_claims import formats
from pytest_claims.sections import sections

WIDE = 150
"""From this width on the eight columns fit side by side; below, every claim is a block of labelled lines."""

STYLES = {
    "replicated": "green",
    "contradicted": "red",
    "inconclusive": "yellow",
    "error": "bold red",
    "not run": "dim",
}

NAMED = 6
"""Claims that did not run are named up to this number, else counted."""

COLUMNS = ("claim", "reported", "ours", "seeds", "effect", "p", "control", "verdict")

PLAIN = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""A table with a line of dashes under its head, and no other lines."""

LEGEND = (
    ("seeds", "one sign a seed: + on the claimed side of the bound, - on the other, 0 on it"),
    ("ours", "the mean over seeds and its 95 % interval"),
    ("effect", "distance from the bound in standard deviations between seeds (Hedges g)"),
    ("p", "chance of seeds at least this favourable if the claim were false; replicated at p ≤ 0.05"),
    (
        "control",
        "the same measurement where the effect is absent by construction; it must not come out replicated",
    ),
)


@dataclass(frozen=True)
class Screen:
    """Where text goes: a console, and whether it takes signs beyond ASCII and colour."""

    console: Console
    fancy: bool

    @classmethod
    def of(cls, file: TextIO | None, width: int | None, colour: bool | None = None) -> Screen:
        """Describe the stream.

        Args:
            file: The stream, by default standard output.
            width: Columns; by default the terminal's, or ``COLUMNS``, or 80.
            colour: Force colour on or off; by default the environment decides.
        """
        stream = file or sys.stdout
        terminal = stream.isatty() if hasattr(stream, "isatty") else False
        unicode = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")
        dumb = os.environ.get("TERM", "") in ("dumb", "unknown")
        fancy = terminal and unicode and not dumb
        plain = bool(os.environ.get("NO_COLOR")) or dumb or not terminal
        coloured = not plain if colour is None else colour
        console = Console(
            file=stream,
            width=width,
            force_terminal=coloured or None,
            no_color=not coloured,
            # Without a colour system no escape code at all is written, bold and dim included.
            color_system="auto" if coloured else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        return cls(console, fancy)

    @property
    def width(self) -> int:
        """Columns."""
        return self.console.width

    def text(self, content: object, style: str = "") -> Text:
        """Turn a field into text that this stream takes: no markup, no control codes, all encodable."""
        shown = formats.clean(content, lines=True)
        if not self.fancy:
            shown = formats.plain(shown, self.console.encoding or "ascii")
        return Text(shown, style=style, overflow="fold")

    def verdict(self, row: Mapping[str, Any]) -> Text:
        """A verdict with its sign and colour."""
        word = formats.clean(row.get("verdict")) or "not run"
        sign = f"{formats.SYMBOLS.get(word, '?')} " if self.fancy else ""
        shown = self.text(f"{sign}{word}", STYLES.get(word, ""))
        if not formats.discriminates(row):
            shown.append_text(self.text(f", {formats.CANNOT_DISCRIMINATE}", "bold magenta"))
        return shown

    def print(self, *content: Any) -> None:
        """Print, folding long words, without the spaces that rich fills cells with at the end of a line."""
        with self.console.capture() as captured:
            self.console.print(*content, overflow="fold", soft_wrap=False)
        for line in captured.get().splitlines():
            self.console.file.write(f"{line.rstrip()}\n")

    def print_lines(self, lines: Iterable[tuple[str, str]], *, indent: int = 0, style: str = "") -> None:
        """Print labels and texts in two columns, the text folded within its own."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, min_width=9)
        grid.add_column(overflow="fold")
        for label, text in lines:
            grid.add_row(self.text(label, "dim"), self.text(text, style))
        if grid.row_count:
            self.print(Padding(grid, (0, 0, 0, indent), expand=False))

    @property
    def box(self) -> Box:
        """The lines of a table."""
        return SIMPLE_HEAD if self.fancy else PLAIN


def print_report(
    report: Mapping[str, Any],
    *,
    file: TextIO | None = None,
    width: int | None = None,
    colour: bool | None = None,
    path: Path | None = None,
) -> None:
    """Print the whole report.

    Args:
        report: See `pytest_claims.report`.
        file: Where to; by default standard output.
        width: Columns; by default the terminal's.
        colour: Force colour on or off; by default ``NO_COLOR``, ``TERM`` and whether `file` is a terminal
        decide.
        path: Where the report lies on disk, for the last line.
    """
    screen = Screen.of(file, width, colour)
    for paper, claims in sections(report):
        _print_paper(screen, paper, claims)
    _print_legend(screen, report.get("claims") or [])
    _print_summary(screen, report, path)


def _print_paper(screen: Screen, paper: Mapping[str, Any], claims: list[Mapping[str, Any]]) -> None:
    screen.print()
    screen.print(screen.text(formats.heading(paper), "bold"))
    if paper.get("caveat"):
        screen.print(screen.text(f"Note: {paper['caveat']}"))
    ran = [claim for claim in claims if claim.get("verdict", "not run") != "not run"]
    if ran and screen.width >= WIDE:
        screen.print()
        screen.print(_table(screen, ran))
    elif ran:
        for claim in ran:
            screen.print()
            print_block(screen, claim)
    others = [formats.clean(claim.get("id")) or "unnamed" for claim in claims if claim not in ran]
    if others:
        count = formats.plural(len(others), "claim")
        names = ", ".join(others) if len(others) <= NAMED else f"{count}; `claims list` names them"
        screen.print()
        screen.print(screen.text(f"not run: {names}", STYLES["not run"]))


def _table(screen: Screen, claims: list[Mapping[str, Any]]) -> Table:
    table = Table(box=screen.box, expand=True, pad_edge=False)
    for name, ratio in zip(COLUMNS, (11, 5, 6, 2, 2, 2, 5, 7), strict=True):
        table.add_column(name, ratio=ratio, overflow="fold", min_width=7 if ratio == 2 else None)
    for claim in claims:
        head = Text("\n").join(
            [
                screen.text(claim.get("id"), "bold"),
                screen.text(claim.get("statement")),
                screen.text(f"predicted: {formats.prediction(claim)}", "dim"),
            ]
        )
        verdict = Text("\n").join([screen.verdict(claim), *_remarks(screen, claim)])
        table.add_row(*_cells(screen, claim, head, verdict))
        for name, part in formats.parts(claim):
            label = Text.assemble("  ", screen.text(f"{name}: {formats.prediction(part)}"))
            table.add_row(*_cells(screen, part, label, screen.verdict(part)))
        table.add_row()
    return table


def _cells(screen: Screen, row: Mapping[str, Any], head: Text, verdict: Text) -> list[Text]:
    """The eight columns of a claim or of one of its parts."""
    return [
        head,
        screen.text(formats.reported(row)),
        screen.text(formats.with_unit(formats.estimate(row), row.get("unit"))),
        screen.text(formats.signs(row)),
        screen.text(formats.effect_size(row.get("effect_size"))),
        screen.text(formats.p_value(row.get("p_value"))),
        screen.text("\n".join(formats.controls(row)) or formats.MISSING),
        verdict,
    ]


def print_block(screen: Screen, claim: Mapping[str, Any]) -> None:
    """Print a claim as a headline, its statement and labelled lines."""
    screen.print(Text.assemble(screen.verdict(claim), "  ", screen.text(claim.get("id"), "bold")))
    screen.print(_indented(screen.text(claim.get("statement"))))
    screen.print_lines(_criterion(claim), indent=2)
    if not claim.get("parts"):
        screen.print_lines(_evidence(claim), indent=2)
    for name, part in formats.parts(claim):
        headline = Text.assemble(screen.text(f"{name}, {formats.prediction(part)}: "), screen.verdict(part))
        screen.print(_indented(headline))
        screen.print_lines(_evidence(part), indent=4)
    screen.print_lines([("control", line) for line in formats.controls(claim)], indent=2)
    for remark in _remarks(screen, claim):
        screen.print(_indented(remark))


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)


def _criterion(claim: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not claim.get("parts"):
        yield "predicted", formats.prediction(claim)
    if formats.reported(claim) != formats.MISSING:
        yield "reported", formats.reported(claim)


def _evidence(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What was measured, and how sure we are; nothing for claims without numbers."""
    found = formats.estimate(row)
    if found != formats.MISSING:
        yield "ours", formats.with_unit(found, row.get("unit"))
    pieces = [
        f"{label}{text}"
        for label, text in (
            ("", formats.signs(row)),
            ("effect ", formats.effect_size(row.get("effect_size"))),
            ("p ", formats.p_value(row.get("p_value"))),
        )
        if text != formats.MISSING
    ]
    if pieces:
        yield "seeds" if formats.signs(row) != formats.MISSING else "tests", "   ".join(pieces)


def _remarks(screen: Screen, claim: Mapping[str, Any]) -> list[Text]:
    """Why the verdict is what it is, and what stands against it."""
    remarks = [screen.text(line) for line in formats.reasons(claim)]
    remarks += [screen.text(line, "bold magenta") for line in formats.marks(claim)]
    return remarks


def _print_legend(screen: Screen, claims: list[Mapping[str, Any]]) -> None:
    if not any(claim.get("p_value") is not None for claim in claims):
        return
    screen.print()
    screen.print_lines(LEGEND, style="dim")


def _print_summary(screen: Screen, report: Mapping[str, Any], path: Path | None) -> None:
    summary = report.get("summary") or {}
    screen.print()
    screen.print(screen.text(formats.totals(summary), "bold"))
    if formats.expected_false(summary):
        screen.print(screen.text(formats.expected_false(summary)))
    if report.get("partial"):
        screen.print(screen.text(formats.partial(summary), "bold yellow"))
    if path is not None:
        screen.print(screen.text(f"Report: {path}"))
