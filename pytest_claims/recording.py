"""What lies beside a baseline for its replays: `baseline.replay.json`, and checkpoints as safetensors.

2 MiB in all, so that both can be committed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file, save

from pytest_claims import replaying, specs
from pytest_claims.files import FileError, load_json, write_json
from pytest_claims.gate import Moved
from pytest_claims.project import importable
from pytest_claims.store import Store, keys
from pytest_claims.store.arrays import Arrays

SCHEMA_VERSION = 1


def write(
    path: Path, asked: Mapping[str, Any], users: Mapping[str, Sequence[str]], store: Store, root: Path
) -> list[str]:
    """Record the replays of runs and measurements beside a baseline.

    Args:
        path: The baseline.
        asked: Digest → spec, see `pytest_claims.specs`.
        users: Digest → ids of the claims that asked for it.
        store: Where the checkpoints are.
        root: The project's folder, from which its modules are imported.

    Returns:
        What a person should know.
    """
    with importable(root):
        wanted, claims = _distinct(asked, users)
        checkpoints = _checkpoints(wanted, store)
        base = replaying.replay(wanted, checkpoints)
        twin = replaying.replay(wanted, checkpoints, rounding=replaying.ROUNDING)
    entries, problems = {}, []
    for digest, spec in wanted.items():
        found, other = base[digest], twin[digest]
        if isinstance(found, str) or isinstance(other, str):
            why = found if isinstance(found, str) else other
            problems.append(f"not replayed: {specs.name(spec)}: {why}")
            continue
        entries[digest] = {
            "spec": spec,
            "claims": claims[digest],
            "values": found,
            "allowed": replaying.allowed(found, other),
        }
    flat = {
        f"{digest}/{name}": array for digest, arrays in checkpoints.items() for name, array in arrays.items()
    }
    _checkpoint_file(path).write_bytes(save(flat))
    write_json(_replay_file(path), {"schema_version": SCHEMA_VERSION, "replays": entries})
    return problems


def moved(path: Path, root: Path) -> list[Moved]:
    """Replay what lies beside a baseline, and say what is not as it was.

    Raises:
        FileError: It is not there, or damaged.
    """
    entries = load_json(_replay_file(path), "list of replays", SCHEMA_VERSION)["replays"]
    checkpoints = _read_checkpoints(_checkpoint_file(path))
    with importable(root):
        found = replaying.replay({digest: entry["spec"] for digest, entry in entries.items()}, checkpoints)
    out = []
    for digest, entry in entries.items():
        now, name = found[digest], specs.name(entry["spec"])
        if isinstance(now, str):
            out.append(Moved(name, entry["claims"], float("inf"), entry["allowed"], now))
            continue
        distance = replaying.distance(entry["values"], now)
        if distance > entry["allowed"]:
            out.append(Moved(name, entry["claims"], distance, entry["allowed"]))
    return out


def count(path: Path) -> int:
    """How many replays lie beside a baseline."""
    return len(load_json(_replay_file(path), "list of replays", SCHEMA_VERSION)["replays"])


def there(path: Path) -> bool:
    """Whether replays lie beside a baseline."""
    return _replay_file(path).is_file()


def _distinct(
    asked: Mapping[str, Any], users: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """One spec for all those that are the same once shortened, with the claims of all of them."""
    wanted: dict[str, Any] = {}
    claims: dict[str, list[str]] = {}
    for digest, spec in asked.items():
        # A run that is only measured, or only starts another, is a computation all the same.
        for one in (spec, *map(specs.of_run, replaying.runs_of(spec))):
            short = keys.digest(replaying.short_spec(one))
            wanted.setdefault(short, one)
            mine = claims.setdefault(short, [])
            mine += [name for name in users[digest] if name not in mine]
    return wanted, claims


def _checkpoints(wanted: Mapping[str, Any], store: Store) -> dict[str, Arrays]:
    """The first checkpoints that fit; what starts from another starts from it shortened."""
    found: dict[str, Arrays] = {}
    left = replaying.BUDGET
    for digest, run in replaying.keepers(wanted.values()).items():
        arrays = {name: array[:1] for name, array in store.get(run, (replaying.SEED,)).items()}
        # Losses along the way are no state to start from.
        arrays = {name: array for name, array in arrays.items() if name != "losses"}
        size = sum(array.nbytes for array in arrays.values())
        if size <= left:
            found[digest] = arrays
            left -= size
    return found


def _read_checkpoints(path: Path) -> dict[str, Arrays]:
    try:
        flat = load_file(path)
    except Exception as error:
        raise FileError(f"{path}: cannot be read as checkpoints: {error}") from error
    found: dict[str, dict[str, Any]] = {}
    for name, array in flat.items():
        digest, _, part = name.partition("/")
        found.setdefault(digest, {})[part] = array
    return dict(found)


def _replay_file(path: Path) -> Path:
    return path.with_name(f"{path.stem}.replay.json")


def _checkpoint_file(path: Path) -> Path:
    return path.with_name(f"{path.stem}.safetensors")
