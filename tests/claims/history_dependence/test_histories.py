"""The gap between two histories: what is asked of the store, with made-up margins and on tiny runs."""

from pathlib import Path

import numpy as np
import pytest
import torch

from claims.history_dependence import protocol
from claims.history_dependence.experiment import Anchor, Branch, Graft, Hold
from claims.history_dependence.histories import Histories
from claims.history_dependence.measurements import conflict_margin
from models.decoder import Sizes
from models.training import Adam
from pytest_claims import Store
from tasks.ambiguous_recall import Task
from tasks.schedules import Loop
from tests.helpers import close

PROJECT = Path(__file__).parents[3]
SEEDS = (0, 1)
TASK = Task(keys=4, values=4, pairs=2)
SIZES = Sizes(vocabulary=8, positions=5, layers=2, heads=2, width=8, hidden=12)
ANCHOR = Anchor(TASK, SIZES, Adam(1e-2, warmup=3), batch=16, p0=0.5, updates=20)
LOOP = Loop(delta=0.4, leg=3, settle=1)
PARTS = ("params", "first_moment", "second_moment")


class Measured:
    """A store whose margins are made from the run: 10 from below, 1 from above, in thousandths by draw."""

    def __init__(self):
        self.asked = []

    def measure(self, function, run, seeds, **plain):
        self.asked.append((function, run, plain))
        branch = run.branch if isinstance(run, Hold) else run
        margin = (10.0 if branch.direction == "below" else 1.0) * (1 + branch.draw / 1000)
        if isinstance(run, Branch):
            return np.full(len(seeds), margin) * (1 + np.array(seeds))
        graft = 0.5 if run.graft else 0.0
        return np.stack([[margin - graft - kept / 10 * margin for kept in run.keep]] * len(seeds))


def margins(**fields):
    return Histories(Measured(), SEEDS, protocol.SETTLED, **fields)


def test_a_gap_is_from_below_less_from_above_a_seed():
    assert margins().gap(0).tolist() == close([9.0, 18.0])


def test_a_gap_is_the_mean_over_draws():
    histories = margins(draws=3)
    assert histories.gap(0).tolist() == close([9.0 * 1.001, 18.0 * 1.001])
    runs = [run for _, run, _ in histories.store.asked]
    assert [(run.direction, run.draw) for run in runs] == [
        (way, draw) for draw in range(3) for way in ("below", "above")
    ]


def test_an_offset_is_added_once_whatever_the_draws():
    plain = margins(draws=3).gap(0)
    assert margins(draws=3, offset=0.25).gap(0).tolist() == close((plain + 0.25).tolist())


def test_later_gaps_come_from_the_hold_at_that_update():
    histories = margins(keep=(0, 2, 5))
    assert histories.gap(2).tolist() == close([9.0 * 0.8] * 2)
    assert histories.gap(5).tolist() == close([9.0 * 0.5] * 2)
    assert {type(run) for _, run, _ in histories.store.asked} == {Hold}
    with pytest.raises(ValueError, match="not in"):
        histories.gap(3)


def test_without_later_updates_nothing_is_held():
    histories = margins()
    histories.gap(0)
    assert {type(run) for _, run, _ in histories.store.asked} == {Branch}


def test_margins_are_over_the_protocols_trials():
    histories = margins(keep=(0, 2))
    histories.gap(2)
    for function, run, plain in histories.store.asked:
        assert function is conflict_margin
        assert run.branch.anchor == protocol.ANCHOR
        assert plain["trials"] == protocol.MARGIN_TRIALS
        assert (plain["task"], plain["sizes"]) == (protocol.TASK, protocol.SIZES)


@pytest.mark.parametrize("part", PARTS)
def test_an_equalised_gap_takes_half_of_the_others_part_in_both_ways(part):
    histories = margins(keep=(0, 2), draws=2)
    assert histories.equalised_gap(part, 2).tolist() == close([9.0 * 0.8] * 2)
    below, above = protocol.branches(protocol.SETTLED)
    assert [run for _, run, _ in histories.store.asked] == [
        Hold(below, (0, 2), Graft(part, above, share=0.5)),
        Hold(above, (0, 2), Graft(part, below, share=0.5)),
    ]


def test_only_the_first_draw_has_a_course():
    ways = margins(draws=3, course_every=5).ways()
    assert [[way.course_every for way in pair] for pair in ways] == [[5, 5], [0, 0], [0, 0]]


# On tiny runs ---------------------------------------------------------------------------------------------


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """Histories that are really trained, of a task small enough for it."""
    monkeypatch.setattr(protocol, "TASK", TASK)
    monkeypatch.setattr(protocol, "SIZES", SIZES)
    monkeypatch.setattr(protocol, "MARGIN_TRIALS", 64)
    store = Store(tmp_path, project_root=PROJECT, announce=lambda line: None)
    return Histories(store, SEEDS, LOOP, keep=(0, 2, 4), course_every=2, anchor=ANCHOR)


def test_the_gap_is_that_of_both_branches_margins(trained):
    below, above = trained.ways()[0]
    settings = {"task": TASK, "sizes": SIZES, "trials": 64}
    ends = [conflict_margin(trained.store.get(way, SEEDS), SEEDS, **settings) for way in (below, above)]
    assert trained.gap(0).tolist() == close((ends[0] - ends[1]).tolist())
    assert np.abs(trained.gap(0)).min() > 1e-3
    short = Histories(trained.store, SEEDS, LOOP, course_every=2, anchor=ANCHOR)
    assert np.array_equal(short.gap(0), trained.gap(0))


def test_with_equal_parameters_there_is_no_gap_at_the_start_and_with_equal_moments_the_same(trained):
    assert trained.equalised_gap("params", 0).tolist() == close([0.0, 0.0], 1e-5)
    for part in PARTS[1:]:
        assert np.array_equal(trained.equalised_gap(part, 0), trained.gap(0))


@pytest.mark.parametrize("part", PARTS)
def test_equalising_any_part_moves_the_later_gap(trained, part):
    assert np.abs(trained.equalised_gap(part, 4) - trained.gap(4)).max() > 0


def test_without_excursion_every_draw_still_has_its_order(trained):
    still = Histories(trained.store, SEEDS, Loop(delta=0.0, leg=3, settle=1), anchor=ANCHOR, draws=2)
    assert still.gap(0).shape == (2,)
    (below, above), (other, _) = still.ways()
    assert below.batches(0).levels == above.batches(0).levels
    assert not torch.equal(below.batches(0).tokens, other.batches(0).tokens)


def test_courses_run_from_the_fork_through_the_hold(trained):
    course = trained.courses()
    points = (LOOP.updates + 4) // 2 + 1
    assert course["updates"] == [2 * point for point in range(points)]
    assert course["hold_starts"] == LOOP.updates == len(course["levels"])
    assert np.shape(course["below"]) == np.shape(course["above"]) == (2, points)
    forks = [np.array(course[way])[:, 0] for way in ("below", "above")]
    assert np.array_equal(*forks)  # clones of one anchor


def test_the_hold_course_starts_at_the_loops_end_and_an_equalised_one_is_of_grafted_holds(trained):
    course = trained.courses()
    at = course["updates"].index(course["hold_starts"])
    loop_end = np.array(course["below"])[:, at] - np.array(course["above"])[:, at]
    plain = np.array(trained.hold_course())
    assert plain.shape == (2, 3)
    assert plain[:, 0].tolist() == close(loop_end.tolist())
    equalised = np.array(trained.hold_course("params"))
    assert equalised[:, 0].tolist() == close([0.0, 0.0], 1e-5)
    assert not np.array_equal(equalised, plain)
