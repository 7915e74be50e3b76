"""Several releases of one table together: the sets of rows that they leave, compared with all worlds
that a naive attacker can imagine, and the releases that are refused."""

import itertools
import json
import random
from collections import Counter

import duckdb
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy
from anonsql.verification.attack.together import Read, Together

from .support import job, make_table, policy_data, tree_file, write_policy
from .test_cli import cli, document

# the naive attacker

DIMENSIONS = (*pipeline.DIMENSIONS,)
TYPES = {"age": "INTEGER", "zip": "VARCHAR", "ill": "VARCHAR"}
COLUMNS = {
    "age": {"type": "interval", "widths": [10]},
    "zip": {"type": "mask", "length": 2},
    "ill": "sensitive",
}
LOOKS = {
    "age": ["as it is", "[a,b), 10 wide", "*"],
    "zip": ["as it is", "last 1 of 2 characters hidden", "*"],
}


AGES = [20, 21, 30, 31, None]
ZIPS = ["aa", "ab", "ba", "bb", None]


def label(column, value, level):
    """A value as full-domain releases it."""
    if level == 2:
        return "*"
    if value is None or level == 0:
        return None if value is None else str(value)
    return f"[{value // 10 * 10},{value // 10 * 10 + 10})" if column == "age" else f"{value[0]}*"


def labels(row, levels):
    return tuple(label(name, row[at], levels[at]) for at, name in enumerate(("age", "zip")))


def shown(rows, levels):
    """The rows of a full-domain release."""
    return [(*labels(each, levels), each[2]) for each in rows]


def described(levels):
    """What ``__columns`` says of such a release."""
    return [
        ("age", "quasi-identifying", levels[0], LOOKS["age"][levels[0]]),
        ("zip", "quasi-identifying", levels[1], LOOKS["zip"][levels[1]]),
        ("ill", "sensitive", None, "as it is"),
    ]


ABOUT = [("property", "VARCHAR"), ("value", "VARCHAR")]
LINES = [("column_name", "VARCHAR"), ("role", "VARCHAR"), ("level", "INTEGER")]
LINES += [("looks_like", "VARCHAR")]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A job whose dimension tables have every value that the rows below may have."""
    folder = tmp_path_factory.mktemp("bench")
    every = [(*pair, "x") for pair in itertools.product(AGES, ZIPS)]
    make_table(folder / "source.duckdb", TYPES, every)
    with job(Policy.parse(policy_data(COLUMNS), folder), folder, DIMENSIONS) as opened:
        yield opened


def compared(bench, source, releases, k, *, entity=None):
    """The sets that releases [(numbers of rows, levels)] of a source leave."""
    engine, made = bench.engine, []

    def load(name, columns, rows):
        engine.load(name, columns, rows)
        made.append(name)
        return (name,)

    comparison = Together(engine, load("people", list(TYPES.items()), source))
    try:
        placed = []
        for number, (chosen, levels) in enumerate(releases):
            name = f"r{number}"
            texts = [(each, "VARCHAR") for each in TYPES]
            tables = ReleaseTables(
                engine,
                load(name, texts, shown([source[each] for each in chosen], levels)),
                load(f"{name}__about", ABOUT, [("method", "full-domain")]),
                load(f"{name}__columns", LINES, described(levels)),
            )
            read = Read(name, tables, bench.policy, bench.counted.attributes)
            placed.append(comparison.place(read, ["age", "zip"]))
        return comparison.sets(placed, k, entity)
    finally:
        comparison.drop()
        for name in made:
            engine.drop(name)


def worlds(source, releases):
    """All that may have been: for each release every set of rows of the source that is released as
    the release is, labels and kept values."""
    possible = []
    for chosen, levels in releases:
        shown = Counter((*labels(source[each], levels), source[each][2]) for each in chosen)
        keys = [(*labels(each, levels), each[2]) for each in source]
        by_key = [
            itertools.combinations([at for at, key in enumerate(keys) if key == wanted], count)
            for wanted, count in shown.items()
        ]
        possible.append([set(itertools.chain(*parts)) for parts in itertools.product(*by_key)])
    return itertools.product(*possible)


def sets_of(source, releases, world):
    """The sizes of the sets of rows with one trace, those aside that nothing was released of."""
    traces = Counter(
        tuple(
            labels(row, levels) if at in chosen else None
            for chosen, (_, levels) in zip(world, releases, strict=True)
        )
        for at, row in enumerate(source)
    )
    return [count for trace, count in traces.items() if any(each is not None for each in trace)]


ROWS = st.tuples(
    st.sampled_from(AGES),
    st.sampled_from(ZIPS),
    st.sampled_from(["x", "y", None]),
)
RELEASES = st.tuples(
    st.lists(st.booleans(), min_size=8, max_size=8),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
)


def chosen_of(source, drawn):
    """Releases as numbers of rows and levels; one row at least."""
    return [
        ([at for at in range(len(source)) if chosen[at]] or [0], levels) for chosen, levels in drawn
    ]


@settings(
    deadline=None, max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(ROWS, min_size=1, max_size=8),
    st.lists(RELEASES, min_size=2, max_size=3),
    st.sampled_from([2, 3]),
)
@example([(20, "aa", "x")] * 6, [([True] * 4 + [False] * 4, (0, 0)), ([True] * 8, (1, 1))], 2)
@example(
    [(20, "aa", "x")] * 3 + [(20, "ab", "x")] * 5,
    [([True, True, False, True, True, True, False, False], (0, 1)), ([True] * 8, (0, 0))],
    2,
)
def test_all_worlds_that_may_have_been(bench, source, drawn, k):
    releases = chosen_of(source, drawn)
    found = compared(bench, source, releases, k)
    all_sizes = [sets_of(source, releases, world) for world in worlds(source, releases)]
    if not found.small_rows and not found.undetermined:
        assert all(min(sizes, default=k) >= k for sizes in all_sizes)
    if not found.undetermined:
        assert all((min(sizes, default=k) < k) == bool(found.small_rows) for sizes in all_sizes)
    if len(all_sizes) == 1 and not found.undetermined:
        (sizes,) = all_sizes
        assert found.rows == min(sizes, default=0) and found.sets == len(sizes)
        assert found.released == sum(sizes)
        assert found.small_rows == sum(each for each in sizes if each < k)


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(ROWS, min_size=1, max_size=8), st.lists(RELEASES, min_size=2, max_size=4))
def test_rows_that_a_kept_value_names_are_followed(bench, drawn_rows, drawn):
    """Whatever was released of them: the traces are known, and so is everything."""
    source = [(*row[:2], f"p{at}") for at, row in enumerate(drawn_rows)]
    releases = chosen_of(source, drawn)
    found = compared(bench, source, releases, 2)
    sizes = sets_of(source, releases, [set(chosen) for chosen, _ in releases])
    assert found.undetermined == 0
    assert (found.sets, found.rows, found.released, found.small_rows) == (
        len(sizes),
        min(sizes, default=0),
        sum(sizes),
        sum(each for each in sizes if each < 2),
    )
