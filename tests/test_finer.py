"""Cell generalization with effort, against plain Python; which nodes it offers, and how codes are
packed."""

import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError
from anonsql.methods.cells import finer
from anonsql.system.clock import Clock

from .examples import whole_jobs
from .support import ADULT, adult_policy, needs_data
from .test_groups import LABELS, ROWS, grouped_policy, levels_of, released
from .test_incognito import tables


def cell_policy(folder, rows, labels, k, effort, limit=0.0, **more):
    """A policy of the method, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    method = {"type": "cell-generalization", "effort": effort}
    return grouped_policy(folder, rows, labels, k, method, limit, **more)


@whole_jobs
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2]), st.integers(1, 4))
def test_effort_keeps_the_promise_and_never_loses_more(tmp_path_factory, table, k, limit, effort):
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("effort")
    plain = anonsql.run(cell_policy(folder / "plain", rows, labels, k, 0, limit))
    policy = cell_policy(folder / "finer", rows, labels, k, effort, limit)
    report = anonsql.run(policy)
    found = released(folder / "finer", labels)
    assert report.metrics["loss"] <= plain.metrics["loss"] + 1e-8
    assert len(rows) - len(found) == report.suppressed <= policy.privacy.max_suppressed(len(rows))
    assert min(Counter(found.values()).values()) == report.min_class >= k
    of_combination = {}
    for number, made in found.items():
        assert of_combination.setdefault(rows[number], made) == made
        assert all(
            levels_of(column, value, label)
            for column, value, label in zip(labels, rows[number], made)
        )
    assert report.verified


@dataclass
class Naive:
    """What the groups should be, cell by cell."""

    counts: Counter
    labels: list
    k: int

    def __post_init__(self):
        d = len(self.labels)
        self.share = round(1 / d * 1_000_000_000)
        present = [{cell[i] for cell in self.counts} for i in range(d)]
        self.leaves = [
            [row for value, row in column.items() if value is not None or None in present[i]]
            for i, column in enumerate(self.labels)
        ]

    def loss(self, cell, levels):
        """The loss of a row of the cell, in billionths."""
        lost = 0
        for i, level in enumerate(levels):
            own = self.labels[i][cell[i]][level]
            under = sum(row[level] == own for row in self.leaves[i])
            lost += math.floor((under - 1) * self.share / max(len(self.leaves[i]) - 1, 1) + 0.5)
        return lost

    def key(self, cell, levels):
        return tuple(self.labels[i][cell[i]][level] for i, level in enumerate(levels))

    def groups(self, ways):
        """The groups that cells make by picking, and the cells that none is left for."""
        left, made = set(self.counts), []
        while True:
            rows = Counter()
            for cell, (number, levels) in itertools.product(left, enumerate(ways)):
                rows[number, self.key(cell, levels)] += self.counts[cell]
            picked = {}
            for cell in left:
                offers = [
                    (self.loss(cell, levels), number, self.key(cell, levels))
                    for number, levels in enumerate(ways)
                    if rows[number, self.key(cell, levels)] >= self.k
                ]
                if offers:
                    _, number, key = min(offers, key=lambda offer: offer[:2])
                    picked.setdefault((number, key), []).append(cell)
            enough = [
                group
                for group in picked.values()
                if sum(self.counts[cell] for cell in group) >= self.k
            ]
            if not enough:
                return made, left
            made += enough
            left -= set(itertools.chain(*enough))

    def lost(self, group):
        """The loss of a group at the least levels at which its cells agree, in billionths of a
        row."""
        levels = [
            next(
                level
                for level in itertools.count()
                if len({column[cell[i]][level] for cell in group}) == 1
            )
            for i, column in enumerate(self.labels)
        ]
        return self.loss(group[0], levels) * sum(self.counts[cell] for cell in group)


@whole_jobs
@given(tables(), st.integers(2, 4))
def test_every_cell_picks_the_class_of_least_loss(tmp_path_factory, table, k):
    rows, labels = table
    assume(all(len(row) == len(set(row)) for column in labels for row in column.values()))
    assume(len(rows) >= k)
    offered = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            finer, "nodes", lambda *given: offered.append(nodes_of(*given)) or offered[-1]
        )
        folder = tmp_path_factory.mktemp("picks")
        report = anonsql.run(cell_policy(folder / "finer", rows, labels, k, 2))
    plain = anonsql.run(cell_policy(folder / "plain", rows, labels, k, 0))
    naive = Naive(Counter(rows), labels, k)
    made, left = naive.groups([tuple(levels) for levels in offered[0].tolist()])
    assume(not left)
    lost = sum(naive.lost(group) for group in made) / len(rows) / 1e9
    assert report.metrics["loss"] == pytest.approx(min(lost, plain.metrics["loss"]), abs=1e-7)


nodes_of = finer.nodes


def attribute(index, low, high, weight=1.0):
    return SimpleNamespace(
        index=index, min_level=low, max_level=high, policy=SimpleNamespace(weight=weight)
    )


MERITS = {
    1: {0: (0.0, 4.0), 1: (0.2, 2.5), 2: (0.5, 1.0), 3: (1.0, 0.0)},
    2: {0: (0.0, 3.0), 1: (0.4, 0.5), 2: (1.0, 0.0)},
    3: {0: (0.0, 0.7), 1: (1.0, 0.0)},
}


def test_nodes_are_those_nearest_to_the_front():
    attributes = [attribute(1, 0, 3), attribute(2, 0, 2, 2.0), attribute(3, 0, 1)]
    every = list(itertools.product(range(4), range(3), range(2)))

    def merit(node):
        pairs = [MERITS[i][level] for i, level in enumerate(node, 1)]
        return pairs[0][0] + 2 * pairs[1][0] + pairs[2][0], sum(pair[1] for pair in pairs)

    def excess(node):
        loss, entropy = merit(node)
        return entropy - min(merit(item)[1] for item in every if merit(item)[0] <= loss)

    assert sorted(map(tuple, finer.nodes(attributes, MERITS, 24).tolist())) == sorted(every)
    found = [tuple(node) for node in finer.nodes(attributes, MERITS, 9).tolist()]
    assert found[-1] == (3, 2, 1)
    losses = [merit(node)[0] for node in found]
    assert losses == sorted(losses)
    worst = max(excess(node) for node in found)
    assert all(node in found for node in every if excess(node) < worst - 1e-6)
    assert {node for node in every if excess(node) < 1e-9} <= set(found)


def test_nodes_keep_to_the_levels_that_may_be_released():
    found = finer.nodes([attribute(1, 1, 2), attribute(2, 0, 0)], MERITS, 100)
    assert found.tolist() == [[1, 0], [2, 0]]


def test_codes_are_packed_into_as_few_numbers_as_hold_them():
    attributes = [attribute(index, 0, 1) for index in range(1, 6)]
    few = finer._words(attributes, dict.fromkeys(range(1, 6), 9))
    assert [[(a.index, factor) for a, factor in word] for word in few] == [
        [(1, 1), (2, 10), (3, 100), (4, 1_000), (5, 10_000)]
    ]
    many = finer._words(attributes, dict.fromkeys(range(1, 6), 2**25 - 1))
    assert [[(a.index, factor) for a, factor in word] for word in many] == [
        [(1, 1), (2, 2**25)],
        [(3, 1), (4, 2**25)],
        [(5, 1)],
    ]


@pytest.mark.parametrize("offers", [1, 40])
def test_batches_of_any_size_keep_the_promise(tmp_path, monkeypatch, offers):
    monkeypatch.setattr(finer, "_OFFERS", offers)
    monkeypatch.setattr(finer, "_LEAST_WAYS", 1)
    policy = cell_policy(tmp_path, ROWS * 2, LABELS, 3, 3)
    report = anonsql.run(policy)
    assert report.min_class >= 3 and report.suppressed == 0
    assert anonsql.verify(policy).classes == report.classes


def test_codes_of_more_than_one_number(tmp_path, monkeypatch):
    whole = anonsql.run(cell_policy(tmp_path / "one", ROWS * 2, LABELS, 3, 3))
    monkeypatch.setattr(finer, "_WORD", 4)
    apart = anonsql.run(cell_policy(tmp_path / "two", ROWS * 2, LABELS, 3, 3))
    assert apart.metrics == whole.metrics
    assert released(tmp_path / "one", LABELS) == released(tmp_path / "two", LABELS)


def test_groups_that_lose_more_are_not_taken(tmp_path, monkeypatch):
    """Where all that is offered is the highest node, the groups of the plain pass stand."""
    plain = anonsql.run(cell_policy(tmp_path / "plain", ROWS * 2, LABELS, 3, 0))
    monkeypatch.setattr(finer, "nodes", lambda *_: np.array([[2, 1]]))
    report = anonsql.run(cell_policy(tmp_path / "finer", ROWS * 2, LABELS, 3, 3))
    assert report.metrics == plain.metrics
    assert released(tmp_path / "plain", LABELS) == released(tmp_path / "finer", LABELS)


def test_a_table_without_time_is_released_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(Clock, "enough", lambda _: True)
    plain = anonsql.run(cell_policy(tmp_path / "plain", ROWS * 2, LABELS, 3, 0))
    report = anonsql.run(cell_policy(tmp_path / "finer", ROWS * 2, LABELS, 3, 8))
    assert report.metrics == plain.metrics


def test_a_pass_that_loses_more_changes_nothing(tmp_path, monkeypatch):
    """More effort keeps the groups of less where its own pass, here over the highest node, loses
    more."""
    few = anonsql.run(cell_policy(tmp_path / "few", ROWS * 2, LABELS, 3, 2))
    monkeypatch.setattr(
        finer, "nodes", lambda *given: nodes_of(*given) if given[2] == 240 else np.array([[2, 1]])
    )
    report = anonsql.run(cell_policy(tmp_path / "finer", ROWS * 2, LABELS, 3, 4))
    assert report.metrics == few.metrics
    assert released(tmp_path / "few", LABELS) == released(tmp_path / "finer", LABELS)


@pytest.mark.parametrize(
    ("effort", "gains", "passes"),
    [
        ({"seconds": 3}, [0.1] * 9, 3),
        ({"seconds": 9}, [0.1, 0.009, 0.1], 2),
        ({"seconds": 0.001}, [0.1] * 9, 1),
        (8, [0.01] * 9, 4),
        (8, [0.1, 0.009, 0.1], 2),
        (8, [0.0] * 9, 1),
    ],
    ids=["time", "little gained", "one at least", "degree", "little more", "none gained"],
)
def test_passes_go_on_until_the_goal(tmp_path, monkeypatch, effort, gains, passes):
    """The clock goes on by a second with every pass."""
    run = []
    monkeypatch.setattr(Clock, "elapsed", property(lambda _: 100.0 + len(run)))
    monkeypatch.setattr(
        finer._Finer, "attempt", lambda _, levels: run.append(len(levels)) or gains[len(run) - 1]
    )
    monkeypatch.setattr(finer, "nodes", lambda *given: np.zeros((given[2], 2), dtype=np.int64))
    anonsql.run(cell_policy(tmp_path, ROWS * 2, LABELS, 3, effort))
    assert run == [60 * 4**number for number in range(1, passes + 1)]


def test_passes_are_cut_short_when_the_time_is_over(tmp_path, monkeypatch):
    """A clock that goes on by a second whenever it is read leaves no time for any offer but the
    last."""
    plain = anonsql.run(cell_policy(tmp_path / "plain", ROWS * 2, LABELS, 3, 0))
    seconds = itertools.count()
    monkeypatch.setattr(Clock, "elapsed", property(lambda _: next(seconds)))
    policy = cell_policy(tmp_path / "finer", ROWS * 2, LABELS, 3, {"seconds": 1})
    assert anonsql.run(policy).metrics == plain.metrics


def test_what_remains_joins_the_group_where_that_costs_least(tmp_path):
    """One row is left over; the pair of its siblings takes it, and no row is released as *."""
    labels = [{name: (name, name[0], "*") for name in ("a1", "a2", "a3", "b1", "b2")}]
    rows = [("a1",)] * 2 + [("a2",)] * 2 + [("a3",)] + [("b1",)] * 2 + [("b2",)] * 2
    report = anonsql.run(cell_policy(tmp_path, rows, labels, 2, 1))
    found = Counter(released(tmp_path, labels).values())
    assert found == {("a",): 3, ("a2",): 2, ("b1",): 2, ("b2",): 2}
    assert report.suppressed == 0


@pytest.mark.parametrize(
    ("effort", "text"),
    [
        (11, "method.effort: found 11. It must be at most 10"),
        ("high", "method.effort: found 'high'. A whole number is needed"),
        ({"seconds": 0}, "method.effort.seconds: found 0. It must be above 0"),
        ({"second": 2}, "method.effort.second: this field is not known. Did you mean 'seconds'?"),
    ],
)
def test_effort_has_bounds(tmp_path, effort, text):
    with pytest.raises(PolicyError, match=re.escape(text)):
        cell_policy(tmp_path, ROWS, LABELS, 2, effort)


@needs_data
def test_effort_on_the_real_table(tmp_path):
    """Nothing is suppressed, and a thirteenth of the plain pass's loss, 0.0738, is shed."""
    method = {"type": "cell-generalization", "effort": 4}
    policy = adult_policy(tmp_path, ADULT, 10, method=method)
    report = anonsql.run(policy)
    assert report.metrics["loss"] == pytest.approx(0.0680, abs=0.00005)
    assert report.suppressed == 0 and report.min_class >= 10 and report.verified
