"""The one-layer recaller as a reader would write it: positional attention, then a frozen memory.

Attention at the decoding position depends on positions alone, so its weights are a row: v = softmax(w), one w
a step. The attended sum of embeddings goes through the memory, and what the memory writes is compared with
every token's embedding. Step 1 decodes the relation from s1 a1 s2 a2 s3 <sep> (a row of 6 for two pairs),
step 2 the answer with the relation appended (a row of 7). `models/compiled_recaller.py` evaluates the same
model without forming the memory.
"""

from __future__ import annotations

import torch
from torch import Tensor

from models.perturbed_gradient_descent import Schedule, descend


class Recaller(torch.nn.Module):
    """Attention rows over positions (trained) around an associative memory (frozen).

    Args:
        positions: length of the prompt at step 1; step 2 attends to one more.
        embeddings: one row a token, `[token, width]`.
        memory: maps `[…, width]` to `[…, width]`.
    """

    def __init__(self, positions: int, embeddings: Tensor, memory: torch.nn.Module) -> None:
        super().__init__()
        zeros = [torch.zeros(positions + extra, dtype=embeddings.dtype) for extra in (0, 1)]
        self.rows = torch.nn.ParameterList([torch.nn.Parameter(row) for row in zeros])
        self.register_buffer("embeddings", embeddings)
        self.memory = memory.requires_grad_(False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of every token after a prompt, before division by a temperature.

        Args:
            tokens: `[sequence, position]`; the length says which step it is.

        Returns:
            `[sequence, token]`.
        """
        step = tokens.shape[1] - len(self.rows[0])
        if step not in (0, 1):
            raise ValueError(
                f"a prompt has {len(self.rows[0])} positions, or one more at step 2; got {tokens.shape[1]}"
            )
        embeddings = self.get_buffer("embeddings")
        attention = self.rows[step].softmax(dim=0)  # [position]
        attended = attention @ embeddings[tokens]  # [sequence, width]
        written: Tensor = self.memory(attended)
        return written @ embeddings.T


def fine_tune(
    recaller: Recaller,
    tokens: Tensor,
    targets: Tensor,
    *,
    temperature: float,
    schedule: Schedule,
    perturbation: Tensor,
) -> Tensor:
    """Fine-tune the row that fits the prompts' length by perturbed gradient descent on the cross-entropy.

    Args:
        recaller: changed in place, in that row alone.
        tokens: `[sequence, position]`.
        targets: right token, `[sequence]`.
        temperature: T > 0; logits are divided by it, after their maximum is subtracted.
        schedule: lengths of the phases.
        perturbation: added after the large step, `[position]`.

    Returns:
        The row's trajectory, `[steps + 3, position]`.
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    row = recaller.rows[tokens.shape[1] - len(recaller.rows[0])]

    def gradient(weights: Tensor) -> Tensor:
        with torch.no_grad():
            row.copy_(weights[0])
        logits = recaller(tokens)
        scaled = (logits - logits.amax(dim=1, keepdim=True)) / temperature
        slope: Tensor
        (slope,) = torch.autograd.grad(torch.nn.functional.cross_entropy(scaled, targets), row)
        return slope[None]

    trajectory = descend(gradient, row.detach()[None].clone(), perturbation[None], schedule)[0]
    with torch.no_grad():
        row.copy_(trajectory[-1])
    return trajectory
