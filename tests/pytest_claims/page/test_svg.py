import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims.page.svg import inline
from tests.pytest_claims.page.outline import read

NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
PICTURE = f"data:image/png;base64,{base64.b64encode(b'png').decode()}"


def drawn(inside, attributes='viewBox="0 0 100 50"'):
    return read(inline(f"<svg {NS} {attributes}>{inside}</svg>", "figure-1", "A label")).one("svg")


def test_a_drawing_says_what_it_shows_and_how_large_it_is():
    found = drawn("")
    assert found.attributes["role"] == "img"
    assert found.attributes["aria-label"] == "A label"
    assert found.attributes["viewbox"] == "0 0 100 50"
    assert found.attributes["style"] == "--width:100"


@pytest.mark.parametrize(
    ("attributes", "box"),
    [
        ('width="60pt" height="30.5pt"', "0 0 60 30.5"),
        ('viewBox="-1 -2 3 4.5"', "-1 -2 3 4.5"),
        ('viewBox="0,0,9,8"', "0 0 9 8"),
        ("", "0 0 400 300"),
        ('viewBox="0 0 0 0"', "0 0 400 300"),
        ('viewBox="&quot;&gt;&lt;script&gt;"', "0 0 400 300"),
    ],
)
def test_its_size_comes_from_the_drawing(attributes, box):
    assert drawn("", attributes).attributes["viewbox"] == box


def test_a_preamble_and_comments_are_left_out():
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" '
        f'"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
        f'<svg {NS}><!-- made by hand --><path d="M0,0"/></svg>'
    )
    found = read(inline(text, "f", "x")).one("svg")
    assert [child.name for child in found.children] == ["path"]
    assert "hand" not in found.text


def test_names_do_not_mix_with_those_of_other_drawings():
    found = drawn(
        '<defs><path id="a" d="M0,0"/><clipPath id="b"/></defs>'
        '<use xlink:href="#a" clip-path="url(#b)"/><use href="#a" style="fill: url(\'#b\')"/>'
    )
    first, second = found.all("use")
    assert first.attributes == {"href": "#figure-1-a", "clip-path": "url(#figure-1-b)"}
    assert second.attributes == {"href": "#figure-1-a", "style": "fill: url(#figure-1-b)"}
    assert {element.attributes["id"] for element in found.all() if "id" in element.attributes} == {
        "figure-1-a",
        "figure-1-b",
    }


def test_black_and_white_follow_the_page_and_other_colours_stay():
    found = drawn(
        '<path style="stroke: #000000; fill: #0000ff"/><text fill="black">x</text>'
        '<rect fill="#FFFFFF" style="white-space: pre; stroke: white"/>'
    )
    assert found.one("path").attributes["style"] == "stroke: currentColor; fill: #0000ff"
    assert found.one("rect").attributes["fill"] == "var(--card)"
    assert found.one("rect").attributes["style"] == "white-space: pre; stroke: var(--card)"
    assert found.one("text").attributes["fill"] == "currentColor"
    assert found.attributes["fill"] == "currentColor"


def test_text_is_kept_and_stays_text():
    found = drawn("<g>no place for words<text>a &lt; b<tspan>c</tspan> d</text></g><title>t</title>")
    assert found.one("text").text == "a < b c d"
    assert "no place" not in found.text
    assert found.one("title").text == "t"


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<style>@import url(https://example.org/x.css);</style>",
        "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><script>x</script></body></foreignObject>",
        "<a href='javascript:alert(1)'><text>click</text></a>",
        "<animate attributeName='href' values='javascript:alert(1)'/>",
        "<set attributeName='onclick' to='x'/>",
        "<g onload='alert(1)'/>",
        "<g ONCLICK='alert(1)'/>",
        "<image href='https://example.org/x.png'/>",
        "<image xlink:href='javascript:alert(1)'/>",
        "<image href='data:image/svg+xml;base64,PHN2Zz4='/>",
        "<use href='https://example.org/x.svg#a'/>",
        "<path style='fill: url(https://example.org/x)'/>",
        "<path style='fill: u\\72l(https://example.org/x)'/>",
        "<path fill='url(//example.org/x#a)'/>",
        "<path style='background: URL( https://example.org/x )'/>",
        "<path style='width: expression(alert(1))'/>",
        "<iframe src='https://example.org'/>",
        "<video src='https://example.org/x'/>",
    ],
)
def test_nothing_runs_and_nothing_is_loaded(inside):
    text = inline(f"<svg {NS}>{inside}</svg>", "f", "x").lower()
    for word in (
        "script",
        "alert",
        "example.org",
        "import",
        "<a ",
        "onload",
        "onclick",
        "animate",
        "iframe",
        "svg+xml",
    ):
        assert word not in text


def test_a_picture_inside_is_kept():
    assert drawn(f'<image xlink:href="{PICTURE}" width="3"/>').one("image").attributes == {
        "href": PICTURE,
        "width": "3",
    }


def test_attributes_cannot_break_out():
    found = drawn("<path d='M0,0\"&gt;&lt;script&gt;'/>")
    assert found.one("path").attributes["d"] == 'M0,0"><script>'
    assert not list(found.all("script"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not xml",
        "<svg",
        "<html xmlns='http://www.w3.org/1999/xhtml'/>",
        '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"><text>&b;</text></svg>',
        "<svg xmlns='http://www.w3.org/2000/svg'>\x00</svg>",
    ],
)
def test_what_is_no_drawing_is_said_to_be_none(text):
    assert read(inline(text, "f", "x")).text == "This figure cannot be shown: it is not an SVG drawing."


@given(st.text())
def test_any_text_leaves_well_formed_html(text):
    read(inline(text, "f", text))
    read(inline(f"<svg {NS}><text>{text}</text></svg>", "f", text))
