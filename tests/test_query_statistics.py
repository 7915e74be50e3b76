"""``anonsql query`` on published tables of statistics: what any client would get, and what an
answer does not tell by itself."""

import json
import re
import shutil

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.query import published
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy

from . import clinic
from .published_tables import EXAMPLES, policy_of
from .support import cli, ended, flat, rows_of


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """The policy file of two linked tables, in the folder of their release."""
    folder = tmp_path_factory.mktemp("statistics")
    file = folder / "policy.yaml"
    file.write_text(json.dumps(policy_of(folder, EXAMPLES["linked tables, table 3"])))
    anonsql.tabulate(file)
    return file


STATEMENTS = [
    "SELECT * FROM age_year_geo WHERE geo_level = 1 ORDER BY age, year, geo LIMIT 7 OFFSET 1",
    "WITH years AS (SELECT year, SUM(n) AS of_year FROM year_geo WHERE geo_level = 0 GROUP BY year)"
    " SELECT y.year, 100.0 * y.of_year / g.n AS share, (SELECT MAX(n) FROM year_geo) AS most"
    " FROM years AS y, year_geo g WHERE g.year = y.year AND g.geo = '*' ORDER BY y.year",
    "SELECT a.geo, a.n, b.n AS of_young, a.n_status FROM year_geo a JOIN age_year_geo b"
    " ON a.geo = b.geo AND a.year = b.year WHERE b.age = 'young' ORDER BY a.geo, a.year",
    "WITH big AS (SELECT geo AS place, year, n FROM year_geo WHERE n > 3) SELECT a.geo, a.n FROM big"
    " JOIN age_year_geo a ON a.geo = place AND big.year = a.year ORDER BY a.geo, a.year, a.age",
]


def plain(value):
    """A value as documents show it."""
    return value if value is None or isinstance(value, str) else float(value)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_answers_are_those_of_any_client(release, statement):
    report = anonsql.query(release, statement)
    expected = rows_of(release.parent / "release.duckdb", statement)
    assert expected
    assert [[*map(plain, row.values())] for row in report.rows] == [
        [*map(plain, row)] for row in expected
    ]
    assert report.method == "suppression" and report.hidden > 0 and not report.answers


def test_a_release_is_named_by_its_policy_or_itself(release, tmp_path):
    policy = StatisticsPolicy.load(release)
    statement = "SELECT geo, n FROM Year_Geo WHERE year = '*' ORDER BY geo"
    moved = shutil.copy(release.parent / "release.duckdb", tmp_path / "moved.duckdb")
    answers = [anonsql.query(given, statement).rows for given in (release, policy, moved)]
    assert answers[0] and answers[0] == answers[1] == answers[2]
    assert anonsql.query(release, statement, bounded=True).rows == answers[0]


def test_a_folder_of_parquet_files(release, tmp_path):
    data = json.loads(release.read_text())
    policy = {**data, "release": {"file": str(tmp_path / "out")}}
    anonsql.tabulate(policy)
    for given in (policy, tmp_path / "out"):
        assert (
            anonsql.query(given, STATEMENTS[2]).rows == anonsql.query(release, STATEMENTS[2]).rows
        )


def test_notes_say_what_an_answer_does_not_tell(release):
    def notes(statement):
        return " ".join(anonsql.query(release, statement).notes)

    hidden = notes("SELECT n FROM year_geo WHERE geo = 'Iceland'")
    assert re.search(r"^year_geo has \d hidden values? of n under these conditions", hidden)
    assert "adds up" not in hidden
    both = "SELECT n FROM year_geo WHERE n IN (SELECT n FROM year_geo)"
    assert "hidden values of n in all" in notes(both)
    assert "hidden values of n in all" in notes("SELECT SUM(n) FROM year_geo WHERE n > 0")
    joined = "SELECT a.n FROM year_geo AS a LEFT JOIN year_geo AS b USING (year, geo)"
    assert "hidden values of n in all" in notes(joined)
    loose = notes("SELECT COUNT(*) FROM year_geo WHERE geo = 'Iceland'")
    assert "totals of year in year_geo" in loose and "with year_level" in loose
    assert "hidden" not in loose
    assert "adds up" not in notes("SELECT SUM(n) FROM year_geo WHERE year_level=0 AND geo='*'")
    known = rows_of(
        release.parent / "release.duckdb", "SELECT n FROM year_geo WHERE geo = 'Iceland'"
    )
    asked = notes("SELECT n FROM year_geo WHERE geo = 'Iceland' AND n_status = 'hidden'")
    assert f"{sum(n is None for (n,) in known)} hidden value" in asked
    nowhere = notes("SELECT n FROM year_geo WHERE Geo IN ('icelnd', 'Iceland') AND year = 'x'")
    assert "No cell satisfies the condition" in nowhere
    assert "geo has no label 'icelnd'. Did you mean 'Iceland'?" in nowhere
    assert "'x'" in nowhere and "geo has no label 'Iceland'" not in nowhere


def test_values_that_were_changed_are_told_to_be(release, tmp_path):
    data = json.loads(release.read_text())
    policy = {
        **data,
        "protect": {"entity": "who", "by": "cell-key"},
        "release": {"database": str(tmp_path / "changed.duckdb")},
    }
    anonsql.tabulate(policy)
    report = anonsql.query(policy, "SELECT n FROM year_geo WHERE year = '*'")
    assert "differ from the source's: all values are changed by noise" in " ".join(report.notes)
    assert report.method == "cell-key" and report.hidden == 0


def test_long_answers_are_cut(release, monkeypatch):
    monkeypatch.setattr(published, "MOST_ROWS", 3)
    for limit, cut in (("", True), ("LIMIT 3", False), ("LIMIT 4", True)):
        report = anonsql.query(release, f"SELECT n FROM year_geo {limit}")
        assert len(report.rows) == 3
        assert ("Shown are the first 3 rows." in report.notes) == cut


REFUSED = {
    "SELECT n FROM year_geos": "no table 'year_geos'. Did you mean 'year_geo'",
    "SELECT yeah FROM year_geo": "there is no column 'yeah'. Did you mean 'year'",
    "SELECT n FROM t": "no table 't'",
    "SELECT * FROM year_geo, read_csv('x')": "is not a released table",
    "DROP TABLE year_geo": "a SELECT is needed",
    "SELECT ABS(geo) FROM year_geo": "does not answer it",
    "SELECT a.n FROM year_geo a, year_geo b, year_geo c": "b is not joined along a key",
    "SELECT a.n FROM year_geo a JOIN age_year_geo b USING (geo)": "b is not joined along a key",
    "SELECT a.n FROM year_geo a JOIN (SELECT geo, n FROM year_geo) AS b USING (geo)": "b is not joined",
}


@pytest.mark.parametrize("statement", REFUSED)
def test_what_is_refused(release, statement):
    with pytest.raises(PolicyError) as error:
        anonsql.query(release, statement)
    assert REFUSED[statement] in str(error.value)


def told(code, *arguments):
    """What a command says; its exit code is as expected."""
    result = cli(*arguments)
    ended(result, code)
    return flat(result.stdout + result.stderr)


def test_the_command(release):
    statement = "SELECT geo, n FROM year_geo WHERE year = '*'"
    assert "published cells, protected by suppression" in told(0, "query", release, statement)
    document = json.loads(cli("query", release, statement, "--json").stdout)
    assert {"geo": "*", "n": 44} in document["rows"] and document["draws"] is None


def test_other_commands_say_what_a_release_is(release):
    """A release is no policy, and its tables are no rows."""
    path = release.parent / "release.duckdb"
    for command in ("attack", "measure", "compare", "tabulate", "check"):
        said = told(2, command, path)
        assert "is a database, not a policy. Name the policy file" in said
    relational = RelationalPolicy.parse(clinic.policy({"database": "c.db"}, {"database": "o.db"}))
    for given in (StatisticsPolicy.load(release), relational):
        with pytest.raises(PolicyError, match="needs rows of one table"):
            anonsql.read(given)
    with pytest.raises(PolicyError, match="needs released rows"):
        anonsql.read(path, table_name="year_geo")


def test_check_names_the_command_that_publishes(release):
    assert "`anonsql tabulate` publishes the release" in told(0, "check", release)
    assert anonsql.check(release).publishes == "tabulate"
