"""Releases that follow one another, attacked from outside: with a ledger nobody is ever among fewer
than k, whatever releases are compared; without one they are."""

import itertools
import random

import pytest

import anonsql
from anonsql.policy.policy import Policy

from . import over_time_attack as attacker
from .growing import ADULT, Growing, adult, adult_policy, policy_over_time, released
from .support import DATA, make_source, needs_data, policy_data, released_rows

K, RELEASES, PEOPLE = 5, 4, 1000
TYPES = {"age": "INTEGER", "region": "VARCHAR", "ill": "VARCHAR"}
COLUMNS = {
    "id": "identifying",
    "link": "insensitive",
    "age": {"type": "interval", "widths": [5, 10, 20, 40]},
    "region": {"type": "suppression"},
    "ill": "sensitive",
}


def draw(rnd):
    return rnd.randint(20, 79), rnd.choice("nesw"), rnd.choice(["flu", "gout", "cold", "none"])


def correct(row, rnd):
    return rnd.randint(20, 79), *row[1:]


def followed(folder, *, over_time=None, kept_levels=False, **promises):
    """The releases of a table that changes."""
    table = Growing(draw, correct, random.Random(3), grows=0.05)
    table.begin(PEOPLE)
    policy = policy_over_time(COLUMNS, K, over_time, **promises)
    made = released(folder, policy, table, TYPES, kept_levels=kept_levels)
    return list(itertools.islice(made, RELEASES))


def shown(releases):
    """What the attacker has."""
    return [release.shown for release in releases]


@pytest.mark.parametrize("kept_levels", [False, True])
def test_without_a_ledger_people_are_picked_out(tmp_path, kept_levels):
    """The positive control: every release alone keeps k, two together leave somebody alone."""
    releases = shown(followed(tmp_path, kept_levels=kept_levels))
    found = attacker.attack(releases)
    assert found["single releases"] >= K
    assert found["pairs"] == 1 and attacker.exposed(releases, K) > 10


@pytest.mark.parametrize("levels", ["keep", "search"])
def test_with_a_ledger_nobody_is(tmp_path, levels):
    releases = shown(followed(tmp_path, over_time={"levels": levels}))
    assert min(attacker.attack(releases).values()) >= K
    assert attacker.exposed(releases, K) == 0
    assert len(releases[-1]) > PEOPLE / 2  # not by releasing nothing


def test_with_a_ledger_values_stay_diverse(tmp_path):
    releases = shown(followed(tmp_path, over_time={}, l_diversity={"ill": 3}))
    assert min(attacker.attack(releases).values()) >= K
    assert attacker.fewest_values(releases) >= 3


def test_with_a_ledger_values_stay_close(tmp_path):
    releases = followed(tmp_path, over_time={}, t_closeness={"ill": 0.45})
    assert min(attacker.attack(shown(releases)).values()) >= K
    assert (
        attacker.farthest(shown(releases), [release.values for release in releases]) <= 0.45 + 1e-9
    )


def test_told_deletions_expose_whom_they_say(tmp_path):
    releases = shown(followed(tmp_path, over_time={"deletions": "tell"}))
    now = [links for trace, links in attacker.traces(releases).items() if trace[-1] is not None]
    assert min(map(len, now)) >= K  # whoever is released now is among k
    assert attacker.exposed(releases, K) > 0


def test_traces_are_close_to_the_source_when_classes_are_left_out(tmp_path):
    """What is left when classes are held back has other shares than the source, so that more
    classes are; the traces of those that remain are still compared with the source."""
    classes = {"a": "zz", "b": "yzzzz", "c": "xxz", "d": "xxxyy"}
    people = [(place, value) for place, values in classes.items() for value in values]
    rows = [(number, *values) for number, values in enumerate(people)]
    make_source(tmp_path, {"id": "INTEGER", "place": "VARCHAR", "ill": "VARCHAR"}, rows)
    columns = {"id": "identifying", "place": {"type": "suppression"}, "ill": "sensitive"}
    policy = policy_data(
        columns, k=2, limit=0.9, method={"type": "full-domain", "levels": {"place": 0}}
    )
    policy["privacy"] |= {"over_time": {"key": "id"}, "t_closeness": {"ill": 0.4}}
    assert anonsql.run(Policy.parse(policy, tmp_path)).status == "published"
    assert released_rows(tmp_path, "SELECT place, COUNT(*) FROM r GROUP BY ALL") == [("b", 5)]


@needs_data
@pytest.mark.parametrize("over_time", [None, {}])
def test_adult(tmp_path, over_time):
    table = adult(DATA, 1)
    table.begin(10_000)
    made = released(tmp_path, adult_policy(DATA, 10, over_time), table, ADULT)
    releases = shown(itertools.islice(made, 5))
    found = attacker.attack(releases)
    assert found["single releases"] >= 10
    if over_time is None:
        assert found["pairs"] == 1 and attacker.exposed(releases, 10) > 100
    else:
        assert min(found.values()) >= 10 and len(releases[-1]) > 5_000
