"""Whether columns that are released as they are have a type that a release of the source's columns
can have."""

from __future__ import annotations

from anonsql.engines import column_types
from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.policy.policy import Policy

_ALL_DIGITS = (38, 65)
"""The digits of all decimals of a release on a server, so that they tell of no value: 65 where the
source's are more than 38."""


def offences(engine: Engine, release: ReleaseTables, policy: Policy, source: Relation) -> list[str]:
    """Return the kept columns of the released rows whose type no release of the source's column can
    have: values that were cast keep their text, but sort, join and add up differently."""
    columns = {each.name: each for each in release.engine.columns(release.rows)}
    found = []
    for original in engine.columns(source):
        column, released = policy.columns.get(original.name), columns.get(original.name)
        if released is None or column is None or column.role not in ("sensitive", "insensitive"):
            continue
        if released.type not in possible(
            original, travels=release.engine is not engine
        ) and not _is_wider(original, released):
            what = f"{released.family} in the release, {original.family} in the source"
            found.append(f"{original.name!r} is {what}: a release does not make that of it")
    return found


def possible(original: Column, *, travels: bool) -> set[str]:
    """Return the types that a column of the source can have in a release, whose engine is another
    where it ``travels``. Text is possible where a file may not hold all values as their type."""
    kept = original.released_type
    types = {kept}
    if travels:
        types |= {column_types.of_server(original.type)}
    types |= {column_types.in_file(each, kind) for each in types for kind in ("duckdb", "parquet")}
    return types | (
        {column_types.TEXT} if column_types.may_be_text(kept, travels=travels) else set()
    )


def _is_wider(original: Column, released: Column) -> bool:
    """Return whether a released decimal has the digits of the source's after the point, and in all
    as many as servers release every decimal with."""
    wide, digits = column_types.digits(released.type), column_types.digits(original.type)
    if wide is None or digits is None:
        return False
    return released.scale == original.scale and wide in _ALL_DIGITS and wide >= digits
