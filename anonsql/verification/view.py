"""Verification of the view that lists the possible values of every entry: it shows the content of
the released tables, and can never show anything else.

Its present rows are recomputed from the tables. Its SQL text is checked to read only these tables,
by joins, casts and sums alone: so it changes only with them, and depends neither on chance nor on
the time nor on another table. Its text is not compared with a run's, as servers return it
rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from anonsql.engines.base import VIEW_PARTS, Column, Relation, ReleaseTables
from anonsql.policy.local import bucket_name
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import COUNT, RECORD

_COLUMNS = ["record_id", "column_name", "value", "probability"]
_SAFE = (
    *(exp.Select, exp.Union, exp.From, exp.Join, exp.Where, exp.Subquery, exp.Paren, exp.Table),
    *(exp.TableAlias, exp.Alias, exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean),
    *(exp.Cast, exp.DataType, exp.DataTypeParam, exp.Window, exp.WindowSpec, exp.Sum, exp.Div),
    *(
        exp.EQ,
        exp.GTE,
        exp.LTE,
        exp.Is,
        exp.Case,
        exp.If,
        exp.Between,
        exp.Trim,
        exp.And,
        exp.Not,
        exp.Neg,
    ),
    *(exp.Create, exp.Schema, exp.Collate, exp.Tuple, exp.ColumnDef, exp.Ordered, exp.Var),
    exp.Concat,
)
_FUNCTIONS = ("rtrim",)
_NAMES = {
    *_COLUMNS,
    *("r", "s", "b", "own_bucket", "own_value", "own_count", "own_size"),
}
_LITERALS = {"0", ".", ""}


@dataclass(frozen=True)
class _Label:
    """A column of labels in the rows, and the column of its ``bucket`` where entries may be
    withheld."""

    column: Column
    bucket: str | None


@dataclass(frozen=True)
class _Bucket:
    table: Relation
    column: Column
    bucket: str
    count: str = COUNT.name


@dataclass(frozen=True)
class _Shown:
    """A column of the view: as the rows have it, and as a table of buckets has it."""

    name: str
    label: _Label | None
    bucket: _Bucket | None


def offences(release: ReleaseTables, policy: TablePlan, labels: Sequence[Column]) -> list[str]:
    """Return what is wrong with the view. ``labels`` are the columns of the rows that are
    labels."""
    engine = release.engine
    for part in VIEW_PARTS:
        if part in policy.release_parts and part in release.extras:
            view = release.extras[part]
            if [column.name for column in engine.columns(view)] != _COLUMNS:
                return [f"__{part} has other columns than {', '.join(_COLUMNS)}"]
            if texts := _text_offences(release, view, part):
                return texts
            different, rows = engine.query(
                "verification/expanded", **_parameters(release, policy, labels, view)
            )[0]
            if different:
                return [
                    f"{different:,} distinct rows of __{part} ({rows:,} rows) differ from the"
                    " tables"
                ]
    return []


def _parameters(
    release: ReleaseTables, policy: TablePlan, labels: Sequence[Column], view: Relation
) -> dict[str, object]:
    buckets = {}
    for name, part in policy.tabled.items():
        columns = {column.name: column for column in release.engine.columns(release.extras[part])}
        buckets[name] = _Bucket(release.extras[part], columns[name], bucket_name(name))
    of_rows = {
        label.name: _Label(label, bucket_name(label.name) if label.name in policy.tabled else None)
        for label in labels
    }
    names = list(dict.fromkeys((*of_rows, *buckets)))
    return {
        "view": view,
        "table": release.rows,
        "record": RECORD.name,
        "shown": [_Shown(name, of_rows.get(name), buckets.get(name)) for name in names],
        "names": names,
    }


def _text_offences(release: ReleaseTables, view: Relation, part: str) -> list[str]:
    engine = release.engine
    if not engine.own["view_text"]:
        return []
    rows = engine.query(engine.own["view_text"], view=view)
    if not rows:
        return [f"__{part} is not a view"]
    own = {release.rows, *release.extras.values()}
    text = str(rows[0][0])
    forbidden = forbidden_parts(text, engine.dialect, own)
    if engine.keeps_view_text:
        columns = {column.name for table in own for column in engine.columns(table)}
        forbidden += _other_words(text, engine.dialect, columns.union(*own))
    return [
        (
            f"the view __{part} contains elements that no view of a release has:"
            f" {', '.join(forbidden)}"
        )
    ] * bool(forbidden)


def forbidden_parts(text: str, dialect: str, own: set[Relation]) -> list[str]:
    """Return what a view reads or does other than to join, cast and sum the tables of its
    ``own``."""
    try:
        read = sqlglot.parse_one(text, read=dialect)
        tokens = sqlglot.tokenize(text, read=dialect)
    except sqlglot.errors.SqlglotError:
        return ["an unreadable part"]
    created = read.this if isinstance(read, exp.Create) else None
    texts = {"a comment"} if any(token.comments for token in tokens) else set()
    for node in read.walk():
        if isinstance(node, exp.Table) and node is not created and node.parent is not created:
            elsewhere = node.db and (node.db, node.name) not in {row[-2:] for row in own}
            known = node.name in {row[-1] for row in own}
            if elsewhere or not known or not isinstance(node.this, exp.Identifier):
                texts.add("another table")
        elif isinstance(node, exp.Anonymous):
            texts |= {"a function"} if node.name.lower() not in _FUNCTIONS else set()
        elif not isinstance(node, _SAFE) and type(node) is not exp.Expression:
            texts.add(f"{type(node).__name__.upper()}")
    return sorted(texts)


def _other_words(text: str, dialect: str, known: set[str]) -> list[str]:
    """Return in words the names in a view that are not ``known``: the columns and tables that it
    reads, and its own. A name or a literal can hold anything."""
    read = sqlglot.parse_one(text, read=dialect)
    created = read.this if isinstance(read, exp.Create) else None
    own = {identifier.name for identifier in created.find_all(exp.Identifier)} if created else set()
    names = {identifier.name for identifier in read.find_all(exp.Identifier)} - own
    literals = {literal.name for literal in read.find_all(exp.Literal) if literal.is_string}
    texts = ["another name"] if names - known - _NAMES else []
    return texts + (["another text"] if literals - known - _LITERALS else [])
