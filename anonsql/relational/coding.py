"""The rows of all tables as whole numbers: which row, whose, below which row, in which cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import PolicyError, Problem
from anonsql.relational.tables import CodedTables, Linked, PersonalTable
from anonsql.release.salts import fresh_salt
from anonsql.star.workbench import Workbench
from anonsql.system.numbers import counted

NUMBERS = {
    "rows": [Column(name, "BIGINT") for name in ("id", "parent", "person", "cell")],
    "steps": [
        *(Column(name, "INTEGER") for name in ("attribute", "level", "code", "up")),
        Column("loss", "DOUBLE"),
    ],
    "values": [
        Column("code", "INTEGER"),
        Column("n", "BIGINT"),
        Column("share", "DOUBLE"),
        Column("m", "BIGINT"),
        Column("named", "BOOLEAN"),
    ],
}
"""The columns of the tables that travel to a workbench."""
_REMEDY = "Fill in the missing values, or leave these rows out in a view."
_MOST_COMBINATIONS = 4_000_000_000
"""Combinations of known rows that one count may look at: hours, by far."""


def number_rows(engine: Engine, table: PersonalTable) -> None:
    """Number the rows of a table at random: make ``keyed_<number>``."""
    with fresh_salt(engine):
        _make(engine, f"keyed_{table.number}", "keyed", source=table.source, key=table.key)


def key_problems(engine: Engine, name: str, source: Relation, key: Linked) -> list[Problem]:
    """Return what is wrong with the key of a table: rows without one, and rows with the same."""
    total, nulls, different = engine.query("relational/keys", source=source, key=key)[0]
    problems = []
    if nulls:
        text = f"{counted(nulls, 'row has', 'rows have')} no {key.name!r}."
        problems.append(
            Problem(
                f"tables.{name}.key",
                text,
                "Fill in the missing values, or leave these rows out in a view.",
            )
        )
    if total - nulls > different:
        text = f"{total - nulls:,} rows have only {different:,} distinct values of {key.name!r}."
        remedy = (
            "A key must distinguish all rows: name another column. If the key has several"
            " columns, combine them in a view."
        )
        problems.append(Problem(f"tables.{name}.key", text, remedy))
    return problems


def reference_problems(
    engine: Engine,
    where: str,
    refers: tuple[Relation, Linked],
    to: tuple[Relation, Linked],
    *,
    needed: bool,
) -> list[Problem]:
    """Return what is wrong with the references of a table's rows (table and column) to the key of
    another: missing ones, where they are ``needed``, and references without a row."""
    (source, reference), (other, key) = refers, to
    nulls, dangling = engine.query(
        "relational/dangling", source=source, reference=reference, other=other, key=key
    )[0]
    problems = []
    if nulls and needed:
        text = f"{counted(nulls, 'row has', 'rows have')} no {reference.name!r}."
        problems.append(Problem(where, text, _REMEDY))
    if dangling:
        text = (
            f"{counted(dangling, 'row refers', 'rows refer')} by {reference.name!r} to a"
            " missing row."
        )
        problems.append(
            Problem(where, text, "Repair these references, or leave the rows out in a view.")
        )
    return problems


def code(engine: Engine, tables: Sequence[PersonalTable]) -> CodedTables:
    """Make the tables of whole numbers. Needs the dimension tables, and ``keyed_<number>``."""
    attributes = [attribute for table in tables for attribute in table.attributes]
    if attributes:
        engine.run("star/steps", attributes=attributes)
    rows: dict[int, int] = {}
    before: dict[int, int] = {}
    losses: dict[int, dict[int, float]] = {}
    for table in tables:
        before[table.number] = engine.query("sql/rows", table=f"keyed_{table.number}")[0][0]
        _code(engine, table)
        rows[table.number] = engine.query("sql/rows", table=f"rows_{table.number}")[0][0]
        cells = f"cells_{table.number}"
        if table.attributes:
            parameters = {"cells": cells, "attributes": table.attributes}
            for attribute, level, loss in engine.query("relational/losses", **parameters):
                losses.setdefault(attribute, {})[level] = float(loss)
    beyond = {number: before[number] - rows[number] for number in rows}
    return CodedTables(tables, rows, losses, beyond)


def _code(engine: Engine, table: PersonalTable) -> None:
    number, coded = table.number, "coded"
    _make(
        engine,
        coded,
        "coded",
        source=table.source,
        key=table.key,
        attributes=table.attributes,
        number=number,
        reference=table.link.reference if table.link else None,
        upper=table.upper,
        nested=table.nested,
        sensitive=table.sensitive,
    )
    if table.max_rows is not None:
        with fresh_salt(engine):
            _make(engine, "capped", "capped", coded="coded", max_rows=table.max_rows)
        engine.drop("coded")
        coded = "capped"
    shared = {"coded": coded, "attributes": table.attributes}
    _make(engine, f"cells_{number}", "cells", **shared)
    parameters = {"cells": f"cells_{number}", "sensitive": table.sensitive}
    _make(engine, f"rows_{number}", "rows", **parameters, **shared)
    engine.drop(coded)
    for column in table.sensitive:
        values = f"values_{column.index}"
        _make(engine, "of_people", "sensitive/reference", table=table, a=column)
        engine.drop(values)
        _make(engine, values, "search/united", tables=["of_people"])
        engine.drop("of_people")


def carry(bench: Workbench, coded: CodedTables) -> None:
    """Carry the tables of whole numbers to the workbench, where that is elsewhere."""
    if coded.attributes:
        bench.carry("steps", NUMBERS["steps"])
    for table in coded.tables:
        codes = [Column(f"c{attribute.index}", "INTEGER") for attribute in table.attributes]
        sensitive = [Column(f"x{column.index}", "INTEGER") for column in table.sensitive]
        bench.carry(f"rows_{table.number}", [*NUMBERS["rows"], *sensitive])
        named = [Column(name, "BIGINT") for name in ("cell", "up")]
        bench.carry(f"cells_{table.number}", [*named, *codes])
        for column in table.sensitive:
            bench.carry(f"values_{column.index}", NUMBERS["values"])


def combinations(engine: Engine, coded: CodedTables, known: int) -> dict[int, int]:
    """Return about how many combinations of 1 to ``known`` rows there are, by their size. Raise
    PolicyError where a person has so many rows that they cannot be counted."""
    below = [table for table in coded.tables if table.depth]
    if not below or not known:
        return {}
    parameters = {"tables": below, "known_rows": known}
    *counts, most = engine.query("relational/combinations", **parameters)[0]
    result = {size: int(counts[size - 1] or 0) for size in range(1, known + 1)}
    if result[known] > _MOST_COMBINATIONS:
        text = (
            f"combinations of {known} known rows are too many to count: {result[known]:,}, and"
            f" one person has {most:,} rows (of equal rows at most {known})."
        )
        remedy = "Set max_rows for the tables with many rows, or lower known_rows."
        raise PolicyError.at("privacy.known_rows", text, remedy)
    return result


def _make(engine: Engine, name: str, select: str, **parameters: Any) -> None:
    engine.run("sql/table", name=name, select=f"relational/{select}", **parameters)
