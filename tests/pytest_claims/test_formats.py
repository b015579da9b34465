import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims import formats


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0976, "0.0976"),
        (0.99987, "0.9999"),
        (1.0, "1"),
        (0.25, "0.25"),
        (71744, "71,744"),
        (1234.5, "1,234"),
        (-0.112, "-0.112"),
        (0.0, "0"),
        (1.2e-8, "1.2e-8"),
        (3e9, "3e9"),
        (True, "true"),
        (None, "–"),
        (float("nan"), "nan"),
        ("<b>", "<b>"),
    ],
)
def test_number(value, text):
    assert formats.number(value) == text


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"estimate": 0.08534, "interval": [0.06722, 0.10346]}, "0.085 [0.067, 0.103]"),
        ({"estimate": 0.9995, "interval": [0.9993, 0.9997]}, "0.99950 [0.99930, 0.99970]"),
        ({"estimate": 1234.5, "interval": [1000.0, 1469.0]}, "1,234 [1,000, 1,469]"),
        ({"estimate": 0.5, "interval": None}, "0.5"),
        ({"estimate": 0.5, "interval": []}, "0.5"),
        ({"estimate": 0.5, "interval": [0.1, None]}, "0.5"),
        ({"estimate": 0.5, "interval": [0.5, 0.5]}, "0.5 [0.5, 0.5]"),
        ({"estimate": 0.8, "values": [True, True, False, True, True]}, "4 of 5 seeds"),
        ({"estimate": None}, "–"),
        ({}, "–"),
    ],
)
def test_estimate_shows_the_digits_that_its_interval_supports(row, text):
    assert formats.estimate(row) == text


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (
            {"value": 0.0976, "unit": "logits", "seeds": 5, "p_value": 0.0625},
            "0.0976 logits (5 seeds, p = 0.0625)",
        ),
        ({"text": "near zero"}, "near zero"),
        ({"value": 86.8, "unit": "%", "text": "of the gap"}, "86.8 %, of the gap"),
        ({"seeds": 5}, "5 seeds"),
        ({}, "–"),
        (None, "–"),
    ],
)
def test_reported(found, text):
    assert formats.reported({"reported": found}) == text


def test_the_unit_stands_before_whose_threshold_it_is():
    row = {"prediction": {"kind": "at_least", "bound": 0.8, "text": "≥ 0.80 (ours)"}, "unit": "logits"}
    assert formats.prediction(row) == "≥ 0.80 logits (ours)"


def test_predictions_without_a_unit():
    holds = {"kind": "holds", "bound": None, "text": "holds in every seed"}
    assert formats.prediction({"prediction": holds, "unit": "logits"}) == "holds in every seed"
    assert formats.prediction({"kind": "design", "prediction": None}) == "exact"
    assert formats.prediction({}) == "–"


@pytest.mark.parametrize(
    ("p", "text"), [(0.03125, "0.0312"), (0.0625, "0.0625"), (1.0, "1"), (9.5e-7, "9.5e-07")]
)
def test_p_value(p, text):
    assert formats.p_value(p) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.868, "86.8 %"), (1.0, "100 %"), (12.345, "1,234 %"), (None, "–"), (0.0036, "0.36 %")],
)
def test_percent(share, text):
    assert formats.percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.42, "0.4 s"), (59.7, "1 min 00 s"), (185, "3 min 05 s"), (7620, "2 h 07 min"), (None, "–")],
)
def test_duration(seconds, text):
    assert formats.duration(seconds) == text


def test_a_control_that_came_out_like_its_claim_is_marked():
    row = {"controls": [{"name": "swapped", "verdict": "replicated", "share": 0.9, "discriminates": False}]}
    assert formats.controls(row) == ["swapped: replicated, 90 % of the claim's size → cannot discriminate"]
    assert not formats.discriminates(row)


def test_a_control_without_a_judgement_does_not_mark_its_claim():
    assert formats.discriminates({"controls": [{"name": "x", "verdict": "error", "discriminates": None}]})
    assert formats.discriminates({"controls": None})


def test_reasons_name_parts_once():
    claim = {
        "reason": "slope: seed 3 differs",
        "parts": {"slope": {"reason": "seed 3 differs"}, "gap": {"reason": "n = 1"}},
    }
    assert formats.reasons(claim) == ["slope: seed 3 differs", "gap: n = 1"]


def test_parts_with_the_same_reason_share_a_line():
    claim = {
        "reason": "a: no spread; b: no spread; c: n = 1",
        "parts": {"a": {"reason": "no spread"}, "b": {"reason": "no spread"}, "c": {"reason": "n = 1"}},
    }
    assert formats.reasons(claim) == ["a, b: no spread", "c: n = 1"]
    assert formats.reasons({**claim, "reason": None}) == ["a, b: no spread", "c: n = 1"]
    assert formats.reasons({**claim, "reason": "raised"}) == ["raised", "a, b: no spread", "c: n = 1"]


def test_without_reasons_there_are_none():
    assert formats.reasons({}) == []
    assert formats.reasons({"reason": None, "parts": {"a": None}}) == []


def test_cautions_stand_after_the_reasons():
    claim = {"reason": "no spread", "cautions": ["the rate is 59 %", "and\x1b so on"]}
    assert formats.reasons(claim) == ["no spread", "caution: the rate is 59 %", "caution: and  so on"]


def test_parts_inherit_the_unit():
    claim = {"unit": "logits", "parts": {"a": {"estimate": 1.0}, "b": {"unit": "nats"}, "c": None}}
    assert [part["unit"] for _, part in formats.parts(claim)] == ["logits", "nats", "logits"]


def test_totals_leave_out_what_did_not_happen():
    summary = {"declared": 3, "run": 2, "replicated": 2, "not_run": 1, "error": 0, "cannot_discriminate": 1}
    assert formats.totals(summary) == "2 of 3 claims run: 2 replicated, 1 not run, 1 cannot discriminate"
    assert formats.totals({}) == "0 of 0 claims run: 0 replicated"


def test_plain_spells_signs_and_keeps_what_the_encoding_has():
    assert formats.plain("≥ ±0.05 → é 左") == ">= +/-0.05 -> e \\u5de6"
    assert formats.plain("≥ é 左", "cp1252") == ">= é \\u5de6"
    assert formats.plain("≥ é 左", "utf-8") == ">= é 左"
    assert formats.plain("é", "no-such-encoding") == "e"


@given(st.text())
def test_plain_text_can_always_be_written(text):
    assert formats.plain(formats.clean(text)).isascii()
    formats.plain(formats.clean(text), "cp1252").encode("cp1252")


def test_clean_removes_what_controls_a_terminal():
    assert formats.clean("a\x1b[31mb\nc\u202ed\ud800") == "a [31mb c d "
    assert formats.clean("a\nb\r", lines=True) == "a\nb "
