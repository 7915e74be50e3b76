"""By which columns to count: errors by the source against counting in Python, and what a release by
itself says of them, which nothing but the release changes."""

import random
from collections import Counter

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.features.measure import counting
from anonsql.features.measure.described import count_by
from anonsql.features.report.command import report
from anonsql.query import expected_counts

from .engines import policy_on
from .support import edit, policy_data, policy_over, rows_of
from .test_usefulness import NAMES, bins_of, coded, tables


@settings(max_examples=12, deadline=None)
@given(tables(), st.lists(tables(1), min_size=1, max_size=3))
def test_errors_are_those_of_counting(tmp_path_factory, source, draws):
    with coded(tmp_path_factory.mktemp("u"), source, draws) as found:
        lines = counting.measured(found, ("s",), ("d",))
    assert [line.column for line in lines] == NAMES
    for place, line in enumerate(lines):
        own, *others = (
            [row[place] for row in rows]
            if line.column in ("town", "ok")
            else bins_of([row[place] for row in source], [row[place] for row in rows], True)
            for rows in (source, *draws)
        )
        true, drawn = Counter(own), [Counter(other) for other in others]
        apart = {v: abs(sum(one[v] for one in drawn) / len(draws) - n) for v, n in true.items()}
        assert line.error == pytest.approx(sum(apart.values()) / len(source), abs=1e-9)
        assert line.values == len(true)
        assert line.wrong == sum(apart[v] > 0.2 * n + 1e-9 for v, n in true.items())


@st.composite
def labels(draw):
    """Labels with their rows and the values that each is of, and the rows that draws have."""
    size = draw(st.integers(2, 6))
    made = [
        (draw(st.integers(1, 40)), sorted(draw(st.sets(st.integers(0, size - 1), min_size=1))))
        for _ in range(draw(st.integers(1, 5)))
    ]
    made.append((1, list(range(size))))
    given_rows = [0.0] * size
    for rows, values in made:
        for value, share in zip(values, shares(draw, len(values)), strict=True):
            given_rows[value] += rows * share
    return size, made, given_rows


def shares(draw, count):
    weights = draw(st.lists(st.integers(1, 9), min_size=count, max_size=count))
    return [weight / sum(weights) for weight in weights]


@settings(max_examples=60, deadline=None)
@given(labels())
def test_ways_to_divide_labels_are_compared(case):
    """In plain Python: even shares, shares by these counts, and EM from two first guesses."""
    size, made, drawn = case
    total = sum(rows for rows, _ in made)

    def divided(weights):
        counts = [0.0] * size
        for rows, values in made:
            mass = sum(max(weights[value], 1e-12) for value in values)
            for value in values:
                counts[value] += rows * max(weights[value], 1e-12) / mass
        return counts

    def likeliest(weights):
        for _ in range(100):
            new = [count / total for count in divided(weights)]
            if sum(abs(a - b / sum(weights)) for a, b in zip(new, weights, strict=True)) < 1e-5:
                return new
            weights = new
        return weights

    even = divided([1.0] * size)
    usual = divided(even)
    guesses = [1.0 + n % 2 for n in range(size)], [2.0 - n % 2 for n in range(size)]
    one, other = (divided(likeliest(list(guess))) for guess in guesses)
    apart = max(
        sum(abs(a - b) for a, b in zip(*pair, strict=True)) / total
        for pair in ((drawn, even), (drawn, usual), (one, other))
    )
    noise = 0.0
    for value in range(size):
        chances = [
            (rows, usual_share)
            for rows, values in made
            if value in values
            for usual_share in [even[value] / sum(even[other] for other in values)]
        ]
        noise += (4 / 3.141592653589793 * sum(n * p * (1 - p) for n, p in chances)) ** 0.5 / total
    entries = [(number, value) for number, (_, values) in enumerate(made) for value in values]
    table = expected_counts._Labels(
        counting.np.array([rows for rows, _ in made], dtype=float),
        counting.np.array([label for label, _ in entries]),
        counting.np.array([value for _, value in entries]),
        counting.np.array([1 / len(made[label][1]) for label, _ in entries]),
        size,
    )
    assert table.apart(counting.np.array(drawn)) == pytest.approx(apart + noise, abs=1e-6)


TYPES = {"age": "INTEGER", "sex": "VARCHAR", "nation": "VARCHAR", "ill": "VARCHAR"}
HIERARCHIES = {
    "age": {"type": "interval", "widths": [2, 10]},
    "sex": {"type": "suppression"},
    "nation": {"type": "suppression"},
    "ill": "sensitive",
}


def people(seed):
    """Three nations that most people have, and many that few have."""
    chance = random.Random(seed)
    rare = [f"n{number}" for number in range(40)]
    return [
        (
            chance.randrange(20, 60),
            chance.choice("fm"),
            chance.choice(["a", "b", "c"]) if chance.random() < 0.5 else chance.choice(rare),
            chance.choice("xyz"),
        )
        for _ in range(2000)
    ]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nations")
    policy = policy_over(
        folder, TYPES, people(1), HIERARCHIES, k=40, release={"completed": 2},
        method={"type": "cell-generalization"},
    )  # fmt: skip
    anonsql.run(policy)
    return folder, policy


def test_a_flat_column_of_rare_values_is_not_to_be_counted_by(released):
    """By the source and by the release; the error is what SQL finds."""
    folder, policy = released
    found = {line.column: line for line in anonsql.measure(policy, queries=5).usefulness.counts}
    own = rows_of(folder / "source.duckdb", "SELECT nation, COUNT(*) FROM t GROUP BY 1")
    drawn = dict(
        rows_of(
            folder / "release.duckdb", "SELECT nation, COUNT(*) / 2 FROM r__completed GROUP BY 1"
        )
    )
    wrong = [abs(drawn.get(nation, 0) - count) for nation, count in own]
    assert found["nation"].error == pytest.approx(sum(wrong) / 2000)
    assert found["nation"].within is None and found["sex"].within == 0.01
    page = report(folder / "release.duckdb", folder / "page.html", audience="recipient").recipient
    told = {line.column: line for line in page.counts}
    assert list(told) == list(TYPES)
    assert told["nation"].within is None and told["sex"].within == 0.01
    assert told["ill"].error == pytest.approx(page.suppressed / 2000)
    said = (folder / "page.html").read_text()
    assert "nation: counts may be off by more than" in said
    owners = report(policy, folder / "owner.html")
    assert owners.owner.usefulness.analyses.counts == list(found.values())
    assert "nation: counts are off by more than" in (folder / "owner.html").read_text()


def test_what_is_published_depends_on_the_release_alone(released):
    """With other people in the source it is the same."""
    folder, policy = released
    page = report(policy, folder / "page.html", audience="recipient").recipient
    with duckdb.connect(str(folder / "source.duckdb")) as connection:
        before = connection.execute("FROM t").fetchall()
        connection.execute("DELETE FROM t WHERE sex = 'f'")
    try:
        again = report(folder / "release.duckdb", folder / "page.html", audience="recipient")
        assert again.recipient.counts == page.counts
    finally:
        with duckdb.connect(str(folder / "source.duckdb")) as connection:
            connection.execute("DELETE FROM t")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", before)


def test_labels_of_one_level_decide_nothing_of_their_values(tmp_path):
    """Ages in tens, and no row that is finer: counts by age are not known, and those by kept columns
    are. Values that masked rows had are lost to counts."""
    levels = {"type": "full-domain", "levels": {"age": 2, "sex": 0, "nation": 1}}
    more = {"method": levels, "release": {"completed": 1}}
    policy = policy_over(tmp_path, TYPES, people(2), HIERARCHIES, k=5, **more)
    anonsql.run(policy)
    page = report(tmp_path / "release.duckdb", tmp_path / "page.html", audience="recipient")
    within = {line.column: line.within for line in page.recipient.counts}
    assert within["age"] is None and within["sex"] == within["ill"] == 0.01
    edit(
        tmp_path / "release.duckdb",
        "UPDATE r__about SET value = '100' WHERE property = 'suppressed'",
    )
    lost = report(tmp_path / "release.duckdb", tmp_path / "page.html", audience="recipient")
    told = {line.column: line for line in lost.recipient.counts}
    assert told["sex"].error == pytest.approx(100 / 2100) and told["sex"].within == 0.05


def test_words():
    lines = [
        counting.line("sex", 0.0),
        counting.line("age", 0.01, values=10, wrong=1),
        counting.line("town", 0.11, values=4, wrong=2),
        counting.line("nation", 0.2001),
    ]
    assert count_by(lines) == [
        "How far counts grouped by one column are off, averaged over rows (numbers and dates with"
        " more than ten values: in ten groups of similar size): sex, age within 1 %; town"
        " within 20 %.",
        "Do not count by nation: counts are off by more than 20 %.",
        "Values whose own count is off by more than 20 %: age 1 of 10; town 2 of 4.",
    ]
    assert count_by([]) == []


def test_on_every_engine(everywhere):
    """The page has it wherever the release is."""
    everywhere.make(TYPES, people(3)[:300])
    levels = {"type": "full-domain", "levels": {"age": 1, "sex": 0, "nation": 1}}
    more = {"k": 3, "limit": 0.2, "method": levels, "release": {"completed": 2}}
    policy = policy_on(everywhere, policy_data(HIERARCHIES, **more))
    anonsql.run(policy)
    page = report(policy, everywhere.folder / "page.html", audience="recipient").recipient
    told = {line.column: line for line in page.counts}
    assert list(told) == list(TYPES)
    assert told["nation"].within is None and told["age"].error > told["sex"].error
    assert told["sex"].error == pytest.approx(page.suppressed / 300)
    assert anonsql.attack(policy, attempts=5).known_rule is None
