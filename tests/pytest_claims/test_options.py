from pathlib import Path

import pytest

from pytest_claims.options import read_options


def options(pytester: pytest.Pytester, *arguments: str):
    return read_options(pytester.parseconfig(*arguments))


def test_by_default_everything_lies_in_the_root(pytester: pytest.Pytester, monkeypatch):
    monkeypatch.delenv("CLAIMS_STORE", raising=False)
    pytester.makeini("[pytest]")
    found = options(pytester)
    assert (found.seeds, found.store, found.report) == (
        5,
        pytester.path / ".claims",
        pytester.path / ".claims/report",
    )
    assert (found.baseline, found.write_baseline, found.registry, found.register, found.explicit) == (
        None,
        None,
        None,
        False,
        False,
    )


def test_each_option_has_an_ini_twin(pytester: pytest.Pytester, monkeypatch):
    monkeypatch.delenv("CLAIMS_STORE", raising=False)
    pytester.makeini(
        """
        [pytest]
        claims_seeds = 7
        claims_store = s
        claims_report = r
        claims_baseline = b.json
        claims_write_baseline = w.json
        claims_registry = registered.json
        claims_register = true
        """
    )
    folder = pytester.mkdir("elsewhere")
    monkeypatch.chdir(folder)
    found = options(pytester)
    root = pytester.path
    assert (found.seeds, found.store, found.report) == (7, root / "s", root / "r")
    assert (found.baseline, found.write_baseline, found.registry) == (
        root / "b.json",
        root / "w.json",
        root / "registered.json",
    )
    assert found.register
    assert not found.explicit


def test_the_command_line_beats_the_environment_and_the_environment_the_ini(
    pytester: pytest.Pytester, monkeypatch
):
    pytester.makeini("[pytest]\nclaims_store = ini\nclaims_seeds = 7")
    folder = pytester.mkdir("elsewhere")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CLAIMS_STORE", "environment")
    assert options(pytester).store == folder / "environment"
    found = options(pytester, "--claims-store=line", "--seeds=9", "--claims-baseline=b.json")
    assert (found.store, found.seeds, found.baseline) == (folder / "line", 9, folder / "b.json")
    assert found.explicit


def test_absolute_paths_stay(pytester: pytest.Pytester, tmp_path: Path):
    assert options(pytester, f"--claims-report={tmp_path}").report == tmp_path


@pytest.mark.parametrize("seeds", ["0", "-3", "five", "2.5", " "])
def test_seeds_are_a_positive_whole_number(pytester: pytest.Pytester, seeds):
    with pytest.raises(pytest.UsageError, match="at least 1"):
        options(pytester, f"--seeds={seeds}")


def test_registering_needs_a_registry(pytester: pytest.Pytester):
    with pytest.raises(pytest.UsageError, match="claims_registry"):
        options(pytester, "--claims-register")
