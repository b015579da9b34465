"""The HTML page of a report: one self-contained file that needs no script and fetches nothing."""

from pytest_claims.page.document import render

__all__ = ["render"]
