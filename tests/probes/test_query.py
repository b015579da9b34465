import pytest
import torch

from models.decoder import forward
from probes.interventions import QUERY, Site, put
from probes.query import answer, look
from tests.probes.small_decoder import SIZES, decoder, trials

SITES = [
    *(Site(f"blocks.{layer}.attn.hook_z", QUERY, (head,)) for layer in (0, 1) for head in (0, 1)),
    *(Site(f"blocks.{layer}.hook_mlp_out", QUERY) for layer in (0, 1)),
]


def close(one, other):
    return torch.allclose(one, other, rtol=1e-11, atol=1e-11)


def test_it_is_the_whole_model_at_the_query_position():
    params, (clean, _) = decoder(), trials(300)  # more than one chunk
    hooks = ["blocks.0.attn.hook_z", "blocks.1.hook_mlp_out"]
    whole, there = forward(params, clean.tokens, record=hooks)
    context, _ = look(params, clean.tokens)
    logits, recorded = answer(params, context, record=hooks)
    assert close(logits, whole[:, -1])
    for hook in hooks:
        assert close(recorded[hook], there[hook][:, -1:])


@pytest.mark.parametrize("site", SITES)
def test_an_intervention_at_the_query_does_what_it_does_in_the_whole_model(site):
    params, (clean, _) = decoder(), trials()
    shape = (1, SIZES.heads, SIZES.width // SIZES.heads) if site.heads else (1, SIZES.width)
    patch = put({site: torch.full(shape, 0.7, dtype=torch.float64)})
    whole, _ = forward(params, clean.tokens, interventions=patch)
    logits, _ = answer(params, look(params, clean.tokens)[0], interventions=patch)
    assert close(logits, whole[:, -1])
    assert not close(logits, answer(params, look(params, clean.tokens)[0])[0])


def test_an_activation_that_it_does_not_compute_is_refused():
    params, (clean, _) = decoder(), trials()
    with pytest.raises(ValueError, match="not among the activations"):
        answer(params, look(params, clean.tokens)[0], record=["blocks.0.hook_resid_pre"])
