"""Algorithm 2 of hybrid on group counts: every move replayed by naive Python, for deterministic,
random, statistical and diverse runs."""

import random
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

from anonsql.methods.hybrid.relocated_groups import Groups, Limits
from anonsql.methods.hybrid.relocation import Answer, relocate

quick = settings(max_examples=150, deadline=None)


def apart(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True))


def answer(codes, ask):
    """What an engine would answer: the closest target that comes into question."""
    targets, cells = [], []
    allowed = None if ask.pairs is None else Counter(map(tuple, ask.pairs.tolist()))
    for mover, rows in zip(ask.movers.tolist(), ask.rows.tolist(), strict=True):
        choices = [
            (apart(codes[mover], codes[target]), target)
            for place, target in enumerate(ask.targets.tolist())
            if (
                allowed[mover, target]
                if allowed is not None
                else ask.surplus is None or ask.surplus[place] >= rows
            )
        ]
        distance, target = min(choices, default=(0, -1))
        targets.append(target)
        cells.append(distance * rows)
    return Answer(np.array(targets), np.array(cells))


def run(codes, groups):
    """Relocate; whether it came to its end."""
    asking = relocate(groups)
    try:
        ask = next(asking)
        while True:
            ask = asking.send(answer(codes, ask))
    except StopIteration as stop:
        return stop.value


@st.composite
def grouped(draw):
    """Groups of distinct codes with their sizes."""
    codes = draw(
        st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=14, unique=True)
    )
    return codes, np.array([draw(st.integers(1, 14)) for _ in codes], dtype=np.int64)


class Replay:
    """Naive book-keeping of groups under k alone."""

    def __init__(self, codes, sizes, k):
        self.codes, self.k = codes, k
        self.before, self.sizes = sizes.tolist(), sizes.tolist()

    def small(self):
        return [g for g, n in enumerate(self.sizes) if 0 < n <= self.k / 2]

    def big(self):
        return [g for g, n in enumerate(self.sizes) if self.k / 2 < n < self.k]

    def kept(self):
        return [g for g, n in enumerate(self.sizes) if n >= self.k]

    def takers(self):
        return self.big() or self.kept()

    def givers(self, group):
        """Those from which k - |g| rows can be taken so that they keep k."""
        return [g for g in self.kept() if self.sizes[g] + self.sizes[group] >= 2 * self.k]

    def closest(self, group, others):
        return min((apart(self.codes[group], self.codes[other]) for other in others), default=None)

    def chi_squared(self):
        return sum((now - was) ** 2 / was for now, was in zip(self.sizes, self.before, strict=True))


def replay(codes, sizes, groups, closest=True):
    """Every move is one that Algorithm 2 could make next; gives the books afterwards and the
    changed cells."""
    books, cells, whole = Replay(codes, sizes, groups.limits.k), 0, True
    for move in groups.moves:
        distance = apart(codes[move.home], codes[move.target])
        if books.sizes[move.home] <= books.k / 2:
            assert whole, "distribution comes before completion"
            assert move.rows == books.before[move.home] == books.sizes[move.home]
            assert move.target in books.takers()
            assert not closest or distance == books.closest(move.home, books.takers())
        else:
            whole = False
            assert not books.small()
            assert move.target in books.big()
            need = books.k - books.sizes[move.target]
            assert need <= move.rows <= (need if closest else 2 * need)
            assert books.sizes[move.home] - move.rows >= books.k
            assert not closest or distance == books.closest(move.target, books.givers(move.target))
        books.sizes[move.home] -= move.rows
        books.sizes[move.target] += move.rows
        cells += move.rows * distance
        assert move.cells == move.rows * distance
    assert cells == groups.cells <= groups.limits.max_cells
    assert books.sizes == groups.sizes.tolist()
    assert abs(books.chi_squared() - groups.chi_squared) < 1e-6
    return books


def had_to_stop(books, groups):
    """Whether the closest move of some group that still fails is not affordable, or it has none."""
    small = books.small()
    for group in small or books.big():
        others = books.takers() if small else books.givers(group)
        distance = books.closest(group, others)
        rows = books.sizes[group] if small else books.k - books.sizes[group]
        if distance is None or groups.cells + rows * distance > groups.limits.max_cells:
            return True
        for other in (
            item for item in others if apart(books.codes[group], books.codes[item]) == distance
        ):
            after = list(books.sizes)
            giver, taker = (group, other) if small else (other, group)
            after[giver] -= rows
            after[taker] += rows
            statistic = sum(
                (now - was) ** 2 / was for now, was in zip(after, books.before, strict=True)
            )
            if groups.limits.critical is not None and statistic > groups.limits.critical - 1e-9:
                return True
    return False


@quick
@given(grouped(), st.integers(2, 9), st.integers(0, 60))
def test_every_move_is_the_paper_s(given_groups, k, most):
    codes, sizes = given_groups
    groups = Groups(sizes, Limits(k, most))
    ended = run(codes, groups)
    books = replay(codes, sizes, groups)
    assert ended == (not books.small() and not books.big())
    assert ended or had_to_stop(books, groups)
    assert groups.failing == sum(books.sizes[item] for item in [*books.small(), *books.big()])


@quick
@given(grouped(), st.integers(2, 9), st.sampled_from([0.01, 0.05, 0.5]))
def test_the_statistic_is_never_rejected(given_groups, k, alpha):
    codes, sizes = given_groups
    critical = float(chi2.isf(alpha, len(sizes) - 1)) if len(sizes) > 1 else 0.0
    groups = Groups(sizes, Limits(k, 10_000, critical))
    ended = run(codes, groups)
    books = replay(codes, sizes, groups)
    assert ended or had_to_stop(books, groups)
    if len(sizes) > 1:
        assert chisquare(groups.sizes, sizes).pvalue >= alpha - 1e-9


@quick
@given(grouped(), st.integers(2, 9), st.integers(0, 80), st.integers(0, 5))
def test_drawn_at_random(given_groups, k, most, seed):
    codes, sizes = given_groups
    groups = Groups(sizes, Limits(k, most), draw=random.Random(seed))
    ended = run(codes, groups)
    books = replay(codes, sizes, groups, closest=False)
    assert ended == (not books.small() and not books.big())


def test_random_runs_differ():
    codes = [(a, b, 0) for a in range(5) for b in range(5)]
    sizes = np.array([1, 2, 9, 6, 12] * 5, dtype=np.int64)
    found = set()
    for seed in range(20):
        groups = Groups(sizes, Limits(8, 10_000), draw=random.Random(seed))
        assert run(codes, groups)
        found.add(tuple((move.home, move.target, move.rows) for move in groups.moves))
    assert len(found) > 15


@st.composite
def diverse(draw):
    """Groups with rows of one or two sensitive columns."""
    columns = draw(st.integers(1, 2))
    codes, _ = draw(grouped())
    value = st.tuples(*[st.integers(0, 4)] * columns)
    values = [Counter(draw(st.lists(value, min_size=1, max_size=9))) for _ in codes]
    least = tuple(draw(st.integers(1, 3)) for _ in range(columns))
    return codes, values, least


def distinct(values, least):
    return all(
        len({value[column] for value in values if values[value] > 0}) >= wanted
        for column, wanted in enumerate(least)
    )


@quick
@given(diverse(), st.integers(1, 6), st.integers(0, 60), st.sampled_from([None, 1]))
def test_givers_and_takers_stay_diverse(given_groups, k, most, seed):
    codes, values, least = given_groups
    sizes = np.array([entry.total() for entry in values], dtype=np.int64)
    groups = Groups(
        sizes, Limits(k, most, None, least), values, None if seed is None else random.Random(seed)
    )
    ended = run(codes, groups)
    now = [Counter(value) for value in values]
    for move in groups.moves:
        gone = (
            Counter({move.values: move.rows})
            if move.values is not None
            else Counter(values[move.home])
        )
        assert gone.total() == move.rows
        assert all(now[move.home][element] >= count for element, count in gone.items())
        now[move.home] -= gone
        now[move.target] += gone
        if move.values is not None:
            assert now[move.home].total() >= k
            assert distinct(now[move.home], least)
    assert (
        groups.cells
        == sum(each.rows * apart(codes[each.home], codes[each.target]) for each in groups.moves)
        <= most
    )
    failing = [item for item in now if item and not (item.total() >= k and distinct(item, least))]
    assert ended == (not failing)
    assert groups.failing == sum(each.total() for each in failing)
    assert sum(now, Counter()) == sum(values, Counter())


@quick
@given(diverse(), st.integers(2, 6), st.integers(0, 12))
def test_rows_that_were_moved_in_vain_go_back(given_groups, k, most):
    codes, values, least = given_groups
    sizes = np.array([value.total() for value in values], dtype=np.int64)
    groups = Groups(sizes, Limits(k, most, None, least), values)
    run(codes, groups)
    failing, kept = groups.failing, groups.sizes[groups.need == 0].copy()
    groups.undo_vain()
    assert groups.failing == failing
    assert groups.sizes[groups.need == 0].sum() == kept.sum()
    assert not any(groups.need[move.target] for move in groups.moves)
    assert groups.cells == sum(item.cells for item in groups.moves)
    for group in np.flatnonzero(groups.need > 0).tolist():
        assert groups.sizes[group] == sizes[group]
        assert groups.now_values[group] == values[group]


def test_table_1_of_the_paper():
    """Mapping [1,1,3], k=3, p=10 %: q4 joins {q5, q6}, which changes 2 of 27 cells."""
    codes = [
        ("11-20", "E. EU", "47*"),
        ("21-30", "W. EU", "49*"),
        ("31-40", "S. AM", "49*"),
        ("41-50", "N. AM", "49*"),
    ]
    groups = Groups(np.array([3, 1, 2, 3]), Limits(3, int(0.1 * 27)))
    assert run(codes, groups)
    assert [(move.home, move.target, move.rows) for move in groups.moves] == [(1, 2, 1)]
    assert groups.cells == 2
