"""A scheme applied again: the published levels for new rows, whatever breaks k left out and
counted."""

import random
from collections import Counter

import pytest

import anonsql
from anonsql.errors import PolicyError, PrivacyError
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import cli, ended, make_source, policy_data, rows_of, tree_file, write_data

TYPES = {"age": "INTEGER", "city": "VARCHAR", "disease": "VARCHAR"}
CITIES = ["Rome", "Milan", "Paris", "Lyon"]


def people(seed, count=200):
    rnd = random.Random(seed)
    return [(rnd.randrange(20, 60), rnd.choice(CITIES), rnd.choice("ab")) for _ in range(count)]


def data_for(folder, cities=CITIES, k=5, **more):
    tree = tree_file(
        folder / "h" / "city.csv",
        [[city, "Italy" if city in CITIES[:2] else "France", "*"] for city in cities],
    )
    columns = {"age": {"type": "interval", "widths": [5, 20]}, "city": tree, "disease": "sensitive"}
    return policy_data(columns, k=k, **more)


def first_release(engine):
    engine.make(TYPES, people(1))
    policy = policy_on(engine, data_for(engine.folder, method={"levels": {"age": 2, "city": 1}}))
    return policy, anonsql.run(policy)


def test_new_rows_get_the_published_levels(engine):
    """The oracle: rows of classes that are large enough, generalized one by one."""
    policy, report = first_release(engine)
    rows = [*people(2, 60), (89, "Rome", "a"), (90, "Lyon", "b")]
    engine.make(TYPES, rows)
    scheme = (
        1
        if engine.name == "spark"
        else (
            str(engine.folder / "release.duckdb")
            if engine.name == "duckdb"
            else policy.release.table
        )
    )
    again = policy_on(engine, data_for(engine.folder))
    if engine.name == "duckdb":
        again = again.model_copy(
            update={
                "release": anonsql.policy.policy.Release(
                    database="new.duckdb", table="r", completed=0
                )
            }
        )
        engine.read = lambda: rows_of(engine.folder / "new.duckdb", "SELECT * FROM r")
    applied = anonsql.apply(again, scheme)
    assert applied.levels == report.levels == {"age": 2, "city": 1}
    classes = Counter((age // 20, city in CITIES[:2]) for age, city, _ in rows)
    expected = [
        (age, city, disease)
        for age, city, disease in rows
        if classes[age // 20, city in CITIES[:2]] >= 5
    ]
    assert applied.quarantined == len(rows) - len(expected) >= 2
    assert (applied.suppressed, applied.released) == (0, len(expected))
    labels = Counter(
        (
            f"[{age // 20 * 20},{age // 20 * 20 + 20})",
            "Italy" if city in CITIES[:2] else "France",
            d,
        )
        for age, city, d in expected
    )
    assert Counter((row[0], row[3], row[4]) for row in engine.read()) == labels
    assert anonsql.verify(again).min_class >= 5


@pytest.fixture
def published(tmp_path):
    make_source(tmp_path, TYPES, people(1))
    anonsql.run(
        Policy.parse(data_for(tmp_path, method={"levels": {"age": 2, "city": 1}}), tmp_path)
    )
    (tmp_path / "source.duckdb").unlink()
    make_source(tmp_path, TYPES, people(2, 60))
    return tmp_path


def new_policy(folder, data=None, **release):
    data = data or data_for(folder)
    data["release"] = {"database": "new.duckdb", "table": "n", "completed": 0, **release}
    data["catalog"] = "release.anonsql.duckdb"
    return Policy.parse(data, folder)


def test_a_run_of_the_catalog_or_a_release(published):
    by_run = anonsql.apply(new_policy(published), 1)
    by_file = anonsql.apply(new_policy(published), "release.duckdb")
    assert (
        by_run.levels == by_file.levels == {"age": 2, "city": 1}
        and by_run.classes == by_file.classes
    )
    about = dict(rows_of(published / "new.duckdb", "SELECT * FROM n__about"))
    assert about["suppressed"] == "0" and about["quarantined"] == str(by_run.quarantined)


@pytest.mark.parametrize(
    "target", [{}, {"database": None, "file": "new.parquet"}, {"database": None, "file": "new"}]
)
@pytest.mark.parametrize("file", ["old.parquet", "old"])
def test_a_release_in_parquet(published, file, target):
    data = data_for(published, method={"levels": {"age": 2, "city": 2}})
    data["release"] = {"file": file, "table": "o"}
    anonsql.run(Policy.parse(data, published))
    assert anonsql.apply(new_policy(published, **target), file).levels == {"age": 2, "city": 2}


def test_new_values_that_the_hierarchy_misses(published):
    (published / "source.duckdb").unlink()
    make_source(published, TYPES, [*people(2, 60), (30, "Berlin", "a")])
    with pytest.raises(
        PolicyError,
        match=r"columns\.city\.hierarchy: 1 distinct value of the column is not covered",
    ):
        anonsql.apply(new_policy(published), 1)
    assert not (published / "new.duckdb").exists()


def test_all_rows_would_be_quarantined(published):
    (published / "source.duckdb").unlink()
    make_source(published, TYPES, [(n, CITIES[n % 4], "a") for n in range(0, 200, 20)])
    with pytest.raises(PrivacyError, match="all would be quarantined"):
        anonsql.apply(new_policy(published), 1)


def test_schemes_that_do_not_fit(published):
    data = data_for(published)
    data["columns"]["age"]["hierarchy"] = {"type": "interval", "widths": [5, 10]}
    with pytest.raises(
        PolicyError,
        match=(
            r"--scheme: level 2 of age is '\[a,b\), 20 wide' there, but '\[a,b\), 10 wide' in the"
            r" policy"
        ),
    ):
        anonsql.apply(new_policy(published, data), 1)
    data = data_for(published)
    data["columns"]["age"]["min_level"] = 3
    with pytest.raises(PolicyError, match="--scheme: it has age at level 2"):
        anonsql.apply(new_policy(published, data), 1)
    data = data_for(published)
    data["columns"]["city"] = {"role": "sensitive"}
    with pytest.raises(PolicyError, match="it also has city"):
        anonsql.apply(new_policy(published, data), 1)
    data = data_for(published)
    data["columns"]["age"]["hierarchy"]["origin"] = 3
    with pytest.raises(PolicyError, match="the hierarchy of age differs from that of the run"):
        anonsql.apply(new_policy(published, data), 1)
    for nothing in (7, "nowhere.duckdb", "h/city.csv"):
        with pytest.raises(PolicyError):
            anonsql.apply(new_policy(published), nothing)


def test_the_command(published):
    data = data_for(published)
    data["release"], data["catalog"] = (
        {"database": "new.duckdb", "table": "n"},
        "release.anonsql.duckdb",
    )
    write_data(published, data, "p.yaml")
    ended(cli("apply", published / "p.yaml", "--scheme", "release.duckdb"), 0, "Published")
    (published / "source.duckdb").unlink()
    make_source(published, TYPES, [*people(2, 60), (89, "Rome", "a")])
    result = cli("apply", published / "p.yaml", "--scheme", "1")
    assert "quarantined because they would break k" in result.output.replace("\n", " ")
    assert cli("apply", published / "p.yaml", "--scheme", "99").exit_code == 2
