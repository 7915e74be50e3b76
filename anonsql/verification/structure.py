"""Verification of a release's structure: tables, columns and their types, facts stated twice.
Against the source: whether a run makes these columns of the source's."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines import column_types, contents
from anonsql.engines.base import (
    EARLIER,
    STATED,
    VIEW_PARTS,
    Column,
    Engine,
    Part,
    Relation,
    ReleaseTables,
)
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.columns import KEPT
from anonsql.policy.hierarchy import MaskHierarchy
from anonsql.policy.release_parts import WHOLE
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import AVERAGE_TYPE, added_names
from anonsql.verification.facts import average_names, bounds_names

LABELS = ("VARCHAR", "VARCHAR[]")
"""The types that released labels can have: texts, or lists of texts."""
_REPLACED = {"surrogate": ("BIGINT",), "constant": ("VARCHAR",)}
"""The types of what replaces an identifying column; NULL has the column's own."""
_OWN_COLUMNS: dict[Part, tuple[str, ...]] = {
    "about": ("property", "value"),
    "columns": STATED,
}
"""The columns of ``__about`` and ``__columns``; levels are integers, all others texts."""


def structure_offences(release: ReleaseTables, policy: TablePlan, lists: bool = False) -> list[str]:
    """Return the offences that do not concern the rows: columns that should not be there or are of
    a wrong type, facts stated twice. Released values are of the policy's type, or, with ``lists``,
    texts or lists of texts; then raise VerificationError unless all columns are there and of one of
    the two types. Raise it too where other things are stored with the release, or ``__about`` or
    ``__columns`` have other columns than theirs. Foreign content within files is one more offence:
    any edited release can have such traces."""
    if release.is_earlier:
        raise VerificationError([f"{EARLIER}: publish it again"])
    if release.unexpected_objects:
        raise VerificationError([contents.refusal(release.unexpected_objects)])
    inside = [contents.refusal(texts)] if (texts := release.within()) else []
    if offences := own_offences(release):
        raise VerificationError([*inside, *offences])
    released_columns = release.engine.columns(release.rows)
    facts = release.stated_facts
    columns = [(one.name, one.role, one.level) for one in release.stated_columns]
    offences = inside + _column_offences(
        policy, [column.name for column in released_columns], columns
    )
    if not offences and release.engine.own["stored_order"]:
        offences += _order_offences(
            [column.name for column in released_columns], [name for name, _, _ in columns]
        )
    offences += _type_offences(policy, released_columns, lists)
    stated = {name for name, value in facts if name is not None and value is not None}
    if len(stated) != len(facts) or len({name for name, _, _ in columns}) != len(columns):
        offences.append("__about or __columns states something twice, or not at all")
    readable = {column.name for column in released_columns if column.type in LABELS}
    if lists and not policy.quasi_identifiers.keys() <= readable:
        raise VerificationError(offences)
    return offences


def own_offences(release: ReleaseTables) -> list[str]:
    """Return which of ``__about`` and ``__columns`` have other columns than theirs, or columns of
    other types, and the columns of all tables of a type that no release has
    (:mod:`anonsql.engines.column_types`): it contains names or values."""
    found = {
        part: release.engine.columns(table)
        for part, table in release.by_part.items()
        if not part.startswith(WHOLE)  # which is a table by itself
    }
    return [
        f"__{part} has other columns than {', '.join(names)}, or of other types"
        for part, names in _OWN_COLUMNS.items()
        if [(column.name, column.type) for column in found[part]]
        != [(name, "INTEGER" if name == "level" else "VARCHAR") for name in names]
    ] + [
        f"{column.name!r} of {part} is {column.family}, a type that no column of a release has"
        for part, columns in found.items()
        for column in columns
        if not (column.plain or (part in VIEW_PARTS and column.type == "MIXED"))  # SQLite's views
    ]


def _type_offences(policy: TablePlan, columns: Sequence[Column], lists: bool = False) -> list[str]:
    """Return the columns of a wrong type. Generalized values are of the policy's type, with
    ``lists`` texts or lists of texts; their bounds are numbers or dates, and masks have no
    bounds."""
    masked = {
        name
        for name in policy.quasi_identifiers
        if isinstance(policy.hierarchy(name, ordered=True), MaskHierarchy)
    }
    labels = LABELS if lists else (policy.label_type,)
    types = {
        **dict.fromkeys(average_names(policy), (AVERAGE_TYPE,)),
        **dict.fromkeys(added_names(policy), ("BIGINT",)),
        **{name: _REPLACED[by] for name, by in policy.replaced.items() if by in _REPLACED},
        **dict.fromkeys(policy.quasi_identifiers, labels),
    }
    offences = []
    for column in columns:
        possible = types.get(column.name, (column.type,))
        if column.type not in possible:
            offences.append(f"{column.name!r} is {column.family}, not {' or '.join(possible)}")
        elif column.name in bounds_names(policy) and column.name[:-3] in masked:
            offences.append(f"{column.name!r} cannot be a bounds column")
    return offences + _bounds_offences(policy, columns)


def _bounds_offences(policy: TablePlan, columns: Sequence[Column]) -> list[str]:
    """Return the bounds that no run releases so: of another type than bounds have, or not directly
    behind the column whose least and greatest values they are."""
    names, offences = [column.name for column in columns], []
    types = {column.name: column for column in columns}
    for name in policy.quasi_identifiers:
        ends = [f"{name}_{end}" for end in ("lo", "hi")]
        if not set(ends) & bounds_names(policy) & set(names):
            continue
        if name in names:
            behind = names[names.index(name) + 1 :][:2]
            if behind != ends:
                offences.append(f"the bounds of {name!r} are not right after it")
        bounds = [types[end] for end in ends if end in types]
        if wrong := [bound for bound in bounds if not _is_bounds_type(bound)]:
            offences.append(f"{wrong[0].name!r} is {wrong[0].family}, which bounds never are")
    return offences


def _is_bounds_type(column: Column) -> bool:
    if column.kind == "decimal":
        return column.unbounded or column.type.startswith(("DECIMAL(38", "DECIMAL(65"))
    return column.type in ("BIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "DATE", "TIMESTAMP")


def _order_offences(names: Sequence[str], documented: Sequence[str]) -> list[str]:
    """Return whether the released columns have another order than the rows of ``__columns``, which
    a run writes in the order of the release; columns in separate tables are only in the latter."""
    if [name for name in documented if name in names] == list(names):
        return []
    return [f"the columns are in another order than in __columns: {', '.join(names)}"]


def _column_offences(
    policy: TablePlan, names: Sequence[str], columns: Sequence[tuple[str, str | None, int | None]]
) -> list[str]:
    offences = [
        f"the identifying column {name!r} is in the release"
        for name in names
        if name in policy.removed
    ]
    documented = {name for name, _, _ in columns}
    undocumented = sorted(set(names) - documented)
    if undocumented:
        offences.append(f"columns that are not in __columns: {', '.join(undocumented)}")
    kept = [name for name in policy.columns if name not in policy.removed]
    added = set(added_names(policy))
    averages = average_names(policy)
    missing = sorted(added.union(kept, averages) - set(policy.apart) - set(names))
    offences += [
        f"the sensitive column {name!r} is next to the quasi-identifying columns"
        for name in policy.apart
        if name in names
    ]
    if missing:
        offences.append(f"columns that are missing: {', '.join(missing)}")
    roles = {name: role for name, role, _ in columns}
    bounds = {
        f"{name}_{end}": column.role
        for name, column in policy.quasi_identifiers.items()
        for end in ("lo", "hi")
    }
    bounds |= {name: policy.columns[own].role for name, (own, _) in averages.items()}
    expected = {**bounds, **{name: policy.columns[name].role for name in kept}}
    changed = sorted(name for name, role in roles.items() if expected.get(name, role) != role)
    if changed:
        offences.append(f"columns with a different role than in the policy: {', '.join(changed)}")
    for name, _, level in columns:
        settings = policy.quasi_identifiers.get(name)
        if settings is None or level is None:
            continue
        least, most = settings.min_level or 0, settings.max_level
        if level < least or (most is not None and level > most):
            offences.append(f"{name!r} is at level {level}, outside the policy's limits")
    unknown = sorted(
        set(names) - set(policy.columns) - bounds_names(policy) - added - averages.keys()
    )
    if unknown:
        offences.append(f"columns that are not in the policy: {', '.join(unknown)}")
    return offences


_ALL_DIGITS = (38, 65)
"""The digits of all decimals of a release on a server, so that they reveal no value: 65 where the
source's are more than 38."""


def against_source(
    engine: Engine,
    release: ReleaseTables,
    policy: TablePlan,
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
            result.append(f"{original.name!r} is {what}, which no release makes of it")
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
