"""What six vulnerabilities of PostgreSQL Anonymizer in 2026 were about, tried on anonsql, each in a
test of its name."""

import secrets
from functools import partial

import psycopg
import pytest

import anonsql
from anonsql.jobs import over_time
from anonsql.over_time.ledger import Book

from . import test_over_time_servers as ledgers
from . import test_shadowing
from .engines import policy_on
from .methods import METHODS
from .support import cli, ended, policy_data, released_rows, tree_file, write_data
from .test_postgres import AGES, COLUMNS
from .test_shadowing import invoke

server, roles = test_shadowing.server, test_shadowing.roles


@pytest.fixture
def taken(server):
    """A function ``boom()`` in the source's schema, which everybody may call; gives how often that
    was done."""
    server.connection.execute(
        f"CREATE TABLE {server.source}.loot (taker text);"
        f"CREATE FUNCTION {server.source}.boom() RETURNS text SECURITY DEFINER LANGUAGE sql AS"
        f" 'INSERT INTO {server.source}.loot VALUES (session_user) RETURNING taker'"
    )
    count = f"SELECT count(*) FROM {server.source}.loot"
    return lambda: server.connection.execute(count).fetchone()[0]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def test_code_run_through_the_name_of_a_column(server, taken):
    age, name, disease, kept = (
        f'a", {server.source}.boom() AS "b',
        f'n"; SELECT {server.source}.boom(); --',
        f"d' || {server.source}.boom() || '",
        "{{ 7 * 7 }} {# $ @ %s :a \\ */",
    )
    types = {age: "INTEGER", name: "VARCHAR", disease: "VARCHAR", kept: "VARCHAR"}
    server.make(types, [(*row, "kept") for row in AGES])
    roles = {age: COLUMNS["age"], name: "identifying", disease: "sensitive", kept: "insensitive"}
    source, release = server.places()
    path = write_data(server.folder, policy_data(roles, k=5, source=source, release=release))
    query = f"SELECT COUNT(*) FROM {release['table']} WHERE {quoted(disease)} = 'flu'"
    for command in (
        ["check", path],
        ["run", path],
        ["verify", path, "--against-source"],
        ["measure", path, "--queries", "3"],
        ["query", path, f"{query} AND {quoted(age)} > 1"],
        ["compile", path, "--dialect", "postgres", "-o", server.folder / "sql"],
        ["init", server.url, source["table"], "-o", server.folder / "proposed.yaml"],
    ):
        ended(cli(*command), 0)
    for file in sorted((server.folder / "sql").glob("*.sql")):
        server.connection.execute(file.read_text())
    found = server.connection.execute(f"SELECT * FROM {release['table']} LIMIT 0").description
    assert {column.name for column in found} >= {disease, kept}
    assert taken() == 0


def test_sql_inside_imported_rows(tmp_path, monkeypatch):
    """Rows of a CSV file and of a hierarchy file, which statements hold as text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("hunter2")
    values = [
        "a' || (SELECT content FROM read_text('secret.txt')) || '",
        "b'); COPY (SELECT 1) TO 'canary.csv'; --",
        "c $(touch canary.csv) {{ 7 * 7 }} */",
    ]
    groups = [f"group {value}" for value in values]
    tree = tree_file(
        tmp_path / "trees" / "tree.csv", [(*pair, "*") for pair in zip(values, groups)]
    )
    lines = ["illness,town", *(f'"{value}","{value}"' for value in values for _ in range(4))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    columns = {
        "illness": {"role": "qi", "hierarchy": tree, "min_level": 1},
        "town": "sensitive",
    }
    path = write_data(tmp_path, policy_data(columns, k=4, source={"file": "rows.csv"}))
    for command in (["run", path], ["verify", path, "--against-source"]):
        ended(cli(*command), 0)
    assert set(released_rows(tmp_path)) == set(zip(groups, values))
    assert not (tmp_path / "canary.csv").exists()


def test_sql_inside_an_imported_hierarchy(server, taken):
    """On a server, and in the statements that others run: those of `compile` and `verify --sql`."""
    values = [f"a' || {server.source}.boom() || '", f"b'; SELECT {server.source}.boom(); --"]
    groups = [f"group {value}" for value in values]
    tree = tree_file(server.folder / "tree.csv", [(*pair, "*") for pair in zip(values, groups)])
    server.make({"town": "VARCHAR", "ill": "VARCHAR"}, [(value, "flu") for value in values * 4])
    columns = {"town": {"role": "qi", "hierarchy": tree, "min_level": 1}, "ill": "sensitive"}
    source, release = server.places()
    path = write_data(server.folder, policy_data(columns, k=4, source=source, release=release))
    for command in (["run", path], ["verify", path, "--against-source"]):
        ended(cli(*command), 0)
    released = sorted(server.read())
    assert {town for town, *_ in released} == set(groups)
    shown = cli("verify", path, "--sql")
    ended(shown, 0)
    server.connection.execute(shown.stdout)
    ended(cli("compile", path, "--dialect", "postgres", "-o", server.folder / "sql"), 0)
    server.connection.execute(f"SET search_path TO {server.source}")
    for file in sorted((server.folder / "sql").glob("*.sql")):
        server.connection.execute(file.read_text())
    assert sorted(server.read()) == released
    assert taken() == 0


SETTINGS = """
SELECT concat_ws(' ', s.name, s.setting, s.boot_val, s.reset_val) FROM pg_settings AS s
UNION ALL SELECT r.setconfig::text FROM pg_db_role_setting AS r
UNION ALL SELECT a.query FROM pg_stat_activity AS a
UNION ALL SELECT f.proconfig::text FROM pg_proc AS f WHERE f.proconfig IS NOT NULL
UNION ALL SELECT d.description FROM pg_description AS d
"""


@pytest.fixture
def settings(server, monkeypatch):
    """What the settings of the database and of the run's own sessions hold while it runs, with all
    that it sends as statements."""
    found, execute = [], psycopg.Cursor.execute

    def watched(cursor, query, *given, **more):
        found.append(f"{query} {given} {more}")
        done = execute(cursor, query, *given, **more)
        if cursor.connection.info.transaction_status.name == "INTRANS":
            shown = cursor.connection.pgconn.exec_(SETTINGS.encode())
            found.extend(str(shown.get_value(row, 0)) for row in range(shown.ntuples))
        return done

    monkeypatch.setattr(psycopg.Cursor, "execute", watched)
    return found


@pytest.mark.parametrize("kind", ["salt", "key of a ledger"])
def test_a_salt_readable_in_the_settings_of_the_database(
    server, settings, monkeypatch, caplog, kind
):
    caplog.set_level("DEBUG", "anonsql")
    drawn, draw = [], secrets.token_hex
    monkeypatch.setattr(secrets, "token_hex", lambda size: drawn.append(draw(size)) or drawn[-1])
    data = policy_data(COLUMNS, k=5, method=METHODS["ring"])
    if kind == "key of a ledger":
        monkeypatch.setattr(over_time, "Book", partial(Book, secret=ledgers.SECRET))
        server.make(ledgers.TYPES, ledgers.rows_at(0))
        data = ledgers.data_of()
        key = bytes.fromhex(ledgers.SECRET)
        drawn += [bytes(byte ^ pad for byte in key).hex() for pad in (0, 0x36, 0x5C)]
    anonsql.run(policy_on(server, data))
    hidden = [text[:32] for text in drawn if len(text) >= 32]  # shorter ones are names
    assert hidden and sum("search_path" in text for text in settings) > 10
    for text in [*settings, caplog.text]:
        assert not [secret for secret in hidden if secret in text]


def test_partitions_reached_past_their_parent(server, roles):
    """Neither the right to a partition nor that to its parent gives the other; who may read the
    release reads nothing else, and nothing of the source hangs on the release."""
    other, me, reader = roles
    people, flu = f"{server.source}.people", f"{server.source}.flu"
    server.connection.execute(
        f"CREATE TABLE {people} (age integer, name text, disease text)"
        f" PARTITION BY LIST (disease); CREATE TABLE {flu} PARTITION OF {people} FOR VALUES IN"
        f" ('flu'); CREATE TABLE {server.source}.rest PARTITION OF {people} DEFAULT;"
        f"INSERT INTO {people} SELECT * FROM {server.source}.t;"
        f"INSERT INTO {people} SELECT age, name, 'gout' FROM {server.source}.t;"
        f"GRANT SELECT ON {people} TO {me} WITH GRANT OPTION"
    )
    rights = (
        "SELECT oid::regclass::text, relacl::text FROM pg_class WHERE relnamespace ="
        f" '{server.source}'::regnamespace ORDER BY 1"
    )
    before = server.connection.execute(rights).fetchall()
    source, release = server.places()

    def run(table):
        place = {"source": source | {"table": table}, "release": release | {"grant": [reader]}}
        path = write_data(server.folder, policy_data(COLUMNS, k=5, **place))
        return path, cli("run", path)

    ended(run(flu)[1], 2, "may not read")
    path, result = run(people)
    ended(result, 0)
    assert len(server.read()) == 80
    assert server.connection.execute(rights).fetchall() == before
    assert other.execute(f"SELECT count(*) FROM {release['table']}").fetchone() == (80,)
    for table in (people, flu, f"{server.source}.rest", f"{server.source}.t"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            other.execute(f"SELECT count(*) FROM {table}")
    server.connection.execute(f"REVOKE ALL ON {people} FROM {me}; GRANT SELECT ON {flu} TO {me}")
    ended(run(people)[1], 2, "may not read")
    ended(run(flu)[1], 0)
    assert len(server.read()) == 40
    server.connection.execute(
        f"CREATE TABLE {server.source}.heir () INHERITS ({release['table']});"
        f"INSERT INTO {server.source}.heir (disease) VALUES ('raw')"
    )
    raw = f"SELECT count(*) FROM {release['table']} WHERE disease = 'raw'"
    assert other.execute(raw).fetchone() == (1,), "or there is no danger"
    ended(cli("verify", path), 1, "not part of a release")


def test_plain_privilege_escalation(server, roles):
    """Objects of a role that stands earlier on the path, or that works on what the run writes,
    never run with the run's rights."""
    other, me, them = roles
    take = f"IF current_user = '{me}' THEN INSERT INTO {them}.taken VALUES ('x'); END IF;"
    other.execute(
        f"CREATE TABLE {them}.taken (value text); GRANT INSERT ON {them}.taken TO {me};"
        f"CREATE FUNCTION {them}.md5(varchar) RETURNS text LANGUAGE plpgsql AS"
        f" $$ BEGIN {take} RETURN pg_catalog.md5($1); END $$;"
        f"CREATE FUNCTION {them}.same(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS"
        f" $$ BEGIN {take} RETURN $1::text OPERATOR(pg_catalog.=) $2::text; END $$;"
        f"CREATE OPERATOR {them}.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION ="
        f" {them}.same, HASHES, MERGES);"
        f"CREATE FUNCTION {them}.fired() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN {take} RETURN NEW; END $$"
    )

    def taken():
        found = other.execute(f"WITH d AS (DELETE FROM {them}.taken RETURNING 1) SELECT FROM d")
        return len(found.fetchall())

    with psycopg.connect(server.url, autocommit=True) as mine:
        for statement in ("md5(disease)", "disease = name"):
            mine.execute(f"SELECT {statement} FROM {server.source}.t LIMIT 1")
            assert taken() > 0, "or there is no danger"
    for command in (["check"], ["run"], ["verify", "--against-source"], ["measure"]):
        ended(invoke(server, *command), 0)
    table = f"{server.release}.r"
    for written in (table, f"{table}__about", f"{table}__columns"):
        server.connection.execute(
            f"GRANT USAGE ON SCHEMA {server.release} TO {them}; GRANT TRIGGER ON {written} TO {them}"
        )
        other.execute(
            f"CREATE TRIGGER fired BEFORE INSERT OR UPDATE OR DELETE ON {written} FOR EACH ROW"
            f" EXECUTE FUNCTION {them}.fired()"
        )
    ended(invoke(server, "verify"), 1, "not part of a release")
    ended(invoke(server, "run"), 0)
    assert taken() == 0
    server.connection.execute(
        f"DROP SCHEMA {server.release} CASCADE; CREATE SCHEMA {server.release} AUTHORIZATION {them}"
    )
    other.execute(
        f"GRANT ALL ON SCHEMA {server.release} TO {me}; CREATE TABLE {table} (age text);"
        f"CREATE TABLE {table}__about (property text, value text);"
        f"CREATE TRIGGER fired BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION {them}.fired();"
        f"CREATE RULE fired AS ON INSERT TO {table}__about DO ALSO SELECT {them}.md5(NEW.value);"
        f"GRANT ALL ON ALL TABLES IN SCHEMA {server.release} TO {me}"
    )
    ended(invoke(server, "run"), 2)
    assert taken() == 0
