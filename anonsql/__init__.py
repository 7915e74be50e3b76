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
    "attack",
    "check",
    "compare",
    "compile",
    "init",
    "ledger",
    "measure",
    "query",
    "read",
    "report",
    "risk",
    "run",
    "runs",
    "search",
    "tabulate",
    "verification_sql",
    "verify",
]

if TYPE_CHECKING:
    from anonsql.api import init, run, search, tabulate, verify
    from anonsql.errors import AnonsqlError
    from anonsql.features.advise.command import advise
    from anonsql.features.anonymize.command import anonymize
    from anonsql.features.apply.command import apply
    from anonsql.features.attack.command import attack
    from anonsql.features.check.command import check
    from anonsql.features.compare.command import compare
    from anonsql.features.compile.command import compile
    from anonsql.features.ledger.command import ledger
    from anonsql.features.measure.command import measure
    from anonsql.features.query.command import query
    from anonsql.features.read.command import read
    from anonsql.features.report.command import report
    from anonsql.features.risk.command import risk
    from anonsql.features.runs.command import runs
    from anonsql.features.verify.command import verification_sql
    from anonsql.policy.policy import Policy

_FEATURES = (
    *("advise", "anonymize", "apply", "attack", "check", "compare", "compile", "ledger"),
    *("measure", "query", "read", "report", "risk", "runs"),
)
_WHERE = {
    **dict.fromkeys(("init", "run", "search", "tabulate", "verify"), "anonsql.api"),
    **{name: f"anonsql.features.{name}.command" for name in _FEATURES},
    "verification_sql": "anonsql.features.verify.command",
    "AnonsqlError": "anonsql.errors",
    "Policy": "anonsql.policy.policy",
}


def __getattr__(name: str) -> Any:
    """Import what is public when it is first asked for: loading the engines takes far longer than
    ``anonsql --help`` should."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    result = getattr(import_module(_WHERE[name]), name)
    globals()[name] = result
    return result


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
