"""The page as a whole: head, counts, forest plot, doubts, and a section a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from pytest_claims import formats
from pytest_claims.page.card import card
from pytest_claims.page.drawing import shape, slug
from pytest_claims.page.forest import Section, forest
from pytest_claims.page.markup import Markup, anchor, escape, join, link, tag
from pytest_claims.page.svg import inline
from pytest_claims.sections import sections

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""What the browser may load for the page: nothing but its own style and the pictures in it."""

READING = (
    (
        "Verdict",
        "Replicated: the seeds support the claim at p ≤ 0.05. Contradicted: they support its opposite. "
        "Inconclusive: neither; the card says why. Error: nothing could be judged.",
    ),
    (
        "Seeds",
        "The unit of replication is the training seed: every dot is a model trained from scratch. "
        "+ is the claimed side of the bound, - the other, 0 on it.",
    ),
    (
        "Dots",
        "Each dot is a seed. The vertical line or shaded band is the bound, the bar the 95 % interval of "
        "the mean with the mean marked on it, the hollow diamond the paper's number.",
    ),
    (
        "Forest plot",
        "All claims on one axis: how many standard deviations between seeds the mean lies beyond its "
        "bound. Right of the line is the claimed side. A claim in parts has a mark a part, in the order "
        "of its card. Far out the axis is logarithmic; an arrowhead marks what lies beyond it, such as a "
        "claim whose seeds all agree.",
    ),
    (
        "Effect size",
        "Hedges g: the mean less the bound, or less the middle of a band, in standard deviations between "
        "seeds, corrected for few seeds.",
    ),
    (
        "p",
        "The chance of seeds at least this favourable if the claim were false: by sign flips and by signs, "
        "the larger.",
    ),
    (
        "Control",
        "The same measurement where the effect is absent by construction. If it comes out like the claim, "
        "the claim cannot discriminate, whatever its verdict.",
    ),
)

GUIDE = (
    "Every claim on one axis. Right of the line is the side that it claims; the bar is the 95 % interval, "
    "the hollow diamond the paper's number. ",
    tag("a", "How to read this", href="#reading"),
)


def render(report: Mapping[str, Any]) -> str:
    """Render a report as one HTML file.

    Args:
        report: See `pytest_claims.report`; missing and null fields are left out of the page.
    """
    parts = sections(report)
    anchors = _anchors(claim for _, claims in parts for claim in claims)
    title = "Claims report"
    style = files("pytest_claims.page").joinpath("style.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        Markup('<link rel="icon" href="data:,">'),
        tag("title", f"{title}: {formats.totals(report.get('summary') or {})}"),
        tag("style", Markup(style)),
    )
    body = tag(
        "body",
        tag("a", "Skip to the claims", href="#content", class_="skip"),
        tag("header", _top(report, title, parts), class_="top"),
        tag("nav", _navigation(report, parts), aria_label="Sections"),
        tag("main", *_main(report, parts, anchors), id="content", tabindex="-1"),
        tag("footer", _environment(report)),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _anchors(claims: Iterator[Mapping[str, Any]]) -> dict[int, str]:
    """A fragment a claim, the same in every report with the same ids."""
    found: dict[int, str] = {}
    used: set[str] = set()
    for claim in claims:
        first = name = anchor(claim.get("id"))
        count = 1
        while name in used:
            count += 1
            name = f"{first}-{count}"
        used.add(name)
        found[id(claim)] = name
    return found


def _top(report: Mapping[str, Any], title: str, parts: Sequence[Section]) -> Markup:
    summary = report.get("summary") or {}
    tiles = [
        tag(
            "li",
            shape(word),
            tag("b", summary.get(word.replace(" ", "_")) or 0),
            " ",
            word,
            class_=f"v-{slug(word)}",
        )
        for word in formats.VERDICTS
    ]
    doubtful = summary.get("cannot_discriminate") or 0
    if doubtful:
        tiles.append(tag("li", tag("b", doubtful), f" {formats.CANNOT_DISCRIMINATE}", class_="mark"))
    return join(
        [
            tag("h1", title),
            tag("p", formats.partial(summary), class_="alert") if report.get("partial") else "",
            tag("p", _sentence(summary, len(parts)), class_="lead"),
            tag("ul", *tiles, class_="counts"),
        ]
    )


def _sentence(summary: Mapping[str, Any], papers: int) -> str:
    declared = summary.get("declared") or 0
    if not declared:
        return "No claim is declared, so there is nothing to report."
    run = summary.get("run") or 0
    if not run:
        return f"None of the {formats.plural(declared, 'declared claim')} ran."
    ends = (
        f"{summary.get('replicated') or 0} replicated",
        *(
            f"{summary[key]} {words}"
            for key, words in (
                ("contradicted", "came out contradicted"),
                ("inconclusive", "stayed inconclusive"),
                ("error", "could not be judged"),
            )
            if summary.get(key)
        ),
    )
    said = ", ".join(ends[:-1]) + (" and " if ends[:-1] else "") + ends[-1]
    return f"Of {formats.plural(run, 'claim')} tested, from {formats.plural(papers, 'paper')}, {said}."


def _navigation(report: Mapping[str, Any], parts: Sequence[Section]) -> Markup:
    links = [("overview", "All claims"), ("doubts", "How sure")]
    if report.get("gate"):
        links.append(("gate", "Against the baseline"))
    links += [
        (f"paper-{i}", formats.clean(paper.get("key")) or "No paper") for i, (paper, _) in enumerate(parts)
    ]
    links += [("reading", "How to read this"), ("environment", "Environment")]
    return tag("ul", *(tag("li", tag("a", text, href=f"#{name}")) for name, text in links))


def _main(
    report: Mapping[str, Any], parts: Sequence[Section], anchors: Mapping[int, str]
) -> Iterator[Markup]:
    plot = forest(parts, anchors) if anchors else tag("p", "There are no claims.")
    yield tag("section", tag("h2", "All claims", id="overview"), tag("p", *GUIDE), plot)
    yield tag("section", tag("h2", "How sure", id="doubts"), tag("ul", *_doubts(report, parts, anchors)))
    if report.get("gate"):
        yield tag("section", tag("h2", "Against the baseline", id="gate"), *_gate(report["gate"]))
    for i, (paper, claims) in enumerate(parts):
        yield _paper(i, paper, claims, anchors)
    terms = [tag("div", tag("dt", term), tag("dd", text)) for term, text in READING]
    yield tag("section", tag("h2", "How to read this", id="reading"), tag("dl", *terms, class_="reading"))


def _doubts(
    report: Mapping[str, Any], parts: Sequence[Section], anchors: Mapping[int, str]
) -> Iterator[Markup]:
    summary = report.get("summary") or {}
    claims = [claim for _, some in parts for claim in some]
    if formats.expected_false(summary):
        yield tag("li", formats.expected_false(summary))
    for paper, _ in parts:
        if paper.get("caveat"):
            yield tag("li", tag("b", paper.get("key")), ": ", paper["caveat"])
    lists = (
        ("Contradicted", [claim for claim in claims if claim.get("verdict") == "contradicted"]),
        (
            "Cannot discriminate, because a control came out alike",
            [c for c in claims if not formats.discriminates(c)],
        ),
        ("Criterion changed since it was registered", [c for c in claims if c.get("criterion_changed")]),
        ("Not registered", [claim for claim in claims if claim.get("registered") is False]),
        ("Error", [claim for claim in claims if claim.get("verdict") == "error"]),
    )
    for words, found in lists:
        if found:
            links = (tag("a", claim.get("id") or "unnamed", href=f"#{anchors[id(claim)]}") for claim in found)
            yield tag("li", f"{words}: ", join(links, ", "))
    if (report.get("environment") or {}).get("dirty"):
        yield tag("li", "The checkout had changes that are in no commit.")


def _gate(gate: Mapping[str, Any]) -> Iterator[Markup]:
    """What the comparison with a baseline found."""
    words = "nothing that matters changed" if gate.get("ok") else "CHANGED"
    yield tag(
        "p", f"{gate.get('baseline') or 'the baseline'}: {words}", class_=None if gate.get("ok") else "alert"
    )
    findings = [finding for finding in gate.get("findings") or [] if isinstance(finding, Mapping)]
    if findings:
        yield tag("ul", *(tag("li", *_finding(finding)) for finding in findings))


def _finding(finding: Mapping[str, Any]) -> Iterator[object]:
    if finding.get("red"):
        yield tag("b", "Red: ")
    if finding.get("claim"):
        yield f"{finding['claim']}: "
    yield finding.get("text")


def _paper(
    i: int, paper: Mapping[str, Any], claims: Sequence[Mapping[str, Any]], anchors: Mapping[int, str]
) -> Markup:
    name = formats.clean(paper.get("key")) or "Claims without a paper"
    title = formats.clean(paper.get("title")) or name
    cited = join([formats.citation(paper), " ", link(paper.get("url"), paper.get("url"))])
    figures = [figure for figure in paper.get("figures") or [] if isinstance(figure, Mapping)]
    shown = {
        id(claim): [
            (n, f"figure-{i}-{n}")
            for n, figure in enumerate(figures, 1)
            if claim.get("id") in (figure.get("claims") or [])
        ]
        for claim in claims
    }
    return tag(
        "section",
        tag("h2", title, id=f"paper-{i}"),
        tag("p", cited, class_="citation"),
        tag("p", paper["caveat"], class_="alert") if paper.get("caveat") else "",
        _protocol(paper),
        tag("h3", "Figures") if figures else "",
        *(_figure(n, figure, f"figure-{i}-{n}", claims, anchors) for n, figure in enumerate(figures, 1)),
        tag("h3", "Claims") if claims else "",
        *(card(claim, anchors[id(claim)], shown[id(claim)]) for claim in claims),
    )


def _protocol(paper: Mapping[str, Any]) -> Markup:
    choices = [choice for choice in paper.get("protocol") or [] if isinstance(choice, Mapping)]
    if not choices:
        return escape(None)
    columns = []
    for source, words in (("paper", "Stated by the paper"), ("ours", "Not stated, chosen here")):
        rows = [
            tag(
                "tr",
                tag("th", choice.get("name"), scope="row"),
                tag("td", formats.exact(choice.get("value"))),
            )
            for choice in choices
            if choice.get("source") == source
        ]
        if rows:
            caption = tag("caption", f"{words} ({len(rows)})")
            columns.append(tag("table", caption, tag("tbody", *rows), class_="protocol"))
    body = tag("div", *columns, class_="columns")
    return tag(
        "details", tag("summary", f"Protocol: {formats.plural(len(choices), 'choice')}"), body, open=True
    )


def _figure(
    n: int,
    figure: Mapping[str, Any],
    name: str,
    claims: Sequence[Mapping[str, Any]],
    anchors: Mapping[int, str],
) -> Markup:
    title = formats.clean(figure.get("title")) or f"Figure {n}"
    drawn = inline(str(figure.get("svg") or ""), name, formats.clean(figure.get("alt")) or title)
    about = [claim for claim in claims if claim.get("id") in (figure.get("claims") or [])]
    links = join((tag("a", claim["id"], href=f"#{anchors[id(claim)]}") for claim in about), ", ")
    caption = tag("figcaption", tag("b", f"Figure {n}. {title}"), " Claims: " if about else "", links)
    # A figure keeps a legible size on narrow screens, where it scrolls within its own frame; the keyboard
    # reaches it.
    frame = tag("div", drawn, class_="frame", tabindex="0", role="group", aria_label=f"Figure {n}: {title}")
    return tag("figure", frame, caption, id=name)


def _environment(report: Mapping[str, Any]) -> Markup:
    found = report.get("environment") or {}
    versions = ", ".join(f"{name} {version}" for name, version in (found.get("versions") or {}).items())
    commit = formats.clean(found.get("commit"))
    facts = (
        ("Command", tag("code", report["command"]) if report.get("command") else ""),
        ("Made", formats.clean(report.get("created"))),
        ("Took", formats.duration(report.get("duration_s"))),
        ("Commit", f"{commit} with changes" if commit and found.get("dirty") else commit),
        ("Machine", ", ".join(formats.clean(found[key]) for key in ("cpu", "platform") if found.get(key))),
        (
            "Cores, threads a process",
            f"{formats.exact(found.get('cores'))}, {formats.exact(found.get('threads'))}",
        ),
        ("Python", formats.clean(found.get("python"))),
        ("Versions", versions),
    )
    rows = [tag("div", tag("dt", term), tag("dd", text)) for term, text in facts if text]
    return join([tag("h2", "Environment", id="environment"), tag("dl", *rows, class_="reading")])
