"""Models about sensitive columns in several tables, against brute force on tiny databases."""

from collections import Counter
from functools import partial
from math import floor

import duckdb
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError

from . import clinic
from . import relational_oracle as oracle
from .relational_oracle import Row
from .support import insert
from .test_relational_search import HEIGHTS, HIERARCHIES, NAMES, REFERS, policy

CHAINS = {"p": (), "v": ("v", "r"), "r": ("v", "r"), "w": ("w",)}
"""The tables on one chain with each, but that of people."""
MODELS = {
    "distinct": ({"l_diversity": 2}, oracle.distinct(2)),
    "entropy": ({"l_diversity": {"type": "entropy", "l": 1.8}}, oracle.entropy(1.8)),
    "recursive": ({"l_diversity": {"type": "recursive", "l": 2, "c": 1.5}}, oracle.recursive(1.5, 2)),
    "alpha": ({"alpha_k": {"alpha": 0.6}}, oracle.alpha(0.6)),
    "alpha of one": ({"alpha_k": {"alpha": 0.5, "values": ["i"]}}, oracle.alpha(0.5, "i")),
    "equal": ({"t_closeness": 0.3}, oracle.equal(0.3)),
    "beta": ({"beta_likeness": 0.7}, oracle.beta(0.7)),
    "delta": ({"delta_disclosure": 1.1}, oracle.delta(1.1)),
}  # fmt: skip
MONOTONE = ("distinct",)

lower = st.sampled_from("xy")
secret = st.sampled_from(["i", "j", None])
row_r = st.builds(lambda c, s: ("r", {"c": c}, s, []), lower, secret)
row_v = st.builds(
    lambda b, s, rs: ("v", {"b": b}, s, rs), lower, secret, st.lists(row_r, max_size=2)
)
row_w = st.builds(lambda d, s: ("w", {"d": d}, s, []), lower, secret)
person = st.builds(
    lambda a, s, vs, ws: ("p", {"a": a}, s, [*vs, *ws]),
    st.sampled_from("abc"),
    secret,
    st.lists(row_v, max_size=2),
    st.lists(row_w, max_size=1),
)
clinics = st.lists(person, min_size=4, max_size=7)
LIMITS = st.sampled_from(
    [{"p": 0.3}, {"p": 0.6}, {"p": 0.5, "v": 0.5}, {"p": 0.5, "r": 0.9, "w": 0.5}]
)
FEW = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def grown(given):
    """A tree of rows from nested tuples."""
    table, values, told, below = given
    row = Row(table, dict(values), secret=told)
    for each in below:
        row.add(grown(each))
    return row


def everyone(person):
    return [person, *person.all_below()]


def make(path, people):
    """A database of the people, with keys, references and secrets."""
    path.unlink(missing_ok=True)
    rows = {name: [] for name in NAMES}

    def put(row, above):
        key = len(rows[row.table])
        values = (row.values[name] for name in NAMES[row.table])
        rows[row.table].append((key, above, *values, row.secret))
        for each in row.below:
            put(each, key)

    for each in people:
        put(each, None)
    with duckdb.connect(str(path)) as connection:
        for name, columns in NAMES.items():
            fields = ", ".join(f"{column} VARCHAR" for column in (*columns, "s"))
            connection.execute(f"CREATE TABLE {name} (id INTEGER, up INTEGER, {fields})")
            if rows[name]:
                insert(connection, name, rows[name])
        connection.execute("ALTER TABLE p DROP COLUMN up")


def promising(path, k, known_rows, limits, asked):
    """The policy of such a database; ``asked`` are pairs of a table and a model."""
    made = policy(path, k, known_rows, limits)
    for name in NAMES:
        made["tables"][name]["columns"]["s"] = {"role": "sensitive"}
    for table, model in asked:
        for name, parameters in MODELS[model][0].items():
            made["privacy"].setdefault(name, {})[f"{table}.s"] = parameters
    return made


def required(people, asked):
    """What brute force asks of classes."""
    found = []
    for table, model in asked:
        whole = oracle.reference(people, table)
        found.append((table, CHAINS[table], partial(MODELS[model][1], whole=whole)))
    return found


def has_named(people, asked):
    """Whether the values that policies name are there."""
    named = [table for table, model in asked if model == "alpha of one"]
    rows = [row for each in people for row in everyone(each)]
    return all(any(r.table == table and r.secret == "i" for r in rows) for table in named)


def expected(given, k, known_rows, limits, asked):
    """The satisfying nodes by brute force, with what they suppress."""
    first = [grown(each) for each in given]
    total = Counter(row.table for each in first for row in everyone(each))
    models = required(first, asked)
    may_go = [name for name in NAMES if name != "p" and floor(limits.get(name, 0) * total[name])]
    found = {}
    for levels in oracle.every_node(HEIGHTS):
        people = [grown(each) for each in given]
        left, alone, _ = oracle.suppressed(
            people, levels, HIERARCHIES, k, known_rows, may_go, models
        )
        if all(alone[name] <= floor(limits.get(name, 0) * total[name]) for name in NAMES):
            found[tuple(sorted(levels.items()))] = (len(left), +alone)
    return found


ASKED = st.lists(
    st.tuples(st.sampled_from("pvrw"), st.sampled_from(list(MODELS))),
    min_size=1,
    max_size=2,
    unique_by=(lambda pair: (pair[0], *MODELS[pair[1]][0]), lambda pair: pair[0]),
)


@FEW
@given(clinics, st.sampled_from([0, 1, 2, 3, "all"]), LIMITS, ASKED)
def test_the_satisfying_nodes_are_those_of_brute_force(tmp_path, people, known_rows, limits, asked):
    assume(has_named(map(grown, people), asked))
    path = tmp_path / "tiny.duckdb"
    make(path, map(grown, people))
    report = anonsql.search(promising(path, 2, known_rows, limits, asked))
    found = {
        tuple(sorted(node.levels.items())): (
            node.released["p"],
            Counter({name: rows for name, rows in node.suppressed.items() if rows}),
        )
        for node in report.nodes
    }
    assert found == expected(people, 2, known_rows, limits, asked)


def released(path):
    """The people of a release, joined by its keys."""
    by_key = {}
    with duckdb.connect(str(path), read_only=True) as connection:
        for name, columns in NAMES.items():
            up = "up" if name in REFERS else "NULL"
            for key, above, told, *values in connection.execute(
                f"SELECT id, {up}, s, {', '.join(columns)} FROM {name}"
            ).fetchall():
                row = by_key[name, key] = Row(name, dict(zip(columns, values)), secret=told)
                if name in REFERS:
                    by_key[REFERS[name], above].add(row)
    return [row for (name, _), row in by_key.items() if name == "p"]


def broken(people, known_rows, models):
    """What brute force finds wrong with released people."""
    labels = {id(row): tuple(row.values.values()) for each in people for row in everyone(each)}
    whole = known_rows == "all"

    def kind(each):
        return oracle.tree(each, labels) if whole else labels[id(each)]

    return [
        found
        for size in (range(2) if whole else range(known_rows + 1))
        for found in oracle.breaking(people, labels, size, models, kind)
    ]


@FEW
@given(clinics, st.sampled_from([0, 1, 2, "all"]), LIMITS, ASKED)
def test_what_is_published_keeps_the_models(tmp_path, people, known_rows, limits, asked):
    """Also what the proof takes for granted: where rows are missing it refuses no good release."""
    first = [grown(each) for each in people]
    assume(has_named(first, asked))
    path = tmp_path / "tiny.duckdb"
    make(path, first)
    given_policy = promising(path, 2, known_rows, limits, asked)
    try:
        report = anonsql.run(given_policy)
    except PrivacyError:
        assert not expected(people, 2, known_rows, limits, asked)
        return
    assert report.loss == min(node.loss for node in anonsql.search(given_policy).nodes)
    assert broken(released(path.with_name("out.duckdb")), known_rows, required(first, asked)) == []
    assert anonsql.verify(given_policy).promises == report.promises != {}


def told_otherwise(given):
    """A person who differs in secrets alone."""
    table, values, told, below = given
    other = {"i": "j", "j": None, None: "i"}
    return table, values, other[told], [told_otherwise(each) for each in below]


@settings(FEW, max_examples=30)
@given(st.lists(person, min_size=1, max_size=3), st.sampled_from([0, 1, 2, "all"]), ASKED)
def test_verify_counts_as_brute_force_does(tmp_path, people, known_rows, asked):
    """A release in which nobody is missing, made without models, that says that it keeps some."""
    everybody = [grown(each) for each in (*people, *map(told_otherwise, people))]
    path = tmp_path / "tiny.duckdb"
    make(path, everybody)
    anonsql.run(promising(path, 2, known_rows, {}, []))
    stated = promising(path, 2, known_rows, {}, asked)
    facts = anonsql.policy.given.of(stated).model_facts
    out = path.with_name("out.duckdb")
    with duckdb.connect(str(out)) as connection:
        connection.executemany("INSERT INTO p__about VALUES (?, ?)", list(facts.items()))
    wrong = broken(released(out), known_rows, required(everybody, asked))
    if wrong:
        with pytest.raises(VerificationError, match="do not keep"):
            anonsql.verify(stated)
    else:
        assert anonsql.verify(stated).promises == facts
