"""Conditions on values of every kind, against DuckDB's own answers over the source; what SQL would
not take is refused."""

import datetime as dt
import json
import random
from decimal import Decimal

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.grammar.literals import UnsupportedError
from anonsql.policy import conditions
from anonsql.policy.policy import Policy
from anonsql.query.where import resolve

from .engines import policy_on
from .support import make_table, policy_data
from .test_query import asked, holds

TYPES = {
    "q": "INTEGER",
    "n": "INTEGER",
    "fl": "BOOLEAN",
    "dec": "DECIMAL(4,1)",
    "long": "DECIMAL(38,4)",
    "f": "REAL",
    "d": "DOUBLE",
    "dt": "DATE",
    "ts": "TIMESTAMP",
    "tx": "VARCHAR",
}
DAYS = [
    dt.date(2020, 1, 1),
    dt.date(2020, 1, 2),
    dt.date(2020, 1, 5),
    dt.date(9999, 12, 31),
    dt.date(1, 1, 1),
    None,
]
LONG = "1234567890123456789012345678901234.5678"


def kept_release(folder, types, rows):
    """A release of columns that are kept as they are, but for the first."""
    make_table(folder / "source.duckdb", types, rows)
    first, *others = types
    anonsql.run(
        policy := Policy.parse(
            policy_data({first: {"type": "suppression"}, **dict.fromkeys(others, "insensitive")}),
            folder,
        )
    )
    return policy


def truths(policy, queries):
    """What DuckDB answers over the source, whose name is that of the release."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"ATTACH '{policy.path('source.duckdb')}' AS source (READ_ONLY)")
        connection.execute("CREATE VIEW r AS SELECT * FROM source.t")
        return [connection.execute(sql).fetchone() for sql in queries]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    rnd, rows = random.Random(1), []
    for number in range(20):
        day = DAYS[number % 6]
        ts = (
            dt.datetime.max
            if number == 7
            else day
            and dt.datetime.combine(day, rnd.choice([dt.time(), dt.time(12), dt.time(0, 0, 0, 1)]))
        )
        number_like = rnd.choice([0.1, 0.3, 1.0, 16777216.0, None])
        long = Decimal(LONG) + rnd.choice([0, Decimal("0.0001")]) if number < 3 else Decimal(number)
        rows.append(
            (
                1,
                number % 7,
                [True, False, None][number % 3],
                Decimal(number) / 10,
                long,
                number_like,
                number_like,
                day,
                ts,
                "ab"[number % 2],
            )
        )
    folder = tmp_path_factory.mktemp("kept")
    rows[0] = (*rows[0][:4], Decimal(LONG), *rows[0][5:])
    return kept_release(folder, TYPES, rows)


WHERE = [
    *(
        "fl <> TRUE",
        "fl NOT BETWEEN FALSE AND TRUE",
        "NOT fl > FALSE",
        "fl < FALSE OR fl > TRUE",
        "fl >= FALSE",
        "fl IN (TRUE, FALSE)",
    ),
    *("fl <> TRUE AND n < 4", "NOT (fl = TRUE OR n = 3)", "fl NOT IN (TRUE, FALSE) OR fl IS NULL"),
    *(
        "n <> 1e40",
        "n > 1e40",
        "n < 1e40",
        "n <= -1e40",
        "n >= -1e40 AND n <> -1e40",
        "n = '3'",
        "n > '-1'",
        "n <> 2.5",
        "n BETWEEN 2.5 AND 4.1",
    ),
    *("dec = 0.3", "dec = '0.3'", "dec = 0.35", "dec <= 0.35", "dec > 1e30", "dec <> -1e50"),
    *(f"long = {LONG}", f"long > {LONG}", f"long <= '{LONG}'", "long < 1e300"),
    *(
        "f = 0.1",
        "f <> 0.1",
        "f <= 0.1",
        "f > '0.1'",
        "f IN (0.1, 0.3)",
        "f = 16777217",
        "f BETWEEN 0.1 AND 0.3",
        "d = 0.1",
        "d <= 0.3",
    ),
    *(
        "dt > DATE '9999-12-31'",
        "dt >= DATE '9999-12-31'",
        "dt <= '9999-12-31'",
        "dt < DATE '0001-01-01'",
        "dt <> DATE '9999-12-31'",
    ),
    *(
        "dt = CAST('2020-01-02' AS DATE)",
        "dt = TIMESTAMP '2020-01-02'",
        "ts = DATE '2020-01-02'",
        "ts < '2020-01-02'",
    ),
    *(
        "ts <= TIMESTAMP '9999-12-31 23:59:59.999999'",
        "ts > TIMESTAMP '9999-12-31 23:59:59.999999'",
        "ts > '2020-01-02 12:00'",
    ),
    *(
        "ts >= TIMESTAMP '2020-01-02T00:00:00.000001'",
        "ts <> TIMESTAMP '9999-12-31 23:59:59.999999'",
        "tx = 'a' OR tx = 'b'",
        "tx <> 'a'",
    ),
    *("x.n = 3", "X.N = 3"),
]


def test_kept_values_are_counted_as_duckdb_counts_them(kept):
    queries = [f"SELECT COUNT(*) FROM r AS x WHERE {where}" for where in WHERE]
    for where, (line,), (true,) in zip(
        WHERE, asked(kept, queries), truths(kept, queries), strict=True
    ):
        assert (line.lower, line.estimate, line.upper) == (true, true, true), where


REFUSED = [
    ("n = CAST(2.7 AS INTEGER)", "CAST is supported only in DATE"),
    ("n = '2'::INTEGER", "CAST is supported only in DATE"),
    ("dec = 0.35::decimal(4,1)", "CAST is supported only in DATE"),
    ("dt = TRY_CAST('2020-01-01' AS DATE)", "TRY_CAST is supported only in DATE"),
    ("ts < CAST('2020-01-02 12:00' AS DATE)", "the text after DATE is not a date"),
    ("ts < TIMESTAMP '2020-01-02 12:00:00+02'", "the text after TIMESTAMP is not a timestamp"),
    ("ts < TIMESTAMPTZ '2020-01-02 12:00:00'", "CAST is supported only in DATE"),
    ("n = DATE '2020-01-01'", "'n' must be of the type integer"),
    ("tx = DATE '2020-01-01'", "'tx' must be of the type text"),
    ("dt < TIMESTAMP '2020-01-02 12:00'", "'dt' must be of the type date"),
    ("n = '3.5'", "'n' must be of the type integer"),
    ("n = '1_0'", "'n' must be of the type integer"),
    ("dec = '0.35'", "'dec' must be of the type decimal"),
    ("dec = '0.30'", "'dec' must be of the type decimal"),
    ("dec = 'nan'", "'dec' must be of the type decimal"),
    ("f = 1e-1", "is a literal of double precision"),
    ("f = '1e39'", "is beyond single precision"),
    ("n > 1e400", "'n' must be of the type integer"),
    ("dt = '20200105'", "'dt' must be of the type date"),
    ("dt = '2020-W01-3'", "'dt' must be of the type date"),
    ("ts = '20200105'", "'ts' must be of the type timestamp"),
    ("ts = '2020-01-05 12'", "'ts' must be of the type timestamp"),
    ("dt = 20200105", "'dt' must be of the type date"),
    ("zz.n = 1", "zz.n belongs to a table other than x"),
    ("r.n = 1", "r.n belongs to a table other than x"),
    ("(" * 2000 + "n = 1" + ")" * 2000, "nested too deeply"),
    ("NOT " * 2000 + "n = 1", "nested too deeply"),
    (
        " OR ".join(f"(n < {number} AND q = {number})" for number in range(200)),
        "more than 256 conditions under OR",
    ),
]


@pytest.mark.parametrize(("where", "found"), REFUSED, ids=range(len(REFUSED)))
def test_what_sql_rejects_or_rounds_is_refused(kept, where, found):
    with pytest.raises(PolicyError, match=found):
        anonsql.query(kept, f"SELECT COUNT(*) FROM r AS x WHERE {where}", bounded=True)


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (
            "SELECT COUNT(*) FROM r AS x(b, a) WHERE b = 3",
            "a list of columns after the table's alias",
        ),
        ("SELECT COUNT(* EXCLUDE (n)) FROM r", "COUNT needs a single column"),
        ("SELECT SUM(zz.n) FROM r", "a table other than r"),
    ],
)
def test_what_else_is_refused(kept, sql, found):
    with pytest.raises(PolicyError, match=found):
        anonsql.query(kept, sql, bounded=True)


def test_conditions_of_policies_are_not_nested_too_deeply():
    with pytest.raises(ValueError, match="nested too deeply"):
        conditions.parse("(" * 2000 + "n = 1" + ")" * 2000, ["n"])


def test_names_that_differ_in_case_alone():
    assert resolve("Ab", {"ab": 1, "Ab": 2}) == 2 and resolve("AB", {"ab": 1, "n": 2}) == 1
    with pytest.raises(UnsupportedError, match="'AB' can mean any of the columns 'ab', 'Ab'"):
        resolve("AB", {"ab": 1, "Ab": 2})


def test_many_conditions_on_one_column_are_one_set(kept):
    """Were each a set of its own, there would be more than a query may have."""
    queries = [
        "SELECT COUNT(*), AVG(n) FROM r WHERE "
        + " OR ".join(f"n = {number}" for number in range(2, 5002)),
        "SELECT COUNT(*), AVG(n) FROM r WHERE NOT ("
        + " OR ".join(f"(n BETWEEN {n} AND {n} OR d IS NULL)" for n in range(2, 200))
        + ")",
    ]
    found = asked(kept, queries)
    for lines, true in zip(found, truths(kept, queries), strict=True):
        assert [line.lower for line in lines] == pytest.approx(list(true))
        assert [item.upper for item in lines] == pytest.approx(list(true))


def test_sums_of_what_is_no_number(tmp_path):
    infinite = [
        (1, number % 5, value)
        for number, value in enumerate([1.5, 2.5, float("nan"), 3.0, float("inf"), -1.0])
    ]
    policy = kept_release(tmp_path, {"q": "INTEGER", "n": "INTEGER", "d": "DOUBLE"}, infinite)
    report = anonsql.query(policy, "SELECT COUNT(*), SUM(d), AVG(d) FROM r WHERE n = 2 OR n = 3")
    document = json.loads(report.model_dump_json())
    assert document["answers"][0]["estimate"] == 2
    for answer in report.answers[1:]:
        assert (answer.estimate, answer.lower, answer.upper) == (
            None,
            None,
            None,
        ) and answer.possible == 2
    assert report.notes == ["Values that may be NaN or infinite allow no sum or mean."]
    (total,) = anonsql.query(policy, "SELECT SUM(d) FROM r WHERE n = 1 OR n = 3").answers
    assert (total.estimate, total.lower, total.upper) == (5.5, 5.5, 5.5)
    assert (
        anonsql.query(policy, "SELECT AVG(d) FROM r WHERE d > 1e300 AND n <> 2").answers[0].estimate
        is None
    )  # infinity alone


def test_boolean_values_that_are_told_by_buckets(tmp_path):
    rnd = random.Random(2)
    rows = [(rnd.randrange(6), number % 2 == 0, rnd.randrange(4)) for number in range(36)]
    make_table(tmp_path / "source.duckdb", {"n": "INTEGER", "fl": "BOOLEAN", "m": "INTEGER"}, rows)
    data = policy_data(
        {"n": {"type": "suppression"}, "fl": "sensitive", "m": "insensitive"},
        k=1,
        method={"type": "anatomy"},
    )
    data["privacy"]["l_diversity"] = {"fl": 2}
    anonsql.run(policy := Policy.parse(data, tmp_path))
    alone = [
        "fl NOT BETWEEN FALSE AND TRUE",
        "fl <> TRUE",
        "fl > TRUE OR fl < FALSE",
        "NOT fl = FALSE",
        "fl >= FALSE",
        "fl IS NULL",
    ]
    wheres = [
        *alone,
        *(
            f"{one} {by} {other}"
            for one in alone
            for by in ("AND", "OR")
            for other in ("n <> 2", "m NOT BETWEEN 1 AND 2")
        ),
    ]
    queries = [f"SELECT COUNT(*), SUM(n), AVG(m) FROM r WHERE {where}" for where in wheres]
    for where, lines, true in zip(
        wheres, asked(policy, queries), truths(policy, queries), strict=True
    ):
        assert all(holds(line, value) for line, value in zip(lines, true, strict=True)), (
            where,
            lines,
            true,
        )
        if where in alone:
            assert (lines[0].lower, lines[0].estimate, lines[0].upper) == (true[0],) * 3, where
        assert lines[0].estimate <= len(rows)


def test_numbers_as_servers_compare_them(engine):
    """PostgreSQL's numbers of any length, and single precision, which only DuckDB rounds literals
    to."""
    exact = "0.3000000000000000001"
    if engine.name == "postgres":
        engine.make(
            {"q": "INTEGER", "un": "numeric", "f": "real"},
            [(1, value, 0.1) for value in ("0.3", "0.2", exact, "1e30", "0.25")],
        )
    else:
        engine.make(
            {"q": "INTEGER", "un": "DECIMAL(38,19)", "f": "REAL"},
            [(1, value, 0.1) for value in ("0.3", "0.2", exact, "5", "0.25")],
        )
    policy = policy_on(
        engine, policy_data({"q": {"type": "suppression"}, "un": "insensitive", "f": "insensitive"})
    )
    anonsql.run(policy)
    many = 5 if engine.name == "duckdb" else 0
    cases = {
        f"un < {exact}": 3,
        f"un = {exact}": 1,
        f"un > {exact}": 1,
        "un < 1e25": 4 + many // 5,
        "un > 1e29": 1 - many // 5,
        "f = 0.1": many,
    }
    found = [
        anonsql.query(policy, f"SELECT COUNT(*) FROM {policy.release.name} WHERE {where}").answers
        for where in cases
    ]
    assert [(item.lower, item.upper) for (item,) in found] == [
        (true, true) for true in cases.values()
    ]
