"""How numbers, intervals, p values and verdicts are written as text, the same in every format of the report.

Every function takes plain JSON data as it stands in report.json (so a missing field is ``None``) and returns
plain Unicode text without markup; `plain` turns that into ASCII. Escaping belongs to the renderers.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

VERDICTS = ("replicated", "contradicted", "inconclusive", "error", "not run")
"""The verdict words, in the order in which they are counted."""

SYMBOLS = {"replicated": "✔", "contradicted": "✘", "inconclusive": "?", "error": "!", "not run": "·"}
"""One sign a verdict, so that colour is never the only mark."""

MISSING = "–"

CANNOT_DISCRIMINATE = "cannot discriminate"

_ASCII = {
    "≥": ">=", "≤": "<=", "±": "+/-", "−": "-", "–": "-", "—": "-", "×": "x", "→": "->", "←": "<-", "·": ".",
    "…": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "✔": "+", "✘": "x", "≈": "~", "≠": "!=", "∞": "inf",
    "\u00a0": " ", "\u202f": " ", "²": "^2", "³": "^3", "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta",
    "ε": "epsilon", "λ": "lambda", "μ": "mu", "µ": "mu", "ρ": "rho", "σ": "sigma", "½": "1/2", "¼": "1/4",
    "Δ": "Delta", "ß": "ss", "⌈": "ceil(", "⌉": ")", "√": "sqrt", "‖": "||", "⟨": "<", "⟩": ">", "∈": "in",
}  # fmt: skip


def plain(text: str, encoding: str = "ascii") -> str:
    r"""Write `text` with the characters of `encoding`, and signs that have an ASCII spelling in ASCII.

    Letters that the encoding lacks lose their accents, and whatever remains is shown as an escape
    (``\u5de6``), so that nothing is dropped and printing cannot fail.

    Args:
        text: Any text.
        encoding: The encoding of the stream that will take the text.
    """
    spelled = "".join(_ASCII.get(character, character) for character in text)
    try:
        spelled.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_encodable(character, encoding) for character in spelled)
    except LookupError:  # an encoding that Python does not know: ASCII is the safe subset
        return plain(text)
    return spelled


def _encodable(character: str, encoding: str) -> str:
    decomposed = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    for candidate in (character, decomposed):
        try:
            candidate.encode(encoding)
        except UnicodeEncodeError:
            continue
        return candidate
    return character.encode("ascii", "backslashreplace").decode("ascii")


def clean(text: object, *, lines: bool = False) -> str:
    """Turn a field into printable text: control characters (a terminal's escape codes too) become spaces.

    Args:
        text: The field; ``None`` becomes the empty text.
        lines: Keep line breaks.
    """
    if text is None:
        return ""
    kept = "\n" if lines else ""
    return "".join(c if c in kept or not _is_control(c) else " " for c in str(text))


def _is_control(character: str) -> bool:
    # Cc: control codes; Cf: invisible formatting such as right-to-left overrides; Cs: lone surrogates, which
    # no encoding can write; Zl, Zp: line and paragraph separators.
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a field holds a finite number (a bool is none)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def number(value: Any, decimals: int | None = None) -> str:
    """Write a number: with `decimals` digits after the point, else with four significant digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not is_number(value):
        return clean(value) or MISSING
    size = abs(value)
    if size and not 1e-4 <= size < 1e7:
        mantissa, _, exponent = f"{value:.3e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    if float(value).is_integer() and decimals is None:
        return f"{value:,.0f}"
    if decimals is None:
        text = f"{value:,.{max(0, 3 - math.floor(math.log10(size)))}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:,.{decimals}f}"


def exact(value: Any) -> str:
    """Write a number that someone chose or printed (a bound, a paper's number) as it was given."""
    if not is_number(value):
        return number(value)
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:.6g}"


def _decimals(interval: object) -> int | None:
    """Digits after the point that show an interval's half-width to two significant digits."""
    pair = limits(interval)
    if pair is None or pair[0] == pair[1]:
        return None
    return min(12, max(0, 1 - math.floor(math.log10((pair[1] - pair[0]) / 2))))


def limits(interval: object) -> tuple[float, float] | None:
    """An interval field as a pair, or ``None`` when it is null, empty or malformed."""
    if isinstance(interval, Sequence) and len(interval) == 2 and all(is_number(end) for end in interval):
        return interval[0], interval[1]
    return None


def estimate(row: Mapping[str, Any]) -> str:
    """Write what was measured: the estimate and its 95 % interval, "5 of 5 seeds" for truth values."""
    values = row.get("values") or []
    if values and all(isinstance(value, bool) for value in values):
        return f"{sum(values)} of {len(values)} seeds"
    if not is_number(row.get("estimate")):
        return MISSING
    pair = limits(row.get("interval"))
    if pair is None:
        return number(row["estimate"])
    decimals = _decimals(pair)
    low, high = (number(end, decimals) for end in pair)
    return f"{number(row['estimate'], decimals)} [{low}, {high}]"


def with_unit(text: str, unit: object) -> str:
    """Append the unit, where there is one and there is a number to carry it."""
    name = clean(unit)
    return f"{text} {name}" if name and text != MISSING else text


def reported(row: Mapping[str, Any]) -> str:
    """Write what the paper printed, in one line: number, unit, words, seeds, p."""
    found = row.get("reported")
    if not isinstance(found, Mapping):
        return MISSING
    parts = []
    if is_number(found.get("value")):
        parts.append(with_unit(exact(found["value"]), found.get("unit") or row.get("unit")))
    if found.get("text"):
        parts.append(clean(found["text"]))
    details = []
    if is_number(found.get("seeds")):
        details.append(f"{exact(found['seeds'])} seeds")
    if is_number(found.get("p_value")):
        details.append(f"p = {p_value(found['p_value'])}")
    main = ", ".join(parts)
    if not details:
        return main or MISSING
    return f"{main} ({', '.join(details)})" if main else ", ".join(details)


def p_value(value: Any) -> str:
    """Write a p value with three significant digits; it is never 0."""
    if not is_number(value):
        return MISSING
    return f"{value:.3g}" if value > 0 else "0"


def effect_size(value: Any) -> str:
    """Write a standardised effect size with two decimals."""
    return f"{value:.2f}" if is_number(value) else MISSING


def percent(value: Any) -> str:
    """Write a share as a percentage with three significant digits."""
    if not is_number(value):
        return MISSING
    hundredfold = 100 * value
    return f"{hundredfold:,.0f} %" if abs(hundredfold) >= 100 else f"{hundredfold:.3g} %"


def signs(row: Mapping[str, Any]) -> str:
    """The side of the bound on which each seed lies: ``+`` the claimed side, ``-`` the other, ``0`` on it."""
    return clean(row.get("signs")) or MISSING


def prediction(row: Mapping[str, Any]) -> str:
    """Write the criterion, with the unit of what is measured."""
    found = row.get("prediction")
    if not isinstance(found, Mapping):
        return "exact" if row.get("kind") == "design" else MISSING
    text = clean(found.get("text")) or MISSING
    if found.get("kind") in ("parts", "holds"):
        return text
    bound, remark, _ = text.partition(" (ours)")
    return f"{with_unit(bound, row.get('unit'))}{remark}"


def controls(row: Mapping[str, Any]) -> list[str]:
    """One line a control: its name, how it came out under the claim's criterion, and its size."""
    return [_control(found) for found in row.get("controls") or [] if isinstance(found, Mapping)]


def _control(found: Mapping[str, Any]) -> str:
    text = f"{clean(found.get('name')) or 'control'}: {clean(found.get('verdict')) or MISSING}"
    share = found.get("share")
    if is_number(share):
        text += (
            f", {percent(share)} of the claim's size" if share >= 0 else ", on the other side of the bound"
        )
    elif is_number(found.get("estimate")):
        text += f", {number(found['estimate'])}"
    if found.get("discriminates") is False:
        text += f" → {CANNOT_DISCRIMINATE}"
    return text


def discriminates(row: Mapping[str, Any]) -> bool:
    """False when a control of the claim came out like the claim itself."""
    return all(
        found.get("discriminates") is not False
        for found in row.get("controls") or []
        if isinstance(found, Mapping)
    )


def parts(claim: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The parts of a claim by name, each with the unit of the claim unless it has its own."""
    found = claim.get("parts")
    if not isinstance(found, Mapping):
        return []
    return [
        (clean(name), {"unit": claim.get("unit"), **(part if isinstance(part, Mapping) else {})})
        for name, part in found.items()
    ]


def reasons(claim: Mapping[str, Any]) -> list[str]:
    """Why the verdict is what it is, and how often one like it is wrong where that is above alpha.

    The claim's reason comes first, then those of its parts that it does not repeat. Parts that share a reason
    share a line.
    """
    whole = clean(claim.get("reason"), lines=True)
    said = {name: clean(part["reason"], lines=True) for name, part in parts(claim) if part.get("reason")}
    told = {name: reason for name, reason in said.items() if f"{name}: {reason}" in whole}
    repeats = "; ".join(f"{name}: {reason}" for name, reason in told.items()) == whole
    found = _shared(told) if repeats else [whole]
    found += _shared(
        {name: reason for name, reason in said.items() if not any(reason in line for line in found)}
    )
    for attempt in claim.get("attempts") or []:
        found.append(
            f"attempt: {clean(attempt.get('verdict'))}, {clean(attempt.get('reason')) or 'no reason given'}"
        )
    return [*found, *(f"caution: {clean(caution)}" for caution in claim.get("cautions") or [])]


def _shared(said: Mapping[str, str]) -> list[str]:
    """One line a reason: the parts that have it, and the reason."""
    names: dict[str, list[str]] = {}
    for name, reason in said.items():
        names.setdefault(reason, []).append(name)
    return [f"{', '.join(which)}: {reason}" for reason, which in names.items()]


def marks(claim: Mapping[str, Any]) -> list[str]:
    """What a reader must know about the criterion: that it is not the registered one, or not registered."""
    found = []
    if claim.get("criterion_changed"):
        changes = ", ".join(clean(change) for change in claim.get("criterion_changes") or [])
        found.append("criterion changed since it was registered" + (f": {changes}" if changes else ""))
    if claim.get("registered") is False:
        found.append("not registered")
    return found


def compared(row: Mapping[str, Any]) -> str:
    """Write how our number stands to the paper's: its share, and whether our interval holds it."""
    parts = []
    if is_number(row.get("share_of_reported")):
        parts.append(f"{percent(row['share_of_reported'])} of the reported number")
    inside = row.get("reported_in_interval")
    if isinstance(inside, bool):
        parts.append(f"the reported number lies {'inside' if inside else 'outside'} our interval")
    return "; ".join(parts)


def citation(paper: Mapping[str, Any]) -> str:
    """One line: authors (year). Title. Licence."""
    year = f" ({paper['year']})" if paper.get("year") is not None else ""
    head = f"{clean(paper.get('authors'))}{year}".strip()
    ends = [head, clean(paper.get("title")), clean(paper.get("licence"))]
    return " ".join(f"{text.rstrip('.')}." for text in ends if text)


def heading(paper: Mapping[str, Any]) -> str:
    """One line: key — citation."""
    key = clean(paper.get("key")) or "claims without a paper"
    return " — ".join(text for text in (key, citation(paper)) if text)


def duration(seconds: Any) -> str:
    """Write a duration: "0.4 s", "12 s", "3 min 05 s", "2 h 07 min"."""
    if not is_number(seconds):
        return MISSING
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def partial(summary: Mapping[str, Any]) -> str:
    """The line that a partial run shows: "PARTIAL: 3 of 47 claims run"."""
    return f"PARTIAL: {summary.get('run', 0)} of {plural(summary.get('declared', 0), 'claim')} run"


def totals(summary: Mapping[str, Any]) -> str:
    """The counts in one line, zeros left out except for what was replicated."""
    words = [
        f"{summary.get(verdict.replace(' ', '_'), 0)} {verdict}"
        for verdict in VERDICTS
        if verdict == "replicated" or summary.get(verdict.replace(" ", "_"))
    ]
    if summary.get("cannot_discriminate"):
        words.append(f"{summary['cannot_discriminate']} {CANNOT_DISCRIMINATE}")
    head = f"{summary.get('run', 0)} of {plural(summary.get('declared', 0), 'claim')} run"
    return f"{head}: {', '.join(words)}"


def expected_false(summary: Mapping[str, Any]) -> str:
    """How many replications chance alone would bring, in words; empty where it is not known."""
    expected = summary.get("expected_false_replications")
    if not is_number(expected):
        return ""
    return f"If every claim were false, chance alone would replicate {expected:.2g} of them on average."


def plural(count: Any, noun: str) -> str:
    """``1 claim``, ``2 claims``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
