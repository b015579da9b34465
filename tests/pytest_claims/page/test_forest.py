from pytest_claims.page.forest import forest
from pytest_claims.sections import sections
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.page.outline import read


def table(report):
    parts = sections(report)
    anchors = {id(claim): f"a{i}" for i, claim in enumerate(c for _, claims in parts for c in claims)}
    return read(forest(parts, anchors)).one("table")


def rows(report):
    return [row for body in table(report).all("tbody") for row in body.all("tr") if list(row.all("td"))]


def test_every_claim_has_one_row_that_leads_to_it():
    report = samples.build()
    found = rows(report)
    names = [row.one("a").text for row in found]
    assert names == [claim["id"].partition("/")[2] for _, claims in sections(report) for claim in claims]
    assert [row.one("a").attributes["href"] for row in found] == [f"#a{i}" for i in range(len(found))]


def test_papers_are_row_groups_and_columns_have_heads():
    found = table(samples.build())
    groups = [head.text for head in found.all("th", scope="rowgroup")]
    assert groups == ["zuo2026", "huang2026"]
    heads = [head.text for head in found.one("thead").all("th")]
    assert [head.partition(" -")[0] for head in heads] == [
        "Claim",
        "Reported",
        "Ours, 95 % interval",
        "Standard deviations beyond the bound",
        "Verdict",
    ]


def test_a_row_sets_ours_beside_what_was_reported():
    (row, *_) = rows(samples.build())
    assert [cell.text for cell in row.all("td")] == [
        "0.0976 logits (5 seeds, p = 0.0625)",
        "0.085 [0.067, 0.103] logits",
        "",
        "replicated",
    ]


def test_a_claim_in_parts_says_how_many_held():
    (row,) = (row for row in rows(samples.build()) if row.one("a").text == "no-hysteresis")
    assert "1 of 2 parts replicated" in row.text


def test_names_from_claims_are_only_text():
    report = {"claims": [{"id": "x/<img src=x>", "verdict": "replicated"}, {}]}
    first, second = rows(report)
    assert first.one("a").text == "<img src=x>"
    assert second.one("a").text == "unnamed"
    assert "not run" in second.text
