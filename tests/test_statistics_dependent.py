"""What ties published tables and sums: analysts find hidden values by it where the audit does not know
it, so it is audited unpublished, or refused; what is not tied is not."""

from __future__ import annotations

import itertools
import random
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.optimize import linprog

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs.statistics import counting
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import joined as of_joined
from anonsql.statistics.joined import Together, cycles, lacking
from anonsql.verification.statistics import recount

from .engines import DuckDB

COLUMNS = {
    "who": "INTEGER",
    **dict.fromkeys(("region", "country", "code", "sex"), "VARCHAR"),
    **dict.fromkeys(("net", "tax", "gross", "twin", "fee", "one", "few", "none"), "INTEGER"),
    "cents": "DECIMAL(10,2)",
}
COUNTRY = {"north": "A", "south": "A", "east": "B", "isle": "B", "west": "C"}
THREE = [["region", "sex"], ["country", "sex"], ["country", "region"]]


def people(count=60, seed=1):
    """Rows whose gross is net and tax, with NULL for no tax."""
    rnd = random.Random(seed)
    for who in range(count):
        region = rnd.choices([*COUNTRY], [8, 6, 6, 2, 5])[0]
        net, tax = rnd.randrange(10, 90), rnd.choice([None, 1, 2, 3])
        gross = net + (tax or 0)
        amounts = (net, tax, gross, gross, 5, 1, rnd.choice([None, 0, 1, 1]), 0, gross)
        yield who, region, COUNTRY[region], region.upper(), rnd.choice("fm"), *amounts


def policy_of(engine, names=("region", "sex"), tables=None, of=(), **protect):
    """A policy over the engine's table; ``of`` are sums, by column or by name."""
    source, release = engine.places()
    del release["table"]
    sums = of if isinstance(of, dict) else {name: {"sum": name} for name in of}
    groups = {"hierarchy": {"type": "breaks", "at": [0, 50]}}
    data = {
        "source": source,
        "statistics": {
            "by": {name: groups if name == "fee" else {} for name in names},
            "of": {"n": "count", **sums},
            "tables": tables or [list(names)],
        },
        "protect": {"entity": "who", "threshold": 4, **protect},
        "release": release,
    }
    return StatisticsPolicy.parse(data, engine.folder)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = DuckDB(tmp_path_factory.mktemp("dependent"))
    engine.make(COLUMNS, list(people()))
    return engine


def refused(policy, where):
    """What a check refuses at a place."""
    problems = anonsql.check(policy).problems
    return [f"{problem.message} {problem.remedy}" for problem in problems if problem.where == where]


def warned(policy, where):
    """What a check warns of at a place."""
    warnings = anonsql.check(policy).warnings
    return [f"{warning.message} {warning.remedy}" for warning in warnings if warning.where == where]


def joined_of(policy):
    """The tables that a run audits unpublished, by a check."""
    found, joined_tables = [], counting.joined_tables

    def noting(job):
        found.extend(joined_tables(job))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "joined_tables", noting)
        assert not anonsql.check(policy).problems
    return found


@contextmanager
def unknown():
    """Neither the choice nor the proof knows what ties tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "joined_tables", lambda _: [])
        patch.setattr(recount, "joined_tables", lambda *_: [])
        yield


def shown(engine, table):
    """The published counts of a table below the totals by their labels; None where hidden."""
    rows = engine.read(table)
    return {(row[0], row[2]): row[4] for row in rows if not row[1] and not row[3]}


def test_a_grouping_gives_hidden_cells_where_it_is_not_audited(tmp_path):
    """The attack: the country's count less those of its other regions. It finds nothing where the
    table of both and of sex is audited."""
    engine = DuckDB(tmp_path)
    made = [("north", "f", 8), ("north", "m", 9), ("south", "f", 2), ("south", "m", 7)]
    made += [("east", "f", 3), ("east", "m", 9), ("isle", "f", 9), ("isle", "m", 8)]
    rows = [(region, sex) for region, sex, count in made for _ in range(count)]
    engine.make(
        {name: COLUMNS[name] for name in ("who", "region", "country", "sex")},
        [(who, region, COUNTRY[region], sex) for who, (region, sex) in enumerate(rows)],
    )

    def found(tables):
        anonsql.tabulate(policy_of(engine, ("region", "country", "sex"), tables))
        regions, countries = shown(engine, "region_sex"), shown(engine, "country_sex")
        exact = 0
        for (country, sex), total in countries.items():
            inside = [regions[region, sex] for region in COUNTRY if COUNTRY[region] == country
                      and (region, sex) in regions]  # fmt: skip
            exact += total is not None and inside.count(None) == 1
        return exact

    two = THREE[:2]
    assert found(THREE) == found(two) == found([*THREE, ["region", "country", "sex"]]) == 0
    with unknown():
        assert found(two)
    with pytest.raises(VerificationError, match="can be recovered"):
        anonsql.verify(policy_of(engine, ("region", "country", "sex"), two), against_source=True)


def test_dimensions_that_name_the_same(engine):
    """Each is a grouping of the other."""
    tables = [["region", "sex"], ["code", "sex"]]
    (joined,) = joined_of(policy_of(engine, ("region", "code", "sex"), tables))
    assert joined == {"region": 0, "code": 0, "sex": 0}


def test_levels_that_are_groupings(tmp_path):
    """Neither column groups the other, and both group to the same countries."""
    engine, draw = DuckDB(tmp_path), random.Random(3)
    rows = [(who, draw.choice("abcdefgh"), draw.choice("uvwxyz")) for who in range(400)]
    rows = [(who, one, other) for who, one, other in rows if (one < "e") == (other < "x")]
    engine.make({"who": "INTEGER", "one": "VARCHAR", "other": "VARCHAR"}, rows)
    sides = {"one": "abcdefgh", "other": "uvwxyz"}
    for name, values in sides.items():
        lines = [
            f"{v};{'left' if v < {'one': 'e', 'other': 'x'}[name] else 'right'};*" for v in values
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    data = policy_of(engine, ("one", "other"), [["one"], ["other"]]).model_dump(
        exclude_unset=True, by_alias=True
    )
    data["statistics"]["by"] = {
        name: {"hierarchy": {"type": "file", "path": f"{name}.csv"}} for name in sides
    }
    policy = StatisticsPolicy.parse(data, engine.folder)
    assert joined_of(policy) == [{"one": 1, "other": 1}]
    anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"


def test_dimensions_of_which_none_is_a_grouping(engine):
    assert not joined_of(policy_of(engine, ("region", "sex"), [["region"], ["sex"]]))


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([{"p": 0}, {"w": 0}], [{"p": 0, "w": 0}]),
        ([{"p": 0, "w": 0}, {"p": 0}, {"w": 0}], []),
        ([{"p": 0, "w": 0}, {"p": 0, "s": 0}, {"w": 0, "s": 0}], [{"p": 0, "w": 0, "s": 0}]),
        ([{"p": 0, "w": 0}, {"p": 0, "s": 0}, {"w": 0, "t": 0}], []),
        # of each third a table of its own is enough, as no table of one dimension has both thirds
        (
            [dict.fromkeys(by, 0) for by in ("pws", "pwt", "ps", "ws", "pt", "wt")],
            [],
        ),
        (
            [dict.fromkeys(by, 0) for by in ("pws", "pwt", "pst", "wts")],
            [{"p": 0, "w": 0, "s": 0, "t": 0}],
        ),
        # levels: one that begins coarser than both tables is not enough
        (
            [{"p": 0, "w": 0, "s": 2}, {"p": 0, "s": 0}, {"w": 0, "s": 1}],
            [{"p": 0, "w": 0, "s": 1}],
        ),
        ([{"p": 0, "w": 0, "s": 1}, {"p": 0, "s": 0}, {"w": 0, "s": 1}], []),
    ],
)
def test_what_tables_are_lacking(tables, expected):
    """The groups of p and w fall into parts, whatever the others are."""
    rows = [(n % 4, n % 2, n // 4 % 3, n // 12 % 3) for n in range(36)]
    together = together_of(rows, "pwst", s=3)
    assert lacking(tables, together) == expected
    assert lacking(tables[::-1], together) == expected


def together_of(rows, names, **levels):
    """Which groups occur together in rows; dimensions with several ``levels`` have the same groups on
    all."""
    columns, heights = np.array(rows, np.int64).T, dict.fromkeys(names, 1) | levels
    codes = {
        (name, at): column
        for name, column in zip(names, columns, strict=True)
        for at in range(heights[name])
    }
    return Together(heights, lambda: codes)


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ([(0, 0), (1, 0), (2, 1)], 2),
        ([(0, 0), (1, 0), (1, 1), (2, 1)], 1),
        ([(0, 0), (1, 0), (1, 1), (2, 1), (3, 2), (4, 2), (4, 5)], 2),
        ([(7, 3)], 1),
        ([], 0),
    ],
)
def test_parts_of_groups(rows, parts, monkeypatch):
    columns = np.array(rows, np.int64).reshape(-1, 2)
    for _ in range(2):
        assert together_of(columns, "ab").parts({"a": 0}, ("b", 0)) == parts
        assert together_of(columns, "ab").parts({"b": 0}, ("a", 0)) == parts
        monkeypatch.setattr(of_joined, "_LISTED", 0)


def test_more_dependencies_than_are_looked_at_are_refused(monkeypatch):
    """Two of a, b and c determine the third one; of none any does alone."""
    rows = [(a, b, a ^ b) for a, b in itertools.product(range(4), repeat=2)]
    tables = [{"a": 0, "b": 0}, {"c": 0}]
    assert lacking(tables, together_of(rows, "abc")) == [dict.fromkeys("abc", 0)]
    monkeypatch.setattr(of_joined, "MOST", 2)
    with pytest.raises(PolicyError, match=r"more than 2 ways.*Leave out tables"):
        lacking(tables, together_of(rows, "abc"))


@pytest.mark.parametrize("protect", [{}, {"by": "cell-key"}])
def test_a_sum_of_the_values_that_are_labels_is_refused(engine, protect):
    groups, total = {"by": ["sex", "fee"], "levels": {"fee": 1}}, {"total": {"sum": "fee"}}
    policy_of(engine, ("sex", "fee"), [groups], total, **protect)
    policy_of(engine, ("sex", "fee"), of=["net"], **protect)
    for tables in ([["sex", "fee"]], [groups, ["fee"]]):
        with pytest.raises(PolicyError) as refused:
            policy_of(engine, ("sex", "fee"), tables, total, **protect)
        (problem,) = refused.value.problems
        assert problem.where == "statistics.of.total.sum"
        assert "`levels: {fee: 1}`" in str(problem) and "leave the sum out" in str(problem)


def test_noise_protects_a_sum_of_labels(engine):
    noise = {"rho": 1, "clip": {"total": [0, 9]}}
    policy_of(
        engine, ["fee"], of={"total": {"sum": "fee"}}, by="noise", noise=noise, threshold=None
    )


@pytest.mark.parametrize(
    ("of", "where", "words"),
    [
        (["net", "tax", "gross"], "gross", "'net' and 'tax' together"),
        (["tax", "cents", "net"], "cents", "'tax' and 'net' together"),  # NULL is 0; cents
        (["gross", "twin"], "twin", "it is 'gross' in every row"),
        (["cents", "gross"], "gross", "it is 'cents' in every row"),
    ],
)
@pytest.mark.parametrize("protect", [{}, {"p_percent": 0.1}])
def test_sums_that_follow_from_others(engine, of, where, words, protect):
    policy = policy_of(engine, of=of, **protect)
    (problem,) = refused(policy, f"statistics.of.{where}.sum")
    assert words in problem and "Leave one of them out" in problem
    with pytest.raises(PolicyError):
        anonsql.tabulate(policy)


@pytest.mark.parametrize(
    ("of", "words"),
    [
        ("2 * x + 7", None),
        ("x + 10", "it is 'x' plus 10 for each row"),
        ("x - 0.5", "it is 'x' plus -0.5 for each row"),
        ("100 - x", "'x' and this sum add up to 100 for each row"),
    ],
)
@pytest.mark.parametrize("protect", [{}, {"entity": None, "p_percent": 0.1}])
def test_sums_that_make_as_much_for_each_row(tmp_path, of, words, protect):
    """The attack: both of them, divided by that, are a count."""
    engine, draw = DuckDB(tmp_path), random.Random(5)
    columns = {"who": "INTEGER", "region": "VARCHAR", "x": "INTEGER", "y": "DECIMAL(9,1)"}
    rows = []
    for who in range(80):
        x = draw.randrange(10, 90)
        rows.append((who % 50, draw.choice("abc"), x, eval(of, {"x": x})))
    engine.make(columns, rows)
    found = refused(policy_of(engine, ["region"], of=["x", "y"], **protect), "statistics.of.y.sum")
    if words is None:
        assert not found
        return
    (message,) = found
    assert words in message and "reveal the number of rows" in message


@pytest.mark.parametrize("of", [["net", "tax"], ["net", "gross"], ["net", "gross", "none"]])
def test_sums_that_do_not_follow(engine, of):
    assert not anonsql.check(policy_of(engine, of=of)).warnings


def test_the_same_column_twice(engine):
    """Hides the same cells, rounded or not."""
    of = {"gross": {"sum": "gross"}, "rounded": {"sum": "gross", "decimals": 2}}
    assert not anonsql.check(policy_of(engine, of=of)).warnings


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("one", "all values except 0 and NULL are equal"),
        ("few", "all values except 0 and NULL are equal"),
        ("fee", "all values except 0 and NULL are equal"),
    ],
)
def test_sums_that_are_counts(engine, name, words):
    (warning,) = warned(policy_of(engine, of=[name]), f"statistics.of.{name}.sum")
    assert words in warning and "Leave the sum out" in warning
    # without a threshold counts are not protected, and noise protects both alike
    assert not anonsql.check(policy_of(engine, of=[name], threshold=None, p_percent=0.1)).warnings
    noised = policy_of(engine, of=[name], by="cell-key")
    assert not warned(noised, f"statistics.of.{name}.sum")


def test_sums_that_are_counts_tell_them(tmp_path):
    """The attack: what a count hides the sum of ones shows."""
    engine = DuckDB(tmp_path)
    cells = {"A": 5, "B": 30, "C": 40, "D": 6, "E": 33}
    rows = [(label, 1) for label, count in cells.items() for _ in range(count)]
    rows = [(who, label, one) for who, (label, one) in enumerate(rows)]
    engine.make({"who": "INTEGER", "region": "VARCHAR", "one": "INTEGER"}, rows)
    report = anonsql.tabulate(policy_of(engine, ("region",), of=["one"], threshold=13))
    below = [row for row in engine.read("region") if not row[1]]
    assert any(row[2] is None and row[4] is not None for row in below)
    assert any(warning.where == "statistics.of.one.sum" for warning in report.warnings)


CYCLE = [["region", "sex"], ["sex", "fee"], ["region", "fee"]]


@pytest.mark.parametrize(
    ("tables", "joined"),
    [
        (CYCLE, {"region", "sex", "fee"}),
        (CYCLE[:2], None),
        ([*CYCLE, ["region", "sex", "fee"]], None),
        ([["region", "sex"], ["region", "fee"], ["region", "code"]], None),
        ([["region", "sex", "code"], *CYCLE[1:]], {"region", "sex", "fee"}),
        # of levels: one that begins coarser does not contain the others
        (
            [*CYCLE, {"by": ["region", "sex", "fee"], "levels": {"fee": 1}}],
            {"region", "sex", "fee"},
        ),
    ],
)
def test_tables_that_form_a_cycle(engine, monkeypatch, tables, joined):
    """They are audited with the table of all their dimensions, and refused where it is too large."""
    names = dict.fromkeys(
        name for table in tables for name in (table if isinstance(table, list) else table["by"])
    )
    job = policy_of(engine, tuple(names), tables, {"total": {"sum": "net"}})
    found = [{*levels} for levels in joined_of(job)]
    assert joined in found if joined else not any({"fee", "sex"} <= levels for levels in found)
    monkeypatch.setattr(counting, "MOST_CELLS", 0)
    if found:
        assert "Add a table by" in refused(job, "statistics.tables")[0]
    changed = policy_of(engine, tuple(names), tables, by="cell-key")
    assert not refused(changed, "statistics.tables")


@pytest.mark.parametrize("protect", [{}, {"p_percent": 0.1}, {"zeros": "protect"}])
def test_circles_of_people_and_sums(engine, protect):
    """What is published of people, rows and sums at once keeps to the audit of the source."""
    of = {"people": {"count": "who"}, "total": {"sum": "net"}}
    job = policy_of(engine, ("region", "sex", "country"), THREE, of, **protect)
    if protect.get("zeros"):
        assert "publish empty cells" in refused(job, "statistics.by.country")[0]
        return
    assert not anonsql.tabulate(job).warnings
    anonsql.verify(job, against_source=True)


def test_cycles_are_found_apart():
    """Two cycles that no table links, and a table of one dimension of both that is in none."""
    tables = [*itertools.combinations("abc", 2), *itertools.combinations("xyz", 2), ("a", "x")]
    tables = [dict.fromkeys(by, 0) for by in tables]
    heights = dict.fromkeys("abcxyz", 1)
    assert [{*levels} for levels in cycles(tables[:6], heights)] == [{*"abc"}, {*"xyz"}]
    (whole,) = cycles(tables, heights)
    assert {*whole} == {*"abcxyz"}


def test_over_time_cycles_are_refused(engine):
    job = policy_of(engine, ("region", "sex", "fee"), CYCLE, over_time="added")
    assert "an audit over time" in refused(job, "statistics.tables")[0]


def narrowed(engine, tables, rows, names="abc", occurs=None, *, listed=1):
    """Of hidden cells of tables the true value, and the least and the greatest one that agrees with
    what is published, where no combination of all dimensions is below 0, and only those ``occurs``
    that an analyst knows to be possible. So many are in a ``listed`` cell at least."""
    labels = [sorted(set(column)) for column in zip(*rows, strict=True)]
    joint, fixed, there, hidden = list(filter(occurs, itertools.product(*labels))), [], [], []
    for by in tables:
        columns = slice(0, 2 * len(by), 2)
        shown = {tuple(row[columns]): row[2 * len(by)] for row in engine.read("_".join(by))}
        at = [names.index(name) for name in by]
        for pair in itertools.product(*([*labels[place], "*"] for place in at)):
            same = [(place, label) for place, label in zip(at, pair, strict=True) if label != "*"]
            inside = [all(cell[place] == label for place, label in same) for cell in joint]
            count = sum(all(row[place] == label for place, label in same) for row in rows)
            if shown.get(pair, 0) is not None:
                fixed.append((inside, shown.get(pair, 0)))
            else:
                there.append(inside)
                hidden.append((inside, count))
    settings = {"A_eq": [inside for inside, _ in fixed], "b_eq": [value for _, value in fixed]}
    settings |= {"A_ub": -np.array(there, float), "b_ub": np.full(len(there), -listed)}
    for inside, count in hidden:
        goal = np.array(inside, float)
        least, most = (linprog(sign * goal, **settings).fun for sign in (1, -1))
        yield count, round(least, 6), round(-most, 6)


CIRCLE = [["a", "b"], ["b", "c"], ["a", "c"]]


def circle_in(folder):
    """Rows of three dimensions, many of whose combinations are empty."""
    engine, draw = DuckDB(folder), random.Random(1)
    counts = [
        (cell, draw.choice([0, 0, 0, 0, 0, 1, 2, 9])) for cell in itertools.product(*["012"] * 3)
    ]
    rows = [cell for cell, count in counts for _ in range(count)]
    engine.make(dict.fromkeys("abc", "VARCHAR"), rows)
    return engine, rows


def test_cycles_of_tables_that_hide_empty_cells(tmp_path):
    """They are refused, as an audit cannot know which of the cells of all dimensions are empty; not so
    with the table of these, which then has all."""
    engine, rows = circle_in(tmp_path)
    settings = {"entity": None, "threshold": 3, "zeros": "protect"}
    job = policy_of(engine, tuple("abc"), CIRCLE, **settings)
    (problem,) = refused(job, "protect.zeros")
    assert "Add a table by a, b and c, or publish empty cells" in problem
    with pytest.raises(PolicyError):
        anonsql.tabulate(job)
    tables = [*CIRCLE, ["a", "b", "c"]]
    anonsql.tabulate(policy_of(engine, tuple("abc"), tables, **settings))
    cells = [*narrowed(engine, tables, rows, listed=0)]
    few = [(count, least, most) for count, least, most in cells if count < 3]
    assert {0, 1, 2} <= {count for count, _, _ in few}
    assert all(most >= 3 and (count or not least) for count, least, most in few)


def test_a_circle_narrows_hidden_cells(tmp_path):
    """The attack: rows by a and b, b and c, and a and c are margins of rows by all three. It finds
    nothing where these are audited."""
    (engine, rows), circle = circle_in(tmp_path), CIRCLE

    settings = {"entity": None, "threshold": 3, "cost": "cells"}

    def found(tables):
        anonsql.tabulate(policy_of(engine, tuple("abc"), tables, **settings))
        cells = narrowed(engine, [by for by in tables if len(by) == 2], rows)
        return any(cell[0] < 3 and cell[2] < 3 for cell in cells)

    for tables in (circle, circle[:2], [*circle, ["a", "b", "c"]]):
        assert not found(tables)
    with unknown():
        assert found(circle)
    with pytest.raises(VerificationError, match="can be recovered"):
        anonsql.verify(policy_of(engine, tuple("abc"), circle, **settings), against_source=True)


REGIONS = {"d1": "r1", "d2": "r1", "d3": "r1 r2", "d4": "r2", "d5": "r3", "d6": "r3", "d7": "r3"}
OFFICES = ("x", "y", "z")
TIED = {
    # names, rows of (draw), tables, and whether labels occur together, as analysts know
    "a district in two regions": (
        ("district", "region", "sex"),
        lambda draw: (d := draw.choice([*REGIONS]), draw.choice(REGIONS[d].split()), draw.choice("fm")),
        [["district", "sex"], ["region", "sex"]],
        lambda cell: cell[1] in REGIONS[cell[0]].split(),
    ),
    "an office by district and sector": (
        ("district", "sector", "office"),
        lambda draw: (
            str(d := draw.choice([0, 0, 0, 1, 2])),
            str(s := draw.choice([0, 0, 0, 1, 2])),
            OFFICES[(d + s) % 3],
        ),
        [["district", "sector"], ["office"]],
        lambda cell: OFFICES[(int(cell[0]) + int(cell[1])) % 3] == cell[2],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TIED)
@pytest.mark.parametrize("seed", range(2))
def test_what_occurs_together_narrows_hidden_cells(tmp_path, what, seed):
    """The attack: the sum over the groups of a part is the same by either dimension. It finds nothing
    where the table of all dimensions that depend on each other is audited."""
    names, made, tables, occurs = TIED[what]
    engine, draw = DuckDB(tmp_path), random.Random(seed)
    rows = [made(draw) for _ in range(70)]
    engine.make(dict.fromkeys(names, "VARCHAR"), rows)
    job = policy_of(engine, names, tables, entity=None, threshold=4, cost="cells")
    assert joined_of(job) == [dict.fromkeys(names, 0)]

    def found():
        anonsql.tabulate(job)
        return [cell for cell in narrowed(engine, tables, rows, names, occurs)
                if cell[0] < 4 and cell[2] < 4]  # fmt: skip

    with unknown():
        assert found()
    with pytest.raises(VerificationError, match="can be recovered"):
        anonsql.verify(job, against_source=True)
    assert found() == []


def test_circles_of_sums_that_are_negative_somewhere(tmp_path):
    """Where none of the cells is, those of all dimensions may be: nothing is concluded from them, and
    the others stay as they are."""
    engine, draw = DuckDB(tmp_path), random.Random(4)
    rows = [(who, *(draw.choice("xyz") for _ in "abc"), draw.randrange(5, 30)) for who in range(90)]
    rows += [(who, "x", "y", "z", 200) for who in range(90, 93)]
    rows += [(93, "x", "x", "x", -40), *((who, "x", "x", "y", 90) for who in range(94, 97))]
    rows += [(97, "y", "x", "x", 90), (98, "x", "z", "x", 90)]
    columns = {"who": "INTEGER", **dict.fromkeys("abc", "VARCHAR"), "net": "INTEGER"}
    engine.make(columns, rows)
    pairs = [[*pair] for pair in itertools.combinations("abc", 2)]
    job = policy_of(engine, tuple("abc"), pairs, {"total": {"sum": "net"}}, p_percent=0.1)
    anonsql.tabulate(job)
    anonsql.verify(job, against_source=True)
    shown = [row for one, other in pairs for row in engine.read(f"{one}_{other}")]
    assert all(row[6] is None or row[6] >= 0 for row in shown)
