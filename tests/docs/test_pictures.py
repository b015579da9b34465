import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from pytest_claims.files import write_json
from tests.pytest_claims import sample_reports as samples

pytest.importorskip("playwright", reason="playwright is not installed")

DOCS = Path(__file__).resolve().parents[2] / "docs"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), reason="no browser on PATH"
)
def test_both_pictures_are_made_from_a_report(tmp_path):
    # An excerpt takes five claims with numbers of one paper.
    write_json(tmp_path / "report.json", samples.many(6))
    script = [
        sys.executable,
        str(DOCS / "pictures.py"),
        str(tmp_path / "report.json"),
        "--folder",
        str(tmp_path),
    ]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.png").read_bytes().startswith(PNG)
    text = (tmp_path / "terminal.svg").read_text(encoding="utf-8")
    shown = "".join("".join(ET.fromstring(text).itertext()).split())
    assert "zuo2026/claim-5" in shown
    assert "zuo2026/claim-0" not in shown
    assert "6of6claimsrun" in shown
    assert not re.search(r"url\(['\"]?http", text)


def test_the_readme_shows_both_and_they_are_small():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for name in ("page.png", "terminal.svg"):
        assert f"(docs/{name})" in readme
        assert 0 < (DOCS / name).stat().st_size < 300_000
