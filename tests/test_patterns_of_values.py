"""Values that say by their form what they are, and the hierarchies that suit them."""

import re

import pytest

from anonsql.hierarchies.patterns import FORMS, recognize

from .support import opened

CASES = [
    ("age bands", ["55-59", "50-54", "60-64", "0-4", "5-9"]),
    ("age bands", ["75-79", "80-84", "85+", "70-74"]),
    ("age bands", ["<18", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"]),
    ("age bands", ["10 to 14", "15 to 19"]),
    ("age bands", ["20-29"]),
    ("ICD-10 codes", ["A00.1", "A00", "B20", "A001", "E1165", "S72001A", "C4A", "O31.10X0"]),
    ("ISO dates", ["2024-03-15", "1999-12-31"]),
    ("dates", ["15.03.2024"]),
    ("British postcodes", ["SW1A 1AA", "M11AE", "EC1A 1BB"]),
    ("Dutch postcodes", ["1012 AB", "1013CD"]),
    ("Canadian postcodes", ["K1A 0B1"]),
    ("ISO countries", ["DE", "BR"]),
]


@pytest.mark.parametrize(("name", "values"), CASES)
def test_a_form(name, values):
    assert recognize(matching(values), len(values)).name == name


def matching(values):
    """How many values each form has, by the database."""
    with opened(":memory:") as connection:
        return [
            sum(
                connection.execute(
                    "SELECT regexp_matches(?, ?)", [value, item.expression]
                ).fetchone()[0]
                for value in values
            )
            for item in FORMS
        ]


@pytest.mark.parametrize(
    "values",
    [
        ["55-59", "unknown"],
        ["2024-13-01"],
        ["2024-03-15\n"],
        ["XX"],
        ["de"],
        ["A0"],
        ["P100000"],
        ["P10000"],
        ["12345"],
        ["'; DROP TABLE t"],
        [""],
    ],
)
def test_other_values_have_no_form(values):
    assert recognize(matching(values), len(values)) is None


def test_no_values_have_no_form():
    assert recognize([0] * len(FORMS), 0) is None
    assert recognize((), 5) is None


def test_expressions_keep_to_what_all_engines_know():
    for item in FORMS:
        assert "\\" not in item.expression and "(?" not in item.expression
        assert item.expression[0] == "^" and item.expression[-1] == "$"
        re.compile(item.expression)
