"""The columns of the source that patterns in a policy stand for: put in their place before a job
begins, so that nothing else knows of patterns. Engines are loaded only where a policy has some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

from anonsql.errors import AnonsqlError, PolicyError, Problem
from anonsql.policy import policies
from anonsql.policy.column_patterns import DEFAULT, expanded, is_pattern, matches
from anonsql.policy.columns import KEPT
from anonsql.policy.locations import JobLocations
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.system.numbers import counted

if TYPE_CHECKING:
    from anonsql.engines.base import Context
    from anonsql.policy.columns import ColumnPolicy
    from anonsql.policy.policies import AnyGiven, AnyPolicy
    from anonsql.policy.table_columns import TableColumns

_Resolved = TypeVar("_Resolved", bound=Policy | RelationalPolicy | StatisticsPolicy)
_SHOWN = 5  # names in a warning, at most
_COMPUTED = ("_lo", "_hi", "_mean", "_median")
"""The ends of names of columns that a release has beside a generalized one."""


def of(policy: AnyGiven, *, reading: bool = False) -> AnyPolicy:
    """Return the policy that is given, without patterns: see :func:`resolved`."""
    return resolved(policies.of(policy), reading=reading)


def resolved(policy: _Resolved, *, reading: bool = False) -> _Resolved:
    """Return a policy with an entry for every column that its patterns stand for: the source's, or,
    where a command is ``reading`` the release of one table alone, those that this has. Raise
    PolicyError for a pattern that matches no column, BusyError where the source cannot be
    reached."""
    if isinstance(policy, StatisticsPolicy) or policy.origin.patterns is not None:
        return policy
    tables = _with_patterns(policy)
    if not tables:
        return policy
    if reading and isinstance(policy, Policy) and (names := _of_release(policy)) is not None:
        columns = {"": _without_removed(policy.columns, names)}
        return _resolved(policy, columns, {"": names})
    return _resolved(policy, tables, _of_source(policy, tables))


def unnamed(plan: TableColumns, where: str = "columns") -> list[Problem]:
    """Return a warning where columns that a policy does not name are released as they are."""
    found = (plan.origin.patterns or {}).get(f"{where}.{DEFAULT}", ())
    if not found or plan.columns[found[0]].role not in KEPT:
        return []
    shown = f"{', '.join(found[:_SHOWN])}{' and more' * (len(found) > _SHOWN)}"
    kept = "is released as it is" if len(found) == 1 else "are released as they are"
    text = (
        f"{counted(len(found), 'column')} that the policy does not name {kept}: {shown}. A column"
        " that the source gets later is released, too."
    )
    return [Problem(f"{where}.{DEFAULT}", text, 'To remove them, say `"*": {role: identifying}`.')]


def _with_patterns(policy: Policy | RelationalPolicy) -> dict[str, Mapping[str, ColumnPolicy]]:
    """Return the entries of each table that has patterns; the one of a policy of one has no name."""
    tables = {"": policy.columns} if isinstance(policy, Policy) else {}
    if isinstance(policy, RelationalPolicy):
        tables = {name: settings.columns for name, settings in policy.tables.items()}
    return {name: columns for name, columns in tables.items() if any(map(is_pattern, columns))}


def _of_source(
    policy: Policy | RelationalPolicy, tables: Mapping[str, object]
) -> dict[str, list[str]]:
    """Return the names of the columns of tables."""
    from anonsql.engines import open_engine

    places = JobLocations.of(policy)
    if wrong := [one for one in places.problems() if one.where.startswith("source")]:
        raise PolicyError(wrong)
    with _context(policy) as context, closing(open_engine(places.source, context)) as engine:
        first = engine.open_source(policy.first.source)
        names = {}
        for name in tables:
            plan = policy.first if isinstance(policy, Policy) else policy.plan(name)
            is_first = plan.source == policy.first.source
            where = f"tables.{name}"
            relation = first if is_first else engine.open_beside(plan.source, where)
            others = () if isinstance(policy, Policy) else _others(policy, name)
            found = [column.name for column in engine.columns(relation)]
            names[name] = [column for column in found if column not in others]
        return names


def _others(policy: RelationalPolicy, name: str) -> list[str]:
    settings = policy.tables[name]
    return [*([settings.key] if settings.key else []), *settings.references]


def _of_release(policy: Policy) -> list[str] | None:
    """Return the columns of a release that the source has, too; None where there is no release."""
    from anonsql.query import opening
    from anonsql.release.columns import added_names

    location = JobLocations.of(policy).release
    try:
        with (
            _context(policy) as context,
            opening.located(location, [policy.release.name], context) as (release,),
        ):
            names = [column.name for column in release.engine.columns(release.rows)]
    except AnonsqlError:
        return None
    added = {*added_names(policy), *(name + end for name in names for end in _COMPUTED)}
    return [name for name in names if name not in added or name in policy.columns]


def _without_removed(
    columns: Mapping[str, ColumnPolicy], names: Sequence[str]
) -> dict[str, ColumnPolicy]:
    """Return the lines without patterns of removed columns, of which a release has none."""
    return {
        line: entry
        for line, entry in columns.items()
        if entry.role != "identifying"
        or entry.replace is not None
        or not is_pattern(line)
        or any(matches(line, name) for name in names)
    }


@contextmanager
def _context(policy: AnyPolicy) -> Iterator[Context]:
    from anonsql.engines.base import Context
    from anonsql.jobs.workspace import private_memory, scratch
    from anonsql.system.journal import Journal

    with private_memory(), scratch() as folder:
        yield Context(folder, policy.engine, Journal(), purpose="anonsql")


def _resolved(
    policy: _Resolved,
    tables: Mapping[str, Mapping[str, ColumnPolicy]],
    names: Mapping[str, Sequence[str]],
) -> _Resolved:
    """Return a policy whose tables have the columns that their patterns stand for."""
    data = policy.model_dump(mode="json", exclude_unset=True, by_alias=True)
    patterns: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for name, columns in tables.items():
        where = f"tables.{name}.columns" if name else "columns"
        part = data["tables"][name] if name else data
        lines = {line: entry for line, entry in part["columns"].items() if line in columns}
        try:
            entries, found = expanded(lines, names[name], where)
        except PolicyError as error:
            problems += error.problems
            continue
        part["columns"] = entries
        patterns |= {f"{where}.{pattern}": matched for pattern, matched in found.items()}
    if problems:
        raise PolicyError(problems)
    result = type(policy).parse(data, policy.origin.folder, policy.origin.file)
    result._origin = replace(policy.origin, patterns=patterns)
    return cast("_Resolved", result)
