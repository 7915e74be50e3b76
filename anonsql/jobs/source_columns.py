"""The columns of the source that match patterns in a policy: they replace the patterns before a job
begins, so that no other code handles patterns. Engines are loaded only where a policy has some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, TypeVar

from anonsql.errors import PolicyError, Problem
from anonsql.grammar.forms import column_of
from anonsql.policy import policies
from anonsql.policy.column_patterns import DEFAULT, expanded, is_pattern, matches
from anonsql.policy.columns import KEPT
from anonsql.policy.locations import JobLocations
from anonsql.system.numbers import counted

if TYPE_CHECKING:
    from anonsql.engines.base import Context, StatedColumn
    from anonsql.policy.columns import ColumnPolicy
    from anonsql.policy.envelope import Envelope
    from anonsql.policy.policies import AnyGiven, AnyPolicy
    from anonsql.policy.table_columns import TableColumns
    from anonsql.policy.table_plan import TablePlan

_Resolved = TypeVar("_Resolved", bound="Envelope")
_SHOWN = 5  # names in a warning, at most
_ADDED = ("record", "group", "bucket")
"""The roles of columns that a method adds to a release."""


def of(policy: AnyGiven, *, reading: bool = False, comparing: bool = False) -> AnyPolicy:
    """Return the policy that is given, without patterns: see :func:`resolved`."""
    return resolved(policies.of(policy), reading=reading, comparing=comparing)


def resolved(policy: _Resolved, *, reading: bool = False, comparing: bool = False) -> _Resolved:
    """Return a policy with an entry for every column that its patterns match: the source's, or,
    where a command is only ``reading`` a release, the release's. Raise PolicyError for a pattern
    that matches no column and, where a command is ``comparing`` a release with its source, for
    columns that only one of the two has; BusyError where one cannot be reached."""
    if policy.origin.patterns is not None:
        return policy
    plans = policy.pattern_plans.items()
    tables = {name: plan for name, plan in plans if any(map(is_pattern, plan.columns))}
    if not tables:
        return policy
    released = _of_release(policy, tables) if reading or comparing else None
    if reading and released is not None:
        left = {name: _without_removed(plan, released[name]) for name, plan in tables.items()}
        return _resolved(policy, left, released)
    lines = {name: plan.columns for name, plan in tables.items()}
    result = _resolved(policy, lines, _of_source(policy, tables))
    if released is not None and (problems := _in_one_alone(result, tables, released)):
        raise PolicyError(problems)
    return result


def kept(plan: TableColumns, where: str = "columns") -> list[Problem]:
    """Return a warning for each pattern whose columns are released as they are."""
    warnings = []
    for place, found in (plan.origin.patterns or {}).items():
        of_table = place.startswith(f"{where}.") and found
        if not of_table or plan.columns[found[0]].role not in KEPT:
            continue
        is_default = place == f"{where}.{DEFAULT}"
        unnamed = " that the policy does not name" * is_default
        are = "is released unchanged" if len(found) == 1 else "are released unchanged"
        text = (
            f"{counted(len(found), 'column')}{unnamed} {are}: {_shown(found)}. A column that is"
            f" later added to the source{' and that matches' * (not is_default)} will be released,"
            " too."
        )
        remedy = 'To remove them, add `"*": {role: identifying}`.'
        if not is_default:
            remedy = "To release no other column, add a line for each of these."
        warnings.append(Problem(place, text, remedy))
    return warnings


def _shown(names: Sequence[str]) -> str:
    return f"{', '.join(names[:_SHOWN])}{' and more' * (len(names) > _SHOWN)}"


def _of_source(policy: Envelope, tables: Mapping[str, TablePlan]) -> dict[str, list[str]]:
    from anonsql.engines import open_engine

    places = JobLocations.of(policy)
    if wrong := [one for one in places.problems() if one.where.startswith("source")]:
        raise PolicyError(wrong)
    with _context(policy) as context, closing(open_engine(places.source, context)) as engine:
        source = policy.first.source
        first, names = engine.open_source(source), {}
        for name, plan in tables.items():
            is_first = plan.source == source
            relation = first if is_first else engine.open_beside(plan.source, f"tables.{name}")
            names[name] = [column.name for column in engine.columns(relation)]
        return names


def _of_release(policy: Envelope, tables: Mapping[str, TablePlan]) -> dict[str, list[str]] | None:
    """Return the columns of the source that released tables have, as ``__columns`` states them;
    None where there is no release."""
    from anonsql.query import opening

    location = JobLocations.of(policy).release
    if location.is_file and not location.path.exists():
        return None
    released = [plan.release.name for plan in tables.values()]
    try:
        with (
            _context(policy) as context,
            opening.located(location, released, context) as found,
        ):
            return {
                name: _stated(release.stated_columns)
                for name, release in zip(tables, found, strict=True)
            }
    except opening.NoReleaseError:
        return None


def _stated(columns: Sequence[StatedColumn]) -> list[str]:
    return [
        one.name
        for one in columns
        if one.role not in _ADDED and column_of(one.name, one.form) is None
    ]


def _in_one_alone(
    policy: Envelope,
    tables: Mapping[str, TablePlan],
    released: Mapping[str, Sequence[str]],
) -> list[Problem]:
    """Return a problem for columns that match patterns and that only the source, or only the
    release, has. ``policy`` is resolved by the source."""
    problems = []
    plans = policy.pattern_plans
    for name, before in tables.items():
        plan, lines = plans[name], before.columns
        not_asked = {*plan.removed, *lines}
        sides = {"source": list(plan.columns), "release": released[name]}
        for side, other in permutations(sides, 2):
            more = [
                column
                for column in sides[side]
                if column not in (*sides[other], *not_asked)
                and any(is_pattern(line) and matches(line, column) for line in lines)
            ]
            if more:
                text = (
                    f"the {side} has {counted(len(more), 'column')} that the {other} does not have:"
                    f" {_shown(more)}."
                )
                where = f"tables.{name}.columns" if name else "columns"
                problems.append(Problem(where, text, "Publish the release again (`anonsql run`)."))
    return problems


def _without_removed(plan: TablePlan, names: Sequence[str]) -> dict[str, ColumnPolicy]:
    """Return the lines without patterns of removed columns, which a release lacks."""
    return {
        line: entry
        for line, entry in plan.columns.items()
        if entry.role != "identifying"
        or entry.replace is not None
        or not is_pattern(line)
        or any(matches(line, name) for name in names)
    }


@contextmanager
def _context(policy: Envelope) -> Iterator[Context]:
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
    data = policy.model_dump(mode="json", exclude_unset=True, by_alias=True)
    patterns: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for name, columns in tables.items():
        where = f"tables.{name}.columns" if name else "columns"
        part = data["tables"][name] if name else data
        lines = {line: entry for line, entry in part["columns"].items() if line in columns}
        keys = policy.pattern_plans[name].columns.keys() - part["columns"].keys()
        others = [column for column in names[name] if column not in keys]
        try:
            entries, found = expanded(lines, others, where)
        except PolicyError as error:
            problems += error.problems
            continue
        part["columns"] = entries
        patterns |= {f"{where}.{pattern}": matched for pattern, matched in found.items()}
    if problems:
        raise PolicyError(problems)
    result = type(policy).parse(data, policy.origin.folder, policy.origin.file)
    result._origin = replace(policy.origin, patterns=patterns)
    return result
