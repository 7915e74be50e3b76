"""The known methods: those of anonsql, and those that other packages add by the entry points
``anonsql.methods``.

An entry point names a subclass of :class:`anonsql.methods.base.Method`; its name is the method's
``type`` in a policy. Settings are found here, by name, so that a policy does not depend on the code
of methods.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationError, WrapValidator
from pydantic.functional_validators import ModelWrapValidatorHandler

from anonsql.errors import FieldError, PolicyError
from anonsql.policy.method import MethodSettings
from anonsql.policy.problems import path_text
from anonsql.system import entry_points

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
    types: dict[str, type[MethodSettings]] = {}
    for package in PACKAGES:
        module = importlib.import_module(f"anonsql.methods.{package}.settings")
        types |= {str(setting.model_fields["type"].default): setting for setting in module.SETTINGS}
    return types


def _points() -> frozenset[str]:
    """Return the methods of other packages. Those that are called like one of anonsql's own are
    left out: they never replace it."""
    return frozenset(entry_points.of_group(GROUP)) - frozenset(_own())


@cache
def added(name: str) -> Any:
    """Return the method that another package adds under this name; None where no package does.
    Raise PolicyError if two packages do, or if the entry point names no method."""
    if name in _own() or name not in _points():
        return None
    value, method = entry_points.load(GROUP, name, "method", "method.type")
    settings = getattr(method, "settings", None)
    own = isinstance(settings, type) and issubclass(settings, MethodSettings)
    if not own or settings is None or settings.model_fields["type"].default != name:
        text = f"{value} has no settings for a method {name!r}."
        raise PolicyError.at("method.type", text, entry_points.REMEDY)
    return method


def names() -> frozenset[str]:
    """Return the names of all methods."""
    return frozenset(_own()) | _points()


def settings_of(name: object) -> type[MethodSettings] | None:
    """Return the settings class of the method of that name; None where there is no such method."""
    if not isinstance(name, str):
        return None
    if name in _own():
        return _own()[name]
    settings = added(name)
    return None if settings is None else settings.settings


def traits(name: str) -> type[MethodSettings]:
    """Return the settings class of the method that a release or report names; the general one where
    the method is unknown."""
    return settings_of(name) or MethodSettings


def needs_hierarchies(method: Any) -> bool:
    """Return whether a method, as read from YAML, generalizes by hierarchies, so that every column
    needs one."""
    parameters = method if isinstance(method, dict) else {}
    settings = settings_of(parameters.get("type", "full-domain"))
    return settings is None or settings.needs_hierarchies(parameters)


def _with_type(method: Any) -> Any:
    return {"type": "full-domain", **method} if isinstance(method, dict) else method


def _of_others(method: Any, handler: ModelWrapValidatorHandler[MethodSettings]) -> MethodSettings:
    name = method.get("type") if isinstance(method, dict) else getattr(method, "type", None)
    if not isinstance(name, str) or name in _own() or (settings := settings_of(name)) is None:
        own = handler(method)
        type(own).model_rebuild()  # it is serialized by its own class
        return own
    try:
        return settings.model_validate(method)
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
