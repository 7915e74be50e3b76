"""What one who knows a method's rule sees beyond the labels, against looking at every class and every
combination of small tables."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.features.attack.document import KnownRule
from anonsql.features.attack.known_rule import described

from .support import policy_over, rows_of

AGES, TOWNS, SEXES = range(20, 28), "abcd", "fm"
TYPES = {"age": "INTEGER", "town": "VARCHAR", "sex": "VARCHAR", "ill": "VARCHAR"}
TREE = {"north": ["a", "b"], "south": ["c", "d"]}
COLUMNS = {
    "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [2, 4]}, "weight": 2.0},
    "town": {"type": "taxonomy", "tree": TREE},
    "sex": {"type": "suppression"},
    "ill": "sensitive",
}


def covered(column, label):
    """The values that a label stands for."""
    if column == "town":
        return set(TREE.get(label, TOWNS if label == "*" else label))
    if column == "sex":
        return set(SEXES if label == "*" else label)
    if label == "*":
        return set(AGES)
    low, *high = (int(word) for word in str(label).strip("[)").split(","))
    return {age for age in AGES if low <= age < (high or [low + 1])[0]}


def by_looking(source, classes, weights, *, alone=False):
    """The figures, by trying every combination of the source in every class; ``alone``: every
    combination of its values."""
    names = ("age", "town", "sex")
    there = [{row[place] for row in source} for place in range(3)]
    boxes = [
        (
            n,
            [
                covered(name, label) & own
                for name, label, own in zip(names, labels, there, strict=True)
            ],
        )
        for n, *labels in classes
    ]
    total = sum(weights)
    losses = [
        sum(
            weight / total * (len(values) - 1) / max(len(own) - 1, 1)
            for weight, values, own in zip(weights, box, there, strict=True)
        )
        for _, box in boxes
    ]
    combinations = set(itertools.product(*there)) if alone else {row[:3] for row in source}
    holding = {
        one: [
            place
            for place, (_, box) in enumerate(boxes)
            if all(value in values for value, values in zip(one, box, strict=True))
        ]
        for one in combinations
    }
    cells = fewer = single = 0
    for place, (n, box) in enumerate(boxes):
        inside = [one for one in combinations if place in holding[one]]
        allowed = [
            one for one in inside if losses[place] <= min(losses[p] for p in holding[one]) + 1e-8
        ]
        for column in range(3):
            if len(box[column]) > 1:
                known, left = ({one[column] for one in group} for group in (inside, allowed))
                cells += n
                fewer += n * (0 < len(left) < len(known))
                single += n * (len(left) == 1 < len(known))
    return cells, fewer, single


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0, 4]))
def test_the_rule_of_least_loss_excludes_what_looking_does(tmp_path_factory, seed, effort):
    folder, chance = tmp_path_factory.mktemp("ruled"), random.Random(seed)
    source = [
        (chance.choice(AGES), chance.choice(TOWNS), chance.choice(SEXES), "x") for _ in range(60)
    ]
    method = {"type": "cell-generalization", "effort": effort}
    policy = policy_over(folder, TYPES, source, COLUMNS, k=3, limit=0.1, method=method)
    anonsql.run(policy)
    found = anonsql.attack(policy, attempts=10).known_rule
    classes = rows_of(
        folder / "release.duckdb", "SELECT COUNT(*), age, town, sex FROM r GROUP BY 2, 3, 4"
    )
    cells, fewer, single = by_looking(source, classes, (2.0, 1.0, 1.0))
    assert (found.rule, found.cells, found.fewer, found.single) == (
        "least loss",
        cells,
        fewer,
        single,
    )
    assert sum(found.by_column.values()) == fewer
    looked = by_looking(source, classes, (2.0, 1.0, 1.0), alone=True)
    assert (found.alone.cells, found.alone.fewer, found.alone.single) == looked
    assert looked[1] <= fewer
    assert found.classes == len(classes) >= found.reproduced


def test_a_class_of_lesser_loss_excludes_its_combinations(tmp_path):
    """Ten people of 20 in town a have a class; the five of 21 to 24 are released as [20,28), which
    does not stand for 20 to one who knows the rule."""
    source = [(20, "a", "f", "x")] * 10 + [(age, "a", "f", "x") for age in (21, 22, 23, 24, 27)]
    source += [
        (age, town, "m", "y") for age, town in itertools.product(AGES, TOWNS) for _ in "xxxxx"
    ]
    policy = policy_over(
        tmp_path, TYPES, source, COLUMNS, k=5, method={"type": "cell-generalization"}
    )
    anonsql.run(policy)
    wide = rows_of(
        tmp_path / "release.duckdb", "SELECT COUNT(*) FROM r WHERE sex = 'f' AND age = '*'"
    )
    assert wide == [(5,)]
    found = anonsql.attack(policy, attempts=10).known_rule
    assert (found.cells, found.fewer, found.single) == (10, 5, 0)
    assert found.reproduced == found.classes == 34


def test_ranges_of_two_rows_are_their_ends(tmp_path):
    """A range of two rows stands for its ends alone; of three, for all that lies between."""
    source = [(age, "a", "f", "x") for age in (20, 24, 40, 44, 60, 64)]
    columns = {
        "age": COLUMNS["age"],
        "town": "insensitive",
        "sex": "insensitive",
        "ill": "sensitive",
    }
    more = {"method": {"type": "mondrian"}, "privacy": {"kept": {"max_unique": 1.0}}}
    policy = policy_over(tmp_path, TYPES, source, columns, k=2, **more)
    anonsql.run(policy)
    classes = rows_of(
        tmp_path / "release.duckdb", "SELECT COUNT(*), age_lo, age_hi FROM r GROUP BY 2, 3"
    )
    ages = [age for age, *_ in source]
    expected = sum(
        n for n, low, high in classes if n == 2 and sum(low <= age <= high for age in ages) > 2
    )
    found = anonsql.attack(policy, attempts=10).known_rule
    assert (found.rule, found.fewer, found.single) == ("ends", expected, 0)


@pytest.mark.parametrize(
    ("known", "said", "single"),
    [
        ({"cells": 10, "fewer": 0, "single": 0}, "can exclude values of none of all 10.", False),
        ({"cells": 10, "fewer": 1, "single": 1}, "can exclude values of 10 % of all 10.", True),
        (
            {"cells": 10, "fewer": 5, "single": 0, "classes": 4, "reproduced": 3},
            "The rule determines the size of 75 % of the classes.",
            False,
        ),
        ({"most_pairs": 20}, "was not counted, because there are more than 20 pairs", False),
    ],
)
def test_words(known, said, single):
    sentences = described(KnownRule(rule="least loss", **known))
    assert said in sentences[0].text
    assert "which combinations of values occur" in sentences[0].text or "most_pairs" in known
    assert [one.tone for one in sentences[1:]] == ["bad"] * single
    assert described(KnownRule(rule="ends", cells=0, fewer=0, single=0)) == []
