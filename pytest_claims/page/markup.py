"""HTML from nested calls. What is not markup already is escaped, so no text of a claim can become markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

from pytest_claims.formats import clean


class Markup(str):
    """Text that is HTML already; only this module and `pytest_claims.page.svg` make it."""

    __slots__ = ()


def escape(text: object) -> Markup:
    """Text as HTML; markup stays as it is, ``None`` is nothing."""
    return text if isinstance(text, Markup) else Markup(html.escape(clean(text, lines=True)))


def join(pieces: Iterable[object], between: str = "") -> Markup:
    """Several pieces in a row."""
    return Markup(between.join(escape(piece) for piece in pieces))


def tag(name: str, *children: object, **attributes: Any) -> Markup:
    """An element.

    Args:
        name: ``"td"``.
        *children: Text or markup.
        **attributes: ``class_="x"``, ``aria_label="y"``; ``None`` and ``False`` leave an attribute out,
            ``True`` writes its bare name.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(clean(value))}"'


def anchor(name: object) -> str:
    """A claim's id as a fragment of an address: letters, digits and hyphens."""
    return "claim-" + re.sub(r"[^A-Za-z0-9]+", "-", clean(name)).strip("-")


def link(address: object, text: object) -> Markup:
    """A link to a web page. What is not http(s) stays plain text, so that no address can run a script."""
    target = clean(address).strip()
    if not re.match(r"https?://[^\s]+$", target):
        return escape(text)
    return tag("a", text, href=target, rel="noopener noreferrer")
