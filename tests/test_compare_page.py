"""The page of a comparison: its charts have the numbers of the document, and the figures by column
and by kind of query are those that brute force gives."""

import json

import pytest

import anonsql
from anonsql.features.compare import charts as drawn
from anonsql.features.compare.described import describe
from anonsql.features.compare.document import CompareLine, WorkloadError
from anonsql.features.measure.document import QueryError
from anonsql.measures.workload import Kind, QueryDomain, by_kind

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


def test_further_queries_change_no_figure(here, report):
    """They are asked for a page alone, and the others are the same with and without."""
    plain = anonsql.compare([here / "levels.yaml", here / "parts.yaml"], queries=40)
    for one, other in zip(plain.policies, report.policies, strict=False):
        assert one.by_workload == [] and one.error == other.error
        assert one.penalties == other.penalties
        assert one.gcp == pytest.approx(sum(one.penalties.values()) / len(one.penalties))
        kinds = [(item.predicates, item.selectivity) for item in other.by_workload]
        assert kinds == [(count, share) for count in (1, 2) for share in (0.01, 0.05, 0.2)]
        assert all(entry.queries == 40 for entry in other.by_workload)
        assert all(0 <= element.median <= element.ninetieth for element in other.by_workload)
    assert report.policies[2].status == "not met" and report.policies[2].by_workload == []


def test_values_released_as_they_are_answer_exactly(tmp_path):
    make_source(tmp_path, TYPES, random_rows(1) * 3)
    exact = write(tmp_path, "exact", method={"levels": {"n": 0, "town": 0}})
    coarse = write(tmp_path, "coarse", method={"levels": {"n": 1, "town": 1}})
    found = anonsql.compare([exact, coarse], queries=5, html=tmp_path / "compare.html").policies
    assert all(item.ninetieth == 0 for item in found[0].by_workload)
    assert all(entry.ninetieth > 0 for entry in found[1].by_workload)
    assert len(found[0].by_workload) == len(found[1].by_workload) == 6


def test_kinds_of_queries():
    domains = [
        QueryDomain(name, size, name != "b") for name, size in zip("abcde", (9, 5, 60, 2, 30))
    ]
    found = by_kind(domains, 40, 0)
    assert {kind.predicates for kind in found} == {1, 2, 3, 4}
    for kind, queries in found.items():
        assert 40 <= len(queries) <= 48
        assert {len(query.conditions) for query in queries} == {kind.predicates}
        assert len({item.columns for item in queries}) <= 8
    assert found == by_kind(domains[::-1], 40, 0) and found != by_kind(domains, 40, 1)
    assert set(by_kind(domains[:1], 4, 0)) == {Kind(1, 0.01), Kind(1, 0.05), Kind(1, 0.2)}


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


def test_the_heat_map_has_the_loss_of_every_column():
    chart = drawn.by_column(LINES)
    cells = {
        (value["policy"], value["column"]): value["loss"] for value in chart.spec["data"]["values"]
    }
    assert cells == {
        ("one", "age"): 0.1,
        ("one", "zip"): 0.3,
        ("two", "age"): 0.8,
        ("two", "zip"): 0,
    }
    assert "age loses most (45 %) and zip least (15 %)" in chart.says
    assert chart.figures.rows == [["age", 10, 80], ["zip", 30, 0]]
    assert drawn.by_column([line("none", 0.1, 0.1, 0.1)]) is None


def test_columns_that_a_policy_lacks_are_left_empty():
    some = [LINES[0], line("three", 0.1, 0.1, 0.1, penalties={"age": 0.5})]
    chart = drawn.by_column(some)
    assert chart.figures.rows == [["age", 10, 50], ["zip", 30, None]]
    assert len(chart.spec["data"]["values"]) == 3


def test_the_errors_have_a_chart_for_each_selectivity():
    kinds = [
        WorkloadError(
            predicates=count, selectivity=share, queries=9, median=count * share, ninetieth=1
        )
        for count in (1, 2)
        for share in (0.05, 0.2)
    ]
    charts = drawn.by_workload([line("one", 0.3, 0.2, 0.2, by_workload=kinds)])
    assert [chart.name for chart in charts] == ["errors-50", "errors-200"]
    points = charts[1].spec["data"]["values"]
    assert [(point["predicates"], point["error"]) for point in points] == [(1, 0.2), (2, 0.4)]
    assert "(one, 1 column), the highest 40 % (one, 2 columns)" in charts[1].says


def test_no_list_to_sort_by_holds_names(report):
    """Vega-Lite writes such a list into an expression, in which some characters of names are
    errors."""
    met = [policy for policy in report.policies if policy.status == "met"]
    charts = [*drawn.planes(met), drawn.by_column(met), *drawn.by_workload(met)]
    assert '"sort"' not in json.dumps([chart.spec for chart in charts])


def test_the_page_says_what_is_not_met(here, report):
    text = (here / "compare.html").read_text(encoding="utf-8")
    assert (here / "compare.html").stat().st_mode & 0o777 == 0o600
    assert "2 of 3 policies were finished and keep their promise" in text
    assert report.policies[2].status in text and "fewer than k=1000000" in text
    nothing = describe(report.model_copy(update={"policies": report.policies[2:]}))
    assert "0 of 1 policies were finished and keep" in nothing[0].text
