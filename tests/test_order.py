"""Orders of rows and numbers: what goes with a column is refused, what chance gives is not, and how
likely chance gives it is never said to be less than it is."""

import itertools
import math
import random
import sqlite3
from contextlib import closing

import duckdb
import pytest

import anonsql
from anonsql.engines import open_engine
from anonsql.engines.base import Column, Context
from anonsql.errors import VerificationError
from anonsql.jobs.workspace import workspace
from anonsql.policy.locations import Places
from anonsql.policy.policy import Policy
from anonsql.system.journal import Journal
from anonsql.verification import order

from . import clinic
from .engines import DATABASES, ENGINES, policy_on
from .methods import PLAIN
from .support import make_source, make_table, policy_data, policy_in, policy_over, rows_of

COLUMNS = {"who": "INTEGER", "age": "INTEGER", "disease": "VARCHAR", "paid": "DOUBLE"}
SURROGATE = {"role": "identifying", "replace": "surrogate"}
BY_PEOPLE = {
    "who": SURROGATE,
    "age": {"type": "interval", "widths": [10, 20, 40]},
    "disease": "sensitive",
    "paid": "insensitive",
}
REFUSED = "less often than once in a million"


def patients(rows=80, seed=1):
    rng = random.Random(seed)
    return [
        (rng.randrange(rows), 20 + rng.randrange(60), rng.choice("abcd"), float(n * 7 % rows))
        for n in range(rows)
    ]


# chance


@pytest.mark.parametrize("rows", range(2, 11))
def test_bounds_are_no_less_than_the_chance_over_all_orders(rows):
    for ones in range(1, rows):
        parts, runs = {}, {}
        for places in itertools.combinations(range(rows), ones):
            row = [place in places for place in range(rows)]
            first = sum(row[: rows // 2])
            run = 1 + sum(one != next_one for one, next_one in itertools.pairwise(row))
            parts[first] = parts.get(first, 0) + 1
            runs[run] = runs.get(run, 0) + 1
        all_orders = math.comb(rows, ones)
        for counts, function, given in (
            (parts, chance.of_part, (rows, ones, rows // 2)),
            (runs, chance.of_runs, (rows, ones)),
        ):
            said = {seen: math.exp(function(*given, seen)) for seen in counts}
            for limit in said.values():
                share = sum(n for seen, n in counts.items() if said[seen] <= limit * (1 + 1e-9))
                assert share / all_orders <= limit * (1 + 1e-9)


@pytest.mark.parametrize("rows", [24, 60, 1000])
def test_bounds_hold_and_are_near_for_larger_tables(rows):
    """Where they are small, they are no more than twice the exact chance of both sides."""
    for ones in (2, rows // 3, rows // 2):
        half, all_parts = rows // 2, math.comb(rows, rows // 2)
        terms = [
            math.comb(ones, first) * math.comb(rows - ones, half - first)
            for first in range(min(ones, half) + 1)
        ]
        for first in range(len(terms)):
            below = sum(terms[: first + 1]) / all_parts
            if below < 1e-3:
                said = math.exp(chance.of_part(rows, ones, half, first))
                assert 2 * below * (1 - 1e-9) <= said <= 4 * below


@pytest.mark.parametrize("size", [10**6, 10**9])
def test_bounds_cost_the_same_for_many_rows(size):
    assert chance.of_runs(size, size // 2, 2) < -1e5
    assert chance.of_part(size, size // 2, size // 2, 0) < -1e5
    assert chance.of_runs(size, size // 2, size // 2 + 1) == 0
    deviation = int(6 * math.sqrt(size) / 4)
    assert math.log(1e-10) < chance.of_part(size, size // 2, size // 2, size // 4 + deviation) < -17


# tests of tables


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("order")
    policy = policy_in(folder, {"q": {"type": "suppression"}})
    make_source(folder, {"q": "INTEGER"}, [(1,)])
    with workspace(folder / "release.duckdb") as work:
        places, context = Places.of(policy), Context(work, policy.engine, Journal())
        with closing(open_engine(places.source, context)) as made:
            yield made


KINDS = [("n", "INTEGER"), ("t", "VARCHAR"), ("d", "DOUBLE"), ("f", "BOOLEAN"), ("k", "BIGINT")]


def made_tests(engine, rows, numbers=("k",)):
    engine.load("ordered", KINDS, rows)
    columns = [Column(*item) for item in KINDS]
    return order.tests(engine, ("ordered",), columns, numbers)


def drawn(rng, rows):
    """Rows in random order with numbers of people in random order: heavy ties, NULLs, skew."""
    people = rng.sample(range(rows), rng.choice([rows, rows // 2]))
    numbers = list(range(1, len(people) + 1))
    rng.shuffle(numbers)
    values = []
    for place in range(rows):
        person = place % len(people)
        text = rng.choice(["a", "a", "a", "b", None, f"only {place}"])
        value = (rng.randrange(rng.choice([2, 5, 1000])), text, rng.choice([0.0, rng.random()]))
        values.append((*value, rng.random() < 0.02, numbers[person]))
    rng.shuffle(values)
    return values


@pytest.mark.parametrize("rows", [24, 25, 41, 300])
def test_random_orders_are_never_refused(engine, rows):
    """And no test says that the orders drawn are less likely than they are: 400 tables with some 20
    tests each have no chance below 1e-7, and few below 1e-2."""
    rng = random.Random(rows)
    found = []
    for _ in range(100):
        made = made_tests(engine, drawn(rng, rows))
        assert order.offences(made) == []
        found += [item.chance for item in made]
    assert min(found) > math.log(1e-7)
    assert sum(entry < math.log(0.01) for entry in found) <= 0.015 * len(found)


@pytest.mark.parametrize("rows", [40, 41, 300])
@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("descending", [False, True])
def test_sorted_rows_are_always_refused(engine, rows, column, descending):
    """From 40 rows on, by a column that can be cut at about its middle."""
    rng = random.Random(rows + column)
    values = [
        (rng.randrange(9), rng.choice("abcdef"), rng.random(), n % 2 == 0, n + 1)
        for n in range(rows)
    ]
    numbers = [row[4] for row in values]
    values.sort(key=lambda row: row[column], reverse=descending)
    rng.shuffle(numbers)
    values = [(*row[:4], number) for row, number in zip(values, numbers)]
    (found,) = order.offences(made_tests(engine, values))
    assert found.startswith(f"the order of the rows goes with {KINDS[column][0]!r}")
    numbered = [(*row[:4], n) for n, row in enumerate(values, start=1)]
    rng.shuffle(numbered)
    (found,) = order.offences(made_tests(engine, numbered))
    assert found.startswith(f"the numbers in 'k' go with {KINDS[column][0]!r}")


def test_equal_values_side_by_side_are_refused_whatever_their_order(engine):
    rng = random.Random(3)
    values = [f"value {n}" for n in range(40)]
    rows = [(n % 7, value, 0.0, False, 0) for value in values for n in range(5)]
    numbers = rng.sample(range(1, 201), 200)
    rows = [(*row[:4], number) for row, number in zip(rows, numbers)]
    assert any("'t'" in offence for offence in order.offences(made_tests(engine, rows)))


def test_people_in_the_order_of_their_numbers_of_rows_are_refused(engine):
    rng = random.Random(4)
    rows = [
        (rng.randrange(9), rng.choice("ab"), 0.0, False, person)
        for person in range(1, 61)
        for _ in range(1 + person // 20)
    ]
    rng.shuffle(rows)
    (found,) = order.offences(made_tests(engine, rows))
    assert found.startswith("the numbers in 'k' go with the number of their rows")


# releases


@pytest.fixture(params=[*ENGINES, *DATABASES])
def place(request, tmp_path):
    made = {**ENGINES, **DATABASES}[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


def in_order(place, by):
    """Store the released rows in another order."""
    if place.name == "duckdb":
        again(place.folder / "release.duckdb", {"r": f"SELECT * FROM old.r ORDER BY {by}"})
        return
    name = "r" if place.name == "sqlite" else f"{place.release}.r"
    statements = [
        f"CREATE TEMPORARY TABLE held AS SELECT * FROM {name}",
        f"DELETE FROM {name}" if place.name == "sqlite" else f"TRUNCATE TABLE {name}",
        f"INSERT INTO {name} SELECT * FROM held ORDER BY {by}",
        "DROP TABLE held",
    ]
    if place.name == "sqlite":
        with closing(sqlite3.connect(place.folder / "release.sqlite")) as connection:
            for item in statements:
                connection.execute(item)
            connection.commit()
            connection.execute("VACUUM")
    else:
        run = place.do if place.name == "mariadb" else place.connection.execute
        if place.name == "mariadb":
            run(f"USE {place.release}")
        for statement in statements:
            run(statement)


def again(path, selects):
    """Write a DuckDB file anew, with other selects for some tables."""
    other = path.with_suffix(".new")
    with duckdb.connect(
        str(other), config={"storage_compatibility_version": "v1.0.0"}
    ) as connection:
        connection.execute(f"ATTACH '{path}' AS old (READ_ONLY)")
        tables = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'old'"
        ).fetchall()
        for (table,) in tables:
            select = selects.get(table, f'SELECT * FROM old."{table}"')
            connection.execute(f'CREATE TABLE "{table}" AS {select}')
    other.replace(path)


def test_rows_in_order_are_refused_on_the_engines(place):
    if place.name == "spark":
        pytest.skip("the order of rows in a table of Spark's is not looked at")
    place.make(COLUMNS, patients())
    policy = policy_on(place, policy_data(BY_PEOPLE, k=2))
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    in_order(place, "disease")
    with pytest.raises(VerificationError, match="order of the rows goes with 'disease'"):
        anonsql.verify(policy)


def test_numbers_in_order_are_refused_on_the_engines(place):
    """People numbered by a value, as ``row_number() OVER (ORDER BY disease)`` does."""
    rows = [(n, *row[1:]) for n, row in enumerate(patients())]
    place.make(COLUMNS, rows)
    policy = policy_on(place, policy_data(BY_PEOPLE, k=2))
    anonsql.run(policy)
    found = sorted(place.read(), key=lambda row: row[-2])
    assert not isinstance(found[0][0], str)
    anonsql.verify(policy)
    if place.name != "duckdb":
        return
    numbered = "SELECT * REPLACE (ROW_NUMBER() OVER (ORDER BY disease) AS who) FROM old.r"
    again(place.folder / "release.duckdb", {"r": f"{numbered} ORDER BY random()"})
    with pytest.raises(VerificationError, match="numbers in 'who' go with 'disease'"):
        anonsql.verify(policy)


def test_rows_of_parquet_files_in_order_are_refused(tmp_path):
    file = "out.parquet"
    policy = policy_over(tmp_path, COLUMNS, patients(), BY_PEOPLE, k=2, release={"file": file})
    anonsql.run(policy)
    anonsql.verify(policy)
    path = tmp_path / file
    with duckdb.connect() as connection:
        entries = connection.execute(
            f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{path}')"
        ).fetchall()
        text = ", ".join(f"""'{key}': '{value.replace("'", "''")}'""" for key, value in entries)
        footer = f", KV_METADATA {{{text}}}" if entries else ""
        other = tmp_path / "other.parquet"
        connection.execute(
            f"COPY (SELECT * FROM '{path}' ORDER BY disease) TO '{other}' (FORMAT parquet,"
            f" COMPRESSION zstd, WRITE_BLOOM_FILTER false{footer})"
        )
    other.replace(path)
    with pytest.raises(VerificationError, match=f"goes with 'disease': .* {REFUSED}"):
        anonsql.verify(policy)


@pytest.mark.parametrize("name", PLAIN)
def test_what_methods_release_is_in_random_order(tmp_path, name):
    make_source(tmp_path, COLUMNS, sorted(patients(300), key=lambda row: row[2]))
    data = policy_data(BY_PEOPLE, k=3, method=PLAIN[name])
    if name in ("anatomy", "local"):
        data["privacy"] |= {"l_diversity": {"disease": 2}}
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    anonsql.verify(policy)


def test_labels_that_are_joined_to_rows_leave_their_order(tmp_path):
    """There are more labels than rows, so that a planner would read the rows for every label."""
    make_table(tmp_path / "source.duckdb", {"a": "INTEGER"}, [(n % 5,) for n in range(400)])
    (tmp_path / "h.csv").write_text("\n".join(f"{n};{n // 2};*" for n in range(5000)))
    columns = {"a": {"type": "file", "path": "h.csv"}}
    anonsql.run(Policy.parse(policy_data(columns, method={"type": "full-domain"}), tmp_path))
    labels = [label for (label,) in rows_of(tmp_path / "release.duckdb", "SELECT a FROM r")]
    assert len(set(labels)) == 5
    assert set(labels[:100]) == set(labels)
    assert len({tuple(labels[n : n + 3]) for n in range(398)}) > 60


def test_several_tables(tmp_path):
    _, policy = clinic.in_a_file(tmp_path, suppression_limit={"patients": 0.5}, k=2)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    again(tmp_path / "released.duckdb", {"visits": "SELECT * FROM old.visits ORDER BY diagnosis"})
    with pytest.raises(VerificationError, match="visits: the order of the rows goes with"):
        anonsql.verify(policy)
