"""Nobody's namesake of a function, operator, type or table is ever called by the anonymizer."""

import contextlib
import json
import re

import duckdb
import psycopg
import pytest

import anonsql
from anonsql.engines.postgres.session import connect
from anonsql.errors import VerificationError
from anonsql.policy.locations import Location
from anonsql.policy.policy import Policy

from . import test_anatomy, test_local
from .engines import Postgres, Spark, policy_on
from .methods import RANDOMIZED, parsed
from .planted import Planted
from .postgres_server import server_url
from .support import (
    cli,
    ended,
    flat,
    in_file,
    make_source,
    opened,
    policy_data,
    policy_over,
    write_data,
)
from .test_engines import (
    FEW_TYPES,
    WIDE_TYPES,
    every_model,
    few_columns,
    few_policy,
    wide_policy,
    wide_rows,
)
from .test_postgres import AGES, COLUMNS, TYPES, as_role


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    if server_url() is None:
        pytest.skip("there is no PostgreSQL")
    made = Planted(server_url(), tmp_path_factory.mktemp("planted"))
    yield made
    made.close()


def test_the_namesakes_would_be_called(planted):
    """By a session that keeps the path of its role: else the other tests show nothing."""
    with psycopg.connect(planted.url, autocommit=True) as connection:
        for statement in (
            "SELECT array_remove(ARRAY['a'], NULL)",
            "SELECT has_database_privilege(current_database(), 'CREATE')",
            "SELECT hashtextextended(pg_catalog.text 'a', 0)",
            "SELECT 1 WHERE 'a' = pg_catalog.text 'b'",
            "SELECT CAST(1 AS text)",
            "SELECT version()",
        ):
            with pytest.raises(psycopg.errors.RaiseException, match="PLANTED"):
                connection.execute(statement)


def several_models(folder, source):
    data = every_model(folder)
    data["privacy"]["population"] = source
    return data


JOBS = {
    "all models": (WIDE_TYPES, lambda: wide_rows() * 3, several_models),
    "local": (test_local.TYPES, lambda: test_local.PEOPLE, lambda *_: test_local.data_of()),
    "anatomy": (
        test_anatomy.TYPES,
        lambda: test_anatomy.ROWS,
        lambda *_: test_anatomy.data_of(k=1, least=2),
    ),
    **{
        name: (FEW_TYPES, few_columns, lambda *_, settings=settings: few_policy(settings, 2))
        for name, settings in RANDOMIZED.items()
        if parsed(settings).leveled
    },
    **{
        " ".join(map(str, method.values())): (
            WIDE_TYPES,
            lambda: wide_rows(60, seed=3),
            lambda folder, _, method=method: wide_policy(folder, method, k=5),
        )
        for method in (
            {"type": "mondrian"},
            {"type": "ring", "sets": "array"},
        )
    },
}


@pytest.mark.parametrize("name", JOBS)
def test_no_method_calls_a_namesake(planted, name):
    types, rows, policy = JOBS[name]
    planted.make(types, rows())
    policy = policy_on(planted, policy(planted.folder, planted.places()[0]))
    report = anonsql.run(policy)
    assert anonsql.verify(policy).classes == report.classes


def test_no_command_calls_a_namesake(planted):
    planted.make(FEW_TYPES, few_columns()[:60])
    source, release = planted.places()
    columns = {
        "n": {"type": "interval", "widths": [10, 20]},
        "code": {"type": "mask", "length": 5},
        "flag": {"type": "suppression"},
        "word": "sensitive",
        "note": "insensitive",
    }
    data = policy_data(columns, k=4, limit=0.5)
    data |= {"source": source, "release": {"completed": 0, **release, "table": "out.commands"}}
    path, other = planted.folder / "policy.yaml", planted.folder / "other.yaml"
    path.write_text(json.dumps(data), encoding="utf-8")
    other.write_text(json.dumps({**data, "method": {"type": "mondrian"}}), encoding="utf-8")
    query = "SELECT COUNT(*), SUM(n) FROM out.commands WHERE word = 'plain' AND n > 0"
    for arguments in (
        ["check", path],
        ["run", path],
        ["run", path, "--if-changed"],
        ["verify", path],
        ["verify", path, "--against-source"],
        ["measure", path, "--queries", "5"],
        ["query", path, query],
        ["query", planted.url, query],
        ["search", path],
        ["compare", path, other, "--queries", "5"],
        ["apply", path, "--scheme", "out.commands"],
        ["compile", path, "--dialect", "postgres", "-o", planted.folder / "sql"],
        ["init", planted.url, "src.t", "-o", planted.folder / "init.yaml"],
        ["init", planted.url, "t", "-o", planted.folder / "bare.yaml"],
    ):
        result = cli(*arguments)
        assert result.exit_code == 0, (arguments, result.output)
        assert "PLANTED" not in flat(result.output)


def test_the_first_statement_of_a_session_sets_its_path(planted, monkeypatch):
    """Before SQLAlchemy and the driver ask anything, and nothing that others can create in is ever
    on it."""
    sent = []
    execute = psycopg.Cursor.execute

    def watched(cursor, query, *args, **kwargs):
        sent.append((id(cursor.connection), str(query)))
        return execute(cursor, query, *args, **kwargs)

    planted.make(TYPES, AGES)
    monkeypatch.setattr(psycopg.Cursor, "execute", watched)
    anonsql.run(policy_on(planted, policy_data(COLUMNS, k=5)))
    first = {}
    for session, statement in sent:
        first.setdefault(session, statement)
    assert set(first.values()) == {"SET search_path TO pg_catalog, pg_temp"}
    changes = {item for _, item in sent if re.match("(?i)set search_path", item)}
    safe = r'SET search_path TO ("anonsql_[0-9a-f]{16}", )?pg_catalog, pg_temp'
    assert len(changes) == 2 and all(re.fullmatch(safe, change) for change in changes)


# names


@pytest.fixture
def server(tmp_path):
    made = Postgres(tmp_path)
    made.make(TYPES, AGES)
    yield made
    made.close()


@pytest.fixture
def roles(server):
    """A role that anonymizes, with what it needs and no more, and one that may create in schemas of
    its path."""
    me, other = f"me_{server.source}", f"other_{server.source}"
    database = server.connection.execute("SELECT current_database()").fetchone()[0]
    server.connection.execute(
        f"CREATE ROLE {me} LOGIN PASSWORD 'pw'; CREATE ROLE {other} LOGIN PASSWORD 'pw';"
        f'GRANT CREATE ON DATABASE "{database}" TO {me};'
        f"GRANT USAGE ON SCHEMA {server.source} TO {me}; GRANT SELECT ON {server.source}.t TO {me};"
        f"CREATE SCHEMA {other} AUTHORIZATION {other}; GRANT USAGE ON SCHEMA {other} TO {me};"
        f"GRANT USAGE ON SCHEMA {server.source} TO {other};"
        f"ALTER ROLE {me} SET search_path = {other}, {server.source}"
    )
    admin, server.url = server.url, as_role(server.url, me)
    with psycopg.connect(as_role(admin, other), autocommit=True) as connection:
        yield connection, me, other
    server.connection.execute(
        f"DROP SCHEMA IF EXISTS {server.release} CASCADE; DROP OWNED BY {me} CASCADE;"
        f"DROP OWNED BY {other} CASCADE; DROP ROLE {me}; DROP ROLE {other}"
    )


def invoke(server, *arguments, **changes):
    source, release = server.places()
    data = {**policy_data(COLUMNS, k=5), "source": {**source, **changes}}
    data["release"] = {"completed": 0, **release}
    path = write_data(server.folder, data)
    return cli(arguments[0], path, *arguments[1:])


def test_a_bare_name_is_looked_up_along_the_roles_own_path(server, roles):
    assert invoke(server, "run", table="t").exit_code == 0


def test_a_bare_name_that_somebody_has_planted_is_refused(server, roles):
    """Or the view of whoever may create earlier on the path would be taken for the table."""
    connection, me, other = roles
    connection.execute(
        f"CREATE VIEW {other}.t AS SELECT 1 AS age; GRANT SELECT ON {other}.t TO {me}"
    )
    for command in ("check", "run"):
        result = invoke(server, command, table="t")
        assert result.exit_code == 2, result.output
        text = flat(result.output)
        assert f"'t' matches several tables: {server.source}.t, {other}.t" in text.replace(
            f"{other}.t, {server.source}.t", f"{server.source}.t, {other}.t"
        )
    assert invoke(server, "run").exit_code == 0


def test_a_table_whose_name_has_a_dot_is_not_taken_for_one_with_its_schema(server, roles):
    connection, me, other = roles
    connection.execute(
        f'CREATE TABLE {other}."{server.source}.t" (age int); '
        f'GRANT SELECT ON {other}."{server.source}.t" TO {me}'
    )
    assert invoke(server, "run").exit_code == 0


# code of others


THEIRS = "BEGIN RAISE EXCEPTION ''PLANTED''; END"


def refused(server, owner, what):
    for command in ("check", "run"):
        result = invoke(server, command, table=f"{server.source}.v")
        text = flat(result.output)
        assert result.exit_code == 2, text
        assert f"can run code of the role {owner}, who owns the {what}" in text, text
        assert "PLANTED" not in text


def seen(server, query, me, owner=None):
    """A view over the source, of the source's owner or another."""
    server.connection.execute(
        f"CREATE VIEW {server.source}.v AS {query}; GRANT SELECT ON {server.source}.v TO {me}"
    )
    if owner:
        server.connection.execute(f"ALTER VIEW {server.source}.v OWNER TO {owner}")


def test_a_view_that_calls_a_strangers_function(server, roles):
    connection, me, other = roles
    connection.execute(
        f"CREATE FUNCTION {other}.f(text) RETURNS text LANGUAGE plpgsql AS '{THEIRS}'"
    )
    seen(server, f"SELECT age, {other}.f(name) AS name, disease FROM {server.source}.t", me)
    refused(server, other, f"function {other}.f(")
    seen_below = f"CREATE VIEW {server.source}.w AS SELECT * FROM {server.source}.v"
    server.connection.execute(f"{seen_below}; GRANT SELECT ON {server.source}.w TO {me}")
    assert "can run code" in flat(invoke(server, "run", table=f"{server.source}.w").output)


def test_a_view_that_calls_its_owners_function(server, roles):
    """Whoever owns the source may do with it what he likes: he is named in the policy."""
    connection, me, other = roles
    connection.execute(f"CREATE FUNCTION {other}.f(text) RETURNS text LANGUAGE sql RETURN $1")
    server.connection.execute(
        f"GRANT SELECT ON {server.source}.t TO {other}; GRANT CREATE ON SCHEMA {server.source} TO"
        f" {other}"
    )
    query = f"SELECT age, {other}.f(name) AS name, disease FROM {server.source}.t"
    seen(server, query, me, owner=other)
    result = invoke(server, "run", table=f"{server.source}.v")
    assert result.exit_code == 0, result.output


def test_a_view_with_a_strangers_operator(server, roles):
    connection, me, other = roles
    connection.execute(
        f"CREATE FUNCTION {other}.f(text, text) RETURNS boolean LANGUAGE plpgsql AS '{THEIRS}';"
        f"CREATE OPERATOR {other}.= (LEFTARG = text, RIGHTARG = text, FUNCTION = {other}.f)"
    )
    query = f"SELECT * FROM {server.source}.t WHERE name OPERATOR({other}.=) 'N1'"
    seen(server, query, me)
    refused(server, other, f"function {other}.f(")


@pytest.mark.parametrize("kind", ["enum", "composite", "array", "domain"])
def test_a_column_of_a_strangers_type(server, roles, kind):
    """Its owner can give it a cast to text, or a domain a constraint, that is a function of his."""
    connection, me, other = roles
    made = {
        "enum": f"CREATE TYPE {other}.y AS ENUM ('flu')",
        "array": f"CREATE TYPE {other}.y AS ENUM ('flu')",
        "composite": f"CREATE TYPE {other}.y AS (a text)",
        "domain": f"CREATE DOMAIN {other}.y AS text",
    }[kind]
    connection.execute(made)
    if kind in ("enum", "composite"):
        connection.execute(
            f"CREATE FUNCTION {other}.f({other}.y) RETURNS text LANGUAGE plpgsql AS '{THEIRS}';"
            f"CREATE CAST ({other}.y AS text) WITH FUNCTION {other}.f({other}.y) AS ASSIGNMENT"
        )
    value = {"composite": "'(flu)'", "array": "'{flu}'"}.get(kind, "'flu'")
    column = f"{other}.y[]" if kind == "array" else f"{other}.y"
    server.connection.execute(
        f"CREATE TABLE {server.source}.v AS SELECT age, name, CAST({value} AS {column}) AS disease"
        f" FROM {server.source}.t;GRANT SELECT ON {server.source}.v TO {me}"
    )
    refused(server, other, "function" if kind in ("enum", "composite") else "type")


def test_an_index_that_calls_a_strangers_function(server, roles):
    """The planner computes what is constant in it."""
    connection, me, other = roles
    body = (
        f"BEGIN IF current_user = ''{me}'' THEN RAISE EXCEPTION ''PLANTED''; END IF; RETURN $1; END"
    )
    connection.execute(
        f"CREATE FUNCTION {other}.f(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS '{body}'"
    )
    server.connection.execute(
        f"CREATE TABLE {server.source}.v AS SELECT * FROM {server.source}.t;"
        f"CREATE INDEX ON {server.source}.v (age) WHERE name > {other}.f('x');"
        f"GRANT SELECT ON {server.source}.v TO {me}"
    )
    with (
        psycopg.connect(server.url, autocommit=True) as mine,
        pytest.raises(psycopg.errors.RaiseException, match="PLANTED"),
    ):
        mine.execute(f"SELECT count(*) FROM {server.source}.v WHERE age = 1")
    refused(server, other, f"function {other}.f(")


def test_types_of_extensions_and_of_the_owner_are_read(server, roles):
    _, me, _ = roles
    server.connection.execute(
        f"CREATE TYPE {server.source}.mood AS ENUM ('flu'); CREATE TABLE {server.source}.v AS"
        f" SELECT age, name, CAST(disease AS {server.source}.mood) AS disease FROM"
        f" {server.source}.t;GRANT SELECT ON {server.source}.v TO {me}"
    )
    assert invoke(server, "run", table=f"{server.source}.v").exit_code == 0


def test_a_release_that_runs_code_is_not_read(server, roles):
    """Whoever checks or asks a release of somebody else runs nothing of theirs."""
    connection, me, other = roles
    assert invoke(server, "run").exit_code == 0
    connection.execute(
        f"CREATE FUNCTION {other}.f() RETURNS boolean LANGUAGE plpgsql AS '{THEIRS}'"
    )
    server.connection.execute(f"GRANT USAGE ON SCHEMA {server.release} TO {other}")
    for part in ("r", "r__about", "r__columns"):
        server.connection.execute(f"GRANT SELECT ON {server.release}.{part} TO {other}")
        connection.execute(
            f"CREATE VIEW {other}.{part} AS SELECT * FROM {server.release}.{part} WHERE"
            f" {other}.f();GRANT SELECT ON {other}.{part} TO {me}"
        )
    ended(
        cli("query", server.url, f"SELECT COUNT(*) FROM {other}.r"), 2, f"the function {other}.f()"
    )
    source, _ = server.places()
    data = {**policy_data(COLUMNS, k=5), "source": source}
    data["release"] = {"database": server.url, "table": f"{other}.r", "completed": 0}
    path = write_data(server.folder, data, "theirs.yaml")
    ended(cli("verify", path), 2, "can run code of the role")


def test_a_session_has_nothing_but_the_catalog_on_its_path(server):
    with connect(Location("postgres", url=server.url), "test") as connection:
        found = connection.exec_driver_sql("SELECT current_schemas(true)").fetchone()
        assert found == (["pg_catalog"],)


# code that nobody can see


def collected(server, roles):
    """A function of a stranger's that keeps what it is called with, and where."""
    connection, me, other = roles
    connection.execute(
        f"CREATE TABLE {other}.loot (value text); GRANT INSERT ON {other}.loot TO {me};"
        f"CREATE FUNCTION {other}.keep(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN INSERT INTO"
        f" {other}.loot VALUES ($1); RETURN $1; END'"
    )
    return lambda: connection.execute(f"SELECT COUNT(*) FROM {other}.loot").fetchone()[0]


UNSEEN = {
    "sql": "CREATE FUNCTION {source}.f(text) RETURNS text LANGUAGE sql AS 'SELECT {other}.keep($1)'",
    "plpgsql": "CREATE FUNCTION {source}.f(text) RETURNS text LANGUAGE plpgsql AS"
    " 'BEGIN RETURN {other}.keep($1); END'",
    "through another": "CREATE FUNCTION {source}.g(text) RETURNS text LANGUAGE sql AS"
    " 'SELECT {other}.keep($1)';"
    "CREATE FUNCTION {source}.f(text) RETURNS text LANGUAGE sql RETURN {source}.g($1)",
}


@pytest.mark.parametrize("kind", UNSEEN)
def test_a_view_that_calls_a_function_whose_body_nobody_can_follow(server, roles, kind):
    """An administrator's function may call anybody's, and the server records nothing of it."""
    _, me, other = roles
    taken = collected(server, roles)
    server.connection.execute(UNSEEN[kind].format(source=server.source, other=other))
    query = f"SELECT age, name, {server.source}.f(disease) AS disease FROM {server.source}.t"
    seen(server, query, me)
    for command in ("check", "run"):
        result = invoke(server, command, table=f"{server.source}.v")
        text = flat(result.output)
        assert result.exit_code == 2, text
        assert "whose body the server cannot analyse" in text and "BEGIN ATOMIC" in text, text
    assert taken() == 0


def test_a_function_whose_body_the_server_records_is_followed(server, roles):
    _, me, other = roles
    taken = collected(server, roles)
    server.connection.execute(
        f"CREATE FUNCTION {server.source}.f(text) RETURNS text LANGUAGE sql RETURN {other}.keep($1)"
        f";CREATE FUNCTION {server.source}.g(text) RETURNS text LANGUAGE sql BEGIN ATOMIC"
        " SELECT upper($1); END"
    )
    query = f"SELECT age, name, {server.source}.$(disease) AS disease FROM {server.source}.t"
    seen(server, query.replace("$", "f"), me)
    refused(server, other, f"function {other}.keep(")
    server.connection.execute(f"DROP VIEW {server.source}.v")
    seen(server, query.replace("$", "g"), me)
    result = invoke(server, "run", table=f"{server.source}.v")
    assert result.exit_code == 0, result.output
    assert taken() == 0


def test_a_view_that_runs_a_statement_given_as_text(server, roles):
    _, me, other = roles
    taken = collected(server, roles)
    seen(
        server,
        f"SELECT age, name, disease FROM {server.source}.t WHERE"
        f" query_to_xml('SELECT {other}.keep(disease) FROM {server.source}.t', true, true, '')"
        " IS NOT NULL",
        me,
    )
    ended(invoke(server, "run", table=f"{server.source}.v"), 2, "query_to_xml")
    assert taken() == 0


HIDDEN = {
    "operator": "CREATE FUNCTION {source}.same(text, text) RETURNS boolean LANGUAGE sql AS"
    " 'SELECT {other}.keep($1) = $2';"
    "CREATE OPERATOR {source}.= (LEFTARG = text, RIGHTARG = text, FUNCTION = {source}.same);"
    "CREATE VIEW {source}.v AS SELECT * FROM {source}.t"
    " WHERE disease OPERATOR({source}.=) disease",
    "cast": "CREATE TYPE {source}.y AS ENUM ('flu');"
    "CREATE FUNCTION {source}.f({source}.y) RETURNS text LANGUAGE plpgsql AS"
    " 'BEGIN RETURN {other}.keep(''x''); END';"
    "CREATE CAST ({source}.y AS text) WITH FUNCTION {source}.f({source}.y) AS ASSIGNMENT;"
    "CREATE TABLE {source}.v AS SELECT age, name, CAST('flu' AS {source}.y) AS disease"
    " FROM {source}.t",
    "index": "CREATE TABLE {source}.v AS SELECT * FROM {source}.t;"
    "CREATE FUNCTION {source}.f(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS"
    " 'BEGIN RETURN $1; END';"
    "CREATE INDEX ON {source}.v (age) WHERE name > {source}.f('x')",
    "statistics": "CREATE TABLE {source}.v AS SELECT * FROM {source}.t;"
    "CREATE FUNCTION {source}.f(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS"
    " 'BEGIN RETURN $1; END';"
    "CREATE STATISTICS {source}.s ON ({source}.f(name)) FROM {source}.v",
    "a partition's check": "CREATE TABLE {source}.v (age integer, name text, disease text)"
    " PARTITION BY RANGE (age);"
    "CREATE TABLE {source}.w PARTITION OF {source}.v DEFAULT;"
    "INSERT INTO {source}.v SELECT * FROM {source}.t;"
    "CREATE FUNCTION {source}.f(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS"
    " 'BEGIN RETURN true; END';"
    "ALTER TABLE {source}.w ADD CHECK ({source}.f(name))",
    "a domain of an array": "CREATE FUNCTION {source}.f(text) RETURNS boolean IMMUTABLE"
    " LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
    "CREATE DOMAIN {source}.y AS text CHECK ({source}.f(VALUE));"
    "CREATE TABLE {source}.v AS SELECT age, name, ARRAY[CAST(disease AS {source}.y)] AS disease"
    " FROM {source}.t",
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_a_function_that_nobody_can_follow_elsewhere(server, roles, kind):
    _, me, other = roles
    taken = collected(server, roles)
    server.connection.execute(
        HIDDEN[kind].format(source=server.source, other=other)
        + f";GRANT SELECT ON {server.source}.v TO {me}"
    )
    before = taken()
    result = invoke(server, "run", table=f"{server.source}.v")
    text = flat(result.output)
    assert result.exit_code == 2 and "whose body the server cannot analyse" in text, text
    assert taken() == before


def test_the_owner_of_a_partition_is_trusted_with_his_rows_alone(server, roles):
    connection, me, other = roles
    server.connection.execute(
        f"CREATE TABLE {server.source}.v (age integer, name text, disease text)"
        f" PARTITION BY RANGE (age); CREATE TABLE {server.source}.w PARTITION OF {server.source}.v"
        f" DEFAULT; INSERT INTO {server.source}.v SELECT * FROM {server.source}.t;"
        f"ALTER TABLE {server.source}.w OWNER TO {other};"
        f"GRANT CREATE ON SCHEMA {server.source} TO {other};"
        f"GRANT SELECT ON {server.source}.v TO {me}"
    )
    assert invoke(server, "run", table=f"{server.source}.v").exit_code == 0
    connection.execute(
        f"CREATE FUNCTION {other}.f(text) RETURNS text IMMUTABLE LANGUAGE sql RETURN $1;"
        f"CREATE INDEX ON {server.source}.w (age) WHERE name > {other}.f('x')"
    )
    refused(server, other, f"function {other}.f(")


def test_what_no_scan_runs_is_read(server, roles):
    """A materialized view has its rows, a default and a trigger are for writing."""
    connection, me, other = roles
    connection.execute(
        f"CREATE FUNCTION {other}.f(text) RETURNS text LANGUAGE sql AS 'SELECT $1';"
        f"CREATE FUNCTION {other}.g() RETURNS trigger LANGUAGE plpgsql AS '{THEIRS}'"
    )
    server.connection.execute(
        f"CREATE MATERIALIZED VIEW {server.source}.v AS SELECT age, {other}.f(name) AS name,"
        f" disease FROM {server.source}.t; GRANT SELECT ON {server.source}.v TO {me};"
        f"ALTER TABLE {server.source}.t ALTER name SET DEFAULT {other}.f('x');"
        f"CREATE TRIGGER g BEFORE INSERT ON {server.source}.t FOR EACH ROW EXECUTE FUNCTION"
        f" {other}.g()"
    )
    for table in ("t", "v"):
        result = invoke(server, "run", table=f"{server.source}.{table}")
        assert result.exit_code == 0, result.output


def test_a_foreign_table_of_a_strangers_server(server, roles):
    """What the rows of a foreign table are, the owner of its server decides."""
    _, me, other = roles
    server.connection.execute(
        f"CREATE FOREIGN DATA WRAPPER {other}; CREATE SERVER {other} FOREIGN DATA WRAPPER {other};"
        f"CREATE FOREIGN TABLE {server.source}.v (age integer, name text, disease text) SERVER"
        f" {other}; GRANT SELECT ON {server.source}.v TO {me};"
        f"GRANT USAGE ON FOREIGN DATA WRAPPER {other} TO {other};"
        f"ALTER SERVER {other} OWNER TO {other}"
    )
    try:
        refused(server, other, f"foreign server {other}")
    finally:
        server.connection.execute(f"DROP FOREIGN DATA WRAPPER {other} CASCADE")


# files


def test_a_release_file_that_runs_code_is_not_read(tmp_path):
    """A view takes the macros of its own file for functions, and may read any file of this
    machine."""
    policy = policy_over(tmp_path, TYPES, AGES, COLUMNS, k=5)
    anonsql.run(policy)
    secret = tmp_path / "secret.txt"
    secret.write_text("x")
    in_file(
        tmp_path / "release.duckdb",
        "ALTER TABLE r__about RENAME TO facts; CREATE MACRO lower(x) AS error('PLANTED');"
        "CREATE VIEW r__about AS SELECT lower(property) AS property, value FROM facts "
        f"UNION ALL SELECT filename, content FROM read_text('{secret}')",
    )
    for work in (
        lambda: anonsql.verify(policy),
        lambda: anonsql.run(policy),
        lambda: anonsql.query(tmp_path / "release.duckdb", "SELECT COUNT(*) FROM r"),
    ):
        with pytest.raises(VerificationError, match="not part of a release: "):
            work()


def test_macros_and_tables_of_a_source_file_are_not_taken_for_functions(tmp_path):
    source = make_source(tmp_path, TYPES, AGES)
    with opened(source) as connection:
        for name in ("lower", "md5", "floor", "count", "row_number", "coalesce", "concat"):
            with contextlib.suppress(duckdb.Error):
                connection.execute(f"CREATE MACRO {name}(x) AS error('PLANTED')")
        for name in ("cells", "steps", "dim_1", "combinations", "duckdb_tables", "duckdb_views"):
            connection.execute(f"CREATE TABLE {name} (planted INTEGER)")
    policy = Policy.parse(policy_data(COLUMNS, k=5), tmp_path)
    assert anonsql.run(policy).released == 40
    assert anonsql.verify(policy).released == 40


# Spark


def test_functions_of_a_catalog_are_not_taken_for_sparks(tmp_path):
    """A function of the source's database or the current one never comes before one of Spark's, nor
    a table before scratch."""
    engine = Spark(tmp_path)
    planted = []
    try:
        engine.make(TYPES, AGES)
        for schema in (engine.source, "default"):
            for name in ("md5", "lower", "floor", "coalesce", "count", "row_number", "length"):
                with contextlib.suppress(Exception):
                    engine.spark.sql(
                        f"CREATE FUNCTION {schema}.{name}(x STRING) RETURNS STRING RETURN"
                        " raise_error('PLANTED')"
                    )
                    planted.append(f"{schema}.{name}")
        assert len(planted) >= 2
        with pytest.raises(Exception, match="PLANTED"):
            engine.spark.sql(f"SELECT {planted[0]}('x')").collect()
        policy = policy_on(engine, policy_data(COLUMNS, k=5))
        assert anonsql.run(policy).released == anonsql.verify(policy).released == 40
    finally:
        for item in planted:
            engine.spark.sql(f"DROP FUNCTION IF EXISTS {item}")
        engine.close()
