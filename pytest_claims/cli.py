"""The command `claims`: what can be asked of the registry, the store and a report without running pytest."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_claims import formats
from pytest_claims.calibration.command import add_calibrate
from pytest_claims.files import FileError, write_text
from pytest_claims.gate_commands import add_compare, add_gate
from pytest_claims.project import locate, settings

_EPILOG = "The claims themselves are run by pytest: `pytest claims -n auto`."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0; 1: a check failed; 2: it could not do its work."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
    except FileError as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (`| head`) has gone; a second error at interpreter exit is avoided by giving stdout away.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="claims", description="A paper's claims as tests.", epilog=_EPILOG)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_list(commands)
    _add_show(commands)
    _add_render(commands)
    _add_store(commands)
    _add_export(commands)
    add_gate(commands)
    add_compare(commands)
    add_calibrate(commands)
    return parser


def _add_list(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "list every registered claim with its last accepted verdict"
    parser = commands.add_parser("list", help=text, description=f"{text.capitalize()}.")
    _add_registry_option(parser)
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        help="the baseline (default: ini option claims_baseline, else baseline.json beside the registry)",
    )
    parser.set_defaults(command=_list)


def _add_registry_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--registry", metavar="FILE", help="the registry (default: ini option claims_registry)"
    )


def _registry_path(options: argparse.Namespace) -> Path:
    path = locate(options.registry, "claims_registry", Path.cwd())
    if path is None:
        raise FileError(
            "no registry: give --registry FILE, or set claims_registry under [tool.pytest.ini_options] "
            "in pyproject.toml"
        )
    return path


def _list(options: argparse.Namespace) -> int:
    # Each command imports what it needs, so that none waits for another's libraries.
    from pytest_claims import baseline, registry
    from pytest_claims.listing import print_list

    here = Path.cwd()
    registry_path = _registry_path(options)
    baseline_path = locate(options.baseline, "claims_baseline", here)
    if baseline_path is None:
        beside = registry_path.with_name("baseline.json")
        baseline_path = beside if beside.exists() else None
    accepted = None if baseline_path is None else baseline.load(baseline_path)
    print_list(registry.load(registry_path), accepted)
    return 0


def _add_show(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "explain one claim of the last report"
    parser = commands.add_parser("show", help=text, description=f"{text.capitalize()}.")
    parser.add_argument(
        "id", metavar="ID", help="the claim's id: zuo2026/immediate-gap, or what follows the /"
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="the report (default: report.json in the ini option claims_report, else in .claims/report)",
    )
    parser.set_defaults(command=_show)


def _show(options: argparse.Namespace) -> int:
    from pytest_claims import report
    from pytest_claims.explaining import print_claim

    here = Path.cwd()
    if options.report is not None:
        path = here / options.report
    else:
        folder = locate(None, "claims_report", here) or settings(here)[0] / ".claims" / "report"
        path = folder / "report.json"
    print_claim(report.load(path), options.id)
    return 0


def _add_render(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "make the page and the Markdown of a report"
    parser = commands.add_parser("render", help=text, description=f"{text.capitalize()}.")
    parser.add_argument("report", metavar="REPORT.json", type=Path, help="the report")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write one self-contained HTML page")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write Markdown")
    parser.set_defaults(command=_render)


def _render(options: argparse.Namespace) -> int:
    from pytest_claims import figures, markdown, page, report

    if options.html is None and options.markdown is None:
        raise FileError("render: say what to make: --html FILE, --markdown FILE or both")
    document = report.load(options.report)
    if options.html is not None:
        document, problems = figures.draw(document, settings(Path.cwd())[0])
        for problem in problems:
            print(f"claims: {problem}", file=sys.stderr)
        write_text(options.html, page.render(document))
    if options.markdown is not None:
        write_text(options.markdown, markdown.render(document))
    return 0


def _add_store(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "look after the store of trained runs and measurements"
    parser = commands.add_parser("store", help=text, description=f"{text.capitalize()}.")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, about in (
        ("list", "list what the store holds"),
        ("verify", "check every entry's checksum; exit 1 if one is damaged"),
        ("prune", "delete what the present sources and versions would not read"),
    ):
        action = actions.add_parser(name, help=about, description=f"{about.capitalize()}.")
        _add_store_option(action)
        if name == "list":
            action.add_argument("--verbose", action="store_true", help="also the fields of each")
        action.set_defaults(command=_store, action=name)


def _add_store_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--claims-store",
        metavar="DIR",
        help="the store (default: CLAIMS_STORE, else ini option claims_store, else .claims)",
    )


def _store_root(options: argparse.Namespace) -> Path:
    here = Path.cwd()
    asked = options.claims_store or os.environ.get("CLAIMS_STORE")
    return locate(asked, "claims_store", here) or settings(here)[0] / ".claims"


def _store(options: argparse.Namespace) -> int:
    from pytest_claims.store import commands

    root = _store_root(options)
    if options.action == "prune":
        outcome = commands.prune(root, settings(Path.cwd())[0])
    elif options.action == "verify":
        outcome = commands.verify(root)
    else:
        outcome = commands.list_(root, verbose=options.verbose)
    print(formats.plain(outcome.text, sys.stdout.encoding or "ascii"))
    return outcome.status


def _add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "write a claim's trained models for other tools"
    parser = commands.add_parser(
        "export",
        help=text,
        description=f"{text.capitalize()}: safetensors, JSON and a README. Nothing is trained.",
    )
    parser.add_argument(
        "id", metavar="ID", help="the claim's id: zuo2026/immediate-gap, or what follows the /"
    )
    parser.add_argument("folder", metavar="DIR", help="where to: a folder that is empty or not there")
    _add_registry_option(parser)
    _add_store_option(parser)
    parser.set_defaults(command=_export)


def _export(options: argparse.Namespace) -> int:
    from pytest_claims.exporting import export
    from pytest_claims.store.reader import Reader

    here = Path.cwd()
    project = settings(here)[0]
    said = export(
        options.id,
        here / options.folder,
        registry_path=_registry_path(options),
        root=project,
        reader=Reader(_store_root(options), project),
    )
    print(formats.plain(said, sys.stdout.encoding or "ascii"))
    return 0
