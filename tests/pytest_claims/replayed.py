"""A run and a measurement to replay: gradient descent on a least-squares problem, in numpy."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Fit:
    steps: int
    rate: float = 0.1
    keeps_checkpoint: ClassVar[bool] = True

    def shortened(self):
        return replace(self, steps=min(self.steps, 3))

    def train(self, seeds, store, progress):
        rows = [self.one(seed, store.rounding) for seed in seeds]
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    def one(self, seed, rounding):
        source = np.random.default_rng(seed)
        weights, inputs = source.normal(size=8), source.normal(size=(32, 8))
        weights = weights * (1 + rounding * np.random.default_rng([seed, 1]).normal(size=8))
        return self.descend(weights, inputs, inputs @ np.arange(8.0) / 8)

    def descend(self, weights, inputs, wanted):
        losses = []
        for _ in range(self.steps):
            residual = inputs @ weights - wanted
            losses.append(np.mean(residual**2))
            weights = weights - self.rate * inputs.T @ residual / len(inputs)
        return {"weights": weights, "losses": np.array(losses)}


@dataclass(frozen=True)
class Further:
    start: Fit
    steps: int = 50

    def shortened(self):
        return replace(self, steps=min(self.steps, 2))

    def train(self, seeds, store, progress):
        start = store.get(self.start, seeds)["weights"]
        return {"weights": start * 0.9**self.steps}


def average(arrays, seeds, *, trials):
    return arrays["weights"].mean(axis=1) + 0.0 * trials
