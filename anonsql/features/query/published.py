"""Answers from published tables of statistics: a statement is executed on their cells as
published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from sqlglot import exp

from anonsql.engines.base import Engine, ReleaseTables
from anonsql.errors import did_you_mean
from anonsql.features.query.estimated import MOST_ROWS, not_answered
from anonsql.query import drawn, statements
from anonsql.query.drawn import Shown
from anonsql.query.statements import CompletedTable, Statement
from anonsql.sql.templates import SelectQuery
from anonsql.system.numbers import counted
from anonsql.verification.facts import count_of, facts_of

_REMEDY = "Only one SELECT over published tables is answered."


@dataclass(frozen=True)
class Published:
    """The ``rows`` of an answer; its tables have ``cells`` values in total, ``hidden`` of them
    hidden."""

    rows: list[dict[str, Shown]]
    cells: int
    hidden: int
    protected_by: str
    notes: Sequence[str]


@dataclass(frozen=True)
class _Cells:
    """A published table as a statement reads it, called ``name``: its facts, its dimensions and its
    measures, ``ratios`` of others and counts of ``people`` among them."""

    name: str
    table: CompletedTable
    facts: Mapping[str, str]
    dimensions: Sequence[str]
    measures: Sequence[str]
    ratios: Sequence[str]
    people: Sequence[str]


def answered(statement: Statement, located: Sequence[ReleaseTables]) -> Published:
    """Return the answer to a statement from its published tables, given in its order. Raise
    PolicyError for unknown columns, and for syntax that the engine does not know."""
    engine = located[0].engine
    cells = [_cells(name, tables) for name, tables in zip(statement.tables, located, strict=True)]
    tables = [own.table for own in cells]
    with not_answered(engine, None, _REMEDY):
        tree = statements.qualified(statement, tables)
        titles = statements.titles(statement, tree, tables)
        limit = drawn.number_of(tree, "limit")
        most = MOST_ROWS if limit is None else min(limit, MOST_ROWS)
        asked = tree.copy().limit(most + (limit is None), copy=False)
        text = statements.of_draw(asked, tables, None)
        rows = engine.query("query/drawn", statement=SelectQuery(text))
    notes = [note for own in cells for note in _notes(engine, tree, tables, own)]
    if len(rows) > most or (limit or 0) > most == len(rows):
        notes.append(f"Shown are the first {most:,} rows.")
    unknown = [note for own in cells for note in _unknown_labels(engine, tree, tables, own)]
    if not rows:
        complete = any(own.facts.get("zeros") == "protected" for own in cells)
        why = "" if unknown or complete else " Combinations without people have no row."
        notes.append(f"No cell satisfies the condition.{why}")
    notes += unknown
    return Published(
        drawn.rows(titles, rows[:most]),
        sum(int(engine.query("sql/rows", table=one.rows)[0][0]) for one in located),
        sum(_hidden(own.facts, own.measures) for own in cells),
        cells[0].facts.get("protected_by", "unknown"),
        list(dict.fromkeys(notes)),
    )


def _cells(name: str, located: ReleaseTables) -> _Cells:
    described = located.stated_columns
    there = [column.name for column in located.engine.columns(located.rows)]
    by_role = {
        role: [one.name for one in described if one.role == role]
        for role in ("dimension", "measure", "ratio")
    }
    return _Cells(
        name,
        CompletedTable(located.rows, there, called="column", key=by_role["dimension"]),
        facts_of(located),
        by_role["dimension"],
        [*by_role["measure"], *by_role["ratio"]],
        by_role["ratio"],
        [one.name for one in described if one.form == "people"],
    )


def _hidden(facts: Mapping[str, str], measures: Sequence[str]) -> int:
    return sum(max(0, count_of(facts, f"hidden.{measure}")) for measure in measures)


def _hidden_inside(
    engine: Engine, tree: exp.Select, tables: Sequence[CompletedTable], names: Set[str]
) -> int | None:
    """Return how many hidden values of some measures satisfy a statement's conditions; None where it
    reads several tables, or its conditions are about these measures."""
    where = tree.args.get("where")
    conditions = () if where is None else where.find_all(exp.Column)
    about = {column.name for column in conditions} & names
    if len(list(tree.find_all(exp.Table))) != 1 or about:
        return None
    statuses = [exp.column(f"{name}_status", quoted=True) for name in sorted(names)]
    counts = [
        f"COUNT(CASE WHEN {status.sql('duckdb')} = 'hidden' THEN 1 END)" for status in statuses
    ]
    counting = exp.select(" + ".join(counts), dialect="duckdb")
    for part in ("from_", "where"):
        counting.set(part, tree.args.get(part))
    text = statements.of_draw(counting, tables, None)
    return int(engine.query("query/drawn", statement=SelectQuery(text))[0][0] or 0)


def _unknown_labels(
    engine: Engine, tree: exp.Select, tables: Sequence[CompletedTable], cells: _Cells
) -> list[str]:
    """Return a note for each label in a condition that no row of its dimension has."""
    released = [one for one in tree.find_all(exp.Table) if one.name.startswith(statements.TABLE)]
    notes, by_alias = [], {table.alias_or_name: table for table in released}
    for condition in tree.find_all(exp.EQ, exp.In):
        column = condition.this
        if not isinstance(column, exp.Column):
            continue
        name, table = cells.table.by_name.get(column.name), by_alias.get(column.table)
        values = condition.args.get("expressions") or [condition.args.get("expression")]
        wanted = [value.this for value in values if isinstance(value, exp.Literal)]
        if name not in cells.dimensions or table is None:
            continue
        asked = exp.select(column.copy()).distinct().from_(table.copy())
        text = statements.of_draw(asked, tables, None)
        rows = engine.query("query/drawn", statement=SelectQuery(text))
        known = sorted(label for (label,) in rows if label is not None)
        notes += [
            f"{name} has no label {label!r}. {did_you_mean(label, known)}".rstrip()
            for label in wanted
            if label not in known
        ]
    return notes


def _notes(
    engine: Engine, tree: exp.Select, tables: Sequence[CompletedTable], cells: _Cells
) -> list[str]:
    """Return notes on an answer from a table: the cells that it adds up, and those left out."""
    named, notes = set(statements.columns_of(tree, cells.table)), []
    loose = [
        dimension
        for dimension in cells.dimensions
        if not {dimension, f"{dimension}_level"} & named and drawn.has_own_groups(tree)
    ]
    if loose:
        levels = ", ".join(f"{dimension}_level" for dimension in loose)
        notes.append(
            f"The answer adds up values, groups and totals of {', '.join(loose)} in {cells.name}:"
            f" choose a level with {levels}."
        )
    asked = [measure for measure in cells.measures if measure in named]
    if hidden := _hidden(cells.facts, asked):
        lower = {name.lower() for name in asked}
        inside = _hidden_inside(engine, tree, tables, lower)
        among = "in all" if inside is None else "under these conditions"
        if hidden := hidden if inside is None else inside:
            values = counted(hidden, "hidden value")
            notes.append(
                f"{cells.name} has {values} of {', '.join(asked)} {among}: hidden values are"
                " NULL, and sums do not include them."
            )
    adding = [sums.find_all(exp.Column) for sums in tree.find_all(exp.Sum, exp.Avg)]
    added = {column.name for columns in adding for column in columns} & named
    if wrong := [name for name in cells.ratios if name in added]:
        notes.append(
            f"Sums and means of {', '.join(wrong)} are meaningless, because these are ratios."
            " Divide the sums of their measures."
        )
    if people := [name for name in cells.people if name in added]:
        notes.append(
            f"Sums of {', '.join(people)} count a person once for each cell. The total `*` counts"
            " each person once."
        )
    if asked and cells.facts.get("protected_by") != "suppression":
        notes.append(f"Values differ from the source's: {cells.facts.get('promise')}.")
    return notes
