from dataclasses import replace

import numpy as np
import pytest

from claims.factual_recall import protocol
from claims.factual_recall.experiment import (
    FineTuning,
    FineTuningOfLearned,
    HeldOut,
    LargeStep,
    LearnedMemories,
    SampleDraws,
    Setting,
    Tie,
    answer_recall,
    attention_at,
    generator,
    knowledge_base,
    least_samples,
    perturbation,
    recall,
    recall_of_learned,
    softmax,
    steps_to_escape,
    steps_to_settle,
)
from models.pretrained_memory import Pretraining
from probes.attention_pattern import nearest_pairwise, pair_gap

SEEDS = (1000, 1001)
SETTING = Setting(
    n_subjects=12,
    power=2,
    temperature=0.02,
    schedule=protocol.schedule(0.4, 80),
    perturbation=0.05,
    samples=24,
    confusing_share=0.5,
)
HELD_OUT = HeldOut(120, 0.5)
MEMORY = LearnedMemories(6, Pretraining(units=32, steps=40, batch=16, learning_rate=3e-3, distractors=2))


def no_progress(done, total):
    """Nobody listens."""


class Trained:
    """A store that trains whatever it is asked for."""

    def __init__(self, rounding=0.0):
        self.rounding = rounding

    def get(self, run, seeds):
        return {name: np.asarray(array) for name, array in run.train(seeds, self, no_progress).items()}


def train(run, seeds=SEEDS):
    return Trained().get(run, seeds)


def test_each_purpose_has_its_own_generator():
    draws = {purpose: generator(3, purpose).random() for purpose in ("base", "fine-tuning", "held-out")}
    assert len(set(draws.values())) == 3
    assert generator(3, "base").random() == draws["base"]
    assert generator(3, "fine-tuning", 1).random() != generator(3, "fine-tuning", 2).random()


def test_the_perturbation_has_its_length_and_its_seeds_direction():
    one, longer, other = perturbation(0, 6, 0.05), perturbation(0, 6, 0.5), perturbation(1, 6, 0.05)
    assert np.linalg.norm(one) == pytest.approx(0.05)
    np.testing.assert_allclose(longer, 10 * one)
    assert not np.allclose(one, other)


@pytest.mark.parametrize(
    "setting",
    [
        SETTING,
        replace(
            SETTING, power=6, temperature=0.002, decode="vocabulary", schedule=protocol.schedule(0.02, 40)
        ),
        replace(
            SETTING,
            power=6,
            temperature=0.005,
            decode="vocabulary",
            step=2,
            schedule=protocol.schedule(0.02, 40),
        ),
    ],
)
def test_a_seed_has_the_same_bits_alone_and_among_five(setting):
    seeds = (1000, 1001, 1002, 1003, 1004)
    together = train(FineTuning(setting), seeds)["weights"]
    assert together.shape[:2] == (5, setting.schedule.steps + 3)
    for index, seed in enumerate(seeds):
        assert np.array_equal(train(FineTuning(setting), (seed,))["weights"][0], together[index])


def test_fine_tuning_finds_the_pairwise_pattern_and_recalls():
    arrays = train(FineTuning(SETTING))
    _, distance = nearest_pairwise(attention_at(arrays, SEEDS, index=-1))
    assert (distance < 0.05).all()
    found = recall(arrays, SEEDS, setting=SETTING, held_out=HELD_OUT, index=-1)
    assert (found["mixed"] > 0.95).all()
    before = recall(arrays, SEEDS, setting=SETTING, held_out=HELD_OUT, index=0)
    assert (before["confusing"] == 0).all()
    # Half are not confusing; by argmax a tie shares the credit.
    assert (before["mixed"] <= 0.5).all()
    assert (before["argmax"] > before["mixed"]).all()


def test_held_out_sequences_are_none_of_the_fine_tuning_ones_and_unseen_ones_share_no_fact():
    base = knowledge_base(12, 1000)
    trained_on = SETTING.sequences(base, 1000)
    held_out = HELD_OUT.sequences(base, SETTING, 1000)
    assert len(held_out) == 120
    assert held_out.confusing.sum() == 60
    assert not held_out.among(trained_on, base).any()
    few = replace(SETTING, samples=3)
    unseen = replace(HELD_OUT, unseen=True).sequences(base, few, 1000)
    assert not (unseen.facts(base) & few.sequences(base, 1000).facts(base)).any()


def test_as_they_fall_confusing_ones_are_drawn_apart():
    held_out = HeldOut(50, None)
    sequences = held_out.sequences(knowledge_base(12, 1000), SETTING, 1000)
    mixed = held_out.mixed(sequences)
    assert len(sequences) == 100
    assert mixed.sum() == 50
    assert sequences.confusing[~mixed].all()
    assert not sequences.confusing[mixed].all()


def test_the_answer_follows_the_models_own_relation_and_not_a_shuffled_one():
    first = replace(
        SETTING, power=6, temperature=0.002, decode="vocabulary", schedule=protocol.schedule(0.02, 300)
    )
    second = replace(first, temperature=0.005, step=2)
    arrays = (train(FineTuning(first)), train(FineTuning(second)))
    arguments = {"settings": (first, second), "held_out": HELD_OUT}
    found = answer_recall(arrays, SEEDS, shuffle_relation=False, **arguments)
    assert (found["mixed"] > 0.95).all()
    assert (answer_recall(arrays, SEEDS, shuffle_relation=True, **arguments)["mixed"] < 0.3).all()
    # An untrained first step predicts the wrong relation for confusing sequences: the answer is lost with it.
    untrained = {"weights": np.zeros_like(arrays[0]["weights"])}
    lost = answer_recall((untrained, arrays[1]), SEEDS, shuffle_relation=False, **arguments)
    assert (lost["confusing"] < 0.7).all()


def test_the_symmetrised_problem_stays_symmetric_until_the_perturbation():
    setting = replace(SETTING, symmetrised=True, schedule=protocol.schedule(0.1, 200))
    still = softmax(train(FineTuning(replace(setting, perturbation=0.0)))["weights"])
    assert pair_gap(still[:, :20]).max() < 1e-9
    pushed = train(FineTuning(replace(setting, perturbation=1e-2)))
    assert (pair_gap(softmax(pushed["weights"][:, -1])) > 0.1).all()


def _path(*gaps):
    """A trajectory of one seed with given |v_s1 − v_s2| after start, large step, perturbation, steps."""
    weights = [np.log(np.array([0.2 + gap / 2, 0.2, 0.2 - gap / 2, 0.2, 0.1, 0.1])) for gap in gaps]
    return {"weights": np.array([weights])}


@pytest.mark.parametrize(
    ("gaps", "steps"),
    [
        ((0, 0, 0, 0, 0, 0.1, 0.2), 3),
        ((0, 0, 0.1, 0, 0), 0),
        ((0, 0.1, 0, 0, 0), -1),
        ((0, 0, 0, 0, 0), 3),
    ],
)
def test_steps_to_escape_by_hand(gaps, steps):
    assert steps_to_escape(_path(*gaps), (0,), gap=0.05).tolist() == [float(steps)]


def test_steps_to_settle_by_hand():
    # The start and the large step do not count; the second small step is the last that is still far.
    arrays = _path(0, 0.3, 0.1, 0.1, 0.15, 0.199, 0.2)
    assert steps_to_settle(arrays, (0,), within=0.02).tolist() == [3.0]


def test_the_large_step_leaves_a_smaller_gap_with_more_samples():
    setting = replace(SETTING, n_subjects=40)
    run = LargeStep(setting, levels=(32, 512), pool=4096)
    gap = train(run)["gap"]
    assert gap.shape == (2, 2)
    # By a root of 16 in the limit, up to noise.
    assert (gap[:, 0] / gap[:, 1] > 2).all()
    assert (gap[:, 0] / gap[:, 1] < 8).all()
    linear = train(replace(run, setting=replace(setting, power=1)))["gap"]
    assert (linear == 0).all()


def test_the_tie_is_a_saddle():
    tie = train(Tie(replace(SETTING, symmetrised=True)))
    assert (tie["gradient_norm"] < 1e-12).all()
    assert (tie["least_curvature"] < -0.1).all()


def test_sample_draws_grow_better_and_a_draw_is_the_same_beside_others():
    run = SampleDraws(SETTING, levels=(1, 8, 80), draws=3, held_out=HeldOut(200, 0.5))
    accuracy = train(run)["accuracy"]
    assert accuracy.shape == (2, 3, 3)
    assert accuracy[:, :, 2].min() > 0.98
    assert accuracy[:, :, 0].mean() < 0.9
    assert np.array_equal(train(run, SEEDS[1:])["accuracy"], accuracy[1:])


def test_least_samples_by_hand():
    rows = [
        [0.5, 1, 1, 1],  # from 2 on
        [1, 0.9, 1, 1],  # a lucky first: from 4 on
        [1, 1, 1, 1],  # from 1 on
        [1, 1, 1, 0.9],  # fails at the last: at least 16
    ]
    one_each = {"accuracy": np.array(rows)[:, None, :]}
    least = least_samples(one_each, (0, 1, 2, 3), levels=(1, 2, 4, 8), required=0.999)
    assert least.tolist() == [2, 4, 1, 16]
    together = {"accuracy": np.array([rows])}
    assert least_samples(together, (0,), levels=(1, 2, 4, 8), required=0.999).tolist() == [3]


def test_fine_tuning_over_a_learned_memory():
    memory = LearnedMemories(6, Pretraining(256, 150, 64, 1e-2, 2))
    setting = replace(
        SETTING, n_subjects=6, temperature=0.07, schedule=protocol.schedule(0.3, 60), samples=16
    )
    run = FineTuningOfLearned(memory, setting)
    memories, tuned = train(memory), train(run)
    found = recall_of_learned((memories, tuned), SEEDS, learned=run, held_out=HeldOut(60, 0.5))
    assert (found["stored"] > 0.95).all()
    assert (found["mixed"] > 0.5).all()
    shuffled = replace(run, shuffled=True)
    wrong = recall_of_learned((memories, train(shuffled)), SEEDS, learned=shuffled, held_out=HeldOut(60, 0.5))
    assert (wrong["mixed"] < 0.4).all()
    assert np.array_equal(train(run, SEEDS[1:])["weights"], tuned["weights"][1:])


def test_mispaired_prompts_put_an_answer_beside_the_next_subject():
    three = replace(SETTING, pairs=3, answer_order=(1, 2, 0))
    base = knowledge_base(12, 1000)
    sequences = three.sequences(base, 1000)
    attention = np.array([0.25, 0.05, 0.15, 0.25, 0.05, 0.15, 0.05, 0.05])
    logits = three.compile(base, sequences).logits(attention, 2)
    rows = np.arange(len(sequences))
    right = logits[rows, sequences.relations]
    # s1 stands with .25 and its answer beside s3 with .15, s2 with .15 and .05, s3 with .05 and .25; the
    # query alone.
    np.testing.assert_allclose(right, 0.4**2 + 0.2**2 + 0.3**2 + 0.05**2, atol=1e-12)


def test_a_rounding_twin_differs_by_about_its_rounding():
    plain, twin = (Trained(rounding).get(FineTuning(SETTING), SEEDS)["weights"] for rounding in (0.0, 1e-7))
    apart = np.abs(twin - plain)
    assert 1e-9 < apart[:, 0].max() < 1e-6
    assert apart[:, -1].max() < 1e-3
    memory = replace(MEMORY, how=replace(MEMORY.how, steps=2))
    plain, twin = (Trained(rounding).get(memory, (0,))["w_in"] for rounding in (0.0, 1e-7))
    assert 0 < np.abs(twin - plain).max() < 1e-3


def test_shortened_runs_train_and_keep_what_they_are():
    learned = FineTuningOfLearned(MEMORY, replace(SETTING, n_subjects=6))
    draws = SampleDraws(SETTING, (1, 2, 4), 3, HeldOut(50, 0.5))
    for run in (FineTuning(SETTING), LargeStep(SETTING, (4, 8), 64), draws, MEMORY, learned):
        short = run.shortened()
        assert type(short) is type(run)
        assert short.shortened() == short
    assert train(FineTuning(SETTING).shortened())["weights"].shape[1] <= 23
    assert train(draws.shortened())["accuracy"].shape == (len(SEEDS), 1, 2)
