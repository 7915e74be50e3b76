"""Groups without frequent sensitive values along a line and in releases by `hilbert`, against naive
Python."""

import itertools
import os
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.methods.hilbert import line_groups
from anonsql.methods.windows.lexicographic import Items
from anonsql.policy.policy import Policy

from .examples import whole_jobs
from .support import in_file, job, make_table, needs_data, policy_data, rows_of


def items_of(rows, least):
    """Rows (point, value, …) as items: alike ones together, in the order of the line."""
    counts = sorted(Counter(rows).items())
    points = np.array([row[0] for row, _ in counts])
    codes = tuple(
        np.array([row[column] for row, _ in counts]) for column in range(1, len(least) + 1)
    )
    depths = (np.diff(points, prepend=-1) != 0).astype(np.int64)
    return [row for row, _ in counts], Items(
        np.array([n for _, n in counts]), depths, codes, tuple(least)
    )


def need(rows, least, k):
    """How many rows a group of these rows has to have."""
    return max(
        [k]
        + [
            item * max(Counter(row[column] for row in rows).values())
            for column, item in enumerate(least, start=1)
        ]
    )


def groups_of(rows, least, k):
    """The groups that the rows are divided into, as lists of rows."""
    named, items = items_of(rows, least)
    parts = line_groups.divide(items, k)
    assert (np.diff(parts.part) >= 0).all() and (parts.n > 0).all()
    found = defaultdict(list)
    for part, item, n in zip(parts.part.tolist(), parts.item.tolist(), parts.n.tolist()):
        found[part] += [named[item]] * n
    assert sorted(found) == list(range(len(parts.windows)))
    return list(found.values())


@settings(max_examples=50, deadline=None)
@given(st.data(), st.lists(st.integers(2, 4), min_size=1, max_size=2), st.integers(1, 7))
def test_groups_keep_the_promise_and_hold_every_row_once(data, least, k):
    row = st.tuples(st.integers(0, 8), *[st.integers(0, 5)] * len(least))
    rows = data.draw(st.lists(row, min_size=4, max_size=60))
    assume(need(rows, least, k) <= len(rows))
    found = groups_of(rows, least, k)
    assert all(len(group) >= need(group, least, k) for group in found)
    assert Counter(itertools.chain(*found)) == Counter(rows)


def naive_rounds(rows, least):
    """The rounds by their definition, looking at every row again for each: rows are (point,
    value)."""
    rest, rounds = list(rows), []
    while rest:
        counts = Counter(value for _, value in rest)
        chosen = [value for value in counts if counts[value] == len(rest) // least]

        def soonest(value, rest=rest):
            first = min(point for point, item in rest if item == value)
            return first, -rest.count((first, value)), value

        chosen += sorted(counts.keys() - set(chosen), key=soonest)[: max(0, least - len(chosen))]
        rounds.append([min(row for row in rest if row[1] == value) for value in chosen])
        for row in rounds[-1]:
            rest.remove(row)
    return rounds


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 7)), min_size=2, max_size=50),
    st.integers(2, 5),
)
def test_a_stretch_is_dealt_as_told(rows, least):
    assume(need(rows, [least], 1) <= len(rows))
    named, items = items_of(rows, [least])
    dealt = line_groups._rounds(0, np.cumsum(items.depths), items.categories[0], items.sizes, least)
    found = [sorted(named[item] for item in entry) for entry in dealt]
    assert found == [sorted(naive_round) for naive_round in naive_rounds(rows, least)]
    assert all(
        least <= len(element) == len({value for _, value in element}) < 2 * least
        for element in found
    )


def test_points_that_keep_the_promise_stay_whole():
    rows = [(point, value) for point in range(4) for value in range(3) for _ in range(point + 1)]
    assert sorted(map(len, groups_of(rows, [3], 2))) == [3, 6, 9, 12]
    with_a_poor_one = [*rows, (9, 0)]  # only its neighbour takes it in
    assert sorted(
        len({point for point, _ in group}) for group in groups_of(with_a_poor_one, [2], 2)
    )[:3] == [1, 1, 1]


def diverse_policy(folder, rows, k, l_diversity, **method):
    """Two quasi-identifying columns, then sensitive ones s0, s1, … and the row's number."""
    sensitive = [f"s{number}" for number in range(len(rows[0]) - 2)]
    types = {
        "c0": "INTEGER",
        "c1": "INTEGER",
        **dict.fromkeys(sensitive, "VARCHAR"),
        "id": "INTEGER",
    }
    make_table(folder / "source.duckdb", types, [(*row, number) for number, row in enumerate(rows)])
    columns = {"c0": "qi", "c1": "qi", **dict.fromkeys(sensitive, "sensitive"), "id": "insensitive"}
    data = policy_data(columns, k=k, method={"type": "hilbert", **method})
    data["privacy"]["l_diversity"] = l_diversity
    return Policy.parse(data, folder)


def label(values, representation):
    """What is released of a group's values."""
    known = sorted({value for value in values if value is not None})
    if len(set(values)) == 1:
        return None if None in values else str(known[0])
    if representation == "range":
        return "*" if None in values else f"[{known[0]},{known[-1]}]"
    return "{" + ", ".join(["NULL"] * (None in values) + [str(value) for value in known]) + "}"


@whole_jobs
@given(
    st.data(),
    st.integers(1, 4),
    st.sampled_from(["set", "range"]),
    st.sampled_from([(2,), (3,), (1.5,), (2, 2)]),
)
def test_released_classes_are_diverse(tmp_path_factory, data, k, representation, least):
    """Distinct and (fractions) entropy diversity, of one or two columns; every row is in a class of
    labels that tell just its members' values."""
    value = st.one_of(st.none(), st.integers(0, 6))
    row = st.tuples(value, value, *[st.sampled_from(["a", "b", "c", "d", None])] * len(least))
    rows = data.draw(st.lists(row, min_size=4, max_size=40))
    folder = tmp_path_factory.mktemp("diverse")
    asked = {
        f"s{number}": entry if entry == int(entry) else {"l": entry, "type": "entropy"}
        for number, entry in enumerate(least)
    }
    policy = diverse_policy(folder, rows, k, asked, representation=representation)
    rounded = [-(-element // 1) for element in least]
    if any(
        each * max(Counter(row[2 + n] for row in rows).values()) > len(rows)
        for n, each in enumerate(rounded)
    ):
        few = any(len({row[2 + n] for row in rows}) < each for n, each in enumerate(rounded))
        message = (
            r"'s\d' has (one value|\d different values)" if few else r"one value of 's\d' is in \d+"
        )
        with pytest.raises(PrivacyError, match=message):
            anonsql.run(policy)
        return
    report = anonsql.run(policy)
    released = rows_of(folder / "release.duckdb", "SELECT c0, c1, * EXCLUDE (c0, c1) FROM r")
    assert sorted(row[-1] for row in released) == list(range(len(rows))) and report.suppressed == 0
    names = [each[0] for each in rows_of(folder / "release.duckdb", "DESCRIBE r")]
    names = ["c0", "c1"] + [name for name in names if name not in ("c0", "c1")]
    at = [names.index(f"s{number}") for number in range(len(least))]
    classes = defaultdict(list)
    for item in released:
        assert [item[column] for column in at] == list(rows[item[-1]][2:])
        classes[item[:2]].append(rows[item[-1]])
    for labels, members in classes.items():
        assert labels == tuple(
            label([member[column] for member in members], representation) for column in range(2)
        )
        assert all(
            each * max(Counter(row[2 + n] for row in members).values()) <= len(members)
            for n, each in enumerate(rounded)
        )
    assert (
        min(map(len, classes.values())) == report.min_class >= k and len(classes) == report.classes
    )
    assert report.verified


def test_what_spoils_a_group_is_not_published(tmp_path):
    """All rows of one value go to the other group."""
    rows = [(0, 0, "a"), (0, 0, "b")] * 2 + [(1, 0, "c"), (1, 0, "d")]
    policy = diverse_policy(tmp_path, rows, 2, {"s0": 2})
    position = pipeline.RUN.index(pipeline.stage)
    with job(policy, tmp_path / "work", pipeline.RUN[:position]) as made:
        connection = made.engine._connection
        assert connection.execute("SELECT COUNT(DISTINCT grp) FROM assigned").fetchone() == (2,)
        connection.execute(
            "UPDATE assigned SET grp = 1 - grp WHERE x3 = (SELECT MIN(x3) FROM assigned WHERE grp"
            " = 1)"
        )
        with pytest.raises(
            VerificationError,
            match=r"classes with \d rows do not keep l_diversity\.s0 \(distinct 2\)",
        ):
            pipeline.go_through(made, pipeline.RUN[position:])


@needs_data
def test_groups_lose_less_than_those_dealt_at_random(tmp_path):
    """Anatomy puts rows together without a look at their quasi-identifying values."""
    file = Path(os.environ["ANONSQL_DATA"]) / "census" / "census_synth.parquet"
    in_file(
        tmp_path / "source.duckdb",
        f"CREATE TABLE t AS SELECT age, gender, education, occupation FROM read_parquet('{file}')"
        " LIMIT 4000",
    )
    columns = {"age": "qi", "gender": "qi", "education": "qi", "occupation": "sensitive"}
    lost = {}
    for method, measure in [("hilbert", "gcp"), ("anatomy", "group_gcp")]:
        data = policy_data(columns, k=2, method={"type": method})
        data["privacy"]["l_diversity"] = {"occupation": 5}
        lost[method] = anonsql.run(Policy.parse(data, tmp_path)).metrics[measure]
    assert lost["hilbert"] < 0.6 * lost["anatomy"]
