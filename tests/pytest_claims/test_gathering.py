from types import SimpleNamespace

from pytest_claims.gathering import Gathering, crash_row

DECLARATION = {"id": "toy/a", "nodeid": "test_a.py::test_a"}


def report(row=None, failed=False, notes=()):
    found = SimpleNamespace(failed=failed, claims_notes=list(notes))
    if row is not None:
        found.claims_row = row
    return found


def gathered(*reports):
    gathering = Gathering()
    for each in reports:
        gathering.add(each)
    return gathering


def row(verdict, seconds=1.0, trained=2):
    return {
        **DECLARATION,
        "verdict": verdict,
        "runs": [],
        "trained": trained,
        "measured": 1,
        "seconds": seconds,
    }


def test_workers_that_agree_make_one_row_with_what_both_made():
    rows = gathered(report(row("replicated", 1.0, 2)), report(row("replicated", 3.0, 4))).rows
    assert rows == [{**row("replicated", 3.0, 6), "measured": 2}]


def test_workers_that_disagree_make_a_row_each():
    rows = gathered(report(row("replicated")), report(row("contradicted"))).rows
    assert [found["verdict"] for found in rows] == ["replicated", "contradicted"]


def test_two_deaths_in_one_claim_are_two_attempts():
    deaths = [
        report(crash_row("test_a.py::test_a", worker, [DECLARATION]), True) for worker in ("gw0", "gw1")
    ]
    assert [found["reason"] for found in gathered(*deaths).rows] == ["worker gw0 died", "worker gw1 died"]


def test_failures_of_claims_are_not_counted_as_failures_of_tests():
    gathering = gathered(report(row("contradicted"), failed=True), report(failed=True), report())
    assert gathering.others == 1


def test_a_note_is_kept_once():
    assert gathered(report(notes=["a", "b"]), report(notes=["b", "c"])).notes == ["a", "b", "c"]


def test_a_crash_in_an_xdist_group_finds_its_claim():
    found = crash_row("test_a.py::test_a@group", "gw1", [DECLARATION])
    assert (found["id"], found["verdict"], found["reason"]) == ("toy/a", "error", "worker gw1 died")


def test_a_crash_in_an_ordinary_test_is_no_claims_row():
    assert crash_row("test_a.py::test_other", "gw1", [DECLARATION]) is None
