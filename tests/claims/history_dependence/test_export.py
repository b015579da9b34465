"""What `claims export` writes of this paper: opened by its own README, and held to the store."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from claims.history_dependence import export, protocol
from claims.history_dependence.causal import corrupt, reference_prompts
from claims.history_dependence.experiment import Anchor
from claims.history_dependence.measurements import evaluation_trials
from models.decoder import Sizes, forward, hook_names, unflatten
from models.training import Adam
from models.transformer_lens_format import lens_state
from probes.mean_replacement import Part, mean_replaced, query_means
from probes.patching import patching_maps
from probes.query import look
from pytest_claims import Store
from pytest_claims.cli import main
from pytest_claims.registry import load
from tasks.ambiguous_recall import Task
from tasks.schedules import Loop
from tests.transformer_lens import TOLERANCE, activations, mean_replacement, patching_loop, require

PROJECT = Path(__file__).parents[3]
TASK = Task(keys=5, values=5, pairs=2)
SIZES = Sizes(vocabulary=10, positions=5, layers=2, heads=2, width=8, hidden=12)
ANCHOR = Anchor(TASK, SIZES, Adam(1e-2, warmup=3), batch=16, p0=0.5, updates=150)
TINY = export.Condition("tiny models", "immediate-gap", loop=Loop(delta=0.4, leg=5), anchor=ANCHOR)
SEEDS = (0, 3)
MODELS = [f"seed-{seed}/{name}" for seed in SEEDS for name in ("anchor", "below", "above")]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A store with both seeds of the tiny condition, and an anchor without branches."""
    folder = tmp_path_factory.mktemp("store")
    store = Store(folder, project_root=PROJECT, announce=lambda line: None)
    runs = TINY.runs()
    vectors = {name: store.get(run, SEEDS)["params"] for name, run in runs.items()}
    store.get(runs["anchor"], (7,))
    params = {
        f"seed-{seed}/{name}": unflatten(torch.tensor(vector[place]), SIZES)
        for name, vector in vectors.items()
        for place, seed in enumerate(SEEDS)
    }
    return folder, params


@pytest.fixture(scope="module")
def exported(trained, tmp_path_factory):
    """The folder that the command writes, and what it says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        patch.setattr(export, "PRIMARY", TINY)
        folder = tmp_path_factory.mktemp("project") / "exported"
        assert main(["export", "immediate-gap", str(folder), "--claims-store", str(trained[0])]) == 0
    return folder


def snippets(readme):
    """The Python snippets of a README; an exported one has TransformerLens first, then plain torch."""
    return re.findall(r"```python\n(.*?)```", readme.read_text(), flags=re.DOTALL)


def run(snippet, folder, monkeypatch):
    """What a snippet defines when it is run as printed, in the folder."""
    monkeypatch.chdir(folder)
    names = {}
    exec(compile(snippet, "README.md", "exec"), names)
    return names


def test_every_stored_seed_has_an_anchor_and_two_branches(exported):
    found = sorted(str(path.parent.relative_to(exported)) for path in exported.rglob("model.safetensors"))
    assert found == sorted(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_parameters_are_those_of_the_store_to_the_bit(trained, exported, model):
    state, expected = load_file(exported / model / "model.safetensors"), lens_state(trained[1][model])
    assert state.keys() == expected.keys()
    for name, value in expected.items():
        assert state[name].dtype == torch.float32
        assert torch.equal(state[name], value), name


@pytest.mark.parametrize("model", MODELS)
def test_the_configuration_says_what_the_model_is(trained, exported, model):
    config = json.loads((exported / model / "config.json").read_text())
    seed, name = int(model[5]), model.partition("/")[2]
    assert (config["paper"], config["claim"]) == ("zuo2026", "zuo2026/immediate-gap")
    assert (config["seed"], config["model"]) == (seed, name)
    assert config["updates"] == 150 + (0 if name == "anchor" else 20)
    assert config["run"]["label"] == TINY.runs()[name].label
    task, example = config["task"], config["example"]
    assert task["fixed_rule"] == ANCHOR.permutation(seed).tolist()
    *_, query = tokens = example["tokens"]
    assert len(tokens) == task["query_position"] + 1
    assert set(tokens[0::2]) <= set(task["key_tokens"])
    assert set(tokens[1::2]) <= set(task["value_tokens"])
    assert example["fixed"] == task["fixed_rule"][task["key_tokens"].index(query)]
    assert example["contextual"] == tokens[tokens.index(query) + 1] != example["fixed"]
    logits = forward(trained[1][model], torch.tensor([tokens]))[0][0, -1]
    margin = (logits[example["contextual"]] - logits[example["fixed"]]).item()
    assert example["margin"] == pytest.approx(margin, abs=1e-5)


def test_a_seed_without_branches_is_left_out_and_said_so(trained, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(PROJECT)
    monkeypatch.setattr(export, "PRIMARY", TINY)
    assert main(["export", "head-attenuation", str(tmp_path / "out"), "--claims-store", str(trained[0])]) == 0
    assert "left out: seed 7, not all of whose models are stored" in capsys.readouterr().out
    assert "zuo2026/head-attenuation" in (tmp_path / "out" / "README.md").read_text()


def test_what_is_not_stored_is_named_with_what_trains_it(trained, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(PROJECT)
    for claim, run in (("gap-size", "gap_size"), ("identical-clone", "immediate_gap_plain_ramp")):
        arguments = ["export", claim, str(tmp_path / "out"), "--claims-store", str(trained[0])]
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert "anchor (3100 updates) is not in the store" in said
        assert f"run `pytest claims -k {run}` first" in said
    monkeypatch.setattr(export, "PRIMARY", replace(TINY, loop=Loop(delta=0.1, leg=5)))
    assert main(["export", "reversal", str(tmp_path / "out"), "--claims-store", str(trained[0])]) == 2
    said = capsys.readouterr().err
    assert "below (δ 0.1, legs of 5, settling 0, draw 0) of seeds 0, 3, 7 is not in the store" in said
    assert not (tmp_path / "out").exists()


def test_the_primary_models_are_those_that_the_claims_train():
    runs = export.PRIMARY.runs()
    below, above = protocol.branches(protocol.SETTLED, course_every=protocol.COURSE_EVERY)
    assert runs == {"anchor": protocol.ANCHOR, "below": below, "above": above}


def test_conditions_are_of_registered_claims():
    registered = load(PROJECT / "claims" / "registered.json")["claims"]
    conditions = [export.PRIMARY, *export.OTHERS.values()]
    named = {*export.OTHERS, *(condition.trained_by for condition in conditions)}
    assert {f"zuo2026/{slug}" for slug in named} <= set(registered)


def test_the_snippet_in_plain_torch_is_the_model(trained, exported, monkeypatch, capsys):
    names = run(snippets(exported / "README.md")[1], exported, monkeypatch)
    said = re.fullmatch(r"margin (\S+), as exported (\S+)\n", capsys.readouterr().out)
    assert float(said[1]) == pytest.approx(float(said[2]), abs=2e-4)
    prompts = evaluation_trials(TASK, 0, 64)
    expected, _ = forward(trained[1]["seed-0/below"], prompts.tokens)
    torch.testing.assert_close(names["forward"](prompts.tokens), expected, **TOLERANCE)
    assert expected.std() > 0.5


@pytest.fixture
def opened(exported, monkeypatch, capsys):
    """`open_model` of the TransformerLens snippet, which has been run as printed."""
    require()
    names = run(snippets(exported / "README.md")[0], exported, monkeypatch)
    said = re.match(r"margin (\S+), as exported (\S+)\n", capsys.readouterr().out)
    assert float(said[1]) == pytest.approx(float(said[2]), abs=2e-4)
    with torch.inference_mode():
        yield lambda model: names["open_model"](model)[0]


@pytest.mark.parametrize("model", MODELS[-2:])
def test_the_snippet_for_transformer_lens_is_the_model(trained, opened, model):
    prompts, names = evaluation_trials(TASK, 3, 64), hook_names(SIZES.layers)
    logits, ours = forward(trained[1][model], prompts.tokens, record=names)
    bridge = opened(model)
    torch.testing.assert_close(bridge(prompts.tokens), logits, **TOLERANCE)
    theirs = activations(bridge, prompts.tokens, names)
    for name in names:
        torch.testing.assert_close(
            theirs[name], ours[name], **TOLERANCE, msg=lambda text, name=name: f"{name}: {text}"
        )


def test_the_snippet_of_the_projects_own_readme_opens_the_same_model(trained, exported, monkeypatch):
    require()
    (snippet,) = [one for one in snippets(PROJECT / "README.md") if "boot_native" in one]
    bridge = run(snippet, exported.parent, monkeypatch)["model"]
    prompts = evaluation_trials(TASK, 0, 64)
    with torch.inference_mode():
        expected, _ = forward(trained[1]["seed-0/below"], prompts.tokens)
        torch.testing.assert_close(bridge(prompts.tokens), expected, **TOLERANCE)


@pytest.mark.parametrize("model", MODELS[-2:])
def test_patching_a_trained_model_in_transformer_lens_gives_the_same_maps(trained, opened, model):
    clean = evaluation_trials(TASK, 3, 300)
    corrupted = corrupt(TASK, 3, clean)
    maps = patching_maps(trained[1][model], clean, corrupted)
    effects = patching_loop(opened(model), clean, corrupted)
    for name in ("residual", "heads", "gap"):
        torch.testing.assert_close(getattr(maps, name).float(), getattr(effects, name), **TOLERANCE)
    assert effects.residual.abs().max() > 0.1


@pytest.mark.parametrize(
    "parts", [[Part(0, (0, 1)), Part(1, (0, 1))], [Part(0, None), Part(1, None)], [Part(1, (1,))]]
)
def test_mean_replacement_in_a_trained_model_in_transformer_lens_gives_the_same_logits(
    trained, opened, parts
):
    params, prompts = trained[1]["seed-3/above"], evaluation_trials(TASK, 3, 64)
    reference = reference_prompts(TASK, 3, 300)
    means = query_means(params, look(params, reference)[0])
    ours = mean_replaced(params, look(params, prompts.tokens)[0], means, parts)
    theirs = mean_replacement(opened("seed-3/above"), prompts.tokens, reference, parts)
    torch.testing.assert_close(ours, theirs, **TOLERANCE)
