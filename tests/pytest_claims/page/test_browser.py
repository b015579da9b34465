"""The page in a real browser: Debian's Chromium, or whichever is there; skipped where there is none."""

import shutil
from contextlib import contextmanager

import pytest

from pytest_claims import page as pages
from tests.pytest_claims import sample_reports as samples

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
)

NAMES = ("chromium", "chromium-browser", "google-chrome")
EXECUTABLE = next(filter(None, map(shutil.which, NAMES)), None)
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
SCHEMES = ("light", "dark")
WIDTHS = (400, 1600)

pytestmark = pytest.mark.skipif(
    EXECUTABLE is None, reason=f"no browser: none of {', '.join(NAMES)} is on PATH"
)


def drawing():
    """A wide figure, as the papers draw them."""
    from matplotlib.figure import Figure

    from pytest_claims.figures import COLOURS, to_svg

    canvas = Figure(figsize=(10, 3), layout="constrained")
    left, right = canvas.subplots(1, 2)
    for colour in COLOURS:
        left.plot([0, 1], [0, 1], color=colour, label=colour)
    left.legend()
    canvas.colorbar(right.pcolormesh([[0, 1], [1, 0]], cmap="RdBu_r"), ax=right)
    return to_svg(canvas)


@pytest.fixture(scope="module")
def report():
    """Everything that a page can hold: figures, doubts, parts, errors, the gate, long words, many seeds."""
    found = samples.build()
    figure = {"title": "A figure (logits)", "alt": "Six lines.", "svg": drawing(), "claims": []}
    found["papers"][0]["figures"] = [{**figure, "claims": ["zuo2026/immediate-gap"]}, figure]
    finding = {"claim": "zuo2026/immediate-gap", "text": "moved by 0.1", "red": True}
    found["gate"] = {"baseline": "claims/baseline.json", "ok": False, "findings": [finding]}
    found["claims"][0].update(criterion_changed=True, criterion_changes=["prediction"])
    hostile = samples.hostile(f"<script>alert(1)</script> {'word' * 100}")["claims"]
    for claim in hostile:
        claim["id"] = f"{claim['id']}-again-{'x' * 80}"
    return {**found, "claims": [*found["claims"], *hostile, *samples.many(2, 50)["claims"]]}


@pytest.fixture(scope="module")
def address(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(pages.render(report), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=EXECUTABLE, args=list(ARGUMENTS))
        yield started
        started.close()


@contextmanager
def opened(browser, address, scheme="light", width=1600, **options):
    """The page, and what the browser asked for and complained about while it was open."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    yield page, asked, complaints
    context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_opens_from_disk_quietly_and_fits(browser, address, report, scheme, width):
    with opened(browser, address, scheme, width) as (page, asked, complaints):
        assert asked == [address]
        assert complaints == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        rows = page.locator(".forest tbody tr:not(.paper)")
        assert rows.count() == len(report["claims"])
        assert page.locator("article").count() == len(report["claims"])
        for row in (rows.first, rows.last):
            assert row.is_visible()
        lightness = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (int(lightness.removeprefix("rgb(").split(",")[0]) > 127) == (scheme == "light")


@pytest.mark.parametrize(("scheme", "width"), [("light", 400), ("dark", 1600)])
def test_the_accessibility_checker_finds_nothing_serious(browser, address, scheme, width):
    with opened(browser, address, scheme, width) as (page, _, _):
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found = axe.Axe().run(page).response["violations"]
    told = [
        f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found if v["impact"] in ("serious", "critical")
    ]
    assert told == []


def test_links_are_followed_by_keyboard(browser, address):
    with opened(browser, address) as (page, _, _):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        assert focused.inner_text() == "Skip to the claims"
        assert focused.bounding_box()["x"] >= 0
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("!!document.activeElement.closest('.forest')"):
                break
        assert focused.inner_text() == "immediate-gap"
        page.keyboard.press("Enter")
        heading = page.locator(page.evaluate("location.hash"))
        assert heading.inner_text() == samples.IMMEDIATE["statement"]
        assert 0 <= heading.bounding_box()["y"] < 900
        # From the card, the next stop is within it: what it links to, then what it folds away.
        stops = []
        for _ in range(3):
            page.keyboard.press("Tab")
            stops.append(focused.inner_text())
            if stops[-1] == "Runs and provenance":
                break
        assert stops == ["figure 1", "Runs and provenance"]
        page.keyboard.press("Enter")
        assert page.locator("details[open] dt", has_text="Test").first.is_visible()


def test_a_wide_figure_scrolls_within_its_frame_by_keyboard(browser, address):
    with opened(browser, address, width=400) as (page, _, _):
        frame = page.locator(".frame").first
        assert frame.evaluate("one => one.scrollWidth > one.clientWidth")
        frame.focus()
        page.keyboard.press("ArrowRight")
        for _ in range(100):
            if frame.evaluate("one => one.scrollLeft") > 0:
                break
            page.wait_for_timeout(20)
        assert frame.evaluate("one => one.scrollLeft") > 0


def test_without_scripts_and_on_paper_all_is_there(browser, address):
    with opened(browser, address, java_script_enabled=False) as (page, _, _):
        page.emulate_media(media="print")
        assert page.locator("article").last.is_visible()
        assert page.locator("article dt", has_text="Test").first.is_visible()
        assert not page.locator("nav").is_visible()


@pytest.mark.parametrize("made", [samples.build([], []), {}], ids=["no claims", "empty"])
def test_a_report_of_nothing_opens_too(browser, tmp_path, made):
    path = tmp_path / "report.html"
    path.write_text(pages.render(made), encoding="utf-8")
    with opened(browser, path.as_uri()) as (page, _, complaints):
        assert "nothing to report" in page.locator(".lead").inner_text()
        assert complaints == []
