"""What the tests share: the one way to compare numbers that rounding may move."""

import pytest


def close(expected, tolerance=1e-9):
    """Equal up to rounding, absolutely and relatively."""
    return pytest.approx(expected, rel=tolerance, abs=tolerance)
