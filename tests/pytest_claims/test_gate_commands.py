import copy
import json

import pytest

from pytest_claims import cli
from tests.pytest_claims import sample_reports as samples


@pytest.fixture
def reports(tmp_path):
    """Two reports, the second of them changed."""

    def write(name, change):
        report = copy.deepcopy(samples.build())
        change(next(claim for claim in report["claims"] if claim["id"] == "zuo2026/immediate-gap"))
        path = tmp_path / name
        path.write_text(json.dumps(report))
        return str(path)

    return write


def test_a_report_differs_from_itself_in_nothing_but_what_is_wrong_with_it(reports, capsys):
    old = reports("old.json", lambda claim: None)
    assert cli.main(["compare", old, old]) == 1
    printed = capsys.readouterr().out
    assert "immediate-gap" not in printed
    assert "error" in printed
    assert "did not run" in printed


def test_two_reports_are_compared_number_by_number(reports, capsys):
    old = reports("old.json", lambda claim: None)
    new = reports("new.json", lambda claim: claim.update(estimate=0.2, values=[0.2] * 5))
    assert cli.main(["compare", old, new]) == 1
    assert "zuo2026/immediate-gap: result moved: 0.08534 before, 0.2 now" in capsys.readouterr().out


def test_a_missing_report_is_named(tmp_path, capsys):
    assert cli.main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 2
    assert "a.json: no such file" in capsys.readouterr().err


def test_without_a_baseline_the_gate_says_how_to_name_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["gate", "--replay"]) == 2
    assert "--baseline FILE" in capsys.readouterr().err
