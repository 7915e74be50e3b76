"""A column that tells people apart and repeats: several rows may be one person, and k counts
rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import Problem
from anonsql.release.recoding import Recoding
from anonsql.risks.kept.counting import Compared

_REPEATS = 1.1  # rows per value, on average, from which repetition is not by chance
_MOST_ROWS = 50  # rows per value, on average, of a column that is no key by its role
_FEWEST_VALUES = 20
_KEY = re.compile(
    r"(^|(?<!bank)_)(customer|client|patient|person|people|member|user|subject|insured|insurant|holder|"
    r"policy_?holder|employee|student|respondent|resident|participant|guest|donor|tenant|voter|"
    r"passenger|borrower|claimant|beneficiary|mrn|pupil|citizen|taxpayer|account|policy|household|"
    r"kunde|kunden|patienten|person|personen|personal|mitglied|mitglieds|versicherte|versicherten|"
    r"versicherungs|mitarbeiter|klient|klienten|teilnehmer|bewohner|proband|probanden|nutzer|"
    r"schueler|sch(ü)ler|konto|haushalt|haushalts)"
    r"_?(id|ids|no|nr|num|number|nummer|key|code|ref|uuid|pseudonym)?$"
)
"""Names of columns that tell people apart, as words of English and German."""


@dataclass(frozen=True)
class Repeating:
    """A column that tells people apart, and the warning about it."""

    column: Compared
    warning: Problem

    def in_classes(self, least: int) -> Problem:
        """Return the warning with the number of people in the smallest class of a release."""
        people = "one person" if least == 1 else f"{least:,} people"
        text = f"{self.warning.found} The smallest class of this release has {people}."
        return replace(self.warning, found=text)


def names_people(name: str) -> bool:
    """Return whether a column is called as one that tells people apart."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return _KEY.search(re.sub(r"[\W_]+", "_", spaced.lower())) is not None


def repeating(
    engine: Engine,
    table: Relation,
    identifying: Sequence[Column],
    quasi_identifying: Sequence[Column],
    others: Sequence[Column] = (),
    *,
    k: int,
) -> Repeating | None:
    """Return the repeating column that tells people apart, with the number of people, if its values
    are people, who share their quasi-identifying values with at least k rows, but of fewer than k
    people. It is one of the identifying columns, or of the ``others`` that are called so; of
    several the one that is called so, or has the most values. None where no column repeats, or no
    more than by chance."""
    called = [other for other in others if other.kind in ("text", "integer")]
    called = [column for column in called if names_people(column.name)]
    columns = [Compared(column) for column in (*identifying, *called)]
    if not columns or not quasi_identifying:
        return None
    counts = engine.query("risks/repeated_people/repeated", table=table, columns=columns)[0]
    result = [
        (different, rows, column)
        for column, rows, different in zip(columns, counts[::2], counts[1::2], strict=True)
        if 1 < different < rows
        and (column.column in identifying or _FEWEST_VALUES < different >= rows / _MOST_ROWS)
    ]
    if not result:
        return None
    often = [row for row in result if row[1] >= _REPEATS * row[0]]
    different, rows, person = max(
        often or result, key=lambda row: (names_people(row[2].name), row[0])
    )
    quasi = [Compared(column) for column in quasi_identifying]
    parameters = {"table": table, "columns": quasi, "people": person, "k": k}
    few = engine.query("risks/repeated_people/few", **parameters)[0][0]
    if not few and not often:
        return None
    this = "this identifying column" if person.column in identifying else "this column"
    return Repeating(person, _warning(f"{different:,} values of {this}", person, rows, few, k=k))


def _warning(values: str, person: Compared, rows: int, few: int, *, k: int) -> Problem:
    """Return the warning about so many ``values`` of a column in so many rows, by which ``few``
    people are hidden among rows of their own."""
    alone = "One person" if few == 1 else f"{few:,} people"
    hidden = (
        f" {alone} would count as hidden among {k} rows or more that are of fewer than {k} people."
        if few
        else ""
    )
    text = (
        f"{values} stand in {rows:,} rows. If each is a"
        f" person, k={k} counts rows and not people.{hidden}"
    )
    remedy = f"If it names people, set `privacy.entity: {person.name}`, so that k counts them."
    return Problem(f"columns.{person.name}", text, remedy)


def of_release(
    engine: Engine, source: Relation, recoding: Recoding, result: Repeating
) -> Problem | None:
    """Return the warning with the number of people in the smallest class that a recoding makes,
    counted on the rows of the source; None where their values do not tell the classes of rows."""
    counting = recoding.people_of_source()
    if counting is None:
        return None
    template, parameters = counting
    shared = {"source": source, "attributes": recoding.attributes, "people": result.column}
    least = engine.query(template, **parameters, **shared)[0][0]
    return None if least is None else result.in_classes(int(least))
