from claims.history_dependence import protocol
from models.decoder import parameter_count


def test_the_model_is_the_papers_size():
    assert parameter_count(protocol.SIZES) == 71_744


def test_loops_have_the_lengths_that_the_choices_say():
    lengths = {loop: loop.updates for loop in (protocol.SETTLED, protocol.PLAIN_RAMP, protocol.PAPER_SIZED)}
    assert list(lengths.values()) == [140, 100, 230]
    assert (protocol.SLOWER_4X.leg, protocol.SLOWER_8X.leg) == (4 * 25, 8 * 25)
    assert protocol.NO_EXCURSION.updates == protocol.SETTLED.updates


def test_both_branches_and_holds_differ_in_direction_only():
    below, above = protocol.holds(protocol.SETTLED, course_every=5)
    assert (below.branch.direction, above.branch.direction) == ("below", "above")
    assert below.branch.batches(1000).multiset() == above.branch.batches(1000).multiset()
    assert below.keep == above.keep == (0, 10, 25, 100)


def test_without_excursion_the_prompts_are_those_of_the_primary_loop():
    moving, still = (
        protocol.branches(loop)[0].batches(1000) for loop in (protocol.SETTLED, protocol.NO_EXCURSION)
    )
    assert moving.tokens.equal(still.tokens)
    assert set(still.levels) == {0.5}


def test_every_choice_is_marked_and_named_once():
    assert {choice.source for choice in protocol.CHOICES} == {"paper", "ours"}
    names = [choice.name for choice in protocol.CHOICES]
    assert len(set(names)) == len(names)
