"""What the experiment is by design, checked on what it really stores, trains and draws."""

from claims.factual_recall.paper import HUANG_2026
from pytest_claims import claim


@claim(
    HUANG_2026,
    "Any two elements of a stored triplet retrieve exactly the set of consistent thirds.",
    kind="design",
    controls={"stored": "stored_but_one"},
)
def test_memory_recalls_third(stored):
    """Over the full vocabulary, ties equal to the bit, all 3·32² pairs of elements."""
    return stored.recalls_thirds()


@claim(
    HUANG_2026,
    "The memory is frozen during fine-tuning.",
    kind="design",
    controls={"before_and_after": "memory_trained_too"},
)
def test_memory_frozen(before_and_after):
    """No bit of its weights changes while both steps are fine-tuned by the dense forward."""
    return not any(name.startswith("memory.") for name in before_and_after.changed())


@claim(
    HUANG_2026,
    "Only the attention over positions is trained.",
    kind="design",
    controls={"before_and_after": "memory_trained_too"},
)
def test_only_positions_trained(before_and_after):
    """The two rows over positions change, and nothing else."""
    return before_and_after.changed() == {"rows.0", "rows.1"}


@claim(
    HUANG_2026,
    "Two pairs determine the relation (Assumption 1).",
    kind="design",
    controls={"drawn": "drawn_with_ambiguous"},
)
def test_two_pairs_determine(drawn):
    """No relation but the hidden one holds both pairs, in every drawn sequence."""
    return all(one.determined() for one in drawn)
