from pytest_claims.handover import Declared, Scratch


def test_what_one_process_collected_another_one_reads(tmp_path):
    declared = Declared([{"id": "toy/a"}], [{"key": "toy"}])
    Scratch(tmp_path).write_declared("gw1", declared)
    found = Scratch(tmp_path).read_declared()
    assert (list(found.declarations), list(found.papers)) == ([{"id": "toy/a"}], [{"key": "toy"}])


def test_nothing_collected_makes_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert Scratch().read_declared() == Declared()
    assert list(tmp_path.iterdir()) == []


def test_only_who_made_the_folder_removes_it(tmp_path):
    own = Scratch()
    path = own.path
    Scratch(path).remove()
    assert path.is_dir()
    own.remove()
    assert not path.exists()
