"""Releases that were sabotaged are caught by ``anonsql attack``, each by the part that is there for
it; and guesses of draws and numbers, by brute force."""

import random
import shutil
from collections import Counter, defaultdict

import pytest

import anonsql
from anonsql.attacks.sides import Sides
from anonsql.features.attack.command import _Attacked
from anonsql.policy.policy import Policy

from .support import in_file, make_source, policy_data, rows_of

TYPES = {"g": "INTEGER", "disease": "VARCHAR"}
COLUMNS = {
    "g": {"role": "qi", "hierarchy": {"type": "interval", "widths": [20, 40]}},
    "disease": "sensitive",
}
DATA = policy_data(COLUMNS, k=20, privacy={"l_diversity": {"disease": 2}}, release={"completed": 1})
FIRST = "SELECT g FROM r ORDER BY g LIMIT 1"


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A release of classes of twenty people, half of whom have either disease."""
    folder = tmp_path_factory.mktemp("honest")
    make_source(folder, TYPES, [(i, "xy"[i % 2]) for i in range(400)])
    anonsql.run(Policy.parse(DATA, folder))
    return folder


@pytest.fixture
def attack(honest, tmp_path):
    """Attacks a copy of it, of which the release and the source were changed."""

    def attacked(release=(), source=(), kinds=()):
        shutil.copytree(honest, tmp_path, dirs_exist_ok=True)
        in_file(tmp_path / "release.duckdb", *release)
        in_file(tmp_path / "source.duckdb", *source)
        return anonsql.attack(Policy.parse(DATA, tmp_path), kinds=list(kinds))

    return attacked


def by(report):
    return {f"{one.kind}: {one.by}": one for one in report.attacks}


def marked(report):
    return {name for name, one in by(report).items() if one.beyond}


def test_the_honest_release_is_not_marked(attack):
    report = attack()
    assert not report.beyond and not report.below_k


def test_a_class_of_one_row_is_caught(attack, monkeypatch):
    release = ["INSERT INTO r (g, g_lo, g_hi, disease) VALUES ('[400,420)', 400, 420, 'x')"]
    report = attack(release, ["INSERT INTO t VALUES (405, 'x')"], ["singling-out"])
    alone = by(report)["singling-out: labels"].attack
    assert (report.below_k, alone.guesses, alone.successes) == (1, 1, 1) and report.beyond
    monkeypatch.setattr(Sides, "classes", lambda *_: (401, 20, 20, 0))
    assert not attack(kinds=["singling-out"]).beyond, "nothing else finds a single row"


def test_a_value_that_follows_from_the_label_is_caught(attack):
    spoiled = ["UPDATE r SET disease = 'x' WHERE g = '[0,20)'"]
    source = ["UPDATE t SET disease = 'x' WHERE g < 20"]
    report = attack(spoiled, source, kinds=["inference", "linkability"])
    assert marked(report) == {"inference: labels → disease"}
    assert by(report)["inference: labels → disease"].certain == 20
    assert not attack(kinds=["linkability", "singling-out"]).beyond


def test_a_completed_table_of_the_sources_rows_is_caught(attack, monkeypatch):
    own = ", ".join(f"(1, {i}, '{'xy'[i % 2]}')" for i in range(400))
    spoiled = ["DELETE FROM r__completed", f"INSERT INTO r__completed VALUES {own}"]
    report = attack(spoiled, kinds=["singling-out", "inference"])
    assert marked(report) == {
        "singling-out: all columns, drawn",
        "inference: labels → disease, drawn",
    }
    monkeypatch.setattr(_Attacked, "_completed", None)
    assert not attack(spoiled).beyond


def test_draws_are_guessed_by_as_brute_force_does(honest):
    """Of rows that are drawn equal to a target; where none is, the most frequent value."""
    drawn = rows_of(honest / "release.duckdb", "SELECT g, disease FROM r__completed WHERE draw = 1")
    votes, everything = defaultdict(Counter), Counter()
    for g, disease in drawn:
        votes[g][disease] += 1
        everything[disease] += 1
    right = 0.0
    for i in range(400):
        found = votes.get(i) or {min(everything, key=lambda one: (-everything[one], one)): 1}
        best = [value for value, n in found.items() if n == max(found.values())]
        right += ("xy"[i % 2] in best) / len(best)
    report = anonsql.attack(Policy.parse(DATA, honest), kinds=["inference", "linkability"])
    found = by(report)["inference: labels → disease, drawn"]
    assert (found.attack.guesses, found.attack.successes) == (400, round(right))
    linked, both = 0.0, Counter(drawn)
    for i in range(400):
        rows = both[i, "xy"[i % 2]]
        fitting = sum(votes[i].values()) * everything["xy"[i % 2]]
        linked += rows / fitting if rows else 0
    found = by(report)["linkability: labels → kept columns, drawn"]
    assert found.attack.successes == round(linked)


def test_numbers_are_guessed_within_a_twentieth(tmp_path):
    """By brute force: of every value, how many rows it is near to."""
    draw = random.Random(3)
    pool = [0, 100, 102, 104, 109, 115, 900, -50, -51, None]
    rows = [(20 * (i // 5), draw.choice(pool)) for i in range(150)]
    make_source(tmp_path, {"g": "INTEGER", "income": "INTEGER"}, rows)
    columns = {"g": COLUMNS["g"], "income": "sensitive"}
    policy = Policy.parse(policy_data(columns, k=5), tmp_path)
    anonsql.run(policy)

    def near(guess, truth):
        if guess is None or truth is None:
            return guess is truth
        return abs(guess - truth) <= 0.05 * abs(truth)

    def chance(members, truth):
        score = {guess: sum(near(guess, one) for one in members) for guess in pool}
        best = [guess for guess, n in score.items() if n == max(score.values())]
        return sum(near(guess, truth) for guess in best) / len(best)

    classes = defaultdict(list)
    for g, income in rows:
        classes[g].append(income)
    assert set(pool) == {income for _, income in rows}
    right = sum(chance(classes[g], income) for g, income in rows)
    found = by(anonsql.attack(policy, kinds=["inference"]))
    close = found["inference: labels → income, within 5%"]
    assert (close.attack.guesses, close.attack.successes) == (150, round(right))
    assert close.certain is None
    assert close.attack.successes > found["inference: labels → income"].attack.successes
