import dataclasses
import functools

import pytest

from pytest_claims.store import work
from pytest_claims.store.fingerprint import Fingerprints
from tests.pytest_claims.store import toys
from tests.pytest_claims.store.toys import PROJECT, Anchor, Branch, OneByOne, mean_weight

FINGERPRINTS = Fingerprints(PROJECT)


def of_run(run, seeds=(0, 1)):
    return work.of_run(run, seeds, FINGERPRINTS, compute=None, prepare=None)


def of_measurement(function, runs, **plain):
    return work.of_measurement(
        function, [of_run(run) for run in runs], plain, FINGERPRINTS, compute=None, prepare=None
    )


def test_a_runs_key_depends_on_fields_and_seed():
    one = of_run(Anchor("log"))
    other = of_run(Anchor("log", scale=2.0))
    assert len({*one.keys.values(), *other.keys.values()}) == 4
    assert of_run(Anchor("log"), (1, 0, 7)).keys[0] == one.keys[0]


def test_a_runs_key_depends_on_source_and_versions(monkeypatch):
    before = of_run(Anchor("log"))
    for part, change in (("files", {"toys.py": "0"}), ("versions", {"numpy": "9"})):
        source = dataclasses.replace(before.source, **{part: getattr(before.source, part) | change})
        monkeypatch.setattr(FINGERPRINTS, "of", lambda modules, source=source: source)
        assert of_run(Anchor("log")).keys[0] != before.keys[0]


def test_the_source_of_every_class_in_the_fields_counts(monkeypatch):
    asked = []
    monkeypatch.setattr(FINGERPRINTS, "of", lambda modules: asked.extend(modules) or work.Source())
    of_run(Branch(Anchor("log"), "log"))
    assert asked == [toys.__name__, toys.__name__]


def test_a_label_is_the_runs_own_or_its_classs_name():
    assert of_run(Anchor("log")).label == "Anchor"
    assert of_run(OneByOne("log")).label == "one by one"


def test_a_measurements_key_depends_on_function_runs_arguments_and_seed():
    found = [
        of_measurement(mean_weight, [Anchor("log")]),
        of_measurement(mean_weight, [Anchor("log", 2.0)]),
        of_measurement(mean_weight, [Anchor("log")], power=2),
        of_measurement(mean_weight, [Anchor("log")], power=2.0),
        of_measurement(toys.both, [Anchor("log")]),
        of_measurement(mean_weight, [Anchor("log"), Anchor("log", 2.0)]),
        of_measurement(mean_weight, [Anchor("log", 2.0), Anchor("log")]),
    ]
    assert len({key for each in found for key in each.keys.values()}) == 2 * len(found)
    assert found[5].label == "mean_weight of Anchor, Anchor"


@pytest.mark.parametrize(
    "function", [lambda arrays, seeds: 0, functools.partial(mean_weight, power=2), len, OneByOne("log").train]
)
def test_only_functions_whose_name_says_which_they_are_can_measure(function):
    with pytest.raises(TypeError):
        of_measurement(function, [Anchor("log")])


def test_an_argument_that_no_key_can_hold_is_named():
    with pytest.raises(TypeError, match=r"mean_weight\(power=…\) is a builtins\.list"):
        of_measurement(mean_weight, [Anchor("log")], power=[1])


def test_what_is_not_a_run_is_refused():
    with pytest.raises(TypeError, match="int is not a run"):
        of_run(3)


@dataclasses.dataclass(frozen=True)
class Greedy(Anchor):
    seeds_at_once = 0


def test_a_batch_needs_a_seed():
    with pytest.raises(ValueError, match="seeds_at_once"):
        of_run(Greedy("log"))


@dataclasses.dataclass(frozen=True)
class Settings:
    start: object


def test_inputs_are_the_runs_in_the_fields_but_not_theirs():
    inner = Anchor("log")
    branch = Branch(inner, "log")
    assert work.inputs_of(branch) == [inner]
    assert work.inputs_of(Branch(Settings((1, branch, inner)), "log")) == [branch, inner]
