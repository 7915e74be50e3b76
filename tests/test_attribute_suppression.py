"""Attribute suppression against every subset of the attributes."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError
from anonsql.policy.policy import Policy

from .examples import whole_jobs
from .support import policy_data, policy_over, released_rows

VALUES = {
    "INTEGER": [-1, 0, 7, None],
    "VARCHAR": ["a", "it's", "*x", None],
    "BOOLEAN": [True, False, None],
    "DATE": ["2020-01-02", "1999-12-31", None],
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    return kinds, draw(
        st.lists(
            st.tuples(*(st.sampled_from(VALUES[kind]) for kind in kinds)), min_size=2, max_size=25
        )
    )


def policy_of(folder, kinds, rows, k, limit, **hierarchies):
    names = [f"c{number}" for number in range(len(kinds))]
    columns = {
        name: {"role": "qi", **({"hierarchy": hierarchies[name]} if name in hierarchies else {})}
        for name in names
    }
    return policy_over(
        folder,
        dict(zip(names, kinds)),
        rows,
        columns,
        k=k,
        limit=limit,
        method={"type": "attribute-suppression", "minimize": "discernibility"},
    )


def discernibility(rows, hidden, k, most):
    """The measure of a subset of hidden attributes; None where too many rows would be
    suppressed."""
    sizes = Counter(
        tuple(None if i in hidden else (value,) for i, value in enumerate(row)) for row in rows
    )
    suppressed = sum(size for size in sizes.values() if size < k)
    return (
        None
        if suppressed > most
        else sum(size * (size if size >= k else len(rows)) for size in sizes.values())
    )


@whole_jobs
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
def test_the_best_subset_is_hidden(tmp_path_factory, table, k, limit):
    kinds, rows = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("hidden")
    policy = policy_of(folder, kinds, rows, k, limit)
    report = anonsql.run(policy)
    most = policy.privacy.max_suppressed(len(rows))
    subsets = [
        hidden
        for size in range(len(kinds) + 1)
        for hidden in itertools.combinations(range(len(kinds)), size)
    ]
    found = {hidden: discernibility(rows, hidden, k, most) for hidden in subsets}
    assert report.metrics["discernibility"] == min(
        item for item in found.values() if item is not None
    )
    hidden = tuple(i for i in range(len(kinds)) if report.levels[f"c{i}"])
    assert found[hidden] == report.metrics["discernibility"]
    assert {column.looks_like for column in report.columns} <= {"as it is", "*"}
    made = released_rows(folder, f"SELECT {', '.join(f'c{i}' for i in range(len(kinds)))} FROM r")
    sizes = Counter(
        tuple("*" if i in hidden else value for i, value in enumerate(row)) for row in rows
    )
    texts = {True: "true", False: "false", None: None}
    expected = Counter(
        {
            tuple(texts[v] if v is None or isinstance(v, bool) else str(v) for v in row): n
            for row, n in sizes.items()
            if n >= k
        }
    )
    assert Counter(made) == expected
    assert anonsql.verify(policy).min_class == report.min_class >= k


def test_other_hierarchies_do_not_count(tmp_path):
    policy = policy_of(
        tmp_path, ["VARCHAR"], [("ab",), ("ac",), ("ac",)], 2, 0.0, c0={"type": "mask", "length": 2}
    )
    assert anonsql.run(policy).levels == {"c0": 1}
    assert [row[0] for row in released_rows(tmp_path, "SELECT c0 FROM r")] == ["*"] * 3
    found = anonsql.search(policy)
    assert [node.levels for node in found.nodes] == [{"c0": 1}]


def test_other_methods_need_hierarchies():
    with pytest.raises(
        PolicyError, match=r"columns\.c0: a quasi-identifying column needs a hierarchy"
    ):
        Policy.parse(policy_data({"c0": {"role": "qi"}}, method={"type": "full-subtree"}))
    with pytest.raises(
        PolicyError, match=r"columns\.c0: a quasi-identifying column needs a hierarchy"
    ):
        Policy.parse(policy_data({"c0": {"role": "qi"}}))
