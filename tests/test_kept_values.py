"""Whether released rows can be the source's with the values that they keep, against every
assignment."""

import random
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import anonsql
from anonsql.errors import VerificationError
from anonsql.grammar.labels import elements_of
from anonsql.jobs import pipeline
from anonsql.policy.columns import KEPT
from anonsql.verification.linking import rows as rows_of_source
from anonsql.verification.linking.link import Link

from .support import edit, job, opened, policy_over, rows_of

DIMENSIONS = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)
TYPES = {"a": "INTEGER", "b": "INTEGER", "s": "VARCHAR"}


@pytest.fixture(scope="module")
def rings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rings")
    rnd = random.Random(5)
    rows = [(rnd.randrange(12), rnd.randrange(4), "abcdef"[n % 6]) for n in range(30)]
    columns = {"a": {"type": "suppression"}, "b": {"type": "suppression"}, "s": "sensitive"}
    policy = policy_over(
        folder,
        TYPES,
        rows,
        columns,
        k=3,
        method={"type": "ring", "seed": 4},
        release={"bounds": False},
        privacy={"l_diversity": {"s": 3}},
    )
    anonsql.run(policy)
    assert anonsql.verify(policy, against_source=True).against_source.with_kept_values
    return rows, policy


def possible(rows, released):
    """Whether every released row can be a row of its own that has its sensitive value and lies in
    its sets."""

    def holds(label, value):
        return str(value) in (elements_of(label) or [label])

    cost = np.array(
        [[not (holds(a, x) and holds(b, y) and s == z) for x, y, z in rows] for a, b, s in released]
    )
    return not cost[linear_sum_assignment(cost)].any()


@contextmanager
def narrowed(policy, number, rnd):
    """The release with one element less in a set of one row."""
    path = policy.path("release.duckdb")
    (row, label), *_ = rnd.sample(rows_of(path, "SELECT rowid, a FROM r WHERE a LIKE '{%'"), 1)
    words = elements_of(label)
    words.remove(rnd.choice(words))
    less = "{" + ", ".join(words) + "}" if len(words) > 1 else words[0]
    with opened(path) as connection:
        connection.execute("UPDATE r SET a = ? WHERE rowid = ?", [less, row])
    yield
    with opened(path) as connection:
        connection.execute("UPDATE r SET a = ? WHERE rowid = ?", [label, row])


def test_a_set_that_lost_a_true_value(rings):
    """With the sensitive values kept, what no assignment allows is found, and nothing else. Which
    rows are altered is chance, for the rows of a release are in a random order: it is done until
    one is found."""
    rows, policy = rings
    rnd, answers = random.Random(6), []
    with job(policy, policy.path("judged"), DIMENSIONS) as made:
        for number in range(60):
            if number >= 12 and False in answers:
                break
            with narrowed(policy, number, rnd), made.target.published() as published:
                sides = made.engine, published, policy, made.opened.source, made.counted.attributes
                with Link.between(*sides, roles=KEPT) as link:
                    verdict = not rows_of_source.all_together(link)
                released = rows_of(policy.path("release.duckdb"), "SELECT a, b, s FROM r")
            answers.append(verdict)
            assert verdict == possible(rows, released)
    assert False in answers


def test_a_swapped_value_is_found(tmp_path):
    rows = [(n, n % 4, f"n{n}") for n in range(12)]
    columns = {"a": {"type": "suppression"}, "b": {"type": "suppression"}, "s": "sensitive"}
    policy = policy_over(tmp_path, TYPES, rows, columns, k=3, method={"type": "mondrian"})
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    swapped = "CASE s WHEN 'n0' THEN 'n11' WHEN 'n11' THEN 'n0' ELSE s END"
    edit(tmp_path / "release.duckdb", f"UPDATE r SET s = {swapped}")
    anonsql.verify(policy)
    with pytest.raises(
        VerificationError,
        match=r"2 released rows (have sensitive|, with their)",
    ):
        anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize(
    ("column", "type_"),
    [("n", "VARCHAR"), ("n", "BIGINT"), ("d", "DECIMAL(10,2)"), ("t", "VARCHAR"), ("u", "VARCHAR")],
)
def test_a_kept_column_of_another_type_is_refused(tmp_path, column, type_):
    types = {"a": "INTEGER", "n": "INTEGER", "d": "DOUBLE", "t": "TIMESTAMP", "u": "HUGEINT"}
    rows = [(n % 4, n, n / 4, f"2020-01-{n + 1:02} 10:00:00", 10**30 + n) for n in range(12)]
    kept = dict.fromkeys("ndtu", "insensitive")
    columns = {"a": {"type": "suppression"}, **kept, "t": "sensitive"}
    policy = policy_over(tmp_path, types, rows, columns, k=3)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    edit(tmp_path / "release.duckdb", f"ALTER TABLE r ALTER {column} TYPE {type_}")
    if column == "u":  # which would be text if one of its values did not fit
        assert anonsql.verify(policy, against_source=True).status == "verified"
        return
    with pytest.raises(
        VerificationError, match=f"'{column}' (is|cannot be compared:) .* in the release"
    ):
        anonsql.verify(policy, against_source=True)
