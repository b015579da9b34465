import pytest

from pytest_claims.page.card import card
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.page.outline import read


def shown(name, figures=(), **fields):
    (found,) = (claim for claim in samples.build()["claims"] if claim["id"].endswith(f"/{name}"))
    return read(card({**found, **fields}, "claim-x", figures)).one("article")


def facts(element):
    """Terms with their definitions."""
    return {term.text: term.parent.one("dd").text for term in element.all("dt")}


def test_a_card_says_what_was_claimed_seen_and_how_sure_we_are():
    found = shown("immediate-gap")
    assert found.one("h4").text == samples.IMMEDIATE["statement"]
    assert found.one("code").text == "zuo2026/immediate-gap"
    told = facts(found)
    for term, text in {
        "Predicted": "> 0 logits",
        "Reported": "0.0976 logits (5 seeds, p = 0.0625)",
        "Ours": "0.085 [0.067, 0.103] logits",
        "Compared": "87.4 % of the reported number; the reported number lies inside our interval",
        "Seeds": "+++++",
        "Effect size": "4.63",
        "p": "0.0312 for the claim, 1 against it, 0.0625 two-sided",
        "Control": "histories_without_excursion: inconclusive, 3.6 % of the claim's size",
    }.items():
        assert told[term] == text
    assert len(list(found.all("circle"))) == 5


def test_how_it_was_measured_is_said_where_it_is_known():
    assert facts(shown("immediate-gap", method="Margin from below − margin from above."))["Measured"] == (
        "Margin from below − margin from above."
    )
    assert "Measured" not in facts(shown("immediate-gap", method=None))


def test_runs_and_provenance_are_folded_away():
    fold = shown("immediate-gap").one("details")
    assert "open" not in fold.attributes
    told = facts(fold)
    assert told["Runs"] == "anchor, branch from below, branch from above"
    assert told["Test"] == samples.IMMEDIATE["nodeid"]
    assert told["Value of each seed"] == "0: 0.0812, 1: 0.1043, 2: 0.0671, 3: 0.0953, 4: 0.0788"
    assert told["Trained, measured"] == "15 runs, 10 measurements"


def test_the_criterion_says_whether_it_is_the_registered_one():
    assert "criterion as registered" in shown("immediate-gap", registered=True).text
    changed = shown(
        "immediate-gap", registered=True, criterion_changed=True, criterion_changes=["prediction"]
    )
    assert "Criterion changed since it was registered: prediction." in changed.text
    assert "criterion as registered" not in changed.text
    assert "Not registered." in shown("immediate-gap", registered=False).text
    assert "registered" not in shown("immediate-gap", registered=None).text


def test_a_verdict_stands_with_its_reason():
    found = shown("relaxation")
    assert "inconclusive cannot discriminate" in found.one("p", class_="badges").text
    assert found.one("p", class_="reason").text == "seed 2 lies outside"


def test_an_error_keeps_its_lines():
    assert "\n" in shown("dose-response").one("p", class_="reason").texts[0]


def test_a_claim_in_parts_has_a_table_of_them():
    table = shown("no-hysteresis").one("table")
    assert [head.text for head in table.all("th", scope="row")] == ["slow", "slope"]
    slow, slope = table.one("tbody").all("tr")
    assert facts(slow)["Predicted"] == "within ±0.0488 (ours)"
    assert len(list(slope.all("circle"))) == 5
    assert slope.text.endswith("inconclusive")


def test_figures_that_show_the_claim_are_linked():
    links = [(a.text, a.attributes["href"]) for a in shown("immediate-gap", [(2, "figure-0-2")]).all("a")]
    assert links == [("figure 2", "#figure-0-2")]


@pytest.mark.parametrize("seeds", [0, 50])
def test_any_number_of_seeds(seeds):
    values = [i / 10 for i in range(seeds)]
    found = shown("immediate-gap", seeds=list(range(seeds)), values=values)
    assert len(list(found.all("circle"))) == seeds


@pytest.mark.parametrize(
    "fields", [{}, {"id": None, "statement": None, "parts": {"a": None}, "controls": [None]}]
)
def test_an_empty_claim_has_a_card(fields):
    found = read(card(fields, "claim-x")).one("article")
    assert found.one("h4").text == "No statement"
    assert found.attributes["aria-labelledby"] == "claim-x"
