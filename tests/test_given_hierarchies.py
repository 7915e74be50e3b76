"""Hierarchies that need no file: breaks, built-in codes, reference tables, on every engine and by
every method, against naive Python."""

import datetime as dt
import random
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.hierarchies.breaks import proposed, roundest_between
from anonsql.policy import yaml_text
from anonsql.policy.built_in import hierarchies as built_in
from anonsql.policy.hierarchy import BreaksHierarchy
from anonsql.policy.policy import Policy

from .engines import policy_on
from .examples import whole_jobs
from .methods import METHODS
from .support import make_table, opened, policy_data, rows_of, write_data
from .test_hierarchies import dimension, fresh

DAYS = [dt.date(2020, 2, 29), dt.date(2021, 1, 1), dt.date(2023, 7, 1)]
TYPES = {
    "n": "INTEGER",
    "amount": "DECIMAL(10,2)",
    "x": "DOUBLE",
    "day": "DATE",
    "moment": "TIMESTAMP",
    "zip": "VARCHAR",
    "code": "VARCHAR",
    "country": "VARCHAR",
    "city": "VARCHAR",
}
CITIES = [  # a key is NULL, two rows are the same, and nothing is easy to quote
    ("Köln", "Rhein;land", "NRW"),
    ("Köln", "Rhein;land", "NRW"),
    ('say "Bonn"', "Rhein;land", "NRW"),
    ("L'Aquila", "Abruzzen\\", "Italy"),
    (None, "unknown", "unknown"),
    ("nobody's", "Abruzzen\\", "Italy"),
]
HIERARCHIES = {
    "n": {"type": "breaks", "at": [-5, 0, 10, 1000], "then": [[0, 1000], [0]]},
    "amount": {"type": "breaks", "at": [0, 0.5, 100], "then": [[0.5]]},
    "x": {"type": "breaks", "at": [0.1, 8.2, 1e9], "then": [[8.2]]},
    "day": {"type": "breaks", "at": [str(day) for day in DAYS], "then": [[str(DAYS[1])]]},
    "moment": {"type": "breaks", "at": [str(day) for day in DAYS]},
    "zip": {"type": "us-zip"},
    "code": {"type": "icd-10"},
    "country": {"type": "countries"},
    "city": {"type": "table", "table": "cities", "key": "city", "levels": ["county", "state"]},
}


def rows(count=400):
    rnd = random.Random(5)
    made = []
    for _ in range(count):
        day = rnd.choice(DAYS) + dt.timedelta(days=rnd.randint(-1, 1))
        made.append(
            (
                rnd.choice([-6, -5, 0, 9, 10, 999, 1000, 2**31 - 1, None]),
                rnd.choice([Decimal("-0.01"), Decimal("0.49"), Decimal("0.50"), Decimal(100)]),
                rnd.choice([0.1, 8.2, 0.30000000000000004, -1e12, 1e9]),
                day,
                dt.datetime.combine(day, rnd.choice([dt.time(), dt.time(23, 59, 59)])),
                rnd.choice(["03601", "60601", "60602-1234", "99950"]),
                rnd.choice(["A00", "A001", "e11.9", "Z3A.1", "U07.1", None]),
                rnd.choice(["DE", "FRA", "Côte d'Ivoire", "Antarctica"]),
                rnd.choice(["Köln", 'say "Bonn"', "L'Aquila", None]),
            )
        )
    return made


def label(breaks, value):
    """The interval between breaks in which a value lies."""
    below, above = [b for b in breaks if b <= value], [b for b in breaks if b > value]
    if not below:
        return f"<{above[0]}"
    return f"[{below[-1]},{above[0]})" if above else f">={below[-1]}"


def naive(name, level, value):
    """The label of a value at a level, by what the guide says."""
    spec = HIERARCHIES[name]
    if value is None:
        return "unknown" if name == "city" else None
    if spec["type"] == "breaks":
        breaks = [spec["at"], *spec.get("then", [])][level - 1]
        if isinstance(breaks[0], str):
            plain = value.date() if isinstance(value, dt.datetime) else value
            return label(breaks, str(plain))
        return label(breaks, value)
    if name == "zip":
        return {"036": ["000", "000"]}.get(value[:3], [value[:3], f"{value[0]}**"])[level - 1]
    if name == "code":
        blocks = {
            "A00": ("A00-A09", "A00-B99"),
            "E11": ("E08-E14", "E00-E90"),
            "Z3A": ("Z30-Z39", "Z00-Z99"),
            "U07": ("U00-U49", "U00-U99"),
        }
        return (value[:3].upper(), *blocks[value[:3].upper()])[level - 1]
    if name == "country":
        places = {
            "DE": ("Western Europe", "Europe"),
            "FRA": ("Western Europe", "Europe"),
            "Côte d'Ivoire": ("Western Africa", "Africa"),
            "Antarctica": ("Antarctica", "Antarctica"),
        }
        return places[value][level - 1]
    return next(row[level] for row in CITIES if row[0] == value)


CHOSEN = [
    {"n": 1, "day": 1, "zip": 1},
    {"amount": 1, "x": 2, "code": 2},
    {"moment": 1, "country": 1, "city": 1},
]


def made_on(engine, levels):
    engine.make(TYPES, rows())
    engine.make({"city": "VARCHAR", "county": "VARCHAR", "state": "VARCHAR"}, CITIES, "cities")
    columns = {name: HIERARCHIES[name] if name in levels else "identifying" for name in TYPES}
    data = policy_data(
        columns,
        k=3,
        limit=0.9,
        method={"type": "full-domain", "levels": levels},
        release={"hierarchies": False},
    )
    return policy_on(engine, data)


@pytest.mark.parametrize("levels", CHOSEN, ids=str)
def test_labels_on_every_engine(everywhere, levels):
    engine = everywhere
    policy = made_on(engine, levels)
    assert anonsql.run(policy).verified
    names = [name for name in TYPES if name in levels]
    at = {name: position for position, name in enumerate(TYPES)}
    wanted = Counter(
        tuple(naive(name, levels[name], row[at[name]]) for name in names) for row in rows()
    )
    positions, ordered = [], 0
    for name in names:
        positions.append(ordered)
        ordered += 3 if HIERARCHIES[name]["type"] == "breaks" else 1
    found = Counter(tuple(row[position] for position in positions) for row in engine.read())
    assert found == {labels: n for labels, n in wanted.items() if n >= 3}
    for row in engine.read():
        for name, position in zip(names, positions, strict=True):
            if HIERARCHIES[name]["type"] == "breaks" and row[position] is not None:
                shown, lo, hi = row[position : position + 3]
                assert (lo is None) == shown.startswith("<")
                assert (hi is None) == shown.startswith(">=")
    again = made_on(engine, levels)
    assert anonsql.verify(again).status == "verified"
    assert anonsql.verify(again, against_source=True).against_source is not None
    if engine.name in ("duckdb", "sqlite"):  # a server's release has a schema, in a name of its own
        assert anonsql.query(again, "SELECT COUNT(*) FROM r")


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=12, unique=True).map(sorted),
    st.lists(st.integers(-60, 60), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
@whole_jobs
def test_breaks_of_numbers(tmp_path_factory, breaks, values, rnd):
    then, kept = [], breaks
    while len(kept) > 1:
        kept = sorted(rnd.sample(kept, rnd.randrange(1, len(kept))))
        then.append(kept)
    spec = {"type": "breaks", "at": breaks, "then": then}
    found = dimension(fresh(tmp_path_factory), "INTEGER", values, spec)
    for value in values:
        labels, bounds = found[value]
        levels = [breaks, *then]
        assert labels == (str(value), *(label(level, value) for level in levels), "*")
        for level, (lo, hi) in zip(levels, bounds[1:-1], strict=True):
            assert (lo, hi) == (
                max((point for point in level if point <= value), default=None),
                min((point - 1 for point in level if point > value), default=None),
            )


def test_the_last_moment_before_a_break(tmp_path):
    last = dt.datetime(2019, 12, 31, 23, 59, 59, 999999)
    first = dt.datetime(2020, 1, 1)
    spec = {"type": "breaks", "at": ["2019-01-01", "2020-01-01"]}
    found = dimension(tmp_path, "TIMESTAMP", [last, first], spec)
    assert found[last][0][1] == "[2019-01-01,2020-01-01)"
    assert found[last][1][1] == (dt.datetime(2019, 1, 1), last)
    assert found[first][0][1] == ">=2020-01-01"
    assert found[first][1][1] == (first, None)


def refused(hierarchy, *words):
    with pytest.raises(PolicyError) as error:
        Policy.parse(policy_data({"c": hierarchy}))
    for word in words:
        assert word in str(error.value), str(error.value)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"at": []}, ["columns.c.hierarchy.at", "at least 1"]),
        ({"at": [5, 1]}, ["columns.c.hierarchy.at[1]", "1 does not come after 5"]),
        ({"at": [1, 5, 5.0]}, ["columns.c.hierarchy.at[2]", "5 is given twice"]),
        ({"at": [1, "x"]}, ["columns.c.hierarchy.at[1]", "number, or a date"]),
        ({"at": [1, True]}, ["columns.c.hierarchy.at[1]", "number, or a date"]),
        ({"at": [1, None]}, ["columns.c.hierarchy.at[1]", "number, or a date"]),
        ({"at": [1, float("inf")]}, ["columns.c.hierarchy.at[1]", "number, or a date"]),
        ({"at": [1, 10**30]}, ["columns.c.hierarchy.at[1]", "18 digits"]),
        ({"at": [1, "2020-01-01"]}, ["columns.c.hierarchy.at[1]", "or all as dates"]),
        ({"at": ["2021-02-29"]}, ["columns.c.hierarchy.at[0]", "2021-02-29 is not a valid date"]),
        ({"at": [1, 2], "then": [[3]]}, ["hierarchy.then[0][0]", "3 is not a break of at"]),
        ({"at": [1, 2], "then": [[1, 2]]}, ["hierarchy.then[0]", "same breaks as at"]),
        ({"at": [1, 2, 3], "then": [[2], [3]]}, ["then[1][0]", "3 is not a break of then[0]"]),
        ({"at": [1, 2, 3], "then": [[2, 1]]}, ["hierarchy.then[0][1]", "does not come after"]),
    ],
)
def test_breaks_that_are_none(spec, words):
    refused({"type": "breaks", **spec}, *words)


@pytest.mark.parametrize(
    ("kind", "at", "words"),
    [
        ("VARCHAR", [1], "numeric column"),
        ("DATE", [1], "the breaks are numbers"),
        ("INTEGER", ["2020-01-01"], "the breaks are dates"),
    ],
)
def test_breaks_of_another_kind_than_the_column(tmp_path, kind, at, words):
    with pytest.raises(PolicyError, match=words):
        dimension(tmp_path, kind, [None], {"type": "breaks", "at": at})


def test_what_is_no_number_lies_between_no_breaks(tmp_path):
    with pytest.raises(PolicyError, match="not finite numbers"):
        dimension(tmp_path, "DOUBLE", [float("inf"), 1.0], {"type": "breaks", "at": [1]})


def unknown_policy(folder, kind, values, method="full-domain", *, level=0, **settings):
    folder.mkdir(exist_ok=True)
    (folder / "source.duckdb").unlink(missing_ok=True)
    make_table(folder / "source.duckdb", {"c": "VARCHAR"}, [(value,) for value in values])
    column = {"role": "quasi-identifying", "hierarchy": {"type": kind, **settings}}
    if level:
        column["min_level"] = level
    return Policy.parse(
        policy_data({"c": column}, limit=0.1, method={"type": method}, release={"completed": 5}),
        folder,
    )


@pytest.mark.parametrize("kind", ["us-zip", "icd-10", "countries"])
def test_many_unknown_values_stop_a_run_with_a_line_that_accepts_them(tmp_path, kind):
    values = ["secret", "hello"] * 4
    with pytest.raises(PolicyError) as error:
        anonsql.run(unknown_policy(tmp_path, kind, values))
    assert "8 rows (2 values) have no" in str(error.value)
    assert "secret" not in str(error.value)
    line = str(error.value).split("`hierarchy: ")[1].split("`")[0]
    accepted = yaml_text.parse(line, "the line")
    assert accepted == {"type": kind, "unknown": "any"}
    policy = unknown_policy(tmp_path / "accepted", kind, values, unknown="any")
    anonsql.run(policy)
    released = rows_of(tmp_path / "accepted" / "release.duckdb", "SELECT DISTINCT c FROM r")
    assert released == [("other",)]


KNOWN = {"us-zip": "60601", "icd-10": "E11.9", "countries": "DE"}


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("us-zip", "full-domain"),
        ("icd-10", "mondrian"),
        ("countries", "full-domain"),
        ("countries", "cell-generalization"),
    ],
)
def test_few_unknown_values_are_released_as_one(tmp_path, kind, method, caplog):
    values = [KNOWN[kind]] * 97 + ["secret", "hello", "secret"]
    policy = unknown_policy(tmp_path, kind, values, method)
    checked = anonsql.check(policy)
    (warning,) = [w for w in checked.warnings if w.where == "columns.c.hierarchy"]
    assert "3 rows (2 values) have no" in warning.message
    assert "secret" not in str(warning) + caplog.text
    anonsql.check(policy, show_values=True)
    assert "'secret', 'hello'" in caplog.text
    anonsql.run(policy)
    release = tmp_path / "release.duckdb"
    counts = dict(rows_of(release, "SELECT c, COUNT(*) FROM r GROUP BY c"))
    assert counts == {KNOWN[kind]: 97, "other": 3}
    assert anonsql.verify(policy).status == "verified"
    assert anonsql.verify(policy, against_source=True).status == "verified"
    assert b"secret" not in release.read_bytes()
    answers = anonsql.query(release, "SELECT COUNT(*) FROM r WHERE c = 'other'").answers
    assert answers == anonsql.query(policy, "SELECT COUNT(*) FROM r WHERE c = 'other'").answers


def test_a_release_with_unknown_values_that_is_altered_is_refused(tmp_path):
    policy = unknown_policy(tmp_path, "countries", ["DE"] * 97 + ["secret"] * 3)
    anonsql.run(policy)
    release = tmp_path / "release.duckdb"
    with opened(release) as connection:
        connection.execute("UPDATE r__labels SET leaf = 'secret' WHERE leaf = 'other'")
    with pytest.raises(VerificationError, match="__labels and the policy's hierarchy of 'c'"):
        anonsql.verify(policy)


@pytest.mark.parametrize(
    ("spelling", "released"), [("alpha-2", "CI"), ("alpha-3", "CIV"), ("name", "Ivory Coast")]
)
def test_countries_are_released_in_one_spelling(tmp_path, spelling, released):
    spelled = [
        "CI",
        "ci",
        "CIV",
        "civ",
        "ivory coast",
        "CÔTE D'IVOIRE",
        "cote d'ivoire",
        " CI ",
        "Ivory-Coast",
        "ivory_coast",
    ]
    policy = unknown_policy(tmp_path, "countries", spelled * 3, spelling=spelling)
    anonsql.run(policy)
    assert rows_of(tmp_path / "release.duckdb", "SELECT DISTINCT c FROM r") == [(released,)]
    leaves = rows_of(tmp_path / "release.duckdb", "SELECT DISTINCT leaf FROM r__labels")
    assert len(leaves) == 251
    assert anonsql.verify(policy, against_source=True).status == "verified"


def test_completed_countries_have_one_spelling(tmp_path):
    codes = ["DE", "fr", "AT", "CH", "XK", "PL"]
    policy = unknown_policy(tmp_path, "countries", codes * 4, level=2)
    anonsql.run(policy)
    drawn = rows_of(tmp_path / "release.duckdb", "SELECT DISTINCT c FROM r__completed")
    assert all(len(code) == 2 for (code,) in drawn)
    assert anonsql.verify(policy).status == "verified"


def test_another_spelling_than_the_release_has_is_noted(tmp_path):
    policy = unknown_policy(tmp_path, "countries", ["Germany", "France", "DE"] * 4)
    (warning,) = [w for w in anonsql.check(policy).warnings if "spelling" in w.remedy]
    assert "8 of 12 rows have a name" in warning.message
    assert "`hierarchy: {type: countries, spelling: name}`" in warning.remedy
    policy = unknown_policy(tmp_path / "named", "countries", ["Germany"] * 4, spelling="name")
    assert not [w for w in anonsql.check(policy).warnings if "spelling" in w.remedy]


def test_engines_recognize_the_same_values(everywhere):
    """Each engine's LOWER, TRIM and LEFT; what is unknown becomes one value."""
    names = ["DE", "deu", " Germany", "RÉUNION", "réunion", "ÅLAND ISLANDS", "türkiye", "Narnia"]
    codes = ["E11.9", "e119", "Z3A", "e1", "A0-", "É11", "I10", "u07.1"]
    rows = [pair for pair in zip(names, codes, strict=True) for _ in range(3)]
    engine = everywhere
    engine.make({"country": "VARCHAR", "code": "VARCHAR"}, rows)
    columns = {
        "country": {"type": "countries", "unknown": "any"},
        "code": {"type": "icd-10", "unknown": "any"},
    }
    given_columns = {
        name: {"role": "quasi-identifying", "hierarchy": spec} for name, spec in columns.items()
    }
    policy = policy_on(engine, policy_data(given_columns, k=3, limit=0))
    anonsql.run(policy)
    released = Counter(tuple(row) for row in engine.read())
    assert released == Counter(
        {
            ("DE", "E11.9"): 3,
            ("DE", "e119"): 3,
            ("DE", "Z3A"): 3,
            ("RE", "other"): 6,
            ("AX", "other"): 3,
            ("TR", "I10"): 3,
            ("other", "u07.1"): 3,
        }
    )
    assert anonsql.verify(policy, against_source=True).status == "verified"


def test_zip_codes_that_are_numbers(tmp_path):
    found = dimension(tmp_path, "INTEGER", [3601, 2139], {"type": "us-zip"})
    assert found[3601][0] == ("3601", "000", "000", "*")
    assert found[2139][0] == ("2139", "021", "0**", "*")


def test_the_facts_that_are_built_in():
    areas = built_in.us_zip()
    listed = [
        "036",
        "059",
        "063",
        "102",
        "203",
        "556",
        "692",
        "790",
        "821",
        "823",
        "830",
        "831",
        "878",
        "879",
        "884",
        "890",
        "893",
    ]
    assert all(areas[area][0] == "000" for area in listed)
    assert len({label for label, _ in areas.values()}) == 1000 - len(built_in.FEW_PEOPLE)
    for spelling, length in (("alpha-2", 2), ("alpha-3", 3), ("name", None)):
        tree = {**(built_in.countries(spelling).tree or {})}
        assert tree.pop("other") is None
        leaves = [leaf for parts in tree.values() for some in parts.values() for leaf in some]
        assert len(leaves) == len(set(leaves)) == 250  # Kosovo counted in
        assert length is None or {*map(len, leaves)} == {length}
        assert {*built_in.countries(spelling).spellings.values()} == {*leaves, "other"}
    codes = built_in.icd_10()
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        assert {f"{letter}00", f"{letter}01"} & codes.keys()
    for code, (category, block, chapter) in codes.items():
        assert category == code
        if code[1:].isdigit():  # others are put where the ICD-10-CM has them
            assert block.split("-")[0] <= code <= block.split("-")[-1]
        assert chapter.split("-")[0] <= block.split("-")[0] <= chapter.split("-")[1]
    ages = built_in.ages()
    assert all(level[-1] == 90 for level in ages.levels)


@given(st.lists(st.decimals(-(10**6), 10**6, places=2), min_size=2, max_size=15))
def test_proposed_breaks_are_breaks(quantiles):
    at, then = proposed(sorted(quantiles))
    if len(set(quantiles)) < 2:
        assert (at, then) == ([], [])
        return
    made = BreaksHierarchy(at=at, then=then)
    assert len(made.at) <= len(set(quantiles)) + 1
    assert not then or len([point for point in then[-1] if point]) <= 2


@given(st.decimals(-1000, 1000, places=3), st.decimals(-1000, 1000, places=3))
def test_the_roundest_number_between_two(one, other):
    low, high = sorted((one, other))
    if low == high:
        return
    between = roundest_between(low, high)
    assert low < between <= high
    digits = len(str(abs(between).normalize().as_tuple().digits))
    assert digits <= len(str(abs(high).normalize().as_tuple().digits))


CITY = {"type": "table", "table": "cities", "key": "city", "levels": ["county", "state"]}


def with_cities(folder, cities, values=("a", "b", "c", None), **spec):
    make_table(folder / "source.duckdb", {"c": "VARCHAR"}, [(value,) for value in values] * 3)
    kinds = {"city": "VARCHAR", "county": "VARCHAR", "state": "VARCHAR"}
    make_table(folder / "source.duckdb", kinds, cities, table="cities")
    return Policy.parse(policy_data({"c": {**CITY, **spec}}), folder)


GOOD = [("a", "x", "s"), ("b", "x", "s"), ("c", "y", "s")]


@pytest.mark.parametrize(
    ("cities", "spec", "words"),
    [
        (GOOD[:2], {}, ["columns.c.hierarchy", "1 distinct value of the column is not covered"]),
        ([*GOOD, ("a", "y", "s")], {}, ["hierarchy.key", "1 value has more than one county"]),
        (
            [*GOOD, ("d", "y", "t")],
            {},
            ["hierarchy.levels[1]", "1 value of county lies in more than one state"],
        ),
        ([*GOOD, ("d", None, "s")], {}, ["hierarchy.levels[0]", "1 value has no county"]),
        ([*GOOD, ("", "y", "s")], {}, ["hierarchy.key", "1 value is empty text"]),
        ([], {}, ["hierarchy.table", "no row with a city"]),
        (GOOD, {"table": "citys"}, ["hierarchy.table", "Did you mean 'cities'?"]),
        (GOOD, {"key": "citi"}, ["hierarchy.key", "Did you mean 'city'?"]),
        (GOOD, {"levels": ["county", "sate"]}, ["hierarchy.levels[1]", "Did you mean 'state'?"]),
        (GOOD, {"levels": ["county", "county"]}, ["hierarchy.levels[1]", "named twice"]),
    ],
)
def test_reference_tables_that_give_no_hierarchy(tmp_path, cities, spec, words):
    with pytest.raises(PolicyError) as error:
        anonsql.run(with_cities(tmp_path, cities, **spec))
    assert all(word in str(error.value) for word in words), str(error.value)


def test_offending_keys_are_shown_on_demand_alone(tmp_path, caplog):
    cities = [*GOOD, ("sécret", "x", "s"), ("sécret", "y", "s")]
    policy = with_cities(tmp_path, cities)
    with pytest.raises(PolicyError) as error:
        anonsql.run(policy)
    assert "sécret" not in str(error.value) + caplog.text
    with pytest.raises(PolicyError) as error:
        anonsql.run(policy, show_values=True)
    assert "sécret" not in str(error.value)
    assert "sécret" in caplog.text


def test_a_file_has_no_reference_table(tmp_path):
    (tmp_path / "t.csv").write_text("c\na\na\n")
    data = policy_data({"c": CITY}, source={"file": "t.csv"})
    with pytest.raises(PolicyError, match=r"file or a query\.[^:]*type: file|type: file"):
        anonsql.run(Policy.parse(data, tmp_path))


def test_a_released_reference_table_is_read_by_queries(tmp_path):
    policy = with_cities(tmp_path, GOOD)
    anonsql.run(policy)
    tables = rows_of(tmp_path / "release.duckdb", "SHOW TABLES")
    assert ("r__labels",) in tables
    asked = "SELECT COUNT(*) FROM r WHERE c = 'a'"
    by_policy = anonsql.query(policy, asked)
    assert by_policy.answers == anonsql.query(tmp_path / "release.duckdb", asked).answers


NAMES = ["n", "day", "zip", "country"]
WAYS = {
    name: method for name, method in METHODS.items() if method["type"] not in ("anatomy", "local")
}


@pytest.mark.parametrize("method", WAYS.values(), ids=WAYS)
def test_every_method_takes_them(tmp_path, method):
    """Where a method can, sets of intervals too, of which some have one end."""
    at = [list(TYPES).index(name) for name in NAMES]
    some = [tuple(row[position] for position in at) for row in rows(60)]
    make_table(tmp_path / "source.duckdb", {name: TYPES[name] for name in NAMES}, some)
    brief = {**method, "budget": 2} if "budget" in method else method
    given_columns = {
        name: {"role": "quasi-identifying", "hierarchy": HIERARCHIES[name]} for name in NAMES
    }
    from_level = {name: {**column, "min_level": 1} for name, column in given_columns.items()}
    try:
        policy = Policy.parse(policy_data(from_level, k=3, limit=0.5, method=brief), tmp_path)
    except PolicyError:  # min_level means nothing to the method
        policy = Policy.parse(policy_data(given_columns, k=3, limit=0.5, method=brief), tmp_path)
    anonsql.run(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"
    assert anonsql.query(tmp_path / "release.duckdb", "SELECT COUNT(*), AVG(n) FROM r WHERE n >= 9")


def test_several_tables(tmp_path):
    rnd = random.Random(4)
    people = [(n, rnd.randrange(100), rnd.choice("ab")) for n in range(60)]
    visits = [(n, rnd.randrange(60), int(rnd.paretovariate(0.5)), "E11.9") for n in range(150)]
    path = tmp_path / "source.duckdb"
    make_table(path, {"id": "INTEGER", "age": "INTEGER", "city": "VARCHAR"}, people, "people")
    kinds = {"id": "INTEGER", "person": "INTEGER", "cost": "BIGINT", "code": "VARCHAR"}
    make_table(path, kinds, visits, "visits")
    kinds = {"city": "VARCHAR", "county": "VARCHAR", "state": "VARCHAR"}
    make_table(path, kinds, [("a", "x", "s"), ("b", "x", "s")], "cities")
    data = {
        "source": {"database": "source.duckdb"},
        "release": {"database": "release.duckdb", "completed": 0},
        "tables": {
            "people": {
                "key": "id",
                "columns": {
                    "age": {"role": "quasi-identifying", "hierarchy": {"type": "ages"}},
                    "city": {"role": "quasi-identifying", "hierarchy": CITY},
                },
            },
            "visits": {
                "key": "id",
                "references": {"person": "people"},
                "columns": {
                    "cost": {"role": "quasi-identifying", "hierarchy": {"type": "automatic"}},
                    "code": {"role": "quasi-identifying", "hierarchy": {"type": "icd-10"}},
                },
            },
        },
        "privacy": {"of": "people", "k": 2, "suppression_limit": 0.2},
    }
    file = write_data(tmp_path, data)
    report = anonsql.run(file)
    assert report.verified
    assert (tmp_path / "hierarchies" / "visits.cost.yaml").is_file()
    assert anonsql.verify(file).status == "verified"
    assert anonsql.verify(file, against_source=True).status == "verified"


def test_a_public_domain_has_the_group_of_unknown_values(tmp_path):
    """Whether the source has such values does not show in which cells there are."""
    cells = []
    for code in ("E11.9", "secret"):
        folder = tmp_path / code
        folder.mkdir()
        people = [(n, "I10" if n else code) for n in range(60)]
        make_table(folder / "source.duckdb", {"id": "INTEGER", "code": "VARCHAR"}, people)
        policy = {
            "source": {"database": "source.duckdb", "table": "t"},
            "release": {"database": "release.duckdb"},
            "statistics": {
                "of": {"people": "count"},
                "by": {"code": {"hierarchy": {"type": "icd-10"}}},
                "tables": [{"by": ["code"], "levels": {"code": 2}}],
            },
            "protect": {"entity": "id", "by": "noise", "noise": {"rho": 0.5, "max_rows": 1}},
        }
        file = write_data(folder, policy)
        anonsql.run(file)
        assert anonsql.verify(file, against_source=True).status == "verified"
        cells.append(rows_of(folder / "release.duckdb", "SELECT code, code_level FROM code"))
    assert set(cells[0]) == set(cells[1])
    assert ("other", 2) in cells[0]
