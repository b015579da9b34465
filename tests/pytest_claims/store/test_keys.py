import subprocess
import sys
from dataclasses import dataclass, field, make_dataclass
from enum import IntEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_claims.store import keys
from tests.pytest_claims.store.toys import PROJECT

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"), max_size=5)
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)


def made(names, numbers):
    """An instance of a dataclass with these fields in this order."""
    cls = make_dataclass("Made", names, frozen=True)
    cls.__module__ = __name__
    return cls(**dict(zip(names, numbers, strict=True)))


@given(
    st.dictionaries(st.from_regex(r"f[0-9]{1,3}", fullmatch=True), values, min_size=1, max_size=5),
    st.randoms(),
)
def test_the_order_of_fields_does_not_matter(fields, random):
    shuffled = list(fields)
    random.shuffle(shuffled)
    one = made(list(fields), fields.values())
    other = made(shuffled, [fields[name] for name in shuffled])
    assert keys.digest(keys.canonical(one, "run")) == keys.digest(keys.canonical(other, "run"))


def exact(value):
    """A value beside its types and signs, which == forgets."""
    return repr(value)


@given(values, values)
def test_two_values_share_a_key_exactly_when_they_are_the_same(one, other):
    same = keys.digest(keys.canonical(one, "run")) == keys.digest(keys.canonical(other, "run"))
    assert same == (exact(one) == exact(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, -0.0),
        (0, None),
        ("1", 1),
        ("", None),
        ((), ""),
        ((1,), 1),
        (((1,), 2), (1, (2,))),
    ],
)
def test_lookalikes_are_kept_apart(one, other):
    assert keys.dumps(keys.canonical(one, "run")) != keys.dumps(keys.canonical(other, "run"))


@dataclass(frozen=True)
class Inner:
    rate: object = 0.5


@dataclass(frozen=True)
class SameFields:
    rate: object = 0.5


@dataclass(frozen=True)
class Outer:
    inner: object
    hidden: object = field(default=0, compare=False)


def test_the_class_of_a_nested_dataclass_counts():
    assert keys.canonical(Outer(Inner()), "run") != keys.canonical(Outer(SameFields()), "run")


def test_a_field_that_comparison_leaves_out_counts():
    assert keys.canonical(Outer(1, hidden=1), "run") != keys.canonical(Outer(1, hidden=2), "run")


class Level(IntEnum):
    LOW = 1


@dataclass
class Thawed:
    rate: float = 0.5


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        frozenset(),
        [1],
        {"a": 1},
        len,
        np.zeros(2),
        np.float64(0.5),
        np.int64(1),
        Level.LOW,
        Thawed(),
        Inner,
        b"x",
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_canonical_form_is_refused_by_the_name_of_its_field(value):
    with pytest.raises(TypeError, match=r"Run\.inner\[1\]\.rate is a "):
        keys.canonical(Outer((0, Inner(value))), "Run")


def test_nan_is_refused_by_the_name_of_its_field():
    with pytest.raises(ValueError, match=r"Run\.rate is NaN"):
        keys.canonical(Inner(float("nan")), "Run")


def test_a_local_class_is_refused_because_its_name_says_too_little():
    @dataclass(frozen=True)
    class Local:
        pass

    with pytest.raises(TypeError, match="top level"):
        keys.canonical(Local(), "Run")


CHILD = """
from pytest_claims.store import keys
from tests.pytest_claims.store.test_keys import Inner, Outer
value = Outer((Inner("a"), Inner(0.1), "zürich", -0.0, 10**30), hidden=None)
print(keys.digest(keys.canonical(value, "run")))
"""


def test_a_key_is_the_same_under_any_hash_seed():
    digests = {
        subprocess.run(
            [sys.executable, "-c", CHILD],
            cwd=PROJECT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    # Also not tied to this machine or this release: an entry made elsewhere must be found.
    assert digests == {"84af29bc092fea2aa9063d49045424d74797ae0b822c5192d170c76e9b80741c\n"}


def test_readable_shows_plain_values():
    shown = keys.readable(Outer((Inner(0.1), 2), hidden=float("inf")))
    assert shown == {
        "class": f"{__name__}.Outer",
        "inner": [{"class": f"{__name__}.Inner", "rate": 0.1}, 2],
        "hidden": "inf",
    }
    assert keys.flatten(shown)["inner[0].rate"] == "0.1"


def test_classes_finds_every_nested_dataclass():
    assert set(keys.classes(Outer((Inner(SameFields()),)))) == {Outer, Inner, SameFields}
