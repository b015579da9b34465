import json
import sys

import jsonschema
import pytest

from pytest_claims import publishing, report
from tests.pytest_claims import sample_reports as samples

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'

DRAWS = f"""
from pytest_claims.figures import Figure

def draw(report):
    return [Figure("A square", "One square.", '{SQUARE}', (report["claims"][0]["id"],))]
"""


@pytest.fixture
def project(tmp_path):
    """A project whose claims of one paper have a ``figures.py``."""
    folder = tmp_path / "papers_with_figures" / "history_dependence"
    folder.mkdir(parents=True)
    (folder / "figures.py").write_text(DRAWS)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("papers_with_figures"):
            del sys.modules[name]


@pytest.fixture
def built():
    """The sample run's report, as if its tests lay in that project."""
    found = samples.build()
    for claim in found["claims"]:
        claim["nodeid"] = claim["nodeid"].replace("claims/", "papers_with_figures/", 1)
    return found


def test_the_json_holds_what_the_page_and_the_markdown_show(project, built):
    folder = project / "report"
    assert publishing.publish(built, folder, project) == []
    assert {path.name for path in folder.iterdir()} == {"report.json", "report.html", "report.md"}
    found = report.load(folder / "report.json")
    jsonschema.Draft202012Validator(report.schema()).validate(found)
    (paper, other) = found["papers"]
    assert paper["figures"] == [
        {"title": "A square", "alt": "One square.", "svg": SQUARE, "claims": ["zuo2026/immediate-gap"]}
    ]
    assert other["figures"] == []
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Figure 1. A square" in page
    assert "zuo2026/immediate-gap" in (folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def draw(report): raise KeyError('series')", "figures of zuo2026 not drawn: KeyError: 'series'"),
        ("import nowhere_to_be_found", "figures of zuo2026 not drawn: ModuleNotFoundError"),
        ("def draw(report): return [1]", "figures of zuo2026 not drawn: TypeError"),
    ],
)
def test_what_goes_wrong_while_drawing_is_said_and_loses_nothing(project, built, source, words):
    (project / "papers_with_figures" / "history_dependence" / "figures.py").write_text(source)
    (problem,) = publishing.publish(built, project / "report", project)
    assert words in problem
    assert json.loads((project / "report" / "report.json").read_text()) == built
    assert (project / "report" / "report.html").exists()


def test_the_numbers_are_on_disk_before_anything_is_drawn(project, built, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(publishing.figures, "draw", interrupt)
    with pytest.raises(KeyboardInterrupt):
        publishing.publish(built, project / "report", project)
    assert json.loads((project / "report" / "report.json").read_text()) == built


def test_a_run_leaves_all_three_and_says_what_was_not_drawn(toy):
    folder = toy.pytester.mkpydir("papers")
    toy.write(
        '\n@claim(PAPER, "The line rises.", predicts=Exceeds(0.0))\ndef test_rises(line):\n    return line\n'
    )
    (toy.path / "test_toy.py").rename(folder / "test_toy.py")
    (folder / "figures.py").write_text(DRAWS)
    assert toy.run().ret == 0
    (paper,) = toy.report()["papers"]
    assert [figure["title"] for figure in paper["figures"]] == ["A square"]
    report_folder = toy.path / ".claims" / "report"
    assert "Figure 1. A square" in (report_folder / "report.html").read_text(encoding="utf-8")
    assert "toy2026/rises" in (report_folder / "report.md").read_text(encoding="utf-8")
    (folder / "figures.py").write_text("raise RuntimeError('no ink')")
    result = toy.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["figures of toy2026 not drawn: RuntimeError: no ink"])
