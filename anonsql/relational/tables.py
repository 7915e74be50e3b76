"""The tables of people as statements see them: numbered, people first, each after the table that it
refers to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, OfColumn, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded as SensitiveColumn


@dataclass(frozen=True)
class Linked(OfColumn):
    """A key or reference, with the scratch ``table`` in which its values have numbers."""

    column: Column
    table: str = ""


@dataclass(frozen=True)
class Link:
    """How a table belongs to people: its reference, and the number of the table referred to."""

    reference: Linked
    upper: int


@dataclass(frozen=True)
class PersonalTable:
    """A table of people's rows. ``number`` counts from 1, which are the people themselves;
    ``chain`` are the numbers of the tables from this one up to the one before that of people;
    ``link`` is None of people. ``sensitive`` are the columns that privacy models are about, their
    indices behind those of the attributes of all tables."""

    number: int
    name: str
    source: Relation
    key: Linked
    link: Link | None
    chain: tuple[int, ...]
    attributes: tuple[Attribute, ...]
    max_rows: int | None = None
    sensitive: tuple[SensitiveColumn, ...] = ()

    @property
    def depth(self) -> int:
        """How many references lead to people: 0 of people."""
        return len(self.chain)

    @property
    def upper(self) -> int | None:
        """The number of the table that this one refers to; None of people."""
        return None if self.link is None else self.link.upper

    @property
    def nested(self) -> bool:
        """Whether the table refers to another one than that of people."""
        return self.depth > 1


@dataclass(frozen=True)
class Guarded:
    """A sensitive column of a table, by number, and its promise among matching people."""

    table: int
    promise: Promise

    @property
    def index(self) -> int:
        """The index of the column."""
        return self.promise.coded[0]


@dataclass(frozen=True)
class Knowledge:
    """How many ``rows`` of a person may be known (None: all), and of how few people (k)."""

    k: int
    rows: int | None


@dataclass(frozen=True)
class CodedTables:
    """The tables in whole numbers (``rows_<number>``, ``cells_<number>`` and ``steps``): how many
    rows each has, by number, and the mean loss of each level, by attribute. ``beyond`` counts the
    rows left out because their person has too many rows in the table, and the rows that refer to
    them."""

    tables: Sequence[PersonalTable]
    rows: Mapping[int, int]
    losses: Mapping[int, Mapping[int, float]]
    beyond: Mapping[int, int]

    @property
    def attributes(self) -> list[Attribute]:
        """The attributes of all tables."""
        return [attribute for table in self.tables for attribute in table.attributes]
