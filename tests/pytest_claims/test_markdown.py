import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims import markdown
from tests.pytest_claims import sample_reports as samples

HOSTILE = (
    "<script>alert(1)</script> | `code` **bold** [link](javascript:x) ![i](x) $x$ \\ "
    "\n# head\n\n- list ~~x~~ @y"
)


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def tables(text):
    """The rows of all tables, heads and separators left out."""
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [cells(row) for row in rows if not row.startswith(("| Claim ", "| --- "))]


def test_a_table_a_paper_with_a_row_a_claim_and_a_part():
    report = samples.build()
    text = markdown.render(report)
    assert text.startswith("# Claims report\n\n**PARTIAL: 8 of 9 claims run**\n")
    assert (
        "**8 of 9 claims run: 3 replicated, 1 contradicted, 3 inconclusive, 1 error, 1 not run, 1 cannot"
        in text
    )
    assert re.findall("^## (.*)$", text, re.MULTILINE) == ["zuo2026", "huang2026"]
    rows = tables(text)
    assert len(rows) == len(report["claims"]) + 2
    assert all(len(row) == 9 for row in rows)
    (row,) = (row for row in rows if row[0].startswith("**zuo2026/immediate-gap**"))
    assert row[1:] == [
        "\\> 0 logits",
        "0.0976 logits (5 seeds, p = 0.0625)",
        "0.085 \\[0.067, 0.103\\] logits",
        "+++++",
        "4.63",
        "0.0312",
        "histories\\_without\\_excursion: inconclusive, 3.6 % of the claim's size",
        "✅ **replicated**",
    ]
    assert [row[0] for row in rows if row[0].startswith("↳")] == ["↳ slow", "↳ slope"]


def test_verdicts_come_with_their_reasons_and_doubts():
    report = samples.build()
    report["claims"][0].update(criterion_changed=True, criterion_changes=["prediction"])
    text = markdown.render(report)
    assert "criterion changed since it was registered: prediction" in text
    assert "**inconclusive**<br>**cannot discriminate**<br>seed 2 lies outside" in text
    assert "> The primary protocol was chosen after looking at dense curves." in text


def test_what_the_gate_found_is_said():
    findings = [
        {"claim": "zuo2026/a_b", "text": f"finding {i} | x", "red": i == 0}
        for i in range(markdown.FINDINGS + 3)
    ]
    report = samples.build(gate={"baseline": "claims/baseline.json", "ok": False, "findings": findings})
    text = markdown.render(report)
    assert (
        "\n\n**Against claims/baseline.json: CHANGED.**\n\n- ❌ **zuo2026/a\\_b**: finding 0 \\| x\n" in text
    )
    assert "\n- and 3 more, all in report.json\n" in text
    assert "Against" not in markdown.render(samples.build())


def test_the_environment_is_the_last_line():
    assert markdown.render(samples.build()).splitlines()[-1] == (
        "commit 0123456789ab; A CPU @ 2.0 GHz; Python 3.11.2; numpy 2.4.6, torch 2.13.0+cpu; took 4 min 32 s"
    )


def test_text_from_claims_is_shown_as_it_is():
    text = markdown.render(samples.hostile(HOSTILE))
    assert "<script>" not in text
    assert not re.search(r"(?<!\\)`", text)
    assert not re.search(r"(?<!\\)\]\(", text)
    assert "\n# head" not in text
    assert "\n- list" not in text
    assert all(len(row) == 9 for row in tables(text))


@given(st.text())
def test_escaped_text_has_one_line_and_nothing_special(text):
    escaped = markdown.escape(text)
    assert len(escaped.splitlines()) <= 1
    assert not re.search(r"[`*_\[\]<>#|~&$]", re.sub(r"\\.", "", escaped))


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (samples.build([], []), "0 of 0 claims run: 0 replicated"),
        (samples.build([]), "PARTIAL: 0 of 9 claims run"),
        (samples.all_errors(), "9 of 9 claims run: 0 replicated, 9 error"),
        (samples.many(500), "500 of 500 claims run: 500 replicated"),
        (samples.many(1, 50), "+" * 50),
        ({}, "0 of 0 claims run"),
        ({"summary": None, "claims": None, "papers": None, "environment": None}, "0 of 0 claims run"),
        ({"claims": [{"surprise": 1}]}, "unnamed"),
        ({"claims": [{"id": "x", "parts": {"a": None}}]}, "↳ a"),
    ],
    ids=["no claims", "not run", "errors", "500 claims", "50 seeds", "empty", "nulls", "empty claim",
         "empty part"],
)  # fmt: skip
def test_unusual_reports_say_what_they_are(report, words):
    assert words in markdown.render(report)


def test_what_does_not_fit_a_job_summary_is_left_out_and_said_so(monkeypatch):
    monkeypatch.setattr(markdown, "LIMIT", 20_000)
    text = markdown.render(samples.many(500))
    assert len(text.encode()) < 21_000
    shown = len(tables(text))
    assert 0 < shown < 500
    assert f"*{500 - shown} claims left out for size: report.json and report.html hold all.*" in text


def test_what_fits_is_all_there():
    text = markdown.render(samples.many(500))
    assert len(tables(text)) == 500
    assert "left out" not in text
    assert len(text.encode()) < 2**20
