"""``init``, ``query`` and ``report`` of several tables."""

import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.features.init.several_tables import init_tables
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.yaml_text import parse

from . import clinic
from .support import cli, flat, in_file, make_table, opened, rows_of, write_data

ROWS = clinic.rows()


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A clinic that is released with two known rows: its policy, in a folder of its own."""
    folder = tmp_path_factory.mktemp("clinic")
    for name, item in ROWS.items():
        make_table(folder / "clinic.duckdb", clinic.COLUMNS[name], item, table=name)
    data = clinic.policy(
        {"database": "clinic.duckdb"}, {"database": "out.duckdb"}, k=2, known_rows=2
    )
    data["privacy"]["suppression_limit"] = {"patients": 0.5}
    data["tables"]["visits"]["max_rows"] = 4
    write_data(folder, data)
    anonsql.run(folder / "policy.yaml")
    return folder


# query

JOIN = "visits v JOIN patients p ON v.patient_id = p.patient_id"


def in_release(released, sql):
    return rows_of(released / "out.duckdb", sql)


def test_joined_rows_are_those_of_a_join(released):
    (count,) = in_release(released, f"SELECT COUNT(*) FROM {JOIN}")[0]
    for release in (released / "policy.yaml", released / "out.duckdb"):
        answer = anonsql.query(release, f"SELECT COUNT(*) FROM {JOIN}").answers[0]
        assert (answer.estimate, answer.standard_error, answer.bounds) == (count, 0, "estimated")
    three = f"{JOIN} JOIN prescriptions USING (visit_id)"
    (count,) = in_release(released, f"SELECT COUNT(*) FROM {three}")[0]
    assert (
        anonsql.query(released / "out.duckdb", f"SELECT COUNT(*) FROM {three}").answers[0].estimate
        == count
    )


def test_a_table_by_itself_is_asked_too(released):
    report = anonsql.query(released / "policy.yaml", "SELECT COUNT(*) FROM VISITS")
    (count,) = in_release(released, "SELECT COUNT(*) FROM visits")[0]
    assert report.answers[0].upper == count
    assert count + report.suppressed == len(ROWS["visits"]), "capped rows and those of people count"


def test_estimates_of_joined_rows_are_those_of_kept_values(released):
    """Values that are kept are the same in every draw; a column that is * has none."""
    where = "v.diagnosis IN ('diagnosis 1', 'diagnosis 2')"
    ((count,),) = in_release(released, f"SELECT COUNT(*) FROM {JOIN} WHERE {where}")
    sql = f"SELECT COUNT(*), MAX(v.day) FROM {JOIN} WHERE {where}"
    report = anonsql.query(released / "policy.yaml", sql)
    assert (report.answers[0].estimate, report.answers[0].draws) == (count, 5)
    if in_release(released, "SELECT COUNT(*) FROM visits WHERE day <> '*'") == [(0,)]:
        assert "day is * in every row, so nothing is known about it." in report.notes
    with pytest.raises(PolicyError, match="JOIN is not supported"):
        anonsql.query(released / "out.duckdb", sql, bounded=True)


def test_people_of_joined_rows_are_counted(released):
    (people,) = in_release(released, f"SELECT COUNT(DISTINCT p.patient_id) FROM {JOIN}")[0]
    report = anonsql.query(
        released / "policy.yaml", f"SELECT COUNT(DISTINCT p.patient_id) AS n FROM {JOIN}"
    )
    assert (report.answers[0].aggregate, report.answers[0].estimate) == ("n", people)
    assert any("suppressed rows" in note for note in report.notes), "what was left out is said"


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("visits v JOIN patients p ON v.visit_id = p.patient_id", "does not compare a reference with the key"),
        ("visits v JOIN patients p ON v.day = p.born", "is not joined along a key"),
        ("visits v JOIN patients p ON v.patient_id < p.patient_id", "is not joined along a key"),
        ("visits v, patients p", "is not joined along a key"),
        ("visits v JOIN visits v ON v.visit_id = v.visit_id", "alias already used: v"),
        ("visits v JOIN patient p ON v.patient_id = p.patient_id", "no table 'patient'.*patients"),
        ("visits v JOIN patients p ON patient_id = p.patient_id", "could not be resolved"),
        ("visits v JOIN patients p USING (visit_id)", "cannot automatically join: visit_id"),
        ("visits v JOIN patients p ON v.nothing = p.patient_id", "there is no original column"),
        ("visits v JOIN patients p ON p.patient_id = p.patient_id", "is not joined along a key"),
    ],
)  # fmt: skip
def test_a_wrong_join_is_refused(released, sql, words):
    with pytest.raises(PolicyError, match=words):
        anonsql.query(released / "policy.yaml", f"SELECT COUNT(*) FROM {sql}")


def test_rows_that_no_other_table_refers_to_are_kept_by_an_outer_join(released):
    sql = "SELECT COUNT(*) AS n FROM patients p LEFT JOIN visits v ON v.patient_id = p.patient_id"
    ((count,),) = in_release(released, sql)
    assert anonsql.query(released / "out.duckdb", sql).answers[0].estimate == count


def test_values_of_keys_are_none(released):
    for sql in ("SUM(p.patient_id) FROM " + JOIN, f"COUNT(*) FROM {JOIN} WHERE p.patient_id = 3"):
        with pytest.raises(PolicyError, match="'patient_id' are keys: they can only be counted"):
            anonsql.query(released / "policy.yaml", f"SELECT {sql}")


@pytest.mark.parametrize("release", ["policy.yaml", "out.duckdb"])
def test_keys_are_counted(released, release):
    sql = "SELECT COUNT(DISTINCT patient_id) AS n FROM visits"
    ((people,),) = in_release(released, sql)
    assert anonsql.query(released / release, sql).answers[0].estimate == people


def test_columns_of_one_name(tmp_path):
    """Two tables with a column ``day`` and its bounds: each is asked by its table."""
    make_table(
        tmp_path / "s.duckdb",
        {"id": "INTEGER", "day": "INTEGER"},
        [(n, n) for n in range(40)],
        "people",
    )
    make_table(
        tmp_path / "s.duckdb",
        {"no": "INTEGER", "id": "INTEGER", "day": "INTEGER"},
        [(n, n % 40, 100 + n // 2) for n in range(80)],
        "rows",
    )
    column = {
        "day": {"role": "quasi-identifying", "hierarchy": {"type": "interval", "widths": [10, 40]}}
    }
    data = {
        "source": {"database": "s.duckdb"},
        "release": {"database": "out.duckdb", "completed": 0},
        "tables": {
            "people": {"key": "id", "columns": column},
            "rows": {"key": "no", "references": {"id": "people"}, "columns": column},
        },
        "privacy": {"k": 2, "of": "people", "suppression_limit": {"people": 0.5}},
    }  # fmt: skip
    anonsql.run(RelationalPolicy.parse(data, tmp_path))
    join = "rows r JOIN people p ON r.id = p.id"
    ask = lambda sql: anonsql.query(tmp_path / "out.duckdb", sql).answers[0]  # noqa: E731
    assert ask(f"SELECT COUNT(*) FROM {join} WHERE p.day >= 100").estimate == 0
    assert ask(f"SELECT COUNT(*) FROM {join} WHERE r.day < 100").estimate == 0
    assert ask(f"SELECT COUNT(*) FROM {join} WHERE r.day >= 100").estimate > 0
    with pytest.raises(PolicyError, match="'day' could not be resolved"):
        ask(f"SELECT COUNT(*) FROM {join} WHERE day >= 100")


def test_tables_of_two_releases_do_not_join(released, tmp_path):
    """A file can hold releases of single tables beside each other; nothing joins them."""
    make_table(tmp_path / "s.duckdb", {"id": "INTEGER", "a": "INTEGER"}, [(1, 1), (2, 1)])
    for table in ("one", "two"):
        columns = {"id": "insensitive", "a": {"role": "qi", "hierarchy": {"type": "suppression"}}}
        columns = {
            name: {"role": column} if isinstance(column, str) else column
            for name, column in columns.items()
        }
        columns["a"]["role"] = "quasi-identifying"
        data = {
            "source": {"database": str(tmp_path / "s.duckdb"), "table": "t"},
            "release": {"file": str(tmp_path / f"{table}.parquet")},
            "columns": columns,
            "privacy": {"k": 2},
        }
        anonsql.run(data)
    with pytest.raises(PolicyError):
        anonsql.query(
            tmp_path / "one.parquet", "SELECT COUNT(*) FROM one JOIN two ON one.id = two.id"
        )


# report


def test_the_statements_of_a_page_find_what_breaks_the_promise(released, tmp_path):
    page = anonsql.report(released / "out.duckdb", tmp_path / "page.html", audience="recipient")
    told = page.relational
    assert told.tables[0].table == "patients" and told.policy is None
    shown = [check for check in told.checks if check.sql]
    assert len(shown) == 6, "the own row, a visit, a prescription, and three references"
    for item in shown:
        assert in_release(released, item.sql) == []
    for query in told.queries:
        assert sum(people for _, people in in_release(released, query)) == told.tables[0].rows
    broken = tmp_path / "broken.duckdb"
    broken.write_bytes((released / "out.duckdb").read_bytes())
    with opened(broken) as connection:
        connection.execute("UPDATE visits SET patient_id = 9999 WHERE visit_id = 1")
        connection.execute(
            "UPDATE prescriptions SET drug = 'one of its own' WHERE prescription_id = 1"
        )
        connection.execute("UPDATE patients SET sex = 'one of its own' WHERE patient_id = 1")
        found = [entry.promise for entry in shown if connection.execute(entry.sql).fetchall()]
    assert {"k", "known_rows", "references"} == set(found)


def test_the_page_of_the_owner(released, tmp_path):
    page = anonsql.report(released / "policy.yaml", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    told = page.relational
    assert told.report.released_people == told.tables[0].rows and told.run.status == "done"
    assert "How it was made" in text and "max_rows" in text and "O&#39;Brien" not in text
    assert (tmp_path / "page.html").stat().st_mode & 0o077 == 0
    anonsql.report(released / "policy.yaml", tmp_path / "other.html", audience="recipient")
    other = (tmp_path / "other.html").read_text()
    assert "How it was made" not in other and "clinic.duckdb" not in other


def test_no_page_of_a_release_that_breaks_its_promise(released, tmp_path):
    data = yaml.safe_load((released / "policy.yaml").read_text())
    data["release"]["database"] = str(tmp_path / "out.duckdb")
    (tmp_path / "out.duckdb").write_bytes((released / "out.duckdb").read_bytes())
    in_file(
        tmp_path / "out.duckdb", "UPDATE patients SET sex = 'one of its own' WHERE patient_id = 1"
    )
    with pytest.raises(VerificationError):
        anonsql.report(RelationalPolicy.parse(data, released), tmp_path / "page.html")
    with pytest.raises(PolicyError, match="needs the policy"):
        anonsql.report(released / "out.duckdb", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


# the terminal


def test_the_terminal_says_who_is_counted(released, tmp_path):
    def told(command, policy):
        result = cli(command, policy)
        assert result.exit_code == 0, result.output
        return flat(result.output)

    data = clinic.policy({"database": str(released / "clinic.duckdb")}, {"file": "out"}, k=2)
    path = write_data(tmp_path, data)
    text = told("check", path)
    assert (
        "60 people in patients. The policy fits its tables: `anonsql run` searches the generalizations"
        in text
    )
    data["tables"] = {"patients": data["tables"]["patients"]}
    path.write_text(yaml.safe_dump(data))
    text = told("run", path)
    assert "knows a person's own row finds" in text
    assert (
        text.count("Equal values have equal numbers") == 1 and "depend on the released rows" in text
    )
    assert "knows a person's own row" in told("verify", path)


# init

DECLARED = """
CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR, born INTEGER, boss INTEGER REFERENCES people);
CREATE TABLE shops (shop INTEGER PRIMARY KEY, town VARCHAR);
CREATE TABLE "or""ders" (
    no INTEGER PRIMARY KEY, buyer INTEGER REFERENCES people, shop INTEGER REFERENCES shops, day DATE
);
CREATE TABLE items (no INTEGER REFERENCES "or""ders", line INTEGER, what VARCHAR, PRIMARY KEY (no, line));
CREATE TABLE loose (a INTEGER);
INSERT INTO people SELECT i, 'n' || i, 1950 + i % 40, NULL FROM range(50) t(i);
INSERT INTO shops SELECT i, 'town' FROM range(3) t(i);
INSERT INTO "or""ders" SELECT i, i % 50, i % 3, DATE '2024-01-01' + CAST(i AS INTEGER) FROM range(99) t(i);
INSERT INTO items SELECT i % 99, i, 'thing' FROM range(99) t(i);
"""


@pytest.fixture
def declared(tmp_path):
    in_file(tmp_path / "shop.duckdb", DECLARED)
    return tmp_path / "shop.duckdb"


def test_init_follows_declared_keys(declared, tmp_path):
    report = init_tables(str(declared), "people", tmp_path / "policy.yaml")
    text = (tmp_path / "policy.yaml").read_text()
    made = parse(text, "policy")["tables"]
    assert list(made) == ["people", 'or"ders', "items", "shops"]
    assert made['or"ders']["references"] == {"buyer": "people", "shop": "shops"}
    assert made["items"]["key"] is None and "Its key has several columns, no, line" in text
    assert made["people"]["columns"]["boss"] == {"role": "identifying"}
    assert "It refers to the table itself" in text and "# loose." in text
    assert {"items.key", "shops.public"} <= set(report.undecided)
    found = [problem.where for problem in anonsql.check(tmp_path / "policy.yaml").problems]
    assert "tables.shops.public" in found and "tables.items.columns.what.role" in found


def test_a_policy_of_init_can_be_finished_and_run(declared, tmp_path):
    init_tables(str(declared), "people", tmp_path / "policy.yaml")
    data = parse((tmp_path / "policy.yaml").read_text(), "policy")
    data["tables"]["shops"]["public"] = True
    with pytest.raises(PolicyError, match=r"tables\.items\.key: .*name the column that identifies"):
        RelationalPolicy.parse(
            {**data, "tables": {**data["tables"], "items": {"key": None}}}, tmp_path
        )
    data["tables"]["items"] = {"left_out": True}
    for table in data["tables"].values():
        for column in table.get("columns", {}).values():
            column["role"] = column["role"] or "identifying"
    data["privacy"] |= {"k": 2, "suppression_limit": {"people": 0.9}}
    report = anonsql.run(RelationalPolicy.parse(data, tmp_path))
    assert {item.table for item in report.tables} == {"people", 'or"ders', "shops"}


def test_init_leaves_two_ways_to_people_open(tmp_path):
    with opened(tmp_path / "friends.duckdb") as connection:
        connection.execute(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, age INTEGER);"
            "CREATE TABLE friends (id INTEGER PRIMARY KEY, a INTEGER REFERENCES people,"
            " b INTEGER REFERENCES people);"
            "INSERT INTO people SELECT i, i FROM range(9) AS t(i);"
            "INSERT INTO friends SELECT i, i, 8 - i FROM range(9) AS t(i)"
        )
    report = init_tables(str(tmp_path / "friends.duckdb"), "people", tmp_path / "policy.yaml")
    assert report.undecided == ["friends.references"]
    assert "UNDECIDED: a and b lead to people." in (tmp_path / "policy.yaml").read_text()
    (problem,) = anonsql.check(tmp_path / "policy.yaml").problems
    assert problem.where == "tables.friends.references"


def test_init_takes_no_key_that_is_a_reference(tmp_path):
    """A table with a row of more about each person: its key is theirs."""
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, age INTEGER);"
            "CREATE TABLE more (id INTEGER PRIMARY KEY REFERENCES people, town VARCHAR);"
            "CREATE TABLE coded (id INTEGER PRIMARY KEY REFERENCES people, code VARCHAR UNIQUE);"
            "INSERT INTO people SELECT i, i % 3 FROM range(9) AS t(i);"
            "INSERT INTO more SELECT i, 'T' || i % 2 FROM range(9) AS t(i);"
            "INSERT INTO coded SELECT i, 'C' || i FROM range(9) AS t(i)"
        )
    report = init_tables(str(tmp_path / "source.duckdb"), "people", tmp_path / "policy.yaml")
    text = (tmp_path / "policy.yaml").read_text()
    tables = parse(text, "policy")["tables"]
    assert "more.key" in report.undecided and tables["more"]["key"] is None
    assert "Its key, id, is also its reference: make a key in a view" in text
    assert tables["coded"]["key"] == "code"
    assert tables["more"]["references"] == tables["coded"]["references"] == {"id": "people"}


def test_init_refuses(declared, tmp_path):
    with pytest.raises(PolicyError, match=r"--of: .*no table 'peple'.*people"):
        init_tables(str(declared), "peple", tmp_path / "policy.yaml")
    with pytest.raises(PolicyError, match="no column of loose identifies its rows"):
        in_file(declared, "INSERT INTO loose VALUES (1), (1)")
        init_tables(str(declared), "loose", tmp_path / "policy.yaml")
    with pytest.raises(PolicyError, match="is another database"):
        init_tables(f"sqlite:///{tmp_path}/x.sqlite", "t", tmp_path / "policy.yaml")
    (tmp_path / "policy.yaml").write_text("mine")
    with pytest.raises(PolicyError, match="already exists"):
        init_tables(str(declared), "people", tmp_path / "policy.yaml")
    assert (tmp_path / "policy.yaml").read_text() == "mine"
