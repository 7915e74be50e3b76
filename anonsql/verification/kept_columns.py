"""Independent verification of what kept columns give away: the facts counted anew, the policy's
limits by a statement of their own."""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.engines.base import ReleaseTables
from anonsql.policy.policy import Policy
from anonsql.risks.kept import counting, limits
from anonsql.risks.kept.counting import KeptRisk, Uniqueness


def kept_risk(
    release: ReleaseTables, policy: Policy, about: Mapping[str, str]
) -> tuple[KeptRisk, dict[str, str], list[str]]:
    """Return what a release's kept columns give away, the facts that ``__about`` must tell of it,
    and where it is more than the policy allows."""
    masked = about.get("masked", "0") != "0"
    risk = counting.of_release(release.engine, release.rows, policy, masked=masked)
    facts = {
        name: format(value, ".12g") if isinstance(value, float) else str(value)
        for name, value in risk.facts.items()
    }
    facts |= limits.facts(policy.privacy.kept)
    return risk, facts, _over(release, policy)


def _over(release: ReleaseTables, policy: Policy) -> list[str]:
    """Return the limits that a release exceeds."""
    settings = policy.privacy.kept
    columns = counting.kept_columns(policy, release.engine.columns(release.rows))
    if not limits.facts(settings) or not columns:
        return []
    parameters = {"table": release.rows, "columns": columns, "k": policy.privacy.k}
    return limits.exceeded(
        settings, Uniqueness(*release.engine.query("verification/kept", **parameters)[0])
    )
