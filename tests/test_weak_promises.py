"""Promises that a class of one value would keep are refused, or warned of: against naive
distances."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline

from . import model_oracle
from .examples import whole_jobs
from .models import cases
from .support import job, make_source, policy_in, rows_of, updated
from .test_models import GROUPS, ORDER, TAXONOMY, VALUES

METHODS = (
    {"type": "full-domain"},
    {"type": "full-subtree"},
    {"type": "ordered-partition"},
    {"type": "full-subgraph"},
    {"type": "mondrian"},
    {"type": "cell-generalization"},
    {"type": "cell-suppression"},
    {"type": "attribute-suppression"},
    {"type": "local"},
)


def policy_over(folder, values, privacy, method=None, k=2):
    """A table of these sensitive values, whose quasi-identifying column has four values."""
    make_source(
        folder,
        {"q": "INTEGER", "d": "VARCHAR"},
        [(place % 4, value) for place, value in enumerate(values)],
    )
    hierarchical = "hierarchical" in str(privacy)
    columns = {
        "q": {"type": "interval", "widths": [2]},
        "d": {"role": "sensitive", **({"hierarchy": TAXONOMY} if hierarchical else {})},
    }
    return policy_in(folder, columns, k=k, **{"method": method} if method else {}, privacy=privacy)


@pytest.mark.parametrize("method", METHODS, ids=lambda letter: letter["type"])
def test_a_t_that_one_value_keeps_is_refused_by_every_method(tmp_path, method):
    halves = ["a", "b"] * 20
    policy = policy_over(tmp_path, halves, {"t_closeness": {"d": 0.55}}, method)
    checked = anonsql.check(policy)
    assert [problem.where for problem in checked.problems] == ["privacy.t_closeness.d.t"]
    with pytest.raises(PolicyError, match=r"privacy\.t_closeness\.d\.t: .*0\.4999 at most"):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()
    policy = policy_over(_folder(tmp_path / "less"), halves, {"t_closeness": {"d": 0.4999}}, method)
    assert anonsql.run(policy).verified


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@whole_jobs
@given(
    values=st.lists(st.sampled_from(VALUES), min_size=4, max_size=14),
    t=st.sampled_from([0.05, 0.2, 0.4, 0.6, 0.9]),
)
def test_refused_is_what_some_class_of_one_value_keeps(tmp_path_factory, distance, values, t):
    order = [None, *ORDER]
    order = [item for item in order if item in values]
    nearest = min(
        {
            "equal": lambda v: model_oracle.equal_distance([v], values),
            "ordered": lambda v: model_oracle.ordered_distance([v], values, order),
            "hierarchical": lambda v: model_oracle.hierarchical_distance([v], values, GROUPS),
        }[distance](value)
        for value in set(values)
    )
    asked = {"t": t, "distance": distance, **({"order": ORDER} if distance == "ordered" else {})}
    folder = tmp_path_factory.mktemp("weak")
    policy = policy_over(folder, values, {"t_closeness": {"d": asked}})
    with job(policy, folder, pipeline.CHECK) as found:
        where = [problem.where for problem in found.problems]
        weak = len(set(values)) > 1 and nearest <= t + 1e-9
        assert where == ["privacy.t_closeness.d.t"] * weak
        assert [warning.where for warning in found.warnings] == ["privacy.t_closeness.d"] * (
            len(set(values)) == 1
        )
        if weak:  # and the greatest t that is named is refused no more
            named = float(found.problems[0].remedy.split()[3])
            assert nearest - 0.001 < named < nearest


@pytest.mark.parametrize(
    ("values", "privacy", "expected"),
    [
        *cases("WARNED").values(),
        ("aabb", {"alpha_k": {"d": 0.96}}, [("alpha_k.d.alpha", "stricter")]),
        ("aabb", {"alpha_k": {"d": 0.9}}, []),
        (
            "aabb",
            {"l_diversity": {"d": {"l": 1.2, "type": "entropy"}}},
            [("l_diversity.d.l", "stricter")],
        ),
        ("aabb", {"l_diversity": {"d": {"l": 1.3, "type": "entropy"}}}, []),
        (
            "aabb",
            {"l_diversity": {"d": {"l": 2, "type": "recursive", "c": 20}}},
            [("l_diversity.d.c", "stricter")],
        ),
        ("aabb", {"l_diversity": {"d": {"l": 2, "type": "recursive", "c": 2}}}, []),
        ("aabb", {"l_diversity": {"d": 2}}, []),
    ],
)
def test_what_hides_little_is_warned_of(tmp_path, values, privacy, expected):
    policy = policy_over(tmp_path, values * 4, privacy)
    for found in (anonsql.check(policy), anonsql.run(policy)):
        warned = [warning for warning in found.warnings if warning.where.startswith("privacy")]
        assert [item.where for item in warned] == [f"privacy.{where}" for where, _ in expected]
        assert all(
            words in entry.remedy for entry, (_, words) in zip(warned, expected, strict=True)
        )


def test_a_bucket_has_as_many_rows_as_is_said(tmp_path):
    """A distance of 0.48 of one column, kept by buckets of two rows or more: or of min_bucket."""
    for least in (2, 5):
        folder = _folder(tmp_path / str(least))
        method = {"type": "local", **({"min_bucket": 5} if least == 5 else {})}
        policy = policy_over(folder, ["a", "b"] * 20, {"t_closeness": {"d": 0.48}}, method)
        report = anonsql.run(policy)
        assert report.withheld["d"].smallest == least
        file = folder / "release.duckdb"
        facts = dict(rows_of(file, "SELECT property, value FROM r__about"))
        assert facts["min_bucket"] == str(least)
        anonsql.verify(policy)
        asked = updated(policy, method={"min_bucket": least + 1})
        with pytest.raises(VerificationError, match=f"buckets of 'd' have fewer than {least + 1}"):
            anonsql.verify(asked)


def test_fewer_cells_than_a_bucket_has_are_refused(tmp_path):
    method = {"type": "local", "min_bucket": 41}
    policy = policy_over(tmp_path, ["a", "b"] * 20, {"t_closeness": {"d": 0.48}}, method)
    with pytest.raises(PrivacyError, match=r"method\.min_bucket: only 40 cells of 'd'"):
        anonsql.run(policy)
