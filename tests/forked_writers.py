"""The clean writers of tests, forked from one process that has loaded DuckDB and read nothing.

A run starts a Python that loads DuckDB, to write its files: a tenth of the time of a small job.
Commands in processes of their own start it as ever, and so does whoever asks for `fresh_writers`.
"""

import json
import os
import subprocess
import sys
from threading import Lock

import pytest

from anonsql.engines.duckdb import clean_writer

_START = [sys.executable, "-P", clean_writer.__file__]
_FORKING = """
import io, json, os, runpy, sys, traceback

try:
    import _duckdb as duckdb
except ImportError:
    import duckdb

duckdb.connect(":memory:", config={"threads": 1}).close()

def write(script, order, folder):
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(order), io.StringIO(), io.StringIO()
    os.umask(0o077)
    os.chdir(folder)
    code = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    return code, sys.stdout.getvalue(), sys.stderr.getvalue()

for line in iter(sys.stdin.readline, ""):
    reading, writing = os.pipe()
    if not (child := os.fork()):
        with open(writing, "w") as result:
            json.dump(write(*json.loads(line)), result)
        os._exit(0)
    os.close(writing)
    with open(reading) as result:
        found = result.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(found or json.dumps((code, "", "")), flush=True)
"""
_lock = Lock()
_forking: list[subprocess.Popen] = []
_run = subprocess.run


def _forked(command, *rest, **named):
    if command != _START or named.get("umask") != 0o077:
        return _run(command, *rest, **named)
    with _lock:
        if not _forking:
            start = [sys.executable, "-P", "-c", _FORKING]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            _forking.append(subprocess.Popen(start, **pipes))
        (parent,) = _forking
        try:
            order = json.dumps({**json.loads(named["input"]), "run": parent.pid})
            print(json.dumps((_START[-1], order, os.getcwd())), file=parent.stdin, flush=True)
            return subprocess.CompletedProcess(command, *json.loads(parent.stdout.readline()))
        except BaseException:  # the answer may still come, and is nobody's
            _forking.pop().kill()
            raise


def begin():
    """Let runs of this process have their files written so."""
    subprocess.run = _forked


@pytest.fixture
def fresh_writers(monkeypatch):
    """Runs start their writers as they do outside of tests."""
    monkeypatch.setattr(subprocess, "run", _run)
