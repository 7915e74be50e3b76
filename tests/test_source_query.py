"""A query as the source of a DuckDB file, and types that a policy gives the columns of a file."""

import duckdb
import pytest

import anonsql
from anonsql.errors import BusyError, PolicyError
from anonsql.features.report.command import report
from anonsql.grammar import selects
from anonsql.grammar.literals import UnsupportedError
from anonsql.policy.policy import Policy

from .support import in_file, make_table, policy_data, rows_of, write_data

QI = {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10]}}
COLUMNS = {"age": QI, "sex": {"role": "qi", "hierarchy": {"type": "suppression"}}}
ROWS = [(i % 30, "fm"[i % 2]) for i in range(300)]


def make(folder, query, table="t"):
    make_table(folder / "source.duckdb", {"age": "INTEGER", "sex": "VARCHAR"}, ROWS, table)
    return policy_data(COLUMNS, k=5) | {"source": {"database": "source.duckdb", "query": query}}


def test_a_query_is_released_as_its_table_would_be(tmp_path):
    data = make(tmp_path, "WITH old AS (SELECT * FROM t WHERE age >= 10) SELECT age, sex FROM old")
    made = anonsql.run(Policy.parse(data, tmp_path))
    assert made.records == 200 and made.query == data["source"]["query"]
    asked = rows_of(tmp_path / "release.duckdb", "SELECT * FROM r")
    in_file(tmp_path / "source.duckdb", "CREATE VIEW v AS SELECT age, sex FROM t WHERE age >= 10")
    viewed = data | {"source": {"database": "source.duckdb", "table": "v"}}
    anonsql.run(Policy.parse(viewed, tmp_path))
    assert sorted(asked) == sorted(rows_of(tmp_path / "release.duckdb", "SELECT * FROM r"))
    for command in (anonsql.check, anonsql.search, anonsql.measure):
        command(Policy.parse(data, tmp_path))
    anonsql.verify(Policy.parse(data, tmp_path), against_source=True)
    assert "source.duckdb" in {path.name for path in tmp_path.iterdir()}


def test_pages_and_reports_name_a_query(tmp_path):
    data = make(tmp_path, "SELECT age, sex FROM t WHERE age >= 10")
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    told = report(policy, tmp_path / "owner.html").owner
    assert told.source == f"a query of {tmp_path / 'source.duckdb'}" and told.missing == []
    anonsql.search(policy, html=tmp_path / "search.html")
    text = (tmp_path / "search.html").read_text(encoding="utf-8")
    assert "<h1><bdi>Ways to release query</bdi></h1>" in text
    advised = anonsql.advise(policy, ks=[5], methods=["mondrian"], queries=5)
    assert advised.source.table == "query"


def test_a_query_that_gives_other_rows_each_time_is_read_once(tmp_path):
    data = make(tmp_path, "SELECT CAST(random() * 20 AS INTEGER) AS age, sex FROM t")
    data["privacy"]["suppression_limit"] = 0.5
    assert anonsql.run(Policy.parse(data, tmp_path)).verified


def test_nothing_of_ours_is_found_under_a_name(tmp_path):
    """Scratch tables are called cells, combinations …: a query sees those of its file alone."""
    data = make(tmp_path, "SELECT * FROM cells", table="cells")
    assert anonsql.run(Policy.parse(data, tmp_path)).records == 300
    data["source"]["query"] = "SELECT age, sex FROM combinations"
    with pytest.raises(PolicyError, match=r"source\.query: it fails"):
        anonsql.run(Policy.parse(data, tmp_path))


REFUSED = [
    "INSERT INTO t VALUES (1, 'f')",
    "SELECT * FROM t; DROP TABLE t",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM other.main.t",
    "COPY t TO 'out.csv'",
    "ATTACH 'x.duckdb'",
    "SELECT * INTO u FROM t",
    "SELECT * FROM t WHERE age = $1",
    "SELECT 1 AS age",
    "VALUES (1, 'f')",
    "PRAGMA database_list",
    "not sql at all (",
    "SELECT " * 400,
    "WITH t AS (SELECT * FROM t WHERE age > 9) SELECT * FROM T",
    "WITH t AS (SELECT * FROM main.t WHERE age > 9) SELECT * FROM t",
    "SELECT x.content FROM t, LATERAL read_text('/etc/passwd') AS x",
    "SELECT * FROM t WHERE sex IN (FROM read_text('/etc/passwd'))",
    "SELECT * FROM t, (DESCRIBE t)",
    "SELECT * FROM t, (SUMMARIZE t)",
]


@pytest.mark.parametrize("query", REFUSED)
def test_a_query_that_does_more_than_read_is_refused(tmp_path, query):
    with pytest.raises(UnsupportedError):
        selects.read(query, "source")
    data = make(tmp_path, query)
    with pytest.raises(PolicyError, match=r"source\.query"):
        anonsql.run(Policy.parse(data, tmp_path))
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        ("FROM t", ["t"]),
        ("SELECT * FROM s.t AS x JOIN u USING (a)", ["s.t", "u"]),
        ("WITH w AS (SELECT * FROM u) SELECT * FROM t SEMI JOIN W USING (a)", ["u", "t"]),
        ("WITH w AS (SELECT * FROM u) SELECT * FROM t ANTI JOIN w USING (a)", ["u", "t"]),
        ("SELECT (SELECT MAX(a) FROM u) FROM t WHERE b IN (SELECT c FROM v)", ["u", "t", "v"]),
        ("SELECT * FROM 'file.csv'", ["file.csv"]),
    ],
)
def test_tables_get_their_full_names(query, reads):
    text = selects.read(query, "source").replace('"', "")
    names = [name if name.startswith("s.") else f"main.{name}" for name in reads]
    assert all(f"source.{name}" in text for name in names)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({"database": "postgresql://h/d", "query": "SELECT * FROM t"}, "Make a view"),
        ({"database": "sqlite:///x.db", "query": "SELECT * FROM t"}, "Make a view"),
        ({"database": "d.duckdb", "query": "SELECT 1", "table": "t"}, "source.query"),
        ({"file": "d.csv", "query": "SELECT 1"}, "source.query"),
        ({"database": "d.duckdb", "table": "t", "columns": {"a": {"type": "text"}}}, "view"),
        ({"file": "d.csv", "columns": {"a": {"type": "varchar; DROP"}}}, "source.columns.a.type"),
        ({"database": "d.duckdb"}, "source.table"),
    ],
)
def test_a_source_that_is_given_wrongly_is_refused(tmp_path, source, says):
    data = policy_data(COLUMNS) | {"source": source}
    with pytest.raises(PolicyError, match=says):
        anonsql.run(Policy.parse(data, tmp_path))


def test_rows_that_a_common_table_expression_leaves_out_stay_out(tmp_path):
    old = "WITH old AS (SELECT age FROM t WHERE age >= 10)"
    data = make(tmp_path, f"{old} SELECT age, sex FROM t SEMI JOIN OLD USING (age)")
    assert anonsql.run(Policy.parse(data, tmp_path)).records == 200


def test_a_query_that_fails_is_told(tmp_path):
    data = make(tmp_path, "SELECT * FROM t p, t q, t q")
    with pytest.raises(PolicyError, match=r"source\.query"):
        anonsql.run(Policy.parse(data, tmp_path))


def test_a_file_that_changes_meanwhile_ends_the_run(tmp_path):
    data = make(tmp_path, "SELECT * FROM t")

    def change(stage, _done, _total):
        if stage == "stage":
            (tmp_path / "source.duckdb").write_bytes(b"gone")

    with pytest.raises(BusyError):
        anonsql.run(Policy.parse(data, tmp_path), progress=change)
    assert not (tmp_path / "release.duckdb").exists()


CSV = "age,bmi,code\n" + "".join(
    f"{20 + i % 20},{20 + i % 5}.{'50' if i % 2 else '7'},{i % 7:03}\n" for i in range(100)
)


def csv_policy(folder, types, roles=None):
    (folder / "t.csv").write_text(CSV)
    roles = roles or {"age": QI, "bmi": "insensitive", "code": "insensitive"}
    return policy_data(roles, k=2, limit=0.2) | {"source": {"file": "t.csv", "columns": types}}


def test_a_type_is_given_to_a_column_of_a_csv_file(tmp_path):
    anonsql.run(Policy.parse(csv_policy(tmp_path, {}), tmp_path))
    kinds = dict(row[:2] for row in rows_of(tmp_path / "release.duckdb", "DESCRIBE r"))
    assert kinds["bmi"] == kinds["code"] == "VARCHAR"
    types = {"bmi": {"type": "double"}, "code": {"type": "integer"}, "age": {"type": "text"}}
    roles = {"age": {"role": "qi", "hierarchy": {"type": "suppression"}}} | dict.fromkeys(
        ("bmi", "code"), "insensitive"
    )
    anonsql.run(Policy.parse(csv_policy(tmp_path, types, roles), tmp_path))
    found = rows_of(tmp_path / "release.duckdb", "DESCRIBE r")
    assert {row[0]: row[1] for row in found} == {
        "age": "VARCHAR",
        "bmi": "DOUBLE",
        "code": "BIGINT",
    }


def test_a_type_is_given_to_a_column_of_a_parquet_file(tmp_path):
    with duckdb.connect() as client:
        client.execute(
            "COPY (SELECT i % 20 AS age, '2024-01-0' || (1 + i % 5) AS day FROM range(100) t(i))"
            f" TO '{tmp_path / 't.parquet'}'"
        )
    data = policy_data({"age": QI, "day": "insensitive"}, k=2)
    data["source"] = {"file": "t.parquet", "columns": {"day": {"type": "date"}}}
    anonsql.run(Policy.parse(data, tmp_path))
    kinds = {row[0]: row[1] for row in rows_of(tmp_path / "release.duckdb", "DESCRIBE r")}
    assert kinds["day"] == "DATE"


def test_values_that_are_none_of_the_type_are_counted(tmp_path):
    (tmp_path / "bad.csv").write_text(CSV + "21,many,001\n22,few,002\n")
    data = csv_policy(tmp_path, {"bmi": {"type": "double"}})
    data["source"]["file"] = "bad.csv"
    with pytest.raises(PolicyError, match=r"source\.columns\.bmi\.type: 2 rows") as error:
        anonsql.run(Policy.parse(data, tmp_path))
    assert "many" not in str(error.value)


@pytest.mark.parametrize("kind", ["integer", "decimal(6, 0)"])
def test_values_that_a_type_would_round_are_counted(tmp_path, kind):
    with pytest.raises(PolicyError, match=r"source\.columns\.bmi\.type: \d+ rows"):
        anonsql.run(Policy.parse(csv_policy(tmp_path, {"bmi": {"type": kind}}), tmp_path))


def test_days_with_a_time_are_no_dates(tmp_path):
    (tmp_path / "t.csv").write_text("age,day\n20,2024-01-01 12:00:00\n20,2024-01-02 00:00:00\n")
    data = policy_data({"age": QI, "day": "insensitive"}, k=2)
    data["source"] = {"file": "t.csv", "columns": {"day": {"type": "date"}}}
    with pytest.raises(PolicyError, match=r"day\.type: 1 row of"):
        anonsql.run(Policy.parse(data, tmp_path))


def test_a_column_that_is_not_there_is_named(tmp_path):
    with pytest.raises(PolicyError, match=r"source\.columns\.bim.*bmi"):
        anonsql.run(Policy.parse(csv_policy(tmp_path, {"bim": {"type": "double"}}), tmp_path))


def test_the_schema_knows_both(tmp_path):
    path = write_data(tmp_path, csv_policy(tmp_path, {"bmi": {"type": "decimal(6, 2)"}}))
    assert anonsql.check(path).status == "ok"


def test_the_catalog_keeps_no_value(tmp_path):
    """Neither one that the query names nor one that is released: read back, reports have them from
    the policy and the release."""
    rows = [(20, "Plantagenet"), (21, "Plantagenet"), (30, "Hidden")] * 8
    make_table(tmp_path / "source.duckdb", {"age": "INTEGER", "name": "VARCHAR"}, rows)
    name = {"role": "qi", "max_level": 0, "hierarchy": {"type": "suppression"}}
    data = policy_data({"age": QI, "name": name}, k=5)
    query = "SELECT age, name FROM t WHERE name <> 'Hidden'"
    data["source"] = {"database": "source.duckdb", "query": query}
    policy = Policy.parse(data, tmp_path)
    done = anonsql.run(policy, if_changed=True)
    examples = {column.column: column.example for column in done.columns}
    assert examples["name"] == "Plantagenet" and done.query == query
    catalog = tmp_path / "release.anonsql.duckdb"
    found = "SELECT table_schema, table_name FROM information_schema.tables"
    kept = {
        pair: str(rows_of(catalog, 'SELECT * FROM "{}"."{}"'.format(*pair)))
        for pair in rows_of(catalog, found)
    }
    assert '"columns"' in kept["main", "runs"]
    for planted in ("Plantagenet", "Hidden"):
        assert not [table for table, text in kept.items() if planted in text]
    again = anonsql.run(policy, if_changed=True)
    assert again.status == "unchanged" and again.query == query
    assert {item.column: item.example for item in again.columns}["name"] == "Plantagenet"
    assert report(policy, tmp_path / "owner.html").owner.missing == []
