"""What only a server has: roles, passwords, locks, privileges, schemas, and a transaction around
everything."""

import hashlib
import json
import re
import threading
import time
from decimal import Decimal

import psycopg
import pytest
import sqlalchemy

import anonsql
from anonsql.engines.contents import Item, allowed, unexpected_objects
from anonsql.engines.postgres import engine as postgres
from anonsql.engines.postgres import session as postgres_session
from anonsql.engines.postgres.target import PostgresTarget, claim_name
from anonsql.errors import BusyError, PolicyError, VerificationError
from anonsql.features.init.command import given_place
from anonsql.jobs import pipeline
from anonsql.policy.locations import Location
from anonsql.sql import templates

from . import clinic, test_relational
from .engines import Postgres, policy_on
from .support import before_stage, cli, ended, flat, in_memory, policy_data, updated, write_data

AGES = [(n % 4, f"N{n}", "flu") for n in range(40)]
TYPES = {"age": "INTEGER", "name": "VARCHAR", "disease": "VARCHAR"}
COLUMNS = {
    "age": {"type": "interval", "widths": [2]},
    "name": "identifying",
    "disease": "sensitive",
}


@pytest.fixture
def server(tmp_path):
    made = Postgres(tmp_path)
    made.make(TYPES, AGES)
    yield made
    made.close()


@pytest.fixture
def role(server):
    """A role without any privilege, and its URL. Unix sockets trust it; its password does not
    matter there."""
    name = f"r_{server.source}"
    server.connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'pw'")
    yield name
    server.connection.execute(f"DROP OWNED BY {name} CASCADE; DROP ROLE {name}")


def as_role(url, role):
    """The URL of another role on the same server."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{role}:pw@{rest.partition('@')[2] or rest}"


def run(server, data, *options):
    return cli("run", write_data(server.folder, data), *options)


def data_on(server, url=None, **more):
    """A policy over the table of the server, where the URL may be another."""
    source, release = server.places()
    there = {} if url is None else {"database": url}
    return policy_data(COLUMNS, k=5, source=source | there, release=release | there | more)


def data_of(server, role):
    """What another role is to run."""
    return data_on(server, as_role(server.url, role))


def let_read(server, role, *more):
    """Let a role read the source, and what statements do besides."""
    statements = (
        f"GRANT USAGE ON SCHEMA {server.source} TO {role}",
        f"GRANT SELECT ON {server.source}.t TO {role}",
        *more,
    )
    server.connection.execute("; ".join(statements))


def let_create(server, role):
    """The statement that lets a role create schemas."""
    database = server.connection.execute("SELECT current_database()").fetchone()[0]
    return f'GRANT CREATE ON DATABASE "{database}" TO {role}'


def test_a_reader_sees_the_release_and_nothing_else(server, role):
    anonsql.run(policy_on(server, {**policy_data(COLUMNS, k=5), "release": {"grant": [role]}}))
    with psycopg.connect(as_role(server.url, role), autocommit=True) as reader:
        assert reader.execute(f"SELECT count(*) FROM {server.release}.r").fetchone() == (40,)
        assert (
            dict(reader.execute(f"SELECT * FROM {server.release}.r__about").fetchall())["k"] == "5"
        )
        assert reader.execute(f"SELECT count(*) FROM {server.release}.r__columns").fetchone()[0] > 0
        for refused in (
            f"SELECT * FROM {server.source}.t",
            f"DROP TABLE {server.release}.r",
            f"CREATE TABLE {server.release}.x (a int)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(refused)
        readable = reader.execute(
            "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid ="
            " c.relnamespace WHERE c.relkind IN ('r', 'v', 'm', 'p') AND n.nspname !~"
            " '^pg_|information_schema' AND has_schema_privilege(n.oid, 'USAGE') AND"
            " has_table_privilege(c.oid, 'SELECT')"
        ).fetchall()
        assert {name for (name,) in readable} == {
            f"{server.release}.{table}" for table in ("r", "r__about", "r__columns", "r__completed")
        }
    assert server.schemas() == []


def test_nothing_of_the_source_is_in_the_release(server):
    anonsql.run(policy_on(server, policy_data(COLUMNS, k=5)))
    statistics = server.connection.execute(
        "SELECT coalesce(string_agg(most_common_vals::text || histogram_bounds::text, ''), '') FROM"
        " pg_stats WHERE schemaname = %s",
        [server.release],
    ).fetchone()[0]
    comments = server.connection.execute(
        "SELECT count(*) FROM pg_description d JOIN pg_class c ON c.oid = d.objoid JOIN"
        " pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s",
        [server.release],
    ).fetchone()
    assert "N1" not in statistics and comments == (0,)
    files = server.connection.execute(
        "SELECT relpersistence FROM pg_class WHERE relname = 'r' AND relnamespace ="
        " %s::regnamespace",
        [server.release],
    )
    assert files.fetchone() == ("p",)


def test_a_source_that_changes_during_the_run_is_seen_as_it_was(server, monkeypatch):
    def meddle(job):
        server.connection.execute(
            f"INSERT INTO {server.source}.t SELECT 99, 'late', 'flu' FROM generate_series(1, 3)"
        )

    before_stage(monkeypatch, pipeline.stage, meddle)
    report = anonsql.run(policy_on(server, policy_data(COLUMNS, k=5)))
    assert (report.records, report.released, len(server.read())) == (40, 40, 40)


def test_a_second_run_at_the_same_time_is_told_who_runs(server, monkeypatch, tmp_path):
    """From two machines: the folders that lock a release on one machine differ."""
    waiting, go_on = threading.Event(), threading.Event()

    def wait(job):
        if threading.current_thread() is not threading.main_thread():
            waiting.set()
            go_on.wait(30)

    monkeypatch.setattr(pipeline, "RELEASE", (wait, *pipeline.RELEASE))
    policy = policy_on(server, policy_data(COLUMNS, k=5))
    first = threading.Thread(target=anonsql.run, args=[policy])
    first.start()
    try:
        assert waiting.wait(30)
        other = tmp_path / "elsewhere"
        other.mkdir()
        server.folder = other
        result = run(server, data_on(server))
        assert result.exit_code == 3
        printed = flat(result.output)
        assert re.search(
            r"is locked by backend \d+ of the role '\w+', in a transaction since", printed
        )
        assert "which calls itself 'anonsql run on " in printed
        assert anonsql.check(policy_on(server, policy_data(COLUMNS, k=5))).status == "ok"
    finally:
        go_on.set()
        first.join()
    assert server.released() and server.schemas() == []


def test_wrong_password(server, monkeypatch):
    monkeypatch.setenv("DB_PASSWORD", "s3cr/t@:%")

    def refused(*_args, **_options):
        raise psycopg.OperationalError(
            'connection failed: FATAL:  password authentication failed for user "me"'
        )

    monkeypatch.setattr("psycopg.connect", refused)
    monkeypatch.setattr(postgres.psycopg, "connect", refused)
    result = run(server, data_on(server, "postgresql://me:${DB_PASSWORD}@host:5432/db"))
    assert result.exit_code == 3
    assert "does not accept the user or the password" in flat(result.output) and "s3cr" not in flat(
        result.output
    )
    assert "postgresql://me:***@host:5432/db" in flat(result.output)


def test_a_password_may_hold_anything(monkeypatch, tmp_path):
    from anonsql.policy.locations import database

    monkeypatch.setenv("DB_PASSWORD", "p@ss:w/ord%?#é")
    place = database("postgresql://me:${DB_PASSWORD}@host/db", "", lambda text: tmp_path / text)
    assert sqlalchemy.make_url(place.url).password == "p@ss:w/ord%?#é"
    assert str(place) == "postgresql://me:***@host/db"


def test_unreachable(server):
    result = run(server, data_on(server, "postgresql://me:geheim@127.0.0.1:1/db"), "--json")
    assert result.exit_code == 3
    document = json.loads(result.stdout)
    assert (
        document["error"] == "busy"
        and "cannot be reached" in document["message"]
        and "geheim" not in flat(result.output)
    )
    assert "geheim" not in (
        server.folder / f"{server.release}.r.anonsql.duckdb"
    ).read_bytes().decode("latin-1")


def test_no_such_database(server):
    start, _, rest = server.url.rpartition("/postgres?")
    result = run(server, data_on(server, f"{start}/nowhere?{rest}"))
    ended(result, 3, "there is no such database")


def test_no_right_to_read(server, role):
    result = run(server, data_of(server, role))
    assert result.exit_code == 2
    assert f"the role {role} may not read {server.source}.t" in flat(
        result.output
    ) and "GRANT SELECT" in flat(result.output)


def test_no_right_to_make_scratch(server, role):
    let_read(server, role)
    result = run(server, data_of(server, role))
    ended(result, 2, "may not create schemas", "GRANT CREATE ON DATABASE")
    ended(cli("check", server.folder / "policy.yaml"), 2, "may not create schemas")


def test_a_reader_without_more_rights_asks_and_verifies(server, role):
    """Who may read a release may query and verify it: what that needs are temporary tables."""
    data = data_on(server, grant=[role])
    assert run(server, data).exit_code == 0
    url = as_role(server.url, role)
    sql = f"SELECT COUNT(*) FROM {server.release}.r WHERE age >= 0"
    asked = cli("query", url, sql, "--json")
    assert asked.exit_code == 0, asked.output
    answer = json.loads(asked.stdout)["answers"][0]
    assert answer["lower"] == answer["upper"] == len(AGES)
    data["source"]["database"] = data["release"]["database"] = url
    path = write_data(server.folder, data)
    verified = cli("verify", path)
    assert verified.exit_code == 0, verified.output


def test_no_right_to_the_release_schema(server, role):
    let_read(server, role, let_create(server, role), f"CREATE SCHEMA {server.release}")
    data = data_of(server, role)
    ended(
        run(server, data),
        2,
        f"may not create tables in the schema {server.release}",
        "GRANT CREATE, USAGE ON SCHEMA",
    )
    server.connection.execute(f"GRANT CREATE, USAGE ON SCHEMA {server.release} TO {role}")
    assert run(server, data).exit_code == 0


def test_a_read_only_server(server, role):
    let_read(server, role, f"ALTER ROLE {role} SET default_transaction_read_only = on")
    ended(run(server, data_of(server, role)), 2, "is read-only", "primary")


def test_what_stands_in_the_way_is_not_replaced(server):
    server.connection.execute(
        f"CREATE SCHEMA {server.release}; CREATE TABLE {server.release}.r (precious int)"
    )
    ended(run(server, data_on(server)), 2, "already exists and is not a release of anonsql")
    assert server.connection.execute(f"SELECT count(*) FROM {server.release}.r").fetchone() == (0,)


def test_a_release_of_another_role_is_named_with_its_owner(server, role):
    assert run(server, data_on(server)).exit_code == 0
    [owner] = server.connection.execute("SELECT CURRENT_USER").fetchone()
    let_read(server, role, let_create(server, role))
    server.connection.execute(f"GRANT CREATE, USAGE ON SCHEMA {server.release} TO {role}")
    result = run(server, data_of(server, role))
    ended(result, 2, f"belongs to the role {owner}: the role {role}", f"run as {owner}", "OWNER TO")
    assert "not a release" not in flat(result.output)


def test_views_on_a_release_are_named(server):
    assert run(server, data_on(server)).exit_code == 0
    server.connection.execute(
        f"CREATE VIEW {server.release}.report AS SELECT * FROM {server.release}.r"
    )
    ended(run(server, data_on(server)), 2, "report", "Drop them before the run")


def test_a_release_in_the_schema_of_the_source(server):
    data = data_on(server)
    data["release"]["table"] = f"{server.source}.r"
    ended(run(server, data), 2, "this is the source's schema")
    data["release"]["table"] = "r"
    assert "names no schema" in flat(run(server, data).output)


def test_roles_that_are_not_there(server):
    result = run(server, data_on(server, grant=["nobody_at_all"]))
    assert result.exit_code == 2 and "there is no role nobody_at_all" in flat(result.output)


def test_names_that_are_too_long(server):
    data = data_on(server)
    data["release"]["table"] = f"{server.release}.{'x' * 60}"
    ended(run(server, data), 2, "longer than the 63 bytes")


def test_more_tables_than_three(server, role):
    """They are granted like the others, their names count, and views that read them stand in the
    way."""
    data = data_on(server, grant=[role])
    data["columns"] = {
        "age": {"role": "qi"},
        "name": {"role": "identifying"},
        "disease": {"role": "sensitive"},
    }
    data |= {"method": {"type": "anatomy"}, "privacy": {"k": 1, "l_diversity": {"disease": 2}}}
    server.make(TYPES, [(n % 9, f"N{n}", ("flu", "cold")[n % 2]) for n in range(20)])
    assert run(server, data).exit_code == 0
    with psycopg.connect(as_role(server.url, role), autocommit=True) as reader:
        assert reader.execute(
            f"SELECT count(*), max(count) FROM {server.release}.r__sensitive"
        ).fetchone() == (20, 1)
    server.connection.execute(
        f"CREATE VIEW {server.release}.report AS SELECT * FROM {server.release}.r__sensitive"
    )
    ended(run(server, data), 2, "Drop them before the run")
    server.connection.execute(f"DROP VIEW {server.release}.report")
    data["release"]["table"] = f"{server.release}.{'x' * 53}"
    ended(run(server, data), 2, "__sensitive' is longer than the 63 bytes")
    assert run(server, {**data_on(server), "method": {"levels": {"age": 2}}}).exit_code == 0
    assert server.parts() == {"r", "r__about", "r__columns"}


def test_a_release_elsewhere_is_refused(server):
    data = data_on(server)
    data["release"]["database"] = "postgresql://me@elsewhere/db"
    ended(run(server, data), 2, "release.database", "Name the source's URL, or a file")


def test_rows_that_a_policy_of_the_server_hides_are_an_error(server, role):
    """Row-level security would give a part of the rows in silence."""
    let_read(
        server,
        role,
        let_create(server, role),
        f"ALTER TABLE {server.source}.t ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY part ON {server.source}.t FOR SELECT USING (age < 2)",
    )
    ended(run(server, data_of(server, role)), 2, "row-level security")
    assert not server.released()


@pytest.mark.parametrize(
    ("kind", "value", "released"),
    [
        ("jsonb", '{"a": 1}', {"a": 1}),
        ("json", '{"a": 1}', {"a": 1}),
        ("integer[]", "{1,2}", [1, 2]),
        ("inet", "10.0.0.1", None),
        ("char(5)", "ab", "ab   "),
        ("numeric", "1.2345678901234567890123", None),
        ("interval", "1 day", None),
        ("bytea", "\\x00ff", b"\x00\xff"),
        ("time", "12:30", None),
        ("timestamptz", "2020-01-01 00:00:00+02", None),
    ],
)
def test_kept_columns_of_the_servers_own_types(server, kind, value, released):
    """They stay what they are on the server, and go to files as text where DuckDB has no such
    type."""
    server.make({"age": "INTEGER", "kept": kind}, [(n % 2, value) for n in range(10)] + [(0, None)])
    data = policy_data({"age": {"type": "suppression"}, "kept": "sensitive"}, k=5)
    anonsql.run(policy_on(server, data))
    rows = [row[-1] for row in server.read() if row[-1] is not None]
    assert len(rows) == 10 and (released is None or rows[0] == released)
    policy = policy_on(server, data).model_copy(
        update={
            "release": anonsql.policy.policy.Release(file="out.parquet", table="r", completed=0)
        }
    )
    anonsql.run(policy)
    anonsql.verify(policy)


def test_unconstrained_numerics_are_generalized_exactly(server):
    values = ["0.1", "0.30", "7.999999999999999999", "8", "-0.000000000000000001", "123456789.5"]
    server.make({"x": "numeric"}, [(Decimal(value),) for value in values for _ in range(2)])
    data = policy_data(
        {"x": {"type": "interval", "widths": [0.1, 4]}}, k=2, method={"levels": {"x": 2}}
    )
    anonsql.run(policy_on(server, data))
    assert {row[0] for row in server.read()} == {
        "[0.0,4.0)",
        "[4.0,8.0)",
        "[8.0,12.0)",
        "[-4.0,0.0)",
        "[123456788.0,123456792.0)",
    }


def test_nothing_is_left_of_a_session_that_was_killed(server, monkeypatch):
    def killed(job):
        server.connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE"
            " 'anonsql run%'"
        )
        time.sleep(0.3)

    anonsql.run(policy_on(server, policy_data(COLUMNS, k=5)))
    before = sorted(server.read())
    before_stage(monkeypatch, pipeline.publish_release, killed)
    ended(run(server, data_on(server)), 3, "connection to PostgreSQL was lost")
    assert sorted(server.read()) == before and server.schemas() == []


def test_init_on_a_server(server):
    output = server.folder / "mine.yaml"
    result = cli("init", server.url, f"{server.source}.t", "-o", output)
    assert result.exit_code == 0, result.output
    written = output.read_text()
    assert f'table: "{server.source}.t"' in written or f"table: {server.source}.t" in written
    assert "age" in written


def test_init_keeps_no_password(server, tmp_path):
    url = "postgresql://me:geheim@host/db"
    assert (
        given_place(url, Location("postgres", url=url), tmp_path / "p.yaml")
        == "postgresql://me:${DATABASE_PASSWORD}@host/db"
    )
    url = "postgresql://me:${PW}@host/db"
    assert given_place(url, Location("postgres", url=url), tmp_path / "p.yaml") == url


def test_a_url_that_is_none(server):
    result = run(server, data_on(server, "postgresql://me:pw@host:port/db"))
    assert result.exit_code == 2 and "PostgreSQL does not understand this URL" in flat(
        result.output
    )


def test_verify_without_a_release(server):
    with pytest.raises(PolicyError, match=r"release\.table: there is no table"):
        anonsql.verify(policy_on(server, policy_data(COLUMNS, k=5)))


@pytest.mark.parametrize("schema_was_there", [True, False])
def test_a_release_that_somebody_made_anew_during_the_run(server, monkeypatch, schema_was_there):
    if schema_was_there:
        server.connection.execute(f"CREATE SCHEMA {server.release}")

    made = (
        f"CREATE SCHEMA IF NOT EXISTS {server.release}; CREATE TABLE {server.release}.r (precious"
        " int)"
    )

    def meddle(job):
        if schema_was_there:
            server.connection.execute(made)
            return
        server.connection.execute("SET lock_timeout = '200ms'")  # the run has it made already
        with pytest.raises(psycopg.errors.LockNotAvailable):
            server.connection.execute(made)

    before_stage(monkeypatch, pipeline.publish_release, meddle)
    result = run(server, data_on(server))
    if not schema_was_there:
        assert result.exit_code == 0 and server.parts() == {"r", "r__about", "r__columns"}
        return
    ended(result, 3, "Another session made a schema or table")
    assert server.connection.execute(f"SELECT count(*) FROM {server.release}.r").fetchone() == (0,)


def test_a_server_of_another_encoding(server):
    name = f"latin_{server.source}"
    server.connection.execute(
        f"CREATE DATABASE {name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    )
    try:
        start, _, rest = server.url.rpartition("/postgres?")
        url = f"{start}/{name}?{rest}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE t (city text)")
            connection.execute("INSERT INTO t SELECT ' Zürich ' FROM generate_series(1, 10)")
        data = policy_data({"city": {"type": "suppression"}}, k=5)
        data["source"], data["release"] = (
            {"database": url, "table": "t", "trim": True},
            {"file": "o.parquet", "table": "r"},
        )
        result = run(server, data)
        assert result.exit_code == 0, result.output
        released = f"SELECT DISTINCT city FROM '{server.folder / 'o.parquet'}'"
        assert in_memory(released) == [("Zürich",)]
    finally:
        server.connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:p@ss@h/db", "postgresql://u:***@h/db"),
        (
            "postgresql://u@h/db?password=abc&sslmode=require",
            "postgresql://u@h/db?password=***&sslmode=require",
        ),
        ("sc://h:15002/;token=abc;user_id=me", "sc://h:15002/;token=***;user_id=me"),
    ],
)
def test_secrets_are_not_shown(url, shown):
    assert str(Location("postgres", url=url)) == shown


def test_nobody_replaces_a_release_while_a_run_does(server, monkeypatch):
    assert run(server, data_on(server)).exit_code == 0

    def meddle(job):
        server.connection.execute("SET lock_timeout = '200ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            server.connection.execute(f"DROP TABLE {server.release}.r")

    before_stage(monkeypatch, pipeline.publish_release, meddle)
    assert run(server, data_on(server)).exit_code == 0


# locks


def test_no_login_role_can_hold_up_a_release(server, role):
    """Whatever advisory locks it takes, and whatever it calls itself: only who may create in the
    schema could."""
    name = f"{server.release}.r"
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) >> 1
    with psycopg.connect(as_role(server.url, role), autocommit=True) as other:
        other.execute(f"SELECT pg_advisory_lock({key})")
        assert run(server, data_on(server)).exit_code == 0
        other.execute("BEGIN")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            other.execute(f"LOCK TABLE {server.release}.r__about IN ACCESS SHARE MODE")
        other.execute("ROLLBACK")
        assert run(server, data_on(server)).exit_code == 0


def test_a_lock_whose_holder_pretends_to_be_another(server, monkeypatch):
    """What a session calls itself is quoted, and stands behind what the server knows of it."""
    monkeypatch.setattr("anonsql.engines.postgres.engine._SECONDS", 2)
    url = server.url + ("&" if "?" in server.url else "?")
    named = "x%0Aerror:%20all%20is%20lost%1B[31m'"
    with psycopg.connect(f"{url}application_name={named}") as other:
        other.execute(f"CREATE SCHEMA {server.release}")
        result = run(server, data_on(server))
        other.rollback()
    assert result.exit_code == 3
    assert re.search(
        r"is locked by backend \d+ of the role '\w+', in a transaction", flat(result.output)
    )
    assert "\nerror: all" not in result.output and "\x1b" not in result.output
    assert run(server, data_on(server)).exit_code == 0


def test_a_release_that_was_replaced_while_a_run_waited_for_it(server, monkeypatch):
    """The run sees the database as it was when it began, so it must not go on with what was there
    then."""
    assert run(server, data_on(server)).exit_code == 0
    claim = PostgresTarget._claim

    def late(*args, **kwargs):
        monkeypatch.setattr(PostgresTarget, "_claim", claim)
        with psycopg.connect(server.url, autocommit=True) as other:
            other.execute(
                f"CREATE TABLE {server.release}.new AS SELECT * FROM {server.release}.r__about;DROP"
                f" TABLE {server.release}.r__about; ALTER TABLE {server.release}.new RENAME TO"
                " r__about"
            )
        claim(*args, **kwargs)

    monkeypatch.setattr(PostgresTarget, "_claim", late)
    ended(run(server, data_on(server)), 3, "was just replaced by another run")
    assert run(server, data_on(server)).exit_code == 0


def test_a_table_by_the_name_of_the_lock(server):
    server.connection.execute(
        f"CREATE SCHEMA {server.release}; CREATE TABLE {server.release}.{claim_name('r')} ()"
    )
    ended(run(server, data_on(server)), 2, "a run needs that name", "Drop it")


def test_who_holds_a_table_that_a_run_waits_for(server, monkeypatch, caplog):
    """It is said after a while, and the run goes on when the table is free."""
    monkeypatch.setattr(postgres_session, "_PATIENCE", 0.3)
    other = psycopg.connect(server.url)
    other.execute(f"LOCK TABLE {server.source}.t IN ACCESS EXCLUSIVE MODE")
    free = threading.Timer(2, other.rollback)
    free.start()
    result = run(server, data_on(server))
    free.join()
    pid = other.info.backend_pid
    other.close()
    assert result.exit_code == 0, result.output
    message = f"waiting for a lock on {server.source}.t that is held by backend {pid} of the role"
    assert message in flat(result.output), result.output


def test_who_held_a_table_that_a_run_gave_up_on(server, monkeypatch):
    monkeypatch.setattr(postgres_session, "_PATIENCE", 0.3)

    def impatient(job):
        job.engine.execute("engines/postgres/lock_timeout", seconds=2)

    opening = (*pipeline.OPEN, impatient, pipeline.fingerprint_source)
    monkeypatch.setattr(pipeline, "OPEN_RUN", opening)
    with psycopg.connect(server.url) as other:
        other.execute(f"LOCK TABLE {server.source}.t IN ACCESS EXCLUSIVE MODE")
        pid = other.info.backend_pid
        result = run(server, data_on(server))
        other.rollback()
    text = flat(result.output)
    assert result.exit_code == 3 and f"It was held by backend {pid} of the role" in text


def test_a_session_that_looks_after_locks_may_fail(server, monkeypatch):
    """Without a connection to spare nobody is named, and that is all."""

    def refused(*_args):
        raise BusyError("no free connection")

    monkeypatch.setattr(postgres_session, "_PATIENCE", 0.0001)
    monkeypatch.setattr(postgres_session, "connect", refused)
    assert run(server, data_on(server)).exit_code == 0


# readers


def test_a_reader_that_the_role_cannot_let_in(server, role):
    """The schema is another's: `check` and `run` say so with the GRANT, and nothing is
    published."""
    reader = f"reader_{server.source}"
    database = server.connection.execute("SELECT current_database()").fetchone()[0]
    server.connection.execute(
        f"CREATE ROLE {reader}; CREATE SCHEMA {server.release}; GRANT USAGE, CREATE ON SCHEMA"
        f" {server.release} TO {role};"
        f"GRANT USAGE ON SCHEMA {server.source} TO {role}; GRANT SELECT ON {server.source}.t TO"
        f" {role};"
        f'GRANT CREATE ON DATABASE "{database}" TO {role}'
    )
    try:
        data = data_on(server, grant=[reader])
        data["source"]["database"] = data["release"]["database"] = as_role(server.url, role)
        grant = f'GRANT USAGE ON SCHEMA "{server.release}" TO "{reader}"'
        for command in ("check", "run"):
            ended(cli(command, write_data(server.folder, data)), 2, grant)
        assert not server.released()
        server.connection.execute(grant)
        assert run(server, data).exit_code == 0
        readable = f"SELECT has_table_privilege('{reader}', '{server.release}.r', 'SELECT')"
        assert server.connection.execute(readable).fetchone() == (True,)
    finally:
        server.connection.execute(f"DROP OWNED BY {reader}; DROP ROLE {reader}")


def test_a_reader_who_loses_his_way_during_the_run(server, role, monkeypatch):
    """What readers can really read is looked at before the transaction ends."""
    assert run(server, data_on(server, grant=[role])).exit_code == 0
    before = sorted(server.read())

    def revoked(job):
        execute = job.engine.execute
        job.engine.execute = lambda name, **more: (
            [] if name == "engines/postgres/grant_select" else execute(name, **more)
        )

    before_stage(monkeypatch, pipeline.publish_release, revoked)
    result = run(server, data_on(server, grant=[role]))
    text = flat(result.output)
    assert result.exit_code == 2 and f'GRANT SELECT ON "{server.release}"."r" TO "{role}"' in text
    assert sorted(server.read()) == before


def test_default_privileges_open_no_release_to_everybody(server, role, caplog):
    """What tables get when they are made, PUBLIC loses; what the policy grants stays; others are
    named."""
    me = server.connection.execute("SELECT current_user").fetchone()[0]
    other = f"other_{server.source}"
    defaults = f"ALTER DEFAULT PRIVILEGES FOR ROLE {me}"
    server.connection.execute(
        f"CREATE ROLE {other}; {defaults} GRANT ALL ON TABLES TO PUBLIC; {defaults} GRANT ALL ON"
        f" SCHEMAS TO PUBLIC;{defaults} GRANT SELECT ON TABLES TO {other}"
    )
    try:
        result = run(server, data_on(server, grant=[role]))
        ended(
            result,
            0,
            f"let roles that release.grant does not name read {server.release}.r: {other}",
        )
    finally:
        server.connection.execute(
            f"{defaults} REVOKE ALL ON TABLES FROM PUBLIC; {defaults} REVOKE ALL ON SCHEMAS FROM"
            f" PUBLIC;DROP OWNED BY {other}; DROP ROLE {other}"
        )
    acl = server.connection.execute(
        "SELECT string_agg(a.x::text, ' ') FROM (SELECT unnest(relacl) FROM pg_class WHERE"
        f" relnamespace = '{server.release}'::regnamespace UNION ALL SELECT unnest(nspacl) FROM"
        f" pg_namespace WHERE nspname = '{server.release}') AS a (x)"
    ).fetchone()[0]
    assert not re.search(r"(^| )=", acl), acl
    with psycopg.connect(as_role(server.url, role), autocommit=True) as reader:
        assert reader.execute(f"SELECT count(*) FROM {server.release}.r").fetchone() == (40,)


# what a release holds besides rows


PLANTED = {
    "comment on a table": "COMMENT ON TABLE {r}.r IS 'Ann'",
    "comment on a column": "COMMENT ON COLUMN {r}.r.disease IS 'Ann'",
    "comment on facts": "COMMENT ON TABLE {r}.r__about IS 'Ann'",
    "comment on the schema": "COMMENT ON SCHEMA {r} IS 'Ann'",
    "comment on a row type": "COMMENT ON TYPE {r}.r IS 'Ann'",
    "trigger": "CREATE FUNCTION {s}.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
    "CREATE TRIGGER ann BEFORE INSERT ON {r}.r FOR EACH ROW EXECUTE FUNCTION {s}.f()",
    "function": "CREATE FUNCTION {r}.ann() RETURNS text LANGUAGE sql RETURN 'Ann'",
    "rule": "CREATE RULE ann AS ON INSERT TO {r}.r DO INSTEAD NOTHING",
    "policy": "CREATE POLICY ann ON {r}.r USING (disease <> 'Ann')",
    "row-level security": "ALTER TABLE {r}.r ENABLE ROW LEVEL SECURITY",
    "default value": "ALTER TABLE {r}.r ALTER disease SET DEFAULT 'Ann'",
    "table constraint": "ALTER TABLE {r}.r ADD CHECK (disease <> 'Ann')",
    "NOT NULL": "ALTER TABLE {r}.r ALTER disease SET NOT NULL",
    "index": "CREATE INDEX ann ON {r}.r (disease)",
    "extra table": "CREATE TABLE {r}.r__names AS SELECT 'Ann' AS name",
    "false release": "CREATE TABLE {r}.x (name text); CREATE TABLE {r}.x__about (name text);"
    "CREATE TABLE {r}.x__columns (name text)",
    "view": "CREATE VIEW {r}.ann AS SELECT * FROM {r}.r",
    "materialized view": "CREATE MATERIALIZED VIEW {r}.ann AS SELECT * FROM {r}.r",
    "statistics": "CREATE STATISTICS {s}.ann ON age, disease FROM {r}.r",
    "GRANT to PUBLIC": "GRANT SELECT ON {r}.r TO PUBLIC",
    "GRANT of a column": "GRANT SELECT (disease) ON {r}.r TO PUBLIC",
    "heir": "CREATE TABLE {s}.ann () INHERITS ({r}.r)",
    "parent": "CREATE TABLE {s}.ann (disease varchar); ALTER TABLE {r}.r INHERIT {s}.ann",
    "dropped column": "ALTER TABLE {r}.r ADD name text; UPDATE {r}.r SET name = 'Ann';"
    "ALTER TABLE {r}.r DROP name",
    "declared length": "ALTER TABLE {r}.r ALTER disease TYPE varchar(77)",
    "digits": "ALTER TABLE {r}.r ALTER age_lo TYPE numeric(17, 3)",
    "type": "CREATE TYPE {r}.ann AS ENUM ('Ann')",
    "column of the row type": "CREATE TABLE {s}.ann (a {r}.r)",
    "domain": "CREATE DOMAIN {r}.ann AS text",
    "sequence": "CREATE SEQUENCE {r}.ann",
    "owned sequence": "CREATE SEQUENCE {r}.ann OWNED BY {r}.r.disease",
    "key": "ALTER TABLE {r}.r__about ADD UNIQUE (property)",
    "identity": "ALTER TABLE {r}.r ALTER age_lo SET NOT NULL,"
    " ALTER age_lo ADD GENERATED ALWAYS AS IDENTITY",
    "storage option": "ALTER TABLE {r}.r SET (fillfactor = 77)",
    "column option": "ALTER TABLE {r}.r ALTER disease SET (n_distinct = 77)",
    "statistics target": "ALTER TABLE {r}.r ALTER disease SET STATISTICS 77",
    "storage": "ALTER TABLE {r}.r ALTER disease SET STORAGE plain",
    "replica identity": "ALTER TABLE {r}.r REPLICA IDENTITY FULL",
    "unlogged": "ALTER TABLE {r}.r SET UNLOGGED",
    "publication": "CREATE PUBLICATION ann_{s} FOR TABLE {r}.r WHERE (disease <> 'Ann')",
    "enumeration of another schema": "CREATE TYPE {s}.ann AS ENUM ('flu', 'Ann');"
    "ALTER TABLE {r}.r ALTER disease TYPE {s}.ann USING 'flu'",
    "array of it": "CREATE TYPE {s}.ann AS ENUM ('flu', 'Ann');"
    "ALTER TABLE {r}.r ALTER disease TYPE {s}.ann[] USING ARRAY['flu']::{s}.ann[]",
    "composite": "CREATE TYPE {s}.ann AS (ann text);"
    "ALTER TABLE {r}.r ALTER disease TYPE {s}.ann USING ROW(disease)::{s}.ann",
    "domain of another schema": "CREATE DOMAIN {s}.ann AS varchar CHECK (VALUE <> 'Ann');"
    "ALTER TABLE {r}.r ALTER disease TYPE {s}.ann",
    "domain of facts": "CREATE DOMAIN {s}.ann AS varchar;"
    "ALTER TABLE {r}.r__columns ALTER role TYPE {s}.ann",
    "range": "CREATE TYPE {s}.ann AS RANGE (SUBTYPE = integer);"
    "ALTER TABLE {r}.r ALTER age_lo TYPE {s}.ann USING NULL",
    "collation of a column": 'CREATE COLLATION {s}.ann FROM "C";'
    "ALTER TABLE {r}.r ALTER disease TYPE varchar COLLATE {s}.ann",
    "collation": 'CREATE COLLATION {r}.ann FROM "C"',
    "text search": "CREATE TEXT SEARCH CONFIGURATION {r}.ann (COPY = pg_catalog.simple)",
    "marked row": "UPDATE {r}.r SET disease = disease WHERE ctid = (SELECT MAX(ctid) FROM {r}.r)",
    "operator": "CREATE OPERATOR {r}.### (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)",
}


@pytest.fixture(scope="module")
def released_once(tmp_path_factory):
    """A release that tests alter in a transaction of their own and put back."""
    made = Postgres(tmp_path_factory.mktemp("planted"))
    made.make(TYPES, AGES)
    policy = policy_on(made, policy_data(COLUMNS, k=5))
    anonsql.run(policy)
    yield made, policy
    made.close()


def listed(server, tables=("r", "r__about", "r__columns")):
    """What verification finds in the release as the connection of the test sees it."""
    sql = templates.render(
        "engines/postgres/contents", "postgres", schema=server.release, tables=tables, views=[]
    )
    rows = server.connection.execute(sql.replace("%", "%%")).fetchall()
    return unexpected_objects((Item(*row) for row in rows), allowed(tables))


@pytest.mark.parametrize("kind", [kind for kind in PLANTED if kind != "marked row"])
def test_what_is_no_part_of_a_release_is_listed(released_once, kind):
    server, _ = released_once
    assert listed(server) == ()
    server.connection.execute("BEGIN")
    try:
        server.connection.execute(PLANTED[kind].format(r=server.release, s=server.source))
        assert listed(server)
    finally:
        server.connection.execute("ROLLBACK")


REFUSED = ["comment on a column", "false release", "heir", "marked row", "domain of another schema"]


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_part_of_a_release_is_refused(server, kind):
    policy = policy_on(server, policy_data(COLUMNS, k=5))
    anonsql.run(policy)
    anonsql.verify(policy)
    server.connection.execute(PLANTED[kind].format(r=server.release, s=server.source))
    for against_source in (False, True):
        with pytest.raises(VerificationError, match="that is not part of a release: "):
            anonsql.verify(policy, against_source=against_source)


def test_what_an_administrator_may_add_to_a_release(server, role):
    """Readers by name, and what lies in other schemas and reads the release; other releases."""
    policy = policy_on(server, policy_data(COLUMNS, k=5))
    anonsql.run(policy)
    other = policy_on(server, {**policy_data(COLUMNS, k=5)})
    other = updated(other, release={"table": f"{server.release}.q"})
    anonsql.run(other)
    server.connection.execute(
        f"GRANT USAGE ON SCHEMA {server.release} TO {role};"
        f"GRANT SELECT ON {server.release}.r, {server.release}.r__about,"
        f" {server.release}.r__columns TO {role};"
        f"CREATE VIEW {server.source}.ill AS SELECT * FROM {server.release}.r;"
        f"CREATE FUNCTION {server.source}.ill() RETURNS bigint LANGUAGE sql BEGIN ATOMIC"
        f" SELECT COUNT(*) FROM {server.release}.r; END"
    )
    assert anonsql.verify(policy).released == anonsql.verify(other).released == 40
    release = data_on(server)["release"] | {"database": as_role(server.url, role)}
    reading = policy_on(server, policy_data(COLUMNS, k=5)).model_dump(exclude_unset=True)
    path = write_data(server.folder, {**data_on(server), "release": release}, "reader.yaml")
    assert reading
    result = cli("verify", path)
    assert result.exit_code == 0, result.output


def test_declared_lengths_are_not_released(server):
    """They may tell of values that are not: of suppressed rows, or of the source as a whole."""
    server.connection.execute(
        f"CREATE TABLE {server.source}.wide AS SELECT CAST(age AS numeric(9, 0)) AS age,"
        " CAST(name AS varchar(33)) AS name, CAST(disease AS varchar(24)) AS disease,"
        " CAST(disease AS char(9)) AS kind, CAST(1.50 AS numeric(7, 2)) AS paid,"
        f" CAST('12:00' AS time(2)) AS clock FROM {server.source}.t"
    )
    columns = {**COLUMNS, "kind": "insensitive", "paid": "insensitive", "clock": "insensitive"}
    policy = policy_on(server, policy_data(columns, k=5), table="wide")
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    types = server.connection.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attnum > 0 AND"
        f" attrelid = '{server.release}.r'::regclass"
    ).fetchall()
    assert dict(types) == {
        "age": "text",
        "age_lo": "numeric(38,0)",
        "age_hi": "numeric(38,0)",
        "disease": "character varying",
        "kind": "bpchar",
        "paid": "numeric(38,2)",
        "clock": "time without time zone",
    }
    assert {str(row[-2]) for row in server.read()} == {"1.50"}


def test_types_and_collations_of_an_owner_are_not_released(server):
    """Their names, values and fields reach nobody: a domain is what it is made of, others text."""
    s = server.source
    server.connection.execute(
        f"CREATE TYPE {s}.mood AS ENUM ('flu', 'Ann'); CREATE TYPE {s}.pair AS (ann text);"
        f"CREATE DOMAIN {s}.paid AS numeric(7, 2) CHECK (VALUE <> 77); CREATE DOMAIN {s}.twice AS"
        f' {s}.paid; CREATE COLLATION {s}.ann FROM "C"; CREATE TYPE {s}.span AS RANGE (SUBTYPE ='
        f" integer); CREATE TABLE {s}.own AS SELECT age, name, disease COLLATE {s}.ann AS disease,"
        f" 'flu'::{s}.mood AS m, ARRAY['flu'::{s}.mood] AS l, ROW('x')::{s}.pair AS p,"
        f" 1.50::{s}.paid AS d, 2.50::{s}.twice AS t, '[1,5)'::{s}.span AS r, '101'::bit(3) AS b"
        f" FROM {s}.t"
    )
    columns = {**COLUMNS, **dict.fromkeys("mlpdtrb", "insensitive")}
    policy = policy_on(server, policy_data(columns, k=5), table="own")
    anonsql.run(policy)
    for against_source in (False, True):
        assert anonsql.verify(policy, against_source=against_source).status == "verified"
    types = server.connection.execute(
        "SELECT attname, format_type(atttypid, atttypmod), attcollation FROM pg_attribute WHERE"
        f" attnum > 0 AND attrelid = '{server.release}.r'::regclass"
    ).fetchall()
    found = {name: kind for name, kind, _ in types}
    assert {found[name] for name in "mlptr"} == {"text"}
    assert (found["d"], found["b"]) == ("numeric(38,2)", "bit(3)")
    assert max(collation for *_, collation in types) < 16384


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE DOMAIN {s}.ann AS varchar; ALTER TABLE {r}.visits ALTER diagnosis TYPE {s}.ann",
        "COMMENT ON COLUMN {r}.visits.diagnosis IS 'Ann'",
        "COMMENT ON TABLE {r}.visits__about IS 'Ann'",
        "ALTER TABLE {r}.doctors ADD CHECK (ward <> 'Ann')",
        "CREATE TABLE {r}.visits__names AS SELECT 'Ann' AS name",
    ],
)
def test_what_is_no_part_of_a_release_of_several_tables(server, statement):
    test_relational.make(server, clinic.rows())
    policy = clinic.policy(*test_relational.place(server)) | test_relational.settings(server)
    anonsql.run(policy)
    anonsql.verify(policy)
    server.connection.execute(statement.format(r=server.release, s=server.source))
    with pytest.raises(VerificationError, match="that is not part of a release: "):
        anonsql.verify(policy)
