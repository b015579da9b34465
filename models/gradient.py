"""The loss at the query position and its gradient, written out by hand for the two-layer decoder.

It computes what `decoder.forward` and autograd compute, several times faster, because it leaves out what
nothing reads (`tests/models/test_gradient.py` compares the two in float64):

- *First block.* Its queries, keys and values depend on (token, position) alone, so they are computed once for
  every pair that can occur (`DistinctRows`) and looked up.
- *Last block.* Only the query position is read. With one query a trial it is cheaper to carry the query to
  the residual stream, (W_K q) · x, and to apply W_V after mixing, W_V (Σ pattern · x), than to form keys and
  values.
- *Key biases.* b_K adds one number to all scores of a query, which the softmax ignores: its gradient is 0.

A row is a (trial, position), trials outermost. `d_x` is the derivative of the loss by `x`.
"""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple, cast

import torch
from torch import Tensor

from models.decoder import LAYER_NORM_EPSILON, Sizes, unflatten

Saved = tuple[Tensor, ...]
"""What a forward function keeps for its backward function."""


class Part(NamedTuple):
    """A block's parameters, or those outside the blocks, by short name; and where their gradients go."""

    p: dict[str, Tensor]
    g: dict[str, Tensor]


@dataclass(frozen=True)
class DistinctRows:
    """Batches of prompts as look-ups into the (token, position) pairs that can occur.

    Those that can, not those that do: sums over them then run in one order whatever the batches are, so that
    a training stopped anywhere goes on with the same bits.
    """

    token: Tensor  # [distinct]
    position: Tensor  # [distinct]
    index: Tensor  # [batch, row]

    @classmethod
    def of(cls, tokens: Tensor, can_occur: Tensor) -> "DistinctRows":
        """Look prompts up.

        Args:
            tokens: `[batch, trial, position]`.
            can_occur: Booleans `[vocabulary, position]`.

        Raises:
            ValueError: A token stands where it cannot occur.
        """
        positions = can_occur.shape[1]
        pair = (tokens * positions + torch.arange(positions, device=tokens.device)).flatten(1)
        flat = can_occur.flatten()
        if not flat[pair].all():
            raise ValueError("a token stands at a position where `can_occur` says that it cannot")
        distinct = flat.nonzero()[:, 0]
        return cls(distinct // positions, distinct % positions, (flat.cumsum(0) - 1)[pair])


class _Pass(NamedTuple):
    """One forward pass, in the order of computation."""

    table: Tensor  # [distinct, width], the first block's input
    first_attention: Saved
    first_mid: Tensor  # [row, width]
    first_mlp: Saved
    resid: Tensor  # [trial, position, width], the last block's input
    last_attention: Saved
    last_mid: Tensor  # [trial, width] from here on
    last_mlp: Saved
    final: Tensor
    normed: Tensor
    moments: Saved
    logits: Tensor  # [trial, vocabulary]


class QueryLoss:
    """The mean cross-entropy at the last position; `gradient` is the flat vector of its last gradient."""

    def __init__(self, params: Tensor, sizes: Sizes) -> None:
        """Read the flat vector `params` through views, so that in-place updates of it are seen.

        Raises:
            ValueError: The decoder does not have two layers.
        """
        if sizes.layers != 2:
            raise ValueError(f"written for two layers, one of each kind, not {sizes.layers}")
        self.gradient = torch.zeros_like(params)
        self._heads = sizes.heads
        self._ends, self._first, self._last = (
            Part(p, g) for p, g in zip(_parts(params, sizes), _parts(self.gradient, sizes), strict=True)
        )
        future = torch.full((sizes.positions,) * 2, -inf, dtype=params.dtype, device=params.device)
        self._future = future.tril(-1)  # [key position, query position]

    def logits(self, rows: DistinctRows, batch: int) -> Tensor:
        """The logits `[trial, vocabulary]` at the last position of one batch."""
        return self._forward(rows, batch).logits

    def __call__(self, rows: DistinctRows, batch: int, targets: Tensor) -> Tensor:
        """Overwrite `gradient` and return the loss, a scalar.

        Args:
            rows: The prompts, of the decoder's full length.
            batch: Which batch of `rows`.
            targets: Tokens `[trial]`.
        """
        at, (p, g) = self._forward(rows, batch), self._ends
        log_p = at.logits.log_softmax(1)
        loss = -log_p.gather(1, targets[:, None]).mean()

        chosen = -torch.ones_like(log_p[:, :1])
        d_logits = log_p.exp().scatter_add(1, targets[:, None], chosen) / len(targets)
        torch.mm(at.normed.t(), d_logits, out=g["unembed.W_U"])
        d_normed = torch.mm(d_logits, p["unembed.W_U"].t())
        d_final = _norm_backward(d_normed, at.final, at.moments, self._ends, "ln_final")
        d_mid = _mlp_backward(d_final, at.last_mid, at.last_mlp, self._last)
        d_resid = _attend_from_last_backward(d_mid, at.resid, at.last_attention, self._last)
        d_mid = _mlp_backward(d_resid, at.first_mid, at.first_mlp, self._first)
        index = rows.index[batch]
        d_table = _attend_everywhere_backward(d_mid, at.table, index, at.first_attention, self._first)
        g["embed.W_E"].zero_().index_add_(0, rows.token, d_table)
        g["pos_embed.W_pos"].zero_().index_add_(0, rows.position, d_table)
        return loss

    def _forward(self, rows: DistinctRows, batch: int) -> _Pass:
        p = self._ends.p
        table = p["embed.W_E"][rows.token] + p["pos_embed.W_pos"][rows.position]
        first_mid, first_attention = _attend_everywhere(
            table, rows.index[batch], self._first, self._heads, self._future
        )
        out, first_mlp = _mlp(first_mid, self._first)
        resid = out.view(-1, len(self._future), out.shape[-1])
        last_mid, last_attention = _attend_from_last(resid, self._last, self._heads)
        final, last_mlp = _mlp(last_mid, self._last)
        normed, moments = _norm(final, self._ends, "ln_final")
        logits = torch.mm(normed, p["unembed.W_U"])
        return _Pass(
            table, first_attention, first_mid, first_mlp, resid, last_attention,
            last_mid, last_mlp, final, normed, moments, logits,
        )  # fmt: skip


def _attend_everywhere(
    table: Tensor, index: Tensor, part: Part, heads: int, future: Tensor
) -> tuple[Tensor, Saved]:
    """The first block's attention: from rows `table` `[distinct, width]` to the stream `[row, width]`."""
    positions = len(future)
    normed, moments = _norm(table, part, "ln1")
    q, k, v = (
        _apart(_affine(normed, part, f"attn.W_{x}", f"attn.b_{x}").index_select(0, index), positions, heads)
        for x in "QKV"
    )
    scale = q.shape[-1] ** -0.5
    pattern = torch.baddbmm(future, k, q.transpose(1, 2), alpha=scale).softmax(1)  # [., key, query]
    z = _together(torch.bmm(pattern.transpose(1, 2), v), heads)
    mid = _affine(z, part, "attn.W_O", "attn.b_O").add_(table.index_select(0, index))
    return mid, (normed, *moments, q, k, v, pattern, z)


def _attend_everywhere_backward(
    d_mid: Tensor, table: Tensor, index: Tensor, saved: Saved, part: Part
) -> Tensor:
    """`d_table`; the first block's attention gradients are written to `g`."""
    normed, mean, rstd, q, k, v, pattern, z = saved
    positions, heads = q.shape[1], len(q) * q.shape[1] // len(index)
    d_z = _apart(_affine_backward(d_mid, z, part, "attn.W_O", "attn.b_O"), positions, heads)
    d_scores = _softmax_backward(torch.bmm(v, d_z.transpose(1, 2)), pattern, 1, q.shape[-1] ** -0.5)

    def summed(d_row: Tensor) -> Tensor:
        return d_row.new_zeros(table.shape).index_add_(0, index, d_row)

    d_q = torch.bmm(d_scores.transpose(1, 2), k)
    d_k, d_v = torch.bmm(d_scores, q), torch.bmm(pattern, d_z)
    d_normed = _affine_backward(summed(_together(d_q, heads)), normed, part, "attn.W_Q", "attn.b_Q")
    d_normed += _affine_backward(summed(_together(d_k, heads)), normed, part, "attn.W_K", None)
    d_normed += _affine_backward(summed(_together(d_v, heads)), normed, part, "attn.W_V", "attn.b_V")
    return _norm_backward(d_normed, table, (mean, rstd), part, "ln1").add_(summed(d_mid))


def _attend_from_last(resid: Tensor, part: Part, heads: int) -> tuple[Tensor, Saved]:
    """The last block's attention: from the stream `[trial, position, width]` to its last position's."""
    normed, moments = _norm(resid, part, "ln1")
    w_k, w_v = _per_head(part.p["attn.W_K"], heads), _per_head(part.p["attn.W_V"], heads)
    q = _per_head(_affine(normed[:, -1], part, "attn.W_Q", "attn.b_Q"), heads)  # [head, trial, d_head]
    carried = torch.bmm(q, w_k.transpose(1, 2)).transpose(0, 1)  # [trial, head, width]
    scores = torch.bmm(carried, normed.transpose(1, 2)).mul_(q.shape[-1] ** -0.5)  # [trial, head, position]
    pattern = scores.softmax(2)
    mixed = torch.bmm(pattern, normed).transpose(0, 1)  # [head, trial, width]
    z = torch.bmm(mixed, w_v).transpose(0, 1).flatten(1) + part.p["attn.b_V"]
    mid = _affine(z, part, "attn.W_O", "attn.b_O").add_(resid[:, -1])
    return mid, (normed, *moments, q, carried, pattern, mixed, z)


def _attend_from_last_backward(d_mid: Tensor, resid: Tensor, saved: Saved, part: Part) -> Tensor:
    """`d_resid` `[row, width]`; the last block's attention gradients are written to `g`."""
    normed, mean, rstd, q, carried, pattern, mixed, z = saved
    heads = len(q)
    w_k, w_v = _per_head(part.p["attn.W_K"], heads), _per_head(part.p["attn.W_V"], heads)
    d_z = _affine_backward(d_mid, z, part, "attn.W_O", "attn.b_O")
    torch.sum(d_z, 0, out=part.g["attn.b_V"])
    d_z = _per_head(d_z, heads)
    _per_head(part.g["attn.W_V"], heads).copy_(torch.bmm(mixed.transpose(1, 2), d_z))
    d_mixed = torch.bmm(d_z, w_v.transpose(1, 2)).transpose(0, 1)
    d_scores = _softmax_backward(torch.bmm(d_mixed, normed.transpose(1, 2)), pattern, 2, q.shape[-1] ** -0.5)
    d_carried = torch.bmm(d_scores, normed).transpose(0, 1)
    _per_head(part.g["attn.W_K"], heads).copy_(torch.bmm(d_carried.transpose(1, 2), q))
    d_q = torch.bmm(d_carried, w_k).transpose(0, 1).flatten(1)

    d_normed = torch.bmm(pattern.transpose(1, 2), d_mixed).baddbmm_(d_scores.transpose(1, 2), carried)
    d_normed[:, -1] += _affine_backward(d_q, normed[:, -1], part, "attn.W_Q", "attn.b_Q")
    d_resid = _norm_backward(d_normed, resid, (mean, rstd), part, "ln1")
    d_resid[:, -1] += d_mid
    return d_resid.flatten(0, 1)


def _mlp(mid: Tensor, part: Part) -> tuple[Tensor, Saved]:
    """The stream after a block's MLP."""
    normed, moments = _norm(mid, part, "ln2")
    post = _affine(normed, part, "mlp.W_in", "mlp.b_in").relu_()
    return _affine(post, part, "mlp.W_out", "mlp.b_out").add_(mid), (normed, *moments, post)


def _mlp_backward(d_out: Tensor, mid: Tensor, saved: Saved, part: Part) -> Tensor:
    """`d_mid`; the MLP's gradients are written to `g`."""
    normed, mean, rstd, post = saved
    d_post = _affine_backward(d_out, post, part, "mlp.W_out", "mlp.b_out")
    d_pre = torch.ops.aten.threshold_backward(d_post, post, 0)  # the derivative of ReLU
    d_normed = _affine_backward(d_pre, normed, part, "mlp.W_in", "mlp.b_in")
    return _norm_backward(d_normed, mid, (mean, rstd), part, "ln2").add_(d_out)


def _affine(x: Tensor, part: Part, weight: str, bias: str) -> Tensor:
    return torch.addmm(part.p[bias], x, part.p[weight])


def _affine_backward(d_out: Tensor, x: Tensor, part: Part, weight: str, bias: str | None) -> Tensor:
    torch.mm(x.t(), d_out, out=part.g[weight])
    if bias is not None:
        torch.sum(d_out, 0, out=part.g[bias])
    return torch.mm(d_out, part.p[weight].t())


def _norm(x: Tensor, part: Part, name: str) -> tuple[Tensor, Saved]:
    """Layer norm over the last axis, with the mean and reciprocal deviation that its derivative needs."""
    out, mean, rstd = torch.native_layer_norm(
        x, x.shape[-1:], part.p[f"{name}.w"], part.p[f"{name}.b"], LAYER_NORM_EPSILON
    )
    return out, (mean, rstd)


def _norm_backward(d_out: Tensor, x: Tensor, moments: Saved, part: Part, name: str) -> Tensor:
    weight, bias = part.p[f"{name}.w"], part.p[f"{name}.b"]
    d_x, d_weight, d_bias = torch.ops.aten.native_layer_norm_backward(
        d_out, x, x.shape[-1:], *moments, weight, bias, [True, True, True]
    )
    part.g[f"{name}.w"].copy_(d_weight)
    part.g[f"{name}.b"].copy_(d_bias)
    return cast(Tensor, d_x)


def _softmax_backward(d_pattern: Tensor, pattern: Tensor, over: int, scale: float) -> Tensor:
    """The derivative by the scores of softmax(scale · scores)."""
    weighted = d_pattern.mul_(pattern)
    return weighted.addcmul_(pattern, weighted.sum(over, keepdim=True), value=-1).mul_(scale)


def _apart(rows: Tensor, positions: int, heads: int) -> Tensor:
    """`[row, width]` → `[trial · head, position, d_head]`."""
    return rows.view(-1, positions, heads, rows.shape[-1] // heads).transpose(1, 2).flatten(0, 1)


def _together(by_head: Tensor, heads: int) -> Tensor:
    """The inverse of `_apart`."""
    trials, positions = len(by_head) // heads, by_head.shape[1]
    return by_head.view(trials, heads, positions, -1).transpose(1, 2).flatten(2).flatten(0, 1)


def _per_head(matrix: Tensor, heads: int) -> Tensor:
    """A view `[head, row, d_head]` of `[row, width]`."""
    return matrix.view(len(matrix), heads, -1).transpose(0, 1)


_HEAD_AXES = {
    **{f"attn.{name}": (-2, -1) for name in ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V")},
    "attn.W_O": (0, 1),
}
"""Where a parameter has separate heads; without them it is a matrix or a vector."""


def _parts(vector: Tensor, sizes: Sizes) -> list[dict[str, Tensor]]:
    """Views of what lies outside the blocks, of the first and of the last block; every weight as a matrix."""
    parts: list[dict[str, Tensor]] = [{}, {}, {}]
    for name, view in unflatten(vector, sizes).items():
        if not name.startswith("blocks."):
            parts[0][name] = view
            continue
        _, layer, short = name.split(".", 2)
        parts[int(layer) + 1][short] = view.flatten(*_HEAD_AXES.get(short, (0, 0)))
    return parts
