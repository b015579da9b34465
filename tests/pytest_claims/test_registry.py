import json

import pytest

from pytest_claims import registry
from pytest_claims.files import FileError, write_json
from tests.pytest_claims.sample_reports import DECLARATIONS, IMMEDIATE, PAPERS, SLOW

ZUO = PAPERS[0]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "registered.json"
    write_json(path, registry.build(DECLARATIONS, PAPERS))
    return path


def test_what_was_registered_is_unchanged(path):
    registered = registry.load(path)
    assert list(registered["claims"]) == [declaration["id"] for declaration in DECLARATIONS]
    for declaration in DECLARATIONS:
        paper = next(paper for paper in PAPERS if paper["key"] == declaration["paper"])
        assert registry.changes(declaration, paper, registered) == []


def test_writing_again_writes_the_same_bytes(path):
    before = path.read_bytes()
    write_json(path, registry.build(DECLARATIONS, PAPERS))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prediction": {"kind": "exceeds", "bound": 0.01, "text": "> 0.01"}}, ["prediction"]),
        ({"statement": "Something weaker."}, ["statement"]),
        ({"kind": "extension"}, ["kind"]),
        ({"seeds_asked": 12}, ["seeds"]),
        ({"reported": {**IMMEDIATE["reported"], "value": 0.05}}, ["reported"]),
        ({"replacements": {}}, ["controls"]),
        ({"nodeid": "elsewhere.py::test_moved", "unit": "nats", "seeds": [0, 1]}, []),
        ({"prediction": {"kind": "exceeds", "bound": 0, "text": "> 0"}}, []),
    ],
)
def test_a_changed_criterion_is_named(path, change, words):
    assert registry.changes({**IMMEDIATE, **change}, ZUO, registry.load(path)) == words


def test_a_bound_inside_a_part_counts(path):
    slow = {**SLOW["prediction"]["slow"], "bound": [-0.1, 0.1]}
    changed = {**SLOW, "prediction": {**SLOW["prediction"], "slow": slow}}
    assert registry.changes(changed, ZUO, registry.load(path)) == ["prediction"]


def test_a_changed_choice_of_the_protocol_is_named(path):
    other = [
        *ZUO["protocol"][:1],
        {"name": "batch size", "value": 128, "source": "ours"},
        *ZUO["protocol"][2:],
    ]
    assert registry.changes(IMMEDIATE, {**ZUO, "protocol": other}, registry.load(path)) == [
        "protocol: batch size"
    ]
    backwards = {**ZUO, "protocol": ZUO["protocol"][::-1]}
    assert registry.changes(IMMEDIATE, backwards, registry.load(path)) == ["protocol: order"]


def test_true_is_not_one():
    assert registry.digest({"value": True}) != registry.digest({"value": 1})


def test_a_claim_that_is_not_registered(path):
    assert registry.changes({**IMMEDIATE, "id": "zuo2026/new"}, ZUO, registry.load(path)) is None


def test_papers_without_a_claim_are_left_out(tmp_path):
    path = tmp_path / "registered.json"
    write_json(path, registry.build([IMMEDIATE], PAPERS))
    assert list(registry.load(path)["papers"]) == ["zuo2026"]


@pytest.mark.parametrize("field", ["statement", "prediction", "seeds_asked", "hash"])
def test_an_entry_edited_by_hand_is_refused(path, field):
    data = json.loads(path.read_text())
    data["claims"]["zuo2026/immediate-gap"][field] = "edited"
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match=r"zuo2026/immediate-gap does not match its hash"):
        registry.load(path)


def test_an_edited_protocol_is_refused(path):
    data = json.loads(path.read_text())
    data["papers"]["zuo2026"]["protocol"][0]["value"] = 3
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match="does not match its hash"):
        registry.load(path)


def test_another_json_file_is_refused(tmp_path):
    path = tmp_path / "registered.json"
    path.write_text('{"schema_version": 1, "claims": []}')
    with pytest.raises(FileError, match="not a claims registry"):
        registry.load(path)
