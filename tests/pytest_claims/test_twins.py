import pytest

from pytest_claims.twins import _without_outputs


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["claims", "-n", "auto", "--claims-write-baseline", "b.json"], ["claims", "-n", "auto"]),
        (["--claims-write-baseline=b.json", "--seeds", "20"], ["--seeds", "20"]),
        (["--claims-report=r", "--junitxml=j.xml", "-v", "claims"], ["claims"]),
        (["--claims-baseline", "old.json", "-p", "no:x"], ["-p", "no:x"]),
    ],
)
def test_the_twins_follow_the_command_line_but_write_and_compare_nothing(arguments, kept):
    assert _without_outputs(arguments) == kept


def test_twins_that_cannot_be_measured_leave_the_baseline_unwritten(toy):
    # The twin session fails where the first did not: it has a rounding.
    toy.write(
        '\n@claim(PAPER, "It rises.", predicts=Exceeds(0.0))\n'
        "def test_rises(store, line):\n    return line / (store.rounding == 0)\n"
    )
    result = toy.run("--claims-write-baseline=baseline.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*the rounding twins of toy2026/rises were not measured*"])
    assert not (toy.path / "baseline.json").exists()
