"""A privacy model that another package adds: from the entry point to a verified release, without a
line of anonsql's own that knows of it."""

import importlib
import sys

import pytest

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.policy import methods
from anonsql.policy.policy import Policy
from anonsql.privacy import plugins
from anonsql.system import entry_points

from .methods import PLAIN, judges_classes
from .support import (
    cli,
    edit,
    make_source,
    policy_data,
    released_rows,
    write_data,
)

MODULE = '''
"""No value is had by more than ``most`` rows of a class."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from anonsql.privacy.base import ColumnModel, Criterion, Term

MOST = Criterion(
    "few_equal",
    "most",
    "shares",
    step=Decimal(1),
    loosest=Decimal(100),
    because="rows of a value add up",
    monotone=False,
)


class FewEqual(ColumnModel):
    """At most so many rows of a class have the same value."""

    name: ClassVar = "few_equal"
    main: ClassVar = "most"
    criteria: ClassVar = (MOST,)
    templates: ClassVar = Path(__file__).parent / "few_equal_templates"

    most: int = Field(ge=1)

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        yield "most", Term(MOST, Decimal(self.most), index=index)
'''
KEPT = """{# in: model; see privacy/shares for what it is over
   out: a condition #}
MAX(d.n) <= {{ model.bound | number }}
"""
OFFENCE = """{# in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
MAX(s.{{ ('rows_with_value' ~ mark) | ident }}) > {{ model.bound | number }}
{% endblock %}
"""
ROWS = [("a", 1, "flu"), ("b", 1, "flu"), ("a", 2, "cold"), ("b", 2, "cold")]
"""Equal values of n go with equal illnesses, equal towns do not."""


def forget():
    entry_points.of_group.cache_clear()
    plugins.settings_of.cache_clear()
    methods.added.cache_clear()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The folder of an installed package that adds the model."""
    folder = tmp_path / "site"
    (templates := folder / "few_equal_templates").mkdir(parents=True)
    (folder / "few_equal.py").write_text(MODULE)
    (templates / "most_kept.sql").write_text(KEPT)
    (templates / "most_offence.sql").write_text(OFFENCE)
    (about := folder / "few_equal-1.0.dist-info").mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: few-equal\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[anonsql.models]\n"
        "few_equal = few_equal:FewEqual\n"
        "l_diversity = few_equal:FewEqual\n"
        "misnamed = few_equal:FewEqual\n"
        "missing = few_equal:Nothing\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    forget()
    yield folder
    forget()
    sys.modules.pop("few_equal", None)


def data_of(folder, privacy, method="full-domain"):
    """A policy over ROWS, whose two columns are alike in all but what the model is about."""
    if not (folder / "source.duckdb").exists():
        types = {"town": "VARCHAR", "n": "INTEGER", "illness": "VARCHAR"}
        make_source(folder, types, ROWS)
    suppression = {"role": "qi", "hierarchy": {"type": "suppression"}}
    columns = {"town": suppression, "n": suppression, "illness": "sensitive"}
    return policy_data(columns, method={"type": method}, privacy=privacy)


@pytest.mark.parametrize("method", ("full-domain", "full-subtree"))
def test_from_check_to_verify(package, tmp_path, method):
    path = write_data(tmp_path, data_of(tmp_path, {"few_equal": {"illness": 1}}, method))
    assert cli("check", path).exit_code == 0
    assert cli("run", path).exit_code == 0
    found = released_rows(tmp_path, "SELECT town, n, illness FROM r ORDER BY ALL")
    assert found == [
        ("a", "*", "cold"),
        ("a", "*", "flu"),
        ("b", "*", "cold"),
        ("b", "*", "flu"),
    ]
    facts = dict(released_rows(tmp_path, "SELECT * FROM r__about"))
    assert facts["few_equal.illness"] == "1"
    assert anonsql.verify(path).promises == {"few_equal.illness": "1"}
    assert anonsql.verify(path, against_source=True).against_source.released == len(ROWS)


def test_a_release_that_breaks_it_is_refused(package, tmp_path):
    policy = Policy.parse(data_of(tmp_path, {"few_equal": {"illness": 1}}), tmp_path)
    anonsql.run(policy)
    edit(
        tmp_path / "release.duckdb",
        "UPDATE r SET illness = CASE town WHEN 'a' THEN 'flu' ELSE 'cold' END",
    )
    message = r"2 classes with 4 rows do not keep few_equal\.illness \(1\)"
    with pytest.raises(VerificationError, match=message):
        anonsql.verify(policy)


def test_what_cannot_be_kept_is_refused_with_advice(package, tmp_path):
    data = data_of(tmp_path, {"k": 4, "few_equal": {"illness": 1}})
    with pytest.raises(PrivacyError, match=r"Raise privacy\.few_equal\.illness\.most to 2"):
        anonsql.run(Policy.parse(data, tmp_path))


def test_its_settings_are_part_of_the_policy(package, tmp_path):
    policy = Policy.parse(data_of(tmp_path, {"few_equal": {"illness": {"most": 2}}}), tmp_path)
    assert policy.model_dump()["privacy"]["few_equal"] == {"illness": {"most": 2}}
    for wrong, where in (
        ({"illness": 0}, r"privacy\.few_equal\.illness\.most"),
        ({"nothing": 1}, r"privacy\.few_equal\.nothing"),
        ({"town": 1}, r"privacy\.few_equal\.town"),
    ):
        with pytest.raises(PolicyError, match=where):
            Policy.parse(data_of(tmp_path, {"few_equal": wrong}), tmp_path)


NOT_JUDGING = {name for name, settings in PLAIN.items() if not judges_classes(settings)}


@pytest.mark.parametrize("method", sorted(NOT_JUDGING - {"anatomy", "local"}))
def test_methods_that_judge_no_classes_refuse_it(package, tmp_path, method):
    data = data_of(tmp_path, {"few_equal": {"illness": 1}}, method)
    with pytest.raises(PolicyError, match=r"privacy\.few_equal\.illness.*cannot keep this"):
        Policy.parse(data, tmp_path)


def test_no_own_model_is_replaced(package, tmp_path):
    policy = Policy.parse(data_of(tmp_path, {"l_diversity": {"illness": 2}}), tmp_path)
    assert type(policy.privacy.l_diversity["illness"]).__name__ == "LDiversity"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("misnamed", "few_equal:FewEqual has no settings for a privacy model 'misnamed'"),
        (
            "missing",
            r"the privacy model 'missing' \(few_equal:Nothing\) cannot be loaded: AttributeError",
        ),
        ("few_equals", "this field is not known"),
    ],
)
def test_what_is_no_model_is_named(package, tmp_path, name, message):
    with pytest.raises(PolicyError, match=rf"privacy\.{name}: .*{message}"):
        Policy.parse(data_of(tmp_path, {name: {"illness": 1}}), tmp_path)


def test_without_the_package_there_is_no_such_model(tmp_path):
    with pytest.raises(PolicyError, match=r"privacy\.few_equal: this field is not known"):
        Policy.parse(data_of(tmp_path, {"few_equal": {"illness": 1}}), tmp_path)
