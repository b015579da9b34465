"""Where a project keeps its claims files and its code, for what runs outside pytest."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_claims.files import FileError


def settings(start: Path) -> tuple[Path, Mapping[str, Any]]:
    """Find the project that a folder belongs to and its pytest settings.

    Args:
        start: The folder from which to look upwards for a ``pyproject.toml`` with pytest settings.

    Returns:
        The project's folder and its pytest ini options; `start` itself and no options where there is no such
        project.

    Raises:
        FileError: The nearest ``pyproject.toml`` is no TOML.
    """
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if not path.is_file():
            continue
        try:
            tool = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise FileError(f"{path}: {error}") from error
        pytest_table = tool.get("pytest", {})
        # "ini_options" in every version of pytest; from pytest 9 on the options may also stand in the table
        # itself.
        found = pytest_table.get("ini_options", pytest_table)
        if found:
            return folder, found
    return start, {}


def locate(option: str | None, setting: str, start: Path) -> Path | None:
    """Resolve a path given on the command line, else in the pytest settings; ``None`` if in neither.

    Args:
        option: The command line's path, relative to `start`.
        setting: The name of the ini option, whose path is relative to the project's folder.
        start: The current folder.
    """
    if option is not None:
        return start / option
    folder, found = settings(start)
    return folder / str(found[setting]) if found.get(setting) else None


@contextmanager
def importable(root: Path) -> Iterator[None]:
    """Let a project's packages be imported, as they are when pytest runs there."""
    before = list(sys.path)
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path[:] = before


def load_module(root: Path, file: Path) -> ModuleType:
    """Import a file of a project as pytest imports the project's packages: by name, from the root.

    Args:
        root: The project's folder.
        file: Such as ``claims/my_paper/figures.py``, relative to it.

    Raises:
        ImportError: It cannot be imported, or another module has its name.
    """
    with importable(root):
        module = importlib.import_module(".".join(file.with_suffix("").parts))
    if not (root / file).samefile(module.__file__ or ""):
        raise ImportError(f"{module.__name__} is {module.__file__}, not {root / file}")
    return module
