"""What analyses find in a completed table, against sums over rows in Python, and at the extremes:
the source itself, and columns that were shuffled."""

import datetime as dt
import itertools
import math
import random
from collections import Counter
from contextlib import closing, contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from anonsql.engines import open_workbench
from anonsql.engines.base import Context
from anonsql.errors import PolicyError
from anonsql.features.measure.usefulness import coding, measuring, target
from anonsql.features.measure.usefulness.effects import effects_of
from anonsql.policy.envelope import EngineSettings
from anonsql.system.clock import silent
from anonsql.system.journal import Journal

TYPES = {"n": "INTEGER", "x": "DOUBLE", "day": "DATE", "town": "VARCHAR", "ok": "BOOLEAN"}
NAMES = list(TYPES)


@contextmanager
def coded(folder, source, draws, types=TYPES, known=None):
    """Source and completed rows, coded in a DuckDB."""
    folder.mkdir(exist_ok=True)
    engine = open_workbench(Context(folder, EngineSettings(), Journal()))
    with closing(engine):
        engine.load("s", list(types.items()), source)
        rows = [(number, *row) for number, draw in enumerate(draws, 1) for row in draw]
        engine.load("d", [("draw", "INTEGER"), *types.items()], rows)
        columns = coding.comparable(
            engine.columns(("s",)), engine.columns(("d",)), known or list(types)
        )
        yield coding.code(engine, ("s",), ("d",), columns)


def bins_of(source, values, ordered):
    """The bins of values, by those of the source."""
    known = sorted(value for value in source if value is not None)
    if ordered:
        order = sorted(set(known))
        few = len(order) <= coding.QUANTILES
        of_value = {
            value: order.index(value) + 1
            if few
            else 1 + coding.QUANTILES * known.index(value) // len(known)
            for value in order
        }
        begins = sorted({number: value for value, number in reversed(of_value.items())}.items())
        return [
            0
            if value is None
            else max((number for number, least in begins if value >= least), default=1)
            for value in values
        ]
    counts = Counter(known)
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    places = {value: place for place, value in enumerate(ranked[: coding.FREQUENT], 1)}
    return [0 if value is None else places.get(value, coding.REST) for value in values]


def binned(source, rows):
    """Rows by bins."""
    columns = [
        bins_of([row[i] for row in source], [row[i] for row in rows], name in ("n", "x", "day"))
        for i, name in enumerate(NAMES)
    ]
    return list(zip(*columns))


@st.composite
def tables(draw, least=6, most=40):
    wide = draw(st.booleans())
    values = st.tuples(
        st.one_of(st.integers(0, 60 if wide else 4), st.none()),
        st.one_of(st.sampled_from([0.5, -2.25, 7.0, 1e3]), st.none()),
        st.one_of(st.dates(dt.date(2020, 1, 1), dt.date(2020, 3, 1)), st.none()),
        st.one_of(st.sampled_from([f"t{i}" for i in range(25 if wide else 3)]), st.none()),
        st.booleans(),
    )
    return draw(st.lists(values, min_size=least, max_size=most))


FEW = settings(max_examples=12, deadline=None)


@FEW
@given(tables(), st.lists(tables(1), min_size=1, max_size=3))
def test_counts_and_what_is_made_of_them(tmp_path_factory, source, draws):
    with coded(tmp_path_factory.mktemp("u"), source, draws) as found:
        assert (found.rows, list(found.released)) == (len(source), [len(draw) for draw in draws])
        own, others = binned(source, source), [binned(source, draw) for draw in draws]
        sets = measuring.column_sets(found.columns)
        places = {name: place for place, name in enumerate(NAMES)}

        def keys(rows, columns):
            return Counter(tuple(row[places[column.name]] for column in columns) for row in rows)

        errors, usual = [], []
        for pair in sets[2]:
            for other in others:
                a, b = keys(own, pair), keys(other, pair)
                share, both = len(other) / (len(own) + len(other)), len(own) + len(other)
                errors.append(
                    sum(
                        (b[k] / (a[k] + b[k]) - share) ** 2
                        for rows in (a, b)
                        for k in rows.elements()
                    )
                    / both
                )
                usual.append((len(set(a) | set(b)) - 1) * share * (1 - share) / (both - 1))
        result = measuring.propensity_error(found, sets[2], silent)
        assert result.pmse == pytest.approx(sum(errors) / len(errors))
        assert result.expected == pytest.approx(sum(usual) / len(usual))
        for line in measuring.marginal_errors(found, sets, silent):
            apart = {
                tuple(column.name for column in columns): sum(
                    sum(abs(a[k] / len(own) - b[k] / len(other)) / 2 for k in set(a) | set(b))
                    for other in others
                    for a, b in [(keys(own, columns), keys(other, columns))]
                )
                / len(others)
                for columns in sets[line.columns]
            }
            assert line.mean == pytest.approx(sum(apart.values()) / len(apart))
            assert line.greatest == pytest.approx(max(apart.values()))
            assert apart[tuple(line.where)] == pytest.approx(line.greatest)
        floor = max(measuring.FLOOR * len(source), 1.0)
        queries = list(measuring.at_random(found, sets))
        for query in queries:
            asked = [
                (places[column.name], *ends) for column, ends in zip(query.columns, query.ranges)
            ]
            truth, *drawn = (
                sum(all(low <= row[at] <= high for at, low, high in asked) for row in rows)
                for rows in (own, *others)
            )
            estimate = sum(drawn) / len(drawn)
            assert measuring.query_error(found, query, floor) == pytest.approx(
                abs(estimate - truth) / max(truth, floor)
            )
        told = measuring.condition_error(found, sets)
        assert told.queries == len(queries)
        assert list(told.by_column.values()) == sorted(told.by_column.values(), reverse=True)


def mean_of(numbers):
    known = list(numbers)
    return sum(known) / len(known) if known else None


@FEW
@given(tables(), st.lists(tables(2), min_size=1, max_size=2))
def test_associations_are_those_of_rows(tmp_path_factory, source, draws):
    def pearson(rows):
        both = [(row[0], row[1]) for row in rows if None not in row[:2]]
        if len(both) < 2 or any(len(set(one)) < 2 for one in zip(*both)):
            return 0.0
        return float(np.corrcoef(np.array(both, dtype=float).T)[0, 1])

    with coded(tmp_path_factory.mktemp("u"), source, draws) as found:
        scaled = {column.name: column.scale for column in found.columns if column.scale}
        result = measuring.correlations(found, silent)
        if {"n", "x"} <= set(scaled):
            apart = [abs(pearson(draw) - pearson(source)) for draw in draws]
            assert result.mean == pytest.approx(sum(apart) / len(apart), abs=1e-4)
        own, others = binned(source, source), [binned(source, draw) for draw in draws]
        means = []
        for name, scale in scaled.items():
            place = NAMES.index(name)
            for by in range(len(NAMES)):
                if by == place:
                    continue
                off = weight = 0
                for group, size in Counter(row[by] for row in own).items():
                    truth, *drawn = (
                        mean_of(
                            (row[place] - scale.mean) / scale.deviation
                            for row, code in zip(*side)
                            if code[by] == group and row[place] is not None
                        )
                        for side in ((source, own), *zip(draws, others))
                    )
                    if truth is None or size < 0.01 * len(source):
                        continue
                    drawn = [one or 0.0 for one in drawn]
                    off += size * sum(abs(one - truth) for one in drawn) / len(drawn)
                    weight += size
                means.append(off / weight if weight else 0.0)
        if means:
            assert measuring.group_means(found, silent).mean == pytest.approx(
                sum(means) / len(means), abs=1e-5
            )


@FEW
@given(tables(12), st.sampled_from(["n", "x", "town", "ok"]))
def test_effects_are_shares_of_the_variance_between_bins_that_chance_does_not_explain(
    tmp_path_factory, source, name
):
    at = NAMES.index(name)
    values = [row[at] for row in source]
    known = [value for value in values if value is not None]
    linear = name in ("n", "x") and len(set(known)) > 2
    usual = max(sorted(set(known)), key=known.count, default=None)
    numbers = [value if linear else float(value == usual) for value in values]
    if len(set(known)) < 2 or (not linear and name in ("n", "x")):
        return  # bins of few numbers are not ordered by frequency

    def variance(rows):
        mean = sum(numbers[row] for row in rows) / len(rows)
        return sum((numbers[row] - mean) ** 2 for row in rows)

    rows = [row for row, value in enumerate(values) if value is not None]
    wanted = {}
    for column, bins in zip(NAMES, zip(*binned(source, source), strict=True), strict=True):
        groups = [[row for row in rows if bins[row] == bin_] for bin_ in {bins[r] for r in rows}]
        within = sum(map(variance, groups)) / max(len(rows) - len(groups), 1)
        share = 1 - within / (variance(rows) / (len(rows) - 1))
        wanted[column] = max(0.0, share) if len(rows) > len(groups) else 0.0
    with closing(
        open_workbench(Context(tmp_path_factory.mktemp("e"), EngineSettings(), Journal()))
    ) as engine:
        engine.load("s", list(TYPES.items()), source)
        found = effects_of(engine, ("s",), engine.columns(("s",)), name, [*NAMES, "none"])
    assert found == pytest.approx(wanted, abs=1e-5)


def people(seed, rows=400):
    """Rows in which all columns hang together."""
    chance = random.Random(seed)
    result = []
    for _ in range(rows):
        n = chance.randint(18, 70)
        town = chance.choice("abcd") if chance.random() < 0.4 else "abcd"[(n - 18) * 4 // 53]
        x = n * 2.0 + chance.gauss(0, 12) + 10 * "abcd".index(town)
        day = dt.date(2020, 1, 1) + dt.timedelta(days=chance.randint(0, 60))
        result.append((n, x, day, town, chance.random() < 1 / (1 + math.exp((45 - n) / 6))))
    return result


def shuffled(rows, seed):
    """The same columns, independent of each other."""
    columns = [list(column) for column in zip(*rows)]
    for number, column in enumerate(columns):
        random.Random(f"{seed} {number}").shuffle(column)
    return list(zip(*columns))


def test_the_source_itself_is_best_and_columns_by_themselves_worst(tmp_path):
    rows = people(1)
    sets = measuring.column_sets
    with coded(tmp_path / "a", rows, [rows, rows[::-1]]) as same:
        assert measuring.propensity_error(same, sets(same.columns)[2], silent).ratio == 0
        lines = measuring.marginal_errors(same, sets(same.columns), silent)
        assert [line.greatest for line in lines] == [0, 0, 0]
        for error in (
            measuring.correlations(same, silent),
            measuring.group_means(same, silent),
        ):
            assert error.greatest == pytest.approx(0, abs=1e-9)
        assert measuring.condition_error(same, sets(same.columns)).mean == 0
        for name in ("x", "ok"):
            found = target.target_usefulness(same, name, "regression", silent)
            assert found.inside == len(found.coefficients) and found.turned == 0
            assert found.overlap == pytest.approx(1, abs=1e-6)
            assert all(abs(learned.lost) < 0.05 for learned in found.learned)
    with coded(tmp_path / "b", rows, [shuffled(rows, seed) for seed in range(3)]) as apart:
        lines = measuring.marginal_errors(apart, sets(apart.columns), silent)
        assert lines[0].greatest == 0 and lines[1].greatest > 0.3
        assert measuring.propensity_error(apart, sets(apart.columns)[2], silent).ratio > 2
        correlation = measuring.correlations(apart, silent)
        both = np.corrcoef([row[0] for row in rows], [row[1] for row in rows])[0, 1]
        assert correlation.greatest == pytest.approx(both, abs=0.15) and both > 0.8
        found = target.target_usefulness(apart, "ok", "regression", silent)
        assert found.inside < len(found.coefficients)
        lost = {learned.measure: learned.lost for learned in found.learned}
        assert lost["auc"] > 0.2


def test_two_halves_give_what_is_expected(tmp_path):
    """Over many random halves of a table the pMSE is on average what is expected of it."""
    rows = people(2, 120)
    pairs = [(int(row[0] > 40), "abcd".index(row[3])) for row in rows]
    chance, errors, expected = random.Random(0), [], 0.0
    for _ in range(3000):
        chance.shuffle(pairs)
        tables = np.zeros((2, 2, 4), dtype=np.int64)
        for place, (one, other) in enumerate(pairs):
            tables[place % 2, one, other] += 1
        error, expected = measuring.propensity(tables[0], tables[1])
        errors.append(error)
    assert sum(errors) / len(errors) == pytest.approx(expected, rel=0.05)


LOST = {
    "linear": lambda b, x, y, weights: float((weights * (y - x @ b) ** 2).sum()),
    "logistic": lambda b, x, y, weights: float(
        (weights * (np.logaddexp(0, x @ b) - y * (x @ b))).sum()
    ),
}


def test_regressions_are_maxima(tmp_path):
    rows = people(3)
    with coded(tmp_path, rows, [rows]) as found:
        for name, kind in (("ok", "logistic"), ("x", "linear")):
            made = coding.design_of(found, name)
            sample = coding.sampled(found, made, 0)
            made = coding.with_terms(made, sample)
            assert made.kind == kind
            x, y = made.matrix(sample), made.outcomes(sample)
            assert {term.column.name for term in made.terms} == set(NAMES) - {name}
            fit = getattr(target, kind)(x, y, sample.weights)
            lost = LOST[kind]
            given_rows = (x, y, sample.weights)
            least = optimize.minimize(lost, fit.coefficients, given_rows).fun
            assert least == pytest.approx(lost(fit.coefficients, *given_rows), rel=1e-4)
            # weights are rows
            repeated = np.repeat(np.arange(len(y)), sample.weights.astype(int))
            again = getattr(target, kind)(x[repeated], y[repeated], np.ones(len(repeated)))
            np.testing.assert_allclose(again.coefficients, fit.coefficients, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(again.variances, fit.variances, rtol=1e-5)
            assert len(repeated) == len(rows)


def test_variances_are_those_of_repeated_samples():
    """Intervals hold the truth in about 95 of 100 samples, of both regressions."""
    chance = np.random.default_rng(5)
    truth, held = np.array([0.3, 0.8]), {"linear": 0, "logistic": 0}
    for _ in range(300):
        x = np.column_stack([np.ones(200), chance.normal(size=200)])
        y = {
            "linear": x @ truth + chance.normal(size=200),
            "logistic": (chance.random(200) < target.probability(x, truth)).astype(float),
        }
        for kind in held:
            fit = getattr(target, kind)(x, y[kind], np.ones(200))
            reach = 1.96 * fit.variances[1] ** 0.5
            held[kind] += int(abs(fit.coefficients[1] - truth[1]) <= reach)
    assert all(270 <= count <= 298 for count in held.values()), held


def test_overlaps_by_hand():
    assert target.overlap((0, 2), (1, 2)) == pytest.approx((1 / 2 + 1) / 2)
    assert target.overlap((0, 1), (2, 3)) == 0 and target.overlap((0, 1), (0, 1)) == 1


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=12
    )
)
def test_separation_is_that_of_pairs(rows):
    y, scores, weights = (np.array(column, dtype=float) for column in zip(*rows))
    pairs = [
        (one, other)
        for (a, one, n), (b, other, m) in itertools.product(rows, rows)
        if a and not b
        for _ in range(n * m)
    ]
    wins = sum(1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs)
    assert target.auc(y, scores, weights) == pytest.approx(wins / len(pairs) if pairs else 0.5)
    right = sum(n for is_so, score, n in rows if is_so == (score / 4 > 0.5))
    assert target.accuracy(y, scores / 4, weights) == pytest.approx(right / weights.sum())


def test_a_target_that_cannot_be_explained_is_refused(tmp_path):
    rows = [(n, 1.0, dt.date(2020, 1, 1 + n), "a", n > 3) for n in range(8)]
    with coded(tmp_path, rows, [rows]) as found:
        for name, said in (("x", "one value"), ("town", "one value"), ("day", "DATE")):
            with pytest.raises(PolicyError, match=said):
                target.target_usefulness(found, name, "regression", silent)
        with pytest.raises(PolicyError, match="not a column of both"):
            target.target_usefulness(found, "y", "regression", silent)


def test_trees_predict_or_say_what_to_install(tmp_path, monkeypatch):
    rows = people(4)
    with coded(tmp_path, rows, [rows, shuffled(rows, 1)]) as found:
        monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
        with pytest.raises(PolicyError, match=r"anonsql\[models\]"):
            target.target_usefulness(found, "ok", "trees", silent)
        monkeypatch.undo()
        pytest.importorskip("sklearn")
        for name in ("ok", "x"):
            learned = target.target_usefulness(found, name, "trees", silent).learned
            assert all(one.source > 0.5 and one.source > one.release - 0.3 for one in learned)


def test_many_different_rows_are_sampled_the_same_way_every_time(tmp_path, monkeypatch):
    monkeypatch.setattr(coding, "LIMIT", 100)
    rows = people(5)
    found = []
    for number, order in enumerate((rows, rows[::-1])):
        with coded(tmp_path / str(number), order, [order]) as tables:
            found.append(target.target_usefulness(tables, "ok", "regression", silent))
    assert found[0] == found[1] and found[0].sampled and found[0].rows == 100


def test_nothing_to_compare(tmp_path):
    with coded(tmp_path, [(1, 1.0, None, "a", True)], []) as found:
        assert found is None
