"""A run that is killed at any moment leaves ledger and release in step: the next run goes on."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict

import pytest

import anonsql

from .support import in_python, make_table, policy_data, released_rows, rows_of, write_data

KILLS = int(os.environ.get("ANONSQL_KILLS", "4"))
"""Kills at random moments; sixty were made when this was written."""
TYPES = {"id": "INTEGER", "link": "INTEGER", "place": "VARCHAR"}
COLUMNS = {"id": "identifying", "link": "insensitive", "place": {"type": "suppression"}}
K = 4
MOMENTS = {
    "before the ledger knows of it": "over_time.announce = die",
    "when the ledger knows of it": """
announce = over_time.announce
def late(*given):
    announce(*given)
    die()
over_time.announce = late
""",
    "when it is published": "CatalogLedger.settle = die",
    "while the ledger is settled": """
rename = CatalogLedger._has_rows
run = DuckDBSession.run
def stop(self, template, **given):
    if template == "jobs/catalog/ledger_settle":
        die()
    run(self, template, **given)
DuckDBSession.run = stop
""",
    "when the ledger is settled": """
settle = CatalogLedger.settle
def late(*given, **more):
    settle(*given, **more)
    die()
CatalogLedger.settle = late
""",
}
PUBLISHED = ("when it is published", "while the ledger is settled", "when the ledger is settled")
PROGRAM = """
import os, sys
import anonsql
from anonsql.engines.duckdb.session import DuckDBSession
from anonsql.jobs import over_time
from anonsql.jobs.catalog_ledger import CatalogLedger
def die(*_, **__):
    os._exit(9)
"""


def make_source(folder, turn):
    """Ninety people; in every turn others come and go."""
    rnd = random.Random(turn)
    rows = [(n, 1000 + n, "abc"[n % 3]) for n in range(90 + 9 * turn) if rnd.random() > 0.02]
    (folder / "source.duckdb").unlink(missing_ok=True)
    make_table(folder / "source.duckdb", TYPES, rows)


@pytest.fixture
def policy(tmp_path):
    make_source(tmp_path, 0)
    path = write_data(tmp_path, policy_data(COLUMNS, k=K, privacy={"over_time": {"key": "id"}}))
    anonsql.run(path)
    return path


def die_at(policy, moment):
    program = f"{PROGRAM}\n{MOMENTS[moment]}\nanonsql.run(sys.argv[1])"
    done = in_python("-c", program, policy)
    assert done.returncode == 9, done.stderr


def released(folder):
    """Who is released in which class; the release's number."""
    rows = released_rows(folder, "SELECT link, place FROM r")
    number = released_rows(folder, "SELECT value FROM r__about WHERE property = 'over_time'")
    return dict(rows), number[0][0]


def ledger(folder):
    catalog = next(folder.glob("*.anonsql.duckdb"))
    return rows_of(catalog, "SELECT number, settled, release_id FROM ledger_releases ORDER BY 1")


def require_in_step(folder):
    published = released_rows(folder, "SELECT value FROM r__about WHERE property = 'release'")
    entries = ledger(folder)
    assert [number for number, *_ in entries] == list(range(1, len(entries) + 1))
    assert all(settled for _, settled, _ in entries)
    assert entries[-1][2] == published[0][0]


def smallest(releases):
    """The fewest rows that were ever released and have one trace, counted on the releases."""
    traces = defaultdict(list)
    for release in releases:
        for link in set().union(*releases):
            traces[link].append(release.get(link))
    return min(Counter(map(tuple, traces.values())).values())


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_next_run_goes_on(tmp_path, policy, moment):
    releases = [released(tmp_path)[0]]
    make_source(tmp_path, 1)
    die_at(policy, moment)
    after, number = released(tmp_path)
    assert number == ("release 2" if moment in PUBLISHED else "release 1")
    if moment in PUBLISHED:
        releases.append(after)
    make_source(tmp_path, 2)
    anonsql.run(policy)
    require_in_step(tmp_path)
    final, number = released(tmp_path)
    assert number == f"release {len(releases) + 1}"
    assert smallest([*releases, final]) >= K


def test_kills_at_random_moments(tmp_path, policy):
    releases, seen = [released(tmp_path)[0]], {released(tmp_path)[1]}
    rnd = random.Random(7)
    command = [sys.executable, "-m", "anonsql", "run", str(policy), "--quiet"]
    make_source(tmp_path, 1)
    began = time.monotonic()
    subprocess.run(command, capture_output=True, check=True)
    usual = time.monotonic() - began
    for turn in range(2, KILLS + 2):
        found, number = released(tmp_path)
        if number not in seen:
            releases.append(found)
            seen.add(number)
        make_source(tmp_path, turn)
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(usual * (0.5 + 0.5 * rnd.random()))
        running.send_signal(signal.SIGKILL)
        running.wait()
    found, number = released(tmp_path)
    if number not in seen:
        releases.append(found)
    make_source(tmp_path, KILLS + 2)
    report = anonsql.run(policy)
    assert report.status == "published"
    require_in_step(tmp_path)
    assert smallest([*releases, released(tmp_path)[0]]) >= K
    assert json.loads(report.model_dump_json())["verified"]
