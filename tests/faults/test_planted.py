"""Every planted fault turns the replay red and names claims of its papers; what is no fault does not."""

import os
import subprocess
import sys

import pytest

from tests.faults import planted

pytestmark = pytest.mark.skipif(
    not (planted.ROOT / "claims/baseline.replay.json").is_file(), reason="there is no baseline to replay"
)


def replay(root):
    command = "import sys; from pytest_claims.cli import main; sys.exit(main(['gate', '--replay']))"
    # The copy's own packages, not those that are installed.
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, "-c", command],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_seen_and_claims_are_named(fault, tmp_path):
    fault.plant(planted.copy(tmp_path))
    found = replay(tmp_path)
    assert found.returncode == 1, found.stdout + found.stderr
    for paper in fault.papers:
        assert f"{paper}/" in found.stdout


@pytest.mark.parametrize("change", planted.HARMLESS, ids=lambda change: change.name)
def test_what_is_no_fault_passes(change, tmp_path):
    change.plant(planted.copy(tmp_path))
    found = replay(tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "unchanged" in found.stdout


def test_a_fault_that_the_code_outgrew_says_so(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/decoder.py").write_text("")
    with pytest.raises(LookupError, match=r"attention scale off by 10 %: models/decoder\.py no longer has"):
        planted.FAULTS[0].plant(tmp_path)
