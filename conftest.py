"""What all tests of this checkout share."""

pytest_plugins = ["pytester"]
