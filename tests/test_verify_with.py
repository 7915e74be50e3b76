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
from anonsql.commands.verify_with import audit
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy

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


def label(column, value, level):
    """A value as full-domain releases it."""
    if level == 2:
        return "*"
    if value is None or level == 0:
        return None if value is None else str(value)
    return f"[{value // 10 * 10},{value // 10 * 10 + 10})" if column == "age" else f"{value[0]}*"


def labels(row, levels):
    return tuple(label(name, row[at], levels[at]) for at, name in enumerate(("age", "zip")))


def publish(path, rows, levels, *, release=None, columns=("age", "zip", "ill"), masked=0):
    """A full-domain release of some rows, written by hand; of some ``columns`` only."""
    path.unlink(missing_ok=True)
    shown = [dict(zip(("age", "zip", "ill"), (*labels(each, levels), each[2]), strict=True))
             for each in rows]
    shown += [{"age": "*", "zip": "*", "ill": "x"}] * masked
    make_table(
        path,
        dict.fromkeys(columns, "VARCHAR"),
        [tuple(each[name] for name in columns) for each in shown],
        "r",
    )
    facts = {"anonsql": "by hand", "method": "full-domain", "k": 2, "masked": masked}
    facts |= {} if release is None else {"release": release}
    text = {"property": "VARCHAR", "value": "VARCHAR"}
    make_table(path, text, [(name, str(value)) for name, value in facts.items()], "r__about")
    lines = [
        ("age", "quasi-identifying", levels[0], LOOKS["age"][levels[0]]),
        ("zip", "quasi-identifying", levels[1], LOOKS["zip"][levels[1]]),
        ("ill", "sensitive", None, "as it is"),
    ]
    kinds = ("VARCHAR", "VARCHAR", "INTEGER", "VARCHAR")
    names = ("column_name", "role", "level", "looks_like")
    make_table(
        path,
        dict(zip(names, kinds, strict=True)),
        [line for line in lines if line[0] in columns],
        "r__columns",
    )
    return path


def audited(folder, source, releases, k=2, **more):
    """What the audit says of releases [(numbers of rows, levels)] of a source."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.duckdb"):
        old.unlink()
    make_table(folder / "source.duckdb", TYPES, source)
    policy = Policy.parse(policy_data(COLUMNS, k=k, **more), folder)
    for number, (chosen, levels) in enumerate(releases):
        name = "release.duckdb" if number == 0 else f"other{number}.duckdb"
        publish(folder / name, [source[each] for each in chosen], levels)
    others = [folder / f"other{number}.duckdb" for number in range(1, len(releases))]
    with job(policy, folder, DIMENSIONS) as opened, opened.target.published() as published:
        return audit(opened, published, others)


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
        possible.append(
            [set(itertools.chain(*parts)) for parts in itertools.product(*by_key)]
        )
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
    st.sampled_from([20, 21, 30, 31, None]),
    st.sampled_from(["aa", "ab", "ba", "bb", None]),
    st.sampled_from(["x", "y", None]),
)
RELEASES = st.tuples(
    st.lists(st.booleans(), min_size=8, max_size=8),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(ROWS, min_size=1, max_size=8),
    st.lists(RELEASES, min_size=2, max_size=3),
    st.sampled_from([2, 3]),
)
@example(
    [(20, "aa", "x")] * 6, [([True] * 4 + [False] * 4, (0, 0)), ([True] * 8, (1, 1))], 2
)
@example(
    [(20, "aa", "x")] * 3 + [(20, "ab", "x")] * 5,
    [([True, True, False, True, True, True, False, False], (0, 1)), ([True] * 8, (0, 0))],
    2,
)
def test_all_worlds_that_may_have_been(tmp_path, source, drawn, k):
    releases = [
        ([at for at in range(len(source)) if chosen[at]], levels) for chosen, levels in drawn
    ]
    found, offences = audited(tmp_path / "w", source, releases, k=k)
    all_sizes = [sets_of(source, releases, world) for world in worlds(source, releases)]
    assert bool(offences) == bool(found.small_rows or found.undetermined)
    if not offences:
        assert all(min(sizes, default=k) >= k for sizes in all_sizes)
    if not found.undetermined:
        assert all((min(sizes, default=k) < k) == bool(found.small_rows) for sizes in all_sizes)
    if len(all_sizes) == 1 and not found.undetermined:
        (sizes,) = all_sizes
        assert found.smallest == min(sizes, default=0) and found.sets == len(sizes)
        assert found.released == sum(sizes)
        assert found.small_rows == sum(each for each in sizes if each < k)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(ROWS, min_size=1, max_size=8), st.lists(RELEASES, min_size=2, max_size=4))
def test_rows_that_a_kept_value_names_are_followed(tmp_path, drawn_rows, drawn):
    """Whatever was released of them: the traces are known, and so is everything."""
    source = [(*row[:2], f"p{at}") for at, row in enumerate(drawn_rows)]
    releases = [
        ([at for at in range(len(source)) if chosen[at]], levels) for chosen, levels in drawn
    ]
    found, _ = audited(tmp_path / "w", source, releases)
    sizes = sets_of(source, releases, [set(chosen) for chosen, _ in releases])
    assert found.undetermined == 0
    assert (found.sets, found.smallest, found.released, found.small_rows) == (
        len(sizes),
        min(sizes, default=0),
        sum(sizes),
        sum(each for each in sizes if each < 2),
    )
