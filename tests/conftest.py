"""Fixtures that several test files share."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

from . import circles, forked_writers, golden_values, memory_files
from .browser import browser, visit  # noqa: F401 - fixtures
from .engines import ENGINES, EVERYWHERE
from .forked_writers import fresh_writers  # noqa: F401 - a fixture

settings.register_profile(
    "repeatable", derandomize=True, print_blob=True, deadline=None
)  # the same examples everywhere, so that what passed passes; however busy the machine is
settings.register_profile("exploring", print_blob=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

memory_files.begin()
forked_writers.begin()
gc.disable()  # until all tests are collected: it would look at each of them again and again

ROOT = Path(__file__).parents[1]
FIRST = (
    "engines",
    "spark",
    "templates",
    "golden_documents",
    "suppressed_values",
    "release_files",
    "statistics_attack",
    "guide",
    "databases",
    "statistics_dependent",
    "order",
    "completed",
    "keys_of_people",
    "statistics_engines",
    "query",
    "cli",
    "statistics_ratios",
    "suppression",
    "statistics",
    "release",
    "bad_input",
)
"""The files that take longest, besides those whose tests are marked ``early``. They begin before
others, so that none is left over for one worker alone."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Long files before others, each kept together; the cases of each circle are marked."""
    order = {f"test_{name}": number for number, name in enumerate(FIRST)}
    last = len(order)

    def turn(item):
        return order.get(item.path.stem, last if item.get_closest_marker("early") else last + 1)

    items.sort(key=turn)
    circles.mark(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file is one worker's, and so are all cases of Spark: it starts once."""
    return circles.scheduler(config, log)


def pytest_collection_finish():
    """The tests stay to the end, so nothing looks for garbage among them."""
    gc.freeze()
    gc.enable()


def pytest_addoption(parser):
    """The option that writes golden/parity.json."""
    parser.addoption(
        golden_values.OPTION, action="store_true", help="store what DuckDB finds as golden values"
    )


def pytest_configure(config):
    """Options that modules of the tests go by."""
    golden_values.begin(config)
    circles.leave_out_long(config)


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    """Releases and catalogs of a test lie in folders of its own."""
    before = _databases()
    yield
    assert _databases() <= before


def _databases():
    return {name for name in os.listdir(ROOT) if name.endswith(".duckdb")}


@pytest.fixture(params=list(ENGINES))
def engine(request, tmp_path):
    """Each engine in turn, with a place for a source and a release."""
    made = ENGINES[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


@pytest.fixture(params=EVERYWHERE)
def everywhere(request, tmp_path):
    """Each engine and database in turn, as ``engine``; Spark in the long tests."""
    made = request.param(tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()
