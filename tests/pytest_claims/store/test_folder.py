import subprocess

import pytest

from pytest_claims.store import folder


def test_the_folder_keeps_itself_out_of_version_control_and_backups(tmp_path):
    root = tmp_path / "a/store"
    assert folder.prepare(root) is None
    assert (root / ".gitignore").read_text() == "*\n"
    assert (root / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert {file.name for file in root.iterdir()} == {".gitignore", "CACHEDIR.TAG", "entries", "locks"}
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    status = subprocess.run(
        ["git", "-C", tmp_path, "status", "--short"], capture_output=True, text=True, check=True
    )
    assert status.stdout == ""


def test_opening_it_again_changes_nothing(tmp_path):
    folder.prepare(tmp_path)
    (tmp_path / ".gitignore").write_text("mine\n")
    assert folder.prepare(tmp_path) is None
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_a_place_that_cannot_be_written_says_why(tmp_path):
    (tmp_path / "file").touch()
    assert folder.prepare(tmp_path / "file/store") == "Not a directory"


def test_a_full_disk_is_noticed_at_once(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder.os, "fsync", full)
    assert folder.prepare(tmp_path) == "No space left on device"
    assert not list(tmp_path.glob("probe*"))


@pytest.mark.parametrize("name", ["entries_folder", "locks_folder"])
def test_its_folders_lie_inside(tmp_path, name):
    assert getattr(folder, name)(tmp_path).parent == tmp_path
