import torch

from models.decoder import forward
from probes.margin import margins
from probes.patching import patching_maps
from tasks.ambiguous_recall import Prompts
from tests.probes.small_decoder import SIZES, decoder, trials


def plain_effect(params, clean, corrupted, hook, where):
    """Activation patching written out: one forward pass a coordinate, all trials, no short cuts."""
    _, there = forward(params, clean.tokens, record=[hook])

    def patch(activation):
        activation = activation.clone()
        activation[(slice(None), *where)] = there[hook][(slice(None), *where)]
        return activation

    before = margins(forward(params, corrupted)[0][:, -1], clean)
    after = margins(forward(params, corrupted, interventions={hook: patch})[0][:, -1], clean)
    return (after - before).mean()


def test_both_maps_are_the_plain_loop():
    params, (clean, corrupted) = decoder(), trials(300)  # more than one chunk
    maps = patching_maps(params, clean, corrupted)
    for layer in range(SIZES.layers):
        for position in range(SIZES.positions):
            hook = f"blocks.{layer}.hook_resid_pre"
            expected = plain_effect(params, clean, corrupted, hook, (position,))
            assert torch.allclose(maps.residual[layer, position], expected, rtol=1e-9, atol=1e-11)
        for head in range(SIZES.heads):
            hook = f"blocks.{layer}.attn.hook_z"
            expected = plain_effect(params, clean, corrupted, hook, (-1, head))
            assert torch.allclose(maps.heads[layer, head], expected, rtol=1e-9, atol=1e-11)
    assert maps.heads.abs().min() > 1e-4  # the test would not see a map of zeros otherwise


def test_patching_a_run_into_itself_is_nothing_at_all():
    params, (clean, _) = decoder(), trials()
    maps = patching_maps(params, clean, clean.tokens)
    assert maps.residual.equal(torch.zeros_like(maps.residual))
    assert maps.heads.equal(torch.zeros_like(maps.heads))
    assert maps.gap == 0


def test_the_embedding_of_the_changed_position_restores_the_whole_gap():
    params, (clean, corrupted) = decoder(), trials()
    position = 1
    at = (clean.tokens != corrupted)[:, position]
    some = Prompts(clean.tokens[at], clean.contextual[at], clean.fixed[at])
    maps = patching_maps(params, some, corrupted[at])
    assert torch.allclose(maps.residual[0, position], maps.gap, rtol=1e-9)
    others = [p for p in range(SIZES.positions) if p != position]
    assert maps.residual[0, others].equal(torch.zeros(len(others), dtype=torch.float64))


def test_what_lies_before_the_changed_position_has_no_effect():
    params, (clean, corrupted) = decoder(), trials()
    at = (clean.tokens != corrupted)[:, 5]
    some = Prompts(clean.tokens[at], clean.contextual[at], clean.fixed[at])
    maps = patching_maps(params, some, corrupted[at])
    assert maps.residual[1, :5].equal(torch.zeros(5, dtype=torch.float64))
