"""What every form of a released label says: labels are read back as what the statements that write
them stand for."""

from types import SimpleNamespace

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.grammar.labels import Interval, beginning_of, elements_of, interval_of, names_of
from anonsql.grammar.literals import moment, number
from anonsql.jobs import pipeline
from anonsql.sql import templates

from .support import job, make_source, policy_in

WORDS = st.text(st.sampled_from('ab,{}[]()" N…*\n') | st.characters(codec="utf-8"), max_size=6)
WORDS = WORDS.filter(lambda word: "\0" not in word)
NAMES = st.text(st.sampled_from("ab …"), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def engine():
    with duckdb.connect() as found:
        yield found


def written(engine, folder, macro, columns, **parameters):
    """What a macro of the templates makes of a row ``t`` of texts."""
    macros = templates.environment().get_template(f"{folder}/macros.sql").module
    expression = getattr(macros, macro)(**parameters)
    row = ", ".join(f"? AS {name}" for name in columns)
    sql = f"SELECT {expression} FROM (SELECT {row}) AS t"
    return engine.execute(sql, list(columns.values())).fetchone()[0]


@settings(max_examples=300, deadline=None)
@given(words=st.lists(st.none() | WORDS | st.just("NULL"), min_size=1, max_size=4))
def test_sets_are_read_as_they_are_written(engine, words):
    elements = [
        written(engine, "methods/groups", "element", {"word": word}, value=["t", "word"])
        for word in words
    ]
    assert elements_of("{" + ", ".join(elements) + "}") == words


def interval(engine, first, last, sorts):
    """An interval of an ordered domain, as methods write it."""
    return written(
        engine,
        "methods/ordered_partition",
        "interval_label",
        {"mixed": False, "first": first, "last": last},
        a=SimpleNamespace(sorts=sorts),
        **{name: ["t", name] for name in ("mixed", "first", "last")},
    )


@settings(max_examples=300, deadline=None)
@given(first=NAMES, last=NAMES)
def test_the_names_of_an_interval_are_among_those_that_are_read(engine, first, last):
    label = interval(engine, first, last, sorts=False)
    if first == last:
        assert label == first
    else:
        assert (first, last) in names_of(label)
        assert all(f"{one} … {other}" == label for one, other in names_of(label))


@settings(max_examples=300, deadline=None)
@given(ends=st.tuples(*[st.integers() | st.floats(allow_nan=False) | st.dates()] * 2))
def test_closed_intervals_are_read_as_they_are_written(engine, ends):
    first, last = map(str, ends)
    label = interval(engine, first, last, sorts=True)
    assert interval_of(label) == (Interval(first, last, True) if first != last else None)


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("[20,30)", Interval("20", "30", False)),
        ("[20,30]", Interval("20", "30", True)),
        ("[,]", Interval("", "", True)),
        *((word, None) for word in ("20", "(20,30]", "[20]", "[1,2,3]", "[[1,2]", "[1,2]\n", "")),
    ],
)
def test_intervals_by_hand(label, found):
    assert interval_of(label) == found


@pytest.mark.parametrize(
    "label", ["{}", "{a,b}", "{a, }", '{"a}', "{a", "a}", "{ a}", '{a"b}', "plain", "*", ""]
)
def test_what_is_no_set_that_a_release_writes(label):
    assert elements_of(label) is None


@settings(max_examples=200, deadline=None)
@given(word=st.text(st.sampled_from("abc 0-9"), min_size=1, max_size=6), length=st.integers(6, 8))
def test_masked_texts_begin_as_the_original(engine, word, length):
    of = SimpleNamespace(index=1)
    engine.execute("CREATE OR REPLACE TABLE combinations AS SELECT ? AS q1", [word])
    for start in ("right", "left"):
        sql = templates.render("hierarchies/mask", a=of, length=length, start=start)
        _, *labels = engine.execute(sql).fetchone()
        for level, label in enumerate(labels[1:-1], start=1):
            hidden = min(level, len(word))
            if start == "right" or hidden == len(word):
                assert beginning_of(label) == (word[: len(word) - hidden], hidden)
            else:
                assert beginning_of(label) is None
    assert beginning_of(word) is None and beginning_of("a*b*") is None


def test_labels_of_hierarchies_hold_their_values(tmp_path):
    """Half-open intervals of whole numbers, decimals and floats."""
    rows = [(n, n / 4, n / 8, f"2020-0{1 + n % 9}-15") for n in range(-20, 20)]
    kinds = {"n": "INTEGER", "m": "DECIMAL(9,2)", "f": "DOUBLE", "d": "DATE"}
    make_source(tmp_path, kinds, rows)
    widths = {"n": [5, 20], "m": ["2.5", 5], "f": ["0.5", 2]}
    columns = {name: {"type": "interval", "widths": own} for name, own in widths.items()}
    columns["d"] = {"type": "date", "levels": ["quarter", "year"]}
    stages = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)
    with job(policy_in(tmp_path, columns), tmp_path / "work", stages) as made:
        for attribute in made.counted.attributes:
            labeled = made.engine.query(
                "verification/facts",
                table=f"dim_{attribute.index}",
                columns=["value", *(f"v{level}" for level in range(attribute.height + 1))],
            )
            for value, *labels in labeled:
                if value is None:
                    continue
                if attribute.name == "d":
                    assert moment(labels[0]).date() == value
                    continue
                assert number(labels[0]) == number(str(value))
                for level, label in enumerate(labels[1:-1]):
                    found = interval_of(label)
                    low, high = number(found.low), number(found.high)
                    assert not found.closed and low <= number(str(value)) < high
                    assert high - low == number(str(widths[attribute.name][level]))
                assert labels[-1] == "*"
