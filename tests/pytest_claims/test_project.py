import pytest

from pytest_claims.files import FileError
from pytest_claims.project import locate


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
