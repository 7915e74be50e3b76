"""Policies as they are given, of one table or of several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonsql.errors import PolicyError, Problem
from anonsql.policy import differential, one_table
from anonsql.policy.policy import Given, Policy, parse_leniently, plain, read_policy
from anonsql.policy.relational import RelationalPolicy

AnyPolicy = Policy | RelationalPolicy
"""A policy of one table or of several."""
AnyGiven = Given | RelationalPolicy
"""The ways to give a policy of one table or of several in Python."""


def names_tables(policy: AnyGiven) -> bool:
    """Return whether a policy is one of several tables, right or wrong."""
    if isinstance(policy, (Policy, RelationalPolicy)):
        return isinstance(policy, RelationalPolicy)
    return _names_tables(_read(policy)[0])


def of(policy: AnyGiven) -> AnyPolicy:
    """Return the policy that is given as one, as a file, or as the mapping that a file holds: of
    several tables where it names ``tables``."""
    if isinstance(policy, (Policy, RelationalPolicy)):
        return policy
    data, folder, file = _read(policy)
    kind = RelationalPolicy if _names_tables(data) else Policy
    return kind.parse(data, folder, file)


def leniently(policy: AnyGiven) -> tuple[AnyPolicy | None, list[Problem]]:
    """Return the policy without its wrong parts, and all problems: see
    :func:`anonsql.policy.policy.parse_leniently`. One of several tables is right or not. Raise
    PolicyError for a file that cannot be read."""
    if isinstance(policy, (Policy, RelationalPolicy)):
        return policy, []
    data, folder, file = _read(policy)
    if not _names_tables(data):
        return parse_leniently(data, folder, file)
    try:
        return RelationalPolicy.parse(data, folder, file), []
    except PolicyError as error:
        return None, list(error.problems)


def of_one(policy: AnyGiven, command: str) -> Policy:
    """Return the policy that is given to a ``command`` that works on one table; raise PolicyError
    for one of several tables, or whose promise the command refuses."""
    known = of(policy)
    if isinstance(known, Policy):
        differential.require_none(known, command)
        return known
    raise one_table.refused(command)


def of_several(policy: AnyGiven) -> RelationalPolicy | None:
    """Return the policy of several tables that is given; None where it is one of one table."""
    known = of(policy) if names_tables(policy) else None
    return known if isinstance(known, RelationalPolicy) else None


def _read(policy: str | Path | Mapping[str, Any]) -> tuple[Any, Path, Path | None]:
    """Return what a policy that is given as a file or as a mapping says, the folder of its relative
    paths, and its file where it has one."""
    if isinstance(policy, (str, os.PathLike)):
        file = Path(policy).absolute()
        return read_policy(policy), file.parent, file
    return plain(policy), Path.cwd(), None


def _names_tables(data: object) -> bool:
    """Return whether what a policy says is that of several tables."""
    return isinstance(data, Mapping) and "tables" in data
