"""Policies as they are given, of one table or of several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from anonsql.policy.policy import Given, Policy, plain, read_policy
from anonsql.policy.relational import RelationalPolicy

AnyGiven = Given | RelationalPolicy
"""The ways to give a policy of one table or of several in Python."""


def names_tables(given: AnyGiven) -> bool:
    """Return whether a policy is one of several tables, right or wrong."""
    if isinstance(given, (Policy, RelationalPolicy)):
        return isinstance(given, RelationalPolicy)
    data = read_policy(given) if isinstance(given, (str, os.PathLike)) else given
    return isinstance(data, Mapping) and "tables" in data


def of(given: AnyGiven) -> Policy | RelationalPolicy:
    """Return the policy that is given as one, as a file, or as the mapping that a file holds: of
    several tables where it names ``tables``."""
    if isinstance(given, (Policy, RelationalPolicy)):
        return given
    if isinstance(given, (str, os.PathLike)):
        file = Path(given).absolute()
        data, folder = read_policy(given), file.parent
    else:
        file, data, folder = None, plain(given), Path.cwd()
    if isinstance(data, Mapping) and "tables" in data:
        return RelationalPolicy.parse(data, folder, file)
    return Policy.parse(data, folder, file)


def of_several(given: AnyGiven) -> RelationalPolicy | None:
    """Return the policy of several tables that is given; None where it is one of one table."""
    policy = of(given) if names_tables(given) else None
    return policy if isinstance(policy, RelationalPolicy) else None
