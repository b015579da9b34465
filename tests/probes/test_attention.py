import torch

from models.decoder import forward
from probes.attention import query_attention
from tests.probes.small_decoder import SIZES, decoder, trials


def test_it_is_the_mean_pattern_of_the_query_over_all_trials():
    params, (clean, _) = decoder(), trials(300)  # more than one chunk
    attention = query_attention(params, clean.tokens)
    _, seen = forward(params, clean.tokens, record=["blocks.1.attn.hook_pattern"])
    assert attention.shape == (SIZES.layers, SIZES.heads, SIZES.positions)
    assert torch.allclose(attention[1], seen["blocks.1.attn.hook_pattern"][:, :, -1].mean(0))
    assert torch.allclose(attention.sum(-1), torch.ones(SIZES.layers, SIZES.heads, dtype=torch.float64))
