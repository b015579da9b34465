"""The runs, on models small enough to train in a moment."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from claims.history_dependence.experiment import Anchor, Branch, Graft, Hold, digest, draw_batches
from models.decoder import Sizes
from models.training import Adam, State
from pytest_claims import Store
from tasks.ambiguous_recall import Task
from tasks.generators import generator
from tasks.schedules import Loop

TASK = Task(keys=4, values=4, pairs=2)
SIZES = Sizes(vocabulary=8, positions=5, layers=2, heads=2, width=8, hidden=12)
ANCHOR = Anchor(TASK, SIZES, Adam(warmup=3), batch=16, p0=0.5, updates=7)
LOOP = Loop(delta=0.4, leg=2, settle=1)
BELOW, ABOVE = Branch(ANCHOR, LOOP, "below"), Branch(ANCHOR, LOOP, "above")
PROJECT = Path(__file__).parents[3]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, project_root=PROJECT, announce=lambda line: None)


def test_the_way_from_above_is_the_way_from_below_reversed():
    below, above = BELOW.batches(0), ABOVE.batches(0)
    assert torch.equal(below.tokens, above.tokens.flip(0))
    assert torch.equal(below.targets, above.targets.flip(0))
    assert below.levels == tuple(LOOP.levels()) == above.levels[::-1]
    assert below.levels[1] > 0.5 > above.levels[1]
    assert below.multiset() == above.multiset()


def test_targets_hold_the_mixture_of_their_level():
    batches = BELOW.batches(0)
    permutation = ANCHOR.permutation(0)
    fixed = permutation[batches.tokens[:, :, -1]]
    asked = (batches.tokens[:, :, 0:4:2] == batches.tokens[:, :, -1:]).int().argmax(2)
    contextual = batches.tokens[:, :, 1:4:2].gather(2, asked[:, :, None])[:, :, 0]
    for update, level in enumerate(batches.levels):
        count = round(level * 16)
        assert torch.equal(batches.targets[update, :count], contextual[update, :count])
        assert torch.equal(batches.targets[update, count:], fixed[update, count:])


def test_a_multiset_changes_with_one_exchanged_batch_and_not_with_order():
    batches, other = BELOW.batches(0), Branch(ANCHOR, LOOP, "below", draw=1).batches(0)
    exchanged = batches.exchanged(2, other)
    assert exchanged.multiset() != batches.multiset()
    assert torch.equal(exchanged.tokens[2], other.tokens[2])
    assert torch.equal(exchanged.tokens[3], batches.tokens[3])
    assert batches.exchanged(2, batches).multiset() == batches.multiset()


def test_one_changed_target_changes_the_multiset():
    batches = BELOW.batches(0)
    targets = batches.targets.clone()
    targets[0, 0] = 4 + (targets[0, 0] - 3) % 4
    assert replace(batches, targets=targets).multiset() != batches.multiset()


def test_prompts_do_not_depend_on_the_mixture():
    permutation = ANCHOR.permutation(0)
    low, high = (
        draw_batches(ANCHOR, permutation, (level,) * 3, generator(0, "loop", 0)) for level in (0.1, 0.9)
    )
    assert torch.equal(low.tokens, high.tokens)
    assert not torch.equal(low.targets, high.targets)


def test_seeds_and_draws_have_data_of_their_own():
    drawn = [
        BELOW.batches(0),
        BELOW.batches(1),
        Branch(ANCHOR, LOOP, "below", draw=1).batches(0),
        Hold(BELOW, (0, 10)).batches(0),
        next(ANCHOR.batches(0)),
    ]
    assert len({batches.tokens[:7].numpy().tobytes() for batches in drawn}) == len(drawn)


def test_seeds_start_from_weights_and_permutations_of_their_own():
    assert not torch.equal(ANCHOR.start(0).params, ANCHOR.start(1).params)
    assert len({tuple(ANCHOR.permutation(seed).tolist()) for seed in range(8)}) > 4


def test_both_branches_are_held_on_common_batches_and_a_shorter_hold_is_the_beginning_of_a_longer():
    below, above, short = (
        hold.batches(0) for hold in (Hold(BELOW, (5,)), Hold(ABOVE, (5,)), Hold(BELOW, (2,)))
    )
    assert torch.equal(below.tokens, above.tokens)
    assert torch.equal(below.targets, above.targets)
    assert set(below.levels) == {0.5}
    assert torch.equal(short.tokens, below.tokens[:2])


def test_branches_fork_from_the_anchors_complete_state(store):
    anchor, below, above = (store.get(run, (0, 1)) for run in (ANCHOR, BELOW, ABOVE))
    assert below["updates"].tolist() == above["updates"].tolist() == [7 + 10] * 2
    assert np.array_equal(below["fork"], above["fork"])
    for place in (0, 1):
        vectors = [torch.tensor(anchor[name][place]) for name in ("params", "first_moment", "second_moment")]
        assert below["fork"][place].tobytes() == digest(State(*vectors, updates=7))
        assert below["fork"][place].tobytes() != digest(State(*vectors, updates=8))
    assert not np.array_equal(below["params"], above["params"])


def test_a_seed_does_not_depend_on_those_beside_it(store, tmp_path):
    alone = Store(tmp_path / "alone", project_root=PROJECT, announce=lambda line: None)
    hold = Hold(BELOW, (0, 2), course_every=1)
    together, single = store.get(hold, (0, 1, 2)), alone.get(hold, (1,))
    assert together.keys() == single.keys()
    for name, values in together.items():
        assert np.array_equal(values[1], single[name][0]), name
    assert not np.array_equal(together["params"][0], together["params"][1])


def test_a_hold_keeps_its_start_and_the_state_at_every_kept_update(store):
    branch, long, short = (store.get(run, (0,)) for run in (BELOW, Hold(BELOW, (0, 2, 5)), Hold(BELOW, (2,))))
    assert long["updates"].tolist() == [[17, 19, 22]]
    for name in ("params", "first_moment", "second_moment"):
        assert np.array_equal(long[name][:, 0], branch[name])
        assert np.array_equal(long[name][:, 1], short[name][:, 0])
        assert not np.array_equal(long[name][:, 1], long[name][:, 2])
    assert long["losses"].shape == (1, 5)


def test_following_the_margin_changes_no_bit_of_the_training(store):
    followed, plain = (
        store.get(Hold(Branch(ANCHOR, LOOP, "above", 0, n), (4,), None, n), (0,)) for n in (3, 0)
    )
    assert np.array_equal(followed["params"], plain["params"])
    assert followed["course"].shape == (1, 2)  # after 0 and 3 updates
    assert "course" not in plain


@pytest.mark.parametrize("part", ["params", "first_moment", "second_moment"])
def test_a_graft_replaces_one_part_of_the_state_and_no_other(store, part):
    own, donor = store.get(BELOW, (0,)), store.get(ABOVE, (0,))
    for share in (1.0, 0.5):
        grafted = store.get(Hold(BELOW, (0, 1), Graft(part, ABOVE, share)), (0,))
        for name in ("params", "first_moment", "second_moment"):
            expected = (1 - share) * own[name] + share * donor[name] if name == part else own[name]
            np.testing.assert_allclose(grafted[name][:, 0], expected, rtol=0, atol=1e-7)
            assert np.array_equal(grafted[name][:, 0], own[name]) == (name != part)


def test_progress_runs_up_to_the_whole(store):
    seen: list[tuple[int, int]] = []
    ANCHOR.train((0, 1), store, lambda done, total: seen.append((done, total)))
    assert seen == [(7, 14), (14, 14)]


def test_the_untrained_model_is_an_anchor_without_updates(store):
    untrained = store.get(replace(ANCHOR, updates=0), (3,))
    assert np.array_equal(untrained["params"][0], ANCHOR.start(3).params.numpy())
    assert untrained["updates"].tolist() == [0]


def test_training_lowers_the_loss(store):
    losses = store.get(replace(ANCHOR, optimizer=Adam(1e-2, warmup=3), updates=150), (0,))["losses"][0]
    assert losses[-20:].mean() < losses[:5].mean() - 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: replace(ANCHOR, task=Task()), "the task needs"),
        (lambda: Branch(ANCHOR, LOOP, "beneath"), "below or above"),
        (lambda: Branch(ANCHOR, Loop(0.1, 2, p0=0.3), "below"), "was trained at"),
        (lambda: Hold(BELOW, ()), "increasing"),
        (lambda: Hold(BELOW, (5, 5)), "increasing"),
        (lambda: Hold(BELOW, (101,)), "at most 100"),
        (lambda: Graft("moments", ABOVE), "part is"),
        (lambda: Graft("params", ABOVE, 0.0), "share"),
        (
            lambda: Hold(BELOW, (1,), Graft("params", Branch(replace(ANCHOR, updates=6), LOOP, "above"))),
            "same anchor",
        ),
    ],
)
def test_runs_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_rounding_twin_starts_from_other_weights_by_its_rounding(tmp_path):
    plain, twin = ANCHOR.start(0).params, ANCHOR.start(0, 1e-4).params
    ratio = twin / plain
    assert torch.allclose(ratio[plain != 0], torch.ones(()), atol=1e-3)
    assert not torch.equal(plain, twin)
    stores = [
        Store(tmp_path, project_root=PROJECT, announce=lambda line: None, rounding=rounding)
        for rounding in (0.0, 1e-4)
    ]
    one, other = (store.get(BELOW, (0,))["params"] for store in stores)
    assert 0 < np.abs(one - other).max() < 0.05


def test_shortened_runs_have_every_phase_and_stay_what_they_are():
    loop = Loop(delta=0.4, leg=25, settle=20)
    branch = Branch(ANCHOR, loop, "above", draw=5, course_every=5)
    short = branch.shortened()
    assert short == Branch(ANCHOR, Loop(delta=0.4, leg=2, settle=2), "above", draw=1)
    assert short.loop.levels()[0] == short.loop.levels()[-1] == 0.5
    assert replace(ANCHOR, updates=3100).shortened().updates == 10
    hold = Hold(branch, (0, 25, 100), Graft("params", branch, 0.5))
    assert hold.shortened() == Hold(short, (0, 1), Graft("params", short, 0.5))
    for run in (branch, hold, ANCHOR):
        assert run.shortened().shortened() == run.shortened()
