"""What a Parquet file of a release holds besides its rows: bytes that belong to nothing, entries of
the footer that no run writes, values in dictionaries and statistics that no row has."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from anonsql.engines import contents
from anonsql.engines.contents import Item
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.engines.duckdb.parquet import values
from anonsql.engines.duckdb.parquet.compact import Malformed
from anonsql.engines.duckdb.parquet.layout import Layout, layout_of
from anonsql.errors import SqlError

_FLOATING = (4, 5)
"""The physical types whose values can be NaN."""

_NUMBERS = "file_row_number"


def strangers(
    reader: DuckDBEngine, path: Path, workspace: Path, facts: Mapping[str, object]
) -> tuple[str, ...]:
    """Return in words what a Parquet file holds besides its rows and the entries of its footer that
    tell the ``facts``, by key. The engine ``reader`` compares values; those that no row has are
    only counted."""
    try:
        layout = layout_of(path)
        texts = [
            *contents.strangers(_entries(layout, path), _expected(facts, path)),
            *_values(reader, path, workspace, layout),
        ]
    except Malformed as malformed:
        texts = [f"{malformed} in {path.name}"]
    except SqlError as error:
        texts = [f"values that cannot be read in {path.name} ({error.reason})"]
    return tuple(texts)


def _entries(layout: Layout, path: Path) -> list[Item]:
    """Return the entries of the footer. Of one that is there twice the second is named so."""
    seen: set[bytes] = set()
    items = []
    for key, value in layout.entries:
        kind = "second footer entry" if key in seen else "footer entry"
        seen.add(key)
        name, text = key.decode(errors="replace"), value.decode(errors="backslashreplace")
        items.append(Item(kind, f"{name} in {path.name}", detail=text))
    return items


def _expected(facts: Mapping[str, object], path: Path) -> frozenset[Item]:
    """Return the entries that a footer may have: the facts, written as a run writes them."""
    return frozenset(
        Item("footer entry", f"{key} in {path.name}", detail=text_of(rows))
        for key, rows in facts.items()
    )


def text_of(rows: object) -> str:
    """Return the rows of ``__about`` or ``__columns`` as an entry of the footer has them."""
    return json.dumps(rows, ensure_ascii=False)


def _values(reader: DuckDBEngine, path: Path, workspace: Path, layout: Layout) -> Sequence[str]:
    """Return which columns have values in dictionaries or statistics that are none of their rows,
    or other numbers of NULL."""
    if not layout.rows:
        return []
    texts = []
    name = f"inspected_{secrets.token_hex(4)}"
    besides = workspace / f"{name}.parquet"
    names = {leaf.name.lower() for leaf in layout.leaves}
    starts = values.starts_of(layout.rows)
    for position, leaf in enumerate(layout.leaves):
        chunks = [chunks[position] for chunks in layout.chunks]
        values.write(path, layout, position, besides)
        groups = [
            (*start, chunk.values, chunk.statistics.get(3), chunk.statistics.get(9))
            for start, chunk in zip(starts, chunks, strict=True)
        ]
        reader.load(name, _GROUP, groups)
        counts = reader.query(
            "engines/duckdb/parquet_values",
            path=str(path),
            column=leaf.name,
            steps=leaf.steps,
            values=str(besides),
            groups=(name,),
            floating=leaf.type in _FLOATING,
            numbered=_NUMBERS not in names,
        )[0]
        texts += [
            f"{words} of column {leaf.name} in {path.name}"
            for count, words in zip(counts, _WORDS, strict=True)
            if count
        ]
    reader.drop(name)
    besides.unlink(missing_ok=True)
    return texts


_GROUP = [(name, "BIGINT") for name in ("row_group", "start", "entries", "nulls", "nans")]
_WORDS = (
    "dictionary values that no row has",
    "statistics of other values than the rows'",
    "other numbers of NULL or NaN than the rows'",
)
