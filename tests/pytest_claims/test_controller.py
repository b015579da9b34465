from functools import partial

import pytest

from .conftest import FALLS, RISES

MIXED = """
@claim(PAPER, "It is mixed.", predicts=Exceeds(2.5))
def test_mixed(line):
    return line

@claim(PAPER, "It is nothing.", predicts=Exceeds(0.0))
def test_nothing(line):
    pass
"""


def test_verdicts_have_letters_and_words_and_keep_pytests_categories(toy):
    toy.write(RISES, FALLS, MIXED, "\ndef test_ordinary(): pass\n")
    result = toy.run()
    result.stdout.fnmatch_lines(["test_toy.py RCIE.*"])
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "contradicted: ?< 0? holds in no seed",
            "CONTRADICTED test_toy.py::test_falls*",
            "INCONCLUSIVE test_toy.py::test_mixed*",
            "ERROR test_toy.py::test_nothing*",
        ]
    )
    result = toy.run("-v", "--no-summary")
    result.stdout.fnmatch_lines(
        ["*::test_rises REPLICATED*", "*::test_mixed INCONCLUSIVE*", "*::test_ordinary PASSED*"]
    )


def test_what_is_marked_as_expected_to_fail_stays_pytests(toy):
    toy.write("\n@pytest.mark.xfail", FALLS)
    toy.run().assert_outcomes(xfailed=1)
    assert toy.rows()["falls"]["verdict"] == "contradicted"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_session_without_claims_is_left_alone(toy, workers):
    toy.pytester.makeini("[pytest]\nclaims_registry = missing.json\nclaims_baseline = missing.json")
    toy.pytester.makepyfile("def test_one(): pass\ndef test_two(): assert False")
    result = toy.spawn("-n", workers)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.no_fnmatch_line("*claim*toy*")
    result.stdout.no_fnmatch_line("*= claims =*")
    assert not (toy.path / ".claims").exists()
    assert not list(toy.path.glob("*.json"))


@pytest.mark.parametrize(
    "selection",
    [
        ["-k", "rises"],
        ["-m", "design"],
        ["--deselect", "test_toy.py::test_falls"],
        ["test_toy.py::test_rises"],
    ],
)
def test_a_selection_is_partial(toy, selection):
    toy.pytester.makeini("[pytest]\nclaims_registry = registered.json")
    design = RISES.replace("predicts=Exceeds(0.0)", "kind='design'").replace("return line", "return True")
    toy.write(design, FALLS)
    toy.run("--claims-register")
    result = toy.run(*selection)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*PARTIAL: 1 of 2 claims run*"])
    assert toy.rows()["falls"]["verdict"] == "not run"


def test_only_what_failed_last_is_partial(toy):
    # pytest does not even collect the others, so that only the registry knows of them.
    toy.pytester.makeini("[pytest]\nclaims_registry = registered.json")
    toy.write(RISES, FALLS)
    toy.run("--claims-register")
    run = partial(toy.pytester.runpytest_inprocess, "-p", "no:hypothesispytest")
    run()
    run("--lf").stdout.fnmatch_lines(["*PARTIAL: 1 of 2 claims run*"])


def test_where_nothing_ran_the_last_report_stays(toy):
    toy.write(RISES)
    toy.run()
    before = toy.report()
    result = toy.run("-k", "nothing_of_the_kind")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["*PARTIAL: 0 of 1 claim run*"])
    assert toy.report() == before


def test_the_first_failure_can_end_the_run_and_the_rest_is_not_run(toy):
    toy.write(FALLS, RISES)
    result = toy.run("-x")
    assert result.ret == 1
    assert toy.report()["partial"]
    assert {name: row["verdict"] for name, row in toy.rows().items()} == {
        "falls": "contradicted",
        "rises": "not run",
    }


def test_an_interruption_keeps_what_was_finished(toy):
    toy.write(RISES, FALLS.replace("return line", "raise KeyboardInterrupt"))
    result = toy.spawn()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*PARTIAL: 1 of 2 claims run*"])
    assert {name: row["verdict"] for name, row in toy.rows().items()} == {
        "rises": "replicated",
        "falls": "not run",
    }


def test_listing_the_tests_reports_nothing(toy):
    toy.write(RISES)
    assert toy.run("--collect-only").ret == 0
    assert not (toy.path / ".claims").exists()


def test_the_report_does_not_depend_on_how_many_processes_made_it(toy):
    toy.write(RISES, FALLS, MIXED)
    toy.write("\ndef test_ordinary(): pass\n", RISES.replace("rises", "rises_again"), name="test_more")

    def report(*arguments):
        folder = f"store{''.join(arguments)}"
        result = toy.spawn("--claims-store", folder, "--claims-report", folder, "-q", *arguments)
        assert result.ret == 1
        found = toy.report(folder)
        for field in ("created", "duration_s", "command"):
            del found[field]
        # Which claim pays for a run that several use depends on which comes first.
        for claim in found["claims"]:
            for field in ("seconds", "trained", "measured"):
                del claim[field]
        return found

    alone = report("-n", "0")
    assert len(alone["claims"]) == 5
    assert report("-n", "2") == alone


def test_why_something_was_trained_is_printed(toy):
    toy.write(RISES)
    toy.run().stdout.fnmatch_lines(["*first time, seeds 0-4 · Line*"])
    toy.run("--seeds", "6").stdout.fnmatch_lines(["*seed 5 is new · Line*"])
    toy.run("-q", "--seeds", "7").stdout.no_fnmatch_line("*is new*")


def test_a_store_that_cannot_be_written_is_named_before_anything_trains_and_claims_are_reported(toy):
    toy.write(RISES)
    (toy.path / "occupied").touch()
    result = toy.run("--claims-store=occupied/store")
    result.stdout.fnmatch_lines(["the store *occupied/store cannot be written: *", "test_toy.py R*"])
    assert toy.rows()["rises"]["verdict"] == "replicated"
