import math

import pytest
import torch
from torch import Tensor

from models.decoder import (
    Sizes,
    embed,
    forward,
    hook_names,
    initial_parameters,
    parameter_count,
    run_blocks,
    shapes,
    unflatten,
)

SIZES = Sizes(vocabulary=11, positions=5, layers=2, heads=2, width=8, hidden=12)
NAMES = hook_names(2)


@pytest.fixture
def params() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(1)
    vector = initial_parameters(SIZES, generator, dtype=torch.float64)
    # Biases and gains start at 0 and 1; moved, so that leaving one out shows.
    return unflatten(vector + 0.1 * torch.randn(len(vector), generator=generator), SIZES)


@pytest.fixture
def tokens() -> Tensor:
    return torch.randint(11, (6, 5), generator=torch.Generator().manual_seed(2))


def test_the_paper_sized_decoder_has_71_744_parameters():
    assert parameter_count(Sizes()) == 71_744


def test_views_cover_the_vector_once_and_write_through():
    vector = torch.zeros(parameter_count(SIZES))
    for view in unflatten(vector, SIZES).values():
        view.add_(1)
    assert (vector == 1).all()
    assert [tuple(view.shape) for view in unflatten(vector, SIZES).values()] == list(shapes(SIZES).values())


def test_a_vector_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="parameters, not"):
        unflatten(torch.zeros(7), SIZES)


def test_initial_parameters_depend_on_the_generator_only():
    first, again, other = (
        initial_parameters(SIZES, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    named = unflatten(initial_parameters(Sizes(), torch.Generator().manual_seed(0)), Sizes())
    assert (named["blocks.0.ln1.w"] == 1).all()
    assert (named["blocks.0.mlp.b_in"] == 0).all()
    assert named["blocks.1.mlp.W_out"].std().item() == pytest.approx(128**-0.5, rel=0.05)
    assert named["unembed.W_U"].std().item() == pytest.approx(1 / 8, rel=0.05)


def test_a_later_token_never_moves_an_earlier_logit(params, tokens):
    before, _ = forward(params, tokens)
    changed = tokens.clone()
    changed[:, 3] = (changed[:, 3] + 1) % 11
    after, _ = forward(params, changed)
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.isclose(before[:, 3:], after[:, 3:]).all(-1).any()


def test_last_only_gives_the_last_logits_and_activations_at_the_last_position(params, tokens):
    everywhere, full = forward(params, tokens, record=NAMES)
    last, recorded = forward(params, tokens, last_only=True, record=NAMES)
    assert last.shape == (6, 1, 11)
    torch.testing.assert_close(last[:, 0], everywhere[:, -1])
    torch.testing.assert_close(recorded["blocks.1.attn.hook_z"][:, 0], full["blocks.1.attn.hook_z"][:, -1])
    assert recorded["blocks.1.attn.hook_k"].shape == full["blocks.1.attn.hook_k"].shape
    assert recorded["blocks.0.hook_resid_post"].shape == (6, 5, 8)


def test_a_block_computes_what_its_recorded_activations_say(params, tokens):
    logits, at = forward(params, tokens, record=NAMES)
    for layer in (0, 1):
        block, p = (
            f"blocks.{layer}",
            {name: params[f"blocks.{layer}.{name}"] for name in ("attn.W_O", "attn.b_O")},
        )
        pattern, z = at[f"{block}.attn.hook_pattern"], at[f"{block}.attn.hook_z"]
        assert pattern.shape == (6, 2, 5, 5)
        torch.testing.assert_close(pattern.sum(-1), torch.ones(6, 2, 5, dtype=torch.float64))
        assert (pattern.triu(1) == 0).all()
        q, k, v = (at[f"{block}.attn.hook_{x}"] for x in "qkv")
        scores = at[f"{block}.attn.hook_attn_scores"]
        assert scores[3, 1, 4, 2] == pytest.approx((q[3, 4, 1] @ k[3, 2, 1] / math.sqrt(4)).item())
        torch.testing.assert_close(z[3, 4, 1], pattern[3, 1, 4] @ v[3, :, 1])
        heads = [z[:, :, head] @ p["attn.W_O"][head] for head in (0, 1)]
        torch.testing.assert_close(sum(heads) + p["attn.b_O"], at[f"{block}.hook_attn_out"])
        torch.testing.assert_close(
            at[f"{block}.hook_resid_mid"], at[f"{block}.hook_resid_pre"] + at[f"{block}.hook_attn_out"]
        )
        torch.testing.assert_close(
            at[f"{block}.hook_resid_post"], at[f"{block}.hook_resid_mid"] + at[f"{block}.hook_mlp_out"]
        )
        torch.testing.assert_close(at[f"{block}.mlp.hook_post"], at[f"{block}.mlp.hook_pre"].clamp(min=0))
    torch.testing.assert_close(at["blocks.0.hook_resid_pre"], embed(params, tokens))
    final = at["blocks.1.hook_resid_post"]
    centred = final - final.mean(-1, keepdim=True)
    normed = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    expected = (normed * params["ln_final.w"] + params["ln_final.b"]) @ params["unembed.W_U"]
    torch.testing.assert_close(logits, expected)


@pytest.mark.parametrize("name", NAMES)
def test_putting_an_activation_back_changes_no_bit_and_another_moves_the_output(params, tokens, name):
    plain, at = forward(params, tokens, record=[name])
    same, _ = forward(params, tokens, interventions={name: lambda _: at[name]})
    assert torch.equal(plain, same)

    def noisy(activation: Tensor) -> Tensor:
        return activation + torch.randn(activation.shape, generator=torch.Generator().manual_seed(3))

    moved, seen = forward(params, tokens, record=[name], interventions={name: noisy})
    # Keys and scores may gain a constant without effect, and everything else moves.
    assert (moved - plain).abs().amax((1, 2)).min() > 1e-3
    assert torch.equal(seen[name], noisy(at[name]))
    again, _ = forward(params, tokens)
    assert torch.equal(plain, again)


def test_replacing_one_head_changes_its_coordinates_only(params, tokens):
    def without_head_one(z: Tensor) -> Tensor:
        replaced = z.clone()
        replaced[:, -1, 1] = 0
        return replaced

    name = "blocks.1.attn.hook_z"
    _, plain = forward(params, tokens, record=[name])
    _, changed = forward(params, tokens, record=[name], interventions={name: without_head_one})
    differs = (plain[name] != changed[name]).nonzero()
    assert len(differs) == 6 * 4
    assert {(position, head) for _, position, head, _ in differs.tolist()} == {(4, 1)}


def test_an_exception_in_an_intervention_leaves_nothing_behind(params, tokens):
    def broken(_: Tensor) -> Tensor:
        raise RuntimeError("broken")

    plain, _ = forward(params, tokens)
    with pytest.raises(RuntimeError, match="broken"):
        forward(params, tokens, interventions={"blocks.0.attn.hook_z": broken})
    assert torch.equal(plain, forward(params, tokens)[0])


def test_running_on_from_a_recorded_stream_changes_no_bit(params, tokens):
    name = "blocks.1.hook_resid_pre"
    plain, at = forward(params, tokens, record=[name])
    assert torch.equal(run_blocks(params, at[name], first=1)[0], plain)


def test_names_that_do_not_exist_are_refused(params, tokens):
    with pytest.raises(ValueError, match=r"blocks\.2\.attn\.hook_z"):
        forward(params, tokens, record=["blocks.2.attn.hook_z"])
    with pytest.raises(ValueError, match="hook_zz"):
        forward(params, tokens, interventions={"blocks.0.attn.hook_zz": lambda z: z})
    with pytest.raises(ValueError, match=r"blocks\.0\.hook_resid_pre"):
        run_blocks(params, embed(params, tokens), first=1, record=["blocks.0.hook_resid_pre"])


def test_a_replacement_of_another_shape_is_refused(params, tokens):
    with pytest.raises(ValueError, match="replacement"):
        forward(params, tokens, interventions={"blocks.0.attn.hook_z": lambda z: z[:1]})


def test_a_width_that_the_heads_do_not_divide_is_refused():
    with pytest.raises(ValueError, match="not a multiple"):
        Sizes(width=10, heads=4)
