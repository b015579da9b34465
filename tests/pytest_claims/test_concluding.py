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
    result.stdout.fnmatch_lines(["*rises: criterion changed since it was registered: prediction*"])


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_selection_is_refused_before_anything_runs(gated, workers):
    result = gated.spawn("--claims-baseline=baseline.json", "-k", "rises", "-n", workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*PARTIAL: 1 of 2 claims selected*--claims-allow-partial*"])


def test_a_selection_is_compared_where_that_is_asked_for_and_says_so(gated):
    result = gate(gated, "-k", "rises", "--claims-allow-partial")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*baseline.json: unchanged (PARTIAL)*"])


def test_a_claim_that_is_not_registered_is_an_error_of_the_run(gated):
    gated.write(RISES, FALLS, RISES.replace("test_rises", "test_rises_again"))
    result = gated.run("-k", "rises")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["error: toy2026/rises-again is not registered*"])


@pytest.mark.parametrize("file_too", [False, True])
def test_a_registered_claim_without_a_test_is_an_error_of_the_run(gated, file_too):
    if file_too:
        (gated.path / "test_toy.py").unlink()
        gated.write(RISES, name="test_more")
    else:
        gated.write(RISES)
    result = gated.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["error: toy2026/falls is registered, but its test is gone*"])


def test_another_path_says_nothing_about_the_claims_elsewhere(gated):
    gated.write(RISES.replace("test_rises", "test_more"), name="test_more")
    assert gated.run("--claims-register").ret == 0
    result = gated.run("test_more.py")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*is gone*")


def test_selecting_nothing_fails(gated):
    assert gate(gated, "-k", "nothing_of_the_kind").ret != 0
    gated.pytester.makepyfile(test_other="def test_other(): pass")
    assert gate(gated, "test_other.py").ret != 0


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
