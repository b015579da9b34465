import json

import pytest

from pytest_claims import registry
from pytest_claims.handover import Declared
from pytest_claims.registering import register

PAPER = {"key": "toy", "title": "T", "protocol": [{"name": "batch", "value": 64, "source": "ours"}]}


def declaration(name, statement="It holds."):
    prediction = {"kind": "exceeds", "bound": 0.0, "text": "> 0", "source": "paper"}
    return {
        "id": f"toy/{name}",
        "nodeid": f"test_toy.py::test_{name}",
        "paper": "toy",
        "kind": "reported",
        "statement": statement,
        "reported": None,
        "prediction": prediction,
        "unit": None,
        "seeds_asked": None,
        "replacements": {},
    }


A, B, C = (declaration(name) for name in "abc")


def test_registering_some_leaves_the_others_as_they_were(tmp_path):
    path = tmp_path / "registered.json"
    register(path, [A, B], Declared([A, B], [PAPER]))
    moved_a, moved_b = declaration("a", "It moved."), declaration("b", "It moved.")
    lines = register(path, [moved_b], Declared([moved_a, moved_b], [PAPER]))
    claims = registry.load(path)["claims"]
    assert [claims[f"toy/{name}"]["statement"] for name in "ab"] == ["It holds.", "It moved."]
    assert lines == [f"registered 1 claim in {path}"]


def test_a_registered_claim_that_is_not_collected_is_kept_and_named(tmp_path):
    path = tmp_path / "registered.json"
    register(path, [A, B], Declared([A, B], [PAPER]))
    lines = register(path, [C, B], Declared([C, B], [PAPER]))
    assert lines[1:] == ["kept, not collected now: toy/a"]
    assert list(registry.load(path)["claims"]) == ["toy/c", "toy/b", "toy/a"]


def test_a_changed_protocol_needs_all_claims_of_its_paper(tmp_path):
    path = tmp_path / "registered.json"
    register(path, [A, B], Declared([A, B], [PAPER]))
    before = path.read_text()
    changed = {**PAPER, "protocol": [{"name": "batch", "value": 32, "source": "ours"}]}
    with pytest.raises(pytest.UsageError, match=r"the protocol of toy has changed.*toy/b"):
        register(path, [A], Declared([A, B], [changed]))
    assert path.read_text() == before
    register(path, [A, B], Declared([A, B], [changed]))
    assert registry.load(path)["papers"]["toy"]["protocol"][0]["value"] == 32


def test_a_damaged_registry_is_not_replaced(tmp_path):
    path = tmp_path / "registered.json"
    path.write_text(json.dumps({"schema_version": 1}))
    with pytest.raises(pytest.UsageError, match="not a claims registry"):
        register(path, [A], Declared([A], [PAPER]))
