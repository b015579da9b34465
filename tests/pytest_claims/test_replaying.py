import numpy as np
import pytest

from pytest_claims import replaying, specs
from pytest_claims.store import keys
from tests.pytest_claims import replayed
from tests.pytest_claims.replayed import Fit, Further, average


def digest(spec):
    return keys.digest(spec)


def replay(*wanted, checkpoints=None, rounding=0.0):
    found = replaying.replay({digest(spec): spec for spec in wanted}, checkpoints or {}, rounding=rounding)
    return [found[digest(spec)] for spec in wanted]


def test_a_run_is_replayed_shortened():
    (found,) = replay(specs.of_run(Fit(500)))
    assert len(found["losses"]) == 3
    assert found["losses"] == Fit(3).one(0, 0.0)["losses"].tolist()


def test_what_starts_from_another_starts_from_its_checkpoint():
    further = specs.of_run(Further(Fit(500)))
    checkpoint = {digest(specs.of_run(Fit(500))): {"weights": np.full((1, 8), 2.0)}}
    (found,) = replay(further, checkpoints=checkpoint)
    assert found["weights"] == pytest.approx([2.0 * 0.9**2] * 8)
    (without,) = replay(further)
    assert without["weights"] == pytest.approx((Fit(3).one(0, 0.0)["weights"] * 0.9**2).tolist())


def test_a_measurement_is_replayed_on_a_checkpoint_or_a_shortened_run():
    spec = specs.of_measurement(average, Fit(500), {"trials": 4096}, {"trials": 1})
    (found,) = replay(spec)
    assert found["value"] == pytest.approx([Fit(3).one(0, 0.0)["weights"].mean()])


def test_another_computation_is_farther_than_rounding(monkeypatch):
    wanted = specs.of_run(Fit(500))
    (base,), (twin,) = replay(wanted), replay(wanted, rounding=replaying.ROUNDING)
    assert 0 < replaying.distance(base, twin) < 1e-5
    assert replaying.allowed(base, twin) == replaying.TOLERANCE
    descend = Fit.descend
    monkeypatch.setattr(Fit, "descend", lambda self, w, x, y: descend(self, 1.01 * w, x, y))
    (changed,) = replay(wanted)
    assert replaying.distance(base, changed) > 1e-3


def test_rounding_larger_than_the_tolerance_is_allowed_five_times():
    base, twin = {"x": [1.0]}, {"x": [1.01]}
    assert replaying.allowed(base, twin) == pytest.approx(5 * 0.01 / 1.01)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"x": [1.0, 2.0]}, {"x": [1.0, 2.0]}, 0.0),
        ({"x": [0.0]}, {"x": [0.0]}, 0.0),
        ({"x": [2.5e-16]}, {"x": [7.5e-16]}, 0.0),
        # By hand: the largest difference is 0.5, the largest number 4.
        ({"x": [1.0, 4.0]}, {"x": [1.5, 4.0]}, 0.125),
        ({"x": [1.0]}, {"x": [1.0, 2.0]}, float("inf")),
        ({"x": [1.0]}, {"y": [1.0]}, float("inf")),
        ({"x": [1.0]}, {"x": [float("nan")]}, float("inf")),
    ],
)
def test_the_distance_is_relative_to_the_largest_number(one, other, expected):
    assert replaying.distance(one, other) == pytest.approx(expected)


def test_a_change_anywhere_in_a_large_array_is_seen():
    array = np.random.default_rng(0).normal(size=1000)
    base = replaying._summary({"x": array})
    for place in (0, 499, 999):
        changed = array.copy()
        changed[place] += 1.0
        assert replaying.distance(base, replaying._summary({"x": changed})) > replaying.TOLERANCE
    swapped = array[::-1]
    assert replaying.distance(base, replaying._summary({"x": swapped})) > replaying.TOLERANCE


def test_what_cannot_be_made_is_a_sentence(monkeypatch):
    wanted = specs.of_run(Fit(500))
    monkeypatch.setattr(Fit, "train", lambda *_: 1 / 0)
    assert replay(wanted) == ["ZeroDivisionError: division by zero"]
    monkeypatch.delattr(replayed, "Fit")
    (found,) = replay(wanted)
    assert "Fit is gone" in found


def test_specs_that_are_replayed_alike_are_one():
    short = [replaying.short_spec(specs.of_run(Fit(steps))) for steps in (3, 10, 500)]
    assert short[0] == short[1] == short[2]
    assert replaying.short_spec(specs.of_run(Fit(500, rate=0.2))) != short[0]
    measured = [
        replaying.short_spec(specs.of_measurement(average, Fit(steps), {"trials": 9}, {})) for steps in (5, 6)
    ]
    assert measured[0] == measured[1]


def test_checkpoints_are_kept_of_what_is_long_and_says_so():
    wanted = [specs.of_measurement(average, Further(Fit(500)), {"trials": 1}, {}), specs.of_run(Fit(2))]
    assert list(replaying.keepers(wanted).values()) == [Fit(500)]
