"""Every template is strict: a header, one statement, and every value through a filter that quotes it."""

import datetime as dt
from decimal import Decimal

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import nodes

from anonsql import templates
from anonsql.templates import FILTERS, environment, folder, ident, literal, number, rows, sql_type

FILES = sorted(folder("sql_templates").glob("**/*.sql"))
NAMES = [str(path.relative_to(folder("sql_templates"))) for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_header_says_what_a_template_is(path):
    header = path.read_text(encoding="utf-8")
    assert header.startswith("{#")
    told = header[: header.index("#}")]
    assert "grain:" in told or "out:" in told or "in:" in told


@pytest.mark.parametrize("name", NAMES)
def test_every_expression_ends_in_a_filter_that_quotes(name):
    source = (folder("sql_templates") / name).read_text(encoding="utf-8")
    parsed = environment().parse(source)
    for output in parsed.find_all(nodes.Output):
        for node in output.nodes:
            if not isinstance(node, nodes.TemplateData):
                assert isinstance(node, nodes.Filter) and node.name in FILTERS, f"{name}:{node.lineno}"
    assert not list(parsed.find_all((nodes.Macro, nodes.CallBlock, nodes.FilterBlock, nodes.MarkSafe)))


def test_undefined_names_are_errors():
    with pytest.raises(Exception, match="undefined"):
        templates.render("duckdb/drop")


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_identifiers_and_literals_survive_the_engine(text):
    connection = duckdb.connect()
    assert connection.execute(f"SELECT {literal(text)}").fetchone() == (text,)
    connection.execute(f"CREATE TABLE t ({ident(text)} INTEGER)")
    assert connection.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = 't'").fetchone() == (text,)


def test_literals():
    assert literal(None) == "NULL"
    assert literal(True) == "TRUE"
    assert literal(3) == "3"
    assert literal(Decimal("0.10")) == "0.10"
    assert literal(dt.date(2020, 1, 2)) == "'2020-01-02'"
    assert literal("it's") == "'it''s'"
    assert rows([(1, "a"), (2, None)]) == "(1, 'a'), (2, NULL)"
    assert number(Decimal("1E+3")) == "1000"
    for wrong in (float("nan"), Decimal("Infinity"), "\0"):
        with pytest.raises(ValueError):
            literal(wrong)
    with pytest.raises(TypeError):
        literal(object())
    with pytest.raises(TypeError):
        templates.integer("1")


@pytest.mark.parametrize(
    "good", ["INTEGER", "DECIMAL(38, 10)", "TIMESTAMP WITH TIME ZONE", "INTEGER[]", 'STRUCT(a INTEGER, "b;c" VARCHAR[])']
)
def test_types_pass(good):
    assert sql_type(good) == good


@pytest.mark.parametrize("bad", ["INTEGER; DROP TABLE t", "INTEGER --", "VARCHAR 'x'", "", "1", 'STRUCT("a INTEGER)'])
def test_other_text_is_no_type(bad):
    with pytest.raises(ValueError):
        sql_type(bad)


def test_names_keep_to_dots_only_between_parts():
    assert ident(["a", 'b"c', "d.e"]) == '"a"."b""c"."d.e"'
    with pytest.raises(ValueError):
        ident([])
