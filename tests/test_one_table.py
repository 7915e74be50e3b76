"""What works with several tables as with one: ``apply``, ``verify --sql``; and what refuses them,
for the reason that the manual gives."""

import shutil

import duckdb
import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError, PrivacyError
from anonsql.features.guide import command as manual
from anonsql.policy.refusals import SEVERAL_TABLES
from anonsql.policy.refusals import STATISTICS as OF_ROWS

from . import clinic
from .support import cli, edit, make_table, opened, write_data


def write(folder, rows, **privacy):
    """The policy file of a clinic, whose tables are written beside it."""
    source = folder / "clinic.duckdb"
    source.unlink(missing_ok=True)
    for name, of_table in rows.items():
        make_table(source, clinic.COLUMNS[name], of_table, table=name)
    data = clinic.policy({"database": "clinic.duckdb"}, {"database": "out.duckdb"}, **privacy)
    write_data(folder, data)
    return folder / "policy.yaml"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a clinic's release, and the report of the run."""
    folder = tmp_path_factory.mktemp("clinic")
    return folder, anonsql.run(write(folder, clinic.rows(), k=2))


@pytest.fixture
def folder(made, tmp_path):
    """A copy of the folder of a clinic's release."""
    shutil.copytree(made[0], tmp_path, dirs_exist_ok=True)
    return tmp_path


def refused(call, *arguments, match, **options):
    with pytest.raises(PolicyError, match=match):
        call(*arguments, **options)


# apply


@pytest.mark.parametrize("of", ["release", "run"])
def test_new_rows_get_the_levels_of_all_tables(made, folder, of):
    report = made[1]
    shutil.move(folder / "out.duckdb", folder / "before.duckdb")
    policy = write(folder, clinic.rows(seed=2), k=2, suppression_limit={"patients": 0.9})
    scheme = "before.duckdb" if of == "release" else 1
    again = anonsql.apply(policy, scheme)
    assert again.status == "published" and again.levels == report.levels
    assert anonsql.verify(policy, against_source=True).status == "verified"
    with opened(folder / "out.duckdb", read_only=True) as connection:
        for table in clinic.rows():
            stated = connection.execute(f"SELECT column_name, level FROM {table}__columns")
            leveled = {(f"{table}.{name}", level) for name, level in stated.fetchall() if level}
            assert leveled <= set(report.levels.items())


def test_a_scheme_that_suppresses_more_than_the_limit_publishes_nothing(made, folder):
    shutil.move(folder / "out.duckdb", folder / "before.duckdb")
    policy = write(folder, clinic.rows(seed=2), k=25, suppression_limit={"patients": 0.01})
    with pytest.raises(PrivacyError):
        anonsql.apply(policy, "before.duckdb")
    assert not (folder / "out.duckdb").exists()


def test_a_scheme_of_other_tables_is_refused(folder):
    policy = yaml.safe_load((folder / "policy.yaml").read_text())
    single = {
        "source": {"database": "clinic.duckdb", "table": "patients"},
        "release": {"database": "single.duckdb", "table": "patients", "completed": 0},
        "catalog": "out.duckdb.anonsql.duckdb",
        "columns": {
            "patient_id": {"role": "identifying"},
            **policy["tables"]["patients"]["columns"],
        },
        "privacy": {"k": 2, "suppression_limit": 0.9},
    }
    (catalog,) = folder.glob("*.anonsql.duckdb")
    single["catalog"] = catalog.name
    write_data(folder, single, "single.yaml")
    anonsql.run(folder / "single.yaml")
    run = max(run.run for run in anonsql.runs(folder / "policy.yaml").runs)
    (folder / "out.duckdb").unlink()
    for scheme in ("single.duckdb", run):
        refused(anonsql.apply, folder / "policy.yaml", scheme, match="does not have all tables")
    (folder / "single.duckdb").unlink()
    refused(anonsql.apply, folder / "single.yaml", 1, match="run 1 released several tables")
    assert not (folder / "out.duckdb").exists() and not (folder / "single.duckdb").exists()


def test_another_hierarchy_than_the_schemes_is_refused(folder):
    shutil.move(folder / "out.duckdb", folder / "before.duckdb")
    data = yaml.safe_load((folder / "policy.yaml").read_text())
    data["tables"]["patients"]["columns"]["born"]["hierarchy"] = {"type": "suppression"}
    (folder / "policy.yaml").write_text(yaml.safe_dump(data))
    refused(anonsql.apply, folder / "policy.yaml", "before.duckdb", match="--scheme")
    assert not (folder / "out.duckdb").exists()


# verify --sql


def offending(folder):
    """The titles of the promises whose statement returns rows of the release."""
    found = anonsql.verification_sql(folder / "policy.yaml")
    with opened(folder / "out.duckdb", read_only=True) as connection:
        shown = [check for check in found.checks if check.sql]
        assert len(shown) > 2
        return {check.promise for check in shown if connection.execute(check.sql).fetchall()}


def test_statements_show_the_promises_of_several_tables(folder):
    assert offending(folder) == set()
    edit(folder / "out.duckdb", "UPDATE patients SET born = '1066' WHERE patient_id = 1")
    assert "k" in offending(folder)


def test_a_reference_that_leads_nowhere_is_shown(folder):
    edit(folder / "out.duckdb", "UPDATE visits SET patient_id = 100000 WHERE visit_id = 1")
    assert offending(folder) != set()


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
def test_statements_are_printed_in_a_dialect(folder, dialect):
    result = cli("verify", folder / "policy.yaml", "--sql", "--dialect", dialect)
    assert result.exit_code == 0 and "SELECT" in result.stdout


# refused


REFUSING = {
    "compare": lambda policy: anonsql.compare([policy]),
    "advise": anonsql.advise,
    "compile": lambda policy: anonsql.compile(policy, "postgres", policy.parent / "sql"),
    "anonymize": lambda policy: anonsql.anonymize(
        duckdb.sql("SELECT 1 AS a"), yaml.safe_load(policy.read_text())
    ),
    "ledger": anonsql.ledger,
    "risk": anonsql.risk,
    "attack": anonsql.attack,
    "report --attack": lambda policy: anonsql.report(
        policy, policy.parent / "page.html", attack=True
    ),
    "search --explain": lambda policy: anonsql.search(policy, explain=True),
    "search --html": lambda policy: anonsql.search(policy, html=policy.parent / "page.html"),
}


@pytest.mark.parametrize("command", SEVERAL_TABLES.reasons)
def test_what_is_for_one_table_says_why(folder, command):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(PolicyError) as error:
        REFUSING[command](folder / "policy.yaml")
    assert f"`{command}` works on one table only" in str(error.value)
    assert SEVERAL_TABLES.reasons[command] in str(error.value)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_manual_has_all_of_them():
    text = manual.page("relational").text
    for command, reason in SEVERAL_TABLES.reasons.items():
        assert f"| `{command}` | {reason} |" in text


# statistics

STATISTICS = """\
source: {file: visits.csv}
release: {database: out.duckdb}
statistics: {by: {sex: {}}, of: {visits: count}, tables: [[sex]]}
protect: {threshold: 3}
"""
OF_STATISTICS = REFUSING | {
    "search": anonsql.search,
    "apply": lambda policy: anonsql.apply(policy, 1),
    "measure": anonsql.measure,
    "report": lambda policy: anonsql.report(policy, policy.parent / "page.html"),
    "verify --sql": anonsql.verification_sql,
}


@pytest.mark.parametrize("command", OF_ROWS.reasons)
def test_what_is_for_released_rows_says_why(tmp_path, command):
    policy = tmp_path / "policy.yaml"
    policy.write_text(STATISTICS, encoding="utf-8")
    with pytest.raises(PolicyError) as error:
        OF_STATISTICS[command](policy)
    assert f"`{command}` works on released rows" in str(error.value)
    assert OF_ROWS.reasons[command] in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["policy.yaml"]


def test_the_manual_has_all_that_is_for_released_rows():
    text = manual.page("statistics-reference").text
    for command, reason in OF_ROWS.reasons.items():
        assert f"| `{command}` | {reason} |" in text


def test_statistics_are_made_told_of_and_queried(tmp_path):
    (tmp_path / "visits.csv").write_text("sex\n" + "m\n" * 5 + "f\n" * 7, encoding="utf-8")
    policy = tmp_path / "policy.yaml"
    policy.write_text(STATISTICS, encoding="utf-8")
    assert cli("check", policy).exit_code == 0
    assert cli("tabulate", policy).exit_code == 0
    assert cli("runs", "show", "1", "-p", policy).exit_code == 0
    assert cli("query", policy, "SELECT visits FROM sex WHERE sex = 'f'").exit_code == 0
