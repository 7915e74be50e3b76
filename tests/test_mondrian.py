"""Mondrian: one round and the end result against naive Python, on random tables with NULLs and
every kind of value."""

import datetime as dt
import math
import random
from collections import Counter, defaultdict
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError

from .examples import whole_jobs
from .support import make_numbered, policy_in, policy_over, released_rows, updated

KINDS = {
    "INTEGER": (st.integers(-9, 9), True),
    "DECIMAL(6,2)": (st.integers(-300, 300).map(lambda n: Decimal(n) / 100), True),
    "DOUBLE": (st.sampled_from([0.1, -2.5, 8.25, 1e9, 3.0]), True),
    "DATE": (st.integers(0, 40).map(lambda n: dt.date(2020, 1, 20) + dt.timedelta(n)), True),
    "TIMESTAMP": (
        st.integers(0, 40).map(lambda n: dt.datetime(2020, 1, 20, 23, 59, 59) + dt.timedelta(n)),
        True,
    ),
    "BOOLEAN": (st.booleans(), False),
    "VARCHAR": (
        st.sampled_from(
            ["a", "b, c", "", " ", "NULL", "{x}", 'say "x"', "new\nline", "ünï", "it's"]
        ),
        False,
    ),
}


@st.composite
def typed_tables(draw):
    """Column types and rows."""
    types = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=4))
    values = [
        st.one_of(st.none(), KINDS[kind][0]) if draw(st.booleans()) else KINDS[kind][0]
        for kind in types
    ]
    return types, draw(st.lists(st.tuples(*values), min_size=2, max_size=40))


def mondrian_policy(folder, types, rows, k, weights=(), **more):
    names = make_numbered(folder, types, rows)
    columns = {**{name: {"type": "suppression"} for name in names}, "id": "insensitive"}
    for name, weight in zip(names, weights, strict=False):
        columns[name] = {"role": "qi", "hierarchy": columns[name], "weight": weight}
    return policy_in(folder, columns, k=k, method={"type": "mondrian", **more})


def element(value):
    """A value in a set, as the documentation says."""
    if value is None:
        return "NULL"
    if (
        value in ("", "NULL")
        or value != value.strip(" ")
        or any(letter in value for letter in ',{}"')
    ):
        return '"' + value.replace('"', '""') + '"'
    return value


def text(kind, value):
    """A value's text on DuckDB."""
    if value is None:
        return None
    if kind == "BOOLEAN":
        return str(value).lower()
    if kind == "DECIMAL(6,2)":
        return f"{value:.2f}"
    if kind == "DOUBLE":
        return f"{value:.12f}".rstrip("0").rstrip(".")
    return str(value)


def label(kind, values):
    """What is released for the values of a group."""
    found = set(values)
    if len(found) == 1:
        return text(kind, found.pop())
    if not KINDS[kind][1]:
        words = sorted(
            (text(kind, value) for value in found),
            key=lambda item: (item is not None, (item or "").encode()),
        )
        return "{" + ", ".join(map(element, words)) + "}"
    return "*" if None in found else f"[{text(kind, min(found))},{text(kind, max(found))}]"


def cuttable(kind, values, k):
    """Whether an order that keeps equal values together can be cut; of values without an order only
    two have a known cut."""
    counts = Counter(values)
    if not KINDS[kind][1] and len(counts) > 2:
        return False
    order = sorted(counts, key=lambda value: (value is not None, value))
    return any(
        sum(counts[item] for item in order[:cut]) >= k
        and sum(counts[entry] for entry in order[cut:]) >= k
        for cut in range(1, len(order))
    )


@whole_jobs
@given(typed_tables(), st.integers(2, 4), st.sampled_from(["strict", "strict", "relaxed"]))
def test_ranges_and_sets(tmp_path_factory, table, k, mode):
    types, rows = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("mondrian")
    policy = mondrian_policy(folder, types, rows, k, mode=mode)
    report = anonsql.run(policy)
    names = ", ".join(f"c{number}" for number in range(len(types)))
    found = {row[-1]: row[:-1] for row in released_rows(folder, f"SELECT {names}, id FROM r")}
    assert set(found) == set(range(len(rows)))
    members = defaultdict(list)
    for number, values in found.items():
        members[values].append(rows[number])
    assert min(map(len, members.values())) == report.min_class >= k
    for values, group in members.items():
        for column, kind in enumerate(types):
            assert values[column] == label(kind, [row[column] for row in group])
            assert mode == "relaxed" or not cuttable(kind, [row[column] for row in group], k)
    if mode == "strict":
        assert all(
            len({found[number] for number, row in enumerate(rows) if row == item}) == 1
            for item in rows
        )
    assert anonsql.verify(policy).classes == len(members) == report.classes


class NaiveMondrian:
    """Mondrian by trying every cut of every part: numbers, which lose by their span, and letters,
    which lose by how many there are; NULL comes first."""

    def __init__(self, kinds, rows, k, weights, median):
        self.kinds, self.k, self.weights, self.median = kinds, k, weights, median
        self.units = [
            self.unit(column, {row[column] for row in rows}) for column in range(len(kinds))
        ]

    def unit(self, column, values):
        known = values - {None}
        if not KINDS[self.kinds[column]][1]:
            return self.weights[column] / max(len(values) - 1, 1)
        span = max(known) - min(known) if known else 0
        return self.weights[column] / (span or 1)

    def lost(self, column, values):
        """What each row loses by the values of its part."""
        if not KINDS[self.kinds[column]][1]:
            return (len(values) - 1) * self.units[column]
        if len(values) == 1:
            return 0
        if None in values:
            return self.weights[column]
        return (max(values) - min(values)) * self.units[column]

    def cuts(self, part, column):
        """Every cut along a column that leaves k rows on both sides: its gain and the sides; by the
        median the one nearest to it."""
        own = sorted(
            {row[column] for row in part}, key=lambda value: (value is not None, value or 0)
        )
        found = []
        for upto in range(1, len(own)):
            low = [row for row in part if row[column] in own[:upto]]
            high = [row for row in part if row[column] in own[upto:]]
            if min(len(low), len(high)) >= self.k:
                gain = self.lost(column, set(own))
                if not self.median:
                    lower, upper = (
                        self.lost(column, set(some)) for some in (own[:upto], own[upto:])
                    )
                    gain -= (len(low) * lower + len(high) * upper) / len(part)
                found.append((math.floor(gain * 1e12 + 0.5), low, high))
        if self.median and found:
            return [min(found, key=lambda cut: abs(len(cut[1]) - len(cut[2])))]
        return found

    def groups(self, part):
        cuts = [cut for column in range(len(self.kinds)) for cut in self.cuts(part, column)]
        if not cuts:
            return [part]
        _, low, high = max(cuts, key=lambda cut: cut[0])  # the first of the greatest
        return self.groups(low) + self.groups(high)


@st.composite
def weighted_tables(draw):
    """Kinds of columns, their weights, and rows."""
    kinds = draw(st.lists(st.sampled_from(["INTEGER", "VARCHAR"]), min_size=1, max_size=3))
    values = {"INTEGER": st.integers(0, 12), "VARCHAR": st.sampled_from("abcde")}
    some = [
        st.one_of(st.none(), values[kind]) if draw(st.booleans()) else values[kind]
        for kind in kinds
    ]
    weights = draw(st.tuples(*[st.sampled_from([0.25, 1.0, 1.0, 2.37, 4.0])] * len(kinds)))
    return kinds, weights, draw(st.lists(st.tuples(*some), min_size=2, max_size=30))


@whole_jobs
@given(weighted_tables(), st.integers(2, 4), st.sampled_from(["loss", "loss", "median"]))
def test_parts_are_cut_where_most_is_shed_by_weight(tmp_path_factory, table, k, cut):
    kinds, weights, rows = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("weighted")
    anonsql.run(mondrian_policy(folder, kinds, rows, k, weights, cut=cut))
    names = ", ".join(f"c{number}" for number in range(len(kinds)))
    expected = Counter()
    for group in NaiveMondrian(kinds, rows, k, weights, cut == "median").groups(rows):
        labels = [label(kind, own) for kind, own in zip(kinds, zip(*group), strict=True)]
        expected[tuple(labels)] += len(group)
    assert Counter(released_rows(folder, f"SELECT {names} FROM r")) == expected


@pytest.mark.parametrize(
    "method",
    [{"type": "mondrian"}, {"type": "mondrian", "values": "hierarchy"}, {"type": "hilbert"}],
    ids=lambda method: method.get("values", method["type"]),
)
def test_the_heavier_of_two_like_columns_is_more_exact(tmp_path, method):
    chance = random.Random(5)
    rows = [(chance.randrange(64), chance.randrange(64)) for _ in range(300)]
    tree = {"type": "interval", "widths": [2, 4, 8, 16, 32]}
    lost = {}
    for heavy in ("x", "y"):
        columns = {
            name: {"role": "qi", "hierarchy": tree, "weight": 6.0 if name == heavy else 1.0}
            for name in ("x", "y")
        }
        types = {"x": "INTEGER", "y": "INTEGER"}
        (tmp_path / heavy).mkdir()
        policy = policy_over(tmp_path / heavy, types, rows, columns, k=5, method=method)
        anonsql.run(policy)
        lost[heavy] = anonsql.measure(policy, queries=5).penalties
    assert lost["x"]["x"] < lost["y"]["x"] and lost["y"]["y"] < lost["x"]["y"]


def test_relaxed_gives_both_sides_half(tmp_path):
    """Six equal rows stand between two others: strict cuts set none of those apart, relaxed ones
    divide the six."""
    rows = [(value,) for value in (1, 5, 5, 5, 5, 5, 5, 9)]
    anonsql.run(mondrian_policy(tmp_path, ["INTEGER"], rows, 4))
    assert Counter(released_rows(tmp_path, "SELECT c0 FROM r")) == {("[1,9]",): 8}
    anonsql.run(
        policy_in(
            tmp_path,
            {"c0": {"type": "suppression"}, "id": "sensitive"},
            k=4,
            method={"type": "mondrian", "mode": "relaxed"},
        )
    )
    assert Counter(released_rows(tmp_path, "SELECT c0 FROM r")) == {
        ("[1,5]",): 4,
        ("[5,9]",): 4,
    }
    assert {row[0] for row in released_rows(tmp_path, "SELECT id FROM r")} == set(range(8))


def test_relaxed_does_not_go_with_nodes(tmp_path):
    with pytest.raises(
        PolicyError, match=r"method.mode: relaxed cannot be combined with `values: hierarchy`"
    ):
        mondrian_policy(tmp_path, ["INTEGER"], [(1,)], 2, mode="relaxed", values="hierarchy")


def test_bounds_can_be_left_out(tmp_path):
    rows = [(n % 7, dt.date(2020, 1, 1) + dt.timedelta(n % 5)) for n in range(30)]
    policy = mondrian_policy(tmp_path, ["INTEGER", "DATE"], rows, 3)
    policy = updated(policy, release={"bounds": False})
    assert anonsql.run(policy).min_class >= 3
    assert [row[0] for row in released_rows(tmp_path, "DESCRIBE r")] == [
        "c0",
        "c1",
        "id",
    ]


@pytest.mark.parametrize(
    ("count", "width", "limit", "labels"),
    [
        (40, 20, "max_level", {"[0,19]", "[20,39]"}),
        (
            60,
            10,
            "min_level",
            {'{"[0,10)", "[10,20)", "[20,30)"}', '{"[30,40)", "[40,50)", "[50,60)"}'},
        ),
    ],
)
def test_limits_of_levels_are_kept(tmp_path, count, width, limit, labels):
    """No interval reaches over two values of the highest level that may be released."""
    hierarchy = {"type": "interval", "widths": [width]}
    columns = {"age": {"role": "qi", "hierarchy": hierarchy, limit: 1}}
    rows = [(n,) for n in range(count)]
    method = {"type": "mondrian"}
    anonsql.run(policy_over(tmp_path, {"age": "INTEGER"}, rows, columns, k=15, method=method))
    assert {age for (age,) in released_rows(tmp_path, "SELECT age FROM r")} == labels


@pytest.mark.parametrize("most", [1, 2])
def test_few_attributes_at_a_time_end_in_the_same_claim(tmp_path, monkeypatch, most):
    """When there are too many cells to try every attribute in every round, the others are tried
    where those fail."""
    monkeypatch.setattr("anonsql.methods.mondrian.method._FEW_CELLS", -1)
    monkeypatch.setattr("anonsql.methods.mondrian.method._WIDEST", most)
    rows = [(n % 11, n % 2 == 0, n % 3 if n < 30 else 7, "x") for n in range(60)]
    anonsql.run(mondrian_policy(tmp_path, ["INTEGER", "BOOLEAN", "INTEGER", "VARCHAR"], rows, 3))
    members = defaultdict(list)
    for *values, number in released_rows(tmp_path, "SELECT c0, c1, c2, c3, id FROM r"):
        members[tuple(values)].append(rows[number])
    kinds = ["INTEGER", "BOOLEAN", "INTEGER", "VARCHAR"]
    assert len(members) > 8
    assert not any(
        cuttable(kind, [row[column] for row in group], 3)
        for group in members.values()
        for column, kind in enumerate(kinds)
    )
