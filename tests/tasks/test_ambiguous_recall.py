import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tasks.ambiguous_recall import (
    Prompts,
    Task,
    contextual_count,
    draw_conflict_trials,
    draw_permutation,
    draw_prompts,
    targets,
)
from tasks.generators import generator

TASK = Task()
PERMUTATION = draw_permutation(TASK, generator(0, "permutation"))


def drawn(trials: int = 500) -> Prompts:
    return draw_prompts(TASK, PERMUTATION, trials, generator(0, "prompts"))


def test_permutation_maps_keys_onto_all_values():
    assert sorted(PERMUTATION.tolist()) == list(range(16, 32))


def test_prompts_alternate_distinct_keys_and_distinct_values_and_end_with_a_key_that_occurs():
    tokens = drawn().tokens
    assert tokens.shape == (500, TASK.positions)
    for prompt in tokens.tolist():
        keys, values, query = prompt[0:8:2], prompt[1:8:2], prompt[TASK.query_position]
        assert len(set(keys)) == 4
        assert all(key < 16 for key in keys)
        assert len(set(values)) == 4
        assert all(16 <= value < 32 for value in values)
        assert query in keys


def test_answers_are_the_value_beside_the_query_and_the_permuted_query():
    prompts = drawn()
    for prompt, contextual, fixed in zip(
        prompts.tokens.tolist(), prompts.contextual.tolist(), prompts.fixed.tolist(), strict=True
    ):
        assert contextual == prompt[prompt[:8].index(prompt[8]) + 1]
        assert fixed == PERMUTATION[prompt[8]]


def test_every_key_value_and_queried_pair_is_as_likely():
    prompts = drawn(20_000)
    for column in (0, 1, 8):
        counts = prompts.tokens[:, column].bincount(minlength=32)
        counts = counts[counts > 0]
        assert len(counts) == 16
        assert (counts - 1250).abs().max() < 5 * 1250**0.5
    places = (prompts.tokens[:, 0:8:2] == prompts.tokens[:, 8:]).int().argmax(1).bincount()
    assert (places - 5000).abs().max() < 5 * 5000**0.5


def test_conflict_trials_all_conflict_and_are_the_conflicting_prompts_in_order():
    conflict = draw_conflict_trials(TASK, PERMUTATION, 400, generator(0, "prompts"))
    assert len(conflict.tokens) == len(conflict.contextual) == len(conflict.fixed) == 400
    assert (conflict.contextual != conflict.fixed).all()
    first = draw_prompts(TASK, PERMUTATION, 400, generator(0, "prompts"))
    expected = first.tokens[first.contextual != first.fixed]
    assert 300 < len(expected) < 400  # a second draw was needed
    assert torch.equal(conflict.tokens[: len(expected)], expected)


@given(st.floats(0, 1), st.integers(1, 200))
def test_a_batch_has_the_rounded_number_of_contextual_targets(p_icl: float, batch: int):
    prompts = Prompts(
        torch.zeros(1, batch, 9), torch.ones(1, batch, dtype=torch.long), torch.zeros(1, batch).long()
    )
    assert abs(targets(prompts, [p_icl]).sum().item() - p_icl * batch) <= 0.5 + 1e-9


@given(st.floats(0, 0.5))
def test_opposite_mixtures_have_opposite_counts(shift: float):
    assert contextual_count(0.5 + shift, 64) + contextual_count(0.5 - shift, 64) == 64


def test_targets_follow_the_level_of_their_own_batch():
    prompts = Prompts(torch.zeros(3, 4, 9), torch.full((3, 4), 20), torch.full((3, 4), 30))
    assert targets(prompts, [0.0, 0.5, 1.0]).tolist() == [[30] * 4, [20, 20, 30, 30], [20] * 4]


def test_tokens_stand_where_they_can_occur_and_everywhere_that_they_can():
    seen = torch.zeros(32, 9, dtype=torch.bool)
    seen[drawn(20_000).tokens, torch.arange(9)] = True
    assert torch.equal(seen, TASK.can_occur())


@pytest.mark.parametrize("p_icl", [-0.1, 1.1])
def test_a_mixture_outside_the_unit_interval_is_refused(p_icl: float):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        contextual_count(p_icl, 64)


@pytest.mark.parametrize("sizes", [{"pairs": 17}, {"pairs": 0}, {"keys": 8}])
def test_sizes_without_prompts_are_refused(sizes: dict[str, int]):
    with pytest.raises(ValueError, match="pairs"):
        Task(**sizes)
