"""Releases over time on every database: what is held back and released is what DuckDB holds back
and releases, and the ledger lies where nobody but its owner reads it, in step with the release."""

import hmac
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from functools import partial
from types import SimpleNamespace

import pytest
import yaml

import anonsql
from anonsql.errors import BusyError, PolicyError
from anonsql.jobs import over_time
from anonsql.jobs.sessions import running
from anonsql.over_time import traces
from anonsql.over_time.ledger import Book, load_secret
from anonsql.system.clock import silent

from .engines import DATABASES, ENGINES, content_hash, policy_on
from .support import in_python, job, policy_data, rows_of, updated

KILLS = int(os.environ.get("ANONSQL_KILLS", "1"))
"""Kills at random moments; sixty were made when this was written."""
K = 4
SECRET = "5e" * 32
TYPES = {"id": "INTEGER", "link": "INTEGER", "age": "INTEGER", "town": "VARCHAR", "ill": "VARCHAR"}
COLUMNS = {
    "id": "identifying",
    "link": "insensitive",
    "age": {"type": "interval", "widths": [10, 20, 40]},
    "town": {"type": "suppression"},
    "ill": "sensitive",
}
TURNS = 3


def rows_at(turn):
    """A small table that changes: rows come, go, and are corrected."""
    rnd, rows = random.Random(5), {}
    for now in range(turn + 1):
        for key in [key for key in rows if rnd.random() < 0.04]:
            del rows[key]
        for key in [key for key in rows if rnd.random() < 0.02]:
            rows[key] = (rnd.randint(20, 79), *rows[key][1:])
        for n in range(120 if not now else 15):
            ill = rnd.choice(["flu", "gout", "cold", None])
            key = 1000 * now + n
            rows[key] = (rnd.randint(20, 79), rnd.choice(["Ä", "b", None]), ill)
    return [(key, 7919 * key % 999983, *values) for key, values in rows.items()]


def data_of(over_time=None, limit=0.0, **promises):
    data = policy_data(COLUMNS, k=K, limit=limit)
    data["privacy"] |= promises
    data["privacy"]["over_time"] = {"key": "id", **(over_time or {})}
    return data


MONDRIAN = {"method": {"type": "mondrian"}}
POLICIES = {
    "k alone": data_of(),
    "searched, diverse": data_of({"levels": "search"}, l_diversity={"ill": 2}),
    "close": data_of({"deletions": "tell"}, limit=0.5, t_closeness={"ill": 0.25}),
    "close groups": data_of(t_closeness={"ill": 0.4}) | MONDRIAN,
}


@pytest.fixture
def opened(tmp_path):
    """Open a database, which is closed at the end."""
    made = []

    def by_name(name):
        made.append({**ENGINES, **DATABASES}[name](tmp_path))
        return made[-1]

    yield by_name
    for item in made:
        getattr(item, "close", lambda: None)()


@pytest.fixture
def one_secret(monkeypatch):
    """Every ledger has the same secret: which rows are drawn is no chance then."""
    monkeypatch.setattr(over_time, "Book", partial(Book, secret=SECRET))


def histories(engine, data, turns=TURNS):
    """What each of some releases has, and what was decided about rows."""
    found, decided = [], []
    hold_back = traces.hold_back

    def noted(*given, **more):
        decided.append(hold_back(*given, **more))
        return decided[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonsql.over_time.traces.hold_back", noted)
        for turn in range(turns):
            engine.make(TYPES, rows_at(turn))
            assert anonsql.run(policy_on(engine, data)).verified
            about = dict(engine.read("r__about"))
            kept = {name: about[name] for name in ("over_time", "held_back", "min_class")}
            found.append((content_hash(engine.read()), kept))
    return found, decided


@pytest.fixture(scope="module")
def on_duckdb(tmp_path_factory):
    """What DuckDB makes of a policy, once for each."""
    known = {}

    def made(name):
        if name not in known:
            engine = ENGINES["duckdb"](tmp_path_factory.mktemp("duckdb"))
            known[name] = histories(engine, POLICIES[name])
        return known[name]

    return made


CASES = [("postgres", policy) for policy in POLICIES]
CASES += [("sqlite", "searched, diverse"), ("mariadb", "close"), ("spark", "k alone")]


@pytest.mark.parametrize(("name", "policy"), CASES)
def test_the_same_rows_are_held_back_everywhere(opened, one_secret, on_duckdb, name, policy):
    expected, decided = on_duckdb(policy)
    assert any(item.held_back for item in decided)
    # what is close is judged again once rows are gone
    assert (len(decided) > TURNS) == policy.startswith("close")
    server = opened(name)
    if name == "spark":
        assert histories(server, POLICIES[policy], 2) == (expected[:2], decided[:2])
    else:
        assert histories(server, POLICIES[policy]) == (expected, decided)


# the ledger on a server


class Kept:
    """The ledger of a release on a server: its secret, its rows' names, its releases."""

    def __init__(self, server):
        if server.name == "postgres":
            self._all, self._schema = server.connection.execute, f"{server.release}__private"
        else:
            self._all, self._schema = server.do, f"{server.release}__private"

    def _rows(self, columns, table):
        return list(self._all(f"SELECT {columns} FROM {self._schema}.r__{table}"))

    def secret(self):
        return self._rows("secret", "ledger")[0][0]

    def names(self):
        return {name for (name,) in self._rows("h", "ledger_rows")}

    def releases(self):
        return [item for _, item in sorted(self._rows("number, release_id", "ledger_releases"))]


TEXTS = ["7", "", "Übergröße", "a'b\"c;--", "x" * 150, "👋", "a\nb", "\\x41"]
SERVERS = ["postgres", "mariadb"]


def named(secret, text):
    """The name of a row in a ledger, by Python's own HMAC."""
    key = bytes.fromhex(secret)
    return None if text is None else hmac.new(key, text.encode(), "sha256").hexdigest()[:32]


@pytest.mark.parametrize("name", [*ENGINES, *DATABASES])
def test_a_text_is_hashed_as_python_does(opened, name):
    policy = policy_on(opened(name), data_of())
    texts = list(enumerate([*TEXTS, None], start=1))
    with job(policy, policy.path("."), stages=()) as made:
        engine = made.engine
        load_secret(engine, Book("id", (), secret=SECRET))
        engine.load("values_1", [("code", "INTEGER"), ("value", "VARCHAR")], texts)
        hashed = engine.own["keyed_hash"]
        engine.run("over_time/hashed_values", a=SimpleNamespace(index=1), hash=hashed)
        columns = ["code", "y"]
        found = engine.query("star/workbench/rows", table="hashed_1", columns=columns)
    assert dict(found) == {code: named(SECRET, text) for code, text in texts}


@pytest.mark.parametrize("name", SERVERS)
def test_rows_are_named_as_python_does(opened, name):
    server = opened(name)
    server.make({"id": "VARCHAR", "town": "VARCHAR"}, [(text, "a") for text in TEXTS])
    data = policy_data({"id": "identifying", "town": {"type": "suppression"}}, k=2)
    data["privacy"]["over_time"] = {"key": "id"}
    anonsql.run(policy_on(server, data))
    secret = Kept(server).secret()
    assert len(bytes.fromhex(secret)) == 32
    assert Kept(server).names() == {named(secret, text) for text in TEXTS}


@pytest.mark.parametrize("name", SERVERS)
def test_a_ledger_that_does_not_belong_to_the_release_is_refused(opened, name):
    server = opened(name)
    server.make(TYPES, rows_at(0))
    policy = policy_on(server, data_of())
    ask = getattr(server, "do", None) or server.connection.execute
    private = f"{server.release}__private"
    anonsql.run(policy)
    ask(f"CREATE TABLE {private}.older AS SELECT * FROM {private}.r__ledger_releases")
    anonsql.run(policy)
    ask(f"CREATE TABLE {private}.newer AS SELECT * FROM {private}.r__ledger_releases")
    ask(f"DROP TABLE {private}.r__ledger_releases")
    with pytest.raises(
        PolicyError,
        match=f"{private}.* the table ledger_releases of the release's ledger is missing",
    ):
        anonsql.run(policy)
    ask(f"ALTER TABLE {private}.older RENAME TO {_at(server, 'r__ledger_releases')}")
    with pytest.raises(PolicyError, match="with another ledger, or with an older or newer state"):
        anonsql.run(policy)
    ask(f"DROP TABLE {private}.r__ledger_releases")
    ask(f"ALTER TABLE {private}.newer RENAME TO {_at(server, 'r__ledger_releases')}")
    report = anonsql.run(policy)
    assert report.status == "published" and len(Kept(server).releases()) == 3


@pytest.mark.parametrize("name", ["postgres", "mariadb", "sqlite", "spark"])
def test_a_series_ends_on_purpose_alone(opened, name):
    server = opened(name)
    server.make(TYPES, rows_at(0))
    policy = policy_on(server, data_of())
    alone = policy_on(server, policy_data(COLUMNS, k=K))
    anonsql.run(policy)
    before = content_hash(server.read())
    server.make(TYPES, rows_at(1))
    for refused in (lambda: anonsql.run(alone), lambda: anonsql.run(alone, dry_run=True)):
        with pytest.raises(PolicyError, match=r"policy promises nothing over time.*--end"):
            refused()
    assert any("over time" in problem.message for problem in anonsql.check(alone).problems)
    assert content_hash(server.read()) == before
    assert anonsql.ledger(alone, end=True).status == "ended"
    if name in SERVERS:
        assert Kept(server).names() == set() and Kept(server).releases() == []
    assert anonsql.run(alone).over_time is None
    assert anonsql.run(policy).over_time.begun_anew


@pytest.mark.parametrize("name", SERVERS)
def test_looking_changes_nothing(opened, name):
    """A dry run tells what a run would; checks and the command read the ledger."""
    server = opened(name)
    server.make(TYPES, rows_at(0))
    policy = policy_on(server, data_of())
    with pytest.raises(PolicyError, match="there is no ledger"):
        anonsql.ledger(policy)
    anonsql.run(policy)
    server.make(TYPES, rows_at(1))
    before = content_hash(server.read()), Kept(server).names(), Kept(server).releases()
    dry = anonsql.run(policy, dry_run=True).over_time
    assert anonsql.check(policy).status == "ok"
    assert [release.release for release in anonsql.ledger(policy).releases] == [1]
    assert (content_hash(server.read()), Kept(server).names(), Kept(server).releases()) == before
    found = anonsql.run(policy).over_time
    assert (dry.release, dry.gone) == (found.release, found.gone) == (2, dry.gone)
    assert f"{server.release}__private" in anonsql.ledger(policy).ledger
    assert anonsql.ledger(policy, begin_anew=True).status == "begun anew"
    assert anonsql.ledger(policy).releases == []
    assert anonsql.run(policy).over_time.begun_anew


def _at(server, name):
    """The new name of a table, as the server takes it."""
    return name if server.name == "postgres" else f"{server.release}__private.{name}"


@pytest.mark.parametrize("name", SERVERS)
def test_one_job_at_a_time_follows_a_ledger(opened, tmp_path, monkeypatch, name):
    """The other job is on another machine: it shares nothing but the server."""
    server = opened(name)
    server.make(TYPES, rows_at(0))
    anonsql.run(policy_on(server, data_of()))
    announce, met = over_time.announce, []
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def with_another(*given):
        monkeypatch.setattr(over_time, "announce", announce)
        server.folder = elsewhere
        with pytest.raises(BusyError) as error:
            anonsql.run(policy_on(server, data_of()))
        server.folder = tmp_path
        met.append(str(error.value))
        announce(*given)

    monkeypatch.setattr(over_time, "announce", with_another)
    anonsql.run(policy_on(server, data_of()))
    assert "is locked by" in met[0] and len(Kept(server).releases()) == 2
    server.folder = elsewhere
    assert anonsql.run(policy_on(server, data_of())).status == "published"
    assert len(Kept(server).releases()) == 3  # the ledger is where the release is


@pytest.mark.parametrize("name", SERVERS)
def test_a_ledger_is_begun_anew(opened, name):
    server = opened(name)
    server.make(TYPES, rows_at(0))
    policy = policy_on(server, data_of())
    anonsql.run(policy)
    before = Kept(server).secret()
    anew = Book("id", (), anew=True)
    with running(policy, "ledger", silent, False) as made:
        over_time.ledger_of(made).begin_anew(anew)
    assert Kept(server).secret() == anew.secret != before and Kept(server).names() == set()
    anonsql.run(policy)
    assert dict(server.read("r__about"))["over_time"] == "release 1, begun anew"
    anonsql.run(policy)
    assert dict(server.read("r__about"))["over_time"] == "release 2, begun anew"


def test_a_database_that_others_may_use_is_refused(opened):
    server, user = opened("mariadb"), "r_over_time"
    server.make(TYPES, rows_at(0))
    server.do(f"CREATE USER {user}")
    try:
        server.do(f"GRANT SELECT ON `{server.release}%`.* TO {user}")
        with pytest.raises(PolicyError, match=f"'{user}'@'%' may use it") as error:
            anonsql.run(policy_on(server, data_of()))
        assert "privacy.over_time" in str(error.value) and not server.released()
    finally:
        server.do(f"DROP USER {user}")


# what only PostgreSQL has


@pytest.fixture
def postgres(opened):
    server = opened("postgres")
    server.make(TYPES, rows_at(0))
    return server


@pytest.fixture
def role(postgres):
    name = f"r_{postgres.source}"
    postgres.connection.execute(f"CREATE ROLE {name}")
    yield name
    postgres.connection.execute("RESET ROLE")
    postgres.connection.execute(f"DROP OWNED BY {name} CASCADE; DROP ROLE {name}")


def refused(server, words):
    with pytest.raises(PolicyError, match=words) as error:
        anonsql.run(policy_on(server, data_of()))
    assert "privacy.over_time" in str(error.value) and not server.released()


def test_nobody_else_reads_the_ledger(postgres, role):
    """Not even a role that the owner's default privileges let into new schemas and tables."""
    import psycopg

    ask, private = postgres.connection.execute, f"{postgres.release}__private"
    for kind, right in (("SCHEMAS", "ALL"), ("TABLES", "SELECT")):
        ask(f"ALTER DEFAULT PRIVILEGES GRANT {right} ON {kind} TO {role}")
    try:
        anonsql.run(policy_on(postgres, data_of()))
    finally:
        for kind, right in (("SCHEMAS", "ALL"), ("TABLES", "SELECT")):
            ask(f"ALTER DEFAULT PRIVILEGES REVOKE {right} ON {kind} FROM {role}")
    ask(f"SET ROLE {role}")
    assert ask(f"SELECT count(*) FROM {postgres.release}.r").fetchone() == (120,)
    for table in ("r__ledger", "r__ledger_releases", "r__ledger_rows"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(f"SELECT * FROM {private}.{table}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ask(f"CREATE TABLE {private}.planted (a int)")
    ask("RESET ROLE")
    durable = ask(
        "SELECT DISTINCT relpersistence FROM pg_class WHERE relnamespace = %s::regnamespace",
        [private],
    )
    assert durable.fetchall() == [("p",)] and postgres.schemas() == []


def test_a_schema_of_somebody_else_is_refused(postgres, role):
    private = f"{postgres.release}__private"
    postgres.connection.execute(f"CREATE SCHEMA {private} AUTHORIZATION {role}")
    refused(postgres, f"{private}, which holds the release's ledger, belongs to the role {role}")


def test_a_schema_that_others_may_use_is_refused(postgres, role):
    private = f"{postgres.release}__private"
    postgres.connection.execute(
        f"CREATE SCHEMA {private}; GRANT USAGE ON SCHEMA {private} TO {role}"
    )
    refused(postgres, f"{role} may also use it. REVOKE ALL ON SCHEMA")
    postgres.connection.execute(f"REVOKE ALL ON SCHEMA {private} FROM {role}")
    postgres.connection.execute(f"GRANT CREATE ON SCHEMA {private} TO PUBLIC")
    refused(postgres, "PUBLIC may also use it")


def test_a_ledger_that_runs_code_is_refused(postgres, role):
    private = f"{postgres.release}__private"
    postgres.connection.execute(f"CREATE SCHEMA {private}")
    postgres.connection.execute(f"CREATE VIEW {private}.r__ledger AS SELECT 1 AS secret")
    refused(postgres, f"{private}.r__ledger is not a table of the role")
    postgres.connection.execute(f"DROP VIEW {private}.r__ledger")
    postgres.connection.execute(f"CREATE TABLE {private}.r__ledger (secret text)")
    postgres.connection.execute(f"ALTER TABLE {private}.r__ledger OWNER TO {role}")
    refused(postgres, f"{private}.r__ledger is not a table of the role")


def test_a_ledger_that_somebody_works_on_is_left_alone(postgres, monkeypatch):
    import psycopg

    monkeypatch.setattr("anonsql.engines.postgres.engine._SECONDS", 1)
    policy = policy_on(postgres, data_of())
    anonsql.run(policy)
    with psycopg.connect(postgres.url) as other:
        table = f"{postgres.release}__private.r__ledger"
        other.execute(f"LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE")
        with pytest.raises(BusyError, match=r"__private on .* is locked by backend"):
            anonsql.run(policy)


def test_a_ledger_that_was_just_changed_is_read_again(postgres, monkeypatch):
    """It was begun anew by another session after this run's transaction began."""
    policy = policy_on(postgres, data_of())
    anonsql.run(policy)
    ledger_of = over_time.ledger_of
    table = f"{postgres.release}__private.r__ledger_rows"

    def late(session):
        postgres.connection.execute(f"CREATE TABLE {table}2 AS SELECT * FROM {table}")
        postgres.connection.execute(f"DROP TABLE {table}")
        postgres.connection.execute(f"ALTER TABLE {table}2 RENAME TO r__ledger_rows")
        return ledger_of(session)

    monkeypatch.setattr(over_time, "ledger_of", late)
    with pytest.raises(BusyError, match="was just changed by another run"):
        anonsql.run(policy)


def test_a_name_that_is_too_long_is_refused(postgres):
    data = data_of()
    policy = policy_on(postgres, data)
    with pytest.raises(
        PolicyError, match="a name of the release's ledger is longer than the 63 bytes"
    ):
        anonsql.run(updated(policy, release={"table": f"{postgres.release}.{'r' * 50}"}))


def test_a_release_in_a_file_has_its_ledger_in_the_catalog(postgres):
    data = data_of({"levels": "search"}, l_diversity={"ill": 2})
    source, _ = postgres.places()
    data["source"], found = source, []
    for turn in range(2):
        postgres.make(TYPES, rows_at(turn))
        found.append(anonsql.run(anonsql.Policy.parse(data, postgres.folder)))
    catalog = postgres.folder / "release.anonsql.duckdb"
    released = [item.released for item in found]
    assert rows_of(catalog, "SELECT released FROM ledger_releases ORDER BY 1") == [
        (entry,) for entry in sorted(released)
    ]
    assert rows_of(catalog, "SELECT count(*) FROM ledger_rows")[0][0] >= max(released)


# kills

MOMENTS = {
    "postgres": {
        "when the ledger is written": "PostgresTarget.publish = die",
        "before both are there": "PostgresEngine.commit = die",
        "when both are there": "ServerLedger.settle = die",
    },
    "mariadb": {
        "before both are there": "MariaDBTarget.publish = die",
        "when both are there": "ServerLedger.settle = die",
    },
}
PROGRAM = """
import os, sys
import anonsql
from anonsql.engines.mariadb.target import MariaDBTarget
from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.engines.postgres.target import PostgresTarget
from anonsql.over_time.server_ledger import ServerLedger
def die(*_, **__):
    os._exit(9)
"""


class Job:
    """A scheduled job on a server, which is killed."""

    def __init__(self, server):
        self.server, self.releases, self.seen, self.turn = server, [], [], 0
        source, release = server.places()
        data = data_of()
        data |= {"source": source, "release": {**data["release"], **release}}
        self.path = server.folder / "policy.yaml"
        self.path.write_text(yaml.safe_dump(data))

    def change(self):
        self.server.make(TYPES, rows_at(self.turn))
        self.turn += 1

    def look(self):
        """Note the release, where it is a new one."""
        release = dict(self.server.read("r__about"))["release"]
        if release not in self.seen:
            self.seen.append(release)
            names = [row[0] for row in self.server.read("r__columns")]
            rows = [dict(zip(names, row, strict=True)) for row in self.server.read()]
            shown = {row["link"]: (row["age"], row["town"]) for row in rows}
            self.releases.append(shown)

    def require_in_step(self):
        """Ledger and release name each other, and nobody is among too few in all releases."""
        assert Kept(self.server).releases() == self.seen
        found = defaultdict(list)
        for link in set().union(*self.releases):
            found[repr([release.get(link) for release in self.releases])].append(link)
        assert min(map(len, found.values())) >= K


@pytest.mark.parametrize("name", SERVERS)
def test_a_run_that_is_killed_leaves_ledger_and_release_in_step(opened, name):
    """At the moments that matter; on PostgreSQL then at random ones."""
    rnd, kept = random.Random(7), Job(opened(name))
    kills = KILLS if name == "postgres" else 0
    kept.change()
    anonsql.run(kept.path)
    kept.look()
    for moment, change in MOMENTS[name].items():
        kept.change()
        began, before = time.monotonic(), len(kept.seen)
        program = f"{PROGRAM}\n{change}\nanonsql.run(sys.argv[1])"
        done = in_python("-c", program, kept.path)
        assert done.returncode == 9, done.stderr
        usual = time.monotonic() - began
        kept.look()
        assert (len(kept.seen) > before) == (moment == "when both are there")
        kept.require_in_step()
    for _ in range(kills):
        kept.change()
        command = [sys.executable, "-m", "anonsql", "run", str(kept.path), "--quiet"]
        killed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(usual * (0.5 + 0.5 * rnd.random()))
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        kept.look()
        kept.require_in_step()
    kept.change()
    assert json.loads(anonsql.run(kept.path).model_dump_json())["verified"]
    kept.look()
    kept.require_in_step()
    assert 3 <= len(kept.seen) <= 3 + kills
