"""Labels as SQL reads them, against the reader that goes through them one by one."""

import datetime as dt
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Context, ReleaseTables, StatedColumn
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import PolicyError
from anonsql.grammar.forms import AS_IT_IS
from anonsql.labels.bench import bench_for
from anonsql.labels.reading import NamedColumn
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.system.journal import Journal
from anonsql.verification import labels

from . import label_oracle
from .label_oracle import ReleasedLabel
from .support import policy_in, tree_file
from .test_reading import element

HOSTILE = [
    "a, b",
    "{a, b}",
    '"',
    '{"',
    "[1,2]",
    "[1,2)",
    "a … b",
    " … ",
    "*",
    "**",
    "a*",
    "",
    "NULL",
    "é😀",
    "line\nfeed",
    "a\rb",
    "'",
    ";",
    ",",
    "{}",
    "1",
    "1.0",
    "-0",
    "2020-01-01",
    "x ",
    " x",
    "%",
]
NUMBERS = [
    "0",
    "-0",
    "1",
    "1.0",
    "2",
    "5",
    "-5",
    "7.5",
    "10",
    "20",
    "100",
    "0.1",
    "1e3",
    "1e300",
    "-1e300",
    "9007199254740993",
    "9007199254740992",
    "123456789012345678",
    "123456789012345679",
    "170141183460469231731687303715884105727",
    "-170141183460469231731687303715884105728",
    "0.123456789012345678",
    "0.123456789012345679",
    "+5",
    ".5",
    "5.",
    "1e400",
    "9223372036854775807",
    "16777217",
    "0.3333333432674408",
    "0.33333334",
]
MOMENTS = [
    "2020-01-01",
    "1969-12-31",
    "0001-01-01",
    "2020-02-29",
    "2020-01-01 10:00:00",
    "2020-01-01 10:00:00.123456",
    "1900-03-01 23:59:59",
    "2020-01-01 10:00:00+02",
    "2020-12-31",
]
UNITS = [
    "2020-W01",
    "2020-W53",
    "2021-W53",
    "2020-01",
    "2020-13",
    "2020-Q1",
    "2020-Q5",
    "2020",
    "0000",
    "1960s",
    "0000s",
    "1969-12",
    "2020-W00",
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    context = Context(tmp_path_factory.mktemp("work"), EngineSettings(), Journal())
    with closing(DuckDBEngine(Location("duckdb", Path("none")), context)) as made:
        yield made


@st.composite
def trees(draw):
    """Rows of a hierarchy's file: leaves, groups, groups of these."""
    pool = draw(st.sampled_from([HOSTILE, NUMBERS, MOMENTS, [*NUMBERS, *HOSTILE]]))
    leaves = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=6, unique=True))
    above = [item for item in [*HOSTILE, "[1,2]", "g1", "g2", "1"] if item]
    groups = draw(st.lists(st.sampled_from(above), min_size=1, max_size=3, unique=True))
    height = draw(st.integers(1, 3))
    rows = []
    for leaf in leaves:
        group = draw(st.sampled_from(groups))
        rows.append([leaf, *([group] * (height > 1)), *(["h"] * (height > 2)), "*"])
    return rows


SPECS = st.one_of(
    st.sampled_from(
        [
            {"type": "interval", "widths": [5, 20]},
            {"type": "interval", "widths": ["0.5", 2], "origin": "0.25"},
            {"type": "interval", "widths": [10**17], "origin": -3},
            {"type": "mask", "length": 3},
            {"type": "mask", "length": 4, "from": "left"},
            {"type": "date", "levels": ["week"]},
            {"type": "date", "levels": ["day", "month", "quarter", "year", "decade"]},
            {"type": "suppression"},
        ]
    ),
    trees(),
)
METHODS = [
    {"type": "full-domain"},
    {"type": "mondrian"},
    {"type": "mondrian", "values": "hierarchy"},
    {"type": "ordered-partition"},
]
_COLUMNS = 4
"""The columns of a release: what reads one reads some more in the same time."""

KINDS = {
    "BIGINT": st.integers(-(2**63), 2**63 - 1) | st.integers(-30, 30),
    "INTEGER": st.integers(-30, 130),
    "HUGEINT": st.integers(-(2**127), 2**127 - 1) | st.integers(-30, 30),
    "DOUBLE": st.sampled_from([0.0, -0.0, 0.1, 5.0, 1e300, -1e300, float("inf"), 0.5, 2.0, 20.0]),
    "FLOAT": st.sampled_from([0.5, 0.33333334, 16777216.0, 5.0]),
    "DECIMAL(38,18)": st.sampled_from(
        [
            Decimal("0.123456789012345678"),
            Decimal("0.123456789012345679"),
            Decimal(5),
            Decimal("2.5"),
        ]
    ),
    "DATE": st.dates(dt.date(1960, 1, 1), dt.date(2021, 1, 1)),
    "TIMESTAMP": st.datetimes(dt.datetime(1960, 1, 1), dt.datetime(2021, 1, 1)),
}


def of_tree(spec):
    return [cell for row in spec for cell in row] if isinstance(spec, list) else []


@st.composite
def texts(draw, spec):
    """A released label: a value, a node, or something made of some."""
    words = st.sampled_from([*of_tree(spec), *HOSTILE, *NUMBERS, *MOMENTS, *UNITS]) | st.text(
        max_size=3
    )
    words = words.filter(lambda word: "\0" not in word)
    kind = draw(st.integers(0, 7))
    if kind < 3:
        return draw(words)
    if kind == 3:
        own = draw(st.lists(words, min_size=1, max_size=3))
        return "{" + ", ".join(map(element, own)) + "}"
    if kind == 4:
        low = draw(st.integers(-10, 10)) * 5
        width = draw(st.sampled_from([5, 20, 10**17]))
        return f"[{low},{low + width}{draw(st.sampled_from(')]'))}"
    if kind == 5:
        pool = st.sampled_from([*NUMBERS, *MOMENTS, *of_tree(spec)])
        return f"[{draw(pool)},{draw(pool)}{draw(st.sampled_from(')]'))}"
    if kind == 6:
        return f"{draw(words)} … {draw(words)}"
    return draw(
        st.sampled_from(
            [
                "[0,0.5)",
                "[0.25,0.75)",
                "[0.25,2.25)",
                "*",
                "1**",
                "**1",
                "[-3,100000000000000000)",
                "[-3,99999999999999997)",
            ]
        )
    )


@st.composite
def released_columns(draw):
    """A column's hierarchy, the type of its bounds, its values with bounds and how many rows have
    them, and what is stated of it."""
    spec = draw(SPECS)
    kind = draw(st.none() | st.sampled_from(sorted(KINDS)))
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        label = draw(st.none() | texts(spec))
        ends = (None, None)
        if kind is not None:
            low = draw(st.none() | KINDS[kind])
            high = draw(st.one_of(st.just(low), st.none(), KINDS[kind]))
            ends = (low, high)
            found = label and label_oracle.interval_of(label)
            if found and draw(st.booleans()):
                ends = fitted(found, kind) or ends
            elif label and draw(st.booleans()):
                ends = fitted(Ends(label, label), kind) or ends
        rows.extend([(label, *ends)] * draw(st.integers(1, 3)))
    level = draw(st.integers(0, 3))
    return spec, kind, rows, StatedColumn("", "quasi-identifying", level, *AS_IT_IS)


releases = st.tuples(
    st.sampled_from(METHODS), st.lists(released_columns(), min_size=_COLUMNS, max_size=_COLUMNS)
)


class Ends:
    """The ends of a single value."""

    closed = True

    def __init__(self, low, high):
        self.low, self.high = low, high


def fitted(found, kind):
    """The bounds that a release would have beside an interval, where its ends are of the type."""
    read = {"DATE": dt.date.fromisoformat, "TIMESTAMP": dt.datetime.fromisoformat}
    try:
        ends = [read.get(kind, Decimal)(item) for item in (found.low, found.high)]
        if kind in ("BIGINT", "INTEGER", "HUGEINT"):
            most = {"BIGINT": 63, "INTEGER": 31, "HUGEINT": 127}[kind]
            ends = [
                min(max(int(end), -(2**most)), 2**most - (not found.closed) * 0) for end in ends
            ]
            if not found.closed:
                ends[1] -= 1
            return tuple(min(entry, 2**most - 1) for entry in ends)
        if kind in ("DOUBLE", "FLOAT"):
            return tuple(map(float, ends)) if all(abs(each) < 10**38 for each in ends) else None
        if kind.startswith("DECIMAL"):
            return tuple(ends) if all(abs(each) < 10**19 for each in ends) else None
        return tuple(ends)
    except (ValueError, ArithmeticError, AttributeError):
        return None


def policy_of(folder, method, specs, bounds):
    """The policy of columns by their hierarchies: a specification, or rows of a file."""
    own = {
        name: tree_file(folder / f"{name}.csv", spec) if isinstance(spec, list) else spec
        for name, spec in specs.items()
    }
    return policy_in(folder, own, method=method, release={"bounds": bounds})


def by_sql(engine, policy, stated):
    release = ReleaseTables(engine, ("released",), ("a",), ("b",))
    with bench_for(engine) as bench:
        return labels.describe(bench, release, policy, stated, [])


def one_by_one(engine, policy, name, stated):
    columns = {column.name: column for column in engine.columns(("released",))}
    bounds = [columns[key] for key in (f"{name}_lo", f"{name}_hi") if key in columns]
    named = engine.query(
        "verification/named",
        table=("released",),
        columns=[NamedColumn(0, columns[name], [bound.name for bound in bounds])],
        bounds=len(bounds),
        masked=[],
    )
    values = [
        (ReleasedLabel(label, tuple(ends) or (None, None)), rows) for _, rows, label, *ends in named
    ]
    return label_oracle.describe(policy, columns, stated, name, values)


def load(engine, columns):
    """Load the rows of some columns, by name, as a release; the shorter ones begin again."""
    types, values = [], []
    longest = max(len(rows) for _, _, rows, _ in columns.values())
    for name, (_, kind, rows, _) in columns.items():
        types += [
            (name, "VARCHAR"),
            *([(f"{name}_lo", kind), (f"{name}_hi", kind)] if kind else []),
        ]
        long = [rows[place % len(rows)] for place in range(longest)]
        values += list(zip(*long, strict=True))[: 3 if kind else 1]
    engine.load("released", types, list(zip(*values, strict=True)))


@settings(max_examples=80 // _COLUMNS, deadline=None)
@given(releases)
def test_sql_reads_labels_as_one_by_one(engine, tmp_path_factory, release):
    check_readings(engine, tmp_path_factory, release)


@pytest.mark.long
@settings(max_examples=300 // _COLUMNS, deadline=None)
@given(releases)
def test_sql_reads_many_labels_as_one_by_one(engine, tmp_path_factory, release):
    check_readings(engine, tmp_path_factory, release)


def check_readings(engine, tmp_path_factory, release):
    """Read the labels of a release by SQL and one by one, and compare what is found."""
    method, drawn = release
    columns = {f"c{number}": column for number, column in enumerate(drawn)}
    folder = tmp_path_factory.mktemp("p")
    load(engine, columns)
    specs = {name: spec for name, (spec, *_) in columns.items()}
    bounds = any(kind for _, kind, *_ in columns.values())
    right = {}
    for name, (spec, _, _, stated) in columns.items():
        try:
            policy = policy_of(folder, method, {name: spec}, bounds)
            right[name] = one_by_one(engine, policy, name, stated)
        except (TypeError, ValueError, OverflowError, PolicyError):
            del specs[name]
    assume(specs)
    policy = policy_of(folder, method, specs, bounds)
    read = by_sql(engine, policy, {name: columns[name][-1] for name in specs})
    for name in specs:
        found, expected = read[name], right[name]
        event("offends" if expected.offences else "fits")
        assert (found.looks, found.offences) == (expected.looks, expected.offences)
