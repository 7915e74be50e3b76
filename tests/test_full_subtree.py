"""Full-subtree recoding against all cuts through the hierarchies of small random tables."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql

from .examples import whole_jobs
from .oracle import Oracle
from .support import ADULT, adult_policy, needs_data, released_rows
from .test_groups import grouped_policy, levels_of, released
from .test_incognito import tables

Node = tuple[int, str]  # level, label


def children(column, node):
    """The nodes of the level below that lie under a node."""
    level, label = node
    return (
        sorted(
            {(level - 1, row[level - 1]) for row in column.values() if row[level] == label}, key=str
        )
        if level
        else []
    )


def cuts(column, node):
    """All cuts through the subtree of a node."""
    below = children(column, node)
    return [
        [node],
        *(
            list(itertools.chain(*item))
            for item in itertools.product(*(cuts(column, child) for child in below))
            if below
        ),
    ]


def node_of(column, cut, value):
    return next(node for node in cut if column[value][node[0]] == node[1])


def leaves(column, node):
    return sum(row[node[0]] == node[1] for row in column.values())


class Cuts:
    """What a cut through every column's hierarchy makes of the rows."""

    def __init__(self, rows, columns, k):
        self.rows, self.columns, self.k = rows, columns, k

    def judge(self, chosen):
        """Suppressed rows, and the loss."""
        of = [
            {value: node_of(column, cut, value) for value in column}
            for column, cut in zip(self.columns, chosen)
        ]
        made = [tuple(map(dict.__getitem__, of, row)) for row in self.rows]
        sizes = Counter(made)
        lost = 0.0
        for nodes in made:
            for column, node in zip(self.columns, nodes):
                share = (leaves(column, node) - 1) / (len(column) - 1) if len(column) > 1 else 0.0
                lost += share if sizes[nodes] >= self.k else 1.0
        return sum(size for size in sizes.values() if size < self.k), lost / len(self.rows) / len(
            self.columns
        )

    def tops(self):
        return [[(len(next(iter(column.values()))) - 1, "*")] for column in self.columns]

    def all(self):
        return itertools.product(
            *(cuts(column, top[0]) for column, top in zip(self.columns, self.tops()))
        )

    def specializations(self, chosen):
        """Every choice with one node of one cut, that has rows under it, made way for its
        children."""
        for i, cut in enumerate(chosen):
            for node in cut:
                under = [row for row in self.rows if node_of(self.columns[i], cut, row[i]) == node]
                if node[0] and under:
                    finer = [item for item in cut if item != node] + children(self.columns[i], node)
                    yield [*chosen[:i], finer, *chosen[i + 1 :]]


def present(rows, labels):
    """The hierarchies with NULL as a leaf only where it occurs."""
    return [
        {v: row for v, row in column.items() if v is not None or any(r[i] is None for r in rows)}
        for i, column in enumerate(labels)
    ]


def distinct_labels(column):
    """The hierarchy with labels that tell their level."""
    return {
        value: (value, *(f"{level}:{label}" for level, label in enumerate(row[1:-1], 1)), "*")
        for value, row in column.items()
    }


@whole_jobs
@given(tables(max_rows=16), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
def test_cuts_are_valid_maximal_and_no_worse_than_full_domain(tmp_path_factory, table, k, limit):
    rows, labels = table
    rows, labels = [row[:3] for row in rows], [distinct_labels(column) for column in labels[:3]]
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("subtree")
    policy = grouped_policy(folder, rows, labels, k, {"type": "full-subtree"}, limit)
    report = anonsql.run(policy)
    most = policy.privacy.max_suppressed(len(rows))
    columns = present(rows, labels)
    oracle, judge = Oracle(rows, columns), Cuts(rows, columns, k)
    found = released(folder, labels)

    # each column's values are mapped alike in all rows, to a node above, and all values under that node with them
    chosen = []
    for i, column in enumerate(columns):
        label_of = {rows[number][i]: values[i] for number, values in found.items()}
        assert all(values[i] == label_of[rows[number][i]] for number, values in found.items())
        assert all(levels_of(column, value, label) for value, label in label_of.items())
        for value, label in label_of.items():
            for level in levels_of(column, value, label):
                if label is not None and leaves(column, (level, label)) > 1:
                    assert all(
                        other == label for v, other in label_of.items() if column[v][level] == label
                    )
        chosen.append(label_of)

    # the loss lies between the least of all cuts and the least of all levels
    assert report.suppressed <= most and report.min_class >= k
    best = min(loss for suppressed, loss in map(judge.judge, judge.all()) if suppressed <= most)
    full_domain = min(oracle.loss(levels, k) for levels in oracle.satisfying(k, most))
    assert best - 1e-9 <= report.metrics["loss"] <= full_domain + 1e-9

    # no single specialization is left that is allowed and would not lose more
    if not report.suppressed:
        cut = [
            sorted({node_for(column, value, label_of) for value in column}, key=str)
            for column, label_of in zip(columns, chosen)
        ]
        for finer in judge.specializations(cut):
            suppressed, loss = judge.judge(finer)
            assert suppressed > most or loss > report.metrics["loss"] - 1e-9


def node_for(column, value, label_of):
    """The node that a value is released at; of one that no row has, the least that keeps the cut
    one."""
    if value in label_of:
        return max(levels_of(column, value, label_of[value])), label_of[value]
    for level in range(len(column[value])):
        sharing = [
            label_of[other] for other in label_of if column[other][level] == column[value][level]
        ]
        if sharing and column[value][level] in sharing:
            return level, column[value][level]
        if sharing:
            return level - 1, column[value][level - 1]
    raise AssertionError("the top is shared by all")


@needs_data
@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_adult_loses_less_than_by_levels(tmp_path, limit):
    by_levels = anonsql.run(adult_policy(tmp_path, ADULT[:5], 10, limit))
    by_cuts = anonsql.run(
        adult_policy(tmp_path, ADULT[:5], 10, limit, method={"type": "full-subtree"})
    )
    assert by_cuts.metrics["loss"] <= by_levels.metrics["loss"]
    assert by_cuts.min_class >= 10 and by_cuts.levels is None
    assert by_cuts.suppressed <= 45_222 * limit
    names = ", ".join(f'"{name}"' for name in ADULT[:5])
    assert released_rows(
        tmp_path, f"SELECT min(n) FROM (SELECT count(*) n FROM r GROUP BY {names})"
    ) == [(by_cuts.min_class,)]
