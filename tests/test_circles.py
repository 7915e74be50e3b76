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
TABLES = {name: getattr(circles, name) for name in ("QUICK", "LONG", "SAMPLED", "SPARK")}


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
    assert not set(circles.LONG) & (set(circles.SAMPLED) | set(circles.SPARK))


def collected(*options):
    """The cases of some files that pytest would run."""
    files = [str(FOLDER / f"test_{name}.py") for name in ("relaxation", "over_time_kills", "keys")]
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "--collect-only", *options]
    done = subprocess.run(
        [*command, "-o", "addopts=", "-p", "no:cacheprovider", *files],
        capture_output=True,
        text=True,
        check=False,
        cwd=FOLDER.parent,
        env={name: text for name, text in os.environ.items() if name != "PYTEST_ADDOPTS"},
    )
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_circles_are_parts_of_all_cases():
    default, long, quick = collected(), collected("-m", "long"), collected("-m", "quick")
    assert quick and quick < default and long and not default & long
    assert collected("-m", "long or not long") == default | long
