"""Tiny databases of several tables, what brute force says of them, and what is released."""

from collections import Counter
from contextlib import contextmanager
from math import floor

import pytest

from anonsql.relational import combinations, settling, shares
from anonsql.verification.relational import known

from .relational_oracle import Row, every_node, suppressed
from .support import insert, opened, rows_of

ORDER = [["a", "1", "*"], ["b", "1", "*"], ["c", "2", "*"]]


def letter(value, level):
    return value if level == 0 else "*" if level == 2 else "1" if value in "ab" else "2"


def star(value, level):
    return "*" if level else value


HIERARCHIES = {
    "p": {"a": letter},
    "v": {"b": star},
    "r": {"c": star},
    "w": {"d": star},
}
HEIGHTS = {"p.a": 2, "v.b": 1, "r.c": 1, "w.d": 1}
NAMES = {"p": ["a"], "v": ["b"], "r": ["c"], "w": ["d"]}
REFERS = {"v": "p", "r": "v", "w": "p"}


def grown(given):
    """A tree of rows from nested tuples, with a secret each or without."""
    table, values, *secrets, below = given
    row = Row(table, dict(values), secret=secrets[0] if secrets else None)
    for item in below:
        row.add(grown(item))
    return row


def everyone(person):
    return [person, *person.all_below()]


def make(path, people, secrets=False):
    """A database of the people, with keys, references and, where that is said, secrets."""
    path.unlink(missing_ok=True)
    rows = {name: [] for name in NAMES}

    def put(row, above):
        key = len(rows[row.table])
        values = (row.values[name] for name in NAMES[row.table])
        rows[row.table].append((key, above, *values, *([row.secret] if secrets else [])))
        for item in row.below:
            put(item, key)

    for item in people:
        put(item, None)
    with opened(path) as connection:
        for name, columns in NAMES.items():
            names = (*columns, "s") if secrets else columns
            fields = ", ".join(f"{column} VARCHAR" for column in names)
            connection.execute(f"CREATE TABLE {name} (id INTEGER, up INTEGER, {fields})")
            insert(connection, name, rows[name])
        connection.execute("ALTER TABLE p DROP COLUMN up")


def policy(path, k, known_rows, limits, **release):
    """The policy of such a database."""
    leaves = "\n".join(";".join(item) for item in ORDER)
    (path.parent / "letters.csv").write_text(leaves)
    hierarchies = {"p": {"type": "file", "path": str(path.parent / "letters.csv")}}
    plain = {"type": "suppression"}
    tables = {
        name: {
            "key": "id",
            **({"references": {"up": REFERS[name]}} if name in REFERS else {}),
            "columns": {
                column: {"role": "quasi-identifying", "hierarchy": hierarchies.get(name, plain)}
                for column in columns
            },
        }
        for name, columns in NAMES.items()
    }
    return {
        "source": {"database": str(path)},
        "tables": tables,
        "privacy": {"k": k, "of": "p", "known_rows": known_rows, "suppression_limit": limits},
        "release": {
            "completed": 0,
            **(release or {"database": str(path.with_name("out.duckdb"))}),
        },
    }


def may_go(people, limits):
    """How many rows of each table may go, and the tables that may lose rows by themselves."""
    total = Counter(row.table for person in people for row in everyone(person))
    most = {name: floor(limits.get(name, 0) * total[name]) for name in NAMES}
    return most, [name for name in NAMES if name != "p" and most[name]]


def expected(given, k, known_rows, limits, asked=()):
    """The satisfying nodes by brute force, with what they suppress."""
    most, tables = may_go(map(grown, given), limits)
    found = {}
    for levels in every_node(HEIGHTS):
        people = [grown(item) for item in given]
        left, alone, _ = suppressed(people, levels, HIERARCHIES, k, known_rows, tables, asked)
        if all(alone[name] <= most[name] for name in NAMES):
            found[tuple(levels.items())] = (len(left), +alone)
    return found


def satisfying(nodes):
    """What a search found, as :func:`expected` has it."""
    return {
        tuple((name, node.levels[name]) for name in HEIGHTS): (
            node.released["p"],
            Counter({name: rows for name, rows in node.suppressed.items() if rows}),
        )
        for node in nodes
    }


def released(path, secrets=False):
    """The people of a release, joined by its keys."""
    by_key = {}
    for name, columns in NAMES.items():
        above = "up" if name in REFERS else "NULL"
        names = ", ".join(columns)
        secret = "s" if secrets else "NULL"
        for key, upper, told, *values in rows_of(
            path, f"SELECT id, {above}, {secret}, {names} FROM {name}"
        ):
            row = by_key[name, key] = Row(name, dict(zip(columns, values)), secret=told)
            if name in REFERS:
                by_key[REFERS[name], upper].add(row)
    return [row for (name, _), row in by_key.items() if name == "p"]


@contextmanager
def by_and_by():
    """A few people and combinations at a time are judged, as where there are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "MANY", 0)
        patch.setattr(combinations, "FEW", 0)
        patch.setattr(shares, "FEW", 0)
        patch.setattr(shares, "AT_ONCE", 2)
        patch.setattr(known, "_AT_ONCE", 2)
        yield
