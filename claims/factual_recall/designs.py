"""What the design claims look at: the memory itself, every parameter before and after, and what is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from claims.factual_recall import protocol
from claims.factual_recall.experiment import generator, knowledge_base, perturbation
from models.associative_memory import ConstructedMemory
from models.recaller import Recaller, fine_tune
from tasks.factual_sequences import FactualSequences, count_rivals, draw_sequences
from tasks.knowledge_base import Ints, KnowledgeBase, subjects_for


@dataclass(frozen=True, eq=False)
class StoredFacts:
    """Facts, and a memory of them over one-hot tokens.

    Attributes:
        base: the facts.
        memory: holds them.
    """

    base: KnowledgeBase
    memory: ConstructedMemory

    def recalls_thirds(self) -> bool:
        """Whether any two elements of every fact retrieve exactly its consistent thirds, equal to the bit."""
        triplets = torch.from_numpy(self.base.triplets)
        tokens = self.base.n_tokens
        one_hot = torch.eye(tokens, dtype=torch.float64)
        for first, second, third in ((0, 1, 2), (1, 2, 0), (0, 2, 1)):
            names = triplets[:, first] * tokens + triplets[:, second]
            _, group = names.unique(return_inverse=True)
            consistent = torch.zeros(int(group.max()) + 1, tokens, dtype=torch.bool)
            consistent[group, triplets[:, third]] = True
            logits = self.memory(one_hot[triplets[:, first]] + one_hot[triplets[:, second]])
            highest = logits == logits.amax(dim=1, keepdim=True)
            if not torch.equal(highest, consistent[group]):
                return False
        return True

    def without_one(self) -> StoredFacts:
        """The same facts, the first of them missing from the memory."""
        return StoredFacts(self.base, _memory(self.base, torch.from_numpy(self.base.triplets[1:])))


def _memory(base: KnowledgeBase, triplets: torch.Tensor) -> ConstructedMemory:
    return ConstructedMemory(triplets, torch.eye(base.n_tokens, dtype=torch.float64), protocol.DENSE_POWER)


def store_facts(n_subjects: int, seed: int) -> StoredFacts:
    """A seed's base and a memory of all of it."""
    base = knowledge_base(n_subjects, seed)
    return StoredFacts(base, _memory(base, torch.from_numpy(base.triplets)))


@dataclass(frozen=True, eq=False)
class Snapshots:
    """Every parameter and buffer of a recaller before and after fine-tuning, by name."""

    before: dict[str, torch.Tensor]
    after: dict[str, torch.Tensor]

    def changed(self) -> set[str]:
        """Names of those in which any bit changed."""
        return {
            name
            for name, tensor in self.before.items()
            if not torch.equal(tensor.view(torch.uint8), self.after[name].view(torch.uint8))
        }


def fine_tune_densely(*, trainable_memory: bool) -> Snapshots:
    """Fine-tune both steps of the dense recaller at n = 10^2.

    Args:
        trainable_memory: also take one step of gradient descent on the memory: what must not happen.
    """
    settings = (protocol.over_vocabulary(100), protocol.answering(100))
    base = knowledge_base(settings[0].n_subjects, 0)
    memory = _memory(base, torch.from_numpy(base.triplets))
    recaller = Recaller(6, torch.eye(base.n_tokens, dtype=torch.float64), memory)
    before = {name: tensor.clone() for name, tensor in recaller.state_dict().items()}
    sequences = settings[0].sequences(base, 0)
    prompts = sequences.prompts(base)
    relations = base.relation_token + sequences.relations
    for setting, tokens, targets in (
        (settings[0], prompts, relations),
        (settings[1], np.column_stack([prompts, relations]), base.answer_token + sequences.answers[:, -1]),
    ):
        fine_tune(
            recaller,
            torch.from_numpy(tokens),
            torch.from_numpy(targets),
            temperature=setting.temperature,
            schedule=replace(setting.schedule, steps=20),
            perturbation=torch.from_numpy(perturbation(0, tokens.shape[1], setting.perturbation)),
        )
    if trainable_memory:
        memory.get_buffer("w_out").mul_(1 - 1e-12)
    return Snapshots(before, {name: tensor.clone() for name, tensor in recaller.state_dict().items()})


@dataclass(frozen=True, eq=False)
class Drawn:
    """Sequences, and the table of facts that says which relations fit them."""

    table: Ints
    sequences: FactualSequences

    def determined(self) -> bool:
        """Whether no relation but the hidden one holds two of a sequence's pairs."""
        pairs = self.sequences.pairs
        rivals = count_rivals(
            self.table,
            self.sequences.relations,
            self.sequences.subjects[:, :pairs],
            self.sequences.answers[:, :pairs],
        )
        return not rivals.sharing_two.any()

    def with_ambiguity(self) -> Drawn:
        """The same sequences where another relation holds all facts of the first sequence's relation."""
        table = self.table.copy()
        relation = int(self.sequences.relations[0])
        table[(relation + 1) % len(table)] = table[relation]
        return Drawn(table, self.sequences)


def draw_all(seeds: tuple[int, ...]) -> list[Drawn]:
    """Sequences of every seed and n, drawn as those that are fine-tuned and measured on."""
    found = []
    for n_triplets in protocol.SIZES:
        for seed in seeds:
            base = knowledge_base(subjects_for(n_triplets), seed)
            source = generator(seed, "fine-tuning")
            for share in (protocol.CONFUSING_SHARE, None):
                found.append(Drawn(base.answers, draw_sequences(base, 1000, share, source)))
    return found
