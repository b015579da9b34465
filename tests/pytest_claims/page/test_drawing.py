import math

import pytest

from pytest_claims.formats import VERDICTS
from pytest_claims.page.drawing import LANE, REPORTED, SHAPES, badge, dots, forest_axis, shape, slug, strip
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.page.outline import read

HOSTILE = "<script>alert(1)</script>"


def claim(name, **fields):
    (found,) = (claim for claim in samples.build()["claims"] if claim["id"].endswith(f"/{name}"))
    return {**found, **fields}


def test_every_verdict_has_a_shape_of_its_own():
    assert set(SHAPES) == set(VERDICTS)
    assert len(set(SHAPES.values())) == len(VERDICTS)
    for word in VERDICTS:
        assert f"v-{slug(word)}" in shape(word)


def test_an_unknown_verdict_looks_like_an_error_and_keeps_its_word():
    (sign, *_) = read(badge({"verdict": HOSTILE})).children
    assert sign.text == HOSTILE
    assert sign.attributes["class"] == "badge v-error"


def test_a_badge_says_what_stands_against_the_claim():
    assert read(badge({})).text == "not run"
    assert read(badge(claim("relaxation"))).text == "inconclusive cannot discriminate"
    assert "criterion changed" in badge({"verdict": "replicated", "criterion_changed": True})
    assert "not registered" in badge({"verdict": "replicated", "registered": False})


def test_the_strip_shows_estimate_interval_and_the_papers_number():
    drawn = read(strip([("", claim("immediate-gap"))])).one("svg", class_="strip")
    assert drawn.attributes["height"] == "24"
    (mark,) = drawn.all("path", class_="v-replicated")
    assert mark.attributes["d"] == SHAPES["replicated"]
    (diamond,) = drawn.all("path", class_="reported")
    assert diamond.attributes["d"] == REPORTED
    assert len(list(drawn.all("line", class_="interval"))) == 1
    words = drawn.attributes["aria-label"]
    assert "standard deviations beyond the bound, 95 % interval" in words
    assert "the paper's number lies at" in words


def test_a_claim_in_parts_has_a_lane_a_part():
    parts = claim("no-hysteresis")["parts"]
    drawn = read(strip(list(parts.items()))).one("svg", class_="strip")
    assert drawn.attributes["height"] == str(24 + LANE)
    assert drawn.attributes["aria-label"].startswith("slow: ")
    assert "; slope: " in drawn.attributes["aria-label"]
    heights = {mark.attributes["y"] for mark in drawn.all("svg")}
    assert heights == {"12", str(12 + LANE)}


def test_without_numbers_there_is_a_word_instead():
    assert read(strip([("", claim("parameter-count"))])).text == "no number to place"


def test_what_lies_beyond_the_axis_has_an_arrowhead():
    agreeing = claim("relation-accuracy[n=10000]")
    drawn = read(strip([("", agreeing)])).one("svg", class_="strip")
    assert len(list(drawn.all("path", class_="interval"))) == 1
    assert drawn.attributes["aria-label"] == "every seed has the same value, on the claimed side of the bound"
    assert not list(read(strip([("", claim("immediate-gap"))])).all("path", class_="interval"))


@pytest.mark.parametrize("seeds", [1, 5, 50])
def test_every_seed_is_a_dot(seeds):
    values = [0.1 * math.sin(i) for i in range(seeds)]
    drawn = read(dots(claim("immediate-gap", values=values))).one("svg", class_="dots")
    assert len(list(drawn.all("circle"))) == seeds
    words = drawn.attributes["aria-label"]
    assert words.startswith(f"Values of {seeds} seed")
    assert words.count(",") == seeds - 1


def test_dots_show_bound_interval_mean_and_the_papers_number():
    drawn = read(dots(claim("immediate-gap"))).one("svg", class_="dots")
    for name in ("bound", "interval", "mean"):
        assert len(list(drawn.all("line", class_=name))) == 1
    assert len(list(drawn.all("path", class_="reported"))) == 1
    assert [text.text for text in drawn.all("text")] == ["0", "0.1043"]


def test_a_band_is_shaded_between_its_edges():
    drawn = read(dots(claim("relaxation"))).one("svg", class_="dots")
    assert len(list(drawn.all("line", class_="bound"))) == 2
    assert len(list(drawn.all("rect", class_="band"))) == 1


@pytest.mark.parametrize("name", ["parameter-count", "dominant-head", "dose-response"])
def test_without_numbers_there_are_no_dots(name):
    assert dots(claim(name)) == ""


def test_unknown_fields_do_not_stop_a_drawing():
    bare = {
        "values": [1.0, None, 2.0],
        "prediction": None,
        "reported": None,
        "interval": [1],
        "estimate": None,
    }
    assert len(list(read(dots(bare)).all("circle"))) == 2
    assert read(strip([("", bare)])).text == "no number to place"


def test_the_axis_is_for_eyes_only():
    drawn = read(forest_axis()).one("svg")
    assert drawn.attributes["aria-hidden"] == "true"
    assert [text.text for text in drawn.all("text")][4] == "0"
