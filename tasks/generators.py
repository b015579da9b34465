"""A random generator for every purpose: initial weights, permutation, training data, evaluation.

One extra draw for one purpose then shifts nothing that is drawn for another, and a seed's numbers do not
depend on which seeds are drawn beside it.
"""

import hashlib

import torch


def generator(seed: int, *purpose: str | int) -> torch.Generator:
    """A CPU generator determined by the seed and the purpose alone, such as `generator(3, "loop", 0)`.

    The state comes from a SHA-256 of both, so neighbouring seeds and purposes share nothing.
    """
    name = "/".join([str(seed), *map(str, purpose)])
    state = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    return torch.Generator().manual_seed(state)
