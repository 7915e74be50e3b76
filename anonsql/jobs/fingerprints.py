"""Fingerprints of a job's inputs, by which a later job sees whether anything has changed.

They detect change; they prove nothing to others: each engine hashes in its own way, chosen for
speed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import InvariantError
from anonsql.policy.hierarchy import FileHierarchy, TaxonomyHierarchy
from anonsql.policy.locations import JobLocations
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.table_columns import TableColumns
from anonsql.policy.table_plan import TablePlan
from anonsql.system import text_files
from anonsql.version import __version__


def of_source(
    engine: Engine, source: Relation, columns: Sequence[Column], policy: TableColumns
) -> str:
    """Return a fingerprint of the source: its number of rows, the content of every column that a
    release depends on, by column and by whole rows, and the names and types of the others."""
    compared = {name for condition in policy.conditions.values() for name in condition.columns}
    depends = {
        name
        for name, column in policy.columns.items()
        if column.role != "identifying" or column.replace == "surrogate" or name in compared
    }
    hashed = [column for column in columns if column.name in depends]
    return _digest(
        [(column.name, column.type) for column in columns], _numbers(engine, source, hashed)
    )


def _numbers(engine: Engine, relation: Relation, columns: Sequence[Column]) -> list[str]:
    names = [column.name for column in columns]
    return [
        str(number)
        for number in engine.query(
            engine.own["fingerprint"], relation=relation, columns=columns, names=names
        )[0]
    ]


def of_policy(policy: TablePlan, places: JobLocations) -> str:
    """Return a fingerprint of what decides a release: policy, hierarchies, version."""
    if not isinstance(policy, Policy):
        raise InvariantError("the plan of one table of several is no policy")
    settings = policy.model_dump(mode="json", exclude={"engine", "catalog", "measure"})
    files = {
        name: of_hierarchy(policy, name)
        for name, column in policy.columns.items()
        if column.hierarchy is not None
    }
    return _digest(
        list(policy.columns), settings, files, str(places.source), str(places.release), __version__
    )


def of_tables(policy: RelationalPolicy, places: JobLocations) -> str:
    """Return a fingerprint of a policy of several tables, as :func:`of_policy` does."""
    settings = policy.model_dump(mode="json", exclude={"engine", "catalog", "measure"})
    files = {
        f"{name}.{column}": of_hierarchy(policy.plan(name), column, f"tables.{name}.")
        for name in policy.released
        for column, entry in policy.tables[name].columns.items()
        if entry.hierarchy is not None
    }
    order = [[name, list(table.columns)] for name, table in policy.tables.items()]
    return _digest(order, settings, files, str(places.source), str(places.release), __version__)


def of_statistics(policy: StatisticsPolicy, places: JobLocations) -> str:
    """Return a fingerprint of a policy of statistics, as :func:`of_policy` does."""
    settings = policy.model_dump(mode="json", exclude={"engine", "catalog"})
    files = {name: of_hierarchy(policy.first, name, "statistics.") for name in policy.statistics.by}
    order = list(policy.statistics.by), list(policy.statistics.of)
    return _digest(order, settings, files, str(places.source), str(places.release), __version__)


def of_cubes(policy: StatisticsPolicy) -> str:
    """Return a fingerprint of what cells are: dimensions, measures, tables, and people."""
    settings = policy.statistics.model_dump(mode="json")
    files = {name: of_hierarchy(policy.first, name, "statistics.") for name in policy.statistics.by}
    names = list(policy.statistics.by), list(policy.statistics.of)
    return _digest(names, settings, files, policy.protect.entity)


def of_hierarchy(
    policy: TableColumns, column: str, table: str = "", *, digests: Mapping[Path, str] | None = None
) -> str:
    """Return a fingerprint of a column's hierarchy as the policy gives it, with its file. ``table``
    is where the columns are in a policy of several tables, with a dot at its end; ``digests`` are
    those of files that were read already."""
    hierarchy = policy.known_hierarchy(column)
    content = hashlib.sha256().hexdigest()  # of nothing
    if isinstance(hierarchy, (FileHierarchy, TaxonomyHierarchy)) and hierarchy.path:
        where = f"{table}columns.{column}.hierarchy.path"
        path = policy.path(hierarchy.path)
        content = (digests or {}).get(path) or text_files.digest(
            path, where, text_files.MAX_HIERARCHY
        )
    settings = hierarchy.model_dump(mode="json", exclude={"path"}) if hierarchy else None
    return _digest(settings, content)


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
