"""The method that a policy's settings name."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from anonsql.errors import InvariantError
from anonsql.methods.base import Method
from anonsql.policy.method import MethodSettings
from anonsql.policy.methods import PACKAGES, added
from anonsql.sql import templates


def of(settings: MethodSettings) -> Method[Any]:
    """Return the method with these settings."""
    found = _own(type(settings)) or _added(settings.type)
    if found is None:
        raise InvariantError(f"{settings.type!r} is no method")
    return found(settings)


@cache
def _own(settings: type[MethodSettings]) -> type[Method[Any]] | None:
    """Return anonsql's own method with these settings; None where it has none. Only the method's
    own package is imported."""
    package = settings.__module__.removeprefix("anonsql.methods.").removesuffix(".settings")
    if package not in PACKAGES:
        return None
    module = importlib.import_module(f"anonsql.methods.{package}.method")
    found: Sequence[type[Method[Any]]] = module.METHODS
    return next((entry for entry in found if entry.settings is settings), None)


def _added(name: str) -> type[Method[Any]] | None:
    """Return the method that another package registers under this name, and make its templates
    available."""
    found: type[Method[Any]] | None = added(name)
    if found is not None and found.templates is not None:
        templates.add(name, found.templates)
    return found
