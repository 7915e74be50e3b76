"""Limits to the risk of a release as a whole: the search against brute force, methods that judge
one class at a time, verification of sabotaged releases, and policies that ask for what cannot be."""

import json
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.methods.full_domain import choose
from anonsql.policy.policy import Policy
from anonsql.privacy.risk import RiskLimits
from anonsql.risks import limits
from anonsql.risks.population import models
from anonsql.risks.population.class_sizes import ClassSizes

from .support import (
    cli,
    edit,
    ended,
    job,
    make_source,
    policy_data,
    policy_in,
    rows_of,
    vectors,
    write_data,
)
from .test_incognito import COMPLETE, oracle_of, random_job, tables


def individual(size, share):
    """Benedetti and Franconi's risk by its integral."""
    if share >= 1:
        return 1 / size
    missed = 1 - share
    return quad(lambda v: v ** (size - 1) * share / (share + missed * v), 0, 1, epsabs=1e-13)[0]


def kept(risk, sizes, rows):
    """Whether classes of these sizes keep the limits, by their definitions."""
    population = risk.get("population", {"fraction": 1})
    share = rows / population["size"] if "size" in population else population["fraction"]
    ok, total = True, sum(sizes)
    if not sizes:
        return True
    if "records_at_risk" in risk:
        above, most = (Fraction(str(each)) for each in risk["records_at_risk"].values())
        small = sum(size for size in sizes if Fraction(1, size) > above)
        ok &= Fraction(small, total) <= most
    if "individual" in risk:
        ok &= max(individual(size, share) for size in sizes) <= risk["individual"]
    if "population_uniqueness" in risk:
        found = models.best(ClassSizes.of(Counter(sizes).items()), share)
        ok &= found.uniques * share / total <= risk["population_uniqueness"]
    return ok


RISKS = st.sampled_from(
    [
        {"population": {"fraction": 0.05}, "population_uniqueness": 0.02},
        {"population": {"size": 60}, "population_uniqueness": 0.1},
        {"records_at_risk": {"above": "1/4", "at_most": 0.25}},
        {"records_at_risk": {"above": 0.4, "at_most": 0}},
        {"population": {"fraction": 0.3}, "individual": 0.21},
        {
            "population": {"size": 200},
            "individual": 0.2,
            "records_at_risk": {"above": 0.25, "at_most": 0.4},
            "population_uniqueness": 0.01,
        },
    ]
)


def limited(folder, table, k, suppression, risk, algorithm="auto"):
    rows, labels = table
    policy = random_job(folder, rows, labels, 2, suppression, algorithm)
    data = policy.model_dump(mode="json", exclude_unset=True)
    data["privacy"] |= {"k": min(k, len(rows)), "risk": risk}
    return Policy.parse(data, folder)


def expected_nodes(oracle, k, most, risk):
    return {
        levels
        for levels in oracle.satisfying(k, most)
        if kept(risk, [size for size in oracle.classes(levels).values() if size >= k], len(oracle.rows))
    }


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tables(max_rows=20),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.2, 0.5]),
    RISKS,
    st.sampled_from(COMPLETE),
)
def test_the_search_is_brute_force(tmp_path_factory, table, k, suppression, risk, algorithm):
    folder = tmp_path_factory.mktemp("limits")
    policy = limited(folder, table, k, suppression, risk, algorithm)
    k = policy.privacy.k
    oracle, most = oracle_of(*table), policy.privacy.max_suppressed(len(table[0]))
    expected = expected_nodes(oracle, k, most, risk)
    if not expected:
        with job(policy, folder, pipeline.CHECK) as done, pytest.raises(PrivacyError):
            pipeline.go_through(done, pipeline.SEARCH[len(pipeline.CHECK) :])
        return
    with job(policy, folder) as done:
        searched = done.schema.searched
        assert vectors(done) == expected
        assert vectors(done, searched.minimal) == {
            node
            for node in expected
            if not any(
                other != node and all(low <= high for low, high in zip(other, node, strict=True))
                for other in expected
            )
        }
        for levels, verdict in searched.verdicts:
            if len(levels) == len(oracle.labels):
                assert verdict.satisfied == (tuple(levels.values()) in expected)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(max_rows=20), st.integers(1, 3), st.sampled_from([0.0, 0.4]), RISKS)
def test_the_best_of_those_that_keep_them_is_chosen(tmp_path_factory, table, k, suppression, risk):
    folder = tmp_path_factory.mktemp("limits")
    policy = limited(folder, table, k, suppression, risk)
    k = policy.privacy.k
    oracle, most = oracle_of(*table), policy.privacy.max_suppressed(len(table[0]))
    expected = expected_nodes(oracle, k, most, risk)
    if not expected:
        return
    stages = (*pipeline.CHECK, pipeline.require_sound, pipeline.build_star, pipeline.search)
    with job(policy, folder, stages) as done:
        lattice = done.schema.nodes
        best = choose.choose(policy, lattice.sets, lattice.roll_ups, lattice.found)
        assert tuple(best.levels.values()) in expected
        least = min(oracle.loss(levels, k) for levels in expected)
        assert oracle.loss(tuple(best.levels.values()), k) == pytest.approx(least)
        satisfied = {
            tuple(levels.values())
            for levels, verdict in lattice.found.verdicts
            if verdict.satisfied
        }
        assert satisfied <= expected


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.3, 0.5, 0.51, 0.99, 1])
def test_individual_risk_is_its_integral(share):
    for size in (1, 2, 3, 12, 13, 40, 700):
        assert limits.individual_risk(size, share) == pytest.approx(individual(size, share), rel=1e-8)


@given(RISKS, st.integers(1, 200), st.floats(0.001, 1))
def test_classes_of_the_size_that_is_enough_keep_all(risk, extra, share):
    wanted = RiskLimits.model_validate(risk)
    least = limits.enough(wanted, share)
    found = limits.reached(wanted, [(least, 3), (least + extra, 2)], share)
    assert all(limit.kept for limit in found)
    if least > 2:
        assert not all(limit.kept for limit in limits.reached(wanted, [(least - 1, 5)], share))


COLUMNS = {
    "age": {"type": "interval", "widths": [5, 10, 20]},
    "sex": {"type": "suppression"},
    "zip": {"type": "mask", "length": 3},
    "ill": "sensitive",
}
TYPES = {"age": "INTEGER", "sex": "VARCHAR", "zip": "VARCHAR", "ill": "VARCHAR"}
ROWS = [
    (20 + n * n * 7 % 53, "fm"[n % 5 % 2], f"{800 + n * n % 23}", "abcd"[n % 4]) for n in range(240)
]
TOGETHER = {
    "population": {"size": 3000},
    "population_uniqueness": 0.01,
    "records_at_risk": {"above": "1/6", "at_most": 0.1},
    "individual": 0.05,
}


def risky(risk, k=2, limit=0.1, **more):
    return policy_data(COLUMNS, k=k, limit=limit, privacy={"risk": risk}, **more)


def sizes_of(folder):
    """The sizes of the classes of the release."""
    return [n for (n,) in rows_of(folder / "release.duckdb", "SELECT COUNT(*) FROM r GROUP BY age, sex, zip")]


@pytest.mark.parametrize(
    "method", ["full-domain", "mondrian", "cell-generalization", "full-subtree", "full-subgraph", "ordered-partition"]
)
def test_releases_keep_the_limits_and_say_so(tmp_path, method):
    make_source(tmp_path, TYPES, ROWS)
    path = write_data(tmp_path, risky(TOGETHER, method={"type": method}))
    report = anonsql.run(path)
    assert kept(TOGETHER, sizes_of(tmp_path), len(ROWS))
    assert {each.name for each in report.limits} == TOGETHER.keys() - {"population"}
    about = dict(rows_of(tmp_path / "release.duckdb", "FROM r__about"))
    assert about["risk.records_at_risk"] == "0.1 above 1/6"
    for each in report.limits:
        assert float(about[f"reached.{each.name}"]) == pytest.approx(each.reached, rel=1e-5)
    assert "the rows together keep limits of risk" in about["promise"]
    assert anonsql.verify(path).limits == report.limits


def test_what_the_run_and_the_page_say(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    path = write_data(tmp_path, risky(TOGETHER))
    printed = ended(cli("run", path), 0)
    print(printed)
