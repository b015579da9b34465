import io

import pytest

from pytest_claims import baseline, registry
from pytest_claims.listing import print_list
from tests.pytest_claims import sample_reports as samples
from tests.pytest_claims.test_baseline import whole
from tests.pytest_claims.test_terminal import words


def listed(accepted, width=80):
    stream = io.StringIO()
    print_list(registry.build(samples.DECLARATIONS, samples.PAPERS), accepted, file=stream, width=width)
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_claim_with_its_verdict_statement_and_prediction(width):
    text = listed(baseline.build(whole()), width)
    assert max(map(len, text.splitlines())) <= width
    for declaration in samples.DECLARATIONS:
        assert words(declaration["id"]) in words(text)
    assert words("contradicted zuo2026/immediate-gap-plain-ramp") in words(text)
    assert words("predicted: slow: within +/-0.0488 (ours); slope: < 0") in words(text)
    assert words("(design)") in words(text)
    assert words("none accepted huang2026/saddle") in words(text)
    last = "9 claims registered: 3 replicated, 1 contradicted, 3 inconclusive, 2 none accepted"
    assert words(text).endswith(words(last))


def test_without_a_baseline_nothing_is_accepted():
    assert "9 none accepted" in listed(None)
