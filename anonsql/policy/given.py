"""Policies as they are given, of one table or of several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonsql.errors import PolicyError, Problem
from anonsql.policy import one_table
from anonsql.policy.policy import Given, Policy, parse_leniently, plain, read_policy
from anonsql.policy.relational import RelationalPolicy

AnyPolicy = Policy | RelationalPolicy
"""A policy of one table or of several."""
AnyGiven = Given | RelationalPolicy
"""The ways to give a policy of one table or of several in Python."""


def names_tables(result: AnyGiven) -> bool:
    """Return whether a policy is one of several tables, right or wrong."""
    if isinstance(result, (Policy, RelationalPolicy)):
        return isinstance(result, RelationalPolicy)
    data: object = read_policy(result) if isinstance(result, (str, os.PathLike)) else result
    return isinstance(data, Mapping) and "tables" in data


def of(policy: AnyGiven) -> AnyPolicy:
    """Return the policy that is given as one, as a file, or as the mapping that a file holds: of
    several tables where it names ``tables``."""
    if isinstance(policy, (Policy, RelationalPolicy)):
        return policy
    data, folder, file = _read(policy)
    kind = RelationalPolicy if names_tables(data) else Policy
    return kind.parse(data, folder, file)


def _read(result: str | Path | Mapping[str, Any]) -> tuple[Any, Path, Path | None]:
    """Return what a policy that is given as a file or as a mapping says, the folder of its relative
    paths, and its file where it has one."""
    if isinstance(result, (str, os.PathLike)):
        file = Path(result).absolute()
        return read_policy(result), file.parent, file
    return plain(result), Path.cwd(), None


def leniently(policy: AnyGiven) -> tuple[AnyPolicy | None, list[Problem]]:
    """Return the policy without its wrong parts, and all problems: see
    :func:`anonsql.policy.policy.parse_leniently`. One of several tables is right or not."""
    if isinstance(policy, (Policy, RelationalPolicy)):
        return policy, []
    try:
        data, folder, file = _read(policy)
        if not names_tables(data):
            return parse_leniently(data, folder, file)
        return RelationalPolicy.parse(data, folder, file), []
    except PolicyError as error:
        return None, list(error.problems)


def of_one(result: AnyGiven, command: str) -> Policy:
    """Return the policy that is given to a ``command`` that works on one table; raise PolicyError
    for one of several tables."""
    policy = of(result)
    if isinstance(policy, Policy):
        return policy
    raise one_table.refused(command)


def of_several(result: AnyGiven) -> RelationalPolicy | None:
    """Return the policy of several tables that is given; None where it is one of one table."""
    policy = of(result) if names_tables(result) else None
    return policy if isinstance(policy, RelationalPolicy) else None
