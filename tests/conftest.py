"""Property tests draw the same examples everywhere, and take the time that a busy machine gives them."""

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")
