"""What of a comparison GitHub shows beside a change: workflow commands, at most ten, none elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_claims.gate import Comparison

MOST = 10
"""GitHub shows no more than ten annotations of a kind from one step."""


def workflow_commands(compared: Comparison) -> list[str]:
    """The workflow commands for what is red, where the environment says that GitHub Actions reads them.

    Source: GitHub Docs, Workflow commands for GitHub Actions.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return []
    red = [finding for finding in compared.findings if finding.red]
    shown = red if len(red) <= MOST else red[: MOST - 1]
    lines = [f"::error title={_property(found.claim or 'replay')}::{_data(found.text)}" for found in shown]
    if len(red) > len(shown):
        lines.append(f"::error title=claims::and {len(red) - len(shown)} more, see the job summary")
    return lines


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
