import subprocess
import sys

OTHERS = ("benchmark", "hypothesispytest", "jaxtyping")
"""Plugins of development dependencies that import numerical libraries themselves."""


def test_a_session_without_claims_does_not_wait_for_numerical_libraries(pytester):
    pytester.makepyfile(
        """
        import sys
        def test_one():
            assert not {"numpy", "scipy", "torch", "rich", "safetensors"} & set(sys.modules)
        """
    )
    without = [argument for name in OTHERS for argument in ("-p", f"no:{name}")]
    pytester.runpytest_subprocess(*without).assert_outcomes(passed=1)


def test_every_public_name_is_there_and_none_brings_torch():
    script = """
import sys
import pytest_claims
for name in pytest_claims.__all__:
    getattr(pytest_claims, name)
assert not {"torch", "scipy.stats", "pytest"} & set(sys.modules), sorted(sys.modules)
try:
    pytest_claims.nonsense
except AttributeError as error:
    assert "nonsense" in str(error)
else:
    raise SystemExit("nonsense was found")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_options_and_markers_explain_themselves(pytester):
    result = pytester.runpytest_inprocess("--help")
    result.stdout.fnmatch_lines(["*--claims-baseline=FILE*", "*claims_registry*"])
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.extension: *"])
