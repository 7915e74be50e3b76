"""Ring generalization: what is released against naive Python, who it could be by counting, what
verification refuses."""

import datetime as dt
import hashlib
import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.methods.groups import Cells
from anonsql.methods.ring.method import RingMethod
from anonsql.methods.windows import lexicographic, windows
from anonsql.methods.windows.lexicographic import Items
from anonsql.policy.policy import Policy

from .examples import whole_jobs
from .support import (
    job,
    make_numbered,
    make_source,
    policy_data,
    policy_in,
    released_rows,
    tree_file,
)
from .test_mondrian import KINDS, element, text, typed_tables


def ring_policy(folder, types, rows, k, privacy=(), **method):
    """A policy over the rows; a kept column ``id`` tells each one's number."""
    columns = {**dict.fromkeys(make_numbered(folder, types, rows), "qi"), "id": "insensitive"}
    return policy_in(folder, columns, k=k, method={"type": "ring", **method}, privacy=privacy)


def key(kind, value):
    """Where a value stands in lexicographic order: NULL first, text by its bytes."""
    if isinstance(value, bool):
        return (
            True,
            hashlib.md5(text(kind, value).encode()).hexdigest(),
        )  # neither is before the other; this is how they are coded
    return (value is not None, value.encode() if isinstance(value, str) else value)


def in_order(types, rows):
    """The columns by their number of values, and the rows' numbers in lexicographic order."""
    columns = sorted(
        range(len(types)), key=lambda column: (len({row[column] for row in rows}), column)
    )
    keys = [tuple(key(types[column], row[column]) for column in columns) for row in rows]
    return columns, sorted(range(len(rows)), key=lambda number: keys[number])


def parts_of(types, rows, k):
    """The partitions as lists of rows (their values), each with its window, by the product's own
    cutting of naive counts."""
    columns, order = in_order(types, rows)
    items = []
    for number in order:
        if items and rows[items[-1][0]] == rows[number]:
            items[-1].append(number)
        else:
            items.append([number])
    depths = [1]
    for before, after in itertools.pairwise(items):
        depths.append(
            next(
                d for d, c in enumerate(columns, start=1) if rows[before[0]][c] != rows[after[0]][c]
            )
        )
    found = lexicographic.partition(
        Items(np.array([len(entry) for entry in items]), np.array(depths)), k
    )
    parts = defaultdict(list)
    for part, item, n in zip(found.part, found.item, found.n):
        parts[part] += [rows[items[item][0]]] * n
    return [(parts[part], found.windows[part]) for part in parts]


def set_of(kind, values):
    """The released set of values."""
    found = set(values)
    if len(found) == 1:
        return text(kind, found.pop())
    if KINDS[kind][1]:
        words = [text(kind, value) for value in sorted(found, key=lambda entry: key(kind, entry))]
    else:
        words = sorted(
            (text(kind, value) for value in found),
            key=lambda item: (item is not None, (item or "").encode()),
        )
    return "{" + ", ".join(map(element, words)) + "}"


def range_of(kind, values, words):
    """The released interval of values; ``words`` are the column's in order."""
    found = set(values)
    if len(found) == 1:
        return text(kind, found.pop())
    if None in found:
        return "*"
    if KINDS[kind][1]:
        return f"[{text(kind, min(found))},{text(kind, max(found))}]"
    ordered = sorted(found, key=words.index)
    return f"{text(kind, ordered[0])} … {text(kind, ordered[-1])}"


@whole_jobs
@given(typed_tables(), st.integers(2, 5), st.sampled_from(["set", "set", "range", "homogeneous"]))
def test_released_are_the_windows_of_the_rings(tmp_path_factory, table, k, how):
    """Every ring position is released once, by the values of its k members; the paper's Fig. 5."""
    types, rows = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("ring")
    method = {"type": "homogeneous"} if how == "homogeneous" else {"representation": how}
    policy = ring_policy(folder, types, rows, k, **method)
    report = anonsql.run(policy)
    expected, parts = Counter(), parts_of(types, rows, k)
    words = [
        sorted({row[column] for row in rows}, key=lambda item: key(kind, item))
        for column, kind in enumerate(types)
    ]
    for part, window in parts:
        span = len(part) if how == "homogeneous" else window
        for start in range(len(part)):
            members = [part[(start + step) % len(part)] for step in range(span)]
            columns = [[member[column] for member in members] for column in range(len(types))]
            if how == "range":
                expected[
                    tuple(
                        range_of(kind, values, words[n])
                        for n, (kind, values) in enumerate(zip(types, columns))
                    )
                ] += 1
            else:
                expected[tuple(map(set_of, types, columns))] += 1
    names = ", ".join(f"c{number}" for number in range(len(types)))
    found = released_rows(folder, f"SELECT {names}, id FROM r")
    assert Counter(row[:-1] for row in found) == expected
    assert sorted(row[-1] for row in found) == list(range(len(rows)))
    assert all(
        covers(rows[row[-1]][column], row[column], kind)
        for row in found
        for column, kind in enumerate(types)
        if how == "set"
    )
    if how != "homogeneous":
        assert report.classes == len(parts)
        assert k <= report.min_class <= len(rows)
    assert anonsql.verify(policy).min_class >= k


@pytest.mark.parametrize("values", [11, 12, 60, 61, 130, 260])
def test_sets_of_columns_with_many_values(tmp_path, values):
    """Sets are put into words by pieces of twelve values, five pieces to a whole number; of columns
    with more than 240 values one by one."""
    places = [(n * 37 % values, n * 53 % values) for n in range(3 * values)]
    rows = [(first or None, f"w{second}, {second % 7}") for first, second in places]
    types, k = ["INTEGER", "VARCHAR"], 7
    policy = ring_policy(tmp_path, types, rows, k)
    anonsql.run(policy)
    expected = Counter()
    for part, window in parts_of(types, rows, k):
        for start in range(len(part)):
            members = [part[(start + step) % len(part)] for step in range(window)]
            expected[tuple(map(set_of, types, zip(*members, strict=True)))] += 1
    found = released_rows(tmp_path, "SELECT c0, c1, c0_lo, c0_hi FROM r")
    assert Counter(row[:2] for row in found) == expected
    for label, _, low, high in found:
        words = (label or "NULL").strip("{}").split(", ")
        ends = (None, None) if "NULL" in words else (min(map(int, words)), max(map(int, words)))
        assert (low, high) == ends
    assert anonsql.verify(policy, against_source=True).min_class >= k


def test_rings_laid_out_some_at_a_time(tmp_path, monkeypatch):
    """However many rings are laid out at once, the same is released and proved."""
    rows = [(n % 13, n % 5, n % 3) for n in range(90)]
    found = []
    for at_once in (1 << 23, 1, 25):
        monkeypatch.setattr("anonsql.methods.windows.windows.ROWS", at_once)
        monkeypatch.setattr("anonsql.verification.source._MATCHES", at_once)
        folder = tmp_path / str(at_once)
        folder.mkdir()
        anonsql.run(ring_policy(folder, ["INTEGER"] * 3, rows, 4))
        found.append(Counter(released_rows(folder, "SELECT c0, c1, c2 FROM r")))
    assert found[0] == found[1] == found[2] and len(found[0]) > 40


def covers(value, released, kind):
    """Whether a released set holds a value."""
    if released is None or not released.startswith("{") or released == text(kind, value):
        return released == text(kind, value)
    return f", {element(text(kind, value))}," in f", {released[1:-1]},"


def test_ancestors(tmp_path):
    """The lowest node above the values of a window; * where only that is."""
    tree = tree_file(
        tmp_path / "h" / "job.csv",
        [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")],
    )
    make_source(
        tmp_path,
        {"job": "VARCHAR", "id": "INTEGER"},
        [(letter, n) for n, letter in enumerate("aabbbccdd")],
    )
    data = policy_data(
        {"job": tree, "id": "insensitive"},
        k=3,
        method={"type": "ring", "representation": "ancestor"},
    )
    report = anonsql.run(Policy.parse(data, tmp_path))
    released = dict(released_rows(tmp_path, "SELECT id, job FROM r"))
    assert set(released.values()) <= {"b", "ab", "cd", "*"}
    for number, value in enumerate("aabbbccdd"):
        assert released[number] in (value, "ab" if value in "ab" else "cd", "*")
    assert report.metrics["gcp"] == pytest.approx(
        sum({"a": 0, "b": 0, "ab": 1 / 3, "cd": 1 / 3, "*": 1}[item] for item in released.values())
        / 9
    )


def test_ancestors_need_hierarchies(tmp_path):
    data = policy_data({"job": "qi"}, k=2, method={"type": "ring", "representation": "ancestor"})
    with pytest.raises(PolicyError, match="hierarchy"):
        Policy.parse(data, tmp_path)


def test_bounds_are_those_of_the_set(tmp_path):
    rows = [(n, dt.date(2020, 1, 1) + dt.timedelta(n)) for n in (1, 1, 2, 3, 5, 8, 13)] + [
        (None, None)
    ]
    anonsql.run(ring_policy(tmp_path, ["INTEGER", "DATE"], rows, 3))
    for label, low, high, number in released_rows(tmp_path, "SELECT c0, c0_lo, c0_hi, id FROM r"):
        if "NULL" in (label or "NULL"):
            assert low is None and high is None
        else:
            values = [int(word) for word in label.strip("{}").split(", ")]
            assert (low, high) == (min(values), max(values)) and low <= rows[number][0] <= high


def test_sets_as_arrays(tmp_path):
    rows = [("a, b", 1), ("NULL", 2), (None, 3), ("x", 4), ("x", 5)]
    policy = ring_policy(tmp_path, ["VARCHAR", "INTEGER"], rows, 3, sets="array")
    anonsql.run(policy)
    found = released_rows(tmp_path, "SELECT c0, c1, c1_lo, c1_hi, id FROM r")
    for words, numbers, low, high, number in found:
        assert rows[number][0] in words and str(rows[number][1]) in numbers
        assert len(set(words)) == len(words)
        assert (low, high) == (min(map(int, numbers)), max(map(int, numbers)))
    assert released_rows(tmp_path, "SELECT DISTINCT typeof(c0) FROM r") == [("VARCHAR[]",)]
    assert anonsql.verify(policy).released == 5


def test_homogeneous_sets_as_arrays(tmp_path):
    policy = ring_policy(
        tmp_path, ["INTEGER"], [(n,) for n in range(6)], 2, type="homogeneous", sets="array"
    )
    report = anonsql.run(policy)
    assert {tuple(row[0]) for row in released_rows(tmp_path, "SELECT c0 FROM r")} == {
        ("0", "1"),
        ("2", "3"),
        ("4", "5"),
    }
    assert anonsql.verify(policy, against_source=True).min_class == report.min_class == 2
    assert anonsql.check(policy).lattice is None


def test_every_match_is_as_likely_as_any_other(tmp_path):
    """The whole way to the released rows, again and again: five rows, k=3, so that every row is
    released as each of the three windows that hold it with probability 1/3, whoever knows the
    algorithm."""
    policy = ring_policy(tmp_path, ["INTEGER"], [(n,) for n in range(5)], 3)
    runs, matches = 180, Counter()
    with job(policy, tmp_path / "work", (*pipeline.OPEN[1:], *pipeline.CHOOSE)) as made:
        cells = Cells(made.engine, made.schema.star, made.schema.nodes.sets.promise, 0)
        for _ in range(runs):
            for table in (
                "members",
                "windows",
                "portions",
                "rings",
                "items",
                "places",
                "assigned",
                "groups",
                "lengths",
                "nodes",
            ):
                made.engine.drop(table)
            RingMethod(policy.method).group(cells)
            for code, grp in _assigned(made):
                matches[code, grp] += 1
    assert len(matches) == 15
    error = math.sqrt(1 / 3 * 2 / 3 / runs)
    assert all(abs(count / runs - 1 / 3) < 5 * error for count in matches.values())


def _assigned(made):
    """Which value each row is released as."""
    connection = made.engine._connection
    return connection.execute(
        "SELECT p.c1, g.v1 FROM assigned AS p JOIN groups AS g ON g.grp = p.grp"
    ).fetchall()


def test_rows_that_are_alike_take_turns(tmp_path):
    """Rows of one cell are divided by chance: which of them is released wider is another one in
    other runs."""
    rows = [(1,)] * 6 + [(2,)]
    seen = set()
    for turn in range(8):
        folder = tmp_path / str(turn)
        folder.mkdir()
        anonsql.run(ring_policy(folder, ["INTEGER"], rows, 3))
        seen |= {number for (number,) in released_rows(folder, "SELECT id FROM r WHERE c0 <> '1'")}
    assert len(seen) > 3


def test_a_seed_repeats_and_is_told(tmp_path):
    rows = [(n % 7, n % 3) for n in range(40)]
    releases = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        policy = ring_policy(folder, ["INTEGER", "INTEGER"], rows, 4, seed=12345)
        with job(policy, folder / "work", (*pipeline.OPEN[1:], *pipeline.CHOOSE)) as made:
            releases.append(sorted(_assigned(made)))
    assert releases[0] == releases[1]
    anonsql.run(policy)
    about = dict(released_rows(folder, "SELECT * FROM r__about"))
    assert about["seeded"] == "yes" and "12345" not in str(about)
    anonsql.run(ring_policy_again(policy, folder))
    assert "seeded" not in dict(released_rows(folder, "SELECT * FROM r__about"))


def ring_policy_again(policy, folder):
    """The same policy without the seed."""
    data = policy_data(
        {"c0": "qi", "c1": "qi", "id": "insensitive"}, k=policy.privacy.k, method={"type": "ring"}
    )
    return Policy.parse(data, folder)


@pytest.mark.parametrize("rows", [1, 2])
def test_fewer_rows_than_k_are_refused(tmp_path, rows):
    with pytest.raises(PrivacyError, match=f"{rows} rows?, fewer than k=3"):
        anonsql.run(ring_policy(tmp_path, ["INTEGER"], [(n,) for n in range(rows)], 3))
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.parametrize(
    ("privacy", "words"),
    [
        ({"t_closeness": {"d": 0.2}}, "t_closeness"),
        ({"alpha_k": {"d": 0.5}}, "alpha_k"),
        ({"l_diversity": {"d": {"l": 2, "type": "recursive", "c": 1}}}, "recursive l_diversity"),
    ],
)
def test_what_rings_do_not_promise_is_refused(tmp_path, privacy, words):
    data = policy_data({"c": "qi", "d": "sensitive"}, k=2, method={"type": "ring"}, privacy=privacy)
    with pytest.raises(PolicyError, match=f"not {words}"):
        Policy.parse(data, tmp_path)


@pytest.mark.parametrize(
    ("column", "method", "words"),
    [
        ({"max_level": 1}, {}, "max_level has no effect with ring"),
        ({"min_level": 1}, {"representation": "range"}, "min_level has no effect on ranges"),
        ({}, {"sets": "array", "representation": "range"}, "only sets are arrays"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path, column, method, words):
    each = {"role": "qi", "hierarchy": {"type": "interval", "widths": [5]}, **column}
    with pytest.raises(PolicyError, match=words):
        policy_in(tmp_path, {"c": each}, k=2, method={"type": "ring", **method})


def test_least_levels_are_kept(tmp_path):
    make_source(tmp_path, {"age": "INTEGER"}, [(n,) for n in range(20)])
    column = {"role": "qi", "hierarchy": {"type": "interval", "widths": [4]}, "min_level": 1}
    anonsql.run(policy_in(tmp_path, {"age": column}, k=6, method={"type": "ring"}))
    for label, low, high in released_rows(tmp_path, "SELECT age, age_lo, age_hi FROM r"):
        assert low % 4 == 0 and high % 4 == 3 and label.count("[") in (1, 2, 3)


CORRUPTIONS = {
    "a label that lacks a member": "UPDATE groups SET v1 = '{8, 9}' WHERE v1 LIKE '{%'",
    "bounds that lack a member": "UPDATE groups SET hi1 = hi1 - 1 WHERE v1 LIKE '{%'",
    "bounds of one window that lack a member": (
        "UPDATE groups SET lo1 = lo1 + 1 WHERE grp = (SELECT MAX(grp) FROM groups)"
    ),
    "a window that begins elsewhere": "UPDATE windows SET start = start + 1 WHERE start > 0",
    "a window that ends elsewhere": (
        "UPDATE windows SET last_run = last_run - 1 WHERE last_run > first_run + 1"
    ),
    "a ring of smaller windows": "UPDATE rings SET length = length - 1",
    "a window with a row less": "UPDATE windows SET n = n - 1 WHERE grp = 0",
    "rows released with what does not contain them": "UPDATE assigned SET grp = (grp + 3) % 8",
    "a row that is released twice": "UPDATE assigned SET first = first - 1 WHERE first > 1",
}


@pytest.mark.parametrize("at_once", [1 << 22, 1])
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_what_is_no_ring_is_not_published(tmp_path, monkeypatch, name, at_once):
    """However many windows are looked at together."""
    monkeypatch.setattr("anonsql.verification.source._MATCHES", at_once)
    policy = ring_policy(tmp_path, ["INTEGER"], [(n,) for n in (1, 1, 2, 3, 4, 4, 5, 6, 9)], 5)
    with job(policy, tmp_path / "work", (*pipeline.OPEN[1:], *pipeline.CHOOSE)) as made:
        connection = made.engine._connection
        before = connection.execute(
            "SELECT COUNT(*) FROM (SELECT hash(COLUMNS(*)) FROM windows)"
        ).fetchone()
        assert before[0] > 3
        changed = connection.execute(CORRUPTIONS[name]).fetchone()[0]
        if name == "a row that is released twice":
            connection.execute(
                "UPDATE assigned SET first = 1, last = 2 WHERE c1 = (SELECT MIN(c1) FROM assigned)"
            )
            changed = 1
        assert changed
        with pytest.raises(VerificationError):
            pipeline.go_through(made, pipeline.PROVE)


def test_places_in_a_run_do_not_follow_sensitive_values():
    """Rows that are alike but for a sensitive value stand in the ring in any order: each of the
    four of the first run is the first as often as the others."""
    parts = lexicographic.Parts(
        np.zeros(6, np.int64), np.arange(6), np.ones(6, np.int64), np.array([5])
    )
    random, first = np.random.default_rng(3).bytes, Counter()
    for _ in range(4000):
        rings = windows._Rings.of(
            parts, np.ones(6, bool), np.array([0, 0, 0, 0, 1, 2]), np.array([3]), random
        )
        first[int(rings.segment[0])] += 1
        assert sorted(rings.segment[:4].tolist()) == [0, 1, 2, 3] and rings.segment[
            4:
        ].tolist() == [4, 5]
    assert set(first) == {0, 1, 2, 3} and max(first.values()) < 1000 + 5.5 * 28
