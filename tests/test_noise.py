"""Noise by differential privacy against formulas, brute force and attack, before any table is
made."""

import math
import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize, sparse, stats

from anonsql.errors import InvariantError, PolicyError
from anonsql.policy.noise import Noise
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.privacy import zcdp
from anonsql.privacy.spending import Spent, spent_by
from anonsql.statistics.cubes import Plan, Sum, TableMeasure, Vector
from anonsql.statistics.noise import budget, consistent, making
from anonsql.statistics.relations import Relations

RARE = 1e-9
"""How often a test of chance may fail where nothing is wrong."""
DRAWS = 20_000
LISTED = {"type": "breaks", "at": [0]}
LEVELS = {"a": 2, "b": 1}
"""The dimensions of small plans, with their tops."""


def planned(sums=(), **noise):
    """A policy of two tables, the settings of its noise, and a plan of its cells."""
    of = {"n": "count", "people": {"count": "who"}}
    of |= {f"s{number}": {"sum": f"x{number}"} for number, _ in enumerate(sums, start=1)}
    clip = {f"s{number}": ends for number, ends in enumerate(sums, start=1)}
    policy = StatisticsPolicy.parse(
        {
            "source": {"database": "s.duckdb", "table": "t"},
            "release": {"database": "r.duckdb"},
            "statistics": {
                "by": {name: {"hierarchy": LISTED} for name in LEVELS},
                "of": of,
                "tables": [["a", "b"], ["b"]],
            },
            "protect": {"entity": "who", "by": "noise", "noise": {"clip": clip, **noise}},
        }
    )
    attributes = [
        SimpleNamespace(index=index, name=name, height=height)
        for index, (name, height) in enumerate(LEVELS.items(), start=1)
    ]
    levels = list(product([0, 1, None], [0, None]))
    vectors = [Vector(at, {1: a, 2: b}) for at, (a, b) in enumerate(levels, start=1)]
    tables = {"a_b": [1, 2, 3, 4, 5, 6], "b": [5, 6]}
    made = [
        Sum(at, f"s{at}", SimpleNamespace(name=f"x{at}"), 0, *ends)
        for at, ends in enumerate(sums, start=1)
    ]
    measures = [TableMeasure("n", "n"), TableMeasure("people", "people", people=True)]
    measures += [TableMeasure(entry.name, f"m{entry.index}", sum=entry) for entry in made]
    settings = policy.protect.noise
    return policy, settings, Plan(attributes, vectors, tables, made, measures)


def queries(sums=(), **noise):
    policy, settings, plan = planned(sums, **noise)
    return settings, budget.queries(policy, settings, plan)


@pytest.mark.parametrize(
    "noise",
    [
        {"epsilon": 1.5, "mechanism": "laplace", "max_rows": 3},
        {"rho": 0.2, "max_rows": 3},
        {"epsilon": 0.7, "delta": 1e-6, "max_rows": 2},
    ],
)
def test_scales_are_those_of_the_formulas_and_spend_the_budget(noise):
    settings, made = queries([(-7, 20)], **noise)
    assert len(made) == 6 * 3  # vectors and measures
    assert sum(query.spends for query in made) == Fraction(settings.budget)
    rows = noise["max_rows"]
    for query in made:
        share = float(settings.budget) / len(made)
        changes = {"n": (rows, rows), "people": (rows, math.sqrt(rows)), "m1": (20 * rows,) * 2}
        l1, l2 = changes[query.column]
        formula = l1 / share if query.mechanism == "laplace" else l2 / math.sqrt(2 * share)
        assert formula < query.scale < formula * 1.000001


def test_the_budget_is_divided_by_weights():
    split = {"tables": {"a_b": 3}, "levels": {"a": [2, 1, 5]}, "measures": {"n": 4}}
    _, made = queries(rho=1, split=split)
    part = {(query.vector, query.column): query.spends for query in made}
    assert part[1, "n"] == 4 * part[1, "people"] == 2 * part[3, "n"]
    # the total of `a` is in the table of `b` too, whose levels of `a` are none
    assert 2 * part[5, "n"] == part[1, "n"]
    assert sum(part.values()) == 1


def test_more_weights_than_levels_are_refused():
    with pytest.raises(PolicyError, match=r"split\.levels\.b.*2 levels"):
        queries(rho=1, split={"levels": {"b": [1, 1, 1]}})


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_nobody_changes_cells_by_more_than_the_sensitivity(rows):
    """Over random tables, each without each of its people, at every vector of levels."""
    rnd = random.Random(rows)
    ends = [(-7, 20), (5, 9)]
    _, settings, plan = planned(ends, rho=1, max_rows=rows)
    claimed = budget.sensitivities(settings, plan)
    worst = dict.fromkeys(claimed, (0, 0.0))
    for number in range(60):
        width = 1 if number % 2 else 4  # all rows in one cell, or in several
        people = [
            [
                (
                    rnd.randrange(width),
                    rnd.randrange(2),
                    *(rnd.choice([None, *pair, rnd.randint(*pair)]) for pair in ends),
                )
                for _ in range(rnd.choice([rows, rnd.randint(1, rows)]))
            ]
            for _ in range(4)
        ]
        for left_out, vector in product(range(4), plan.vectors):
            others = [person for at, person in enumerate(people) if at != left_out]
            with_all, without = counted(people, vector), counted(others, vector)
            for column in claimed:
                changes = [
                    of[column] - without.get(cell, dict.fromkeys(claimed, 0))[column]
                    for cell, of in with_all.items()
                ]
                l1 = sum(map(abs, changes))
                l2 = math.sqrt(sum(change**2 for change in changes))
                assert l1 <= claimed[column][0] and l2 <= claimed[column][1]
                worst[column] = max(worst[column][0], l1), max(worst[column][1], l2)
    for column, (l1, l2) in claimed.items():  # and no claim is more than it need be
        assert worst[column][0] == l1 and worst[column][1] == pytest.approx(l2)


def counted(people, vector):
    """The cells of people at a vector of levels, in plain Python."""
    cells = {}
    groups = {None: lambda value: "*", 0: lambda value: value, 1: lambda value: value // 2}
    for number, person in enumerate(people):
        for a, b, *amounts in person:
            key = groups[vector.levels[1]](a), groups[vector.levels[2]](b)
            cell = cells.setdefault(key, {"n": 0, "who": set(), "m1": 0, "m2": 0})
            cell["n"] += 1
            cell["who"].add(number)
            for at, amount in enumerate(amounts, start=1):
                cell[f"m{at}"] += amount or 0
    return {
        key: {
            "n": cell["n"],
            "people": len(cell["who"]),
            "m1": cell["m1"],
            "m2": cell["m2"],
        }
        for key, cell in cells.items()
    }


EPSILON_DELTA = [("0.1", "1e-9"), ("1", "1e-6"), ("5", "1e-5"), ("10", "0.001"), ("0.01", "0.1")]


@pytest.mark.parametrize("epsilon, delta", EPSILON_DELTA)
def test_rho_is_that_of_dp_accounting_or_less(epsilon, delta):
    accounting = pytest.importorskip("dp_accounting")
    rho = zcdp.rho_of(Decimal(epsilon), Decimal(delta))
    orders = (1 + np.exp(np.linspace(-8, 12, 4000))).tolist()
    accountant = accounting.rdp.RdpAccountant(orders)
    event = accounting.GaussianDpEvent(1 / math.sqrt(2 * float(rho)))
    found = accountant.compose(event).get_epsilon(float(delta))
    assert found == pytest.approx(float(epsilon), rel=2e-3)
    back = zcdp.epsilon_of(rho, Decimal(delta))
    assert Decimal(epsilon) * Decimal("0.999999") <= back <= Decimal(epsilon)


@pytest.mark.parametrize("epsilon, delta", EPSILON_DELTA)
def test_rho_holds_at_every_alpha(epsilon, delta):
    """What is returned is a bound by one alpha, and near the best of all."""
    rho = float(zcdp.rho_of(Decimal(epsilon), Decimal(delta)))

    def logarithm(alpha, rho):
        return (
            (alpha - 1) * (alpha * rho - float(epsilon))
            + alpha * math.log1p(-1 / alpha)
            - math.log(alpha - 1)
        )

    alphas = (1 + np.exp(np.linspace(-10, 14, 20_000))).tolist()
    reached = min(logarithm(alpha, rho) for alpha in alphas)
    assert reached <= math.log(float(delta)) + 1e-5
    assert min(logarithm(alpha, rho * 1.001) for alpha in alphas) > math.log(float(delta))
    # the exact curve of Gaussian noise (Balle, Wang, 2018) needs less still
    half = math.sqrt(rho / 2)
    sides = (half - float(epsilon) / (2 * half), -half - float(epsilon) / (2 * half))
    first, second = stats.norm.logcdf(sides)
    assert math.exp(first) - math.exp(float(epsilon) + second) <= float(delta)


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.6, 3.0, 17.5])
def test_draws_are_those_of_the_distribution(mechanism, scale):
    query = budget.Query(1, "n", mechanism, Fraction(10**6), 1, 1.0, scale)
    drawn = making.noisy(query, np.zeros(DRAWS, np.int64))
    assert unlikely(drawn, mechanism, scale) > RARE
    assert unlikely(drawn, mechanism, scale * 1.15) < RARE  # a control that is caught
    told = making.error(mechanism, scale)
    assert np.abs(drawn).mean() == pytest.approx(told.mean, rel=0.1)
    assert (np.abs(drawn) > told.bound).mean() < 0.06
    assert (np.abs(drawn) > told.bound - 1).mean() > 0.04


def unlikely(drawn, mechanism, scale):
    """How probable it is that draws are as far from a distribution as these are."""
    chances = making.probabilities(mechanism, scale)
    values = [0, *(sign * at for at in range(1, len(chances)) for sign in (1, -1))]
    seen, wanted, rest = [], [], [0, 0.0]
    for value in values:
        count, chance = int((drawn == value).sum()), chances[abs(value)] * len(drawn)
        if chance >= 10:
            seen.append(count)
            wanted.append(chance)
        else:
            rest = [rest[0] + count, rest[1] + chance]
    seen.append(len(drawn) - sum(seen))
    wanted.append(len(drawn) - sum(wanted))
    return stats.chisquare(seen, wanted).pvalue


def test_a_draw_that_spends_more_than_its_part_is_refused():
    query = budget.Query(1, "n", "laplace", Fraction(1), 2, 2.0, 1.9)
    with pytest.raises(InvariantError, match="spends more"):
        making.noisy(query, np.zeros(3, np.int64))


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.3, 1.0, 12.5])
def test_thresholds_leave_no_more_than_delta(mechanism, scale):
    chances = making.probabilities(mechanism, scale)
    for rows, delta in product((1, 5), (Fraction(1, 10), Fraction(1, 10**6))):
        least = budget.threshold(mechanism, scale, rows, delta)
        appears = [sum(chances[at - 1 :]) for at in (least, least - 2)]  # one person, and noise
        assert rows * appears[0] <= delta
        assert least <= 2 or rows * appears[1] > delta / 3  # and it is not far too high


@pytest.mark.parametrize("factor", [1, 0.5])
def test_nobody_is_told_from_draws(factor):
    """An attacker who knows all but whether one person is there asks for the likelier: with noise
    of half the scale it learns more than epsilon."""
    epsilon = 1.2
    policy, settings, plan = planned(epsilon=epsilon, mechanism="laplace")
    small = replace(
        plan, vectors=plan.vectors[4:], tables={"b": [5, 6]}, measures=plan.measures[:1]
    )
    made = budget.queries(policy, settings, small)
    evidence = []
    for there in (1, 0):
        total = np.zeros(DRAWS)
        for query in made:
            scale = query.scale * factor
            spends = query.spends / Fraction(factor)
            weaker = budget.Query(1, "n", "laplace", spends * 2, 1, 1.0, scale)
            seen = making.noisy(weaker, np.full(DRAWS, there, np.int64))
            total += (np.abs(seen) - np.abs(seen - 1)) / scale
        evidence.append(total)
    best = max(lower(*(int((side >= at).sum()) for side in evidence)) for at in (0, 0.5, 1))
    assert (best > epsilon) == (factor < 1)


def lower(there, absent):
    """What epsilon is at least, where an event was seen so often with a person and without."""
    most = stats.beta.isf(RARE, absent + 1, DRAWS - absent)
    return math.log(max(stats.beta.ppf(RARE, there, DRAWS - there + 1), 1e-12) / most)


def small_relations(shape):
    """The relations of a table of counts with all its margins, and their matrix of finest cells."""
    keys = list(product(*([*range(size), None] for size in shape)))
    at = {key: number for number, key in enumerate(keys)}
    lines = []
    for key in keys:
        for axis, size in enumerate(shape):
            if key[axis] is None:
                line = np.zeros(len(keys), np.int8)
                line[at[key]] = 1
                for value in range(size):
                    line[at[(*key[:axis], value, *key[axis + 1 :])]] = -1
                lines.append(line)
    finest = [key for key in keys if None not in key]
    made = np.array(
        [[all(k is None or k == f for k, f in zip(key, one)) for one in finest] for key in keys],
        float,
    )
    matrix = sparse.csr_array(np.array(lines))
    return Relations(matrix, np.ones(len(lines), bool)), made


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 2, 3)])
@pytest.mark.parametrize("non_negative", [True, False])
def test_consistent_values_are_the_nearest(shape, non_negative):
    rng = np.random.default_rng(len(shape))
    relations, made = small_relations(shape)
    for _ in range(8):
        truth = made @ rng.integers(0, 6, made.shape[1])
        variances = rng.choice([1.0, 4.0, 25.0], len(truth))
        noisy = np.rint(truth + rng.normal(0, np.sqrt(variances))).astype(np.int64)
        weights = 1 / np.sqrt(variances)
        ends = (0, np.inf) if non_negative else (-np.inf, np.inf)
        brute = optimize.lsq_linear(made * weights[:, None], noisy * weights, ends, tol=1e-12).x
        found = consistent.nearest(
            relations,
            noisy.astype(float),
            variances,
            non_negative=non_negative,
            inside=-1e-3,
            moved=1e-5,
        )
        assert found == pytest.approx(made @ brute, abs=5e-3)
        whole = consistent.consistent(relations, noisy, variances, non_negative=non_negative)
        parts = np.abs(relations.matrix).sum(axis=1)
        assert (np.abs(relations.matrix.astype(np.int64) @ whole) <= parts / 2).all()
        assert not non_negative or whole.min() >= 0
        # as far as the nearest values are, but for what is rounded
        far, near = (np.linalg.norm((each - noisy) * weights) for each in (whole, made @ brute))
        assert far <= near * 1.05 + np.linalg.norm(weights) / 2


def test_consistent_values_are_closer_to_the_truth():
    rng = np.random.default_rng(5)
    relations, made = small_relations((4, 4, 4))
    truth = (made @ rng.poisson(3, made.shape[1])).astype(np.int64)
    noisy = truth + np.rint(rng.normal(0, 10, len(truth))).astype(np.int64)
    found = consistent.consistent(relations, noisy, np.full(len(truth), 100.0), non_negative=True)
    assert np.abs(found - truth).mean() < 0.6 * np.abs(noisy - truth).mean()


def test_what_is_spent_adds_up():
    first = Noise(epsilon=Decimal("0.5"), mechanism="laplace").spent
    second = Noise(rho=Decimal("0.25"), delta=Decimal("1e-6"), domain="keys").spent
    both = first + second
    assert both.fact == "rho 0.25, epsilon 0.5, delta 0.000001 in 2 releases of one catalog"
    assert spent_by({"differential.spent": both.fact}) == both
    assert spent_by({"differential.spent": "much"}) is None and spent_by({}) is None
    assert (first | both) == both and Spent() + first == first
    for written in (
        "epsilon 1, delta 0.00001 in 1 release",
        "rho 0, epsilon 1, delta 0.00001 in 1 release",
    ):
        earlier = spent_by({"differential.spent": written})  # by versions before this
        assert earlier == Spent(Decimal(0), Decimal(1), Decimal("0.00001"), 1)
    # of epsilon and delta half of it is for keys, and rho is that of the rest
    shared = Noise(epsilon=Decimal(1), delta=Decimal("2e-6"), domain="keys").spent
    assert shared.rho == zcdp.rho_of(Decimal(1), Decimal("1e-6"))
    assert shared.delta == Decimal("1e-6")


WRONG = {
    "either": {},
    "either `epsilon` or `rho`": {"epsilon": 1, "delta": 1e-6, "rho": 1},
    "delta: this field is missing": {"epsilon": 1},
    "Laplace noise has its budget": {"rho": 1, "mechanism": "laplace"},
    "public domain needs no delta": {"epsilon": 1, "delta": 0.1, "mechanism": "laplace"},
    "`domain: keys` needs it": {"rho": 1, "domain": "keys"},
    "a public domain with `rho`": {"rho": 1, "delta": 0.1},
    "is not a range of values": {"rho": 1, "clip": {"n": [3, 1]}},
    "clip.n: there is nothing of this name": {"rho": 1, "clip": {"n": [0, 1]}},
    "split.tables.b2: there is nothing of this name": {"rho": 1, "split": {"tables": {"b2": 1}}},
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_settings_are_named(text):
    clip = WRONG[text].get("clip")
    with pytest.raises(PolicyError, match=text.replace(".", r"\.")):
        planned(**{**WRONG[text], **({"clip": clip} if clip else {})})
