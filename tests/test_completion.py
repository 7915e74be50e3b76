"""Completed tables: what is drawn lies in the labels, is drawn the same by everybody, keeps the
totals of buckets, and follows the weights that an oracle of plain Python finds."""

import ast
import datetime as dt
import math
import random
import re
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.completion import table
from anonsql.completion.atoms import atoms_of
from anonsql.completion.weights import STEPS, Labels, Occurring, evenly, likeliest
from anonsql.engines.base import Context
from anonsql.errors import PolicyError
from anonsql.features.read.pooling import rubin
from anonsql.labels.domains import Domain
from anonsql.labels.label_values import Piece
from anonsql.policy.envelope import EngineSettings
from anonsql.query import opening
from anonsql.sql import templates
from anonsql.system.journal import Journal
from anonsql.verification.facts import facts_of

from .methods import PLAIN
from .support import policy_over, released_rows, rows_of


def naive(width, classes, steps):
    """EM over classes of ``size`` rows whose ``inside`` atoms hold all values, and in which the
    atoms ``named`` occur, by the definition: the rows that are given a named atom come first."""
    weights = [each / sum(width) for each in width]
    rows = sum(size for size, _, _ in classes)
    for _ in range(steps):
        new = [0.0] * len(width)
        for size, inside, named in classes:
            mass = sum(weights[atom] for atom in inside)
            given = {}
            for atom in named:
                share = max(weights[atom] / mass, 1e-9)
                often = size * share / (1 - (1 - share) ** size) if share < 1 else size
                given[atom] = min(1.0, (often - size * share) / (1 - share)) if share < 1 else 0.0
            fitting = min(1.0, size / max(sum(given.values()), 1e-12))
            for atom in named:
                new[atom] += fitting * given[atom]
            others = size - fitting * sum(given.values())
            for atom in inside:
                new[atom] += others * weights[atom] / mass
        new = [each / rows for each in new]
        moved = sum(abs(a - b) for a, b in zip(new, weights, strict=True)) / 2
        weights = new
        if moved < 1e-4:
            break
    return weights


@st.composite
def labeled(draw):
    """Widths of atoms, and labels as ranges of them with their rows."""
    size = draw(st.integers(1, 8))
    width = draw(st.lists(st.integers(1, 5), min_size=size, max_size=size))
    labels = []
    for _ in range(draw(st.integers(1, 6))):
        chosen = sorted(draw(st.sets(st.integers(0, size - 1), min_size=1)))
        labels.append(tuple((atom, atom + 1) for atom in chosen))
    rows = [draw(st.integers(1, 50)) for _ in labels]
    return width, labels, rows


@given(labeled(), st.integers(1, STEPS))
def test_weights_are_those_of_the_definition(case, steps):
    width, labels, rows = case
    result = likeliest(width, Labels.of(labels, rows), steps=steps)
    classes = [
        (count, [atom for first, end in ranges for atom in range(first, end)], ())
        for ranges, count in zip(labels, rows, strict=True)
    ]
    np.testing.assert_allclose(result, naive(width, classes, steps), atol=1e-9)


@st.composite
def classes_with_values(draw):
    """Widths of atoms, and classes: rows, atoms, and those of them that occur."""
    count = draw(st.integers(2, 6))
    width = draw(st.lists(st.integers(1, 5), min_size=count, max_size=count))
    classes = []
    for _ in range(draw(st.integers(1, 5))):
        inside = tuple(sorted(draw(st.sets(st.integers(0, count - 1), min_size=2))))
        named = tuple(sorted(draw(st.sets(st.sampled_from(inside)))))
        classes.append((draw(st.integers(2, 12)), inside, named))
    return width, classes


@given(classes_with_values(), st.integers(1, STEPS))
def test_weights_know_the_values_that_occur_in_every_class(case, steps):
    width, classes = case
    kinds = sorted({(inside, named) for _, inside, named in classes})
    label_of = {kind: number for number, kind in enumerate(kinds)}
    rows = [sum(size for size, *kind in classes if tuple(kind) == one) for one in kinds]
    ranges = [tuple((atom, atom + 1) for atom in inside) for inside, _ in kinds]
    entries = Counter(
        (label_of[inside, named], size, atom) for size, inside, named in classes for atom in named
    )
    label, sizes, atom = np.array(list(entries), dtype=np.int64).reshape(-1, 3).T
    counts = np.array(list(entries.values()), dtype=np.int64)
    occurring = Occurring(label, sizes, counts, atom)
    result = likeliest(width, Labels.of(ranges, rows), occurring, steps)
    np.testing.assert_allclose(result, naive(width, classes, steps), atol=1e-6)


def test_weights_find_the_frequencies_that_labels_overlap_in():
    """A value that half of the labels single out is likelier in the labels that do not."""
    weights = likeliest([1, 1], Labels.of([((0, 1),), ((0, 2),)], [50, 50]))
    assert weights[0] > 0.99
    assert evenly([1, 1]).tolist() == [0.5, 0.5]


def test_atoms_of_numbers_end_where_labels_do():
    ages = [[Piece(((20, 0), (30, 0)), 1.0)], [Piece(((25, 0), (26, 0)), 1.0)], [Piece(None, 1.0)]]
    atoms, ranges = atoms_of(Domain("integer"), ages, {})
    assert (atoms.low, atoms.width) == ([20, 25, 26, None], [5, 1, 4, 1.0])
    assert ranges == [((0, 3),), ((1, 2),), ((3, 4),)]


@contextmanager
def located(folder, name="r"):
    """A released table of a folder, and the facts about it."""
    location, _ = opening.given(str(folder / "release.duckdb"))
    work = folder / "work"
    work.mkdir(exist_ok=True)
    context = Context(work, EngineSettings(), Journal(), reading=True)
    with opening.located(location, [name], context) as (tables,):
        yield tables, facts_of(tables)


COLUMNS = {
    "age": {"type": "interval", "widths": [5, 10, 50]},
    "born": {"type": "date", "levels": ["month", "year"]},
    "zip": {"type": "mask", "length": 3},
    "height": {"type": "interval", "widths": ["0.5", 1]},
    "sex": {"type": "suppression"},
    "ill": "sensitive",
}


def rows_for(count):
    """Rows whose columns hang together."""
    return [
        (
            20 + (n * 7) % 40,
            dt.date(1990, 1, 1) + dt.timedelta(days=(n * 37) % 1500),
            f"{100 + (n * 13) % 40}",
            round(1.5 + (n % 17) / 10, 1),
            "fm"[n % 2],
            ["flu", "cold", None][n % 3],
        )
        for n in range(count)
    ]


TYPES = {
    **{"age": "INTEGER", "born": "DATE", "zip": "VARCHAR"},
    **{"height": "DECIMAL(4,1)", "sex": "VARCHAR", "ill": "VARCHAR"},
}
SIMPLE = {name: settings for name, settings in PLAIN.items() if name not in ("anatomy", "local")}
FIRST = ("cell-generalization", "full-domain", "hybrid", "mondrian", "ordered-partition", "ring")
METHODS = [
    pytest.param(name, marks=() if name in FIRST else pytest.mark.long) for name in sorted(SIMPLE)
]


@pytest.fixture(scope="module", params=METHODS)
def released(request, tmp_path_factory):
    """A release by each method, and its source's rows."""
    rows, tmp_path = rows_for(240), tmp_path_factory.mktemp("released")
    policy = policy_over(
        tmp_path, TYPES, rows, COLUMNS, k=4, limit=0.1, method=SIMPLE[request.param]
    )
    anonsql.run(policy)
    return tmp_path, rows


def drawn_pairs(folder, draws=3):
    """The released rows beside what they drew, by the labels, as far as the bounds tell."""
    with located(folder) as (tables, about):
        drawn = table.draw(tables, about, draws=draws, seed="s")
        names = [column.name for column in drawn.titles]
        rows = tables.engine.query("completion/ordered", sorted=drawn.titles, **drawn.parameters)
        return names, [row[: len(names)] for row in rows]


def position(value):
    """A number or date as a number."""
    return value.toordinal() if isinstance(value, dt.date) else float(value)


def test_values_are_drawn_from_labels_alone(released):
    """Each draw has as many rows as the release, and no values outside the labels of their column:
    in order, none lies below the least value of the label of its rank, or above the greatest."""
    folder, _ = released
    names, rows = drawn_pairs(folder)
    size = len(released_rows(folder))
    assert Counter(row[0] for row in rows) == {1: size, 2: size, 3: size}
    assert names == ["draw", "age", "born", "zip", "height", "sex", "ill"]
    for name in ("age", "born", "height"):
        bounds = rows_of(folder / "release.duckdb", f'SELECT "{name}_lo", "{name}_hi" FROM r')
        values = [row[names.index(name)] for row in rows if row[0] == 1]
        assert len(values) == len(bounds)
        if all(lo is None for lo, _ in bounds):
            assert set(values) == {None}, "nothing is known about the column"
            continue
        low = sorted(-math.inf if lo is None else position(lo) for lo, _ in bounds)
        high = sorted(math.inf if hi is None else position(hi) for _, hi in bounds)
        ordered = sorted(map(position, values))
        assert all(a <= v <= b for a, v, b in zip(low, ordered, high, strict=True))
    assert {row[5] for row in rows} <= {"f", "m", None}
    assert Counter(row[6] for row in rows if row[0] == 2) == Counter(
        ill for (ill,) in rows_of(folder / "release.duckdb", "SELECT ill FROM r")
    )


def test_everybody_draws_the_same(released):
    folder, _ = released
    assert drawn_pairs(folder) == drawn_pairs(folder)
    first = anonsql.read(folder / "release.duckdb", draws=2)
    again = anonsql.read(folder / "release.duckdb", draws=2)
    other = anonsql.read(folder / "release.duckdb", draws=2, seed="another")
    assert first == again
    assert first.columns == other.columns
    assert first.rows[0] != first.rows[1] or all(
        label == value for label, value in zip(first.rows[0], first.rows[1], strict=True)
    )


def test_statements_read_nothing_but_the_release(released, monkeypatch):
    folder, _ = released
    statements = []
    render = templates.render

    def seen(template, *arguments, **parameters):
        text = render(template, *arguments, **parameters)
        if template.startswith("completion/"):
            statements.append(text)
        return text

    monkeypatch.setattr(templates, "render", seen)
    with located(folder) as (tables, about):
        own = {".".join(f'"{part}"' for part in path) for path in tables.by_part.values()}
        drawn = table.draw(tables, about, draws=1, seed="s")
        tables.engine.query("completion/ordered", sorted=drawn.titles, **drawn.parameters)
    read = {
        match[1]
        for text in statements
        for match in re.finditer(r'(?:FROM|JOIN)\s+((?:"[^"]*"\.?|\w+)+)', text)
        if match[1].strip('"') + " AS (\n" not in text.replace('"', "")  # of the statement itself
    }
    assert statements
    assert {name for name in read if not name.strip('"').startswith("completed_")} <= own


def test_buckets_keep_their_totals(tmp_path):
    rows = rows_for(240)
    policy = policy_over(
        tmp_path,
        TYPES,
        rows,
        {**COLUMNS, "ill": "sensitive"},
        k=3,
        privacy={"l_diversity": {"ill": 3}},
        method={"type": "anatomy"},
    )
    anonsql.run(policy)
    names, drawn = drawn_pairs(tmp_path, draws=2)
    assert names[-1] == "ill"
    for number in (1, 2):
        assert Counter(row[-1] for row in drawn if row[0] == number) == Counter(
            row[-1] for row in rows
        )
    groups = dict(rows_of(tmp_path / "release.duckdb", "SELECT age, group_id FROM r"))
    assert groups
    ages = Counter((row[1], row[-1]) for row in drawn if row[0] == 1)
    assert ages != Counter((row[1], row[-1]) for row in drawn if row[0] == 2)


def test_a_column_called_draw_is_read_and_never_taken_for_the_number_of_one(tmp_path):
    rows = [(number % 4, number % 3) for number in range(40)]
    policy = policy_over(
        tmp_path,
        {"a": "INTEGER", "Draw": "INTEGER"},
        rows,
        {"a": {"type": "interval", "widths": [2]}, "Draw": "insensitive"},
        k=2,
    )
    anonsql.run(policy)
    result = anonsql.read(policy, draws=2)
    assert result.columns == ["a", "Draw"]
    assert Counter(row[1] for row in result.rows[1]) == Counter(row[1] for row in rows)
    with pytest.raises(
        PolicyError, match="column draw, which is also the name of the draws' number"
    ):
        anonsql.query(policy, "SELECT STDDEV(a) FROM r")
    assert anonsql.measure(policy).usefulness is not None


@pytest.mark.parametrize("values", ["range", "set"])
def test_values_that_occur_in_a_class_are_drawn_as_often_as_they_occur(tmp_path, values):
    """Each class of 10 rows has one row with an extreme value, which its label names: it is drawn
    about once a class, and not as often as the values of most rows."""
    common = 30 if values == "range" else "usual"
    rare = [20, 40] if values == "range" else [f"rare {n}" for n in range(8)]
    rows = [
        (f"group {group}", rare[group % len(rare)] if row == 0 else common)
        for group in range(80)
        for row in range(10)
    ]
    kind = "INTEGER" if values == "range" else "VARCHAR"
    columns = {"place": {"type": "suppression"}, "value": {"type": "suppression"}}
    policy = policy_over(
        tmp_path,
        {"place": "VARCHAR", "value": kind},
        rows,
        columns,
        k=10,
        method={"type": "mondrian"},
    )
    anonsql.run(policy)
    result = anonsql.read(policy, draws=20)
    drawn = Counter(row[1] for own in result.rows for row in own)
    assert sum(drawn.values()) == 20 * len(rows)
    assert 60 < sum(drawn[value] for value in rare) / 20 < 110
    expected = result.expected()
    told = expected["value"] if values == "range" else expected["value=usual"]
    assert abs(told.mean() - (30 if values == "range" else 0.9)) < (
        0.6 if values == "range" else 0.03
    )


def test_estimates_are_pooled_by_rubins_rules():
    result = rubin([1.0, 2.0, 3.0], [0.25, 0.25, 0.25])
    between = (1 + 1 / 3) * 1.0
    assert result.estimate == 2.0
    assert math.isclose(result.standard_error, math.sqrt(0.25 + between))
    assert math.isclose(result.degrees, 2 * (1 + 0.25 / between) ** 2)
    assert result.low < 2 < result.high
    assert rubin([1.0], [0.25]).degrees == math.inf


def test_a_mean_is_pooled_over_the_draws(released):
    folder, source = released
    result = anonsql.read(folder / "release.duckdb", draws=3)

    def mean(frame):
        ages = frame["age"].astype(float)
        return {"age": ages.mean()}, {"age": ages.std() / len(ages) ** 0.5}

    if all(row[0] is None for row in result.rows[0]):
        return  # every age is *, with nothing that tells of it
    estimate = result.pool(mean)["age"]
    true = sum(row[0] for row in source) / len(source)
    assert abs(estimate.estimate - true) < 6 * max(estimate.standard_error, 0.5)


def test_what_is_expected_is_what_many_draws_give(released):
    """Means and probabilities agree with 60 draws, column by column."""
    folder, _ = released
    result = anonsql.read(folder / "release.duckdb", draws=60)
    frame = result.expected()
    assert len(frame) == len(result.rows[0])
    ages = [row[0] for rows in result.rows for row in rows if row[0] is not None]
    if ages:
        assert abs(frame["age"].mean() - sum(ages) / len(ages)) < 0.6
    for sex in "fm":
        drawn = sum(row[4] == sex for rows in result.rows for row in rows) / 60
        share = frame[f"sex={sex}"].sum() if f"sex={sex}" in frame else 0.0
        assert abs(share - drawn) < 6
    if "born" in frame and frame["born"].notna().any():
        born = [row[1].toordinal() for rows in result.rows for row in rows if row[1] is not None]
        days = [moment.to_pydatetime().toordinal() for moment in frame["born"].dropna()]
        assert abs(sum(days) / len(days) - sum(born) / len(born)) < 20
    assert Counter(frame["ill"].fillna("")) == Counter(row[5] or "" for row in result.rows[0])


def test_the_expected_values_of_a_bucket_are_its_shares(tmp_path):
    policy = policy_over(
        tmp_path,
        TYPES,
        rows_for(240),
        COLUMNS,
        k=3,
        privacy={"l_diversity": {"ill": 3}},
        method={"type": "anatomy"},
    )
    anonsql.run(policy)
    frame = anonsql.read(policy).expected()
    shares = frame[["ill=cold", "ill=flu"]]
    assert ((shares > 0) & (shares < 1)).all().all()
    assert np.isclose(shares["ill=flu"].sum(), 80)


def test_bad_requests_are_refused(released):
    folder, _ = released
    with pytest.raises(PolicyError, match="At least one draw"):
        anonsql.read(folder / "release.duckdb", draws=0)
    with pytest.raises(PolicyError, match="no release of a table 'x'"):
        anonsql.read(folder / "release.duckdb", table_name="x")


RECKONING = ("weights", "joint", "least_loss", "modelling", "raking")
"""The modules whose numbers decide what is drawn."""


def test_weights_are_computed_by_what_every_processor_rounds_the_same():
    """Powers, exponentials and logarithms of arrays differ in their last bits between processors:
    a release that one has drawn would not be what another draws."""
    for name in (*RECKONING, "lookups", "points", "atoms", "meanings"):
        source = Path(table.__file__).with_name(f"{name}.py").read_text()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                assert name == "meanings" or isinstance(node.left, ast.Constant), ast.unparse(node)
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("exp", "log", "power", "sum", "dot", "matmul", "expm1")


def test_rows_with_buckets_keep_their_means(tmp_path):
    """In local generalization a class is divided among buckets of sensitive values: the ends of its
    ranges occur in the class, and not in each of these parts."""
    chance = random.Random(5)
    rows = [
        (
            chance.randrange(20, 70),
            chance.randrange(100),
            chance.choice("abcd"),
            chance.choice("xyz"),
        )
        for _ in range(500)
    ]
    columns = {
        "age": {"type": "interval", "widths": [5, 10, 20]},
        "inc": {"type": "interval", "widths": [5, 20]},
        "town": {"type": "suppression"},
        "sick": "sensitive",
    }
    policy = policy_over(
        tmp_path,
        {"age": "INTEGER", "inc": "INTEGER", "town": "VARCHAR", "sick": "VARCHAR"},
        rows,
        columns,
        k=5,
        limit=0.2,
        privacy={"l_diversity": {"sick": 2}},
        method={"type": "local"},
    )
    anonsql.run(policy)
    drawn = [row[1] for own in anonsql.read(policy, draws=5).rows for row in own]
    true = sum(row[1] for row in rows) / len(rows)
    assert abs(sum(drawn) / len(drawn) - true) < 2
