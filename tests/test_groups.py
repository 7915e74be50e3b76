"""Methods that assign cells to groups: what is released covers the source, every class keeps the
promise."""

import math
import random
from collections import Counter, defaultdict
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline, publishing
from anonsql.policy.policy import Policy

from .examples import whole_jobs
from .support import (
    job,
    label_trees,
    make_numbered,
    make_source,
    policy_data,
    policy_in,
    released_rows,
    updated,
)
from .test_incognito import tables


def grouped_policy(folder, rows, labels, k, method, limit=0.0, **columns):
    """A policy over a random table with a column ``id`` that is kept, so that released rows can be
    told apart."""
    make_numbered(folder, ["VARCHAR"] * len(labels), rows)
    settings = {
        name: {"role": "qi", "hierarchy": tree, **columns.get(name, {})}
        for name, tree in label_trees(folder, labels).items()
    }
    return policy_in(folder, {**settings, "id": "insensitive"}, k=k, limit=limit, method=method)


def released(folder, labels):
    """Released values by the number of the source's row."""
    names = ", ".join(f"c{number}" for number in range(len(labels)))
    return {row[-1]: row[:-1] for row in released_rows(folder, f"SELECT {names}, id FROM r")}


def levels_of(labels, value, label):
    """The levels at which a value has a label."""
    return {level for level, item in enumerate(labels[value]) if item == label}


@whole_jobs
@given(tables(), st.integers(2, 4), st.sampled_from(["remove", "mask"]))
def test_full_subgraph_is_what_it_is_defined_as(tmp_path_factory, table, k, suppressed):
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("subgraph")
    policy = grouped_policy(folder, rows, labels, k, {"type": "full-subgraph"})
    report = anonsql.run(policy)
    found = released(folder, labels)
    assert len(found) == len(rows) == report.released
    classes = Counter(found.values())
    assert min(classes.values()) == report.min_class >= k
    assert len(classes) == report.classes
    # a function of the combination, to an ancestor of it
    by_combination = defaultdict(set)
    for number, row in enumerate(rows):
        by_combination[row].add(found[number])
        assert all(
            levels_of(column, value, label)
            for column, value, label in zip(labels, row, found[number])
        )
    assert all(len(made) == 1 for made in by_combination.values())
    # whatever lies under a released box gets the box, unless two levels look alike
    unique = [
        {label for level, label in enumerate(row) if row.index(label) == level}
        for column in labels
        for row in column.values()
    ]
    if all(len(item) == len(set(item)) for column in labels for item in column.values()) and unique:
        for box in set(found.values()):
            for row, made in zip(rows, (found[number] for number in range(len(rows)))):
                if all(label in column[value] for column, value, label in zip(labels, row, box)):
                    assert made == box
    assert report.verified


@whole_jobs
@given(tables(), st.integers(2, 4))
def test_mondrian_by_hierarchies(tmp_path_factory, table, k):
    """Equal combinations stay together, at ancestors, and no group of one node's children could be
    cut any further."""
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("nodes")
    policy = grouped_policy(folder, rows, labels, k, {"type": "mondrian", "values": "hierarchy"})
    report = anonsql.run(policy)
    found = released(folder, labels)
    classes = Counter(found.values())
    assert sum(classes.values()) == len(rows)
    assert min(classes.values()) == report.min_class >= k
    of_combination = defaultdict(set)
    for number, row in enumerate(rows):
        of_combination[row].add(found[number])
        assert all(
            levels_of(column, value, label)
            for column, value, label in zip(labels, row, found[number])
        )
    assert all(len(made) == 1 for made in of_combination.values())
    if all(len(item) == len(set(item)) for column in labels for item in column.values()):
        for made in classes:
            members = [rows[number] for number in found if found[number] == made]
            for column, labels_of in enumerate(labels):
                level = labels_of[members[0][column]].index(made[column])
                if level and made[column] is not None:
                    below = Counter(labels_of[row[column]][level - 1] for row in members)
                    assert len(below) > 1 and min(below.values()) < k
    assert report.verified


@whole_jobs
@given(
    tables(),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(["cell-generalization", "cell-suppression"]),
)
def test_local_recoding(tmp_path_factory, table, k, limit, method):
    """Every cell is an ancestor of its value, or the value or the top; classes are large enough,
    few rows are left out."""
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("cells")
    policy = grouped_policy(folder, rows, labels, k, {"type": method}, limit)
    report = anonsql.run(policy)
    found = released(folder, labels)
    assert len(rows) - len(found) == report.suppressed <= policy.privacy.max_suppressed(len(rows))
    assert min(Counter(found.values()).values()) == report.min_class >= k
    for number, made in found.items():
        for column, value, label in zip(labels, rows[number], made):
            levels = levels_of(column, value, label)
            assert (
                levels if method == "cell-generalization" else levels & {0, len(column[value]) - 1}
            )
    exact = Counter(rows)
    if all(len(item) == len(set(item)) for column in labels for item in column.values()):
        kept = [number for number, row in enumerate(rows) if exact[row] >= k]
        as_they_are = [found[number] == rows[number] for number in kept if number in found]
        assert (
            sum(not entry for entry in as_they_are) == 0
            or sum(1 for row in rows if exact[row] < k) < k
        )
    assert report.verified


def test_the_last_groups_are_taken_back(tmp_path):
    """Two rows find company, the third finds none and none may be left out: all are released at the
    top."""
    labels = [{"a": ("a", "*"), "b": ("b", "*")}]
    anonsql.run(
        grouped_policy(
            tmp_path, [("a",), ("a",), ("b",)], labels, 2, {"type": "cell-generalization"}
        )
    )
    assert set(released(tmp_path, labels).values()) == {("*",)}


def test_suppressed_cells_need_the_top(tmp_path):
    policy = grouped_policy(
        tmp_path, ROWS, LABELS, 2, {"type": "cell-suppression"}, c0={"max_level": 1}
    )
    with pytest.raises(PolicyError, match=r"columns\.c0\.max_level: 1 is below the top, 2"):
        anonsql.run(policy)


@whole_jobs
@given(tables(), st.integers(2, 4))
def test_measures_are_counted_on_the_rows(tmp_path_factory, table, k):
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("measures")
    report = anonsql.run(grouped_policy(folder, rows, labels, k, {"type": "full-subgraph"}))
    found = released(folder, labels)
    present = [
        {
            value: column[value]
            for value in column
            if value is not None or any(row[i] is None for row in rows)
        }
        for i, column in enumerate(labels)
    ]
    sizes = Counter(found.values())
    assert report.metrics["discernibility"] == sum(size * size for size in sizes.values())
    assert report.metrics["average_class_size"] == pytest.approx(len(rows) / len(sizes) / k)
    if any(len(row) != len(set(row)) for column in labels for row in column.values()):
        return  # a label of two levels does not tell how many leaves it stands for
    lost = 0.0
    for number in range(len(rows)):
        for column, label in zip(present, found[number]):
            if len(column) > 1:
                lost += (sum(label in item for item in column.values()) - 1) / (len(column) - 1)
    assert report.metrics["loss"] == pytest.approx(lost / len(rows) / len(labels))


ROWS = [
    ("a", "x"),
    ("a", "x"),
    ("b", "x"),
    ("b", "y"),
    ("c", "y"),
    ("c", "y"),
    ("d", "y"),
    (None, "y"),
]
LABELS = [
    {
        "a": ("a", "ab", "*"),
        "b": ("b", "ab", "*"),
        "c": ("c", "cd", "*"),
        "d": ("d", "cd", "*"),
        None: (None, None, "*"),
    },
    {"x": ("x", "*"), "y": ("y", "*")},
]


def test_what_cannot_be_told_at_the_highest_levels_is_suppressed(tmp_path):
    """NULL has no label below the top, and is alone there."""
    policy = grouped_policy(
        tmp_path, ROWS, LABELS, 2, {"type": "full-subgraph"}, 0.2, c0={"max_level": 1}
    )
    report = anonsql.run(policy)
    assert report.suppressed == 1
    assert report.metrics["suppressed_share"] == 0.125
    assert set(released(tmp_path, LABELS)) == set(range(7))
    (tmp_path / "other").mkdir()
    with pytest.raises(
        PrivacyError,
        match=(
            r"1 of 8 rows are in groups that break the promise .* set privacy.suppression_limit to"
            r" 0.125"
        ),
    ):
        anonsql.run(
            grouped_policy(
                tmp_path / "other",
                ROWS,
                LABELS,
                2,
                {"type": "full-subgraph"},
                0.1,
                c0={"max_level": 1},
            )
        )


def test_masked_rows(tmp_path):
    rows = [*ROWS, (None, "x")]
    policy = grouped_policy(
        tmp_path, rows, LABELS, 2, {"type": "full-subgraph"}, 0.5, c0={"max_level": 1}
    )
    policy = updated(policy, release={"suppressed": "mask"})
    suppressed = anonsql.run(policy)
    assert suppressed.released == 9 and suppressed.masked in (0, 2)
    assert anonsql.verify(policy).masked == suppressed.masked


def test_least_levels_are_kept(tmp_path):
    policy = grouped_policy(
        tmp_path, ROWS * 3, LABELS, 2, {"type": "full-subgraph"}, c0={"min_level": 1}
    )
    anonsql.run(policy)
    assert {values[0] for values in released(tmp_path, LABELS).values()} <= {"ab", "cd", "*", None}


@pytest.mark.parametrize("command", ["search", "apply", "compile"])
def test_only_levels_can_be_searched_and_applied_again(tmp_path, command):
    policy = grouped_policy(tmp_path, ROWS, LABELS, 2, {"type": "full-subgraph"})
    anonsql.run(policy)
    ask = {
        "search": lambda: anonsql.search(policy),
        "apply": lambda: anonsql.apply(policy, 1),
        "compile": lambda: anonsql.compile(policy, "duckdb", tmp_path / "sql"),
    }
    with pytest.raises(PolicyError, match=r"method\.type: .*the levels of 'full-subgraph' do not"):
        ask[command]()


@pytest.mark.parametrize("scheme", ["release.duckdb", "1"])
def test_a_release_without_levels_is_no_scheme(tmp_path, scheme):
    policy = grouped_policy(tmp_path, ROWS, LABELS, 2, {"type": "full-subgraph"})
    anonsql.run(policy)
    with pytest.raises(PolicyError, match="--scheme: its method gives columns no levels"):
        anonsql.apply(
            Policy.parse(
                {**policy.model_dump(exclude_unset=True, by_alias=True), "method": {}}, tmp_path
            ),
            scheme,
        )


@pytest.mark.parametrize(
    ("template", "offence"),
    [
        (
            "UPDATE groups SET v1 = 'cd' WHERE v1 IN ('a', 'ab', '*')",
            "are outside their labels",
        ),
        ("DELETE FROM assigned WHERE c2 = 1", "differ from the generalized source"),
    ],
)
def test_a_wrong_group_is_not_published(tmp_path, monkeypatch, template, offence):
    """What a method got wrong is found by values, also where the release by itself shows nothing: a
    label that does not cover, rows that are not where they belong."""
    monkeypatch.setattr(publishing, "prove", lambda *_, **__: SimpleNamespace(classes=None))
    policy = grouped_policy(tmp_path, ROWS, LABELS, 2, {"type": "full-subgraph"})
    stages = pipeline.RUN
    position = stages.index(pipeline.stage if "UPDATE" in template else pipeline.verify_release)
    with job(policy, tmp_path, stages[:position]) as made:
        made.engine._connection.execute(template)
        with pytest.raises(VerificationError, match=offence):
            pipeline.go_through(made, stages[position:])


METHODS = [
    {"type": "full-subgraph"},
    {"type": "mondrian"},
    {"type": "mondrian", "values": "hierarchy"},
    {"type": "cell-generalization"},
    {"type": "cell-generalization", "effort": 3},
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: "-".join(map(str, method.values())))
@pytest.mark.parametrize(
    "privacy",
    [
        {"l_diversity": {"disease": {"type": "distinct", "l": 3}}},
        {"l_diversity": {"disease": {"type": "entropy", "l": 2}}},
        {"t_closeness": {"disease": {"t": 0.4}}},
        {"entity": "person"},
    ],
    ids=lambda privacy: next(iter(privacy)),
)
def test_the_whole_promise_is_kept_by_every_method(tmp_path, method, privacy):
    """Counted on the release: classes of people, diseases in a class."""
    rnd = random.Random(7)
    rows = [
        (
            rnd.randrange(40),
            rnd.choice("mf"),
            rnd.choice(["flu", "flu", "flu", "cold", "hiv", None]),
            n // 2,
            n,
        )
        for n in range(120)
    ]
    types = {
        "age": "INTEGER",
        "sex": "VARCHAR",
        "disease": "VARCHAR",
        "person": "INTEGER",
        "id": "INTEGER",
    }
    make_source(tmp_path, types, rows)
    columns = {
        "age": {"type": "interval", "widths": [5, 10, 20]},
        "sex": {"type": "suppression"},
        "disease": "sensitive",
        "person": "identifying",
        "id": "insensitive",
    }
    data = policy_data(columns, k=4, method=method)
    data["privacy"].update(privacy)
    policy = Policy.parse(data, tmp_path)
    report = anonsql.run(policy)
    classes = defaultdict(list)
    for age, sex, number in released_rows(tmp_path, "SELECT age, sex, id FROM r"):
        classes[age, sex].append(rows[number])
    assert report.classes == len(classes) > 1
    overall = Counter(row[2] for row in rows)
    for members in classes.values():
        diseases = Counter(row[2] for row in members)
        shares = [count / len(members) for count in diseases.values()]
        assert len({row[3] for row in members} if "entity" in privacy else members) >= 4
        if privacy.get("l_diversity", {}).get("disease", {}).get("type") == "distinct":
            assert len(diseases) >= 3
        elif "l_diversity" in privacy:
            assert -sum(share * math.log(share) for share in shares) >= math.log(2) - 1e-9
        elif "t_closeness" in privacy:
            assert (
                sum(abs(diseases[value] / len(members) - overall[value] / 120) for value in overall)
                / 2
                <= 0.4 + 1e-9
            )
    assert anonsql.verify(policy).classes == report.classes


def test_relaxed_promises_only_rows(tmp_path):
    make_source(
        tmp_path, {"a": "INTEGER", "s": "VARCHAR"}, [(n % 5, "xy"[n % 2]) for n in range(20)]
    )
    data = policy_data(
        {"a": {"type": "suppression"}, "s": "sensitive"},
        k=2,
        method={"type": "mondrian", "mode": "relaxed"},
    )
    data["privacy"]["l_diversity"] = {"s": {"type": "distinct", "l": 2}}
    with pytest.raises(PolicyError, match=r"method\.mode: relaxed divides rows at random"):
        anonsql.run(Policy.parse(data, tmp_path))
