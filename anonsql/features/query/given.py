"""What a user names to be queried: a release itself, or the policy that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import ValidationError

from anonsql.errors import PolicyError, did_you_mean
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policies import AnyGiven
from anonsql.policy.policies import of as policy_of
from anonsql.policy.policy import Policy
from anonsql.policy.problems import problems_of
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.query import opening


@dataclass(frozen=True)
class Given:
    """Where a release is, the tables there that a query names, of each its policy where the release
    is given by that, and the settings of the engine."""

    location: Location
    tables: Sequence[str]
    policies: Sequence[TablePlan | None]
    settings: EngineSettings


def place_of(release: object, named: Sequence[str]) -> Given:
    """Return where a release is, and what a policy says of it that it is given by."""
    if not opening.names_release(release):
        policy = policy_of(cast(AnyGiven, release))
        if not isinstance(policy, Policy):
            return _of_several(policy, named)
        release = policy
    location, known = opening.given(release)
    settings = known.engine if known is not None else EngineSettings()
    return Given(location, named, [known] * len(named), settings)


def limited(settings: EngineSettings, seconds: float, memory_limit: str) -> EngineSettings:
    """Return the settings of an engine with other limits; raise PolicyError where these are none."""
    data = {**settings.model_dump(), "seconds": seconds, "memory_limit": memory_limit}
    try:
        return EngineSettings.model_validate(data)
    except ValidationError as error:
        raise PolicyError(problems_of(error, EngineSettings, data)) from None


def _of_several(policy: RelationalPolicy | StatisticsPolicy, named: Sequence[str]) -> Given:
    """Return where the tables are that a policy of several, or of statistics, publishes."""
    location = JobLocations.of(policy).release
    if isinstance(policy, StatisticsPolicy):
        schema = policy.release.db_schema
        there = {name: name if schema is None else f"{schema}.{name}" for name in policy.tables}
        tables = [there[name] for name in _known(named, list(there))]
        return Given(location, tables, [None] * len(named), policy.engine)
    plans = {policy.released_name(name): policy.plan(name) for name in policy.released}
    of_named = [plans[name] for name in _known(named, list(plans))]
    tables = [plan.release.table or "" for plan in of_named]
    return Given(location, tables, of_named, of_named[0].engine)


def _known(named: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names of a policy's tables, as it writes them."""
    by_name = {name.lower(): name for name in names}
    for name in named:
        if name.lower() not in by_name:
            hint = did_you_mean(name, names) or f"Known: {', '.join(names)}."
            raise PolicyError.at("query", f"the policy has no table {name!r}.", hint)
    return [by_name[name.lower()] for name in named]
