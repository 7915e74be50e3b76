"""Fixtures that several test files share."""

import os

import pytest
from hypothesis import settings

from .engines import ENGINES

settings.register_profile("repeatable", derandomize=True, print_blob=True)  # the same examples everywhere, so that what passed passes
settings.register_profile("exploring", print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(params=list(ENGINES))
def engine(request, tmp_path):
    """Each engine in turn, with a place for a source and a release."""
    made = ENGINES[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()
