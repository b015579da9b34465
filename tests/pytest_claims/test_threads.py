import pytest

from pytest_claims.threads import VARIABLES, limit_threads, thread_limit


def test_one_thread_unless_the_user_asked_for_more(monkeypatch: pytest.MonkeyPatch):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "4")
    # setenv first, so that monkeypatch also takes back what limit_threads sets.
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    monkeypatch.delenv("OMP_NUM_THREADS")
    import os

    limit_threads()
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["MKL_NUM_THREADS"] == "4"
    assert thread_limit() == 1


def test_the_limit_comes_before_any_conftest_and_reaches_the_workers(toy, monkeypatch: pytest.MonkeyPatch):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    toy.pytester.makeconftest("import os\nAT_IMPORT = os.environ.get('OMP_NUM_THREADS')")
    toy.pytester.makepyfile("import conftest\ndef test_one(): assert conftest.AT_IMPORT == '1'")
    for arguments in (["-n", "0"], ["-n", "1"]):
        toy.spawn(*arguments).assert_outcomes(passed=1)
