import pytest

from pytest_claims.files import FileError
from pytest_claims.naming import full_id

IDS = ("zuo2026/immediate-gap", "zuo2026/reversal", "huang2026/saddle", "huang2026/reversal")


@pytest.mark.parametrize("name", ["zuo2026/immediate-gap", "immediate-gap"])
def test_an_id_or_its_end_is_enough(name):
    assert full_id(name, iter(IDS), "here") == "zuo2026/immediate-gap"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("reversal", "no claim 'reversal' here; did you mean zuo2026/reversal, huang2026/reversal?"),
        ("immediate", "no claim 'immediate' here; did you mean zuo2026/immediate-gap?"),
        ("huang2026/sadle", "no claim 'huang2026/sadle' here; did you mean huang2026/saddle"),
        ("qqq", "no claim 'qqq' here"),
    ],
)
def test_what_is_none_or_several_is_refused_with_what_comes_near(name, says):
    with pytest.raises(FileError) as caught:
        full_id(name, IDS, "here")
    assert str(caught.value).startswith(says)
