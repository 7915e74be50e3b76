"""Random releases with planted faults: verification against the source refuses every fault that an
exact judge of single rows refuses, and nothing that this accepts. Labels are read for the judge by
tests/release_reader.py."""

import random
import shutil
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import anonsql
from anonsql.errors import VerificationError
from anonsql.jobs import pipeline
from anonsql.policy.columns import KEPT
from anonsql.verification.linking import changed_values
from anonsql.verification.linking import rows as rows_of_source
from anonsql.verification.linking.link import Link

from . import release_reader
from .exact_judges.assignment_graph import MatchGraph, judge
from .exact_judges.linked_values import Values, within
from .methods import METHODS
from .support import job, opened, policy_over, rows_of

DIMENSIONS = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)
TYPES = {"age": "INTEGER", "town": "VARCHAR", "ill": "VARCHAR", "note": "VARCHAR"}
COLUMNS = {
    "age": {"type": "interval", "widths": [5, 20]},
    "town": {"type": "taxonomy", "tree": {"N": ["a", "b"], "S": ["c", "d"]}},
    "ill": "sensitive",
    "note": "insensitive",
}
LABELS = [["age", "age_lo", "age_hi"], ["town"]]
OF_ROWS = [
    name
    for name, settings in METHODS.items()
    if settings["type"] not in ("anatomy", "local", "hybrid")
]
"""Methods whose released rows are the source's; tests/test_apart_from_source.py is about those that
release sensitive values apart."""
FAULTS = 6


def made(folder, settings, seed):
    """A policy whose release is published."""
    rnd = random.Random(seed)
    rows = [
        (
            rnd.choice([None, *range(20, 40, 3)]),
            rnd.choice(["a", "b", "c", "d", None]),
            "xyz"[n % 3],
            rnd.choice("uv"),
        )
        for n in range(24)
    ]
    privacy = {"l_diversity": {"ill": 2}} if settings["type"] in ("ring", "homogeneous") else {}
    policy = policy_over(
        folder, TYPES, rows, COLUMNS, k=3, limit=0.5, method=settings, privacy=privacy
    )
    anonsql.run(policy)
    return policy, rnd


def fault(connection, rnd):
    """Plant one fault: values exchanged between two rows, or those of one row given to another."""
    names = [row[0] for row in connection.execute("DESCRIBE r").fetchall()]
    numbers = [row[0] for row in connection.execute("SELECT rowid FROM r").fetchall()]
    one, other = rnd.sample(numbers, 2)
    group = rnd.choice([*LABELS, LABELS[0] + LABELS[1], ["ill"], ["note"]])
    group = [name for name in group if name in names]
    listed = ", ".join(group)
    rows = [
        connection.execute(f"SELECT {listed} FROM r WHERE rowid = ?", [number]).fetchone()
        for number in (one, other)
    ]
    assignments = ", ".join(f"{name} = ?" for name in group)
    update = f"UPDATE r SET {assignments} WHERE rowid = ?"
    connection.execute(update, [*rows[1], one])
    if rnd.random() < 0.5:
        connection.execute(update, [*rows[0], other])


def sides(folder):
    """The rows of the source and of the release, and which labels of the latter may be which of the
    former, line by line."""
    originals = rows_of(folder / "source.duckdb", "FROM t")
    _, columns, released = release_reader.read(folder / "release.duckdb")
    labels = [
        [
            all(columns[name].holds(row[name])(own) for name, own in zip(TYPES, original[:2]))
            for original in originals
        ]
        for row in released
    ]
    return originals, released, np.array(labels)


def graph_of(matches):
    """The graph of single rows; ``matches`` has a line for each released row."""
    tuples, cells = np.nonzero(matches)
    return MatchGraph.of([1] * matches.shape[1], [1] * matches.shape[0], cells, tuples)


def kept_too(originals, released, matches):
    """The matches of rows with equal kept values."""
    same = [
        [tuple(row[name] for name in ("ill", "note")) == original[2:] for original in originals]
        for row in released
    ]
    return matches & np.array(same)


def exact(folder, rings, k):
    """Whether a release is right by its source, by the exact judges."""
    originals, released, matches = sides(folder)
    if judge(graph_of(kept_too(originals, released, matches)), 1)[0].unassigned:
        return False
    if not rings:
        return True
    graph = graph_of(matches)
    verdict, effective = judge(graph, k)
    _, numbers = np.unique([row["ill"] for row in released], return_inverse=True)
    rows = np.arange(len(released))
    return verdict.kept and within(graph, effective, Values(rows, numbers, rows * 0 + 1), k, 2)


def accepted(work, published):
    """Whether verification against the source accepts a release whose classes were proved."""
    of_all = work.engine, published, work.policy, work.opened.source, work.counted.attributes
    with Link.between(*of_all, roles=KEPT, carried=["ill"]) as link:
        try:
            found = rows_of_source.against_source(link, alone=True, elsewhere=False)
        except VerificationError:
            return False
    assert found.together
    return True


@pytest.mark.parametrize("name", OF_ROWS)
def test_faults_in_rows_are_refused(tmp_path, name):
    policy, rnd = made(tmp_path, METHODS[name], len(name))
    file, rings = tmp_path / "release.duckdb", not policy.method.equal_rows_are_classes
    shutil.copy(file, tmp_path / "kept")
    answers = Counter()
    with job(policy, tmp_path / "judged", DIMENSIONS) as work:
        for number in range(FAULTS):
            shutil.copy(tmp_path / "kept", file)
            if number:
                with opened(file) as connection:
                    fault(connection, rnd)
            right = exact(tmp_path, rings, policy.privacy.k)
            with work.target.published() as published:
                assert accepted(work, published) == right
            answers[right] += 1
    assert answers[True]


def test_relocated_rows_beyond_the_budget_are_refused(tmp_path):
    """Changed cells are counted at the least: what is refused is wrong by the exact account, and
    more changed rows than cells may change are never accepted."""
    policy, rnd = made(tmp_path, {"type": "hybrid", "p": 0.05}, 3)
    file = tmp_path / "release.duckdb"
    shutil.copy(file, tmp_path / "kept")
    most, answers = policy.method.max_changed(24, 2), Counter()
    with job(policy, tmp_path / "judged", DIMENSIONS) as work:
        for _ in range(3 * FAULTS):
            shutil.copy(tmp_path / "kept", file)
            with opened(file) as connection:
                for _ in range(rnd.randrange(4)):
                    fault(connection, rnd)
                connection.execute(
                    "UPDATE r__about SET value = ? WHERE property = 'relocated_cells'", [str(most)]
                )
            cells = changed(tmp_path)
            least = int(cells[linear_sum_assignment(cells)].sum())
            unlike = np.where(cells > 9, 99, cells > 0)
            rows = int(unlike[linear_sum_assignment(unlike)].sum())
            source, attributes = work.opened.source, work.counted.attributes
            try:
                with (
                    work.target.published() as published,
                    Link.between(
                        work.engine, published, policy, source, attributes, roles=KEPT
                    ) as link,
                ):
                    found = changed_values.against_source(link)
            except VerificationError:
                assert least > most
                answers["refused"] += 1
                continue
            assert found.rows == rows <= found.cells <= least and found.cells <= most
            answers["accepted"] += 1
    assert answers["refused"] and answers["accepted"]


def changed(folder):
    """How many labels of each released row are not those of each row of the source: ten and more
    where kept values differ."""
    originals = rows_of(folder / "source.duckdb", "FROM t")
    _, columns, released = release_reader.read(folder / "release.duckdb")
    cells = [
        [
            sum(not columns[name].holds(row[name])(own) for name, own in zip(TYPES, original[:2]))
            + 10 * (tuple(row[name] for name in ("ill", "note")) != original[2:])
            for original in originals
        ]
        for row in released
    ]
    return np.array(cells)
