"""What `claims export` writes of this paper, opened by the snippet of its own README."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from claims.factual_recall import export, protocol
from claims.factual_recall.experiment import FineTuning, HeldOut, Setting, compiled, knowledge_base, softmax
from pytest_claims import Store
from pytest_claims.cli import main
from pytest_claims.registry import load

PROJECT = Path(__file__).parents[3]
SEEDS = (1000, 1003)
ONE = Setting(
    n_subjects=12,
    power=2,
    temperature=0.02,
    schedule=protocol.schedule(0.4, 40),
    perturbation=0.05,
    samples=24,
    confusing_share=0.5,
)
ROWS = {
    "relation": ONE,
    "relation-over-vocabulary": replace(ONE, power=3, decode="vocabulary"),
    "answer": replace(ONE, power=3, decode="vocabulary", step=2),
    "three-pairs": replace(ONE, power=3, pairs=3),
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A store with all rows of both seeds, and what they are."""
    folder = tmp_path_factory.mktemp("store")
    store = Store(folder, project_root=PROJECT, announce=lambda line: None)
    return folder, {name: store.get(FineTuning(row), SEEDS)["weights"][:, -1] for name, row in ROWS.items()}


@pytest.fixture(scope="module")
def exported(trained, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        patch.setattr(export, "ROWS", {"pairwise-pattern": lambda _: ROWS})
        folder = tmp_path_factory.mktemp("exported") / "rows"
        assert main(["export", "pairwise-pattern", str(folder), "--claims-store", str(trained[0])]) == 0
    return folder


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_that_of_the_store_to_the_bit(trained, exported, name):
    for place, seed in enumerate(SEEDS):
        found = load_file(exported / f"seed-{seed}" / name / "model.safetensors")
        assert np.array_equal(found["weights"], trained[1][name][place])
        np.testing.assert_allclose(found["attention"], softmax(trained[1][name][place]))
        assert np.array_equal(found["answers"], knowledge_base(12, seed).answers)
        config = json.loads((exported / f"seed-{seed}" / name / "config.json").read_text())
        assert (config["paper"], config["row"], config["seed"]) == ("huang2026", name, seed)
        assert config["setting"]["schedule"] == {"large_step": 5.0, "step": 0.4, "steps": 40}
        assert {key: config["setting"][key] for key in ("power", "decode", "step", "pairs")} == {
            key: getattr(ROWS[name], key) for key in ("power", "decode", "step", "pairs")
        }


@pytest.mark.parametrize("name", ROWS)
def test_the_snippet_is_the_model(exported, monkeypatch, capsys, name):
    (snippet,) = re.findall(r"```python\n(.*?)```", (exported / "README.md").read_text(), flags=re.DOTALL)
    assert f'Path("seed-{SEEDS[0]}/relation")' in snippet
    monkeypatch.chdir(exported)
    names = {}
    exec(compile(snippet.replace(f"{SEEDS[0]}/relation", f"{SEEDS[1]}/{name}"), "README.md", "exec"), names)
    said = re.search(r"right token (\S+), as exported (\S+)\n", capsys.readouterr().out)
    assert float(said[1]) == pytest.approx(float(said[2]), abs=2e-6) != 0

    row, base = ROWS[name], knowledge_base(12, SEEDS[1])
    sequences = HeldOut(20, 0.5).sequences(base, row, SEEDS[1])
    prompts = compiled(base, sequences, step=row.step, decode=row.decode)
    tokens = sequences.prompts(base)
    if row.step == 2:
        tokens = np.column_stack([tokens, base.relation_token + sequences.relations])
    expected = prompts.logits(names["model"]["attention"].numpy(), row.power)
    for prompt, logits in zip(tokens.tolist(), expected, strict=True):
        found = names["logits"](prompt).numpy()
        own = found[prompts.first_token : prompts.first_token + len(logits)]
        np.testing.assert_allclose(own, logits, rtol=1e-10, atol=1e-14)


def test_claims_about_no_single_model_are_refused(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(PROJECT)
    for claim in ("sample-complexity", "memory-frozen", "temperature"):
        assert main(["export", claim, str(tmp_path / "out"), "--claims-store", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert f"huang2026/{claim} is not about one fine-tuned model; these claims are: pairwise-" in said


def test_every_registered_claim_of_a_row_has_one_and_says_what_to_run(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(PROJECT)
    registered = load(PROJECT / "claims" / "registered.json")["claims"]
    slugs = [key.partition("/")[2] for key in registered if key.startswith("huang2026/")]
    about_rows = [slug for slug in slugs if slug.partition("[")[0] in export.ROWS]
    assert {slug.partition("[")[0] for slug in about_rows} == set(export.ROWS)
    for slug in about_rows:
        assert main(["export", slug, str(tmp_path / "out"), "--claims-store", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert f"run `pytest claims -k {slug.partition('[')[0].replace('-', '_')}` first" in said


def test_rows_have_the_settings_of_their_claims():
    assert export.ROWS["eight-samples"](100)["half-confusing"].samples == 8
    assert export.ROWS["eight-samples"](100)["as-they-fall"].confusing_share is None
    assert export.ROWS["more-examples"](4)["relation"].pairs == 4
    assert export.ROWS["optimal-weight"](6)["relation"].power == 6
    assert export.ROWS["optimal-weight"](6)["relation"].temperature == protocol.OPTIMAL[6][0]
    assert export.ROWS["answer-accuracy"](100)["answer"] == protocol.answering(100)
    assert export.ROWS["relation-accuracy"](100)["relation"] == protocol.among_relations(100)
