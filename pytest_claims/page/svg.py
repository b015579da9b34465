"""SVG from elsewhere, made safe to stand inside a page: nothing in it runs, loads or reaches outside."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from pytest_claims.page.markup import Markup, escape, tag

ELEMENTS = frozenset(
    (
        *("svg", "g", "defs", "symbol", "use", "path", "rect", "circle", "ellipse"),
        *("line", "polyline", "polygon", "text", "tspan", "title", "desc", "clipPath", "mask"),
        *("image", "pattern", "marker", "linearGradient", "radialGradient", "stop"),
    )
)
"""What a drawing needs. All else is left out with what is in it: script, style, foreignObject, animation."""

_PICTURE = re.compile(r"data:image/(png|jpeg);base64,[A-Za-z0-9+/=\s]*")
_REFERENCE = re.compile(r"url\(\s*['\"]?#([^)'\"]+)['\"]?\s*\)")
_BLACK = re.compile(r"#000000\b|(?<![\w-])black(?![\w-])")
_WHITE = re.compile(r"#ffffff\b|(?<![\w-])white(?![\w-])", re.IGNORECASE)
_DECLARATION = re.compile(r"<\?xml[^>]*\?>|<!DOCTYPE[^>\[]*>")


def inline(svg: str, prefix: str, label: str) -> Markup:
    """Prepare an SVG document for a place inside an HTML page.

    Args:
        svg: The document. Black becomes the colour of the page's text and white that of its paper, so
            that it shows on dark pages too.
        prefix: Put before every name inside, so that several drawings on a page do not mix up theirs.
        label: What the drawing shows, for those who do not see it.

    Returns:
        The drawing, or a sentence in its place when it is no SVG.
    """
    text = _DECLARATION.sub("", svg)
    try:
        # An entity declaration could make a few bytes into gigabytes; no drawing needs one.
        root = (
            None if "<!" in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL) else ElementTree.fromstring(text)
        )
    except (ElementTree.ParseError, ValueError):
        root = None
    if root is None or _local(root.tag) != "svg":
        return tag("p", "This figure cannot be shown: it is not an SVG drawing.", class_="alert")
    drawn = _element(root, prefix)
    x, y, width, height = _box(root)
    attributes = (
        f' viewBox="{x:g} {y:g} {width:g} {height:g}" style="--width:{width:g}" role="img"'
        f' aria-label="{escape(label)}" fill="currentColor"'
    )
    return Markup(f'<svg{attributes} stroke-linejoin="round">{drawn}</svg>')


def _box(root: ElementTree.Element) -> tuple[float, float, float, float]:
    """The drawing's own coordinates: left, top, width, height."""
    numbers = re.findall(r"-?\d+(?:\.\d+)?", root.get("viewBox") or "")
    found = [float(number) for number in numbers]
    if len(found) != 4:
        sizes = [re.match(r"\d+(?:\.\d+)?", root.get(name) or "") for name in ("width", "height")]
        found = [0.0, 0.0, *(float(size[0]) if size else 0.0 for size in sizes)]
    left, top, width, height = found
    return left, top, width if width > 0 else 400.0, height if height > 0 else 300.0


def _element(element: ElementTree.Element, prefix: str) -> str:
    """What is inside an element, as markup."""
    pieces = [escape(element.text)] if _local(element.tag) in ("text", "tspan", "title", "desc") else []
    for child in element:
        name = _local(child.tag)
        if name in ELEMENTS:
            written = "".join(_attribute(key, value, prefix) for key, value in child.attrib.items())
            pieces.append(Markup(f"<{name}{written}>{_element(child, prefix)}</{name}>"))
        if _local(element.tag) == "text":
            pieces.append(escape(child.tail))
    return "".join(pieces)


def _local(name: object) -> str:
    """An element's name without its namespace; comments have none."""
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _attribute(key: str, value: str, prefix: str) -> str:
    name = _local(key)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name) or name.lower().startswith("on") or name == "class":
        return ""
    if name == "id":
        value = f"{prefix}-{value}"
    elif name == "href":
        if value.startswith("#"):
            value = f"#{prefix}-{value[1:]}"
        elif not _PICTURE.fullmatch(value):
            return ""
    else:
        value = _REFERENCE.sub(lambda found: f"url(#{prefix}-{found[1]})", value)
        if _reaches_out(value):
            return ""
        value = _WHITE.sub("var(--card)", _BLACK.sub("currentColor", value))
    return f' {name}="{escape(value)}"'


def _reaches_out(value: str) -> bool:
    """Whether a value loads something: any url() but of a name inside. A backslash could hide the word."""
    rest = re.sub(r"url\(#[^)]*\)", "", value).lower()
    return "url" in rest or "\\" in rest or "@" in rest or "expression" in rest
