"""Private folders: nobody else looks in, nothing stays, the dead are swept and the living left
alone."""

import os
import resource
import stat
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import anonsql
from anonsql.errors import BusyError, PolicyError
from anonsql.jobs import pipeline
from anonsql.jobs.workspace import private_memory, workspace
from anonsql.policy.policy import Policy

from .support import make_source, policy_data


def test_private_and_gone_afterwards(tmp_path):
    with workspace(tmp_path / "r.duckdb") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "x").write_text("secret")
    assert list(tmp_path.iterdir()) == []


def test_gone_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), workspace(tmp_path / "r.duckdb"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def test_a_run_leaves_the_umask_of_other_threads_alone(tmp_path, monkeypatch):
    """Whatever other threads make while a run is at work has the mode they asked for; the run's own
    files are private all the same, the write-ahead log of the catalog too."""
    make_source(tmp_path, {"a": "INTEGER"}, [(n % 2,) for n in range(10)])
    policy, modes, makes = policy_data({"a": {"type": "suppression"}}), [], pipeline.stage

    def made(path):
        return stat.S_IMODE(path.stat().st_mode)

    def stage(job):
        os.close(os.open(tmp_path / "others", os.O_CREAT | os.O_EXCL, 0o664))
        modes.extend(map(made, (tmp_path / "others", *sorted(tmp_path.glob("*.anonsql.duckdb*")))))
        pipeline.go_through(job, (makes,))

    monkeypatch.setattr(pipeline, "PUBLISH", (stage, *pipeline.PUBLISH[1:]))
    monkeypatch.setattr(pipeline, "RELEASE", (*pipeline.CHOOSE, *pipeline.PUBLISH))
    with umask(0o002):
        anonsql.run(Policy.parse(policy, tmp_path))
    assert modes == [0o664, 0o600, 0o600]
    assert made(tmp_path / "release.duckdb") == 0o664
    assert made(tmp_path / "release.anonsql.duckdb") == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "others",
        "release.anonsql.duckdb",
        "release.duckdb",
        "source.duckdb",
    ]


def test_no_core_dumps_while_values_are_in_memory():
    """The limit is 0 until the last of several threads has ended, and then what it was."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    first, second = private_memory(), private_memory()
    first.__enter__()
    second.__enter__()
    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, before[1])
    first.__exit__(None, None, None)
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0
    second.__exit__(None, None, None)
    assert resource.getrlimit(resource.RLIMIT_CORE) == before


def test_the_dead_are_swept_and_the_living_are_not(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from anonsql.jobs.workspace import"
        " workspace\nwith workspace(Path(sys.argv[1])) as folder:\n (folder /"
        " 'spill').write_text('x'); print(folder, flush=True); time.sleep(60)"
    )
    order = [sys.executable, "-c", code, str(tmp_path / "r.duckdb")]
    process = subprocess.Popen(order, stdout=subprocess.PIPE, text=True)
    try:
        folder = process.stdout.readline().strip()
        with (
            pytest.raises(BusyError, match=f"is locked by another run, process {process.pid}"),
            workspace(tmp_path / "r.duckdb"),
        ):
            pass
        assert os.path.exists(folder + "/spill")
        assert len(list(tmp_path.iterdir())) == 1
    finally:
        process.kill()
        process.wait()
    assert os.path.exists(folder)
    with workspace(tmp_path / "r.duckdb"):
        assert not os.path.exists(folder)


def test_half_made_folders_are_swept_when_old(tmp_path):
    half = tmp_path / ".r.duckdb.anonsql-making-0123456789ab"
    half.mkdir()
    with workspace(tmp_path / "r.duckdb"):
        assert half.exists()
    os.utime(half, (time.time() - 1000,) * 2)
    with workspace(tmp_path / "r.duckdb"):
        assert not half.exists()


def test_folders_whose_removal_was_cut_short_are_swept(tmp_path):
    """The owner's file may be the first that is removed."""
    rest = tmp_path / ".r.duckdb.anonsql-0123456789ab"
    rest.mkdir()
    (rest / "spill").touch()
    with workspace(tmp_path / "r.duckdb"):
        assert not rest.exists()


def test_names_that_look_like_patterns(tmp_path):
    dead = tmp_path / ".r[1].duckdb.anonsql-0123456789ab"
    dead.mkdir()
    (dead / "owner").touch()
    with workspace(tmp_path / "r[1].duckdb"):
        assert not dead.exists()


def test_a_folder_that_is_not_there(tmp_path):
    with (
        pytest.raises(PolicyError, match="does not exist"),
        workspace(tmp_path / "no" / "r.duckdb"),
    ):
        pass
