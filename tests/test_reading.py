"""What labels say, and what they cover where a label can be read in several ways."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column
from anonsql.grammar.labels import ReleasedLabel
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy
from anonsql.verification import covered as reading
from anonsql.verification.covered import Reading, readings

from .support import job, make_table, policy_data, tree_file

TEXT, NUMBER, DAY, MOMENT = (
    Column("w", kind) for kind in ("VARCHAR", "INTEGER", "DATE", "TIMESTAMP")
)
DIMENSIONS = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)


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
            [span("2020-01-05 10:00:00.500000", "2020-02-01 23:59:59.999999")],
        ),
    ],
)
def test_readings(label, column, besides):
    """First of all every label is itself."""
    assert readings(label, column) == [words(label), *besides]


def test_readings_of_arrays_and_of_nothing():
    assert readings(None, TEXT) == [words(None)]
    assert readings(["b", None, "{x}"], TEXT) == [words("b", None, "{x}")]


def test_bounds_say_what_the_ends_of_a_label_do_not():
    assert readings("[low,high]", NUMBER, ("3", "9")) == [words("[low,high]"), span("3", "9")]
    assert readings("[low,high]", NUMBER, ("3", None)) == [words("[low,high]")]
    assert readings("[1,5]", NUMBER, ("3", "9")) == [words("[1,5]"), span("1", "5")]


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
def test_sets_are_read_as_they_are_written(values):
    assert words(*values) in readings("{" + ", ".join(map(element, values)) + "}", TEXT)[1:]


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
    make_table(folder / "source.duckdb", {"n": "INTEGER", "w": "VARCHAR"}, rows)
    columns = {
        "n": tree_file(
            folder / "h" / "n.csv", [[str(leaf), node, "any"] for leaf, node in NUMBERS.items()]
        ),
        "w": tree_file(
            folder / "h" / "w.csv", [[leaf, node, "any"] for leaf, node in LETTERS.items()]
        ),
    }
    with job(Policy.parse(policy_data(columns), folder), folder / "work", DIMENSIONS) as found:
        yield found


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("column", ["n", "w"])
def test_labels_cover(made, column, every):
    attribute = next(each for each in made.counted.attributes if each.name == column)
    cases = dict(enumerate((each[1:] for each in CASES if each[0] == column), start=1))
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
    sizes = reading.cover(
        engine, attribute, labels, every=every, level=level, bounds=("BIGINT", "BIGINT")
    )
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
    assert sizes == {label: len(each) for label, each in found.items()}
    return found
