"""Policies as users give them: of one table, of several, or of statistics."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonsql.errors import PolicyError, Problem
from anonsql.policy import refusals
from anonsql.policy.envelope import plain, read_policy
from anonsql.policy.policy import Given, Policy, parse_leniently
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy

AnyPolicy = Policy | RelationalPolicy | StatisticsPolicy
"""A policy of one table, of several, or of statistics."""
AnyGiven = Given | RelationalPolicy | StatisticsPolicy
"""The ways to give such a policy in Python."""
KINDS = (Policy, RelationalPolicy, StatisticsPolicy)
"""The classes of policies."""

_POLICIES = (
    "Give a mapping, a Policy or the path of a file. `anonymize` takes data frames; `query` and"
    " `read` take the value that it returned."
)

_IN_MEMORY = (
    "`query` and `read` take the value that `anonymize` returned. It is verified already, and its"
    " `report` has the losses and risks. To verify or measure it yourself, write the frame to a"
    " file, add `source: {file: people.parquet}` and `release: {database: released.duckdb}` to the"
    " policy, and pass that policy to `run` first."
)


def kind_of(policy: AnyGiven) -> type[AnyPolicy]:
    """Return which class of policies one is of, right or wrong."""
    return type(policy) if isinstance(policy, KINDS) else _kind(_read(policy)[0])


def of(policy: AnyGiven) -> AnyPolicy:
    """Return the policy that is given as one, as a file, or as the mapping that a file holds: of
    several tables where it names ``tables``, of statistics where it names ``statistics``."""
    if isinstance(policy, KINDS):
        return policy
    data, folder, file = _read(policy)
    return _kind(data).parse(data, folder, file)


def leniently(policy: AnyGiven) -> tuple[AnyPolicy | None, list[Problem]]:
    """Return the policy without its wrong parts, and all problems: see
    :func:`anonsql.policy.policy.parse_leniently`. One of several tables, or of statistics, is right
    or not. Raise PolicyError for a file that cannot be read."""
    if isinstance(policy, KINDS):
        return policy, []
    data, folder, file = _read(policy)
    kind = _kind(data)
    if kind is Policy:
        return parse_leniently(data, folder, file)
    try:
        return kind.parse(data, folder, file), []
    except PolicyError as error:
        return None, list(error.problems)


def of_one(policy: AnyGiven, command: str) -> Policy:
    """Return the policy that is given to a ``command`` that works on one table; raise PolicyError
    for one of several tables or of statistics, or whose promise the command refuses."""
    known = of(policy)
    if isinstance(known, Policy):
        refusals.require_not_differential(known, command)
        return known
    if isinstance(known, StatisticsPolicy):
        raise refusals.STATISTICS.error(command)
    raise refusals.SEVERAL_TABLES.error(command)


def of_statistics(policy: AnyGiven) -> StatisticsPolicy:
    """Return the policy of statistics that is given; raise PolicyError for one of rows."""
    known = of(policy)
    if isinstance(known, StatisticsPolicy):
        return known
    text = (
        "this policy releases rows, but the command needs one that publishes tables of counts"
        " and sums (`statistics`)."
    )
    raise PolicyError.at("statistics", text, "To release rows, use `anonsql run`.")


def of_rows(policy: AnyGiven, command: str) -> Policy | RelationalPolicy:
    """Return the policy that is given to a ``command`` that works on released rows, of one table or
    of several; raise PolicyError for one of statistics."""
    known = of(policy)
    if isinstance(known, StatisticsPolicy):
        raise refusals.STATISTICS.error(command)
    return known


def remembers(policy: AnyPolicy) -> bool:
    """Return whether a release depends on the catalog's record of earlier ones, or on its
    secret."""
    if isinstance(policy, StatisticsPolicy):
        return policy.protect.over_time is not None or policy.protect.changes
    return policy.first.privacy.over_time is not None


def _read(policy: str | Path | Mapping[str, Any]) -> tuple[Any, Path, Path | None]:
    """Return the contents of a policy that is given as a file or as a mapping, the folder of its
    relative paths, and its file where it has one."""
    if isinstance(policy, (str, os.PathLike)):
        file = Path(policy).absolute()
        return read_policy(policy), file.parent, file
    if not isinstance(policy, Mapping):
        text = f"found {type(policy).__name__}, which is not a policy."
        in_memory = hasattr(policy, "write_to")  # what `anonymize` returned
        raise PolicyError.at("policy", text, _IN_MEMORY if in_memory else _POLICIES)
    return plain(policy), Path.cwd(), None


def _kind(data: object) -> type[AnyPolicy]:
    if not isinstance(data, Mapping):
        return Policy
    if "statistics" in data:
        return StatisticsPolicy
    return RelationalPolicy if "tables" in data else Policy
