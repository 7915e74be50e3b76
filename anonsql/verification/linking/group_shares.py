"""How much of each group of a source is released: recomputed from release, source and policy alone,
to hold ``privacy.max_group_loss``.

A group are the rows with one value of a quasi-identifying or sensitive column. Of a sensitive
column, whose values are released as they are, the released rows of a group are counted. Of a
quasi-identifying one labels say which rows of the source a released row may be: of the released
rows with the same labels no more are of a group than it has rows that these may be, and at least as
many as the other rows leave over; and no more rows of a group are released than match released
rows. With classes that do not overlap, each released whole or not at all, the number is exact; with
labels that overlap it is a limit. A release is refused where even the most breaks the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.table_plan import TablePlan
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.linking.link import Link

MOST_NAMED = 50
"""The greatest number of groups that are listed one by one, the least shares first."""


@dataclass(frozen=True)
class GroupShare:
    """Of ``rows`` of the source with one ``value`` of a ``column``, ``least`` to ``most`` are
    released, unmasked. ``rare``: so many ``values`` together that too few rows have to be named."""

    column: str
    value: str | None
    rows: int
    least: int
    most: int
    values: int = 1
    rare: bool = False


def can_be_read(policy: TablePlan, about: Mapping[str, str]) -> bool:
    """Return whether the rows of a release show each group's released rows: not where values are
    changed or are in tables of their own, nor where new rows did not fit a published scheme."""
    quarantined = count_of(about, "quarantined") > 0
    return not (policy.method.changes_values or policy.tabled or quarantined)


def offences(
    engine: Engine,
    release: ReleaseTables,
    policy: TablePlan,
    source: Relation,
    attributes: Sequence[Attribute],
) -> list[str]:
    """Return the offence of a release that provably leaves out more of a group of at least k rows
    than the policy allows. ``engine`` has the source and the dimension tables of ``attributes``."""
    limit, about = policy.privacy.max_group_loss, facts_of(release)
    if limit is None or not can_be_read(policy, about):
        return []
    shares = of_release(engine, release, policy, source, attributes, least=policy.privacy.k)
    least = 1 - Fraction(limit)
    broken = [share for share in shares if not share.rare and share.most < least * share.rows]
    if not broken:
        return []
    worst = broken[0]
    return [
        f"of {worst.rows:,} rows with the same value of {worst.column!r} at most {worst.most:,}"
        f" are released: privacy.max_group_loss={limit:g} is not kept"
    ]


def of_release(
    engine: Engine,
    release: ReleaseTables,
    policy: TablePlan,
    source: Relation,
    attributes: Sequence[Attribute],
    *,
    least: int,
) -> list[GroupShare]:
    """Return the groups that lost rows, the least released shares first; groups of fewer than
    ``least`` rows together, by column."""
    sides = engine, release, policy, source, attributes
    with Link.between(*sides, roles=("sensitive",), every=False) as link:
        facets = link.label_facets
        with link.joined(facets):
            sensitive = [(column.number, column.facet) for column in link.compared]
            template = "verification/linking/group_shares/values"
            shared = {"attributes": attributes, "sensitive": sensitive, "steps": len(facets)}
            link.run("group_shares", template, **shared)
        names = {attribute.index: attribute.name for attribute in attributes}
        of_sensitive = {-column.number: column.original.name for column in link.compared}
        return _told(engine, names | of_sensitive, least)


def _told(engine: Engine, names: Mapping[int, str], least: int) -> list[GroupShare]:
    shared = {"least": least, "most": MOST_NAMED}
    named = [
        GroupShare(names[number], value, rows, fewest, most)
        for number, value, rows, fewest, most in engine.query(
            "verification/linking/group_shares/largest", **shared
        )
    ]
    rare = [
        GroupShare(names[number], None, rows, fewest, most, values, rare=True)
        for number, values, rows, fewest, most in engine.query(
            "verification/linking/group_shares/rare", least=least
        )
    ]
    return sorted([*named, *rare], key=lambda share: share.most / share.rows)
