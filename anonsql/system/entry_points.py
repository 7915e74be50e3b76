"""What other installed packages add, by entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from anonsql.errors import PolicyError

if TYPE_CHECKING:
    from importlib import metadata

REMEDY = "Repair or uninstall the package that adds it."


@cache
def of_group(group: str) -> Mapping[str, list[metadata.EntryPoint]]:
    """Return a group's entry points by name, looking through all installed packages."""
    from importlib import metadata

    by_name: dict[str, list[metadata.EntryPoint]] = {}
    for point in metadata.entry_points(group=group):
        by_name.setdefault(point.name, []).append(point)
    return by_name


def load(group: str, name: str, what: str, where: str) -> tuple[str, Any]:
    """Return the spelling of the one entry point of a name, and what it names. Raise PolicyError
    where there are two or it cannot be loaded, with ``what`` it adds and ``where``."""
    points = of_group(group)[name]
    if len(points) > 1:
        values = ", ".join(point.value for point in points)
        text = f"{len(points)} installed packages add the {what} {name!r}: {values}."
        raise PolicyError.at(where, text, "Uninstall all of them except one.")
    try:
        return points[0].value, points[0].load()
    except Exception as error:  # whatever the code of another package raises
        text = f"the {what} {name!r} ({points[0].value}) cannot be loaded: {type(error).__name__}."
        raise PolicyError.at(where, text, REMEDY) from error
