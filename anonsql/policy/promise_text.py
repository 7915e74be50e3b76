"""What a policy promises, in one sentence that a stranger understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonsql.system.scalars import plain

if TYPE_CHECKING:
    from anonsql.policy.relational import RelationalPolicy
    from anonsql.policy.table_plan import TablePlan


def of_policy(policy: TablePlan) -> str:
    """Return the promise of a release of one table: of each row, and of all rows together."""
    limits, differential = policy.privacy.risk.limits, policy.privacy.differential
    if differential is not None:
        epsilon, delta = plain(differential.epsilon), plain(differential.delta)
        return (
            "everything released is as likely with any one row as without it, up to a factor of"
            f" exp({epsilon}), except with probability {delta}; and {_of_each(policy)}"
        )
    if not limits:
        return _of_each(policy)
    facts = policy.privacy.risk.facts
    together = "the release as a whole keeps limits of risk: " + ", ".join(
        f"{name} {facts[f'risk.{name}']}" for name in limits
    )
    if policy.privacy.k == 1 and not any(policy.privacy.models()):
        return together
    return f"{_of_each(policy)}, and {together}"


def _of_each(policy: TablePlan) -> str:
    privacy, method = policy.privacy, policy.method
    who = "people" if privacy.entity is not None else "rows"
    if policy.identity:
        return (
            f"every row is in a group of at least {privacy.k:,} {who}, whose sensitive values are"
            " published together"
        )
    if not method.equal_rows_are_classes:
        likely = "with the same probability"
        if privacy.entity is not None:  # who has more rows than others is likelier than they
            likely = f"each with a probability of at most 1/{privacy.k:,}"
        return f"every row may come from any of at least {privacy.k:,} {who}, {likely}"
    if privacy.k == 1:
        names = ", ".join(location.removeprefix("privacy.") for location, _ in privacy.models())
        return f"rows with equal quasi-identifying values keep together: {names}"
    some = "its values in each of several combinations of columns" if privacy.several else ""
    others = privacy.k - 1
    one = {"rows": "row", "people": "person"}[who]
    counted = f"{others:,} other {one if others == 1 else who}"
    return f"every row shares {some or 'its quasi-identifying values'} with at least {counted}"


def of_tables(policy: RelationalPolicy) -> str:
    """Return the promise of a release of several tables."""
    others = any(name != policy.privacy.of for name in policy.personal)
    return (
        f"an attacker who knows {known(policy.privacy.known_rows, others)} finds at least"
        f" {policy.privacy.k:,} people that match"
    )


def known(rows: int | str, others: bool) -> str:
    """Return in words the attacker's knowledge of a person; ``others``: people have rows in other
    tables."""
    if rows == "all" and others:
        return "a person's own row and all of the person's rows in other tables"
    if rows == 0 or not others:
        return "a person's own row"
    some = "one row" if rows == 1 else f"up to {rows} rows"
    return f"a person's own row and {some} in other tables"
