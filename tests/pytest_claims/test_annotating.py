import pytest

from pytest_claims.annotating import workflow_commands
from pytest_claims.gate import Comparison, Finding


def compared(count, red=True, text="moved"):
    findings = tuple(Finding(f"toy2026/claim-{i}", text, red) for i in range(count))
    return Comparison(not red, tuple(finding.line for finding in findings), findings)


@pytest.fixture
def actions(monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")


def test_elsewhere_there_are_none(monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert workflow_commands(compared(3)) == []


@pytest.mark.usefixtures("actions")
def test_what_is_red_is_an_error():
    assert workflow_commands(compared(1)) == ["::error title=toy2026/claim-0::moved"]
    assert workflow_commands(compared(2, red=False)) == []


@pytest.mark.usefixtures("actions")
def test_there_are_at_most_ten():
    assert len(workflow_commands(compared(10))) == 10
    lines = workflow_commands(compared(60))
    assert len(lines) == 10
    assert lines[-1] == "::error title=claims::and 51 more, see the job summary"


@pytest.mark.usefixtures("actions")
def test_a_finding_cannot_forge_a_command():
    (line,) = workflow_commands(compared(1, text="100 %\n::warning::forged"))
    assert line == "::error title=toy2026/claim-0::100 %25%0A::warning::forged"
