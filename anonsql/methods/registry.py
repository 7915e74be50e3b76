"""The method that a policy's settings name."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from anonsql.errors import InvariantError
from anonsql.methods.base import Method
from anonsql.policy.method import MethodSettings
from anonsql.policy.methods import PACKAGES, added
from anonsql.sql import templates


def of(settings: MethodSettings) -> Method[Any]:
    """Return the method with these settings."""
    found = _own().get(type(settings)) or _added(settings.type)
    if found is None:
        raise InvariantError(f"{settings.type!r} is no method")
    return found(settings)


@cache
def _own() -> dict[type[MethodSettings], type[Method[Any]]]:
    """Return anonsql's own methods, by their settings."""
    found: dict[type[MethodSettings], type[Method[Any]]] = {}
    for package in PACKAGES:
        module = importlib.import_module(f"anonsql.methods.{package}.method")
        found |= {each.settings: each for each in module.METHODS}
    return found


def _added(name: str) -> type[Method[Any]] | None:
    """Return the method that another package registers under this name, and make its templates
    available."""
    found: type[Method[Any]] | None = added(name)
    if found is not None and found.templates is not None:
        templates.add("methods", name, found.templates)
    return found
