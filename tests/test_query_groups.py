"""Groups and conditions, by what DuckDB itself answers over the source."""

import random
from datetime import date
from fractions import Fraction

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.policy.policy import Policy

from .support import (
    make_source,
    opened,
    policy_data,
    policy_over,
    released_rows,
    rows_of,
)
from .test_query import METHODS, asked, holds, policy_of, random_rows

BY = ["n", "town", "ill", "paid", "pay", "town, ill", "n, paid", "born"]
SELECTED = ["COUNT(*)", "SUM(n)", "MIN(pay)", "COUNT(ill)", "AVG(n)"]


def groups_of(policy, sql):
    """What DuckDB answers over the rows of the source that were released, by group."""
    folder = policy.path(".")
    kept = ", ".join(str(number) for (number,) in released_rows(folder, "SELECT id FROM r"))
    with opened(folder / "source.duckdb", read_only=True) as source:
        return source.execute(f"WITH r AS (SELECT * FROM t WHERE id IN ({kept})) {sql}").fetchall()


def covers(shown, value, column, policy):
    """Whether a group that is shown as a value, or as a label of one level, is that of a value."""
    if shown is None or value is None:
        return shown is value
    if column == "town" and shown in ("north", "south"):
        return value in {"north": "abc", "south": "de"}[shown]
    if shown == "*":
        return True
    if column == "born" and isinstance(value, date) and len(str(shown)) < 10:
        return str(value).startswith(str(shown))
    if column == "n" and isinstance(shown, str):
        low, *high = (int(word) for word in shown.strip("[)").split(","))
        return low <= value < (high or [low + 1])[0]
    return str(shown) == str(value) if isinstance(shown, str) else shown == value


@pytest.mark.parametrize("number", [0, 1, 3, 4, 5, 8, 10, 13])
def test_groups_hold_of_the_source(tmp_path, number):
    """Every group of the source is answered, within bounds; where a group is of several values,
    their rows together."""
    rnd, method = random.Random(number), METHODS[number]
    rows = random_rows(rnd, 31 if number % 2 else 30)
    policy = policy_of(tmp_path, rows, method)
    anonsql.run(policy)
    for by in rnd.sample(BY, 4):
        names = by.split(", ")
        selected = f"COUNT(*), {rnd.choice(SELECTED)}"
        where = rnd.choice(["n > 2 OR n IS NULL", "ill <> 'x'", "town <> 'a'", "id >= 0"])
        sql = f"SELECT {by}, {selected} FROM r WHERE {where} GROUP BY {by}"
        try:
            (answers,) = asked(policy, [sql])
        except PolicyError as error:
            assert "does not list the values" in str(error) or "more than" in str(error), sql
            continue
        answered = {}
        for answer in answers:
            answered.setdefault(tuple(answer.group.values()), []).append(answer)
        found = groups_of(policy, sql)
        for shown, (count, other) in answered.items():
            own = [
                row
                for row in found
                if all(
                    covers(one, value, name, policy)
                    for one, value, name in zip(shown, row, names, strict=False)
                )
            ]
            assert count.lower <= sum(row[len(names)] for row in own) <= count.upper, (sql, shown)
            if len(own) == 1:
                assert holds(other, own[0][-1]), (sql, shown, other, own)
        for row in found:
            assert any(
                all(
                    covers(one, value, name, policy)
                    for one, value, name in zip(shown, row, names, strict=False)
                )
                for shown in answered
            ), (sql, row)


ORDERS = [
    "SELECT ill, COUNT(*) AS n FROM r GROUP BY ill ORDER BY n DESC, ill",
    "SELECT ill, COUNT(*) FROM r GROUP BY ill ORDER BY COUNT(*), 1 DESC LIMIT 2",
    "SELECT ill, COUNT(*) FROM r GROUP BY 1 ORDER BY 1 DESC NULLS FIRST",
    "SELECT ill, COUNT(*) FROM r GROUP BY 1 ORDER BY ill NULLS FIRST LIMIT 2 OFFSET 1",
    "SELECT ill, nights, SUM(nights) s FROM r GROUP BY 1, 2 ORDER BY 2 DESC, ill",
    "SELECT ill AS what, nights, AVG(nights) FROM r GROUP BY what, 2 ORDER BY avg(NIGHTS), what, 2",
    "SELECT nights, MAX(nights) FROM r GROUP BY nights ORDER BY max(nights) DESC LIMIT 3 OFFSET 2",
    "SELECT nights, COUNT(ill) FROM r GROUP BY nights ORDER BY 2 DESC, nights LIMIT 0",
    "SELECT COUNT(*) FROM r ORDER BY 1 LIMIT 5",
    "SELECT COUNT(*) FROM r LIMIT 1 OFFSET 1",
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A release in which what is asked is kept, so that DuckDB's own answers are exact."""
    folder = tmp_path_factory.mktemp("kept")
    rnd = random.Random(5)
    rows = [
        (rnd.randrange(40), rnd.choice(["x", "y", "Z", "é", None]), rnd.randrange(6))
        for _ in range(90)
    ]
    policy = policy_over(
        folder,
        {"age": "INTEGER", "ill": "VARCHAR", "nights": "INTEGER"},
        rows,
        {"age": {"type": "suppression"}, "ill": "sensitive", "nights": "insensitive"},
        k=20,
        limit=0,
        release={"table": "r"},
    )
    anonsql.run(policy)
    return policy


@pytest.mark.parametrize("sql", ORDERS)
def test_groups_come_in_the_order_that_is_asked_for(kept, sql):
    report = anonsql.query(kept, sql)
    answered = [(*(line.group or {}).values(), line.estimate) for line in report.answers]
    assert answered == rows_of(kept.path("release.duckdb"), sql)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "SELECT ill, COUNT(*) FROM r GROUP BY ill ORDER BY nights",
            "ORDER BY nights is not among",
        ),
        (
            "SELECT ill, COUNT(*) FROM r GROUP BY ill ORDER BY SUM(nights)",
            "is not among the selected",
        ),
        ("SELECT ill, COUNT(*) FROM r GROUP BY ill ORDER BY 3", "ORDER BY 3 is not the number"),
        ("SELECT ill, COUNT(*) FROM r GROUP BY ill LIMIT 1 + 1", "LIMIT needs a whole number"),
        ("SELECT ill, COUNT(*) FROM r GROUP BY ill LIMIT 10%", "LIMIT needs a whole number"),
        ("SELECT ill, COUNT(*) FROM r GROUP BY ill OFFSET -1", "OFFSET needs a whole number"),
    ],
)
def test_an_order_that_cannot_be_had_is_refused(kept, sql, message):
    with pytest.raises(PolicyError, match=message):
        anonsql.query(kept, sql, bounded=True)


def test_an_order_by_estimates_is_told(kept):
    sure = anonsql.query(kept, "SELECT ill, COUNT(*) FROM r GROUP BY ill ORDER BY 2 LIMIT 1")
    assert sure.notes[-1] == "Shown are 1 of 5 groups."
    assert not any("order of the estimates" in note for note in sure.notes)
    asked_of = "SELECT ill, COUNT(*) FROM r WHERE age > 5 GROUP BY ill ORDER BY 2 DESC"
    unsure = anonsql.query(kept, asked_of)
    assert any("order of the estimates" in note for note in unsure.notes)


WHERE = [
    *(
        "paid",
        "NOT paid",
        "paid IS TRUE",
        "paid IS NOT TRUE",
        "paid IS FALSE",
        "paid IS NOT FALSE",
        "(paid)",
    ),
    *(
        "NOT (paid IS TRUE)",
        "(n > 3 AND paid) IS TRUE",
        "NOT ((n > 3 OR paid) IS TRUE)",
        "(n > 3 AND paid) IS NOT TRUE",
    ),
    *(
        "((n > 3 OR paid) IS FALSE) IS NOT TRUE",
        "paid AND n > 3",
        "paid OR NOT paid",
        "paid IS TRUE OR n IS NULL",
    ),
    *(
        "ill LIKE 'x%'",
        "ill NOT LIKE 'x%'",
        "ill LIKE 'x'",
        "ill LIKE '%'",
        "ill LIKE ''",
        "code LIKE '1%'",
        "code LIKE '12%'",
    ),
]


@pytest.mark.parametrize("number", [0, 1, 5, 10, 13])
def test_conditions_hold_of_the_source(tmp_path, number):
    rnd = random.Random(number)
    rows = [(*row[:5], rnd.choice("xXy"), *row[6:]) for row in random_rows(rnd, 30)]
    policy = policy_of(tmp_path, rows, METHODS[number])
    anonsql.run(policy)
    queries = [f"SELECT COUNT(*), COUNT(1), SUM(id) FROM r WHERE {item}" for item in WHERE]
    for where, lines, sql in zip(WHERE, asked(policy, queries), queries, strict=True):
        (truth,) = groups_of(policy, sql)
        assert all(holds(line, true) for line, true in zip(lines, truth, strict=True)), where
        assert lines[0].lower == lines[1].lower and lines[1].aggregate == "COUNT(1)"
        if "born" not in where and "code" not in where and "n " not in where and number != 13:
            exact = "town" not in where
            assert not exact or lines[0].lower == lines[0].upper == truth[0], where


def test_sums_are_exact(tmp_path):
    """Whole numbers beyond double precision, decimals, and numbers that only bounds can tell."""
    great = [17117458374868404, 2**62, -(2**61) - 1, 3, None, 10**17 + 1]
    rows = [
        (number % 2, value, 10**30 + number, f"0.{number}1", number / 10, number / 4)
        for number, value in enumerate(great)
    ]
    types = {
        "q": "INTEGER",
        "n": "BIGINT",
        "h": "HUGEINT",
        "d": "DECIMAL(18,2)",
        "f": "DOUBLE",
        "e": "DOUBLE",
    }
    columns = {"q": {"type": "suppression"}, **dict.fromkeys(list(types)[1:], "insensitive")}
    anonsql.run(policy := policy_over(tmp_path, types, rows, columns, k=3))
    sql = "SELECT SUM(n), SUM(h), SUM(d), SUM(e), SUM(f), MAX(h), MAX(n), AVG(n) FROM r WHERE q < 2"
    found = anonsql.query(policy, sql).answers
    whole = sum(entry for entry in great if entry is not None)
    huge = sum(10**30 + number for number in range(6))
    for item, true in zip(found[:4], (whole, huge, 1.56, 3.75), strict=True):
        assert (item.lower, item.upper, item.estimate) == (true, true, true), item
    assert found[4].lower < 1.5 < found[4].upper and found[4].upper - found[4].lower < 1e-10
    assert (found[5].lower, found[6].upper) == (10**30 + 5, 2**62)
    assert found[7].lower <= Fraction(whole, 5) <= found[7].upper
    assert f'"lower": {whole}' in anonsql.query(policy, sql).model_dump_json(indent=2)


def test_a_star_leaves_bounds_where_the_values_are_known(tmp_path):
    rows = [({5: 9, 6: 8}.get(n, n % 8), "ab"[n % 2]) for n in range(64)]
    make_source(tmp_path, {"n": "INTEGER", "a": "VARCHAR"}, rows)
    (tmp_path / "n.csv").write_text("\n".join(f"{n};*" for n in range(10)))
    columns = {"n": {"type": "file", "path": "n.csv"}, "a": {"type": "suppression"}}
    data = policy_data(columns, k=2, limit=0.5, release={"suppressed": "mask"})
    anonsql.run(policy := Policy.parse(data, tmp_path))
    assert released_rows(tmp_path, "SELECT COUNT(*) FROM r WHERE n = '*'")[0][0] > 0
    truth = sum(n for n, _ in rows)
    for release in (policy, tmp_path / "release.duckdb"):
        (total,) = anonsql.query(release, "SELECT SUM(n) FROM r").answers
        assert total.lower <= truth <= total.upper and total.upper - total.lower <= 9 * 64


def test_a_sum_of_relocated_values_decides_no_having(tmp_path):
    """Values need not be true of their rows, so that no group of a sum is lost or certain."""
    rnd = random.Random(1)
    rows = [(rnd.choice([0, 0, 0, 1, 1, 5, 9]), rnd.choice("aaabbbc"), n) for n in range(30)]
    make_source(tmp_path, {"n": "INTEGER", "s": "VARCHAR", "id": "INTEGER"}, rows)
    columns = {
        "n": {"type": "interval", "widths": [4, 12]},
        "s": {"type": "suppression"},
        "id": "insensitive",
    }
    method = {"type": "hybrid", "p": 0.2}
    report = anonsql.run(Policy.parse(policy_data(columns, k=2, method=method), tmp_path))
    assert report.relocated.rows
    sql = "SELECT s, SUM(n) FROM r GROUP BY s"
    release = tmp_path / "release.duckdb"
    groups = [line.group for line in anonsql.query(release, sql).answers]
    for least in (0, 10, 48, 1000):
        asked_for = anonsql.query(release, f"{sql} HAVING SUM(n) > {least}").answers
        assert [line.group for line in asked_for] == groups
        assert {line.having for line in asked_for} == {"possible"}
