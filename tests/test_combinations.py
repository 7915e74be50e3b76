"""Several combinations of columns, each of which keeps the promise by itself."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.policy.policy import Policy

from .examples import searches
from .oracle import Oracle
from .support import (
    job,
    label_trees,
    make_table,
    policy_data,
    policy_in,
    policy_over,
    rows_of,
    vectors,
)
from .test_incognito import oracle_of, tables


@searches
@given(tables(), st.integers(2, 4), st.data())
def test_search_is_brute_force(tmp_path_factory, table, k, data):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("combinations")
    everything = list(range(len(labels)))
    first = data.draw(st.lists(st.sampled_from(everything), min_size=1, unique=True))
    rest = [index for index in everything if index not in first] or [
        data.draw(st.sampled_from(everything))
    ]
    combinations = [first, rest + data.draw(st.lists(st.sampled_from(first), unique=True))]
    columns = label_trees(folder, labels)
    names = list(columns)
    sets = [[names[index] for index in combination] for combination in combinations]
    types, privacy = dict.fromkeys(names, "VARCHAR"), {"quasi_identifiers": sets}
    policy = policy_over(folder, types, rows, columns, k=k, privacy=privacy)
    oracles = [
        (item, oracle_of([tuple(row[i] for i in item) for row in rows], [labels[i] for i in item]))
        for item in combinations
    ]
    expected = {
        node
        for node in oracle_of(rows, labels).lattice()
        if all(not oracle.suppressed([node[i] for i in entry], k) for entry, oracle in oracles)
    }
    with job(policy, folder) as done:
        assert vectors(done) == expected
        numbers = [verdict.node for _, verdict in done.schema.searched.verdicts]
        assert len(numbers) == len(set(numbers))


COLUMNS = {"age": "INTEGER", "sex": "VARCHAR", "zip": "VARCHAR", "disease": "VARCHAR"}
ROWS = [(30 + n % 10, "fm"[n % 2], f"1{n % 7}", "abc"[n % 3]) for n in range(70)]
HIERARCHIES = {
    "age": {"type": "interval", "widths": [5, 10]},
    "sex": {"type": "suppression"},
    "zip": {"type": "mask", "length": 2},
    "disease": "sensitive",
}


def policy_file(folder, k=5, quasi_identifiers=(("age", "sex"), ("zip",)), method=None, **promises):
    if not (folder / "source.duckdb").exists():
        make_table(folder / "source.duckdb", COLUMNS, ROWS)
    data = policy_data(HIERARCHIES, k=k, method=method or {})
    data["privacy"] |= {
        "quasi_identifiers": [list(names) for names in quasi_identifiers],
        **promises,
    }
    path = folder / "policy.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


def test_a_run_keeps_the_promise_on_each_of_them(tmp_path):
    report = anonsql.run(policy_file(tmp_path))
    assert (report.combinations, report.suppressed, report.levels) == (
        2,
        0,
        {"age": 0, "sex": 0, "zip": 0},
    )
    release = tmp_path / "release.duckdb"
    smallest = "SELECT min(n) FROM (SELECT count(*) AS n FROM r GROUP BY {})"
    assert (
        rows_of(release, smallest.format("age, age_lo, age_hi, sex"))[0][0] == 7 == report.min_class
    )
    assert rows_of(release, smallest.format("zip"))[0][0] == 10
    assert (
        rows_of(release, smallest.format("age, sex, zip"))[0][0] == 1
    )  # together they owe nothing
    about = dict(rows_of(release, "SELECT * FROM r__about"))
    assert (
        about["quasi_identifiers"] == "age, sex; zip"
        and about["k"] == "5"
        and "min_class" not in about
    )
    assert anonsql.verify(tmp_path / "policy.yaml").min_class == 7
    together = anonsql.run(policy_file(tmp_path, quasi_identifiers=[["age", "sex", "zip"]]))
    assert together.levels != report.levels and together.combinations == 1


def test_models_hold_on_each_of_them(tmp_path):
    report = anonsql.run(policy_file(tmp_path, k=2, l_diversity={"disease": 3}))
    labels = [("age", "sex"), ("zip",)]
    for label in labels:
        least = (
            "SELECT min(n) FROM (SELECT count(DISTINCT disease) AS n FROM r GROUP BY"
            f" {', '.join(label)})"
        )
        assert rows_of(tmp_path / "release.duckdb", least)[0][0] >= 3
    assert report.verified


def test_verify_looks_at_each_of_them(tmp_path):
    anonsql.run(policy_file(tmp_path, k=5))
    with pytest.raises(VerificationError, match=r"on \(age, sex\)"):
        anonsql.verify(policy_file(tmp_path, k=8))


def test_named_levels_are_refused_for_the_one_that_fails(tmp_path):
    make_table(tmp_path / "source.duckdb", COLUMNS, [*ROWS, (99, "f", "10", "a")])
    with pytest.raises(PrivacyError, match=r"on \(age, sex\)"):
        anonsql.run(policy_file(tmp_path, method={"levels": {"age": 0, "sex": 0, "zip": 0}}))
    assert anonsql.run(
        policy_file(tmp_path, method={"levels": {"age": 3, "sex": 0, "zip": 0}})
    ).verified


def test_what_cannot_be_met_names_the_combination(tmp_path):
    with pytest.raises(PrivacyError, match=r"on \(zip\)"):
        columns = {
            **HIERARCHIES,
            "zip": {"role": "quasi-identifying", "hierarchy": HIERARCHIES["zip"], "max_level": 0},
        }
        make_table(tmp_path / "source.duckdb", COLUMNS, ROWS)
        data = policy_data(columns, k=15, privacy={"quasi_identifiers": [["age", "sex"], ["zip"]]})
        anonsql.run(Policy.parse(data, tmp_path))


@pytest.mark.parametrize(
    ("privacy", "method", "where"),
    [
        ({"quasi_identifiers": [["age", "sx"], ["zip"]]}, {}, r"privacy.quasi_identifiers\[0\]"),
        ({"quasi_identifiers": [["age"], ["zip"]]}, {}, "no combination contains sex"),
        (
            {"quasi_identifiers": [["age", "sex"], ["zip"]], "suppression_limit": 0.1},
            {},
            "privacy.suppression_limit",
        ),
        (
            {"quasi_identifiers": [["age", "sex"], ["zip"]], "entity": "disease"},
            {},
            "privacy.quasi_identifiers",
        ),
        (
            {"quasi_identifiers": [["age", "sex"], ["zip"]]},
            {"algorithm": "cube"},
            "method.algorithm",
        ),
        ({"quasi_identifiers": []}, {}, "privacy.quasi_identifiers"),
    ],
)
def test_wrong_combinations(tmp_path, privacy, method, where):
    with pytest.raises(PolicyError, match=where):
        policy_in(tmp_path, HIERARCHIES, method=method, privacy=privacy)


def test_apply_and_compile_refuse_them(tmp_path):
    path = policy_file(tmp_path)
    for work in (
        lambda: anonsql.apply(path, 1),
        lambda: anonsql.compile(path, "duckdb", tmp_path / "sql"),
    ):
        with pytest.raises(PolicyError, match="quasi_identifiers"):
            work()


def test_the_oracle_sees_a_difference():
    """Two columns that are safe apart and not together."""
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    labels = [{v: (v, "*") for v in "ab"}, {v: (v, "*") for v in "xy"}]
    assert (0, 0) not in Oracle(rows, labels).satisfying(2)
