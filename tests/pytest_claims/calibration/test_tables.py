import json
from pathlib import Path

import pytest

from pytest_claims.calibration import simulation, tables
from pytest_claims.calibration.cautions import TABLE

DOCUMENT = Path(__file__).parents[3] / "docs" / "calibration.md"


@pytest.fixture(scope="module")
def table():
    return simulation.simulate(100)


@pytest.fixture
def shipped():
    return json.loads(TABLE.read_text(encoding="utf-8"))


def test_every_rate_of_the_judge_is_in_a_table(table):
    table["nulls"][0]["replicated"] = 0.123
    table["power"][0]["contradicted"] = 0.321
    text = tables.render(table)
    assert "12.3 · " in text
    assert " / 32.1" in text or " / **32.1**" in text


def test_three_numbers_of_seeds_share_a_cell(table):
    cells = [
        {**cell, "replicated": share}
        for cell, share in zip(table["sign_flip_alone"][:3], (0.011, 0.022, 0.033), strict=True)
    ]
    text = tables.render({**table, "sign_flip_alone": cells})
    assert "|  | normal |\n| --- | ---: |\n| > | 1.1 · 2.2 · 3.3 |" in text


def test_what_is_above_alpha_beyond_its_error_is_bold(table):
    (cell, *rest) = table["nulls"]
    plain, bold = (
        tables.render({**table, "repetitions": n, "nulls": [{**cell, "replicated": 0.07}, *rest]})
        for n in (100, 10_000)
    )
    assert "| > | 7.0 · " in plain
    assert "| > | **7.0** · " in bold


def test_power_is_never_bold(table):
    (cell, *rest) = table["power"]
    found = tables.render({**table, "power": [{**cell, "replicated": 0.9123, "contradicted": 0.0}, *rest]})
    assert "| 91.2 / 8.8 / 0.0 |" in found


def test_the_tables_stand_between_the_marks_of_a_document():
    document = f"before\n\n{tables.BEGIN}\n\nold\n\n{tables.END}\nafter\n"
    found = tables.insert(document, "new\n")
    assert found == f"before\n\n{tables.BEGIN}\n\nnew\n\n{tables.END}\nafter\n"
    assert tables.insert(found, "new\n") == found


@pytest.mark.parametrize("text", ["", "no marks\n", f"{tables.END}{tables.BEGIN}", tables.BEGIN])
def test_without_marks_the_tables_are_the_document(text):
    assert tables.insert(text, "new\n") == "new\n"


def test_the_json_is_the_table_one_rate_a_line(table):
    text = tables.dump(table)
    assert json.loads(text) == table
    assert max(map(len, text.splitlines())) < 250


def test_the_document_shows_the_shipped_rates(shipped):
    document = DOCUMENT.read_text(encoding="utf-8")
    assert tables.insert(document, tables.render(shipped)) == document


def test_the_shipped_rates_are_those_of_the_command(shipped):
    assert tables.dump(shipped) == TABLE.read_text(encoding="utf-8")
    assert shipped["repetitions"] == simulation.REPETITIONS
    # The cheapest cell, simulated anew: seeds that hold a property are a draw a cell.
    assert list(simulation._holds(simulation.REPETITIONS)) == shipped["holds"]
