import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from claims.factual_recall.figures import KEY, draw

PAIRWISE = [[0.33, 0.33, 0.17, 0.17, 0, 0], [0.17, 0.17, 0.33, 0.33, 0, 0]]
PATH = {"index": [0, 1, 2, 4], "attention": [[[1 / 6] * 6, *[row] * 3] for row in PAIRWISE]}
GROWTH = {
    "n": [100.0, 10_000.0],
    "least": [[2, 1], [2, 2]],
    "levels": [[1, 2, 4], [2, 4, 8]],
    "accuracy": [[[0.5, 0.9, 1], [0.4, 1, 1]]] * 2,
    "power_law": [[-0.1, 1.0], [0.0, 0.7]],
    "polylog": [[-0.5, 1.0], [0.0, 0.7]],
}
SERIES: dict[str, Any] = {
    "escape": {**PATH, "scale": [1e-2, 1e-3, 1e-4], "steps": [[24, 34, 44], [19, 29, 39]]},
    "perturbation-needed": {**PATH, "steps": [-1, 3]},
    "pairwise-pattern": {"attention": PAIRWISE, "weight": [0.33, 0.33]},
    "sample-complexity": GROWTH,
    "sample-complexity-natural-share": GROWTH,
    "optimal-weight[k=2]": {"k": 2, "weight": [0.334, 0.333], "predicted": 1 / 3},
    "optimal-weight[k=4]": {"k": 4, "weight": [0.296, 0.295], "predicted": 0.2952},
}


def report(*names):
    rows = [{"id": f"{KEY}/{name}", "paper": KEY, "series": SERIES[name]} for name in names]
    rows.append({"id": f"{KEY}/not-run", "paper": KEY, "series": None})
    rows.append({"id": "other/escape", "paper": "other", "series": {"x": 1}})
    return json.loads(json.dumps({"claims": rows}))


def test_all_five_figures_are_drawn_as_svg_with_words():
    figures = draw(report(*SERIES))
    assert len(figures) == 5
    for figure in figures:
        ET.fromstring(figure.svg)
        assert figure.title
        assert len(figure.alt) > 60
        assert figure.claims
    assert {claim for figure in figures for claim in figure.claims} == {f"{KEY}/{name}" for name in SERIES}


def test_without_series_there_are_no_figures():
    assert draw(report()) == []


@pytest.mark.parametrize("name", list(SERIES))
def test_one_claim_alone_is_enough(name):
    (*_, last) = draw(report(name))
    assert last.claims == (f"{KEY}/{name}",)


def test_what_the_words_say_comes_from_the_series():
    training, pattern, accuracy, growth, weights = draw(report(*SERIES))
    assert "symmetrised, ρ = 0.0001" in training.alt
    assert "from small step 41.5 (39 to 44) on" in training.alt
    assert "from small step 1 (-1 to 3) on" in training.alt
    assert "a = 0.330" in pattern.alt
    assert "n = 10,000, m = 2 to 8: 0.45 to 1" in accuracy.alt
    assert "exponent of n -0.05 (-0.1 to 0), of ln n -0.25 (-0.5 to 0)" in growth.alt
    assert "k = 4: 0.295 (0.295 to 0.296) where 0.2952 is predicted" in weights.alt


def test_accuracy_has_a_curve_a_seed_for_every_n():
    (figure, _) = draw(report("sample-complexity"))
    assert all(f"n = {n}" in figure.svg for n in ("100", "10,000"))
    drawn = ET.fromstring(figure.svg)
    curves = [one for one in drawn.iter() if str(one.get("id")).startswith("line2d")]
    dotted = [one for one in curves if len(list(one.iter("{http://www.w3.org/2000/svg}use"))) == 3]
    assert len(dotted) >= 4


def test_nothing_that_trains_is_imported():
    code = (
        "import sys; from claims.factual_recall.figures import draw; draw({'claims': []}); "
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_seed_is_visible():
    def marks(figure):
        return figure.svg.count("<use ")

    both = draw(report("pairwise-pattern"))[0]
    one = {"attention": PAIRWISE[:1], "weight": [0.33]}
    row = {"id": f"{KEY}/pairwise-pattern", "paper": KEY, "series": one}
    alone = draw({"claims": [row]})[0]
    assert marks(both) - marks(alone) == len(np.ravel(PAIRWISE[0]))
