"""What is particular to MariaDB: its text, types, rights, locks and what a release there may hold."""

from contextlib import closing
from decimal import Decimal

import pytest

import anonsql
from anonsql.errors import AnonsqlError, BusyError, PolicyError

from . import mariadb_server
from .engines import DATABASES, policy_on
from .support import policy_data, updated
from .test_databases import simple


@pytest.fixture
def mariadb(tmp_path):
    with closing(DATABASES["mariadb"](tmp_path)) as made:
        yield made


def policy_of(engine, columns, **more):
    return policy_on(engine, policy_data(columns, **more))


def test_collations_do_not_make_unlike_values_equal(mariadb):
    """Neither case nor blanks at the end do."""
    mariadb.make({"a": "VARCHAR"}, [("Ann",), ("ann",), ("ann ",), ("änn",)] * 5)
    collation = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    mariadb.do(f"ALTER TABLE {mariadb.source}.t MODIFY a VARCHAR(9) {collation}")
    assert anonsql.run(policy_of(mariadb, {"a": {"type": "suppression"}})).classes == 4


def test_types_of_its_own(mariadb):
    """Unsigned numbers, small ones that are no flags, enumerations, and moments in UTC."""
    table = f"{mariadb.source}.t"
    mariadb.do(
        f"CREATE TABLE {table} (a BIGINT UNSIGNED, b TINYINT(1), c ENUM('x', 'y'), d TIMESTAMP,"
        " e YEAR, f DECIMAL(6,2), g FLOAT)"
    )
    mariadb.do("SET time_zone = '+02:00'")
    row = "(18446744073709551615, 2, 'x', '2020-06-01 01:30:00', 1999, 1.5, 0.1)"
    mariadb.do(f"INSERT INTO {table} VALUES {row}, {row}")
    columns = {name: {"type": "suppression"} for name in "abcdefg"}
    levels = {"method": {"levels": dict.fromkeys("abcdefg", 0)}}
    policy = policy_of(mariadb, columns, **levels)
    policy = updated(policy, release={"bounds": False})
    anonsql.run(policy)
    moment = "2020-05-31 23:30:00"
    assert mariadb.read()[0] == ("18446744073709551615", "2", "x", moment, "1999", "1.50", "0.1")


def test_a_connection_that_is_lost(mariadb):
    """Nothing is published, and the next run sweeps."""
    policy = simple(mariadb)
    killed = []

    def progress(stage, *_):
        if stage == "stage" and not killed:
            rows = mariadb.do("SHOW PROCESSLIST")
            killed.extend(row[0] for row in rows if str(row[3]).startswith("anonsql_scratch"))
            for item in killed:
                mariadb.do(f"KILL {item}")

    with pytest.raises(BusyError, match="connection to the database was lost") as caught:
        anonsql.run(policy, progress=progress)
    assert killed and caught.value.exit_code == 3 and not mariadb.released()
    anonsql.run(policy)
    assert mariadb.released() and not mariadb.left()


def test_a_source_that_changes(mariadb):
    policy = simple(mariadb)

    def progress(stage, *_):
        if stage == "publish_release":
            mariadb.do(f"UPDATE {mariadb.source}.t SET note = 'z' LIMIT 1")

    with pytest.raises(BusyError, match="source changed"):
        anonsql.run(policy, progress=progress)
    assert not mariadb.released() and not mariadb.left()


def test_two_runs_on_one_release(mariadb, tmp_path):
    """The second finds the first at work, wherever it runs."""
    policy = simple(mariadb)
    other = policy.model_copy(update={"catalog": str(tmp_path / "other.duckdb")})
    refused = []

    def progress(stage, *_):
        if stage == "stage":
            with pytest.raises(BusyError, match="is locked by connection") as caught:
                anonsql.run(other)
            refused.append(caught.value)

    anonsql.run(policy, progress=progress)
    assert refused and mariadb.released()


def test_rights(mariadb):
    """What an anonymizer needs, and that a reader of the release needs no more than that."""
    policy = simple(mariadb)
    url = mariadb.url.replace("root@", "{}:word@")
    names = [f"{role}_{mariadb.source}" for role in ("makes", "reads")]
    for name in names:
        mariadb.do(f"CREATE USER {name}@localhost IDENTIFIED BY 'word'")
    makes, reads = names
    mariadb.do(f"GRANT SELECT, SHOW VIEW ON {mariadb.source}.* TO {makes}@localhost")

    def by(name):
        place = {"database": url.format(name)}
        return updated(policy, source=place, release=place)

    with pytest.raises(PolicyError, match="is not allowed to create scratch databases") as caught:
        anonsql.run(by(makes))
    assert "word" not in str(caught.value)
    mariadb.do(f"GRANT ALL ON `anonsql\\_scratch\\_%`.* TO {makes}@localhost")
    mariadb.do(f"GRANT ALL ON {mariadb.release}.* TO {makes}@localhost")
    assert anonsql.run(by(makes)).released == 200
    mariadb.do(f"GRANT SELECT ON {mariadb.release}.* TO {reads}@localhost")
    with mariadb_server.connect(user=reads, password="word") as connection:
        cursor = connection.cursor()
        cursor.execute(f"SELECT COUNT(*) FROM {mariadb.release}.r")
        assert cursor.fetchone() == (200,)
        cursor.execute("SHOW DATABASES")
        assert {row[0] for row in cursor.fetchall()} == {"information_schema", mariadb.release}
    for name in names:
        mariadb.do(f"DROP USER {name}@localhost")


def test_names_that_are_too_long(mariadb):
    long = "c" * 63
    mariadb.make({long: "INTEGER"}, [(1,)] * 9)
    with pytest.raises(PolicyError, match="longer than the 64 characters"):
        anonsql.run(policy_of(mariadb, {long: {"type": "suppression"}}))


def test_names_that_differ_by_case_alone(mariadb):
    """Columns' names are compared without case there, as in files."""
    mariadb.make({"a": "INTEGER", "A_lo": "INTEGER"}, [(1, 2)] * 9)
    policy = policy_of(mariadb, {"a": {"type": "suppression"}, "A_lo": "insensitive"})
    with pytest.raises(PolicyError, match=r"A_lo|a_lo"):
        anonsql.run(policy)
    mariadb.make({"a": "INTEGER"}, [(1,)] * 9, table="Age")
    mariadb.make({"a": "INTEGER"}, [(2,)] * 9, table="age")
    data = policy_data({"a": {"type": "suppression"}}, method={"levels": {"a": 0}})
    anonsql.run(policy_on(mariadb, data, "Age"))
    assert {row[0] for row in mariadb.read()} == {"1"}


def test_a_view_that_calls_a_stored_function(mariadb):
    """It may keep the values that it is called with, whoever made the view."""
    mariadb.make(*HELD)
    source = mariadb.source
    mariadb.do(f"CREATE TABLE {source}.loot (value text)")
    mariadb.do(
        f"CREATE FUNCTION {source}.f(x text) RETURNS text MODIFIES SQL DATA BEGIN INSERT INTO"
        f" {source}.loot VALUES (x); RETURN x; END"
    )
    mariadb.do(f"CREATE VIEW {source}.v AS SELECT a, {source}.f(w) AS w, n FROM {source}.t")
    mariadb.do(f"CREATE VIEW {source}.above AS SELECT *, 'y' AS z FROM {source}.v")
    mariadb.do(
        f"CREATE VIEW {source}.plain AS SELECT a, UPPER(w) AS w, n FROM {source}.t"
        " WHERE (a) IN (0, 1, 2, 3) AND w <> '`f`.`g`('''"
    )
    for table in ("v", "above"):
        more = {"z": "insensitive"} if table == "above" else {}
        policy = policy_on(mariadb, policy_data({**HELD_COLUMNS, **more}, k=5), table=table)
        with pytest.raises(PolicyError, match=r"calls the function in_[0-9a-f]+\.f:"):
            anonsql.run(policy)
    assert mariadb.do(f"SELECT COUNT(*) FROM {source}.loot") == [(0,)]
    policy = policy_on(mariadb, policy_data(HELD_COLUMNS, k=5), table="plain")
    assert anonsql.run(policy).released == 40


PLANTED = {
    "comment on a table": "ALTER TABLE {r}.r COMMENT 'Ann'",
    "comment on a column": "ALTER TABLE {r}.r MODIFY n BIGINT COMMENT 'Ann'",
    "comment on facts": "ALTER TABLE {r}.r__about COMMENT 'Ann'",
    "comment on the database": "ALTER DATABASE {r} COMMENT 'Ann'",
    "trigger": "CREATE TRIGGER {r}.ann BEFORE INSERT ON {r}.r FOR EACH ROW SET @a = 1",
    "event": "CREATE EVENT {r}.ann ON SCHEDULE EVERY 1 YEAR DO SELECT 'Ann'",
    "procedure": "CREATE PROCEDURE {r}.ann() SELECT 'Ann'",
    "function": "CREATE FUNCTION {r}.ann() RETURNS text RETURN 'Ann'",
    "sequence": "CREATE SEQUENCE {r}.ann",
    "table": "CREATE TABLE {r}.r__names AS SELECT 'Ann' AS name",
    "false release": "CREATE TABLE {r}.x__about (name text)",
    "view": "CREATE VIEW {r}.ann AS SELECT * FROM {r}.r",
    "default": "ALTER TABLE {r}.r ALTER n SET DEFAULT 77",
    "not null": "ALTER TABLE {r}.r MODIFY n BIGINT NOT NULL",
    "check": "ALTER TABLE {r}.r ADD CHECK (n <> 77)",
    "check of a column": "ALTER TABLE {r}.r MODIFY n BIGINT CHECK (n <> 77)",
    "key": "ALTER TABLE {r}.r ADD INDEX ann (n)",
    "primary key": "ALTER TABLE {r}.r ADD COLUMN ann BIGINT AUTO_INCREMENT PRIMARY KEY",
    "partition": "ALTER TABLE {r}.r PARTITION BY HASH (n) PARTITIONS 2",
    "option": "ALTER TABLE {r}.r ROW_FORMAT = COMPACT",
    "engine": "ALTER TABLE {r}.r ENGINE = Aria",
    "collation": "ALTER TABLE {r}.r CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    "old rows": "ALTER TABLE {r}.r ADD SYSTEM VERSIONING",
    "generated column": "ALTER TABLE {r}.r ADD COLUMN ann VARCHAR(3) AS ('Ann')",
    "invisible column": "ALTER TABLE {r}.r ADD COLUMN ann VARCHAR(3) INVISIBLE",
    "width": "ALTER TABLE {r}.r MODIFY n BIGINT(17)",
    "length": "ALTER TABLE {r}.r MODIFY a VARCHAR(77)",
    "type": "ALTER TABLE {r}.r MODIFY w ENUM('flu', 'Ann')",
    "set": "ALTER TABLE {r}.r MODIFY w SET('flu', 'Ann')",
    "type of facts": "ALTER TABLE {r}.r__columns MODIFY role ENUM('sensitive', 'insensitive',"
    " 'quasi-identifying', 'Ann')",
    "character set of a column": "ALTER TABLE {r}.r MODIFY w VARCHAR(3) CHARACTER SET latin1",
    "digits": "ALTER TABLE {r}.r MODIFY n DECIMAL(17, 0)",
    "everybody": "GRANT SELECT ON {r}.r TO PUBLIC",
}


HELD_COLUMNS = {"a": {"type": "interval", "widths": [2]}, "w": "sensitive", "n": "insensitive"}


HELD = ({"a": "BIGINT", "w": "VARCHAR", "n": "BIGINT"}, [(n % 4, "flu", n % 5) for n in range(40)])


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """A release, its policy, and the tables as they were published, kept for the next test."""
    made = DATABASES["mariadb"](tmp_path_factory.mktemp("held"))
    made.make(*HELD)
    policy = policy_of(made, HELD_COLUMNS, k=5)
    anonsql.run(policy)
    yield made, policy
    made.close()


@pytest.mark.parametrize("kind", PLANTED)
def test_what_is_no_part_of_a_release_is_refused(held, kind):
    engine, policy = held
    anonsql.verify(policy)
    engine.do(PLANTED[kind].format(r=engine.release))
    try:
        with pytest.raises(
            AnonsqlError, match=r"content that is not part of a release: |is not a release of"
        ):
            anonsql.verify(policy)
    finally:
        engine.do(f"DROP DATABASE {engine.release}")
        if kind == "everybody":
            engine.do(f"REVOKE SELECT ON {engine.release}.r FROM PUBLIC")
        anonsql.run(policy)


def test_other_releases_and_readers_are_none_of_its_business(mariadb):
    mariadb.make(*HELD)
    policy = policy_of(mariadb, HELD_COLUMNS, k=5)
    policies = [policy, updated(policy, release={"table": f"{mariadb.release}.q"})]
    for policy in policies:
        anonsql.run(policy)
    reader = f"reader_{mariadb.source}"
    mariadb.do(f"CREATE USER {reader}")
    mariadb.do(f"GRANT SELECT ON {mariadb.release}.* TO {reader}")
    mariadb.do(f"CREATE VIEW {mariadb.source}.ill AS SELECT * FROM {mariadb.release}.r")
    try:
        for policy in policies:
            assert anonsql.verify(policy).released == 40
    finally:
        mariadb.do(f"DROP USER {reader}")


def test_lengths_tell_nothing_of_suppressed_rows(mariadb):
    rows = [(1, "flu", "ab", Decimal("1.50")) for _ in range(40)]
    rows += [(99, "a disease of 24 letters!", "abcdefghijklmnopqrstuvwx", Decimal("12345.00"))]
    mariadb.make({"a": "BIGINT", "w": "VARCHAR", "z": "VARCHAR", "m": "DECIMAL(7,2)"}, rows)
    columns = {
        "a": {"type": "interval", "widths": [2]},
        "w": "sensitive",
        "z": {"type": "suppression"},
        "m": "insensitive",
    }
    policy = policy_on(mariadb, policy_data(columns, k=5, limit=0.2))
    assert anonsql.run(policy).suppressed == 1
    anonsql.verify(policy, against_source=True)
    types = {name: kind for name, kind, *_ in mariadb.do(f"DESCRIBE {mariadb.release}.r")}
    assert (types["w"], types["z"], types["m"]) == ("varchar(3)", "varchar(2)", "decimal(38,2)")
