"""The decoder against TransformerLens, which computes the same model by code of its own."""

from dataclasses import replace

import pytest
import torch

from models.decoder import Sizes, forward, hook_names, initial_parameters, shapes, unflatten
from models.transformer_lens_format import lens_config, lens_state
from tasks.generators import generator
from tests.probes.small_decoder import SIZES, trials
from tests.transformer_lens import TOLERANCE, activations, booted


def random_decoder(sizes=SIZES):
    """Named float32 parameters, all of them drawn: gains that are not 1 and biases that are not 0."""
    vector = initial_parameters(sizes, generator(0, "weights"))
    return unflatten(vector + 0.3 * torch.randn(vector.shape, generator=generator(0, "more")), sizes)


def test_only_the_layout_differs():
    params = random_decoder()
    state = lens_state(params)
    assert state.keys() == {*params, "unembed.b_U"}
    assert not state["unembed.b_U"].any()
    d_head = SIZES.width // SIZES.heads
    for name, value in params.items():
        head_first = name.endswith(("W_Q", "W_K", "W_V"))
        assert state[name].shape == ((SIZES.heads, SIZES.width, d_head) if head_first else value.shape)
        assert state[name].is_contiguous()
        assert torch.equal(state[name].transpose(0, 1) if head_first else state[name], value)


def test_what_is_exported_shares_no_memory():
    params = random_decoder()
    before = {name: value.clone() for name, value in params.items()}
    for value in lens_state(params).values():
        value.zero_()
    assert all(torch.equal(params[name], value) for name, value in before.items())


def test_the_configuration_has_the_sizes():
    sizes = Sizes(vocabulary=9, positions=5, layers=3, heads=2, width=8, hidden=20)
    config = lens_config(sizes)
    named = shapes(sizes)
    assert named["embed.W_E"] == (config["d_vocab"], config["d_model"])
    assert named["pos_embed.W_pos"] == (config["n_ctx"], config["d_model"])
    assert named["blocks.2.attn.W_Q"] == (config["d_model"], config["n_heads"], config["d_head"])
    assert named["blocks.2.mlp.W_in"] == (config["d_model"], config["d_mlp"])
    assert config["n_layers"] == 3


@pytest.mark.parametrize("sizes", [SIZES, replace(SIZES, layers=3, heads=4)])
def test_transformer_lens_gives_the_same_logits(sizes):
    params, (clean, _) = random_decoder(sizes), trials()
    bridge = booted(lens_config(sizes), lens_state(params))
    logits, _ = forward(params, clean.tokens)
    with torch.inference_mode():
        torch.testing.assert_close(bridge(clean.tokens), logits, **TOLERANCE)
        shorter = clean.tokens[:, :4]
        torch.testing.assert_close(bridge(shorter), forward(params, shorter)[0], **TOLERANCE)
    assert logits.std() > 0.5  # zeros would agree as well


@pytest.mark.parametrize("kind", ["w", "b", "b_Q", "b_K", "b_V", "b_O", "b_in", "b_out", "W_pos", "W_U"])
def test_the_comparison_sees_every_kind_of_parameter(kind):
    params, (clean, _) = random_decoder(), trials()
    bridge = booted(lens_config(SIZES), lens_state(params))
    for name, value in params.items():
        if name.rsplit(".", 1)[-1] == kind:
            value.add_(torch.randn(value.shape, generator=generator(1, name)), alpha=0.1)
    changed = forward(params, clean.tokens)[0]
    with torch.inference_mode():
        differs = (bridge(clean.tokens) - changed).abs().max() > 1e-3
    # softmax does not see what is added to all scores of a row, and that is all that b_K does
    assert differs == (kind != "b_K")


def test_transformer_lens_sees_the_same_activations():
    params, (clean, _) = random_decoder(), trials()
    bridge = booted(lens_config(SIZES), lens_state(params))
    names = hook_names(SIZES.layers)
    _, ours = forward(params, clean.tokens, record=names)
    with torch.inference_mode():
        theirs = activations(bridge, clean.tokens, names)
    for name in names:
        torch.testing.assert_close(
            theirs[name], ours[name], **TOLERANCE, msg=lambda text, name=name: f"{name}: {text}"
        )
