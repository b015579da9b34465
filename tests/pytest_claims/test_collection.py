import pytest

DESIGN = """
@claim(PAPER, "It is there.", kind="design")
def test_exists():
    return True
"""


def test_ids_come_from_the_function_and_hand_written_parameter_ids(toy):
    toy.write(
        """
@pytest.mark.parametrize("n", [pytest.param(10, id="n=10"), pytest.param(20, id="n=20")])
@claim(PAPER, "It grows.", predicts=Exceeds(0.0))
def test_grows_with_size(n, seeds):
    return [float(n)] * len(seeds)

class TestGroup:
    @claim(PAPER, "It shrinks.", predicts=Below(0.0))
    def test_shrinks(self, seeds):
        return [-1.0] * len(seeds)
"""
    )
    toy.run().assert_outcomes(passed=3)
    rows = toy.rows()
    assert list(rows) == ["grows-with-size[n=10]", "grows-with-size[n=20]", "shrinks"]
    assert rows["shrinks"]["nodeid"] == "test_toy.py::TestGroup::test_shrinks"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_duplicates_are_a_collection_error_that_names_both(toy, workers):
    toy.write(DESIGN, name="test_one")
    toy.write(DESIGN, name="test_two")
    result = toy.spawn("-n", workers)
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*duplicate claim toy2026/exists: declared by test_one.py::test_exists "
            "and by test_two.py::test_exists"
        ]
    )
    assert not (toy.path / ".claims/report/report.json").exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            """
@pytest.mark.parametrize("n", [10])
@claim(PAPER, "It grows.", predicts=Exceeds(0.0))
def test_grows(n, seeds): ...
""",
            "*toy2026/grows?10?: give each parameter an id of its own*",
        ),
        (
            """
@claim(PAPER, "It rises.", predicts=Exceeds(0.0), controls={"line": "missing"})
def test_rises(line): ...
""",
            "*toy2026/rises: there is no fixture 'missing' for its control",
        ),
        (
            """
import unittest
class TestCase(unittest.TestCase):
    @claim(PAPER, "It is there.", kind="design")
    def test_exists(self):
        return False
""",
            "*toy2026/exists is a method of a unittest.TestCase*",
        ),
        (
            """
@claim(PAPER, "One.", kind="design")
def test_one(): ...
@claim(Paper(key="toy2026", title="Other", authors="B", year=2026), "Two.", kind="design")
def test_two(): ...
""",
            "*test_toy.py::test_one and test_toy.py::test_two cite different papers under the key 'toy2026'",
        ),
        (
            """
@claim(PAPER, "It lies between.", predicts=Within(1.0, 0.5))
def test_between(line): ...
""",
            "*ValueError: Within(1.0, 0.5)*",
        ),
    ],
)
def test_what_no_single_declaration_can_tell_is_refused_at_collection(toy, body, message):
    toy.write(body)
    result = toy.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([message])
    result.assert_outcomes(errors=1)


def test_each_kind_is_a_marker(toy):
    toy.write(
        DESIGN,
        """
@claim(PAPER, "It rises.", predicts=Exceeds(0.0))
def test_rises(line):
    return line
""",
    )
    toy.run("-m", "design", "--strict-markers").assert_outcomes(passed=1, deselected=1)
    assert toy.rows()["rises"]["verdict"] == "not run"
