import pytest
import torch

from models.decoder import forward, hook_names
from probes.interventions import QUERY, Site, put
from tests.probes.small_decoder import SIZES, decoder, trials

HOOKS = [name for name in hook_names(SIZES.layers) if "pattern" not in name and "scores" not in name]


@pytest.mark.parametrize("hook", HOOKS)
def test_patching_a_run_into_itself_is_bitwise_nothing(hook):
    params, (clean, _) = decoder(), trials()
    logits, own = forward(params, clean.tokens, record=[hook])
    patched, _ = forward(params, clean.tokens, interventions=put({Site(hook): own[hook]}))
    assert patched.equal(logits)


@pytest.mark.parametrize("hook", HOOKS)
def test_a_random_patch_moves_the_output(hook):
    params, (clean, _) = decoder(), trials()
    logits, own = forward(params, clean.tokens, record=[hook])
    noise = torch.randn(own[hook].shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    patched, _ = forward(params, clean.tokens, interventions=put({Site(hook): noise}))
    assert not torch.allclose(patched, logits)


@pytest.mark.parametrize("head", range(SIZES.heads))
def test_replacing_one_head_changes_exactly_its_coordinates(head):
    params, (clean, _) = decoder(), trials()
    hook, position = "blocks.1.attn.hook_z", 4
    _, before = forward(params, clean.tokens, record=[hook])
    value = torch.full(before[hook].shape[1:], 7.0, dtype=torch.float64)
    patch = put({Site(hook, (position,), (head,)): value})
    _, after = forward(params, clean.tokens, record=[hook], interventions=patch)
    changed = (before[hook] != after[hook]).nonzero()
    d_head = SIZES.width // SIZES.heads
    assert len(changed) == len(clean.tokens) * d_head
    assert set(changed[:, 1].tolist()) == {position}
    assert set(changed[:, 2].tolist()) == {head}


def test_nothing_stays_after_an_exception():
    params, (clean, _) = decoder(), trials()
    logits, _ = forward(params, clean.tokens)

    def fails(_activation):
        raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        forward(params, clean.tokens, interventions={"blocks.0.attn.hook_z": fails})
    assert forward(params, clean.tokens)[0].equal(logits)


def test_the_query_is_the_same_place_where_only_it_is_computed():
    params, (clean, _) = decoder(), trials()
    patch = put({Site("blocks.1.hook_mlp_out", QUERY): torch.ones(1, SIZES.width, dtype=torch.float64)})
    whole, _ = forward(params, clean.tokens, interventions=patch)
    last, _ = forward(params, clean.tokens, interventions=patch, last_only=True)
    assert last[:, 0].allclose(whole[:, -1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("hook", "heads", "says"),
    [
        ("blocks.0.hook_attn_out", (0,), "before W_O"),
        ("blocks.0.attn.hook_pattern", None, "no position axis"),
    ],
)
def test_coordinates_that_an_activation_does_not_have_are_refused(hook, heads, says):
    with pytest.raises(ValueError, match=says):
        Site(hook, (0,), heads)


@pytest.mark.parametrize(
    "site", [Site("blocks.0.attn.hook_z", (9,)), Site("blocks.0.attn.hook_z", None, (2,))]
)
def test_places_that_do_not_exist_are_refused(site):
    params, (clean, _) = decoder(), trials()
    with pytest.raises(ValueError, match="there is no"):
        forward(params, clean.tokens, interventions=put({site: torch.zeros(1, 1, 1, dtype=torch.float64)}))


def test_two_sites_of_one_activation_are_refused():
    value = torch.zeros(1)
    with pytest.raises(ValueError, match="share an activation"):
        put({Site("blocks.0.attn.hook_z", (0,)): value, Site("blocks.0.attn.hook_z", (1,)): value})
