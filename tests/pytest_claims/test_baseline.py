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


def test_twin_values_lie_beside_the_accepted_ones():
    twin = whole()
    claim(twin, "zuo2026/immediate-gap")["values"] = [0.1] * 5
    entries = baseline.build(whole(), twin)["claims"]
    assert entries["zuo2026/immediate-gap"]["twin"] == [0.1] * 5
    assert entries["zuo2026/no-hysteresis"]["parts"]["slow"]["twin"] == [0.012, -0.008, 0.021, 0.004, 0.009]
    assert baseline.build(whole())["claims"]["zuo2026/immediate-gap"]["twin"] is None


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
