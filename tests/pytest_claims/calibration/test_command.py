import json
import subprocess
import sys

import pytest

from pytest_claims.calibration import simulation
from pytest_claims.cli import main


@pytest.fixture
def small(monkeypatch):
    """A simulation of one cell of each kind of noise, which takes no time."""
    whole = simulation.simulate(100)
    asked = []
    monkeypatch.setattr(simulation, "simulate", lambda repetitions: asked.append(repetitions) or whole)
    return asked


def test_it_prints_the_tables(small, capsys):
    assert main(["calibrate"]) == 0
    assert "### False replications" in capsys.readouterr().out
    assert small == [simulation.REPETITIONS]


def test_it_writes_both_files_and_prints_nothing(small, tmp_path, capsys):
    document, rates = tmp_path / "calibration.md", tmp_path / "new" / "calibration.json"
    document.write_text("# Title\n<!-- calibration -->\n<!-- /calibration -->\n", encoding="utf-8")
    options = ["--repetitions", "100", "--markdown", str(document), "--json", str(rates)]
    assert main(["calibrate", *options]) == 0
    assert document.read_text(encoding="utf-8").startswith("# Title\n<!-- calibration -->\n\nAll rates")
    assert json.loads(rates.read_text(encoding="utf-8"))["repetitions"] == 100
    assert capsys.readouterr().out == ""
    assert small == [100]


def test_too_few_repetitions_are_refused(small, capsys):
    assert main(["calibrate", "--repetitions", "99"]) == 2
    assert "99 experiments tell no rate; at least 100 do" in capsys.readouterr().err
    assert small == []


def test_no_other_command_waits_for_numpy():
    code = "import sys, pytest_claims.calibration.command; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
