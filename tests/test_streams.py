"""What is published stays published, and the exit code 0, whatever becomes of stdout and stderr."""

import os
import subprocess
import sys

import pytest

from anonsql.system import streams

from .support import flat, make_source, released_rows, write_policy


@pytest.fixture
def policy(tmp_path):
    make_source(tmp_path, {"age": "INTEGER"}, [(20 + n % 3,) for n in range(40)])
    return write_policy(tmp_path, {"age": {"type": "interval", "widths": [10]}}, k=5)


@pytest.mark.parametrize(
    ("arguments", "redirection", "message"),
    [
        ("", ">&-", "stdout could not be written (it is closed)"),
        ("--json", ">/dev/full", "stdout could not be written (No space left on device)"),
        ("--json --verbose", "2>&-", None),
        ("--verbose", ">/dev/full 2>/dev/full", None),
        ("--json", "| true", "stdout could not be written (Broken pipe)"),
    ],
)
def test_what_is_published_stays_so(policy, arguments, redirection, message):
    command = f"'{sys.executable}' -m anonsql run '{policy}' {arguments} {redirection}"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in flat(result.stderr)
    assert (message or "") in flat(result.stderr)
    assert released_rows(policy.parent, "SELECT count(*) FROM r") == [(40,)]


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["runs", "-p", "nothing.yaml"]])
def test_no_command_fails_of_its_output(command):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "anonsql", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == (2 if "runs" in command else 0)
    assert "Traceback" not in flat(result.stderr)


def test_a_failure_is_noted_once_and_said_at_the_end(capsys):
    full = os.fdopen(os.open("/dev/full", os.O_WRONLY), "w")
    stream = streams.Tolerant(full)
    assert stream.write("x" * 100_000) == 100_000
    stream.flush()
    assert stream.missed == "No space left on device"
    assert stream.write("more") == 4
    full.close()  # what is still buffered goes nowhere, and fails no more


def test_closed_streams_miss_only_what_is_written():
    stream = streams.Tolerant(None)
    stream.flush()
    assert (stream.missed, stream.isatty()) == ("", False)
    stream.write("x")
    assert stream.missed == "it is closed"


def test_what_an_encoding_has_not_is_escaped(tmp_path):
    with (tmp_path / "out").open("w", encoding="ascii") as file:
        stream = streams.Tolerant(file)
        stream.write("\udcff é")
        stream.flush()
        assert (stream.missed, (tmp_path / "out").read_bytes()) == ("", rb"\udcff \xe9")
