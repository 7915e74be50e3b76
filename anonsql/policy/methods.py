"""The known methods: those of anonsql, and those that other packages add by the entry points
``anonsql.methods``.

An entry point names a subclass of :class:`anonsql.methods.base.Method`; its name is the method's
``type`` in a policy. Settings are found here, by name, so that a policy knows methods without
knowing what they do.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationError, WrapValidator
from pydantic.functional_validators import ModelWrapValidatorHandler

from anonsql.errors import FieldError
from anonsql.policy.method import MethodSettings
from anonsql.policy.problems import path_text

GROUP = "anonsql.methods"
PACKAGES = (
    "full_domain",
    "full_subtree",
    "ordered_partition",
    "full_subgraph",
    "mondrian",
    "hilbert",
    "cells",
    "ring",
    "anatomy",
    "local",
    "hybrid",
)
"""The packages of :mod:`anonsql.methods` that are methods: each has ``settings.SETTINGS`` and
``method.METHODS``."""


@cache
def _own() -> dict[str, type[MethodSettings]]:
    """Return the settings of anonsql's own methods, by type."""
    found: dict[str, type[MethodSettings]] = {}
    for package in PACKAGES:
        module = importlib.import_module(f"anonsql.methods.{package}.settings")
        found |= {str(each.model_fields["type"].default): each for each in module.SETTINGS}
    return found


@cache
def added() -> Mapping[str, Any]:
    """Return the methods that other packages add, as they are loaded, by type. They never replace
    one of anonsql's own."""
    points = metadata.entry_points(group=GROUP)
    return {each.name: each.load() for each in points if each.name not in _own()}


def names() -> frozenset[str]:
    """Return the names of all methods."""
    return frozenset(_own()) | frozenset(added())


def settings_of(name: object) -> type[MethodSettings] | None:
    """Return the settings class of the method of that name; None where there is no such method."""
    if not isinstance(name, str):
        return None
    if name in _own():
        return _own()[name]
    found = added().get(name)
    return None if found is None else found.settings


def traits(name: str) -> type[MethodSettings]:
    """Return the settings class of the method that a release or report names; the general one where
    the method is unknown."""
    return settings_of(name) or MethodSettings


def needs_hierarchies(method: Any) -> bool:
    """Return whether a method, as read from YAML, generalizes by hierarchies, so that every column
    needs one."""
    given = method if isinstance(method, dict) else {}
    settings = settings_of(given.get("type", "full-domain"))
    return settings is None or settings.needs_hierarchies(given)


def _with_type(method: Any) -> Any:
    """Return the settings with a type: full-domain where none is named."""
    return {"type": "full-domain", **method} if isinstance(method, dict) else method


def _of_others(method: Any, handler: ModelWrapValidatorHandler[MethodSettings]) -> MethodSettings:
    """Validate the settings of a method that another package adds by its own model."""
    name = method.get("type") if isinstance(method, dict) else getattr(method, "type", None)
    if not isinstance(name, str) or name in _own() or name not in added():
        return handler(method)
    try:
        return added()[name].settings.model_validate(method)  # type: ignore[no-any-return]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise FieldError(path_text(first["loc"]), first["msg"]) from None


if TYPE_CHECKING:
    Method = MethodSettings
else:
    Method = Annotated[
        SerializeAsAny[
            Annotated[Union[tuple(_own().values())], Field(discriminator="type")]  # noqa: UP007
        ],
        WrapValidator(_of_others),
        BeforeValidator(_with_type),
    ]
"""The settings of any method, distinguished by ``type``."""
