"""Verification of a staged release against the source: queries that return offenders.

Nothing of the search and of staging is used: no frequency set and none of their templates, not even
the one that judges classes. Labels are taken from the dimension tables, whose lint has checked that
each value lies within its labels' bounds. tests/test_seams.py holds it to that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from anonsql.engines.base import Engine, Relation
from anonsql.errors import InvariantError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.method import Form
from anonsql.release.recoding import ByGroups, ByLevels, Recoding
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels
from anonsql.verification import relocated
from anonsql.verification.compared import as_compared

_MATCHES = 1 << 22
"""Pairs of a window and a run of rows in it that are looked at together, about."""


class Shown(Protocol):
    """How the values of attributes are released: their forms by index, whether sets are arrays, and
    which are withheld of some rows."""

    @property
    def forms(self) -> Mapping[int, Form]:
        """The forms, by the attribute's index."""

    @property
    def arrays(self) -> bool:
        """Whether sets are arrays."""

    @property
    def withheld(self) -> Collection[int]:
        """The attributes, by index, that some rows have no value of."""


def of_levels(
    engine: Engine, rows: Relation, given: tuple[Relation, Relation], recoding: Recoding
) -> list[str]:
    """Return where the released rows are not, as a multiset, the source generalized to the levels,
    less what does not keep the whole promise: what people and a population have to do with it, only
    this can tell. ``given`` are source and population."""
    by = recoding.by
    if not isinstance(by, ByLevels):
        raise InvariantError("there are no levels to prove")
    recoding = replace(recoding, released=as_compared(engine, rows, recoding.released))
    found, absent = _difference(engine, rows, given, recoding, by.levels)
    told = "classes of the population have no released rows, and delta_presence.min is above 0"
    return [f"{absent:,} {told}"] * (absent > 0) + _not_generalized(*found)


def of_groups(engine: Engine, rows: Relation, source: Relation, recoding: Recoding) -> list[str]:
    """Return where the released rows are not, as a multiset, the source as its groups are released,
    and what is released of groups and does not cover all that it was made from."""
    by = recoding.by
    if not isinstance(by, ByGroups):
        raise InvariantError("there are no groups to prove")
    recoding = replace(recoding, released=as_compared(engine, rows, recoding.released))
    offences = _group_offences(engine, source, recoding, by)
    shared: dict[str, Any] = {
        "attributes": recoding.attributes,
        "released": recoding.released,
        "masked": recoding.suppression.masked,
    }
    shared |= {"split": by.split, "valued": recoding.valued}
    offences += _confused(engine, recoding.valued)
    if by.split:
        offences += _placed_offences(engine, source, shared)
    found = engine.query("verify/grouped", source=source, table=rows, **shared)[0]
    engine.drop("placed")
    return offences + _not_generalized(*found)


def _not_generalized(different: int, by_rows: int) -> list[str]:
    """Return the offence that rows are not what the source is generalized to."""
    told = f"{different:,} distinct rows, {by_rows:,} rows in all, are not the source generalized"
    return [told] * (different > 0)


def _confused(engine: Engine, valued: Sequence[Coded]) -> list[str]:
    """Return the sensitive columns whose codes, which say what group a row is in, are not one a
    value."""
    return [
        f"{wrong:,} codes of {each.name!r} do not stand for one value each"
        for each in valued
        if (wrong := engine.query("verify/confused", a=each)[0][0])
    ]


def _refer(engine: Engine, coded: Sequence[Coded], whole: str) -> list[str]:
    """Make the tables of values and branches that classes are held against, from counted rows, and
    return their names."""
    made = []
    for each in coded:
        told = {"a": each, "whole": whole}
        made.append(f"reference_{each.index}")
        engine.run("models/table", name=made[-1], select="verify/reference", **told)
        if each.attribute is not None:
            made.append(f"branches_{each.index}")
            engine.run("models/table", name=made[-1], select="verify/branches", **told)
    return made


def _placed_offences(engine: Engine, source: Relation, shared: dict[str, Any]) -> list[str]:
    """Return rows that were given places among those of their cell and are not the source's, and
    groups that got others than were counted for them."""
    different, by_rows = engine.query("verify/placed", source=source, **shared)[0]
    offences = (
        [
            f"{different:,} distinct rows, {by_rows:,} in all, are not the source's that were to be"
            " divided"
        ]
        if different
        else []
    )
    wrong = engine.query("verify/portions", **shared)[0][0]
    return offences + [f"{wrong:,} groups have other rows than were counted for them"] * (wrong > 0)


def _difference(
    engine: Engine,
    rows: Relation,
    given: tuple[Relation, Relation],
    recoding: Recoding,
    levels: Levels,
) -> tuple[tuple[int, int], int]:
    """Return distinct rows that differ from the source generalized to levels, and by how many rows
    in all; and classes of people that a least presence is broken of. ``given`` are the source and
    the population."""
    source, population = given
    labels = [each for each in recoding.released if each.kind == "label"]
    told: dict[str, Any] = {
        "released": recoding.released,
        "labels": labels,
        "attributes": recoding.attributes,
    }
    told |= {"levels": levels, "coded": recoding.coded, "promise": recoding.promise}
    engine.run("models/table", name="verified_rows", select="verify/counted", source=source, **told)
    made = _refer(engine, recoding.coded, "verified_rows")
    engine.run(
        "models/table",
        name="verified_groups",
        select="verify/judged",
        population=population,
        **told,
    )
    judged = {
        "table": "verified_groups",
        "keys": [f"t{each.position}" for each in labels],
        "promise": recoding.promise,
    }
    engine.run("models/table", name="verified_classes", select="verify/keeping", **judged)
    different, by_rows = engine.query(
        "verify/difference", table=rows, masked=recoding.suppression.masked, **told
    )[0]
    absent = 0
    if recoding.promise.of_everybody:
        absent = engine.query("verify/absent", table="verified_classes")[0][0]
    for table in (*made, "verified_rows", "verified_groups", "verified_classes"):
        engine.drop(table)
    return (different, by_rows), absent


def _group_offences(
    engine: Engine, source: Relation, recoding: Recoding, by: ByGroups
) -> list[str]:
    """Return released values that do not cover what they were made from, and classes that do not
    keep the promise."""
    if by.relocation is None:
        offences = uncovered(engine, recoding.attributes, by, "assigned")
    else:
        offences = relocated.offences(engine, recoding, by, by.relocation)
    if by.rings:
        return offences + _ring_offences(engine, recoding, by)
    keys = [f"v{each.index}" for each in recoding.attributes]
    keys += [
        f"{end}{each.index}"
        for each in recoding.attributes
        if each.bounds_type
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
    classes, size = engine.query("verify/broken", **parameters)[0]
    if classes:
        offences.append(f"{classes:,} classes with {size:,} rows in all do not keep the promise")
    return offences


def _ring_offences(engine: Engine, recoding: Recoding, by: ByGroups) -> list[str]:
    """Return what keeps a release by rings from hiding every row among as many as is promised: that
    each window stands for so many rows and each row is in so many windows, that what is released of
    a window covers all of them, that its owner is one of them, and that no sensitive value is too
    frequent in a ring (Wong, Mamoulis, Cheung 2010, sections 4.2.1 and 6)."""
    promise, attributes = recoding.promise, recoding.attributes
    found = {
        "rings do not close as they should": engine.query("verify/rings", k=promise.k)[0][0],
        "kinds of rows are released as windows that do not hold them": 0,
    }
    if promise.models:
        found["rings have a sensitive value too often"] = engine.query(
            "verify/crowded", models=promise.models
        )[0][0]
    windows, runs = engine.query("verify/windows")[0]
    outside: Counter[str] = Counter()
    step = max(1, _MATCHES // runs)
    for first in range(0, windows, step):
        some = {"attributes": attributes, "first": first, "last": first + step - 1}
        engine.run("verify/matches", **some)
        found["kinds of rows are released as windows that do not hold them"] += engine.query(
            "verify/unmatched", **some
        )[0][0]
        outside.update(_uncovered(engine, attributes, by, "matches"))
        engine.drop("matches")
    return [f"{count:,} {what}" for what, count in found.items() if count] + _not_covered(outside)


def uncovered(engine: Engine, attributes: Sequence[Attribute], by: Shown, table: str) -> list[str]:
    """Return attributes of which something is released that does not cover what it was made from,
    as the ``table`` has it."""
    return _not_covered(_uncovered(engine, attributes, by, table))


def _not_covered(found: Mapping[str, int]) -> list[str]:
    """Return the offences of :func:`_uncovered`."""
    return [
        f"{pairs:,} values of {name!r} are released as what does not cover them"
        for name, pairs in found.items()
    ]


def _uncovered(
    engine: Engine, attributes: Sequence[Attribute], by: Shown, table: str
) -> dict[str, int]:
    """Return attributes of which something is released that does not cover what it was made from,
    or, by another ``table`` than ``assigned``, could have been made from: pairs of a value and what
    is released, by name."""
    names = {each.index: each.name for each in attributes}
    intervals = [each for each in attributes if by.forms[each.index] in ("numbers", "names")]
    others = [each for each in attributes if each not in intervals]
    told = {"table": table, "forms": by.forms, "array": by.arrays, "withheld": by.withheld}
    found = [
        *(engine.query("verify/uncovered", attributes=others, **told) if others else []),
        *(engine.query("verify/outside", table=table, attributes=intervals) if intervals else []),
    ]
    return {names[index]: pairs for index, pairs in found}
