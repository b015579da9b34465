import subprocess
import sys

import pytest

from pytest_claims import baseline, registry
from pytest_claims.cli import main
from pytest_claims.files import write_json
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.test_baseline import whole


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with a registry and a baseline; the current folder is one below it."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nclaims_registry = "claims/registered.json"\n'
    )
    write_json(tmp_path / "claims" / "registered.json", registry.build(samples.DECLARATIONS, samples.PAPERS))
    baseline.write(whole(), tmp_path / "claims" / "baseline.json")
    monkeypatch.chdir(tmp_path / "claims")
    return tmp_path


def test_list_finds_the_registry_and_the_baseline_beside_it(project, capsys):
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert "zuo2026/immediate-gap-plain-ramp" in text
    assert "1 contradicted" in text


def test_list_takes_other_files(project, capsys):
    other = project / "other.json"
    write_json(other, registry.build([samples.IMMEDIATE], samples.PAPERS))
    assert main(["list", "--registry", "../other.json"]) == 0
    assert "1 claim registered: 1 none accepted" in capsys.readouterr().out


def test_list_without_a_project_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["list"]) == 2
    assert "claims: no registry: give --registry FILE, or set claims_registry" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--registry", "--baseline"])
def test_a_missing_file_is_named(project, capsys, option):
    assert main(["list", option, "nowhere.json"]) == 2
    assert "nowhere.json: no such file" in capsys.readouterr().err


def test_list_needs_neither_torch_nor_numpy(project):
    code = (
        "import sys; from pytest_claims.cli import main; assert main(['list']) == 0; "
        "assert not {'torch', 'numpy', 'scipy', 'pytest'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_reader_that_goes_away_is_no_error(project):
    code = "from pytest_claims.cli import main; raise SystemExit(main(['list']))"
    done = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "{sys.executable}" -c "{code}" | true'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["list", "--help"], ["store", "--help"], ["store", "prune", "--help"], ["export", "--help"]],
)
def test_help(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0
    assert "usage: claims" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["store"], ["export", "immediate-gap"]])
def test_what_is_no_command_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: claims" in capsys.readouterr().err


def test_store_commands_look_at_the_projects_store(project, capsys, monkeypatch):
    monkeypatch.delenv("CLAIMS_STORE", raising=False)
    for action in ("list", "verify", "prune"):
        assert main(["store", action]) == 0
        assert str(project / ".claims") in capsys.readouterr().out


def test_the_store_is_named_by_the_option_then_by_the_environment(project, capsys, monkeypatch):
    monkeypatch.setenv("CLAIMS_STORE", str(project / "elsewhere"))
    main(["store", "list"])
    assert str(project / "elsewhere") in capsys.readouterr().out
    main(["store", "list", "--claims-store", str(project / "given")])
    assert str(project / "given") in capsys.readouterr().out


def test_a_damaged_entry_fails_the_verification(project, capsys):
    entry = project / "store" / "entries" / "ab" / "abcd.json"
    entry.parent.mkdir(parents=True)
    entry.write_text("{")
    assert main(["store", "verify", "--claims-store", str(project / "store")]) == 1
