"""A published scheme that is applied to new rows: the levels of an earlier release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines import open_release
from anonsql.engines.base import Context, Engine, ReleaseTables
from anonsql.errors import PolicyError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import fingerprints as fingerprint
from anonsql.jobs.catalog import Catalog
from anonsql.policy.locations import JobLocations
from anonsql.policy.table_plan import TablePlan

_WHERE = "--scheme"
_OUTERMOST = ("as it is", "*")
"""What the lowest and the highest level of every hierarchy mean."""


@dataclass(frozen=True)
class Scheme:
    """Each column's level, a description of its labels, and of runs a hierarchy's digest."""

    levels: dict[str, int]
    looks_like: dict[str, str]
    hierarchies: dict[str, str | None] = field(default_factory=dict)


def of_run(catalog: Catalog, run: int) -> Scheme:
    """Return the scheme that a run published. Raise PolicyError when it published none."""
    published = report_of(catalog, run)
    if "tables" in published:
        remedy = "Name a release or a run of the same policy."
        raise PolicyError.at(_WHERE, f"run {run} released several tables.", remedy)
    leveled = [column for column in published["columns"] if column["level"] is not None]
    digests = {name: digest for name, _, digest in catalog.levels(run)}
    return _with_levels(
        {column["column"]: column["level"] for column in leveled},
        {column["column"]: column["looks_like"] for column in leveled},
        digests,
    )


def report_of(catalog: Catalog, run: int) -> dict[str, Any]:
    """Return the document of a run's release; raise PolicyError when there is none."""
    runs = catalog.runs(run)
    if not runs or not runs[0][-1]:
        remedy = "`anonsql runs` lists the runs; runs that published have the status `done`."
        text = f"run {run} is not in the catalog, or published nothing."
        raise PolicyError.at(_WHERE, text, remedy)
    document: dict[str, Any] = json.loads(runs[0][-1])
    return document


def _with_levels(
    levels: dict[str, int], looks_like: dict[str, str], digests: dict[str, str | None]
) -> Scheme:
    if not levels:
        remedy = "Name a release or a run of method full-domain."
        raise PolicyError.at(_WHERE, "its method gives columns no levels.", remedy)
    return Scheme(levels, looks_like, digests)


def of_release(
    engine: Engine, places: JobLocations, policy: TablePlan, named: str, context: Context
) -> Scheme:
    """Return the scheme in a release's ``__columns``: of a file, a folder, or a table."""
    with open_release(engine, places, policy, named, context) as release:
        leveled = levels_in(release)
    levels = {name: level for name, level, _ in leveled}
    return _with_levels(levels, {name: looks for name, _, looks in leveled}, {})


def levels_in(release: ReleaseTables) -> list[tuple[str, int, str]]:
    """Return the columns with a level of a released table, with it and their labels' looks."""
    columns = release.stated_columns
    return [(one.name, one.level, one.looks_like or "") for one in columns if one.level is not None]


def meaning(policy: TablePlan, attribute: Attribute, level: int) -> str:
    """Return the meaning of a column's level, whatever its number: in words, where these determine
    the values of each label; else followed by a digest of the hierarchy, after ``#``."""
    if level in (0, attribute.height):
        return _OUTERMOST[level > 0]
    words = attribute.levels[level]
    if attribute.leaves:
        return f"{words} #{fingerprint.of_hierarchy(policy, attribute.name)}"
    origin = attribute.parameters.get("origin")
    return f"{words} from {origin:f}" if origin else words


def problems(scheme: Scheme, attributes: Sequence[Attribute], policy: TablePlan) -> list[Problem]:
    """Return where the scheme does not fit the policy's columns and hierarchies."""
    result = []
    names = {column.name for column in attributes}
    if names != set(scheme.levels):
        missing, more = sorted(names - set(scheme.levels)), sorted(set(scheme.levels) - names)
        text = "its quasi-identifying columns differ from those of the policy:"
        text += f" it lacks {', '.join(missing)}" * bool(
            missing
        ) + f" it also has {', '.join(more)}" * bool(more)
        return [Problem(_WHERE, f"{text}.", "Name a release of the same policy.")]
    for attribute in attributes:
        level, looks = scheme.levels[attribute.name], scheme.looks_like[attribute.name]
        if not attribute.min_level <= level <= attribute.max_level:
            remedy = f"The policy allows {attribute.min_level} to {attribute.max_level}."
            result.append(Problem(_WHERE, f"it has {attribute.name} at level {level}.", remedy))
        elif attribute.levels[level] != looks:
            text = (
                f"level {level} of {attribute.name} is {looks!r} there, but"
                f" {attribute.levels[level]!r} in the policy."
            )
            result.append(
                Problem(_WHERE, text, "Use the hierarchy with which the scheme was made.")
            )
        elif scheme.hierarchies.get(attribute.name) not in (
            None,
            fingerprint.of_hierarchy(policy, attribute.name),
        ):
            text = f"the hierarchy of {attribute.name} differs from that of the run."
            result.append(
                Problem(_WHERE, text, "Use the hierarchy with which the scheme was made.")
            )
    return result
