"""Limits to the risk of a release as a whole: the search against brute force, methods that judge
one class at a time, verification of sabotaged releases, and policies that ask for what cannot
be."""

import json
import re
from collections import Counter
from fractions import Fraction

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.methods.full_domain import choose
from anonsql.policy.policy import Policy
from anonsql.privacy.risk import RiskLimits, offence
from anonsql.risks import limits
from anonsql.risks import population as population_models
from anonsql.risks.population import ClassSizes
from anonsql.search.release_limits import ReleaseLimits

from .engines import policy_on
from .support import (
    cli,
    copied,
    edit,
    ended,
    flat,
    job,
    make_source,
    policy_data,
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
        found = population_models.best(ClassSizes.of(Counter(sizes).items()), share)
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
        if kept(
            risk, [size for size in oracle.classes(levels).values() if size >= k], len(oracle.rows)
        )
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
        assert limits.individual_risk(size, share) == pytest.approx(
            individual(size, share), rel=1e-8
        )


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
    return [
        n
        for (n,) in rows_of(
            folder / "release.duckdb", "SELECT COUNT(*) FROM r GROUP BY age, sex, zip"
        )
    ]


@pytest.mark.parametrize(
    "method",
    [
        "full-domain",
        "mondrian",
        "cell-generalization",
        "full-subtree",
        "full-subgraph",
        "ordered-partition",
    ],
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
    assert "the release as a whole keeps limits of risk" in about["promise"]
    assert anonsql.verify(path).limits == report.limits


@pytest.mark.parametrize("suppressed", ["mask", "remove"])
def test_suppressed_rows_are_of_the_sample_and_in_no_class(tmp_path, suppressed):
    rows = [*ROWS, *((90 + n, "x", f"9{n}9", "a") for n in range(5))]
    make_source(tmp_path, TYPES, rows)
    risk = {"population": {"size": 5000}, "individual": 0.02}
    data = risky(risk, k=5, limit=0.05, release={"suppressed": suppressed})
    report = anonsql.run(path := write_data(tmp_path, data))
    released = "SELECT COUNT(*) FROM r WHERE NOT (age = '*' AND sex = '*') GROUP BY age, sex, zip"
    sizes = [n for (n,) in rows_of(tmp_path / "release.duckdb", released)]
    assert report.suppressed > 0 and sum(sizes) == len(rows) - report.suppressed
    share = len(rows) / 5000
    assert report.limits[0].reached == pytest.approx(individual(min(sizes), share))
    assert anonsql.verify(path).limits == report.limits


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A policy file, and its release."""
    folder = tmp_path_factory.mktemp("limited")
    make_source(folder, TYPES, ROWS)
    path = write_data(folder, risky(TOGETHER, release={"suppressed": "mask"}))
    assert anonsql.run(path).suppressed == 0
    return path


def test_what_terminal_page_and_sql_say(release, tmp_path):
    printed = flat(cli("verify", release).stdout)
    assert "At most 10 % of the rows have a risk above 1/6: 1 divided by" in printed
    assert "Every class" not in printed
    owner = tmp_path / "page.html"
    ended(cli("report", release, "-o", owner), 0)
    text = flat(owner.read_text())
    assert "At most 10 % of the rows have a risk above 1/6" in text
    assert "unique in a population of 3,000 (here 0 %" in text
    checks = {check.promise: check for check in anonsql.verification_sql(release).checks}
    assert checks["risk.individual"].sql is None
    statement = checks["risk.records_at_risk"].sql
    place = release.parent / "release.duckdb"
    assert rows_of(place, statement) == []
    small = sum(size for size in sizes_of(release.parent) if size < 6)
    tighter = statement.replace("< 6", "< 60")
    assert statement != tighter and rows_of(place, tighter)[0][0] > small


def test_a_sabotaged_release_is_refused(release, tmp_path):
    """Rows that leave their classes small, and a figure that is not so."""
    data = copied(yaml.safe_load(release.read_text()), release.parent, tmp_path)
    path, place = write_data(tmp_path, data), tmp_path / "release.duckdb"
    edit(place, "UPDATE r__about SET value = '0.001' WHERE property = 'reached.individual'")
    with pytest.raises(VerificationError, match=r"__about states reached.individual=0.001"):
        anonsql.verify(path)
    edit(
        place,
        "DELETE FROM r WHERE rowid NOT IN (SELECT MIN(rowid) FROM r GROUP BY age, sex, zip"
        " UNION ALL SELECT MAX(rowid) FROM r GROUP BY age, sex, zip)",
    )
    with pytest.raises(VerificationError) as refused:
        anonsql.verify(path)
    assert "privacy.risk.records_at_risk=0.1 above 1/6 is not kept" in str(refused.value)


def test_a_release_made_elsewhere_is_judged_by_its_classes(release, tmp_path):
    """Whoever fits whom in the source says nothing of them."""
    data = copied(yaml.safe_load(release.read_text()), release.parent, tmp_path)
    edit(place := tmp_path / "release.duckdb", "DELETE FROM r__about WHERE property = 'method'")
    path = write_data(tmp_path, data)
    with pytest.raises(
        VerificationError, match="__about has no method, which it must state"
    ):  # the rest is a run's own
        anonsql.verify(path, against_source=True)
    edit(
        place,
        "DELETE FROM r__about WHERE property IN ('release', 'extra_tables', 'completed')",
        "DROP TABLE IF EXISTS r__completed",
        "DROP TABLE IF EXISTS r__labels",
    )
    report = anonsql.verify(path, against_source=True)
    assert report.limits and report.against_source.with_kept_values is None
    result = cli("verify", path, "--against-source")
    assert "Not compared with the source: kept values" in flat(result.output)
    data["privacy"]["risk"]["records_at_risk"] = {"above": "1/90", "at_most": 0}
    edit(place, "UPDATE r__about SET value = '0 above 1/90' WHERE property LIKE 'risk.records%'")
    with pytest.raises(VerificationError, match=r"risk.records_at_risk=0 above 1/90 is not kept"):
        anonsql.verify(write_data(tmp_path, data), against_source=True)


def test_a_run_publishes_nothing_that_breaks_a_limit(tmp_path, monkeypatch):
    """The writer believes in it; the proof counts for itself."""
    make_source(tmp_path, TYPES, ROWS)
    data = risky({"records_at_risk": {"above": "1/6", "at_most": 0.1}})
    monkeypatch.setattr(limits, "of_rows", lambda *_, **__: [])
    monkeypatch.setattr(ReleaseLimits, "within", lambda _, nodes, __: [True] * len(nodes))
    with pytest.raises(VerificationError, match=r"records_at_risk=0.1 above 1/6 is not kept"):
        anonsql.run(write_data(tmp_path, data))
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.parametrize("method", ["ring", "homogeneous", "hilbert", "anatomy", "local", "hybrid"])
def test_methods_without_such_classes_refuse_and_name_others(method):
    data = risky({"records_at_risk": {"above": 0.2, "at_most": 0.1}}, limit=0, method=method)
    data["method"] = {"type": method}
    data["privacy"]["l_diversity"] = {"ill": 2} if method in ("anatomy", "local") else {}
    with pytest.raises(PolicyError, match=r"privacy.risk: .*full-domain, mondrian, cell-gen"):
        Policy.parse(data)


@pytest.mark.parametrize(
    "risk, place, words",
    [
        ({"population": {"fraction": 1.5}}, "population.fraction", "a number of at most 1"),
        ({"population": {"fraction": 0}}, "population.fraction", "above 0"),
        ({"population": {"size": 0}}, "population.size", "at least 1"),
        (
            {"population": {}},
            "population",
            "either the size of the population or the table's fraction",
        ),
        ({"population": {"size": 9, "fraction": 0.1}}, "population", "either the size"),
        ({"individual": 0.1}, "population", "individual need the population"),
        ({"population_uniqueness": 0.1}, "population", "this field is missing"),
        ({"records_at_risk": {"above": 0.2, "at_most": 5}}, "records_at_risk.at_most", "most 1"),
        ({"records_at_risk": {"above": 0.2, "at_most": -1}}, "records_at_risk.at_most", "least 0"),
        ({"records_at_risk": {"above": 0, "at_most": 0}}, "records_at_risk.above", "1/11"),
        (
            {"records_at_risk": {"above": "3/2", "at_most": 0}},
            "records_at_risk.above",
            "found '3/2'",
        ),
        ({"records_at_risk": {"above": "1/0", "at_most": 0}}, "records_at_risk.above", "most 1"),
        ({"records_at_risk": {"above": 0.2}}, "records_at_risk.at_most", "missing"),
        ({"uniqueness": 0.2}, "uniqueness", "population_uniqueness"),
    ],
)
def test_a_wrong_limit_is_refused_in_its_place(risk, place, words):
    with pytest.raises(PolicyError) as refused:
        Policy.parse(risky(risk))
    assert f"privacy.risk.{place}: " in str(refused.value) and words in str(refused.value)


@pytest.mark.parametrize(
    "privacy, method, place",
    [
        ({"entity": "ill"}, {}, "privacy.risk"),
        (
            {"quasi_identifiers": [["age"], ["sex", "zip"]], "suppression_limit": 0},
            {},
            "privacy.risk",
        ),
        ({}, {"algorithm": "datafly"}, "method.algorithm"),
        ({}, {"algorithm": "binary-search"}, "method.algorithm"),
    ],
)
def test_what_limits_do_not_go_with(privacy, method, place):
    data = risky({"records_at_risk": {"above": 0.2, "at_most": 0.1}})
    data["method"] = {"type": "full-domain", **method}
    data["privacy"] |= privacy
    with pytest.raises(PolicyError, match=place):
        Policy.parse(data)


def test_a_class_alone_promises_nothing(tmp_path):
    """k may be 1 where the release as a whole is limited, and only there."""
    with pytest.raises(PolicyError, match=r"privacy.k: k = 1 promises nothing"):
        Policy.parse(risky({"population": {"size": 9000}}, k=1))
    make_source(tmp_path, TYPES, ROWS)
    risk = {"population": {"size": 100_000}, "population_uniqueness": 0.001}
    report = anonsql.run(write_data(tmp_path, risky(risk, k=1, limit=0)))
    assert report.min_class == 1 and kept(risk, sizes_of(tmp_path), len(ROWS))
    assert report.limits[0].reached > 0 and report.limits[0].model in ("zayatz", "pitman")


def test_what_no_release_can_keep_is_told_by_check(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    path = write_data(tmp_path, risky({"population": {"size": 100}, "individual": 0.5}))
    found = json.loads(cli("check", path, "--json").stdout)
    assert "privacy.risk.population.size" in [problem["where"] for problem in found["problems"]]
    ended(cli("run", path), 2, "smaller than the table")
    risk = {"population": {"fraction": 1}, "individual": 0.001}
    path = write_data(tmp_path, risky(risk))
    ended(cli("check", path), 1)
    found = json.loads(cli("check", path, "--json").stdout)
    assert "raise privacy.risk.individual to 0.004167" in str(found["problems"])
    ended(cli("check", write_data(tmp_path, risky({**risk, "individual": 0.004167}))), 0)


def test_the_nearest_limit_that_could_be_kept_is_named(tmp_path):
    """It is enough, and a thousandth less is not."""
    make_source(tmp_path, TYPES, ROWS)
    data = risky({"records_at_risk": {"above": "1/40", "at_most": 0}}, limit=0)
    data["columns"]["age"]["max_level"] = 2
    with pytest.raises(PrivacyError) as refused:
        anonsql.run(write_data(tmp_path, data))
    text = str(refused.value)
    assert "Raise max_level of age to the top, or" in text
    enough = float(re.search(r"raise privacy.risk.records_at_risk.at_most to (0\.\d+)", text)[1])
    data["privacy"]["risk"]["records_at_risk"]["at_most"] = enough
    assert anonsql.run(write_data(tmp_path, data)).limits[0].reached == pytest.approx(
        enough, abs=1e-6
    )
    data["privacy"]["risk"]["records_at_risk"]["at_most"] = round(enough - 0.001, 6)
    with pytest.raises(PrivacyError):
        anonsql.run(write_data(tmp_path, data))


def test_levels_that_break_a_limit_are_not_published(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    data = risky({"records_at_risk": {"above": "1/40", "at_most": 0}}, limit=0.5)
    data["method"] = {"type": "full-domain", "levels": {"age": 2, "sex": 0, "zip": 2}}
    with pytest.raises(PrivacyError, match=r"records_at_risk=0 above 1/40 is not kept: it is"):
        anonsql.run(write_data(tmp_path, data))


def test_tables_at_the_edge(monkeypatch):
    """One row, all rows unique, none unique, and models that do not converge."""
    risk = RiskLimits.model_validate({**TOGETHER, "population": {"fraction": 0.05}})
    for histogram, uniqueness, small in [
        ([(1, 1)], 1, 1),
        ([(1, 500)], 1, 1),
        ([(6, 1)], 0, 0),
        ([(2, 5), (10, 9)], 0, 0.1),
    ]:
        found = {each.name: each for each in limits.reached(risk, histogram, 0.05)}
        assert found["population_uniqueness"].value == pytest.approx(uniqueness)
        assert found["population_uniqueness"].kept == (uniqueness == 0)
        assert found["records_at_risk"].value == pytest.approx(small)
        least = min(size for size, _ in histogram)
        assert found["individual"].value == pytest.approx(individual(least, 0.05))
    assert all(limit.kept for limit in limits.reached(risk, [], 0.05))
    monkeypatch.setattr(population_models, "best", lambda *_: None)
    found = limits.reached(risk, [(1, 4), (20, 5)], 0.05)[0]
    assert (found.value, found.kept) == (None, False)
    assert "did not converge" in offence(risk, found)


def test_every_engine_counts_the_same_classes(engine):
    """The search and the proof count on the engine itself."""
    engine.make(TYPES, ROWS)
    data = risky(TOGETHER) | {"engine": {"workbench": "in-place"}}
    policy = policy_on(engine, data)
    report = anonsql.run(policy)
    sizes = [small for small in report.limits if small.name == "records_at_risk"]
    assert [0 <= small.reached <= 0.1 for small in sizes] == [True]
    assert report.levels == {"age": 3, "sex": 0, "zip": 1}
    assert anonsql.verify(policy).limits == report.limits


def test_a_scheme_that_new_rows_break_a_limit_by_is_not_applied(release, tmp_path):
    make_source(tmp_path, TYPES, ROWS[:40] * 2)
    new = write_data(tmp_path, risky(TOGETHER))
    scheme = release.parent / "release.duckdb"
    with pytest.raises(
        PrivacyError, match=r"levels are not high enough. privacy.risk.records_at_risk"
    ):
        anonsql.apply(new, str(scheme))
    assert not (tmp_path / "release.duckdb").exists()
    ended(cli("compile", new, "--dialect", "snowflake", "-o", tmp_path / "sql"), 2, "privacy.risk")
