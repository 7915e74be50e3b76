"""Verification of what a release says of people, where ``privacy.entity`` names the column that
tells them apart: counted anew where that column is released, else checked against the limits that
the rows set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonsql.engines.base import Column, ReleaseTables
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.policy import Policy
from anonsql.risks.kept.counting import Compared
from anonsql.risks.people import People, of_facts
from anonsql.verification.facts import Classes


def people_of(
    release: ReleaseTables,
    policy: Policy,
    about: Mapping[str, str],
    people: Classes,
    grouping: Mapping[str, Any],
) -> tuple[People | None, dict[str, str], list[str]]:
    """Return the people of a release whose classes were ``people``, the facts that ``__about`` must
    tell of them, and what is wrong with what it tells. ``grouping`` says what classes are made by:
    see ``verification/people``."""
    entity, k = policy.privacy.entity, policy.privacy.k
    if entity is None:
        return None, {}, []
    stated = of_facts(about, people.classes)
    if stated is None:
        return (
            None,
            {},
            ["__about does not say how many people there are (people_in_classes, min_people)"],
        )
    offences = []
    if stated.least < k and people.classes:
        offences.append(f"the smallest class has {stated.least:,} people, fewer than k={k}")
    rows, classes = people.rows - people.masked, people.classes
    if (
        stated.least > people.min_class
        or not classes * stated.least <= stated.people <= rows
        or (stated.at_risk > 0) != (0 < stated.least <= AT_RISK_SIZE)
        or stated.at_risk > stated.people
    ):
        listed = ", ".join(f"{name}={value}" for name, value in stated.facts.items())
        offences.append(
            f"__about says {listed}, which {rows:,} rows in {classes:,} classes cannot be"
        )
    kept = telling_column(release, policy)
    if kept is None or offences:
        return stated, _facts(stated), offences
    parameters = {
        "table": release.rows,
        "people": Compared(kept),
        "at_risk": AT_RISK_SIZE,
        **grouping,
    }
    counted = People(*release.engine.query("verification/people", **parameters)[0])
    return counted, _facts(counted), offences


def telling_column(release: ReleaseTables, policy: Policy) -> Column | None:
    """Return the released column that has a value of its own for each person; None where there is
    none: then rows only bound what the release says of people."""
    entity = policy.privacy.entity
    if entity in policy.quasi_identifiers or policy.replaced.get(entity or "") not in (
        None,
        "surrogate",
    ):
        return None
    columns = release.engine.columns(release.rows)
    return next((column for column in columns if column.name == entity), None)


def _facts(people: People) -> dict[str, str]:
    """Return the facts of people as ``__about`` writes them."""
    return {name: str(value) for name, value in people.facts.items()}
