"""The probes against the same experiments written with TransformerLens, in float32, as checkpoints are."""

import pytest
import torch

from models.transformer_lens_format import lens_config, lens_state
from probes.attention import query_attention
from probes.mean_replacement import Part, mean_replaced, query_means
from probes.patching import patching_maps
from probes.query import look
from tests.probes.small_decoder import SIZES, decoder, trials
from tests.transformer_lens import TOLERANCE, activations, booted, mean_replacement, patching_loop

HEADS = tuple(range(SIZES.heads))


@pytest.fixture
def params():
    return {name: value.float() for name, value in decoder().items()}


@pytest.fixture
def bridge(params):
    with torch.inference_mode():
        yield booted(lens_config(SIZES), lens_state(params))


def test_activation_patching_is_a_loop_over_its_hooks(params, bridge):
    clean, corrupted = trials(300)  # more than one chunk
    maps, effects = patching_maps(params, clean, corrupted), patching_loop(bridge, clean, corrupted)
    for name in ("residual", "heads", "gap"):
        torch.testing.assert_close(getattr(maps, name).float(), getattr(effects, name), **TOLERANCE)
    # Far larger than the tolerance, so that a map of something else would be seen.
    assert effects.residual.abs().max() > 0.1
    assert effects.heads.abs().min() > 1e-3


@pytest.mark.parametrize(
    "parts",
    [
        [Part(0, (1,))],
        [Part(1, (0,))],
        [Part(0, HEADS), Part(1, HEADS)],
        [Part(1, None)],
        [Part(0, None), Part(1, None)],
        [Part(0, (0,)), Part(1, None)],
    ],
)
def test_mean_replacement_is_written_with_its_hooks(params, bridge, parts):
    (clean, _), (reference, _) = trials(), trials(300, seed=1)
    means = query_means(params, look(params, reference.tokens)[0])
    ours = mean_replaced(params, look(params, clean.tokens)[0], means, parts)
    theirs = mean_replacement(bridge, clean.tokens, reference.tokens, parts)
    torch.testing.assert_close(ours, theirs, **TOLERANCE)
    assert (theirs - bridge(clean.tokens)[:, -1]).abs().max() > 0.1  # its hooks did something


def test_attention_of_the_query_is_in_its_cache(params, bridge):
    clean, _ = trials(300)
    hooks = [f"blocks.{layer}.attn.hook_pattern" for layer in range(SIZES.layers)]
    theirs = activations(bridge, clean.tokens, hooks)
    expected = torch.stack([theirs[hook][:, :, -1].mean(0) for hook in hooks])
    torch.testing.assert_close(query_attention(params, clean.tokens).float(), expected, **TOLERANCE)
