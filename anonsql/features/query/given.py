"""What a user names to be queried: a release itself, or the policy that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import ValidationError

from anonsql.errors import PolicyError
from anonsql.features import kinds
from anonsql.policy import policies
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policies import AnyGiven
from anonsql.policy.problems import problems_of
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
    if opening.names_release(release):
        location, _ = opening.given(release)
        return Given(location, named, [None] * len(named), EngineSettings())
    policy = policies.of(cast(AnyGiven, release))
    tables = kinds.of(policy).queried(policy, named)
    names, plans = [name for name, _ in tables], [plan for _, plan in tables]
    return Given(JobLocations.of(policy).release, names, plans, policy.engine)


def limited(settings: EngineSettings, seconds: float, memory_limit: str) -> EngineSettings:
    """Return the settings of an engine with other limits; raise PolicyError where these are none."""
    data = {**settings.model_dump(), "seconds": seconds, "memory_limit": memory_limit}
    try:
        return EngineSettings.model_validate(data)
    except ValidationError as error:
        raise PolicyError(problems_of(error, EngineSettings, data)) from None
