"""The fine-tuned attention rows for other tools, one folder a row, with the knowledge base around them."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claims.factual_recall import protocol
from claims.factual_recall.experiment import FineTuning, HeldOut, Setting, compiled, knowledge_base, softmax
from claims.factual_recall.paper import HUANG_2026
from pytest_claims.exporting import Export, Model, seeds_with
from pytest_claims.files import FileError
from pytest_claims.store.reader import Reader
from pytest_claims.store.seeds import words

Rows = dict[str, Setting]
"""By the name of their folder."""


def _relation(n_triplets: int) -> Rows:
    return {"relation": protocol.among_relations(n_triplets)}


def _relation_over_vocabulary(n_triplets: int) -> Rows:
    return {"relation-over-vocabulary": protocol.over_vocabulary(n_triplets)}


def _two_steps(n_triplets: int) -> Rows:
    return _relation_over_vocabulary(n_triplets) | {"answer": protocol.answering(n_triplets)}


def _eight(n_triplets: int) -> Rows:
    eight = replace(protocol.among_relations(n_triplets), samples=8)
    return {"half-confusing": eight, "as-they-fall": replace(eight, confusing_share=None)}


def _at_power(power: int) -> Rows:
    temperature, step = protocol.OPTIMAL[power]
    usual = protocol.among_relations(protocol.PAIRWISE_TRIPLETS)
    changes = {"power": power, "temperature": temperature, "schedule": protocol.schedule(step)}
    return {"relation": replace(usual, **changes)}


N = protocol.PAIRWISE_TRIPLETS
ROWS: Mapping[str, Callable[[int], Rows]] = {
    "pairwise-pattern": lambda _: _relation(N),
    "irrelevant-tokens": lambda _: _relation(N),
    "unseen-facts": lambda _: _relation(N) | _two_steps(N),
    "distinct-from-induction": lambda _: _two_steps(N),
    "relation-accuracy": lambda n: _relation(n) | _relation_over_vocabulary(n),
    "eight-samples": _eight,
    "answer-accuracy": _two_steps,
    "more-examples": lambda pairs: {"relation": protocol.with_pairs(pairs)},
    "optimal-weight": _at_power,
}
"""The rows that a claim is about, by its slug; a parametrized claim's function takes its parameter."""


def export(claim: str, reader: Reader) -> Export:
    """The fine-tuned rows that a claim is about, for every seed of which the store holds all of them.

    Raises:
        FileError: The claim compares many fine-tunings, or none.
    """
    slug, _, parameter = claim.partition("/")[2].partition("[")
    if slug not in ROWS:
        raise FileError(f"{claim} is not about one fine-tuned model; these claims are: {', '.join(ROWS)}")
    return export_rows(ROWS[slug](int(parameter.rstrip("]").partition("=")[2] or 0)), claim, reader)


def export_rows(rows: Rows, claim: str, reader: Reader) -> Export:
    """Some fine-tuned rows."""
    runs = {name: FineTuning(setting) for name, setting in rows.items()}
    seeds = seeds_with(list(runs.values()), reader, trained_by=claim)
    models = []
    for name, run in runs.items():
        weights = reader.get(run, seeds)["weights"][:, -1]
        for place, seed in enumerate(seeds):
            arrays, config = _row(run.setting, seed, weights[place])
            about = {"paper": HUANG_2026.key, "claim": claim, "row": name, "seed": seed}
            models.append(Model(f"seed-{seed}/{name}", arrays, about | config))
    template = Template(Path(__file__).with_name("exported.md").read_text(encoding="utf-8"))
    readme = template.substitute(
        title=HUANG_2026.title,
        authors=HUANG_2026.authors,
        year=HUANG_2026.year,
        claim=claim,
        rows=", ".join(f"`{name}`" for name in rows),
        seeds=words(seeds),
        first=models[0].folder,
    )
    return Export(models, readme)


def _row(
    setting: Setting, seed: int, weights: NDArray[np.float64]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """A row's arrays and configuration, with a held-out prompt to try it on."""
    base, attention = knowledge_base(setting.n_subjects, seed), softmax(weights)
    sequence = HeldOut(1, confusing_share=1.0).sequences(base, setting, seed)
    prompt = sequence.prompts(base)[0].tolist()
    if setting.step == 1:
        target = base.relation_token + int(sequence.relations[0])
    else:
        prompt.append(base.relation_token + int(sequence.relations[0]))
        target = base.answer_token + int(sequence.answers[0, -1])
    prompts = compiled(base, sequence, step=setting.step, decode=setting.decode)
    logits = prompts.logits(attention, setting.power)[0]
    config = {
        "setting": asdict(setting),
        "tokens": {
            "subject": 0,
            "relation": base.relation_token,
            "answer": base.answer_token,
            "separator": base.separator,
        },
        "example": {
            "tokens": prompt,
            "target": target,
            "logit": float(logits[target - prompts.first_token]),
        },
    }
    return {"weights": weights, "attention": attention, "answers": base.answers}, config
