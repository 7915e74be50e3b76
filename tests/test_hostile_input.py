"""Policies and hierarchies that would hang, exhaust memory or end in a traceback: each is refused,
with its place."""

import os
import time
from pathlib import Path

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.hierarchies import files as hierarchy_files
from anonsql.policy.envelope import read_policy
from anonsql.policy.hierarchy import OrderHierarchy
from anonsql.policy.policy import Policy

from .support import cli, ended, flat, in_python, make_source, policy_data, write_policy

AGE_SEX = {"age": {"type": "interval", "widths": [10]}, "sex": {"type": "suppression"}}


@pytest.fixture
def folder(tmp_path):
    rows = [(20 + n % 3, "mf"[n % 2]) for n in range(40)]
    make_source(tmp_path, {"age": "INTEGER", "sex": "VARCHAR"}, rows)
    return tmp_path


def refused(folder, hierarchy, *words):
    """``check`` and ``run`` refuse a hierarchy of the column sex, soon."""
    path = write_policy(folder, {**AGE_SEX, "sex": hierarchy}, k=5)
    for command in ("check", "run"):
        started = time.perf_counter()
        result = cli(command, path)
        assert result.exit_code == 2, result.output
        assert time.perf_counter() - started < 5
        for word in words:
            assert word in flat(result.output)


@pytest.mark.parametrize("kind", ["file", "taxonomy"])
def test_pipes_and_devices_are_no_hierarchies(folder, kind):
    os.mkfifo(folder / "pipe")
    for path in ("pipe", "/dev/zero", "."):
        refused(folder, {"type": kind, "path": path}, "columns.sex.hierarchy.path", path)


@pytest.mark.parametrize("command", ["check", "search", "run", "verify"])
def test_pipes_and_devices_are_no_policies(tmp_path, command):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", "/dev/null"):
        done = in_python("-m", "anonsql", command, path, timeout=30)
        assert done.returncode == 2, done.stderr
        printed = flat(done.stderr)
        assert f"{path} is not a file. Name a regular file." in printed, printed


def test_a_hierarchy_has_a_greatest_size(folder, monkeypatch):
    with (folder / "large.csv").open("wb") as file:
        file.truncate(300 * 2**20)  # of no blocks
    refused(folder, {"type": "file", "path": "large.csv"}, "larger than 256 MiB")


def test_a_hierarchy_has_at_most_64_levels(folder):
    labels = ";".join(f"g{number}" for number in range(200))
    (folder / "deep.csv").write_text(f"m;{labels}\nf;{labels}\n")
    refused(
        folder,
        {"type": "file", "path": "deep.csv"},
        "columns.sex.hierarchy: the hierarchy has 200 levels above its values, and the limit is 64.",
    )
    tree = {"m": None, "f": None}
    for number in range(200):
        tree = {f"g{number}": tree}
    refused(
        folder, {"type": "taxonomy", "tree": tree}, "columns.sex.hierarchy.tree", "64 levels deep"
    )


def test_leaves_are_compared_in_reasonable_time():
    leaves = [f"leaf {number}" for number in range(60_000)]
    started = time.perf_counter()
    with pytest.raises(PolicyError, match="in two groups: leaf 7"):
        hierarchy_files.read(OrderHierarchy(levels=[{"all": [*leaves, "leaf 7"]}]), "here", Path)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('privacy: {k: !!int "zz"}', "line 1: found the tag !!int. Leave it out"),
        ("k: !!float 3", "found the tag !!float"),
        ("k: !!timestamp zz", "found the tag !!timestamp"),
        ("k: !!set {a: 1}", "found the tag !!set"),
        ("k: !!python/object:os.system {}", "found the tag !!python/object:os.system"),
        ("k: !own 3", "found the tag !own"),
        ("k: &a [*a]", "aliases expand to millions of nodes, or contain themselves"),
        (
            "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(9)).replace(
                "*a-1", "x"
            ),
            "line 7: aliases expand",
        ),
        ('k: "\\ud800"', "half of a surrogate pair is not a character"),
        ('"\\udfff": 3', "half of a surrogate pair"),
        ("[" * 5000, "nested too deeply"),
    ],
)
def test_yaml_that_is_no_policy(tmp_path, text, message):
    path = tmp_path / "policy.yaml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=r"policy\.yaml") as error:
        read_policy(path)
    assert message in str(error.value)


def test_yaml_of_json_and_of_many_digits(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text('{"a": "\\ud83e\\udd86", "b": [12345678901234567890, 12, !!str 13]}')
    assert read_policy(path) == {"a": "🦆", "b": ["12345678901234567890", 12, 13]}


@pytest.mark.parametrize("digits", [13, 25, 4_000, 5_000])
def test_numbers_of_thousands_of_digits(folder, digits):
    path = write_policy(folder, AGE_SEX, k=5)
    text = path.read_text()
    for place, message in (("k: 5", "privacy.k"), ("- 10", "columns.age.hierarchy.widths[0]")):
        path.write_text(text.replace(place, place[:2] + " " + "9" * digits))
        result = cli("run", path)
        if digits < 18 and message != "privacy.k":
            continue  # a width
        assert result.exit_code == 2
        assert message in flat(result.stderr)
        assert len(result.stderr) < 300
    with pytest.raises(PolicyError, match="more than 60 digits") as found:
        Policy.parse(policy_data(AGE_SEX, k=10**digits * 10**60))
    assert len(str(found.value)) < 300


def test_flags_are_names(folder):
    for flag, message in ((True, "'true'"), (7, "'7'"), (1.5, "'1.5'")):
        columns = {**AGE_SEX, "sex": {"role": "semi-sensitive", "flag": flag}}
        more = {"method": {"type": "local"}}
        path = write_policy(folder, columns, k=5, **more)
        path.write_text(path.read_text().replace("privacy:", "privacy:\n  l_diversity: {sex: 2}"))
        for command in ("check", "run"):
            result = cli(command, path)
            ended(result, 2, f"columns.sex.flag: the source has no column {message}.")


@pytest.mark.parametrize(
    "command", ["check", "run", "verify", "search", "compare", "advise", "init", "runs"]
)
def test_folders_that_are_no_text(folder, command):
    odd = os.fsdecode(os.fsencode(folder) + b"/\xff")
    Path(odd).mkdir()
    (folder / "source.duckdb").rename(odd + "/source.duckdb")
    path = write_policy(Path(odd), AGE_SEX, k=5)
    asked = {"init": [odd + "/source.duckdb", "t"], "runs": ["-p", path]}.get(command, [path])
    for output in ([], ["--json"]):
        result = cli(command, *asked, *output)
        assert result.exit_code == 2, result.output
        assert "is not UTF-8 text. Rename the file or folder." in flat(result.stderr)
    with pytest.raises(PolicyError, match="not UTF-8 text"):
        anonsql.run(policy_at(folder, odd))


def policy_at(folder, odd):
    """A policy whose source lies in a folder that is no text."""
    return Policy.parse({**policy_data(AGE_SEX), "source": {"file": odd + "/a.csv"}}, folder)
