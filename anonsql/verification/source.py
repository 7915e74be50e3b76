"""Verification of a staged release against the source: queries that return offending rows, groups
or values.

The checks use nothing of search and staging: no frequency set and none of their templates, not even
the template that judges classes. Labels are taken from the dimension tables, whose lint has checked
that each value is within its labels' bounds. tests/test_seams.py checks this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from anonsql.engines.base import Engine, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.method import Form
from anonsql.release.recoding import ByGroups, ByLevels, Recoding
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels
from anonsql.system.numbers import counted
from anonsql.verification.compared import as_compared

_MATCHES = 1 << 22
"""About how many pairs of a window and a run of rows in it one statement looks at."""


class ReleasedForms(Protocol):
    """How the values of attributes are released."""

    @property
    def forms(self) -> Mapping[int, Form]:
        """The forms, by the attribute's index."""

    @property
    def arrays(self) -> bool:
        """Whether sets are arrays."""

    @property
    def withheld(self) -> Collection[int]:
        """The attributes, by index, whose values are withheld in some rows."""


def of_levels(
    engine: Engine,
    rows: Relation,
    arguments: tuple[Relation, Relation],
    recoding: Recoding,
    by: ByLevels,
) -> list[str]:
    """Return the offences where the released rows are not, as a multiset, the source generalized to
    the levels, less the classes that do not keep the whole promise. Promises about people and about
    a population can only be verified here. ``arguments`` are source and population."""
    recoding = replace(recoding, released=as_compared(engine, rows, recoding.released))
    pair, absent = _difference(engine, rows, arguments, recoding, by.levels)
    text = "classes of the population have no released rows, and delta_presence.min is above 0"
    return [f"{absent:,} {text}"] * (absent > 0) + _not_generalized(*pair)


def of_groups(
    engine: Engine,
    rows: Relation,
    source: Relation,
    recoding: Recoding,
    by: ByGroups,
    *,
    judged: Sequence[str] | None = None,
) -> list[str]:
    """Return the offences where the released rows are not, as a multiset, the rows of the source
    with the values released for their groups, and where a group's released values do not cover all
    that they were made from. A method that changes values says itself which offences there are of
    the latter kind (``judged``)."""
    recoding = replace(recoding, released=as_compared(engine, rows, recoding.released))
    if by.rings:
        offences = _ring_offences(engine, recoding, by)
    else:
        offences = list(uncovered(engine, recoding.attributes, by) if judged is None else judged)
        offences += _class_offences(engine, source, recoding, by)
    shared: dict[str, Any] = {
        "attributes": recoding.attributes,
        "released": recoding.released,
        "masked": recoding.suppression.masked,
    }
    shared |= {"split": by.split, "valued": recoding.valued}
    shared |= {
        "averaged": [column for column in recoding.released if column.averaged],
        "alike": [column for column in recoding.released if column.kind in ("label", "lo", "hi")],
    }
    offences += _confused(engine, recoding.valued)
    if by.split:
        offences += _placed_offences(engine, source, shared)
    result = engine.query("verification/grouped", source=source, table=rows, **shared)[0]
    engine.drop("placed")
    return offences + _not_generalized(*result)


def _not_generalized(different: int, by_rows: int) -> list[str]:
    text = f"{different:,} distinct rows ({by_rows:,} rows) differ from the generalized source"
    return [text] * (different > 0)


def _confused(engine: Engine, valued: Sequence[Coded]) -> list[str]:
    """Return the offences of sensitive columns whose codes and values do not correspond one to one:
    codes decide what group a row is in."""
    return [
        f"{wrong:,} codes of {column.name!r} do not have exactly one value"
        for column in valued
        if (wrong := engine.query("verification/confused", a=column)[0][0])
    ]


def refer(engine: Engine, coded: Sequence[Coded], whole: str) -> list[str]:
    """Make the tables of the whole distribution, by value and by branch, that classes are compared
    with, from counted rows, and return their names."""
    made = []
    for column in coded:
        parameters = {"a": column, "whole": whole}
        made.append(f"reference_{column.index}")
        engine.run("sql/table", name=made[-1], select="verification/reference", **parameters)
        if column.attribute is not None:
            made.append(f"branches_{column.index}")
            engine.run("sql/table", name=made[-1], select="verification/branches", **parameters)
    return made


def _placed_offences(engine: Engine, source: Relation, shared: dict[str, Any]) -> list[str]:
    """Return the offences of rows that are numbered within their cell and are not the source's, and
    of groups that got other rows than were counted for them."""
    different, by_rows = engine.query("verification/placed", source=source, **shared)[0]
    offences = (
        [
            f"{different:,} distinct rows ({by_rows:,} rows) differ from the source's rows that"
            " were to be divided"
        ]
        if different
        else []
    )
    wrong = engine.query("verification/portions", **shared)[0][0]
    return offences + [f"{wrong:,} groups have other rows than those counted for them"] * (
        wrong > 0
    )


def _difference(
    engine: Engine,
    rows: Relation,
    sources: tuple[Relation, Relation],
    recoding: Recoding,
    levels: Levels,
) -> tuple[tuple[int, int], int]:
    """Return how many distinct rows differ from the source generalized to levels, and by how many
    rows in all; and how many classes break the lower limit of presence. ``sources`` are the source
    and the population."""
    source, population = sources
    labels = [column for column in recoding.released if column.kind == "label"]
    parameters: dict[str, Any] = {
        "released": recoding.released,
        "labels": labels,
        "attributes": recoding.attributes,
    }
    parameters |= {"levels": levels, "coded": recoding.coded, "promise": recoding.promise}
    engine.run(
        "sql/table",
        name="verified_rows",
        select="verification/counted",
        source=source,
        **parameters,
    )
    made = refer(engine, recoding.coded, "verified_rows")
    parameters |= {"keys": [f"t{label.position}" for label in labels], "population": population}
    judging = not (recoding.promise.models or recoding.promise.of_everybody)
    if not judging:
        made += _judge(engine, parameters)
    masked = recoding.suppression.masked
    different, by_rows = engine.query(
        "verification/difference", table=rows, masked=masked, judging=judging, **parameters
    )[0]
    absent = 0
    if recoding.promise.of_everybody:
        absent = engine.query("verification/absent", table="verified_classes")[0][0]
    engine.drop(*made, "verified_rows")
    return (different, by_rows), absent


def _judge(engine: Engine, parameters: Mapping[str, Any]) -> list[str]:
    """Make tables of the classes, which several terms of a promise are asked for, and of the
    verdicts on them; return their names."""
    groups, classes = "verified_groups", "verified_classes"
    judged = {"name": groups, "select": "verification/judged"}
    engine.run("sql/table", **judged, **parameters)
    kept = {"name": classes, "select": "verification/keeping", "table": groups}
    engine.run("sql/table", **kept, **parameters)
    return [groups, classes]


def _class_offences(
    engine: Engine, source: Relation, recoding: Recoding, by: ByGroups
) -> list[str]:
    keys = [f"v{attribute.index}" for attribute in recoding.attributes]
    keys += [
        f"{end}{attribute.index}"
        for attribute in recoding.attributes
        if attribute.bounds_type
        for end in ("lo", "hi")
    ]
    parameters = {
        "attributes": recoding.attributes,
        "promise": recoding.promise,
        "coded": recoding.coded,
        "split": by.split,
        "valued": recoding.valued,
        "keys": keys,
        "source": source,
    }
    classes, size = engine.query("verification/broken", **parameters)[0]
    text = f"{classes:,} classes with {size:,} rows do not keep the promise"
    return [text] * (classes > 0)


@dataclass(frozen=True)
class _Share:
    """A coded column; none of its values may have more than 1/``bound`` of the rows of a window."""

    index: int
    bound: int


def _ring_offences(engine: Engine, recoding: Recoding, by: ByGroups) -> list[str]:
    """Return why a release by rings does not hide every row among as many as promised. Each window
    must have so many rows and each row be in so many windows, the values released for a window must
    cover all its rows, its owner must be one of these rows, and no sensitive value, nor any person
    where k counts people, may be too frequent in a ring (Wong, Mamoulis, Cheung 2010, sections
    4.2.1 and 6)."""
    promise, attributes = recoding.promise, recoding.attributes
    offences = {
        "rings, or windows of neighbours in them, have a wrong size or place": engine.query(
            "verification/rings", k=promise.k
        )[0][0],
        "distinct rows are released with the values of neighbours that do not include them": 0,
    }
    if promise.models:
        offences["rings contain a sensitive value too often"] = engine.query(
            "verification/crowded", models=promise.models
        )[0][0]
    if promise.people:
        shares = [_Share(promise.people, promise.k)]
        offences["rings have too many rows of a single person"] = engine.query(
            "verification/crowded", models=shares
        )[0][0]
    windows, runs = engine.query("verification/windows")[0]
    outside: Counter[str] = Counter()
    step = max(1, _MATCHES // runs)
    named = _label(engine, attributes, by)
    for first in range(0, windows, step):
        some = {"attributes": attributes, "first": first, "last": first + step - 1}
        engine.run("verification/matches", named=named, **some)
        offences[
            "distinct rows are released with the values of neighbours that do not include them"
        ] += engine.query("verification/unmatched", **some)[0][0]
        outside.update(_uncovered(engine, attributes, named, by, "matches"))
        engine.drop("matches")
    engine.drop("labelled")
    return [f"{count:,} {what}" for what, count in offences.items() if count] + _not_covered(
        outside
    )


def uncovered(engine: Engine, attributes: Sequence[Attribute], by: ReleasedForms) -> list[str]:
    """Return the attributes with released values that do not cover their original values, by the
    table ``assigned``, as offences."""
    named = _label(engine, attributes, by)
    offences = _uncovered(engine, attributes, named, by, "assigned")
    engine.drop("labelled")
    return _not_covered(offences)


def _not_covered(offences: Mapping[str, int]) -> list[str]:
    one, many = "value of {!r} is outside its label", "values of {!r} are outside their labels"
    return [
        f"{counted(pairs, one.format(name), many.format(name))}, or a label ends at a value that no"
        " row has"
        for name, pairs in offences.items()
    ]


def _label(engine: Engine, attributes: Sequence[Attribute], by: ReleasedForms) -> list[Attribute]:
    """Make the table ``labelled``: which groups are released as the same, by attribute. Return its
    attributes: those whose values are not released as intervals of the domain's order."""
    named = [
        attribute
        for attribute in attributes
        if by.forms[attribute.index] not in ("numbers", "names")
    ]
    engine.run("verification/labelled", attributes=named, forms=by.forms, array=by.arrays)
    return named


def _uncovered(
    engine: Engine,
    attributes: Sequence[Attribute],
    named: Sequence[Attribute],
    by: ReleasedForms,
    table: str,
) -> dict[str, int]:
    """Return, by name of the attribute, how many pairs of a value and the released value made from
    it there are in which the latter does not cover the former, or is an interval that ends at the
    value of no row that it is made from; in another ``table`` than
    ``assigned``, pairs in which it could have been made from it. ``named`` are the attributes of
    the table ``labelled`` (see :func:`_label`)."""
    names = {attribute.index: attribute.name for attribute in attributes}
    intervals = [attribute for attribute in attributes if attribute not in named]
    parameters = {
        "table": table,
        "linked": table != "assigned",
        "forms": by.forms,
        "array": by.arrays,
        "withheld": by.withheld,
    }
    rows = [
        *(engine.query("verification/uncovered", attributes=named, **parameters) if named else []),
        *(
            engine.query("verification/outside", table=table, attributes=intervals)
            if intervals
            else []
        ),
    ]
    return {names[index]: pairs for index, pairs in rows}
