"""Which modules a piece of source imports, read from its syntax tree, without running it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Import:
    """One import statement's target.

    Attributes:
        module: The module named, absolute (`a.b`).
        names: What is taken from it; each may be a module itself. `("*",)` for everything.
    """

    module: str
    names: tuple[str, ...] = ()


def imports(tree: ast.AST, package: str) -> Iterator[Import]:
    """Every import in the tree, also those inside functions.

    Args:
        tree: A parsed module.
        package: The package that relative imports count from, "" for a module outside any.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _above(package, node.level - 1) if node.level else ""
            yield Import(
                ".".join(part for part in (base, node.module) if part),
                tuple(alias.name for alias in node.names),
            )


def _above(package: str, levels: int) -> str:
    parts = package.split(".")
    return ".".join(parts[: len(parts) - levels])


def find(roots: tuple[Path, ...], module: str) -> Path | None:
    """The source file of a module under the first root that has it; `__init__.py` for a package."""
    for root in roots:
        place = root.joinpath(*module.split("."))
        for file in (place / "__init__.py", place.with_name(place.name + ".py")):
            if module and file.is_file():
                return file
    return None


def reached(roots: tuple[Path, ...], target: Import) -> list[str]:
    """The modules under `roots` that an import runs: its packages, itself, and the modules taken from it."""
    parts = target.module.split(".")
    modules = [".".join(parts[: i + 1]) for i in range(len(parts))]
    for name in target.names:
        modules += _children(roots, target.module) if name == "*" else [f"{target.module}.{name}".lstrip(".")]
    return [module for module in modules if find(roots, module)]


def _children(roots: tuple[Path, ...], package: str) -> list[str]:
    """The modules directly inside a package: `from package import *` may take any of them."""
    file = find(roots, package)
    if file is None or file.name != "__init__.py":
        return []
    return [f"{package}.{child.stem}" for child in sorted(file.parent.glob("*.py")) if child != file]
