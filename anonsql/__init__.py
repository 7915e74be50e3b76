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

from anonsql.api import apply, compare, compile, query, run, search, verify
from anonsql.commands.check import check
from anonsql.commands.measure import measure
from anonsql.commands.runs import runs
from anonsql.errors import AnonsqlError
from anonsql.policy.policy import Policy


def __dir__() -> list[str]:
    """Return what is public."""
    return sorted(__all__)
