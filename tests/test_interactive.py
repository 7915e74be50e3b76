"""``init --interactive``: questions on a terminal, and a policy that passes ``check``."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from contextlib import closing

import pytest
import yaml

import anonsql
from anonsql.cli import commands
from anonsql.features.init.command import init as profile
from anonsql.hierarchies.patterns import FORMS

from .engines import Postgres
from .support import cli, flat, make_source, make_table, rows_of

TYPES = {
    "name": "VARCHAR",
    "band": "VARCHAR",
    "code": "VARCHAR",
    "day": "DATE",
    "plz": "VARCHAR",
    "shelf": "INTEGER",
    "disease": "VARCHAR",
}
ROWS = [
    (
        f"person {i}",
        f"{20 + i % 8 * 5}-{24 + i % 8 * 5}",
        f"{'AB'[i % 2]}0{i % 3}.{i % 4}",
        f"2024-{1 + i % 12:02}-03",
        f"{10110 + i % 9}",
        i % 7,
        "xyz"[i % 3],
    )
    for i in range(240)
]


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(commands, "_at_a_terminal", lambda: True)


def asked(folder, answers, *words, table="t"):
    proposal = ("init", folder / "source.duckdb", table, "-i", "-o", folder / "policy.yaml")
    return cli(*proposal, *words, answers="".join(f"{answer}\n" for answer in answers))


def columns_of(folder):
    return yaml.safe_load((folder / "policy.yaml").read_text(encoding="utf-8"))["columns"]


def test_enter_accepts_and_the_policy_runs(tmp_path, terminal):
    make_source(tmp_path, TYPES, ROWS)
    result = asked(tmp_path, [""] * 8)
    assert result.exit_code == 0, result.output
    written = columns_of(tmp_path)
    assert {name: item["role"] for name, item in written.items()} == {
        "name": "identifying",
        "disease": "sensitive",
        **dict.fromkeys(("band", "code", "day", "plz", "shelf"), "quasi-identifying"),
    }
    assert written["band"]["hierarchy"] == {"type": "file", "path": "hierarchy_band.csv"}
    assert written["code"]["hierarchy"] == {"type": "file", "path": "hierarchy_code.csv"}
    assert written["plz"]["hierarchy"] == {"type": "mask", "length": 5}
    assert written["day"]["hierarchy"]["type"] == "date"
    text = (tmp_path / "policy.yaml").read_text()
    assert "20-24" not in text and "person 1" not in text and "UNDECIDED" not in text
    assert "20-24" not in flat(result.output) and "person 1" not in flat(result.output)
    file = tmp_path / "hierarchy_band.csv"
    assert file.stat().st_mode & 0o777 == 0o600
    assert '"20-24";"20-29";"20-39";"*"' in file.read_text()
    assert "names values of the table" in flat(result.stdout)
    assert "It is checked" in flat(result.stdout)
    assert anonsql.check(tmp_path / "policy.yaml").status == "ok"
    assert anonsql.run(tmp_path / "policy.yaml").verified
    released = rows_of(
        tmp_path / "source_released.duckdb", "SELECT table_name FROM duckdb_tables() ORDER BY 1"
    )
    assert not [entry for (entry,) in released if "hierarchies" in entry]  # they name all values


def test_only_who_was_asked_has_decided(tmp_path, terminal):
    rows = [(f"person {i}", i % 7, f"{20 + i % 8 * 5}") for i in range(240)]
    make_source(tmp_path, {"name": "VARCHAR", "age": "INTEGER", "zip": "VARCHAR"}, rows)
    given = ["init", str(tmp_path / "source.duckdb"), "t", "-o", str(tmp_path / "proposed.yaml")]
    assert cli(*given).exit_code == 0
    proposed = (tmp_path / "proposed.yaml").read_text(encoding="utf-8")
    assert "role: null" not in proposed and "decided on every column" not in proposed
    assert proposed.startswith("# A policy for anonsql, proposed from counts alone.")
    assert asked(tmp_path, [""] * 4).exit_code == 0
    decided = (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    assert decided.startswith("# A policy for anonsql, as its table's owner decided on every")


def test_what_is_told_of_a_column(tmp_path, terminal):
    make_table(tmp_path / "source.duckdb", TYPES, ROWS)
    said = " ".join(asked(tmp_path, [""] * 8).stderr.split())
    assert "1 of 7: name VARCHAR, 240 distinct in 240 rows, unique." in said
    assert "By itself it makes 240 of 240 rows unique" in said
    assert "VARCHAR, 8 distinct in 240 rows, age bands." in said
    assert "with band: 0 (without it 0)" in said
    assert "drawn from its values, ICD-10 codes: A00.1 -> A00 -> A" in said


def test_letters_change_roles_and_hierarchies(tmp_path, terminal):
    make_table(tmp_path / "source.duckdb", TYPES, ROWS)
    answers = [
        *("q", "h", "1", ""),  # the name, by its first hierarchy
        *("h", "9", "h", "3", ""),  # bands: no such hierarchy, then the third
        *("n", ""),
        *("?", "x", "s", ""),
        *("i", "q", ""),
        *("h", "2", ""),
        *("k", "n", ""),  # k is the number that the last question asks for, and no role
        *("1", "many", "5"),
    ]
    result = asked(tmp_path, answers)
    written = columns_of(tmp_path)
    assert {name: item["role"] for name, item in written.items()} == {
        "name": "quasi-identifying",
        "band": "quasi-identifying",
        "code": "insensitive",
        "day": "sensitive",
        "plz": "quasi-identifying",
        "shelf": "quasi-identifying",
        "disease": "insensitive",
    }
    assert written["band"]["hierarchy"] == {"type": "mask", "length": 5}
    assert yaml.safe_load((tmp_path / "policy.yaml").read_text())["privacy"]["k"] == 5
    assert not list(tmp_path.glob("hierarchy_*"))
    assert "q  quasi-identifying: others may know it" in result.stderr
    assert "n  insensitive: neither known to others nor harmful" in result.stderr
    assert result.stderr.count("q  quasi-identifying") == 3  # explained after ?, x and k
    assert "Give a whole number from 2 to 240" in flat(result.stderr)
    assert result.exit_code == 0, result.output


def test_a_drawn_hierarchy_of_a_column_with_null(tmp_path, terminal):
    rows = [(f"{i % 4 * 5}-{i % 4 * 5 + 4}" if i % 5 else None,) for i in range(120)]
    make_source(tmp_path, {"age": "VARCHAR"}, rows)
    result = asked(tmp_path, ["", ""], "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["hierarchies"] == [str(tmp_path / "hierarchy_age.csv")]
    assert (document["asked"], document["problems"], document["undecided"]) == (True, [], [])
    assert anonsql.run(tmp_path / "policy.yaml").verified


def test_no_terminal_no_questions(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, ROWS)
    result = asked(tmp_path, [""] * 8)
    assert result.exit_code == 2 and "standard input is none" in flat(result.stderr)
    assert not (tmp_path / "policy.yaml").exists()


def test_answers_that_end_early_write_nothing(tmp_path, terminal):
    make_table(tmp_path / "source.duckdb", TYPES, ROWS)
    for many in (0, 3, 7):
        result = asked(tmp_path, [""] * many)
        assert result.exit_code == 2 and "nothing was written" in flat(result.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source.duckdb"]


def test_quiet_questions_are_none(tmp_path, terminal):
    assert asked(tmp_path, [], "--quiet").exit_code == 2


def test_nothing_to_anonymize(tmp_path, terminal):
    make_source(tmp_path, {"disease": "VARCHAR"}, [("flu",)] * 30)
    result = asked(tmp_path, [""] * 3)
    assert result.exit_code == 2 and "no column is quasi-identifying" in flat(result.stderr)
    assert not (tmp_path / "policy.yaml").exists()


def test_an_empty_table(tmp_path, terminal):
    make_source(tmp_path, TYPES, [])
    result = asked(tmp_path, [""] * 8)
    assert result.exit_code == 2 and "it has no rows" in flat(result.stderr)
    assert not (tmp_path / "policy.yaml").exists()


HOSTILE = [
    'a"b',
    "two\nlines",
    "é ü 名 😀",
    "bell\x07\x1b[2J",
    "a: {b}",
    "it's; DROP TABLE t",
    "null",
]


def test_hostile_names_and_values(tmp_path, terminal):
    rows = [[f"{HOSTILE[(i + n) % 7]}" for n in range(len(HOSTILE))] for i in range(210)]
    make_table(tmp_path / "source.duckdb", dict.fromkeys(HOSTILE, "VARCHAR"), rows, 'odd "table"')
    result = asked(tmp_path, [""] * (len(HOSTILE) + 1), table='odd "table"')
    assert result.exit_code == 0, result.output
    assert "\x1b" not in flat(result.output) and "\x07" not in flat(result.output)
    policy = anonsql.Policy.load(tmp_path / "policy.yaml")
    assert list(policy.columns) == HOSTILE
    assert anonsql.run(policy).verified


def test_a_promise_that_the_table_cannot_keep_is_told(tmp_path, terminal):
    make_source(tmp_path, {"age": "INTEGER"}, [(7,)] * 4 + [(None,)])
    result = asked(tmp_path, ["", "2"])
    assert (result.exit_code == 0) == (anonsql.check(tmp_path / "policy.yaml").status == "ok")


def test_without_questions_forms_are_named(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, ROWS)
    output = tmp_path / "policy.yaml"
    cli("init", tmp_path / "source.duckdb", "t", "-o", output)
    text = output.read_text()
    assert "VARCHAR, 8 distinct in 240 rows, age bands. UNDECIDED" in text
    comments = flat(text.replace("# ", ""))
    assert "`anonsql init --interactive` draws a hierarchy from them (55-59 -> 50-59" in comments
    assert "20-24" not in text and "B02.1" not in text
    assert yaml.safe_load(text)["columns"]["band"] == {"role": None}


def test_forms_on_a_server(tmp_path):
    """Its expressions find what those of a file do."""
    values = ["20-24", "A00.1", "2024-02-29", "29.02.2024", "1012 AB", "K1A 0B1", "M1 1AE", "DE"]
    names = [f"c{number}" for number in range(len(values))]
    with closing(Postgres(tmp_path)) as server:
        server.make(dict.fromkeys([*names, "none"], "VARCHAR"), [(*values, "20-24\n")] * 3)
        profile(server.url, f"{server.source}.t", tmp_path / "there.yaml")
    make_source(tmp_path, dict.fromkeys([*names, "none"], "VARCHAR"), [(*values, "20-24\n")] * 3)
    profile(str(tmp_path / "source.duckdb"), "t", tmp_path / "here.yaml")
    texts = [(tmp_path / word).read_text() for word in ("here.yaml", "there.yaml")]
    assert texts[0].partition("columns:")[2] == texts[1].partition("columns:")[2]
    assert [item.name for item in FORMS if f", {item.name}." not in texts[0]] == []


def test_on_a_real_terminal(tmp_path):
    make_source(
        tmp_path, {"age": "INTEGER", "sex": "VARCHAR"}, [(i % 9, "mf"[i % 2]) for i in range(90)]
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "anonsql", "init", "source.duckdb", "t", "--interactive"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb", "COLUMNS": "80"},
    )
    os.close(theirs)
    seen, answered, until = "", 0, time.monotonic() + 120
    while time.monotonic() < until:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            found = os.read(ours, 4096).decode(errors="replace")
        except OSError:
            break
        if not found:
            break
        seen += found
        while seen.count(" > ") > answered:
            answered += 1
            os.write(ours, b"\n")
    assert process.wait(timeout=60) == 0, seen
    os.close(ours)
    assert answered == 3 and "It is checked" in seen
    assert anonsql.check(tmp_path / "policy.yaml").status == "ok"
