"""anonsql: SQL-native anonymization of relational data.

>>> import anonsql
>>> report = anonsql.run("policy.yaml")  # doctest: +SKIP
"""

from __future__ import annotations

from anonsql.version import __version__

__all__ = [
    "AnonsqlError",
    "Policy",
    "__version__",
    "apply",
    "check",
    "compare",
    "compile",
    "measure",
    "query",
    "run",
    "runs",
    "search",
    "verify",
]

from anonsql.answering import query
from anonsql.api import apply, compare, compile, run, search, verify
from anonsql.checking import check
from anonsql.errors import AnonsqlError
from anonsql.history import runs
from anonsql.measuring import measure
from anonsql.policy import Policy


def __dir__() -> list[str]:
    """Return what is public."""
    return sorted(__all__)
