"""What somebody who knows the method learns by releasing every table that the source might be:
everything in tables of a few rows where labels depend on secrets, and nothing where they do not."""

import itertools
from collections import Counter

import pytest

from . import algorithm_attacks as attacker

TYPES = {"g": "INTEGER", "disease": "VARCHAR"}
COLUMNS = {
    "g": {"role": "qi", "hierarchy": {"type": "interval", "widths": [2, 4]}},
    "disease": "sensitive",
}
DIVERSE = {"l_diversity": {"disease": 2}}
ROWS = [(0, "x"), (0, "x"), (1, "y"), (1, "z"), (1, "w")]


def released(rows, **more):
    found = attacker.release_of(rows, TYPES, COLUMNS, **more)
    assert found is not None
    return found


def remaining(tables, published, **more):
    return attacker.remaining(tables, published, TYPES, COLUMNS, **more)


def test_secrets_are_dealt_in_all_ways():
    """Each as often as there are orders of the rows that give it."""
    rows = [("a", 7), ("a", 7), ("b", 7), ("b", 8), ("c", 9)]
    everything = Counter(
        tuple(sorted((row[0], secret) for row, secret in zip(rows, order, strict=True)))
        for order in itertools.permutations([7, 7, 7, 8, 9])
    )
    dealt = attacker.dealt(rows)
    assert {tuple(sorted(table)) for table in dealt} == set(everything)
    assert len(dealt) == len(everything)
    weights = [attacker._orders(table) for table in dealt]
    share = [everything[tuple(sorted(table))] / everything.total() for table in dealt]
    assert [weight / sum(weights) for weight in weights] == pytest.approx(share)


@pytest.mark.long
@pytest.mark.parametrize("method", ["full-domain", "mondrian", "cell-generalization"])
def test_labels_that_depend_on_secrets_reveal_them(method):
    """Had both rows of g=0 had different values, they would be a class of their own: they have the
    one value that two rows have."""
    asked = {"method": {"type": method}, "privacy": DIVERSE}
    tables = attacker.dealt(ROWS)
    left = remaining(tables, released(ROWS, **asked), **asked)
    assert (len(tables), len(left)) == (7, 1)
    assert attacker.certain(left, (0,)) == "x" and attacker.certain(left, (1,)) is None
    assert (attacker.right(ROWS, tables), attacker.right(ROWS, left)) == (pytest.approx(2), 3)


@pytest.mark.parametrize(
    "asked",
    [
        {"method": {"type": "full-domain", "levels": {"g": 1}}, "privacy": DIVERSE},
        {"method": {"type": "full-domain"}, "k": 3},
        {"method": {"type": "mondrian"}, "k": 3},
    ],
    ids=["named levels", "no promise", "no promise, cut"],
)
def test_labels_that_do_not_depend_on_secrets_reveal_nothing(asked):
    """Named levels, or a promise of k alone: every assignment that the classes allow remains."""
    rows = ROWS[:4]
    tables = attacker.dealt(rows)
    published = released(rows, **asked)
    allowed = attacker.allowed(tables, rows, TYPES, COLUMNS, **asked)
    assert len(allowed) == 4
    assert remaining(tables, published, **asked) == allowed


@pytest.mark.long
def test_some_assignments_are_ruled_out_and_nothing_is_certain():
    """Rows with equal g have equal values, x or y: which, is left open."""
    rows, asked = [(0, "x"), (0, "x"), (1, "y"), (1, "y")], {"privacy": DIVERSE}
    tables = attacker.dealt(rows)
    left = remaining(tables, released(rows, **asked), **asked)
    assert (len(tables), len(left)) == (3, 2)
    assert attacker.certain(left, (0,)) is None


@pytest.mark.long
@pytest.mark.parametrize("method", ["mondrian", "cell-generalization"])
def test_minimal_labels_are_given_finer_values_again(method):
    """Two rows of [0,2) are 0 and 1: of two equal ones the value itself would be released."""
    rows, asked = [(0, "x"), (1, "x")], {"method": {"type": method}}
    tables = attacker.finer([((0, 1), "x")] * 2)
    left = remaining(tables, released(rows, **asked), **asked)
    assert len(tables) == 3 and [sorted(table) for table in left] == [rows]
