import importlib.metadata
import shutil
import sys
import types

import pytest

from pytest_claims.store.fingerprint import Fingerprints

FILES = {
    "models/__init__.py": "",
    "models/decoder.py": (
        '"""Doc."""\nimport numpy as np\nfrom models import layers\n\n'
        'def f(x):\n    """Doc."""\n    return layers.g(x)\n'
    ),
    "models/layers.py": "def g(x):\n    from .deep import h\n    return h(x)\n",
    "models/deep.py": "import json, yaml_not_there\nK = 1\n'''About K.'''\ndef h(x):\n    return x + K\n",
    "models/other.py": "unrelated = 1\n",
    "experiment.py": "from pytest_claims import Store\nimport models.decoder\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    module = types.ModuleType("experiment")
    module.__file__ = str(tmp_path / "experiment.py")
    monkeypatch.setitem(sys.modules, "experiment", module)
    return tmp_path


def fingerprint(project):
    return Fingerprints(project).of(["experiment"])


def edit(project, name, old, new):
    text = (project / name).read_text()
    assert old in text
    (project / name).write_text(text.replace(old, new))


def test_the_closure_holds_the_files_reached_and_no_others(project):
    assert set(fingerprint(project).files) == {
        "experiment.py",
        "models/__init__.py",
        "models/decoder.py",
        "models/layers.py",
        "models/deep.py",
    }


def test_third_party_versions_count_and_the_standard_library_and_the_plugin_do_not(project):
    assert fingerprint(project).versions == {
        "numpy": importlib.metadata.version("numpy"),
        "yaml_not_there": "not installed",
    }


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("models/decoder.py", '"""Doc."""', '"""Other words."""'),
        ("models/decoder.py", '    """Doc."""\n', ""),
        ("models/deep.py", "'''About K.'''", "'''More about K.'''"),
        ("models/deep.py", "K = 1", "K  =  (1)  # one"),
        ("models/deep.py", "    return x + K", "\n\n    # why\n    return (x +\n        K)"),
        ("models/other.py", "unrelated = 1", "unrelated = 2"),
    ],
)
def test_words_and_layout_do_not_count(project, name, old, new):
    before = fingerprint(project)
    edit(project, name, old, new)
    assert fingerprint(project) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("models/deep.py", "K = 1", "K = 2"),
        ("models/deep.py", "K = 1", "K = 1.0"),
        ("models/deep.py", "K = 1", "K = True"),
        ("models/deep.py", "x + K", "x - K"),
        ("models/deep.py", "x + K", "x + 'K'"),
        ("models/layers.py", "def g(x)", "def g(x=None)"),
        ("models/__init__.py", "", "import os\n"),
    ],
)
def test_code_counts_wherever_it_is_reached(project, name, old, new):
    before = fingerprint(project)
    edit(project, name, old, new)
    after = fingerprint(project)
    assert {file for file in after.files if after.files[file] != before.files[file]} == {name}


def test_a_new_import_is_followed(project):
    edit(project, "models/deep.py", "K = 1", "from models.other import unrelated as K")
    assert "models/other.py" in fingerprint(project).files


def test_the_place_of_the_project_does_not_count(project, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "copy"
    shutil.copytree(project, elsewhere)
    before = fingerprint(project)
    monkeypatch.setattr(sys.modules["experiment"], "__file__", str(elsewhere / "experiment.py"))
    assert fingerprint(elsewhere) == before


def test_the_hash_of_code_does_not_depend_on_the_python_that_computes_it(project):
    # Worked out once; `ast.dump` would differ between 3.12 and 3.13.
    assert (
        fingerprint(project).files["models/layers.py"]
        == "e2e0ffe3c2970897ece2d2f18e9fd260817b2b1aa3a063395389a12966f2d028"
    )


def test_an_installed_module_counts_by_its_version(tmp_path):
    source = Fingerprints(tmp_path).of(["numpy"])
    assert source.files == {}
    assert source.versions == {"numpy": importlib.metadata.version("numpy")}


def test_a_module_whose_source_is_unknown_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typed_in", types.ModuleType("typed_in"))
    with pytest.raises(ValueError, match="typed_in"):
        Fingerprints(tmp_path).of(["typed_in"])


def test_what_lies_in_an_environment_inside_the_project_is_not_its_source(project, monkeypatch):
    inside = project / ".venv/lib/site-packages/numpy/__init__.py"
    inside.parent.mkdir(parents=True)
    inside.touch()
    monkeypatch.setattr(sys.modules["numpy"], "__file__", str(inside))
    assert Fingerprints(project).of(["numpy"]).files == {}


def test_outdated_names_what_changed(project):
    source = fingerprint(project)
    assert Fingerprints(project).outdated(source.files, source.versions) is None
    assert Fingerprints(project).outdated(source.files, {"numpy": "1.0"}).startswith("numpy 1.0 → ")
    edit(project, "models/deep.py", "K = 1", "K = 2")
    assert Fingerprints(project).outdated(source.files, source.versions) == "source changed: models/deep.py"
    (project / "models/deep.py").unlink()
    assert Fingerprints(project).outdated(source.files, source.versions) == "source gone: models/deep.py"
