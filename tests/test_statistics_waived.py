"""Cells that the owner publishes although a rule forbids it (`protect.publish`): they are shown,
all else stays hidden, and a small cell that no waiver names is refused."""

import html
import json
from decimal import Decimal

import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError

from .engines import DuckDB
from .support import edit
from .tables_of_numbers import COLUMNS, policy_on
from .test_statistics_attack import (
    TABLES,
    THRESHOLD,
    counted,
    inside,
    people,
    policy_of,
    published,
    told,
)

LABELS = {"table": "kinds", "cell": {"kind": None, "region": "two"}, "reason": "a law"}
OF_COST = {
    "table": "kinds",
    "cell": {"kind": "-", "region": "two"},
    "levels": {"region": 1},
    "of": ["cost"],
    "reason": "known",
}


def rows():
    """Two cells of two people each among larger ones."""
    home = {"one": "north", "two": "é;*"}
    small = [("two", None), ("two", "-"), ("one", "-")]
    few = [(f"q{n}{place}{kind}", place, kind) for n in range(2) for place, kind in small]
    few += [(f"r{n}", "one", None) for n in range(6)]
    many = [(f"p{n}", ("one", "two")[n % 2], ("+a", 'say "b"', "+A")[n % 3]) for n in range(60)]
    return [
        (who, home[place], n % 50, kind, Decimal(n * 7 % 100), n % 5, 2.5)
        for n, (who, place, kind) in enumerate([*few, *many])
    ]


def test_every_engine_publishes_what_is_waived(everywhere):
    everywhere.make(COLUMNS, rows())
    strict = anonsql.tabulate(policy_on(everywhere, p_percent=0.1))
    hidden = {row[:4] for row in everywhere.read("kinds") if row[5] == "hidden"}
    assert {(None, 0, "two", 1), ("-", 0, "two", 1), ("-", 0, "one", 1)} <= hidden
    policy = policy_on(everywhere, p_percent=0.1, publish=[LABELS, OF_COST])
    report = anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).promise == report.promise
    by_key = {row[:4]: row[4:] for row in everywhere.read("kinds")}
    assert by_key[None, 0, "two", 1][:4] == (2, "published", 2, "published")
    assert by_key["-", 0, "two", 1][5] == "published" and by_key["-", 0, "two", 1][1] == "hidden"
    assert by_key["-", 0, "one", 1][5] == "hidden"
    assert report.promise.startswith("except for the 2 cells that the owner publishes by name")
    assert not strict.promise.startswith("except")
    facts = dict(everywhere.read("region_age__about"))
    assert [one["reason"] for one in json.loads(facts["waived"])] == ["a law", "known"]
    assert [waiver.reason for waiver in report.waived] == ["a law", "known"]


@pytest.fixture
def waived(tmp_path):
    """A release with a cell of two people that the policy names, and how to make its policy."""
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, rows())
    anonsql.tabulate(policy_on(engine, publish=[LABELS]))
    return engine


def test_a_small_cell_that_no_waiver_names_is_refused(waived):
    """By the release alone, and by the source where the release says that it is waived."""
    release = waived.folder / "release.duckdb"
    with pytest.raises(VerificationError, match="values are too small"):
        anonsql.verify(policy_on(waived))
    other = LABELS | {"cell": {"kind": "-", "region": "two"}}
    with pytest.raises(VerificationError, match="values are too small"):
        anonsql.verify(policy_on(waived, publish=[other]))
    edit(
        release,
        "UPDATE kinds SET n = 2, n_status = 'published' WHERE kind = '-' AND region = 'one'",
    )
    with pytest.raises(VerificationError, match="values are too small"):
        anonsql.verify(policy_on(waived, publish=[LABELS]))


def test_a_forbidden_sum_that_no_waiver_names_is_refused_against_the_source(waived):
    policy = policy_on(waived, publish=[LABELS])
    true = sum(row[4] for row in rows() if (row[1], row[3]) == ("north", "-"))
    release = waived.folder / "release.duckdb"
    edit(
        release,
        f"UPDATE kinds SET cost = {true}, cost_status = 'published' WHERE kind = '-' AND region = 'one'",
        "UPDATE kinds__about SET value = CAST(CAST(value AS INTEGER) - 1 AS VARCHAR)"
        " WHERE property = 'hidden.cost'",
    )
    assert anonsql.verify(policy).status == "verified"
    with pytest.raises(
        VerificationError, match="cost of kinds: 1 cells are published although a rule"
    ):
        anonsql.verify(policy, against_source=True)


def test_a_release_that_lacks_the_waived_cell_is_refused(waived):
    edit(waived.folder / "release.duckdb", "DELETE FROM kinds WHERE kind IS NULL")
    with pytest.raises(VerificationError, match=r"0 cells that protect.publish\[0\] names"):
        anonsql.verify(policy_on(waived, publish=[LABELS]))


@pytest.mark.parametrize("seed", range(3))
def test_others_stay_hidden_from_analysts_who_subtract(tmp_path, seed):
    """An analyst who knows a waived cell computes no other one of too few people."""
    rows = people(seed, 60)
    anonsql.tabulate(policy_of(tmp_path, rows, TABLES))
    truth = counted(rows, published(tmp_path, TABLES))
    cell = next(one for one, count in truth.items() if count < THRESHOLD and len(one) == 2)
    by = next(by for by in TABLES if {name for name, *_ in cell} <= set(by))
    waiver = {
        "table": "_".join(by),
        "cell": {name: label for name, _, label in cell},
        "reason": "a law",
    }
    policy = policy_of(tmp_path, rows, TABLES, publish=[waiver])
    report = anonsql.tabulate(policy)
    cells = published(tmp_path, TABLES)
    shown = cells[cell] == truth[cell] == sum(inside(row, cell) for row in rows)
    assert shown or any(one.where == "protect.publish" for one in report.warnings)
    computed = {list(cells)[number] for number in told(cells, truth)}
    assert computed <= {cell}
    assert anonsql.verify(policy, against_source=True).status == "verified"


def test_a_waived_cell_of_nobody(tmp_path):
    """With zeros protected, an empty cell is a row, and may be published by name."""
    engine = DuckDB(tmp_path)
    engine.make(
        COLUMNS, [*rows(), *((f"s{n}", "north", n, "z", Decimal(n), n, 1.0) for n in range(6))]
    )
    empty = LABELS | {"cell": {"kind": "z", "region": "two"}}
    policy = policy_on(engine, zeros="protect", publish=[empty])
    anonsql.tabulate(policy)
    found = [row[4:8] for row in engine.read("kinds") if row[:4] == ("z", 0, "two", 1)]
    assert found == [(0, "published", 0, "published")]
    assert anonsql.verify(policy, against_source=True).status == "verified"
    with pytest.raises(VerificationError, match="values are too small"):
        anonsql.verify(policy_on(engine, zeros="protect"))


REFUSED = {
    "no reason": ("protect.publish[0].reason", {"reason": ""}, {}),
    "no table": ("protect.publish[0].table", {"table": "kind"}, {}),
    "no dimension": ("protect.publish[0].cell", {"cell": {"age": "x"}}, {}),
    "a level of another": ("protect.publish[0].levels", {"levels": {"age": 1}}, {}),
    "no measure": ("protect.publish[0].of", {"of": ["costs"]}, {}),
    "one count of two": ("protect.publish[0].of", {"of": ["n"]}, {}),
    "the total as a label": ("protect.publish[0].cell.kind", {"cell": {"kind": "*"}}, {}),
    "no such label": ("protect.publish[0].cell.kind", {"cell": {"kind": "z"}}, {}),
    "no such level": ("protect.publish[0].cell.kind", {"levels": {"kind": 1}}, {}),
    "over time": ("protect.publish", {}, {"over_time": "added"}),
    "values are changed": ("protect.publish", {}, {"by": "cell-key"}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_by_place(tmp_path, what):
    where, changed, protect = REFUSED[what]
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, rows())
    with pytest.raises(PolicyError) as refused:
        anonsql.tabulate(policy_on(engine, publish=[LABELS | changed], **protect))
    assert [problem.where for problem in refused.value.problems] == [where]
    if what in ("no such label", "no such level"):  # the policy by itself is right
        found = anonsql.check(policy_on(engine, publish=[LABELS | changed])).problems
        assert [problem.where for problem in found] == [where]
    assert not (tmp_path / "release.duckdb").exists()


def test_a_label_that_is_mistyped_is_named_where_values_may_be(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, rows())
    policy = policy_on(engine, publish=[LABELS | {"cell": {"kind": "say b"}}])
    (unnamed,) = anonsql.check(policy).problems
    (named,) = anonsql.check(policy, show_values=True).problems
    assert "Did you mean" not in unnamed.remedy and "--show-values" in unnamed.remedy
    assert """Did you mean 'say "b"'?""" in named.remedy


def test_a_cell_that_no_rule_forbids_is_named(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, rows())
    needless = {"table": "kinds", "cell": {}, "reason": "the total over all rows"}
    warnings = anonsql.tabulate(policy_on(engine, publish=[LABELS, needless])).warnings
    where = [warning.where for warning in warnings if "breaks no rule" in warning.message]
    assert where == ["protect.publish[1]"]


def test_a_label_of_several_levels_needs_its_level(tmp_path):
    """A region that is called like its country."""
    given = people(0, 60)
    tables = [["region", "sex"], ["illness"]]
    waiver = {"table": "region_sex", "cell": {"region": "A"}, "reason": "a law"}
    rows = [(who, "A" if region == "isle" else region, *rest) for who, region, *rest in given]
    policy = policy_of(tmp_path, rows, tables, publish=[waiver])
    edit(tmp_path / "source.duckdb", "INSERT INTO regions VALUES ('A', 'B')")
    with pytest.raises(PolicyError, match=r"this label at levels 0 and 1"):
        anonsql.tabulate(policy)
    policy["protect"]["publish"] = [waiver | {"levels": {"region": 0}}]
    anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"


def test_the_page_and_the_command_name_it(waived, tmp_path):
    policy = policy_on(waived, publish=[LABELS])
    report = anonsql.report(policy, tmp_path / "page.html")
    assert not report.statistics.missing
    text = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "kind = " in text and "a law" in text and '"reason"' not in text
