"""Whether the columns of a release are those that a run makes of the source's: in the same order,
and of types that a release of these can have."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines import column_types
from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.columns import KEPT
from anonsql.policy.policy import Policy

_ALL_DIGITS = (38, 65)
"""The digits of all decimals of a release on a server, so that they tell of no value: 65 where the
source's are more than 38."""


def offences(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
) -> list[str]:
    """Return what is wrong with the columns of the released rows: kept columns of a type that no
    release of the source's column can have (values that were cast keep their text, but sort, join
    and add up differently), bounds of another type than those of the column, and columns in another
    order than the source's."""
    released = release.engine.columns(release.rows)
    columns = {column.name: column for column in released}
    originals, travels = engine.columns(source), release.engine is not engine
    result = []
    for original in originals:
        settings, column = policy.columns.get(original.name), columns.get(original.name)
        if column is None or settings is None or settings.role not in KEPT:
            continue
        if column.type not in possible(original, travels=travels) and not _is_wider(
            original, column
        ):
            what = f"{column.family} in the release, {original.family} in the source"
            result.append(f"{original.name!r} is {what}: a release does not make that of it")
    for attribute in attributes:
        for name in (f"{attribute.name}_lo", f"{attribute.name}_hi"):
            bound = columns.get(name) if attribute.bounds_type else None
            if bound is not None and not _is_bound(bound, attribute, travels=travels):
                result.append(f"{name!r} is {bound.family}, not {attribute.bounds_type}")
    names = [original.name for original in originals]
    expected = [name for name in names if name in columns]
    if [column.name for column in released if column.name in names] != expected:
        result.append(f"the columns are in another order than the source's: {', '.join(expected)}")
    return result


def _is_bound(column: Column, attribute: Attribute, *, travels: bool) -> bool:
    """Return whether a column of bounds has the type that a run gives it."""
    made = Column(column.name, (attribute.bounds_type or "").replace(", ", ","))
    own = Column(column.name, column.type.replace(", ", ","))
    unbounded = made.kind == "decimal" and own.unbounded  # as PostgreSQL computes them
    return unbounded or own.type in possible(made, travels=travels) or _is_wider(made, own)


def _is_wider(original: Column, released: Column) -> bool:
    """Return whether a released decimal has the digits of the source's after the point, and in all
    as many as servers release every decimal with."""
    wide, digits = column_types.digits(released.type), column_types.digits(original.type)
    if wide is None or digits is None:
        return False
    return released.scale == original.scale and wide in _ALL_DIGITS and wide >= digits


def possible(original: Column, *, travels: bool) -> set[str]:
    """Return the types that a column of the source can have in a release, whose engine is another
    where it ``travels``. Text is possible where a file may not hold all values as their type."""
    kept = original.released_type
    types = {kept}
    if travels:
        types |= {column_types.of_server(original.type)}
    types |= {column_types.in_file(name, kind) for name in types for kind in ("duckdb", "parquet")}
    return types | (
        {column_types.TEXT} if column_types.may_be_text(kept, travels=travels) else set()
    )
