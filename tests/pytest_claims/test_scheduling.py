import pytest

MODES = ["load", "worksteal", "loadscope", "loadfile", "loadgroup", "each"]

CRASHING = """
@claim(PAPER, "It dies.", kind="design")
def test_dies():
    os._exit(1)

@claim(PAPER, "It lives.", kind="design")
def test_lives():
    return True

@pytest.mark.xdist_group("together")
@claim(PAPER, "It dies too.", kind="design")
def test_dies_in_a_group():
    os._exit(1)

@pytest.mark.xdist_group("together")
@claim(PAPER, "It lives too.", kind="design")
def test_lives_in_a_group():
    return True
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_run_outlives_its_workers(toy, mode):
    toy.write(CRASHING)
    result = toy.spawn("-n", "2", "--dist", mode)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = toy.report()
    assert {claim["id"].split("/")[1]: claim["verdict"] for claim in report["claims"]} == {
        "dies": "error",
        "lives": "replicated",
        "dies-in-a-group": "error",
        "lives-in-a-group": "replicated",
    }
    assert (report["summary"]["declared"], report["summary"]["run"], report["summary"]["error"]) == (4, 4, 2)
    assert not report["partial"]
    for row in toy.rows().values():
        if row["verdict"] == "error":
            assert row["reason"].startswith("worker gw")
            assert row["reason"].endswith(" died")
            # Each worker of --dist each dies in it; otherwise nobody tries again what killed a worker.
            assert len(row["attempts"]) == (2 if mode == "each" else 0)
