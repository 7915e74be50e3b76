"""``check`` and ``run`` end alike: 2 for a policy that is wrong, 1 for a promise that this table
cannot keep."""

import json

import pytest
import yaml

from .methods import METHODS, PLAIN, changes_values
from .support import cli, flat, make_source, policy_data, write_data

ROWS = [(n % 4, "ab"[n % 2], "xy"[n % 3 // 2]) for n in range(20)]
AGE = {"role": "qi", "hierarchy": {"type": "interval", "widths": [2]}}


def ended(folder, data, rows=ROWS):
    """Exit codes of check and run, and what check says in JSON and run on stderr."""
    make_source(folder, {"age": "INTEGER", "sex": "VARCHAR", "ill": "VARCHAR"}, rows)
    path = write_data(folder, data)
    checked = cli("check", path, "--json")
    ran = cli("run", path)
    document = json.loads(checked.stdout)
    assert document["exit_code"] == checked.exit_code
    assert not (folder / "release.duckdb").exists() or ran.exit_code == 0
    return checked.exit_code, ran.exit_code, document, ran.stderr


def asked(privacy, method=None, **columns):
    data = policy_data(
        {"age": AGE, "sex": {"type": "suppression"}, "ill": "sensitive", **columns},
        **({"method": method} if method else {}),
    )
    data["privacy"] |= privacy
    if method and method["type"] == "anatomy":
        data["columns"] |= {"age": {"role": "qi"}, "sex": {"role": "qi"}}
        data["privacy"].pop("suppression_limit")
    return data


@pytest.mark.parametrize("wrong", ["ten", 0, -3, 2.5, None, [2]])
def test_a_k_that_is_none_is_a_fault_of_the_policy(tmp_path, wrong):
    checked, ran, document, stderr = ended(tmp_path, asked({"k": wrong}))
    assert (checked, ran) == (2, 2)
    assert {problem["where"] for problem in document["problems"]} == {
        "privacy.k"
    } and "privacy.k" in stderr


KEEP_EVERY_DIVERSITY = (None, METHODS["mondrian"])
KEEP_DISTINCT_VALUES = [METHODS["anatomy"], *filter(changes_values, PLAIN.values())]


@pytest.mark.parametrize("method", [*KEEP_EVERY_DIVERSITY, *KEEP_DISTINCT_VALUES])
@pytest.mark.parametrize(
    ("privacy", "where"),
    [
        ({"k": 21, "l_diversity": {"ill": 2}}, "privacy.k"),
        ({"k": 2, "l_diversity": {"ill": 3}}, "privacy.l_diversity.ill"),
        (
            {"k": 2, "l_diversity": {"ill": {"l": 2.5, "type": "entropy"}}},
            "privacy.l_diversity.ill",
        ),
        (
            {"k": 2, "l_diversity": {"ill": {"l": 3, "type": "recursive", "c": 9}}},
            "privacy.l_diversity.ill",
        ),
    ],
)
def test_what_no_class_can_have_is_told_before_the_search(tmp_path, method, privacy, where):
    """Of two values no class has three, of twenty rows none has 21."""
    data = asked(privacy, method)
    checked, ran, document, stderr = ended(tmp_path, data)
    if not isinstance(privacy["l_diversity"]["ill"], int) and method in KEEP_DISTINCT_VALUES:
        assert (checked, ran) == (2, 2)
        return
    assert (checked, ran) == (1, 1)
    assert [problem["where"] for problem in document["problems"]] == [where] and where in stderr


@pytest.mark.parametrize(
    ("ills", "found"),
    [
        ("xy", "2 different values, but"),
        (("x", None), "2 different values, one of which is NULL, but"),
        ((None,), "NULL alone, but"),
        ("x", "one value, but"),
    ],
)
def test_null_is_mentioned_only_where_it_is_one_of_too_few_values(tmp_path, ills, found):
    rows = [(age, sex, ills[n % len(ills)]) for n, (age, sex, _) in enumerate(ROWS)]
    _, code, document, _ = ended(tmp_path, asked({"l_diversity": {"ill": 3}}), rows)
    [problem] = document["problems"]
    assert code == 1
    assert problem["message"] == f"'ill' has {found} l=3 needs 3 in every class."


def test_a_policy_that_is_wrong_and_a_table_that_is_too_small(tmp_path):
    data = asked({"k": 21})
    data["columns"]["job"] = {"role": "insensitive"}
    checked, ran, document, _ = ended(tmp_path, data)
    assert (checked, ran) == (2, 2)
    assert {problem["where"] for problem in document["problems"]} == {"columns.job", "privacy.k"}


def test_a_policy_that_can_be_kept(tmp_path):
    assert ended(tmp_path, asked({"k": 2, "l_diversity": {"ill": 2}}))[:2] == (0, 0)


def test_the_history_needs_no_valid_policy(tmp_path):
    """Only where the release and its catalog lie."""
    data = asked({"k": 2})
    assert ended(tmp_path, data)[1] == 0
    path = tmp_path / "policy.yaml"
    for wrong in (
        {**data, "privacy": {"k": "ten"}, "columns": 5, "mthod": 1},
        {"release": data["release"]},
    ):
        path.write_text(yaml.safe_dump(wrong))
        for order in (["runs", "-p", str(path)], ["runs", "show", "1", "-p", str(path)]):
            found = cli(*order)
            assert found.exit_code == 0, found.output
    path.write_text(yaml.safe_dump({**data, "release": {"database": 5}}))
    found = cli("runs", "-p", path)
    assert (
        found.exit_code == 2
        and "release" in flat(found.output)
        and "columns" not in flat(found.output)
    )
