"""Published statistics against plain Python, and against whoever edits them."""

from fractions import Fraction

import pytest

import anonsql
from anonsql.statistics import protection
from anonsql.statistics.cells import Cells

from . import tables_of_numbers
from .engines import DuckDB
from .support import rows_of
from .tables_of_numbers import COLUMNS, UNITS, cells, forbidden, policy_on, true_values

MEASURES = ["n", "people", *UNITS]
RULES = [
    {},
    {"p_percent": 0.1},
    {"threshold": None, "dominance": {"n": 2, "share": 0.85}},
    {"threshold": 4, "dominance": {"n": 1, "share": 0.3}, "p_percent": 0.333},
]


def published(folder, name):
    """A published table by the labels and levels of its dimensions: of every measure value and
    status."""
    found = {}
    for row in rows_of(folder / "release.duckdb", f'SELECT * FROM "{name}"'):
        count = len(row) - 2 * len(MEASURES)
        key = tuple((row[at], row[at + 1]) for at in range(0, count, 2))
        assert key not in found
        found[key] = [(row[at], row[at + 1]) for at in range(count, len(row), 2)]
    return found


@pytest.mark.parametrize("protect", RULES, ids=["threshold", "p%", "dominance", "all rules"])
@pytest.mark.parametrize("people", [300, 60], ids=["in a cell", "in several"])
def test_cells_are_those_of_plain_python(tmp_path, protect, people, monkeypatch):
    made = []
    suppress = protection.suppress

    def kept(policy, plan, of_cells, *more):
        made.append((plan, of_cells, suppress(policy, plan, of_cells, *more)))
        return made[-1][-1]

    monkeypatch.setattr(protection, "suppress", kept)
    rows = tables_of_numbers.rows(300, seed=people, people=people)
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, rows)
    policy = policy_on(engine, **protect)
    anonsql.tabulate(policy)
    oracle = cells(policy, rows)
    hidden = dict.fromkeys(MEASURES, 0)
    for name in policy.tables:
        shown = published(tmp_path, name)
        assert shown.keys() == oracle[name].keys()
        for key, cell in oracle[name].items():
            told = zip(MEASURES, shown[key], true_values(cell), forbidden(policy.protect, cell))
            for measure, (value, status), true, primary in told:
                hidden[measure] += status == "hidden"
                if status == "published":
                    assert not primary and Fraction(value) * UNITS.get(measure, 1) == true
                else:
                    assert status == "hidden" and value is None
    assert all(hidden[name] for name in ("cost", "days", "score"))
    of_plain_python(policy, oracle, *made[0])


def of_plain_python(policy, oracle, plan, found: Cells, protected):
    """Cells, their contributors, what is primary, and relations, each as often as in Python."""
    once = {}
    for name, table in policy.tables.items():
        for key, cell in oracle[name].items():
            by_name = dict(zip(table.by, key))
            once[tuple(by_name.get(by, ("*", None)) for by in policy.statistics.by)] = cell
    totals = {by: len(levels) - 1 for by, levels in tables_of_numbers.LEVELS.items()}
    once = {
        tuple(
            (label, totals[by] if level is None else level)
            for by, (label, level) in zip(policy.statistics.by, key)
        ): cell
        for key, cell in once.items()
    }
    expected = []
    for key, cell in once.items():
        values = true_values(cell)
        if policy.protect.of_sums:
            count = policy.protect.contributors
            for name in UNITS:
                amounts = sorted((abs(own[name]) for own in cell[1].values()), reverse=True)
                values += [sum(amounts), sum(amounts[:count]), *[*amounts, 0][:2]]
        flags = forbidden(policy.protect, cell)
        expected.append((tuple(level for _, level in key), *values, *flags))
    heights = {a.index: a.height for a in plan.attributes}
    levels = {
        vector.number: tuple(heights[i] if at is None else at for i, at in vector.levels.items())
        for vector in plan.vectors
    }
    columns = [found.of(measure) for measure in plan.measures]
    if policy.protect.of_sums:
        columns += [part for entry in plan.sums for part in found.ranks(entry)]
    columns += [protected.primary[measure.name] for measure in plan.measures]
    got = [
        (levels[int(found.counted["v"][at])], *(column[at].item() for column in columns))
        for at in range(found.size)
    ]
    assert sorted(got) == sorted(expected)
    assert tied(found) == tied_in_python(once, totals)


def tied(found):
    """By the relation's whole and its parts, their rows."""
    matrix = found.relations.matrix.tocsr()
    counts = found.counted["n"]
    sides = []
    for at in range(matrix.shape[0]):
        line = slice(matrix.indptr[at], matrix.indptr[at + 1])
        of = {
            sign: sorted(counts[matrix.indices[line][matrix.data[line] == sign]].tolist())
            for sign in (1, -1)
        }
        sides.append((of[1], of[-1]))
    return sorted(sides)


def tied_in_python(once, totals):
    """The same of cells in plain Python: a cell, and those one level below in one dimension."""
    parts = {}
    for key, cell in once.items():
        for at, ((label, level), top) in enumerate(zip(key, totals.values())):
            if level == top:
                continue
            above = "*" if level + 1 == top else up(list(totals)[at], label)
            whole = (*key[:at], (above, level + 1), *key[at + 1 :])
            if whole in once:
                parts.setdefault((whole, at), []).append(cell[0])
    return sorted(([once[whole][0]], sorted(counts)) for (whole, _), counts in parts.items())


def up(by, label):
    """The label that a value's is part of."""
    value = int(label) if by == "age" and label is not None else label
    return tables_of_numbers.LEVELS[by][1](value)
