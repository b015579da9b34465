import ast

import pytest

from pytest_claims.store import imports
from pytest_claims.store.imports import Import


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import a.b as c, d", [Import("a.b"), Import("d")]),
        ("from a.b import c, d", [Import("a.b", ("c", "d"))]),
        ("from . import c", [Import("pack.sub", ("c",))]),
        ("from .c import d", [Import("pack.sub.c", ("d",))]),
        ("from ..c import d", [Import("pack.c", ("d",))]),
        ("def f():\n    if x:\n        import a", [Import("a")]),
    ],
)
def test_imports_are_read_from_the_tree(code, found):
    assert list(imports.imports(ast.parse(code), "pack.sub")) == found


@pytest.fixture
def root(tmp_path):
    for name in (
        "pack/__init__.py",
        "pack/sub/__init__.py",
        "pack/sub/leaf.py",
        "alone.py",
        "space/inner.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("target", "modules"),
    [
        (Import("pack.sub.leaf"), ["pack", "pack.sub", "pack.sub.leaf"]),
        (Import("pack.sub", ("leaf", "a_name")), ["pack", "pack.sub", "pack.sub.leaf"]),
        (Import("pack.sub", ("*",)), ["pack", "pack.sub", "pack.sub.leaf"]),
        (Import("alone", ("x",)), ["alone"]),
        (Import("space", ("inner",)), ["space.inner"]),
        (Import("numpy.linalg", ("norm",)), []),
        (Import("", ("alone",)), ["alone"]),
    ],
)
def test_an_import_reaches_its_packages_and_the_modules_taken_from_it(root, target, modules):
    assert imports.reached((root,), target) == modules


def test_a_package_hides_a_module_of_the_same_name(root):
    (root / "pack.py").touch()
    assert imports.find((root,), "pack") == root / "pack/__init__.py"
