import subprocess
import sys
from pathlib import Path

import pytest

from pytest_claims import baseline, registry
from pytest_claims.cli import main
from pytest_claims.files import write_json
from tests.claims.factual_recall.test_figures import KEY as RECALL_KEY
from tests.claims.factual_recall.test_figures import SERIES as RECALL
from tests.claims.history_dependence.test_figures import KEY as HISTORY_KEY
from tests.claims.history_dependence.test_figures import SERIES as HISTORY
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


@pytest.fixture
def reported(project):
    """The sample report where a run of that project leaves it."""
    path = project / ".claims" / "report" / "report.json"
    write_json(path, samples.build())
    return path


def test_show_explains_a_claim_of_the_last_report(reported, capsys):
    assert main(["show", "immediate-gap"]) == 0
    assert samples.IMMEDIATE["statement"][:50] in capsys.readouterr().out


def test_show_finds_the_report_that_the_ini_file_names(project, capsys):
    path = project / "pyproject.toml"
    path.write_text(f'{path.read_text()}claims_report = "elsewhere"\n')
    write_json(project / "elsewhere" / "report.json", samples.build())
    assert main(["show", "zuo2026/relaxation"]) == 0
    assert "cannot discriminate" in capsys.readouterr().out


def test_show_takes_another_report_and_names_what_comes_near(reported, capsys):
    write_json(reported.with_name("other.json"), samples.many(1))
    assert main(["show", "claim-0", "--report", str(reported.with_name("other.json"))]) == 0
    assert "Claim number 0 holds." in capsys.readouterr().out
    assert main(["show", "imediate-gap"]) == 2
    assert "did you mean zuo2026/immediate-gap" in capsys.readouterr().err


def test_render_makes_the_page_and_the_markdown(reported, project):
    page, markdown = project / "new" / "page.html", project / "page.md"
    assert main(["render", str(reported), "--html", str(page), "--markdown", str(markdown)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert markdown.read_text(encoding="utf-8").startswith("# Claims report")
    assert main(["render", str(reported), "--markdown", str(project / "only.md")]) == 0
    assert {path.name for path in project.glob("*.md")} == {"page.md", "only.md"}


def test_render_draws_the_figures_of_a_report_without_them(reported, project, capsys):
    folder = project / "made_for_rendering"
    folder.mkdir()
    (folder / "figures.py").write_text("def draw(report): raise ValueError('no ink')")
    report = samples.build()
    for claim in report["claims"]:
        claim["nodeid"] = claim["nodeid"].replace("claims/history_dependence", folder.name)
    write_json(reported, report)
    assert main(["render", str(reported), "--html", str(project / "page.html")]) == 0
    assert "claims: figures of zuo2026 not drawn: ValueError: no ink" in capsys.readouterr().err
    assert (project / "page.html").exists()


def test_render_without_an_output_says_what_to_ask_for(reported, capsys):
    assert main(["render", str(reported)]) == 2
    assert "--html FILE, --markdown FILE or both" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["render", "{}", "--html", "x.html"], ["show", "x", "--report", "{}"]])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema_version": 2}', "schema_version 2, newer than this pytest-claims can read"),
        ('{"claims": []}', "it has no schema_version"),
        ("[]", "it has no schema_version"),
        ('{"schema_version": 1', "not a report, or damaged"),
        ('{"schema_version": 1, "created": NaN}', "NaN is not JSON"),
        (None, "no such file (looked for a report)"),
    ],
)
def test_what_is_no_report_of_this_version_is_refused(project, capsys, command, text, message):
    path = project / "report.json"
    if text is not None:
        path.write_text(text)
    assert main([part.format(path) for part in command]) == 2
    assert message in capsys.readouterr().err
    assert not (project / "claims" / "x.html").exists()


def test_rendering_the_papers_of_this_checkout_needs_no_torch(tmp_path):
    checkout = Path(__file__).resolve().parents[2]
    rows = [
        {
            "id": f"{key}/{name}",
            "paper": key,
            "series": series,
            "nodeid": f"claims/{folder}/test_x.py::test_x",
        }
        for key, folder, found in (
            (HISTORY_KEY, "history_dependence", HISTORY),
            (RECALL_KEY, "factual_recall", RECALL),
        )
        for name, series in found.items()
    ]
    papers = [{"key": HISTORY_KEY}, {"key": RECALL_KEY}]
    write_json(tmp_path / "report.json", {"schema_version": 1, "papers": papers, "claims": rows})
    code = (
        "import sys; from pytest_claims.cli import main; "
        f"assert main(['render', r'{tmp_path}/report.json', '--html', r'{tmp_path}/page.html']) == 0; "
        "assert 'matplotlib' in sys.modules; "
        "assert not {'torch', 'pytest'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=checkout, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<figure") == 14
    assert len(page.encode()) < 3 * 2**20
