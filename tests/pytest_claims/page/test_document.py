import re
from itertools import pairwise

import pytest

from pytest_claims import page
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.page.outline import read

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect id="a" width="9" height="9"/></svg>'
FIGURE = {"title": "A square", "alt": "One square.", "svg": SQUARE, "claims": ["zuo2026/immediate-gap"]}
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)> & \"quoted\" 'single' </style></title>"


def with_figures(*figures):
    report = samples.build()
    report["papers"][0]["figures"] = list(figures)
    return report


def shown(report):
    return read(page.render(report)).one("html")


def sound(root):
    """What must hold of every page: unique names, links that lead somewhere, headings without a gap."""
    names = [element.attributes["id"] for element in root.all() if "id" in element.attributes]
    assert len(names) == len(set(names))
    for link in root.all("a"):
        address = link.attributes["href"]
        assert address.startswith("https://") or address[1:] in names
    levels = [int(element.name[1]) for element in root.all() if re.fullmatch("h[1-6]", element.name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper - level <= 1 for level, deeper in pairwise(levels))
    return root


@pytest.mark.parametrize(
    "report",
    [
        samples.build(),
        samples.build([]),
        samples.build([], []),
        samples.many(500),
        samples.many(2, 50),
        samples.all_errors(),
        samples.hostile(MARKUP),
        with_figures(FIGURE, {}, {"svg": None, "claims": None}, {"svg": "<svg"}),
        {},
        {"summary": None, "claims": None, "papers": None, "environment": None},
        {"claims": [{}, {}, {"id": "x"}], "papers": [{}]},
        {"claims": [{"id": "a/b"}, {"id": "a-b"}, {"id": "a/b"}]},
        {"surprise": 1, "claims": [{"id": "a", "surprise": {"x": []}, "series": {"x": 1}}]},
    ],
    ids=[
        "sample", "not run", "no claims", "500 claims", "50 seeds", "all errors", "hostile", "figures",
        "empty", "nulls", "empty claims", "equal names", "unknown fields",
    ],
)  # fmt: skip
def test_every_report_makes_a_sound_page(report):
    root = sound(shown(report))
    assert len(list(root.all("article"))) == len(report.get("claims") or [])


def test_the_page_is_one_file_that_loads_and_runs_nothing():
    root = shown(samples.hostile(MARKUP))
    assert not {element.name for element in root.all()} & {
        "script",
        "img",
        "iframe",
        "object",
        "form",
        "base",
    }
    (link,) = root.all("link")
    assert link.attributes == {"rel": "icon", "href": "data:,"}
    for element in root.all():
        assert not [name for name in element.attributes if name.startswith("on") or name == "src"]
    style = root.one("style").text
    assert "url(" not in style
    assert "@import" not in style
    policy = root.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    assert policy.startswith("default-src 'none'")


def test_hostile_text_is_shown_as_text():
    root = shown(samples.hostile(MARKUP))
    for heading in root.all("h4"):
        assert heading.text == MARKUP
    assert root.one("title").text.startswith("Claims report: ")


def test_the_top_says_in_one_sentence_what_came_out():
    top = shown(samples.build()).one("header", class_="top")
    assert top.one("p", class_="lead").text == (
        "Of 8 claims tested, from 2 papers, 3 replicated, 1 came out contradicted, 3 stayed inconclusive and "
        "1 could not be judged."
    )
    assert [tile.text for tile in top.all("li")] == [
        "3 replicated", "1 contradicted", "3 inconclusive", "1 error", "1 not run", "1 cannot discriminate",
    ]  # fmt: skip
    assert top.one("p", class_="alert").text == "PARTIAL: 8 of 9 claims run"


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (samples.build([], []), "No claim is declared, so there is nothing to report."),
        (samples.build([]), "None of the 9 declared claims ran."),
        (samples.all_errors(), "Of 9 claims tested, from 2 papers, 0 replicated and 9 could not be judged."),
        (samples.many(1), "Of 1 claim tested, from 1 paper, 1 replicated."),
        ({}, "No claim is declared, so there is nothing to report."),
    ],
)
def test_unusual_runs_say_what_they_are(report, words):
    assert shown(report).one("p", class_="lead").text == words


def test_the_doubts_are_together():
    report = samples.build()
    report["claims"][0].update(criterion_changed=True, registered=False)
    report["environment"]["dirty"] = True
    doubts = shown(report).one("h2", id="doubts").parent.text
    for words in (
        "If every claim were false, chance alone would replicate",
        "The primary protocol was chosen after looking at dense curves.",
        "Contradicted: zuo2026/immediate-gap-plain-ramp",
        "zuo2026/relaxation",
        "Criterion changed since it was registered",
        "Not registered",
        "Error",
        "The checkout had changes that are in no commit.",
    ):
        assert words in doubts


def test_what_the_gate_found_is_there():
    finding = {"claim": "zuo2026/immediate-gap", "text": MARKUP, "red": True}
    gate = {"baseline": "claims/baseline.json", "ok": False, "findings": [finding, {**finding, "red": False}]}
    root = sound(shown(samples.build(gate=gate)))
    section = root.one("h2", id="gate").parent
    assert section.one("p", class_="alert").text == "claims/baseline.json: CHANGED"
    said = f"zuo2026/immediate-gap: {MARKUP}"
    assert [item.text for item in section.all("li")] == [f"Red: {said}", said]
    passed = shown(samples.build(gate={"baseline": "b.json", "ok": True, "findings": []}))
    assert "b.json: nothing that matters changed" in passed.one("h2", id="gate").parent.text
    assert not list(shown(samples.build()).all("h2", id="gate"))


def test_a_paper_has_its_citation_and_what_is_its_and_what_is_ours():
    root = shown(samples.build())
    section = root.one("h2", id="paper-0").parent
    assert section.one("p", class_="citation").text.startswith("Zuo Yuchen (2026).")
    paper, ours = section.all("table", class_="protocol")
    assert paper.one("caption").text == "Stated by the paper (1)"
    assert ours.one("caption").text == "Not stated, chosen here (2)"
    assert paper.one("th").text == "layers"
    (link,) = (a for a in root.all("a") if a.attributes["href"].startswith("https://"))
    assert link.attributes["href"] == "https://arxiv.org/abs/2605.27774"


def test_figures_are_numbered_described_and_linked_both_ways():
    root = shown(with_figures(FIGURE, {**FIGURE, "title": "Another", "claims": []}))
    first, second = root.all("figure")
    assert first.one("figcaption").text.startswith("Figure 1. A square")
    assert second.one("figcaption").text.startswith("Figure 2. Another")
    assert first.one("svg").attributes["aria-label"] == "One square."
    assert first.one("div", class_="frame").attributes["tabindex"] == "0"
    claim = first.one("a").attributes["href"][1:]
    assert root.one("h4", id=claim).text == samples.IMMEDIATE["statement"]
    back = [a for a in root.all("a") if a.attributes["href"] == f"#{first.attributes['id']}"]
    assert [a.text for a in back] == ["figure 1"]
    rects = [rect.attributes["id"] for rect in root.all("rect") if "id" in rect.attributes]
    assert rects == ["figure-0-1-a", "figure-0-2-a"]


def test_a_paper_without_figures_has_no_heading_for_them():
    assert "Figures" not in [heading.text for heading in shown(samples.build()).all("h3")]


def test_the_environment_names_machine_versions_and_commit():
    footer = shown(samples.build()).one("footer").text
    for words in (
        "pytest claims -n auto",
        "A CPU @ 2.0 GHz",
        "torch 2.13.0+cpu",
        "0123456789abcdef",
        "4 min 32 s",
    ):
        assert words in footer


def test_landmarks():
    root = shown(samples.build())
    assert root.attributes["lang"] == "en"
    for name in ("main", "nav", "footer"):
        root.one(name)
    skip = next(root.all("a"))
    assert skip.attributes["href"] == f"#{root.one('main').attributes['id']}"


def test_the_same_report_makes_the_same_page():
    assert page.render(with_figures(FIGURE)) == page.render(with_figures(FIGURE))


def test_five_hundred_claims_stay_small():
    assert len(page.render(samples.many(500)).encode()) < 3 * 2**20
