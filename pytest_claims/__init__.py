"""A paper's claims as tests: a claim returns what it measured, and this plugin judges it.

The public names are loaded when they are first used. So pytest can load the plugin, and `claims list` can
answer, without importing numpy, and the number of threads is settled before any numerical library reads it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_claims.declare import Choice, Paper, Reported, claim
    from pytest_claims.measurements import Parts, Ratio, Values
    from pytest_claims.predictions import AtLeast, AtMost, Below, Exceeds, Holds, Within
    from pytest_claims.store import Progress, Store

__all__ = [
    "AtLeast",
    "AtMost",
    "Below",
    "Choice",
    "Exceeds",
    "Holds",
    "Paper",
    "Parts",
    "Progress",
    "Ratio",
    "Reported",
    "Store",
    "Values",
    "Within",
    "claim",
]

_HOMES = {
    "declare": ("Choice", "Paper", "Reported", "claim"),
    "measurements": ("Parts", "Ratio", "Values"),
    "predictions": ("AtLeast", "AtMost", "Below", "Exceeds", "Holds", "Within"),
    "store": ("Progress", "Store"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
