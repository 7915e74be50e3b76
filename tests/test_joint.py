"""Completed tables whose columns are drawn together: the mixture and the rule of least loss, held to
plain Python, and what releases draw by them."""

import random
from collections import Counter

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.completion import joint, modelling
from anonsql.completion.joint import Combinations, Marginal, Mixture, fit
from anonsql.completion.least_loss import LeastLoss
from anonsql.completion.weights import Labels, evenly
from anonsql.errors import VerificationError
from anonsql.methods.cells.settings import CellGeneralization

from .engines import DuckDB, policy_on
from .support import policy_data, policy_over, rows_of

ATOMS = 5


def column(labels, weights=None):
    """A column whose labels are sets of atoms, each one value."""
    ranges = [tuple((atom, atom + 1) for atom in sorted(label)) for label in labels]
    width = np.ones(ATOMS)
    own = evenly(width) if weights is None else np.array(weights) / sum(weights)
    return Marginal(width, Labels.of(ranges, [1] * len(labels)), own)


sets = st.lists(st.sets(st.integers(0, ATOMS - 1), min_size=1), min_size=1, max_size=6)


@given(sets, st.lists(st.tuples(st.integers(0, 5), st.integers(0, ATOMS - 1)), max_size=20))
def test_labels_hold_the_atoms_that_they_stand_for(labels, asked):
    pairs = [(label % len(labels), atom) for label, atom in asked]
    label, atom = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    assert column(labels).labels.hold(label, atom).tolist() == [
        atom in labels[at] for at, atom in pairs
    ]
    stretches = [((min(own), max(own) + 1),) for own in labels]
    found = Labels.of(stretches, [1] * len(labels)).hold(label, atom)
    assert found.tolist() == [min(labels[at]) <= atom <= max(labels[at]) for at, atom in pairs]


@given(st.data())
def test_components_are_as_probable_as_bayes_says(data):
    count = data.draw(st.integers(2, 4))
    labels = [data.draw(sets) for _ in range(2)]
    some = st.lists(st.integers(1, 9), min_size=ATOMS, max_size=ATOMS)
    weights = [[data.draw(some) for _ in range(count)] for _ in labels]
    kept = [data.draw(some) for _ in range(count)]
    shares = data.draw(st.lists(st.integers(1, 9), min_size=count, max_size=count))
    combinations = data.draw(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=5))
    rows = [(a % len(labels[0]), b % len(labels[1]), c % ATOMS) for a, b, c in combinations]
    first, second, own = (np.array(part) for part in zip(*rows, strict=True))
    as_shares = [np.array(one, dtype=float) for one in (*weights, kept)]
    as_shares = [one / one.sum(axis=1, keepdims=True) for one in as_shares]
    mixture = Mixture(np.array(shares) / sum(shares), as_shares[:2], as_shares[2:])
    of = Combinations([first, second], [own], np.ones_like(own), np.arange(len(own)))
    found = mixture.chances([column(one) for one in labels], of)
    for number, row in enumerate(rows):
        chances = []
        for component in range(count):
            chance = shares[component] * kept[component][row[2]] / sum(kept[component])
            for one, label, own_weights in zip(labels, row, weights, strict=False):
                inside = sum(own_weights[component][atom] for atom in one[label])
                chance *= inside / sum(own_weights[component])
            chances.append(chance)
        wanted = [chance / sum(chances) for chance in chances]
        np.testing.assert_allclose(found[:, number], wanted, atol=1e-9)


@given(st.data())
def test_rows_break_the_rule_that_lie_in_a_class_of_less_loss(data):
    labels = [data.draw(sets) for _ in range(3)]
    of_label = st.tuples(*(st.integers(0, len(own) - 1) for own in labels))
    classes = sorted(data.draw(st.sets(of_label, min_size=1, max_size=8)))
    drawn = data.draw(
        st.lists(
            st.tuples(st.integers(0, len(classes) - 1), *[st.integers(0, ATOMS - 1)] * 3),
            max_size=12,
        )
    )
    weights = data.draw(st.lists(st.sampled_from([0.25, 1.0, 2.5]), min_size=3, max_size=3))
    rule = LeastLoss.of(
        [column(own) for own in labels],
        [np.array(part) for part in zip(*classes, strict=True)],
        weights,
    )
    group, *atoms = np.array(drawn, dtype=np.int64).reshape(-1, 4).T
    found = rule.broken(atoms, group)

    def meant(of_class):
        return [own[label] for own, label in zip(labels, of_class, strict=True)]

    def loss(of_class):
        return sum(
            int(len(own) / ATOMS * (weight / max(weights) * 2**30)) if len(own) > 1 else 0
            for own, weight in zip(meant(of_class), weights, strict=True)
        )

    for (own, *row), broken in zip(drawn, found, strict=True):
        less = [
            other
            for other in classes
            if loss(other) < loss(classes[own])
            and any(len(one) == 1 for one in meant(other))  # by these, classes are looked up
            and all(atom in one for atom, one in zip(row, meant(other), strict=True))
        ]
        assert bool(broken) == bool(less)


def test_columns_that_go_together_are_found_where_labels_hide_one_of_them():
    """Rows of two kinds: where only the first column is told, its value tells the second's kind,
    and by the second column alone all values are as frequent as any."""
    chance, everything, both = random.Random(3), set(range(ATOMS)), Counter()
    for _ in range(2000):
        kind = chance.randrange(2)
        first, second = (
            chance.choice([(0, 1), (2, 3, 4)][kind]),
            chance.choice([(4, 3), (0, 1, 2)][kind]),
        )
        both[first, second if chance.random() < 0.5 else ATOMS] += 1
    labels = [{atom} for atom in range(ATOMS)]
    columns = [column(labels), column([*labels, everything])]
    keys = sorted(both)
    first, second = (np.array(part) for part in zip(*keys, strict=True))
    rows = np.array([both[key] for key in keys])
    model = fit(columns, Combinations([first, second], [], rows, np.arange(len(keys))))
    hidden = Combinations(
        [np.array([0, 4]), np.array([ATOMS] * 2)], [], np.ones(2, int), np.arange(2)
    )
    chances = model.chances(columns, hidden)
    weights = (chances[:, :, None] * model.weights[1][:, None, :]).sum(axis=0)
    assert weights[0, [3, 4]].sum() > 0.8, "two in five, by the column alone"
    assert weights[1, [0, 1, 2]].sum() > 0.8


@pytest.mark.parametrize(("classes", "sample"), [(40, 10), (400, 20), (3, 5), (1, 2)])
def test_values_that_a_sample_lacks_are_known_all_the_same(classes, sample, monkeypatch):
    """Each kept value is in one class: most are in no row of the sample."""
    monkeypatch.setattr(joint, "SAMPLE", sample)
    monkeypatch.setattr(joint, "_ROWS", 1)
    number = np.repeat(np.arange(classes), 2)
    kept = np.arange(len(number))
    labels = [set(range(ATOMS)), {0}]
    of = Combinations([number % 2], [kept], np.full(len(number), 3), number)
    model = fit([column(labels)], of)
    chances = model.chances([column(labels)], of)
    np.testing.assert_allclose(chances.sum(axis=0), 1)
    assert of.sample().count <= 2 * sample + classes


def wards(count, seed=1):
    """Patients of wards that treat the young or the old, with a number that tells them apart."""
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        old = chance.random() < 0.5
        age = chance.randrange(60, 90) if old else chance.randrange(20, 50)
        days = min(29, int(chance.expovariate(0.12 if old else 0.4)))
        rows.append((age, days, chance.choice("aab" if old else "bcc"), number))
    return rows


COLUMNS = {
    "age": {"type": "interval", "widths": [2, 10, 30]},
    "days": {"type": "interval", "widths": [3, 9]},
    "ward": {"type": "suppression"},
    "number": "insensitive",
}
TYPES = {"age": "INTEGER", "days": "INTEGER", "ward": "VARCHAR", "number": "INTEGER"}


def ward_policy(folder, method, k, rows=500, columns=COLUMNS, **release):
    """A policy over patients of wards."""
    return policy_over(
        folder, TYPES, wards(rows), columns, k=k, limit=0.05, method=method, **release
    )


def misplaced(folder, policy):
    """The share of drawn rows of generalized classes that lie in a class of less loss."""
    age, days, wards = (policy.columns[name].weight for name in ("age", "days", "ward"))
    names = "age_lo, age_hi, days_lo, days_hi, ward, number"
    released = rows_of(folder / "release.duckdb", f"SELECT {names} FROM r")
    ends = [
        (min(row[at] for row in known), max(row[at + 1] for row in known))
        for at in (0, 2)
        if (known := [row for row in released if row[at] is not None])
    ]
    released = [
        (
            *((ends[0]) if row[0] is None else row[:2]),
            *((ends[1]) if row[2] is None else row[2:4]),
            *row[4:],
        )
        for row in released
    ]

    def width(low, high, whole):
        return 0 if high - low <= 1 else (high - low) / (whole[1] - whole[0] + 1)

    def loss(row):
        wide = age * width(*row[:2], ends[0]) + days * width(*row[2:4], ends[1])
        return wide + (0.75 * wards if row[4] == "*" else 0)  # of three wards and NULL

    def inside(row, drawn):
        a, b, c, d, ward = row
        exact_age, exact_days = (a, max(b, a + 1)), (c, max(d, c + 1))
        return (
            exact_age[0] <= drawn[0] < exact_age[1]
            and exact_days[0] <= drawn[1] < exact_days[1]
            and ward in ("*", drawn[2])
        )

    classes = {row[:5] for row in released}
    of_number = {row[5]: row[:5] for row in released}
    general, wrong = 0, 0
    for draw in anonsql.read(policy, draws=3).rows:
        for row in draw:
            own = of_number[row[3]]
            if loss(own) > 0:
                general += 1
                wrong += any(
                    loss(other) < loss(own) - 1e-6 and inside(other, row) for other in classes
                )
    return wrong / general


def test_cells_draw_little_that_lies_in_a_class_of_less_loss(tmp_path, monkeypatch):
    policy = ward_policy(tmp_path, {"type": "cell-generalization", "effort": 2}, k=4)
    anonsql.run(policy)  # proved: what is drawn lies in its labels, and is drawn again alike
    with_rule = misplaced(tmp_path, policy)
    monkeypatch.setattr(CellGeneralization, "least_loss", False)
    without = misplaced(tmp_path, policy)
    assert without > 0.1
    assert with_rule < without / 3


def test_draws_go_by_the_weights_that_the_method_went_by(tmp_path, monkeypatch):
    """The release states them, and is proved with them; without, draws follow another rule."""
    heavy = {"days": 20.0, "ward": 4.0}
    columns = {
        **COLUMNS,
        **{n: {"role": "qi", "hierarchy": COLUMNS[n], "weight": w} for n, w in heavy.items()},
    }
    method = {"type": "cell-generalization", "effort": 2}
    policy = ward_policy(tmp_path, method, 4, columns=columns)
    anonsql.run(policy)
    told = "SELECT property, value FROM r__about WHERE property LIKE 'weight.%' ORDER BY 1"
    stated = rows_of(tmp_path / "release.duckdb", told)
    assert stated == [("weight.days", "20"), ("weight.ward", "4")]
    right = misplaced(tmp_path, policy)
    with duckdb.connect(str(tmp_path / "release.duckdb")) as release:
        release.execute("UPDATE r__about SET value = '4' WHERE property = 'weight.days'")
    with pytest.raises(VerificationError, match=r"weight\.days=4, the release and the policy 20"):
        anonsql.verify(policy)
    monkeypatch.setattr("anonsql.completion.columns.LOSS_WEIGHT", "unknown.")
    assert right < 0.8 * misplaced(tmp_path, policy)


def test_what_goes_together_in_the_source_does_in_draws(tmp_path, monkeypatch):
    """The old stay longer. In large classes, draws of single columns tell the young and the old
    less apart than those of both together."""
    policy = ward_policy(tmp_path, {"type": "mondrian"}, k=25)
    anonsql.run(policy)

    def longer(rows):
        days = {old: [row[1] for row in rows if (row[0] >= 55) == old] for old in (True, False)}
        return sum(days[True]) / len(days[True]) - sum(days[False]) / len(days[False])

    def error():
        drawn = [row for draw in anonsql.read(policy, draws=5).rows for row in draw]
        return abs(longer(drawn) - longer(wards(500)))

    together = error()
    monkeypatch.setattr(modelling, "LEAST_ROWS", 1000)
    assert together < 0.8 * error()


def test_what_is_expected_of_rows_that_are_drawn_together_is_what_many_draws_give(tmp_path):
    policy = ward_policy(tmp_path, {"type": "mondrian"}, k=25)
    anonsql.run(policy)
    result = anonsql.read(policy, draws=200)
    expected = result.expected().set_index("number")
    drawn = Counter()
    for draw in result.rows:
        for age, _, _, number in draw:
            drawn[number] += age / len(result.rows)
    differences = [abs(drawn[number] - row["age"]) for number, row in expected.iterrows()]
    assert max(differences) < 6
    assert sum(differences) / len(differences) < 1


@pytest.mark.parametrize("rows", [2, 30, 110])
def test_small_tables_are_completed(tmp_path, rows):
    policy = ward_policy(tmp_path, {"type": "cell-generalization"}, k=2, rows=rows)
    anonsql.run(policy)
    (released,) = rows_of(tmp_path / "release.duckdb", "SELECT COUNT(*) FROM r")
    assert len(anonsql.read(policy, draws=1).rows[0]) == released[0] > 0


@pytest.mark.parametrize("method", ["cell-generalization", "mondrian"])
def test_every_engine_draws_by_the_same_model(everywhere, tmp_path, method):
    chance = random.Random(4)
    rows = []
    for _ in range(160):
        age = chance.randrange(20, 60)
        rows.append(
            (age, chance.choice("ab" if age < 40 else "cd"), age // 8 + chance.randrange(3))
        )
    types = {"age": "INTEGER", "town": "VARCHAR", "cost": "INTEGER"}
    columns = {"age": {"type": "interval", "widths": [5, 10, 20]}, "town": {"type": "suppression"}}
    columns["cost"] = "sensitive"
    data = policy_data(columns, k=4, method={"type": method}, release={"completed": 2})
    drawn = []
    (tmp_path / "other").mkdir()
    for engine in (everywhere, DuckDB(tmp_path / "other")):
        engine.make(types, rows)
        anonsql.run(policy := policy_on(engine, data))
        anonsql.verify(policy)
        drawn.append(Counter(map(str, engine.read("r__completed"))))
    assert drawn[0] == drawn[1] and len(drawn[0]) > 100
