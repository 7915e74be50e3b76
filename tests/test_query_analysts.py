"""Statements as analysts write them: bounds against the source, estimates against what the same SQL
gives on each completed draw, pooled naively; and statements that must never be executed."""

import datetime as dt
import itertools
import json
import math
import random
import time
from decimal import Decimal
from statistics import mean, variance

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError, TimeLimitError
from anonsql.features.query.answer_lines import lines
from anonsql.grammar.literals import UnsupportedError
from anonsql.policy.policy import Policy
from anonsql.query import statements
from anonsql.query.answers import answers
from anonsql.query.parse import parse

from .engines import DATABASES, ENGINES, policy_on
from .support import (
    cli,
    edit,
    ended,
    flat,
    make_source,
    policy_data,
    policy_over,
    quote,
    rows_of,
)
from .test_query import METHODS, holds, opened, policy_of, random_rows

TOWNS = {"north": ["ash", "bow"], "south": ["coy", "dun", "ely"]}
TYPES = {
    **{"age": "INTEGER", "town": "VARCHAR", "born": "DATE", "income": "DOUBLE"},
    **{"weight": "DOUBLE", "ill": "VARCHAR", "Sick Days": "INTEGER", "name": "VARCHAR"},
}
COLUMNS = {
    "age": {"type": "interval", "widths": [5, 10, 20]},
    "town": {"type": "taxonomy", "tree": TOWNS},
    "born": {"type": "date", "levels": ["month", "year"]},
    **dict.fromkeys(("income", "weight", "Sick Days"), "insensitive"),
    **{"ill": "sensitive", "name": "identifying"},
}
KEPT = [name for name in TYPES if name != "name"]
DRAWS = 4


def people(rnd, size):
    return [
        (
            age := rnd.randrange(20, 80),
            rnd.choice([town for towns in TOWNS.values() for town in towns]),
            dt.date(2024 - age, rnd.randrange(1, 13), rnd.randrange(1, 28)),
            rnd.choice([0.0, 1000.0, 2500.5, 4000.0, None]) if rnd.random() < 0.9 else 100.0 * age,
            rnd.choice([0.5, 1.0, 2.25]),
            rnd.choice(["flu", "cold", "none"]),
            rnd.choice([0, 1, 2, 14, None]),
            f"p{number}",
        )
        for number in range(size)
    ]


def completed(rnd, rows, draws=DRAWS):
    """Draws as they may be made of a release: some of the values of each row are others."""
    towns = [town for some in TOWNS.values() for town in some]
    return [
        (
            draw,
            row[0] + rnd.choice([-2, 0, 0, 1]),
            row[1] if rnd.random() < 0.7 else rnd.choice(towns),
            row[2] + dt.timedelta(days=rnd.choice([0, 0, 40, -200])),
            *row[3:-1],
        )
        for draw in range(1, draws + 1)
        for row in rows
    ]


def with_draws(path, drawn):
    """Put the completed table into the release of a DuckDB file."""
    columns = {"draw": "INTEGER", **{name: TYPES[name] for name in KEPT}}
    values = ", ".join(f"{quote(name)} {kind}" for name, kind in columns.items())
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE r__completed ({values})")
        marks = ", ".join("?" for _ in columns)
        connection.executemany(f"INSERT INTO r__completed VALUES ({marks})", drawn)
    listed(path)


def listed(path):
    """Say in the facts of a release that it has a completed table."""
    (before,) = rows_of(path, "SELECT max(value) FROM r__about WHERE property = 'extra_tables'")
    words = ", ".join(word for word in (before[0], "__completed") if word)
    edit(
        path,
        "DELETE FROM r__about WHERE property = 'extra_tables'",
        f"INSERT INTO r__about VALUES ('extra_tables', '{words}')",
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release by mondrian with four draws."""
    folder, rnd = tmp_path_factory.mktemp("analysts"), random.Random(7)
    rows = people(rnd, 120)
    make_source(folder, TYPES, rows)
    data = policy_data(COLUMNS, k=3, method={"type": "mondrian"})
    anonsql.run(Policy.parse(data, folder))
    with_draws(folder / "release.duckdb", completed(rnd, rows))
    return folder


def release(folder):
    return str(folder / "release.duckdb")


def plain(value):
    """A value as the document has it."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return str(value) if isinstance(value, dt.date) else value


def naive(folder, sql, keys, draws=range(1, DRAWS + 1)):
    """What a statement gives on every draw, pooled: {key: [(estimate, error, draws) of a
    value]}."""
    found = {}
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{release(folder)}' AS released (READ_ONLY)")
        for draw in draws:
            names = ", ".join(map(quote, KEPT))
            connection.execute(
                "CREATE OR REPLACE TABLE r AS"
                f" SELECT {names} FROM released.r__completed WHERE draw = {draw}"
            )
            for row in connection.execute(sql).fetchall():
                key = tuple(plain(row[place]) for place in keys)
                own = [cell for place, cell in enumerate(row) if place not in keys]
                found.setdefault(key, []).append(own)
    return {key: [together(cells) for cells in zip(*rows)] or [] for key, rows in found.items()}


def together(cells):
    """The mean, the standard error and the number of numbers."""
    known = [cell for cell in cells if cell is not None and not nonsense(cell)]
    if known and isinstance(known[0], str | dt.date | bool):
        texts = [plain(cell) for cell in known]
        return max(sorted(set(texts)), key=texts.count), None, len(known)
    known = list(map(float, known))
    error = math.sqrt((1 + 1 / len(known)) * variance(known)) if len(known) > 1 else None
    return (mean(known) if known else None), error, len(known)


def nonsense(cell):
    return isinstance(cell, float) and not math.isfinite(cell)


ESTIMATED = [
    # (the statement without order and limit, places of the keys, order and limit)
    ("SELECT COUNT(DISTINCT town) AS n, MEDIAN(age) AS m FROM r", [], ""),
    ("SELECT 100.0 * COUNT(*) FILTER (WHERE ill = 'flu') / COUNT(*) AS share FROM r", [], ""),
    ("SELECT SUM(CASE WHEN age >= 40 THEN 1 ELSE 0 END) AS n FROM r WHERE ill <> 'none'", [], ""),
    ("SELECT COUNT(*) AS n FROM r WHERE LOWER(town) = 'ash' OR YEAR(born) = 1980", [], ""),
    ("SELECT STDDEV(income) AS a, VAR_SAMP(age) AS b, VAR_POP(age) AS c FROM r", [], ""),
    ("SELECT CORR(age, income) FROM r WHERE ill <> 'none'", [], ""),
    ("SELECT COVAR_SAMP(age, income), REGR_SLOPE(income, age) FROM r", [], ""),
    ("SELECT SUM(income * weight) AS s FROM r", [], ""),
    ("SELECT SUM(income * weight) / SUM(weight) AS m FROM r WHERE income IS NOT NULL", [], ""),
    ("SELECT ill, SUM(income*weight)/SUM(weight) AS m FROM r GROUP BY ill", [0], "ORDER BY m DESC"),
    ("SELECT QUANTILE_CONT(age, 0.9) AS q FROM r", [], ""),
    ("SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY income) AS q FROM r", [], ""),
    ("SELECT town, MEDIAN(age * 1.0) AS m FROM r GROUP BY town", [0], "ORDER BY m, town LIMIT 3"),
    ("SELECT town, STDDEV(age) AS s FROM r GROUP BY town", [0], "ORDER BY 2 DESC NULLS LAST"),
    ("SELECT upper(town) AS t, COUNT(*) AS n FROM r GROUP BY 1", [0], "ORDER BY t"),
    (
        "SELECT CASE WHEN age < 40 THEN 'young' WHEN age < 60 THEN 'middle' ELSE 'old' END AS band,"
        " COUNT(*) AS n, AVG(income) AS a FROM r GROUP BY band",
        [0],
        "ORDER BY n DESC",
    ),
    ("SELECT floor(age / 10) * 10 AS decade, COUNT(*) AS n FROM r GROUP BY ALL", [0], "ORDER BY 1"),
    ("SELECT age // 10 AS d, COUNT(*) FROM r GROUP BY d HAVING COUNT(*) > 15", [0], "ORDER BY d"),
    ("SELECT date_trunc('year', born) AS y, AVG(age) AS a FROM r GROUP BY 1", [0], "ORDER BY y"),
    ("SELECT month(born) AS m, COUNT(*) AS n FROM r GROUP BY m", [0], "ORDER BY m DESC LIMIT 4"),
    ("SELECT extract(quarter FROM born) AS q, MAX(age) AS m FROM r GROUP BY q", [0], "ORDER BY q"),
    ("SELECT town, ill, COUNT(*) AS n FROM r GROUP BY ROLLUP (town, ill)", [0, 1], ""),
    ("SELECT town, ill, COUNT(*) AS n FROM r GROUP BY CUBE (town, ill)", None, ""),
    ("SELECT ill, COUNT(*) AS n FROM r GROUP BY GROUPING SETS ((ill), ())", [0], "ORDER BY n"),
    ("SELECT COUNT(*) AS n FROM r WHERE town ILIKE '%y'", [], ""),
    ("SELECT COUNT(*) AS n FROM r WHERE age > (SELECT AVG(age) FROM r)", [], ""),
    ("SELECT COUNT(*) AS n FROM r WHERE income > age * 50", [], ""),
    (
        "SELECT COUNT(*) FROM r WHERE town IN (SELECT town FROM r GROUP BY town HAVING COUNT(*) > 24)",
        [],
        "",
    ),
    (
        "WITH c AS (SELECT town, COUNT(*) AS n FROM r GROUP BY town)"
        " SELECT town, n, n * 100.0 / SUM(n) OVER () AS share FROM c",
        [0],
        "ORDER BY share DESC LIMIT 2",
    ),
    (
        "WITH c(t, n) AS (SELECT town, COUNT(*) FROM r GROUP BY town) SELECT t, n FROM c WHERE n > 20",
        [0],
        "ORDER BY t",
    ),
    (
        "WITH r AS (SELECT * FROM r WHERE age > 50) SELECT ill, COUNT(*) AS n FROM r GROUP BY ill",
        [0],
        "ORDER BY ill",
    ),
    ("SELECT AVG(n) AS a FROM (SELECT town, COUNT(*) AS n FROM r GROUP BY town) AS t", [], ""),
    (
        "SELECT town, RANK() OVER (ORDER BY COUNT(*) DESC) AS k FROM r GROUP BY town",
        [0],
        "ORDER BY k, town",
    ),
    (
        "SELECT ill, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER () AS s FROM r GROUP BY ill",
        [0],
        "ORDER BY s",
    ),
    (
        "SELECT a.ill, a.n, b.m FROM (SELECT ill, COUNT(*) AS n FROM r GROUP BY ill) AS a"
        " JOIN (SELECT ill, MAX(age) AS m FROM r GROUP BY ill) AS b USING (ill)",
        [0],
        "ORDER BY n",
    ),
    (
        "SELECT ill, COUNT(*) AS n FROM (SELECT ill FROM r UNION ALL SELECT 'all' FROM r) AS u GROUP BY 1",
        [0],
        "ORDER BY n",
    ),
    (
        "SELECT r.ill, AVG(r.age - m.a) AS d FROM r JOIN (SELECT ill, AVG(age) AS a FROM r GROUP BY ill) AS m"
        " ON m.ill = r.ill AND r.age > m.a GROUP BY r.ill",
        [0],
        "ORDER BY 1",
    ),
    ("SELECT COUNT(*) AS n FROM r, (SELECT AVG(age) AS a FROM r) AS m WHERE age > a", [], ""),
    (
        "WITH d AS (SELECT DISTINCT town, ill FROM r), e AS (SELECT ill AS i, town FROM d WHERE ill <> 'flu')"
        " SELECT COUNT(*) AS n, COUNT(e.i) AS m FROM r LEFT JOIN e ON e.town = r.town AND r.ill = e.i",
        [],
        "",
    ),
    ("SELECT COUNT(DISTINCT town || ill) AS n FROM r", [], ""),
    ("SELECT MODE(ill) AS m, MAX(born) AS b FROM r", [], ""),
    ("SELECT AVG(coalesce(income, 0)) AS a, ROUND(AVG(age), 1) AS b FROM r", [], ""),
    ("SELECT SUM(CASE WHEN age > 50 THEN income * weight END) AS s FROM r", [], ""),
    ("SELECT AVG(age) FILTER (WHERE town = 'ash' OR income > 5 * age) AS s FROM r", [], ""),
    (
        "SELECT town, COUNT(*) AS n FROM r WHERE ill = 'flu' AND age * 2 > 140 GROUP BY town",
        [0],
        "ORDER BY town",
    ),
    ('SELECT STDDEV("Sick Days") AS "my number" FROM r', [], ""),
    ("SELECT T.Town, Corr(T.AGE, t.income) AS c FROM R AS T GROUP BY t.town", [0], "ORDER BY 1"),
    (
        "SELECT year(born) - age AS y, COUNT(*) AS n FROM r GROUP BY year(born) - age",
        [0],
        "ORDER BY n DESC, y",
    ),
    ("SELECT MIN(age) AS a, MAX(age) - MIN(age) AS w, SQRT(VARIANCE(age)) AS s FROM r", [], ""),
    (
        "SELECT 'it''s; -- \"x\"' AS t, STDDEV(age) AS s FROM r /* a ; comment */ GROUP BY 1",
        [0],
        "",
    ),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("sql", "keys", "order"), ESTIMATED)
def test_estimates_are_those_of_every_draw_pooled(folder, sql, keys, order):
    report = anonsql.query(release(folder), f"{sql} {order}")
    if keys is None:  # more rows than their keys tell apart, as NULL may be a value or all of them
        assert len(report.answers) > 1 and report.draws == DRAWS
        return
    expected = naive(folder, sql, keys)
    found = {}
    for answer in report.answers:
        assert (answer.bounds, answer.lower, answer.upper) == ("estimated", None, None)
        key = tuple((answer.group or {}).values())
        found.setdefault(key, []).append((answer.estimate, answer.standard_error, answer.draws))
    if "LIMIT" not in order:
        assert {tuple(map(str, key)) for key in found} == {tuple(map(str, key)) for key in expected}
    by_text = {tuple(map(str, key)): value for key, value in expected.items()}
    for key, numbers in found.items():
        for own, true in zip(numbers, by_text[tuple(map(str, key))], strict=True):
            assert own[2] == true[2]
            assert own[:2] == (pytest.approx(true[0]), pytest.approx(true[1], abs=1e-9)), key
    if order:
        in_order(report, keys, expected, order)
    assert "Estimated from 4 completed draws" in " ".join(report.notes)


def in_order(report, keys, expected, order):
    """The groups are those, and in the order, that DuckDB gives of the pooled ones."""
    titles = [*(report.answers[0].group or ()), *dict.fromkeys(a.aggregate for a in report.answers)]
    with duckdb.connect() as connection:
        rows = [[*key, *(value[0] for value in values)] for key, values in expected.items()]
        kinds = ["VARCHAR" if isinstance(cell, str) else "DOUBLE" for cell in rows[0]]
        names = ", ".join(f"{quote(t)} {kind}" for t, kind in zip(titles, kinds))
        connection.execute(f"CREATE TABLE pooled ({names})")
        connection.executemany(
            f"INSERT INTO pooled VALUES ({', '.join('?' for _ in titles)})", rows
        )
        wanted = connection.execute(f"SELECT * FROM pooled {order}").fetchall()
    groups = list(dict.fromkeys(tuple((a.group or {}).values()) for a in report.answers))
    same = [tuple(map(str, row[: len(keys)])) for row in wanted]
    assert [tuple(map(str, group)) for group in groups] == [
        tuple(str(float(cell)) if kinds[n] == "DOUBLE" else cell for n, cell in enumerate(key))
        if "DOUBLE" in kinds[: len(keys)]
        else key
        for key in same
    ] or [tuple(map(float, group)) for group in groups] == [row[: len(keys)] for row in wanted]


GUARANTEED = [
    "SELECT ill, COUNT(*) AS n FROM r GROUP BY ill HAVING COUNT(*) > 38 ORDER BY n DESC",
    "SELECT ill, AVG(age) AS a FROM r GROUP BY ill HAVING n_rows > 10",
    "SELECT ill, COUNT(*) FILTER (WHERE age < 40) AS n FROM r GROUP BY ill ORDER BY n LIMIT 2",
    "SELECT SUM(income) FILTER (WHERE ill = 'flu' OR age > 50) AS s, MAX(age) AS m FROM r",
    "SELECT ill, COUNT(*) AS n FROM r GROUP BY ill HAVING AVG(age) > 45 AND NOT (COUNT(*) < 5 OR MAX(age) < 50)",
    "SELECT ill, AVG(income) AS a FROM r GROUP BY ill HAVING a BETWEEN 10 AND 100000 ORDER BY a",
    "SELECT ill, MIN(income) AS a FROM r WHERE town LIKE 'a%' GROUP BY ill HAVING -1 < MIN(income)",
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sql", GUARANTEED)
def test_bounds_of_what_analysts_write_hold_of_the_source(folder, sql):
    sql = sql.replace("n_rows", "COUNT(*)")
    report = anonsql.query(release(folder), sql)
    assert {answer.bounds for answer in report.answers} == {"guaranteed"}
    with duckdb.connect() as source:
        source.execute(f"ATTACH '{folder / 'source.duckdb'}' AS source (READ_ONLY)")
        source.execute("CREATE VIEW r AS SELECT * FROM source.t")
        truths = source.execute(sql.split(" ORDER BY ")[0]).fetchall()
    check(report.answers, truths, "HAVING" in sql)


def check(found, truths, having):
    """Bounds hold of groups by one kept column, or of all rows; groups that surely are in the
    answer are, and none is missing that is."""
    keyed = found[0].group is not None if found else True
    by_group = {}
    for answer in found:
        key = next(iter(answer.group.values())) if keyed else None
        by_group.setdefault(key, []).append(answer)
    true = {(row[0] if keyed else None): row[keyed:] for row in truths}
    if having:
        assert true.keys() <= by_group.keys()
        sure = {key for key, own in by_group.items() if own[0].having == "certain"}
        assert sure <= true.keys(), (sure, true)
    for key, own in by_group.items():
        for answer, value in zip(own, true.get(key, ()), strict=key in true):
            if isinstance(value, float) and not math.isfinite(value):
                continue
            near = answer.model_copy(update=widened(answer))
            assert holds(near, value) or value is None, (key, answer, value)


def widened(answer):
    """The bounds of what an engine computes in floating point, which are of exact numbers."""
    ends = {"lower": answer.lower, "upper": answer.upper}
    return {
        name: end + (1 if name == "upper" else -1) * 1e-9 * (1 + abs(end))
        for name, end in ends.items()
        if isinstance(end, int | float)
    }


NUMBERS = ["COUNT(*)", "SUM(n)", "AVG(n)", "SUM(pay)", "MIN(n)", "MAX(pay)", "COUNT(town)"]
FILTERS = ["n > 3", "town = 'a'", "ill = 'x'", "pay > 0", "n IS NULL OR paid", "town LIKE 'a%'"]


def number(rnd):
    """A number that queries answer within bounds."""
    where = f" FILTER (WHERE {rnd.choice(FILTERS)})" if rnd.random() < 0.3 else ""
    return f"{rnd.choice(NUMBERS)}{where}"


def question(rnd):
    """A statement with what queries answer within bounds."""
    by = rnd.choice(["", "ill", "paid"])
    selected = ", ".join([*([by] if by else []), *(number(rnd) for _ in range(2))])
    sql = f"SELECT {selected} FROM r"
    if rnd.random() < 0.5:
        sql += f" WHERE {rnd.choice([*FILTERS, 'n BETWEEN 2 AND 6', 'id < 12'])}"
    if by:
        sql += f" GROUP BY {by}"
    if rnd.random() < 0.6:
        compared = f"{number(rnd)} {rnd.choice(['>', '<', '>=', '<=', '=', '<>'])} {rnd.choice([0, 1, 3, 8])}"
        sql += f" HAVING {'NOT ' if rnd.random() < 0.3 else ''}({compared})"
        if rnd.random() < 0.3:
            sql += f" {rnd.choice(['AND', 'OR'])} COUNT(*) > {rnd.randrange(6)}"
    return sql


@pytest.mark.parametrize(
    ("method", "questions"),
    [
        pytest.param(4, 100, id="few-4"),
        *(
            pytest.param(method, 200, id=f"many-{method}", marks=pytest.mark.long)
            for method in (0, 1, 3, 4, 5, 7, 8, 10, 12, 13)
        ),
    ],
)
def test_bounds_of_random_questions_hold_of_the_source(tmp_path, method, questions):
    rnd = random.Random(100 * method + questions)
    policy = policy_of(tmp_path, random_rows(rnd, 26), METHODS[method])
    anonsql.run(policy)
    asked = [question(rnd) for _ in range(questions)]
    kept = ", ".join(
        str(row[0]) for row in rows_of(tmp_path / "release.duckdb", "SELECT id FROM r")
    )
    with (
        opened(str(tmp_path / "release.duckdb")) as found,
        duckdb.connect(str(tmp_path / "source.duckdb"), read_only=True) as source,
    ):
        parsed = [parse(sql) for sql in asked]
        for sql, query, answered in zip(asked, parsed, answers(found, parsed), strict=True):
            size = len(query.selected)
            own = [
                line
                for start in range(0, len(answered), size)
                for line in lines(found, query, answered[start : start + size]) or ()
            ]
            with_rows = f"WITH r AS (SELECT * FROM t WHERE id IN ({kept})) {sql}"
            truths = source.execute(with_rows).fetchall()
            if own or query.having is not None:
                try:
                    check(own, truths, query.having is not None)
                except AssertionError as error:
                    raise AssertionError(sql) from error


REFUSED = [
    ("SELECT STDDEV(agee) FROM r", "there is no original column 'agee'. Did you mean 'age'"),
    ("SELECT STDDEV(name) FROM r", "there is no original column 'name'"),
    ("SELECT STDDEV(age) FROM r WHERE draw = 1", "leave the column draw out"),
    ("SELECT draw, STDDEV(age) FROM r GROUP BY draw", "leave the column draw out"),
    ("SELECT STDDEV(age_lo) FROM r", "there is no original column 'age_lo'"),
    ("SELECT STDDEV(age) FROM q", "there is no release of a table 'q'"),
    ("SELECT STDDEV(age) FROM r__completed", "there is no release of a table 'r__completed'"),
    ("SELECT STDDEV(age) FROM 'file.csv'", "there is no release of a table 'file.csv'"),
    ('SELECT STDDEV(age) FROM "file.csv"', "there is no release of a table 'file.csv'"),
    ("SELECT STDDEV(age) FROM read_csv('x')", "not a released table|not supported"),
    ("SELECT STDDEV(age) FROM ReAd_PaRqUeT('x')", "not a released table|not supported"),
    ("SELECT STDDEV(age) FROM r, read_text('/etc/passwd')", "not a released table|not supported"),
    ("SELECT STDDEV(age) FROM r, glob('*')", "not a released table|not supported"),
    ("SELECT STDDEV(age) FROM r, LATERAL (SELECT 1) AS z", "not supported"),
    ("SELECT STDDEV(age) FROM r, unnest([1])", "not supported|not a released table"),
    ("SELECT STDDEV(age) FROM duckdb_settings()", "not a released table|not supported"),
    ("SELECT STDDEV(age) FROM r, pragma_version()", "not a released table|not supported"),
    ("SELECT STDDEV(age), getenv('HOME') FROM r", "GETENV"),
    ("SELECT STDDEV(age), GeTeNv('HOME') FROM r", "GETENV"),
    ("SELECT STDDEV(age), \"getenv\"('HOME') FROM r", "GETENV"),
    ("SELECT STDDEV(age), current_setting('threads') FROM r", "CURRENT_SETTING"),
    ("SELECT STDDEV(age), random() FROM r", "RAND"),
    ("SELECT STDDEV(age), now() FROM r", "not supported"),
    ("SELECT STDDEV(age), current_user FROM r", "CURRENTUSER|current_user"),
    ("SELECT STDDEV(age), nextval('s') FROM r", "NEXTVAL"),
    ("SELECT STDDEV(age), pg_read_file('/etc/passwd') FROM r", "PG_READ_FILE"),
    ("SELECT STDDEV(age), load_extension('x') FROM r", "LOAD_EXTENSION"),
    ("SELECT STDDEV(age), query('SELECT 1') FROM r", "QUERY"),
    ("SELECT STDDEV(age) FROM query_table('r')", "not a released table|not supported"),
    ("SELECT STDDEV(age), main.mymacro(1) FROM r", "not supported"),
    ("SELECT STDDEV(age), COLUMNS('a.*') FROM r", "not supported"),
    ("SELECT STDDEV(age), $1 FROM r", "not supported"),
    ("SELECT STDDEV(age), ? FROM r", "not supported"),
    ("SELECT STDDEV(age), list(age) FROM r", "not supported"),
    ("SELECT STDDEV(age), age::UNION(a INT) FROM r", "not supported|no SQL"),
    ("SELECT STDDEV(age) FROM r; DROP TABLE r", "write exactly one statement"),
    ("SELECT STDDEV(age) FROM r; -- x\nSELECT 1", "write exactly one statement"),
    ("COPY r TO 'x.csv'", "a SELECT is needed"),
    ("ATTACH 'x.duckdb'", "a SELECT is needed"),
    ("PRAGMA database_list", "a SELECT is needed"),
    ("INSTALL httpfs", "a SELECT is needed|no SQL"),
    ("CREATE MACRO stddev(x) AS 1", "a SELECT is needed"),
    ("EXPLAIN ANALYZE SELECT STDDEV(age) FROM r", "a SELECT is needed"),
    ("DESCRIBE r", "a SELECT is needed"),
    ("SELECT STDDEV(age) INTO x FROM r", "not supported"),
    ("SELECT STDDEV(age) FROM r FOR UPDATE", "not supported"),
    ("SELECT STDDEV(age) FROM r TABLESAMPLE 10%", "not supported"),
    ("SELECT STDDEV(age) FROM r USING SAMPLE 3", "not supported"),
    ("SELECT STDDEV(age) FROM other.main.r", "not supported|there is no release"),
    ("SELECT STDDEV(age) FROM main.r__about", "there is no release"),
    ("SELECT STDDEV(age) FROM information_schema.tables", "there is no release"),
    ("SELECT STDDEV(age) FROM (SELECT STDDEV(age) AS age FROM sqlite_master) AS t", "there is no"),
    (
        "WITH RECURSIVE x AS (SELECT 1 AS age UNION ALL SELECT age FROM x) SELECT STDDEV(age) FROM x",
        "RECURSIVE",
    ),
    ("WITH x AS (SELECT 1 AS age) SELECT STDDEV(age) FROM x", "needs one table"),
    (
        "SELECT STDDEV(a.age) FROM (WITH cells AS (SELECT age FROM r) SELECT age FROM cells) AS a, cells",
        "there is no release of a table 'cells'",
    ),
    ("WITH x AS (SELECT age FROM r) SELECT STDDEV(age) FROM r, main.x", "there is no release"),
    ("SELECT STDDEV(age) FROM r UNION ALL SELECT 1", "put it after FROM"),
    ("SELECT STDDEV(age) FROM r LIMIT 10%", "LIMIT|not supported"),
    ("SELECT STDDEV(age) FROM r LIMIT (SELECT 1)", "LIMIT"),
    ("SELECT STDDEV(age) FROM r ORDER BY ALL", "ALL is not supported"),
    ("SELECT STDDEV(age) OVER w FROM r NATURAL JOIN r AS s", "not supported"),
    (
        "SELECT n FROM (SELECT ill, COUNT(*) AS n FROM r GROUP BY ill) AS t",
        "cannot be distinguished|in all",
    ),
    ("SELECT STDDEV(ill) FROM r", "duckdb, where the release is stored, does not answer it"),
    ("SELECT STDDEV(age)\0 FROM r", "NUL|no SQL"),
    ("SELECT " + "(" * 3000 + "STDDEV(age)" + ")" * 3000 + " FROM r", "nested too deeply|no SQL"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("sql", "why"), REFUSED, ids=[sql[:60] for sql, _ in REFUSED])
def test_what_is_refused_is_named_and_never_executed(folder, sql, why):
    if "cannot be distinguished" in why:  # unless the numbers of every draw happen to differ
        try:
            anonsql.query(release(folder), sql)
        except PolicyError as error:
            assert "cannot be distinguished" in str(error)
        return
    with pytest.raises(PolicyError, match=f"(?s){why}"):
        anonsql.query(release(folder), sql)


BY_ILL = "(SELECT ill, COUNT(*) AS n FROM r GROUP BY ill)"
UNJOINED = [
    "FROM r AS a, r AS b, r AS c, r AS d, r AS e, r AS f, r AS g",
    "FROM r CROSS JOIN r AS b",
    "FROM r JOIN r AS b ON true",
    "FROM r JOIN r AS b ON r.age < b.age",
    "FROM r JOIN r AS b ON r.ill = b.ill",
    "FROM r JOIN r AS b USING (age, ill, town)",
    "FROM r LEFT JOIN r AS b ON r.age = b.age OR r.ill = b.ill",
    "FROM r FULL JOIN r AS b ON r.age = b.age",
    "FROM r JOIN r AS b ON r.age = 40 AND b.age = 40",
    "FROM r JOIN (SELECT ill, age FROM r) AS b ON r.ill = b.ill",
    "FROM r JOIN (SELECT ill, town FROM r GROUP BY ill, town) AS b ON r.ill = b.ill",
    "FROM r JOIN (SELECT ill FROM r GROUP BY ill, town) AS b ON r.ill = b.ill",
    "FROM r JOIN (SELECT ill, COUNT(*) FROM r GROUP BY ROLLUP (ill)) AS b ON r.ill = b.ill",
    "FROM r JOIN (SELECT ill FROM r GROUP BY ill UNION ALL SELECT ill FROM r) AS b ON r.ill = b.ill",
    "FROM r JOIN (SELECT ill, COUNT(*) AS n FROM r GROUP BY ill) AS b ON r.age = b.n",
    "FROM r JOIN (SELECT ill FROM r GROUP BY ill) AS b ON r.ill = b.ill OR r.age > 3",
    "FROM r, (SELECT COUNT(*) OVER () AS n FROM r) AS b",
    "FROM (SELECT a.age FROM r AS a, r AS b) AS c",
    "FROM r WHERE age IN (SELECT a.age FROM r AS a, r AS b)",
    # what an outer join or ANTI has equal does not filter the tables before it
    *(
        f"FROM {BY_ILL} AS a CROSS JOIN {BY_ILL} AS b {kind} JOIN {BY_ILL} AS d"
        " ON a.ill = b.ill AND a.ill = d.ill"
        for kind in ("LEFT", "RIGHT", "FULL", "SEMI", "ANTI")
    ),
    f"FROM {BY_ILL} AS a LEFT JOIN {BY_ILL} AS b ON a.n > 3 WHERE a.ill = COALESCE(b.ill, 'x')",
    f"FROM {BY_ILL} AS a CROSS JOIN {BY_ILL} AS b RIGHT JOIN {BY_ILL} AS d ON a.ill = d.ill"
    " WHERE a.ill IS NOT DISTINCT FROM b.ill",
    # both are along a key of d, and multiply each other's rows
    f"FROM {BY_ILL} AS d JOIN r ON r.ill = d.ill JOIN r AS b ON b.ill = d.ill",
    f"FROM {BY_ILL} AS a FULL JOIN {BY_ILL} AS b ON a.n = b.ill AND b.ill = 'x'"
    " JOIN r ON r.ill IS NOT DISTINCT FROM a.ill",
    f"FROM r JOIN {BY_ILL} AS b ON r.ill || b.ill = b.ill",
    f"FROM r JOIN {BY_ILL} AS b ON r.ill = LOWER(b.ill)",
]
JOINED = [
    f"FROM r JOIN {BY_ILL} AS b ON r.ill IS NOT DISTINCT FROM b.ill",
    f"FROM {BY_ILL} AS b LEFT JOIN r ON r.ill IS NOT DISTINCT FROM b.ill",
    f"FROM r JOIN {BY_ILL} AS b ON ((LOWER(r.ill)) = b.ill)",
    f"FROM r LEFT JOIN {BY_ILL} AS b ON b.ill = r.ill || r.town AND (r.age > 3 AND b.n > 1)",
    f"FROM r, {BY_ILL} AS b, {BY_ILL} AS c WHERE r.ill = b.ill AND c.ill = b.ill",
    f"FROM {BY_ILL} AS a CROSS JOIN {BY_ILL} AS b JOIN {BY_ILL} AS d ON a.ill = b.ill"
    " AND d.ill = a.ill",
    f"FROM {BY_ILL} AS d JOIN r ON r.ill = d.ill LEFT JOIN {BY_ILL} AS b ON b.ill = d.ill",
    f"FROM {BY_ILL} AS a FULL JOIN {BY_ILL} AS b ON a.ill = b.ill JOIN {BY_ILL} AS d"
    " ON d.ill = COALESCE(a.ill, b.ill)",
    f"FROM r LEFT SEMI JOIN {BY_ILL} AS b ON r.ill = b.ill AND b.n > 2",
    f"FROM r ANTI JOIN {BY_ILL} AS b ON r.ill = b.ill",
]


@pytest.mark.parametrize(
    ("part", "aggregate"),
    list(zip(UNJOINED, itertools.cycle(["COUNT(*)", "STDDEV(1)"]), strict=False)),
)
def test_joins_that_are_not_along_a_key_are_refused(folder, part, aggregate):
    with pytest.raises(PolicyError, match="is not joined along a key"):
        anonsql.query(release(folder), f"SELECT {aggregate} {part}")


@pytest.mark.parametrize("part", JOINED)
def test_joins_along_a_key_are_answered(folder, part):
    assert anonsql.query(release(folder), f"SELECT STDDEV(1), COUNT(*) {part}").answers


def doubled(times):
    """A statement that reads a table 2 ** times often, and numbers the rows."""
    parts = [
        f"c{number + 1} AS (SELECT age FROM c{number} UNION ALL SELECT age FROM c{number})"
        for number in range(times)
    ]
    return (
        f"WITH c0 AS (SELECT age FROM r), {', '.join(parts)}, numbered AS"
        f" (SELECT age, row_number() OVER (ORDER BY age) AS n FROM c{times})"
    )


def test_an_answer_takes_no_more_time_and_memory_than_it_may(folder, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    sql = (
        f"{doubled(8)} SELECT STDDEV(a.age) FROM numbered AS a WHERE"
        " (SELECT COUNT(*) FROM numbered AS b WHERE sqrt(b.n * a.n) > 5 + b.age) > 3"
    )
    started = time.perf_counter()
    result = cli("query", release(folder), sql, "--seconds", "3")
    assert time.perf_counter() - started < 40
    ended(
        result,
        2,
        "error: stopped after 3 seconds (`--seconds`). Raise the limit, or simplify the query",
    )
    result = cli("query", release(folder), sql, "--memory-limit", "1MB")
    ended(result, 2, "out of memory. `--memory-limit` is 1MB: raise it, or free memory")
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    with pytest.raises(TimeLimitError, match="stopped after 2 seconds"):
        anonsql.query(release(folder), sql, seconds=2)
    with pytest.raises(PolicyError, match="reads tables more than 2,000 times"):
        anonsql.query(release(folder), f"{doubled(60)} SELECT STDDEV(age) FROM numbered")
    for limits in ({"seconds": 0}, {"seconds": math.inf}, {"memory_limit": "much"}):
        with pytest.raises(PolicyError, match=f"{next(iter(limits))}: found"):
            anonsql.query(release(folder), "SELECT STDDEV(age) FROM r", **limits)


HOSTILE = [
    'SELECT STDDEV(age) AS "x""; DROP TABLE r; --" FROM r',
    'SELECT STDDEV(age) AS "a\'b" FROM r AS "r""; --"',
    "SELECT STDDEV(age) AS x FROM r WHERE town <> 'x''; DROP TABLE r; --' /* ' */ -- '",
    "SELECT STDDEV(age) AS x FROM r WHERE town <> '\\'",
    'WITH "r__about" AS (SELECT age FROM r) SELECT STDDEV(age) AS x FROM "r__about"',
    "WITH table_0 AS (SELECT 1 AS age, town FROM r GROUP BY town) SELECT STDDEV(t.age) AS x FROM r AS t, table_0 AS u WHERE u.town = t.town AND u.town <> 'b'",
    "WITH x AS (SELECT age FROM r), x2 AS (SELECT * FROM x) SELECT STDDEV(x.age) AS x FROM x2 AS x",
    "SELECT STDDEV(with_0.age) AS x FROM r AS with_0",
]


@pytest.mark.parametrize("sql", HOSTILE)
def test_hostile_names_and_texts_are_names_and_texts(folder, sql):
    """They are answered as DuckDB answers them, and nothing else happens."""
    (answer,) = anonsql.query(release(folder), sql).answers
    ((estimate, error, draws),) = naive(folder, sql, [])[()]
    assert (answer.estimate, answer.draws) == (pytest.approx(estimate), draws)
    assert answer.standard_error == pytest.approx(error, abs=1e-9)
    assert rows_of(release(folder), "SELECT COUNT(*) FROM r") == [(120,)]


def test_every_table_of_an_executed_statement_is_a_completed_one():
    """Whatever the scopes: no name is left that an engine could find something else under."""
    sql = (
        "WITH a AS (SELECT DISTINCT age FROM r), b AS (WITH a AS (SELECT age FROM r WHERE age > 3 GROUP BY age) SELECT * FROM a)"
        " SELECT STDDEV(x.age) FROM a AS x, b, (SELECT a.age FROM a, r WHERE r.age = a.age) AS c"
        " WHERE x.age IN (SELECT age FROM b) AND x.age = b.age AND c.age = x.age"
    )
    read = statements.read(sql)
    tables = [statements.CompletedTable(("d", "s", "r__completed"), ["age"])]
    tree = statements.qualified(read, tables)
    text = statements.of_draw(tree, tables, 2)
    names = {table.sql() for table in duckdb_tables(text)}
    assert {name for name in names if not name.startswith('"with_')} == {'"d"."s"."r__completed"'}
    assert text.count('"draw" = 2') == 3
    with pytest.raises(UnsupportedError, match="differ only in case"):
        statements.qualified(read, [statements.CompletedTable(("r",), ["age", "Age"])])


def duckdb_tables(text):
    import sqlglot
    from sqlglot import exp

    found = list(sqlglot.parse_one(text, read="duckdb").find_all(exp.Table))
    for table in found:
        table.set("alias", None)
    return found


def test_rows_are_of_the_first_draw(folder):
    report = anonsql.query(
        release(folder), 'SELECT age, "Sick Days", town FROM r WHERE age > 30 ORDER BY age, town'
    )
    assert len(report.rows) == 20 and report.answers == [] and report.draws == 1
    wanted = rows_of(
        release(folder),
        'SELECT age, "Sick Days", town FROM r__completed WHERE age > 30 AND draw = 1 ORDER BY age, town LIMIT 20',
    )
    got = [(row["age"], row["town"]) for row in report.rows]
    assert got == [(row[0], row[2]) for row in wanted] and "are drawn" in report.notes[0]
    every = anonsql.query(release(folder), "SELECT * FROM r LIMIT 3")
    assert len(every.rows) == 3 and list(every.rows[0]) == KEPT


def test_groups_without_numbers_tell_in_how_many_draws_they_are(folder):
    report = anonsql.query(release(folder), "SELECT DISTINCT age + 1 AS a FROM r ORDER BY a")
    found = {answer.group["a"]: answer.estimate for answer in report.answers}
    wanted = rows_of(
        release(folder), "SELECT age + 1, COUNT(DISTINCT draw) FROM r__completed GROUP BY 1"
    )
    assert found == dict(wanted) and list(found) == sorted(found)
    assert "occur only in some of the draws" in " ".join(report.notes)


def test_order_by_what_is_not_selected(folder):
    sql = "SELECT town, STDDEV(age) AS s FROM r GROUP BY town ORDER BY AVG(age * 1.0) DESC"
    report = anonsql.query(release(folder), sql)
    means = naive(folder, "SELECT town, AVG(age * 1.0) FROM r GROUP BY town", [0])
    order = sorted(means, key=lambda key: -means[key][0][0])
    assert [answer.group["town"] for answer in report.answers] == [key[0] for key in order]


def test_one_draw_is_not_taken_for_an_error(tmp_path):
    rnd = random.Random(2)
    make_source(tmp_path, TYPES, rows := people(rnd, 30))
    policy = Policy.parse(policy_data(COLUMNS, k=3, method={"type": "mondrian"}), tmp_path)
    anonsql.run(policy)
    made = anonsql.query(policy, "SELECT STDDEV(age) FROM r")
    assert made.draws == 5 and made.answers[0].standard_error > 0
    assert made.answers == anonsql.query(policy, "SELECT STDDEV(age) FROM r").answers
    with pytest.raises(PolicyError, match="Did you mean 'age'"):
        anonsql.query(policy, "SELECT STDDEV(agee) FROM r")
    with_draws(tmp_path / "release.duckdb", completed(rnd, rows, 1))
    report = anonsql.query(policy, "SELECT STDDEV(age) FROM r")
    assert report.draws == 5, "one draw cannot tell how much is chance"


def test_figures_about_columns_whose_labels_say_too_little_are_marked(tmp_path):
    make_source(
        tmp_path, {"age": "INTEGER", "town": "VARCHAR"}, [(n, "ab"[n % 2]) for n in range(60)]
    )
    wide = {"type": "interval", "widths": [30]}
    data = policy_data({"age": wide, "town": "insensitive"}, k=20)
    anonsql.run(policy := Policy.parse(data, tmp_path))
    notes = anonsql.query(policy, "SELECT MEDIAN(age) FROM r").notes
    assert any(note.startswith("Figures about age may be far off") for note in notes)
    town = anonsql.query(policy, "SELECT town, MODE(town) FROM r GROUP BY town").notes
    assert not any("far off" in note for note in town)


def test_on_a_terminal_and_as_json(folder):
    path = release(folder)
    shown = cli("query", path, "SELECT ill, STDDEV(age) FROM r GROUP BY ill HAVING COUNT(*) > 3")
    assert shown.exit_code == 0 and "spread of draws" in shown.output and "4 of 4" in shown.output
    rows = cli("query", path, "SELECT age, town FROM r LIMIT 2")
    assert "are drawn" in flat(rows.output) and "town" in rows.output
    having = cli("query", path, "SELECT ill, COUNT(*) FROM r GROUP BY ill HAVING COUNT(*) > 3")
    assert "HAVING is" in having.output and "certain" in having.output
    document = json.loads(cli("query", path, "SELECT STDDEV(age) FROM r", "--json").output)
    (answer,) = document["answers"]
    assert answer["bounds"] == "estimated" and answer["standard_error"] >= 0
    assert document["draws"] == 4 and document["rows"] is None


ON_ENGINES = [
    ("SELECT town, AVG(income * weight) AS m, COUNT(*) AS n FROM r GROUP BY town", [0]),
    (
        "WITH c AS (SELECT ill, COUNT(*) AS n FROM r GROUP BY ill) SELECT ill, n * 1.0 / SUM(n) OVER () AS s FROM c",
        [0],
    ),
    (
        "SELECT CASE WHEN age < 50 THEN 'young' ELSE 'old' END AS b, SUM(age) / COUNT(*) AS a FROM r GROUP BY b",
        [0],
    ),
    (
        "SELECT year(born) AS y, MAX(age * 2) AS m FROM r GROUP BY year(born) HAVING COUNT(*) > 2",
        [0],
    ),
]


@pytest.mark.parametrize("name", ["sqlite", "postgres"])
def test_on_other_engines(tmp_path, name):
    rnd = random.Random(5)
    engine = {**ENGINES, **DATABASES}[name](tmp_path)
    rows = people(rnd, 30)
    engine.make(TYPES, rows)
    policy = policy_on(engine, policy_data(COLUMNS, k=3, method={"type": "mondrian"}))
    anonsql.run(policy)
    drawn = completed(rnd, rows, 2)
    put_draws(engine, drawn)
    apart = tmp_path / "apart"
    apart.mkdir()
    with duckdb.connect(release(apart)) as connection:
        connection.execute("CREATE TABLE r__about (property VARCHAR, value VARCHAR)")
    with_draws(release(apart), drawn)
    for sql, keys in ON_ENGINES:
        expected = naive(apart, sql, keys, (1, 2))
        report = anonsql.query(policy, sql)
        found = {}
        for answer in report.answers:
            key = tuple(answer.group.values())
            found.setdefault(key, []).append((answer.estimate, answer.standard_error, answer.draws))
        assert found.keys() == expected.keys(), sql
        for key, own in found.items():
            for one, true in zip(own, expected[key], strict=True):
                assert one == (pytest.approx(true[0]), pytest.approx(true[1], abs=1e-6), true[2]), (
                    sql
                )
    try:
        anonsql.query(policy, "SELECT REGR_SLOPE(age, income) FROM r")
    except PolicyError as error:
        assert f"{name}, where the release is stored, does not answer it" in str(error)
    if name == "postgres":
        engine.close()


def put_draws(engine, drawn):
    """Put the completed table beside a release on another engine, and list it."""
    columns = {"draw": "INTEGER", **{name: TYPES[name] for name in KEPT}}
    listed = "INSERT INTO {}r__about VALUES ('extra_tables', '__completed')"
    if engine.name == "sqlite":
        import sqlite3

        connection = sqlite3.connect(engine.folder / "release.sqlite")
        names = ", ".join(f"{quote(name)} {kind}" for name, kind in columns.items())
        connection.execute(f"CREATE TABLE r__completed ({names})")
        marks = ", ".join("?" for _ in columns)
        texts = [[str(c) if isinstance(c, dt.date) else c for c in row] for row in drawn]
        connection.executemany(f"INSERT INTO r__completed VALUES ({marks})", texts)
        connection.execute("DELETE FROM r__about WHERE property = 'extra_tables'")
        connection.execute(listed.format(""))
        connection.commit()
        connection.close()
        return
    source, engine.source = engine.source, engine.release
    engine.make(columns, drawn, "r__completed")
    engine.source = source
    schema = f"{engine.release}."
    engine.connection.execute(f"DELETE FROM {schema}r__about WHERE property = 'extra_tables'")
    engine.connection.execute(listed.format(schema))


def test_estimates_within_bounds_come_from_draws_whatever_having_asks(tmp_path):
    rnd = random.Random(4)
    make_source(tmp_path, TYPES, rows := people(rnd, 60))
    policy = Policy.parse(
        policy_data(COLUMNS, k=3, method={"type": "cell-generalization"}), tmp_path
    )
    anonsql.run(policy)
    place = tmp_path / "release.duckdb"
    (line,) = anonsql.query(place, "SELECT COUNT(*) FROM r WHERE age BETWEEN 30 AND 44").answers
    true = sum(30 <= row[0] <= 44 for row in rows if row[0] is not None)
    assert line.lower <= true <= line.upper and line.lower <= line.estimate <= line.upper
    assert line.draws == 5
    within = "SELECT COUNT(*) FROM r WHERE age BETWEEN 30 AND 44"
    (perhaps,) = anonsql.query(place, f"{within} HAVING COUNT(*) > {line.upper - 1}").answers
    assert (perhaps.having, perhaps.upper) == ("possible", line.upper)
    assert perhaps.estimate == line.estimate


def test_groups_of_labels_without_a_number_of_values_are_estimated(tmp_path):
    """Ages below 40 stand for an unknown number of values: each group's estimate is its mean over
    the published draws, in the order of these; bounds stay as they are."""
    rnd = random.Random(5)
    make_source(tmp_path, TYPES, people(rnd, 90))
    breaks = {"age": {"type": "breaks", "at": [40, 60]}, "ill": "insensitive"}
    kept = dict.fromkeys(("town", "born"), "insensitive")
    levels = {"type": "full-domain", "levels": {"age": 1}}
    data = policy_data({**COLUMNS, **breaks, **kept}, k=3, method=levels)
    data["release"]["completed"] = DRAWS
    anonsql.run(Policy.parse(data, tmp_path))
    sql = "SELECT ill, AVG(age) AS a FROM r GROUP BY ill"
    report = anonsql.query(release(tmp_path), f"{sql} ORDER BY a DESC LIMIT 2")
    wanted = {key[0]: values[0] for key, values in naive(tmp_path, sql, [0]).items()}
    assert [answer.group["ill"] for answer in report.answers] == sorted(
        wanted, key=lambda ill: -wanted[ill][0]
    )[:2]
    for answer in report.answers:
        mean, error, draws = wanted[answer.group["ill"]]
        assert answer.estimate == pytest.approx(mean) and answer.draws == draws
        assert answer.standard_error == pytest.approx(error, abs=1e-9)
        assert answer.bounds == "guaranteed" and answer.lower is None
    bounded = anonsql.query(release(tmp_path), sql, bounded=True)
    assert {answer.estimate for answer in bounded.answers} == {None}


@pytest.mark.parametrize("draws", [1, 3])
@pytest.mark.parametrize("method", ["cell-generalization", "mondrian"])
def test_estimates_are_the_answers_of_the_completed_table(tmp_path, method, draws):
    """Random counts and means: each estimate is what SQL finds in the completed table, between
    bounds that hold for the source."""
    chance = random.Random(3)
    source = [
        (chance.randrange(18, 90), chance.choice("abcdef"), chance.choice("xyz"))
        for _ in range(400)
    ]
    policy = policy_over(
        tmp_path,
        {"age": "INTEGER", "town": "VARCHAR", "ill": "VARCHAR"},
        source,
        {
            "age": {"type": "interval", "widths": [5, 20]},
            "town": {"type": "suppression"},
            "ill": "sensitive",
        },
        k=5,
        method={"type": method},
    )
    release = policy.release.model_copy(update={"completed": draws})
    anonsql.run(policy := policy.model_copy(update={"release": release}))
    with duckdb.connect(str(tmp_path / "release.duckdb"), read_only=True) as connection:
        for _ in range(15):
            low, towns = chance.randrange(18, 80), chance.sample("abcdef", 2)
            where = f"age BETWEEN {low} AND {low + 15} AND town IN ('{towns[0]}', '{towns[1]}')"
            answer = anonsql.query(policy, f'SELECT COUNT(*), AVG("AGE") FROM r WHERE {where}')
            count, mean = answer.answers
            drawn = f"SELECT COUNT(*), AVG(age) FROM r__completed WHERE draw = ? AND {where}"
            own = [connection.execute(drawn, [n + 1]).fetchone() for n in range(draws)]
            true = sum(low <= age <= low + 15 and town in towns for age, town, _ in source)
            assert count.lower <= true <= count.upper
            if count.lower < count.upper:
                assert math.isclose(count.estimate, sum(n for n, _ in own) / draws)
            if mean.lower != mean.upper and all(n for n, _ in own):
                assert math.isclose(mean.estimate, sum(m for _, m in own) / draws, rel_tol=1e-6)


def test_estimates_know_numbers_without_bounds_and_names_in_quotes(tmp_path):
    """Ages that may be any number have no bounds, and the estimate of the completed table; a column
    in quotes is the same column."""
    source = [(20 + n, "ab"[n % 2]) for n in range(60)]
    columns = {"age": {"type": "suppression"}, "ill": "sensitive"}
    policy = policy_over(
        tmp_path,
        {"age": "INTEGER", "ill": "VARCHAR"},
        [*source, *((30, "a") for _ in range(10))],
        columns,
        k=5,
        method={"type": "cell-generalization"},
    )
    release = policy.release.model_copy(update={"completed": 1})
    anonsql.run(policy := policy.model_copy(update={"release": release}))
    plain = anonsql.query(policy, "SELECT COUNT(age), AVG(age), MAX(age) FROM r").answers
    quoted = anonsql.query(policy, 'SELECT COUNT("age"), AVG("Age"), MAX("age") FROM r').answers
    with duckdb.connect(str(tmp_path / "release.duckdb"), read_only=True) as connection:
        own = connection.execute("SELECT COUNT(age), AVG(age), MAX(age) FROM r__completed")
        drawn = own.fetchone()
    for one, other, true in zip(plain, quoted, drawn, strict=True):
        assert one.estimate == other.estimate
        assert math.isclose(one.estimate, true, rel_tol=1e-6) or one.lower == one.upper


@pytest.fixture(scope="module")
def with_one_draw(tmp_path_factory):
    """The folder of a release at given levels with a completed table of one draw: town and age are
    labels; numbers, dates and texts are kept."""
    rnd, folder = random.Random(2), tmp_path_factory.mktemp("one_draw")
    types = {"age": "INTEGER", "town": "VARCHAR", "sex": "VARCHAR", "pay": "DOUBLE"}
    types |= {"fee": "DECIMAL(8, 2)", "born": "DATE", "seen": "TIMESTAMPTZ", "ill": "BOOLEAN"}
    rows = [
        (
            rnd.randrange(18, 90),
            rnd.choice(TOWNS["north"] + TOWNS["south"]),
            rnd.choice(["f", "m", None]),
            rnd.choice([1.0, 2.5, 0.1]),
            rnd.choice([Decimal("1.50"), Decimal("2.00")]),
            dt.date(2020, 1, rnd.randrange(1, 4)),
            dt.datetime(2020, 1, rnd.randrange(1, 4), tzinfo=dt.UTC),
            rnd.random() < 0.5,
        )
        for _ in range(400)
    ]
    columns = dict.fromkeys(types, "insensitive")
    columns |= {
        "age": {"type": "interval", "widths": [10, 40]},
        "town": {"type": "taxonomy", "tree": TOWNS},
    }
    levels = {"type": "full-domain", "levels": {"age": 1, "town": 1}}
    more = {"method": levels, "release": {"completed": 1}, "privacy": {"kept": {"max_unique": 1.0}}}
    anonsql.run(policy_over(folder, types, rows, columns, k=5, **more))
    return folder


def completed_answers(folder, sql):
    """What DuckDB answers over the completed table of one draw."""
    with duckdb.connect(str(folder / "release.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(sql.replace("FROM r ", "FROM r__completed ")).fetchall()


def test_groups_that_are_labels_keep_their_estimate(with_one_draw):
    """No draw has a group by the name of a label; its estimate is what rows are expected to be
    below 35, each age of a label equally likely, and the answer does not say otherwise."""
    sql = "SELECT town, COUNT(*), AVG(age) FROM r WHERE age < 35 GROUP BY town"
    report = anonsql.query(release(with_one_draw), sql)
    place = with_one_draw / "release.duckdb"
    labels = "SELECT town, age_lo, COUNT(*) FROM r GROUP BY town, age_lo"
    expected = dict.fromkeys(TOWNS, 0.0)
    for town, low, count in rows_of(place, labels):
        expected[town] += count * min(max(35 - low, 0), 10) / 10
    counts = [line for line in report.answers if line.aggregate == "COUNT(*)"]
    assert {line.group["town"]: line.estimate for line in counts} == pytest.approx(expected)
    assert all(line.lower < line.estimate < line.upper for line in report.answers)
    (note,) = [note for note in report.notes if "completed table" in note]
    assert note.startswith("Groups of town are labels")


@pytest.mark.parametrize("by", ["sex", "pay", "fee", "born", "seen", "ill"])
def test_groups_that_are_values_have_the_completed_tables_answers(with_one_draw, by):
    """However a value is written, and wherever the SELECT names it; HAVING asks of bounds alone."""
    where = "FROM r WHERE age < 35 AND born IS NOT NULL"
    wanted = sorted(
        n for _, n in completed_answers(with_one_draw, f"SELECT {by}, COUNT(*) {where} GROUP BY 1")
    )
    for sql in (
        f"SELECT {by}, COUNT(*) {where} GROUP BY {by}",
        f'SELECT COUNT(*) {where} GROUP BY "{by.upper()}"',
        f"SELECT COUNT(*) AS n, {by} AS value {where} GROUP BY 2 HAVING n < {wanted[-1] + 1}",
    ):
        report = anonsql.query(release(with_one_draw), sql)
        assert sorted(line.estimate for line in report.answers) == wanted, sql
        assert "Estimates are the completed table's answers." in report.notes
    both = anonsql.query(
        release(with_one_draw), f"SELECT {by}, town, COUNT(*) {where} GROUP BY {by}, town"
    )
    assert not any(note.startswith("Estimates are the completed") for note in both.notes)


def test_columns_are_selected_in_any_order(with_one_draw):
    where = "FROM r WHERE age < 35 GROUP BY pay, born"
    wanted = completed_answers(with_one_draw, f"SELECT born, pay, COUNT(*) {where}")
    report = anonsql.query(release(with_one_draw), f"SELECT born, pay, COUNT(*) {where}")
    assert {
        (line.group["born"], float(line.group["pay"])): line.estimate for line in report.answers
    } == {(str(born), pay): count for born, pay, count in wanted}


def test_a_group_that_no_draw_has_is_empty_and_one_that_must_have_rows_is_not(tmp_path):
    """A possible group without a drawn row counts 0, as in SQL on the completed table. A draw that
    lacks a group that surely has rows is no answer to it, and the note says so."""
    rows = [(20 + n % 20, "ab"[n % 3 % 2]) for n in range(90)]
    columns = {"age": {"type": "interval", "widths": [10]}, "ill": "insensitive"}
    types = {"age": "INTEGER", "ill": "VARCHAR"}
    levels = {"type": "full-domain", "levels": {"age": 1}}
    more = {"method": levels, "release": {"completed": 1}}
    anonsql.run(policy_over(tmp_path, types, rows, columns, k=5, **more))
    place = tmp_path / "release.duckdb"
    before = anonsql.query(place, "SELECT ill, COUNT(*) FROM r WHERE age < 25 GROUP BY ill")
    assert all(line.estimate > 0 for line in before.answers)
    edit(place, "DELETE FROM r__completed WHERE ill = 'a'")
    for where, empty, note in (
        ("age < 25", True, "answers."),
        ("age < 35", False, "answers. Groups that it does not have are estimated from the labels."),
    ):
        report = anonsql.query(place, f"SELECT ill, COUNT(*) FROM r WHERE {where} GROUP BY ill")
        estimates = {line.group["ill"]: line.estimate for line in report.answers}
        assert (estimates["a"] == 0) is empty and estimates["b"] > 0
        assert f"Estimates are the completed table's {note}" in report.notes
