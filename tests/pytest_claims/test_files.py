import json
import stat

import pytest

from pytest_claims.files import FileError, load_json, write_json, write_text


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "deep" / "data.json"
    write_json(path, {"schema_version": 1, "a": "é"})
    write_json(path, {"schema_version": 1, "a": 2})
    assert load_json(path, "thing", 1) == {"schema_version": 1, "a": 2}
    assert [found.name for found in path.parent.iterdir()] == ["data.json"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "data.json"
    write_text(path, "old")
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"a": float("nan")})
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "half \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_others_may_read_what_was_written(tmp_path):
    path = tmp_path / "data.json"
    plain = tmp_path / "plain"
    write_text(path, "x")
    plain.write_text("x")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file .looked for a report"),
        ("{", "not a report, or damaged"),
        ('{"schema_version": 1, "a": NaN}', "NaN is not JSON"),
        ("[]", "no schema_version"),
        ('{"a": 1}', "no schema_version"),
        ('{"schema_version": true}', "no schema_version"),
        ('{"schema_version": 2}', "schema_version 2, newer than this pytest-claims can read .1.; upgrade"),
        ("[" * 100_000, "not a report, or damaged"),
    ],
)
def test_what_is_no_such_file_is_named(tmp_path, content, message):
    path = tmp_path / "report.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(FileError, match=message) as error:
        load_json(path, "report", 1)
    assert str(path) in str(error.value)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "report.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read"):
        load_json(path, "report", 1)


def test_older_versions_are_read(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"schema_version": 1}))
    assert load_json(path, "report", 3) == {"schema_version": 1}
