"""What commands print fits a terminal of 80 columns and one screen; what only experts ask for comes
with --verbose. A dry run leaves nothing behind."""

import json
import re
from functools import partialmethod

import duckdb
import pytest
import rich.progress
import yaml
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.presentation import sentences, terminal
from anonsql.presentation.documents import Finding

from . import clinic
from .engines import DuckDB
from .methods import CHANGING, PLAIN
from .support import cli, flat, make_source, make_table, policy_data, write_data

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
    make_source(folder, dict(zip(COLUMNS, types, strict=True)), rows)
    path = write_data(folder, policy_data(COLUMNS, k=5, limit=0.1))
    anonsql.run(path)
    return path


TERMINAL = {"COLUMNS": "80", "TERM": "dumb", "FORCE_COLOR": "1"}
"""A terminal of 80 columns; without these, what is printed goes to a file."""


def printed(*words, environment=TERMINAL, codes=(0,)):
    """What a command prints, on both streams."""
    result = cli(*words, **environment)
    assert result.exit_code in codes, result.output
    return result.output


def wide(text):
    """Lines of more than 80 columns that could be broken: their last word could stand below, and
    does not stand in quotes. Verification SQL as a file is no message."""
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in text.splitlines()]
    return [item for item in plain if len(item) > 80 and len(terminal.words(item)) > 1]


EVERY = [
    *(["run"], ["run", "--verbose"], ["run", "--dry-run"], ["search"], ["search", "--explain"]),
    *(["check"], ["verify"], ["verify", "--against-source"], ["measure", "--queries", "20"]),
    *(["compare", "--queries", "20"], ["advise", "--budget", "20"]),
    ["attack", "--attempts", "20"],
    *(["report", "-o", "page.html"], ["runs", "-p"], ["run", "--if-changed"]),
]


@pytest.mark.parametrize("environment", [TERMINAL, {}], ids=["terminal", "file"])
@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_a_command_fits_80_columns(policy, words, environment, monkeypatch):
    monkeypatch.chdir(policy.parent)
    if "-o" in words:
        (policy.parent / "page.html").unlink(missing_ok=True)
    command = [*words, policy] if words[-1] == "-p" else [words[0], policy, *words[1:]]
    text = printed(*command, environment=environment)
    if "--verbose" in words:  # its lines on stderr are a statement each
        text = "\n".join(line for line in text.splitlines() if " ms" not in line)
    assert wide(text) == []


SCREENS = {"run": 12, "verify": 24, "verify --against-source": 24, "measure": 24, "risk": 24}
"""The lines of a typical table, at most."""


def lines_of(policy, command):
    """How many lines a command prints of a policy on a terminal."""
    name, *options = command.split()
    return len(printed(name, policy, *options, environment={"COLUMNS": "80"}).splitlines())


@pytest.mark.parametrize("command", SCREENS)
def test_a_command_prints_a_screen(policy, command):
    assert lines_of(policy, command) <= SCREENS[command]
    if command != "risk":
        shown = printed(*command.split()[:1], policy, *command.split()[1:], environment={})
        assert "`--verbose` shows" in flat(shown)


def test_a_run_prints_one_warning_and_counts_the_others(policy, tmp_path):
    data = policy_data(COLUMNS, k=5, limit=0.1)
    data["source"]["database"] = str(policy.parent / "source.duckdb")
    data["columns"]["disease"] = data["columns"]["education_level"] = {"role": "sensitive"}
    data["columns"]["name"] = {"role": "sensitive"}
    path = write_data(tmp_path, data)
    shown = printed("run", path, environment={})
    warnings = anonsql.run(path).warnings
    assert len(warnings) > 1 and shown.count("\nwarning ") == 1 and len(shown.splitlines()) <= 12
    more = re.search(r"`--verbose` shows (\d+) more warning", flat(shown))
    everything = printed("run", path, "--verbose", environment={})
    assert everything.count("\nwarning ") == 1 + int(more[1])


QUERIES = [
    "SELECT COUNT(*) FROM r WHERE age BETWEEN 20 AND 33 AND marital_status = 'a'",
    "SELECT occupation, COUNT(*), AVG(age) FROM r GROUP BY occupation ORDER BY 2 DESC LIMIT 2",
]


@pytest.mark.parametrize("sql", QUERIES)
def test_answers_fit_80_columns(policy, sql):
    assert wide(printed("query", policy, sql, environment={})) == []


@pytest.mark.parametrize("method", PLAIN)
def test_other_methods_fit_80_columns(policy, tmp_path, method):
    data = policy_data(COLUMNS, k=5, limit=0.1)
    data["source"]["database"] = str(policy.parent / "source.duckdb")
    data["method"] = PLAIN[method]
    if method == "anatomy":
        del data["privacy"]["suppression_limit"]
        data["privacy"] = {"k": 1, "l_diversity": {"disease": 3}}
    path = write_data(tmp_path, data)
    for command in ("check", "run", "verify"):
        text = printed(command, path, environment={}, codes=(0, 1, 2))
        assert wide(text) == []
        more = 3 * (method in CHANGING)  # they also say what they changed
        assert len(text.splitlines()) <= SCREENS.get(command, 99) + more


def test_several_tables_and_releases_over_time_fit_80_columns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = DuckDB(tmp_path)
    for name, rows in clinic.rows().items():
        engine.make(clinic.COLUMNS[name], rows, table=name)
    source, _ = engine.places("t")
    several = tmp_path / "several.json"
    several.write_text(
        json.dumps(clinic.policy({"database": source["database"]}, {"database": "out.duckdb"}))
    )
    for words in (["check"], ["run"], ["verify"], ["verify", "--against-source"], ["search"]):
        assert wide(printed(words[0], several, *words[1:], environment={})) == [], words
    rows = [(n, 20 + n % 40, "xyz"[n % 3]) for n in range(300)]
    make_table(
        tmp_path / "people.duckdb", {"id": "INTEGER", "age": "INTEGER", "ill": "VARCHAR"}, rows
    )
    columns = {"id": "identifying", "age": INTERVAL, "ill": "sensitive"}
    data = policy_data(columns, k=5, limit=0.1)
    data["source"] = {"database": "people.duckdb", "table": "t"}
    data["privacy"]["over_time"] = {"key": "id"}
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    for words in (["check"], ["run"], ["run"], ["verify"], ["ledger"], ["ledger", "--end"]):
        assert wide(printed(words[0], path, *words[1:], environment={}, codes=(0, 1, 2))) == []


def test_what_is_wrong_fits_80_columns(policy, tmp_path):
    data = policy_data(COLUMNS, k=5, limit=0.1)
    data["source"]["database"] = str(policy.parent / "source.duckdb")
    data["columns"]["age"]["max_level"] = 9
    data["columns"]["occupation"]["hierarchy"] = {"type": "date", "levels": ["year"]}
    data["columns"]["nobody"] = {"role": "insensitive"}
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    for words in (["check"], ["run"], ["search"], ["verify"], ["measure"]):
        for environment in ({}, TERMINAL):
            text = printed(words[0], path, environment=environment, codes=(1, 2))
            assert wide(text) == [], words


def test_a_policy_is_proposed_within_80_columns(policy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = printed("init", policy.parent / "source.duckdb", "t", "-o", "new.yaml", environment={})
    assert wide(text) == []


@given(st.text("ab \"',;\n(", max_size=200), st.integers(20, 90))
def test_statements_are_broken_outside_of_quotes_alone(text, width):
    shown = terminal.statement(text, width=width)
    assert shown.split() == text.split()
    ends = {
        end for match in re.finditer(r'"(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'', text) for end in [match]
    }
    for item in ends:
        if "\n" not in item.group():
            assert item.group() in shown


@pytest.mark.parametrize("command", [["runs"], ["runs", "show", "1"]], ids=" ".join)
def test_the_history_fits_80_columns_and_keeps_its_times_whole(policy, command):
    text = printed(*command, "-p", policy)
    assert wide(text) == []
    lines = [line for line in text.splitlines() if "T" in line and ":" in line]
    assert lines, "every run has its moment in one line"


def test_a_run_fits_a_screen_and_has_an_example_of_every_column(policy):
    text = printed("run", policy)
    assert len(text.splitlines()) <= 40
    assert "prosecutor" not in text and "prosecutor" in printed("run", policy, "--verbose")
    document = anonsql.run(policy).model_dump()
    connection = duckdb.connect(str(policy.parent / "release.duckdb"), read_only=True)
    for column in document["columns"]:
        if column["role"] == "quasi-identifying":
            sql = f'SELECT COUNT(*) FROM r WHERE "{column["column"]}" = ?'
            assert connection.execute(sql, [column["example"]]).fetchone()[0] >= 5
        else:
            assert column["example"] is None
    connection.close()


def test_a_dry_run_leaves_nothing_behind(policy, tmp_path):
    make_source(tmp_path, {"age": "INTEGER"}, [(i % 5,) for i in range(50)])
    path = write_data(tmp_path, policy_data({"age": {"role": "qi", "hierarchy": INTERVAL}}, k=5))
    result = cli("run", path, "--dry-run", "--json")
    document = json.loads(result.stdout)
    assert document["status"] == "tried" and document["verified"] and document["min_class"] == 10
    assert sorted(item.name for item in tmp_path.iterdir()) == ["policy.yaml", "source.duckdb"]
    anonsql.run(path)
    before = (tmp_path / "release.duckdb").read_bytes()
    runs = len(anonsql.runs(path).runs)
    assert anonsql.run(path, dry_run=True).status == "tried"
    assert (tmp_path / "release.duckdb").read_bytes() == before
    assert len(anonsql.runs(path).runs) == runs
    both = cli("run", path, "--dry-run", "--if-changed")
    assert both.exit_code == 2


def test_a_dry_run_of_a_promise_that_cannot_be_kept_says_so(tmp_path):
    make_source(tmp_path, {"age": "INTEGER"}, [(1,)])
    path = write_data(tmp_path, policy_data({"age": {"role": "qi", "hierarchy": INTERVAL}}))
    result = cli("run", path, "--dry-run")
    assert result.exit_code == 1 and not (tmp_path / "release.duckdb").exists()


def test_columns_without_a_role_are_one_message(tmp_path):
    names = [f"column_with_a_long_name_{n}" for n in range(12)]
    make_source(tmp_path, {"q": "INTEGER", **dict.fromkeys(names, "INTEGER")}, [])
    columns = {"q": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}}
    columns |= {name: {"role": None} for name in names}
    path = write_data(tmp_path, policy_data(columns, k=2))
    text = cli("check", path, **TERMINAL).stdout
    assert text.count("the role is not chosen yet") + text.count("Choose one of") <= 2
    assert all(name in text for name in names)


@pytest.mark.parametrize("option", [None, "--json", "--quiet"])
def test_progress_is_shown_on_a_terminal_alone(policy, option, monkeypatch):
    """Stages and their statements; stdout has what it has without them."""
    monkeypatch.setattr("anonsql.system.clock._A_WHILE", 0)
    drawn = partialmethod(rich.progress.Progress.update, refresh=True)  # not ten times a second
    monkeypatch.setattr("rich.progress.Progress.update", drawn)
    words = ["check", policy, *[option] * bool(option)]
    plain, shown = cli(*words), cli(*words, **{**TERMINAL, "TERM": "xterm"})
    assert plain.exit_code == shown.exit_code == 0
    assert ("hierarchies, statement " in shown.stderr) == (option is None)
    assert "statement" not in plain.stderr + shown.stdout
    if option == "--json":
        json.loads(shown.stdout)


def test_no_warning_is_lost_and_the_promise_comes_first():
    found = [
        Finding(where="columns.w", message="few values", remedy="", of_promise=False),
        Finding(where="columns", message="a, b are a key", remedy=""),
        Finding(where="privacy.kept", message="5 rows are unique", remedy=""),
        Finding(where="columns.person", message="k counts rows", remedy="", of_promise=True),
    ]
    warned = sentences.warned(found)
    assert [one.lead for one in warned] == [
        *("warning privacy.kept", "warning columns.person"),
        *("warning columns.w", "warning columns"),
    ]
    said = sentences.others(warned).text
    assert "3 more warnings (person, w, columns)" in said
    covered = sentences.warned(found, "5 rows are unique by all released columns")
    assert len(covered) == 4, "one says the same as what is not covered, and only that is left out"
