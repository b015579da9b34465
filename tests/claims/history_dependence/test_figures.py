import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from claims.history_dependence.figures import KEY, draw

SEEDS = 3
SERIES = {
    "immediate-gap": {
        "seeds": [0, 1, 2],
        "updates": [0, 5, 10, 15, 20, 25, 30, 35, 110],
        "hold_starts": 10,
        "levels": [0.5, 0.6, 0.7, 0.6, 0.5, 0.5, 0.4, 0.3, 0.4, 0.5],
        "p0": 0.5,
        "below": [[0.0, 1.0, 0.3, 0.1, 0.0, 0.0, 0.0, -0.05, 0.01]] * SEEDS,
        "above": [[0.0, -1.0, -0.1, 0.0, 0.0, 0.0, 0.0, 0.05, 0.0]] * SEEDS,
    },
    "no-hysteresis": {
        "legs": [25, 100, 200],
        "gaps_at_hold_0": [[0.4, 0.1, 0.0], [0.5, 0.0, 0.1], [0.45, 0.1, 0.1]],
    },
    "dose-response": {"doses": [0.05, 0.1], "gaps": [[0.1, 0.2], [0.1, 0.3], [0.0, 0.2]]},
    "head-attenuation": {
        "heads": [0.9, 0.8, 1.0],
        "mlps": [0.1, 0.0, 0.2],
        "layers": [[0.1, 0.8]] * SEEDS,
        "single_heads": [[[0.0, 0.1], [0.5, 0.3]]] * SEEDS,
        "contextual_logit": [0.4, 0.5, 0.6],
        "fixed_logit": [0.6, 0.5, 0.4],
    },
    "dominant-head": {
        "below": [[[0.1, 0.2], [0.9, 0.3]], [[0.1, 0.2], [0.3, -0.9]], [[0.1, 0.2], [0.9, 0.3]]],
        "above": [[[0.1, 0.2], [0.8, 0.3]]] * SEEDS,
    },
    "route-map-residual": {
        "below": np.linspace(-0.2, 1, SEEDS * 2 * 9).reshape(SEEDS, 2, 9).tolist(),
        "above": np.linspace(-0.2, 0.9, SEEDS * 2 * 9).reshape(SEEDS, 2, 9).tolist(),
    },
    "route-map-heads": {
        "below": [[[0.0, 0.0], [0.5, 0.7]]] * SEEDS,
        "above": [[[0.0, 0.0], [0.5, 0.6]]] * SEEDS,
    },
    **{
        name: {"every": 5, "plain": [[0.4, 0.1, 0.0]] * SEEDS, "equalised": [[0.4, 0.2, 0.0]] * SEEDS}
        for name in ("memory-first-moment", "memory-second-moment", "memory-parameters")
    },
}
ALSO = {"reversal", "relaxation", "heads-carry-most", "mlp-attenuation", "shared-gain"}
"""Claims whose evidence a figure shows beside that of the claim whose series it draws."""


def row(name, **fields):
    return {"id": f"{KEY}/{name}", "paper": KEY, "series": SERIES.get(name), **fields}


def report(*names, **fields):
    rows = [row(name, **fields) for name in names]
    rows += [row("not-run"), {"id": "other/immediate-gap", "paper": "other", "series": {"x": 1}}]
    return json.loads(json.dumps({"claims": rows}))


def marks(figure):
    return figure.svg.count("<use ")


def test_all_nine_figures_are_drawn_as_svg_with_words():
    figures = draw(report(*SERIES))
    assert len(figures) == 9
    for figure in figures:
        ET.fromstring(figure.svg)
        assert "logits" in figure.title or "share" in figure.title
        assert len(figure.alt) > 60
    shown = {claim.removeprefix(f"{KEY}/") for figure in figures for claim in figure.claims}
    assert shown == {*SERIES, *ALSO}


def test_without_series_there_are_no_figures():
    assert draw(report()) == []
    assert draw({}) == []


@pytest.mark.parametrize("name", list(SERIES))
def test_one_claim_alone_is_enough(name):
    for figure in draw(report(name)):
        assert f"{KEY}/{name}" in figure.claims


def test_the_words_say_what_the_seeds_did():
    loop, hold = draw(report("immediate-gap"))
    assert "from below is at 0.3 (0.3 to 0.3) logits and from above at -0.1 (-0.1 to -0.1)" in loop.alt
    assert (
        "after 0: 0.4 (0.4 to 0.4); after 25: -0.1 (-0.1 to -0.1); after 100: 0.01 (0.01 to 0.01)" in hold.alt
    )
    (heads,) = draw(report("dominant-head"))
    assert "from below 1.0, 1.1, 1.0; from above 1.0, 1.0, 1.0" in heads.alt
    (attenuation,) = draw(report("head-attenuation"))
    assert "all heads 0.9 (0.8 to 1)" in attenuation.alt
    (maps,) = draw(report("route-map-heads"))
    assert (
        "layer 1 at head 1: 0.7, where from above has 0.6; the largest difference in any seed is 0.1"
        in maps.alt
    )
    (memories,) = draw(report("memory-parameters", values=[0.1, 0.2, 0.3]))
    assert "parameters: 0.2 (0.1 to 0.3)" in memories.alt


def test_the_band_and_the_reported_number_are_those_of_the_claims():
    reported = {"value": 0.0976}
    criterion = {"kind": "within", "bound": [-0.03, 0.04]}
    bare = draw({"claims": [row("immediate-gap")]})[1]
    assert "near zero" not in bare.alt
    assert "reported" not in bare.svg
    full = draw(
        {"claims": [row("immediate-gap", reported=reported), row("relaxation", prediction=criterion)]}
    )[1]
    assert "a band from -0.03 to 0.04 that counts as near zero" in full.alt
    assert "reported at hold 0" in full.svg
    assert "counts as near zero" in full.svg


@pytest.mark.parametrize("name", ["no-hysteresis", "dose-response", "head-attenuation", "dominant-head"])
def test_every_seed_is_visible(name):
    def without_last(data):
        return {
            key: value[:-1]
            if isinstance(value, list) and len(value) == SEEDS and key not in ("legs", "doses")
            else value
            for key, value in data.items()
        }

    (full,) = draw(report(name))
    (fewer,) = draw({"claims": [row(name) | {"series": without_last(SERIES[name])}]})
    assert marks(full) > marks(fewer)


def test_maps_have_a_row_a_seed_and_layer():
    (figure,) = draw(report("route-map-residual", seeds=[4, 5, 6]))
    for seed in (4, 5, 6):
        for layer in (0, 1):
            assert f"seed {seed}, layer {layer}" in figure.svg
    for words in ("from below", "from above", "below − above", "query"):
        assert words in figure.svg


def test_nothing_that_trains_is_imported():
    code = (
        "import sys; from claims.history_dependence.figures import draw; draw({'claims': []}); "
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
