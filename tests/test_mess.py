"""Values that would stand in classes of their own: `init` says of every kind of source what is odd,
with the line that mends it."""

import datetime as dt
from contextlib import closing, contextmanager
from decimal import Decimal

import pytest
import yaml

import anonsql
from anonsql.engines import open_engine
from anonsql.engines.base import Context
from anonsql.features.init import command, several_tables, statistics
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import database
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.risks import mess
from anonsql.system.journal import Journal

from . import clinic, test_mending
from .engines import DuckDB
from .support import flat, policy_data

TYPES = {**test_mending.TYPES, "rest": "VARCHAR"}
ROWS = [
    (
        ("M", "m", "M ", "F", "f", " f")[n % 6],
        ("Ulm", "Bonn", "N/A", "?")[n % 4],
        999 if n % 20 == 0 else -1 if n % 20 == 1 else 20 + n % 50,
        99999.0 if n % 30 == 0 else 0.5 * n,
        Decimal("-9.00") if n % 30 == 1 else Decimal("1.25"),
        dt.date(1900, 1, 1) if n % 12 == 0 else dt.date(1960 + n % 30, 5, 1),
        dt.datetime(9999, 12, 31) if n % 15 == 2 else dt.datetime(2020, 1, 1 + n % 28, 9, 30),
        None if n % 2 else ("+", "-")[n % 4 // 2],
    )
    for n in range(120)
]
FOUND = {
    "sex": ["6 spellings of 2 values (case, blanks): write `… {trim: true, case: lower} …`"],
    "town": ['60 rows of N/A, "?": … {missing: [N/A, "?"]} …'],
    "age": ["6 values of -1, 6 values of 999 are far from … {missing: [-1, 999]}"],
    "pay": ["4 values of 99999 are far from … {missing: [99999]}"],
    "fee": ["4 values of -9 are far from … {missing: [-9]}"],
    "born": ["10 values of 1900-01-01 are far from … {missing: [1900-01-01]}"],
    "seen": ["8 values of 9999-12-31 are far from … {missing: [9999-12-31]}"],
}


def says(text, words):
    """Whether a text has words in their order, left out parts (…) aside."""
    at = 0
    for part in words.split("…"):
        at = text.find(part.strip(" `"), at)
        if at < 0:
            return False
    return True


@contextmanager
def opened_source(folder, source=None):
    """An engine and the source of a policy, as it is read."""
    source = source or {"database": "source.duckdb", "table": "t"}
    data = policy_data({"a": {"type": "suppression"}}) | {"source": source}
    policy = Policy.parse(data, folder)
    place = database(source["database"], "source", lambda text: folder / text)
    work = folder / "work"
    work.mkdir(exist_ok=True)
    with closing(open_engine(place, Context(work, EngineSettings(), Journal()))) as engine:
        yield engine, engine.open_source(policy.source)


def test_on_every_engine(everywhere):
    """The same is found on all of them, in three statements; where it is mended, nothing is."""
    everywhere.make(TYPES, ROWS)
    source, _ = everywhere.places()
    with opened_source(everywhere.folder, source) as (engine, relation):
        columns, journal = engine.columns(relation), engine.context.journal
        before = journal.count()
        found = mess.look(engine, relation, columns)
        assert journal.count() - before == 3
    assert found.keys() == FOUND.keys()
    for name, words in FOUND.items():
        notes = [one.note(name) for one in found[name]]
        assert len(notes) == len(words)
        for note, wanted in zip(notes, words, strict=True):
            assert says(note, wanted), note
    lines = {
        name: yaml.safe_load("{" + ", ".join(one.setting for one in messes) + "}")
        for name, messes in found.items()
    }
    with opened_source(everywhere.folder, source | {"columns": lines}) as (engine, relation):
        assert mess.look(engine, relation, engine.columns(relation)) == {}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("INTEGER", [90, 95, 99, 99, 100]),  # 99 is one of them
        ("INTEGER", [-3, -2, -1, -1, 0]),
        ("INTEGER", [1, 2, 3, 999]),  # once
        ("INTEGER", [99, 99]),  # nothing else is known
        (
            "DATE",
            [dt.date(1899, 1, 1), dt.date(1900, 1, 1), dt.date(1900, 1, 1), dt.date(1990, 1, 1)],
        ),
        ("VARCHAR", ["a", "b", "NA", "null"]),  # words
        ("VARCHAR", ["+", "-", "-"]),  # signs
        ("VARCHAR", [" ", "", "a"]),
        ("DOUBLE", [float("inf"), float("nan"), 1.0, 2.0]),
        ("UUID", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"] * 2),
        ("VARCHAR[]", [["n/a"], ["N/A"]]),
    ],
)
def test_usual_values_are_not_odd(tmp_path, kind, values):
    DuckDB(tmp_path).make({"a": kind}, [(value,) for value in values])
    with opened_source(tmp_path) as (engine, relation):
        assert mess.look(engine, relation, engine.columns(relation)) == {}


def commented(text):
    """The comments of a policy, as one line."""
    return flat(text.replace("# ", ""))


def test_init_says_it_of_a_table_and_what_it_says_can_be_pasted(tmp_path):
    DuckDB(tmp_path).make(TYPES, ROWS)
    policy = tmp_path / "policy.yaml"
    command.init(str(tmp_path / "source.duckdb"), "t", policy)
    text = commented(policy.read_text())
    for words in FOUND.values():
        assert all(says(text, each) for each in words)
    line = "columns: {age: {missing: [-1, 999]}}"
    assert line in text
    data = yaml.safe_load(policy.read_text())
    data["source"] |= yaml.safe_load(line)
    data["columns"] = {
        name: {"role": "identifying"} if name != "age" else column
        for name, column in data["columns"].items()
    }
    checked = anonsql.check(Policy.parse(data, tmp_path))
    assert checked.problems == []


def test_init_of_statistics_says_it(tmp_path):
    DuckDB(tmp_path).make(TYPES, ROWS)
    policy = tmp_path / "policy.yaml"
    statistics.init_statistics(str(tmp_path / "source.duckdb"), "t", policy)
    text = commented(policy.read_text())
    assert "6 spellings of 2 values (case, blanks)" in text
    assert "6 values of -1, 6 values of 999 are far from" in text


def test_init_of_several_tables_says_it(tmp_path):
    some = clinic.rows()
    some["patients"] = [
        (*row[:-1], (row[-1], row[-1].lower())[n % 2]) for n, row in enumerate(some["patients"])
    ]
    path, _ = clinic.in_a_file(tmp_path, some)
    policy = tmp_path / "policy.yaml"
    several_tables.init_tables(str(path), "patients", policy)
    text = commented(policy.read_text())
    assert "4 spellings of 2 values (case): write" in text
    assert "columns: {patients.sex: {case:" in text


def test_init_of_a_frame_says_it():
    frame = pytest.importorskip("pandas").DataFrame({"sex": ["m", "M", "f", "F"] * 5})
    assert "4 spellings of 2 values (case)" in commented(anonsql.init(frame))


MESSY = [
    (
        ("M", "m ", "F", "f")[n % 4],
        (-1, 999)[n // 4 % 2] if n < 40 else 20 + n % 60,
        dt.date(1900, 1, 1) if n % 50 == 7 else dt.date(1980 + n % 5, 1, 1),
        ("Ulm", "Bonn", "N/A")[n % 3],
    )
    for n in range(400)
]
MESSY_TYPES = {"sex": "VARCHAR", "age": "INTEGER", "born": "DATE", "town": "VARCHAR"}
MESSY_COLUMNS = {
    "sex": {"type": "suppression"},
    "age": {"type": "ages"},
    "born": {"type": "date", "levels": ["year", "decade"]},
    "town": {"type": "suppression"},
}
WARNED = {
    "columns.sex": "4 spellings of 2 values (case, blanks): … Write `…sex: {trim: true, case:…`.",
    "columns.age": "40 values below 0 or above 120 (20 values of -1, 20 values of 999): … If …"
    " write `… age: {missing: [-1, 999]} …`.",
    "columns.born": "8 values of 1900-01-01 are far from … If … missing: [1900-01-01] …",
    "columns.town": "133 rows of N/A: … If … missing: [N/A] …",
}


def of_mess(problems):
    return {p.where: str(p) for p in problems if "columns: {" in str(p)}


def test_check_and_run_warn_of_it(everywhere):
    everywhere.make(MESSY_TYPES, MESSY)
    source, release = everywhere.places()
    data = policy_data(MESSY_COLUMNS, k=2, limit=0.5) | {"source": source}
    data["release"] |= release
    policy = Policy.parse(data, everywhere.folder)
    found = of_mess(anonsql.check(policy).warnings)
    assert found.keys() == WARNED.keys()
    for where, words in WARNED.items():
        assert says(found[where], words), found[where]
    report = anonsql.run(policy)
    said = {warning.where: warning.message for warning in report.warnings}
    assert WARNED.keys() <= said.keys()
    mended = {
        "sex": {"trim": True, "case": "lower"},
        "age": {"missing": [-1, 999]},
        "born": {"missing": ["1900-01-01"]},
        "town": {"missing": ["N/A"]},
    }
    data["source"] = source | {"columns": mended}
    assert of_mess(anonsql.check(Policy.parse(data, everywhere.folder)).warnings) == {}


def test_listed_values_and_kept_columns_are_meant(tmp_path):
    """What a hierarchy lists, or knows in several spellings, is not warned of, nor what is kept."""
    rows = [(("M", "m")[n % 2], ("DE", "de")[n % 2], (-1, 50)[n % 2]) for n in range(40)]
    DuckDB(tmp_path).make({"sex": "VARCHAR", "land": "VARCHAR", "pay": "INTEGER"}, rows)
    columns = {
        "sex": {"type": "taxonomy", "tree": {"male": ["M", "m"]}},
        "land": {"type": "countries"},
        "pay": "sensitive",
    }
    data = policy_data(columns, k=2)
    assert of_mess(anonsql.check(Policy.parse(data, tmp_path)).warnings) == {}


def test_check_of_several_tables_and_of_statistics(tmp_path):
    some = clinic.rows()
    some["patients"] = [
        (*row[:-1], (row[-1], row[-1].lower())[n % 2]) for n, row in enumerate(some["patients"])
    ]
    _, data = clinic.in_a_file(tmp_path, some)
    found = of_mess(anonsql.check(RelationalPolicy.parse(data, tmp_path)).warnings)
    assert found.keys() == {"tables.patients.columns.sex"}
    assert "columns: {patients.sex: {case: lower}}" in found["tables.patients.columns.sex"]
    DuckDB(tmp_path).make(MESSY_TYPES, MESSY)
    policy = StatisticsPolicy.parse(
        {
            "source": {"database": "source.duckdb", "table": "t"},
            "release": {"database": "statistics.duckdb"},
            "statistics": {"by": {"sex": {}}, "of": {"n": "count"}, "tables": [["sex"]]},
            "protect": {"threshold": 3, "by": "suppression"},
        },
        tmp_path,
    )
    assert of_mess(anonsql.check(policy).warnings).keys() == {"statistics.by.sex"}


def test_what_stands_apart_hides_no_pair(tmp_path):
    """Age follows from the date of birth, also where some of both mean that none is known."""
    days = [dt.date(1930, 1, 1) + dt.timedelta(days=97 * n) for n in range(250)]
    rows = [
        (
            dt.date(1900, 1, 1) if n % 11 == 0 else day,
            999 if n % 13 == 0 else 2020 - day.year,
            n % 3,
        )
        for n, day in enumerate(days)
    ]
    types = {"born": "DATE", "age": "INTEGER", "ill": "INTEGER"}
    DuckDB(tmp_path).make(types, rows)
    policy = tmp_path / "policy.yaml"
    command.init(str(tmp_path / "source.duckdb"), "t", policy)
    assert "born and age are correlated" in commented(policy.read_text())
