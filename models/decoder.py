"""A decoder-only transformer whose forward pass is a plain function of plain data.

Pre-LN, ReLU, learned positions, untied unembedding without bias; with the default sizes 71,744 parameters.

- *Parameters* are one flat vector; `unflatten` gives named views into it. So the state of a training is a few
  vectors that can be copied, stored and compared bit for bit.
- *Activations* are returned on request under TransformerLens's names, the trial first:
  `blocks.0.hook_resid_pre`, `hook_attn_out`, `hook_resid_mid`, `hook_mlp_out`, `hook_resid_post`
  `[trial, position, width]`;
  `blocks.0.attn.hook_q`, `hook_k`, `hook_v`, `hook_z` `[trial, position, head, d_head]`;
  `blocks.0.attn.hook_attn_scores`, `hook_pattern` `[trial, head, query position, key position]`;
  `blocks.0.mlp.hook_pre`, `hook_post` `[trial, position, hidden]`.
- *Interventions* are arguments, name → function of the activation, so none can outlive its call.
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

LAYER_NORM_EPSILON = 1e-5

Parameters = Mapping[str, Tensor]
Interventions = Mapping[str, Callable[[Tensor], Tensor]]
NO_INTERVENTIONS: Interventions = MappingProxyType({})

_RESIDUAL_HOOKS = ("hook_resid_pre", "hook_attn_out", "hook_resid_mid", "hook_mlp_out", "hook_resid_post")
_ATTENTION_HOOKS = ("hook_q", "hook_k", "hook_v", "hook_attn_scores", "hook_pattern", "hook_z")
_BLOCK_HOOKS = (
    *_RESIDUAL_HOOKS,
    *(f"attn.{hook}" for hook in _ATTENTION_HOOKS),
    *("mlp.hook_pre", "mlp.hook_post"),
)


@dataclass(frozen=True)
class Sizes:
    """The sizes of a decoder; the defaults fit prompts of four pairs over 16 keys and 16 values."""

    vocabulary: int = 32
    positions: int = 9
    layers: int = 2
    heads: int = 4
    width: int = 64
    hidden: int = 128

    def __post_init__(self) -> None:
        """Refuse a width that the heads do not divide."""
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of the {self.heads} heads")


def shapes(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """Every parameter's name and shape, in the order in which the flat vector holds them."""
    width, hidden, heads, d_head = sizes.width, sizes.hidden, sizes.heads, sizes.width // sizes.heads
    block: dict[str, tuple[int, ...]] = {
        "ln1.w": (width,),
        "ln1.b": (width,),
        "attn.W_Q": (width, heads, d_head),
        "attn.W_K": (width, heads, d_head),
        "attn.W_V": (width, heads, d_head),
        "attn.b_Q": (heads, d_head),
        "attn.b_K": (heads, d_head),
        "attn.b_V": (heads, d_head),
        "attn.W_O": (heads, d_head, width),
        "attn.b_O": (width,),
        "ln2.w": (width,),
        "ln2.b": (width,),
        "mlp.W_in": (width, hidden),
        "mlp.b_in": (hidden,),
        "mlp.W_out": (hidden, width),
        "mlp.b_out": (width,),
    }
    blocks = {f"blocks.{i}.{name}": shape for i in range(sizes.layers) for name, shape in block.items()}
    return {
        "embed.W_E": (sizes.vocabulary, width),
        "pos_embed.W_pos": (sizes.positions, width),
        **blocks,
        "ln_final.w": (width,),
        "ln_final.b": (width,),
        "unembed.W_U": (width, sizes.vocabulary),
    }


def parameter_count(sizes: Sizes) -> int:
    """The length of the flat vector."""
    return sum(math.prod(shape) for shape in shapes(sizes).values())


def unflatten(vector: Tensor, sizes: Sizes) -> dict[str, Tensor]:
    """Named views into a flat parameter vector: writing to a view writes to the vector.

    Raises:
        ValueError: `vector` is not one-dimensional of length `parameter_count(sizes)`.
    """
    if vector.shape != (parameter_count(sizes),):
        raise ValueError(
            f"a decoder of {sizes} has {parameter_count(sizes)} parameters, not {list(vector.shape)}"
        )
    named = shapes(sizes)
    parts = torch.split(vector, [math.prod(shape) for shape in named.values()])
    return {name: part.view(shape) for (name, shape), part in zip(named.items(), parts, strict=True)}


def initial_parameters(
    sizes: Sizes,
    generator: torch.Generator,
    *,
    device: str | torch.device = "cpu",
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Draw a flat vector of initial parameters.

    Weights are normal with variance 1 / (inputs summed over), embeddings with variance 1 / width; gains are 1
    and biases 0. Drawn on the CPU in float32, then moved, so that a seed starts equal on every device.
    """
    vector = torch.zeros(parameter_count(sizes))
    for name, view in unflatten(vector, sizes).items():
        kind = name.rsplit(".", 1)[-1]
        if kind == "w":
            view.fill_(1.0)
        elif kind.startswith("W"):
            fan_in = sizes.hidden if kind == "W_out" else sizes.width
            view.normal_(0.0, fan_in**-0.5, generator=generator)
    return vector.to(device=device, dtype=dtype)


def hook_names(layers: int) -> list[str]:
    """Every activation that `forward` can return or have replaced."""
    return [f"blocks.{i}.{hook}" for i in range(layers) for hook in _BLOCK_HOOKS]


def embed(params: Parameters, tokens: Tensor) -> Tensor:
    """The residual stream before the first block `[trial, position, width]` of tokens `[trial, position]`."""
    return params["embed.W_E"][tokens] + params["pos_embed.W_pos"][: tokens.shape[1]]


def forward(
    params: Parameters,
    tokens: Tensor,
    *,
    last_only: bool = False,
    record: Collection[str] = (),
    interventions: Interventions = NO_INTERVENTIONS,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Run the decoder.

    Args:
        params: Named parameters, as `unflatten` gives them.
        tokens: Integers `[trial, position]`.
        last_only: Compute the last block and the logits at the last position only (its keys and values are
            computed everywhere, as they must be). That block's other activations then have one position.
        record: Names of the activations to return.
        interventions: Name → function from an activation to its replacement, of equal shape. It must not
            write to its argument. Applied before recording: what is recorded is what the network saw.

    Returns:
        The logits `[trial, position, vocabulary]` and the recorded activations by name.

    Raises:
        ValueError: A name is no activation of this decoder, or a replacement has another shape.
    """
    return run_blocks(
        params, embed(params, tokens), last_only=last_only, record=record, interventions=interventions
    )


def run_blocks(
    params: Parameters,
    resid: Tensor,
    *,
    first: int = 0,
    last_only: bool = False,
    record: Collection[str] = (),
    interventions: Interventions = NO_INTERVENTIONS,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Run the decoder from the residual stream `resid` before block `first`; the rest is as for `forward`.

    What lies before an intervention need not be computed again for every intervention.
    """
    layers = sum(name.endswith("attn.W_Q") for name in params)
    unknown = {*record, *interventions} - set(hook_names(layers)[first * len(_BLOCK_HOOKS) :])
    if unknown:
        raise ValueError(
            f"no such activation in blocks {first} to {layers - 1}: {', '.join(sorted(unknown))}"
        )
    recorded: dict[str, Tensor] = {}

    def tap(name: str, activation: Tensor) -> Tensor:
        if name in interventions:
            replacement = interventions[name](activation)
            if replacement.shape != activation.shape:
                raise ValueError(
                    f"{name} is {list(activation.shape)}, its replacement {list(replacement.shape)}"
                )
            activation = replacement
        if name in record:
            recorded[name] = activation
        return activation

    for layer in range(first, layers):
        at_last = last_only and layer == layers - 1
        resid = _block(params, layer, resid, slice(-1, None) if at_last else slice(None), tap)
    resid = layer_norm(
        resid, resid.shape[-1:], params["ln_final.w"], params["ln_final.b"], LAYER_NORM_EPSILON
    )
    return resid @ params["unembed.W_U"], recorded


def _block(
    params: Parameters, layer: int, resid: Tensor, where: slice, tap: Callable[[str, Tensor], Tensor]
) -> Tensor:
    """One block, its outputs at the positions `where` only."""
    at = f"blocks.{layer}"
    own = {name.removeprefix(f"{at}."): value for name, value in params.items() if name.startswith(f"{at}.")}

    resid = tap(f"{at}.hook_resid_pre", resid)
    normed = layer_norm(resid, resid.shape[-1:], own["ln1.w"], own["ln1.b"], LAYER_NORM_EPSILON)
    q = tap(f"{at}.attn.hook_q", _project(normed[:, where], own["attn.W_Q"], own["attn.b_Q"]))
    k = tap(f"{at}.attn.hook_k", _project(normed, own["attn.W_K"], own["attn.b_K"]))
    v = tap(f"{at}.attn.hook_v", _project(normed, own["attn.W_V"], own["attn.b_V"]))
    future = torch.ones(resid.shape[1], resid.shape[1], dtype=torch.bool, device=resid.device).triu(1)[where]
    scores = q.transpose(1, 2) @ k.permute(0, 2, 3, 1) / math.sqrt(q.shape[-1])
    scores = tap(f"{at}.attn.hook_attn_scores", scores.masked_fill(future, -math.inf))
    pattern = tap(f"{at}.attn.hook_pattern", scores.softmax(-1))
    z = tap(f"{at}.attn.hook_z", (pattern @ v.transpose(1, 2)).transpose(1, 2))
    attn_out = tap(f"{at}.hook_attn_out", z.flatten(2) @ own["attn.W_O"].flatten(0, 1) + own["attn.b_O"])
    resid = tap(f"{at}.hook_resid_mid", resid[:, where] + attn_out)

    normed = layer_norm(resid, resid.shape[-1:], own["ln2.w"], own["ln2.b"], LAYER_NORM_EPSILON)
    pre = tap(f"{at}.mlp.hook_pre", normed @ own["mlp.W_in"] + own["mlp.b_in"])
    post = tap(f"{at}.mlp.hook_post", pre.relu())
    mlp_out = tap(f"{at}.hook_mlp_out", post @ own["mlp.W_out"] + own["mlp.b_out"])
    return tap(f"{at}.hook_resid_post", resid + mlp_out)


def _project(normed: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """`[trial, position, width]` → `[trial, position, head, d_head]`."""
    return (normed @ weight.flatten(1)).view(*normed.shape[:-1], *bias.shape) + bias
