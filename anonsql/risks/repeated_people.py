"""An identifying column that repeats: several rows may be one person, and k counts rows."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import Problem
from anonsql.risks.kept.counting import Compared

_REPEATS = 1.1  # rows per value, on average, from which repetition is not by chance


def repeating(
    engine: Engine,
    table: Relation,
    identifying: Sequence[Column],
    quasi_identifying: Sequence[Column],
    *,
    k: int,
) -> list[Problem]:
    """Return a warning about the repeating identifying column that has the most values, with the
    number of people, if its values are people, who share their quasi-identifying values with at
    least k rows, but of fewer than k people. Return none where no column repeats, or no more than
    by chance."""
    if not identifying or not quasi_identifying:
        return []
    columns = [Compared(each) for each in identifying]
    counts = engine.query("risks/repeated_people/repeated", table=table, columns=columns)[0]
    found = [
        (different, rows, each)
        for each, rows, different in zip(columns, counts[::2], counts[1::2], strict=True)
        if 1 < different < rows
    ]
    if not found:
        return []
    different, rows, person = max(found, key=lambda each: each[0])
    quasi = [Compared(each) for each in quasi_identifying]
    few = engine.query("risks/repeated_people/few", table=table, columns=quasi, people=person, k=k)[
        0
    ][0]
    if not few and rows < _REPEATS * different:
        return []
    alone = "one person" if few == 1 else f"{few:,} people"
    hidden = (
        f" {alone} would count as hidden among {k} rows or more that are of fewer than {k} people."
        if few
        else ""
    )
    text = (
        f"{different:,} values of this identifying column stand in {rows:,} rows. If each is a"
        f" person, k={k} counts rows and not people.{hidden}"
    )
    remedy = f"If it names people, set `privacy.entity: {person.name}`, so that k counts them."
    return [Problem(f"columns.{person.name}", text, remedy)]
