"""`claims export`: a claim's trained models as safetensors and JSON, for other tools.

A paper's folder of claims may hold an ``export.py`` with a function ``export(claim, reader) -> Export``. It
says which models of the store belong to a claim, in which format, and how a reader opens them; it writes
nothing and trains nothing. What it may import is its own affair:

    def export(claim, reader):
        seeds = seeds_with([ANCHOR, BRANCH], reader, trained_by="toy2026/rises")
        arrays = reader.get(BRANCH, seeds)
        models = [
            Model(f"seed-{seed}", {"w": arrays["w"][place]}, {"seed": seed})
            for place, seed in enumerate(seeds)
        ]
        return Export(models, "# Trained models of …")

The paper of a claim is found by its key in the registry: the folder beside the registry's whose ``paper.py``
holds that `Paper`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_claims import registry
from pytest_claims.files import FileError, write_json, write_text
from pytest_claims.naming import full_id
from pytest_claims.project import load_module

if TYPE_CHECKING:
    from pytest_claims.store.arrays import Arrays
    from pytest_claims.store.reader import Reader
    from pytest_claims.store.work import Run


@dataclass(frozen=True)
class Model:
    """One trained model.

    Attributes:
        folder: Where it goes inside the exported folder, such as ``seed-0/below``.
        arrays: Its parameters, name → numpy array, for ``model.safetensors``.
        config: All else that is needed to use it, as plain data for ``config.json``.
    """

    folder: str
    arrays: Arrays
    config: Mapping[str, Any]


@dataclass(frozen=True)
class Export:
    """What a paper exports of a claim.

    Attributes:
        models: At least one.
        readme: Markdown that says what the models are and how to open them.
        remarks: Sentences for whoever asked, such as what was left out.
    """

    models: Sequence[Model]
    readme: str
    remarks: Sequence[str] = ()


def seeds_with(runs: Sequence[Run], reader: Reader, *, trained_by: str) -> tuple[int, ...]:
    """The seeds of which the store holds all of these runs.

    Args:
        runs: What belongs together, such as an anchor and its branches.
        reader: Looks into the store.
        trained_by: The id of a claim whose run trains them, for the message.

    Raises:
        FileError: There is no such seed; the message names the first run that is missing, and what to do.
    """
    from pytest_claims.store.seeds import words
    from pytest_claims.store.work import label_of

    common: set[int] | None = None
    for run in runs:
        found = set(reader.seeds(run))
        kept = found if common is None else common & found
        if not kept:
            of_seeds = f" of {words(sorted(common))}" if common else ""
            raise FileError(
                f"{label_of(run)}{of_seeds} is not in the store {reader.root}, as the present code trains "
                f"it: run `{_pytest(trained_by)}` first"
            )
        common = kept
    return tuple(sorted(common or ()))


def export(name: str, target: Path, *, registry_path: Path, root: Path, reader: Reader) -> str:
    """Write a claim's trained models into a folder: whole, or not at all.

    Args:
        name: The claim's id, or what follows the / where that is unique.
        target: The folder, which must be empty or not there.
        registry_path: The registry.
        root: The project's folder.
        reader: Looks into the store.

    Returns:
        What was done, for the terminal.

    Raises:
        FileError: Anything that stands in the way; the message is meant for the user.
    """
    _refuse_used(target)
    claims = registry.load(registry_path)["claims"]
    claim = full_id(name, claims, f"in {registry_path}")
    module = _module(claims[claim]["paper"], registry_path.parent, root)
    found = _exported(module, claim, reader)
    _write(found, target)
    count = len(found.models)
    models = "trained model" if count == 1 else "trained models"
    return "\n".join([f"{count} {models} of {claim} in {target}; see README.md there", *found.remarks])


def _refuse_used(target: Path) -> None:
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise FileError(
                f"{target} is there and not empty: name a folder that is not, so that nothing is lost"
            )
    except OSError as error:
        raise FileError(f"{target}: {error.strerror or error}") from error


def _module(paper: str, folder: Path, root: Path) -> Any:
    """The module ``export`` of the paper's folder of claims, which lies beside the registry."""
    from pytest_claims.declare import Paper

    for file in sorted(folder.glob("*/paper.py")):
        declared = _load(root, file)
        if any(isinstance(value, Paper) and value.key == paper for value in vars(declared).values()):
            beside = file.with_name("export.py")
            if not beside.is_file():
                raise FileError(f"the claims of {paper} export no models: there is no {beside}")
            return _load(root, beside)
    raise FileError(f"no folder in {folder} has a paper.py with the paper {paper}")


def _load(root: Path, file: Path) -> Any:
    if not file.is_relative_to(root):
        raise FileError(f"{file} lies outside of the project {root}")
    try:
        return load_module(root, file.relative_to(root))
    except ImportError as error:
        raise FileError(f"{file} cannot be imported: {error}") from error


def _exported(module: Any, claim: str, reader: Reader) -> Export:
    from pytest_claims.store.entries import UnreadableError

    try:
        found: Export = module.export(claim, reader)
    except UnreadableError as error:
        raise FileError(
            f"an entry of the store {reader.root} is damaged ({error}): `claims store verify` names it; "
            f"`{_pytest(claim)}` trains it again"
        ) from error
    return found


def _write(found: Export, target: Path) -> None:
    """Write beside the target first, so that nothing is there when it fails half-way."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.mkdir(parents=True)
        _fill(temporary, found)
        target.mkdir(exist_ok=True)
        for part in temporary.iterdir():
            part.replace(target / part.name)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _fill(folder: Path, found: Export) -> None:
    from safetensors.numpy import save

    for model in found.models:
        place = folder / model.folder
        place.mkdir(parents=True)
        (place / "model.safetensors").write_bytes(save(dict(model.arrays), metadata={"format": "pt"}))
        write_json(place / "config.json", model.config)
    write_text(folder / "README.md", found.readme)


def _pytest(claim: str) -> str:
    """The command that runs a claim."""
    slug = claim.partition("/")[2].partition("[")[0]
    return f"pytest claims -k {slug.replace('-', '_')}"
