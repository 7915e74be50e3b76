"""Fixtures that several test files share."""

import pytest

from .engines import ENGINES


@pytest.fixture(params=list(ENGINES))
def engine(request, tmp_path):
    """Each engine in turn, with a place for a source and a release."""
    made = ENGINES[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()
