"""A fingerprint of the source that a run reaches: the import closure inside the project, versions outside it.

Comments, docstrings and layout do not count. What is imported under a computed name, and data files that are
read, are not seen: a run states such things as fields. `pytest_claims` itself is left out: how a result is
stored does not change it.
"""

import ast
import functools
import hashlib
import importlib.metadata
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_claims.store import imports

OWN_PACKAGE = "pytest_claims"

ABSENT = "not installed"
"""The version of a module that is imported somewhere but is not there."""


@dataclass(frozen=True)
class Source:
    """What a result depends on besides its fields and its seed.

    Attributes:
        files: Project file (relative, with forward slashes) → hash of its code.
        versions: Third-party distribution → version as installed.
    """

    files: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def __or__(self, other: "Source") -> "Source":
        """Both together."""
        return Source(self.files | other.files, self.versions | other.versions)


class Fingerprints:
    """Fingerprints of one project's modules, each read once: the code that runs is what was imported."""

    def __init__(self, project_root: Path) -> None:
        self._root = project_root.resolve()
        self._closures: dict[str, Source] = {}
        self._parsed: dict[Path, tuple[str, ast.Module]] = {}

    def of(self, modules: Iterable[str]) -> Source:
        """The source that the named, already imported modules reach.

        Raises:
            ValueError: A module's file cannot be known, so a change to it could not be noticed.
        """
        source = Source()
        for module in sorted(set(modules)):
            if module not in self._closures:
                self._closures[module] = self._closure(module)
            source |= self._closures[module]
        return source

    def outdated(self, files: Mapping[str, str], versions: Mapping[str, str]) -> str | None:
        """Why no present source has this fingerprint; None when it may still have."""
        for name, old in files.items():
            file = self._root / name
            if not file.is_file():
                return f"source gone: {name}"
            if self._parse(file)[0] != old:
                return f"source changed: {name}"
        for name, old in versions.items():
            now = (_version(name) or (name, ABSENT))[1]
            if now != old:
                return f"{name} {old} → {now}"
        return None

    def _closure(self, module: str) -> Source:
        top = module.partition(".")[0]
        if top == OWN_PACKAGE:
            return Source()
        file = self._project_file(module)
        if file is not None:
            name = file.stem if module == "__main__" else module
            # The folder that holds the top package, or a script's own, is where Python resolves its imports.
            depth = name.count(".") + (file.name == "__init__.py")
            roots = (file.parents[depth], self._root)
            if imports.find(roots, name) == file:
                return self._walk(name, roots)
        version = _version(top)
        if version is None:
            raise ValueError(
                f"the source of module {module!r} is neither a module inside {self._root} nor an installed "
                "distribution, so a change to it could not be noticed: move it into the project"
            )
        return Source(versions=dict([version]))

    def _walk(self, start: str, roots: tuple[Path, ...]) -> Source:
        source = Source()
        packages = imports.reached(roots, imports.Import(start))
        queue = list(dict.fromkeys([*packages, start]))
        seen = set(queue)
        while queue:
            module = queue.pop()
            file = imports.find(roots, module)
            if file is None or not file.is_relative_to(self._root):
                continue
            code_hash, tree = self._parse(file)
            source.files[file.relative_to(self._root).as_posix()] = code_hash
            package = module if file.name == "__init__.py" else module.rpartition(".")[0]
            for target in imports.imports(tree, package):
                top = target.module.partition(".")[0]
                if top == OWN_PACKAGE:
                    continue
                inside = imports.reached(roots, target)
                queue += [name for name in inside if name not in seen]
                seen.update(inside)
                if not inside and top and top not in sys.stdlib_module_names:
                    name, version = _version(top) or (top, ABSENT)
                    source.versions[name] = version
        return source

    def _parse(self, file: Path) -> tuple[str, ast.Module]:
        if file not in self._parsed:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the code's own warnings were shown when it was imported
                tree = ast.parse(file.read_bytes(), filename=str(file))
            code = "".join(_code(tree))
            self._parsed[file] = (hashlib.sha256(code.encode()).hexdigest(), tree)
        return self._parsed[file]

    def _project_file(self, module: str) -> Path | None:
        name = getattr(sys.modules.get(module), "__file__", None)
        if name is None:
            return None
        file = Path(name).resolve()
        # A virtual environment may lie inside the project: what is installed there is not the project's own.
        installed = {"site-packages", "dist-packages"} & set(file.parts)
        return file if file.is_relative_to(self._root) and not installed else None


def _code(node: object) -> Iterator[str]:
    """The tree as text that is the same in every Python version.

    Absent and empty parts are left out, for they vary; `ast.dump` and `ast.unparse` vary as well.
    """
    if isinstance(node, ast.AST):
        yield type(node).__name__ + "("
        for name, value in sorted(ast.iter_fields(node)):
            if name == "body" and isinstance(value, list):
                value = [statement for statement in value if not _is_bare_string(statement)]  # noqa: PLW2901
            # ctx follows from the place; kind (u"") and type comments do nothing
            if value is None or value == [] or name in ("ctx", "kind", "type_comment", "type_ignores"):
                continue
            yield name + "="
            yield from _code(value)
            yield ","
        yield ")"
    elif isinstance(node, list):
        yield "["
        for item in node:
            yield from _code(item)
            yield ","
        yield "]"
    else:
        yield ascii(node)


def _is_bare_string(statement: ast.AST) -> bool:
    """A docstring, also one below an assignment: it is evaluated for nothing."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


@functools.cache
def _version(top: str) -> tuple[str, str] | None:
    """Distribution and version of a top-level import, None when nothing is installed under that name."""
    try:
        return top, importlib.metadata.version(top)
    except importlib.metadata.PackageNotFoundError:
        # yaml comes from PyYAML; the full map reads every distribution, so it is asked last
        names = importlib.metadata.packages_distributions().get(top, [])
        return (min(names), importlib.metadata.version(min(names))) if names else None
