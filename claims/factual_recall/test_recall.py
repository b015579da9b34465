"""Does fine-tuned attention recall the relation, then the answer, and how general is it?"""

import pytest

from claims.factual_recall import protocol
from claims.factual_recall.paper import FEW_SAMPLES, HUANG_2026, NEAR_PERFECT
from probes.attention_pattern import nearest_pairwise, pair_mismatch
from pytest_claims import AtLeast, Below, Parts, Reported, claim

OVER_SIZES = pytest.mark.parametrize("n_triplets", [pytest.param(n, id=f"n={n}") for n in protocol.SIZES])


@claim(
    HUANG_2026,
    "Fine-tuning attention over positions alone lets the model decode the relation of held-out sequences, "
    "also of those that a rival relation fits as a bag of tokens.",
    predicts={
        f"{decode}_{items}": AtLeast(0.999)
        for decode in ("relations", "vocabulary")
        for items in ("mixed", "confusing")
    },
    reported=NEAR_PERFECT,
    controls={"step_one": "uniform_attention"},
)
@OVER_SIZES
def test_relation_accuracy(step_one):
    """Step 1 from 64 sequences, decoding among relations (k = 2) and over the full vocabulary (k = 6)."""
    scores = {decode: tuned.recall(protocol.HELD_OUT) for decode, tuned in step_one.items()}
    return Parts(
        series={decode: {"argmax": found["argmax"]} for decode, found in scores.items()},
        **{
            f"{decode}_{items}": found[items]
            for decode, found in scores.items()
            for items in ("mixed", "confusing")
        },
    )


@claim(
    HUANG_2026,
    "As few as eight fine-tuning sequences are enough, also when confusing ones are as rare as they fall.",
    predicts=dict.fromkeys(("mixed", "confusing", "natural_mixed", "natural_confusing"), AtLeast(0.999)),
    reported=FEW_SAMPLES,
    controls={"eight": "eight_without_confusing"},
)
@OVER_SIZES
def test_eight_samples(eight):
    """Step 1 from 8 sequences, half of them confusing; and from 8 as they fall, measured as they fall."""
    half = eight["half"].recall(protocol.HELD_OUT)
    natural = eight["natural"].recall(protocol.HELD_OUT_AS_THEY_FALL)
    return Parts(
        mixed=half["mixed"],
        confusing=half["confusing"],
        natural_mixed=natural["mixed"],
        natural_confusing=natural["confusing"],
        series={"argmax": half["argmax"], "natural_argmax": natural["argmax"]},
    )


@claim(
    HUANG_2026,
    "After the relation that the model itself predicts, it recalls the answer, which nothing in the prompt "
    "says.",
    predicts={"mixed": AtLeast(0.999), "confusing": AtLeast(0.999)},
    reported=Reported(text="near perfect"),
    controls={"two_steps": "shuffled_relation"},
)
@OVER_SIZES
def test_answer_accuracy(two_steps):
    """Both steps over one memory (k = 6), decoding over the full vocabulary."""
    found = two_steps.recall(protocol.HELD_OUT)
    return Parts(mixed=found["mixed"], confusing=found["confusing"])


@claim(
    HUANG_2026,
    "Recall extends to facts that fine-tuning never showed.",
    predicts=dict.fromkeys(
        ("relation_mixed", "relation_confusing", "answer_mixed", "answer_confusing"), AtLeast(0.999)
    ),
    reported=Reported(text="need not see every fact"),
)
def test_unseen_facts(tuned, two_steps):
    """Held-out sequences none of whose triplets occurred in fine-tuning."""
    relation, answer = tuned.recall(protocol.UNSEEN), two_steps.recall(protocol.UNSEEN)
    return Parts(
        relation_mixed=relation["mixed"],
        relation_confusing=relation["confusing"],
        answer_mixed=answer["mixed"],
        answer_confusing=answer["confusing"],
    )


@claim(
    HUANG_2026,
    "The pattern generalizes beyond two pairs.",
    predicts={
        "accuracy": AtLeast(0.999),
        "confusing_accuracy": AtLeast(0.999),
        "mismatch": Below(0.01, source="ours"),
    },
    reported=Reported(text="generalizes beyond two"),
    controls={"more_pairs": "mispaired"},
)
@pytest.mark.parametrize("pairs", [pytest.param(3, id="pairs=3"), pytest.param(4, id="pairs=4")])
def test_more_examples(more_pairs):
    """Accuracy with more pairs, and the largest difference in attention within a pair."""
    found = more_pairs.recall(protocol.HELD_OUT)
    attention = more_pairs.attention
    return Parts(
        accuracy=found["mixed"],
        confusing_accuracy=found["confusing"],
        mismatch=pair_mismatch(attention),
        series={"attention": attention},
    )


@claim(
    HUANG_2026,
    "The pattern persists when the memory itself was learned by gradient descent.",
    predicts={
        "distance": Below(0.05, source="ours"),
        "accuracy": AtLeast(0.99, source="ours"),
        "confusing_accuracy": AtLeast(0.99, source="ours"),
    },
    reported=Reported(text="the pattern persists"),
    controls={"over_learned": "over_shuffled"},
)
def test_pretrained_memory(over_learned):
    """Distance of v to the pairwise pattern, and accuracy of the relation, over 256 learned facts."""
    found = over_learned.recall()
    attention = over_learned.attention
    return Parts(
        distance=nearest_pairwise(attention)[1],
        accuracy=found["mixed"],
        confusing_accuracy=found["confusing"],
        series={"attention": attention, "facts_stored": found["stored"]},
    )
