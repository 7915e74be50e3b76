"""Releases over time on every database: what is held back and released is what DuckDB holds back and
releases, and the ledger lies where nobody but its owner reads it."""

import hmac
import random
from functools import partial

import pytest

import anonsql
from anonsql.jobs import over_time
from anonsql.over_time import traces
from anonsql.over_time.ledger import Book

from .engines import DATABASES, ENGINES, Postgres, content_hash, policy_on
from .support import policy_data

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
TURNS = 4
SERVERS = ["postgres"]


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


def data_of(over_time=None, **promises):
    data = policy_data(COLUMNS, k=K)
    data["privacy"] |= promises
    data["privacy"]["over_time"] = {"key": "id", **(over_time or {})}
    return data


@pytest.fixture
def one_secret(monkeypatch):
    """Every ledger has the same secret: which rows are drawn is no chance then."""
    monkeypatch.setattr(over_time, "Book", partial(Book, secret=SECRET))


def histories(engine, data):
    """What each of some releases has, and what was decided about rows."""
    found, decided = [], []
    hold_back = traces.hold_back

    def noted(*given, **more):
        decided.append(hold_back(*given, **more))
        return decided[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonsql.over_time.traces.hold_back", noted)
        for turn in range(TURNS):
            engine.make(TYPES, rows_at(turn))
            report = anonsql.run(policy_on(engine, data))
            assert report.verified
            about = dict(engine.read("r__about"))
            kept = {name: about[name] for name in ("over_time", "held_back", "min_class")}
            found.append((content_hash(engine.read()), kept))
    return found, decided


@pytest.fixture(scope="module")
def on_duckdb(tmp_path_factory):
    """What DuckDB makes of a policy, once for each."""
    known = {}

    def made(name, data):
        if name not in known:
            known[name] = histories(ENGINES["duckdb"](tmp_path_factory.mktemp("duckdb")), data)
        return known[name]

    return made


POLICIES = {
    "k alone": data_of(),
    "searched, diverse": data_of({"levels": "search"}, l_diversity={"ill": 2}),
    "close": data_of({"deletions": "tell"}, t_closeness={"ill": 0.5}),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("server", SERVERS)
def test_the_same_rows_are_held_back_everywhere(tmp_path, one_secret, on_duckdb, server, policy):
    data = POLICIES[policy]
    expected, decided = on_duckdb(policy, data)
    engine = {**ENGINES, **DATABASES}[server](tmp_path)
    try:
        assert histories(engine, data) == (expected, decided)
    finally:
        getattr(engine, "close", lambda: None)()
