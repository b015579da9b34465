import io

import pytest

from pytest_claims import explaining
from pytest_claims.files import FileError
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.test_terminal import Terminal, words


def printed(name, report=None, width=80, stream=None):
    stream = stream or io.StringIO()
    explaining.print_claim(report or samples.build(), name, file=stream, width=width)
    return stream.getvalue()


@pytest.mark.parametrize("name", ["zuo2026/immediate-gap", "immediate-gap"])
def test_a_claim_is_found_by_its_id_and_by_what_follows_its_paper(name):
    claim, paper = explaining.find(samples.build(), name)
    assert claim["id"] == "zuo2026/immediate-gap"
    assert paper["authors"] == "Zuo Yuchen"


def test_an_unknown_claim_is_refused_with_what_comes_near():
    with pytest.raises(FileError, match=r"no claim 'imediate-gap' .*mean .*zuo2026/immediate-gap"):
        explaining.find(samples.build(), "imediate-gap")
    with pytest.raises(FileError, match=r"no claim 'x' in the report$"):
        explaining.find({}, "x")


def test_an_ambiguous_name_is_refused():
    report = {"claims": [{"id": "a2026/gap"}, {"id": "b2026/gap"}]}
    with pytest.raises(FileError, match=r"did you mean a2026/gap, b2026/gap\?"):
        explaining.find(report, "gap")


def test_everything_that_is_known_of_a_claim_is_printed():
    text = words(printed("immediate-gap"))
    for expected in (
        "zuo2026 - Zuo Yuchen (2026).",
        "Note: The primary protocol was chosen after looking at dense curves.",
        samples.IMMEDIATE["statement"],
        "reported 0.0976 logits (5 seeds, p = 0.0625)",
        "ours 0.085 [0.067, 0.103] logits",
        "compared 87.4 % of the reported number; the reported number lies inside our interval",
        "p two-sided 0.0625",
        "0: 0.0812 1: 0.1043",
        "runs anchor, branch from below, branch from above",
        "trained 15 runs, 10 measurements",
        "took 1 min 21 s",
        samples.IMMEDIATE["nodeid"],
        "report of 2026-11-30T12:00:00+00:00",
    ):
        assert words(expected) in text


def test_seeds_are_plotted_and_curves_charted():
    report = samples.build()
    claim = report["claims"][0]
    claim["series"] = {"updates": [0, 25, 50, 100], "gap": [[0.09, -0.02, 0.01, 0.0]] * 5}
    lines = printed("immediate-gap", report).splitlines()
    (seeds,) = (line for line in lines if set(line) == {" ", "o"})
    assert seeds.count("o") == 5
    assert any(line.strip().startswith("|") and "R" in line and "x" in line for line in lines)
    assert "  gap, 5 curves, over updates from 0 to 100" in lines
    assert any(line.strip().startswith("0.09|") for line in lines)


def test_every_part_has_a_plot():
    lines = printed("no-hysteresis").splitlines()
    assert "  slow" in lines
    assert "  slope" in lines
    assert sum("a seed   |--x--|" in line for line in lines) == 1


@pytest.mark.parametrize("name", ["parameter-count", "dose-response", "saddle", "dominant-head"])
def test_claims_without_numbers_are_explained_too(name):
    text = printed(name)
    assert f"/{name}" in text
    assert "a seed   |--x--|" not in text


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("claim", samples.build()["claims"], ids=lambda claim: claim["id"])
def test_nothing_is_wider_than_the_terminal(width, claim):
    assert max(map(len, printed(claim["id"], width=width).splitlines())) <= width


def test_escape_codes_and_markup_from_claims_are_shown_not_obeyed():
    report = samples.hostile("[bold]x[/bold] \x1b[31m | <script>")
    report["claims"][0]["series"] = {"\x1b[31m[red]": [[0.0, 1.0, 2.0]] * 2}
    text = printed(report["claims"][0]["id"], report, stream=Terminal())
    assert "\x1b[31m" not in text
    assert "[bold]x[/bold]" in text
    assert "[31m[red], 2 curves" in text


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_stream_that_lacks_characters_takes_all_of_it(encoding):
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding=encoding, write_through=True)
    report = samples.hostile("left 左 ≥ é")
    explaining.print_claim(report, report["claims"][0]["id"], file=stream, width=80)
    assert b"\\u5de6" in buffer.getvalue()


def test_fifty_seeds_and_an_empty_claim():
    assert words(printed("claim-0", samples.many(1, 50))).count("+" * 50) == 1
    assert "x" in printed("x", {"claims": [{"id": "x"}]})
