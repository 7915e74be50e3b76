"""Local buckets: Algorithm 2 done naively, distances done naively, tables that were tampered with,
and an attacker who knows all."""

import itertools
import random
from collections import Counter, defaultdict
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column, Context
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import PrivacyError
from anonsql.jobs import pipeline
from anonsql.methods.local import bucket_plans, buckets
from anonsql.methods.local.buckets import Bucketized, BucketSizes
from anonsql.methods.local.proof import bucket_differences
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.release.salts import fresh_salt
from anonsql.star.coded import Coded
from anonsql.system.journal import Journal
from anonsql.verification.apart import bucket_offences

from .engines import policy_on
from .support import job, policy_data, term

AGE, WORD = 9, 10
RARELY = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """An engine with nothing but scratch tables."""
    context = Context(tmp_path_factory.mktemp("buckets"), EngineSettings(threads=1), Journal())
    with closing(DuckDBEngine(Location("duckdb", Path("none")), context)) as engine:
        yield engine


def number(least=None, model=None, **more):
    return Bucketized(Coded(AGE, Column("age", "INTEGER"), **more), least, model)


def word(least=None, model=None, **more):
    return Bucketized(Coded(WORD, Column("word", "VARCHAR"), **more), least, model)


def local_rows(engine, rows):
    """The table to be dealt; rows are (withheld, age, withheld, word), with what else a release
    carries along."""
    columns = [
        ("grp", "BIGINT"),
        ("r1", "VARCHAR"),
        *[
            (f"{c}{i}", t)
            for i, of in ((AGE, "INTEGER"), (WORD, "VARCHAR"))
            for c, t in (("w", "INTEGER"), ("s", of))
        ],
    ]
    engine.load(
        "local_rows", columns, [(place // 3, f"id {place}", *row) for place, row in enumerate(rows)]
    )


def dealt(engine, index):
    """Of each bucket its values, and of each row its bucket."""
    found = engine.query(
        "verification/facts",
        table=("bucketed",),
        columns=["r1", f"w{index}", f"s{index}", f"b{index}"],
    )
    inside = defaultdict(list)
    for _, withheld, value, bucket in found:
        assert (bucket is None) == (withheld == 0)
        if withheld:
            inside[bucket].append(value)
    return inside, {name: bucket for name, _, _, bucket in found}


def in_order(values):
    """NULL first, then by size."""
    return sorted(values, key=lambda value: (value is not None, value))


# l-diversity: Algorithm 2


def eligible(values, least):
    return max(Counter(values).values(), default=0) * least <= len(values)


def naive_segments(values, least):
    """Algorithm 2 as it is written, over a list of values in order."""
    median = values[(len(values) + 1) // 2 - 1]
    last = max(place for place, value in enumerate(values) if value == median)
    small, big = values[: last + 1], values[last + 1 :]
    if big and eligible(small, least) and eligible(big, least):
        return naive_segments(small, least) + naive_segments(big, least)
    return [values]


cells = st.tuples(
    st.sampled_from([1, 1, 0]),
    st.one_of(st.none(), st.integers(0, 12)),
    st.sampled_from([1, 0]),
    st.sampled_from(["a", "b", "ä", "", None, "'"]),
)
tables = st.lists(cells, min_size=1, max_size=40).map(
    lambda rows: [
        (withheld, value if withheld else None, other, text if other else None)
        for withheld, value, other, text in rows
    ]
)


@RARELY
@given(tables, st.integers(2, 4))
def test_buckets_are_those_of_algorithm_2(scratch, rows, least):
    local_rows(scratch, rows)
    columns = [number(least), word(2)]
    of = {AGE: [row[1] for row in rows if row[0]], WORD: [row[3] for row in rows if row[2]]}
    fit = {item.index: eligible(of[item.index], item.least) for item in columns}
    if not all(fit.values()):
        with pytest.raises(PrivacyError) as error:
            buckets.deal(scratch, columns, whole="local_rows")
        for entry in columns:
            most, total = max(Counter(of[entry.index]).values(), default=0), len(of[entry.index])
            assert (f"privacy.l_diversity.{entry.coded.name}" in str(error.value)) != fit[
                entry.index
            ]
            assert fit[entry.index] or f"{most} of {total} withheld cells" in str(error.value)
            assert (
                fit[entry.index]
                or total // most < 2
                or f"Lower l to {total // most} or less" in str(error.value)
            )
        return
    sizes = buckets.deal(scratch, columns, whole="local_rows")
    for column, counted in zip(columns, sizes, strict=True):
        inside, _ = dealt(scratch, column.index)
        segments = (
            naive_segments(in_order(of[column.index]), column.least) if of[column.index] else []
        )
        expected = Counter()
        for values in segments:
            mine = [bucket for bucket in inside.values() if bucket[0] in values]
            assert len(mine) == len(values) // column.least and Counter(
                itertools.chain(*mine)
            ) == Counter(values)
            expected.update(len(bucket) for bucket in mine)
            assert max(map(len, mine)) - min(map(len, mine)) <= 1
        assert sorted(inside) == list(range(1, len(inside) + 1))
        for values in inside.values():
            assert len(values) >= column.least and max(Counter(values).values()) == 1
        if not inside:
            assert counted == BucketSizes(column.index)
            continue
        lengths = [len(values) for values in inside.values()]
        assert (counted.cells, counted.buckets, counted.smallest, counted.largest) == (
            sum(lengths),
            len(lengths),
            min(lengths),
            max(lengths),
        )
        assert counted.share == pytest.approx(1 / min(lengths))
        order = {value: place for place, value in enumerate(in_order(set(of[column.index])))}
        spans = [
            len(values) * (max(map(order.get, values)) - min(map(order.get, values)))
            for values in inside.values()
        ]
        assert counted.spread == pytest.approx(sum(spans) / sum(lengths) / max(1, len(order) - 1))
    assert bucket_differences(scratch, columns, release(scratch, columns)) == []


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 5))
def test_plans_deal_every_cell_once(counts, least):
    """Without an engine: cells of a plan, one by one."""
    if max(counts) * least > sum(counts):
        return
    plan = bucket_plans.diverse(np.array(counts, np.int64), least)
    inside = defaultdict(list)
    for value, count in enumerate(counts):
        for cell in range(count):
            inside[plan.first[value] + (plan.start[value] + cell) % plan.buckets[value]].append(
                value
            )
    assert sorted(inside) == list(range(len(inside)))
    assert all(
        len(values) >= least and len(set(values)) == len(values) for values in inside.values()
    )
    segments = naive_segments(
        [value for value, count in enumerate(counts) for _ in range(count)], least
    )
    assert sorted(Counter(plan.first.tolist()).values()) == sorted(
        len(set(values)) for values in segments
    )


def test_which_cells_meet_is_left_to_chance(scratch):
    """Of two cells of one value and two of another, each of the first meets each of the second half
    of the time; and neither numbers of buckets nor buckets of another column tell anything of it.
    """
    local_rows(scratch, [(1, 30, 1, "x"), (1, 30, 1, "x"), (1, 40, 1, "y"), (1, 40, 1, "y")])
    met, numbers, columns_agree = Counter(), Counter(), 0
    for _ in range(80):
        buckets.deal(scratch, [number(2), word(2)], whole="local_rows")
        _, ages = dealt(scratch, AGE)
        _, words = dealt(scratch, WORD)
        met[ages["id 0"] == ages["id 2"]] += 1
        numbers[ages["id 0"]] += 1
        columns_agree += (ages["id 0"] == ages["id 2"]) == (words["id 0"] == words["id 2"])
    for count in (met[True], numbers[1], columns_agree):
        assert 13 < count < 67  # 40 expected; six standard deviations


# t-closeness


def distance(kind, values, reference, order=()):
    """The earth mover's distance between two lists of values, exactly."""
    share, all_of = Counter(values), Counter(reference)
    gap = {
        value: Fraction(share[value], len(values)) - Fraction(all_of[value], len(reference))
        for value in all_of
    }
    if kind == "equal":
        return sum(map(abs, gap.values())) / 2
    sums = list(itertools.accumulate(gap[value] for value in order))
    return sum(map(abs, sums)) / max(1, len(order) - 1)


WORDS = ["a", "b", "c", "d"]


@RARELY
@given(
    st.lists(st.sampled_from([*WORDS, "a", "a", None]), min_size=1, max_size=40),
    st.sampled_from(["", "", "a", "cd", "aabbe"]),
    st.sampled_from(["0", "0.05", "0.2", "0.35", "0.5", "1"]),
)
def test_buckets_keep_the_equal_and_the_ordered_distance(scratch, values, others, t):
    """Against all values of the column; ``others`` are those of rows to whom they are not
    sensitive."""
    local_rows(scratch, [(1, None if value is None else ord(value), 1, value) for value in values])
    everybody = [*values, *others]
    both = [(None if value is None else ord(value), value) for value in everybody]
    scratch.load("everybody", [(f"s{AGE}", "INTEGER"), (f"s{WORD}", "VARCHAR")], both)
    columns = [
        number(model=term("ordered", Decimal(t), index=AGE), ordered=True),
        word(model=term("equal", Decimal(t), index=WORD)),
    ]
    references = [[age for age, _ in both], everybody]
    orders = [in_order(set(reference)) for reference in references]
    withheld = [[age for age, _ in both[: len(values)]], values]
    far = [
        distance(*of) > Fraction(t)
        for of in zip(("ordered", "equal"), withheld, references, orders, strict=True)
    ]
    if any(far):
        with pytest.raises(
            PrivacyError, match="together differ from the whole column by more than t="
        ) as error:
            buckets.deal(scratch, columns, whole="everybody")
        assert [
            f"privacy.t_closeness.{item.coded.name}" in str(error.value) for item in columns
        ] == far
        return
    sizes = buckets.deal(scratch, columns, whole="everybody")
    for column, counted, mine, reference, order in zip(
        columns, sizes, withheld, references, orders, strict=True
    ):
        inside, _ = dealt(scratch, column.index)
        assert Counter(itertools.chain(*inside.values())) == Counter(mine)
        worst = max(distance(column.model.kind, mine, reference, order) for mine in inside.values())
        assert worst <= Fraction(t) + Fraction(1, 10**9)
        assert counted.share == pytest.approx(
            max(max(Counter(mine).values()) / len(mine) for mine in inside.values())
        )
        smaller = [1 << power for power in range(10) if len(values) >> power > len(inside)]
        for size in smaller:  # every power of two below was tried, and in vain
            smaller_ones = naive_dealing(in_order(mine), len(mine) // size)
            assert max(
                distance(column.model.kind, bucket, reference, order) for bucket in smaller_ones
            ) > Fraction(t)
        if not others:  # by the release alone, what is withheld stands for all
            assert bucket_offences(scratch, *published(scratch, column), column) == []


def naive_dealing(values, number):
    return [values[start::number] for start in range(number)]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 40))
def test_kinds_of_buckets_are_all_there(counts, number):
    """What is judged are all the buckets that there are."""
    number = min(number, sum(counts))
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    bucket, value, amount = bucket_plans.even_contents(np.array(counts, np.int64), number)
    judged = defaultdict(dict)
    for one, of, count in zip(bucket.tolist(), value.tolist(), amount.tolist(), strict=True):
        judged[one][of] = count
    true = naive_dealing(values, number)
    assert all(Counter(true[one]) == content for one, content in judged.items())
    assert {frozenset(Counter(item).items()) for item in true} == {
        frozenset(entry.items()) for entry in judged.values()
    }
    assert len(judged) <= bucket_plans.most_kinds(np.array(counts), number)


# what is released


TITLES = {AGE: ("age_bucket", "age", "count"), WORD: ("word_bucket", "word", "count")}


def release(engine, columns):
    """The tables of buckets as they would be staged, by index."""
    made = {}
    for column in columns:
        names = TITLES[column.index]
        engine.drop(f"sensitive_{column.index}")
        staged = {
            "table": f"sensitive_{column.index}",
            "select": "release/sensitive",
            "names": names,
            "ordering": None,
            "sorted": (),
        }
        with fresh_salt(engine):
            counted = buckets.counted_values(column.index)
            engine.run("release/staged", **staged, **counted, titles=names, own=column.coded.column)
        made[column.index] = (f"sensitive_{column.index}",)
    return made


def published(engine, column, table=None):
    """Rows, table of buckets and its titles, as they are released."""
    table, names = table or release(engine, [column])[column.index], TITLES[column.index]
    engine.drop("released")
    own = [
        ("r1", "id", "VARCHAR"),
        (f"b{column.index}", names[0], "BIGINT"),
        (f"w{column.index}", "label", "VARCHAR"),
    ]
    rows = engine.query(
        "verification/facts", table=("bucketed",), columns=[entry[0] for entry in own]
    )
    engine.load(
        "released",
        [item[1:] for item in own],
        [(name, bucket, None if withheld else "*") for name, bucket, withheld in rows],
    )
    return ("released",), table, names


CORRUPTIONS = {
    "UPDATE released SET word_bucket = 99 WHERE id = 'id 0'": (
        "1 rows have a word_bucket that the table of buckets lacks"
    ),
    "UPDATE released SET word_bucket = 1 WHERE word_bucket = 2": (
        "buckets of 'word' have a different number of rows"
    ),
    "UPDATE released SET label = 'a' WHERE id = 'id 0'": (
        "1 rows have no word_bucket, or have a value in addition to it"
    ),
    "UPDATE {t} SET word_bucket = NULL WHERE word = 'a'": (
        "values of 'word' in buckets have no word_bucket"
    ),
    "UPDATE {t} SET count = 0 WHERE word = 'a'": "or a count below 1",
    "UPDATE {t} SET word = 'a'": (
        "pairs of word_bucket and value occur in the table of buckets more than once"
    ),
    "DELETE FROM {t} WHERE word = 'a'": "a different number of rows than their values",
    "UPDATE {t} SET count = 2": "contain a value more than once",
    "DELETE FROM {t} WHERE word_bucket = 1; DELETE FROM released WHERE word_bucket = 1; INSERT INTO {t} VALUES (1, 'a', 1); INSERT INTO released VALUES ('new', 1, NULL)": (
        "1 buckets of 'word' have fewer than 2 rows"
    ),
    "ALTER TABLE {t} RENAME COLUMN count TO n": (
        "the table of buckets has the columns word_bucket, word, n"
    ),
    "ALTER TABLE released DROP COLUMN word_bucket": "are missing in rows and table of buckets",
}


@pytest.mark.parametrize("statements", CORRUPTIONS)
def test_corrupted_buckets_are_found(scratch, statements):
    local_rows(scratch, [(0, None, 1, "abc"[n % 3]) for n in range(12)] + [(0, None, 0, None)])
    column = word(2)
    buckets.deal(scratch, [column], whole="local_rows")
    rows, table, names = published(scratch, column)
    assert bucket_offences(scratch, rows, table, names, column, label="label") == []
    tamper(scratch, statements)
    assert CORRUPTIONS[statements] in "; ".join(
        bucket_offences(scratch, rows, table, names, column, label="label")
    )


def tamper(engine, statements, table=f"sensitive_{WORD}"):
    for statement in statements.split("; "):
        engine._connection.execute(statement.format(t=table))


def test_a_sensitive_column_has_buckets_everywhere(scratch):
    local_rows(scratch, [(0, None, 1, "ab"[n % 2]) for n in range(4)] + [(0, None, 0, None)])
    column = word(2)
    buckets.deal(scratch, [column], whole="local_rows")
    assert bucket_offences(scratch, *published(scratch, column), column) == [
        "1 rows have no word_bucket, or have a value in addition to it"
    ]


def test_a_bucket_far_from_the_others_is_found(scratch):
    local_rows(scratch, [(0, None, 1, "ab"[n % 2]) for n in range(8)])
    column = word(model=term("equal", Decimal("0.2"), index=WORD))
    buckets.deal(scratch, [column], whole="local_rows")
    rows, table, names = published(scratch, column)
    assert bucket_offences(scratch, rows, table, names, column) == []
    tamper(
        scratch,
        "UPDATE {t} SET count = 2 WHERE word_bucket = 1; DELETE FROM {t} WHERE word_bucket = 1 AND"
        " word = 'a'",
    )
    assert bucket_offences(scratch, rows, table, names, column) == [
        "1 buckets of 'word' with 2 rows do not keep t=0.2 (equal)"
    ]


@pytest.mark.parametrize(
    ("statement", "offence"),
    [
        (
            "UPDATE bucketed SET grp = 77 WHERE r1 = 'id 0'",
            "2 distinct rows (2 rows) are not those that were divided into buckets",
        ),
        (f"UPDATE bucketed SET s{WORD} = 'd' WHERE r1 = 'id 0'", "are not those that were divided"),
        (
            "UPDATE {t} SET word = 'd' WHERE word = 'a'",
            "rows of the buckets of 'word' (",
        ),
        (
            "UPDATE {t} SET word_bucket = word_bucket % 4 + 1 WHERE word = 'h'",
            "rows) differ from the division into buckets",
        ),
    ],
)
def test_buckets_that_are_not_the_sources_are_found(scratch, statement, offence):
    local_rows(scratch, [(0, None, 1, "abcaefgh"[n % 8]) for n in range(16)])
    columns = [word(4)]
    buckets.deal(scratch, columns, whole="local_rows")
    tables = release(scratch, columns)
    assert bucket_differences(scratch, columns, tables) == []
    tamper(scratch, statement)
    assert offence in "; ".join(bucket_differences(scratch, columns, tables))


def test_the_log_names_the_value_only_when_it_may(scratch, caplog):
    local_rows(scratch, [(0, None, 1, "precious"), (0, None, 1, "precious"), (0, None, 1, "b")])
    for show in (False, True):
        with pytest.raises(PrivacyError, match=r"t_closeness") as error:
            buckets.deal(scratch, [word(2)], whole="local_rows", show_values=show)
        assert "precious" not in str(error.value) and ("precious" in caplog.text) == show


def test_a_promise_is_one_of_two():
    for least, model in ((None, None), (2, term("equal", Decimal(1)))):
        with pytest.raises(ValueError, match="either"):
            Bucketized(Coded(1, Column("a", "INTEGER")), least, model)


def test_on_every_engine(engine):
    """The same sizes everywhere, and nothing to complain of."""
    rng = random.Random(2)
    rows = [
        (1, rng.randrange(20), int(n % 3 > 0), rng.choice(["ä", "b", "Z", None]) if n % 3 else None)
        for n in range(60)
    ]
    engine.make({"a": "INTEGER"}, [(1,)] * 4)
    policy = policy_on(engine, policy_data({"a": {"type": "suppression"}}, k=2))
    with job(policy, engine.folder, pipeline.OPEN) as done:
        local_rows(done.engine, rows)
        columns = [number(3), word(model=term("equal", Decimal("0.3"), index=WORD))]
        done.engine.load("words", [(f"s{WORD}", "VARCHAR")], [row[3:] for row in rows if row[2]])
        made = buckets.deal(done.engine, columns, whole="words")
        assert [
            (item.cells, item.buckets, item.smallest, item.largest) for item in made
        ] == EVERYWHERE
        tables = release(done.engine, columns)
        assert bucket_differences(done.engine, columns, tables) == []
        for column in columns:
            rows, table, names = published(done.engine, column, tables[column.index])
            assert bucket_offences(done.engine, rows, table, names, column, label="label") == []


EVERYWHERE = [(60, 20, 3, 3), (40, 13, 3, 4)]
