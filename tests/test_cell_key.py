"""Noise by cell keys: its distribution, the same on every engine, and what it does and does not
hide."""

import hashlib
import hmac
import itertools
import logging
import random
from decimal import Decimal
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chisquare

import anonsql
from anonsql.engines.base import Column, PlainColumn
from anonsql.errors import VerificationError
from anonsql.jobs.catalog import Catalog
from anonsql.over_time.ledger import load_key
from anonsql.sql import templates
from anonsql.statistics import keys as record_keys
from anonsql.statistics import perturbation
from anonsql.statistics.perturbation import BINS, KEYS, MILLION, factors, table
from anonsql.verification.statistics.changes import by_key, streams

from .cube_oracle import cube_of, flat
from .engines import policy_on
from .support import job, make_table, opened, policy_data

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
    own = np.array([hashed(f"{seed} {n}") for n in range(count + 40)])
    return np.convolve(own, np.ones(40, np.int64), "valid")[:count] % KEYS


def test_noise_has_its_distribution():
    """Of the keys of overlapping cells, by a secret that is fixed: 20,000 draws a count."""
    built = table(Decimal(3), 5, least=3)
    keys = streams(cells_keys(20_000), SECRET, "count")[0]
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
    """Of each pair of streams every part of the keys meets every other as often; so do those of
    cells that follow each other, as the same person more or less makes them."""
    keys = cells_keys(20_000, seed=2)
    drawn = [streams(keys, SECRET, name) for name in ("count", "sum of cost")]
    drawn.append(streams((keys + hashed("p")) % KEYS, SECRET, "count"))
    parts = np.concatenate(drawn) * 8 // KEYS
    for one, other in itertools.combinations(parts, 2):
        met = np.bincount(one * 8 + other, minlength=64)
        assert chisquare(met).pvalue > 1e-3


def test_a_person_more_draws_anew():
    """Whoever joins cells changes their numbers by another amount in each: all are as likely."""
    keys = cells_keys(20_000, seed=3)
    before = streams(keys, SECRET, "count")[0]
    after = streams((keys + hashed("p")) % KEYS, SECRET, "count")[0]
    moved = np.bincount((after - before) % KEYS * 64 // KEYS, minlength=64)
    assert chisquare(moved).pvalue > 1e-3
    moved = np.bincount((affine(keys + hashed("p")) - affine(keys)) % KEYS * 64 // KEYS)
    assert np.count_nonzero(moved) == 1


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
    own = {who: hashed(who) for who in ENTITIES}
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


AMOUNT = "sum of 'a\\\"ü\\\\'%"
STREAMS = [("count", ["people", "n"]), (AMOUNT, ["m1_1", "m1_2"]), (f"rounded {AMOUNT}", ["m1"])]
TABLE = table(Decimal(3), 5, least=3)
FACTORS = factors(Decimal("0.2"), Decimal("0.5"), second=Decimal("0.5"))
BASES = {"people": 5, "m1": 1000}


def by_python(cells):
    """The cells with noise, and rounded, as Python has them."""
    drawn = [(streams(cells["ck"], SECRET, name), own) for name, own in STREAMS]
    made = {column: numbers for pair, own in drawn for column, numbers in zip(own, pair)}
    people = cells["people"] + TABLE.noise(cells["people"], made["people"])
    rows = np.where(people == 0, 0, cells["n"] + TABLE.noise(cells["n"], made["n"]))
    noise = FACTORS.noise(cells["x1_1"], made["m1_1"])
    noise += FACTORS.noise(cells["x1_2"], made["m1_2"], rank=2)
    amounts = np.where(people == 0, 0, cells["m1"] + noise)
    of_people = by_key(cells["people"], 5, made["people"])
    of_amounts = by_key(cells["m1"], 1000, made["m1"])
    cell = cells["cell"]
    return sorted(zip(cell, people, amounts, rows)), sorted(zip(cell, of_people, of_amounts))


def test_every_engine_has_the_same_noise(everywhere, caplog, monkeypatch):
    """To the bit, as Python has it; and the secret is in no statement."""
    cells = cells_of_people()
    caplog.set_level(logging.DEBUG, logger="anonsql")
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
        load_key(engine, SECRET)
        record_keys.make_record_keys(engine, ("visits",), PlainColumn(Column("who", "VARCHAR")))
        found = engine.query("star/workbench/rows", table="record_keys", columns=["e", "rk"])
        assert len(found) == len(ENTITIES)
        assert dict(found) == {who: hashed(who) for who in ENTITIES}
        engine.load_numbers("cells", cells)
        engine.load_numbers("perturbation", TABLE.columns)
        engine.load_numbers("factors", FACTORS.columns)
        greatest = TABLE.greatest_class
        record_keys.make_streams(engine, STREAMS)
        shared = {"cells": ("cells",)}
        counts = {"counts": ["people", "n"], "measures": [1], "greatest_class": greatest}
        engine.run("statistics/perturbed", **counts, **shared)
        noisy, rounded = by_python(cells)
        assert changed(engine, ["cell", "people", "m1", "n"]) == noisy
        engine.run("statistics/rounded", columns=["people", "m1"], bases=BASES, **shared)
        assert changed(engine, ["cell", "people", "m1"]) == rounded
    said = caplog.text + "".join(texts)
    assert "perturbation" in said
    key = bytes.fromhex(SECRET).ljust(64, b"\0")
    secrets = [SECRET, bytes(byte ^ 0x36 for byte in key).hex()]
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
    own = [hashed(f"{who}") for who in range(60)]
    found = {}
    for place, who in enumerate(cube.entities):
        key = np.array([sum(own[one] for one in who) % KEYS])
        built = table(Decimal(3), 5)
        noise = built.noise(cube.people[[place]], streams(key, SECRET, "count")[0])
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


FIRMS = 65
MEMBERS = [f"m{number}" for number in range(10)]
JOINED = 100
"""What each accomplice adds to a cell, in cents."""


def firms():
    """The amounts of firms, in cents: each is the only one of its industry."""
    rnd = random.Random(8)
    return np.array([int(10 ** rnd.uniform(6, 9)) for _ in range(FIRMS)])


def published_sums(folder):
    """What is published of each industry, in cents, as it is first, with an accomplice of 1.00 in
    every industry, and with two. Ten members of each who have no amount let its cell be seen."""
    rows = [(f"firm {n}", f"{n}", cents / 100) for n, cents in enumerate(firms().tolist())]
    rows += [(member, f"{n}", 0) for member in MEMBERS for n in range(FIRMS)]
    policy = {
        "source": {"database": str(folder / "source.duckdb"), "table": "firms"},
        "statistics": {
            "by": {"industry": {}},
            "of": {"amount": {"sum": "amount"}},
            "tables": [["industry"]],
        },
        "protect": {"entity": "who", "by": "cell-key"},
        "release": {"database": str(folder / "published.duckdb")},
    }
    columns = {"who": "VARCHAR", "industry": "VARCHAR", "amount": "DECIMAL(12,2)"}
    statement = "SELECT CAST(100 * amount AS BIGINT) FROM industry WHERE industry <> '*' ORDER BY"
    found = []
    for joined in range(3):
        rows += [(f"accomplice {joined}", f"{n}", 1) for n in range(FIRMS) if joined]
        (folder / "source.duckdb").unlink(missing_ok=True)
        make_table(folder / "source.duckdb", columns, rows, "firms")
        anonsql.tabulate(policy)
        with opened(folder / "published.duckdb", read_only=True) as connection:
            lines = connection.execute(f"{statement} CAST(industry AS INTEGER)").fetchall()
        found.append([cents for (cents,) in lines])
    return np.array(found)


def sums_by(drawn):
    """The same, computed here by two numbers that are ``drawn`` for cells' keys."""
    amounts, joined = firms(), [hashed("accomplice 1"), hashed("accomplice 2")]
    keys = np.array([hashed(f"firm {n}") + sum(map(hashed, MEMBERS)) for n in range(FIRMS)])
    found = []
    for many in range(3):
        key = (keys + sum(joined[:many])) % KEYS
        first, second = drawn(key)
        noise = FACTORS.noise(amounts, first)
        noise += FACTORS.noise(np.full(FIRMS, JOINED if many else 0), second, rank=2)
        found.append(amounts + many * JOINED + noise)
    return np.array(found)


def affine(keys):
    """A stream that is affine in cells' keys: whoever joins cells shifts it alike in all of them."""
    return (keys % KEYS * 1_640_531_527 + 2_718_281_829) % KEYS


def guesses(sums):
    """What two accomplices take the firms' amounts for: they look for the shift of all cells by
    which the changes of their sums are explained best, and for the factor of each cell."""
    factor = 1 + FACTORS.first / MILLION
    errors = []
    for many in (1, 2):
        ratio = (sums[many] - many * JOINED) / sums[0]
        shifts = []
        for shift in range(BINS):
            known = np.sort(np.concatenate([shifted(factor, n) for n in (shift, shift + 1)]))
            place = np.searchsorted(known, ratio).clip(1, known.size - 1)
            near = np.minimum(abs(known[place - 1] - ratio), abs(known[place] - ratio))
            shifts.append(np.median(near / ratio))
        best = int(np.argmin(shifts))
        pair = [abs(shifted(factor, n)[:, None] - ratio) / ratio for n in (best, best + 1)]
        errors.append(np.minimum(*pair))
    return np.rint(sums[0] / factor[np.maximum(*errors).argmin(0)])


def shifted(factor, shift):
    """The ratios of factors that are so many parts of the keys apart."""
    return np.roll(factor, -shift) / factor


def test_accomplices_recover_no_amounts(tmp_path, monkeypatch):
    """Two with 1.00 each who join all cells know how the sums of these change. By streams that are
    affine in a cell's key they have most amounts to the cent. By a hash of it they have none, and
    come no closer than the mean of what is published."""
    monkeypatch.setattr(Catalog, "statistics_secret", lambda *_, **__: SECRET)
    amounts = firms()
    off = abs(guesses(sums_by(lambda keys: (affine(keys), affine(keys * 3)))) - amounts)
    assert (off <= 1).sum() > 0.6 * FIRMS
    sums = published_sums(tmp_path)
    assert (sums == sums_by(lambda keys: streams(keys, SECRET, "sum of amount"))).all()
    off = abs(guesses(sums) - amounts) / amounts
    own = abs((sums - JOINED * np.arange(3)[:, None]).mean(0) - amounts) / amounts
    assert (off * amounts > 1).all()
    assert np.median(off) > np.median(own) > 0.05
    assert (off < 0.01).sum() <= 3  # a guess of so much noise is so close by a chance of 0.05


@pytest.mark.parametrize("of", ["counts", "sums"])
def test_a_run_with_less_noise_than_the_policy_asks_for_publishes_nothing(
    tmp_path, monkeypatch, of
):
    """The proof looks noise up in the run's own table, which it holds against the policy."""
    whole, made = perturbation.table, perturbation.factors
    if of == "counts":
        weak = partial(whole, Decimal("0.5"), 5)
        monkeypatch.setattr(perturbation, "table", lambda *_, least: weak(least=least))
    else:
        weak = partial(made, Decimal("0.1"))
        monkeypatch.setattr(
            perturbation, "factors", lambda _, *limits, **more: weak(*limits, **more)
        )
    with pytest.raises(VerificationError, match="noise of keys differs from the policy's"):
        published_sums(tmp_path)
    assert not (tmp_path / "published.duckdb").exists()
