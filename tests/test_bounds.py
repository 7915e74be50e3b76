"""Columns of bounds: every reader knows them by name and form together."""

import pytest

from anonsql.engines.base import Column, StatedColumn
from anonsql.features.report.released import is_bound
from anonsql.grammar.forms import column_of
from anonsql.verification.plain_sql import Shape

CASES = [
    ("age_lo", "least", "age"),
    ("age_hi", "greatest", "age"),
    ("a b\n_hi", "greatest", "a b\n"),
    ("_lo", "least", ""),
    ("age_lo", "greatest", None),
    ("age", "least", None),
    ("age_lo", "value", None),
    ("age_lo", "", None),
    ("age_lo", None, None),
    ("lo", "least", None),
]


@pytest.mark.parametrize(("name", "form", "own"), CASES)
def test_a_bound_has_the_name_and_the_form_of_one(name, form, own):
    assert column_of(name, form) == own
    role = "quasi-identifying"
    assert is_bound(StatedColumn(name, role, None, form, None)) == (own is not None)
    assert not is_bound(StatedColumn(name, "insensitive", None, form, None))


def test_statements_group_by_labels_without_their_bounds():
    names = ["age", "age_lo", "age_hi", "sex_lo"]
    forms = {"age_lo": "least", "age_hi": "greatest", "sex_lo": "value", "age": "star"}
    shape = Shape(
        rows=("r",),
        columns=[Column(name, "VARCHAR") for name in names],
        apart=(),
        about={},
        roles=dict.fromkeys(names, "quasi-identifying"),
        forms=forms,
    )
    assert shape.labels == ["age", "sex_lo"] and shape.keys == names
