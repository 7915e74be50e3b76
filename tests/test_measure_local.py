"""What a local release still tells, against row-by-row sums in Python over what its rows and
buckets say."""

import json
import math
import random
from collections import Counter, defaultdict

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.measures.workload import QueryDomain, WorkloadSettings, compared_at_random, quantile
from anonsql.policy.policy import Policy

from .support import cli, flat, make_table, policy_data, released_rows, rows_of, write_data

TOWNS = {"north": ["a", "b", "c"], "south": ["d", "e"]}
KINDS = {"one": ["x", "y"], "other": ["z"]}
LEAVES = {
    "town": {"*": set("abcde"), **{label: set(leaves) for label, leaves in TOWNS.items()}},
    "kind": {"*": set("xyz"), **{label: set(leaves) for label, leaves in KINDS.items()}},
}
TYPES = {
    "n": "INTEGER",
    "town": "VARCHAR",
    "kind": "VARCHAR",
    "pay": "INTEGER",
    "n_private": "BOOLEAN",
    "town_private": "BOOLEAN",
}
COLUMNS = {
    "n": {"role": "semi-sensitive", "flag": "n_private"},
    "town": {
        "role": "semi-sensitive",
        "flag": "town_private",
        "hierarchy": {"type": "taxonomy", "tree": TOWNS},
    },
    "kind": {"type": "taxonomy", "tree": KINDS},
    "pay": "sensitive",
}
ROWS = [(n % 9, "abcde"[n % 5], "xyz"[n % 3], 10 + n, n % 4 == 0, n % 7 == 1) for n in range(40)]
QUERIES = [
    (
        "n >= 3 AND town IN ('a', 'd') AND pay > 1",
        {"n": lambda v: v >= 3, "town": lambda v: v in "ad", "pay": lambda v: v > 1},
    ),
    ("n <> 4 AND kind = 'x'", {"n": lambda v: v != 4, "kind": lambda v: v == "x"}),
    ("town = 'b'", {"town": lambda v: v == "b"}),
    (
        "kind IN ('y', 'z') AND n < 6 AND town <> 'e'",
        {"kind": lambda v: v in "yz", "n": lambda v: v < 6, "town": lambda v: v != "e"},
    ),
    ("n <= 2", {"n": lambda v: v <= 2}),
    ("n > 77", {"n": lambda v: v > 77}),
]


def data_of(k=2, columns=COLUMNS, **method):
    data = policy_data(columns, k=k, limit=0.0, method={"type": "local", **method})
    return data | {
        "privacy": data["privacy"] | {"l_diversity": dict.fromkeys(("n", "town", "pay"), 2)}
    }


def made(folder, rows, **more):
    make_table(folder / "source.duckdb", TYPES, rows)
    (folder / "queries.sql").write_text(
        "".join(f"SELECT COUNT(*) FROM t WHERE {text};\n" for text, _ in QUERIES), encoding="utf-8"
    )
    return Policy.parse(data_of(**more), folder)


def released_by(folder):
    """The released rows as {column: values that a cell stands for, each with its chance} with the
    bucket of pay, and pay's buckets."""
    file = folder / "release.duckdb"
    buckets = {}
    for number, column in enumerate(("n", "town", "pay"), start=1):
        buckets[column] = defaultdict(list)
        for bucket, value, count in rows_of(file, f"FROM r__sensitive_{number}"):
            buckets[column][bucket] += [value] * count
    cells = []
    names = ("n", "n_lo", "n_hi", "n_bucket", "town", "town_bucket", "kind", "pay_bucket")
    for values in rows_of(file, f"SELECT {', '.join(names)} FROM r"):
        row = dict(zip(names, values, strict=True))
        cell = {"pay": buckets["pay"][row["pay_bucket"]], "bucket": row["pay_bucket"]}
        for column in ("n", "town", "kind"):
            if row.get(f"{column}_bucket") is not None:
                cell[column] = buckets[column][row[f"{column}_bucket"]]
            elif column == "n":
                cell[column] = (
                    [None] if row["n"] is None else list(range(row["n_lo"], row["n_hi"] + 1))
                )
            else:
                cell[column] = (
                    [None]
                    if row[column] is None
                    else sorted(LEAVES[column].get(row[column], {row[column]}))
                )
        cells.append(cell)
    return cells, buckets


def meets(value, holds):
    return value is not None and holds(value)


def chance(cell, asked):
    found = 1.0
    for column, holds in asked.items():
        found *= sum(meets(value, holds) for value in cell[column]) / len(cell[column])
    return found


def naive_sum(cells, buckets, asked):
    """The estimate, and the bounds of the paper's section 4.2: floor and ceiling of each bucket's
    expected rows, with its smallest and its greatest values."""
    rest = {column: holds for column, holds in asked.items() if column != "pay"}
    holds = asked.get("pay", lambda value: True)
    estimate, expected = 0.0, Counter()
    for cell in cells:
        pays = [value if meets(value, holds) else 0 for value in cell["pay"]]
        estimate += chance(cell, rest) * sum(pays) / len(pays)
        expected[cell["bucket"]] += chance(cell, {**rest, "pay": holds})
    lower = upper = 0
    for bucket, rows in expected.items():
        pays = sorted(value for value in buckets["pay"][bucket] if meets(value, holds))
        lower += sum(pays[: math.floor(rows + 1e-9)])
        upper += sum(pays[len(pays) - min(math.ceil(rows - 1e-9), len(pays)) :])
    return estimate, lower, upper


def same(found, values):
    assert found.mean == pytest.approx(sum(values) / len(values))
    assert found.median == pytest.approx(
        quantile(values, 0.5)
    ) and found.ninetieth == pytest.approx(quantile(values, 0.9))


def random_table(rnd):
    """Some values are sensitive wherever they occur."""
    return [
        (
            rnd.randrange(9),
            rnd.choice("abcde"),
            rnd.choice("xyz"),
            rnd.randrange(1, 61),
            rnd.random() < 0.4,
            rnd.random() < 0.4,
        )
        for _ in range(rnd.randrange(20, 40))
    ]


@pytest.mark.parametrize(
    ("seed", "method"), [(1, {}), (4, {"cut": "loss"}), (2, {"grouping": "ncp"})]
)
def test_errors_are_those_of_sums_over_rows_and_buckets(tmp_path, seed, method):
    rows = random_table(random.Random(seed))
    policy = made(tmp_path, rows, **method)
    report = anonsql.run(policy)
    cells, buckets = released_by(tmp_path)
    for summed in (True, False):
        found = anonsql.measure(
            policy, WorkloadSettings(file=tmp_path / "queries.sql", sum="pay" if summed else None)
        )
        errors, widths, empty = [], [], 0
        for _, asked in QUERIES:
            matching = [
                row
                for row in rows
                if all(holds(row[list(TYPES).index(name)]) for name, holds in asked.items())
            ]
            truth = sum(row[3] for row in matching) if summed else len(matching)
            if truth == 0:
                empty += 1
                continue
            estimate, lower, upper = naive_sum(cells, buckets, asked)
            errors.append(
                abs((estimate if summed else sum(chance(cell, asked) for cell in cells)) - truth)
                / truth
            )
            widths.append((upper - lower) / truth)
        assert (found.error.empty, found.bounds.held, found.bounds.unanswered) == (
            empty,
            len(errors),
            0,
        )
        assert found.aggregate == ("SUM(pay)" if summed else "COUNT(*)") and found.queries == len(
            QUERIES
        )
        same(found.error, errors)
        assert found.bounds.guaranteed.mean > 0
        if summed:
            same(found.bounds.expected, widths)
        else:
            assert found.bounds.expected is None
    same_loss(found, report, rows, tmp_path)


def same_loss(found, report, rows, folder):
    """GCP and what else is told of the released values, against the rows of the release."""
    domains = {
        "n": {row[0] for row in rows if not row[4]},
        "town": {row[1] for row in rows if not row[5]},
        "kind": {row[2] for row in rows},
    }
    cells, _ = released_by(folder)
    withheld = released_rows(
        folder, "SELECT n_bucket IS NOT NULL, town_bucket IS NOT NULL, group_id FROM r"
    )
    hidden = {
        "n": [row[0] for row in withheld],
        "town": [row[1] for row in withheld],
        "kind": [False] * len(rows),
    }
    for name, values in domains.items():
        spread = max(len(values) - 1, 1)
        lost = sum(
            (len(set(cell[name]) & values) - 1) / spread
            for cell, hid in zip(cells, hidden[name], strict=True)
            if not hid
        )
        assert found.penalties[name] == pytest.approx(lost / len(rows))
    assert found.withheld == {"n": sum(hidden["n"]), "town": sum(hidden["town"])}
    assert found.gcp == pytest.approx(
        sum(found.penalties.values()) / 3
    ) and found.gcp == pytest.approx(report.metrics["gcp"])
    assert report.metrics["discernibility"] == sum(
        size**2 for size in Counter(row[2] for row in withheld).values()
    )


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The policy of a release of forty rows."""
    policy = made(tmp_path_factory.mktemp("released"), ROWS)
    anonsql.run(policy)
    return policy


def test_random_queries(released):
    policy = released
    found = anonsql.measure(policy, WorkloadSettings(queries=30, predicates=2, sum="pay", seed=3))
    assert found.workload == "random" and found.queries == 30
    assert found.bounds.held == 30 - found.error.empty > 0 and found.bounds.unanswered == 0
    assert found.bounds.expected.median <= found.bounds.guaranteed.median
    other = anonsql.measure(policy, WorkloadSettings(queries=30, predicates=2, sum="pay", seed=4))
    assert other.error != found.error
    assert (
        anonsql.measure(policy, WorkloadSettings(queries=30, predicates=2, sum="pay", seed=3)).error
        == found.error
    )
    counted = anonsql.measure(policy, WorkloadSettings(queries=20, predicates=9))
    assert (
        counted.aggregate == "COUNT(*)"
        and counted.bounds.held == 20 - counted.error.empty
        and counted.bounds.expected is None
    )


def test_what_random_queries_ask():
    domains = [
        QueryDomain("a", 100, True),
        QueryDomain("b", 7, False),
        QueryDomain("c", 2, False),
        QueryDomain("d", 5, True),
    ]
    asked = compared_at_random(domains, 300, 2, seed=1)
    sizes = {domain.column: domain for domain in domains}
    assert len(asked) == 300 and all(len(entry) == 2 for entry in asked)
    assert all(
        len({frozenset(element) for element in asked[start : start + 10]}) == 1
        for start in range(0, 300, 10)
    )
    assert {frozenset(item) for item in asked} == {
        frozenset((one, other)) for one in sizes for other in sizes if one < other
    }
    operators, counts = Counter(), set()
    for query in asked:
        for name, drawn in query.items():
            assert (
                len(set(drawn.places)) == len(drawn.places)
                and 1 <= min(drawn.places) <= max(drawn.places) <= sizes[name].size
            )
            if sizes[name].ordered:
                operators[drawn.operator] += 1
                assert len(drawn.places) == 1
            else:
                assert drawn.operator == "="
                counts.add((name, len(drawn.places)))
    assert operators.keys() == {"<", "<=", "=", ">=", ">", "<>"} and min(operators.values()) > 20
    assert counts == {("b", size) for size in range(1, 8)} | {("c", 1), ("c", 2)}
    assert (
        asked
        == compared_at_random(domains, 300, 2, seed=1)
        != compared_at_random(domains, 300, 2, seed=2)
    )


@pytest.mark.parametrize(
    "method",
    [{"type": "mondrian"}, {"type": "anatomy"}, {"type": "hilbert", "representation": "range"}],
)
def test_sums_of_other_methods(tmp_path, method):
    make_table(
        tmp_path / "source.duckdb",
        {"n": "INTEGER", "x": "DOUBLE", "pay": "INTEGER"},
        [(row[0], row[0] / 4, row[3]) for row in ROWS],
    )
    anatomy = method["type"] == "anatomy"
    columns = {
        "n": {"type": "suppression"},
        "x": {"type": "suppression"},
        "pay": "sensitive" if anatomy else "insensitive",
    }
    data = policy_data(columns, k=1 if anatomy else 3, limit=0.0, method=method)
    data["privacy"] |= {"l_diversity": {"pay": 4}} if anatomy else {}
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    found = anonsql.measure(policy, WorkloadSettings(queries=40, predicates=2, sum="pay"))
    assert (
        found.bounds.held == 40 - found.error.empty > 0
        and (found.bounds.expected is not None) == anatomy
    )
    assert found.withheld == {}
    assert anonsql.measure(policy, WorkloadSettings(queries=40)).bounds is None
    assert anonsql.measure(policy, WorkloadSettings(queries=20, sum="x")).aggregate == "SUM(x)"


def test_labels_that_tell_no_number_of_values(tmp_path):
    policy = made(
        tmp_path,
        [(1, "abcde"[n % 5], "xyz"[n % 3], n, False, False) for n in range(4)],
        k=4,
        columns=COLUMNS
        | {"town": "qi"}
        | {
            "town": {"role": "semi-sensitive", "flag": "town_private"},
            "kind": {"type": "suppression"},
        },
    )
    anonsql.run(policy)
    assert released_rows(tmp_path, "SELECT DISTINCT town, kind FROM r") == [("*", "*")]
    (tmp_path / "queries.sql").write_text(
        "SELECT COUNT(*) FROM t WHERE town = 'a'; SELECT COUNT(*) FROM t WHERE town = 'zz'"
    )
    found = anonsql.measure(policy, WorkloadSettings(file=tmp_path / "queries.sql"))
    assert (found.error.mean, found.error.empty) == (None, 1)
    assert (found.bounds.unanswered, found.bounds.held, found.bounds.guaranteed.mean) == (1, 1, 4.0)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("pya", "the release has no column 'pya'.*'pay'"),
        ("town", "cannot be summed"),
        ("n_private", "the release has no column"),
    ],
)
def test_columns_that_cannot_be_summed(released, column, message):
    with pytest.raises(PolicyError, match=message):
        anonsql.measure(released, WorkloadSettings(sum=column))


def test_the_command(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, ROWS)
    write_data(tmp_path, data_of())
    anonsql.run(tmp_path / "policy.yaml")
    order = [
        "measure",
        str(tmp_path / "policy.yaml"),
        "--queries",
        "20",
        "--predicates",
        "2",
        "--sum",
        "pay",
    ]
    result = cli(*order, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (
        document["aggregate"] == "SUM(pay)"
        and document["bounds"]["expected"]["median"] >= 0
        and document["method"] == "local"
    )
    shown = cli(*order)
    assert shown.exit_code == 0, shown.output
    text = flat(shown.stdout)
    assert (
        "SUM(pay) queries" in text
        and "expected bounds" in text
        and "guaranteed bounds" in text
        and "withheld" in text
        and "C_DM" in text
    )
    assert cli(*order[:-1], "kind").exit_code == 2
