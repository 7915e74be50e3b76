"""Private folders: nobody else looks in, nothing stays, the dead are swept and the living left alone."""

import os
import stat
import subprocess
import sys
import time

import pytest

from anonsql.errors import BusyError, PolicyError
from anonsql.workspace import private_files, workspace


def test_private_and_gone_afterwards(tmp_path):
    with private_files(), workspace(tmp_path / "r.duckdb") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "x").write_text("secret")
        assert stat.S_IMODE((folder / "x").stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == []


def test_gone_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), workspace(tmp_path / "r.duckdb"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_the_umask_is_put_back(tmp_path):
    before = os.umask(0o022)
    os.umask(before)
    with private_files():
        pass
    after = os.umask(before)
    assert after == before


def test_the_dead_are_swept_and_the_living_are_not(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from anonsql.workspace import workspace\n"
        "with workspace(Path(sys.argv[1])) as folder:\n (folder / 'spill').write_text('x'); print(folder, flush=True); time.sleep(60)"
    )
    order = [sys.executable, "-c", code, str(tmp_path / "r.duckdb")]
    process = subprocess.Popen(order, stdout=subprocess.PIPE, text=True)
    try:
        folder = process.stdout.readline().strip()
        with (
            pytest.raises(BusyError, match=f"is locked by process {process.pid}"),
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
