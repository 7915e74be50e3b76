"""What columns of a release give away or replace, by the release alone: people, where
``privacy.entity`` names the column that tells them apart; kept columns; identifying columns that are
replaced; means and medians. And the limits to the risk of the release as a whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonsql.engines.base import Column, ReleaseTables
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.policy import Policy
from anonsql.privacy.risk import offence
from anonsql.risks import limits
from anonsql.risks.kept import counting
from anonsql.risks.kept import limits as kept_limits
from anonsql.risks.kept.counting import Compared, KeptRisk, Uniqueness
from anonsql.risks.people import People, of_facts
from anonsql.verification.facts import Classes, average_names, missing_rows


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
    facts |= kept_limits.facts(policy.privacy.kept)
    return risk, facts, _over(release, policy)


def _over(release: ReleaseTables, policy: Policy) -> list[str]:
    """Return the limits that a release exceeds."""
    settings = policy.privacy.kept
    columns = counting.kept_columns(policy, release.engine.columns(release.rows))
    if not kept_limits.facts(settings) or not columns:
        return []
    parameters = {"table": release.rows, "columns": columns, "k": policy.privacy.k}
    return kept_limits.exceeded(
        settings, Uniqueness(*release.engine.query("verification/kept", **parameters)[0])
    )


def replaced_offences(
    release: ReleaseTables, policy: Policy, besides: Collection[str] = ()
) -> list[str]:
    """Return the replaced columns, ``besides`` some and those of a wrong type, that have what does
    not replace a value."""
    types = {column.name: column.type for column in release.engine.columns(release.rows)}
    readable = {
        name: what
        for name, what in policy.replaced.items()
        if name in types and name not in besides
        if what != "surrogate" or types[name] == "BIGINT"
    }
    if not readable:
        return []
    asked = {"table": release.rows, "replaced": readable}
    counts = iter(release.engine.query("verification/replaced", **asked)[0])
    wrong = []
    for name, what in readable.items():
        first, second, third = (int(next(counts) or 0) for _ in range(3))
        if what == "surrogate" and (first != third or second != min(1, first)):
            wrong.append(
                f"the surrogates in {name!r} are {first:,} numbers from {second:,} to {third:,},"
                " and not all from 1 on"
            )
        elif what != "surrogate" and first:
            text = "NULL" if what == "null" else "the constant"
            wrong.append(f"{first:,} rows have something else in {name!r} than {text}")
    return wrong


def average_offences(
    release: ReleaseTables, policy: Policy, labels: Sequence[str], bounds: Sequence[str]
) -> list[str]:
    """Return the columns of means and medians with classes in which they cannot be such: all rows
    that are released alike have the same, none where they are masked, and it lies between their
    bounds. ``labels`` and ``bounds`` define the classes. That it is the mean or median of the
    source's values is proved against the source, when a release is made
    (``verification/grouped``)."""
    offences = []
    for name, (own, average) in average_names(policy).items():
        ends = [end for end in (f"{own}_lo", f"{own}_hi") if end in bounds]
        parameters = {"name": name, "keys": [*labels, *bounds], "ends": ends}
        wrong = release.engine.query("verification/averages", table=release.rows, **parameters)[0][
            0
        ]
        text = f"classes have several values of {name!r}, or one that is no {average} of theirs"
        offences += [f"{wrong:,} {text}"] * (wrong > 0)
    return offences


def limit_offences(
    release: ReleaseTables,
    policy: Policy,
    about: Mapping[str, str],
    counted: tuple[Classes, Mapping[str, object]],
) -> tuple[Classes, list[str]]:
    """Return the classes of a release with how near they come to each limit of the policy, and the
    offences of limits that they break. ``counted`` are the classes and what they are grouped by:
    see ``verification/classes``. Of a population that is given by its size the table is as large a
    share as its rows, with those that the release says it lacks."""
    (classes, grouping), risk = counted, policy.privacy.risk
    if not risk.limits:
        return classes, []
    rows = classes.rows + missing_rows(about)
    if risk.share(rows) > 1:
        return classes, [f"privacy.risk.population is smaller than the table of {rows:,} rows"]
    sizes: Sequence[tuple[int, int]] = release.engine.query(
        "verification/class_sizes", table=release.rows, **grouping
    )
    reached = limits.reached(risk, sizes, risk.share(rows))
    offences = [offence(risk, limit) for limit in reached if not limit.kept]
    return replace(classes, limits=reached), offences
