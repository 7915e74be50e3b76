"""Values that tell by their form what they are, and the hierarchies that are drawn from them."""

import re

import pytest

from anonsql.hierarchies import drawn_files
from anonsql.hierarchies.files import read
from anonsql.hierarchies.patterns import CONTINENT, FORMS, recognize
from anonsql.policy.hierarchy import FileHierarchy

from .support import opened

BY_NAME = {item.name: item for item in FORMS}
CASES = [
    (
        "age bands",
        ["55-59", "50-54", "60-64", "0-4", "5-9"],
        [
            ["0-4", "0-9", "0-39", "*"],
            ["5-9", "0-9", "0-39", "*"],
            ["50-54", "50-59", "40-79", "*"],
            ["55-59", "50-59", "40-79", "*"],
            ["60-64", "60-69", "40-79", "*"],
        ],
    ),
    (
        "age bands",
        ["75-79", "80-84", "85+", "70-74"],
        [
            ["70-74", "70-79", "*"],
            ["75-79", "70-79", "*"],
            ["80-84", "80+", "*"],
            ["85+", "80+", "*"],
        ],
    ),
    (
        "age bands",
        ["<18", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"],
        [
            ["<18", "<25", "<45", "*"],
            ["18-24", "<25", "<45", "*"],
            ["25-34", "25-44", "<45", "*"],
            ["35-44", "25-44", "<45", "*"],
            ["45-54", "45-64", "45+", "*"],
            ["55-64", "45-64", "45+", "*"],
            ["65+", "65+", "45+", "*"],
        ],
    ),
    ("age bands", ["10 to 14", "15 to 19"], [["10 to 14", "*"], ["15 to 19", "*"]]),
    ("age bands", ["20-29"], [["20-29", "*"]]),
    (
        "ICD-10 codes",
        ["A00.1", "A00", "B20", "A001"],
        [
            ["A00", "A00", "A", "*"],
            ["A00.1", "A00", "A", "*"],
            ["A001", "A00", "A", "*"],
            ["B20", "B20", "B", "*"],
        ],
    ),
    (
        "ISO dates",
        ["2024-03-15", "1999-12-31"],
        [
            ["1999-12-31", "1999-12", "1999", "1990s", "*"],
            ["2024-03-15", "2024-03", "2024", "2020s", "*"],
        ],
    ),
    ("dates", ["15.03.2024"], [["15.03.2024", "03.2024", "2024", "2020s", "*"]]),
    (
        "British postcodes",
        ["SW1A 1AA", "M11AE", "EC1A 1BB"],
        [
            ["EC1A 1BB", "EC1A 1", "EC1A", "EC*", "*"],
            ["M11AE", "M1 1", "M1", "M*", "*"],
            ["SW1A 1AA", "SW1A 1", "SW1A", "SW*", "*"],
        ],
    ),
    (
        "Dutch postcodes",
        ["1012 AB", "1013CD"],
        [["1012 AB", "1012", "10**", "*"], ["1013CD", "1013", "10**", "*"]],
    ),
    ("Canadian postcodes", ["K1A 0B1"], [["K1A 0B1", "K1A", "K", "*"]]),
    ("ISO countries", ["DE", "BR"], [["BR", "South America", "*"], ["DE", "Europe", "*"]]),
]


@pytest.mark.parametrize(("name", "values", "rows"), CASES)
def test_a_form_and_what_is_drawn(name, values, rows):
    assert recognize(matching(values), len(values)) is BY_NAME[name]
    assert BY_NAME[name].draw(values) == rows
    parents(rows)


def parents(rows):
    """Every label has one parent, and the top is single."""
    for level in range(len(rows[0]) - 1):
        found = {}
        for row in rows:
            assert found.setdefault(row[level], row[level + 1]) == row[level + 1], rows
    assert {row[-1] for row in rows} == {"*"}


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


def test_bands_that_overlap_nest_all_the_same():
    for values in (
        ["20-30", "30-40", "40-50"],
        ["0-9", "0-99", "5-14"],
        ["1-2", "1-2 ", "9+", "5+"],
    ):
        rows = BY_NAME["age bands"].draw([fromkey.strip() for fromkey in dict.fromkeys(values)])
        parents(rows)


def test_expressions_keep_to_what_all_engines_know():
    for item in FORMS:
        assert "\\" not in item.expression and "(?" not in item.expression
        assert item.expression[0] == "^" and item.expression[-1] == "$"
        re.compile(item.expression)


def test_all_countries_have_a_continent():
    assert len(CONTINENT) == 249
    assert all(re.fullmatch("[A-Z]{2}", item) for item in CONTINENT)


def test_files_are_read_as_they_were_written_and_by_their_owner_alone(tmp_path):
    rows = [['a "b"', "x;y", "*"], ["ü, é", "x;y", "*"], [" c ", "z", "*"]]
    made = drawn_files.write({'a/b "c"\n': rows, "a_b c": rows, "…": rows}, tmp_path)
    assert [item.name for item in made.values()] == [
        *("hierarchy_a_b_c.csv", "hierarchy_a_b_c_2.csv", "hierarchy_column.csv")
    ]
    for path in made.values():
        assert path.stat().st_mode & 0o777 == 0o600
        assert read(FileHierarchy(path=str(path)), "here", tmp_path.joinpath) == rows
