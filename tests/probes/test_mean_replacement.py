import pytest
import torch

from models.decoder import forward
from probes.mean_replacement import Part, mean_replaced, query_means
from probes.query import answer, look
from tests.probes.small_decoder import SIZES, decoder, trials

HEADS = (0, 1)
ALL_HEADS = [Part(0, HEADS), Part(1, HEADS)]


def test_means_run_over_the_whole_reference_set():
    params, (reference, _) = decoder(), trials(600, seed=1)  # three chunks
    _, seen = forward(params, reference.tokens, record=["blocks.1.attn.hook_z", "blocks.0.hook_mlp_out"])
    means = query_means(params, look(params, reference.tokens)[0])
    for hook, activation in seen.items():
        assert torch.allclose(means[hook], activation[:, -1:].mean(0), rtol=1e-10, atol=1e-10)


def test_replacement_is_a_plain_loop_over_the_model():
    params, (clean, _), (reference, _) = decoder(), trials(), trials(50, seed=1)
    hooks = [f"blocks.{layer}.attn.hook_z" for layer in (0, 1)]
    _, seen = forward(params, reference.tokens, record=hooks)

    def written_out(hook):
        def replace(z):
            z = z.clone()
            z[:, -1, 1] = seen[hook][:, -1, 1].mean(0)
            return z

        return replace

    expected, _ = forward(params, clean.tokens, interventions={hook: written_out(hook) for hook in hooks})
    context, means = look(params, clean.tokens)[0], query_means(params, look(params, reference.tokens)[0])
    logits = mean_replaced(params, context, means, [Part(0, (1,)), Part(1, (1,))])
    assert torch.allclose(logits, expected[:, -1], rtol=1e-10, atol=1e-10)


def test_without_its_heads_the_query_knows_nothing_of_the_context():
    params, (clean, corrupted) = decoder(), trials()
    means = query_means(params, look(params, clean.tokens)[0])
    logits = [
        mean_replaced(params, look(params, tokens)[0], means, ALL_HEADS)
        for tokens in (clean.tokens, corrupted)
    ]
    # Only the query key itself is left, and both prompts share it.
    assert logits[0].equal(logits[1])
    same_key = (clean.tokens[:, -1] == clean.tokens[0, -1]).nonzero()[:, 0]
    assert len(same_key) > 1
    assert torch.allclose(logits[0][same_key], logits[0][same_key[:1]].expand(len(same_key), -1))


@pytest.mark.parametrize("part", [*ALL_HEADS, Part(0, None), Part(1, None), Part(1, (0,))])
def test_every_part_matters_and_none_changes_nothing(part):
    params, (clean, _) = decoder(), trials()
    context = look(params, clean.tokens)[0]
    means = query_means(params, context)
    plain = answer(params, context)[0]
    assert mean_replaced(params, context, means, []).equal(plain)
    assert not torch.allclose(mean_replaced(params, context, means, [part]), plain)


def test_a_single_trial_is_its_own_mean():
    params, (clean, _) = decoder(), trials(1)
    context = look(params, clean.tokens)[0]
    parts = [*ALL_HEADS, Part(0, None), Part(1, None)]
    logits = mean_replaced(params, context, query_means(params, context), parts)
    assert torch.allclose(logits, answer(params, context)[0], rtol=1e-10, atol=1e-10)


def test_sizes_are_those_of_the_model():
    params, (clean, _) = decoder(), trials()
    means = query_means(params, look(params, clean.tokens)[0])
    assert means["blocks.0.attn.hook_z"].shape == (1, SIZES.heads, SIZES.width // SIZES.heads)
    assert means["blocks.1.hook_mlp_out"].shape == (1, SIZES.width)
