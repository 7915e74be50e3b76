"""Ordered-set partitioning against all partitions of small random tables."""

import itertools
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs import pipeline, publishing
from anonsql.methods.ordered_partition.cuts import Cuts
from anonsql.methods.ordered_partition.method import find
from anonsql.methods.refinement import WHOLE, Refiner, shares
from anonsql.policy.policy import Policy

from .examples import searches, whole_jobs
from .support import (
    ADULT,
    adult_policy,
    job,
    make_numbered,
    make_source,
    needs_data,
    policy_data,
    policy_in,
    policy_over,
    released_rows,
)


def partitions(values):
    """All ways to cut an ordered domain, NULL (first) alone or with all others."""
    some = [value for value in values if value is not None]
    found = []
    for cuts in itertools.product([False, True], repeat=max(len(some) - 1, 0)):
        parts = [[some[0]]] if some else []
        for value, cut in zip(some[1:], cuts):
            parts = [*parts, [value]] if cut else [*parts[:-1], [*parts[-1], value]]
        found.append([[None], *parts] if None in values else parts)
    if None in values and some:
        found.append([values])
    return found


def width(part, values):
    """The share of the domain's range that a part has, text by its place."""
    some = [value for value in values if value is not None]
    if None in part and len(part) > 1:
        return 1.0
    if len(part) == 1:
        return 0.0
    at = {value: value if isinstance(value, int) else place for place, value in enumerate(some)}
    return (at[part[-1]] - at[part[0]]) / (at[some[-1]] - at[some[0]])


def optimum(rows, weights, k, max_suppressed, measure):
    """The least cost of all partitions, in rows or in pairs of rows; None where none is allowed."""
    domains = [
        sorted({row[i] for row in rows}, key=lambda v: (v is not None, v))
        for i in range(len(weights))
    ]
    best = None
    for choice in itertools.product(*(partitions(domain) for domain in domains)):
        part_of = [
            {value: number for number, part in enumerate(parts) for value in part}
            for parts in choice
        ]
        lost = [[width(part, domain) for part in parts] for parts, domain in zip(choice, domains)]
        classes = Counter(tuple(of[value] for of, value in zip(part_of, row)) for row in rows)
        if sum(size for size in classes.values() if size < k) > max_suppressed:
            continue
        cost = 0.0
        for key, size in classes.items():
            released = sum(
                weight * item[part] for weight, item, part in zip(weights, lost, key)
            ) / sum(weights)
            if measure == "loss":
                cost += size * (released if size >= k else 1.0)
            else:
                cost += size * (size if size >= k else len(rows))
        best = cost if best is None else min(best, cost)
    return best


@st.composite
def tables(draw, columns, most):
    kinds = [draw(st.sampled_from(["INTEGER", "VARCHAR"])) for _ in range(columns)]
    values = [
        draw(
            st.lists(
                (
                    st.integers(-5, 20)
                    if kind == "INTEGER"
                    else st.sampled_from(["a", "B", "é", "it's", "", "z z"])
                ),
                min_size=1,
                max_size=most,
                unique=True,
            )
        )
        for kind in kinds
    ]
    values = [[*value, None] if draw(st.booleans()) else value for value in values]
    rows = draw(
        st.lists(st.tuples(*(st.sampled_from(item) for item in values)), min_size=2, max_size=20)
    )
    weights = [draw(st.sampled_from([1.0, 2.0])) for _ in kinds]
    return kinds, rows, weights


def searched(folder, kinds, rows, weights, k, limit, measure, budget=10_000, resolution=256):
    names = [f"c{number}" for number in range(len(kinds))]
    columns = {
        name: {"role": "qi", "weight": weight, "hierarchy": {"type": "suppression"}}
        for name, weight in zip(names, weights)
    }
    policy = policy_over(folder, dict(zip(names, kinds)), rows, columns, k=k, limit=limit)
    with job(policy, folder, pipeline.SEARCH[:-1]) as done:
        cuts = Cuts(
            Refiner(
                done.engine,
                done.schema.star.attributes,
                done.schema.nodes.sets.promise,
                done.counted.rows,
                measure,
            ),
            resolution,
        )
        cuts.lay_out()
        assert sum(shares(done.schema.star.attributes).values()) == pytest.approx(WHOLE, abs=5)
        return find(cuts, policy.privacy.max_suppressed(done.counted.rows), budget)


@pytest.mark.parametrize("columns", [1, 2, 3])
@searches
@given(
    st.data(),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.sampled_from(["loss", "discernibility"]),
)
def test_the_best_of_all_partitions_is_found(tmp_path_factory, columns, data, k, limit, measure):
    kinds, rows, weights = data.draw(tables(columns, {1: 9, 2: 6, 3: 4}[columns]))
    k = min(k, len(rows))
    best = searched(tmp_path_factory.mktemp("cuts"), kinds, rows, weights, k, limit, measure)
    expected = optimum(rows, weights, k, int(round(limit * 10) * len(rows) // 10), measure)
    assert best.optimal
    unit = WHOLE if measure == "loss" else 1
    assert best.cost / unit == pytest.approx(expected, abs=1e-6)


def test_a_cut_beside_null_is_not_exchanged_for_one_that_needs_it(tmp_path):
    """Taken away, it leaves NULL with all values: no other cut of its column may come in its
    place."""
    rows = [(0, 0), *[(1, 0)] * 5, *[(None, 0)] * 2]
    best = searched(tmp_path, ["INTEGER"] * 2, rows, [1.0, 1.0], 2, 0.0, "loss")
    assert (
        best.optimal
        and best.cost / WHOLE == pytest.approx(optimum(rows, [1.0, 1.0], 2, 0, "loss")) == 3.0
    )


@whole_jobs
@given(st.data(), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
def test_releases_are_disjoint_intervals_that_hold_their_values(tmp_path_factory, data, k, limit):
    kinds, rows, _ = data.draw(tables(2, 6))
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("intervals")
    columns = {**dict.fromkeys(make_numbered(folder, kinds, rows), "qi"), "id": "insensitive"}
    policy = policy_in(folder, columns, k=k, limit=limit, method={"type": "ordered-partition"})
    report = anonsql.run(policy)
    assert report.optimal and report.levels is None and report.min_class >= k
    assert dict(released_rows(folder, "SELECT * FROM r__about"))["optimal"] == "true"
    assert report.verified
    for i, kind in enumerate(kinds):
        bounds = f"c{i}_lo, c{i}_hi" if kind == "INTEGER" else "NULL, NULL"
        made = {
            number: ends
            for number, *ends in released_rows(folder, f"SELECT id, c{i}, {bounds} FROM r")
        }
        of_value = {rows[number][i]: tuple(ends) for number, ends in made.items()}
        assert all(
            tuple(ends) == of_value[rows[number][i]] for number, ends in made.items()
        )  # one recoding for all rows
        for value, (label, low, high) in of_value.items():
            part = sorted(
                other
                for other in of_value
                if other is not None and of_value[other] == (label, low, high)
            )
            if label == "*":
                assert {*of_value.values()} == {("*", None, None)}
            elif value is None:
                assert label is None and not part
            elif kind == "INTEGER":
                assert low <= value <= high and label == (
                    f"[{low},{high}]" if low < high else str(low)
                )
                assert part == [
                    other for other in sorted(of_value.keys() - {None}) if low <= other <= high
                ]
            else:
                first, last = (label, label) if " … " not in label else label.split(" … ")
                assert first.encode() <= value.encode() <= last.encode()


def test_names_follow_the_hierarchy(tmp_path):
    sizes = ["tiny", "small", "big", "huge"]
    make_source(tmp_path, {"size": "VARCHAR"}, [(size,) for size in sizes for _ in range(2)])
    columns = {"size": {"type": "order", "levels": [{"little": sizes[:2], "large": sizes[2:]}]}}
    anonsql.run(policy_in(tmp_path, columns, k=4, method={"type": "ordered-partition"}))
    found = Counter(released_rows(tmp_path, "SELECT size FROM r"))
    assert found == {("tiny … small",): 4, ("big … huge",): 4}


def test_dates_and_fractions_have_bounds(tmp_path):
    rows = [(f"2020-01-{day:02}", day / 4) for day in range(1, 9)]
    anonsql.run(
        policy_over(
            tmp_path,
            {"day": "DATE", "x": "DOUBLE"},
            rows,
            {"day": {"role": "qi"}, "x": {"role": "qi"}},
            k=4,
            method={"type": "ordered-partition"},
        )
    )
    found = Counter(
        released_rows(
            tmp_path, "SELECT day, day_lo::VARCHAR, day_hi::VARCHAR, x, x_lo, x_hi FROM r"
        )
    )
    assert found == {
        ("[2020-01-01,2020-01-04]", "2020-01-01", "2020-01-04", "[0.25,1]", 0.25, 1.0): 4,
        ("[2020-01-05,2020-01-08]", "2020-01-05", "2020-01-08", "[1.25,2]", 1.25, 2.0): 4,
    }


def test_a_budget_or_a_resolution_that_ends_the_search_is_told(tmp_path):
    rows = [
        (a, b, c)
        for a in range(6)
        for b in range(6)
        for c in range(3)
        for _ in range(1 + (a * b + c) % 3)
    ]
    make_source(tmp_path, dict.fromkeys("abc", "INTEGER"), rows)
    columns = {name: {"role": "qi"} for name in "abc"}

    def report(**method):
        return anonsql.run(
            policy_in(tmp_path, columns, k=5, method={"type": "ordered-partition", **method})
        )

    full = report(budget=5000)
    short = report(budget=1)
    assert full.optimal and not short.optimal
    assert short.min_class >= 5 and full.min_class >= 5
    coarse = report(resolution=2)
    assert not coarse.optimal
    for name in "abc":
        assert len(released_rows(tmp_path, f"SELECT DISTINCT {name} FROM r")) <= 2


@pytest.mark.parametrize(
    ("limits", "engine"), [({"seconds": 0.001}, {}), ({}, {"seconds": 1000.0})]
)
def test_time_ends_the_search_and_what_was_found_is_released(tmp_path, limits, engine):
    """Progress is shown for every partition that is judged, while the start is sought too."""
    rows = [(n % 13, n % 7, n % 5) for n in range(300)]
    make_source(tmp_path, dict.fromkeys(("a", "b", "c"), "INTEGER"), rows)
    columns = {name: {"type": "suppression"} for name in ("a", "b", "c")}
    method = {"type": "ordered-partition", "budget": 20, **limits}
    data = {**policy_data(columns, k=3, method=method), "engine": engine}
    seen = []
    report = anonsql.run(
        Policy.parse(data, tmp_path), progress=lambda stage, *counts: seen.append((stage, *counts))
    )
    assert report.verified and report.min_class >= 3
    judged = [done for stage, done, total in seen if stage == "choose" and total]
    assert judged[:1] == [0] and judged == sorted(judged)
    if limits:
        assert len(judged) == 1 and not report.optimal
    else:
        assert len(judged) > 3


def test_no_levels_are_taken():
    with pytest.raises(
        PolicyError,
        match=r"columns\.a: min_level and max_level have no effect with ordered-partition",
    ):
        Policy.parse(
            policy_data({"a": {"role": "qi", "max_level": 1}}, method={"type": "ordered-partition"})
        )


def test_a_wrong_interval_is_not_published(tmp_path, monkeypatch):
    monkeypatch.setattr(publishing, "prove", lambda *_, **__: SimpleNamespace(classes=None))
    make_source(tmp_path, {"a": "INTEGER"}, [(n,) for n in range(8)])
    policy = policy_in(tmp_path, {"a": {"role": "qi"}}, k=4, method={"type": "ordered-partition"})
    position = pipeline.RUN.index(pipeline.stage)
    with job(policy, tmp_path, pipeline.RUN[:position]) as made:
        made.engine._connection.execute(
            "UPDATE groups SET last1 = first1, hi1 = lo1, v1 = CAST(lo1 AS VARCHAR)"
        )
        with pytest.raises(VerificationError, match="6 values of 'a' are outside their labels"):
            pipeline.go_through(made, pipeline.RUN[position:])


@needs_data
@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_adult_loses_less_than_by_levels(tmp_path, limit):
    by_levels = anonsql.run(adult_policy(tmp_path, ADULT[:5], 10, limit))
    method = {"type": "ordered-partition", "budget": 40}
    by_cuts = anonsql.run(adult_policy(tmp_path, ADULT[:5], 10, limit, method=method))
    assert by_cuts.metrics["loss"] < by_levels.metrics["loss"]
    assert by_cuts.min_class >= 10 and by_cuts.suppressed <= 45_222 * limit
