"""Runs that train in no time, and say what was asked of them by writing to a file."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

PROJECT = Path(__file__).parents[3]


def calls(log):
    """The batches of seeds that were trained, in order."""
    text = Path(log).read_text() if Path(log).exists() else ""
    return [tuple(int(seed) for seed in line.split()) for line in text.splitlines()]


def note(log, seeds):
    with Path(log).open("a") as file:
        file.write(" ".join(map(str, seeds)) + "\n")


@dataclass(frozen=True)
class Anchor:
    log: str
    scale: float = 1.0

    def train(self, seeds, store, progress):
        note(self.log, seeds)
        progress(1, 2)
        noise = np.stack([np.random.default_rng(seed).normal(size=(2, 3)) for seed in seeds])
        return {"weights": self.scale * noise, "updates": np.array(seeds) + 100}


@dataclass(frozen=True)
class OneByOne(Anchor):
    seeds_at_once: ClassVar[int] = 1
    label: ClassVar[str] = "one by one"


@dataclass(frozen=True)
class Branch:
    anchor: Anchor
    log: str

    def train(self, seeds, store, progress):
        note(self.log, seeds)
        return {"weights": store.get(self.anchor, seeds)["weights"] + 1}


@dataclass(frozen=True)
class Slow:
    """Takes a while, so that others come to wait."""

    log: str
    seconds: float = 0.1

    seeds_at_once: ClassVar[int] = 1

    def train(self, seeds, store, progress):
        note(self.log, seeds)
        time.sleep(self.seconds)
        return {"weights": np.array(seeds, dtype=float)}


@dataclass(frozen=True)
class DiesOnce:
    """The first to train it never ends; whoever comes after finishes at once."""

    log: str

    def train(self, seeds, store, progress):
        first = not Path(self.log).exists()
        note(self.log, seeds)
        if first:
            time.sleep(600)
        return {"weights": np.array(seeds, dtype=float)}


@dataclass(frozen=True)
class Interrupted:
    log: str

    seeds_at_once: ClassVar[int] = 1

    def train(self, seeds, store, progress):
        note(self.log, seeds)
        if seeds == (2,):
            raise KeyboardInterrupt
        return {"weights": np.array(seeds, dtype=float)}


@dataclass(frozen=True)
class Diverging:
    bad: float = float("inf")

    def train(self, seeds, store, progress):
        losses = np.zeros((len(seeds), 4))
        losses[seeds.index(3), 2] = np.nan
        return {"count": np.array(seeds), "losses": losses}


@dataclass(frozen=True)
class SelfSeeking:
    def train(self, seeds, store, progress):
        return store.get(SelfSeeking(), seeds)


def mean_weight(arrays, seeds, power=1):
    return arrays["weights"].mean(axis=(1, 2)) ** power


def both(arrays, seeds):
    first, second = arrays
    return {"difference": second["weights"] - first["weights"], "seeds": np.array(seeds)}
