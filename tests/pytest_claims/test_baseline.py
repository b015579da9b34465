import copy

import pytest

from pytest_claims import baseline
from pytest_claims.files import FileError
from tests.pytest_claims import sample_reports as samples


def whole():
    """A report in which every declared claim ran and has a verdict."""
    rows = [row for row in samples.rows() if row["verdict"] != "error"]
    ids = {row["id"] for row in rows}
    return samples.build(rows, [declared for declared in samples.DECLARATIONS if declared["id"] in ids])


@pytest.fixture
def accepted(tmp_path):
    path = tmp_path / "baseline.json"
    baseline.write(whole(), path)
    return baseline.load(path)


def claim(report, name):
    return next(claim for claim in report["claims"] if claim["id"] == name)


def test_a_report_passes_against_itself_whatever_its_verdicts(accepted):
    found = baseline.compare(whole(), accepted)
    assert found.ok
    assert found.lines == ("7 claims run, no error, no verdict changed",)


def test_other_values_with_the_same_verdict_pass(accepted):
    report = whole()
    claim(report, "zuo2026/immediate-gap").update(estimate=0.2, values=[0.2] * 5)
    assert baseline.compare(report, accepted).ok


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {"verdict": "inconclusive", "estimate": 0.01},
            "zuo2026/immediate-gap: replicated in the baseline, now inconclusive "
            "(estimate 0.08534, now 0.01)",
        ),
        ({"verdict": "error", "reason": "worker gw1 died"}, "zuo2026/immediate-gap: error: worker gw1 died"),
        ({"verdict": "not run"}, "zuo2026/immediate-gap: did not run"),
        (
            {"criterion_changed": True, "criterion_changes": ["prediction"]},
            "zuo2026/immediate-gap: criterion changed since it was registered: prediction",
        ),
        ({"registered": False}, "zuo2026/immediate-gap: not registered"),
    ],
)
def test_what_turns_the_gate_red(accepted, change, line):
    report = whole()
    claim(report, "zuo2026/immediate-gap").update(change)
    found = baseline.compare(report, accepted)
    assert not found.ok
    assert found.lines == (line,)


def test_a_verdict_that_improved_is_a_change_too(accepted):
    report = whole()
    claim(report, "zuo2026/immediate-gap-plain-ramp")["verdict"] = "replicated"
    assert not baseline.compare(report, accepted).ok


def test_a_new_claim_and_a_lost_one(accepted):
    report = whole()
    claim(report, "zuo2026/immediate-gap")["id"] = "zuo2026/renamed"
    assert baseline.compare(report, accepted).lines == (
        "zuo2026/renamed: replicated, and not in the baseline",
        "zuo2026/immediate-gap: in the baseline, but no longer declared",
    )


def test_values_of_every_seed_and_part_are_kept(accepted):
    assert accepted["claims"]["zuo2026/immediate-gap"]["values"] == [0.0812, 0.1043, 0.0671, 0.0953, 0.0788]
    assert accepted["claims"]["zuo2026/no-hysteresis"]["parts"]["slope"]["verdict"] == "inconclusive"


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (samples.build(), "PARTIAL: 8 of 9 claims run"),
        (samples.build(samples.rows(), samples.DECLARATIONS[:-1]), "1 claim erred"),
    ],
)
def test_a_partial_or_erring_run_is_never_accepted(tmp_path, report, message):
    path = tmp_path / "baseline.json"
    baseline.write(whole(), path)
    before = path.read_bytes()
    with pytest.raises(FileError, match=message):
        baseline.write(copy.deepcopy(report), path)
    assert path.read_bytes() == before


def test_another_json_file_is_refused(tmp_path):
    path = tmp_path / "baseline.json"
    path.write_text('{"schema_version": 1}')
    with pytest.raises(FileError, match="not a claims baseline"):
        baseline.load(path)
