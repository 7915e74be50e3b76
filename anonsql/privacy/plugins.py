"""The privacy models that other packages add by the entry points ``anonsql.models``.

An entry point names a subclass of :class:`anonsql.privacy.base.ColumnModel` (or
``PopulationModel``) with the folder of its SQL ``templates``; its name is the model's, a field of
``privacy`` in a policy.
"""

from __future__ import annotations

from functools import cache

from anonsql.errors import PolicyError
from anonsql.privacy.base import ModelSettings
from anonsql.system import entry_points

GROUP = "anonsql.models"


def names() -> frozenset[str]:
    """Return the names of the models that other packages add."""
    return frozenset(entry_points.of_group(GROUP))


@cache
def settings_of(name: str) -> type[ModelSettings]:
    """Return the settings of the model that another package adds under this name. Raise PolicyError
    where two packages do, or where what the entry point names is no model."""
    where = f"privacy.{name}"
    value, result = entry_points.load(GROUP, name, "privacy model", where)
    own = isinstance(result, type) and issubclass(result, ModelSettings)
    if not own or getattr(result, "name", None) != name:
        text = f"{value} has no settings for a privacy model {name!r}."
        raise PolicyError.at(where, text, entry_points.REMEDY)
    settings: type[ModelSettings] = result
    return settings
