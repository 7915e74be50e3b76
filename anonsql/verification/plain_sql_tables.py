"""Verification SQL for releases of several tables: see :mod:`anonsql.verification.plain_sql`.

A statement shows what an attacker finds who knows a person's own row and one more row; two and more
have too many combinations for a statement that people read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import KEY, Relation, ReleaseTables, references_of
from anonsql.privacy.registry import MODELS
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.plain_sql import StatedCheck

_CLASSES = ("quasi-identifying", "semi-sensitive")
_PEOPLE = "people"
_MODELS = tuple(model.name for model in MODELS)


@dataclass(frozen=True)
class Shown:
    """A table as statements name it: its name in the release, what a client calls it, its key and
    references, and the columns that may be ``known``. ``reference`` leads to the one before."""

    name: str
    relation: Relation
    key: str
    references: Mapping[str, str]
    known: Sequence[str]
    reference: str = ""


def checks(
    release: Mapping[str, ReleaseTables], named: Mapping[str, Relation], dialect: Dialect
) -> list[StatedCheck]:
    """Return the stated promises of a release of several tables, with statements that show them.
    ``release`` are its tables by name, ``named`` what a client calls them."""
    about = {name: facts_of(tables) for name, tables in release.items()}
    shown = {
        name: Shown(
            name,
            named[name],
            about[name].get(KEY, ""),
            references_of(about[name]),
            [one.name for one in tables.stated_columns if one.role in _CLASSES],
        )
        for name, tables in release.items()
    }
    facts = next(iter(about.values()))
    of, known = facts.get("of", ""), facts.get("known_rows", "0")
    k = count_of(facts, "k")
    result = [_of_people(shown[of], k, shown, dialect)]
    if known != "0":
        result += [
            _of_rows(chain, k, shown, dialect)
            for chain in _chains(shown, of)
            if any(column.known for column in chain)
        ]
    if known not in ("0", "1"):
        more = "all rows of a person" if known == "all" else f"{known} rows of a person"
        title = f"An attacker who knows {more} finds at least {k:,} people"
        says = "There are too many combinations for a statement: `anonsql verify` counts them."
        result.append(StatedCheck("known_rows", title, says))
    for model, _, column in (name.partition(".") for name in facts):
        if model in _MODELS and column:
            title = f"The people that match keep {model} of {column}: {facts[f'{model}.{column}']}"
            says = (
                "The check counts values by people for every possible knowledge: use `anonsql"
                " verify`."
            )
            result.append(StatedCheck(model, title, says))
    return result + list(_of_references(shown, dialect))


def _chains(shown: Mapping[str, Shown], of: str) -> list[list[Shown]]:
    results, open_ = [], [[shown[of]]]
    for chain in open_:
        below = [
            Shown(
                column.name, column.relation, column.key, column.references, column.known, reference
            )
            for column in shown.values()
            for reference, other in column.references.items()
            if other == chain[-1].name
        ]
        open_ += [[*chain, column] for column in below]
        results += [[*chain, column] for column in below]
    return results


def _of_people(people: Shown, k: int, shown: Mapping[str, Shown], dialect: Dialect) -> StatedCheck:
    title = f"An attacker who knows a person's own row finds at least {k:,} people"
    if not people.known:
        return StatedCheck("k", title, "Their rows have no column that an attacker may know.")
    says = "The statement returns values that fewer people have."
    return StatedCheck("k", title, says, _few([people], k, shown, dialect))


def _of_rows(
    chain: Sequence[Shown], k: int, shown: Mapping[str, Shown], dialect: Dialect
) -> StatedCheck:
    title = f"An attacker who also knows a row of {chain[-1].name} finds at least {k:,} people"
    says = "The statement returns values that fewer people have."
    return StatedCheck("known_rows", title, says, _few(chain, k, shown, dialect))


def _few(chain: Sequence[Shown], k: int, shown: Mapping[str, Shown], dialect: Dialect) -> str:
    names = {name.casefold() for column in shown.values() for name in column.known}
    mark = ""
    while f"{_PEOPLE}{mark}" in names:
        mark += "_"
    template = "verification/plain_sql_tables/few_people"
    known = [
        (position, name) for position, column in enumerate(chain, start=1) for name in column.known
    ]
    return templates.pretty(template, dialect, tables=chain, known=known, k=k, mark=mark)


def _of_references(shown: Mapping[str, Shown], dialect: Dialect) -> Iterator[StatedCheck]:
    for column in shown.values():
        for reference, name in column.references.items():
            if name not in shown:
                continue
            other = shown[name]
            yield StatedCheck(
                "references",
                f"Every {reference} of {column.name} is a {other.key} of {name}",
                "The statement returns rows whose reference has no target.",
                templates.pretty(
                    "verification/plain_sql_tables/dangling",
                    dialect,
                    relation=column.relation,
                    key=column.key,
                    reference=reference,
                    other=other.relation,
                    other_key=other.key,
                ),
            )


def joined(people: tuple[Relation, str], rows: tuple[Relation, str], dialect: Dialect) -> str:
    """Return a statement that counts the rows of each person in another table; the tables are given
    with the columns that they are joined by."""
    template = "verification/plain_sql_tables/joined"
    return templates.pretty(
        template, dialect, people=people[0], key=people[1], rows=rows[0], reference=rows[1]
    )
