"""Whether the order of released rows, and the numbers that stand for people, groups and rows, are
as random as they must be.

Rows lie in an order that only a secret salt knows, and numbers count in such an order. An order
that goes with a column tells more than the row: of rows in the order of their diseases, of numbers
dealt in that order, a recipient who knows one row knows its neighbours. Each column is cut in two,
at the value that halves its rows and at its most frequent one, and two numbers are counted of each
cut: how often neighbours lie on different sides, and how many of the first half of the rows lie on
one. Their distributions over all orders of the same rows are known exactly
(:mod:`anonsql.verification.chance`), whatever the values are and however many are equal. All tests
of a verification together refuse a release in random order less often than once in a million.

Of a column of numbers with several rows each, what is ordered are people (or groups): by their
least and greatest value, and by their number of rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import log

from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.policy.policy import Policy
from anonsql.release.columns import GROUP, RECORD
from anonsql.verification import chance
from anonsql.verification.facts import average_names, bounds_names

MOST_FALSE = 1e-6
"""How often all tests of one verification together may refuse what is in random order, at most."""
FEWEST_ROWS = 24
"""With fewer rows, no order is refused: chance gives every one too often."""
_PLAIN = ("integer", "decimal", "float", "date")
_TABLES = ("order_cuts", "order_numbered")


@dataclass(frozen=True)
class Test:
    """A test that was made: what was seen, in words, and the logarithm of how likely chance is to
    give that, or what is still less likely."""

    seen: str
    chance: float


@dataclass(frozen=True)
class _Value:
    """A column that is ordered by: its index in statements, its name, whether as text, and what it
    is in words."""

    index: int
    name: str
    text: bool
    words: str


def of_release(release: ReleaseTables, policy: Policy, columns: Sequence[Column]) -> list[str]:
    """Return what is wrong with the order of a release's rows (``columns`` are theirs), with its
    numbers, and with the order of its tables of sensitive values. The bounds of a label go with it,
    and are not looked at."""
    own = {RECORD.name, GROUP.name} if policy.bucketized is not None else set[str]()
    own |= {GROUP.name} if policy.separated is not None else set()
    own |= {name for name, what in policy.replaced.items() if what == "surrogate"}
    numbers = [column.name for column in columns if column.name in own]
    bounds = bounds_names(policy) | average_names(policy).keys()
    looked_at = [column for column in columns if column.name not in bounds]
    counting = [RECORD.name] if policy.bucketized is not None else []
    made = tests(release.engine, release.rows, looked_at, numbers, counting=counting)
    for part in dict.fromkeys(policy.tabled.values()):
        if (table := release.extras.get(part)) is not None:
            result = tests(release.engine, table, release.engine.columns(table), [])
            made += [replace(test, seen=f"__{part}: {test.seen}") for test in result]
    return offences(made)


def tests(
    engine: Engine,
    table: Relation,
    columns: Sequence[Column],
    numbers: Sequence[str],
    *,
    counting: Collection[str] = (),
) -> list[Test]:
    """Return the tests of the rows of a table and of its columns of ``numbers``, against its
    ``columns`` besides these. Numbers that are ``counting`` go with the order of rows by what they
    are. The order of rows is not looked at where the engine has none
    (``engine.own['stored_order']``)."""
    rows, *sizes = map(
        int, engine.query("verification/order/sizes", table=table, numbers=numbers)[0]
    )
    if rows < FEWEST_ROWS:
        return []
    made = list[Test]()
    stored = engine.own["stored_order"]
    values = _values(column for column in columns if column.name not in counting)
    if stored and values:
        counted = _counted(engine, table, values, rows, stored=stored)
        made += [
            Test(f"the order of the rows goes with {words}", value) for words, value in counted
        ]
    for position, number in enumerate(numbers):
        filled, different = sizes[2 * position : 2 * position + 2]
        others = _values(column for column in columns if column.name != number)
        if different < FEWEST_ROWS or not others:
            continue
        made += _of_numbers(engine, table, number, others, (filled, different))
    return made


def offences(made: Sequence[Test]) -> list[str]:
    """Return what tests saw that chance does not do."""
    limit = log(MOST_FALSE / max(1, len(made)))
    seen = dict.fromkeys(test.seen for test in made if test.chance <= limit)
    text = "chance does that less often than once in a million releases"
    return [f"{name}: {text}" for name in seen]


def _values(columns: Iterable[Column]) -> list[_Value]:
    """Return the columns that can be put in order."""
    return [
        _Value(
            number, column.name, column.kind not in _PLAIN or column.unbounded, repr(column.name)
        )
        for number, column in enumerate(columns, start=1)
    ]


def _of_numbers(
    engine: Engine,
    table: Relation,
    number: str,
    values: Sequence[_Value],
    sizes: tuple[int, int],
) -> list[Test]:
    """Return the tests of a column of numbers: of the people, groups or rows that have them.
    ``sizes``: how many rows have one, and how many there are."""
    several = sizes[0] > sizes[1]
    name = _TABLES[1]
    engine.run(
        "sql/table",
        name=name,
        select="verification/order/numbered",
        table=table,
        number=number,
        values=values,
        several=several,
    )
    count = len(values)
    own = [_Value(value.index, f"x{value.index}", value.text, value.words) for value in values]
    if several:
        own += [
            _Value(count + value.index, f"y{value.index}", value.text, value.words)
            for value in values
        ]
        own.append(_Value(2 * count + 1, "n", False, "the number of their rows"))
    counted = _counted(engine, (name,), own, sizes[1], number="number")
    engine.drop(name)
    return [Test(f"the numbers in {number!r} go with {words}", value) for words, value in counted]


def _counted(
    engine: Engine,
    table: Relation,
    values: Sequence[_Value],
    rows: int,
    *,
    stored: str = "",
    number: str = "",
) -> list[tuple[str, float]]:
    """Return the words for each value that rows are ordered by, with the chance of what was
    counted."""
    half, name = rows // 2, _TABLES[0]
    shared = {"table": table, "values": values}
    engine.run("sql/table", name=name, select="verification/order/cuts", rows=rows, **shared)
    asked = {"half": half, "stored": stored, "number": number}
    counts = iter(map(int, engine.query("verification/order/counted", **asked, **shared)[0]))
    engine.drop(name)
    words = []
    for value in values:
        for _ in range(2):
            ones, first, changes = next(counts), next(counts), next(counts)
            words.append((value.words, chance.of_part(rows, ones, half, first)))
            words.append((value.words, chance.of_runs(rows, ones, changes + 1)))
    return words
