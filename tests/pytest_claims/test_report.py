import itertools
import json

import jsonschema
import pytest

from pytest_claims import registry, report
from pytest_claims.files import FileError
from tests.pytest_claims import sample_reports as samples


def validate(document):
    schema = report.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)


@pytest.mark.parametrize(
    "document",
    [samples.build(), samples.build([], []), samples.build([]), samples.many(3, 50), samples.all_errors()],
    ids=["sample", "no claims", "nothing run", "fifty seeds", "all errors"],
)
def test_every_report_follows_the_schema(document):
    validate(document)


@pytest.mark.parametrize(
    "break_it",
    [
        lambda r: r["claims"][0].update(verdict="passed"),
        lambda r: r["claims"][0].update(p_value=0.0),
        lambda r: r["claims"][0].update(interval=[1.0]),
        lambda r: r["claims"][0].update(surprise=1),
        lambda r: r["claims"][1].update(reason=None),
        lambda r: r["claims"][0].pop("seeds"),
        lambda r: r["summary"].pop("declared"),
        lambda r: r["papers"][0]["protocol"][0].update(source="nobody"),
        lambda r: r.update(schema_version=2),
    ],
)
def test_the_schema_refuses(break_it):
    document = samples.build()
    break_it(document)
    with pytest.raises(jsonschema.ValidationError):
        validate(document)


def test_the_counts():
    summary = samples.build()["summary"]
    assert summary["declared"] == 9
    assert summary["run"] == 8
    counted = {
        key: summary[key] for key in ("replicated", "contradicted", "inconclusive", "error", "not_run")
    }
    assert counted == {"replicated": 3, "contradicted": 1, "inconclusive": 3, "error": 1, "not_run": 1}
    assert summary["cannot_discriminate"] == 1


def test_order_does_not_depend_on_the_order_of_rows():
    rows = samples.rows()
    expected = json.dumps(samples.build(rows))
    for order in itertools.islice(itertools.permutations(rows), 0, 5000, 701):
        assert json.dumps(samples.build(list(order))) == expected


def test_a_papers_reported_claims_come_first_and_its_design_claims_last():
    kinds = [claim["kind"] for claim in samples.build()["claims"] if claim["paper"] == "zuo2026"]
    assert kinds == ["reported"] * 5 + ["extension", "design"]


def test_a_claim_without_a_row_did_not_run():
    document = samples.build()
    claim = document["claims"][-1]
    assert (claim["id"], claim["verdict"]) == ("huang2026/saddle", "not run")
    assert claim["statement"] == "Training converges first to a saddle."
    assert document["partial"] is True
    assert samples.build(samples.rows(), samples.DECLARATIONS[:-1])["partial"] is False


def test_a_registered_claim_that_was_not_collected_did_not_run():
    registered = registry.build(samples.DECLARATIONS, samples.PAPERS)
    document = samples.build(
        [samples.judged(samples.IMMEDIATE)], [samples.IMMEDIATE], registered, samples.PAPERS[:1]
    )
    validate(document)
    assert document["summary"]["declared"] == 9
    assert document["summary"]["not_run"] == 8
    assert document["partial"] is True
    assert document["papers"][1]["title"].startswith("Fine-Tuning")
    assert not any(claim["criterion_changed"] for claim in document["claims"])
    assert all(claim["registered"] for claim in document["claims"])


def test_a_moved_threshold_shows():
    registered = registry.build(samples.DECLARATIONS, samples.PAPERS)
    moved = {**samples.IMMEDIATE, "prediction": {"kind": "exceeds", "bound": -1.0, "text": "> -1"}}
    document = samples.build([samples.judged(moved)], [moved], registered)
    claim = document["claims"][0]
    assert claim["criterion_changed"] is True
    assert claim["criterion_changes"] == ["prediction"]
    assert claim["prediction"]["bound"] == -1.0


def test_a_claim_that_is_not_registered_counts_and_says_so():
    registered = registry.build([samples.IMMEDIATE], samples.PAPERS)
    rows = [samples.judged(samples.IMMEDIATE), samples.judged(samples.HEAD)]
    document = samples.build(rows, [samples.IMMEDIATE, samples.HEAD], registered)
    found = {claim["id"]: claim["registered"] for claim in document["claims"]}
    assert found == {"zuo2026/immediate-gap": True, "zuo2026/dominant-head": False}
    assert document["summary"]["declared"] == 2


def test_without_a_registry_nothing_is_said_of_it():
    assert {claim["registered"] for claim in samples.build()["claims"]} == {None}


def test_two_attempts_become_one_row_with_the_worse_verdict():
    good = samples.judged(samples.IMMEDIATE)
    bad = samples.judged(samples.IMMEDIATE, verdict="error", reason="worker gw1 died", p_value=None)
    for rows in ([good, bad], [bad, good]):
        document = samples.build(rows, [samples.IMMEDIATE])
        validate(document)
        (claim,) = document["claims"]
        assert claim["verdict"] == "error"
        assert claim["attempts"] == [
            {"verdict": "error", "reason": "worker gw1 died"},
            {"verdict": "replicated", "reason": None},
        ]
        assert document["summary"]["run"] == 1


def test_the_prediction_of_parts_has_a_text_of_its_own():
    claim = next(claim for claim in samples.build()["claims"] if claim["id"] == "zuo2026/no-hysteresis")
    assert claim["prediction"]["kind"] == "parts"
    assert claim["prediction"]["text"] == "slow: within ±0.0488 (ours); slope: < 0"
    assert claim["prediction"]["parts"]["slope"]["bound"] == 0.0


def test_holm_needs_enough_seeds():
    few = samples.many(4)
    assert {claim["p_holm"] for claim in few["claims"]} == {None}
    many = samples.many(4, seeds=12)
    for claim in many["claims"]:
        assert claim["p_holm"] == pytest.approx(4 * 2**-12)


def test_the_expected_number_of_false_replications():
    # Five seeds reject a true null once in 32, whatever the level between 1/32 and 2/32.
    assert samples.many(4)["summary"]["expected_false_replications"] == pytest.approx(4 / 32)
    assert samples.build([], [])["summary"]["expected_false_replications"] == 0


def test_a_rate_of_wrong_verdicts_above_alpha_stands_beside_the_claim():
    cautioned = {claim["id"]: claim["cautions"] for claim in samples.build()["claims"] if claim["cautions"]}
    # Every seed is at the ceiling of an accuracy; all others lie far from their bounds or decide nothing.
    assert list(cautioned) == ["huang2026/relation-accuracy[n=10000]"]
    assert (
        "under bounded noise whose mean lies on the bound"
        in cautioned["huang2026/relation-accuracy[n=10000]"][0]
    )


def test_building_changes_nothing_that_was_given():
    rows = samples.rows()
    before = json.dumps(rows)
    samples.build(rows)["claims"][0]["controls"].append("changed")
    assert json.dumps(rows) == before


def test_written_and_read(tmp_path):
    document = samples.build()
    path = report.write(document, tmp_path / "report")
    assert path == tmp_path / "report" / "report.json"
    assert report.load(path) == document


def test_a_number_that_is_not_finite_is_refused():
    rows = [samples.judged(samples.IMMEDIATE, series={"gap": [0.1, float("inf")]})]
    with pytest.raises(ValueError, match="JSON"):
        samples.build(rows)


def test_a_newer_report_gets_a_clear_message(tmp_path):
    path = report.write({**samples.build(), "schema_version": 9}, tmp_path)
    with pytest.raises(FileError, match="schema_version 9, newer than this pytest-claims"):
        report.load(path)
