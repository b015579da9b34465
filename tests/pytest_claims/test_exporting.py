"""`claims export` on a toy paper: what is generic about it, apart from any model."""

import json
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file

from pytest_claims import registry
from pytest_claims.cli import main
from pytest_claims.files import write_json
from pytest_claims.store import Store
from tests.pytest_claims import sample_reports as samples

PAPER_KEY = samples.PAPERS[0]["key"]
PAPER = f"""
from pytest_claims import Paper
PAPER = Paper(key={PAPER_KEY!r}, title="A toy", authors="A. Uthor", year=2026)
"""
LINE = """
from dataclasses import dataclass
import numpy as np

@dataclass(frozen=True)
class Line:
    slope: float

    @property
    def label(self):
        return f"line of slope {self.slope}"

    def train(self, seeds, store, progress):
        return {"w": np.array([[self.slope * (seed + 1.0)] for seed in seeds])}
"""
EXPORT = """
from pytest_claims.exporting import Export, Model, seeds_with
from {package}.toy.line import Line

FIRST, SECOND = Line(1.0), Line(2.0)

def export(claim, reader):
    seeds = seeds_with([FIRST, SECOND], reader, trained_by=claim)
    models = []
    for name, run in (("first", FIRST), ("second", SECOND)):
        arrays = reader.get(run, seeds)
        for place, seed in enumerate(seeds):
            config = {{"seed": seed, "claim": claim}}
            models.append(Model(f"seed-{{seed}}/{{name}}", {{"w": arrays["w"][place]}}, config))
    return Export(models, "# Toys\\n", ["A remark."])
"""


class Project:
    """A project with the toy paper, and a store that some tests fill."""

    def __init__(self, root, package):
        self.root, self.package = root, package
        self.claims = root / package
        (root / "pyproject.toml").write_text(
            f'[tool.pytest.ini_options]\nclaims_registry = "{package}/registered.json"\n'
        )
        self.write("toy/paper.py", PAPER)
        self.write("toy/line.py", LINE)
        self.write("toy/export.py", EXPORT.format(package=package))
        write_json(self.claims / "registered.json", registry.build(samples.DECLARATIONS, samples.PAPERS))

    def write(self, name, text):
        file = self.claims / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def train(self, slope, seeds):
        module = __import__(f"{self.package}.toy.line", fromlist=["Line"])
        store = Store(self.root / ".claims", project_root=self.root, announce=lambda line: None)
        store.get(module.Line(slope), seeds)


@pytest.fixture
def project(tmp_path, monkeypatch):
    package = f"claims_of_{tmp_path.name.translate(str.maketrans('-[]=', '____'))}"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLAIMS_STORE", raising=False)
    yield Project(tmp_path, package)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def said(capsys, *arguments, status=2):
    """What the command says on the stream that belongs to its status."""
    assert main(["export", *arguments]) == status
    out, err = capsys.readouterr()
    return err if status else out


def test_every_model_has_its_folder(project, capsys):
    project.train(1.0, (0, 3))
    project.train(2.0, (3, 0))
    text = said(capsys, "immediate-gap", "out/models", status=0)
    target = project.root / "out" / "models"
    assert f"4 trained models of {PAPER_KEY}/immediate-gap in {target}" in text
    assert "A remark." in text
    files = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    folders = ["seed-0/first", "seed-0/second", "seed-3/first", "seed-3/second"]
    assert files == [
        "README.md",
        *(f"{folder}/{name}" for folder in folders for name in ("config.json", "model.safetensors")),
    ]
    assert load_file(target / "seed-3" / "second" / "model.safetensors")["w"].tolist() == [8.0]
    config = json.loads((target / "seed-3" / "second" / "config.json").read_text())
    assert config == {"seed": 3, "claim": f"{PAPER_KEY}/immediate-gap"}
    assert (target / "README.md").read_text() == "# Toys\n"
    assert list((project.root / "out").iterdir()) == [target]  # nothing is left of the writing


def test_an_empty_folder_is_filled(project, capsys):
    for slope in (1.0, 2.0):
        project.train(slope, (0,))
    (project.root / "models").mkdir()
    said(capsys, "immediate-gap", "models", status=0)
    assert (project.root / "models" / "seed-0" / "first" / "config.json").exists()


def test_only_seeds_of_which_all_is_stored_are_exported(project, capsys):
    project.train(1.0, (0, 1, 2))
    project.train(2.0, (1, 2, 5))
    said(capsys, "immediate-gap", "models", status=0)
    assert sorted(path.name for path in (project.root / "models").glob("seed-*")) == ["seed-1", "seed-2"]


def test_another_store_and_registry_can_be_named(project, capsys, monkeypatch):
    for slope in (1.0, 2.0):
        project.train(slope, (0,))
    (project.root / ".claims").rename(project.root / "kept")
    assert "is not in the store" in said(capsys, "immediate-gap", "models")
    said(capsys, "immediate-gap", "models", "--claims-store", "kept", status=0)
    monkeypatch.setenv("CLAIMS_STORE", str(project.root / "kept"))
    registered = f"{project.package}/registered.json"
    said(capsys, "immediate-gap", "more", "--registry", registered, status=0)
    assert "no such file" in said(capsys, "immediate-gap", "yet-more", "--registry", "nowhere.json")


def test_nothing_stored_says_what_to_run_and_trains_nothing(project, capsys):
    text = said(capsys, "immediate-gap", "models")
    assert f"line of slope 1.0 is not in the store {project.root / '.claims'}" in text
    assert "run `pytest claims -k immediate_gap` first" in text
    assert not (project.root / ".claims").exists()
    assert not (project.root / "models").exists()


def test_a_missing_part_is_named_with_the_seeds_that_lack_it(project, capsys):
    project.train(1.0, (0, 1, 2))
    project.train(2.0, (7,))
    assert "line of slope 2.0 of seeds 0-2 is not in the store" in said(capsys, "immediate-gap", "models")


def test_changed_code_hides_what_was_trained(project, capsys):
    for slope in (1.0, 2.0):
        project.train(slope, (0,))
    project.write("toy/line.py", LINE.replace("self.slope * (seed + 1.0)", "self.slope + seed"))
    assert "as the present code trains it" in said(capsys, "immediate-gap", "models")


def test_a_damaged_entry_is_refused(project, capsys):
    for slope in (1.0, 2.0):
        project.train(slope, (0,))
    file = next((project.root / ".claims").rglob("*.safetensors"))
    file.write_bytes(file.read_bytes()[:-4])
    text = said(capsys, "immediate-gap", "models")
    assert "is damaged (checksum differs): `claims store verify` names it" in text
    assert not (project.root / "models").exists()


@pytest.mark.parametrize("name", ["file", "folder"])
def test_what_is_there_is_never_written_over(project, capsys, name):
    (project.root / "file").write_text("precious")
    (project.root / "folder").mkdir()
    (project.root / "folder" / "precious").touch()
    assert "is there and not empty" in said(capsys, "immediate-gap", name)


def test_an_unknown_claim_is_named_with_what_comes_near(project, capsys):
    text = said(capsys, "imediate-gap", "models")
    assert "no claim 'imediate-gap' in " in text
    assert "did you mean" in text
    assert f"{PAPER_KEY}/immediate-gap" in text


def test_a_paper_without_an_export_is_refused(project, capsys):
    (project.claims / "toy" / "export.py").unlink()
    assert f"the claims of {PAPER_KEY} export no models: there is no " in said(
        capsys, "immediate-gap", "models"
    )


def test_a_paper_without_a_folder_is_refused(project, capsys):
    (project.claims / "toy" / "paper.py").write_text("")
    assert f"has a paper.py with the paper {PAPER_KEY}" in said(capsys, "immediate-gap", "models")


def test_what_the_export_needs_and_is_not_installed_is_named(project, capsys):
    project.write("toy/export.py", "import not_installed_anywhere\n")
    text = said(capsys, "immediate-gap", "models")
    assert "export.py cannot be imported: No module named 'not_installed_anywhere'" in text


def test_a_failure_half_way_leaves_nothing(project, capsys):
    for slope in (1.0, 2.0):
        project.train(slope, (0,))
    file = project.claims / "toy" / "export.py"
    file.write_text(file.read_text().replace('{"seed": seed,', '{"seed": float("nan"),'))
    with pytest.raises(ValueError, match="not JSON compliant"):
        main(["export", "immediate-gap", "models"])
    assert not (project.root / "models").exists()
    assert not list(project.root.glob(".models*"))


def test_arrays_are_kept_to_the_bit(project, capsys):
    for slope in (1.0, 2.0):
        project.train(slope, (0,))
    said(capsys, "immediate-gap", "models", status=0)
    array = load_file(project.root / "models" / "seed-0" / "second" / "model.safetensors")["w"]
    assert array.dtype == np.float64
    assert array.tobytes() == np.array([2.0]).tobytes()
