"""Compare the people of a release with the people of its source.

Where ``privacy.entity`` names the column that identifies people, k counts people, and a release
shows at most surrogates of them. The people of a class are counted here from the source: each row
is placed in the classes whose labels include its values. If all rows that fit a class are in it,
its people are known exactly. If fewer rows are released than fit (suppressed individually, held
back), or rows fit several classes, the number of its people is known only between limits.

Where people have surrogates, or their column is released unchanged, each person is compared with
all of their rows, as a multiset of (class, kept values): the release's people and the source's must
correspond one to one. All classes that share rows count as one class there.

A release by rings has no classes. There every released row must be a possible row of k people, and
assignments must exist by which it belongs to no person with a probability above 1/k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.engines.base import Column, PlainColumn, Relation
from anonsql.errors import InvariantError, VerificationError
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.table_plan import TablePlan
from anonsql.system.arrays import np
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.linking.link import Link
from anonsql.verification.linking.tables import names

if TYPE_CHECKING:
    from anonsql.verification.linking.flow import Graph, Values

_CLASSES = {
    "people_classes": "verification/linking/people/classes",
    "people_cells": "verification/linking/people/cells",
    "people_parts": "verification/linking/people/parts",
}


@dataclass(frozen=True)
class JudgedPeople:
    """The people of a release by its source: the number of people in the smallest class, between
    ``least`` and ``most``; whether the source shows whose rows every class has (``exact``); whether
    each person in the release is a person of the source with all rows (``linked``), None where no
    released column links them."""

    least: int
    most: int
    exact: bool
    linked: bool | None


def linking_columns(
    policy: TablePlan, columns: Sequence[Column], released: Sequence[Column]
) -> list[str]:
    """Return the ``released`` columns that identify people, or other things, of the source's
    columns."""
    entity, shown = policy.privacy.entity, {column.name for column in released}
    return [
        column.name
        for column in columns
        if column.name in shown
        and (
            policy.replaced.get(column.name) == "surrogate"
            or (
                column.name == entity
                and entity not in policy.quasi_identifiers
                and entity not in policy.replaced
            )
        )
    ]


def against_source(link: Link, source: Relation, linking: Sequence[str]) -> JudgedPeople | None:
    """Return the people of a release in classes, None where the policy names none and no column is
    ``linking`` them. Raise VerificationError listing every offence."""
    entity = link.policy.privacy.entity
    columns = {column.name: column for column in link.engine.columns(source)}
    if entity is None and not linking:
        return None
    facets, offences, limits = link.label_facets, list[str](), (0, 0, True)
    linked: bool | None = None
    with link.joined(facets):
        for made, template in _CLASSES.items():
            link.run(made, template, steps=len(facets), facets=names(facets))
    if entity is not None and link.policy.method.equal_rows_are_classes:
        _place(link, source, columns[entity])
        limits, offences = _sizes(link)
    elif entity is not None:
        limits, offences = _in_rings(link, source, columns[entity])
    for name in linking:
        _place(link, source, columns[name])
        text = _link(link, name)
        offences += text
        linked = not text if name == entity else linked
    if offences:
        raise VerificationError(offences)
    return JudgedPeople(*limits, linked)


def _in_rings(
    link: Link, source: Relation, column: Column
) -> tuple[tuple[int, int, bool], list[str]]:
    """Return the fewest people that a released row may be, and why a row may be known to be one
    person's with a probability above 1/k: as ``rows`` judges it of sensitive values, with the sides
    exchanged."""
    from anonsql.verification.linking import flow

    engine, facets, k = link.engine, link.label_facets, link.policy.privacy.k
    of_cells = {"person": PlainColumn(column), "placed": names(facets)}
    link.code_rows(source, "verification/linking/people/of_cells", **of_cells)
    query = "verification/linking/people/in_cells"
    try:
        with link.joined(facets) as pairs:
            if pairs is None:
                raise InvariantError("pairs are left out where there is no limit to them")
            pairs.narrow()
            graph = pairs.graph()
            found = engine.numbers(query, placed=names(facets), steps=len(facets))
    finally:
        engine.drop("people_of_cells")
    order = np.argsort(found[0], kind="stable")
    people = flow.Values(*(column[order] for column in (found[0] - 1, found[1] - 1, found[2])))
    exchanged = flow.Graph(graph.released, graph.originals, graph.tuple, graph.cell)
    least = _fewest(exchanged, people)
    if least < k:
        return (least, least, False), [
            (
                f"compared with the source, a released row may come from only {least:,} people,"
                f" fewer than k={k}"
            )
        ]
    if not flow.can_be_drawn(exchanged, k, people, k):
        return (least, least, False), [
            "released rows cannot be assigned to source rows so that every row is a given"
            f" person's with a probability of at most 1/{k}"
        ]
    return (least, least, False), []


def _fewest(graph: Graph, people: Values) -> int:
    """Return the fewest people that a combination of released rows, the graph's ``cell``, may be
    rows of. ``people`` are in the order of their combination."""
    of_cell = np.bincount(people.tuple, minlength=len(graph.released))
    first, repeats = np.cumsum(of_cell) - of_cell, of_cell[graph.tuple]
    inside = np.arange(int(repeats.sum())) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    person = people.value[np.repeat(first[graph.tuple], repeats) + inside]
    width = int(person.max(initial=0)) + 1
    pairs = np.unique(np.repeat(graph.cell, repeats) * width + person)
    counts = np.bincount(pairs // width, minlength=len(graph.originals))
    return int(counts.min()) if len(counts) else 0


def _place(link: Link, source: Relation, column: Column) -> None:
    link.engine.drop("people_rows")
    link.code_rows(
        source,
        "verification/linking/people/rows",
        person=PlainColumn(column),
        placed=names(link.label_facets),
        kept=names(_kept(link, column.name)),
    )


def _kept(link: Link, besides: str) -> list[int]:
    return [one.facet or 0 for one in link.compared if one.original.name != besides]


def _sizes(link: Link) -> tuple[tuple[int, int, bool], list[str]]:
    """Return the limits of the number of people of the class that has fewest, whether all classes'
    numbers are exact, and what is wrong: classes with too few people, and facts that the source
    contradicts."""
    k, about = link.policy.privacy.k, facts_of(link.release)
    numbers = link.engine.query("verification/linking/people/sizes")
    if not numbers:
        return (0, 0, True), []
    exact = all(fewest == most for fewest, most, _ in numbers)
    limits = min(row[0] for row in numbers), min(row[1] for row in numbers), exact
    if limits[1] < k:
        small = sum(classes for _, most, classes in numbers if most < k)
        text = f"compared with the source, {small:,} classes have rows of fewer than k={k} people"
        return limits, [f"{text}, the smallest of at most {limits[1]:,}"]
    at_risk = [
        (
            fewest * classes if most <= AT_RISK_SIZE else 0,
            min(most, AT_RISK_SIZE) * classes if fewest <= AT_RISK_SIZE else 0,
        )
        for fewest, most, classes in numbers
    ]
    facts = {
        "people_in_classes": [(few * classes, most * classes) for few, most, classes in numbers],
        "min_people": [limits[:2]],
        "people_at_risk": at_risk,
    }
    offences = []
    for name, between in facts.items():
        least, greatest = (sum(end) for end in zip(*between, strict=True))
        if name in about and not least <= count_of(about, name) <= greatest:
            shown = f"{least:,}" + (f" to {greatest:,}" if greatest > least else "")
            offences.append(f"__about states {name}={about[name]}, the source has {shown}")
    return limits, offences


def _link(link: Link, name: str) -> list[str]:
    """Return what is wrong with the people, or other things, that a released column links: each of
    them must be one of the source's with all rows."""
    shown = "people_shown"
    kept = names(_kept(link, name))
    link.engine.drop(shown)
    link.code_released(
        "verification/linking/people/shown",
        shown,
        who=link.carried[name],
        placed=names(link.label_facets),
        also=kept,
    )
    query = "verification/linking/people/differing"
    beyond, lacking, left = link.engine.query(query, kept=kept, whole=True)[0]
    if not beyond and not lacking and left:
        beyond, lacking, _ = link.engine.query(query, kept=kept, whole=False)[0]
        if beyond <= left:  # each row that is not released may belong to another person
            beyond = lacking = 0
    if not beyond and not lacking:
        return []
    return [
        (
            f"{max(beyond, lacking):,} values of {name!r}, with all the rows they link, have no"
            " matching source value of their own"
        )
    ]
