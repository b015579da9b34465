import copy
import re

import pytest

from pytest_claims.calibration.cautions import cautions
from pytest_claims.judgement import plain_prediction
from pytest_claims.measurements import Parts, Ratio
from pytest_claims.predictions import AtLeast, Below, Exceeds, Holds, Within
from pytest_claims.verdicts import judge


def cell(prediction="exceeds", measurement="values", noise="skewed against the claim", **fields):
    return {
        "prediction": prediction,
        "measurement": measurement,
        "null": "median",
        "noise": noise,
        "seeds": 5,
        "replicated": 0.071,
        "contradicted": 0.02,
        "above": {"replicated": 2.0},
        **fields,
    }


def table(*cells, parts=()):
    return {"alpha": 0.05, "nulls": list(cells), "parts": list(parts)}


def row(measured, prediction):
    """The row of a claim as the report holds it."""
    first = next(iter(measured.parts.values())) if isinstance(measured, Parts) else measured
    n = len(first.numerator if isinstance(first, Ratio) else first)
    whole = (
        {name: plain_prediction(p) for name, p in prediction.items()}
        if isinstance(prediction, dict)
        else None
    )
    return {
        "seeds": list(range(n)),
        "prediction": {"kind": "parts", "parts": whole} if whole else plain_prediction(prediction),
        **judge(measured, prediction, range(n)).to_row(),
    }


NEAR = [0.1, 0.5, 1.0, 0.2, 0.9]
"""Above 0 in every seed, by 1.3 standard deviations on average."""
FAR = [1.0, 1.1, 0.9, 1.05, 0.95]
"""By 13."""
SENTENCE = "the test's false-replication rate at 5 seeds is 7.1 % (α 5 %) under skewed noise"


def test_a_rate_above_alpha_is_said():
    assert cautions(row(NEAR, Exceeds(0.0)), table(cell())) == [SENTENCE]


def test_a_rate_below_alpha_is_not():
    assert cautions(row(NEAR, Exceeds(0.0)), table(cell(above={}))) == []


def test_seeds_that_lie_too_far_off_rule_it_out():
    assert cautions(row(FAR, Exceeds(0.0)), table(cell())) == []
    assert cautions(row(FAR, Exceeds(0.0)), table(cell(above={"replicated": None}))) == [SENTENCE]


@pytest.mark.parametrize(
    ("measured", "prediction"),
    [
        (NEAR, Below(2.0)),  # another prediction
        ([-v for v in NEAR], Exceeds(0.0)),  # another verdict
        ([*NEAR[:4], -0.1], Exceeds(0.0)),
        (NEAR[:4], Exceeds(0.0)),  # too few seeds to have been simulated
        (Ratio([1.1, 1.5, 2.0, 1.2, 1.9], [1.0] * 5), Exceeds(1.0)),  # another measurement
        ([0.5, 0.5, 0.4, 0.1, 0.3], Exceeds(0.0)),  # ties, as bounded values have
    ],
)
def test_other_claims_are_not_touched(measured, prediction):
    assert cautions(row(measured, prediction), table(cell())) == []


def test_the_next_smaller_number_of_seeds_counts_and_is_named():
    cells = [cell(), cell(seeds=10, above={}), cell(seeds=20, replicated=0.09, above={"replicated": None})]
    assert cautions(row([*NEAR, 0.4, 0.7], Exceeds(0.0)), table(*cells)) == [SENTENCE]
    assert cautions(row([*NEAR, *(v + 0.01 for v in NEAR)], Exceeds(0.0)), table(*cells)) == []
    many = row([0.1 + 0.01 * i for i in range(26)], Exceeds(0.0))
    assert cautions(many, table(*cells))[0].startswith("the test's false-replication rate at 20 seeds is 9 %")


def test_bounded_noise_touches_values_that_tie_at_the_best():
    bounded = table(cell("at_least", noise="bounded", above={"replicated": None}))
    assert cautions(row([1.0] * 5, AtLeast(0.999)), bounded) == [SENTENCE.replace("skewed", "bounded")]
    assert cautions(row([1.0, 1.0, 0.9995, 1.0, 0.9999], AtLeast(0.999)), bounded) != []
    assert cautions(row([1.0, 0.9991, 0.9995, 0.9992, 0.9999], AtLeast(0.999)), bounded) == []


def test_a_mean_null_is_named():
    (said,) = cautions(row(NEAR, Exceeds(0.0)), table(cell(null="mean")))
    assert said == SENTENCE + " whose mean lies on the bound"


def test_a_false_contradiction_is_named():
    found = cell(above={"contradicted": 2.0}, contradicted=0.15)
    (said,) = cautions(row([-v for v in NEAR], Exceeds(0.0)), table(found))
    assert said == "the test's false-contradiction rate at 5 seeds is 15 % (α 5 %) under skewed noise"
    assert cautions(row([-v for v in FAR], Exceeds(0.0)), table(found)) == []


def test_regions_and_ratios_are_measured_from_their_nearest_bound():
    # 0.2 inside the upper edge on average, with a standard deviation of 0.079.
    inside = [0.8, 0.7, 0.9, 0.75, 0.85]
    assert cautions(row(inside, Within(-1.0, 1.0)), table(cell("within", above={"replicated": 2.5}))) == []
    assert cautions(row(inside, Within(-1.0, 1.0)), table(cell("within", above={"replicated": 2.6}))) != []
    ratio = Ratio([0.9, 1.3, 1.8, 1.0, 1.7], [1.0] * 5)
    assert cautions(row(ratio, AtLeast(0.8)), table(cell("at_least", "ratio"))) == [SENTENCE]


def test_holds_says_what_one_failing_seed_in_ten_gives():
    found = cell(
        "holds", "truth", "binary", null="rare failures", replicated=0.59, above={"replicated": None}
    )
    assert cautions(row([True] * 5, Holds()), table(found)) == [
        "the test's false-replication rate at 5 seeds is 59 % (α 5 %) for what fails in one seed of ten"
    ]
    assert cautions(row([True] * 4 + [False], Holds()), table(found)) == []


def test_parts_that_share_a_caution_share_the_sentence():
    predictions = {name: Exceeds(0.0) for name in ("a", "b", "c")}
    found = row(Parts(a=NEAR, b=[2 * v for v in NEAR], c=FAR), predictions)
    assert cautions(found, table(cell())) == [f"a, b: {SENTENCE}"]


def test_parts_that_did_not_decide_are_left_out():
    found = row(Parts(a=NEAR, b=[-v for v in NEAR]), {"a": Exceeds(0.0), "b": Exceeds(0.0)})
    assert found["verdict"] == "contradicted"
    assert cautions(found, table(cell())) == []


def test_one_of_many_parts_contradicts_by_chance():
    counts = [
        {"parts": k, "seeds": 5, "contradicted": 0.03 * k, "above": {"contradicted": None}} for k in (2, 3, 4)
    ]
    predictions = dict.fromkeys("abcde", Exceeds(0.0))
    wrong = row(Parts(**{name: [-v for v in FAR] for name in predictions}), predictions)
    assert cautions(wrong, table(parts=counts)) == [
        "the test's false-contradiction rate at 5 seeds is 12 % (α 5 %) "
        "for 4 parts that all lie on their bounds"
    ]
    assert cautions(wrong, table(parts=[{**c, "above": {}} for c in counts])) == []
    right = row(Parts(**dict.fromkeys(predictions, FAR)), predictions)
    assert cautions(right, table(parts=counts)) == []


@pytest.mark.parametrize(
    "claim",
    [
        {"kind": "design", "prediction": None, "verdict": "replicated", "seeds": [], "parts": None},
        {"prediction": {"kind": "exceeds", "bound": 0.0}, "verdict": "not run", "seeds": [], "values": []},
        {"prediction": {"kind": "exceeds", "bound": 0.0}, "verdict": "error", "seeds": [0, 1, 2, 3, 4]},
        {"prediction": {"kind": "parts"}, "verdict": "error", "seeds": [0, 1, 2, 3, 4], "parts": None},
    ],
)
def test_what_was_not_judged_by_seeds_has_none(claim):
    assert cautions(claim) == []


def test_the_shipped_calibration_warns_of_seeds_at_a_ceiling():
    (said,) = cautions(row([1.0] * 5, AtLeast(0.999)))
    rate = re.fullmatch(
        r"the test's false-replication rate at 5 seeds is ([0-9.]+) % \(α 5 %\) under bounded noise "
        "whose mean lies on the bound",
        said,
    )
    # Nine seeds in ten are at the ceiling.
    assert float(rate[1]) == pytest.approx(100 * 0.9**5, abs=2.5)


def test_the_row_is_left_as_it_was():
    claim = row(NEAR, Exceeds(0.0))
    before = copy.deepcopy(claim)
    cautions(claim, table(cell()))
    assert claim == before
