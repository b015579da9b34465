"""What the two branches have in common by design, checked on what they really train on: all but the order."""

import math

from claims.history_dependence.paper import ZUO_2026
from pytest_claims import claim


@claim(
    ZUO_2026,
    "The input distribution never depends on the mixture: the same generator state gives the same prompts at "
    "every mixture.",
    kind="design",
    controls={"sampler": "leaking_sampler"},
)
def test_inputs_independent_of_mixture(seeds, sampler):
    """Bit for bit, at five mixtures."""
    return all(
        sampler(seed, 0.5).equal(sampler(seed, p_icl))
        for seed in seeds
        for p_icl in (0.0, 0.2, 0.35, 0.8, 1.0)
    )


@claim(
    ZUO_2026,
    "Both branches train on the same multiset of examples.",
    kind="design",
    controls={"ways": "ways_with_a_batch_exchanged"},
)
def test_identical_multisets(seeds, ways):
    """Hashes of the sorted (prompt, target) rows."""
    return all(below.multiset() == above.multiset() for below, above in map(ways, seeds))


@claim(
    ZUO_2026,
    "Both branches have the same cumulative exposure to the mixture.",
    kind="design",
    controls={"ways": "ways_with_a_batch_exchanged"},
)
def test_identical_exposure(seeds, ways):
    """The exactly rounded sums of the mixture over the updates."""
    return all(math.fsum(below.levels) == math.fsum(above.levels) for below, above in map(ways, seeds))


@claim(
    ZUO_2026,
    "Both branches take the same number of updates.",
    kind="design",
    controls={"ages": "ages_with_one_way_settled"},
)
def test_identical_updates(ages):
    """Adam's update counts at the end of both."""
    below, above = ages
    return below == above


@claim(
    ZUO_2026,
    "Both branches start as clones of the anchor, with its parameters and its optimizer state.",
    kind="design",
    controls={"forks": "forks_without_moments"},
)
def test_identical_clone(forks):
    """Digests of parameters, both moments and the update count before the first update."""
    return all(anchor == below == above for anchor, below, above in forks)
