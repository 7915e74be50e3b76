"""Sums of amounts that are known, as prices by product: analysts compute hidden counts by them, and
it is warned of; of amounts that differ it is not."""

from __future__ import annotations

import itertools
import random

import pytest

import anonsql
from anonsql.policy.statistics import StatisticsPolicy

from .engines import DuckDB

COLUMNS = {
    **{"who": "INTEGER", "product": "VARCHAR", "shop": "VARCHAR", "sex": "VARCHAR"},
    **dict.fromkeys(("size", "price", "local", "some", "back", "near", "paid"), "INTEGER"),
    "cents": "DECIMAL(10,2)",
}
PRICES = {"ball": 10, "bat": 20, "net": 50}


def sales(count=120, people=60):
    """Rows with a price by product, one by product and shop, one that some lack, one of goods that
    come back, one that differs by less than a tenth, and what has nothing to do with it."""
    draw = random.Random(2)
    for number in range(count):
        product, shop = draw.choice([*PRICES]), draw.choice("xy")
        price, size = PRICES[product], draw.randrange(100)
        local = price * 2 if shop == "x" else price * 3
        amounts = (price, local, draw.choice([price, price, 0, None]), -price)
        near = price * 10 + draw.randrange(price)
        row = (*amounts, near, draw.randrange(1, 90), price * 1.25)
        yield number % people, product, shop, draw.choice("fm"), size, *row


def policy_of(engine, tables, of, dimensions=None, **protect):
    """A policy over the engine's table; ``of`` are sums, by column or by name."""
    source, release = engine.places()
    del release["table"]
    of = of if isinstance(of, dict) else {name: {"sum": name} for name in of}
    names = [
        name for table in tables for name in (table if isinstance(table, list) else table["by"])
    ]
    data = {
        "source": source,
        "statistics": {
            "by": {name: (dimensions or {}).get(name, {}) for name in names},
            "of": {"n": "count", **of},
            "tables": tables,
        },
        "protect": {"entity": "who", "threshold": 4, **protect},
        "release": release,
    }
    return StatisticsPolicy.parse(data, engine.folder)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = DuckDB(tmp_path_factory.mktemp("revealing"))
    engine.make(COLUMNS, list(sales()))
    return engine


def warned(policy):
    """What a check warns of, by place."""
    return {warning.where: warning.message for warning in anonsql.check(policy).warnings}


def overlap(least, greatest, threshold):
    """Whether sums of two different numbers of amounts, up to a threshold, may be the same."""
    ends = [sorted((count * least, count * greatest)) for count in range(threshold + 1)]
    return any(
        low[1] >= high[0] and high[1] >= low[0] for low, high in itertools.combinations(ends, 2)
    )


@pytest.mark.parametrize("threshold", [2, 3, 11])
def test_sums_tell_where_those_of_different_counts_are_apart(tmp_path, threshold):
    """Against brute force: groups of two amounts, as many as are looked at."""
    draw, engine, rows = random.Random(threshold), DuckDB(tmp_path), []
    pairs = [(draw.randrange(-40, 41), draw.randrange(-40, 41)) for _ in range(40)]
    pairs += [(amount, amount * more // 10) for amount in range(10, 90, 7) for more in (10, 11, 14)]
    pairs = [pair for pair in pairs if pair[0] and pair[1]]
    for number, pair in enumerate(pairs):
        rows += [(f"g{number}", amount) for amount in pair for _ in range(threshold)]
    engine.make({"g": "VARCHAR", "x": "INTEGER"}, rows)
    told = sum(
        2 * threshold
        for one, other in pairs
        if one * other > 0 and not overlap(min(one, other), max(one, other), threshold)
    )
    share = int(100 * told / len(rows))
    assert 10 < share < 100
    found = warned(policy_of(engine, [["g"]], ["x"], entity=None, threshold=threshold))
    assert f"within each 'g' of {share}% of the rows" in found["statistics.of.x.sum"]


def test_hidden_counts_are_computed_from_sums_of_prices(tmp_path):
    """The attack: what a count hides the sum shows, and two equations have two unknowns."""
    engine = DuckDB(tmp_path)
    cells = {"A": (5, 10), "B": (30, 20), "C": (40, 30), "D": (6, 40), "E": (33, 50)}
    rows = [(label, price) for label, (count, price) in cells.items() for _ in range(count)]
    rows = [(who, *row) for who, row in enumerate(rows)]
    engine.make({"who": "INTEGER", "product": "VARCHAR", "price": "INTEGER"}, rows)
    report = anonsql.tabulate(policy_of(engine, [["product"]], ["price"], threshold=13))
    assert "within each 'product'" in " ".join(warning.message for warning in report.warnings)
    counts, sums = {}, {}
    for label, level, count, _, amount, _ in engine.read("product"):
        counts[None if level else label], sums[None if level else label] = count, amount
    hidden = [label for label in cells if counts[label] is None]
    told = [label for label in hidden if sums[label] is not None]
    assert told and {"A", "D"} < {*hidden}
    for label in told:
        counts[label] = sums[label] / cells[label][1]
    people = counts[None] - sum(count for label, count in counts.items() if label and count)
    amount = sums[None] - sum(part for label, part in sums.items() if label and part)
    least, most = cells["A"][1], cells["D"][1]
    fewer = (amount - least * people) / (most - least)  # of D
    assert (people - fewer, fewer) == (5, 6)


@pytest.mark.parametrize("protect", [{}, {"p_percent": 0.1}, {"entity": None, "p_percent": 0.1}])
@pytest.mark.parametrize("name", ["price", "some", "back", "cents"])
def test_sums_whose_amounts_a_dimension_tells(engine, name, protect):
    found = warned(policy_of(engine, [["product", "sex"], ["shop"]], [name, "paid"], **protect))
    assert [*found] == [f"statistics.of.{name}.sum"]
    assert "within each 'product' all values" in found[f"statistics.of.{name}.sum"]


@pytest.mark.parametrize(
    ("tables", "of", "words"),
    [
        ([["product", "shop"]], "local", "within each 'product' and 'shop' all"),
        ([["sex", "shop", "product"]], "local", "within each 'product' and 'shop' all"),
        ([["product"], ["shop"]], "local", None),
        ([["shop", "sex"]], "price", None),
    ],
)
def test_by_what_tables_are_by(engine, tables, of, words):
    found = warned(policy_of(engine, tables, [of]))
    assert (words in found[f"statistics.of.{of}.sum"]) if words else not found


def test_amounts_that_are_near_to_each_other(engine):
    """They tell of few how many these are, and not of more."""
    assert warned(policy_of(engine, [["product"]], ["near"], threshold=4))
    assert not warned(policy_of(engine, [["product"]], ["near"], threshold=20))


def test_amounts_within_the_groups_that_tables_begin_with(engine):
    """Sizes of 50 to 59 are alike where cells are by tens, and not where they are all together."""
    sizes = {"size": {"hierarchy": {"type": "interval", "widths": [10, 100]}}}

    def found(level):
        tables = [{"by": ["size"], "levels": {"size": level}}]
        return warned(policy_of(engine, tables, {"sizes": {"sum": "size"}}, sizes, threshold=2))

    assert "within each 'size' (level 1) of " in found(1)["statistics.of.sizes.sum"]
    assert not found(2)


@pytest.mark.parametrize("protect", [{"threshold": None, "p_percent": 0.1}, {"by": "cell-key"}])
def test_where_counts_are_not_protected_or_all_values_are_changed(engine, protect):
    assert not warned(policy_of(engine, [["product"]], ["price"], **protect))


def test_of_a_tenth_of_the_rows(tmp_path):
    """One product of several has one price; of fewer rows it is not said."""
    engine = DuckDB(tmp_path)

    def found(fixed):
        draw = random.Random(3)
        rows = [(who, "fixed", 50) for who in range(fixed)]
        rows += [(who, draw.choice("abc"), draw.randrange(1, 99)) for who in range(fixed, 200)]
        engine.make({"who": "INTEGER", "product": "VARCHAR", "paid": "INTEGER"}, rows)
        return warned(policy_of(engine, [["product"]], ["paid"]))

    assert "of 20% of the rows" in found(40)["statistics.of.paid.sum"]
    assert not found(15)


def test_amounts_that_every_person_adds(tmp_path):
    """Nobody's rows are alike, and everybody's sum is 100: it counts people."""
    engine = DuckDB(tmp_path)
    rows = [(who, "ab"[who % 2], part) for who in range(60) for part in (30, 70)]
    engine.make({"who": "INTEGER", "product": "VARCHAR", "paid": "INTEGER"}, rows)
    found = warned(policy_of(engine, [["product"]], ["paid"]))["statistics.of.paid.sum"]
    assert "amounts of people" in found and "the number of people" in found
