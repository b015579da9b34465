"""What `claims store list`, `verify` and `prune` do: pure functions from a store's folder to text."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_claims.store import entries, folder, keys, seeds
from pytest_claims.store.fingerprint import Fingerprints
from pytest_claims.store.locks import Locks


class Outcome(NamedTuple):
    """What a command says, and its exit status: 0 when all is well, 1 when it found damage."""

    text: str
    status: int


def list_(root: Path, *, verbose: bool = False) -> Outcome:
    """One line a run or measurement: its label, its seeds, its size, when it was last made.

    Args:
        root: The store's folder.
        verbose: Also the class or function and every field, which tell apart what has one label.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    damaged = 0
    for place in _places(root):
        try:
            record = entries.read_provenance(place)
        except entries.UnreadableError:
            damaged += 1
            continue
        if record is not None:
            same = {key: record[key] for key in ("name", "label", "fields", "source", "versions")}
            groups.setdefault(keys.digest(same), []).append(record)
    rows = sorted(
        [_row(group) for group in groups.values()], key=lambda row: (row[0] != "run", row[4], row[1], row[5])
    )
    widths = [max(len(row[i]) for row in rows) for i in range(4)] if rows else []
    lines = [
        "  ".join(
            [
                *(cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)),
                *row[4 : 6 if verbose else 5],
            ]
        )
        for row in rows
    ]
    count = sum(len(group) for group in groups.values())
    size = sum(record["bytes"] for group in groups.values() for record in group)
    lines.append(f"{_entries(count)}, {_size(size)}, in {root}")
    if damaged:
        lines.append(
            f"{damaged} unreadable: `claims store verify` names them, `claims store prune` removes them"
        )
    return Outcome("\n".join(lines), 0)


def verify(root: Path) -> Outcome:
    """Read every entry and compare it with its checksum."""
    good, bad = 0, []
    for place in _places(root):
        problem = _problem(place)
        if problem is None:
            good += 1
        else:
            bad.append(f"{place.folder.name}/{place.key}: {problem}")
    summary = f"{_entries(good)} verified, {len(bad)} unreadable, in {root}"
    if bad:
        summary += "; an unreadable entry is trained again when it is next needed"
    return Outcome("\n".join([*bad, summary]), 1 if bad else 0)


def prune(root: Path, project_root: Path) -> Outcome:
    """Remove what the present tree cannot use: entries of other code or versions, damage, leftovers, locks.

    What another process is writing at this moment is left alone.

    Args:
        root: The store's folder.
        project_root: The folder whose sources the entries are compared with.
    """
    locks = Locks(folder.locks_folder(root), "prune")
    fingerprints = Fingerprints(project_root)
    pruned: dict[str, list[int]] = {}  # what and why → seeds; none for what is no entry
    count = freed = 0
    for place, files in _files_by_key(root).items():
        lock = locks.take(place.key, "prune")
        if lock is None:
            continue
        try:
            # Judged under the lock: a writer may have been busy with it a moment ago.
            for why, seed, gone in _removable(place, files, fingerprints):
                freed += sum(_remove(file) for file in gone)
                count += 1
                pruned.setdefault(why, []).extend([] if seed is None else [seed])
        finally:
            lock.release()
    locks.sweep()
    lines = [
        f"removed {why}" + (f", {seeds.words(some)}" if some else "") for why, some in sorted(pruned.items())
    ]
    lines.append(f"{count} removed, {_size(freed)} freed, in {root}")
    return Outcome("\n".join(lines), 0)


def _files_by_key(root: Path) -> dict[entries.Place, list[Path]]:
    found: dict[entries.Place, list[Path]] = {}
    for file in [*sorted(folder.entries_folder(root).glob("*/*")), *root.glob(f"{folder.PROBE}*")]:
        found.setdefault(entries.Place(file.parent, file.name.partition(".")[0]), []).append(file)
    return found


def _removable(
    place: entries.Place, files: Sequence[Path], fingerprints: Fingerprints
) -> Iterator[tuple[str, int | None, list[Path]]]:
    """What of an entry can go: what it is and why, its seed, its files."""
    name = f"{place.folder.name}/{place.key}"
    leftovers = [file for file in files if entries.TEMPORARY in file.name and file.exists()]
    if leftovers:
        yield f"{name}: left by a process that died", None, leftovers
    entry = [
        file for file in (place.provenance, place.arrays) if file.exists()
    ]  # the JSON, which vouches, goes first
    try:
        record = entries.read_provenance(place)
        entries.load(place)
    except entries.UnreadableError as error:
        yield f"{name}: unreadable, {error}", None, entry
        return
    if record is None:
        if entry:
            yield f"{name}: arrays without provenance", None, entry
        return
    changed = fingerprints.outdated(record["source"], record["versions"])
    if changed is not None:
        yield f"{record['label']} ({changed})", record["seed"], entry


def _remove(file: Path) -> int:
    try:
        size = file.stat().st_size
        file.unlink()
    except FileNotFoundError:  # a probe, which no lock guards
        return 0
    return size


def _problem(place: entries.Place) -> str | None:
    try:
        entries.load(place)
    except entries.UnreadableError as error:
        return str(error)
    return None


def _places(root: Path) -> Iterator[entries.Place]:
    for file in sorted(folder.entries_folder(root).glob("*/*.json")):
        yield entries.Place(file.parent, file.stem)


def _row(group: Sequence[dict[str, Any]]) -> list[str]:
    first = group[0]
    fields = ", ".join(
        f"{name}={text}" for name, text in keys.flatten(first["fields"]).items() if not name.endswith("class")
    )
    return [
        first["kind"],
        first["label"],
        seeds.words([record["seed"] for record in group]),
        _size(sum(record["bytes"] for record in group)),
        max(record["created"] for record in group),
        f"{first['name']}({fields})",
    ]


def _entries(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.1f} KiB"
