"""Reports to render: one like a real run's, and ways to make large, empty and broken ones from it."""

import copy

from pytest_claims import report

ENVIRONMENT = {
    "python": "3.11.2",
    "platform": "Linux-6.1-x86_64",
    "cpu": "A CPU @ 2.0 GHz",
    "cores": 2,
    "threads": 1,
    "versions": {"numpy": "2.4.6", "torch": "2.13.0+cpu"},
    "commit": "0123456789abcdef0123456789abcdef01234567",
    "dirty": False,
}

PAPERS = [
    {
        "key": "zuo2026",
        "title": "Testing History Dependence Between In-Context and In-Weights Learning",
        "authors": "Zuo Yuchen",
        "year": 2026,
        "url": None,
        "licence": "CC BY 4.0",
        "caveat": "The primary protocol was chosen after looking at dense curves.",
        "protocol": [
            {"name": "layers", "value": 2, "source": "paper"},
            {"name": "batch size", "value": 64, "source": "ours"},
            {"name": "layer norm", "value": True, "source": "ours"},
        ],
    },
    {
        "key": "huang2026",
        "title": "Fine-Tuning Dynamics of In-Context Factual Recall in Transformers",
        "authors": "Ruomin Huang, Eshaan Nichani, Jason D. Lee, Rong Ge",
        "year": 2026,
        "url": "https://arxiv.org/abs/2605.27774",
        "licence": None,
        "caveat": None,
        "protocol": [],
    },
]


def declaration(slug, statement, paper="zuo2026", **fields):
    """A claim as plain data."""
    folder = {"zuo2026": "history_dependence", "huang2026": "factual_recall"}.get(paper, paper)
    return {
        "id": f"{paper}/{slug}",
        "nodeid": f"claims/{folder}/test_claims.py::test_{slug.replace('-', '_')}",
        "paper": paper,
        "kind": "reported",
        "statement": statement,
        "reported": None,
        "prediction": {"kind": "exceeds", "bound": 0.0, "text": "> 0"},
        "unit": None,
        "seeds_asked": None,
        "replacements": {},
        **fields,
    }


def judged(declared, **fields):
    """A row of a claim that ran, five seeds on the claimed side unless `fields` say otherwise."""
    return {
        **declared,
        "seeds": [0, 1, 2, 3, 4],
        "values": [0.0812, 0.1043, 0.0671, 0.0953, 0.0788],
        "parts": None,
        "estimate": 0.08534,
        "interval": [0.06722, 0.10346],
        "effect_size": 4.63,
        "p_value": 0.03125,
        "p_contradicted": 1.0,
        "p_two_sided": 0.0625,
        "signs": "+++++",
        "spread": True,
        "reached": True,
        "verdict": "replicated",
        "reason": None,
        "controls": [],
        "runs": ["anchor", "branch from below", "branch from above"],
        "trained": 15,
        "measured": 10,
        "seconds": 81.25,
        "series": None,
        **fields,
    }


IMMEDIATE = declaration(
    "immediate-gap",
    "Arriving at the balanced mixture from below leaves a larger contextual-minus-fixed margin than arriving "
    "from above.",
    unit="logits",
    reported={"value": 0.0976, "unit": "logits", "seeds": 5, "p_value": 0.0625, "text": None},
    replacements={"histories": ["histories_without_excursion"]},
)
PLAIN_RAMP = declaration(
    "immediate-gap-plain-ramp", "The same holds on a plain ramp without settling.", unit="logits"
)
RELAXATION = declaration(
    "relaxation",
    "After 100 updates at the balanced mixture the two branches agree.",
    unit="logits",
    reported={"value": None, "unit": None, "seeds": None, "p_value": None, "text": "near zero"},
    prediction={"kind": "within", "bound": [-0.0488, 0.0488], "text": "within ±0.0488 (ours)"},
    replacements={"hold": ["hold_zero"]},
)
SLOW = declaration(
    "no-hysteresis",
    "Slow sweeps leave no persistent gap.",
    prediction={
        "slow": {"kind": "within", "bound": [-0.0488, 0.0488], "text": "within ±0.0488 (ours)"},
        "slope": {"kind": "below", "bound": 0.0, "text": "< 0"},
    },
)
HEAD = declaration(
    "dominant-head",
    "The same head dominates in both branches.",
    prediction={"kind": "holds", "bound": None, "text": "holds in every seed"},
)
COUNT = declaration("parameter-count", "The decoder has 71,744 parameters.", kind="design", prediction=None)
DOSE = declaration("dose-response", "A larger excursion leaves a larger gap.", kind="extension")
ACCURACY = declaration(
    "relation-accuracy[n=10000]",
    "The trained attention finds the relation.",
    paper="huang2026",
    prediction={"kind": "at_least", "bound": 0.999, "text": "≥ 0.999"},
    reported={"value": None, "unit": None, "seeds": None, "p_value": None, "text": "≥ 99.9 %"},
)
SADDLE = declaration("saddle", "Training converges first to a saddle.", paper="huang2026")

DECLARATIONS = [IMMEDIATE, PLAIN_RAMP, RELAXATION, SLOW, COUNT, DOSE, HEAD, ACCURACY, SADDLE]


def rows():
    """A row for every declared claim but the last, in no particular order."""
    part = {
        field: value
        for field, value in judged({}).items()
        if field not in ("seeds", "controls", "runs", "trained", "measured", "seconds", "series", "parts")
    }
    return [
        judged(
            ACCURACY,
            values=[1.0] * 5,
            estimate=1.0,
            interval=None,
            effect_size=None,
            spread=False,
            reason="no spread between seeds",
        ),
        judged(
            IMMEDIATE,
            share_of_reported=0.874,
            reported_in_interval=True,
            controls=[
                {
                    "name": "histories_without_excursion",
                    "verdict": "inconclusive",
                    "estimate": 0.0031,
                    "share": 0.036,
                    "discriminates": True,
                }
            ],
            series={"hold": [0, 25, 50, 100], "gap": [[0.09, -0.02, 0.01, 0.0]] * 5},
        ),
        judged(
            PLAIN_RAMP,
            values=[-0.11, -0.14, -0.09, -0.12, -0.1],
            estimate=-0.112,
            interval=[-0.1358, -0.0882],
            effect_size=-4.9,
            p_value=1.0,
            p_contradicted=0.03125,
            signs="-----",
            verdict="contradicted",
            reason="every seed lies on the other side of the bound",
        ),
        judged(
            RELAXATION,
            values=[0.01, -0.02, 0.06, 0.0, 0.02],
            estimate=0.014,
            interval=[-0.0226, 0.0506],
            effect_size=None,
            p_value=0.1875,
            signs="++-++",
            verdict="inconclusive",
            reason="seed 2 lies outside",
            controls=[
                {
                    "name": "hold_zero",
                    "verdict": "replicated",
                    "estimate": 0.02,
                    "share": 0.9,
                    "discriminates": False,
                }
            ],
        ),
        judged(
            SLOW,
            values=[],
            estimate=None,
            interval=None,
            effect_size=None,
            signs=None,
            p_value=0.0625,
            verdict="inconclusive",
            reason="slope is inconclusive",
            parts={
                "slow": {
                    **part,
                    "prediction": SLOW["prediction"]["slow"],
                    "values": [0.012, -0.008, 0.021, 0.004, 0.009],
                    "estimate": 0.0076,
                    "interval": [-0.0055, 0.0207],
                    "effect_size": 3.1,
                },
                "slope": {
                    **part,
                    "prediction": SLOW["prediction"]["slope"],
                    "values": [-0.02, -0.05, -0.01, 0.015, -0.03],
                    "estimate": -0.019,
                    "interval": [-0.0492, 0.0112],
                    "effect_size": -0.62,
                    "p_value": 0.0625,
                    "signs": "+++-+",
                    "verdict": "inconclusive",
                    "reason": "seed 3 has the other sign",
                },
            },
        ),
        judged(
            COUNT,
            seeds=[],
            values=[],
            estimate=None,
            interval=None,
            effect_size=None,
            p_value=None,
            p_contradicted=None,
            p_two_sided=None,
            signs=None,
            spread=None,
            reached=None,
        ),
        judged(
            DOSE,
            values=[],
            estimate=None,
            interval=None,
            effect_size=None,
            p_value=None,
            p_contradicted=None,
            p_two_sided=None,
            signs=None,
            verdict="error",
            reason="ValueError: loss became NaN at update 40\nraised in models/training.py",
        ),
        judged(
            HEAD,
            values=[True, True, True, False, True],
            estimate=0.8,
            interval=None,
            effect_size=None,
            p_value=0.1875,
            signs="+++-+",
            verdict="inconclusive",
            reason="4 of 5",
        ),
    ]


def build(found=None, declarations=DECLARATIONS, registered=None, papers=PAPERS, **fields):
    """The sample run's report; `fields` replace those of the document."""
    built = report.build(
        rows=rows() if found is None else found,
        declarations=declarations,
        registered=registered,
        papers=papers,
        environment=ENVIRONMENT,
        command="pytest claims -n auto",
        created="2026-11-30T12:00:00+00:00",
        duration_s=272.4,
    )
    return {**built, **fields}


def many(count, seeds=5):
    """A report of `count` claims of one paper, each with `seeds` seeds."""
    declared = [declaration(f"claim-{i}", f"Claim number {i} holds.", unit="nats") for i in range(count)]
    values = [0.05 + 0.001 * ((7 * i) % 11) for i in range(seeds)]
    found = [
        judged(d, seeds=list(range(seeds)), values=values, signs="+" * seeds, p_value=max(2.0**-seeds, 1e-6))
        for d in declared
    ]
    return build(found, declared)


def all_errors():
    """A report in which every claim erred."""
    found = [
        judged(
            d,
            values=[],
            estimate=None,
            interval=None,
            p_value=None,
            signs=None,
            verdict="error",
            reason="RuntimeError: boom",
        )
        for d in DECLARATIONS
    ]
    return build(found)


def hostile(text):
    """The sample report with `text` in every place that a claim, a paper or an error message can fill."""
    found = copy.deepcopy(build())
    for paper in found["papers"]:
        paper.update(title=text, authors=text, licence=text, caveat=text, url=text)
        paper["protocol"] = [{"name": text, "value": text, "source": "ours"}]
    for claim in found["claims"]:
        claim.update(statement=text, reason=text, unit=text, runs=[text], nodeid=text)
        claim["controls"] = [
            {"name": text, "verdict": "inconclusive", "estimate": 1.0, "share": 0.1, "discriminates": True}
        ]
        if claim["reported"]:
            claim["reported"]["text"] = text
    found["command"] = text
    found["environment"]["cpu"] = text
    return found
