"""How many values of a column its built-in hierarchy recognizes, counted in the source. A few
others are released as OTHER, with a warning; more stop the run unless the policy accepts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from anonsql.engines.base import Column, Engine, PlainColumn, Relation
from anonsql.errors import Problem
from anonsql.policy.built_in.hierarchies import country_spellings
from anonsql.policy.hierarchy import (
    OTHER,
    CountriesHierarchy,
    Icd10Hierarchy,
    Spelling,
    SuppressionHierarchy,
    UsZipHierarchy,
)
from anonsql.policy.resolved import KEYED, keyed_shape, keys_of
from anonsql.policy.table_columns import TableColumns
from anonsql.system.journal import log

BuiltIn = CountriesHierarchy | Icd10Hierarchy | UsZipHierarchy
BUILT_IN = (CountriesHierarchy, *KEYED)
MOST_VALUES = 20
MOST_ROWS = 20
"""At most one of so many rows may have an unknown value."""
_CODE = "code"
_NOUNS = {"countries": "country", "icd-10": "code of ICD-10", "us-zip": "US ZIP code"}
_RELEASED = f"The release has `{OTHER}` instead."
_COMPARED = f"The promise treats them as one value, `{OTHER}`."
_SPELLINGS: dict[Spelling, str] = {
    "alpha-2": "a code of two letters",
    "alpha-3": "a code of three letters",
    "name": "a name",
}


def recognize(
    engine: Engine,
    relation: Relation,
    columns: Sequence[Column],
    policy: TableColumns,
    *,
    show_values: bool,
) -> tuple[list[Problem], list[Problem]]:
    """Return what is wrong with the columns that have a built-in hierarchy, and warnings about
    them."""
    by_name = {column.name: column for column in columns}
    problems: list[Problem] = []
    warnings: list[Problem] = []
    for name, settings in policy.columns.items():
        spec, column = settings.hierarchy, by_name.get(name)
        if not isinstance(spec, BUILT_IN) or column is None or not _usable(spec, column):
            continue
        if isinstance(policy.known_hierarchy(name), SuppressionHierarchy):
            continue  # the method releases values as they are
        asked = _asked(relation, spec, column)
        found = [tuple(row) for row in engine.query("hierarchies/recognized", **asked)]
        where = f"columns.{name}.hierarchy"
        if unknown := next((row for row in found if row[0] is None), None):
            _, values, rows = unknown
            if show_values:
                examples = engine.query("hierarchies/recognized", **{**asked, "shown": True})
                shown = ", ".join(repr(row[0]) for row in examples)
                log.warning("%s: for example %s", where, shown)
            many = values > MOST_VALUES or rows * MOST_ROWS > sum(row[2] for row in found)
            if many and spec.unknown == "few":
                problems.append(_refusal(where, spec, values, rows, show_values=show_values))
            else:
                counted = _counted(spec, values, rows)
                done = _RELEASED if name in policy.quasi_identifiers else _COMPARED
                remedy = f"If they are misspelled, correct them in a view.{_shown(show_values)}"
                warnings.append(Problem(where, f"{counted}. {done}", remedy))
        if isinstance(spec, CountriesHierarchy) and name in policy.quasi_identifiers:
            counts = Counter({kind: rows for kind, _, rows in found if kind in _SPELLINGS})
            warnings += _respelled(where, spec, counts)
    return problems, warnings


def _usable(spec: BuiltIn, column: Column) -> bool:
    """Return whether a column has a type that the hierarchy takes; a later stage says so where it
    has not."""
    if isinstance(spec, CountriesHierarchy):
        return column.kind != "other"
    return column.kind == "text" or (isinstance(spec, UsZipHierarchy) and column.kind == "integer")


def _asked(relation: Relation, spec: BuiltIn, column: Column) -> dict[str, Any]:
    """Return what the statement takes that recognizes values."""
    asked: dict[str, Any] = {"table": relation, "a": PlainColumn(column), "shown": False}
    if isinstance(spec, CountriesHierarchy):
        keys = [(word, kind or OTHER) for word, kind in country_spellings().items()]
        return {**asked, "keys": keys, "coded": False}
    keys = [(key, _CODE) for key in keys_of(spec)]
    return {**asked, "keys": keys, "coded": True, **keyed_shape(spec, column.kind)}


def _counted(spec: BuiltIn, values: int, rows: int) -> str:
    in_rows = f"{rows:,} row{'s' * (rows != 1)} ({values:,} value{'s' * (values != 1)})"
    return f"{in_rows} {'has' if rows == 1 else 'have'} no {_NOUNS[spec.type]}"


def _shown(show_values: bool) -> str:
    return "" if show_values else " --show-values shows up to five."


def _line(spec: BuiltIn, **settings: str) -> str:
    """Return a line of a policy that gives the hierarchy other settings."""
    given = {**spec.model_dump(exclude_defaults=True), **settings}
    given.pop("type", None)
    return f"`hierarchy: {{type: {spec.type}, {', '.join(f'{k}: {v}' for k, v in given.items())}}}`"


def _refusal(where: str, spec: BuiltIn, values: int, rows: int, *, show_values: bool) -> Problem:
    text = f"{_counted(spec, values, rows)}: too many to become `{OTHER}` by default."
    line = _line(spec, unknown="any")
    remedy = f"Correct them in a view, or accept them all as `{OTHER}`: {line}."
    return Problem(where, text, remedy + _shown(show_values))


def _respelled(where: str, spec: CountriesHierarchy, rows: Counter[Spelling]) -> list[Problem]:
    """Return a warning where most rows spell countries in another way than the release."""
    if not rows:
        return []
    usual, most = rows.most_common(1)[0]
    if rows[spec.spelling] == most:
        return []
    text = (
        f"{most:,} of {rows.total():,} rows have {_SPELLINGS[usual]}, and the release has"
        f" {_SPELLINGS[spec.spelling]}."
    )
    return [Problem(where, text, f"To keep their spelling: {_line(spec, spelling=usual)}.")]
