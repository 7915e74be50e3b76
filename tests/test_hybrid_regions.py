"""Relocation between Mondrian's regions against a naive account of what was changed, on random
tables with NULLs and every kind of value."""

from collections import Counter, defaultdict
from decimal import Decimal
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from anonsql.methods import groups
from anonsql.methods.groups import Grouped
from anonsql.methods.hybrid import regions as hybrid_regions
from anonsql.methods.hybrid.regions import relocate_regions
from anonsql.methods.hybrid.relocated_groups import RelocatedGroups
from anonsql.methods.hybrid.settings import Hybrid
from anonsql.methods.mondrian import method as mondrian
from anonsql.methods.mondrian.settings import Mondrian

from . import golden_values
from .engines import policy_on, whole_but_on_spark
from .examples import searches
from .support import cells_of, policy_data
from .test_engines import WIDE_TYPES, wide_policy, wide_rows
from .test_mondrian import KINDS, label, mondrian_policy, typed_tables


class Found(NamedTuple):
    """How groups are released, and what was relocated."""

    grouped: Grouped
    relocated: RelocatedGroups


def method(p, **more):
    return Hybrid(recoding="mondrian", p=p, **more)


def read(cells, sql):
    """Rows of the scratch tables, which only tests look at."""
    return cells.engine._connection.execute(sql).fetchall()


def parameters_of(found):
    return {"forms": found.grouped.forms, "split": found.grouped.split, "valued": ()}


def portions(cells, found, columns):
    """(values, group, home, rows) of everything that is assigned, after a look at whether every row
    of every cell is, once."""
    names = ", ".join(f"d{number}.value" for number in range(1, columns + 1))
    codes = ", ".join(f"p.c{number}" for number in range(1, columns + 1))
    joins = " ".join(
        f"JOIN dim_{number} AS d{number} ON d{number}.code = p.c{number}"
        for number in range(1, columns + 1)
    )
    cell = " AND ".join(f"c.c{number} = p.c{number}" for number in range(1, columns + 1))
    ends = "p.first, p.last" if found.grouped.split else "1, c.n"
    rows = read(
        cells,
        f"SELECT {names}, {ends}, c.n, p.grp, p.home FROM assigned AS p {joins} JOIN cells AS c ON"
        f" {cell} ORDER BY {codes}",
    )
    there = defaultdict(list)
    for row in rows:
        first, last, n = row[columns : columns + 3]
        there[row[:columns], n] += range(first, last + 1)
    assert len(there) == read(cells, "SELECT COUNT(*) FROM cells")[0][0]
    assert all(sorted(places) == list(range(1, n + 1)) for (_, n), places in there.items())
    return [(row[:columns], row[-2], row[-1], row[columns + 1] - row[columns] + 1) for row in rows]


def stands(ordered, own, value):
    """Whether what is released of a group's own values stands for one more."""
    if not ordered:
        return value in own
    if None in own:
        return len(own) > 1 or value is None
    return value is not None and min(own) <= value <= max(own)


def naive(types, assigned):
    """Rows of which a cell changed, and changed cells of each column, by the definition: a group is
    released as the cells that come from it."""
    own = defaultdict(lambda: [set() for _ in types])
    for values, _, home, _ in assigned:
        for column, value in enumerate(values):
            own[home][column].add(value)
    moved, changed = 0, Counter()
    for values, group, _, rows in assigned:
        before = changed.total()
        for column, (kind, value) in enumerate(zip(types, values, strict=True)):
            if not stands(KINDS[kind][1], own[group][column], value):
                changed[column + 1] += rows
        moved += rows * (changed.total() > before)
    return moved, changed, own


def look(cells, found, types, k, allowed):
    """Everything that has to hold, whatever was relocated; the sizes after and before, by group."""
    assigned = portions(cells, found, len(types))
    moved, changed, own = naive(types, assigned)
    after, before = Counter(), Counter()
    for _, group, home, rows in assigned:
        after[group] += rows
        before[home] += rows
    assert min(after.values()) >= k
    assert found.relocated.rows == moved
    assert +Counter(found.relocated.changed) == changed
    assert found.relocated.cells <= allowed
    attributes = cells.star.attributes
    assert (
        dict(
            cells.engine.query(
                "methods/hybrid/proof/untrue",
                at="grp",
                attributes=attributes,
                **parameters_of(found),
            )
        )
        == changed
    )
    statistic = (
        chisquare([after[home] for home in before], list(before.values())).statistic
        if len(before) > 1
        else 0
    )
    assert found.relocated.chi_squared is None or found.relocated.chi_squared == pytest.approx(
        statistic
    )
    verified = cells.engine.query(
        "methods/hybrid/proof/group_sizes", attributes=attributes, **parameters_of(found)
    )[0]
    emptied = sum(after[home] == 0 for home in before)
    assert verified == (len(before), pytest.approx(statistic), 0, emptied)
    columns = ", ".join(f"v{attribute.index}" for attribute in attributes)
    released = {row[0]: row[1:] for row in read(cells, f"SELECT grp, n, {columns} FROM groups")}
    assert {group: row[0] for group, row in released.items()} == after
    for group, (_, *labels) in released.items():
        assert labels == [
            label(kind, values) for kind, values in zip(types, own[group], strict=True)
        ]
    return after, before


def plain(folder, policy):
    """What Mondrian alone does: its loss, and what is released of its groups."""
    with cells_of(policy, folder) as cells:
        mondrian.group(cells, Mondrian())
        columns = ", ".join(f"v{attribute.index}" for attribute in cells.star.attributes)
        return groups.measures(cells, groups.sizes(cells))["loss"], Counter(
            read(cells, f"SELECT n, {columns} FROM groups")
        )


@searches
@given(
    typed_tables(),
    st.integers(2, 5),
    st.sampled_from(["0", "0.05", "0.2", "0.5"]),
    st.sampled_from(["deterministic", "randomized"]),
)
def test_random_tables(tmp_path_factory, table, k, p, variant):
    types, rows = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("regions")
    policy = mondrian_policy(folder, types, rows, k)
    loss, released = plain(folder, policy)
    with cells_of(policy, folder) as cells:
        found = Found(*relocate_regions(cells, method(p, variant=variant)))
        look(cells, found, types, k, int(Decimal(p) * len(rows) * len(types)))
        assert groups.measures(cells, groups.sizes(cells))["loss"] <= loss
        if p == "0":
            columns = ", ".join(f"v{attribute.index}" for attribute in cells.star.attributes)
            assert Counter(read(cells, f"SELECT n, {columns} FROM groups")) == released


@searches
@given(
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abc")), min_size=20, max_size=120),
    st.sampled_from(["0.05", "0.5"]),
)
def test_group_sizes_pass_the_test(tmp_path_factory, rows, alpha):
    folder = tmp_path_factory.mktemp("tested")
    with cells_of(mondrian_policy(folder, ["INTEGER", "VARCHAR"], rows, 4), folder) as cells:
        found = Found(*relocate_regions(cells, method("0.5", alpha=alpha)))
        after, before = look(cells, found, ["INTEGER", "VARCHAR"], 4, len(rows))
        assert found.relocated.chi_squared <= found.relocated.critical
        if len(before) > 1:
            assert chisquare(
                [after[home] for home in before], list(before.values())
            ).pvalue >= float(alpha)


def test_an_outlier_is_moved(tmp_path):
    """One cell may be changed or none, as p says to the last digit."""
    policy = mondrian_policy(tmp_path, ["INTEGER"], [(value,) for value in (1, 1, 1, 1, 9)], 3)
    for p, cells_changed, labels in (("0.2", 1, [("1",)]), ("0.19", 0, [("[1,9]",)])):
        with cells_of(policy, tmp_path) as cells:
            found = Found(*relocate_regions(cells, method(p)))
            assert (found.relocated.rows, found.relocated.cells, found.grouped.split) == (
                cells_changed,
                cells_changed,
                False,
            )
            assert read(cells, "SELECT v1 FROM groups") == labels


def test_rows_are_taken_from_groups_that_can_spare_them(tmp_path):
    """Four rows of two values are two groups of two, each of which takes one row more from another
    group, and no two from the same."""
    values = [1, 1, 2, 2, *[100] * 4, *[200] * 4]
    with cells_of(
        mondrian_policy(tmp_path, ["INTEGER"], [(value,) for value in values], 3), tmp_path
    ) as cells:
        found = Found(*relocate_regions(cells, method("0.2")))
        assert (found.relocated.rows, found.relocated.cells, found.grouped.split) == (2, 2, True)
        statistic = cells.engine.query(
            "methods/hybrid/proof/group_sizes",
            attributes=cells.star.attributes,
            **parameters_of(found),
        )[0][1]
        assert statistic == pytest.approx(1 / 2 + 1 / 2 + 1 / 4 + 1 / 4)
        assert sorted(read(cells, "SELECT v1, n FROM groups")) == [
            ("1", 3),
            ("100", 3),
            ("2", 3),
            ("200", 3),
        ]
        look(cells, found, ["INTEGER"], 3, 2)


def test_the_nearest_rows_are_taken(tmp_path):
    """Of a group of five the row that has the other column's value in common changes one cell, any
    other two."""
    rows = [(1, "x")] * 2 + [(2, "x")] * 2 + [(100, "x")] + [(100, "y")] * 4 + [(101, "y")] * 5
    with cells_of(mondrian_policy(tmp_path, ["INTEGER", "VARCHAR"], rows, 3), tmp_path) as cells:
        found = Found(*relocate_regions(cells, method("0.3")))
        look(cells, found, ["INTEGER", "VARCHAR"], 3, int(0.3 * len(rows) * 2))
        taken = [values for values, group, home, _ in portions(cells, found, 2) if group != home]
        assert (100, "x") in taken


def test_one_distinct_row(tmp_path):
    with cells_of(
        mondrian_policy(tmp_path, ["INTEGER", "VARCHAR"], [(None, "a")] * 6, 2), tmp_path
    ) as cells:
        found = Found(*relocate_regions(cells, method("0.5", alpha="0.05")))
        assert (found.relocated.rows, found.relocated.cells, found.relocated.chi_squared) == (
            0,
            0,
            0.0,
        )
        look(cells, found, ["INTEGER", "VARCHAR"], 2, 0)


def test_suppressed_cells_stay_so(tmp_path):
    """Below the highest level that may be released two rows lie apart from all others, too few for
    a group."""
    columns = {
        "c0": {"role": "qi", "hierarchy": {"type": "interval", "widths": [100]}, "max_level": 1},
        "id": "insensitive",
    }
    rows = [(value,) for value in (1, 1, 1, 1, 30, 500, 501)]
    made = mondrian_policy(tmp_path, ["INTEGER"], rows, 3)
    data = policy_data(columns, k=3, limit=0.5, method={"type": "mondrian"})
    with cells_of(type(made).parse(data, tmp_path), tmp_path) as cells:
        found = Found(*relocate_regions(cells, method("0.5")))
        assert (found.relocated.rows, groups.sizes(cells).released) == (1, 5)
        assert read(cells, "SELECT v1, n FROM groups") == [("1", 5)]


def test_random_targets_differ(tmp_path):
    """Every run draws anew; each keeps what was promised."""
    rows = [(number * 7 % 90, "abcdefg"[number % 7]) for number in range(150)]
    policy, seen = mondrian_policy(tmp_path, ["INTEGER", "VARCHAR"], rows, 5), set()
    for _ in range(4):
        with cells_of(policy, tmp_path) as cells:
            found = Found(*relocate_regions(cells, method("0.3", variant="randomized")))
            assert found.relocated.rows > 0
            look(cells, found, ["INTEGER", "VARCHAR"], 5, 90)
            seen.add(
                tuple(
                    sorted(
                        (values, group)
                        for values, group, home, _ in portions(cells, found, 2)
                        if group != home
                    )
                )
            )
    assert len(seen) > 1


@pytest.mark.parametrize("bound", ["_TARGETS", "_PAIRS"])
def test_many_regions_are_looked_at_in_parts(tmp_path, monkeypatch, bound):
    """What bounds a statement changes which of equally good targets is found, and nothing that is
    promised."""
    monkeypatch.setattr(hybrid_regions, bound, 3)
    rows = [(number * 7 % 90, "abcdefg"[number % 7]) for number in range(150)]
    with cells_of(mondrian_policy(tmp_path, ["INTEGER", "VARCHAR"], rows, 5), tmp_path) as cells:
        found = Found(*relocate_regions(cells, method("0.2")))
        assert found.relocated.rows > 10
        look(cells, found, ["INTEGER", "VARCHAR"], 5, 60)


@pytest.mark.sampled(3)
@whole_but_on_spark
def test_engines_relocate_the_same(engine, whole):
    if not whole:
        rows = [(value,) for value in (1, 1, 2, 2, *[100] * 4, *[200] * 4)]
        engine.make({"c0": "INTEGER"}, rows)
        policy = policy_on(
            engine, policy_data({"c0": {"type": "suppression"}}, k=3, method={"type": "mondrian"})
        )
        with cells_of(policy, engine.folder) as cells:
            found = Found(*relocate_regions(cells, method("0.2")))
            assert (found.relocated.rows, found.relocated.cells) == (2, 2)
            asked = {"attributes": cells.star.attributes, **parameters_of(found)}
            assert cells.engine.query("methods/hybrid/proof/untrue", at="grp", **asked) == [(1, 2)]
            assert float(
                cells.engine.query("methods/hybrid/proof/group_sizes", **asked)[0][1]
            ) == pytest.approx(1.5)
        return
    engine.make(WIDE_TYPES, wide_rows(60, seed=3))
    policy = policy_on(engine, wide_policy(engine.folder, {"type": "mondrian"}, k=3))
    with cells_of(policy, engine.folder) as cells:
        found = Found(*relocate_regions(cells, method("0.1", alpha="0.01")))
        assert found.relocated.rows > 3
        query, attributes = cells.engine.query, cells.star.attributes
        changed = query(
            "methods/hybrid/proof/untrue", at="grp", attributes=attributes, **parameters_of(found)
        )
        assert sum(count for _, count in changed) == found.relocated.cells
        count, statistic, strangers, _ = query(
            "methods/hybrid/proof/group_sizes", attributes=attributes, **parameters_of(found)
        )[0]
        assert (float(statistic), strangers) == (pytest.approx(found.relocated.chi_squared), 0)
        assert count > 1
        sizes = groups.sizes(cells)
        golden_values.check(
            "relocated regions",
            rows=found.relocated.rows,
            cells=found.relocated.cells,
            changed=changed,
            groups=count,
            sizes=sizes,
            measures=groups.measures(cells, sizes),
        )
    assert sizes.min_class >= 3
