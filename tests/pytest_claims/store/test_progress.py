import subprocess
import sys

import pytest

from pytest_claims.store import progress
from pytest_claims.store.progress import Job, Reporter, progress_line, read_progress


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when told to."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_progress_goes_from_the_worker_to_the_reader(tmp_path, clock):
    reporter = Reporter(tmp_path, "gw0")
    with reporter.job("anchor seeds 0-2") as report:
        report(0, 100)
        clock[0] += 10
        report(25, 100)
        (job,) = read_progress(tmp_path)
        assert (job.worker, job.what, job.done, job.total) == ("gw0", "anchor seeds 0-2", 25, 100)
        assert job.seconds_left == pytest.approx(30)
    assert read_progress(tmp_path) == []


def test_the_pace_is_counted_from_the_first_report(tmp_path, clock):
    """A run may first have another one trained, or resume in the middle."""
    with Reporter(tmp_path, "gw0").job("branch seed 0") as report:
        clock[0] += 1000
        report(50, 100)
        assert read_progress(tmp_path)[0].seconds_left is None
        clock[0] += 10
        report(60, 100)
        assert read_progress(tmp_path)[0].seconds_left == pytest.approx(40)


def test_it_is_not_written_more_often_than_anyone_looks(tmp_path, clock):
    with Reporter(tmp_path, "gw0").job("anchor seed 0") as report:
        report(1, 100)
        report(2, 100)
        assert read_progress(tmp_path)[0].done == 1
        report(100, 100)
        assert read_progress(tmp_path)[0].done == 100


def test_an_inner_training_is_told_and_then_the_outer_again(tmp_path):
    reporter = Reporter(tmp_path, "gw0")
    with reporter.job("branch seed 0"):
        with reporter.job("anchor seed 0"):
            assert [job.what for job in read_progress(tmp_path)] == ["anchor seed 0"]
        assert [job.what for job in read_progress(tmp_path)] == ["branch seed 0"]


def test_waiting_names_whom_one_waits_for(tmp_path):
    with Reporter(tmp_path, "gw1").waiting("anchor seed 3", "anchor seed 3 (gw0, process 12)"):
        assert progress_line(read_progress(tmp_path)) == "gw1 waits for anchor seed 3 (gw0, process 12)"


def test_a_dead_workers_file_is_not_read(tmp_path):
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    with Reporter(tmp_path, "gw0").job("anchor seed 0"):
        file = tmp_path / "gw0.progress.json"
        assert len(read_progress(tmp_path)) == 1
        file.write_text(file.read_text().replace(str(progress.os.getpid()), child.stdout.strip()))
        assert read_progress(tmp_path) == []


def test_a_file_in_the_making_is_passed_over(tmp_path):
    (tmp_path / "gw0.progress.json").write_text('{"worker": "gw')
    (tmp_path / "gw1.progress.json").write_text('{"other": 1}')
    assert read_progress(tmp_path) == []


def test_nobody_listening_or_a_full_disk_does_not_end_a_training(tmp_path):
    for folder in (None, tmp_path / "gone"):
        with Reporter(folder, "gw0").job("anchor seed 0") as report:
            report(1, 2)


def test_the_line():
    jobs = [
        Job("gw0", 1, "anchor seeds 0-2", 1200, 4000, 61.4),
        Job("gw1", 2, "branch seed 0"),
    ]
    assert progress_line(jobs) == "anchor seeds 0-2: 1200 of 4000, 61 s left; branch seed 0"
    assert progress_line([]) == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (89, "89 s"), (119, "2 min"), (5300, "88 min"), (7500, "2 h 5 min")]
)
def test_durations(seconds, text):
    assert progress.duration(seconds) == text
