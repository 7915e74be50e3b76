"""Codes that are generalized by their first characters: those of ICD-10, and US ZIP codes."""

from __future__ import annotations

from typing import Any

from anonsql.engines.base import Column
from anonsql.errors import PolicyError
from anonsql.policy.hierarchy import TOP, Icd10Hierarchy, UsZipHierarchy
from anonsql.policy.resolved import KEY_LENGTH, keyed_levels, keys_of


def shape(column: Column, spec: UsZipHierarchy | Icd10Hierarchy, where: str) -> dict[str, Any]:
    """Return the fields of an Attribute of a column of codes. Raise PolicyError where it has
    none."""
    is_zip = isinstance(spec, UsZipHierarchy)
    if column.kind != "text" and not (is_zip and column.kind == "integer"):
        text = f"such codes are text, and {column.name!r} is {column.family}."
        raise PolicyError.at(where, text, "Cast it to text in a view.")
    return {
        "template": "hierarchies/keyed",
        "levels": ("as it is", *keyed_levels(spec), TOP),
        "parameters": {
            "keys": [(key, *labels) for key, labels in keys_of(spec).items()],
            "length": KEY_LENGTH,
            "least": 5 if is_zip else KEY_LENGTH,
            "zeros": column.kind == "integer",
        },
    }
