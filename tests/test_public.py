"""What ``import anonsql`` offers, and what it does not load before it is needed."""

import pytest

import anonsql

from .support import in_python

SLOW = ("duckdb", "sqlglot", "pydantic", "numpy", "scipy", "jinja2", "rich", "vl_convert")


def loaded(code):
    """Which slow libraries a new process has loaded after some code."""
    program = f"{code}; import sys; print([name for name in {SLOW} if name in sys.modules])"
    return in_python("-c", program).stdout.strip()


@pytest.mark.parametrize("code", ["import anonsql", "import anonsql.cli.commands"])
def test_nothing_slow_is_loaded_before_it_is_needed(code):
    assert loaded(code) == "[]"


def test_everything_public_is_there():
    assert set(anonsql.__all__) == set(dir(anonsql))
    for name in anonsql.__all__:
        assert getattr(anonsql, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        anonsql.nothing  # noqa: B018


@pytest.mark.parametrize(
    "first",
    [
        "import anonsql.search.plan, anonsql.query.parse, anonsql",
        "import anonsql; anonsql.run",
        "from anonsql.query import parse; import anonsql",
    ],
)
def test_packages_do_not_take_the_place_of_functions(first):
    code = f"{first}; print(callable(anonsql.search), callable(anonsql.query))"
    done = in_python("-c", code)
    assert done.stdout.split() == ["True", "True"]
