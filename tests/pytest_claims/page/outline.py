"""Reads a page as a browser would, as far as tests need: elements with their attributes and texts."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img"}


@dataclass
class Element:
    name: str
    attributes: dict
    parent: "Element | None" = None
    contents: list = field(default_factory=list)

    @property
    def children(self):
        return [content for content in self.contents if isinstance(content, Element)]

    @property
    def texts(self):
        """What is written directly in it."""
        return [content for content in self.contents if isinstance(content, str)]

    @property
    def text(self):
        """All that is written in it, with single spaces."""
        return " ".join(" ".join(self._pieces()).split())

    def _pieces(self):
        for content in self.contents:
            yield from [content] if isinstance(content, str) else content._pieces()

    def all(self, name=None, **attributes):
        """Every element below with this name and these attributes (`class_` is `class`)."""
        for child in self.children:
            wanted = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
            if (name is None or child.name == name) and wanted.items() <= child.attributes.items():
                yield child
            yield from child.all(name, **attributes)

    def one(self, name=None, **attributes):
        """The only such element."""
        (found,) = self.all(name, **attributes)
        return found


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = self.here = Element("", {})

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        element = Element(tag, dict(attrs), self.here)
        self.here.contents.append(element)
        if tag not in VOID:
            self.here = element

    def handle_endtag(self, tag):
        assert self.here.name == tag, f"</{tag}> ends <{self.here.name}>"
        self.here = self.here.parent

    def handle_data(self, data):
        self.here.contents.append(data)


def read(page):
    """The root of a page or of a piece of one; refuses elements that do not nest or do not end."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.here is reader.root, f"<{reader.here.name}> never ends"
    return reader.root
