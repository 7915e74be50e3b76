"""Promises that all classes keep are refused, those that a class of one value keeps are warned of:
against every class of small tables, by distances of a linear program."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.policy.privacy import Privacy

from . import model_oracle
from .examples import searches
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


def of_promises(warnings):
    """The warnings about promises; `privacy.kept` is about columns that none is made of."""
    wheres = [entry for entry in warnings if entry.where != "privacy.kept"]
    return [entry for entry in wheres if entry.where.startswith("privacy")]


def policy_over(folder, values, privacy, method=None, k=2):
    """A table of these sensitive values, each with its person where they are pairs, whose
    quasi-identifying column has four values."""
    pairs = [value if isinstance(value, tuple) else (value, 0) for value in values]
    make_source(
        folder,
        {"q": "INTEGER", "d": "VARCHAR", "p": "INTEGER"},
        [(place % 4, value, person) for place, (value, person) in enumerate(pairs)],
    )
    hierarchical = "hierarchical" in str(privacy)
    columns = {
        "q": {"type": "interval", "widths": [2]},
        "d": {"role": "sensitive", **({"hierarchy": TAXONOMY} if hierarchical else {})},
        "p": {"role": "identifying"},
    }
    return policy_in(folder, columns, k=k, **{"method": method} if method else {}, privacy=privacy)


@pytest.mark.parametrize("method", METHODS, ids=lambda letter: letter["type"])
def test_a_t_that_one_value_keeps_is_refused_by_every_method(tmp_path, method):
    halves = ["a", "b"] * 20
    policy = policy_over(tmp_path, halves, {"t_closeness": {"d": 0.55}}, method)
    checked = anonsql.check(policy)
    assert [problem.where for problem in checked.problems] == ["privacy.t_closeness.d.t"]
    with pytest.raises(PolicyError, match=r"privacy\.t_closeness\.d\.t: .*0\.4999 or less"):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()
    policy = policy_over(_folder(tmp_path / "less"), halves, {"t_closeness": {"d": 0.4999}}, method)
    assert anonsql.run(policy).verified


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def moved(inside, outside, distance):
    """The earth mover's distance of two lists of values, by a linear program."""
    places = [value for value in (None, *ORDER) if value in outside]
    far = {
        "equal": lambda a, b: a != b,
        "ordered": lambda a, b: abs(places.index(a) - places.index(b)) / (len(places) - 1),
        "hierarchical": lambda a, b: sum(x != y for x, y in zip(GROUPS[a], GROUPS[b])) / 2,
    }[distance]
    pairs = [(a, b) for a in places for b in places]
    sides = [[[pair[side] == value for pair in pairs] for value in places] for side in (0, 1)]
    shares = [values.count(value) / len(values) for values in (inside, outside) for value in places]
    return linprog([far(*pair) for pair in pairs], A_eq=np.concatenate(sides), b_eq=shares).fun


OTHERS = {
    "none": ({}, lambda values, everything: True),
    "l": ({"l_diversity": {"d": 2}}, lambda values, everything: model_oracle.distinct(values, 2)),
    "alpha": (
        {"alpha_k": {"d": {"alpha": 0.9, "values": ["flu"]}}},
        lambda values, everything: model_oracle.alpha(values, 0.9, ["flu"]),
    ),
    "beta": (
        {"beta_likeness": {"d": 1.2}},
        lambda values, everything: all(
            share <= 2.2 * everything.count(value) / len(everything) + 1e-9
            for value, share in model_oracle.shares(values).items()
        ),
    ),
}


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@searches
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["flu", *VALUES]), st.integers(0, 2)), min_size=3, max_size=6
    ).filter(lambda rows: "flu" in dict(rows) and len(dict(rows)) > 1),
    t=st.sampled_from([0.05, 0.2, 0.4, 0.5, 0.6, 0.75, 0.9]),
    k=st.integers(2, 3),
    people=st.booleans(),
    other=st.sampled_from(sorted(OTHERS)),
)
def test_weak_is_what_classes_of_one_value_keep(
    tmp_path_factory, distance, other, rows, t, k, people
):
    """Against every class of a small table: refused is what all of them keep, warned of is what a
    class of one value keeps that can exist."""
    everything, (promised, keeps) = [value for value, _ in rows], OTHERS[other]
    classes = [part for size in range(1, len(rows) + 1) for part in combinations(rows, size)]
    far = {part: moved([value for value, _ in part], everything, distance) for part in classes}
    single = [
        part
        for part in classes
        if len({value for value, _ in part}) == 1
        and (len({person for _, person in part}) if people else len(part)) >= k
        and keeps([value for value, _ in part], everything)
    ]
    refused = max(far.values()) <= t + 1e-9
    warned = any(far[part] <= t + 1e-9 for part in single)
    asked = {"t": t, "distance": distance, **({"order": ORDER} if distance == "ordered" else {})}
    privacy = {"t_closeness": {"d": asked}, **promised, **({"entity": "p"} if people else {})}
    folder = tmp_path_factory.mktemp("weak")
    with job(policy_over(folder, rows, privacy, k=k), folder, pipeline.CHECK) as found:
        where = "privacy.t_closeness.d.t"
        problems = [problem for problem in found.problems if problem.where == where]
        warnings = [warning for warning in found.warnings if warning.where == where]
        assert (len(problems), len(warnings)) == (refused, warned and not refused)
        for entry in problems + warnings:  # the t that is named is one that protects
            greatest = float(entry.remedy.split()[3])
            kept = [part for part in single or classes if far[part] <= greatest + 1e-9]
            assert len(kept) < len(single or classes) and not (single and kept)
            nearest = min(far[part] for part in single) if single else max(far.values())
            assert nearest - 0.001 < greatest < nearest
        for entry in warnings:
            values = {part[0][0] for part in single if far[part] <= t + 1e-9}
            of = sum(value in values for value in everything)
            number = f"{len(values)} value{'s' * (len(values) > 1)}"
            assert f"{number} ({of} row{'s' * (of > 1)}) can fill" in entry.found


def test_a_warning_says_what_to_do_and_the_remedy_silences_it(tmp_path):
    values = ["a"] * 20 + ["b"] * 14 + ["c", "d"] * 3
    policy = policy_over(tmp_path, values, {"t_closeness": {"d": 0.6}})
    report = anonsql.run(policy)
    (warned,) = [entry for entry in report.warnings if entry.where == "privacy.t_closeness.d.t"]
    assert warned.message == (
        "t=0.6 allows classes in which every row has the same 'd': 1 value (20 rows) can fill one."
    )
    assert warned.remedy == "Lower it to 0.4999 or less, or promise `l_diversity` of the column."
    for privacy in (
        {"t_closeness": {"d": 0.4999}},
        {"t_closeness": {"d": 0.6}, "l_diversity": {"d": 2}},
    ):
        found = anonsql.check(
            policy.model_copy(update={"privacy": Privacy.model_validate({"k": 2, **privacy})})
        )
        assert not of_promises(found.warnings)


def test_the_example_of_the_authors(tmp_path):
    """Li et al. 2007, table 5: no class of three rows has one salary, nor one disease."""
    salaries = [3, 4, 5, 6, 11, 8, 7, 9, 10]
    diseases = ["ulcer", "gastritis", "tumour", "gastritis", "flu", *["bronchitis"] * 2]
    zips = ["61011", "61002", "61012", "61305", "61309", "61306", "61005", "61013", "61007"]
    make_source(
        tmp_path,
        {"zip": "VARCHAR", "pay": "INTEGER", "dx": "VARCHAR"},
        list(zip(zips, salaries, [*diseases, "pneumonia", "tumour"], strict=True)),
    )
    tree = {
        "gut": {"stomach": ["ulcer", "gastritis", "tumour"]},
        "chest": {"infection": ["flu", "bronchitis", "pneumonia"]},
    }
    columns = {
        "zip": {"type": "mask", "length": 5},
        "pay": {"role": "sensitive"},
        "dx": {"role": "sensitive", "hierarchy": {"type": "taxonomy", "tree": tree}},
    }

    def released(dx, pay):
        closeness = {
            "dx": {"t": dx, "distance": "hierarchical"},
            "pay": {"t": pay, "distance": "ordered"},
        }
        report = anonsql.run(policy_in(tmp_path, columns, k=3, privacy={"t_closeness": closeness}))
        assert not of_promises(report.warnings)
        return report.classes

    assert [released(*ts) for ts in ((0.2963, 0.1667), (0.2962, 0.1667), (0.5, 0.4))] == [3, 1, 3]


@pytest.mark.parametrize(
    ("values", "privacy", "expected"),
    [
        *cases("WARNED").values(),
        ("aaaa", {"t_closeness": {"d": 0.3}}, [("t_closeness.d", "Make the column identifying")]),
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
        warned = of_promises(found.warnings)
        assert [item.where for item in warned] == [f"privacy.{where}" for where, _ in expected]
        assert all(
            words in entry.remedy for entry, (_, words) in zip(warned, expected, strict=True)
        )


def test_one_value_of_all_rows_is_said_with_its_promise(tmp_path):
    policy = policy_over(tmp_path, "a" * 16, {"t_closeness": {"d": 0.3}})
    (found,) = [one for one in anonsql.check(policy).warnings if "same value" in one.message]
    assert found.message == "All rows have the same value of 'd', which t_closeness cannot hide."


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
