import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims.page.markup import Markup, anchor, escape, join, link, tag
from tests.pytest_claims.page.outline import read


@given(st.text(), st.text())
def test_no_text_becomes_markup(content, attribute):
    (element,) = read(tag("p", content, title=attribute)).children
    assert element.name == "p"
    assert set(element.attributes) == {"title"}
    assert element.children == []


def test_text_is_shown_as_it_is():
    (element,) = read(tag("p", "<b> & \"x\" 'y'", title="a\"b<'")).children
    assert element.text == "<b> & \"x\" 'y'"
    assert element.attributes == {"title": "a\"b<'"}


def test_markup_is_not_escaped_again():
    assert escape(tag("b", "x")) == "<b>x</b>"
    assert tag("p", tag("b", "1 < 2"), " & ") == "<p><b>1 &lt; 2</b> &amp; </p>"
    assert isinstance(tag("p"), Markup)


def test_nothing_is_nothing():
    assert escape(None) == ""
    assert tag("p", None, 0) == "<p>0</p>"


def test_control_characters_do_not_get_through():
    assert escape("a\x1b[31mb\u202ec\x00") == "a [31mb c "


def test_attributes():
    assert tag("a", class_="x", aria_label="y") == '<a class="x" aria-label="y"></a>'
    assert tag("a", href=None, hidden=False, open=True) == "<a open></a>"
    assert tag("td", colspan=5) == '<td colspan="5"></td>'


def test_join():
    assert join(["<", tag("b", "x")], ", ") == "&lt;, <b>x</b>"


@given(st.text())
def test_an_anchor_is_a_plain_word(name):
    assert all(
        character.isascii() and (character.isalnum() or character == "-") for character in anchor(name)
    )


def test_an_anchor_tells_what_it_leads_to():
    assert anchor("huang2026/relation-accuracy[n=100]") == "claim-huang2026-relation-accuracy-n-100"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>",
        "file:///etc/passwd",
        "//example.org",
        'https://example.org" onclick=x',
        "http:// x",
        None,
        5,
    ],
)
def test_only_web_addresses_become_links(address):
    assert not list(read(link(address, "text")).all("a"))


def test_a_link():
    (element,) = read(link("https://example.org/?a=1&b='2'", "here")).children
    assert element.attributes == {"href": "https://example.org/?a=1&b='2'", "rel": "noopener noreferrer"}
