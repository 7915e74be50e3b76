"""The search against brute force, the paper's worked example, and the real table."""

import csv
import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy
from anonsql.search import algorithms, boundary, roll_up
from anonsql.search.climb import Start, Walk, climb
from anonsql.system.clock import silent

from .examples import searches
from .oracle import Oracle
from .support import (
    ADULT,
    DATA,
    adult_policy,
    fars_policy,
    job,
    label_trees,
    make_source,
    needs_data,
    policy_data,
    policy_over,
    tree_file,
    vectors,
)


@st.composite
def tables(draw, max_rows=24):
    """A small random table with random hierarchies: rows, and for each column value -> labels."""
    columns = draw(st.integers(1, 4))
    labels = []
    for _ in range(columns):
        leaves = draw(st.integers(1, 5))
        height = draw(st.integers(1, 3))
        groups = list(range(leaves))
        rows = [[f"v{leaf}"] for leaf in range(leaves)]
        for level in range(1, height):
            merged = {group: draw(st.integers(0, max(groups))) for group in sorted(set(groups))}
            groups = [merged[group] for group in groups]
            for row, group in zip(rows, groups):
                row.append(f"g{level}_{group}")
        labels.append({row[0]: (*row, "*") for row in rows})
    with_null = draw(st.booleans())
    if with_null:
        for column in labels:
            column[None] = (None,) * (len(next(iter(column.values()))) - 1) + ("*",)
    row = st.tuples(*(st.sampled_from(list(column)) for column in labels))
    return draw(st.lists(row, min_size=2, max_size=max_rows)), labels


def random_job(folder, rows, labels, k, limit, algorithm, **more):
    columns = label_trees(folder, labels)
    types = dict.fromkeys(columns, "VARCHAR")
    method = {"algorithm": algorithm, **more}
    return policy_over(folder, types, rows, columns, k=k, limit=limit, method=method)


COMPLETE = ["auto", "incognito", "super-roots", "cube", "bottom-up"]


def oracle_of(rows, labels):
    """Leaves that the data lacks are leaves all the same; NULL is one only where it occurs."""
    seen = [{row[i] for row in rows} for i in range(len(labels))]
    return Oracle(
        rows,
        [
            {v: row for v, row in column.items() if v is not None or None in seen[i]}
            for i, column in enumerate(labels)
        ],
    )


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tables(),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.sampled_from(COMPLETE),
    st.booleans(),
)
def test_search_is_brute_force(tmp_path_factory, table, k, limit, algorithm, roll_up):
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("search")
    policy = random_job(folder, rows, labels, k, limit, algorithm, roll_up=roll_up)
    oracle = oracle_of(rows, labels)
    limit_rows = policy.privacy.max_suppressed(len(rows))
    expected = oracle.satisfying(k, limit_rows)
    with job(policy, folder) as done:
        assert vectors(done) == expected
        assert vectors(done, done.schema.searched.minimal) == {
            node
            for node in expected
            if not any(
                tuple(b - (i == j) for j, b in enumerate(node)) in expected
                for i in range(len(node))
            )
        }
        for levels, verdict in done.schema.searched.verdicts:
            if len(levels) == len(labels):
                node = tuple(levels.values())
                assert verdict.satisfied == (node in expected)
                if verdict.sizes:
                    released = oracle.released(node, k)
                    assert verdict.sizes.classes == len(released)
                    assert verdict.sizes.suppressed == oracle.suppressed(node, k)
                    assert verdict.sizes.min_class == min(released.values(), default=0)
                    assert verdict.sizes.groups == len(oracle.classes(node))


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(2, 3))
def test_candidates_of_passes_are_brute_force(tmp_path_factory, table, k):
    """A node is a candidate where its levels on every subset of one column less satisfy."""
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("passes")
    policy = random_job(folder, rows, labels, k, 0.1, "incognito")
    limit, columns = policy.privacy.max_suppressed(len(rows)), range(len(labels))
    with job(policy, folder) as done:
        places = {item.index: place for place, item in enumerate(done.counted.attributes)}
        found = [
            (tuple(places[index] for index in levels), tuple(levels.values()), verdict.satisfied)
            for levels, verdict in done.schema.searched.verdicts
        ]

    def satisfies(names, levels):
        some = oracle_of(
            [tuple(row[at] for at in names) for row in rows], [labels[at] for at in names]
        )
        return some.suppressed(levels, k) <= limit

    wanted = set()
    for size in range(1, len(labels) + 1):
        for names in itertools.combinations(columns, size):
            heights = [range(len(next(iter(labels[at].values())))) for at in names]
            for levels in itertools.product(*heights):
                parts = itertools.combinations(range(size), size - 1) if size > 1 else ()
                if all(
                    satisfies([names[at] for at in part], [levels[at] for at in part])
                    for part in parts
                ):
                    wanted.add((names, levels, satisfies(names, levels)))
    assert set(found) == wanted and len(found) == len(wanted)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.1, 0.3]))
def test_counting_in_parts_finds_what_brute_force_does(tmp_path_factory, table, k, limit):
    """A part suppresses no more than all rows do, and nodes fail by it that do fail."""
    rows, labels = table
    rows, folder = rows * 3, tmp_path_factory.mktemp("search")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boundary, "_SHARES", (1 / 3, 1 / 2))
        patch.setattr(roll_up, "_IN_PARTS", 0)
        with job(
            random_job(folder, rows, labels, min(k, len(rows)), limit, "auto"), folder
        ) as done:
            oracle, nodes = oracle_of(rows, labels), done.schema.searched
            most = done.policy.privacy.max_suppressed(len(rows))
            assert vectors(done) == oracle.satisfying(min(k, len(rows)), most)
            for levels, verdict in nodes.verdicts:
                if verdict.rule == "part":
                    assert oracle.suppressed(tuple(levels.values()), min(k, len(rows))) > most
            every = [levels for levels, _ in nodes.verdicts]
            parts = roll_up.RollUps(done.schema.lattice.sets).in_parts(every, 1 / 2)
            for levels, part in zip(every, parts, strict=True):
                if part is not None:
                    suppressed = oracle.suppressed(tuple(levels.values()), min(k, len(rows)))
                    assert part.sizes.suppressed <= suppressed
                    assert part.sizes.suppressed <= round(part.share * len(rows)) <= len(rows)
                    assert part.sizes.suppressed >= suppressed - len(rows) * (1 - part.share) - 1e-9


@searches
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
def test_auto_says_from_what_each_verdict_follows(tmp_path_factory, table, k, limit):
    rows, labels = table
    folder = tmp_path_factory.mktemp("search")
    with job(random_job(folder, rows, labels, min(k, len(rows)), limit, "auto"), folder) as done:
        found = {
            verdict.node: (levels, verdict) for levels, verdict in done.schema.searched.verdicts
        }
        recorded = done.catalog._session._connection.execute(
            "SELECT node, map_values(levels), satisfied, rule, implied_by FROM nodes"
        ).fetchall()
    assert len(found) == len(list(oracle_of(rows, labels).lattice())) == len(recorded)
    for levels, verdict in found.values():
        assert verdict.rule != "subset"
        if verdict.rule != "checked":
            cause, why = found[verdict.implied_by]
            assert why.rule == "checked" and why.satisfied == verdict.satisfied
            signs = {levels[index] - cause[index] for index in levels}
            assert (min(signs) >= 0) if verdict.satisfied else (max(signs) <= 0)
    assert {(node, tuple(levels), ok, rule) for node, levels, ok, rule, _ in recorded} == {
        (node, tuple(levels.values()), verdict.satisfied, verdict.rule)
        for node, (levels, verdict) in found.items()
    }


@searches
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
def test_binary_search_finds_the_least_height(tmp_path_factory, table, k, limit):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("search")
    policy = random_job(folder, rows, labels, k, limit, "binary-search")
    expected = oracle_of(rows, labels).satisfying(k, policy.privacy.max_suppressed(len(rows)))
    with job(policy, folder) as done:
        assert vectors(done) == {node for node in expected if sum(node) == min(map(sum, expected))}


@searches
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
def test_datafly_raises_the_most_diverse_attribute(tmp_path_factory, table, k, limit):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("search")
    policy = random_job(folder, rows, labels, k, limit, "datafly")
    oracle, node = oracle_of(rows, labels), [0] * len(labels)
    while oracle.suppressed(node, k) > policy.privacy.max_suppressed(len(rows)):
        distinct = [
            len({oracle.generalize(row, node)[i] for row in rows}) if level < height else -1
            for i, (level, height) in enumerate(zip(node, oracle.heights))
        ]
        node[distinct.index(max(distinct))] += 1
    with job(policy, folder) as done:
        assert vectors(done) == {tuple(node)}


def test_a_lattice_too_large_to_look_at_is_searched_in_passes(tmp_path, monkeypatch):
    policy = patients(tmp_path, ["Birthdate", "Sex", "Zipcode"])
    monkeypatch.setattr(algorithms, "LARGE", 11)  # of 12 nodes
    with job(policy, tmp_path) as done:
        assert vectors(done) == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}
        assert [item.title for item in done.schema.searched.rounds] == [
            "subsets of 1",
            "subsets of 2",
            "subsets of 3",
        ]


def test_of_a_large_lattice_only_counted_nodes_are_told(tmp_path, monkeypatch):
    policy = patients(tmp_path, ["Birthdate", "Sex", "Zipcode"])
    monkeypatch.setattr(algorithms, "RECORDED", 11)  # of 12 nodes
    with job(policy, tmp_path) as done:
        assert vectors(done) == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}
        assert {verdict.rule for _, verdict in done.schema.searched.verdicts} == {"checked"}
        assert len(done.schema.searched.verdicts) == done.schema.searched.checked < 12


@pytest.mark.parametrize("algorithm", [*COMPLETE, "binary-search", "datafly"])
def test_domains_larger_than_a_number_take_more_keys(tmp_path, algorithm):
    """Five columns of 40,000 leaves each are more combinations than 2^62."""
    names = [f"c{number}" for number in range(5)]
    rows = [
        tuple(f"v{(row * 7 + column) % 40000}" for column in range(5))
        for row in (1, 1, 2, 3, 39999)
    ]
    make_source(tmp_path, dict.fromkeys(names, "VARCHAR"), rows)
    leaves = tree_file(
        tmp_path / "h" / "all.csv", [(f"v{leaf}", f"g{leaf % 3}", "*") for leaf in range(40000)]
    )
    policy = Policy.parse(
        policy_data(dict.fromkeys(names, leaves), k=2, limit=0.4, method={"algorithm": algorithm}),
        tmp_path,
    )
    with job(policy, tmp_path) as done:
        assert len(done.schema.nodes.sets.base.keys) == 2
        if algorithm in COMPLETE:
            labels = {f"v{leaf}": (f"v{leaf}", f"g{leaf % 3}", "*") for leaf in range(40000)}
            assert vectors(done) == Oracle(rows, [labels] * 5).satisfying(2, 2)


PATIENTS = [
    ("1/21/76", "Male", "53715", "Flu"),
    ("4/13/86", "Female", "53715", "Hepatitis"),
    ("2/28/76", "Male", "53703", "Brochitis"),
    ("1/21/76", "Male", "53703", "Broken Arm"),
    ("4/13/86", "Female", "53706", "Sprained Ankle"),
    ("2/28/76", "Female", "53706", "Hang Nail"),
]
BIRTHDATE = [[day, "*"] for day in ("1/21/76", "2/28/76", "4/13/86")]
SEX = [["Male", "Person"], ["Female", "Person"]]
ZIPCODE = [[f"5371{n}", "5371*", "537**"] for n in (5, 0)] + [
    [f"5370{n}", "5370*", "537**"] for n in (6, 3)
]


def patients(folder, names, **more):
    """The Patients table of Fig. 1 with the hierarchies of Fig. 2."""
    make_source(
        folder, dict.fromkeys(["Birthdate", "Sex", "Zipcode", "Disease"], "VARCHAR"), PATIENTS
    )
    trees = {"Birthdate": BIRTHDATE, "Sex": SEX, "Zipcode": ZIPCODE}
    columns = {
        name: (
            tree_file(folder / "h" / f"{name}.csv", trees[name]) if name in names else "insensitive"
        )
        for name in trees
    }
    return Policy.parse(policy_data({**columns, "Disease": "sensitive"}, **more), folder)


def pass_of(done, size):
    """Nodes (id, levels by name) and edges of a pass, as the catalog holds them."""
    session = done.catalog._session
    names = {attribute.index: attribute.name for attribute in done.counted.attributes}
    nodes = {
        row[0]: {names[dim]: level for dim, level in zip(row[1::2], row[2::2])}
        for row in session.query("jobs/catalog/read_nodes", size=size)
    }
    return nodes, session.query("jobs/catalog/read_edges", size=size)


@pytest.mark.parametrize("algorithm", COMPLETE)
def test_patients(tmp_path, algorithm):
    policy = patients(tmp_path, ["Birthdate", "Sex", "Zipcode"], method={"algorithm": algorithm})
    with job(policy, tmp_path) as done:
        assert vectors(done) == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}
        assert vectors(done, done.schema.searched.minimal) == {(0, 1, 2), (1, 0, 2), (1, 1, 0)}


def test_figure_6_nodes_and_edges(tmp_path):
    """The relational representation of the Sex x Zipcode lattice, row by row."""
    policy = patients(tmp_path, ["Sex", "Zipcode"], k=2, method={"algorithm": "incognito"})
    with job(policy, tmp_path) as done:
        nodes, edges = pass_of(done, 2)
    assert nodes == {
        1: {"Sex": 0, "Zipcode": 0},
        2: {"Sex": 1, "Zipcode": 0},
        3: {"Sex": 0, "Zipcode": 1},
        4: {"Sex": 1, "Zipcode": 1},
        5: {"Sex": 0, "Zipcode": 2},
        6: {"Sex": 1, "Zipcode": 2},
    }
    assert edges == [(1, 2), (1, 3), (2, 4), (3, 4), (3, 5), (4, 6), (5, 6)]


def test_figure_5_second_pass_and_figure_7_third_graph(tmp_path):
    policy = patients(tmp_path, ["Birthdate", "Sex", "Zipcode"], method={"algorithm": "incognito"})
    with job(policy, tmp_path) as done:
        first, _ = pass_of(done, 1)
        second, _ = pass_of(done, 2)
        third, edges = pass_of(done, 3)
        verdicts = {(size, node): satisfied for size, node, satisfied in _verdicts(done)}
    assert all(verdicts[1, node] for node in first)  # <B0>, <S0>, <Z0> and all above
    satisfied = [levels for node, levels in second.items() if verdicts[2, node]]
    assert {"Sex": 1, "Zipcode": 0} in satisfied
    assert {"Sex": 0, "Zipcode": 1} not in satisfied
    assert {"Sex": 0, "Zipcode": 2} in satisfied
    roots = [levels for node, levels in third.items() if node not in {end for _, end in edges}]
    expected = [(1, 1, 0), (1, 0, 2), (0, 1, 2)]
    assert sorted(tuple(levels.values()) for levels in roots) == sorted(expected)
    assert len(third) < 12  # Fig. 7(b) would have been searched without a priori pruning


def _verdicts(done):
    connection = done.catalog._session._connection
    return connection.execute("SELECT size, id, satisfied FROM lattice.verdicts").fetchall()


def test_marks_are_passed_on(tmp_path):
    """checked = candidates - satisfying + minimal, in every pass of a bottom-up search with marks
    passed on."""
    policy = patients(tmp_path, ["Birthdate", "Sex", "Zipcode"], method={"algorithm": "incognito"})
    with job(policy, tmp_path, pipeline.SEARCH[:-1]) as done:
        done.catalog.begin_search(done.counted.attributes)
        for size in (1, 2, 3):
            graph = done.catalog.candidates(size)
            walk = Walk(graph, 0)
            climb(done.schema.nodes.sets, walk, Start(), silent)
            verdicts = [verdict for _, verdict in walk.verdicts()]
            satisfied = {item.node for item in verdicts if item.satisfied}
            minimal = [node for node in satisfied if satisfied.isdisjoint(graph.below[node])]
            assert sum(entry.sizes is not None for entry in verdicts) == len(graph.nodes) - len(
                satisfied
            ) + len(minimal)
            done.catalog.record(size, verdicts)


@needs_data
@pytest.mark.parametrize("algorithm", ["incognito", "auto"])
@pytest.mark.parametrize("size", range(3, 10))
def test_adult_k2_is_exactly_what_brute_force_found(tmp_path, size, algorithm):
    expected = next(
        load
        for load in json.loads((DATA / "adult" / "expected_k2.json").read_text())
        if len(load["quasi_identifiers"]) == size
    )
    with job(
        adult_policy(tmp_path, ADULT[:size], 2, method={"algorithm": algorithm}), tmp_path
    ) as done:
        assert len(done.schema.searched.nodes) == expected["anonymous"]
        assert vectors(done, done.schema.searched.minimal) == {
            tuple(levels) for levels in expected["minimal"]
        }
        if (
            algorithm == "incognito"
        ):  # marks passed on: the counts of the paper's table, near enough
            assert (
                done.schema.searched.checked
                == {3: 13, 4: 39, 5: 112, 6: 246, 7: 633, 8: 1715, 9: 4281}[size]
            )


@needs_data
def test_fars_the_algorithms_agree(tmp_path):
    """20,736 nodes; what auto finds by the boundary, Incognito finds by passes and binary search at
    its least height."""
    found = {}
    for algorithm in ("auto", "incognito", "binary-search"):
        with job(
            fars_policy(tmp_path, 10, method={"algorithm": algorithm}), tmp_path / algorithm
        ) as done:
            found[algorithm] = vectors(done), done.schema.searched.checked
    nodes, checked = found["auto"]
    assert nodes == found["incognito"][0]
    assert found["binary-search"][0] == {
        node for node in nodes if sum(node) == min(map(sum, nodes))
    }
    assert checked < found["incognito"][1] / 3


@needs_data
def test_adult_k10_with_suppression_is_brute_force(tmp_path):
    names = ADULT[:5]
    with (DATA / "adult" / "adult.csv").open() as lines:
        rows = [tuple(row[name] for name in names) for row in csv.DictReader(lines)]
    labels = []
    for name in names:
        lines = (DATA / "adult" / "hierarchies" / f"{name}.csv").read_text().splitlines()
        labels.append({line.split(";")[0]: tuple(line.split(";")) for line in lines})
    oracle = Oracle(rows, labels)
    with job(adult_policy(tmp_path, names, 10, 0.05), tmp_path) as done:
        assert vectors(done) == oracle.satisfying(10, 2261)


@needs_data
def test_the_patients_files(tmp_path):
    columns = {
        name: {"type": "file", "path": str(DATA / "toys" / "patients_hierarchies" / f"{name}.csv")}
        for name in ("Birthdate", "Sex", "Zipcode")
    }
    data = policy_data({**columns, "Disease": "sensitive"}, k=2)
    data["source"] = {"file": str(DATA / "toys" / "patients.csv")}
    with job(Policy.parse(data, tmp_path), tmp_path) as done:
        assert vectors(done) == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}
