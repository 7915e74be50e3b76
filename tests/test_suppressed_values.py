"""What only a suppressed row has is in no table, label, type or fact of a release, and on no page
for its recipients; what intervals end at, released rows have."""

import datetime as dt
import random
import re

import pytest

import anonsql
from anonsql.features.report.command import report
from anonsql.policy.policy import Policy

from . import methods
from .support import in_memory, make_source, opened, policy_data, policy_over, released_rows

MARKED = re.compile(r"(?<![\d.])98[67]\d\d|(?<![\d.])87654|1066|ǂ|\\u01c2|RAREDIS|PLANTED")
"""What only the planted row has, as numbers, bounds, dates and texts, and the ends of labels."""
LIBRARY = re.compile(r"<script[^>]*>[^<]{0,99}[^{\[<\s].{50000,}?</script>", re.DOTALL)
"""What a page holds of the library that draws its charts."""
TYPES = {
    "age": "INTEGER",
    "zip": "VARCHAR",
    "sex": "VARCHAR",
    "born": "DATE",
    "job": "VARCHAR",
    "disease": "VARCHAR",
    "ill": "VARCHAR",
    "note": "VARCHAR",
    "cost": "INTEGER",
}
PERSON = (
    *(98713, "ǂǂǂǂǂ", "ǂ", dt.date(1066, 10, 14), "ǂǂ"),
    *("RAREDIS", "RAREDIS", "PLANTED", 876543),
)
COLUMNS = {
    "age": {
        "role": "qi",
        "hierarchy": {"type": "interval", "widths": [5, 10, 20, 40]},
    },
    "zip": {"role": "qi", "hierarchy": {"type": "mask", "length": 5}, "max_level": 4},
    "sex": {"type": "suppression"},
    "born": {"type": "date", "levels": ["month", "year"]},
    "job": {"type": "automatic", "levels": 2},
    "disease": "sensitive",
    "ill": {"role": "insensitive", "change": {"pram": {"stay": 0.2}}},
    "note": "insensitive",
    "cost": {"role": "insensitive", "change": {"top": 0.95, "bottom": 0.05, "round": 10}},
}
"""No label of a zip that may be released holds the planted one beside others."""
AT_ANY_LEVEL = {**COLUMNS, "zip": {"type": "mask", "length": 5}}
NO_LEVELS = ("ordered-partition", "attribute-suppression", "cell-suppression")
"""Methods for which limits of levels mean nothing, and that suppress the planted row all the same."""
NEVER = ("hilbert", "ring", "homogeneous", "anatomy", "local", "hybrid")
"""Methods that release every row, also the planted one, and hybrid, which may move it."""
SUPPRESSING = {
    name: settings for name, settings in methods.METHODS.items() if settings["type"] not in NEVER
} | {"hybrid by regions": methods.METHODS["hybrid by regions"]}


AVERAGING = (
    "mondrian",
    "ordered-partition",
    "cell-generalization",
    "full-subtree",
    "full-subgraph",
)


def people(rows=160, seed=1):
    """Rows that share their values with many, and the planted one."""
    rnd = random.Random(seed)
    ills = ["flu", "gout", "cold"]
    made = [
        (
            rnd.randint(18, 70),
            rnd.choice(["43100", "43101", "43210"]),
            rnd.choice("MF"),
            dt.date(rnd.choice([1970, 1980]), rnd.randint(1, 12), 1),
            rnd.choice(["ab", "ac", "bc"]),
            rnd.choice(ills),
            rnd.choice(ills),
            rnd.choice("xy"),
            rnd.randint(100, 900),
        )
        for _ in range(rows)
    ]
    return [*made, PERSON]


def texts(folder):
    """All that is released in a folder, as texts: tables with their types, and files as they are."""
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.name.endswith(".anonsql.duckdb"):
            continue
        if path.suffix != ".duckdb":
            yield LIBRARY.sub("", path.read_bytes().decode(errors="replace"))
        if path.suffix == ".parquet":
            yield from map(str, in_memory(f"FROM '{path}'"))
        if path.suffix != ".duckdb":
            continue
        with opened(path, read_only=True) as connection:
            for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                yield str(connection.execute(f'DESCRIBE "{name}"').fetchall())
                for row in connection.execute(f'FROM "{name}"').fetchall():
                    yield "|".join(map(str, row))


def nothing_marked(folder, pattern=MARKED):
    """The folder of a release, and the page for its recipients, have texts and none is marked."""
    seen = list(texts(folder))
    assert sum(len(text) for text in seen) > 1000
    assert [text[:300] for text in seen if pattern.search(text)] == []


def policy_of(folder, settings, columns, **release):
    """A policy whose release is in a folder of its own."""
    (folder / "out").mkdir()
    place = {"database": "out/release.duckdb", "table": "r", **release}
    place = {name: where for name, where in place.items() if where is not None}
    make_source(folder, TYPES, people())
    data = policy_data(columns, k=3, limit=0.1, method=settings)
    data["release"] = {**place, "completed": 2}
    return Policy.parse(data, folder)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name.startswith("mondrian ") else name
        for name in SUPPRESSING
    ],
)
def test_every_method(tmp_path, name):
    settings = SUPPRESSING[name]
    columns = AT_ANY_LEVEL if settings["type"] in NO_LEVELS else COLUMNS
    if settings["type"] in AVERAGING:
        columns = {**columns, "age": {**COLUMNS["age"], "values": "mean"}}
    policy = policy_of(tmp_path, settings, columns)
    assert anonsql.run(policy).suppressed
    report(policy, tmp_path / "out/page.html", audience="recipient")
    nothing_marked(tmp_path / "out")
    anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize("place", ["out/r.csv", "out/r.parquet", "out/folder", "mask"])
def test_every_kind_of_release(tmp_path, place):
    """Masked rows have * for quasi-identifying values, and here NULL for the others."""
    columns, release = COLUMNS, {"database": None, "table": None, "file": place}
    if place == "mask":
        shown = {
            name: {"role": "insensitive"} | (settings if isinstance(settings, dict) else {})
            for name, settings in COLUMNS.items()
            if name in ("disease", "ill", "note", "cost")
        }
        columns = {
            **columns,
            **{name: {**what, "suppressed": "mask"} for name, what in shown.items()},
        }
        release = {"suppressed": "mask"}
    policy = policy_of(tmp_path, {"type": "full-domain"}, columns, **release)
    done = anonsql.run(policy)
    assert done.suppressed
    nothing_marked(tmp_path / "out")
    anonsql.verify(policy, against_source=True)


OWN_INTERVALS = {
    "ordered-partition": {"type": "ordered-partition", "budget": 2, "resolution": 3},
    "mondrian": {"type": "mondrian"},
    "hybrid by regions": {"type": "hybrid", "p": 0.2, "recoding": "mondrian"},
}


@pytest.mark.parametrize("name", OWN_INTERVALS)
def test_intervals_end_at_values_of_released_rows(tmp_path, name):
    """Of random tables, whose suppressed rows lie anywhere."""
    suppressed = 0
    types = {"id": "INTEGER", "age": "INTEGER", "day": "DATE", "name": "VARCHAR", "zip": "VARCHAR"}
    group = {"role": "qi", "hierarchy": {"type": "mask", "length": 2}, "max_level": 1}
    columns = {
        "id": "insensitive",
        **{key: {"type": "suppression"} for key in ("age", "day", "name")},
        "zip": group,
    }
    if name == "ordered-partition":
        columns["zip"] = group["hierarchy"]
    for seed in range(2):
        rnd = random.Random(seed)
        rows = [
            (
                number,
                rnd.choice([None, *range(18, 80)]),
                dt.date(2000, 1, 1) + dt.timedelta(days=rnd.randrange(300)),
                rnd.choice(["ada", "bob", "cy", "dee", "eve"]),
                rnd.choice(["11", "11", "12", "12", "21", "31"][: 5 + number % 17 // 16]),
            )
            for number in range(130)
        ]
        folder = tmp_path / str(seed)
        folder.mkdir()
        policy = policy_over(
            folder, types, rows, columns, k=3, limit=0.2, method=OWN_INTERVALS[name]
        )
        suppressed += anonsql.run(policy).suppressed
        anonsql.verify(policy, against_source=True)
        released = released_rows(folder, "SELECT id, age_lo, age_hi, day_lo, day_hi, name FROM r")
        shown = [rows[row[0]] for row in released]
        ends = [
            {end for row in released for end in row[1:3]} - {row[1] for row in shown},
            {end for row in released for end in row[3:5]} - {row[2] for row in shown},
            {end for row in released for end in re.findall(r"\w+", row[5])}
            - {row[3] for row in shown},
        ]
        assert [end - {None} for end in ends] == [set(), set(), set()]
    assert suppressed


def test_an_interval_does_not_end_at_a_suppressed_value(tmp_path):
    """Where values are so many that neighbours share a place, one interval holds both."""
    rnd = random.Random(1)
    rows = [(rnd.randint(18, 70), rnd.choice("ab")) for _ in range(140)] + [(98713, "ǂ")]
    columns = {name: {"type": "suppression"} for name in ("age", "sex")}
    method = {"type": "ordered-partition", "resolution": 4}
    types = {"age": "INTEGER", "sex": "VARCHAR"}
    policy = policy_over(tmp_path, types, rows, columns, k=3, limit=0.1, method=method)
    assert anonsql.run(policy).suppressed == 1
    assert released_rows(tmp_path, "SELECT MIN(age_lo), MAX(age_hi) FROM r") == [(18, 70)]
    anonsql.verify(policy, against_source=True)
