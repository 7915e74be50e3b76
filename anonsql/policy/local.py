"""Semi-sensitive columns, and the requirements of ``method: {type: local}`` on a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.errors import FieldError
from anonsql.policy.conditions import SUPPORTED, Condition, parse
from anonsql.system.scalars import as_text


def bucket_name(column: str) -> str:
    """Return the name of the column with the buckets of a column's sensitive values."""
    return f"{column}_bucket"


def bucket_parts(columns: Sequence[str]) -> dict[str, str]:
    """Return, for each column that has buckets, in the order of the policy, the part of the release
    that is their table: the suffix to the released table's name."""
    return {name: f"sensitive_{number}" for number, name in enumerate(columns, start=1)}


def with_flags(columns: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the policy's columns as read from YAML, with an entry for every column that a ``flag``
    names, which is never released."""
    named = [as_text(column.get("flag")) for column in columns.values() if isinstance(column, dict)]
    return {
        **columns,
        **{
            name: {"role": "identifying"}
            for name in named
            if isinstance(name, str) and name not in columns
        },
    }


def condition(name: str, column: Any, columns: Mapping[str, Any]) -> Condition:
    """Return the condition under which a semi-sensitive column is sensitive; raise FieldError where
    it is not a condition on the table's columns."""
    if column.flag is not None:
        quoted = '"' + column.flag.replace('"', '""') + '"'
        return parse(quoted, columns)
    try:
        read = parse(column.sensitive_when, columns)
    except ValueError as error:
        raise FieldError(
            f"columns.{name}.sensitive_when", f"{error}. {SUPPORTED}".removesuffix(".")
        ) from None
    if telling := [
        column
        for column in read.columns
        if column != name and columns[column].role in ("semi-sensitive", "sensitive")
    ]:
        text = (
            f"a reader who sees that {name!r} is withheld would learn what the condition says"
            f" about {', '.join(telling)}, which is sensitive too"
        )
        raise FieldError(
            f"columns.{name}.sensitive_when", f"{text}: use a flag, or a condition on other columns"
        )
    return read


def warnings(
    columns: Mapping[str, Any], conditions: Mapping[str, Condition]
) -> list[tuple[str, str, str]]:
    """Return warnings about conditions by which a withheld entry reveals something: (place in the
    policy, finding, remedy)."""
    rows = []
    for name, entry in conditions.items():
        telling = [
            named
            for named in entry.columns
            if columns[named].role in ("semi-sensitive", "identifying")
        ]
        if columns[name].sensitive_when is not None and telling:
            text = (
                f"a reader who sees that {name} is withheld learns what the condition says about"
                f" {', '.join(telling)}."
            )
            rows.append(
                (
                    f"columns.{name}.sensitive_when",
                    text,
                    "Use a flag that people set themselves, or a condition on other columns.",
                )
            )
    return rows
