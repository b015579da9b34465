import xml.etree.ElementTree as ElementTree

import pytest

from .conftest import FALLS, RISES

ERRING = """
@claim(PAPER, "It measures nothing.", predicts=Exceeds(0.0))
def test_nothing(line):
    pass

@claim(PAPER, "It is not a number.", predicts=Exceeds(0.0))
def test_nan(line):
    return line * float("nan")

@claim(PAPER, "It raises.", predicts=Exceeds(0.0))
def test_raises(line):
    raise RuntimeError("boom\\nand more")

@claim(PAPER, "It has no line.", predicts=Exceeds(0.0))
def test_no_line(broken):
    return broken

@claim(PAPER, "It does not end well.", predicts=Exceeds(0.0))
def test_ends_badly(ending, line):
    return line

@claim(PAPER, "Its control raises.", predicts=Exceeds(0.0), controls={"line": "broken"})
def test_control_raises(line):
    return line

@claim(PAPER, "It is skipped.", predicts=Exceeds(0.0))
def test_skipped(line):
    pytest.skip("not today")

@pytest.fixture
def broken():
    raise LookupError("no line")

@pytest.fixture
def ending():
    yield
    raise OSError("disk")
"""


def test_whatever_goes_wrong_is_an_error_row_with_its_reason(toy):
    toy.write(ERRING)
    result = toy.run()
    rows = toy.rows()
    assert {name: (row["verdict"], row["reason"]) for name, row in rows.items() if name != "nan"} == {
        "nothing": ("error", "returned nothing; a claim returns what it measured"),
        "raises": ("error", "RuntimeError: boom"),
        "no-line": ("error", "in setup: LookupError: no line"),
        "ends-badly": ("error", "in teardown: OSError: disk"),
        "control-raises": ("error", "LookupError: no line This was the control broken."),
        "skipped": ("not run", None),
    }
    assert rows["nan"]["verdict"] == "error"
    assert "seed 0: nan" in rows["nan"]["reason"]
    # pytest's own categories: what fails in setup or teardown is its "error".
    result.assert_outcomes(failed=4, errors=2, skipped=1, passed=1)
    # A reason in words has no traceback; an exception has one.
    result.stdout.no_fnmatch_line("*worker.py*")
    result.stdout.fnmatch_lines(["*test_toy.py:*: RuntimeError"])


def test_a_control_is_measured_with_one_fixture_replaced(toy):
    toy.write(
        """
@claim(PAPER, "The line rises.", predicts=Exceeds(0.0), controls={"line": ["flat", "steep"]})
def test_rises(line, seeds):
    return line
"""
    )
    toy.run().assert_outcomes(passed=1)
    flat, steep = toy.rows()["rises"]["controls"]
    assert (flat["name"], flat["estimate"], flat["discriminates"]) == ("flat", 0.0, True)
    assert (steep["name"], steep["estimate"], steep["discriminates"]) == ("steep", 9.0, False)
    assert toy.report()["summary"]["cannot_discriminate"] == 1


def test_a_claim_gets_the_seeds_it_asks_for_and_no_fewer_than_the_others(toy):
    toy.write(
        """
@claim(PAPER, "Few.", predicts=Exceeds(0.0), seeds=2)
def test_few(line): return line

@claim(PAPER, "Many.", predicts=Exceeds(0.0), seeds=8)
def test_many(line): return line

def test_ordinary(seeds):
    assert seeds == (0, 1, 2, 3, 4, 5)
"""
    )
    toy.run("--seeds", "6").assert_outcomes(passed=3)
    assert {name: row["seeds"] for name, row in toy.rows().items()} == {
        "few": [0, 1, 2, 3, 4, 5],
        "many": [0, 1, 2, 3, 4, 5, 6, 7],
    }


def test_a_row_tells_which_runs_it_used_and_what_they_cost(toy):
    toy.write(RISES)
    toy.run()
    row = toy.rows()["rises"]
    assert (row["runs"], row["trained"]) == (["Line"], 5)
    assert row["seconds"] > 0
    toy.run("--seeds", "6")
    assert toy.rows()["rises"]["trained"] == 1


@pytest.mark.parametrize("workers", ["0", "2"])
def test_verdict_and_effect_size_stand_in_the_junit_file(toy, workers):
    toy.write(RISES, FALLS, ERRING)
    toy.run("-n", workers, "--junit-xml=junit.xml", "-k", "rises or falls or raises")
    cases = ElementTree.parse(toy.path / "junit.xml").iter("testcase")
    properties = {
        case.get("name"): {found.get("name"): found.get("value") for found in case.iter("property")}
        for case in cases
    }
    assert properties["test_rises"]["verdict"] == "replicated"
    assert float(properties["test_rises"]["effect_size"]) > 0
    assert properties["test_falls"]["verdict"] == "contradicted"
    assert properties["test_raises"] == {"verdict": "error"}


def test_a_selection_is_registered_and_nothing_runs(toy):
    toy.pytester.makeini("[pytest]\nclaims_registry = registered.json")
    toy.write(RISES, FALLS, "\ndef test_ordinary(): assert False\n")
    result = toy.run("--claims-register", "-n", "2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*registered 2 claims in *registered.json"])
    assert not (toy.path / ".claims").exists()

    # The registry is what is declared, whatever is collected later.
    toy.write(RISES)
    result = toy.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*PARTIAL: 1 of 2 claims run*", "error: toy2026/falls *test is gone*"])
    assert toy.rows()["falls"]["verdict"] == "not run"
    assert toy.report()["partial"]

    result = toy.run("--claims-register")
    result.stdout.fnmatch_lines(["*kept, not collected now: toy2026/falls"])


def test_nothing_is_registered_from_a_collection_with_errors(toy):
    toy.pytester.makeini("[pytest]\nclaims_registry = registered.json")
    toy.write(RISES)
    toy.pytester.makepyfile(test_broken="import nonsense_that_is_not_there")
    assert toy.run("--claims-register").ret == 2
    assert not (toy.path / "registered.json").exists()
