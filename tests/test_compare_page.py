"""The page of a comparison: its charts have the numbers of the document."""

import json

import pytest

import anonsql
from anonsql.features.compare import charts as drawn
from anonsql.features.compare.described import describe
from anonsql.features.compare.document import CompareLine
from anonsql.features.measure.document import QueryError

from .support import make_source
from .test_compare import random_rows, write
from .test_measure import TYPES


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    make_source(folder, TYPES, random_rows(1))
    return folder


@pytest.fixture(scope="module")
def report(here):
    """A comparison with its page, in which one policy is not met."""
    paths = [
        write(here, "levels"),
        write(here, "parts", method={"type": "mondrian"}),
        write(here, "none", k=10**6),
    ]
    return anonsql.compare(paths, queries=40, html=here / "compare.html")


def test_the_page_changes_no_figure(here, report):
    plain = anonsql.compare([here / "levels.yaml", here / "parts.yaml"], queries=40)
    for one, other in zip(plain.policies, report.policies, strict=False):
        assert (one.error, one.penalties) == (other.error, other.penalties)
        assert one.gcp == pytest.approx(sum(one.penalties.values()) / len(one.penalties))
    assert report.policies[2].status == "not met"


def line(name, median, gcp, risk, **more):
    error = QueryError(mean=median, median=median, ninetieth=2 * median, empty=0)
    given = {
        "status": "met",
        "reason": None,
        "method": "mondrian",
        "settings": "",
        "k": 5,
        "promises": {},
        "suppression_limit": 0.0,
        "seconds": 1.0,
    }
    return CompareLine.model_validate(
        given | {"policy": name, "error": error, "gcp": gcp, "risk": risk} | more
    )


LINES = [
    line("one", 0.3, 0.2, 0.2, penalties={"age": 0.1, "zip": 0.3}),
    line("two", 0.1, 0.4, 0.05, penalties={"age": 0.8, "zip": 0.0}),
]


def test_the_planes_have_the_figures_of_the_policies():
    error, loss = drawn.planes(LINES)
    assert [
        (value["policy"], value["risk"], value["value"]) for value in error.spec["data"]["values"]
    ] == [
        ("one", 0.2, 0.3),
        ("two", 0.05, 0.1),
    ]
    assert [item["value"] for item in loss.spec["data"]["values"]] == [0.2, 0.4]
    assert "two is lowest, at 10 % with a highest risk of 5 %" in error.says
    assert "one is highest, at 30 %" in error.says
    assert error.figures.rows[0] == ["two", 5, 10]
    assert "one is lowest" in loss.says
    assert drawn.planes([line("rings", 0.1, None, None)]) == []


def test_the_loss_of_every_column_is_a_table():
    found = drawn.by_column([*LINES, line("three", 0.1, 0.1, 0.1, penalties={"age": 0.5})])
    assert found.headings == ["column", "one", "two", "three"]
    assert found.rows == [["age", "10 %", "80 %", "50 %"], ["zip", "30 %", "0 %", "–"]]
    assert drawn.by_column([line("none", 0.1, 0.1, 0.1)]) is None


def test_no_list_to_sort_by_holds_names(report):
    """Vega-Lite writes such a list into an expression, in which some characters of names are
    errors."""
    met = [policy for policy in report.policies if policy.status == "met"]
    assert '"sort"' not in json.dumps([chart.spec for chart in drawn.planes(met)])


def test_the_page_says_what_is_not_met(here, report):
    text = (here / "compare.html").read_text(encoding="utf-8")
    assert (here / "compare.html").stat().st_mode & 0o777 == 0o600
    assert "2 of 3 policies were finished and keep their promise" in text
    assert report.policies[2].status in text and "fewer than k=1000000" in text
    nothing = describe(report.model_copy(update={"policies": report.policies[2:]}))
    assert "0 of 1 policies were finished and keep" in nothing[0].text
