import io
import re

import pytest

from pytest_claims import terminal
from tests.pytest_claims import sample_reports as samples


class Terminal(io.StringIO):
    """A stream that says it is a terminal with this encoding."""

    encoding = "utf-8"

    def isatty(self):
        return True


def printed(report, width=80, stream=None, **options):
    stream = stream or io.StringIO()
    terminal.print_report(report, file=stream, width=width, **options)
    return stream.getvalue()


def words(text):
    """The text without white space, so that folding does not matter."""
    return re.sub(r"\s+", "", text)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize("width", [40, 80, 149, 150, 200])
@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_nothing_is_wider_than_the_terminal_and_nothing_is_cut(width, stream):
    text = printed(samples.build(), width, stream())
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= width
    assert "..." not in plain
    assert "…" not in plain


@pytest.mark.parametrize("width", [40, 80])
def test_a_block_holds_all_of_a_claim(width):
    text = words(printed(samples.build(), width))
    for expected in (
        "replicated  zuo2026/immediate-gap",
        samples.IMMEDIATE["statement"],
        "predicted > 0 logits",
        "reported 0.0976 logits (5 seeds, p = 0.0625)",
        "ours 0.085 [0.067, 0.103] logits",
        "seeds +++++ effect 4.63 p 0.0312",
        "control histories_without_excursion: inconclusive, 3.6 % of the claim's size",
        "inconclusive, cannot discriminate zuo2026/relaxation",
        "every seed lies on the other side of the bound",
        "ValueError: loss became NaN at update 40",
        "slope, < 0: inconclusive ours -0.019 [-0.049, 0.011] seeds +++-+",
        "slope: seed 3 has the other sign",
        "Note: The primary protocol was chosen after looking at dense curves.",
        "PARTIAL: 8 of 9 claims run",
        "8 of 9 claims run: 3 replicated, 1 contradicted, 3 inconclusive, 1 error, 1 not run, "
        "1 cannot discriminate",
        "not run: huang2026/saddle",
        "If every claim were false",
    ):
        assert words(expected) in text


def test_a_wide_table_has_every_column():
    text = printed(samples.build(), 200)
    (head, *_) = (line for line in text.splitlines() if line.strip().startswith("claim"))
    assert head.split() == ["claim", "reported", "ours", "seeds", "effect", "p", "control", "verdict"]
    (row,) = (line for line in text.splitlines() if line.strip().startswith("zuo2026/immediate-gap  "))
    for expected in ("0.0976 logits", "0.085 [0.067, 0.103] logits", "+++++", "4.63", "0.0312", "replicated"):
        assert expected in row
    (part,) = (line for line in text.splitlines() if line.strip().startswith("slope: < 0"))
    assert "+++-+" in part
    assert "inconclusive" in part


def test_piped_output_is_plain():
    text = printed(samples.build(), 200)
    assert "\x1b" not in text
    assert "≥" not in text
    assert text.isascii()


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_escape_code_where_it_is_unwanted(monkeypatch, name, value):
    assert "\x1b" in printed(samples.build(), 80, Terminal())
    monkeypatch.setenv(name, value)
    assert "\x1b" not in printed(samples.build(), 80, Terminal())


def test_colour_can_be_forced_either_way():
    assert "\x1b" in printed(samples.build(), colour=True)
    assert "\x1b" not in printed(samples.build(), 80, Terminal(), colour=False)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_stream_that_lacks_characters_loses_none_of_the_text(encoding, width):
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding=encoding, write_through=True)
    terminal.print_report(samples.hostile("left 左 ≥ é ✔ \udcff"), file=stream, width=width)
    assert b"\\u5de6" in buffer.getvalue()
    assert b">=" in buffer.getvalue()


@pytest.mark.parametrize("width", [80, 200])
def test_markup_and_escape_codes_in_claims_are_shown_not_obeyed(width):
    text = printed(samples.hostile("[bold]x[/bold] [link=y] \x1b[31m | <script>"), width, Terminal())
    assert "[bold]x[/bold]" in text
    assert "\x1b[31m |" not in text


def test_what_stands_against_a_claim_is_shown():
    document = samples.build()
    document["claims"][0].update(criterion_changed=True, criterion_changes=["prediction"], registered=False)
    document["claims"][0]["attempts"] = [{"verdict": "error", "reason": "worker gw1 died"}]
    text = words(printed(document))
    assert words("criterion changed since it was registered: prediction") in text
    assert words("not registered") in text
    assert words("attempt: error, worker gw1 died") in text


@pytest.mark.parametrize(
    "document",
    [
        samples.build([], []),
        samples.many(500),
        samples.many(1, 50),
        samples.all_errors(),
        {},
        {"claims": [{}]},
    ],
    ids=["no claims", "500 claims", "50 seeds", "all errors", "empty", "empty claim"],
)
@pytest.mark.parametrize("width", [40, 200])
def test_unusual_reports_are_printed(document, width):
    assert re.search(r"\d+ of \d+ claims? run", " ".join(printed(document, width).split()))


def test_fifty_seeds_are_all_there():
    assert words(printed(samples.many(1, 50), 40)).count("+" * 50) == 1


def test_the_path_of_the_file_is_the_last_line(tmp_path):
    assert printed(samples.build(), 200, path=tmp_path).splitlines()[-1] == f"Report: {tmp_path}"
