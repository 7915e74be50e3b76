"""Releases that follow one another, attacked from outside: with a ledger nobody is ever among fewer
than k, whatever releases are compared; without one they are."""

import random

import pytest
import yaml

import anonsql

from . import over_time_attack as attacker
from .support import policy_data

K, RELEASES, PEOPLE = 5, 7, 1500
LABELS = ("age", "region")
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


def released(folder, how, *, over_time=None, **promises):
    """The releases of a table that changes, as the attacker sees them."""
    data = policy_data(COLUMNS, k=K, limit=0.05)
    data["privacy"] |= promises
    if over_time is not None:
        data["privacy"]["over_time"] = {"key": "id", **over_time}
    path = folder / "policy.yaml"
    path.write_text(yaml.safe_dump(data))
    table = attacker.Growing(draw, correct, random.Random(3), grows=0.05)
    table.begin(PEOPLE)
    found = []
    for number in range(RELEASES):
        table.write(folder / "source.duckdb", TYPES)
        if how == "kept levels" and number:
            anonsql.apply(path, 1)
        else:
            anonsql.run(path)
        found.append(attacker.seen(folder / "release.duckdb", LABELS, "ill"))
        table.turn()
    return found


@pytest.mark.parametrize("how", ["searched levels", "kept levels"])
def test_without_a_ledger_people_are_picked_out(tmp_path, how):
    """The positive control: every release alone keeps k, two together leave somebody alone."""
    releases = released(tmp_path, how)
    found = attacker.attack(releases)
    assert found["single releases"] >= K
    assert found["pairs"] == 1 and attacker.exposed(releases, K) > 10


@pytest.mark.parametrize("levels", ["keep", "search"])
def test_with_a_ledger_nobody_is(tmp_path, levels):
    releases = released(tmp_path, "ledger", over_time={"levels": levels})
    assert min(attacker.attack(releases).values()) >= K
    assert attacker.exposed(releases, K) == 0
    assert len(releases[-1]) > PEOPLE / 2  # not by releasing nothing


def test_with_a_ledger_values_stay_diverse(tmp_path):
    releases = released(tmp_path, "ledger", over_time={}, l_diversity={"ill": 3})
    assert min(attacker.attack(releases).values()) >= K
    assert attacker.fewest_values(releases) >= 3


def test_with_a_ledger_values_stay_close(tmp_path):
    releases = released(tmp_path, "ledger", over_time={}, t_closeness={"ill": 0.45})
    assert min(attacker.attack(releases).values()) >= K
    assert attacker.farthest(releases) <= 0.45 + 0.05  # of the release's rows, not the source's


def test_told_deletions_expose_whom_they_say(tmp_path):
    releases = released(tmp_path, "ledger", over_time={"deletions": "tell"})
    report = anonsql.run(tmp_path / "policy.yaml")
    releases.append(attacker.seen(tmp_path / "release.duckdb", LABELS, "ill"))
    assert report.status == "published"
    shown = [links for trace, links in attacker.traces(releases).items() if trace[-1] is not None]
    assert min(map(len, shown)) >= K  # whoever is released now is among k
    assert attacker.exposed(releases, K) > 0
