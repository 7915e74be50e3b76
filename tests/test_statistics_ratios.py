"""Means, rates and shares as measures: they follow from the published measures to the last digit,
are hidden where one of these is, and are refused where they say anything else."""

import copy
from decimal import Decimal
from fractions import Fraction

import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.statistics import StatisticsPolicy

from . import tables_of_numbers, test_statistics_noise
from .engines import DuckDB
from .support import edit
from .tables_of_numbers import COLUMNS, settings

RATIOS = {
    "mean": {"ratio": ["cost", "people"]},
    "part": {"share": "people", "decimals": 2},
    "per_score": {"ratio": ["days", "score"], "decimals": 0},
    "small": {"ratio": ["n", "score"], "decimals": 6},
}
BASES = {"cost": 10, "days": 5, "score": 5}
WAYS = {
    "suppression": {"p_percent": 0.1},
    "zeros": {"zeros": "protect"},
    "cell keys": {"by": "cell-key"},
    "rounding": {"by": "rounding", "rounding": {"bases": BASES}},
}


def policy_on(engine, ratios=RATIOS, **protect):
    """A policy whose ratios stand before the measures that they are made of."""
    source, place = engine.places()
    if "." in (table := place.pop("table")):
        place["schema"] = table.partition(".")[0]
    data = copy.deepcopy(settings(**protect))
    data["statistics"]["of"] = {**ratios, **data["statistics"]["of"]}
    return StatisticsPolicy.parse({**data, "source": source, "release": place}, engine.folder)


def rounded(number, decimals):
    """A fraction to so many digits, half up."""
    return Fraction((number * 10**decimals + Fraction(1, 2)).__floor__(), 10**decimals)


def expected(ratio, cell, total):
    """What a ratio is by the published measures of a cell, and of the total of all."""
    parts = ratio.get("ratio") or [ratio["share"], ratio["share"]]
    above, below = cell[parts[0]], (total if "share" in ratio else cell)[parts[1]]
    if above is None or not below:
        return None
    return rounded(Fraction(above) / Fraction(below), ratio.get("decimals", 4))


def values(row, size, names):
    """The measures of a row, by name; as exact decimals, whatever the driver gives."""
    made = {}
    for at, name in enumerate(names):
        value, status = row[2 * size + 2 * at : 2 * size + 2 * at + 2]
        assert (value is None) == (status == "hidden")
        made[name] = None if value is None else Decimal(f"{value:.6f}")
    return made


def follow(engine, policy):
    """Assert that all ratios of all tables follow from their measures; return how many are shown,
    by ratio, and how many are hidden."""
    shown, hidden = dict.fromkeys(policy.ratios, 0), 0
    names = list(policy.statistics.of)
    assert names[-len(policy.ratios) :] == list(policy.ratios)  # they come last
    for name, table in policy.tables.items():
        size = len(table.by)
        rows = engine.read(name)
        tops = [max(row[2 * at + 1] for row in rows) for at in range(size)]
        totals = [row for row in rows if [*row[1 : 2 * size : 2]] == tops]
        total = values(totals[0], size, names) if totals else dict.fromkeys(names)
        for row in rows:
            cell = values(row, size, names)
            for ratio in policy.ratios:
                of = policy.statistics.of[ratio].model_dump()
                found = expected(of, cell, total)
                assert found == (None if cell[ratio] is None else Fraction(cell[ratio]))
                shown[ratio] += found is not None
                hidden += found is None
    return shown, hidden


def test_every_engine_has_the_same_ratios(everywhere):
    everywhere.make(COLUMNS, tables_of_numbers.rows())
    policy = policy_on(everywhere, p_percent=0.1)
    anonsql.tabulate(policy)
    shown, hidden = follow(everywhere, policy)
    assert all(shown.values()) and hidden
    assert anonsql.verify(policy, against_source=True).status == "verified"


@pytest.mark.parametrize("way", WAYS)
def test_ratios_follow_by_every_way_of_protection(tmp_path, way):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, tables_of_numbers.rows())
    policy = policy_on(engine, **WAYS[way])
    anonsql.tabulate(policy)
    assert all(follow(engine, policy)[0].values())
    assert anonsql.verify(policy, against_source=True).status == "verified"


@pytest.mark.parametrize("noise", [{"rho": 1}, {"rho": 1, "delta": 0.1, "domain": "keys"}])
def test_ratios_follow_from_noisy_values(tmp_path, noise):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, tables_of_numbers.rows())
    given = test_statistics_noise.policy_on(engine, **noise)
    data = given.model_dump(mode="json", by_alias=True, exclude_unset=True)
    first, second = list(given.measures)[:2]
    data["statistics"]["of"] |= {"rate": {"ratio": [first, second]}, "part": {"share": first}}
    policy = StatisticsPolicy.parse(data, given.origin.folder)
    anonsql.tabulate(policy)
    assert all(follow(engine, policy)[0].values())
    assert anonsql.verify(policy, against_source=True).status == "verified"


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    engine = DuckDB(tmp_path_factory.mktemp("ratios"))
    engine.make(COLUMNS, tables_of_numbers.rows())
    policy = policy_on(engine, p_percent=0.1)
    anonsql.tabulate(policy)
    return engine, policy


ONE = "(region = 'north' AND age = '*')"
EDITS = {
    "another last digit": f"UPDATE region_age SET mean = mean + 0.0001 WHERE {ONE}",
    "another share": f"UPDATE region_age SET part = part - 0.01 WHERE {ONE}",
    "another whole number": f"UPDATE region_age SET per_score = per_score + 1 WHERE {ONE}",
    "a hidden one shown": "UPDATE kinds SET mean = 3, mean_status = 'published' WHERE kind = '-'"
    " AND region IS NULL; UPDATE kinds__about SET value = CAST(CAST(value AS INTEGER) - 1 AS VARCHAR)"
    " WHERE property = 'hidden.mean'",
    "a shown one hidden": f"UPDATE region_age SET mean = NULL, mean_status = 'hidden' WHERE {ONE};"
    " UPDATE region_age__about SET value = CAST(CAST(value AS INTEGER) + 1 AS VARCHAR)"
    " WHERE property = 'hidden.mean'",
}


@pytest.mark.parametrize("what", EDITS)
def test_a_ratio_that_does_not_follow_is_refused(release, what):
    engine, policy = release
    path = engine.folder / "release.duckdb"
    before = path.read_bytes()
    edit(path, *EDITS[what].split("; "))
    try:
        assert path.read_bytes() != before
        with pytest.raises(VerificationError, match="do not follow from"):
            anonsql.verify(policy)
    finally:
        path.write_bytes(before)


def test_digits_beyond_64_bits_are_not_published(tmp_path):
    """A quotient of more than 16 digits is hidden; one next to it is exact."""
    engine = DuckDB(tmp_path)
    columns = {**COLUMNS, "days": "BIGINT", "score": "DECIMAL(18,6)"}
    rows = [(f"p{n}", "north", 3, "+a", Decimal(n), 10**14, Decimal("0.000001")) for n in range(9)]
    rows += [(f"q{n}", "é;*", 3, "+a", Decimal(n), 10**8 + n, Decimal(1) / 8) for n in range(9)]
    engine.make(columns, rows)
    ratios = {"rate": {"ratio": ["days", "score"], "decimals": 6}}
    policy = policy_on(engine, ratios)
    anonsql.tabulate(policy)
    found = {row[2]: (row[-4], row[-2:]) for row in engine.read("kinds") if row[1] == 0}
    assert found["one"][1] == (None, "hidden") and found["one"][0] is not None
    assert found["two"][1] == (Decimal(8 * (9 * 10**8 + 36)) / 9, "published")
    assert anonsql.verify(policy, against_source=True).status == "verified"


REFUSED = {
    "no such measure": ("statistics.of.mean.ratio", {"ratio": ["costs", "people"]}, "'cost'"),
    "a ratio of a ratio": (
        "statistics.of.mean.ratio",
        {"ratio": ["part", "people"]},
        "not a count",
    ),
    "no such measure to share": ("statistics.of.mean.share", {"share": "peple"}, "'people'"),
    "a ratio of one": ("statistics.of.mean", {"ratio": ["cost"]}, ""),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_by_place(tmp_path, what):
    where, mean, hint = REFUSED[what]
    with pytest.raises(PolicyError) as refused:
        policy_on(DuckDB(tmp_path), {**RATIOS, "mean": mean})
    assert all(problem.where.startswith(where) for problem in refused.value.problems)
    assert hint in str(refused.value)


def test_a_query_that_adds_ratios_says_so(release):
    _, policy = release
    where = "WHERE region_level = 0 AND kind_level = 0"
    for told, column in ((True, "SUM(mean)"), (True, "AVG(part)"), (False, "MAX(mean)")):
        notes = anonsql.query(policy, f"SELECT {column} AS x FROM kinds {where}").notes
        assert any("these are ratios" in note for note in notes) == told


def test_the_page_and_files_have_ratios(release, tmp_path):
    _, policy = release
    page = anonsql.report(policy, tmp_path / "page.html", csv=tmp_path, sdmx=tmp_path).statistics
    looks = {measure.name: measure.looks_like for measure in page.tables[0].measures}
    assert looks["mean"] == "cost divided by people"
    assert {one.measure for one in page.tables[0].crosstabs} >= {"mean", "part"}
    assert not page.missing


def test_a_mean_that_divides_by_rows_without_an_amount_is_warned_of(tmp_path):
    engine = DuckDB(tmp_path)
    rows = [row for row in tables_of_numbers.rows() if row[4] is not None]
    for missing in (0, 3):
        engine.make(
            COLUMNS, [(*row[:4], None, *row[5:]) for row in rows[:missing]] + rows[missing:]
        )
        report = anonsql.check(policy_on(engine))
        found = [one.message for one in report.warnings if one.where == "statistics.of.mean.ratio"]
        assert [text.partition(",")[0] for text in found] == ["3 rows have no 'cost'"][
            : missing > 0
        ]
