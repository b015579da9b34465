import subprocess
import sys
from importlib import metadata

from pytest_claims import environment


def git(folder, *arguments):
    subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e", *arguments],
        check=True,
        capture_output=True,
    )


def test_a_checkout_is_clean_until_a_file_changes(tmp_path):
    git(tmp_path, "init")
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-m", "a")
    found = environment.describe(tmp_path, 1)
    assert len(found["commit"]) == 40
    assert found["dirty"] is False
    (tmp_path / "a").write_text("2")
    assert environment.describe(tmp_path, 1)["dirty"] is True


def test_outside_a_checkout(tmp_path):
    found = environment.describe(tmp_path, 3)
    assert (found["commit"], found["dirty"], found["threads"]) == (None, None, 3)


def test_the_machine_and_the_versions(tmp_path):
    found = environment.describe(tmp_path, 1)
    assert found["versions"]["numpy"] == metadata.version("numpy")
    assert found["cores"] >= 1
    assert found["cpu"]
    assert found["python"] == sys.version.split()[0]


def test_describing_torch_does_not_import_it(tmp_path):
    code = (
        "import sys, pathlib; from pytest_claims import environment; "
        "environment.describe(pathlib.Path('.'), 1); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
