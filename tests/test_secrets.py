"""No secret of a run stands in a statement's text, a log, the journal or the catalog; who reads
them all learns no row's place."""

import ast
import secrets
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

import anonsql
from anonsql.engines.duckdb import session as duckdb_session
from anonsql.system.journal import Journal

from .engines import policy_on
from .methods import PLAIN, RANDOMIZED
from .support import policy_data, rows_of

TYPES = {
    "id": "INTEGER",
    "age": "INTEGER",
    "sex": "VARCHAR",
    "disease": "VARCHAR",
    "own": "BOOLEAN",
}
ROWS = [
    (number, 20 + number * 7 % 10, "mf"[number % 2], "abcdef"[number % 6], number % 3 == 0)
    for number in range(48)
]
AGE = {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10]}}
SEX = {"role": "qi", "hierarchy": {"type": "suppression"}}
RECODED = {
    "id": "insensitive",
    "age": AGE,
    "sex": SEX,
    "disease": "sensitive",
    "own": "insensitive",
}
QUASI = {"role": "qi"}
METHODS = {**PLAIN, **RANDOMIZED}


def policy_of(engine, name):
    """A policy of a method whose release keeps the source's serial number, by which an attack can
    be judged."""
    method, columns, privacy = METHODS[name], dict(RECODED), {}
    if name == "attribute-suppression":
        columns |= {"age": QUASI, "sex": QUASI}
    if name == "anatomy":
        columns |= {"age": QUASI, "sex": QUASI}
        privacy = {"l_diversity": {"disease": 3}}
    if name == "local":
        columns |= {"age": QUASI, "sex": QUASI}
        columns["age"] = {"role": "semi-sensitive", "flag": "own"}
        columns.pop("own")
        privacy = {"t_closeness": {"age": 0.85}, "l_diversity": {"disease": 3}}
    data = policy_data(columns, k=4, limit=0.5, method=method)
    if name == "anatomy":
        data["privacy"].pop("suppression_limit")
    data["privacy"] |= privacy
    return policy_on(engine, data)


@pytest.fixture
def watched(monkeypatch):
    """What a run says to its engines and writes of itself (``texts``), and what it draws by chance
    for itself (``drawn``)."""
    seen = SimpleNamespace(texts=[], drawn=[])
    for name in ("token_hex", "token_bytes", "token_urlsafe"):
        monkeypatch.setattr(secrets, name, _drawing(getattr(secrets, name), seen.drawn))
    _watch_duckdb(monkeypatch, seen.texts)
    _watch_postgres(monkeypatch, seen.texts)
    _watch_spark(monkeypatch, seen.texts)
    monkeypatch.setattr(Journal, "__init__", _keeping(Journal.__init__, seen))
    return seen


def _drawing(draw, drawn):
    def drawing(size=None):
        value = draw(size)
        if size is None or size >= 16:  # shorter ones are names, and no secrets
            drawn.append(value)
        return value

    return drawing


def _keeping(make, seen):
    def making(journal, *given, **named):
        make(journal, *given, **named)
        seen.journal = journal

    return making


def _watch_duckdb(monkeypatch, texts):
    """DuckDB's own logs of every session, as chatty as they can be, and what the clean writer is
    told."""
    opening, closing, running = (
        duckdb_session.DuckDBSession.__init__,
        duckdb_session.DuckDBSession.close,
        subprocess.run,
    )

    def opened(session, *given, **named):
        opening(session, *given, **named)
        session._connection.execute("CALL enable_logging(level='trace')")

    def close(session):
        texts.extend(map(str, session._connection.execute("FROM duckdb_logs").fetchall()))
        closing(session)

    def run(command, **named):
        texts.append(f"{command} {named.get('input')}")
        return running(command, **named)

    monkeypatch.setattr(duckdb_session.DuckDBSession, "__init__", opened)
    monkeypatch.setattr(duckdb_session.DuckDBSession, "close", close)
    monkeypatch.setattr(subprocess, "run", run)


def _watch_postgres(monkeypatch, texts):
    """What reaches the server as statements: the driver's, with whatever is bound to them."""
    psycopg = pytest.importorskip("psycopg")

    def watching(method):
        def watched(cursor, statement, *given, **named):
            texts.append(f"{statement} {given} {named}")
            return method(cursor, statement, *given, **named)

        return watched

    for name in ("execute", "executemany", "copy"):
        monkeypatch.setattr(psycopg.Cursor, name, watching(getattr(psycopg.Cursor, name)))


def _watch_spark(monkeypatch, texts):
    """Statements, and the plans that Spark's pages and event logs show of them."""
    session = pytest.importorskip("pyspark.sql").SparkSession
    ask = session.sql

    def sql(self, text, *given, **named):
        found = ask(self, text, *given, **named)
        is_secret = "fresh_salt" in text or "_given" in text
        plan = found._jdf.queryExecution().toString() if is_secret else ""
        texts.append(f"{text} {given} {named} {plan}")
        return found

    monkeypatch.setattr(session, "sql", sql)


@pytest.mark.parametrize("method", METHODS)
def test_nobody_learns_from_statements_and_logs_which_row_is_which(engine, watched, method, caplog):
    engine.make(TYPES, ROWS)
    caplog.set_level("DEBUG", "anonsql")
    policy = policy_of(engine, method)
    anonsql.run(policy)
    texts = [*watched.texts, *map(str, watched.journal.statements), caplog.text]
    catalog = next(engine.folder.glob("*.anonsql.duckdb"))
    for (table,) in rows_of(catalog, "SELECT table_name FROM duckdb_tables()"):
        texts += map(str, rows_of(catalog, f"FROM {table}"))
    assert watched.drawn and len(watched.texts) > 20
    for secret in watched.drawn:
        shown = secret.hex() if isinstance(secret, bytes) else secret
        assert not [text for text in texts if shown in text]
        assert shown.encode() not in catalog.read_bytes()


def test_nothing_rests_on_assert():
    """``python -O`` leaves assertions out: what safety rests on is checked and raised."""
    for path in Path(anonsql.__file__).parent.glob("**/*.py"):
        found = [
            n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Assert)
        ]
        assert not found, f"{path}:{found[0].lineno}"
