import sys
from pathlib import Path

import pytest

from pytest_claims.files import FileError
from pytest_claims.project import load_module, locate


@pytest.mark.parametrize("table", ["tool.pytest.ini_options", "tool.pytest"])
def test_settings_are_found_from_a_folder_below(tmp_path, table):
    (tmp_path / "pyproject.toml").write_text(f'[{table}]\nclaims_registry = "claims/registered.json"\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert locate(None, "claims_registry", below) == tmp_path / "claims" / "registered.json"


def test_a_nested_project_without_pytest_settings_is_passed_over(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nclaims_store = "kept"\n')
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert locate(None, "claims_store", tmp_path / "a") == tmp_path / "kept"


def test_the_command_line_wins(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nclaims_store = "kept"\n')
    assert locate("other", "claims_store", tmp_path) == tmp_path / "other"
    assert locate(None, "claims_registry", tmp_path) is None


def test_a_damaged_project_file_is_named(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool")
    with pytest.raises(FileError, match=r"pyproject\.toml"):
        locate(None, "claims_store", tmp_path)


def test_a_module_is_imported_by_its_name_from_the_projects_root(tmp_path):
    (tmp_path / "apart_from_all").mkdir()
    (tmp_path / "apart_from_all" / "beside.py").write_text("VALUE = 7\n")
    (tmp_path / "apart_from_all" / "drawn.py").write_text("from apart_from_all.beside import VALUE\n")
    before = list(sys.path)
    module = load_module(tmp_path, Path("apart_from_all/drawn.py"))
    assert (module.__name__, module.VALUE) == ("apart_from_all.drawn", 7)
    assert sys.path == before


def test_another_module_of_the_same_name_is_refused(tmp_path):
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "decoder.py").write_text("")
    with pytest.raises(ImportError, match=r"json\.decoder is .*not .*"):
        load_module(tmp_path, Path("json/decoder.py"))
