"""The report as Markdown, for job summaries and pull requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_claims import formats
from pytest_claims.sections import sections

LIMIT = 900_000
"""Bytes. A job summary takes 1 MiB; what does not fit is left out, and said so."""

FINDINGS = 100
"""Differences from the baseline that are written out."""

SIGNS = {"replicated": "✅", "contradicted": "❌", "inconclusive": "❔", "error": "⚠️", "not run": "➖"}

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&$])")
_COLUMNS = ("Claim", "Predicted", "Reported", "Ours", "Seeds", "Effect", "p", "Control", "Verdict")


def render(report: Mapping[str, Any]) -> str:
    """Render a report as Markdown with a table a paper.

    Args:
        report: See `pytest_claims.report`.
    """
    summary = report.get("summary") or {}
    lines = ["# Claims report"]
    if report.get("partial"):
        lines += ["", f"**{formats.partial(summary)}**"]
    lines += ["", f"**{formats.totals(summary)}.**"]
    if formats.expected_false(summary):
        lines += ["", formats.expected_false(summary)]
    lines += _gate(report.get("gate"))
    size = sum(len(line.encode()) + 1 for line in lines)
    left_out = 0
    for paper, claims in sections(report):
        for number, block in enumerate(_paper(paper, claims)):
            size += len(block.encode()) + 1
            if size <= LIMIT:
                lines.append(block)
            elif number:  # the first block is the paper's head, which is no claim
                left_out += 1
    if left_out:
        lines += [
            "",
            f"*{formats.plural(left_out, 'claim')} left out for size: report.json and report.html hold all.*",
        ]
    return "\n".join([*lines, "", _environment(report), ""])


def _gate(gate: Mapping[str, Any] | None) -> list[str]:
    """What the comparison with a baseline found."""
    if not gate:
        return []
    findings = [finding for finding in gate.get("findings") or [] if isinstance(finding, Mapping)]
    words = "unchanged" if gate.get("ok") else "CHANGED"
    lines = ["", f"**Against {escape(gate.get('baseline'))}: {words}.**"]
    if findings:
        lines.append("")
    for finding in findings[:FINDINGS]:
        about = f"**{escape(finding.get('claim'))}**: " if finding.get("claim") else ""
        lines.append(f"- {'❌' if finding.get('red') else '➖'} {about}{escape(finding.get('text'))}")
    if len(findings) > FINDINGS:
        lines.append(f"- and {len(findings) - FINDINGS} more, all in report.json")
    return lines


def escape(text: object) -> str:
    """Text that Markdown and its tables show as it is: one line, without markup or HTML."""
    return _SPECIAL.sub(r"\\\1", " ".join(formats.clean(text).split()))


def _paper(paper: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The head of a paper with that of its table, then one block a claim: its row and those of its parts."""
    head = [
        "",
        f"## {escape(formats.clean(paper.get('key')) or 'Claims without a paper')}",
        "",
        escape(formats.citation(paper)),
    ]
    if paper.get("caveat"):
        head += ["", f"> {escape(paper['caveat'])}"]
    head += ["", _row(_COLUMNS), _row(["---"] * len(_COLUMNS))]
    yield "\n".join(head)
    for claim in claims:
        yield "\n".join(_claim(claim))


def _claim(claim: Mapping[str, Any]) -> Iterator[str]:
    about = f"**{escape(claim.get('id') or 'unnamed')}**<br>{escape(claim.get('statement'))}"
    yield _cells(claim, about, [*formats.reasons(claim), *formats.marks(claim)])
    for name, part in formats.parts(claim):
        yield _cells(part, f"↳ {escape(name)}", [])


def _cells(row: Mapping[str, Any], about: str, remarks: Sequence[str]) -> str:
    verdict = formats.clean(row.get("verdict")) or "not run"
    words = f"{SIGNS.get(verdict, '⚠️')} **{escape(verdict)}**"
    if not formats.discriminates(row):
        words += f"<br>**{formats.CANNOT_DISCRIMINATE}**"
    return _row(
        [
            about,
            escape(formats.prediction(row)),
            escape(formats.reported(row)),
            escape(formats.with_unit(formats.estimate(row), row.get("unit"))),
            escape(formats.signs(row)),
            escape(formats.effect_size(row.get("effect_size"))),
            escape(formats.p_value(row.get("p_value"))),
            "<br>".join(escape(line) for line in formats.controls(row)) or formats.MISSING,
            "<br>".join([words, *(escape(remark) for remark in remarks)]),
        ]
    )


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _environment(report: Mapping[str, Any]) -> str:
    found = report.get("environment") or {}
    versions = ", ".join(f"{name} {version}" for name, version in (found.get("versions") or {}).items())
    commit = formats.clean(found.get("commit"))[:12]
    facts = (
        f"commit {commit}{' with changes' if found.get('dirty') else ''}" if commit else "",
        formats.clean(found.get("cpu")),
        f"Python {found['python']}" if found.get("python") else "",
        versions,
        f"took {formats.duration(report['duration_s'])}"
        if formats.is_number(report.get("duration_s"))
        else "",
    )
    return escape("; ".join(fact for fact in facts if fact))
