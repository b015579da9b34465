"""From what a person types to a claim's id."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pytest_claims.files import FileError


def full_id(name: str, ids: Iterable[str], where: str) -> str:
    """The id that a name means: the id itself, or the part after the paper's key where that is unique.

    Args:
        name: What was typed.
        ids: The ids that there are.
        where: Where they are, for the message: "in the report".

    Raises:
        FileError: It means none of them, or several; the message says which come near.
    """
    known = list(ids)
    matching = [key for key in known if name in (key, key.partition("/")[2])]
    if len(matching) != 1:
        near = matching or [key for key in known if name in key]
        near = near or difflib.get_close_matches(name, known, n=5, cutoff=0.4)
        hint = f"; did you mean {', '.join(near[:8])}?" if near else ""
        raise FileError(f"no claim {name!r} {where}{hint}")
    return matching[0]
