import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims import specs
from pytest_claims.store import keys
from tests.pytest_claims.replayed import Fit, Further, average


@dataclass(frozen=True)
class Anything:
    value: object

    def train(self, seeds, store, progress):
        """Never called."""


leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3).map(tuple) | inner.map(Anything))


@given(values)
def test_a_run_comes_back_from_json_as_it_was(value):
    run = Anything(value)
    back = specs.load(json.loads(json.dumps(specs.of_run(run))))
    assert back == run
    # 1, 1.0 and True are equal to Python, and different runs.
    assert keys.canonical(back, "back") == keys.canonical(run, "run")


def test_a_measurement_comes_back_with_what_it_takes_in_a_replay():
    spec = specs.of_measurement(average, (Fit(9), Further(Fit(9))), {"trials": 4096}, {"trials": 16})
    found = specs.load(spec)
    assert (found.function, found.runs) == (average, (Fit(9), Further(Fit(9))))
    assert found.plain == {"trials": 16}
    assert specs.name(spec) == "average of Fit, Further"
    assert specs.name(specs.of_run(Fit(9))) == "Fit"


def test_a_replay_cannot_set_what_the_measurement_is_not_given():
    with pytest.raises(TypeError, match=r"\['trails'\], which average is not given"):
        specs.of_measurement(average, Fit(9), {"trials": 1}, {"trails": 1})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("replayed.Fit", "replayed.Gone", "Gone is gone"),
        ("tests.pytest_claims.replayed", "nowhere.to.be.found", "is gone"),
        ('"rate"', '"pace"', "cannot be made as it was"),
    ],
)
def test_what_the_code_cannot_make_any_more_is_said(old, new, message):
    spec = json.loads(json.dumps(specs.of_run(Fit(9))).replace(old, new))
    with pytest.raises(specs.SpecError, match=message):
        specs.load(spec)
