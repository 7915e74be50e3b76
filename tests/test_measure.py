"""What a release still tells, against row-by-row sums in Python over what its labels say in
words."""

import csv
import datetime as dt
import json
import random
import re

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError
from anonsql.measures.workload import QueryDomain, WorkloadSettings, at_random, quantile
from anonsql.policy.policy import Policy

from .support import cli, flat, in_file, make_source, policy_data, policy_in, rows_of, tree_file

TOWNS = {"north": ["a, b", 'c"d', "e"], "south": ["f", "{g}"]}
TYPES = {"n": "INTEGER", "town": "VARCHAR", "ill": "VARCHAR"}
METHODS = [
    {"type": "full-domain"},
    {"type": "mondrian"},
    {"type": "mondrian", "mode": "relaxed"},
    {"type": "ordered-partition"},
    {"type": "cell-generalization"},
    {"type": "hilbert"},
    {"type": "hilbert", "representation": "range"},
    {"type": "ring"},
    {"type": "homogeneous", "representation": "ancestor"},
]
NAMES = [town for towns in TOWNS.values() for town in towns]


def policy_of(folder, rows, method, k=3, limit=0.3, suppressed="remove"):
    make_source(folder, TYPES, rows)
    tree = tree_file(
        folder / "h" / "town.csv",
        [[town, region, "*"] for region, towns in TOWNS.items() for town in towns],
    )
    columns = {"n": {"type": "interval", "widths": [2, 4]}, "town": tree, "ill": "sensitive"}
    return policy_in(
        folder, columns, k=k, limit=limit, method=method, release={"suppressed": suppressed}
    )


def covered(label, values, order):
    """The values of the source that a label stands for, by what it says."""
    if label == "*":
        return set(values)
    if label is None:
        return {None}
    if label in TOWNS:
        return {value for value in TOWNS[label] if value in values}
    if match := re.fullmatch(r"\[(-?\d+),(-?\d+)([)\]])", label):
        low, high = int(match[1]), int(match[2])
        return {
            value
            for value in values
            if value is not None
            and low <= value
            and (value <= high if match[3] == "]" else value < high)
        }
    if " … " in label:
        first, last = (order.index(end) for end in label.split(" … "))
        return {
            value for value in values if value is not None and first <= order.index(value) <= last
        }
    if label.startswith("{") and label not in order:
        (elements,) = csv.reader([label[1:-1]], skipinitialspace=True)
        return {
            None
            if element == "NULL"
            else int(element)
            if re.fullmatch(r"-?\d+", element)
            else element
            for element in elements
        }
    return {int(label) if re.fullmatch(r"-?\d+", label) else label}


@st.composite
def tables(draw):
    n = st.one_of(st.integers(0, 9), st.none()) if draw(st.booleans()) else st.integers(0, 9)
    return draw(
        st.lists(
            st.tuples(n, st.sampled_from(NAMES), st.sampled_from("xyz")), min_size=8, max_size=25
        )
    )


QUERIES = [
    ("n BETWEEN 2 AND 5", lambda n, town, ill: n is not None and 2 <= n <= 5),
    ("town IN ('a, b', 'f', '{g}')", lambda n, town, ill: town in ("a, b", "f", "{g}")),
    ("n < 4 AND town = 'e'", lambda n, town, ill: n is not None and n < 4 and town == "e"),
    (
        "n >= 1.5 AND n <= 7 AND ill = 'x'",
        lambda n, town, ill: n is not None and 1.5 <= n <= 7 and ill == "x",
    ),
    (
        "ill IN ('x', 'y') AND 3 < n AND town IN ('c\"d', 'e')",
        lambda n, town, ill: ill in "xy" and n is not None and n > 3 and town in ('c"d', "e"),
    ),
    ("ill > 'x'", lambda n, town, ill: ill > "x"),
]


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(0, len(METHODS) - 1), st.sampled_from(["remove", "mask"]))
def test_estimates_are_the_sums_over_released_rows(tmp_path_factory, rows, number, suppressed):
    folder, method = tmp_path_factory.mktemp("measure"), METHODS[number]
    policy = policy_of(folder, rows, method, suppressed=suppressed)
    try:
        report = anonsql.run(policy)
    except anonsql.AnonsqlError as error:
        assert error.exit_code == 1  # too many would have to be suppressed
        return
    (folder / "queries.sql").write_text(
        "".join(f"SELECT COUNT(*) FROM t WHERE {text};\n" for text, _ in QUERIES), encoding="utf-8"
    )
    found = anonsql.measure(policy, WorkloadSettings(file=folder / "queries.sql", sanity_bound=2))
    released = rows_of(folder / "release.duckdb", "SELECT n, town, ill FROM r")
    ages, towns = {row[0] for row in rows}, {row[1] for row in rows}
    errors = []
    for _, holds in QUERIES:
        estimate = 0.0
        for n, town, ill in released:
            pairs = [(a, b) for a in covered(n, ages, []) for b in covered(town, towns, NAMES)]
            estimate += sum(holds(a, b, ill) for a, b in pairs) / len(pairs)
        actual = sum(holds(*row) for row in rows)
        errors.append(abs(estimate - actual) / max(actual, 2))
    assert found.error.mean == pytest.approx(sum(errors) / len(errors))
    assert found.error.median == pytest.approx(
        sorted(errors)[2]
    ) and found.error.ninetieth == pytest.approx(max(errors))
    assert found.gcp == pytest.approx(report.metrics["gcp"]) and found.released == report.released
    lost = len(rows) - len(released)
    spread = max(len(ages) - 1, 1)
    assert found.penalties["n"] == pytest.approx(
        (sum((len(covered(row[0], ages, [])) - 1) / spread for row in released) + lost) / len(rows)
    )


def test_a_release_that_is_the_source_answers_exactly(tmp_path):
    rnd = random.Random(1)
    rows = [
        (n, town, rnd.choice("xyz")) for n in (1, 4, None) for town in ("e", "f") for _ in range(5)
    ]
    policy = policy_of(tmp_path, rows, {"levels": {"n": 0, "town": 0}})
    anonsql.run(policy)
    found = anonsql.measure(policy, WorkloadSettings(queries=60, selectivity=0.3))
    assert (found.gcp, found.error.mean, found.error.ninetieth) == (0, 0, 0)
    assert found.queries == 60 and found.error.empty < 60


def test_of_every_kind_of_column(tmp_path):
    types = {
        "d": "DATE",
        "m": "TIMESTAMP",
        "x": "DOUBLE",
        "flag": "BOOLEAN",
        "w": "DECIMAL(8,2)",
        "kept": "DATE",
        "note": "INTEGER[]",
    }
    day = dt.date(2020, 1, 1)
    rows = [
        (
            day + dt.timedelta(n % 4),
            dt.datetime(2020, 1, 1 + n % 3),
            n % 2 / 4,
            n % 2 == 0,
            n % 2,
            day,
            [n],
        )
        for n in range(24)
    ]
    make_source(tmp_path, types, rows)
    columns = {name: {"role": "qi"} for name in ("d", "m", "x", "flag", "w")} | {
        "kept": "insensitive",
        "note": "insensitive",
    }
    policy = Policy.parse(
        policy_data(columns, k=2, method={"type": "mondrian"}, limit=0)
        | {"columns": columns_of(columns)},
        tmp_path,
    )
    anonsql.run(policy)
    conditions = [
        "d >= DATE '2020-01-02'",
        "d = '2020-01-02'",
        "m < '2020-01-02'",
        "x > -0.25 AND x < 0.1",
        "flag = TRUE",
        "w = 1.00",
        "kept = '2020-01-01'",
    ]
    actual = duckdb.connect(str(tmp_path / "source.duckdb"), read_only=True)
    for condition in conditions:
        (tmp_path / "one.sql").write_text(f"SELECT COUNT(*) FROM t WHERE {condition}")
        (count,) = actual.execute(f"SELECT COUNT(*) FROM t WHERE {condition}").fetchone()
        assert 0 < count <= 24
        assert (
            anonsql.measure(policy, WorkloadSettings(file=tmp_path / "one.sql")).error.mean == 0
        ), condition


def columns_of(columns):
    """Columns with a hierarchy each, where they need one."""
    return {
        name: (
            {**column, "hierarchy": {"type": "suppression"}}
            if isinstance(column, dict)
            else {"role": column}
        )
        for name, column in columns.items()
    }


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The policy of a release of six rows that are alike."""
    policy = policy_of(
        tmp_path_factory.mktemp("released"), [(1, "e", "x")] * 6, {"levels": {"n": 0, "town": 0}}
    )
    anonsql.run(policy)
    return policy


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("SELECT COUNT(*) FROM t WHERE n = 1 OR n = 2", "query 2: OR is not supported"),
        ("SELECT COUNT(*) FROM t WHERE NOT n = 1", "query 2: NOT is not supported"),
        (
            "SELECT COUNT(*) FROM t WHERE towm = 'e'",
            "query 2: the release has no column 'towm'.*'town'",
        ),
        (
            "SELECT COUNT(*) FROM t WHERE n = 'three'",
            "query 2: a literal compared with 'n' must be of the type integer",
        ),
        (
            "SELECT COUNT(*) FROM t WHERE n = NULL",
            "query 2: NULL is not supported where a literal is needed",
        ),
        (
            "SELECT COUNT(*) FROM t WHERE town = n",
            "query 2: the column n is not supported where a literal is needed",
        ),
        ("SELECT COUNT(*) FROM t WHERE n IN (SELECT 1)", "query 2: "),
        ("SELECT COUNT(*) FROM t WHERE town LIKE 'e%'", "query 2: LIKE is supported only"),
        (
            "SELECT COUNT(*) FROM t WHERE n + 1 = 2",
            r"query 2: \+ is not supported where a column is needed",
        ),
        ("SELECT COUNT(*) FROM t", "query 2: there is no WHERE"),
        ("SELECT SUM(n) FROM t WHERE n = 1", r"query 2: only COUNT\(\*\)"),
        ("SELECT COUNT(*) FROM t WHERE n = 1 GROUP BY town", "query 2: GROUP BY is not supported"),
        (
            "SELECT COUNT(*) FROM t JOIN u ON t.a = u.a WHERE n = 1",
            "query 2: JOIN is not supported",
        ),
        ("DELETE FROM t", "query 2: a SELECT is needed, found DELETE"),
        ("SELECT COUNT(* FROM", "this is not an SQL"),
    ],
)
def test_queries_that_are_not_understood(released, tmp_path, statement, found):
    (tmp_path / "q.sql").write_text(f"SELECT COUNT(*) FROM t WHERE n = 1;\n{statement};\n")
    with pytest.raises(PolicyError, match=found):
        anonsql.measure(released, WorkloadSettings(file=tmp_path / "q.sql"))


def test_values_that_stand_for_nothing_are_told(tmp_path):
    policy = policy_of(
        tmp_path, [(n // 3, "e", "x") for n in range(12)], {"levels": {"n": 0, "town": 0}}
    )
    anonsql.run(policy)
    in_file(tmp_path / "source.duckdb", "DELETE FROM t WHERE n = 2")
    with pytest.raises(
        PolicyError,
        match=r"columns\.n: 1 of its 4 released values cover no value of the source",
    ):
        anonsql.measure(policy)


@pytest.mark.parametrize(
    "wrong", [{"queries": 0}, {"selectivity": 0.0}, {"predicates": 0}, {"sanity_bound": 0.5}]
)
def test_numbers_that_mean_nothing(wrong):
    with pytest.raises(PolicyError, match="this number is not meaningful here"):
        WorkloadSettings(**wrong)


def test_more_predicates_than_columns_are_all_of_them(released):
    many, all_of_them = (
        anonsql.measure(released, WorkloadSettings(predicates=number)) for number in (30, 2)
    )
    assert many.error == all_of_them.error


def test_random_queries_ask_for_the_share_they_should():
    domains = [QueryDomain("a", 100, True), QueryDomain("b", 40, False), QueryDomain("c", 2, False)]
    asked = at_random(domains, 400, 2, 0.05, seed=3)
    sizes = {domain.column: domain.size for domain in domains}
    shares = []
    for query in asked:
        assert len(query.conditions) == 2
        share = 1.0
        for name, ranges in query.conditions.items():
            places = [place for first, last in ranges.places for place in range(first, last + 1)]
            assert (
                len(set(places)) == len(places) and min(places) >= 1 and max(places) <= sizes[name]
            )
            assert name != "a" or len(ranges.places) == 1
            share *= len(places) / sizes[name]
        shares.append(share)
    assert sum(shares) / len(shares) == pytest.approx(0.05, rel=0.05)
    assert (
        asked
        == at_random(domains, 400, 2, 0.05, seed=3)
        != at_random(domains, 400, 2, 0.05, seed=4)
    )


def test_quantiles():
    assert [quantile([4.0, 1.0, 3.0, 2.0], share) for share in (0.25, 0.5, 0.9, 1)] == [
        1.0,
        2.0,
        4.0,
        4.0,
    ]
    assert quantile([7.0], 0.5) == 7.0


def test_the_command(tmp_path):
    policy = policy_of(
        tmp_path, [(n % 4, NAMES[n % 5], "x") for n in range(40)], {"type": "mondrian"}
    )
    (tmp_path / "policy.yaml").write_text(policy_text(tmp_path), encoding="utf-8")
    anonsql.run(policy)
    result = cli(
        "measure", tmp_path / "policy.yaml", "--queries", "20", "--predicates", "1", "--json"
    )
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (
        document["queries"] == 20
        and document["workload"] == "random"
        and document["error"]["mean"] >= 0
    )
    assert document["method"] == "mondrian" and document["penalties"].keys() == {"n", "town"}
    shown = cli("measure", tmp_path / "policy.yaml", "--seed", "5")
    assert (
        shown.exit_code == 0
        and "Information lost (GCP): " in flat(shown.stdout)
        and "COUNT queries" in flat(shown.stdout)
    )
    assert cli("measure", tmp_path / "policy.yaml", "--queries", "0").exit_code == 2


def policy_text(folder):
    """The policy of ``policy_of`` with mondrian, as a file."""
    columns = {
        "n": {"role": "qi", "hierarchy": {"type": "interval", "widths": [2, 4]}},
        "town": {
            "role": "qi",
            "hierarchy": {"type": "file", "path": str(folder / "h" / "town.csv")},
        },
        "ill": {"role": "sensitive"},
    }
    return json.dumps(policy_data(columns, k=3, limit=0.3, method={"type": "mondrian"}))
