"""anonsql: SQL-native anonymization of relational data.

>>> import anonsql
>>> report = anonsql.run("policy.yaml")  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from anonsql.version import __version__

__all__ = [
    "AnonsqlError",
    "Policy",
    "__version__",
    "advise",
    "anonymize",
    "apply",
    "check",
    "compare",
    "compile",
    "init",
    "ledger",
    "measure",
    "query",
    "report",
    "run",
    "runs",
    "search",
    "verification_sql",
    "verify",
]

if TYPE_CHECKING:
    from anonsql.api import (
        advise,
        anonymize,
        apply,
        compare,
        compile,
        init,
        query,
        run,
        search,
        verification_sql,
        verify,
    )
    from anonsql.errors import AnonsqlError
    from anonsql.features.check.command import check
    from anonsql.features.measure.command import measure
    from anonsql.features.report.command import report
    from anonsql.features.runs.command import runs
    from anonsql.policy.policy import Policy

_WHERE = {
    **dict.fromkeys(("advise", "anonymize", "apply", "compare", "compile", "query"), "anonsql.api"),
    **dict.fromkeys(
        ("init", "ledger", "run", "search", "verification_sql", "verify"), "anonsql.api"
    ),
    "check": "anonsql.features.check.command",
    "measure": "anonsql.features.measure.command",
    "report": "anonsql.features.report.command",
    "runs": "anonsql.features.runs.command",
    "AnonsqlError": "anonsql.errors",
    "Policy": "anonsql.policy.policy",
}


def __getattr__(name: str) -> Any:
    """Import what is public when it is first asked for: loading the engines takes far longer than
    ``anonsql --help`` should."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_WHERE[name]), name)
    globals()[name] = found
    return found


class _Package(ModuleType):
    """The package, whose functions ``search`` and ``query`` have the names of packages in it."""

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute. Python sets one for every package that is imported: those must not take
        the place of functions."""
        if name not in _WHERE or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    """Return what is public."""
    return sorted(__all__)
