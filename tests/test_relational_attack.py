"""An attacker who knows some rows of a person in several tables, on a clinic of 340,000 rows: among
fewer than k people nobody is found. Tables that are released one by one leave many alone."""

import duckdb
import pytest

import anonsql

from . import clinic
from .relational_attack import Clinic

GROUPS = {f"drug {n}": {f"drug {n}", f"group {n // 4}", "*"} for n in range(12)}
K = 10


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return clinic.large(tmp_path_factory.mktemp("clinic") / "clinic.duckdb")


def test_nobody_of_few_is_found_among_fewer_than_k(tmp_path):
    few = clinic.large(tmp_path / "clinic.duckdb", 4_000, 24_000, 40_000)
    check_that_nobody_is_found(few, tmp_path, 1, born=2, day=2, targets=60)


@pytest.mark.long
@pytest.mark.parametrize(("known_rows", "born", "day"), [(1, 1, 1), (2, 1, 2), (3, 2, 2)])
def test_nobody_is_found_among_fewer_than_k(source, tmp_path, known_rows, born, day):
    check_that_nobody_is_found(source, tmp_path, known_rows, born, day, targets=150)


def check_that_nobody_is_found(source, tmp_path, known_rows, born, day, targets):
    """Release a clinic, and look for some people by rows that are known of them."""
    policy = clinic.large_policy(
        source,
        tmp_path / "out.duckdb",
        k=K,
        known_rows=known_rows,
        suppression_limit={"patients": 0.08},
    )
    for name in ("visits", "prescriptions"):
        policy["tables"][name]["max_rows"] = 12
    # the levels that a search finds, so that this test is about them alone
    levels = {"patients.born": born, "patients.sex": 0, "visits.day": day, "prescriptions.drug": 1}
    policy["method"] = {"type": "full-domain", "levels": levels}
    report = anonsql.run(policy)
    assert report.fewest_people >= K
    with duckdb.connect(str(tmp_path / "out.duckdb"), read_only=True) as release:
        attacked = Clinic(source, (release, "patients", "visits", "prescriptions"), GROUPS)
        for count in range(known_rows + 1):
            least, alone = attacked.fewest(count, targets, seed=count)
            assert least >= K and alone == 0, count


def test_tables_released_one_by_one_leave_many_alone(source, tmp_path):
    """The positive control: each table keeps the same k by itself, and they are joined."""
    policy = clinic.large_policy(source, tmp_path / "out.duckdb")
    made = duckdb.connect()
    for name in ("patients", "visits", "prescriptions"):
        table = policy["tables"][name]
        keys = [table["key"], *table.get("references", {})]
        single = {
            "source": {"database": str(source), "table": name},
            "release": {
                "database": str(tmp_path / f"{name}.duckdb"),
                "table": name,
                "completed": 0,
            },
            "columns": {**{key: {"role": "insensitive"} for key in keys}, **table["columns"]},
            "privacy": {"k": K, "suppression_limit": 0.05},
        }
        assert anonsql.run(single).min_class >= K
        made.execute(f"ATTACH '{tmp_path / f'{name}.duckdb'}' AS r_{name} (READ_ONLY)")
    names = [f"r_{name}.{name}" for name in ("patients", "visits", "prescriptions")]
    attacked = Clinic(source, (made, *names), GROUPS)
    least, alone = attacked.fewest(2, 150, seed=2)
    made.close()
    assert least == 1 and alone > 30
