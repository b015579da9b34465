import numpy as np
import torch

from claims.factual_recall.designs import Drawn, Snapshots, fine_tune_densely, store_facts
from claims.factual_recall.experiment import knowledge_base
from tasks.factual_sequences import draw_sequences


def test_a_memory_of_all_facts_recalls_and_one_without_a_fact_does_not():
    stored = store_facts(9, seed=0)
    assert stored.recalls_thirds()
    assert not stored.without_one().recalls_thirds()


def test_dense_fine_tuning_changes_two_rows_and_a_touched_memory_shows():
    assert fine_tune_densely(trainable_memory=False).changed() == {"rows.0", "rows.1"}
    assert "memory.w_out" in fine_tune_densely(trainable_memory=True).changed()


def test_a_change_of_one_bit_is_a_change():
    before = {"a": torch.ones(3, dtype=torch.float64), "b": torch.zeros(2)}
    after = {"a": before["a"] * (1 + 2.3e-16), "b": torch.zeros(2)}
    assert Snapshots(before, after).changed() == {"a"}


def test_an_ambiguous_table_is_seen():
    base = knowledge_base(10, 0)
    drawn = Drawn(base.answers, draw_sequences(base, 30, 0.5, np.random.default_rng(0)))
    assert drawn.determined()
    assert not drawn.with_ambiguity().determined()
