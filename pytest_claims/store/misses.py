"""Why an entry is not there: a comparison with the nearest one that is."""

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_claims.store import keys, seeds
from pytest_claims.store.work import Work

FILES_NAMED = 3
"""Changed files and fields named in one reason; the rest are counted."""

LABELS_NAMED = 2
"""Runs and measurements named that miss for the same reason; the rest are counted."""

OF = " · "
"""Between the reason of a miss and what is missing."""


@dataclass(frozen=True)
class Known:
    """What is compared of an entry that is there."""

    label: str
    seed: int
    fields: dict[str, str]
    files: dict[str, str]
    versions: dict[str, str]


class Misses:
    """Announces each miss once, with its reason, one line for all seeds that share it.

    Args:
        entries: The folder that holds a folder of entries for each run class.
        announce: Takes a line.
        marks: A folder shared by this session's workers, so that only one of them tells; None when there is
            one process.
    """

    def __init__(self, entries: Path, announce: Callable[[str], object], marks: Path | None) -> None:
        self._entries = entries
        self._announce = announce
        self._marks = marks
        self._told: set[str] = set()
        self._known: dict[Path, Known | None] = {}
        self._started = time.time()

    def tell(self, work: Work, problems: Mapping[int, str | None]) -> None:
        """Announce the missing seeds of some work.

        Args:
            work: What was asked for.
            problems: Missing seed → what is wrong with its entry, None when it has none.
        """
        known = self._read(self._entries / work.name, work.label)
        by_reason: dict[str, list[int]] = {}
        for seed, problem in problems.items():
            if self._first_to_tell(work.keys[seed], problem):
                verb = "trained" if work.kind == "run" else "measured"
                reason = (
                    f"entry unreadable: {problem}; {verb} again" if problem else reason_for(work, seed, known)
                )
                by_reason.setdefault(reason, []).append(seed)
        for reason, missing in by_reason.items():
            self._announce(_sentence(work.label, missing, reason))

    def _first_to_tell(self, key: str, problem: str | None) -> bool:
        mark = f"{key}.unreadable" if problem else key
        if mark in self._told:
            return False
        self._told.add(mark)
        if self._marks is not None:
            try:
                self._marks.mkdir(parents=True, exist_ok=True)
                (self._marks / mark).touch(exist_ok=False)
            except FileExistsError:
                return False
            except OSError:
                return True  # told twice is better than not told
        return True

    def _read(self, folder: Path, label: str) -> list[Known]:
        """The entries under a label; each file is read once, entries never change.

        What this session made is no reason: it is beside what is missing, not in its place.
        """
        for file in folder.glob("*.json"):
            if file not in self._known:
                self._known[file] = None
                # a damaged neighbour is no reason for anything
                with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
                    if file.stat().st_mtime > self._started:
                        continue
                    record = json.loads(file.read_bytes())
                    self._known[file] = Known(
                        record["label"],
                        record["seed"],
                        keys.flatten(record["fields"]),
                        record["source"],
                        record["versions"],
                    )
        return [
            entry
            for file, entry in self._known.items()
            if entry is not None and entry.label == label and file.parent == folder
        ]


NEW = "new"
FIRST = "first time"


def reason_for(work: Work, seed: int, known: Sequence[Known]) -> str:
    """Why a seed of some work is missing: how it differs from the nearest entry under the same label.

    Nearest is first by fields, then by seed, then by code: so a new seed is called new, and changed code is
    named for the seeds that had been trained.
    """
    wanted = keys.flatten(work.fields)
    fields, other_seed, files, versions = min(
        (
            (
                _changes(entry.fields, wanted),
                entry.seed != seed,
                _changes(entry.files, work.source.files),
                _changes(entry.versions, work.source.versions),
            )
            for entry in known
        ),
        key=lambda found: (len(found[0]), found[1], len(found[2]) + len(found[3])),
        default=({}, False, {}, {}),
    )
    parts = [NEW] if other_seed else []
    if files:
        parts.append(
            "source changed: " + _some([_file_words(name, *change) for name, change in files.items()])
        )
    parts += [f"{name} {old or 'none'} → {new or 'none'}" for name, (old, new) in versions.items()]
    if fields:
        parts.append(
            "field "
            + _some([f"{name} {old or 'none'} → {new or 'none'}" for name, (old, new) in fields.items()])
        )
    return "; ".join(parts) or FIRST


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    names = sorted(old.keys() | new.keys())
    return {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}


def _file_words(name: str, old: str | None, new: str | None) -> str:
    if old is None:
        return f"{name} (now used)"
    return f"{name} (no longer used)" if new is None else name


def _some(texts: list[str]) -> str:
    more = len(texts) - FILES_NAMED
    return ", ".join(texts[:FILES_NAMED]) + (f" and {more} more" if more > 0 else "")


def _sentence(label: str, missing: Sequence[int], reason: str) -> str:
    named = seeds.words(missing)
    if reason == FIRST:
        what = f"first time, {named}"
    elif reason.partition("; ")[0] == NEW:
        what = f"{named} {'is' if len(missing) == 1 else 'are'} {reason}"
    else:
        what = f"{named}: {reason}"
    return f"{what}{OF}{label}"


def grouped(sentences: Sequence[str]) -> list[str]:
    """The sentences told, with those that differ in what is missing alone as one.

    A change of one source file can make a hundred runs and measurements miss, for one reason.
    """
    labels: dict[str, list[str]] = {}
    for sentence in sentences:
        what, _, label = sentence.partition(OF)
        labels.setdefault(what, []).append(label)
    return [
        f"{what}{OF}{', '.join(some[:LABELS_NAMED])}"
        + (f" and {len(some) - LABELS_NAMED} more" if len(some) > LABELS_NAMED else "")
        if some != [""]
        else what
        for what, some in labels.items()
    ]


def provenance_of(work: Work, seed: int) -> dict[str, Any]:
    """What an entry tells of where it comes from: all that a later comparison needs."""
    return {
        **work.extra,
        "kind": work.kind,
        "name": work.name,
        "label": work.label,
        "seed": seed,
        "fields": work.fields,
        "source": work.source.files,
        "versions": work.source.versions,
    }
