"""Fixtures of the factual-recall claims: what was fine-tuned, and what a control puts in its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claims.factual_recall import protocol
from claims.factual_recall.designs import (
    Drawn,
    Snapshots,
    StoredFacts,
    draw_all,
    fine_tune_densely,
    store_facts,
)
from claims.factual_recall.experiment import FineTuningOfLearned, LargeStep, Tie
from claims.factual_recall.views import CopyPrompts, Growth, OverLearned, Saddle, Tuned, TwoSteps
from pytest_claims import Store


@pytest.fixture
def n_triplets() -> int:
    """Triplets in the base; claims that repeat over n override it."""
    return protocol.PAIRWISE_TRIPLETS


@pytest.fixture
def step_one(n_triplets: int, seeds: tuple[int, ...], store: Store) -> dict[str, Tuned]:
    """Step 1 in both decodings, m = 64."""
    return {
        "relations": Tuned(protocol.among_relations(n_triplets), seeds, store),
        "vocabulary": Tuned(protocol.over_vocabulary(n_triplets), seeds, store),
    }


@pytest.fixture
def uniform_attention(step_one: dict[str, Tuned]) -> dict[str, Tuned]:
    """The same before training."""
    return {decode: tuned.at_start() for decode, tuned in step_one.items()}


@pytest.fixture
def tuned(seeds: tuple[int, ...], store: Store) -> Tuned:
    """Step 1 among relations at n = 10^4, T = .02, m = 64."""
    return Tuned(protocol.among_relations(protocol.PAIRWISE_TRIPLETS), seeds, store)


@pytest.fixture
def untrained(tuned: Tuned) -> Tuned:
    """The same before training."""
    return tuned.at_start()


@pytest.fixture
def without_confusing(tuned: Tuned) -> Tuned:
    """The same fine-tuned without confusing sequences."""
    return tuned.with_(confusing_share=0.0)


@pytest.fixture
def eight(n_triplets: int, seeds: tuple[int, ...], store: Store) -> dict[str, Tuned]:
    """Step 1 among relations from eight sequences: half of them confusing, and as they fall."""
    tuned = Tuned(protocol.among_relations(n_triplets), seeds, store).with_(samples=8)
    return {"half": tuned, "natural": tuned.with_(confusing_share=None)}


@pytest.fixture
def eight_without_confusing(eight: dict[str, Tuned]) -> dict[str, Tuned]:
    """The same, none of them confusing."""
    without = eight["half"].with_(confusing_share=0.0)
    return {"half": without, "natural": without}


@pytest.fixture
def two_steps(n_triplets: int, seeds: tuple[int, ...], store: Store) -> TwoSteps:
    """Step 1 and step 2, each fine-tuned over the full vocabulary."""
    return TwoSteps((protocol.over_vocabulary(n_triplets), protocol.answering(n_triplets)), seeds, store)


@pytest.fixture
def shuffled_relation(two_steps: TwoSteps) -> TwoSteps:
    """Another relation in place of each predicted one."""
    return replace(two_steps, shuffle_relation=True)


@pytest.fixture
def saddle(tuned: Tuned) -> Saddle:
    """With the convex memory, k = 2."""
    large_step = LargeStep(tuned.setting, protocol.SADDLE_LEVELS, protocol.SADDLE_POOL)
    return Saddle(large_step, Tie(replace(tuned.setting, symmetrised=True)), tuned.seeds, tuned.store)


@pytest.fixture
def linear_saddle(saddle: Saddle) -> Saddle:
    """With a linear memory, k = 1."""
    linear = replace(saddle.large_step.setting, power=1)
    return replace(
        saddle,
        large_step=replace(saddle.large_step, setting=linear),
        tie=Tie(replace(linear, symmetrised=True)),
    )


@pytest.fixture
def symmetrised(tuned: Tuned) -> Tuned:
    """The exchange-symmetrised problem, small steps of .1 for as long as an escape takes."""
    short = protocol.schedule(protocol.ESCAPE_STEP, protocol.ESCAPE_STEPS)
    return tuned.with_(schedule=short, symmetrised=True)


def _growth(confusing_share: float | None, seeds: tuple[int, ...], store: Store) -> Growth:
    runs = {n: protocol.growth(n, confusing_share) for n in protocol.GROWTH_SIZES}
    return Growth(runs, seeds, store)


@pytest.fixture
def growth(seeds: tuple[int, ...], store: Store) -> Growth:
    """Half of the samples confusing at every n."""
    return _growth(protocol.CONFUSING_SHARE, seeds, store)


@pytest.fixture
def natural_growth(seeds: tuple[int, ...], store: Store) -> Growth:
    """Confusing sequences as they fall: a share of 1/S."""
    return _growth(None, seeds, store)


@pytest.fixture
def over_learned(seeds: tuple[int, ...], store: Store) -> OverLearned:
    """The memory holds the facts that the sequences state."""
    return OverLearned(FineTuningOfLearned(protocol.MEMORY, protocol.OVER_LEARNED), seeds, store)


@pytest.fixture
def over_shuffled(over_learned: OverLearned) -> OverLearned:
    """The memory holds other facts: the sequences state a base whose triplets were drawn anew."""
    return replace(over_learned, run=replace(over_learned.run, shuffled=True))


@pytest.fixture
def pairs() -> int:
    """Pairs in a prompt; overridden by parametrized claims."""
    return 3


@pytest.fixture
def more_pairs(pairs: int, seeds: tuple[int, ...], store: Store) -> Tuned:
    """Step 1 with more pairs in the prompt."""
    return Tuned(protocol.with_pairs(pairs), seeds, store)


@pytest.fixture
def mispaired(more_pairs: Tuned, pairs: int) -> Tuned:
    """Every answer stands beside the next subject."""
    return more_pairs.with_(answer_order=(*range(1, pairs), 0))


@pytest.fixture
def power() -> int:
    """k; overridden by parametrized claims."""
    return 2


@pytest.fixture
def tuned_at_power(tuned: Tuned, power: int) -> Tuned:
    """Step 1 with activation z^k, at a temperature low enough for the limit."""
    temperature, step = protocol.OPTIMAL[power]
    return tuned.with_(power=power, temperature=temperature, schedule=protocol.schedule(step))


@pytest.fixture
def predicted_power(power: int) -> int:
    """The k whose a*(k) is compared."""
    return power


@pytest.fixture
def wrong_power(power: int) -> int:
    """The next k in the list, or the one before the last."""
    known = list(protocol.OPTIMAL)
    return known[known.index(power) + 1] if power != known[-1] else known[-2]


@pytest.fixture
def induction_prompts(two_steps: TwoSteps) -> list[CopyPrompts]:
    """Prompts whose query repeats the first subject, under the fine-tuned rows of both steps."""
    return two_steps.copy_prompts()


@pytest.fixture
def induction_head(induction_prompts: list[CopyPrompts]) -> list[CopyPrompts]:
    """The same prompts under a hand-built induction head."""
    return [prompts.under_induction() for prompts in induction_prompts]


@pytest.fixture
def stored() -> StoredFacts:
    """Every fact of a base with 32² triplets, and a memory of them."""
    return store_facts(protocol.DENSE_SUBJECTS, seed=0)


@pytest.fixture
def stored_but_one(stored: StoredFacts) -> StoredFacts:
    """The same facts, one of them missing from the memory."""
    return stored.without_one()


@pytest.fixture
def before_and_after() -> Snapshots:
    """Every parameter of the dense recaller before and after fine-tuning both steps."""
    return fine_tune_densely(trainable_memory=False)


@pytest.fixture
def memory_trained_too() -> Snapshots:
    """The same where the memory is trained as well."""
    return fine_tune_densely(trainable_memory=True)


@pytest.fixture
def drawn(seeds: tuple[int, ...]) -> list[Drawn]:
    """The sequences that the claims fine-tune and measure on, at every n."""
    return draw_all(seeds)


@pytest.fixture
def drawn_with_ambiguous(drawn: list[Drawn]) -> list[Drawn]:
    """The same, after one relation's facts were copied over to another."""
    return [one.with_ambiguity() for one in drawn]
