"""The probes against TransformerLens: the same experiments, written with its model, its cache and its hooks.

Nothing here is shared with the probes but the parameters and the prompts. In float32, as checkpoints are.
"""

import pytest
import torch

from models.transformer_lens_format import lens_config, lens_state
from probes.attention import query_attention
from probes.mean_replacement import Part, mean_replaced, query_means
from probes.patching import patching_maps
from probes.query import look
from tests.probes.small_decoder import SIZES, decoder, trials
from tests.transformer_lens import booted

LAYERS, HEADS = range(SIZES.layers), range(SIZES.heads)
TOLERANCE = {"rtol": 1e-4, "atol": 1e-4}


@pytest.fixture
def params():
    return {name: value.float() for name, value in decoder().items()}


@pytest.fixture
def bridge(params):
    with torch.inference_mode():
        yield booted(lens_config(SIZES), lens_state(params))


def margin(logits, prompts):
    """The mean margin at the query position, from logits `[trial, position, vocabulary]`."""
    rows = torch.arange(len(logits))
    return (logits[rows, -1, prompts.contextual] - logits[rows, -1, prompts.fixed]).mean()


def hooked(bridge, tokens, hook, where, value):
    """The logits where the activation at `where`, after the trial axis, is the given one."""

    def replace(activation, hook):
        activation[(slice(None), *where)] = value
        return activation

    return bridge.run_with_hooks(tokens, fwd_hooks=[(hook, replace)])


def test_activation_patching_is_a_loop_over_its_hooks(params, bridge):
    clean, corrupted = trials(300)  # more than one chunk
    maps = patching_maps(params, clean, corrupted)
    clean_logits, cache = bridge.run_with_cache(clean.tokens)
    before = margin(bridge(corrupted), clean)

    def effect(hook, where):
        value = cache[hook][(slice(None), *where)]
        return margin(hooked(bridge, corrupted, hook, where, value), clean) - before

    residual = [
        [effect(f"blocks.{layer}.hook_resid_pre", (position,)) for position in range(SIZES.positions)]
        for layer in LAYERS
    ]
    heads = [[effect(f"blocks.{layer}.attn.hook_z", (-1, head)) for head in HEADS] for layer in LAYERS]
    torch.testing.assert_close(maps.residual.float(), torch.tensor(residual), **TOLERANCE)
    torch.testing.assert_close(maps.heads.float(), torch.tensor(heads), **TOLERANCE)
    torch.testing.assert_close(maps.gap.float(), margin(clean_logits, clean) - before, **TOLERANCE)
    # Far larger than the tolerance, so that a map of something else would be seen.
    assert maps.residual.abs().max() > 0.1
    assert maps.heads.abs().min() > 1e-3


@pytest.mark.parametrize(
    "parts",
    [
        [Part(0, (1,))],
        [Part(1, (0,))],
        [Part(layer, tuple(HEADS)) for layer in LAYERS],
        [Part(1, None)],
        [Part(layer, None) for layer in LAYERS],
        [Part(0, (0,)), Part(1, None)],
    ],
)
def test_mean_replacement_is_written_with_its_hooks(params, bridge, parts):
    (clean, _), (reference, _) = trials(), trials(300, seed=1)
    means = query_means(params, look(params, reference.tokens)[0])
    ours = mean_replaced(params, look(params, clean.tokens)[0], means, parts)

    plain = bridge(clean.tokens)[:, -1]
    _, cache = bridge.run_with_cache(reference.tokens)
    hooks = []
    for part in parts:
        name = f"blocks.{part.layer}." + ("hook_mlp_out" if part.heads is None else "attn.hook_z")
        mean = cache[name][:, -1].mean(0)

        def replace(activation, hook, mean=mean, heads=part.heads):
            if heads is None:
                activation[:, -1] = mean
            else:
                activation[:, -1, list(heads)] = mean[list(heads)]
            return activation

        hooks.append((name, replace))
    theirs = bridge.run_with_hooks(clean.tokens, fwd_hooks=hooks)[:, -1]
    torch.testing.assert_close(ours, theirs, **TOLERANCE)
    assert (theirs - plain).abs().max() > 0.1  # its hooks did something


def test_attention_of_the_query_is_in_its_cache(params, bridge):
    clean, _ = trials(300)
    _, cache = bridge.run_with_cache(clean.tokens)
    theirs = torch.stack([cache[f"blocks.{layer}.attn.hook_pattern"][:, :, -1].mean(0) for layer in LAYERS])
    torch.testing.assert_close(query_attention(params, clean.tokens).float(), theirs, **TOLERANCE)
