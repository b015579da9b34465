import pytest

from .conftest import FALLS, RISES

INI = "[pytest]\nfilterwarnings = error\nclaims_registry = registered.json\n"


@pytest.fixture
def gated(toy):
    """A registered toy with a contradicted claim and an accepted baseline."""
    toy.pytester.makeini(INI)
    toy.write(RISES, FALLS)
    assert toy.run("--claims-register").ret == 0
    result = toy.run("--claims-write-baseline=baseline.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["baseline written: *baseline.json"])
    return toy


def gate(toy, *arguments):
    return toy.run("--claims-baseline=baseline.json", *arguments)


def test_without_a_baseline_the_exit_status_is_pytests(toy):
    toy.write(RISES)
    assert toy.run().ret == 0
    toy.write(RISES, FALLS)
    assert toy.run().ret == 1


def test_with_a_baseline_an_accepted_contradiction_passes(gated):
    assert gate(gated).ret == 0


def test_any_change_fails(gated):
    gated.write(RISES.replace("Exceeds(0.0)", "Below(0.0)"), FALLS)
    result = gate(gated)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*rises: replicated in the baseline, now contradicted*"])


def test_a_verdict_that_rises_is_a_change_too(gated):
    gated.write(RISES, FALLS.replace("Below(0.0)", "Exceeds(0.0)"))
    assert gate(gated).ret == 1


def test_a_selection_fails_and_says_so(gated):
    result = gate(gated, "-k", "rises")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*PARTIAL: 1 of 2*", "*falls: did not run*"])


def test_selecting_nothing_fails(gated):
    assert gate(gated, "-k", "nothing_of_the_kind").ret != 0
    gated.pytester.makepyfile(test_other="def test_other(): pass")
    assert gate(gated, "test_other.py").ret == 1


def test_a_failure_of_an_ordinary_test_fails_whatever_the_claims_say(gated):
    gated.pytester.makepyfile(test_other="def test_other(): assert False")
    assert gate(gated).ret == 1


def test_an_error_fails_even_where_the_baseline_would_not_notice(gated):
    gated.write(RISES, FALLS.replace("return line", "raise RuntimeError"))
    assert gate(gated).ret == 1


def test_a_baseline_is_not_written_from_part_of_the_claims(gated):
    before = (gated.path / "baseline.json").read_text()
    result = gated.run("--claims-write-baseline=baseline.json", "-k", "rises")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*baseline not written*"])
    assert (gated.path / "baseline.json").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--claims-baseline=missing.json"], "*missing.json: no such file*"),
        (["--claims-report=occupied"], "*occupied cannot be written*"),
        (["--claims-write-baseline=occupied/baseline.json"], "*occupied cannot be written*"),
        (["--seeds=0"], "*--seeds 0: give a whole number of seeds, at least 1"),
        (["-o", "claims_registry=unknown.json"], "*unknown.json: no such file*--claims-register writes*"),
    ],
)
def test_what_would_fail_at_the_end_is_refused_at_the_start(toy, arguments, message):
    toy.write(FALLS.replace("return line", "open('ran', 'w').close()"))
    (toy.path / "occupied").touch()
    result = toy.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert not (toy.path / "ran").exists()


def test_a_refusal_ends_the_workers_too(toy):
    toy.write(FALLS.replace("return line", "open('ran', 'w').close()"))
    result = toy.spawn("-n", "2", "-o", "claims_registry=unknown.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown.json: no such file*"])
    assert not (toy.path / "ran").exists()
