import ast
from pathlib import Path

import pytest

from claims.factual_recall import experiment, protocol


def test_the_experiment_does_not_import_the_protocol():
    tree = ast.parse(Path(experiment.__file__).read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any("protocol" in module for module in modules if module)


def test_accuracies_rest_on_three_thousand_held_out_sequences():
    for held_out in (protocol.HELD_OUT, protocol.HELD_OUT_AS_THEY_FALL, protocol.UNSEEN):
        assert held_out.count >= 3000


def test_both_steps_share_one_memory():
    first, second = protocol.over_vocabulary(10_000), protocol.answering(10_000)
    assert (first.power, first.n_subjects, first.samples) == (second.power, second.n_subjects, second.samples)
    assert (first.step, second.step) == (1, 2)


@pytest.mark.parametrize("share", [0.5, None])
def test_levels_of_m_grow(share):
    for n_triplets in protocol.GROWTH_SIZES:
        run = protocol.growth(n_triplets, share)
        assert list(run.levels) == sorted(set(run.levels))
        assert run.draws == 20
        # Those that occur in the largest sample are left out.
        assert run.held_out.count >= 3000
