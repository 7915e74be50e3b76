"""anonsql: SQL-native anonymization of relational data.

>>> import anonsql
>>> report = anonsql.run("policy.yaml")  # doctest: +SKIP
"""

from __future__ import annotations

from anonsql.version import __version__

__all__ = ["AnonsqlError", "Policy", "__version__", "check", "run", "search", "verify"]

from anonsql.api import run, search, verify
from anonsql.checking import check
from anonsql.errors import AnonsqlError
from anonsql.policy import Policy
