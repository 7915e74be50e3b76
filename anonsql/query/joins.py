"""Queries over several tables of one release: inner joins along their keys.

A reference and the key that it holds are released as they are in the source, under other names, so
released rows that join belong together there too, and no others do. The joined rows are laid out as
one table, with what is known of its columns, and answered from as any other release is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from anonsql.engines.base import KEY, Relation, ReleaseTables, references_of
from anonsql.grammar.conditions import statements
from anonsql.grammar.forms import column_of
from anonsql.grammar.literals import UnsupportedError
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.policy import Policy
from anonsql.query.parse import refused
from anonsql.verification.facts import facts_of

_JOINED = "joined"
"""The table of joined rows, and how the release is called in the query that is answered."""
_COLUMNS = [
    *(("column_name", "VARCHAR"), ("role", "VARCHAR")),
    *(("level", "INTEGER"), ("form", "VARCHAR"), ("looks_like", "VARCHAR")),
]
_FACTS = [("property", "VARCHAR"), ("value", "VARCHAR")]
_COUNTED = (exp.Count, exp.Distinct, exp.Group, exp.Join)
"""Where a key may stand: its values tell rows apart, and are nothing else."""


@dataclass(frozen=True)
class Named:
    """A table of the query, and what it is called there."""

    table: str
    alias: str


@dataclass(frozen=True)
class On:
    """A condition of a join: the table of each side by its place from 0, with its column."""

    left: tuple[int, str]
    right: tuple[int, str]


@dataclass(frozen=True)
class Joins:
    """The tables of a query, and what they are joined by."""

    select: exp.Select
    tables: tuple[Named, ...]


@dataclass(frozen=True)
class Placed:
    """A table as the template ``query/joins/rows`` takes it."""

    relation: Relation
    columns: Sequence[tuple[str, str]]
    on: Sequence[tuple[int, str, str]]


@dataclass(frozen=True)
class DescribedTable:
    """What ``__columns`` says of a released column, and what it is called among the joined ones."""

    name: str
    role: str | None
    level: int | None
    form: str | None
    looks: str | None
    title: str

    @property
    def of(self) -> str:
        """The column that it is, or that it holds a bound of."""
        return column_of(self.name, self.form) or self.name

    @property
    def linked(self) -> bool:
        """Whether its values are surrogates."""
        return self.form == "surrogate"


def read(sql: str) -> Joins | None:
    """Return the tables of a query with JOIN; None for a query without one. Raise PolicyError
    naming what cannot be answered from a release."""
    try:
        expressions = statements(sql)
        select = expressions[0] if len(expressions) == 1 else None
        if not isinstance(select, exp.Select) or not select.args.get("joins"):
            return None
        return Joins(select, tuple(_tables(select)))
    except UnsupportedError as error:
        raise refused(str(error)) from None


def _tables(select: exp.Select) -> Iterator[Named]:
    """Yield the tables of a SELECT with joins."""
    source = select.args.get("from_") or select.args.get("from")
    seen: set[str] = set()
    if select.args.get("with_"):
        raise UnsupportedError("WITH is not supported")
    for entry in (source, *select.args["joins"]):
        table = None if entry is None else entry.this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            raise UnsupportedError("JOIN is of tables")
        if {key for key, value in table.args.items() if value} - {"this", "db", "alias"}:
            raise UnsupportedError(f"{table.sql('duckdb')} is more than a table")
        if table.alias_column_names:
            raise UnsupportedError("a list of columns after the table's alias is not supported")
        if isinstance(entry, exp.Join):
            _require_inner(entry)
        alias = table.alias or table.name
        if alias.lower() in seen:
            raise UnsupportedError(f"two tables are called {alias}: give one of them an alias")
        seen.add(alias.lower())
        yield Named(".".join(part.name for part in table.parts), alias)


def _require_inner(join: exp.Join) -> None:
    """Raise UnsupportedError for a join that is not an inner one with a condition."""
    words = [join.args.get(key) for key in ("method", "side", "kind") if join.args.get(key)]
    if any(str(word).upper() != "INNER" for word in words):
        raise UnsupportedError(f"{' '.join(map(str, words))} JOIN is not supported: JOIN is")
    if not join.args.get("on") and not join.args.get("using"):
        raise UnsupportedError("JOIN needs ON, with the columns of keys that are equal")


def joined(
    joins: Joins,
    tables: Sequence[ReleaseTables],
    policies: Sequence[Policy | None],
) -> tuple[str, ReleaseTables, Policy | None]:
    """Join the released tables of a query, as many as it names; return the query over what is
    joined, the joined rows as a release, and a policy that says of their columns what those of the
    tables do. Raise PolicyError for joins by anything but keys."""
    engine, about = tables[0].engine, [facts_of(table) for table in tables]
    try:
        described = _described(joins, tables)
        conditions = list(_conditions(joins, described))
        for condition in conditions:
            _require_key(joins, about, condition)
        query = _rewritten(joins, described)
    except UnsupportedError as error:
        raise refused(str(error)) from None
    placed = [
        Placed(
            located.rows,
            [(column.name, column.title) for column in columns],
            [
                (on.left[0] + 1, on.left[1], on.right[1])
                for on in conditions
                if on.right[0] == position
            ],
        )
        for position, (located, columns) in enumerate(zip(tables, described, strict=True))
    ]
    engine.run("sql/table", name=_JOINED, select="query/joins/rows", tables=placed)
    every = [column for columns in described for column in columns]
    facts = [
        (
            column.title,
            "insensitive" if column.linked else column.role,
            column.level,
            column.form,
            _looks(column),
        )
        for column in every
    ]
    engine.load(f"{_JOINED}_columns", _COLUMNS, facts)
    engine.load(f"{_JOINED}_about", _FACTS, [("method", about[0].get("method"))])
    release = ReleaseTables(engine, (_JOINED,), (f"{_JOINED}_about",), (f"{_JOINED}_columns",))
    return query, release, _policy(policies, described)


def _described(joins: Joins, tables: Sequence[ReleaseTables]) -> list[list[DescribedTable]]:
    """Return the columns of each table, with names that are those of one column alone."""
    results = []
    for located in tables:
        names = {column.name for column in located.engine.columns(located.rows)}
        results.append(
            [
                DescribedTable(*one, title=one.name)
                for one in located.stated_columns
                if one.name in names
            ]
        )
    owners: dict[str, set[int]] = {}
    for position, columns in enumerate(results):
        for column in columns:
            owners.setdefault(column.name.lower(), set()).add(position)
    shared = {
        column.of
        for columns in results
        for column in columns
        if len(owners[column.name.lower()]) > 1
    }
    return [
        [
            replace(column, title=f"{named.alias}.{column.name}") if column.of in shared else column
            for column in columns
        ]
        for named, columns in zip(joins.tables, results, strict=True)
    ]


def _looks(column: DescribedTable) -> str | None:
    """Return what a column's values look like, by the names of the joined columns."""
    if column.looks is None or column.of == column.name:
        return column.looks
    title = column.title.removesuffix(column.name) + column.of
    return column.looks.replace(f" {column.of} ", f" {title} ")


def _find(
    joins: Joins, described: Sequence[Sequence[DescribedTable]], column: exp.Column
) -> tuple[int, DescribedTable]:
    """Return the released column that a column of the query is, with the place of its table."""
    name, table = column.name, column.table
    rows = [
        (position, column)
        for position, (named, columns) in enumerate(zip(joins.tables, described, strict=True))
        for column in columns
        if column.name.lower() == name.lower() and table.lower() in ("", named.alias.lower())
    ]
    text = column.sql("duckdb")
    if not rows:
        raise UnsupportedError(f"none of the released tables has a column {text}")
    if len(rows) > 1:
        both = " and ".join(joins.tables[position].alias for position, _ in rows)
        raise UnsupportedError(f"{text} is a column of {both}: write the table before it")
    return rows[0]


def _conditions(joins: Joins, described: Sequence[Sequence[DescribedTable]]) -> Iterator[On]:
    """Yield what each joined table has equal with one before it."""
    for position, join in enumerate(joins.select.args["joins"], start=1):
        if using := join.args.get("using"):
            yield from (_of_using(joins, described, position, value.name) for value in using)
            continue
        on = join.args["on"]
        for part in on.flatten() if isinstance(on, exp.And) else [on]:
            yield _of_on(joins, described, position, part.unnest())


def _of_using(
    joins: Joins, described: Sequence[Sequence[DescribedTable]], position: int, name: str
) -> On:
    """Return what USING says of a joined table."""
    pairs = [
        (other, column.name)
        for other in range(position + 1)
        for column in described[other]
        if column.name.lower() == name.lower()
    ]
    if len(pairs) != 2 or pairs[1][0] != position:
        table = joins.tables[position].alias
        raise UnsupportedError(f"USING ({name}) is no column of {table} and one table before it")
    return On(*pairs)


def _of_on(
    joins: Joins, described: Sequence[Sequence[DescribedTable]], position: int, part: exp.Expr
) -> On:
    """Return what a condition of ON says of a joined table."""
    text = f"ON {part.sql('duckdb')}"
    sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
    if not sides or not all(isinstance(value, exp.Column) for value in sides):
        raise UnsupportedError(f"{text} is not two columns that are equal")
    rows = (_find(joins, described, side) for side in sides)
    left, right = sorted((where, column.name) for where, column in rows)
    if right[0] != position or left[0] == position:
        table = joins.tables[position].alias
        raise UnsupportedError(f"{text} does not join {table} to a table before it")
    return On(left, right)


def _require_key(joins: Joins, about: Sequence[Mapping[str, str]], on: On) -> None:
    """Raise UnsupportedError where two columns are not a reference and the key that it holds, by
    what the release says of its tables."""
    for (key_at, key), (position, name) in ((on.left, on.right), (on.right, on.left)):
        table = joins.tables[key_at].table.rpartition(".")[2]
        refers = references_of(about[position]).get(name, "")
        if refers.lower() == table.lower() and about[key_at].get(KEY) == key:
            return
    one, other = (
        f"{joins.tables[position].alias}.{name}" for position, name in (on.left, on.right)
    )
    raise UnsupportedError(
        f"{one} = {other} is not a reference and the key that it holds: tables join along keys"
    )


def _rewritten(joins: Joins, described: Sequence[Sequence[DescribedTable]]) -> str:
    """Return the query over the joined rows, under the names that their columns have."""
    select = joins.select.copy()
    for column in list(select.find_all(exp.Column)):
        if column.find_ancestor(exp.Join) or isinstance(column.this, exp.Star):
            continue
        if not column.table and _is_alias(select, column):
            continue
        _, query = _find(joins, described, column)
        shown = isinstance(column.parent, exp.Select | exp.Alias)
        if query.linked and not shown and not column.find_ancestor(*_COUNTED):
            raise UnsupportedError(
                f"the values of {column.sql('duckdb')} are surrogates: they can be counted and"
                " grouped by"
            )
        column.replace(exp.column(query.title, quoted=True))
    select.set("joins", None)
    select.set("from_", exp.From(this=exp.to_table(_JOINED)))
    return select.sql("duckdb")


def _is_alias(select: exp.Select, column: exp.Column) -> bool:
    """Return whether a name of GROUP BY or ORDER BY is what the SELECT calls one of its
    expressions."""
    grouped = column.find_ancestor(exp.Group, exp.Order) is not None
    return grouped and column.name in {
        expression.alias for expression in select.expressions if isinstance(expression, exp.Alias)
    }


def _policy(
    policies: Sequence[Policy | None], described: Sequence[Sequence[DescribedTable]]
) -> Policy | None:
    """Return a policy that says of the joined columns what those of their tables do."""
    columns: dict[str, ColumnPolicy] = {}
    for policy, own in zip(policies, described, strict=True):
        known: Mapping[str, ColumnPolicy] = {} if policy is None else policy.columns
        columns |= {column.title: known[column.name] for column in own if column.name in known}
    first = policies[0]
    return None if first is None else first.model_copy(update={"columns": columns})
