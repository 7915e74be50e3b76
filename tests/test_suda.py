"""Special uniques against brute force."""

import math
from collections import Counter
from contextlib import closing
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column, Context
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.risks import suda
from anonsql.risks.kept.counting import Compared
from anonsql.system.journal import Journal


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    context = Context(tmp_path_factory.mktemp("suda"), EngineSettings(), Journal())
    with closing(DuckDBEngine(Location("duckdb", Path("none")), context)) as made:
        yield made


def brute_force(rows, largest):
    """The minimal sample uniques of each row, by counting each set of columns."""
    width = len(rows[0])
    alone = {}
    for size in range(1, width + 1):
        for positions in combinations(range(width), size):
            counts = Counter(tuple(row[at] for at in positions) for row in rows)
            alone[positions] = [counts[tuple(row[at] for at in positions)] == 1 for row in rows]
    return [
        [
            positions
            for positions, single in alone.items()
            if single[number]
            and len(positions) <= largest
            and not any(
                alone[smaller][number]
                for smaller in combinations(positions, len(positions) - 1)
                if smaller
            )
        ]
        for number in range(len(rows))
    ]


def found_in(engine, rows, largest):
    names = [f"c{number}" for number in range(len(rows[0]))]
    columns = [Column(name, "INTEGER") for name in names]
    engine.drop("t")
    engine.load("t", [(name, "INTEGER") for name in names], rows)
    return suda.special_uniques(engine, ("t",), [Compared(one) for one in columns], largest)


def expected_of(rows, largest):
    width = len(rows[0])
    minimal = brute_force(rows, largest)
    subsets = Counter(
        tuple(f"c{at}" for at in positions) for found in minimal for positions in found
    )
    least = {}
    for found in filter(None, minimal):
        scores = least.setdefault(min(map(len, found)), [])
        scores.append(sum(math.factorial(width - len(positions)) for positions in found))
    return subsets, {size: (len(s), sum(s), max(s)) for size, s in least.items()}


@st.composite
def tables(draw):
    width = draw(st.integers(1, 8))
    values = st.one_of(st.none(), st.integers(0, draw(st.integers(0, 4))))
    return draw(st.lists(st.tuples(*[values] * width), min_size=1, max_size=14))


@settings(max_examples=25, deadline=None)
@given(rows=tables(), largest=st.integers(1, 8))
def test_special_uniques_are_those_of_brute_force(engine, rows, largest):
    found = found_in(engine, rows, largest)
    assert (found.subsets, found.least) == expected_of(rows, largest)


def test_more_sets_than_a_number_has_bits(engine):
    """Of nine columns 126 sets of four."""
    random = Random(3)
    rows = [tuple(random.getrandbits(1) for _ in range(9)) for _ in range(70)]
    found = found_in(engine, rows, 6)
    assert (found.subsets, found.least) == expected_of(rows, 6)
    assert any(len(names) > 4 for names in found.subsets)
