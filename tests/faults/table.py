"""Write docs/faults.md: which replays, which claims' results and which own tests see each planted fault.

    python -m tests.faults.table docs/faults.md            # replays and own tests: minutes
    python -m tests.faults.table docs/faults.md --results  # also retrains the claims over two seeds: an hour

For results the claims run over two seeds, without the one that asks for 26, against the committed baseline.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.faults.planted import FAULTS, HARMLESS, ROOT, Planted, copy

SEEDS = "2"
FOLDERS = {"zuo2026": "claims/history_dependence", "huang2026": "claims/factual_recall"}
REPLAY = "import sys; from pytest_claims.cli import main; sys.exit(main(['gate', '--replay']))"


def main() -> None:
    """Plant every fault in turn and write what saw it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--results", action="store_true")
    options = parser.parse_args()
    declared = json.loads((ROOT / "claims/registered.json").read_text(encoding="utf-8"))["claims"]
    rows, names, named = [], [], Counter()
    for planted in (*FAULTS, *HARMLESS):
        with tempfile.TemporaryDirectory() as folder:
            planted.plant(copy(Path(folder)))
            replays, claims = _replays(Path(folder))
            tests = _own_tests(Path(folder))
            results = _results(Path(folder), planted.papers) if options.results and planted.papers else None
        named.update(claims)
        if results is not None:
            named.update(results)
        rows.append(_row(planted, replays, claims, results, tests))
        names.append(_names(planted, claims, results))
        print(rows[-1], flush=True)
    options.target.write_text(_document(rows, names, declared, named), encoding="utf-8")


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # The copy's own packages, not those that are installed.
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


def _replays(root: Path) -> tuple[Counter[str], set[str]]:
    """What changed, counted by kind, and the claims that rest on it."""
    kinds: Counter[str] = Counter()
    claims: set[str] = set()
    for line in _run(root, "-c", REPLAY).stdout.splitlines():
        found = re.match(r"computation changed: (.*?) (?:has|cannot)\b.*; claims: (.*)", line)
        if found:
            kinds[found[1]] += 1
            claims.update(found[2].split(", "))
    return kinds, claims


def _own_tests(root: Path) -> list[str]:
    """The test files that fail, of those about models, tasks, probes and papers."""
    folders = [f"tests/{name}" for name in ("models", "tasks", "probes", "claims")]
    output = _run(root, "-m", "pytest", *folders, "-q", "-n", "2", "-p", "no:cacheprovider").stdout
    return sorted(set(re.findall(r"^(?:FAILED|ERROR) (tests/\S+?)(?:::|\s|$)", output, re.MULTILINE)))


def _results(root: Path, papers: tuple[str, ...]) -> set[str]:
    """The claims of some papers whose result moved, or that erred."""
    folders = [FOLDERS[paper] for paper in papers]
    arguments = (
        *folders,
        "-n",
        "2",
        "--seeds",
        SEEDS,
        "-k",
        "not head_attenuation",
        "-p",
        "no:cacheprovider",
    )
    gate = ("--claims-baseline", "claims/baseline.json", "--claims-allow-partial")
    _run(root, "-m", "pytest", *arguments, *gate)
    report = json.loads((root / ".claims/report/report.json").read_text(encoding="utf-8"))
    wanted = ("result moved", "error:")
    found = report["gate"]["findings"]
    return {one["claim"] for one in found if any(words in one["text"] for words in wanted)}


def _row(
    planted: Planted, replays: Counter[str], claims: set[str], results: set[str] | None, tests: list[str]
) -> str:
    seen = ", ".join(f"{kind} × {count}" if count > 1 else kind for kind, count in replays.most_common())
    moved = "not run" if results is None else _some(results)
    files = ", ".join(f"`{name.removeprefix('tests/')}`" for name in tests) or "none"
    return f"| {planted.name} | {seen or 'none'} | {_some(claims)} | {moved} | {files} |"


def _some(claims: set[str]) -> str:
    if not claims:
        return "none"
    papers = Counter(name.partition("/")[0] for name in claims)
    return ", ".join(f"{count} of {paper}" for paper, count in sorted(papers.items()))


def _names(planted: Planted, claims: set[str], results: set[str] | None) -> str:
    """The claims by name: those that rest on what the replay saw, then those whose result moved."""
    moved = "not run" if results is None else ", ".join(sorted(results)) or "none"
    return f"- **{planted.name}**. Replays: {', '.join(sorted(claims)) or 'none'}. Results: {moved}."


def _document(rows: list[str], names: list[str], declared: dict[str, object], named: Counter[str]) -> str:
    reported = [name for name, entry in declared.items() if entry["kind"] == "reported"]  # type: ignore[index]
    unseen = [name for name in reported if not named[name]]
    every = "Every reported claim's measurement is moved by at least one fault."
    missing = f"No fault moves the measurement of {', '.join(unseen)}."
    return "\n".join(
        [
            "# What the gate sees of planted faults",
            "",
            "Made by `python -m tests.faults.table docs/faults.md --results`; the faults are in",
            "`tests/faults/planted.py`. The last four rows are no faults. *Replays*: what",
            "`claims gate --replay` found changed, and how many claims rest on it. *Results*: claims whose",
            f"numbers moved beyond rounding when retrained over {SEEDS} seeds; all but head-attenuation",
            "(it asks for 26).",
            "",
            "| planted | replays that change | claims named | results that move | own tests that fail |",
            "|---|---|---|---|---|",
            *rows,
            "",
            every if not unseen else missing,
            "",
            "## The claims, fault by fault",
            "",
            *names,
            "",
        ]
    )


if __name__ == "__main__":
    main()
