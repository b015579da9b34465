"""What interventions measure, on random decoders small enough to write the experiment out."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from claims.history_dependence import protocol
from claims.history_dependence.causal import (
    corrupt,
    reference_prompts,
    replacement_margins,
    route_maps,
)
from claims.history_dependence.measurements import conflict_margin, evaluation_trials
from models.decoder import Sizes, forward, initial_parameters, unflatten
from probes.margin import margins
from probes.patching import patching_maps
from tasks.ambiguous_recall import Task, draw_permutation
from tasks.generators import generator
from tests.helpers import close

TASK = Task(keys=6, values=6, pairs=3)
SIZES = Sizes(vocabulary=12, positions=7, layers=2, heads=2, width=16, hidden=24)
COUNTS = {"trials": 80, "reference_trials": 60}
SEEDS = (5, 6)


def parameters(*seeds):
    """Flat vectors `[seed, parameter]` with weights large enough that heads and MLPs matter."""
    rows = [2 * initial_parameters(SIZES, generator(seed, "weights")) for seed in seeds]
    return np.stack([row.numpy() for row in rows])


def replaced(vectors, *, each_head=True):
    arrays = {"params": vectors}
    return replacement_margins(arrays, SEEDS, task=TASK, sizes=SIZES, each_head=each_head, **COUNTS)


def changed(vectors, *names):
    """The vectors with some parameters set to 0."""
    vectors = vectors.copy()
    for row in vectors:
        views = unflatten(torch.from_numpy(row), SIZES)
        for name in names:
            views[name].zero_()
    return vectors


# Corrupted prompts ----------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_a_corrupted_prompt_differs_in_the_value_beside_the_query_key(seed, pairs):
    task = Task(keys=6, values=6, pairs=pairs)
    clean = evaluation_trials(task, seed, 30)
    corrupted = corrupt(task, seed, clean)
    for before, after, fixed in zip(clean.tokens.tolist(), corrupted.tolist(), clean.fixed, strict=True):
        (place,) = [at for at in range(task.positions) if before[at] != after[at]]
        assert before[place - 1] == before[-1]  # beside the query key
        assert task.keys <= after[place] < task.vocabulary
        assert after[place] not in before
        assert after[place] != fixed


def test_corruption_is_a_seeds_own_and_takes_every_value():
    clean = evaluation_trials(protocol.TASK, 1000, 2000)
    once, again, other = (corrupt(protocol.TASK, seed, clean) for seed in (1000, 1000, 1001))
    assert torch.equal(once, again)
    assert not torch.equal(once, other)
    assert len(once[once != clean.tokens].unique()) == protocol.TASK.values


# The reference set ----------------------------------------------------------------------------------------


def test_reference_prompts_are_apart_from_what_is_measured_and_trained_on():
    seed, task = 1000, protocol.TASK
    reference = reference_prompts(task, seed, protocol.REFERENCE_TRIALS)
    below, _ = protocol.branches(protocol.SETTLED)
    apart = {
        "evaluation": evaluation_trials(task, seed, protocol.REFERENCE_TRIALS).tokens,
        "loop": below.batches(seed).tokens.flatten(0, 1),
        "anchor": next(protocol.ANCHOR.batches(seed)).tokens.flatten(0, 1),
    }
    rows = set(map(tuple, reference.tolist()))
    assert len(rows) == protocol.REFERENCE_TRIALS
    for name, tokens in apart.items():
        assert not rows & set(map(tuple, tokens.tolist())), name


def test_reference_prompts_are_ordinary_prompts_and_the_same_at_every_call():
    reference = reference_prompts(TASK, 3, 500)
    assert torch.equal(reference, reference_prompts(TASK, 3, 500))
    assert not torch.equal(reference, reference_prompts(TASK, 4, 500))
    asked = (reference[:, 0:-1:2] == reference[:, -1:]).int().argmax(1)
    contextual = reference[:, 1::2].gather(1, asked[:, None])[:, 0]
    fixed = draw_permutation(TASK, generator(3, "permutation"))[reference[:, -1]]
    # Not conflict trials alone: an answer is the other by chance in one of six.
    assert 0.1 < (contextual == fixed).float().mean() < 0.25


# Mean replacement -----------------------------------------------------------------------------------------


def test_every_measurement_has_a_value_a_seed():
    found = replaced(parameters(0, 1))
    plain = ("whole", "without_heads", "without_mlps", "contextual", "fixed")
    assert {name: found[name].shape for name in plain} == dict.fromkeys(plain, (2,))
    assert found["without_layer"].shape == (2, 2)
    assert found["without_head"].shape == (2, 2, 2)
    assert found.keys() == {*plain, "without_layer", "without_head"}
    assert replaced(parameters(0, 1), each_head=False).keys() == set(plain)


def test_the_whole_is_the_margin_and_its_two_logits():
    vectors = parameters(0, 1)
    found = replaced(vectors)
    expected = conflict_margin({"params": vectors}, SEEDS, task=TASK, sizes=SIZES, trials=COUNTS["trials"])
    np.testing.assert_allclose(found["whole"], expected, atol=1e-5)
    np.testing.assert_allclose(found["contextual"] - found["fixed"], found["whole"], atol=1e-5)


def test_a_seed_does_not_depend_on_those_beside_it():
    both = replaced(parameters(0, 1))
    arrays = {"params": parameters(1)}
    alone = replacement_margins(arrays, (6,), task=TASK, sizes=SIZES, each_head=True, **COUNTS)
    for name, values in both.items():
        np.testing.assert_array_equal(values[1], alone[name][0])


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_the_margin_without_a_head_is_written_out(layer, head):
    vectors = parameters(0, 1)
    params, hook = unflatten(torch.tensor(vectors[0]), SIZES), f"blocks.{layer}.attn.hook_z"
    _, seen = forward(params, reference_prompts(TASK, 5, COUNTS["reference_trials"]), record=[hook])
    mean = seen[hook][:, -1, head].mean(0)

    def without(z):
        z = z.clone()
        z[:, -1, head] = mean
        return z

    trials = evaluation_trials(TASK, 5, COUNTS["trials"])
    logits, _ = forward(params, trials.tokens, interventions={hook: without})
    expected = margins(logits[:, -1], trials).mean().item()
    found = replaced(vectors)
    assert found["without_head"][0, layer, head] == close(expected, 1e-4)
    assert abs(found["without_head"][0, layer, head] - found["whole"][0]) > 0.01


def test_replacing_what_never_varies_changes_nothing():
    vectors = parameters(0, 1)
    heads = [f"blocks.{layer}.attn.{name}" for layer in (0, 1) for name in ("W_V", "b_V")]
    found = replaced(changed(vectors, *heads))
    np.testing.assert_allclose(found["without_heads"], found["whole"], atol=1e-6)
    np.testing.assert_allclose(found["without_head"][:, 1, 1], found["whole"], atol=1e-6)
    assert np.abs(found["without_mlps"] - found["whole"]).min() > 0.01

    found = replaced(changed(vectors, "blocks.0.mlp.W_out", "blocks.1.mlp.W_out"))
    np.testing.assert_allclose(found["without_mlps"], found["whole"], atol=1e-6)
    assert np.abs(found["without_heads"] - found["whole"]).min() > 0.01


def test_a_layer_that_says_nothing_leaves_the_other_as_all_heads():
    names = [f"blocks.0.attn.{name}" for name in ("W_V", "b_V")]
    found = replaced(changed(parameters(0, 1), *names))
    np.testing.assert_allclose(found["without_layer"][:, 0], found["whole"], atol=1e-6)
    np.testing.assert_allclose(found["without_layer"][:, 1], found["without_heads"], atol=1e-6)


# Patching maps --------------------------------------------------------------------------------------------


def test_maps_are_those_of_the_probe_on_corrupted_evaluation_trials():
    vectors = parameters(0, 1)
    found = route_maps({"params": vectors}, SEEDS, task=TASK, sizes=SIZES, trials=50)
    shapes = {name: values.shape for name, values in found.items()}
    assert shapes == {"residual": (2, 2, 7), "heads": (2, 2, 2), "gap": (2,), "attention": (2, 2, 2, 7)}
    for place, seed in enumerate(SEEDS):
        clean = evaluation_trials(TASK, seed, 50)
        maps = patching_maps(
            unflatten(torch.tensor(vectors[place]), SIZES), clean, corrupt(TASK, seed, clean)
        )
        for name in ("residual", "heads", "gap"):
            np.testing.assert_array_equal(found[name][place], getattr(maps, name).numpy())
    np.testing.assert_allclose(found["attention"].sum(-1), 1, atol=1e-6)
    assert (found["attention"] > 0).all()


def test_a_patch_at_keys_restores_nothing_before_the_first_block():
    found = route_maps({"params": parameters(0)}, (5,), task=TASK, sizes=SIZES, trials=50)
    # Keys are the same in both prompts, and the value beside the query key stands at some odd place.
    assert np.array_equal(found["residual"][0, 0, 0::2], np.zeros(4))
    assert np.abs(found["residual"][0, 0, 1::2]).min() > 0


@pytest.mark.parametrize("each_head", [True, False])
def test_measuring_writes_to_no_parameter(each_head):
    vectors = parameters(0, 1)
    before = vectors.copy()
    replaced(vectors, each_head=each_head)
    assert np.array_equal(vectors, before)
