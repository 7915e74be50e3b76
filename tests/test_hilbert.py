"""The Hilbert order against the curve's definition, the partition against all partitions, the
release against both."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.methods.groups import Cells
from anonsql.methods.hilbert import method as hilbert
from anonsql.methods.hilbert.line_partition import Line
from anonsql.policy.policy import Policy

from .examples import searches
from .support import (
    ADULT,
    adult_policy,
    job,
    make_numbered,
    make_table,
    needs_data,
    policy_data,
    policy_in,
    rows_of,
)


def along(point, bits):
    """The place of a point on the Hilbert curve, bit by bit on whole numbers, after Skilling
    (2004)."""
    x = list(point)
    for level in range(bits - 1, 0, -1):
        low = (1 << level) - 1
        for i in range(len(x)):
            if x[i] >> level & 1:
                x[0] ^= low
            else:
                exchanged = (x[0] ^ x[i]) & low
                x[0] ^= exchanged
                x[i] ^= exchanged
    for i in range(1, len(x)):
        x[i] ^= x[i - 1]
    turned = 0
    for level in range(bits - 1, 0, -1):
        if x[-1] >> level & 1:
            turned ^= (1 << level) - 1
    x = [item ^ turned for item in x]
    return int(
        "".join(str(entry >> level & 1) for level in range(bits - 1, -1, -1) for entry in x), 2
    )


@pytest.mark.parametrize(("columns", "bits"), [(1, 3), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2)])
def test_the_oracle_is_a_hilbert_curve(columns, bits):
    """Neighbours on it are neighbours in space, and every aligned cube is passed in one go."""
    points = sorted(
        itertools.product(range(1 << bits), repeat=columns), key=lambda point: along(point, bits)
    )
    assert all(
        sum(abs(a - b) for a, b in zip(one, other)) == 1
        for one, other in itertools.pairwise(points)
    )
    for level in range(1, bits):
        cubes = [tuple(x >> level for x in point) for point in points]
        assert len([cube for cube, _ in itertools.groupby(cubes)]) == 1 << (bits - level) * columns


def policy_of(folder, rows, k, kinds, **method):
    columns = {**dict.fromkeys(make_numbered(folder, kinds, rows), "qi"), "id": "insensitive"}
    return policy_in(folder, columns, k=k, method={"type": "hilbert", **method})


def ranked(values):
    """The place of each value from 0: NULL first, then by value."""
    return {
        value: place
        for place, value in enumerate(
            sorted(set(values), key=lambda value: (value is not None, value or 0))
        )
    }


def curve(rows):
    """The distinct rows in Hilbert order with their numbers, and their places in each column."""
    places = [ranked(column) for column in zip(*rows)]
    bits = max(1, (max(map(len, places)) - 1).bit_length())
    points = {row: tuple(place[value] for place, value in zip(places, row)) for row in rows}
    counts = Counter(rows)
    order = sorted(counts, key=lambda row: along(points[row], bits))
    return [(row, counts[row]) for row in order], points, [len(place) for place in places]


@st.composite
def tables(draw, columns, most, distinct=6):
    value = (
        st.one_of(st.integers(0, distinct), st.none())
        if draw(st.booleans())
        else st.integers(0, distinct)
    )
    return draw(st.lists(st.tuples(*[value] * columns), min_size=4, max_size=most))


@searches
@given(st.data(), st.sampled_from([1, 2, 3, 4, 7]))
def test_cells_lie_along_the_curve(tmp_path_factory, data, columns):
    rows = data.draw(tables(columns, 40, distinct=12))
    folder = tmp_path_factory.mktemp("curve")
    stages = (*pipeline.OPEN, *pipeline.CHOOSE[:-1])
    with job(policy_of(folder, rows, 2, ["INTEGER"] * columns), folder, stages) as made:
        items = hilbert.lay_out(
            Cells(made.engine, made.schema.star, made.schema.nodes.sets.promise, 0)
        )
        columns_of = ", ".join(f"p{attribute.index} - 1" for attribute in made.counted.attributes)
        found = made.engine._connection.execute(
            f"SELECT {columns_of}, n FROM items ORDER BY item"
        ).fetchall()
    order, points, _ = curve(rows)
    assert found == [(*points[row], count) for row, count in order]
    assert items.sizes.tolist() == [count for _, count in order] and items.depths.tolist() == [
        1
    ] * len(order)


def lost_by(cells):
    """Of groups from one cell to another, what a row loses; cells are tuples of places."""
    sizes = [max(column) + 1 for column in zip(*cells)]

    def lost(first, last):
        spans = [max(column) - min(column) for column in zip(*cells[first : last + 1])]
        return sum(span / max(size - 1, 1) for span, size in zip(spans, sizes))

    return lost


def cheapest(counts, k, lost):
    """The least loss of all partitions into groups of k to 2k - 1 neighbours, row by row."""
    cell_of = [cell for cell, count in enumerate(counts) for _ in range(count)]
    best = {0: 0.0}
    for row in range(1, len(cell_of) + 1):
        before = [
            best[row - size] + size * lost(cell_of[row - size], cell_of[row - 1])
            for size in range(k, 2 * k)
            if row - size in best
        ]
        if before:
            best[row] = min(before)
    return best[len(cell_of)]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 5), st.integers(1, 9))
def test_the_partition_is_the_best_of_all(data, k, most):
    counts = data.draw(
        st.lists(st.one_of(st.integers(1, 3), st.integers(1, 6 * k)), min_size=1, max_size=12)
    )
    if sum(counts) < k:
        counts[0] += k
    cells = [(cell * 7 % 5, cell * 3 % 4, cell % 2) for cell in range(len(counts))]
    lost, line = lost_by(cells), Line(np.array(counts), k)
    pairs = line.pairs

    def penalties():
        for after, upto in line.portions(most):
            yield np.array(
                [
                    lost(first, last)
                    for last in range(after, upto)
                    for first in range(int(line._upto[last]), int(line._from[last]) - 1, -1)
                    if pairs[last]
                ]
            )

    starts = line.cut(penalties())
    cell_of = [cell for cell, count in enumerate(counts) for _ in range(count)]
    ends = [*(start - 1 for start in starts[1:]), len(cell_of)]
    assert starts[0] == 1 and all(
        end - start + 1 >= k and (end - start + 1 < 2 * k or cell_of[start - 1] == cell_of[end - 1])
        for start, end in zip(starts, ends)
    )
    total = sum(
        (end - start + 1) * lost(cell_of[start - 1], cell_of[end - 1])
        for start, end in zip(starts, ends)
    )
    assert total == pytest.approx(cheapest(counts, k, lost))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.integers(2, 4), st.sampled_from(["set", "range"]))
def test_a_release_is_of_the_best_groups(tmp_path_factory, data, k, representation):
    rows = data.draw(tables(2, 30))
    folder = tmp_path_factory.mktemp("release")
    policy = policy_of(folder, rows, k, ["INTEGER"] * 2, representation=representation)
    report = anonsql.run(policy)
    order, points, sizes = curve(rows)
    nulls = [any(value is None for value in column) for column in zip(*rows)]
    at = [points[row] for row, _ in order]

    def lost(first, last):
        total = 0.0
        for column, size in enumerate(sizes):
            found = [point[column] for point in at[first : last + 1]]
            whole = representation == "range" and nulls[column] and min(found) == 0 < max(found)
            total += (size - 1 if whole else max(found) - min(found)) / max(size - 1, 1)
        return total

    released = rows_of(folder / "release.duckdb", "SELECT id, c0, c1 FROM r")
    assert len(released) == len(rows) and report.suppressed == 0
    classes = {}
    for number, *labels in released:
        classes.setdefault(tuple(labels), []).append(rows[number])
    assert min(map(len, classes.values())) == report.min_class >= k
    for labels, members in classes.items():
        for column, label in enumerate(labels):
            values = {row[column] for row in members}
            known = sorted(value for value in values if value is not None)
            if len(values) == 1:
                assert label == (None if None in values else str(known[0]))
            elif representation == "set":
                assert (
                    label
                    == "{"
                    + ", ".join(["NULL"] * (None in values) + [str(value) for value in known])
                    + "}"
                )
            else:
                assert label == ("*" if None in values else f"[{known[0]},{known[-1]}]")
    if representation == "range":  # what is released is what was to be as small as can be
        assert report.metrics["gcp"] * 2 * len(rows) == pytest.approx(
            cheapest([count for _, count in order], k, lost)
        )
    else:
        assert (
            report.metrics["gcp"] * 2 * len(rows)
            <= cheapest([count for _, count in order], k, lost) + 1e-9
        )
    assert report.verified


def test_names_lie_as_their_hierarchy_has_them(tmp_path):
    sizes = ["tiny", "small", "big", "huge"]
    make_table(
        tmp_path / "source.duckdb",
        {"size": "VARCHAR", "n": "INTEGER"},
        [(size, 1) for size in sizes for _ in range(2)],
    )
    columns = {
        "size": {"type": "order", "levels": [{"little": sizes[:2], "large": sizes[2:]}]},
        "n": {"role": "qi"},
    }
    for representation, expected in [
        ("set", ["{small, tiny}", "{big, huge}"]),
        ("range", ["tiny … small", "big … huge"]),
    ]:
        method = {"type": "hilbert", "representation": representation}
        anonsql.run(Policy.parse(policy_data(columns, k=4, method=method), tmp_path))
        assert Counter(rows_of(tmp_path / "release.duckdb", "SELECT size FROM r")) == {
            (item,): 4 for item in expected
        }


def test_many_rows_that_are_alike_are_put_back(tmp_path):
    """Both neighbours need a row of the many; the others of them are a class as they are."""
    rows = [(0,)] + [(1,)] * 500 + [(2,)]
    report = anonsql.run(policy_of(tmp_path, rows, 2, ["INTEGER"]))
    assert report.classes == 3
    assert Counter(rows_of(tmp_path / "release.duckdb", "SELECT c0 FROM r")) == {
        ("{0, 1}",): 2,
        ("1",): 498,
        ("{1, 2}",): 2,
    }


def test_a_wrong_portion_is_not_published(tmp_path):
    policy = policy_of(tmp_path, [(n,) for n in range(8)], 4, ["INTEGER"], representation="range")
    position = pipeline.RUN.index(pipeline.stage)
    with job(policy, tmp_path, pipeline.RUN[:position]) as made:
        made.engine._connection.execute(
            "UPDATE assigned SET grp = 1 - grp WHERE first = 1 AND c1 IN (1, 8)"
        )
        with pytest.raises(VerificationError, match="8 values of 'c0' are outside their labels"):
            pipeline.go_through(made, pipeline.RUN[position:])


@pytest.mark.parametrize(
    ("columns", "more", "message"),
    [
        (
            {"a": {"role": "qi", "max_level": 1}},
            {},
            r"columns\.a: min_level and max_level have no effect with hilbert",
        ),
        (
            {"a": {"role": "qi"}, "s": "sensitive"},
            {"t_closeness": {"s": 0.2}},
            r"method\.type: hilbert promises k and .*, not t_closeness",
        ),
        ({"a": {"role": "qi"}, "s": "sensitive"}, {"alpha_k": {"s": 0.5}}, r"not alpha_k"),
        (
            {"a": {"role": "qi"}, "s": "sensitive"},
            {"l_diversity": {"s": {"l": 2, "type": "recursive", "c": 1}}},
            r"not recursive l_diversity \(of s\)",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(columns, more, message):
    data = policy_data(columns, method={"type": "hilbert"}, privacy=more)
    with pytest.raises(PolicyError, match=message):
        Policy.parse(data)


@needs_data
def test_sets_of_adult_lose_less_than_intervals(tmp_path):
    lost = {}
    for representation in ("set", "range"):
        report = anonsql.run(
            adult_policy(
                tmp_path,
                ADULT[:4],
                10,
                method={"type": "hilbert", "representation": representation},
            )
        )
        assert report.min_class >= 10 and report.suppressed == 0
        lost[representation] = report.metrics["gcp"]
    assert lost["set"] < lost["range"] < 0.1
