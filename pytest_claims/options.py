"""What the user asked for, from the command line, the environment and the ini file, in that order."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

DEFAULT_SEEDS = 5
DEFAULT_STORE = ".claims"
DEFAULT_REPORT = ".claims/report"
STORE_VARIABLE = "CLAIMS_STORE"

_OPTIONS = {
    "seeds": ("N", f"train and measure seeds 0 to N−1 (default {DEFAULT_SEEDS}; a claim can ask for more)"),
    "claims-store": ("DIR", f"where trained runs are kept (default {DEFAULT_STORE}, or ${STORE_VARIABLE})"),
    "claims-report": ("DIR", f"where the report is written (default {DEFAULT_REPORT})"),
    "claims-baseline": (
        "FILE",
        "fail exactly if a claim is missing, is an error or differs from this baseline",
    ),
    "claims-write-baseline": ("FILE", "accept the verdicts of this run as the baseline"),
}
_TWIN_HELP = (
    "train the rounding twins (weights × (1 + 1e-7 · N)) and measure no control; "
    "--claims-write-baseline does so by itself"
)
_PARTIAL_HELP = "compare a selection of the claims with the baseline, instead of refusing it"
_REGISTER_HELP = "write the selected claims' criteria to the registry (ini claims_registry) and run nothing"


@dataclass(frozen=True)
class Options:
    """The settings of a run; paths are absolute.

    Attributes:
        seeds: How many seeds a claim gets if it does not ask for more.
        store: The store's folder.
        report: The report's folder.
        baseline: The baseline to compare with.
        write_baseline: Where to write a new baseline.
        registry: The registry of declared claims.
        register: Register, and run nothing.
        twin: Train the rounding twins.
        allow_partial: A selection of the claims may be compared with the baseline.
        explicit: Something was asked on the command line that makes no sense without claims.
    """

    seeds: int
    store: Path
    report: Path
    baseline: Path | None
    write_baseline: Path | None
    registry: Path | None
    register: bool
    twin: bool
    allow_partial: bool
    explicit: bool


def add_options(parser: pytest.Parser) -> None:
    """Declare each option with its ini twin of the same words."""
    group = parser.getgroup("claims", "a paper's claims")
    for name, (metavar, text) in _OPTIONS.items():
        group.addoption(f"--{name}", metavar=metavar, help=text)
        parser.addini(_twin(name), text)
    group.addoption("--claims-twin", action="store_true", help=_TWIN_HELP)
    group.addoption("--claims-allow-partial", action="store_true", help=_PARTIAL_HELP)
    parser.addini("claims_allow_partial", _PARTIAL_HELP, type="bool", default=False)
    group.addoption("--claims-register", action="store_true", help=_REGISTER_HELP)
    parser.addini("claims_register", _REGISTER_HELP, type="bool", default=False)
    parser.addini("claims_registry", "file with every declared claim's criterion (see --claims-register)")


def read_options(config: pytest.Config) -> Options:
    """Resolve the settings. Paths start from where pytest was called, in the ini file from its folder.

    Raises:
        pytest.UsageError: A setting makes no sense.
    """
    register = config.getoption("claims_register") or config.getini("claims_register")
    registry = _path(config, "claims-registry")
    if register and registry is None:
        raise pytest.UsageError("--claims-register needs to know where: set the ini option claims_registry")
    asked = ("claims_baseline", "claims_write_baseline", "claims_register")
    return Options(
        seeds=_seeds(config),
        store=_path(config, "claims-store", os.environ.get(STORE_VARIABLE))
        or config.rootpath / DEFAULT_STORE,
        report=_path(config, "claims-report") or config.rootpath / DEFAULT_REPORT,
        baseline=_path(config, "claims-baseline"),
        write_baseline=_path(config, "claims-write-baseline"),
        registry=registry,
        register=register,
        twin=config.getoption("claims_twin"),
        allow_partial=config.getoption("claims_allow_partial") or config.getini("claims_allow_partial"),
        explicit=any(config.getoption(name) for name in asked),
    )


def _twin(name: str) -> str:
    return "claims_seeds" if name == "seeds" else name.replace("-", "_")


def _seeds(config: pytest.Config) -> int:
    text = config.getoption("seeds") or config.getini("claims_seeds") or str(DEFAULT_SEEDS)
    if not text.strip().isdecimal() or int(text) < 1:
        raise pytest.UsageError(f"--seeds {text}: give a whole number of seeds, at least 1")
    return int(text)


def _path(config: pytest.Config, name: str, environment: str | None = None) -> Path | None:
    given = config.getoption(name.replace("-", "_"), None) or environment
    if given:
        return config.invocation_params.dir / str(given)
    if not (stated := config.getini(_twin(name))):
        return None
    folder = config.inipath.parent if config.inipath is not None else config.rootpath
    return folder / str(stated)
