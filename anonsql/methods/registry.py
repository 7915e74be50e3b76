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
    method = _own(type(settings)) or _added(settings.type)
    if method is None:
        raise InvariantError(f"{settings.type!r} is not a method")
    return method(settings)


@cache
def _own(settings: type[MethodSettings]) -> type[Method[Any]] | None:
    package = settings.__module__.removeprefix("anonsql.methods.").removesuffix(".settings")
    if package not in PACKAGES:
        return None
    module = importlib.import_module(f"anonsql.methods.{package}.method")
    types: Sequence[type[Method[Any]]] = module.METHODS
    return next((entry for entry in types if entry.settings is settings), None)


def _added(name: str) -> type[Method[Any]] | None:
    method: type[Method[Any]] | None = added(name)
    if method is not None and method.templates is not None:
        templates.add(name, method.templates)
    return method
