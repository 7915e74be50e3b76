"""What verification says of classes by a statement of its own, against brute force and against what
the search says."""

from collections import defaultdict
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column
from anonsql.privacy.promise import Promise
from anonsql.sql import templates
from anonsql.star.coded import Coded

from . import model_oracle
from .models import cases
from .support import opened, term

PATHS = {
    None: ("N", "x", "*"),
    1: ("1", "x", "*"),
    2: ("2", "y", "*"),
    3: ("3", "y", "*"),
    7: ("7", "z", "*"),
}


class Tree:
    """What the templates ask of a hierarchy."""

    height = 2


def coded(kind):
    """A column of integers as a model needs it."""
    return Coded(
        3,
        Column("d", "INTEGER"),
        ordered=kind == "ordered",
        measured=kind in ("range", "span"),
        attribute=Tree() if kind == "hierarchical" else None,
        named=("2", "3") if kind == "alpha" else (),
    )


def said(rows, promise, of, judging):
    """Which classes keep a promise by the statements of the prover, or by those of the search."""
    prover = judging == "verification/keeping"
    values, groups = ("reference_3", "branches_3") if prover else ("values_3", "groups_3")
    with opened(":memory:") as connection:
        run = connection.execute
        run("CREATE TABLE own (k VARCHAR, d INTEGER)")
        connection.executemany("INSERT INTO own VALUES (?, ?)", rows)
        run("CREATE TABLE counted AS SELECT d AS q3, COUNT(*) AS n FROM own GROUP BY d")
        if prover:
            made = templates.render("verification/reference", a=of, whole="counted")
        else:
            made = templates.render("privacy/values", a=of, counted="counted")
        run(f"CREATE TABLE {values} AS {made}")
        if of.attribute is not None:
            run("CREATE TABLE dim_3 (value INTEGER, g0 INTEGER, g1 INTEGER)")
            tops = {"x": 0, "y": 2, "z": 7}
            connection.executemany(
                "INSERT INTO dim_3 VALUES (?, ?, ?)",
                [(v, v or 0, tops[path[1]]) for v, path in PATHS.items()],
            )
            made = templates.render("verification/branches" if prover else "privacy/groups", a=of)
            run(f"CREATE TABLE {groups} AS {made}")
        run(
            "CREATE TABLE judged AS SELECT o.k, COALESCE(v.code, 0) AS x3, COUNT(*) AS n FROM own"
            f" AS o LEFT JOIN {values} AS v ON v.value = o.d GROUP BY o.k, COALESCE(v.code, 0)"
        )
        found = run(templates.render(judging, table="judged", keys=["k"], promise=promise))
        return {name: (n, ok) for name, n, ok in found.fetchall()}


def oracle(model, values, whole):
    """Whether a class keeps a model, value by value."""
    order = sorted(set(whole), key=lambda value: (value is not None, value))
    known = [value for value in whole if value is not None]
    bound = float(model.bound)
    checks = {
        "distinct": lambda: model_oracle.distinct(values, bound),
        "entropy": lambda: model_oracle.entropy(values, bound),
        "recursive": lambda: model_oracle.recursive(values, int(bound), float(model.other)),
        "equal": lambda: model_oracle.equal_distance(values, whole) <= bound + 1e-9,
        "ordered": lambda: model_oracle.ordered_distance(values, whole, order) <= bound + 1e-9,
        "hierarchical": lambda: (
            model_oracle.hierarchical_distance(values, whole, PATHS) <= bound + 1e-9
        ),
        "span": lambda: model_oracle.span(values) >= bound,
        "range": lambda: (
            model_oracle.span(values) >= bound * (max(known) - min(known) if known else 0) - 1e-9
        ),
        "alpha": lambda: model_oracle.alpha(values, bound, (2, 3)),
    }
    if model.kind in checks:
        return checks[model.kind]()
    return cases("KEEPS")[model.kind](values, whole, bound)


def model_of(kind, bound, other="0"):
    """A model of the column."""
    height = 2 if kind == "hierarchical" else 1
    return term(kind, Decimal(bound), Decimal(other), 3, height)


MODELS = (
    *(model_of("distinct", "2"), model_of("distinct", "3")),
    *(model_of("entropy", "1.5"), model_of("entropy", "2")),
    *(
        model_of("recursive", "2", "1.5"),
        model_of("recursive", "2", "1"),
        model_of("recursive", "3", "4"),
    ),
    *(model_of("equal", "0.25"), model_of("equal", "0.5")),
    *(model_of("ordered", "0.125"), model_of("ordered", "0.3")),
    *(model_of("hierarchical", "0.25"), model_of("hierarchical", "0.4")),
    *(model_of("span", "1"), model_of("span", "5"), model_of("range", "0.5")),
    *(model_of("alpha", "0.5"), model_of("alpha", "0.25")),
    *(model_of(kind, bound) for kind, bounds in cases("BOUNDS").items() for bound in bounds),
)
ROWS = st.lists(
    st.tuples(st.sampled_from([None, "a", "b"]), st.sampled_from(list(PATHS))),
    min_size=1,
    max_size=14,
)


@pytest.mark.parametrize(
    "model", MODELS, ids=lambda letter: f"{letter.kind}-{letter.bound}-{letter.other}"
)
@given(ROWS)
@settings(max_examples=5, deadline=None)
def test_classes_are_judged_as_by_hand_and_as_by_the_search(model, rows):
    own = defaultdict(list)
    for name, value in rows:
        own[name].append(value)
    whole = [value for _, value in rows]
    of, promise = coded(model.kind), Promise(2, (model,), (3,))
    found = said(rows, promise, of, "verification/keeping")
    assert found == {
        name: (len(values), len(values) >= 2 and oracle(model, values, whole))
        for name, values in own.items()
    }
    assert found == said(rows, promise, of, "privacy/classes")


def test_a_least_presence_is_owed_to_groups_without_a_row():
    """Rows of the table and of the population by class: all of one, some of another, none of a
    third."""
    asked = Promise(1, (term("presence", Decimal("0.9"), Decimal("0.1")),), population=True)
    rows = (
        "SELECT * FROM (VALUES ('a', 2, 2), ('b', 1, 3), ('c', 0, 4), ('d', 1, 20)) AS t (k, n, p)"
    )
    for template in ("verification/keeping", "privacy/classes"):
        with opened(":memory:") as connection:
            connection.execute(f"CREATE TABLE judged AS {rows}")
            found = connection.execute(
                templates.render(template, table="judged", keys=["k"], promise=asked)
            ).fetchall()
        assert sorted(found) == [("a", 2, False), ("b", 1, True), ("c", 0, False), ("d", 1, False)]
