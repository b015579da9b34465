"""The order in which every format shows a report: paper by paper, each with its claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def sections(report: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]]:
    """Pair every paper with its claims. Papers that the report does not describe get a section too."""
    found: dict[Any, tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = {
        paper.get("key"): (paper, []) for paper in report.get("papers") or []
    }
    for claim in report.get("claims") or []:
        key = claim.get("paper")
        found.setdefault(key, ({"key": key}, []))[1].append(claim)
    return list(found.values())
