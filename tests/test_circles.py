"""The circles of tests: their tables name tests that are there, and no case is in none of them."""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from . import circles

FOLDER = Path(__file__).parent
TABLES = {name: getattr(circles, name) for name in ("QUICK", "LONG", "SAMPLED", "SPARK", "ENOUGH")}


@cache
def names_in(file):
    """The names that a file defines or imports."""
    path = FOLDER / f"{file}.py"
    body = ast.parse(path.read_text(encoding="utf-8")).body if path.is_file() else ()
    defined = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    imports = (node for node in body if isinstance(node, ast.ImportFrom))
    return defined | {name.name for node in imports for name in node.names}


@pytest.mark.parametrize("table", TABLES)
def test_tables_name_tests_that_are_there(table):
    names = [name.split("[")[0].partition("::") for name in TABLES[table]]
    unknown = [
        f"{file}::{test}" for file, _, test in names if test not in names_in(file) | {""}
    ] + [file for file, _, _ in names if not names_in(file)]
    assert unknown == []


def test_no_test_is_in_two_tables_of_what_is_long():
    assert not set(circles.LONG) & (set(circles.SAMPLED) | set(circles.SPARK) | set(circles.ENOUGH))


MARKS = """
def pytest_collection_finish(session):
    for item in session.items:
        print(item.nodeid, *(mark.name for mark in item.iter_markers()), sep="\\t")
"""


def collected(folder, *options):
    """The cases of some files that pytest would run, and which of them it takes for quick and for
    long."""
    (folder / "marks.py").write_text(MARKS)
    files = [str(FOLDER / f"test_{name}.py") for name in ("relaxation", "over_time_kills", "keys")]
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "--collect-only", *options]
    environment = {name: text for name, text in os.environ.items() if name != "PYTEST_ADDOPTS"}
    paths = [str(folder), environment.get("PYTHONPATH", "")]
    done = subprocess.run(
        [*command, "-o", "addopts=", "-p", "no:cacheprovider", "-p", "marks", *files],
        capture_output=True,
        text=True,
        check=False,
        cwd=FOLDER.parent,
        env={**environment, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
    cases = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return [
        {case[0] for case in cases if word in ("", *case[1:])} for word in ("", "quick", "long")
    ]


def test_circles_are_parts_of_all_cases(tmp_path):
    every, quick, long = collected(tmp_path, "-m", "long or not long")
    default, inner, _ = collected(tmp_path)
    assert quick and quick == inner and quick < default and long and default == every - long
