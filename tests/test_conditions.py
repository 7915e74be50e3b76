"""The syntax tree of conditions, and its two readers against DuckDB's own evaluation: conditions of
policies are written as SQL again, conditions of questions become sets of values."""

import datetime as dt
import itertools

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column as TableColumn
from anonsql.errors import PolicyError
from anonsql.grammar import conditions as grammar
from anonsql.grammar.conditions import OPERATORS, read, statements
from anonsql.grammar.expressions import (
    ColumnTerm,
    Null,
    Operation,
    expression_name,
    own_name,
    within,
)
from anonsql.grammar.literals import SqlLiteral, UnsupportedError
from anonsql.labels.domains import Domain
from anonsql.labels.original_columns import OriginalColumn
from anonsql.policy import conditions as of_policy
from anonsql.query.binding import bind
from anonsql.query.parse import parse
from anonsql.query.where import Leaf


def tree(text):
    (parsed,) = statements(text)
    return read(parsed)


def of(operator, *parts):
    return Operation(operator, parts)


A, B = ColumnTerm("a", "a"), ColumnTerm("b", "b")
ONE, TWO = SqlLiteral("1"), SqlLiteral("2")
X = SqlLiteral("x", string=True)
TRUE = SqlLiteral("True", boolean=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", A),
        ("((a))", A),
        ("a = 1", of("=", A, ONE)),
        ("1 != a", of("<>", ONE, A)),
        ("a not like 'x'", of("NOT", of("LIKE", A, X))),
        ("a not in (1, null, 'x')", of("NOT", of("IN", A, ONE, Null(), X))),
        ("a not between 1 and 2", of("NOT", of("BETWEEN", A, ONE, TWO))),
        ("a between symmetric 2 and 1", of("BETWEEN SYMMETRIC", A, TWO, ONE)),
        ("a is not null", of("NOT", of("IS", A, Null()))),
        ("(a = 1) is true", of("IS", of("=", A, ONE), TRUE)),
        ("a and (b and (a or b))", of("AND", A, of("AND", B, of("OR", A, B)))),
        ("a or b or a", of("OR", A, B, A)),
        ("a = -(1)", of("=", A, of("NEG", ONE))),
        ("a * (1 - 2) < +1", of("<", of("*", A, of("-", ONE, TWO)), ONE)),
        ("ifnull(a, b) = 1", of("=", of("COALESCE", A, B), ONE)),
        ("a < date 'x'", of("<", A, SqlLiteral("x", True, cast="date"))),
        ("a < 'x'::timestamp", of("<", A, SqlLiteral("x", True, cast="timestamp"))),
        ("a = try_cast(1 as date)", of("=", A, SqlLiteral("1", cast="date", try_cast=True))),
        ("a = (select 1)", of("=", A, of("a subquery"))),
        ("exists (select 1)", of("a subquery")),
        ("a in (select 1)", of("a subquery")),
        ("max(a) > 1", of(">", of("MAX"), ONE)),
        ("hidden(a)", of("HIDDEN")),
        ("a ilike 'x'", of("ILIKE")),
        ("a = ?", of("=", A, of("PLACEHOLDER"))),
    ],
)
def test_trees(text, expected):
    assert tree(text) == expected


def test_columns_that_are_named_with_their_table_are_told():
    assert [tree(text).unqualified for text in ("a", '"a b"', "t.a", "s.t.a")] == [
        True,
        True,
        False,
        False,
    ]
    assert [expression_name(tree(text)) for text in ("t.a", '"a b"')] == [
        "the column t.a",
        'the column "a b"',
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = cast(1 as integer)", "^CAST is supported only in DATE"),
        ("a = cast(b as date)", "^CAST is supported only in DATE"),
        ("try_cast('1' as integer) = a", "^TRY_CAST is supported only in DATE"),
        ("a = ", "^this is no SQL: "),
        ("'", "^this is no SQL: "),
        ("(" * 3000 + "a" + ")" * 3000, "nested too deeply"),
        ("not " * 3000 + "a", "nested too deeply"),
    ],
)
def test_what_no_reader_can_have_is_refused(text, message):
    with pytest.raises(UnsupportedError, match=message):
        tree(text)


def test_statements_leave_out_what_is_empty():
    assert len(statements("a; ; b; -- c")) == 2
    assert statements("") == statements(";") == statements("-- nothing") == []


def test_all_that_a_tree_is_made_of_is_walked():
    assert list(within(tree("not a = 1"))) == [tree("not a = 1"), of("=", A, ONE), A, ONE]


def test_long_conditions_are_no_deep_ones():
    parts = tree(" or ".join(f"a = {number}" for number in range(3000))).parts
    assert len(parts) == 3000


def test_names_of_columns():
    assert own_name("X", ["x", "X"], "none") == "X" and own_name("x", ["X", "y"], "none") == "X"
    with pytest.raises(UnsupportedError, match="'Xx' can mean any of the columns 'xx', 'XX'"):
        own_name("Xx", ["xx", "XX"], "none")
    with pytest.raises(UnsupportedError, match=r"^none. Did you mean 'town'\?$"):
        own_name("twon", ["town", "n"], "none")


@pytest.mark.parametrize("operator", sorted(set(OPERATORS.values())))
def test_every_operator_has_a_meaning_for_one_of_the_readers(operator):
    """None is in the table that all readers refuse."""
    words = {
        "BETWEEN": "n between 1 and 2",
        "IN": "n in (1, 2)",
        "IS": "n is null",
        "NEG": "-n = 1",
    }
    words |= {"NOT": "not b", "LIKE": "s like 'x%'", "AND": "b and b", "OR": "b or b"}
    words |= {letter: f"n {letter} 1 = 2" for letter in "+-*"}
    words |= {word: f"n {word} 1" for word in ("=", "<>", "<", "<=", ">", ">=")}
    words |= {item: f"{item}(s) = 'x'" for item in ("LOWER", "UPPER", "COALESCE")}
    words |= {"LENGTH": "length(s) = 1", "ABS": "abs(n) = 1"}
    text = words[operator]
    assert operator in {
        entry.operator for entry in within(tree(text)) if isinstance(entry, Operation)
    }
    assert of_policy.parse(text, KINDS).columns


# both readers against DuckDB

KINDS = {"n": "INTEGER", "s": "VARCHAR", "d": "DATE", "b": "BOOLEAN"}
VALUES = (
    [None, -1, 0, 1, 2],
    [None, "", "a", "A", "ab", "B%", "é"],
    [None, *(dt.date(year, 1, 31) for year in (2019, 2020, 2021))],
    [None, True, False],
)
ROWS = list(itertools.product(*VALUES))


@pytest.fixture(scope="module")
def engine():
    with duckdb.connect() as found:
        columns = ", ".join(f"{name} {kind}" for name, kind in KINDS.items())
        found.execute(f"CREATE TABLE t (id INTEGER, {columns})")
        rows = [(number, *row) for number, row in enumerate(ROWS)]
        found.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
        yield found


def true_of(engine, condition):
    return {
        number for (number,) in engine.execute(f"SELECT id FROM t WHERE {condition}").fetchall()
    }


COMPARED = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
NUMBERS = st.sampled_from(["-1", "0", "1", "0.5", "2e0", "-(1)"])
TEXTS = st.sampled_from(["''", "'a'", "'A'", "'ab'", "'é'", "'b'"])
DAYS = st.sampled_from(["DATE '2020-01-31'", "'2019-01-31'", "DATE '2020-12-31'"])
PATTERNS = st.sampled_from(["'a%'", "'%'", "'ab'", "''"])
ATOMS = st.one_of(
    st.builds("n {} {}".format, COMPARED, NUMBERS),
    st.builds("{1} {0} n".format, COMPARED, NUMBERS),
    st.builds("n BETWEEN {} AND {}".format, NUMBERS, NUMBERS),
    st.builds("n NOT IN ({}, {})".format, NUMBERS, NUMBERS),
    st.builds("s {} {}".format, COMPARED, TEXTS),
    st.builds("s IN ({}, {})".format, TEXTS, TEXTS),
    st.builds("s LIKE {}".format, PATTERNS),
    st.builds("s NOT LIKE {}".format, PATTERNS),
    st.builds("d {} {}".format, COMPARED, DAYS),
    st.builds("{} IS NULL".format, st.sampled_from("nsdb")),
    st.builds("{} IS NOT NULL".format, st.sampled_from("nsdb")),
    st.sampled_from(["b", "NOT b", "b = TRUE", "b IS NOT FALSE", "b <> (TRUE)"]),
)
SUMS = st.recursive(
    st.sampled_from(["n", "1", "2", "LENGTH(s)", "COALESCE(n, 3)"]),
    lambda inner: st.one_of(
        st.builds("{} - ({})".format, inner, inner),
        st.builds("({}) + {}".format, inner, inner),
        st.builds("({}) * ({})".format, inner, inner),
        st.builds("-({})".format, inner),
        st.builds("ABS({})".format, inner),
    ),
    max_leaves=4,
)
FOR_POLICIES = st.one_of(
    st.builds("{} {} {}".format, SUMS, COMPARED, SUMS),
    st.builds("{} BETWEEN {} AND {}".format, SUMS, SUMS, SUMS),
    st.builds("UPPER(s) {} {}".format, COMPARED, TEXTS),
    st.builds("LOWER(s) LIKE {}".format, PATTERNS),
    st.sampled_from(["s LIKE '%b_'", "n IN (1, NULL, n + 1)", "(n > 0) = b", "COALESCE(b, n = 1)"]),
)


def joined(atoms):
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.builds("({}) AND ({})".format, inner, inner),
            st.builds("({}) OR ({})".format, inner, inner),
            st.builds("NOT ({})".format, inner),
            st.builds("({}) IS TRUE".format, inner),
            st.builds("({}) IS NOT FALSE".format, inner),
        ),
        max_leaves=5,
    )


@settings(max_examples=300, deadline=None)
@given(text=joined(ATOMS | FOR_POLICIES))
def test_policies_write_what_they_read(engine, text):
    try:
        found = of_policy.parse(text, KINDS).over(["s"])
    except ValueError as error:
        assert "names no column" in str(error) or "is not a condition" in str(error)
        return
    written = found.sql("t")
    assert true_of(engine, written) == true_of(engine, text), written


def test_ranges_with_ends_in_either_order(engine):
    found = of_policy.parse("n between symmetric 1 and 0 and b", KINDS).sql("t")
    assert true_of(engine, found) == true_of(engine, "n BETWEEN 0 AND 1 AND b")


def satisfied(sql):
    """The rows that satisfy a question, by the sets of values that it asks columns for."""
    columns = {
        name: OriginalColumn(name, TableColumn(name, kind), kept=True)
        for name, kind in KINDS.items()
    }
    bound = bind(parse(sql), columns, True)
    condition = bound.condition(bound.parsed.selected[0])
    if condition is None:
        return set()
    domains = {name: Domain.of(column.column) for name, column in columns.items()}

    def satisfies(node, row):
        if isinstance(node, Leaf):
            return holds(node.values, domains[node.column], row[node.column])
        join = all if node.by == "AND" else any
        return join(satisfies(part, row) for part in node.parts)

    nodes = [Leaf(*item) for item in condition.columns.items()] + list(condition.others)
    named = [dict(zip(KINDS, row)) for row in ROWS]
    return {n for n, row in enumerate(named) if all(satisfies(node, row) for node in nodes)}


def holds(values, domain, value):
    """Whether a value is one of a set."""
    if value is None:
        return values.null
    at = (domain.point(value), 0)
    return any(
        (low is None or low <= at) and (high is None or at < high) for low, high in values.spans
    )


@settings(max_examples=300, deadline=None)
@given(text=joined(ATOMS))
def test_questions_are_about_the_rows_that_duckdb_finds(engine, text):
    assert satisfied(f"SELECT COUNT(*) FROM t WHERE {text}") == true_of(engine, text)


@settings(max_examples=100, deadline=None)
@given(text=FOR_POLICIES.filter(lambda text: "LOWER" not in text and "%b_" not in text))
def test_questions_refuse_by_name_what_they_have_no_meaning_for(text):
    try:
        parse(f"SELECT COUNT(*) FROM t WHERE {text}")
    except PolicyError as error:
        assert error.problems[0].where == "query" and "is not supported" in str(error)
    else:
        assert not set("+*") & set(text)


@pytest.mark.parametrize("literal", [SqlLiteral("1 OR 1=1"), SqlLiteral("x\0y", string=True)])
def test_no_other_text_gets_into_a_statement(monkeypatch, literal):
    """Whatever the parser takes for a literal: what is written is a number or quoted text."""
    planted = Operation("=", (ColumnTerm("a", "a"), literal))
    monkeypatch.setattr(grammar, "read", lambda _: planted)
    with pytest.raises(UnsupportedError, match=r"is not a number|NUL character"):
        of_policy.parse("a = 1", ["a"])
