"""What ``method: {type: local}`` needs of the rest of a policy, and what semi-sensitive columns are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.errors import FieldError
from anonsql.policy.conditions import SUPPORTED, Condition, parse
from anonsql.policy.hierarchy import as_text
from anonsql.policy.privacy import Privacy


def bucket_name(column: str) -> str:
    """The column that names the bucket of a column's sensitive value."""
    return f"{column}_bucket"


def bucket_parts(columns: Sequence[str]) -> dict[str, str]:
    """For each column that has buckets, in the order of the policy, which part of the release the table of them is: what it adds to
    the table's name."""
    return {name: f"sensitive_{number}" for number, name in enumerate(columns, start=1)}


def with_flags(columns: Mapping[Any, Any]) -> dict[Any, Any]:
    """The policy's columns as read from YAML, with an entry for every column that a ``flag`` names: it is never released."""
    named = [as_text(each.get("flag")) for each in columns.values() if isinstance(each, dict)]
    return {
        **columns,
        **{
            name: {"role": "identifying"}
            for name in named
            if isinstance(name, str) and name not in columns
        },
    }


def require_none(columns: Mapping[str, Any], method: str) -> None:
    """Raise FieldError where a column is semi-sensitive, and the method another than local."""
    for name, column in columns.items():
        if column.role == "semi-sensitive":
            text = (
                f"semi-sensitive columns need `method: {{type: local}}`, and the method is {method}"
            )
            raise FieldError(f"columns.{name}.role", text)


def require_fit(columns: Mapping[str, Any], privacy: Privacy, *, masks: bool) -> None:
    """Raise FieldError unless every sensitive and semi-sensitive column has one promise that buckets can keep, nothing else is
    asked for, and every semi-sensitive column says for whom it is sensitive."""
    for name, column in columns.items():
        if column.role == "semi-sensitive":
            _require_decided(name, column, columns)
        if column.role in ("semi-sensitive", "sensitive"):
            _require_promise(name, privacy)
    for model, name in privacy.named_columns():
        if model not in ("l_diversity", "t_closeness"):
            text = "local keeps l_diversity or t_closeness of each column: leave it out, or choose another method"
            raise FieldError(f"privacy.{model}.{name}", text)
    for name, asked in privacy.t_closeness.items():
        if asked.distance == "hierarchical":
            text = (
                "found hierarchical; local measures equal and ordered distances: choose one of them"
            )
            raise FieldError(f"privacy.t_closeness.{name}.distance", text)
    for field in ("entity", "population", "quasi_identifiers"):
        if getattr(privacy, field) is not None:
            raise FieldError(
                f"privacy.{field}", "local cannot keep this: leave it out, or choose another method"
            )
    if masks:
        raise FieldError(
            "release.suppressed",
            "found mask; local leaves suppressed rows out, as they have no group and no buckets",
        )


def _require_promise(name: str, privacy: Privacy) -> None:
    """Raise FieldError unless exactly one promise is made of a column's sensitive values."""
    asked = privacy.l_diversity.get(name)
    if (asked is None) == (name not in privacy.t_closeness):
        found = "both" if asked is not None else "neither"
        text = f"local needs either l_diversity or t_closeness of every sensitive and semi-sensitive column, and {name!r} has {found}"
        raise FieldError(
            f"privacy.l_diversity.{name}", f"{text}, e.g. `l_diversity: {{{name}: 5}}`"
        )
    if asked is not None and asked.type != "distinct":
        text = f"found {asked.type}; local keeps a stronger one, no value twice in a bucket of l: name l alone"
        raise FieldError(f"privacy.l_diversity.{name}.type", text)


def _require_decided(name: str, column: Any, columns: Mapping[str, Any]) -> None:
    """Raise FieldError unless it is clear for whom a semi-sensitive column is sensitive."""
    if column.flag is not None:
        role = columns[column.flag].role
        if role != "identifying":
            text = f"a flag is never released, and the role of {column.flag!r} is {role}: make it identifying, or leave it out of columns"
            raise FieldError(f"columns.{name}.flag", text)
        return
    condition(name, column, columns)


def condition(name: str, column: Any, columns: Mapping[str, Any]) -> Condition:
    """For whom a semi-sensitive column is sensitive; raises FieldError where that is no condition of the table's columns."""
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
        each
        for each in read.columns
        if each != name and columns[each].role in ("semi-sensitive", "sensitive")
    ]:
        text = f"whoever sees that {name!r} is withheld would know what the condition says of {', '.join(telling)}, which is sensitive too"
        raise FieldError(
            f"columns.{name}.sensitive_when", f"{text}: use a flag, or a condition on other columns"
        )
    return read


def warnings(
    columns: Mapping[str, Any], conditions: Mapping[str, Condition]
) -> list[tuple[str, str, str]]:
    """What a condition tells by the fact alone that a cell is withheld: (place, found, remedy)."""
    found = []
    for name, each in conditions.items():
        telling = [
            named
            for named in each.columns
            if columns[named].role in ("semi-sensitive", "identifying")
        ]
        if columns[name].sensitive_when is not None and telling:
            text = f"whoever sees that {name} is withheld learns what the condition says of {', '.join(telling)}."
            found.append(
                (
                    f"columns.{name}.sensitive_when",
                    text,
                    "Use a flag that people set themselves, or a condition on other columns.",
                )
            )
    return found
