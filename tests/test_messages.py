"""Messages that people met and could not use: each says where, what was found, and what to do."""

import os

import pytest

import anonsql
from anonsql.engines.postgres.session import connection_error
from anonsql.errors import PolicyError, PrivacyError
from anonsql.policy.locations import Location
from anonsql.policy.policy import Policy

from .methods import PLAIN, cases, changes_values
from .support import cli, flat, make_table, policy_data, write_policy

AGE_SEX = {"age": {"type": "interval", "widths": [10]}, "sex": {"type": "suppression"}}
SENSITIVE = {**AGE_SEX, "s": "sensitive"}


@pytest.fixture
def folder(tmp_path):
    rows = [(20 + n % 3, "mf"[n % 2], "abcd"[n % 4]) for n in range(40)]
    types = {"age": "INTEGER", "sex": "VARCHAR", "s": "VARCHAR"}
    make_table(tmp_path / "source.duckdb", types, rows)
    return tmp_path


def problems(**sections):
    """What is wrong with the usual policy with other sections."""
    with pytest.raises(PolicyError) as refused:
        Policy.parse({**policy_data(SENSITIVE, k=5), **sections})
    return str(refused.value)


MESSAGES = [
    *cases("MESSAGES").values(),
    (
        {
            "method": {"type": "ring"},
            "privacy": {"k": 5, "l_diversity": {"s": {"l": 2, "type": "recursive", "c": 3}}},
        },
        "not recursive l_diversity (of s)",
    ),
    (
        {"privacy": 3},
        (
            "privacy: found 3. A mapping is needed: lines of `name: value` below it, or `{name:"
            " value}`."
        ),
    ),
    ({"columns": ["age"]}, "columns: found a list. A mapping is needed"),
    (
        {"privacy": {"k": 5, "suppression_limit": 5}},
        "privacy.suppression_limit: found 5. Write a share, a number below 1: for 5 % write 0.05.",
    ),
    (
        {"privacy": {"k": 5, "suppression_limit": "5 %"}},
        "found '5 %'. Write a percentage as a share: 5 % is 0.05.",
    ),
    ({"privacy": {"k": 5, "t_closeness": {"s": 2}}}, "Write a share, a number below 1"),
    ({"privacy": {"k": "ten"}}, "privacy.k: found 'ten'. A whole number is needed."),
    ({"privacy": {"k": 5.5}}, "privacy.k: found 5.5. A whole number is needed."),
    ({"privacy": {"k": True, "entity": ["s"]}}, "privacy.entity: found a list. Text is needed."),
    (
        {"release": {"database": "r.duckdb", "table": "r", "bounds": "maybe"}},
        "release.bounds: found 'maybe'. Write true or false.",
    ),
]


@pytest.mark.parametrize(("sections", "message"), MESSAGES)
def test_a_policy_that_is_wrong(sections, message):
    printed = problems(**sections)
    assert message in printed
    assert "Input should" not in printed
    assert "dictionary" not in printed


CHANGING_CELLS = list(filter(changes_values, PLAIN.values()))


@pytest.mark.parametrize("method", CHANGING_CELLS)
def test_changing_cells_is_no_remedy_where_no_class_can_be_diverse(folder, method):
    data = policy_data(SENSITIVE, k=5, method=method, privacy={"l_diversity": {"s": 9}})
    with pytest.raises((PrivacyError, PolicyError)) as refused:
        anonsql.run(Policy.parse(data, folder))
    assert "Raise method.p" not in str(refused.value)


@pytest.mark.parametrize("method", CHANGING_CELLS)
def test_what_was_not_changed_is_not_said_to_be(folder, method):
    path = write_policy(folder, {**AGE_SEX, "s": "insensitive"}, k=5, method=method)
    shown = " ".join(cli("run", path).stdout.split())
    assert "No quasi-identifying cell was changed: all values are true" in shown
    assert "were changed" not in shown


def test_risks_say_what_is_at_risk(folder):
    shown = " ".join(
        cli(
            "run", write_policy(folder, {**AGE_SEX, "s": "sensitive"}, k=5), "--verbose"
        ).stdout.split()
    )
    assert "1/5" not in shown
    assert "average of rows" in shown
    assert "Rows at risk have a risk above 20 %: their classes have at most 4 rows" in shown


def test_risks_say_whether_they_count_rows_or_people(folder):
    columns = {**AGE_SEX, "s": "identifying"}
    path = write_policy(folder, columns, k=2, limit=0.5, privacy={"entity": "s"})
    run = cli("run", path, "--verbose")
    assert run.exit_code == 0
    shown = " ".join(run.stdout.split())
    assert "average of people" in shown and "People at risk have a risk above" in shown
    shown = " ".join(cli("risk", path).stdout.split())
    assert "on average over rows" in shown
    assert "count rows, and a person (s) may have several: `anonsql verify` prints" in shown
    shown = " ".join(cli("attack", path, "--kinds", "linkability").stdout.split())
    assert "guesses about people (s), each known by one of the person's rows" in shown


def test_intervals_of_a_column_of_a_file_that_is_text(tmp_path):
    (tmp_path / "s.csv").write_text("BMI\n16.6\nN/A\n")
    data = policy_data({"BMI": {"type": "interval", "widths": [10]}}, source={"file": "s.csv"})
    with pytest.raises(PolicyError, match="every value must be a number") as refused:
        anonsql.run(Policy.parse(data, tmp_path))
    assert "write in `source` how the file writes numbers" in str(refused.value)


@pytest.mark.parametrize(
    ("leaves", "message"),
    [
        (
            [["m", "*"]],
            (
                "1 distinct value of the column is not covered by the hierarchy. Add it to the"
                " hierarchy"
            ),
        ),
        (
            [["x", "*"]],
            (
                "2 distinct values of the column are not covered by the hierarchy. Add them to the"
                " hierarchy"
            ),
        ),
    ],
)
def test_values_that_a_hierarchy_misses(folder, leaves, message):
    (folder / "h.csv").write_text("".join(";".join(row) + "\n" for row in leaves))
    columns = {**AGE_SEX, "sex": {"type": "file", "path": "h.csv"}, "s": "sensitive"}
    path = write_policy(folder, columns, k=5)
    result = cli("run", path)
    assert message in flat(result.stderr)
    assert "--show-values shows up to five." in flat(result.stderr)
    result = cli("run", path, "--show-values")
    assert "--show-values shows" not in flat(result.stderr)
    assert "for example" in flat(result.stderr)


def test_a_column_in_the_place_of_an_aggregate(folder):
    cli("run", write_policy(folder, {**AGE_SEX, "s": "sensitive"}, k=5))
    printed = cli("query", folder / "release.duckdb", "SELECT sum(age) + age FROM r").stderr
    assert "COLUMN" not in printed


def test_the_urls_of_other_drivers_are_the_same_server():
    one = Location("postgres", url="postgresql+psycopg2://u:p@h/d")
    assert one.same(Location("postgres", url="postgres://u:q@h/d"))
    assert not one.same(Location("postgres", url="postgresql://u@other/d"))


def test_options_that_another_driver_has():
    text = 'invalid connection option "client_flag"'
    error = connection_error(ValueError(text), "postgresql+psycopg2://h/d")
    assert (error.exit_code, "an unknown option" in str(error)) == (2, True)


@pytest.mark.parametrize(
    "state", ["starting up", "shutting down", "in recovery mode", "not yet accepting connections"]
)
def test_a_server_that_was_killed_is_told_from_one_that_is_not_there(state):
    error = connection_error(ValueError(f"FATAL:  the database system is {state}"), "a server")
    assert (error.exit_code, "Try again in a moment" in str(error)) == (3, True)


def test_a_policy_may_be_a_mapping(folder, monkeypatch):
    monkeypatch.chdir(folder)
    data = policy_data(SENSITIVE, k=5)
    assert anonsql.check(data).status == "ok"
    report = anonsql.run(
        {**data, "source": {**data["source"], "database": folder / "source.duckdb"}}
    )
    assert (report.status, report.released) == ("published", 40)
    assert anonsql.verify(data).status == "verified"
    assert len(anonsql.search(data).nodes) > 0
    assert [policy.status for policy in anonsql.compare([data, data], queries=10).policies] == [
        "met"
    ] * 2
    assert anonsql.measure(data, queries=7).queries == 7
    assert anonsql.query(data, "SELECT COUNT(*) FROM r").answers[0].estimate == 40
    assert len(anonsql.runs(data).runs) > 0
    with pytest.raises(PolicyError, match=r"privacy\.k"):
        anonsql.run({**data, "privacy": {"k": "x"}})
    assert anonsql.check({**data, "privacy": {"k": "x"}}).problems[0].where == "privacy.k"


@pytest.mark.parametrize("given", [5, None, [1], b"x\xff"])
def test_what_is_no_policy(given):
    with pytest.raises(PolicyError, match="is not a policy"):
        anonsql.run(given)


def test_measure_knows_what_it_may_be_asked(folder):
    path = write_policy(folder, SENSITIVE, k=5)
    anonsql.run(path)
    assert anonsql.measure(path, queries=9, predicates=1, seed=3).queries == 9
    assert anonsql.measure(path, anonsql.measures.workload.WorkloadSettings(queries=8)).queries == 8
    with pytest.raises(PolicyError, match="Did you mean 'queries'"):
        anonsql.measure(path, querys=9)


def test_dir_shows_what_is_public():
    assert dir(anonsql) == sorted(anonsql.__all__)
    assert os.path.dirname(anonsql.__file__)
