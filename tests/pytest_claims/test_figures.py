import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from pytest_claims import figures
from pytest_claims.page.svg import inline
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.page.outline import read

DRAWS = """
from pytest_claims.figures import Figure

def draw(report):
    return [Figure(f"Figure of {len(report['claims'])} claims", "In words.", "<svg/>", ("toy2026/rises",))]
"""


def canvas():
    from matplotlib.figure import Figure

    made = Figure(figsize=(3, 2), layout="constrained")
    axis = made.subplots()
    axis.plot([0, 1], [0, 1], color=figures.COLOURS[0], label="a <b> & c")
    axis.axhline(0.5, color="black")
    axis.legend()
    return made


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.fixture
def project(tmp_path):
    """A folder in which packages of any name can be made; none of them outlives the test."""
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.partition(".")[0].startswith("made_for_"):
            del sys.modules[name]


def report(folder, *, drawn=()):
    claim = {"id": "toy2026/rises", "paper": "toy2026", "nodeid": f"{folder}/test_toy.py::test_rises"}
    return {"papers": [{"key": "toy2026", "figures": list(drawn)}], "claims": [claim]}


def test_svg_is_reproducible_transparent_and_has_real_text():
    first = figures.to_svg(canvas())
    assert first == figures.to_svg(canvas())
    root = ET.fromstring(first)
    texts = ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "a <b> & c" in texts
    assert "<dc:date>" not in first


def test_drawings_take_the_colour_of_the_pages_text():
    found = read(inline(figures.to_svg(canvas()), "f", "x")).one("svg")
    written = [value for element in found.all() for value in element.attributes.values() if value]
    assert any("currentColor" in value for value in written)
    assert not any("#000000" in value or "#ffffff" in value for value in written)


@pytest.mark.parametrize("colour", figures.COLOURS)
@pytest.mark.parametrize("background", ["#ffffff", "#1c2024"])
def test_colours_stand_out_on_both_pages(colour, background):
    assert contrast(colour, background) >= 3


def test_figures_of_a_papers_folder_are_added(project):
    folder = project / "made_for_drawing" / "toy"
    folder.mkdir(parents=True)
    (folder / "figures.py").write_text(DRAWS)
    drawn, problems = figures.draw(report("made_for_drawing/toy"), project)
    assert problems == []
    assert drawn["papers"][0]["figures"] == [
        {"title": "Figure of 1 claims", "alt": "In words.", "svg": "<svg/>", "claims": ["toy2026/rises"]}
    ]
    assert str(project) not in sys.path


def test_figures_that_are_there_stay(project):
    folder = project / "made_for_keeping"
    folder.mkdir()
    (folder / "figures.py").write_text("raise RuntimeError")
    kept = {"title": "Kept", "alt": "", "svg": "<svg/>", "claims": []}
    drawn, problems = figures.draw(report("made_for_keeping", drawn=[kept]), project)
    assert (drawn["papers"][0]["figures"], problems) == ([kept], [])


def test_a_paper_without_figures_is_left_alone(project):
    given = report("made_for_nothing")
    assert figures.draw(given, project) == (given, [])


@pytest.mark.parametrize("folder", ["..", "../outside", ".", "", "/", "not-a-package", "a/../../b"])
def test_nothing_outside_the_project_is_run(project, folder):
    root = project / "root"
    for place in (project, project / "outside", root, root / "not-a-package", project / "b"):
        place.mkdir(exist_ok=True)
        (place / "figures.py").write_text("raise SystemExit('this was run')")
    assert figures.draw(report(folder), root)[1] == []


def test_a_module_of_the_same_name_from_elsewhere_is_refused(project):
    folder = project / "claims" / "history_dependence"
    folder.mkdir(parents=True)
    (folder / "figures.py").write_text(DRAWS)
    import claims.history_dependence.figures  # noqa: F401

    drawn, (problem,) = figures.draw(report("claims/history_dependence"), project)
    assert "figures of toy2026 not drawn: ImportError: claims.history_dependence.figures is " in problem
    assert drawn["papers"][0]["figures"] == []


@pytest.mark.parametrize(
    "found", [{}, {"papers": None, "claims": None}, {"claims": [{}]}, samples.build([], [])]
)
def test_reports_without_papers_have_no_figures(found, project):
    drawn, problems = figures.draw(found, project)
    assert problems == []
    assert drawn["papers"] == []


def test_a_drawing_library_is_imported_only_to_draw():
    code = "import sys; import pytest_claims.figures; assert not {'matplotlib', 'numpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
