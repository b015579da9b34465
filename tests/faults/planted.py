"""Faults to plant in a copy of the tree, and edits that are none: what the gate must tell apart.

Each fault is one that researchers make, as an edit of the code: it runs, and computes something else.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Edit:
    """A change of one file.

    Attributes:
        file: Its path from the root.
        old: What is there, at least once.
        new: What replaces it everywhere in the file.
    """

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Planted:
    """A change of the tree.

    Attributes:
        name: In words.
        edits: What is changed.
        papers: Keys of the papers whose claims it touches; none for a change that is no fault.
    """

    name: str
    edits: tuple[Edit, ...]
    papers: tuple[str, ...] = ()

    def plant(self, root: Path) -> None:
        """Change the tree under `root`.

        Raises:
            LookupError: The code is not as the edit expects it: the fault must be written anew.
        """
        for edit in self.edits:
            path = root / edit.file
            text = path.read_text(encoding="utf-8")
            if edit.old not in text:
                raise LookupError(f"{self.name}: {edit.file} no longer has {edit.old!r}")
            path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")


def copy(target: Path) -> Path:
    """Copy the tree, without what is stored, installed or cached."""
    unwanted = shutil.ignore_patterns(
        "__pycache__", ".git", ".venv", ".claims", ".*_cache", ".hypothesis", "build"
    )
    return Path(shutil.copytree(ROOT, target, ignore=unwanted, dirs_exist_ok=True))


HISTORY, RECALL = ("zuo2026",), ("huang2026",)

FAULTS = (
    Planted(
        "attention scale off by 10 %",
        (
            Edit("models/decoder.py", "/ math.sqrt(q.shape[-1])", "/ (1.1 * math.sqrt(q.shape[-1]))"),
            Edit("models/gradient.py", "q.shape[-1] ** -0.5", "q.shape[-1] ** -0.5 / 1.1"),
        ),
        HISTORY,
    ),
    Planted(
        "causal mask off by one",
        (
            Edit("models/decoder.py", ".triu(1)[where]", ".triu(2)[where]"),
            Edit("models/gradient.py", "future.tril(-1)", "future.tril(-2)"),
        ),
        HISTORY,
    ),
    Planted(
        "last layer norm removed",
        (
            Edit(
                "models/decoder.py", 'return resid @ params["unembed.W_U"], recorded', "raise AssertionError"
            ),
            Edit(
                "models/decoder.py",
                "    resid = layer_norm(\n        resid, resid.shape[-1:], "
                'params["ln_final.w"], params["ln_final.b"], LAYER_NORM_EPSILON\n    )\n'
                "    raise AssertionError",
                '    return resid @ params["unembed.W_U"], recorded',
            ),
            Edit(
                "models/gradient.py",
                'normed, moments = _norm(final, self._ends, "ln_final")',
                "normed, moments = final, ()",
            ),
            Edit(
                "models/gradient.py",
                'd_final = _norm_backward(d_normed, at.final, at.moments, self._ends, "ln_final")',
                "d_final = d_normed",
            ),
        ),
        HISTORY,
    ),
    Planted(
        "the way from above shifted by one batch",
        (
            Edit(
                "claims/history_dependence/experiment.py",
                "return Batches(self.tokens.flip(0), self.targets.flip(0), self.levels[::-1])",
                "return Batches(self.tokens.flip(0).roll(1, 0), self.targets.flip(0).roll(1, 0), "
                "self.levels[::-1])",
            ),
        ),
        HISTORY,
    ),
    Planted(
        "Adam's second beta 0.99",
        (
            Edit("models/training.py", "mul_(optimizer.beta2)", "mul_(0.99)"),
            Edit("models/training.py", "value=1 - optimizer.beta2)", "value=1 - 0.99)"),
            Edit("models/training.py", "optimizer.beta2**state.updates", "0.99**state.updates"),
        ),
        HISTORY,
    ),
    Planted(
        "means of mean replacement over other trials of half the keys",
        (
            Edit(
                "claims/history_dependence/causal.py",
                'return draw_prompts(task, permutation, trials, generator(seed, "reference")).tokens',
                'tokens = draw_prompts(task, permutation, trials, generator(seed, "reference")).tokens\n'
                "    return tokens[tokens[:, -1] < task.keys // 2]",
            ),
        ),
        HISTORY,
    ),
    Planted(
        "targets of the two rules swapped",
        (
            Edit(
                "tasks/ambiguous_recall.py",
                "counts[:, None], prompts.contextual, prompts.fixed)",
                "counts[:, None], prompts.fixed, prompts.contextual)",
            ),
        ),
        HISTORY,
    ),
    Planted(
        "a memory with one relation wrong",
        (
            Edit(
                "tasks/knowledge_base.py",
                "return KnowledgeBase(generator.permuted(table, axis=1))",
                "drawn = generator.permuted(table, axis=1)\n    drawn[0] = drawn[0][::-1]\n"
                "    return KnowledgeBase(drawn)",
            ),
        ),
        RECALL,
    ),
    Planted(
        "the perturbation dropped",
        (
            Edit(
                "models/perturbed_gradient_descent.py",
                "weights = weights + perturbation",
                "weights = weights + 0 * perturbation",
            ),
        ),
        RECALL,
    ),
    Planted(
        "the wrong position read",
        (
            Edit("models/gradient.py", "normed[:, -1]", "normed[:, -2]"),
            Edit("models/gradient.py", "resid[:, -1]", "resid[:, -2]"),
        ),
        HISTORY,
    ),
    Planted(
        "evaluation drawn from the training generator",
        (
            Edit(
                "claims/history_dependence/measurements.py",
                'generator(seed, "evaluation")',
                'generator(seed, "anchor")',
            ),
            Edit(
                "claims/factual_recall/experiment.py",
                'generator(seed, "held-out")',
                'generator(seed, "fine-tuning")',
            ),
        ),
        HISTORY + RECALL,
    ),
    Planted(
        "a loss averaged over the wrong axis",
        (
            Edit("models/gradient.py", "/ len(targets)", "/ d_logits_width(log_p)"),
            Edit(
                "models/gradient.py",
                "Saved = tuple[Tensor, ...]",
                "def d_logits_width(log_p: Tensor) -> int:\n    return log_p.shape[1]\n\n\n"
                "Saved = tuple[Tensor, ...]",
            ),
            Edit(
                "models/attention_row.py",
                "on_logits = (shares - self.right) / self.temperature",
                "on_logits = (shares - self.right) / self.temperature / self.counts.matrix.shape[1]",
            ),
        ),
        HISTORY + RECALL,
    ),
)

HARMLESS = (
    Planted("nothing changed", ()),
    Planted(
        "a comment",
        (Edit("models/decoder.py", "def run_blocks(", "# One block after the other.\ndef run_blocks("),),
    ),
    Planted(
        "a pure refactor",
        (
            Edit(
                "models/training.py",
                "    first_bias = 1 - optimizer.beta1**state.updates\n",
                "    beta1 = optimizer.beta1\n    first_bias = 1 - beta1**state.updates\n",
            ),
            Edit(
                "models/perturbed_gradient_descent.py",
                "weights = weights - schedule.step * gradient(weights)",
                "downhill = gradient(weights)\n        weights = weights - schedule.step * downhill",
            ),
        ),
    ),
    Planted(
        "rounding, as on another machine",
        (
            Edit(
                "claims/history_dependence/experiment.py",
                "        if rounding:\n",
                "        rounding = rounding or 1e-7\n        if rounding:\n",
            ),
        ),
    ),
)
