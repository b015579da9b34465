"""The paper's trained models for other tools: an anchor and its two branches for every stored seed."""

from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template
from typing import Any

import torch
from numpy.typing import NDArray

from claims.history_dependence import protocol
from claims.history_dependence.experiment import Anchor, Branch
from claims.history_dependence.measurements import evaluation_trials
from claims.history_dependence.paper import ZUO_2026
from models.decoder import forward, unflatten
from models.transformer_lens_format import lens_config, lens_state
from probes.margin import margins
from pytest_claims.exporting import Export, Model, seeds_with
from pytest_claims.store.reader import Reader
from pytest_claims.store.seeds import words
from tasks.schedules import Loop


@dataclass(frozen=True)
class Condition:
    """Models that belong together.

    Attributes:
        about: Which they are, in words.
        trained_by: The slug of a claim whose run trains them.
        loop: What the branches go through.
        anchor: What they are cloned from.
        course_every: As those claims train them.
    """

    about: str
    trained_by: str
    loop: Loop = protocol.SETTLED
    anchor: Anchor = protocol.ANCHOR
    course_every: int = 0

    def runs(self) -> dict[str, Anchor | Branch]:
        """By the name of their folder."""
        below, above = protocol.branches(self.loop, anchor=self.anchor, course_every=self.course_every)
        return {"anchor": self.anchor, "below": below, "above": above}


PRIMARY = Condition("the primary protocol", "immediate-gap", course_every=protocol.COURSE_EVERY)
PLAIN_RAMP = Condition("the plain ramp", "immediate-gap-plain-ramp", loop=protocol.PLAIN_RAMP)
OTHERS = {
    "immediate-gap-plain-ramp": PLAIN_RAMP,
    "identical-updates": PLAIN_RAMP,
    "identical-clone": PLAIN_RAMP,
    "gap-size": Condition("the paper-sized loop, its first draw", "gap-size", loop=protocol.PAPER_SIZED),
    "momentum-needed": Condition(
        "the primary protocol without momentum", "momentum-needed", anchor=protocol.WITHOUT_MOMENTUM
    ),
}
"""Claims about other models than those of the primary protocol, which all the rest are about."""


def export(claim: str, reader: Reader) -> Export:
    """The models that a claim is about, for every seed of which the store holds all three."""
    return export_condition(OTHERS.get(claim.partition("/")[2], PRIMARY), claim, reader)


def export_condition(condition: Condition, claim: str, reader: Reader) -> Export:
    """The models of a condition."""
    runs = condition.runs()
    trained_by = f"{ZUO_2026.key}/{condition.trained_by}"
    seeds = seeds_with(list(runs.values()), reader, trained_by=trained_by)
    models = []
    for name, run in runs.items():
        arrays = reader.get(run, seeds)
        for place, seed in enumerate(seeds):
            about = {
                "paper": ZUO_2026.key,
                "claim": claim,
                "model": name,
                "seed": seed,
                "updates": int(arrays["updates"][place]),
                "run": {"label": run.label, **asdict(run)},
            }
            state, config = _as_lens(condition.anchor, seed, arrays["params"][place])
            models.append(Model(f"seed-{seed}/{name}", state, about | config))
    stored = {seed for run in runs.values() for seed in reader.seeds(run)}
    left_out = sorted(stored - set(seeds))
    remarks = [f"left out: {words(left_out)}, not all of whose models are stored"] if left_out else []
    return Export(models, _readme(condition, claim, seeds), remarks)


def _as_lens(
    anchor: Anchor, seed: int, vector: NDArray[Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """A model's parameters and configuration as TransformerLens takes them, with what its tokens mean."""
    task, params = anchor.task, unflatten(torch.tensor(vector), anchor.sizes)
    example = evaluation_trials(task, seed, 1)
    logits, _ = forward(params, example.tokens)
    config = {
        "transformer_lens": lens_config(anchor.sizes),
        "task": {
            "key_tokens": list(range(task.keys)),
            "value_tokens": list(range(task.keys, task.vocabulary)),
            "pairs": task.pairs,
            "query_position": task.query_position,
            "fixed_rule": anchor.permutation(seed).tolist(),
        },
        "example": {
            "tokens": example.tokens[0].tolist(),
            "contextual": int(example.contextual[0]),
            "fixed": int(example.fixed[0]),
            "margin": margins(logits[:, task.query_position], example).item(),
        },
    }
    return {name: value.numpy() for name, value in lens_state(params).items()}, config


def _readme(condition: Condition, claim: str, seeds: tuple[int, ...]) -> str:
    template = Template(Path(__file__).with_name("exported.md").read_text(encoding="utf-8"))
    return template.substitute(
        title=ZUO_2026.title,
        authors=ZUO_2026.authors,
        year=ZUO_2026.year,
        claim=claim,
        about=condition.about,
        seeds=words(seeds),
        first=f"seed-{seeds[0]}",
        dtype=condition.anchor.dtype,
        pairs=condition.anchor.task.pairs,
        prompt="k v " * condition.anchor.task.pairs + "k",
    )
