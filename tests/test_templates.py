"""Every template is strict: a header, one statement, and every value through a filter that quotes
it."""

import contextlib
import datetime as dt
import re
import sys
from decimal import Decimal

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import TemplateNotFound, TemplateSyntaxError, UndefinedError, meta, nodes
from sqlglot import exp

import anonsql
from anonsql.engines.base import Column
from anonsql.engines.exported_columns import content
from anonsql.features.init import command as profile
from anonsql.features.measure.usefulness import measuring
from anonsql.features.measure.usefulness.coding import Side
from anonsql.jobs import pipeline
from anonsql.jobs.samples import Sample
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.sources import QuasiColumn
from anonsql.labels.reading import NamedColumn
from anonsql.measures.workload import WorkloadSettings
from anonsql.methods.local import buckets, greedy_partition
from anonsql.methods.local.proof import bucket_differences
from anonsql.over_time import ledger
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.privacy.promise import Promise
from anonsql.privacy.registry import MODELS
from anonsql.release.recoding import ExpandedColumn, InBuckets
from anonsql.sql import templates
from anonsql.sql.compiled import CompiledTemplates
from anonsql.sql.loading import TemplateFolders
from anonsql.sql.templates import (
    FILTERS,
    environment,
    ident,
    literal,
    number,
    rows,
    sql_type,
)
from anonsql.verification.apart import bucket_offences

from . import clinic, tables_of_numbers, test_statistics_noise, test_statistics_ratios
from .engines import DuckDB
from .methods import cases
from .support import (
    begin_parts,
    cells_of,
    in_memory,
    job,
    make_table,
    policy_data,
    policy_in,
    template_names,
    template_source,
    term,
)
from .test_buckets import WORD, local_rows, published, release, word
from .test_engines import (
    ALL_LEVELS,
    METHODS,
    WIDE_TYPES,
    every_model,
    wide_policy,
    wide_rows,
)
from .test_people import COLUMNS as VISITOR_TYPES
from .test_people import visited, visitors

NAMES = template_names()


def by_folder(names):
    """Names of templates by their folder: a case of a test each."""
    found = {}
    for name in names:
        found.setdefault(name.rpartition("/")[0], []).append(name)
    return pytest.mark.parametrize("names", found.values(), ids=list(found))


HEADER = re.compile(r"\{#.*?#\}", re.DOTALL)
TAKEN = re.compile(r"\bin:(.*?)(?=\n +(?:out|grain)\b[^\n:]*:|#\}$)", re.DOTALL)


def taken(name):
    """What a template's header says that it takes, with what those take that it names there."""
    source = template_source(name)
    said = TAKEN.search(HEADER.match(source)[0])
    found = set(re.findall(r"\w+", said[1])) if said else set()
    others = re.findall(r"(?:what|see) ((?:\w+/)+\w+)", said[1]) if said else []
    return found.union(*(taken(f"{other}.sql") for other in others))


@by_folder(NAMES)
def test_header_says_what_a_template_is(names):
    for name in names:
        header = HEADER.match(template_source(name))
        assert header, f"{name} begins with what it is"
        assert re.search(r"\b(grain|in|out):", header[0]), name
        parsed = environment().parse(template_source(name))
        assert meta.find_undeclared_variables(parsed) - {"range"} <= taken(name), name


def unquoted(source):
    """What a template puts into its statement without a quoting filter, by line.

    A call of a macro may stand for one: of a macro that is defined in the file or imported from one
    of the templates, which are held to the same, and whose name nothing else in the file has.
    """
    parsed = environment().parse(source)
    imports = list(parsed.find_all(nodes.FromImport))
    macros = {macro.name for macro in parsed.find_all(nodes.Macro)}
    for item in imports:
        if isinstance(item.template, nodes.Const) and item.template.value in NAMES:
            macros |= {name for name in item.names if isinstance(name, str)} & defined(
                template_source(item.template.value)
            )
    given = {name.name for name in parsed.find_all(nodes.Name) if name.ctx != "load"}
    found = [
        node.lineno
        for output in parsed.find_all(nodes.Output)
        for node in output.nodes
        if not isinstance(node, nodes.TemplateData)
        and not (isinstance(node, nodes.Filter) and node.name in FILTERS)
        and not (
            isinstance(node, nodes.Call)
            and isinstance(node.node, nodes.Name)
            and node.node.name in macros - given
        )
    ]
    for node in parsed.find_all(nodes.Filter):
        fixed = not node.kwargs and all(isinstance(arg, nodes.Const) for arg in node.args)
        if node.name in ("each", "listed", "sql") and not fixed:
            found.append(node.lineno)  # patterns are the template's own text
    others = (nodes.CallBlock, nodes.FilterBlock, nodes.MarkSafe, nodes.AssignBlock, nodes.Import)
    return sorted(found + [node.lineno for node in parsed.find_all(others)])


def defined(source):
    """The names of the macros that a template defines."""
    return {macro.name for macro in environment().parse(source).find_all(nodes.Macro)}


@by_folder(NAMES)
def test_every_expression_ends_in_a_filter_that_quotes(names):
    assert {name: at for name in names if (at := unquoted(template_source(name)))} == {}


FROM_CELLS = "{% from 'methods/cells/macros.sql' import code %}"


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'x' | each('#', between) }}",
        "{{ code(a, levels) }}",  # of nowhere
        "{% from other import code %}{{ code(a, levels) }}",
        "{% from 'methods/cells/macros.sql' import distance %}{{ distance(a) }}",  # not there
        "{% from 'methods/cells/macros.sql' import code as text %}{{ text(a, levels) }}",
        "{% import 'methods/cells/macros.sql' as cells %}{{ cells.code(a, levels) }}",
        FROM_CELLS + "{% set code = given %}{{ code(a, levels) }}",
        FROM_CELLS + "{% for code in given %}{{ code(a, levels) }}{% endfor %}",
        FROM_CELLS + "{% macro own(code) %}{{ code(a, levels) }}{% endmacro %}{{ own(given) }}",
        FROM_CELLS + "{{ code(a, levels) ~ given }}",
        FROM_CELLS + "{{ code }}",
        "{% macro own(x) %}{{ x }}{% endmacro %}{{ own(given) }}",
        "{% set text %}{{ x | ident }}{% endset %}",
        "{% filter listed('#') %}a{% endfilter %}",
        "{{ given }}",
    ],
)
def test_an_expression_without_a_filter_is_seen(source):
    assert unquoted(source)


@pytest.mark.parametrize(
    "source",
    [
        FROM_CELLS + "{{ code(a, levels) }}",
        "{% macro own(x) %}{{ x | ident }}{% endmacro %}{{ own(given) }}",
        "{% for a in attributes %}d#{% endfor %}",
    ],
)
def test_filters_and_macros_are_taken(source):
    assert not unquoted(source)


MACROS = [name for name in NAMES if name.endswith("/macros.sql")]


@pytest.mark.parametrize("name", MACROS)
def test_macros_say_what_they_take_and_give(name):
    source = template_source(name)
    said = re.findall(r"\{#((?:(?!#\}).)*)#\}\n\{% macro (\w+)\(", source, re.DOTALL)
    takes = {
        macro.name: {arg.name for arg in macro.args}
        for macro in environment().parse(source).find_all(nodes.Macro)
    }
    assert [macro for _, macro in said] == list(takes), "a comment goes before each"
    for text, macro in said:
        inner = re.search(r"\n +in: (.*)\n +out: \w", text, re.DOTALL)
        assert inner and takes[macro] <= set(re.findall(r"\w+", inner[1])), macro


def test_a_mark_in_sql_is_the_index_of_the_attribute():
    rendered = environment().from_string(
        "{% for a in many %}d#.v = #\n{% endfor %}{{ 'x#' | ident }}"
    )
    assert rendered.render(many=[2, 5]) == 'd2.v = 2\nd5.v = 5\n"x#"'
    with pytest.raises(TypeError):
        environment().from_string("d#").render(a="1; DROP TABLE t")
    with pytest.raises(UndefinedError):
        environment().from_string("d#").render()
    (node,) = environment().parse("SELECT\n1\nAS\nd#").find_all(nodes.Filter)
    assert node.lineno == 4


@pytest.mark.parametrize(
    ("pattern", "items", "sql"),
    [
        ("t.c#", [2, 5], "t.c2, t.c5"),
        ("t.@", ["age", 'a"b'], 't."age", t."a""b"'),
        ("t.@ AS k$", ["age", "zip"], 't."age" AS k1, t."zip" AS k2'),
        ("@", [("schema", "table")], '"schema"."table"'),
        ("t.c#", [], ""),
    ],
)
def test_patterns(pattern, items, sql):
    assert templates.listed(items, pattern) == sql
    assert templates.each(items, pattern, ", ") == sql
    assert "".join(templates.sql(item, pattern) for item in items[:1]) == sql.split(", ")[0]


def test_a_name_is_no_mark():
    """What fills a mark is not read as a pattern again."""
    assert templates.each(["#@$", "@(s)"], "@") == '"#@$"\n"@(s)"'
    with pytest.raises(TypeError):
        templates.each(["1); DROP TABLE t"], "c#")


BLOCKS = """{# The small templates of a folder. #}
-- name: one
{# Out: a number. #}
SELECT {{ x | integer }}

-- name: macros
{% macro twice(x) %}
{{ x | integer }} + {{ x | integer }}
{%- endmacro %}

-- name: both
{% from 'few/macros.sql' import twice %}
{% include 'few/one.sql' %}

UNION ALL
SELECT {{ twice(x) }}
"""


@pytest.fixture
def few(tmp_path):
    """Templates of a folder: three blocks, and a file that includes one of them."""
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "_blocks.sql").write_text(BLOCKS)
    (tmp_path / "few" / "whole.sql").write_text("{% include 'few/one.sql' %} AS whole\n")
    (tmp_path / "language.py").touch()
    cache = CompiledTemplates([tmp_path], tmp_path / "language.py")
    return environment().overlay(loader=TemplateFolders(tmp_path), bytecode_cache=cache)


def test_blocks_are_templates_as_files_are(few, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    names = [f"few/{name}.sql" for name in ("both", "macros", "one", "whole")]
    found = [name for name in few.loader.list_templates() if name.endswith(".sql")]
    assert found == names
    for _ in range(2):  # the second time their code is kept
        texts = [few.get_template(name).render(x=3) for name in names]
        assert texts == ["SELECT 3\nUNION ALL\nSELECT 3 + 3", "", "SELECT 3", "SELECT 3 AS whole"]
        few.cache.clear()
    with pytest.raises(TemplateNotFound, match=r"few/two\.sql"):
        few.get_template("few/two.sql")


def test_errors_name_the_block_and_its_line(few, tmp_path):
    file = tmp_path / "few" / "_blocks.sql"
    file.write_text(f"{BLOCKS}\n-- name: odd\n{{# Out: nothing. #}}\nSELECT 1\n{{% endif %}}\n")
    with pytest.raises(TemplateSyntaxError) as error:
        few.get_template("few/odd.sql")
    lines = file.read_text().splitlines()
    assert (error.value.name, error.value.filename) == ("few/odd.sql", str(file))
    assert lines[error.value.lineno - 1] == "{% endif %}"
    with pytest.raises(TypeError) as error:
        few.get_template("few/one.sql").render(x="1")
    (frame,) = (entry for entry in error.traceback if entry.path == file)
    assert lines[frame.lineno] == "SELECT {{ x | integer }}"


@pytest.mark.parametrize("again", ["block", "file"])
def test_a_template_is_defined_once(few, tmp_path, again):
    file = tmp_path / "few" / "_blocks.sql"
    if again == "block":
        file.write_text(f"{BLOCKS}\n-- name: one\nSELECT 2\n")
    else:
        (tmp_path / "few" / "one.sql").write_text("SELECT 2\n")
    with pytest.raises(TemplateSyntaxError, match="the template 'one' is defined twice"):
        few.get_template("few/macros.sql")
    with pytest.raises(TemplateSyntaxError, match="the template 'one' is defined twice"):
        few.loader.list_templates()


def test_undefined_names_are_errors():
    with pytest.raises(Exception, match="undefined"):
        templates.render("engines/duckdb/drop")


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_identifiers_and_literals_survive_the_engine(text):
    assert in_memory(f"SELECT {literal(text)}") == [(text,)]
    (column,) = in_memory(f"DESCRIBE (SELECT {ident(text)} FROM (SELECT 1 AS {ident(text)}))")
    assert column[0] == text


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
    "good",
    [
        "INTEGER",
        "DECIMAL(38, 10)",
        "TIMESTAMP WITH TIME ZONE",
        "INTEGER[]",
        'STRUCT(a INTEGER, "b;c" VARCHAR[])',
    ],
)
def test_types_pass(good):
    assert sql_type(good) == good


@pytest.mark.parametrize(
    "bad", ["INTEGER; DROP TABLE t", "INTEGER --", "VARCHAR 'x'", "", "1", 'STRUCT("a INTEGER)']
)
def test_other_text_is_no_type(bad):
    with pytest.raises(ValueError):
        sql_type(bad)


def test_names_keep_to_dots_only_between_parts():
    assert ident(["a", 'b"c', "d.e"]) == '"a"."b""c"."d.e"'
    with pytest.raises(ValueError):
        ident([])


# what templates may say: PostgreSQL and Spark get them through sqlglot, which warns about few of the things that break

ENGINES_OWN = (
    *("engines/", "jobs/catalog/", "star/workbench/", "features/run/", "features/demo/"),
    "features/search/nodes",
    *("labels/", "completion/points/"),  # read in a DuckDB, wherever the release lies
)
FORBIDDEN_FUNCTIONS = {
    *(
        "ANY_VALUE",
        "LIST",
        "LEN",
        "ROUND",
        "LOG",
        "HASH",
        "SETSEED",
        "RANDOM",
        "PRINTF",
        "FORMAT",
        "GENERATE_SERIES",
        "RANGE",
        "UNNEST",
    ),
    *(
        "QUANTILE",
        "QUANTILE_DISC",
        "QUANTILE_CONT",
        "MEDIAN",
        "MODE",
        "FIRST",
        "LAST",
        "ARG_MAX",
        "ARG_MIN",
        "GROUPING_ID",
        "NOW",
        "UUID",
    ),
    *("LIST_DISTINCT", "STRUCT_PACK", "READ_CSV", "READ_PARQUET", "TRY_CAST"),
}


def forbidden(statement):
    """What of a statement means something else, or nothing, on another engine."""
    tree, found = sqlglot.parse_one(statement, read="duckdb"), []
    for order in re.findall(r"OVER \([^()]*ORDER BY((?:[^()]|\([^()]*\))*)\)", statement):
        if any("NULLS" not in item for item in re.sub(r"\([^()]*\)", "", order).split(",")):
            found.append("an order without NULLS FIRST or LAST")
    for node in tree.walk():
        if isinstance(
            node,
            exp.TryCast
            | exp.Pivot
            | exp.Struct
            | exp.Lambda
            | exp.Update
            | exp.Delete
            | exp.Merge
            | exp.Command,
        ) or (isinstance(node, exp.Array) and len(node.expressions) != 1):
            found.append(type(node).__name__)
        elif isinstance(node, exp.GroupConcat | exp.ArrayAgg):
            if not isinstance(node.this, exp.Order) or len(node.this.expressions) != 1:
                found.append(f"{node.sql_name()} without an order by one key")
        elif isinstance(node, exp.Func):
            names = {
                name.upper()
                for name in [node.name if isinstance(node, exp.Anonymous) else node.sql_name()]
            }
            found += names & FORBIDDEN_FUNCTIONS
        elif isinstance(node, exp.Star) and not isinstance(
            node.parent, exp.Count | exp.Column | exp.Select
        ):
            found.append("*")
        elif isinstance(node, exp.With) and node.recursive:
            found.append("RECURSIVE")
        elif isinstance(node, exp.Window):
            if isinstance(node.this, exp.Count) and node.this.find(exp.Distinct):
                found.append("COUNT(DISTINCT) OVER")
            if isinstance(node.this, exp.IgnoreNulls):
                found.append("IGNORE NULLS")
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
            names = [name for name in node.this.named_selects if name != "*"]
            if len(names) > len(set(names)):
                found.append("a derived table with two columns of one name")
        elif isinstance(node, exp.IntDiv | exp.NullSafeEQ | exp.NullSafeNEQ):
            found.append(type(node).__name__)
        elif isinstance(node, exp.Create) and (
            node.args.get("replace") or node.find(exp.TemporaryProperty)
        ):
            found.append("OR REPLACE or TEMPORARY")
        elif isinstance(node, exp.Cast) and node.to.this in (
            exp.DataType.Type.HUGEINT,
            exp.DataType.Type.INT128,
        ):
            found.append("HUGEINT")
    return found


def replacements(folder):
    """Policies that replace columns of every kind, by methods that write rows each in its way."""
    columns = {
        "a": "sensitive",
        "b": {"role": "identifying", "replace": "surrogate"},
        "c": {"role": "identifying", "replace": "surrogate"},
        "d": {"role": "identifying", "replace": "null"},
        "e": {"role": "identifying", "replace": "constant"},
        "q": {"type": "suppression"},
    }
    kinds = dict.fromkeys(columns, "VARCHAR") | {"d": "ENUM ('x', 'y')"}
    rows = [("st"[n % 2], f"{n // 2}", f"{n}", "x", "y", "vw"[n // 6]) for n in range(12)]
    make_table(folder / "replaced.duckdb", kinds, [*rows, ("u", "9", "9", "x", "y", "z")])
    for method, suppressed in (
        ("full-domain", "mask"),
        ("full-domain", "remove"),
        ("mondrian", "mask"),
        ("anatomy", "remove"),
        ("local", "remove"),
    ):
        data = policy_data(columns, k=2, limit=0.5, method={"type": method})
        data["source"]["database"] = "replaced.duckdb"
        data["release"]["suppressed"] = suppressed
        if method in ("anatomy", "local"):
            data["privacy"] |= {"l_diversity": {"a": 2}, "suppression_limit": 0}
        if method == "anatomy":
            data["columns"]["a"] = {"role": "sensitive"}
        yield data


def changed(folder):
    """A policy that changes kept columns of every kind."""
    numbers = {"top": 0.9, "bottom": 0.1}
    columns = {
        "q": {"type": "suppression"},
        "i": {"role": "insensitive", "change": {**numbers, "round": 5}},
        "d": {"role": "insensitive", "change": {**numbers, "round": 0.5}},
        "f": {"role": "insensitive", "change": {**numbers, "round": 0.5}},
        "s": {"role": "insensitive", "change": {"pram": {"stay": 0.5}}},
        "l": "insensitive",
    }
    kinds = {"q": "VARCHAR", "i": "INTEGER", "d": "DECIMAL(9,2)", "f": "DOUBLE", "s": "VARCHAR"}
    rows = [("a", n, n / 8, n / 7, "xyz"[n % 3], [n]) for n in range(60)]
    make_table(folder / "changed.duckdb", {**kinds, "l": "INTEGER[]"}, rows)
    data = policy_data(columns)
    data["source"]["database"] = "changed.duckdb"
    return data


def release_over_time(folder):
    """Three releases of a table with a ledger, of which the second searches and the third is made
    by groups; and a promise that fails once rows are held back."""
    columns = {"id": "identifying", "a": {"type": "suppression"}, "s": "sensitive"}
    types = {"id": "INTEGER", "a": "VARCHAR", "s": "VARCHAR"}
    over = folder / "over"
    over.mkdir()
    for turn, levels in enumerate(("keep", "search", None)):
        (over / "source.duckdb").unlink(missing_ok=True)
        rows = [(n, "ab"[n % 5 > 2], "xyz"[n % 3]) for n in range(turn, 40 + 9 * turn)]
        make_table(over / "source.duckdb", types, rows)
        data = policy_data(columns, k=3, limit=0.5)
        data["privacy"] |= {"l_diversity": {"s": 2}, "t_closeness": {"s": 0.3}}
        data["privacy"]["over_time"] = {"key": "id", **({"levels": levels} if levels else {})}
        data["method"] = {"type": "full-domain" if levels else "mondrian"}
        anonsql.run(Policy.parse(data, over))
    # tests/test_traces.py runs these: a class fails once others are held back
    templates.render("over_time/failing", table="chosen_classes", attributes=[1])
    templates.render("over_time/refused", attributes=[1])
    templates.render("over_time/unfollowed", view="followed")
    # tests/test_over_time_servers.py runs these: a ledger on a server
    kept = {"table": ("private", "ledger"), "columns": ledger.columns(1)}
    for name in ("book", "releases"):
        templates.render(f"over_time/server_ledger/{name}", **kept)
    templates.render("over_time/server_ledger/rows", source=("private", "rows"), **kept)
    # tests/test_query_hierarchies.py runs these: queries of releases that publish hierarchies
    templates.render("labels/published_heights", table=("r__labels",))
    templates.render("labels/published_leaves", table=("r__labels",), highest=3)
    # tests/test_query_analysts.py runs these: what is estimated from completed draws
    templates.render("query/draws", table=("r__completed",))
    # of releases on servers, as tests/test_completed.py has them
    templates.render("completion/leaves", table=("r__labels",), names=["a"])
    templates.render("query/drawn", statement=templates.SelectQuery('SELECT "a" FROM "r"'))
    # of releases on servers, as tests/test_postgres.py has them
    named = [NamedColumn(0, Column("a", "VARCHAR"), ["a_lo"])]
    templates.render("verification/named", table=("r",), columns=named, bounds=1, masked=["a"])


def statistics(folder, thorough):
    """Tables of counts and sums by every way of protection, published again and against a rule of
    sums."""
    (folder / "statistics").mkdir()
    engine = DuckDB(folder / "statistics")
    engine.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
    bases = {"cost": 10, "days": 5, "score": 5}
    every_month = {"over_time": "added", "p_percent": 0.1}
    waiver = {"table": "kinds", "cell": {"kind": None, "region": "two"}, "reason": "a law"}
    circle = {"circle": True, "publish": [waiver]}
    ratios = test_statistics_ratios.policy_on(engine, publish=[waiver])
    anonsql.tabulate(ratios)
    rounding = {"by": "rounding", "rounding": {"bases": bases, "controlled": False}}
    zeros = {"zeros": "protect"}
    ways = [every_month, every_month, zeros, {"by": "cell-key"}, rounding]
    for turn, protect in enumerate([*ways, circle] if thorough else ways):
        policy = tables_of_numbers.policy_on(engine, **protect)
        anonsql.tabulate(policy)
        if thorough or turn in {1, 2}:  # published before, and where nobody is
            anonsql.verify(policy, against_source=True)
    for noise in ({"rho": 1, "max_rows": 2}, {"rho": 1, "delta": 0.1, "domain": "keys"}):
        policy = test_statistics_noise.policy_on(engine, **noise)
        anonsql.tabulate(policy)
        anonsql.verify(policy, against_source=True)
    if thorough:  # nobody is in several cells
        alone = [(f"p{n}", *row[1:]) for n, row in enumerate(tables_of_numbers.rows())]
        engine.make(tables_of_numbers.COLUMNS, alone)
        policy = tables_of_numbers.policy_on(engine, by="rounding", rounding={"bases": bases})
        anonsql.tabulate(policy)
    anonsql.report(policy, folder / "tables.html")
    # tests/test_proposals.py runs it: dimensions that are proposed
    templates.render("statistics/determined", table=("ranges",), pairs=[("q1", "q2")])
    # tests/test_statistics.py runs it: a label that costs many hidden cells
    templates.render("statistics/label", attribute=QuasiColumn(1, Column("a", "VARCHAR")), cell=2)


def relational_jobs(folder, thorough):
    """A clinic that is released with rows known one by one, in combinations and all, whose tables
    are joined in a query."""
    clinic_folder = folder / "clinic"
    clinic_folder.mkdir()
    for name, row in clinic.rows(24, 30, 30).items():
        make_table(clinic_folder / "source.duckdb", clinic.COLUMNS[name], row, table=name)
    coarse = {"patients.born": 3, "patients.sex": 0, "visits.day": 3, "prescriptions.drug": 1}
    for known, limits in (
        (1, {"patients": 0.95}),
        (2, {"patients": 0.9, "visits": 0.9}),
        ("all", {"patients": 0.97}),
    ):
        privacy = {"k": 2, "known_rows": known, "suppression_limit": limits}
        data = clinic.policy({"database": "source.duckdb"}, {"database": "out.duckdb"}, **privacy)
        data["tables"]["visits"]["max_rows"] = 3
        surrogate = {"role": "identifying", "replace": "surrogate"}
        data["tables"]["patients"]["columns"]["name"] = surrogate
        if known == 1:
            data["tables"]["visits"]["columns"]["diagnosis"] = surrogate
        if known == 2:
            data["privacy"] |= {"t_closeness": {"visits.diagnosis": 0.9}}
            data["privacy"] |= {"alpha_k": {"visits.diagnosis": 0.95}}
            del data["tables"]["visits"]["max_rows"]
        if known == "all":
            data["privacy"]["l_diversity"] = {"visits.diagnosis": 2}
        data["method"] = {"type": "full-domain", "levels": coarse}
        if thorough or known != 1:
            anonsql.run(policy := RelationalPolicy.parse(data, clinic_folder))
    anonsql.verify(policy, against_source=True)
    # tests/test_relational_search.py runs these: many people, judged by and by, with rows known
    # together, and nodes that fail beside others that do not
    templates.render("relational/search/portion", after=0, until=64)
    templates.render("relational/search/failed", failed=[1], together=2)
    kinds = ["t1", "t2", "t3"]
    templates.render("relational/census/sets", number=2, most=3, kinds=kinds)
    templates.render("relational/census/joined", number=2, count=4, kinds=kinds)
    recounted = {"counts": "counts_1", "less": "less_1", "more": "more_1", "keys": ["own", "c1"]}
    templates.render("relational/search/recounted", **recounted)
    render = {"table": "t", "columns": ["a", "b"]}
    templates.render("verification/relational/as_texts", **render)
    join = "visits JOIN patients ON visits.patient_id = patients.patient_id"
    anonsql.query(clinic_folder / "out.duckdb", f"SELECT COUNT(*) FROM {join}")


def compare_releases(folder):
    """What two releases of a table that grew leave together."""
    (grown := folder / "grown").mkdir()
    data = policy_data({"n": {"type": "suppression"}, "s": "sensitive"}, k=2)
    data["release"]["database"] = "before.duckdb"
    for some in ([(1, "x"), (1, "y")], [(1, "x"), (1, "y"), (1, "z"), (1, "z")]):
        (grown / "source.duckdb").unlink(missing_ok=True)
        make_table(grown / "source.duckdb", {"n": "INTEGER", "s": "VARCHAR"}, some)
        anonsql.run(policy := Policy.parse(data, grown))
        data["release"]["database"] = "release.duckdb"
    anonsql.attack(policy, kinds=["linkability"], with_releases=[grown / "before.duckdb"])


UNLIKE = [METHODS[number] for number in (3, 4, 6, 8, 9, 13, 16)]
"""Methods that together render the templates of all of them."""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """Statements that jobs of all kinds send to an engine, by template; every template is there."""
    found = statements_of_jobs(tmp_path_factory.mktemp("rendered"))
    staged = {"table": "t", "select": "release/facts", "names": ["a"], "facts": [(1, 2)]}
    staged |= {"typed": [("a", "INTEGER")], "ordering": "o"}
    for name in ("release/staged", "release/filled"):
        found[name] = [templates.render(name, **staged)]
    asked = {"least": [("n", Decimal(3))], "equal": [("w", "x")]}  # by pages of frequent values
    found["features/report/question"] = [
        templates.render("features/report/question", table="t", **asked)
    ]
    found["completion/completed"] = found["completion/ordered"]  # others include it
    found["release/hashed"] = found["statistics/bounded"]
    return found


def statements_of_jobs(folder, thorough=False):
    """Every statement that jobs of all kinds send to an engine, by template. Jobs whose templates
    others render, too, with other columns and settings, run only where they are ``thorough``."""
    kept, render = {}, templates.render

    def keeping(template, dialect="duckdb", /, **parameters):
        text = render(template, dialect, **parameters)
        kept.setdefault(template, []).append(text)
        if "select" in parameters:
            kept.setdefault(parameters["select"], []).append(
                render(
                    parameters["select"], **{k: v for k, v in parameters.items() if k != "select"}
                )
            )
        if parameters.get("select") == "hierarchies/grouped":
            kept.setdefault(parameters["a"].template, []).append(
                render(parameters["a"].template, **parameters)
            )
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates, "render", keeping)
        make_table(folder / "source.duckdb", WIDE_TYPES, wide_rows() * 3 + wide_rows(5, seed=9))
        make_table(folder / "few.duckdb", WIDE_TYPES, wide_rows(20) * 3 + wide_rows(5, seed=9))
        for suppressed in ("mask", "remove") if thorough else ("remove",):
            data = wide_policy(folder, {"levels": ALL_LEVELS[1]}, k=3, limit=0.5)
            data["release"]["suppressed"] = suppressed
            data["privacy"]["risk"] = {"records_at_risk": {"above": 0.5, "at_most": 0.1}}
            anonsql.run(Policy.parse(data, folder))
        asked = {"epsilon": 2, "delta": 0.1, "search_epsilon": 0.5}
        data = wide_policy(folder)
        data["privacy"] = {"differential": asked}
        for name in ("note", *ALL_LEVELS[1]):
            data["columns"][name] = {"role": "qi", "hierarchy": {"type": "suppression"}}
        data["columns"]["word"] = wide_policy(folder)["columns"]["word"]
        anonsql.run(Policy.parse(data, folder))
        keys = [(2**62, "odd"), (-(2**62), "odd"), (0, "even"), (7, "odd"), (None, "none")]
        make_table(folder / "few.duckdb", {"k": "BIGINT", "g": "VARCHAR"}, keys, table="groups")
        unwritten = wide_policy(folder, {"type": "full-domain"}, k=3, limit=0.9)
        unwritten["source"]["database"] = "few.duckdb"
        unwritten["release"]["completed"] = 1
        for name, hierarchy in {
            "n": {"type": "automatic"},
            "amount": {"type": "breaks", "at": [0, 2.5]},
            "code": {"type": "us-zip"},
            "flag": {"type": "automatic"},
            "big": {"type": "table", "table": "groups", "key": "k", "levels": ["g"]},
        }.items():
            unwritten["columns"][name] = {"role": "quasi-identifying", "hierarchy": hierarchy}
        anonsql.run(drawn := Policy.parse(unwritten, folder))
        anonsql.attack(drawn, attempts=20)
        templates.render("attacks/equal", table="t", facets=["v1"], people=False)
        templates.render("attacks/near", j=1, tolerance=0.05)
        templates.render("attacks/equal", table="attacked_source", facets=["v1"], people=True)
        step = {"step": 2, "column": "v1", "index": 1, "most": 9}  # of more rows than are here
        templates.render("verification/linking/matches", **step)
        valued = {"steps": 1, "values": ["v1"], "j": 1, "text": True}
        templates.render("verification/linking/few_values", **valued)  # tests/test_judge.py runs it
        number = QuasiColumn(1, Column("n", "INTEGER"))
        leveled = {"steps": 1, "attributes": [number], "levels": {1: 1}}
        templates.render("verification/linking/sampled_classes", **leveled)
        templates.render(
            "verification/linking/extent", attributes=[QuasiColumn(1, Column("n", "INTEGER"))]
        )
        for method in METHODS if thorough else UNLIKE:
            briefly = wide_policy(
                folder, {**method, "budget": 2} if "budget" in method else method, k=3
            )
            briefly["source"]["database"] = "few.duckdb"
            for name in ("big", "amount", "day"):  # of kinds that others are, too
                briefly["columns"][name] = {"role": "insensitive"}
            if method["type"] == "mondrian":
                briefly["columns"]["n"]["values"] = "median"
            anonsql.run(measured := Policy.parse(briefly, folder))
            if method["type"] == "mondrian":
                anonsql.read(measured, draws=1).expected()
            if method["type"] in ("mondrian", "cell-generalization"):
                anonsql.attack(measured, attempts=5)
            proved = ({"type": "mondrian"}, {"type": "ordered-partition", "budget": 20})
            if thorough and method in proved:
                anonsql.verify(measured, against_source=True)
        if thorough:
            anonsql.query(measured, "SELECT STDDEV(n) FROM r")
        anonsql.attack(measured, attempts=20)
        anonsql.risk(measured, source=True, special=2)
        for ordered in (True, False):  # tests/test_count_by.py runs it
            side = Side(1, Column("a", "INTEGER"), ordered)
            asked = {"completed": ("r",), "c": side, "ordered": ordered, "bins": 10}
            templates.render("features/measure/usefulness/parts", **asked)
        templates.render("completion/texts", table=("r",), name="a")
        templates.render("completion/dealt", table=("b",))
        drawn = [(1, *row) for row in wide_rows(20)]
        make_table(folder / "few.duckdb", {"draw": "INTEGER", **WIDE_TYPES}, drawn, "completed")
        patch.setattr(
            measuring, "completed_of", lambda job, _: (*job.opened.source[:-1], "completed")
        )
        for explained in ("n", "word") if thorough else ("word",):
            anonsql.measure(measured, WorkloadSettings(queries=3), target=explained)
        patch.setattr(measuring, "completed_of", lambda *_: None)
        release_over_time(folder)
        compare_releases(folder)
        statistics(folder, thorough)
        relational_jobs(folder, thorough)
        for audience in ("owner", "recipient"):
            anonsql.report(measured, folder / "page.html", audience=audience)
        anonsql.advise(measured, ks=[2], methods=[measured.method.type], queries=3)
        with read_only_job(measured, "advise", sample=Sample(0.5)) as of_some:
            pipeline.go_through(of_some, pipeline.OPEN_SOURCE)
        (folder / "queries.sql").write_text(
            "SELECT COUNT(*) FROM t WHERE word = 'it''s' AND n <= 3 AND note >= 'x';"
        )
        anonsql.measure(measured, WorkloadSettings(file=folder / "queries.sql"))
        anonsql.query(
            measured,
            "SELECT COUNT(*), SUM(x) FROM r WHERE n <= 3 AND note = 'x' AND NOT word = 'it''s'",
        )
        templates.render(
            "features/measure/all_shares", index=1
        )  # only where source and release lie in two engines
        promised = Promise(2, coded=(7,))
        part = {"node": -1, "keys": ("k1",), "promise": promised, "attribute": 1, "step": 4}
        templates.render("search/part", **part, masks=[("k1", 12)], masked=["k1"])  # of many cells
        templates.render("verification/absent", table="judged")  # tests/test_models.py runs it
        sampled = {
            "relation": ("t",),
            "name": "a",
            "type": "BLOB",
            "expression": "x",
            "without": "y",
            "most": 5,
        }
        templates.render("risks/contents/sample", **sampled)  # only with the extra [presidio]
        few_left = wide_policy(folder, {"type": "mondrian"}, k=3, limit=0.9)
        for name in ("big", "x", "moment", "code"):
            few_left["columns"][name]["max_level"] = 0
        few_left["release"]["suppressed"] = "mask"
        if thorough:
            masking = Policy.parse(few_left, folder)
            assert anonsql.run(masking).masked
            anonsql.verify(masking, against_source=True)
        for method in ("hilbert", "ring") if thorough else ("ring",):
            diverse = wide_policy(folder, {"type": method}, k=3)
            diverse["privacy"]["l_diversity"] = {"note": 2}
            anonsql.run(policy := Policy.parse(diverse, folder))
        anonsql.verify(policy, against_source=True)
        people = {**dict.fromkeys(WIDE_TYPES, "insensitive")}
        people |= {"n": {"role": "identifying", "replace": "surrogate"}, "big": "sensitive"}
        people["flag"] = {"role": "qi", "hierarchy": {"type": "suppression"}}
        for method in ("full-domain", "mondrian") if thorough else ("mondrian",):
            by_person = policy_data(people, k=2, limit=0.5, method={"type": method})
            by_person["privacy"]["entity"] = "n"
            anonsql.run(policy := Policy.parse(by_person, folder))
            anonsql.verify(policy, against_source=True)
        anonsql.attack(policy, attempts=20)
        people["n"] = "identifying"
        in_rings = policy_data(people, k=2, method={"type": "ring"}, privacy={"entity": "n"})
        anonsql.run(hidden := Policy.parse(in_rings, folder))
        anonsql.verify(hidden, against_source=True)
        anonsql.risk(policy, source=True, fraction=0.5, special=2)
        anonsql.risk(policy, source=True, fraction=0.5, any_null=True)
        templates.render("risks/individual/weights", table=("t",), weight="w")  # none is negative
        alone = {name: {"role": "qi"} if name == "n" else "insensitive" for name in WIDE_TYPES}
        if thorough:
            anonsql.run(policy_in(folder, alone, k=3, method={"type": "ordered-partition"}))
        apart = {**dict.fromkeys(WIDE_TYPES, "qi"), "word": "sensitive", "note": "insensitive"}
        separated = policy_data(apart, k=1, method={"type": "anatomy"})
        for least in (2, 1000):
            separated["privacy"]["l_diversity"] = {"word": least}
            with contextlib.suppress(anonsql.errors.PrivacyError):
                anonsql.run(Policy.parse(separated, folder), show_values=True)
                anonsql.query(
                    folder / "release.duckdb",
                    "SELECT COUNT(*), SUM(x) FROM r WHERE word = 'b' AND n < 3",
                )
                anonsql.query(folder / "release.duckdb", "SELECT STDDEV(x) FROM r")
        personal = {
            "n": {"role": "semi-sensitive", "flag": "flag"},
            "word": {"role": "semi-sensitive", "sensitive_when": "big > 3"},
        }
        personal |= {"note": "sensitive", "big": "insensitive"}
        some = {name: personal.get(name, "qi") for name in WIDE_TYPES if name != "flag"}
        for grouping in ("mdp", "ncp") if thorough else ("ncp",):
            data_of_local = policy_data(
                some, k=2, limit=0.5, method={"type": "local", "grouping": grouping}
            )
            data_of_local["privacy"] |= {
                "t_closeness": {"word": 0.5},
                "l_diversity": {"note": 2, "n": {"l": 2, "min_range": 0.1}},
            }
            anonsql.run(of_local := Policy.parse(data_of_local, folder))
        anonsql.verify(of_local, against_source=True)
        templates.render(  # only where source and release lie in two engines
            "verification/linking/bucket_texts", table=("b",), bucket="b", column="v", count="n"
        )
        anonsql.measure(of_local, WorkloadSettings(queries=3, sum="n"))
        anonsql.check(of_local)
        anonsql.query(of_local, "SELECT COUNT(*) FROM r WHERE word = 'a' AND n > 2")
        anonsql.query(
            of_local, "SELECT word, SUM(n) FROM r WHERE n > 2 OR note = 'a' GROUP BY word"
        )
        anonsql.run(as_is := Policy.parse(_kept_policy(folder), folder))
        anonsql.query(as_is, "SELECT MAX(day), SUM(great), SUM(part) FROM r")
        data_of_local["privacy"] |= {"k": 40}  # 36 rows mind both, and others lend them four
        assert anonsql.run(Policy.parse(data_of_local, folder)).withheld["n"].hidden
        data_of_local["columns"]["word"]["sensitive_when"] = "day > 'no day'"
        with pytest.raises(anonsql.errors.PolicyError):
            anonsql.run(Policy.parse(data_of_local, folder))
        with job(Policy.parse(separated, folder), folder, pipeline.OPEN) as done:
            render_buckets(done.engine)
        anonsql.check(Policy.parse(data, folder))
        anonsql.run(Policy.parse(every_model(folder), folder))
        few = {
            name: {"type": "suppression"} if name in ("flag", "big") else "insensitive"
            for name in WIDE_TYPES
        }
        for algorithm in ("auto", "cube", "datafly"):
            anonsql.search(
                policy_in(folder, few, k=2, limit=0.5, method={"algorithm": algorithm}),
                html=folder / "search.html",
            )
        with job(Policy.parse(wide_policy(folder, k=3), folder), folder, pipeline.CHECK) as done:
            for rule in ("missing", "bounds", "parents", "tops"):
                done.engine.query(
                    "hierarchies/examples", a=done.counted.attributes[0], rule=rule, level=1
                )
            content(done.engine, done.opened.source, done.opened.columns, done.engine)
        with cells_of(measured, folder) as cells:
            greedy_partition.cut_greedily(cells, begin_parts(cells))
        for render_templates in cases("RENDERING").values():
            render_templates(folder, patch)
        few_people = {**dict.fromkeys(WIDE_TYPES, "insensitive"), "word": {"role": "qi"}}
        limited = policy_data(few_people, k=2, limit=0.9, method={"type": "ordered-partition"})
        limited["source"]["database"] = "few.duckdb"
        limited["privacy"] |= {"entity": "n", "kept": {"max_unique": 1}}
        anonsql.run(Policy.parse(limited, folder))
        losing_of = {**few_people, "n": "sensitive", "word": {"type": "suppression"}}
        losing = policy_data(losing_of, k=2, limit=0.9)
        losing["source"]["database"] = "few.duckdb"
        losing["privacy"] |= {"max_group_loss": 0.95}
        anonsql.search(Policy.parse(losing, folder))
        anonsql.run(Policy.parse(losing, folder))  # proved by the source, too
        for replacing in replacements(folder):
            anonsql.run(Policy.parse(replacing, folder))
        changing = Policy.parse(changed(folder), folder)
        anonsql.run(changing)
        if thorough:
            anonsql.verify(changing, against_source=True)
            people_to_be_dealt(folder)
        profile.init(str(folder / "source.duckdb"), "t", folder / "new.yaml")
        wide = Policy.parse(wide_policy(folder, {"levels": ALL_LEVELS[1]}, k=3, limit=0.5), folder)
        anonsql.compile(wide, "duckdb", folder / "sql")
        anonsql.compile(wide, "duckdb", folder / "r.sql", as_dbt=True)
    return kept


def people_to_be_dealt(folder):
    """A release whose rows are dealt to classes by the people who may be in them."""
    make_table(folder / "visitors.duckdb", VISITOR_TYPES, visitors(0)[1])
    people = visited("cell-generalization", {"role": "identifying", "replace": "surrogate"})
    people["source"]["database"] = "visitors.duckdb"
    anonsql.run(Policy.parse(people, folder))
    found = anonsql.verify(Policy.parse(people, folder), against_source=True).against_source
    assert found.least_people < found.most_people


def render_buckets(engine):
    """Deal cells to buckets, release and verify them, as a local release does."""
    local_rows(engine, [(0, None, place % 2, "a" if place % 2 else None) for place in range(12)])
    each = word(model=term("equal", Decimal("0.3"), index=WORD))
    engine.load("words", [(f"s{WORD}", "VARCHAR")], [("a",)] * 6)
    buckets.deal(engine, [each], whole="words")
    bucket_differences(engine, [each], release(engine, [each]))
    bucket_offences(engine, *published(engine, each), each, label="label")
    shown = [
        ExpandedColumn(engine.columns(("released",))[0]),
        ExpandedColumn(each.coded.column, "word_bucket"),
    ]
    bucketized = [InBuckets(each.coded.column, "word_bucket", "sensitive_1")]
    tables = {"rows": ("r",), "sensitive_1": ("r__sensitive_1",)}
    staged = {"view": ("r__expanded",), "select": "release/expanded", "tables": tables}
    templates.render(
        "release/staged_view", record="record_id", shown=shown, buckets=bucketized, **staged
    )


INCLUDED = (  # seen inside what includes them
    "completion/again.sql",
    "completion/keyed.sql",
    "completion/rows.sql",
    "hierarchies/grouped.sql",
    "hierarchies/leaves.sql",
    "methods/local/patterns/coded.sql",
    "methods/mondrian/lost.sql",
    "methods/refinement/ordered.sql",
    "methods/windows/elements.sql",
    "privacy/classes.sql",
    "privacy/counts.sql",
    "privacy/number.sql",
    "privacy/ranges.sql",
    "privacy/shares.sql",
    "release/coded.sql",
    "release/generalized.sql",
    "release/grouped.sql",
    "risks/kept/without.sql",
    "search/rolled_up.sql",
    "star/text.sql",
    "star/value.sql",
    "verification/coded.sql",
    "verification/covering.sql",
    "verification/dimension.sql",
    "verification/failing.sql",
    "verification/label.sql",
    "verification/offence.sql",
    "verification/order/arrival.sql",
    "verification/portion_rows.sql",
    "verification/positions.sql",
    "verification/surplus.sql",
    "verification/values.sql",
)
OF_MODELS = tuple(f"privacy/{model.name}/" for model in MODELS)
PORTABLE = [
    name.removesuffix(".sql")
    for name in NAMES
    if not name.startswith((*ENGINES_OWN, *OF_MODELS, "verification/plain_sql"))
    and name not in (*INCLUDED, *MACROS)
]


@by_folder(PORTABLE)
def test_portable_templates_stay_inside_the_common_subset(rendered, names):
    assert [name for name in names if not rendered.get(name)] == [], "no job of this test"
    found = {
        name: [forbidden(statement) for statement in differing(rendered[name])] for name in names
    }
    assert {name: many for name, many in found.items() if any(many)} == {}


@pytest.mark.long
def test_what_further_jobs_render_stays_inside_the_common_subset(tmp_path):
    found = {
        name: [forbidden(statement) for statement in differing(statements)]
        for name, statements in statements_of_jobs(tmp_path, thorough=True).items()
        if name in PORTABLE
    }
    assert {name: many for name, many in found.items() if any(many)} == {}


def differing(statements):
    """Those of some statements that have two lines, one after the other, that no longer one has:
    lines are compared without their numbers, those in names too, and salts."""
    seen = set()
    for statement in sorted(dict.fromkeys(statements), key=len, reverse=True):
        lines = re.sub(r"[0-9a-f]{32,}|\d+", "0", statement).splitlines()
        pairs = set(zip(["", *lines], [*lines, ""], strict=True))
        if pairs - seen:
            seen |= pairs
            yield statement


def test_statements_that_differ_in_numbers_alone_are_parsed_once():
    some = [
        "SELECT 1\nFROM t2",
        "SELECT 2\nFROM t3",
        "SELECT 1\nFROM t2\nWHERE x",
        "SELECT 1\nFROM u",
    ]
    assert list(differing(some)) == [some[2], some[0], some[3]]


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("SELECT any_value(a) FROM t", "ANY_VALUE"),
        ("SELECT TRY_CAST(a AS INTEGER) FROM t", "TryCast"),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", "an order without NULLS FIRST or LAST"),
        ("SELECT a // 2 FROM t", "IntDiv"),
        ("SELECT count(DISTINCT a) OVER () FROM t", "COUNT(DISTINCT) OVER"),
        ("CREATE OR REPLACE TABLE t AS SELECT 1", "OR REPLACE or TEMPORARY"),
        ("SELECT * FROM t JOIN u ON t.a IS NOT DISTINCT FROM u.a", "NullSafeEQ"),
        ("WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r", "RECURSIVE"),
        ("SELECT string_agg(a, ',') FROM t", "GROUP_CONCAT without an order by one key"),
        ("UPDATE t SET a = 1", "Update"),
        (
            "SELECT 1 FROM (SELECT x.a, y.a FROM x, y) AS z",
            "a derived table with two columns of one name",
        ),
    ],
)
def test_the_subset_is_really_held(statement, found):
    assert found in forbidden(statement)


@pytest.mark.parametrize(
    ("duckdb_text", "postgres", "spark"),
    [
        (
            'SELECT s."a" COLLATE "C" AS q1, CAST(s.b AS VARCHAR) FROM "x"."t" AS s',
            'SELECT "s"."a" COLLATE "C" AS "q1", CAST("s"."b" AS TEXT) FROM "x"."t" AS "s"',
            "SELECT `s`.`a` AS `q1`, CAST(`s`.`b` AS STRING) FROM `x`.`t` AS `s`",
        ),
        (
            "SELECT MD5('it''s \\' || CAST(ROW_NUMBER() OVER () AS VARCHAR)) AS o FROM t",
            "SELECT MD5(CONVERT_TO('it''s \\' || CAST(ROW_NUMBER() OVER () AS TEXT), 'UTF8')) AS \"o\" FROM \"t\"",
            "SELECT MD5('it\\'s \\\\' || CAST(MONOTONICALLY_INCREASING_ID() AS STRING)) AS `o` FROM `t`",
        ),
        (
            "SELECT SHA256(UNHEX(t.k) || ENCODE(t.w)) AS h FROM t",
            'SELECT ENCODE(SHA256(DECODE("t"."k", \'hex\') || CONVERT_TO("t"."w", \'UTF8\')), \'hex\') AS "h" FROM "t"',
            "SELECT SHA2(UNHEX(`t`.`k`) || ENCODE(`t`.`w`, 'utf-8'), 256) AS `h` FROM `t`",
        ),
        (
            "SELECT COUNT(*) FILTER (WHERE n < 5) AS c FROM t AS x ORDER BY x.n",
            'SELECT COUNT(*) FILTER(WHERE "n" < 5) AS "c" FROM "t" AS "x" ORDER BY "x"."n"',
            "SELECT COUNT(*) FILTER(WHERE `n` < 5) AS `c` FROM `t` AS `x` ORDER BY `x`.`n` NULLS LAST",
        ),
        (
            "SELECT CAST(DATE_TRUNC('quarter', d) + INTERVAL '3 months' - INTERVAL '1 day' AS DATE) AS e FROM t",
            "SELECT CAST(DATE_TRUNC('QUARTER', \"d\") + INTERVAL '3 MONTHS' - INTERVAL '1 DAY' AS DATE) AS \"e\" FROM \"t\"",
            "SELECT CAST(DATE_TRUNC('QUARTER', `d`) + INTERVAL '3' MONTHS - INTERVAL '1' DAY AS DATE) AS `e` FROM `t`",
        ),
        (
            "SELECT a FROM (VALUES (1, 'x')) AS f (a, b)",
            'SELECT "a" FROM (VALUES (1, \'x\')) AS "f"("a", "b")',
            "SELECT `a` FROM VALUES (1, 'x') AS `f`(`a`, `b`)",
        ),
    ],
)
def test_golden_translations(duckdb_text, postgres, spark):
    assert templates.translate(duckdb_text, "duckdb") == duckdb_text
    assert templates.translate(duckdb_text, "postgres") == postgres
    assert templates.translate(duckdb_text, "spark") == spark


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
@settings(deadline=None)
def test_text_survives_translation(text):
    """Read again by sqlglot in the other dialect, names and literals are what they were."""
    for dialect in ("postgres", "spark", "snowflake", "trino"):
        statement = templates.translate(f"SELECT {literal(text)} AS {ident(text)}", dialect)
        (column,) = sqlglot.parse_one(statement, read=dialect).expressions
        assert (column.this.name, column.alias) == (text, text)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
@settings(deadline=None)
def test_sparks_own_literals(text):
    (value,) = sqlglot.parse_one(f"SELECT {templates.escaped(text)}", read="spark").expressions
    assert value.this == text


def test_sparks_own_literals_at_their_ends():
    assert templates.escaped("'s-Gravenhage") == "'\\'s-Gravenhage'"
    assert templates.escaped("'") == "'\\''"
    assert templates.escaped("\\") == "'\\\\'"
    assert templates.escaped("") == "''"


def _kept_policy(folder):
    """Of values that answers take as they are: dates, whole numbers of any length, and floating
    point numbers."""
    types = {"n": "INTEGER", "day": "DATE", "great": "HUGEINT", "part": "DOUBLE"}
    make_table(folder / "kept.duckdb", types, [(n % 2, "2020-01-01", n, n / 4) for n in range(4)])
    return policy_data(
        {"n": {"type": "suppression"}, **dict.fromkeys(list(types)[1:], "insensitive")},
        source={"database": "kept.duckdb"},
    )
