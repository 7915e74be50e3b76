"""What commands print fits a terminal of 80 columns and one screen; what only experts ask for comes
with --verbose. A dry run leaves nothing behind."""

import json

import duckdb
import pytest
import yaml
from typer.testing import CliRunner

import anonsql
from anonsql.cli import app

from .support import make_table, policy_data

NAMES = ["age", "marital_status", "country_of_birth", "occupation", "education_level"]
INTERVAL = {"type": "interval", "widths": [5, 10, 20]}
COLUMNS = {
    name: {
        "role": "quasi-identifying",
        "hierarchy": INTERVAL if name == "age" else {"type": "suppression"},
    }
    for name in NAMES
} | {"disease": "sensitive", "name": "identifying"}


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminal")
    rows = [
        (20 + i % 40, *("abc"[(i + n) % 3] for n in range(4)), "xyz"[i % 3], f"person {i}")
        for i in range(600)
    ]
    types = ["INTEGER", *["VARCHAR"] * 6]
    make_table(folder / "source.duckdb", dict(zip(COLUMNS, types, strict=True)), rows)
    path = folder / "policy.yaml"
    path.write_text(yaml.safe_dump(policy_data(COLUMNS, k=5, limit=0.1), sort_keys=False))
    anonsql.run(path)
    return path


def printed(*words):
    terminal = {"COLUMNS": "80", "TERM": "dumb", "FORCE_COLOR": "1"}
    result = CliRunner(env=terminal).invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.stdout


def wide(text):
    """Lines of more than 80 columns; statements and paths that are to be copied aside."""
    return [
        each
        for each in text.splitlines()
        if len(each.rstrip()) > 80
        and "SELECT" not in each
        and "FROM" not in each
        and "/" not in each
    ]


@pytest.mark.parametrize(
    "words",
    [
        *(["run"], ["run", "--verbose"], ["run", "--dry-run"], ["search"], ["search", "--explain"]),
        *(["check"], ["verify"], ["measure", "--queries", "20"], ["compare", "--queries", "20"]),
    ],
    ids=" ".join,
)
def test_a_command_fits_80_columns(policy, words):
    assert wide(printed(words[0], policy, *words[1:])) == []


@pytest.mark.parametrize("command", [["runs"], ["runs", "show", "1"]], ids=" ".join)
def test_the_history_fits_80_columns_and_keeps_its_times_whole(policy, command):
    text = printed(*command, "-p", policy)
    assert wide(text) == []
    lines = [each for each in text.splitlines() if "T" in each and ":" in each]
    assert lines, "every run has its moment in one line"


def test_a_run_fits_a_screen_and_has_an_example_of_every_column(policy):
    text = printed("run", policy)
    assert len(text.splitlines()) <= 40
    assert "prosecutor" not in text and "prosecutor" in printed("run", policy, "--verbose")
    document = anonsql.run(policy).model_dump()
    connection = duckdb.connect(str(policy.parent / "release.duckdb"), read_only=True)
    for each in document["columns"]:
        if each["role"] == "quasi-identifying":
            sql = f'SELECT COUNT(*) FROM r WHERE "{each["column"]}" = ?'
            assert connection.execute(sql, [each["example"]]).fetchone()[0] >= 5
        else:
            assert each["example"] is None
    connection.close()


def test_a_dry_run_leaves_nothing_behind(policy, tmp_path):
    make_table(tmp_path / "source.duckdb", {"age": "INTEGER"}, [(i % 5,) for i in range(50)])
    data = policy_data({"age": {"role": "qi", "hierarchy": INTERVAL}}, k=5)
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(data))
    result = CliRunner().invoke(app, ["run", str(path), "--dry-run", "--json"])
    document = json.loads(result.stdout)
    assert document["status"] == "tried" and document["verified"] and document["min_class"] == 10
    assert sorted(each.name for each in tmp_path.iterdir()) == ["policy.yaml", "source.duckdb"]
    anonsql.run(path)
    before = (tmp_path / "release.duckdb").read_bytes()
    runs = len(anonsql.runs(path).runs)
    assert anonsql.run(path, dry_run=True).status == "tried"
    assert (tmp_path / "release.duckdb").read_bytes() == before
    assert len(anonsql.runs(path).runs) == runs
    both = CliRunner().invoke(app, ["run", str(path), "--dry-run", "--if-changed"])
    assert both.exit_code == 2


def test_a_dry_run_of_a_promise_that_cannot_be_kept_says_so(tmp_path):
    make_table(tmp_path / "source.duckdb", {"age": "INTEGER"}, [(1,)])
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(policy_data({"age": {"role": "qi", "hierarchy": INTERVAL}})))
    result = CliRunner().invoke(app, ["run", str(path), "--dry-run"])
    assert result.exit_code == 1 and not (tmp_path / "release.duckdb").exists()


def test_columns_without_a_role_are_one_message(tmp_path):
    names = [f"column_with_a_long_name_{n}" for n in range(12)]
    make_table(tmp_path / "source.duckdb", {"q": "INTEGER", **dict.fromkeys(names, "INTEGER")}, [])
    columns = {"q": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}}
    columns |= {name: {"role": None} for name in names}
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(policy_data(columns, k=2), sort_keys=False))
    terminal = {"COLUMNS": "80", "TERM": "dumb", "FORCE_COLOR": "1"}
    text = CliRunner(env=terminal).invoke(app, ["check", str(path)]).stdout
    assert text.count("the role is not decided yet") + text.count("Choose one of") <= 2
    assert all(name in text for name in names)
