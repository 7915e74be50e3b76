"""Published examples with known answers: our primary cells are theirs, what we hide cannot be told,
and it costs no more than what they hide by the factor that the example states."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy.sparse import csr_array

import anonsql
from anonsql.statistics import perturbation, protection
from anonsql.statistics.relations import Relations

from .exact_bounds import exact_bounds
from .published_tables import EXAMPLES, MONOTONOUS, PERTURBED, grid, policy_of
from .support import opened


def cell_of(names, labels):
    """A cell that several tables may have: the labels of its dimensions but for totals."""
    return frozenset(pair for pair in zip(names, labels, strict=True) if pair[1] != "*")


def theirs_of(example):
    """The published cells: value and mark."""
    return {
        cell_of(levels, labels): entry
        for levels, text in example.tables
        for labels, entry in grid(text).items()
    }


def ours_of(folder, example):
    """Our released cells: the value in units of its last digit, None where it is hidden."""
    cells = {}
    unit = 1 if example.of == "n" else 10
    with opened(folder / "release.duckdb", read_only=True) as connection:
        for levels, _ in example.tables:
            table = connection.table("_".join(levels))
            for *labels, shown in table.project(f"{', '.join(levels)}, {example.of}").fetchall():
                value = None if shown is None else int(shown * unit)
                assert cells.setdefault(cell_of(levels, labels), value) == value, "tables disagree"
    return cells


def truth_of(example, cells):
    """The true values of cells, and how many contributors each has."""
    names = list(example.trees)
    values, people = dict.fromkeys(cells, 0), {cell: set() for cell in cells}
    for who, *leaves, amount in example.rows:
        own = dict(zip(names, leaves, strict=True))
        for cell in cells:
            if all(
                label == own[name] or own[name] in example.trees[name].get(label, ())
                for name, label in cell
            ):
                values[cell] += 1 if example.of == "n" else amount
                people[cell].add(who)
    return values, {cell: len(found) for cell, found in people.items()}


def ties_of(example, cells):
    """What everybody knows: a cell is the sum of those one step finer in one dimension."""
    above = {}
    for name, tree in example.trees.items():
        above |= {(name, leaf): (name, top) for top, leaves in tree.items() for leaf in leaves}
    parts = {}
    for cell in cells:
        for pair in cell:
            whole = cell - {pair} | ({above[pair]} if pair in above else set())
            if whole in cells:
                parts.setdefault((whole, pair[0]), []).append(cell)
    return [(whole, found) for (whole, _), found in parts.items()]


def told(example, cells, truth):
    """The smallest and largest value of every hidden cell, for somebody who knows as well that
    everybody counts: a cell that is there has somebody in it."""
    order = {cell: number for number, cell in enumerate(cells)}
    size, one = len(order), 2 * len(order)
    lines = [
        {order[whole]: 1, **{order[part]: -1 for part in found}}
        for whole, found in ties_of(example, cells)
    ]
    # what is beyond the least that a cell can be: 1 of a count, 0 of a sum
    least = int(example.of == "n")
    lines += [{cell: 1, size + cell: -1, one: -1} for cell in range(size)]
    matrix = np.zeros((len(lines), 2 * size + 1), np.int8)
    for number, line in enumerate(lines):
        matrix[number, list(line)] = list(line.values())
    relations = Relations(csr_array(matrix), np.ones(len(lines), bool))
    values = [truth[cell] for cell in order]
    values += [value - least for value in values] + [least]
    hidden = [order[cell] for cell, value in cells.items() if value is None]
    bounds = exact_bounds(relations, values, hidden + [size + n for n in hidden], hidden)
    return {cell: bounds[order[cell]] for cell, value in cells.items() if value is None}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_published_example(tmp_path, monkeypatch, name):
    example, suppressed = EXAMPLES[name], []
    suppress = protection.suppress

    def spied(policy, plan, cells, *more, **options):
        suppressed.append((cells, suppress(policy, plan, cells, *more, **options)))
        return suppressed[-1][1]

    monkeypatch.setattr(protection, "suppress", spied)
    anonsql.tabulate(policy_of(tmp_path, example))
    theirs, ours = theirs_of(example), ours_of(tmp_path, example)
    assert theirs.keys() == ours.keys()
    truth, people = truth_of(example, ours)
    assert {cell: value for cell, (value, _) in theirs.items()} == truth
    assert {cell: value for cell, value in ours.items() if value is not None}.items() <= (
        truth.items()
    )

    # primary cells are theirs: all of them are hidden, and no other cell is primary
    primary = {cell for cell, (_, mark) in theirs.items() if mark == "u"}
    assert all(ours[cell] is None for cell in primary)
    cells, protected = suppressed[0]
    found = protected.primary[example.of]
    values = cells.counted["n" if example.of == "n" else "m1"]
    assert sorted(zip(values[found], cells.people[found], strict=True)) == sorted(
        (truth[cell], people[cell]) for cell in primary
    )

    assert not any(low == high for low, high in told(example, ours, truth).values())
    assert not few(example, ours, truth, primary)
    if example.factor is None:
        return
    alone = {cell: None if cell in primary else truth[cell] for cell in ours}
    assert any(low == high for low, high in told(example, alone, truth).values())
    spent = sum(
        truth[cell] for cell, value in ours.items() if value is None and cell not in primary
    )
    assert spent <= example.factor * sum(value for value, mark in theirs.values() if mark == "x")
    if example.factor > 1 and example.of == "n":
        assert few(example, {c: None if m else v for c, (v, m) in theirs.items()}, truth, primary)


def few(example, cells, truth, primary):
    """The primary cells of a count that can be told to be below the threshold."""
    least = example.protect["threshold"] if example.of == "n" else 0
    bounds = told(example, cells, truth)
    return [cell for cell in primary if bounds[cell][1] is not None and bounds[cell][1] < least]


def chances_of(count):
    """The published chances of a count by deviation."""
    first, second, chances = PERTURBED[count]
    values = [float(chance) for chance in chances.split()]
    return dict(zip([first, *range(second, second + len(values) - 1)], values, strict=True))


def entropy(chances):
    return -sum(chance * math.log(chance) for chance in chances)


@pytest.mark.parametrize("count", PERTURBED)
def test_chances_of_noise_are_those_of_ptable(count):
    """Where ptable keeps nothing else from being what it is; there ours have more entropy."""
    made = perturbation.table(Decimal(4), 7, least=3)
    assert made.greatest_class >= max(PERTURBED)
    ours = {deviation: keys / perturbation.KEYS for deviation, keys in made.rows[count]}
    theirs = chances_of(count)
    assert ours.keys() == theirs.keys()
    if count in MONOTONOUS:
        assert sum(chance * d for d, chance in theirs.items()) == pytest.approx(0, abs=1e-6)
        assert sum(chance * d * d for d, chance in theirs.items()) == pytest.approx(4, abs=1e-6)
        assert entropy(ours.values()) > entropy(theirs.values()) + 1e-6
    else:
        assert ours == pytest.approx(theirs, abs=1e-8)  # they print more digits than they solve for


def test_chances_of_the_vignette_of_ptable():
    """create_cnt_ptable(D = 2, V = 1): from 2 to 0 and to 2."""
    made = perturbation.table(Decimal(1), 2)
    chances = {deviation: keys / perturbation.KEYS for deviation, keys in made.rows[2]}
    assert (round(chances[-2], 4), round(chances[0], 3)) == (0.0638, 0.383)
