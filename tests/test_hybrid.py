"""S-Hybrid: the paper's example, the whole of Algorithm 1 against naive Python, and what every
release of it must keep."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.methods.hybrid import nearest as nearest_groups
from anonsql.methods.hybrid import relocated_levels
from anonsql.methods.hybrid.relocated_groups import Groups, Limits
from anonsql.methods.hybrid.relocation import Answer, relocate
from anonsql.policy.policy import Policy

from .engines import DATABASES, policy_on
from .examples import whole_jobs
from .support import (
    ADULT,
    adult_policy,
    editing,
    job,
    make_table,
    needs_data,
    policy_data,
    rows_of,
    tree_file,
)
from .test_incognito import oracle_of, tables

pytestmark = pytest.mark.early


def hybrid_policy(folder, rows, labels, k, limit=0.0, method=None, **more):
    """A policy over rows of quasi-identifying values, each with its number and a sensitive value
    that goes with it."""
    names = [f"c{number}" for number in range(len(labels))]
    numbered = [(*row, number, f"s{number % 3}") for number, row in enumerate(rows)]
    make_table(
        folder / "source.duckdb",
        {**dict.fromkeys(names, "VARCHAR"), "id": "INTEGER", "illness": "VARCHAR"},
        numbered,
    )
    columns = {
        name: tree_file(
            folder / "h" / f"{name}.csv",
            [row for value, row in column.items() if value is not None],
        )
        for name, column in zip(names, labels, strict=True)
    }
    data = policy_data(
        {**columns, "id": "insensitive", "illness": "sensitive"},
        k=k,
        limit=limit,
        method={"type": "hybrid", **(method or {})},
    )
    data["privacy"] |= more
    return Policy.parse(data, folder)


def nearest(codes, ask):
    """What the engine answers, in naive Python: the closest target, the first of several in an
    order that begins elsewhere for every mover where they are to be spread."""
    targets, cells = [], []
    for mover, rows in zip(ask.movers.tolist(), ask.rows.tolist(), strict=True):
        count = len(ask.targets)
        choices = [
            (
                sum(a != b for a, b in zip(codes[mover], codes[target], strict=True)),
                (place + mover * ask.spread) % count,
                target,
            )
            for place, target in enumerate(ask.targets.tolist())
            if ask.surplus is None or ask.surplus[place] >= rows
        ]
        distance, _, target = min(choices, default=(0, 0, -1))
        targets.append(target)
        cells.append(distance * rows)
    return Answer(np.array(targets), np.array(cells))


def create_hybrid(oracle, levels, limits):
    """Algorithm 2 at a node; gives the groups' labels and what became of them."""
    leaves = [sorted(value for value in column if value is not None) for column in oracle.labels]

    def code(column, label):
        """Groups are numbered by the least of the leaves under each label, NULL before all, the
        last column counting most."""
        under = [
            value
            for value, labels in oracle.labels[column].items()
            if labels[levels[column]] == label
        ]
        return 0 if None in under else 1 + min(leaves[column].index(value) for value in under)

    classes = oracle.classes(levels)
    order = sorted(
        classes, key=lambda group: [code(column, label) for column, label in enumerate(group)][::-1]
    )
    groups = Groups(np.array([classes[group] for group in order]), limits)
    asking = relocate(groups)
    try:
        ask = next(asking)
        while True:
            ask = asking.send(nearest(order, ask))
    except StopIteration:
        return order, groups


def loss_of(oracle, levels, order, groups):
    """LM of the groups after relocation."""
    lost = 0.0
    for group, size in zip(order, groups.sizes.tolist(), strict=True):
        for column, label in enumerate(group):
            domain = len(oracle.labels[column])
            lost += size * (
                (oracle.leaves(column, levels[column])[label] - 1) / (domain - 1)
                if domain > 1
                else 0.0
            )
    return lost / len(oracle.rows) / len(oracle.labels)


def algorithm_1(oracle, k, most, alpha):
    """The walk from the top, all of it: the loss of every node whose generalizations all can be
    relocated, and it too."""
    alive, found = set(oracle.lattice()), {}
    for levels in sorted(alive, key=sum, reverse=True):
        if levels not in alive:
            continue
        count = len(oracle.classes(levels))
        critical = (
            None if alpha is None else (float(chi2.isf(alpha, count - 1)) if count > 1 else 0.0)
        )
        order, groups = create_hybrid(oracle, levels, Limits(k, most, critical))
        if groups.failing:
            alive -= {
                other for other in alive if all(a <= b for a, b in zip(other, levels, strict=True))
            }
        else:
            found[levels] = loss_of(oracle, levels, order, groups)
    return found


@whole_jobs
@given(
    tables(max_rows=30),
    st.integers(2, 6),
    st.sampled_from([0.0, 0.05, 0.15, 0.4]),
    st.sampled_from([None, 0.05, 0.5]),
)
def test_top_down_is_algorithm_1_and_best_first_no_worse(tmp_path_factory, table, k, p, alpha):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("hybrid")
    method = {"p": p} | ({} if alpha is None else {"alpha": alpha})
    policy = hybrid_policy(folder, rows, labels, k, method={**method, "search": "top-down"})
    oracle = oracle_of(rows, labels)
    found = algorithm_1(oracle, k, int(p * 1000) * len(rows) * len(labels) // 1000, alpha)
    report = anonsql.run(policy)
    levels = tuple(report.levels.values())
    assert found[levels] == pytest.approx(min(found.values()))
    assert report.metrics["loss"] == pytest.approx(found[levels])
    other = anonsql.run(
        policy.model_copy(
            update={"method": policy.method.model_copy(update={"search": "best-first"})}
        )
    )
    assert other.metrics["loss"] <= report.metrics["loss"] + 1e-9
    plain = min(oracle.loss(levels, k) for levels in oracle.satisfying(k))
    assert other.metrics["loss"] <= plain + 1e-9
    if p == 0:
        assert other.metrics["loss"] == pytest.approx(plain)
        assert other.relocated.cells == 0


def elements(label):
    """The values that a released label of a region stands for."""
    return (
        [None if word == "NULL" else word for word in label[1:-1].split(", ")]
        if label and label[0] == "{"
        else [label]
    )


@whole_jobs
@given(
    tables(max_rows=40),
    st.integers(2, 6),
    st.sampled_from([0.05, 0.3]),
    st.sampled_from(["deterministic", "randomized"]),
)
def test_regions_of_groups_of_values(tmp_path_factory, table, k, p, variant):
    """Of Mondrian's regions too, with min_level: a changed cell is one whose label is not among
    those released."""
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("hybrid")
    policy = hybrid_policy(
        folder, rows, labels, k, method={"p": p, "recoding": "mondrian", "variant": variant}
    )
    data = policy.model_dump(exclude_unset=True, by_alias=True)
    lowest = [min(1, len(next(iter(column.values()))) - 2) for column in labels]
    for column, level in enumerate(lowest):
        data["columns"][f"c{column}"]["min_level"] = max(level, 0)
    report = anonsql.run(policy := Policy.parse(data, folder))
    found, changed = released_rows(policy, labels), Counter()
    assert min(Counter(group for group, _ in found.values()).values()) == report.min_class >= k
    for number, (group, illness) in found.items():
        assert illness == f"s{number % 3}"
        truth = [
            column[value][max(level, 0)]
            for column, value, level in zip(labels, rows[number], lowest, strict=True)
        ]
        changed.update(
            f"c{i}"
            for i, (own, label) in enumerate(zip(truth, group, strict=True))
            if label != "*" and own not in elements(label)
        )
    assert report.relocated.columns == {
        f"c{column}": changed[f"c{column}"] for column in range(len(labels))
    }
    assert report.relocated.cells <= round(p * 100) * len(rows) * len(labels) // 100
    assert report.verified


def released_rows(policy, labels):
    """The released labels, id and sensitive value, by id."""
    columns = ", ".join(f"c{number}" for number in range(len(labels)))
    found = rows_of(policy.path(policy.release.database), f"SELECT {columns}, id, illness FROM r")
    return {row[-2]: (row[:-2], row[-1]) for row in found}


@whole_jobs
@given(
    tables(max_rows=40),
    st.integers(2, 7),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.sampled_from([0.0, 0.15]),
    st.sampled_from(["deterministic", "randomized"]),
    st.sampled_from([None, 0.05]),
)
def test_what_a_release_keeps(tmp_path_factory, table, k, p, limit, variant, alpha):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("hybrid")
    method = {"p": p, "variant": variant} | ({} if alpha is None else {"alpha": alpha})
    policy = hybrid_policy(folder, rows, labels, k, limit, method)
    report = anonsql.run(policy)
    found, oracle, levels = (
        released_rows(policy, labels),
        oracle_of(rows, labels),
        tuple(report.levels.values()),
    )
    classes = Counter(group for group, _ in found.values())
    assert min(classes.values()) == report.min_class >= k
    assert len(rows) - len(found) == report.suppressed <= policy.privacy.max_suppressed(len(rows))
    assert all(illness == f"s{number % 3}" for number, (_, illness) in found.items())
    changed = Counter()
    for number, (group, _) in found.items():
        truth = oracle.generalize(rows[number], levels)
        changed.update(
            f"c{column}" for column, (a, b) in enumerate(zip(group, truth, strict=True)) if a != b
        )
        changed["rows"] += group != truth
    assert report.relocated.rows == changed.pop("rows", 0)
    assert report.relocated.columns == {
        f"c{column}": changed[f"c{column}"] for column in range(len(labels))
    }
    assert (
        report.relocated.cells == changed.total() <= round(p * 100) * len(rows) * len(labels) // 100
    )
    if alpha is not None and not report.suppressed:
        before = oracle.classes(levels)
        groups = (
            sorted(before)
            if None not in {label for group in before for label in group}
            else list(before)
        )
        if len(groups) > 1:
            statistic = chisquare(
                [classes[group] for group in groups], [before[group] for group in groups]
            )
            assert statistic.pvalue >= alpha
            assert report.relocated.chi_squared == pytest.approx(statistic.statistic)
    plain = min(
        (oracle.loss(node, k) for node in oracle.satisfying(k, report.suppressed)), default=None
    )
    assert plain is None or limit > 0 or report.metrics["loss"] <= plain + 1e-9
    assert report.verified


@whole_jobs
@given(
    tables(max_rows=30), st.integers(2, 5), st.sampled_from([0.1, 0.3]), st.sampled_from([0.1, 0.3])
)
def test_with_suppression_never_worse_than_suppression_alone(tmp_path_factory, table, k, p, limit):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("hybrid")
    policy = hybrid_policy(folder, rows, labels, k, limit, {"p": p})
    oracle = oracle_of(rows, labels)
    plain = min(
        oracle.loss(node, k)
        for node in oracle.satisfying(k, policy.privacy.max_suppressed(len(rows)))
    )
    assert anonsql.run(policy).metrics["loss"] <= plain + 1e-9


TABLE_1 = [
    ("12", "Greece", "47906", "13K"),
    ("19", "Turkey", "47907", "15K"),
    ("17", "Greece", "47907", "28K"),
    ("23", "Spain", "49703", "14K"),
    ("38", "Brazil", "49705", "18K"),
    ("33", "Peru", "49812", "35K"),
    ("41", "USA", "49001", "14K"),
    ("43", "Canada", "49001", "25K"),
    ("48", "Canada", "49001", "29K"),
]
REGIONS = {
    "Greece": "E. EU",
    "Turkey": "E. EU",
    "Spain": "W. EU",
    "Brazil": "S. AM",
    "Peru": "S. AM",
    "USA": "N. AM",
    "Canada": "N. AM",
}


def table_1(folder, **method):
    """Table 1 of the paper, mapping [1,1,3]: no other levels may be released."""
    names = {"age": "VARCHAR", "nation": "VARCHAR", "zip": "VARCHAR", "salary": "VARCHAR"}
    make_table(folder / "source.duckdb", names, TABLE_1)
    decades = {
        row[0]: f"{int(row[0]) // 10 * 10 + 1}-{int(row[0]) // 10 * 10 + 10}" for row in TABLE_1
    }
    trees = {
        "age": [(age, decade, "*") for age, decade in decades.items()],
        "nation": [(nation, region, region[-2:], "*") for nation, region in REGIONS.items()],
    }
    level = {"role": "quasi-identifying", "min_level": 1, "max_level": 1}
    columns = {
        name: {**level, "hierarchy": tree_file(folder / "h" / f"{name}.csv", rows)}
        for name, rows in trees.items()
    }
    columns["zip"] = {
        "role": "quasi-identifying",
        "hierarchy": {"type": "mask", "length": 5},
        "min_level": 3,
        "max_level": 3,
    }
    return Policy.parse(
        policy_data(
            {**columns, "salary": "sensitive"}, k=3, method={"type": "hybrid", "p": 0.1, **method}
        ),
        folder,
    )


@pytest.mark.parametrize("search", ["best-first", "top-down"])
def test_table_1_of_the_paper(tmp_path, search):
    policy = table_1(tmp_path, search=search)
    report = anonsql.run(policy)
    assert (report.relocated.cells, report.relocated.rows) == (2, 1)
    assert report.relocated.columns == {"age": 1, "nation": 1, "zip": 0}
    assert report.relocated.cell_share == pytest.approx(2 / 27)
    found = rows_of(tmp_path / "release.duckdb", "SELECT age, nation, zip, salary FROM r")
    assert ("31-40", "S. AM", "49***", "14K") in found
    assert Counter(row[:3] for row in found) == {
        ("11-20", "E. EU", "47***"): 3,
        ("31-40", "S. AM", "49***"): 3,
        ("41-50", "N. AM", "49***"): 3,
    }
    about = dict(rows_of(tmp_path / "release.duckdb", 'SELECT property, "value" FROM r__about'))
    assert (
        about["p"],
        about["relocated_cells"],
        about["relocated_rows"],
        about["relocated_cells.nation"],
    ) == ("0.1", "2", "1", "1")
    anonsql.verify(policy)


def test_table_1_is_too_little_budget_at_seven_percent(tmp_path):
    with pytest.raises(PrivacyError, match=r"p=0.07 of the cells \(1 of 27\).*Raise method.p"):
        anonsql.run(table_1(tmp_path, p=0.07))
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("variant", ["deterministic", "randomized"])
@pytest.mark.parametrize("limit", [0.0, 0.2])
@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(max_rows=40), st.integers(2, 5), st.integers(2, 3))
def test_relocation_that_keeps_groups_diverse(tmp_path_factory, variant, limit, table, k, least):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("hybrid")
    least = min(least, len(rows), 3)
    policy = hybrid_policy(
        folder,
        rows,
        labels,
        k,
        limit,
        {"p": 0.3, "variant": variant},
        l_diversity={"illness": least},
    )
    report = anonsql.run(policy)
    by_class = {}
    for group, illness in released_rows(policy, labels).values():
        by_class.setdefault(group, []).append(illness)
    assert all(
        len(illnesses) >= k and len(set(illnesses)) >= least for illnesses in by_class.values()
    )
    assert report.relocated.cell_share <= 0.3
    found = released_rows(policy, labels)
    assert all(illness == f"s{number % 3}" for number, (_, illness) in found.items())
    assert report.verified


def test_random_releases_differ(tmp_path):
    labels = [{f"v{n}": (f"v{n}", f"g{n // 4}", "*") for n in range(12)}] * 2
    rows = [(f"v{n % 12}", f"v{n * n % 11}") for n in range(90)]
    policy = hybrid_policy(tmp_path, rows, labels, 6, method={"p": 0.2, "variant": "randomized"})
    found = set()
    for _ in range(6):
        anonsql.run(policy)
        found.add(
            tuple(
                sorted(
                    (number, group) for number, (group, _) in released_rows(policy, labels).items()
                )
            )
        )
    assert len(found) >= 5


@pytest.mark.parametrize(
    ("method", "privacy", "message"),
    [
        ({"p": 1}, {}, "p"),
        ({"p": -0.1}, {}, "p"),
        ({"alpha": 0}, {}, "alpha"),
        ({"variant": "random"}, {}, "variant"),
        ({"recoding": "mondrian", "search": "top-down"}, {}, "search"),
        (
            {},
            {"t_closeness": {"illness": 0.3}},
            "hybrid can promise k rows and distinct l_diversity, but not t_closeness",
        ),
        (
            {},
            {"l_diversity": {"illness": {"l": 2, "type": "entropy"}}},
            r"entropy l_diversity \(of illness\)",
        ),
        (
            {"recoding": "mondrian"},
            {"l_diversity": {"illness": 2}},
            "with mondrian only k rows can be promised",
        ),
    ],
)
def test_what_a_policy_may_not_ask(tmp_path, method, privacy, message):
    with pytest.raises(PolicyError, match=message):
        hybrid_policy(tmp_path, [("a",)] * 4, [{"a": ("a", "*")}], 2, method=method, **privacy)


def test_a_release_that_says_too_much_was_relocated_is_refused(tmp_path):

    policy = table_1(tmp_path)
    anonsql.run(policy)
    with editing(tmp_path / "release.duckdb") as connection:
        connection.execute("UPDATE r__about SET value = '3' WHERE property = 'relocated_cells'")
    with pytest.raises(VerificationError, match="relocated_cells=3"):
        anonsql.verify(policy)


def test_the_run_proves_what_it_relocated(tmp_path, monkeypatch):
    """A layout that moves more rows than the books say is found before anything is published."""
    true_stretches = relocated_levels._stretches

    def one_more(made):
        found = true_stretches(made)
        return [*found, (0, 2, 1, int(made.homes[0]))]  # the first group goes elsewhere, too

    monkeypatch.setattr(relocated_levels, "_stretches", one_more)
    with pytest.raises(VerificationError):
        anonsql.run(table_1(tmp_path))
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.long
@needs_data
def test_adult(tmp_path):
    """Nine columns, k=10: one cell in a hundred lets the release lose a third of what full-domain
    generalization loses."""
    report = anonsql.run(adult_policy(tmp_path, ADULT, 10, method={"type": "hybrid", "p": 0.01}))
    assert report.min_class >= 10
    assert report.suppressed == 0
    assert report.relocated.cell_share <= 0.01
    assert report.metrics["loss"] < 0.2


@pytest.mark.long
@whole_jobs
@given(tables(max_rows=40), st.integers(2, 6), st.sampled_from([0.1, 0.3]))
def test_neighbours_are_the_closest(tmp_path_factory, table, k, p):
    """Of many groups neighbours are found by what they agree in: the same ones as in pairs, where
    no two differ in more than two columns."""
    rows, labels = [row[:2] for row in table[0]], table[1][:2]
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("hybrid")
    policy = hybrid_policy(folder, rows, labels, k, method={"p": p})
    in_pairs = anonsql.run(policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_groups, "_PAIRS", 1)
        by_neighbours = anonsql.run(policy)
    assert (in_pairs.levels, in_pairs.relocated) == (by_neighbours.levels, by_neighbours.relocated)


def test_of_very_many_targets_some_are_looked_at(tmp_path, monkeypatch):
    labels, chance = {f"v{n}": (f"v{n}", "*") for n in range(4)}, random.Random(3)
    kinds = [tuple(f"v{chance.randrange(4)}" for _ in range(4)) for _ in range(90)]
    rows = [kind for kind in kinds for _ in range(chance.randrange(1, 9))]
    monkeypatch.setattr(nearest_groups, "_PAIRS", 20)
    report = anonsql.run(hybrid_policy(tmp_path, rows, [labels] * 4, 5, method={"p": 0.5}))
    assert report.min_class >= 5
    assert 0 < report.relocated.cell_share <= 0.5


def clumps(small, big, size):
    """Groups of one value each, with their numbers of rows."""
    counts = [1] * small + [size] * 6 + [big] * 6
    labels = {
        f"v{number:03}": (f"v{number:03}", f"g{number // 2}", "*") for number in range(len(counts))
    }
    return [(value,) for value, count in zip(labels, counts, strict=True) for _ in range(count)], [
        labels
    ]


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_suppressed_groups_count_as_unchanged_in_the_test(tmp_path, alpha):
    rows, labels = clumps(60, 13, 7)
    report = anonsql.run(hybrid_policy(tmp_path, rows, labels, 9, 0.4, {"p": 0.3, "alpha": alpha}))
    assert report.relocated.chi_squared <= report.relocated.critical


def test_many_groups_that_want_the_same(tmp_path):
    """Equally close givers are spread, so that a round serves many groups."""
    labels = {f"v{number:03}": (f"v{number:03}", "*") for number in range(160)}
    rows = [
        (value,) for number, value in enumerate(labels) for _ in range(6 if number < 80 else 14)
    ]
    report = anonsql.run(hybrid_policy(tmp_path, rows, [labels], 10, method={"p": 0.5}))
    assert report.levels == {"c0": 0}
    assert report.statements < 150


def test_bounds_of_counts_hold(tmp_path):
    policy = table_1(tmp_path)
    anonsql.run(policy)
    for condition, truth in (
        ("nation = 'Spain'", 1),
        ("nation = 'Brazil' OR nation = 'Peru'", 2),
        ("age = '23'", 1),
    ):
        (answer,) = anonsql.query(policy, f"SELECT COUNT(*) FROM r WHERE {condition}").answers
        assert answer.bounds == "guaranteed"
        assert answer.lower <= truth <= answer.upper
    assert answer.upper - answer.lower < 9
    (exact,) = anonsql.query(policy, "SELECT COUNT(*) FROM r WHERE salary = '14K'").answers
    assert exact.lower == exact.upper == 2


MUTATIONS = {
    "homes are forgotten": "UPDATE assigned SET home = grp",
    "homes are swapped": (
        "UPDATE assigned SET home = (SELECT MIN(home) + MAX(home) FROM assigned) - home"
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("recoding", ["full-domain", "mondrian"])
@pytest.mark.parametrize("mutation", [*MUTATIONS, "fewer cells are told", "fewer rows are told"])
def test_the_proof_does_not_believe_the_books(tmp_path, recoding, mutation):
    labels = {f"v{n:02}": (f"v{n:02}", f"g{n // 5}", "*") for n in range(20)}
    rows = [(f"v{n * n % 19:02}", f"v{n * n * n % 17:02}") for n in range(120)]
    policy = hybrid_policy(
        tmp_path, rows, [labels, labels], 5, method={"p": 0.2, "recoding": recoding, "alpha": 0.01}
    )
    with job(policy, tmp_path, (*pipeline.OPEN, *pipeline.CHOOSE)) as made:
        by = made.chosen.recoding.by
        assert by.done.rows
        if mutation in MUTATIONS:
            made.engine._connection.execute(MUTATIONS[mutation])
        else:
            fewer = {index: max(count - 1, 0) for index, count in by.done.changed.items()}
            stated = {"changed": fewer} if "cells" in mutation else {"rows": 1}
            by = replace(by, done=replace(by.done, **stated))
            recoding = replace(made.chosen.recoding, by=by)
            made.chosen = replace(made.chosen, recoding=recoding)
        pipeline.go_through(made, (pipeline.stage,))
        with pytest.raises(VerificationError):
            pipeline.go_through(made, (pipeline.verify_release,))


def test_columns_of_one_level_on_mariadb(tmp_path):
    """Codes of columns at one level have one name, which a derived table there may have once."""
    engine = DATABASES["mariadb"](tmp_path)
    try:
        rows = [(number % 40, number * 7 % 40, "xy"[number % 2]) for number in range(300)]
        engine.make({"a": "INTEGER", "b": "INTEGER", "note": "VARCHAR"}, rows)
        columns = {name: {"type": "interval", "widths": [10, 100]} for name in "ab"}
        method = {"type": "hybrid", "p": 0.1}
        data = policy_data({**columns, "note": "sensitive"}, k=5, limit=0.1, method=method)
        report = anonsql.run(policy_on(engine, data))
        assert report.levels["a"] == report.levels["b"] and report.verified
    finally:
        engine.close()
