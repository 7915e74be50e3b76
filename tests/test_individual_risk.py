"""The risk of rows by what they stand for, against published values and against the integral."""

from collections import defaultdict
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column, Context
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import PolicyError
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.risks import individual
from anonsql.risks.individual import Sampled
from anonsql.risks.kept.counting import Compared
from anonsql.system.journal import Journal

POINTS, SHARES = np.polynomial.legendre.leggauss(400)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    context = Context(tmp_path_factory.mktemp("risk"), EngineSettings(), Journal())
    with closing(DuckDBEngine(Location("duckdb", Path("none")), context)) as made:
        yield made


def risk(f, p):
    """The integral, by Gauss: over t with v = t ** 2, which is smooth where p is small, too."""
    if p >= 1:
        return 1 / f
    t = (POINTS + 1) / 2
    v = t**8
    return float((SHARES / 2) @ (v ** (f - 1) * p / (p + (1 - p) * v) * 8 * t**7))


def sampled(engine, rows, **more):
    """Rows of a group, a weight and a person."""
    types = {"g": "VARCHAR", "w": "DOUBLE", "person": "INTEGER"}
    engine.drop("t")
    engine.load("t", list(types.items()), rows)
    return Sampled(("t",), [Compared(Column("g", "VARCHAR"))], **more)


@pytest.mark.parametrize(
    "rows,members,expected",
    [(1, 45.5, 0.08579129), (1, 17, 0.17707583), (2, 100, 0.01877883), (3, 108, 0.01355297)],
)
def test_published_values(engine, rows, members, expected):
    """The vectors of sdcMicro's own tests."""
    found, stands_for = individual.of_rows(
        engine, sampled(engine, [("a", members / rows, 1)] * rows, weight="w"), 0.05
    )
    assert found.highest == pytest.approx(expected, abs=5e-9)
    assert stands_for == pytest.approx(members)
    assert (found.units, found.above) == (rows, rows * (expected > 0.05))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.floats(1e-4, 1))
def test_the_risk_is_the_integral(engine, f, fraction):
    rows = sampled(engine, [("a", 1 / fraction, 1)] * f, weight="w")
    found, _ = individual.of_rows(engine, rows, 0.5)
    assert found.highest == pytest.approx(risk(f, fraction), rel=1e-7)
    assert found.expected == pytest.approx(f * found.highest)
    by_sizes = individual.of_sizes([(f, 3), (f + 1, 2)], fraction, 0.5)
    assert by_sizes.highest == pytest.approx(risk(f, fraction), rel=1e-9)
    both = 3 * f * risk(f, fraction) + 2 * (f + 1) * risk(f + 1, fraction)
    assert by_sizes.expected == pytest.approx(both, rel=1e-9)
    above = [size * n for size, n in ((f, 3), (f + 1, 2)) if risk(size, fraction) > 0.5]
    assert (by_sizes.units, by_sizes.above) == (5 * f + 2, sum(above))


A, B, C = (2, 3, 2, 2, 3, 3, 1, 2), (3, 3, 3, 3, 3, 3, 4, 3), (1, 3, 1, 2, 1, 1, 1, 1)
WEIGHTS = (18, 45.5, 39, 17, 92, 8, 123.5, 51)
F, MEMBERS = (3, 1, 3, 1, 2, 2, 1, 3), (108, 45.5, 108, 17, 100, 100, 123.5, 108)
F_NULL, MEMBERS_NULL = (3, 1, 4, 2, 2, 2, 1, 3), (108, 45.5, 125, 56, 100, 100, 123.5, 108)


@pytest.mark.parametrize(
    "nulls,sizes,members", [((), F, MEMBERS), ((2, 6), F_NULL, MEMBERS_NULL)], ids=["all", "nulls"]
)
def test_null_matches_anything_as_published(engine, nulls, sizes, members):
    """The vectors of sdcMicro's own tests, each row by itself as a person."""
    values = [None if row in nulls else value for row, value in enumerate(C)]
    table = list(zip(A, B, values, WEIGHTS, range(8), strict=True))
    columns = [Column(name, "INTEGER") for name in "abc"]
    person = Column("person", "INTEGER")
    engine.drop("t")
    engine.load(
        "t", [*[(name, "INTEGER") for name in "abc"], ("w", "DOUBLE"), ("person", "INTEGER")], table
    )
    sample = Sampled(("t",), [Compared(one) for one in columns], weight="w", any_null=True)
    expected = [risk(f, f / stands_for) for f, stands_for in zip(sizes, members, strict=True)]
    found, _ = individual.of_rows(engine, sample, 0.02)
    assert found.units == 8
    assert found.expected == pytest.approx(sum(expected), rel=1e-7)
    assert found.highest == pytest.approx(max(expected), rel=1e-7)
    assert found.above == sum(one > 0.02 for one in expected)
    people = individual.of_people(engine, sample, Compared(person), 0.02)
    assert people.expected == pytest.approx(sum(expected), rel=1e-7)
    assert (people.units, people.above) == (found.units, found.above)
    assert expected[0] == pytest.approx(0.01355297, abs=5e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([None, 0, 1])] * 3), max_size=12), st.floats(0.05, 1))
def test_null_matches_anything(engine, rows, share):
    def alike(one, other):
        pairs = zip(one, other, strict=True)
        return all(a is None or b is None or a == b for a, b in pairs)

    engine.drop("t")
    engine.load("t", [(name, "INTEGER") for name in "abc"], rows)
    columns = [Compared(Column(name, "INTEGER")) for name in "abc"]
    sample = Sampled(("t",), columns, fraction=share, any_null=True)
    expected = [risk(sum(alike(row, other) for other in rows), share) for row in rows]
    found, _ = individual.of_rows(engine, sample, 0.5)
    assert found.units == len(rows)
    assert found.expected == pytest.approx(sum(expected), rel=1e-7)
    assert found.highest == pytest.approx(max(expected, default=0), rel=1e-7)


def test_too_many_sets_of_nulls_are_refused(engine):
    names = "abcde"
    engine.drop("t")
    rows = [tuple(None if bits >> at & 1 else 0 for at in range(5)) for bits in range(17)]
    engine.load("t", [(name, "INTEGER") for name in names], rows)
    columns = [Compared(Column(name, "INTEGER")) for name in names]
    with pytest.raises(PolicyError, match="17 sets of columns are NULL together"):
        individual.of_rows(engine, Sampled(("t",), columns, any_null=True), 0.5)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(0.5, 50), st.integers(1, 4) | st.none()),
        min_size=1,
        max_size=20,
    )
)
def test_people_are_at_risk_by_all_of_their_rows(engine, rows):
    sizes, weights, spared = defaultdict(int), defaultdict(float), defaultdict(lambda: 1.0)
    for group, weight, _ in rows:
        sizes[group] += 1
        weights[group] += weight
    for group, _, person in rows:
        if person is not None:
            spared[person] *= 1 - risk(sizes[group], sizes[group] / weights[group])
    sample = sampled(engine, rows, weight="w")
    found = individual.of_people(engine, sample, Compared(Column("person", "INTEGER")), 0.3)
    assert found.units == len(spared)
    assert found.expected == pytest.approx(sum(1 - share for share in spared.values()), rel=1e-6)
    assert found.highest == pytest.approx(
        max((1 - s for s in spared.values()), default=0), rel=1e-6
    )


@pytest.mark.parametrize("weight,words", [(None, "has none"), (-1, "0 or less"), (0, "0 or less")])
def test_rows_that_stand_for_nobody_are_refused(engine, weight, words):
    sample = sampled(engine, [("a", 2, 1), ("b", weight, 2)], weight="w")
    with pytest.raises(PolicyError, match=f"1 row .*{words}"):
        individual.require_weights(engine, sample, "--weight")


def test_a_table_without_rows(engine):
    found, members = individual.of_rows(engine, sampled(engine, [], weight="w"), 0.05)
    assert (found, members) == (individual.Risks(0, 0, 0, 0), 0)
