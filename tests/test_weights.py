"""``role: weight``: kept as it is, known by name in the release, numeric, and one a table."""

from collections import Counter

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy

from .support import in_file, make_source, policy_data, policy_in, released_rows, rows_of

TYPES = {"age": "INTEGER", "sex": "VARCHAR", "disease": "VARCHAR", "perwt": "DOUBLE"}
ROWS = [(20 + n % 4, "mf"[n % 2], "abcde"[n % 5], 10.5 + n % 7) for n in range(200)]
COLUMNS = {
    "age": {"type": "interval", "widths": [5, 10]},
    "sex": {"type": "suppression"},
    "disease": "sensitive",
    "perwt": "weight",
}
METHODS = {
    "full-domain": {},
    "ring": {},
    "anatomy": {"l_diversity": {"disease": 3}},
    "local": {"l_diversity": {"disease": 2}},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_weight_is_kept_and_known_by_its_role(tmp_path, method):
    make_source(tmp_path, TYPES, ROWS)
    policy = policy_in(tmp_path, COLUMNS, k=5, method={"type": method}, privacy=METHODS[method])
    assert anonsql.run(policy).verified
    kept = [weight for (weight,) in released_rows(tmp_path, "SELECT perwt FROM r")]
    assert kept and not Counter(kept) - Counter(row[3] for row in ROWS)
    described = rows_of(
        tmp_path / "release.duckdb",
        "SELECT role, looks_like FROM r__columns WHERE column_name = 'perwt'",
    )
    assert [role for role, _ in described] == ["weight"]
    assert anonsql.verify(policy, against_source=True).status == "verified"


def test_what_is_asked_of_a_weight_and_what_pages_say(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    policy = policy_in(tmp_path, COLUMNS, k=5)
    anonsql.run(policy)
    answers = anonsql.query(policy, "SELECT COUNT(*), SUM(perwt) FROM r WHERE sex = 'm'").answers
    assert len(answers) == 2
    anonsql.measure(policy)
    for audience in ("owner", "recipient"):
        page = tmp_path / f"{audience}.html"
        anonsql.report(policy, page, audience=audience)
        text = page.read_text(encoding="utf-8")
        assert "the number of people a row represents" in " ".join(text.split())


def test_an_altered_role_is_an_offence(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    policy = policy_in(tmp_path, COLUMNS, k=5)
    anonsql.run(policy)
    in_file(
        tmp_path / "release.duckdb",
        "UPDATE r__columns SET role = 'insensitive' WHERE column_name = 'perwt'",
    )
    with pytest.raises(
        anonsql.errors.VerificationError, match=r"a different role than in the policy: perwt"
    ):
        anonsql.verify(policy)


def test_single_weights_are_counted_among_kept_columns(tmp_path):
    make_source(tmp_path, TYPES, [(*row[:3], 1.0 + n) for n, row in enumerate(ROWS)])
    policy = policy_in(tmp_path, COLUMNS, k=5, privacy={"kept": {"max_unique": 0.5}})
    with pytest.raises(anonsql.errors.PrivacyError, match="200 of 200 rows"):
        anonsql.run(policy)


@pytest.mark.parametrize("kind", ["VARCHAR", "DATE", "BOOLEAN"])
def test_a_weight_is_a_number(tmp_path, kind):
    value = {"VARCHAR": "many", "DATE": "2024-01-01", "BOOLEAN": True}[kind]
    make_source(tmp_path, {**TYPES, "perwt": kind}, [(*row[:3], value) for row in ROWS])
    (problem,) = anonsql.check(policy_in(tmp_path, COLUMNS, k=5)).problems
    assert problem.where == "columns.perwt.role"
    assert f"a weight must be a number, and the column is {kind}" in problem.message


def test_a_table_has_one_weight(tmp_path):
    with pytest.raises(
        PolicyError, match=r"columns\.wgtp\.role: a table can have one weight, and 'perwt'"
    ):
        Policy.parse(policy_data({**COLUMNS, "wgtp": "weight"}), tmp_path)


@pytest.mark.parametrize("more", [{"hierarchy": {"type": "suppression"}}, {"replace": "null"}])
def test_a_weight_has_no_other_settings(tmp_path, more):
    columns = {**COLUMNS, "perwt": {"role": "weight", **more}}
    with pytest.raises(PolicyError, match=r"columns\.perwt"):
        Policy.parse(policy_data(columns), tmp_path)


SEVERAL = {
    "source": {"database": "source.duckdb"},
    "release": {"database": "release.duckdb", "completed": 0},
    "tables": {
        "people": {
            "key": "id",
            "columns": {
                "sex": {"role": "qi", "hierarchy": {"type": "suppression"}},
                "perwt": {"role": "weight"},
            },
        }
    },
    "privacy": {"k": 5, "of": "people"},
}


@pytest.mark.parametrize(("kind", "problem"), [("DOUBLE", None), ("VARCHAR", "is VARCHAR")])
def test_a_weight_of_several_tables(tmp_path, kind, problem):
    in_file(
        tmp_path / "source.duckdb",
        f"CREATE TABLE people AS SELECT i AS id, (['m', 'f'])[1 + i % 2] AS sex,"
        f" CAST(1 + i % 7 AS {kind}) AS perwt FROM range(100) r (i)",
    )
    policy = RelationalPolicy.parse(SEVERAL, tmp_path)
    report = anonsql.check(policy)
    if problem is not None:
        (only,) = report.problems
        assert only.where == "tables.people.columns.perwt.role" and problem in only.message
        return
    assert anonsql.run(policy).verified
    sums = rows_of(tmp_path / "release.duckdb", "SELECT SUM(perwt) FROM people")
    assert sums == [(sum(1 + n % 7 for n in range(100)),)]
    roles = rows_of(
        tmp_path / "release.duckdb",
        "SELECT role FROM people__columns WHERE column_name = 'perwt'",
    )
    assert roles == [("weight",)]
    two = {**SEVERAL["tables"]["people"]["columns"], "w": {"role": "weight"}}
    tables = {"people": {**SEVERAL["tables"]["people"], "columns": two}}
    with pytest.raises(PolicyError, match=r"tables\.people\.columns\.w\.role"):
        RelationalPolicy.parse({**SEVERAL, "tables": tables}, tmp_path)
