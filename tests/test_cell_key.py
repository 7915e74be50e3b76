"""Noise by cell keys: its distribution, the same on every engine, and what it does and does not
hide."""

import hashlib
import hmac
import itertools
import logging
import random
from decimal import Decimal

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chisquare

from anonsql.engines.base import Column
from anonsql.over_time.traces import Named
from anonsql.sql import templates
from anonsql.statistics import keys as record_keys
from anonsql.statistics.perturbation import BINS, KEYS, MILLION, factors, table
from anonsql.statistics.rounding import by_key

from .cube_oracle import cube_of, flat
from .engines import policy_on
from .support import job, policy_data

SECRET = "5e" * 32
KNOWN = [("1", 2, 1), ("3", 5, 3), ("2.5", 4, 3), ("3.5", 8, 3), ("5", 12, 3), ("1.05", 3, 2)]
"""Variance, largest deviation and least count of tables that examples of the field make."""


def shown(built, count):
    """The results of a count with their chances."""
    row = built.rows[min(count, built.greatest_class)]
    return [(count + d, n / KEYS) for d, n in row]


@pytest.mark.parametrize(("variance", "largest", "least"), [*KNOWN, ("4", 12, 11), ("5", 5, 1)])
def test_a_table_keeps_what_it_promises(variance, largest, least):
    built = table(Decimal(variance), largest, least=least)
    assert built.rows[0] == ((0, KEYS),)
    for count, row in enumerate(built.rows):
        assert sum(keys for _, keys in row) == KEYS and all(keys > 0 for _, keys in row)
        assert all(abs(d) <= largest for d, _ in row)
        assert all(result == 0 or result >= least for result, _ in shown(built, count))
        moment = sum(d * keys for d, keys in row)
        neighbours = any(b == a + 1 for (a, _), (b, _) in itertools.pairwise(row))
        assert moment == 0 if neighbours else abs(moment) <= 4 * largest
    for count, found in enumerate(built.variances[1:], 1):
        # from a count below the least to 0 and to the least there is no smaller variance
        smallest = count * (least - count) if count < least else 0
        assert found == pytest.approx(max(float(variance), smallest), abs=2**-20)
    last = [result - built.greatest_class for result, _ in shown(built, built.greatest_class)]
    assert last == list(range(-largest, largest + 1))  # nothing is left to forbid


def most_entropy(rows, goal):
    """The chances of greatest entropy of which the rows' sums are the goal, by a solver that knows
    nothing of the form of the solution."""
    number = rows.shape[1]
    return minimize(
        lambda chances: float(chances @ np.log(chances)),
        np.full(number, 1 / number),
        jac=lambda chances: np.log(chances) + 1,
        bounds=[(1e-12, 1)] * number,
        constraints={"type": "eq", "fun": lambda q: rows @ q - goal, "jac": lambda _: rows},
        options={"ftol": 1e-14, "maxiter": 500},
    ).x


@pytest.mark.parametrize(("variance", "largest", "least"), KNOWN[:3])
def test_no_distribution_has_more_entropy(variance, largest, least):
    built = table(Decimal(variance), largest, least=least)
    for count in (1, least, built.greatest_class):
        p = np.array([chance for _, chance in shown(built, count)])
        d = np.array([result - count for result, _ in shown(built, count)], float)
        goal = np.array([1, 0, max(float(variance), built.variances[count])])
        if len(d) <= 3:
            continue  # nothing is free
        solved = most_entropy(np.array([np.ones_like(d), d, d * d]), goal)
        assert np.abs(solved - p).max() < 1e-5


def test_a_table_is_the_same_on_every_machine():
    """To the key: an engine, or a release, of another machine has the same noise."""
    text = repr([table(Decimal("3"), 5, least=3).rows, table(Decimal("4"), 12, least=11).rows])
    other = repr(
        factors(Decimal("0.2"), Decimal("0.5"), second=Decimal("0.5")).columns["f2"].tolist()
    )
    assert hashlib.sha256((text + other).encode()).hexdigest()[:16] == "bac1d3e0bebe98a8"


@pytest.mark.parametrize(
    ("variance", "largest", "least"), [("3", 2, 1), ("1", 2, 3), ("0", 2, 1), ("1", 2, 0)]
)
def test_tables_that_cannot_be(variance, largest, least):
    with pytest.raises(ValueError, match="variance"):
        table(Decimal(variance), largest, least=least)


def cells_keys(count, seed=1):
    """Keys of cells as sums of record keys, by a fixed secret."""
    own = np.array([record_keys.record_key(SECRET, f"{seed} {n}") for n in range(count + 40)])
    return np.convolve(own, np.ones(40, np.int64), "valid")[:count] % KEYS


def test_noise_has_its_distribution():
    """Of the keys of overlapping cells, by a secret that is fixed: 20,000 draws a count."""
    built = table(Decimal(3), 5, least=3)
    keys = record_keys.stream(cells_keys(20_000), SECRET, "people")
    for count in (1, 2, 3, 7, 100):
        row = built.rows[min(count, built.greatest_class)]
        noise = built.noise(np.full(keys.size, count), keys)
        times = [int((noise == d).sum()) for d, _ in row]
        assert sum(times) == keys.size
        expected = [chance / KEYS * keys.size for _, chance in row]
        assert chisquare(times, expected).pvalue > 1e-3
        assert abs(noise.mean()) < 5 * (3 / keys.size) ** 0.5
        assert abs(noise.var() - 3) < 0.2


def test_streams_are_independent():
    """Of each pair of streams every part of the keys meets every other as often."""
    keys = cells_keys(20_000, seed=2)
    parts = [
        record_keys.stream(keys, SECRET, name) * 8 // KEYS for name in ("people", "cost", "visits")
    ]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        met = np.bincount(parts[one] * 8 + parts[other], minlength=64)
        assert chisquare(met).pvalue > 1e-3


def test_factors():
    made = factors(Decimal("0.2"), Decimal("0.5"), second=Decimal("0.5"))
    assert made.first.size == BINS and (made.first == -made.first[::-1]).all()
    assert (np.diff(made.first) >= 0).all() and np.abs(made.first).max() <= MILLION // 2
    assert np.sqrt(np.square(made.first / MILLION).mean()) == pytest.approx(0.2, rel=1e-3)
    assert np.abs(2 * made.second - made.first).max() <= 1
    for deviation, largest in (("0.01", "1"), ("0.577", "1")):
        found = factors(Decimal(deviation), Decimal(largest)).first / MILLION
        assert np.sqrt(np.square(found).mean()) == pytest.approx(float(deviation), rel=2e-3)
    amounts = np.array([0, 1, 999_999, 10**6, 123_456_789, 10**18])
    for low in range(0, KEYS, KEYS // 7):
        found = made.noise(amounts, np.full(amounts.size, low))
        factor = int(made.first[low // (KEYS // BINS)])
        assert found.tolist() == [(x * factor + 500_000) // MILLION for x in amounts.tolist()]
    for wrong in (("0.4", "0.5"), ("0", "0.5"), ("0.5", "1.1")):
        with pytest.raises(ValueError, match="factor"):
            factors(*map(Decimal, wrong))


# in the database

ENTITIES = ["7", "", "Übergröße", "a'b\"c;--", *(f"p{n}" for n in range(40))]


def cells_of_people():
    """The columns of the table of cells: of a cube of two dimensions, and made-up ones of extreme
    amounts."""
    rnd = random.Random(3)
    rows = [(who, [rnd.randrange(4), rnd.randrange(3)], rnd.randrange(10**9)) for who in ENTITIES]
    tree = [[0, 1, 2, 3], [0, 0, 1, 2], [0] * 4]
    cube = cube_of(rows, [tree, flat(3)], [{0: 0, 1: 0}])
    own = {who: record_keys.record_key(SECRET, who) for who in ENTITIES}
    lines = []
    for place in cube.position.values():
        first, second = [*map(int, cube.largest[place]), 0][:2]
        key = sum(own[who] for who in cube.entities[place]) % KEYS
        people, total = int(cube.people[place]), int(cube.sums[place])
        lines.append((len(lines), people, people + place % 3, key, total, first, second))
    for n, amount in enumerate((10**18, 10**18 - 1, 10**15 + 1, 999_999, 10**6, 0)):
        key = (n + 1) * 715_827_883 % KEYS
        total = (-1) ** n * amount
        lines.append((len(lines), 500 + n, 500 + n, key, total, amount, amount // 3))
    names = ("cell", "people", "n", "ck", "m1", "x1_1", "x1_2")
    return dict(zip(names, np.array(lines, np.int64).T))


STREAMS = {"people": 0, "m1_1": 1, "m1_2": 2, "m1": 3, "rounded people": 4, "n": 5}
TABLE = table(Decimal(3), 5, least=3)
FACTORS = factors(Decimal("0.2"), Decimal("0.5"), second=Decimal("0.5"))
BASES = {"people": 5, "m1": 1000}


def by_python(cells):
    """The cells with noise, and rounded, as Python has them."""
    made = {name: record_keys.stream(cells["ck"], SECRET, name) for name in STREAMS}
    people = cells["people"] + TABLE.noise(cells["people"], made["people"])
    rows = np.where(people == 0, 0, cells["n"] + TABLE.noise(cells["n"], made["n"]))
    noise = FACTORS.noise(cells["x1_1"], made["m1_1"])
    noise += FACTORS.noise(cells["x1_2"], made["m1_2"], rank=2)
    amounts = np.where(people == 0, 0, cells["m1"] + noise)
    of_people = by_key(cells["people"], 5, made["rounded people"])
    of_amounts = by_key(cells["m1"], 1000, made["m1"])
    cell = cells["cell"]
    return sorted(zip(cell, people, amounts, rows)), sorted(zip(cell, of_people, of_amounts))


def test_every_engine_has_the_same_noise(everywhere, caplog, monkeypatch):
    """To the bit, as Python has it; and the secret is in no statement."""
    cells = cells_of_people()
    caplog.set_level(logging.DEBUG)
    texts, render = [], templates.render
    monkeypatch.setattr(
        templates,
        "render",
        lambda *args, **given: texts.append(render(*args, **given)) or texts[-1],
    )
    policy = policy_on(everywhere, policy_data({"a": {"type": "suppression"}}, k=2))
    with job(policy, policy.path("."), stages=()) as made:
        engine = made.engine
        engine.load(
            "visits", [("who", "VARCHAR")], [(who,) for who in [*ENTITIES, *ENTITIES, None]]
        )
        record_keys.load_keys(engine, SECRET, list(STREAMS))
        record_keys.make_record_keys(engine, ("visits",), Named(Column("who", "VARCHAR")))
        found = engine.query("star/workbench/rows", table="record_keys", columns=["e", "rk"])
        assert len(found) == len(ENTITIES)
        assert dict(found) == {who: hashed(who) for who in ENTITIES}
        engine.load_numbers("cells", cells)
        engine.load_numbers("perturbation", TABLE.columns)
        engine.load_numbers("factors", FACTORS.columns)
        greatest = TABLE.greatest_class
        shared = {"cells": ("cells",), "streams": STREAMS}
        counts = {"counts": ["people", "n"], "measures": [1], "greatest_class": greatest}
        engine.run("statistics/perturbed", **counts, **shared)
        noisy, rounded = by_python(cells)
        assert changed(engine, ["cell", "people", "m1", "n"]) == noisy
        streams = {**STREAMS, "people": STREAMS["rounded people"]}
        columns = {"columns": ["people", "m1"], "streams": streams, "bases": BASES}
        engine.run("statistics/rounded", cells=("cells",), **columns)
        assert changed(engine, ["cell", "people", "m1"]) == rounded
    said = caplog.text + "".join(texts)
    assert "perturbation" in said
    pairs = record_keys.streams(SECRET, list(STREAMS))
    key = bytes.fromhex(SECRET).ljust(64, b"\0")
    secrets = [
        SECRET,
        bytes(byte ^ 0x36 for byte in key).hex(),
        *(f"{a}" for pair in pairs for a in pair),
    ]
    assert not [word for word in secrets if word in said]
    assert any(a != b for (_, a, *_), b in zip(noisy, cells["people"].tolist()))


def changed(engine, columns):
    """The rows of the table of changed cells, which is dropped."""
    rows = engine.numbers("star/workbench/rows", table="changed", columns=columns)
    engine.drop("changed")
    return sorted(zip(*(column.tolist() for column in rows)))


def hashed(who):
    """The record key of an entity, by HMAC-SHA-256."""
    digest = hmac.new(bytes.fromhex(SECRET), f"record key {who}".encode(), "sha256").hexdigest()
    return int(digest[:10], 16) % 2**32


# what an attacker learns


def pair_chances(built, with_whom, without):
    """The chances of two published counts whose cells differ by people: their keys differ, and the
    deviations are drawn apart."""
    return {
        (one, other): p * q
        for one, p in shown(built, with_whom)
        for other, q in shown(built, without)
    }


def test_the_mean_of_many_tables_is_no_nearer():
    """The same people are in cells of many tables: their noise is the same in all of them."""
    rnd = random.Random(5)
    rows = [(who, [rnd.randrange(3), 0, 0, 0], 1) for who in range(60)]  # dimensions of one value
    tables = [{0: 0}, *({0: 0, other: 0} for other in (1, 2, 3)), {0: 0, 1: 0, 2: 0, 3: 0}]
    cube = cube_of(rows, [flat(3), *[[[0], [0]]] * 3], tables)
    own = [record_keys.record_key(SECRET, f"{who}") for who in range(60)]
    found = {}
    for place, who in enumerate(cube.entities):
        key = np.array([sum(own[one] for one in who) % KEYS])
        built = table(Decimal(3), 5)
        noise = built.noise(cube.people[[place]], record_keys.stream(key, SECRET, "people"))
        found.setdefault(who, []).append(int(noise[0]))
    assert sum(len(noises) >= 5 for noises in found.values()) >= 3
    assert all(len(set(noises)) == 1 for noises in found.values())
    assert any(noises[0] for noises in found.values())


def test_the_difference_of_two_tables_does_not_tell_how_many():
    """Two cells that differ by somebody: whether by one or by two (did the other one take part?) no
    pair of published counts tells for certain, but at the ends of the noise, which are rare."""
    built = table(Decimal(3), 5, least=3)
    one, two = pair_chances(built, 30, 29), pair_chances(built, 31, 29)
    certain = sum(chance for pair, chance in one.items() if pair not in two)
    assert certain == pytest.approx(dict(shown(built, 30))[25])
    assert certain < 0.01
    likely = sum(p for pair, p in one.items() if 1 / 9 < p / two.get(pair, 1e-300) < 9)
    assert likely > 0.9
    guessed = sum(max(p, two.get(pair, 0)) for pair, p in one.items()) / 2
    assert guessed < 0.65  # a coin is right half of the time


def test_what_cell_keys_do_not_hide():
    """Counts of the same people are equal everywhere, so that different counts tell that somebody
    is in one cell alone: who knows that it could be one person only, knows that person is. It is so
    by the idea of the same noise for the same people, and told to owners."""
    built = table(Decimal(3), 5, least=3)
    differ = sum(p for (a, b), p in pair_chances(built, 30, 29).items() if a != b)
    assert 0.8 < differ < 0.9
