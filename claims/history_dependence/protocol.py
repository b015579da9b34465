"""Every choice of the replication, marked as the paper's or ours, and the runs that they make.

The paper states the procedure, not its hyper-parameters. Ours were found after looking at dense curves: they
locate a region where the reported pattern shows.
"""

from dataclasses import replace

from claims.history_dependence.experiment import Anchor, Branch, Hold
from models.decoder import Sizes
from models.training import Adam
from pytest_claims import Choice
from tasks.ambiguous_recall import Task
from tasks.schedules import Loop

TASK = Task(keys=16, values=16, pairs=4)
SIZES = Sizes(vocabulary=TASK.vocabulary, positions=TASK.positions, layers=2, heads=4, width=64, hidden=128)
ADAM = Adam(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8, warmup=100)
BATCH = 64
P0 = 0.5
ANCHOR_UPDATES = 3100

SETTLED = Loop(delta=0.3, leg=25, settle=20, p0=P0)
"""The primary protocol."""

NO_EXCURSION = Loop(delta=0.0, leg=25, settle=20, p0=P0)
"""The same prompts in the same two orders, but the mixture never moves: an exact null."""

PLAIN_RAMP = Loop(delta=0.3, leg=25, settle=0, p0=P0)
PAPER_SIZED = Loop(delta=0.2, leg=50, settle=15, p0=P0)
SLOWER_4X = Loop(delta=0.3, leg=100, settle=20, p0=P0)
SLOWER_8X = Loop(delta=0.3, leg=200, settle=20, p0=P0)

HOLDS = (0, 10, 25, 100)
"""Updates after the loop at which the gap is measured; the paper measures at 0, 25 and 100."""

DOSES = (0.05, 0.1, 0.2, 0.3)
"""Values of δ on the primary loop for the dose response."""

PAPER_SIZED_DRAWS = 8
ATTENUATION_DRAWS = 8
MARGIN_TRIALS = 4096
ATTENUATION_TRIALS = 8192
REFERENCE_TRIALS = 2048
COURSE_EVERY = 5

REPLAY_TRIALS = 256
"""Trials in place of any of these numbers when the gate replays a measurement."""

ANCHOR = Anchor(task=TASK, sizes=SIZES, optimizer=ADAM, batch=BATCH, p0=P0, updates=ANCHOR_UPDATES)
WITHOUT_MOMENTUM = replace(ANCHOR, optimizer=replace(ADAM, beta1=0.0))
"""The whole procedure without Adam's inertia: anchor, loops and holds."""

UNTRAINED = Anchor(task=TASK, sizes=SIZES, optimizer=ADAM, batch=BATCH, p0=P0, updates=0)


def branches(
    loop: Loop, *, anchor: Anchor = ANCHOR, draw: int = 0, course_every: int = 0
) -> tuple[Branch, Branch]:
    """The branch from below and the branch from above."""
    return (
        Branch(anchor, loop, "below", draw, course_every),
        Branch(anchor, loop, "above", draw, course_every),
    )


def holds(loop: Loop, *, keep: tuple[int, ...] = HOLDS, course_every: int = 0) -> tuple[Hold, Hold]:
    """The holds of both branches."""
    below, above = branches(loop, course_every=course_every)
    return Hold(below, keep, course_every=course_every), Hold(above, keep, course_every=course_every)


CHOICES = (
    Choice("task", "ambiguous associative recall, query among the keys of the prompt", "paper"),
    Choice("loss", "cross-entropy at the query position only", "paper"),
    Choice("architecture", "decoder-only transformer, 2 layers, 4 heads, about 72k parameters", "paper"),
    Choice("p0", P0, "paper"),
    Choice("loop", "p0 → p0 ± δ → p0 ∓ δ → p0, equal updates, examples and exposure", "paper"),
    Choice("branches", "cloned with parameters and optimizer state", "paper"),
    Choice("measured after further updates", "0, 25, 100", "paper"),
    Choice("keys, values, pairs", f"{TASK.keys}, {TASK.values}, {TASK.pairs}, distinct in a prompt", "ours"),
    Choice("vocabulary", f"one of {TASK.vocabulary} tokens", "ours"),
    Choice("permutation", "drawn for every seed", "ours"),
    Choice("d_model, d_mlp", f"{SIZES.width}, {SIZES.hidden}", "ours"),
    Choice("block", "pre-LN, ReLU, learned positions, untied unembedding without bias, other biases", "ours"),
    Choice("initial weights", "normal, variance 1 / inputs; embeddings 1 / d_model; biases 0", "ours"),
    Choice("optimizer", f"Adam {ADAM.learning_rate:g}, betas ({ADAM.beta1}, {ADAM.beta2})", "ours"),
    Choice("batch", BATCH, "ours"),
    Choice(
        "targets",
        "stratified: the first round(p · batch) trials of a batch follow the contextual rule",
        "ours",
    ),
    Choice("anchor", f"{ANCHOR_UPDATES} updates, the first {ADAM.warmup} a linear warm-up", "ours"),
    Choice(
        "primary loop (settled)", "20 updates at p0, four legs of 25 with δ 0.3, 20 updates at p0", "ours"
    ),
    Choice("plain ramp", "four legs of 25 with δ 0.3, no settling", "ours"),
    Choice("paper-sized loop", "four legs of 50 with δ 0.2, settling 15, mean of 8 draws an anchor", "ours"),
    Choice("slower loops", "four legs of 100 and of 200 with δ 0.3, settling 20", "ours"),
    Choice("levels", "midpoints of the ramp's steps, so that the loop is exactly antisymmetric", "ours"),
    Choice("from above", "the batches of from below in reversed order", "ours"),
    Choice(
        "data", "drawn anew for every seed and every loop draw; hold batches common to both branches", "ours"
    ),
    Choice("hold 0", "measured after the settling, 20 updates after the mixture has arrived", "ours"),
    Choice("conflict trials for margins", MARGIN_TRIALS, "ours"),
    Choice(
        "conflict trials for attenuation", f"{ATTENUATION_TRIALS}, {ATTENUATION_DRAWS} loop draws", "ours"
    ),
    Choice("means for mean replacement", f"{REFERENCE_TRIALS} prompts apart from those measured", "ours"),
    Choice("corrupted prompt", "the value beside the query key changed to one in no pair", "ours"),
    Choice("without momentum", "beta1 = 0 in anchor, loops and holds", "ours"),
)
