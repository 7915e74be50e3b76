"""What labels say, and what they cover where a label can be read in several ways."""

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column
from anonsql.jobs import pipeline
from anonsql.labels.bench import bench_for
from anonsql.labels.readings import ask, read_labels
from anonsql.verification.linking import tables as reading

from . import reading_oracle
from .label_oracle import ReleasedLabel
from .reading_oracle import Reading
from .support import job, label_bench, make_source, policy_in, tree_file

TEXT, NUMBER, DAY, MOMENT = (
    Column("w", kind) for kind in ("VARCHAR", "INTEGER", "DATE", "TIMESTAMP")
)
DIMENSIONS = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with label_bench(tmp_path_factory.mktemp("labels")) as made:
        yield made


def readings(bench, label, column, bounds=(None, None)):
    """The ways to read a label, in order, by SQL."""
    ask(bench, [asked(1, ReleasedLabel(label, bounds))])
    read_labels(bench, column, "read")
    parts = {}
    for _, number, _, part, kind, word, upto in bench.engine.query(
        "verification/facts",
        table="read",
        columns=["label", "reading", "parts", "part", "kind", "word", "upto"],
    ):
        parts.setdefault((number, kind), []).append((part, word, upto))
    made = []
    for (_, kind), some in sorted(parts.items()):
        in_order = sorted(some, key=lambda item: item[0])
        if kind == "word":
            made.append(Reading(tuple(word for _, word, _ in in_order)))
        elif kind == "span":
            made += [Reading(span=(first, last)) for _, first, last in some]
        else:
            pairs = sorted((one, other) for _, one, other in some if kind == "names")
            made.append(Reading(names=tuple(pairs)))
    return made


def asked(number, released):
    """A row of the table of labels that are to be read."""
    plain = released.label is None or isinstance(released.label, str)
    both = (released.label, None) if plain else (None, list(released.label))
    return (number, *both, *released.bounds)


def words(*each):
    return Reading(tuple(each))


def span(first, last):
    return Reading(span=(first, last))


@pytest.mark.parametrize(
    ("label", "column", "besides"),
    [
        ("plain", TEXT, []),
        ("*", TEXT, [Reading()]),
        ("{a, b}", TEXT, [words("a", "b")]),
        (
            '{"a, b", NULL, "NULL", "", " s", "say ""x"""}',
            TEXT,
            [words("a, b", None, "NULL", "", " s", 'say "x"')],
        ),
        ("{new\nline, \ttab}", TEXT, [words("new\nline", "\ttab")]),
        ("{a,b}", TEXT, []),  # no set that a release writes
        ("{a, }", TEXT, []),
        ('{"a}', TEXT, []),
        ("{}", TEXT, []),
        ("a … b", TEXT, [Reading(names=(("a", "b"),))]),
        ("a … b … c", TEXT, [Reading(names=(("a", "b … c"), ("a … b", "c")))]),
        ("{a … b, c}", TEXT, [words("a … b", "c"), Reading(names=(("{a", "b, c}"),))]),
        ("[a,b]", TEXT, []),
        ("[20,30]", NUMBER, [span("20", "30")]),
        ("[20,30)", NUMBER, []),
        ("[1.5,3.5]", NUMBER, [span("2", "3")]),
        ("[-99999999999999999999,5]", NUMBER, [span(str(-(2**63)), "5")]),
        ("[1,x]", NUMBER, []),
        ("[1,NaN]", NUMBER, []),
        ("[-1.5,0.25]", Column("n", "DECIMAL(10,2)"), [span("-1.50", "0.25")]),
        ("[-0.05,1e3]", Column("n", "DECIMAL(10,1)"), [span("0.0", "1000.0")]),
        ("[0.1,1e+20]", Column("n", "DOUBLE"), [span("0.1", "1e+20")]),
        ("[2020-01-05,2020-02-01]", DAY, [span("2020-01-05", "2020-02-01")]),
        ("[2020-01-05,2020-13-01]", DAY, []),
        (
            "[2020-01-05 10:00:00.5,2020-02-01]",
            MOMENT,
            [span("2020-01-05 10:00:00.5", "2020-02-01 23:59:59.999999")],
        ),
    ],
)
def test_readings(bench, label, column, besides):
    """First of all every label is itself."""
    assert readings(bench, label, column) == [words(label), *besides]


def test_readings_of_arrays_and_of_nothing(bench):
    assert readings(bench, None, TEXT) == [words(None)]
    assert readings(bench, ["b", None, "{x}"], TEXT) == [words("b", None, "{x}")]


def test_bounds_say_what_the_ends_of_a_label_do_not(bench):
    assert readings(bench, "[low,high]", NUMBER, ("3", "9")) == [
        words("[low,high]"),
        span("3", "9"),
    ]
    assert readings(bench, "[low,high]", NUMBER, ("3", None)) == [words("[low,high]")]
    assert readings(bench, "[1,5]", NUMBER, ("3", "9")) == [words("[1,5]"), span("1", "5")]


def element(value):
    """A value as a set has it, by the README."""
    if value is None:
        return "NULL"
    plain = value == value.strip(" ") and value not in ("", "NULL") and not set(value) & set(',{}"')
    return value if plain else '"' + value.replace('"', '""') + '"'


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.none() | st.text(st.sampled_from('ab,{}" N\n')) | st.just("NULL"),
        min_size=2,
        unique=True,
    )
)
def test_sets_are_read_as_they_are_written(bench, values):
    assert words(*values) in readings(bench, "{" + ", ".join(map(element, values)) + "}", TEXT)[1:]


COLUMNS = [
    *(TEXT, NUMBER, DAY, MOMENT, Column("n", "UHUGEINT"), Column("n", "DOUBLE")),
    *(Column("n", "DECIMAL(10,2)"), Column("n", "DECIMAL"), Column("n", "DECIMAL(38,0)")),
]
ENDS = st.one_of(
    st.integers(-(10**40), 10**40).map(str),
    st.decimals(-1000, 1000, places=15).map(lambda number: f"{number:f}"),
    st.floats(-1e9, 1e9).filter(lambda number: number == 0 or abs(number) > 1e-4).map(repr),
    st.datetimes().map(lambda moment: moment.isoformat(sep=" ")),
    st.dates().map(str),
    st.sampled_from(["", "x", "-0", "0.0", "+5", ".5", "5.", "1e3", " 7", "NaN", "2020-02-30"]),
)
LABELS = st.one_of(
    st.tuples(ENDS, ENDS, st.sampled_from("])")).map(lambda one: f"[{one[0]},{one[1]}{one[2]}"),
    st.text(st.sampled_from('ab,{}"[]() …*\n'), max_size=9),
    ENDS,
)


@settings(max_examples=200, deadline=None)
@given(LABELS, st.sampled_from(COLUMNS), st.none() | st.tuples(ENDS, ENDS))
def test_readings_are_those_of_the_oracle(bench, label, column, bounds):
    expected = reading_oracle.readings(label, column, bounds or (None, None))
    found = readings(bench, label, column, bounds or (None, None))
    assert [typed(item, column) for item in found] == [typed(entry, column) for entry in expected]


def typed(reading, column):
    """A reading with its ends as values, its names in some order."""
    if reading.span is None:
        return Reading(reading.words, None, tuple(sorted(reading.names)))
    kind = {"date": dt.date.fromisoformat, "timestamp": dt.datetime.fromisoformat}
    make = kind.get(column.kind, float if column.kind == "float" else Decimal)
    return tuple(make(end) for end in reading.span)


# what is covered: values 1 … 8 and words that look like something else, none of the data has 4 or "d"

NUMBERS = {
    1: "low",
    2: "low",
    3: "[7,8]",
    4: "[7,8]",
    5: "{1, 2}",
    6: "{1, 2}",
    7: "high",
    8: "high",
}
LETTERS = {
    "a": "first",
    "b": "first",
    "{a, b}": "first",
    "a … b": "second",
    "c": "second",
    "b … c": "second",
    "d": "second",
    "*": "third",
}
ALL_NUMBERS, ALL_LETTERS = {None, *NUMBERS} - {4}, {None, *LETTERS} - {"d"}
CASES = [  # column, label, bounds, what the preferred reading covers, what others do besides
    ("n", None, (None, None), {None}, set()),
    ("n", "2", (None, None), {2}, set()),
    ("n", "*", (None, None), ALL_NUMBERS, set()),
    ("n", "low", (None, None), {1, 2}, set()),
    ("n", "low", ("2", "9"), {2}, set()),
    ("n", "*", ("3", None), {3, 5, 6, 7, 8}, set()),
    ("n", "[2,5]", (None, None), {2, 3, 5}, set()),
    ("n", "[7,8]", (None, None), {3}, {7, 8}),
    ("n", "{1, 2}", (None, None), {5, 6}, {1, 2}),
    ("n", "{1, NULL, 9}", (None, None), set(), {1, None}),
    ("n", "{1, high}", (None, None), {1, 7, 8}, set()),
    ("n", ["1", "3", None], (None, None), {1, 3, None}, set()),
    ("n", "[4,4]", (None, None), set(), set()),
    ("n", "1 … 5", (None, None), {1, 2, 3, 5}, set()),
    ("w", "first", (None, None), {"a", "b", "{a, b}"}, set()),
    ("w", "{a, b}", (None, None), {"{a, b}"}, {"a", "b"}),
    ("w", "{a, c}", (None, None), {"a", "c"}, set()),
    ("w", "a … b", (None, None), {"a … b"}, {"a", "b"}),
    (
        "w",
        "a … b … c",
        (None, None),
        {"a", "b", "{a, b}", "a … b", "c", "b … c"},
        set(),
    ),  # from a, or from a … b
    ("w", "b … a", (None, None), set(), set()),
    ("w", "*", (None, None), {"*"}, ALL_LETTERS - {"*"}),
    ("w", "d", (None, None), set(), set()),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    rows = [
        *((n, None) for n in NUMBERS if n != 4),
        *((None, w) for w in LETTERS if w != "d"),
        (None, None),
    ]
    make_source(folder, {"n": "INTEGER", "w": "VARCHAR"}, rows)
    columns = {
        "n": tree_file(
            folder / "h" / "n.csv", [[str(leaf), node, "any"] for leaf, node in NUMBERS.items()]
        ),
        "w": tree_file(
            folder / "h" / "w.csv", [[leaf, node, "any"] for leaf, node in LETTERS.items()]
        ),
    }
    with job(policy_in(folder, columns), folder / "work", DIMENSIONS) as found:
        yield found


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("column", ["n", "w"])
def test_labels_cover(made, column, every):
    attribute = next(item for item in made.counted.attributes if item.name == column)
    cases = dict(enumerate((entry[1:] for entry in CASES if entry[0] == column), start=1))
    found = cover(
        made.engine,
        attribute,
        {number: ReleasedLabel(label, bounds) for number, (label, bounds, _, _) in cases.items()},
        every,
    )
    expected = {
        number: first | (others if every else set())
        for number, (_, _, first, others) in cases.items()
    }
    assert found == {number: values for number, values in expected.items() if values}


def test_the_level_of_nodes_is_kept_to(made):
    attribute = made.counted.attributes[0]
    labels = dict(
        enumerate((ReleasedLabel("{1, 2}"), ReleasedLabel("1"), ReleasedLabel("low")), start=1)
    )
    assert cover(made.engine, attribute, labels, False, level=0) == {1: {1, 2}, 2: {1}}
    assert cover(made.engine, attribute, labels, False, level=1) == {1: {5, 6}, 3: {1, 2}}
    assert cover(made.engine, attribute, labels, False, level=9) == cover(
        made.engine, attribute, labels, False
    )
    assert cover(made.engine, attribute, {}, True) == {}


def cover(engine, attribute, labels, every, level=None):
    """The values that labels cover, by number."""
    with bench_for(engine) as bench:
        ask(bench, [asked(number, released) for number, released in labels.items()])
        kinds = ("BIGINT", "BIGINT")
        sizes = reading.cover(engine, bench, attribute, every=every, level=level, bounds=kinds)
    values = dict(
        engine.query(
            "verification/facts", table=f"dim_{attribute.index}", columns=["code", "value"]
        )
    )
    found = {}
    for label, code in engine.query(
        "verification/facts", table=f"covers_{attribute.index}", columns=["label", "code"]
    ):
        found.setdefault(label, set()).add(values[code])
    engine.drop(f"covers_{attribute.index}")
    assert dict(zip(*map(list, sizes), strict=True)) == {
        label: len(item) for label, item in found.items()
    }
    return found
