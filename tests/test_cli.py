"""The commands as a person or a scheduler meets them."""

import ast
import inspect
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import webbrowser
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest
import typer
import yaml

import anonsql
from anonsql.cli import commands
from anonsql.cli.console import GROUPS
from anonsql.features.attack.command import AttackSettings
from anonsql.features.demo import command as demo
from anonsql.features.risk.command import RiskSettings
from anonsql.measures.workload import WorkloadSettings
from anonsql.sql.templates import folder

from .support import (
    cli,
    flat,
    in_file,
    in_python,
    make_source,
    released_rows,
    rows_of,
    write_policy,
)

ROWS = [(f"N{n}", 20 + n % 3, "mf"[n % 2], "flu") for n in range(40)]
TYPES = {"name": "VARCHAR", "age": "INTEGER", "sex": "VARCHAR", "disease": "VARCHAR"}
COLUMNS = {
    "name": "identifying",
    "age": {"type": "interval", "widths": [10]},
    "sex": {"type": "suppression"},
    "disease": "sensitive",
}


@pytest.fixture
def policy(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    return write_policy(tmp_path, COLUMNS, k=5)


def document(*arguments):
    result = cli(*arguments, "--json")
    report = json.loads(result.stdout)
    jsonschema.validate(report, json.loads((folder("schemas") / "report.schema.json").read_text()))
    return result.exit_code, report


def test_run_search_verify_check(policy):
    code, report = document("check", policy)
    assert (code, report["status"], report["records"], report["lattice"]) == (0, "ok", 40, 6)
    code, report = document("search", policy)
    assert (code, report["lattice"], report["quasi_identifiers"]) == (0, 6, ["age", "sex"])
    assert [node["levels"] for node in report["nodes"] if node["minimal"]] == [{"age": 0, "sex": 0}]
    assert not (policy.parent / "release.duckdb").exists()
    code, report = document("run", policy)
    assert (code, report["status"], report["verified"], report["records"], report["released"]) == (
        0,
        "published",
        True,
        40,
        40,
    )
    assert set(report["seconds"]) >= {"search", "stage", "verify_release", "publish_release"}
    code, report = document("verify", policy)
    assert (code, report["status"], report["min_class"]) == (0, "verified", 6)


def test_summaries(policy):
    shown = cli("check", policy).stdout
    assert "The policy is ready" in shown
    shown = cli("run", policy, "--verbose").stdout
    for word in (
        "Published",
        "prosecutor",
        "journalist",
        "marketer",
        "loss",
        "removed",
        "release.duckdb",
    ):
        assert word in shown
    queries = re.findall(r"^  (SELECT .*?;)$", shown, re.M | re.S)
    assert len(queries) == 3
    for query in queries:
        assert released_rows(policy.parent, query)
    assert "Verified" in flat(cli("verify", policy).stdout)
    assert "6 of 6 generalizations keep the promise" in flat(cli("search", policy).stdout)


def test_quiet_and_verbose(policy):
    result = cli("run", policy, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    result = in_python("-m", "anonsql", "run", policy, "-q", "-v")
    assert result.returncode == 0
    assert re.search(r"data star/cells: \d+ rows, [\d.]+ ms", result.stderr)
    assert result.stdout == ""


def test_nothing_but_the_document_on_stdout(policy):
    result = in_python("-m", "anonsql", "run", policy, "--json")
    json.loads(result.stdout)
    assert (result.returncode, result.stderr) == (0, "")


def test_check_changes_nothing_and_tells_all(policy):
    text = (
        policy.read_text().replace("type: suppression", "type: suppresion").replace("name:", "nam:")
    )
    policy.write_text(text)
    before = sorted(policy.parent.iterdir())
    code, report = document("check", policy)
    assert code == 2
    assert {problem["where"] for problem in report["problems"]} == {
        "columns.sex.hierarchy.type",
        "columns.name",
        "columns.nam",
    }
    assert sorted(policy.parent.iterdir()) == before


def test_check_warns_of_columns_that_single_out(policy):
    policy.write_text(policy.read_text().replace("role: identifying", "role: insensitive"))
    code, report = document("check", policy)
    assert (code, [warning["where"] for warning in report["warnings"]]) == (0, ["columns.name"])


def test_the_catalog_tells_what_ran(policy):
    cli("run", policy)
    cli("search", policy)
    listed = cli("runs", "-p", policy).stdout
    assert "run      " in listed
    assert listed == cli("runs", policy).stdout == cli("runs", "--policy", policy).stdout
    shown = cli("runs", "show", 1, "-p", policy).stdout
    assert "engines/duckdb" in shown and shown == cli("runs", policy, "show", 1).stdout
    assert json.loads(cli("runs", "--json", policy).stdout)["runs"][0]["command"] == "search"
    assert "No such command 'shwo'" in cli("runs", policy, "shwo").output
    catalog = policy.parent / "release.anonsql.duckdb"
    assert rows_of(catalog, "SELECT run, command, status FROM runs ORDER BY run") == [
        (1, "run", "done"),
        (2, "search", "done"),
    ]
    assert rows_of(
        catalog, "SELECT table_name, column_name, level FROM releases ORDER BY column_name"
    ) == [
        ("r", "age", 0),
        ("r", "sex", 0),
    ]
    assert rows_of(
        catalog, "SELECT count(*) > 20 FROM statements WHERE run = 1 AND plane = 'data'"
    ) == [(True,)]
    assert rows_of(catalog, "SELECT run, count(*), max(levels['age']) FROM nodes GROUP BY run") == [
        (2, 6, 2)
    ]
    cli("run", policy.parent / "policy.yaml", "--json")
    raw = catalog.read_bytes()
    assert b"flu" not in raw and b"N39" not in raw


def test_python(policy):
    loaded = anonsql.Policy.load(policy)
    assert anonsql.check(policy).status == "ok"
    assert anonsql.run(loaded).classes == anonsql.verify(loaded).classes
    assert anonsql.search(loaded).nodes


def test_init(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        """CREATE TABLE people AS SELECT 'Jane' || i AS name, i AS "Patient ID", 20 + i % 60 AS age, (['m', 'f'])[i % 2 + 1] AS sex,
        lpad((i * 37 % 999)::VARCHAR, 5, '0') AS zipcode, DATE '2020-01-01' + (i % 700)::INTEGER AS birth_date, (['flu', 'cold'])[i % 2 + 1] AS disease,
        'c' || i % 40 AS city, md5(i::VARCHAR) AS token, i % 7 AS shelf, NULL::VARCHAR AS notes FROM range(1, 501) r (i)""",
    )
    output = tmp_path / "policy.yaml"
    code, report = document("init", tmp_path / "source.duckdb", "people", "-o", output)
    assert (code, report["columns"], report["undecided"]) == (0, 11, ["shelf", "notes"])
    text = output.read_text()
    assert "Jane" not in text and "flu" not in text
    assert "name: {role: identifying}" in text
    assert '"Patient ID": {role: identifying}' in text
    assert (
        "age: {role: quasi-identifying, hierarchy: {type: interval, widths: [5, 10, 20]}}" in text
    )
    assert "zipcode: {role: quasi-identifying, hierarchy: {type: mask, length: 5}}" in text
    assert (
        "birth_date: {role: quasi-identifying, hierarchy: {type: date, levels: [month, quarter,"
        " year]}}" in text
    )
    assert "token: {role: identifying}" in text
    assert "disease: {role: sensitive}" in text
    assert text.count("UNDECIDED") == 3  # one of them for all that are open
    code, report = document("check", output)
    assert code == 2
    assert {problem["where"] for problem in report["problems"]} == {
        "columns.shelf.role",
        "columns.notes.role",
    }
    finished = text.replace("hierarchy: null", "hierarchy: {type: suppression}").replace(
        "role: null", "role: insensitive"
    )
    output.write_text(finished)
    assert document("run", output)[0] == 0
    assert (
        cli("init", tmp_path / "source.duckdb", "people", "-o", output).exit_code == 2
    )  # never overwrites


def test_init_of_a_file(tmp_path):
    (tmp_path / "visits.csv").write_text("age,sex\n" + "20,m\n30,f\n" * 10)
    assert cli("init", tmp_path / "visits.csv", "-o", tmp_path / "p.yaml").exit_code == 0
    assert "file: visits.csv" in (tmp_path / "p.yaml").read_text()


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("identifying", ["Vorname", "Nachname", "Telefon", "Straße", "E-Mail", "Kundennummer"]),
        ("identifying", ["Kunden-Nr", "KundenNr", "patienten_nr", "Street", "home address"]),
        ("quasi-identifying", ["Geburtsdatum", "Geburtstag", "PLZ", "Postleitzahl", "Geschlecht"]),
        ("quasi-identifying", ["Alter", "Beruf", "Familienstand", "Ort", "Wohnort", "Größe"]),
        ("quasi-identifying", ["Aufnahmedatum", "Staatsangehörigkeit", "birthday"]),
        ("sensitive", ["Diagnose", "Krankheit", "Einkommen", "Gehalt netto"]),
        ("null", ["Alternative", "Sport", "Nights", "Auftrag", "Landung"]),
    ],
)
def test_init_knows_english_and_german_names(tmp_path, role, names):
    (tmp_path / "t.csv").write_text(
        ",".join(names) + "\n" + (",".join(["1"] * len(names)) + "\n") * 3, encoding="utf-8"
    )
    assert cli("init", tmp_path / "t.csv", "-o", tmp_path / "p.yaml").exit_code == 0
    written = yaml.safe_load((tmp_path / "p.yaml").read_text(encoding="utf-8"))["columns"]
    assert {name: item["role"] or "null" for name, item in written.items()} == dict.fromkeys(
        names, role
    )


def test_init_writes_what_an_undecided_column_would_get_if_others_know_it(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        """CREATE TABLE t AS SELECT DATE '2020-01-01' + i::INTEGER AS moved_in, 10000 + i % 90 AS code,
        1 + i % 7 AS nights, 0.5 * (i % 80) AS share, (['a', 'b'])[i % 2 + 1] AS kind,
        'w' || i % 40 AS word FROM range(100) r (i)""",
    )
    output = tmp_path / "p.yaml"
    assert cli("init", tmp_path / "source.duckdb", "t", "-o", output).exit_code == 0
    text = output.read_text()
    known = "  # If known: "
    offered = {
        line.split(": {role: null}")[0].strip(): above.removeprefix(known)
        for above, line in itertools.pairwise(text.splitlines())
        if "role: null" in line and above.startswith(known)
    }
    hierarchies = {
        "code": "{type: mask, length: 5}",
        "nights": "{type: interval, widths: [2, 4, 8]}",
        "share": "{type: interval, widths: [5, 10, 20]}",
        "kind": "{type: suppression}",
    }
    assert offered == {
        name: f"{{role: quasi-identifying, hierarchy: {hierarchy}}}"
        for name, hierarchy in hierarchies.items()
    }
    moved = yaml.safe_load(text)["columns"]["moved_in"]
    levels = ["month", "quarter", "year"]
    assert moved == {"role": "quasi-identifying", "hierarchy": {"type": "date", "levels": levels}}
    for name, item in offered.items():
        text = text.replace(f"{name}: {{role: null}}", f"{name}: {item}")
    output.write_text(text.replace("word: {role: null}", "word: {role: insensitive}"))
    assert cli("check", output).exit_code == 0


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory):
    """A folder that the demo made, and what it told."""
    folder = tmp_path_factory.mktemp("demonstrated")
    return folder, document("demo", folder / "demo", "--rows", "200")


@pytest.fixture
def shown(demonstrated, tmp_path):
    """Such a folder for one test."""
    return shutil.copytree(demonstrated[0] / "demo", tmp_path / "demo")


def test_demo(demonstrated, shown):
    code, report = demonstrated[1]
    assert (code, report["records"], report["verified"]) == (0, 200, True)
    assert report["min_class"] >= 5
    assert cli("check", shown / "policy.yaml").exit_code == 0
    assert cli("demo", shown, "--rows", "200", "--quiet").exit_code == 0  # again, over the first


@pytest.mark.parametrize(
    "name", ["policy.yaml", "hierarchies/country.csv", "people.duckdb", "folder"]
)
def test_demo_replaces_no_file_that_is_not_its_own(shown, name):
    """Before it writes anything: a policy that was edited, and a table of somebody else's."""
    folder = shown
    if name == "people.duckdb":
        shutil.rmtree(folder)
        folder.mkdir()
    changed = folder / ("policy.yaml" if name == "folder" else name)
    if name == "folder":
        changed.unlink()
        changed.mkdir()
    else:
        changed.write_text("k: 7\n")
    before = {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
    refused = cli("demo", folder, "--rows", "1200", "--seed", "2")
    assert refused.exit_code == 2
    told = flat(refused.stderr)
    assert "Name another folder" in told and (name == "folder" or changed.name in told)
    after = {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
    assert before == after


@pytest.mark.parametrize("browser", [True, False, None])
def test_a_page_that_no_browser_opens_is_named(shown, tmp_path, monkeypatch, browser):
    def opening(_address):
        if browser is None:
            raise webbrowser.Error("could not locate runnable browser")
        return browser

    monkeypatch.setattr("webbrowser.open", opening)
    page = tmp_path / "page.html"
    release = shown / "released.duckdb"
    done = cli("report", release, "--for", "recipient", "-o", page, "--open", "--json")
    assert done.exit_code == 0 and page.exists() and json.loads(done.stdout)["page"] == str(page)
    told = flat(done.stderr)
    assert (f"no browser could be opened on this machine: open the page {page}" in told) == (
        not browser
    )


def test_demo_people_are_the_same_for_a_seed(tmp_path):
    tables = []
    for name, rows, seed in (("a", 2500, 1), ("b", 2500, 1), ("c", 2500, 2), ("d", 1001, 1)):
        demo.write(tmp_path / name, rows, seed)
        tables.append(
            rows_of(tmp_path / name / "people.duckdb", "SELECT * FROM people ORDER BY name")
        )
    assert tables[0] == tables[1] != tables[2]
    assert len(tables[0]) == 2500 and tables[3] == tables[0][:1001]
    ages = [row[1] for row in tables[0]]
    assert min(ages) >= 17 and max(ages) <= 90 and len(set(ages)) > 60


SETTINGS = {"attack": AttackSettings, "measure": WorkloadSettings, "risk": RiskSettings}
"""What the Python functions of commands take as further options."""


def calling_commands():
    """The commands that name the Python function that does their work: its name, theirs, and their
    parameters with their defaults (Ellipsis where there is none)."""
    for node in ast.parse(Path(commands.__file__).read_text()).body:
        for decorator in getattr(node, "decorator_list", ()):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "calls":
                names = [argument.arg for argument in node.args.args]
                defaults = [ast.unparse(default) for default in node.args.defaults]
                defaults = ["..."] * (len(names) - len(defaults)) + defaults
                yield decorator.args[0].value, node.name, dict(zip(names, defaults))


@pytest.mark.parametrize(("function", "command", "given"), list(calling_commands()))
def test_a_command_has_the_parameters_and_defaults_of_its_python_function(function, command, given):
    module, _, name = function.rpartition(".")
    own = inspect.signature(getattr(import_module(f"anonsql.{module}"), name)).parameters
    further = inspect.signature(SETTINGS[command]).parameters if command in SETTINGS else {}
    takes = {**own, **further}
    assert given.keys() <= takes.keys()
    for parameter, default in given.items():
        value = ast.literal_eval(default)
        if value is ...:
            assert takes[parameter].default is inspect.Parameter.empty
        elif value is not None:  # which leaves it to the function
            assert takes[parameter].default == value


def test_most_commands_call_their_python_function():
    assert len(list(calling_commands())) >= 12


def test_help_and_version():
    assert cli("--version").stdout.strip() == f"anonsql {anonsql.__version__}"
    shown = cli("--help").stdout
    places = [shown.index(f" {title} ") for title in GROUPS]
    assert places == sorted(places) and " Commands " not in shown
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(typer.main.get_command(commands.app).commands)


def test_the_hook_of_pre_commit_checks_every_policy_that_it_is_given(policy):
    (hook,) = yaml.safe_load((Path(__file__).parent.parent / ".pre-commit-hooks.yaml").read_text())
    wrong = policy.with_name("people-policy.yml")
    wrong.write_text(policy.read_text().replace("k: 5", "k: 0"))
    names = ("a/policy.yaml", wrong.name, "polices.yaml", "policy.yaml.txt")
    assert [bool(re.search(hook["files"], name)) for name in names] == [True, True, False, False]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for given, code, ready in (((policy,), 0, 1), ((wrong, policy), 2, 1), ((wrong,), 2, 0)):
        done = subprocess.run(
            [*shlex.split(hook["entry"]), *given],
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout.count("The policy is ready")) == (code, ready)
