"""The search against brute force, the paper's worked example, and the real table."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql import pipeline
from anonsql.policy import Policy
from anonsql.search import incognito

from .oracle import Oracle
from .support import ADULT, DATA, adult_policy, job, make_table, needs_data, policy_data, rows_of, tree_file, vectors  # noqa: F401


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


def random_job(folder, rows, labels, k, limit, algorithm):
    names = [f"c{number}" for number in range(len(labels))]
    make_table(folder / "source.duckdb", dict.fromkeys(names, "VARCHAR"), rows)
    columns = {
        name: tree_file(folder / "h" / f"{name}.csv", [row for value, row in column.items() if value is not None])
        for name, column in zip(names, labels)
    }
    return Policy.parse(policy_data(columns, k=k, limit=limit, method={"algorithm": algorithm}), folder)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.1, 0.3]), st.sampled_from(["incognito", "auto"]))
def test_search_is_brute_force(tmp_path_factory, table, k, limit, algorithm):
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("search")
    policy = random_job(folder, rows, labels, k, limit, algorithm)
    # Leaves that the data lacks are leaves all the same; NULL is one only where it occurs.
    oracle = Oracle(
        rows, [{v: row for v, row in column.items() if v is not None or any(r[i] is None for r in rows)} for i, column in enumerate(labels)]
    )
    limit_rows = policy.privacy.max_suppressed(len(rows))
    with job(policy, folder) as done:
        assert vectors(done) == oracle.satisfying(k, limit_rows)
        for node, sizes in done.found.sizes.items():
            levels = tuple(done.found.graph.nodes[node][a.index] for a in done.attributes)
            released = oracle.released(levels, k)
            assert sizes.classes == len(released)
            assert sizes.suppressed == oracle.suppressed(levels, k)
            assert sizes.min_class == min(released.values(), default=0)
            assert sizes.groups == len(oracle.classes(levels))


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
ZIPCODE = [[f"5371{n}", "5371*", "537**"] for n in (5, 0)] + [[f"5370{n}", "5370*", "537**"] for n in (6, 3)]


def patients(folder, names, **more):
    """The Patients table of Fig. 1 with the hierarchies of Fig. 2."""
    make_table(folder / "source.duckdb", dict.fromkeys(["Birthdate", "Sex", "Zipcode", "Disease"], "VARCHAR"), PATIENTS)
    trees = {"Birthdate": BIRTHDATE, "Sex": SEX, "Zipcode": ZIPCODE}
    columns = {name: tree_file(folder / "h" / f"{name}.csv", trees[name]) if name in names else "insensitive" for name in trees}
    return Policy.parse(policy_data({**columns, "Disease": "sensitive"}, **more), folder)


def pass_of(done, size):
    """Nodes (id, levels by name) and edges of a pass, as the catalog holds them."""
    session = done.catalog._session
    names = {attribute.index: attribute.name for attribute in done.attributes}
    nodes = {
        row[0]: {names[dim]: level for dim, level in zip(row[1::2], row[2::2])} for row in session.query("incognito/read_nodes", size=size)
    }
    return nodes, session.query("incognito/read_edges", size=size)


@pytest.mark.parametrize("algorithm", ["incognito", "auto"])
def test_patients(tmp_path, algorithm):
    policy = patients(tmp_path, ["Birthdate", "Sex", "Zipcode"], method={"algorithm": algorithm})
    with job(policy, tmp_path) as done:
        assert vectors(done) == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}
        assert vectors(done, done.found.graph.roots()) == {(0, 1, 2), (1, 0, 2), (1, 1, 0)}


def test_figure_6_nodes_and_edges(tmp_path):
    """The relational representation of the Sex x Zipcode lattice, row by row."""
    policy = patients(tmp_path, ["Sex", "Zipcode"], k=2)
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
    """checked = candidates - satisfying + minimal, in every pass of a bottom-up search with marks passed on."""
    policy = patients(tmp_path, ["Birthdate", "Sex", "Zipcode"], method={"algorithm": "incognito"})
    with job(policy, tmp_path, pipeline.SEARCH[:-1]) as done:
        done.catalog.begin_search(done.attributes)
        for size in (1, 2, 3):
            graph = done.catalog.candidates(size, size - 1)
            verdicts = incognito.check(graph, done.sets, done.catalog.known_sizes(""), 0, pipeline.silent)
            satisfied = {each.node for each in verdicts if each.satisfied}
            minimal = [node for node in satisfied if satisfied.isdisjoint(graph.below[node])]
            assert sum(each.sizes is not None for each in verdicts) == len(graph.nodes) - len(satisfied) + len(minimal)
            done.catalog.record(size, verdicts)


@needs_data
@pytest.mark.parametrize("algorithm", ["incognito", "auto"])
@pytest.mark.parametrize("size", range(3, 10))
def test_adult_k2_is_exactly_what_brute_force_found(tmp_path, size, algorithm):
    expected = next(
        each for each in json.loads((DATA / "adult" / "expected_k2.json").read_text()) if len(each["quasi_identifiers"]) == size
    )
    with job(adult_policy(tmp_path, ADULT[:size], 2, method={"algorithm": algorithm}), tmp_path) as done:
        graph = done.found.graph
        assert len(graph.nodes) == expected["anonymous"]
        assert vectors(done, graph.roots()) == {tuple(levels) for levels in expected["minimal"]}
        if algorithm == "incognito":  # marks passed on: the counts of the paper's table, near enough
            assert done.found.checked == {3: 13, 4: 39, 5: 112, 6: 246, 7: 633, 8: 1715, 9: 4281}[size]


@needs_data
def test_adult_k10_with_suppression_is_brute_force(tmp_path):
    import csv

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
