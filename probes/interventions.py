"""Put given values at given coordinates of a model's activations. Every intervention here is made this way.

A `Site` names the coordinates: a hook in TransformerLens's words, positions, heads. Heads are coordinates of
z, before W_O mixes them; after W_O no slice is a head. `put` turns sites and values into the interventions
that `models.decoder.forward` takes as arguments, so nothing stays on the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from models.decoder import Interventions

QUERY = (-1,)
"""The query is the last position, in a whole forward pass and where only the last position is computed."""


@dataclass(frozen=True)
class Site:
    """Coordinates of one activation.

    Attributes:
        hook: The activation, such as `blocks.1.attn.hook_z`.
        positions: Along the position axis, negative ones from the end; None for all.
        heads: Along the head axis; None for all. Only `hook_q`, `hook_k`, `hook_v` and `hook_z` have one.
    """

    hook: str
    positions: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse heads of an activation that has none, and attention maps, whose axes are others."""
        name = self.hook.rsplit(".", 1)[-1]
        if name in ("hook_pattern", "hook_attn_scores"):
            raise ValueError(f"{self.hook} has no position axis; a Site names positions")
        if self.heads is not None and name not in ("hook_q", "hook_k", "hook_v", "hook_z"):
            raise ValueError(f"{self.hook} has no head axis; replace heads at hook_z, before W_O")

    def mask(self, activation: Tensor) -> Tensor:
        """Where the site is: booleans that broadcast to the activation `[trial, position, …]`.

        Raises:
            ValueError: A position or head does not exist.
        """
        _, positions, *rest = activation.shape
        mask = _chosen(self.positions, positions, "position", self.hook, activation.device)
        mask = mask.view(1, -1, *([1] * len(rest)))
        if self.heads is not None:
            mask = mask & _chosen(self.heads, rest[0], "head", self.hook, activation.device)[:, None]
        return mask


def put(values: Mapping[Site, Tensor]) -> Interventions:
    """The interventions that replace the activations at the sites by values, and nothing else.

    Args:
        values: A site's values broadcast to its activation: `[trial, position, …]` from another run of the
            same prompts, or `[position, …]` for all trials; with one position they serve all.

    Raises:
        ValueError: Two sites share an activation; name their coordinates in one site.
    """
    hooks = [site.hook for site in values]
    if len(set(hooks)) < len(hooks):
        raise ValueError(f"two sites share an activation: {sorted(hooks)}")

    return {site.hook: partial(_put_at, site, value) for site, value in values.items()}


def _put_at(site: Site, value: Tensor, activation: Tensor) -> Tensor:
    return torch.where(site.mask(activation), value.to(activation.dtype), activation)


def _chosen(places: tuple[int, ...] | None, size: int, axis: str, hook: str, device: torch.device) -> Tensor:
    if places is None:
        return torch.ones(size, dtype=torch.bool, device=device)
    missing = [place for place in places if not -size <= place < size]
    if missing:
        raise ValueError(f"{hook} has {size} {axis}s; there is no {axis} {missing[0]}")
    chosen = torch.zeros(size, dtype=torch.bool, device=device)
    chosen[list(places)] = True
    return chosen
