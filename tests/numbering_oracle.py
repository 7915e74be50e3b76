"""The numbers of a release by the rule of ``anonsql.release.numbering``, in Python."""

import hashlib
import math

from .support import editing, quote, rows_of


def key(row):
    """What a row is sorted by, of values whose order Python knows."""
    return [_key(value) for value in row]


def _key(value):
    if value is None:
        return (0,)
    if isinstance(value, str):
        return (1, value.encode())
    if isinstance(value, float):
        return (1, math.isnan(value), 0.0 if math.isnan(value) else value, str(value))
    return (1, value)


def _places(rows):
    """The place of each row in the order of their keys, equal where these are."""
    places = {}
    for row in sorted(rows):
        places.setdefault(repr(row), len(places) + 1)
    return [places[repr(row)] for row in rows]


def numbered(tables, numbers):
    """New numbers by old ones, a mapping for each of ``numbers``, which are given in this order as
    pairs of table and column. ``tables``: the rows of each, by column."""
    own = {table: {c for number in numbers for t, c in number if t == table} for table in tables}
    places = {
        table: _places(
            [key(v for name, v in row.items() if name not in own[table]) for row in rows]
        )
        for table, rows in tables.items()
    }
    done, made = {}, []
    for number in numbers:
        marks = {}
        for holder, (table, column) in enumerate(number, start=1):
            before = [c for c in tables[table][0] if (table, c) in done] if tables[table] else []
            keys = [
                [(place,), *key(done[table, c].get(row[c]) for c in before)]
                for place, row in zip(places[table], tables[table], strict=True)
            ]
            for place, row in zip(_places(keys), tables[table], strict=True):
                if row[column] is not None:
                    digest = hashlib.md5(f"{holder}.{place}".encode()).hexdigest()
                    first, mark = marks.get(row[column], (math.inf, 0))
                    first = min(first, place) if holder == 1 else first
                    marks[row[column]] = (first, mark + int(digest[:10], 16))
        ordered = sorted(marks, key=lambda one: (*marks[one], one))
        made.append({one: place for place, one in enumerate(ordered, start=1)})
        done |= dict.fromkeys(number, made[-1])
    return made


def renumbered(path, numbers):
    """Give the numbers of a release in a DuckDB file anew, as its rows are now."""
    with editing(path) as connection:
        tables = {}
        for table in {table for number in numbers for table, _ in number}:
            found = connection.execute(f"FROM {quote(table)}")
            names = [column[0] for column in found.description]
            tables[table] = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        for number, new in zip(numbers, numbered(tables, numbers), strict=True):
            cases = " ".join(f"WHEN {old} THEN {place}" for old, place in new.items())
            for table, column in number:
                name = quote(column)
                connection.execute(f"UPDATE {quote(table)} SET {name} = CASE {name} {cases} END")


def renumbered_release(path, surrogates=()):
    """Do so with one table ``r``, its groups and buckets, the tables of their values, and its rows."""
    found = rows_of(path, "SELECT table_name, column_name FROM duckdb_columns() ORDER BY ALL")
    names = [name for name, *_ in rows_of(path, "DESCRIBE r")]
    numbers = [
        [("r", name), *((t, c) for t, c in found if t.startswith("r__sensitive") and c == name)]
        for name in names
        if name in (*surrogates, "group_id") or name.endswith("_bucket")
    ]
    renumbered(path, numbers + [[("r", name)] for name in names if name == "record_id"])
