"""Which identifiers of HIPAA's safe harbor `anonsql risk --identifiers` sees, and which of them it
says a policy lets through."""

import io
import json

import pytest
from rich.console import Console

import anonsql
from anonsql.engines.base import Column
from anonsql.features.risk.described import describe
from anonsql.policy.columns import ColumnPolicy
from anonsql.presentation import terminal
from anonsql.risks.safe_harbor import Look, judged, looks

from .support import cli, make_source, policy_data, write_data

AGE = Look("ages over 89", "name of the column")
BORN = Look("ages over 89", "name of the column", birth_year=True)
DATE = Look("dates other than the year", "name of the column")
PLACE = Look("geographic subdivisions smaller than a state", "name of the column")
ZIP = Look("geographic subdivisions smaller than a state", "name of the column", zip_code=True)
PHONE = Look("telephone numbers", "its values")
MASK = {"type": "mask", "length": 5}
YEARS = {"type": "date", "levels": ["month", "year"]}


@pytest.mark.parametrize(
    "name,type_,kinds",
    [
        ("lastName", "VARCHAR", ["names"]),
        ("Vorname", "VARCHAR", ["names"]),
        ("ip_address", "VARCHAR", ["IP addresses"]),
        ("email_address", "VARCHAR", ["e-mail addresses"]),
        ("home address", "VARCHAR", ["geographic subdivisions smaller than a state"]),
        ("Fax-Number", "VARCHAR", ["fax numbers"]),
        ("patient_id", "INTEGER", ["medical record numbers"]),
        ("member_no", "INTEGER", ["health plan beneficiary numbers"]),
        ("device_id", "VARCHAR", ["device identifiers"]),
        ("vin", "VARCHAR", ["vehicle identifiers"]),
        ("licence", "VARCHAR", ["certificate and licence numbers"]),
        ("photo", "BLOB", ["photographs"]),
        ("fingerprint", "BLOB", ["biometric identifiers"]),
        ("uuid", "UUID", ["any other unique number"]),
        ("seen", "DATE", ["dates other than the year"]),
        ("dob", "VARCHAR", ["dates other than the year"]),
        ("birth_year", "INTEGER", ["ages over 89"]),
        ("has_phone", "BOOLEAN", []),
        ("language", "VARCHAR", []),
        ("state", "VARCHAR", []),
    ],
)
def test_a_column_is_known_by_its_name_or_type(name, type_, kinds):
    assert [look.kind for look in looks(name, Column(name, type_), frozenset())] == kinds


def test_text_adds_what_its_name_does_not_tell():
    found = looks("phone", Column("phone", "VARCHAR"), frozenset(("phone", "iban", "card")))
    assert [(look.kind, look.by) for look in found] == [
        ("telephone numbers", "name of the column"),
        ("account numbers", "its values"),
    ]


def generalized(hierarchy, level=None, **more):
    return {"role": "qi", "hierarchy": hierarchy, "min_level": level, **more}


def kept(**change):
    return {"role": "insensitive", "change": change or None}


@pytest.mark.parametrize(
    "look,column,greatest,passes",
    [
        (PHONE, kept(), None, True),
        (PHONE, {"role": "identifying"}, None, False),
        (PHONE, {"role": "identifying", "replace": "surrogate"}, None, False),
        (PHONE, generalized(MASK, 4), None, True),
        (PHONE, generalized(MASK, 5), None, False),
        (ZIP, kept(), None, True),
        (ZIP, generalized(MASK), None, True),
        (ZIP, generalized(MASK, 1), None, True),
        (ZIP, generalized(MASK, 2), None, False),
        (ZIP, generalized(MASK | {"from": "left"}, 2), None, True),
        (ZIP, generalized({"type": "us-zip"}), None, True),
        (ZIP, generalized({"type": "us-zip"}, 1), None, False),
        (PLACE, generalized(MASK, 2), None, True),
        (PLACE, generalized({"type": "countries"}), None, False),
        (DATE, kept(), None, True),
        (DATE, generalized(YEARS, 1), None, True),
        (DATE, generalized(YEARS, 2), None, False),
        (DATE, generalized({"type": "breaks", "at": ["1990-01-01"]}, 1), None, False),
        (DATE, generalized({"type": "breaks", "at": ["1990-03-01"]}, 1), None, True),
        (AGE, kept(), 89, False),
        (AGE, kept(), 90, True),
        (AGE, kept(), None, True),
        (AGE, kept(top={"value": 90}), 99, False),
        (AGE, kept(top={"value": 95}), 99, True),
        (AGE, kept(top=0.99), 99, True),
        (AGE, kept(round=5), 99, True),
        (AGE, generalized({"type": "ages"}), 99, True),
        (AGE, generalized({"type": "ages"}, 1), 99, False),
        (AGE, generalized({"type": "ages"}, 1, values="mean"), 99, True),
        (AGE, generalized({"type": "breaks", "at": [30, 90]}, 1), 99, False),
        (AGE, generalized({"type": "breaks", "at": [30, 95]}, 1), 99, True),
        (AGE, generalized({"type": "interval", "widths": [5, 10]}, 1), 99, True),
        (AGE, generalized({"type": "interval", "widths": [5, 10]}, 2), 99, False),
        (AGE, generalized({"type": "interval", "widths": [5, 10]}, 2), None, True),
        (BORN, kept(), 2001, True),
        (BORN, kept(bottom={"value": 1940}), 2001, False),
    ],
)
def test_what_passes_is_told(look, column, greatest, passes):
    found, says = judged(ColumnPolicy.model_validate(column), look, greatest, changed=False)
    assert found == passes and says


def test_the_released_top_is_that_of_a_share():
    column = ColumnPolicy.model_validate(kept(top=0.99))
    assert [judged(column, AGE, most, changed=True)[0] for most in (90, 91)] == [False, True]


def test_release_and_source_are_looked_at(tmp_path):
    types = {"zip": "VARCHAR", "age": "INTEGER", "note": "VARCHAR", "ref": "VARCHAR"}
    rows = [(f"1000{i % 2}", 40 + i, "abc"[i % 3], f"+49 30 90182{i:02}") for i in range(60)]
    make_source(tmp_path, types, rows)
    columns = {
        "zip": generalized({"type": "us-zip"}, 1),
        "age": "sensitive",
        "note": "insensitive",
        "ref": "identifying",
    }
    path = write_data(tmp_path, policy_data(columns, k=2, limit=0.5))
    anonsql.run(path)
    report = anonsql.risk(path, identifiers=True)
    told = {each.column: each for each in report.identifiers}
    assert {name: each.passes for name, each in told.items()} == {"zip": False, "age": True}
    assert (told["zip"].released, told["age"].released) == (
        "generalized, to level 1 at least",
        "unchanged",
    )
    page = tmp_path / "page.html"
    result = cli("risk", path, "--source", "--identifiers", "--html", page, "--json")
    found = {each["column"]: each for each in json.loads(result.stdout)["identifiers"]}
    assert found["ref"] == {
        "column": "ref",
        "kind": "telephone numbers",
        "by": "its values",
        "released": "removed",
        "passes": False,
        "says": "No value is released.",
    }
    assert "ages over 89" in page.read_text() and "no legal advice" in page.read_text()
    console = Console(file=io.StringIO(), width=200)
    terminal.show(console, describe(report))
    shown = console.file.getvalue()
    assert all(
        words in shown
        for words in ("no legal advice", "2 look like", "1 of them are released in a form")
    )
