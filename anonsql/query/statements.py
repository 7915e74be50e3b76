"""The statements of analysts, restricted to reading released tables, and executed on one draw of
the completed tables after another.

Every name after FROM is resolved here, by SQL's rules of scope: it is a common table expression of
the statement, which gets a new name, or a released table, which becomes a subquery of one draw. No
other table is left, so an engine finds nothing else under any name. The meaning of columns is
resolved by sqlglot over the columns of the completed tables; every name is quoted in the executed
statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from anonsql.engines.base import Relation
from anonsql.errors import did_you_mean
from anonsql.grammar.conditions import statements
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import allowed, unique

DRAW = "draw"
"""The column of a completed table with the number of the draw."""
_UNITS: dict[type[exp.Expr], str] = {
    **{exp.Year: "YEAR", exp.Quarter: "QUARTER", exp.Month: "MONTH"},
    **{exp.Day: "DAY", exp.DayOfMonth: "DAY"},
}
_EXPRESSION, TABLE = "with_", "table_"
"""How the names of common table expressions and of released tables begin in a statement's tree."""
_MOST_READS = 2000


@dataclass(frozen=True)
class CompletedTable:
    """A completed table: the relation, and its columns without the draw. ``hidden`` are columns of
    the release that cannot be queried, with the reason. ``called`` is the name of a column in
    errors; ``key`` are the columns that identify its rows, if there are any. ``links`` are the
    columns of keys, each with the table that has the key."""

    relation: Relation
    columns: Sequence[str]
    hidden: Mapping[str, str] = field(default_factory=dict)
    called: str = "original column"
    key: Sequence[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def by_name(self) -> Mapping[str, str]:
        """The columns by their names in small letters; raise UnsupportedError where two differ in
        case alone."""
        names = {name.lower(): name for name in self.columns}
        if len(names) < len(self.columns):
            raise UnsupportedError("the release has columns whose names differ only in case")
        return names


@dataclass
class Statement:
    """A statement that may be executed on completed tables: its syntax tree, with ``table_0``,
    ``table_1`` … for released tables, and ``with_0`` … for common table expressions; ``tables`` are
    the user's names of the former, ``expressions`` the latter."""

    tree: exp.Select
    tables: list[str] = field(default_factory=list)
    expressions: dict[str, exp.Expr] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of a released table, known from now on."""
        known = [table.lower() for table in self.tables]
        if name.lower() not in known:
            self.tables.append(name)
            return len(known)
        return known.index(name.lower())

    def of_all_groups(self, columns: Sequence[str]) -> Statement:
        """Return the same statement about all of its groups, in no order: it selects the columns
        that it groups by, in the given order, and then the computed outputs."""
        tree = self.tree.copy()
        for clause in ("having", "order", "limit", "offset"):
            tree.set(clause, None)
        keys = [exp.column(name, quoted=True) for name in columns]
        computed = [one for one in tree.expressions if allowed.is_computed(one)]
        tree.set("expressions", [*keys, *computed])
        if keys:
            tree.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        return replace(self, tree=tree)


def read(sql: str) -> Statement:
    """Return a statement of DuckDB's dialect; raise UnsupportedError for anything but one SELECT
    with allowed syntax."""
    if "\0" in sql:
        raise UnsupportedError("the statement contains a NUL character")
    expressions = statements(sql)
    if len(expressions) != 1:
        raise UnsupportedError(f"write exactly one statement, found {len(expressions)}")
    tree = expressions[0]
    if not isinstance(tree, exp.Select):
        kind = type(tree).__name__.upper()
        raise UnsupportedError(
            f"a SELECT is needed, found {kind}"
            + (": put it after FROM, in parentheses" if isinstance(tree, exp.SetOperation) else "")
        )
    try:
        allowed.require(tree)
        statement = Statement(tree)
        _resolve(tree, {}, statement)
    except RecursionError:
        raise UnsupportedError("the statement is nested too deeply") from None
    if not statement.tables:
        raise UnsupportedError("FROM needs one table, found nothing")
    _require_few_reads(statement)
    for select in tree.find_all(exp.Select):
        _spell_out(select)
    for node in list(tree.find_all(*_UNITS)):  # EXTRACT is known everywhere
        unit = exp.var(_UNITS[type(node)])
        node.replace(exp.Extract(this=unit, expression=node.this))
    return statement


def _resolve(node: exp.Expr, known: Mapping[str, str], statement: Statement) -> None:
    """Give the tables of a syntax tree their new names; ``known`` are the common table expressions
    that can be seen, by their names in small letters."""
    common = node.args.get("with_")
    if common is not None:
        for expression in common.expressions:
            _resolve(expression.this, known, statement)
            name = f"{_EXPRESSION}{len(statement.expressions)}"
            statement.expressions[name] = expression
            known = {**known, expression.alias.lower(): name}
            expression.args["alias"].set("this", exp.to_identifier(name, quoted=True))
    if isinstance(node, exp.Table):
        name = "" if node.args.get("db") else known.get(node.name.lower(), "")
        if not name:
            written = ".".join(part.name for part in node.parts)
            name = f"{TABLE}{statement.number(written)}"
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
        node.set("this", exp.to_identifier(name, quoted=True))
        node.set("db", None)
    for child in list(node.iter_expressions()):
        if child is not common:
            _resolve(child, known, statement)


def _require_few_reads(statement: Statement) -> None:
    """Raise UnsupportedError where a statement reads tables too often: common table expressions
    that read each other twice double it each time, and planning alone has no end."""
    reads: dict[str, int] = {}
    for name, expression in [*statement.expressions.items(), ("", statement.tree)]:
        reads[name] = sum(reads.get(table.name, 1) for table in expression.find_all(exp.Table))
    if reads[""] > _MOST_READS:
        raise UnsupportedError(f"the statement reads tables more than {_MOST_READS:,} times")


def _spell_out(select: exp.Select) -> None:
    """Replace GROUP BY ALL by the expressions that it means."""
    group = select.args.get("group")
    if group is None or not group.args.get("all"):
        return
    if any(expression.is_star for expression in select.expressions):
        raise UnsupportedError("GROUP BY ALL needs columns given by their names")
    group.set("all", None)
    plain = [one.unalias() for one in select.expressions if not allowed.is_computed(one)]
    group.set("expressions", [one.copy() for one in plain])
    if not plain:
        select.set("group", None)


def qualified(statement: Statement, tables: Sequence[CompletedTable]) -> exp.Select:
    """Return the syntax tree with every column resolved; ``tables`` are those of the statement, in
    its order. Raise UnsupportedError for columns that these do not have, and for joins that are not
    along a key."""
    _require_columns(statement, tables)
    schema: dict[str, object] = {
        f"{TABLE}{number}": dict.fromkeys(table.by_name, "unknown")
        for number, table in enumerate(tables)
    }
    try:
        tree = qualify(
            statement.tree.copy(),
            dialect="duckdb",
            schema=schema,
            identify=True,
            validate_qualify_columns=True,
        )
    except SqlglotError as error:
        reason = str(error).splitlines()[0].split(". Line:")[0].rstrip(".")
        raise UnsupportedError(reason[:1].lower() + reason[1:]) from None
    except RecursionError:
        raise UnsupportedError("the statement is nested too deeply") from None
    if not isinstance(tree, exp.Select):
        raise UnsupportedError("a SELECT is needed")
    allowed.require(tree)
    keys = {
        f"{TABLE}{number}": [name.lower() for name in table.key]
        for number, table in enumerate(tables)
    }
    unique.require_keys(tree, keys)
    _require_links(tree, tables)
    return tree


def _require_links(tree: exp.Select, tables: Sequence[CompletedTable]) -> None:
    """Raise UnsupportedError where a column of keys is used for anything but joins, counts and
    groups: its values are new in every release, and mean nothing else."""
    links = {
        (node.alias_or_name, name.lower()): table
        for node in tree.find_all(exp.Table)
        if node.name.startswith(TABLE)
        for name, table in tables[int(node.name.removeprefix(TABLE))].links.items()
    }
    for column in tree.find_all(exp.Column):
        link, parent = links.get((column.table, column.name)), column.parent
        if link is None or isinstance(parent, exp.Select | exp.Alias):
            continue
        equal = isinstance(parent, exp.EQ | exp.NullSafeEQ)
        sides = [side for side in parent.iter_expressions() if equal] if parent else []
        columns = [side for side in sides if isinstance(side, exp.Column)]
        if parent is not None and len(columns) == 2:
            if len({links.get((side.table, side.name)) for side in columns}) > 1:
                raise UnsupportedError(
                    f"{parent.sql('duckdb')} does not compare a reference with the key it refers"
                    " to: tables join along keys"
                )
        elif not column.find_ancestor(exp.Count, exp.Distinct, exp.Group):
            raise UnsupportedError(
                f"the values of {column.name!r} are keys: they can only be counted and grouped by"
            )


def _require_columns(statement: Statement, tables: Sequence[CompletedTable]) -> None:
    """Raise UnsupportedError for a name that is neither a released column nor one that the
    statement gives."""
    known = {name for table in tables for name in table.by_name}
    hidden = {name.lower(): why for table in tables for name, why in table.hidden.items()}
    own = {alias.alias.lower() for alias in statement.tree.find_all(exp.Alias)}
    for names in statement.tree.find_all(exp.TableAlias):
        own |= {column.name.lower() for column in names.args.get("columns") or ()}
    for column in statement.tree.find_all(exp.Column):
        name = column.name.lower()
        if isinstance(column.this, exp.Star) or name in known | own:
            continue
        if name == DRAW:
            raise UnsupportedError("every draw is queried separately: leave the column draw out")
        if name in hidden:
            raise UnsupportedError(hidden[name])
        shown = [column for table in tables for column in table.columns]
        hint = did_you_mean(column.name, shown)
        called = tables[0].called
        raise UnsupportedError(f"there is no {called} {column.name!r}. {hint}".rstrip())


def titles(statement: Statement, tree: exp.Select, tables: Sequence[CompletedTable]) -> list[str]:
    """Return the titles of the outputs: as the user names or writes them."""
    written = statement.tree.expressions
    spelled = {lower: name for table in tables for lower, name in table.by_name.items()}
    if len(written) == len(tree.expressions) and not any(one.is_star for one in written):
        titles = [
            one.alias or (one.name if isinstance(one, exp.Column) else one.sql("duckdb"))
            for one in written
        ]
    else:
        titles = [spelled.get(one.alias_or_name, one.alias_or_name) for one in tree.expressions]
    made: list[str] = []
    for title in titles:
        number = 2
        name = title
        while name in made:
            name, number = f"{title}_{number}", number + 1
        made.append(name)
    return made


def of_draw(tree: exp.Select, tables: Sequence[CompletedTable], draw: int | None) -> str:
    """Return the statement over one draw of the completed tables, or over tables that have no draws
    (None), in DuckDB's dialect."""
    own = tree.copy()
    for node in list(own.find_all(exp.Table)):
        if not node.name.startswith(TABLE):
            continue
        table = tables[int(node.name.removeprefix(TABLE))]
        columns = [
            exp.alias_(exp.column(name, quoted=True), lower, quoted=True)
            for lower, name in table.by_name.items()
        ]
        parts = [exp.to_identifier(part, quoted=True) for part in reversed(table.relation)]
        whole = exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=False)))
        drawn = exp.select(*columns).from_(whole)
        if draw is not None:
            number = exp.Literal.number(int(draw))
            drawn = drawn.where(exp.EQ(this=exp.column(DRAW, quoted=True), expression=number))
        node.replace(drawn.subquery(node.args["alias"].this.copy(), copy=False))
    return own.sql("duckdb", identify=True, comments=False)


def columns_of(tree: exp.Select, table: CompletedTable) -> list[str]:
    """Return the columns of a completed table that a statement names."""
    named = {column.name for column in tree.find_all(exp.Column)}
    return [name for lower, name in table.by_name.items() if lower in named]
