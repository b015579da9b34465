"""The gate: a run against the baseline. It is red when a result or a computation moved, and only then.

Three comparisons, the cheapest first:

* *equal bits*: a claim whose verdict and values are the baseline's is unchanged;
* *replay*: the first updates of each run and each measurement, made again, see `pytest_claims.replaying`;
* *result*: the mean paired difference of a claim's values against what rounding alone makes of them.

A verdict that fell is red, unless replay and result are both clean: then the claim stands at the edge of its
criterion, and rounding decides it. The same holds where the numbers moved, but no source file of the claim
did and every replay is clean: what is left is another machine's rounding, which one twin of few seeds can
underestimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_claims import baseline, formats, statistics
from pytest_claims.tolerance import rounding_tolerance

NEGLIGIBLE = 1e-12
DOUBLE = 1e-9
"""What double precision alone may move, absolutely and as a share of the largest value."""

ABSENT = "did not run"
NAMED = 3
"""Claims that did not run are named up to this number, else counted."""

_ORDER = ("replicated", "inconclusive", "contradicted")


@dataclass(frozen=True)
class Finding:
    """Something that differs from the baseline.

    Attributes:
        claim: The claim's id, empty for a replay that no claim of this run used.
        text: What differs, in one sentence.
        red: Whether it stops the change.
    """

    claim: str
    text: str
    red: bool

    @property
    def line(self) -> str:
        """The finding as a line for people."""
        return f"{self.claim}: {self.text}" if self.claim else self.text


@dataclass(frozen=True)
class Moved:
    """A replay that is not the baseline's.

    Attributes:
        name: What was replayed.
        claims: The claims whose evidence it is.
        distance: The relative difference, infinite where there is nothing to compare.
        allowed: The difference that passes.
        problem: What kept it from being made, if anything did.
    """

    name: str
    claims: Sequence[str]
    distance: float
    allowed: float
    problem: str | None = None

    @property
    def text(self) -> str:
        """What moved, in one sentence."""
        if self.problem is not None:
            return f"computation changed: {self.name} cannot be replayed: {self.problem}"
        size = (
            "another shape" if math.isinf(self.distance) else f"a relative difference of {self.distance:.2g}"
        )
        return f"computation changed: {self.name} has {size} ({self.allowed:.2g} passes)"


@dataclass(frozen=True)
class Comparison:
    """What the gate found.

    Attributes:
        ok: Nothing is red.
        lines: One sentence a finding, in the report's order; a single summary line when there is none.
        findings: The same as data.
    """

    ok: bool
    lines: tuple[str, ...]
    findings: tuple[Finding, ...] = ()


def compare(
    report: Mapping[str, Any],
    accepted: Mapping[str, Any],
    replays: Callable[[], Sequence[Moved]] | None = None,
) -> Comparison:
    """Compare a run with the baseline.

    Args:
        report: See `pytest_claims.report`.
        accepted: See `pytest_claims.baseline`.
        replays: Replays what the baseline keeps and says what moved. Called only if a claim is not the same
            to the bit; None where there is nothing to replay, as between two reports.
    """
    entries = accepted["claims"]
    same = {claim["id"] for claim in report["claims"] if _same(claim, entries.get(claim["id"]))}
    moved = list(replays()) if replays is not None and len(same) < len(report["claims"]) else []
    by_claim: dict[str, list[Moved]] = {}
    for one in moved:
        for name in one.claims:
            by_claim.setdefault(name, []).append(one)
    findings = []
    for claim in report["claims"]:
        name = claim["id"]
        found = [Finding(name, text, True) for text in formats.marks(claim)]
        if name not in same:
            found += _findings(
                claim, entries.get(name), by_claim.get(name, []), accepted, replayed=replays is not None
            )
        findings += found
    present = {claim["id"] for claim in report["claims"]}
    findings += [
        Finding(name, "in the baseline, but no longer declared", True)
        for name in entries
        if name not in present
    ]
    findings += [Finding("", one.text, True) for one in moved if not present & set(one.claims)]
    if findings:
        ok = not any(finding.red for finding in findings)
        return Comparison(ok, tuple(_lines(findings)), tuple(findings))
    count = formats.plural(len(report["claims"]), "claim")
    how = (
        "all equal to the bit" if len(same) == len(report["claims"]) else "no result and no computation moved"
    )
    return Comparison(True, (f"{count} run, no error, no verdict changed, {how}",))


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    """A line a finding; claims that merely did not run share one."""
    absent = [finding.claim for finding in findings if finding.text == ABSENT]
    together = len(absent) > NAMED
    if together:
        yield f"{len(absent)} claims did not run: {', '.join(absent[:NAMED])} and {len(absent) - NAMED} more"
    yield from (finding.line for finding in findings if not (together and finding.text == ABSENT))


def _same(claim: Mapping[str, Any], entry: Mapping[str, Any] | None) -> bool:
    """Whether verdict and values are the baseline's to the bit."""
    if entry is None or claim["verdict"] != entry["verdict"] or claim["verdict"] not in _ORDER:
        return False
    if (claim.get("seeds") or []) != (entry.get("seeds") or []):
        return False
    now, before = dict(baseline.series(claim)), dict(baseline.series(entry))
    return now.keys() == before.keys() and all(
        now[name].get("values") == before[name].get("values") for name in now
    )


def _findings(
    claim: Mapping[str, Any],
    entry: Mapping[str, Any] | None,
    moved: Sequence[Moved],
    accepted: Mapping[str, Any],
    *,
    replayed: bool,
) -> Iterator[Finding]:
    name, verdict = claim["id"], claim["verdict"]
    if verdict == "not run":
        yield Finding(name, ABSENT, True)
        return
    if verdict == "error":
        yield Finding(name, f"error: {formats.clean(claim.get('reason'))}", True)
        return
    if entry is None:
        yield Finding(name, f"{verdict}, and not in the baseline", True)
        return
    changed = _changed_files(claim, entry, accepted)
    files = f"; changed: {', '.join(changed)}" if changed else "; no source file of it changed"
    results = list(_results(claim, entry))
    rounding = replayed and bool(claim.get("sources")) and not changed and not moved
    clean = not moved and (rounding or not results)
    for text in results:
        why = "; rounding alone, since no source file of it and no computation changed" if rounding else files
        yield Finding(name, text + why, not rounding)
    for one in moved:
        yield Finding(name, one.text + files, True)
    if verdict == entry["verdict"]:
        return
    fell = _ORDER.index(verdict) > _ORDER.index(entry["verdict"])
    words = f"{entry['verdict']} in the baseline, now {verdict}{_estimates(claim, entry)}"
    if not fell:
        yield Finding(name, f"{words}: improved", False)
    elif clean and any(_twin(part) is not None for _, part in baseline.series(entry)):
        yield Finding(
            name, f"{words}: at the edge, since neither its result nor its computation moved", False
        )
    else:
        yield Finding(name, words + files, True)


def _results(claim: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[str]:
    """What moved beyond what rounding does."""
    now, before = dict(baseline.series(claim)), dict(baseline.series(entry))
    if now.keys() != before.keys():
        yield f"other parts: {', '.join(before)} in the baseline, now {', '.join(now)}"
        return
    for name, part in now.items():
        text = _result(part, before[name], claim, entry)
        if text is not None:
            yield f"{name}: {text}" if name else text


def _result(
    now: Mapping[str, Any], before: Mapping[str, Any], claim: Mapping[str, Any], entry: Mapping[str, Any]
) -> str | None:
    new = dict(zip(claim.get("seeds") or [], now.get("values") or [], strict=False))
    old = dict(zip(entry.get("seeds") or [], before.get("values") or [], strict=False))
    twin = dict(zip(entry.get("seeds") or [], _twin(before) or [], strict=False))
    seeds = [seed for seed in old if _number(old[seed]) and _number(new.get(seed))]
    if not seeds:
        return "no seed in common with the baseline" if old or new else None
    differences = [float(new[seed]) - float(old[seed]) for seed in seeds]
    mean = sum(differences) / len(differences)
    rounding = [float(twin[seed]) - float(old[seed]) for seed in seeds if _number(twin.get(seed))]
    stated = float(entry.get("tolerance") or 0.0)
    # Double precision rounds too, and differently on another machine, where single precision's twin is equal.
    size = max(abs(float(old[seed])) for seed in seeds)
    double = max(NEGLIGIBLE, DOUBLE * size)
    allowed = max(double, rounding_tolerance(rounding, len(seeds), stated) if rounding else stated)
    if abs(mean) <= allowed:
        return None
    interval = statistics.t_interval(differences)
    within = f" [{formats.number(interval[0])}, {formats.number(interval[1])}]" if interval else ""
    if allowed == double:
        source = "double precision"
    elif rounding and allowed > stated:
        source = f"5 × rounding / √{len(seeds)}"
    else:
        source = "stated"
    before_now = f"{formats.number(before.get('estimate'))} before, {formats.number(now.get('estimate'))} now"
    return (
        f"result moved: {before_now}, difference {formats.number(mean)}{within}, "
        f"tolerance {formats.number(allowed)} ({source})"
    )


def _twin(part: Mapping[str, Any]) -> Sequence[Any] | None:
    return part.get("twin")


def _number(value: object) -> bool:
    """A number, or a bool of a claim that holds or does not in a seed."""
    return isinstance(value, bool) or formats.is_number(value)


def _changed_files(
    claim: Mapping[str, Any], entry: Mapping[str, Any], accepted: Mapping[str, Any]
) -> list[str]:
    """Which of a claim's source files changed since the baseline."""
    now, before = claim.get("sources") or {}, accepted.get("sources") or {}
    names = sorted({*now, *(entry.get("sources") or [])})
    return [name for name in names if now.get(name) != before.get(name)]


def _estimates(claim: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """The two estimates, where there are two: how far the number moved explains the verdict."""
    if not formats.is_number(claim["estimate"]) or not formats.is_number(entry.get("estimate")):
        return ""
    return f" (estimate {formats.number(entry['estimate'])}, now {formats.number(claim['estimate'])})"
