"""What surrogates give away: they link the rows of a person, and several rows are known to fewer
people than each of them.

Each row of a person can lie in a class of k people while nobody else has rows in the same classes:
whoever knows all rows of the person finds them. Such people are counted on the rows of the release;
a run and a verification of the published release count the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine, Relation
from anonsql.errors import Problem
from anonsql.policy.policy import Policy
from anonsql.release.columns import GROUP


@dataclass(frozen=True)
class LinkedRows:
    """The surrogates of a column and the ``rows`` that have one; ``few`` are the surrogates whose
    rows lie in classes that the rows of fewer than k surrogates lie in, as many in each. None where
    rows that are released alike are no class."""

    surrogates: int
    rows: int
    few: int | None


def of_release(engine: Engine, table: Relation, policy: Policy) -> dict[str, LinkedRows]:
    """Return what the surrogates of each column of a release, staged or published, link. Where
    several combinations of columns keep the promise each by itself, count by the one that tells
    most."""
    if not policy.surrogates:
        return {}
    names = [column.name for column in engine.columns(table)]
    by_name = {}
    for name in policy.surrogates:
        if name not in names:
            continue
        counted = [
            engine.query(
                "risks/linked/linked", table=table, surrogate=name, classes=keys, k=policy.privacy.k
            )[0]
            for keys in _classes(policy, names)
        ]
        if not counted:
            continue
        few = max(int(row[2]) for row in counted) if policy.method.equal_rows_are_classes else None
        by_name[name] = LinkedRows(int(counted[0][0]), int(counted[0][1]), few)
    return by_name


def _classes(policy: Policy, names: Sequence[str]) -> list[list[str]]:
    """Return the columns of a release that define its classes or groups, for each combination of
    columns that keeps the promise by itself."""
    if policy.tabled:
        return [[GROUP.name]]
    combinations = [
        [
            name
            for name in names
            if name in some or (name not in policy.columns and name[:-3] in some)
        ]
        for some in policy.combinations
    ]
    return [combination for combination in combinations if combination]


def facts(by_name: Mapping[str, LinkedRows]) -> dict[str, object]:
    """Return the facts about surrogates in ``__about``."""
    results: dict[str, object] = {}
    for name, column in by_name.items():
        results[f"surrogates.{name}"] = column.surrogates
        if column.few is not None:
            results[f"surrogates_below_k.{name}"] = column.few
    return results


def warnings(policy: Policy, by_name: Mapping[str, LinkedRows]) -> list[Problem]:
    """Return a warning for each column of surrogates that link rows."""
    return [
        _warning(policy, name, column)
        for name, column in by_name.items()
        if column.surrogates < column.rows
    ]


def _warning(policy: Policy, name: str, linked: LinkedRows) -> Problem:
    """Return what is to be said of surrogates that link rows."""
    k = policy.privacy.k
    text = f"its {linked.surrogates:,} surrogates link {linked.rows:,} rows."
    if linked.few:
        text += (
            f" {linked.few:,} of them have rows that, all together, fewer than k={k} have: whoever"
            " knows all rows of such a person finds them."
        )
    elif linked.few is None:
        text += " Whoever knows several rows of a person may find them: k holds for single rows."
    if policy.privacy.entity == name or "entity" not in policy.method.keeps:
        return Problem(
            f"columns.{name}.replace", text, "Remove the column, or release one row each."
        )
    text += f" k={k} counts rows, not people."
    remedy = f"If it names people, set `privacy.entity: {name}`, or remove the column."
    return Problem(f"columns.{name}.replace", text, remedy)
