"""The tables of what is proved of each kind of release, and the loop that runs them."""

from types import SimpleNamespace

import pytest

from anonsql.errors import VerificationError
from anonsql.verification import checks, release_only
from anonsql.verification.checks import SOUND, Check, Need, broken
from anonsql.verification.linking import rows as rows_of_source
from anonsql.verification.relational import against_source as tables_of_source
from anonsql.verification.relational import release_only as of_tables
from anonsql.verification.statistics import against_source as statistics_of_source
from anonsql.verification.statistics import release_only as of_statistics

TABLES = {
    "one table": [*release_only.CHECKS, *release_only.DRAWN],
    "one table and its source": rows_of_source.CHECKS,
    "several tables": of_tables.CHECKS,
    "several tables and their source": tables_of_source.CHECKS,
    "statistics": of_statistics.CHECKS,
    "statistics and their source": statistics_of_source.CHECKS,
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_check_and_every_need_says_what_it_is(kind):
    names = [check.name for check in TABLES[kind]]
    assert all(names) and len(set(names)) == len(names)
    assert all(need.without for check in TABLES[kind] for need in check.needs)


@pytest.mark.parametrize("kind", TABLES)
def test_structure_is_judged_before_anything_else(kind):
    first = TABLES[kind][0]
    judged_already = kind == "one table and its source"  # that of classes
    assert first.decisive and bool(first.needs) == judged_already


def proof(**found):
    return SimpleNamespace(offences=[], **found)


def saying(name, *offences, **row):
    return Check(name, lambda _: offences, **row)


def test_all_offences_are_told_in_order_each_once():
    table = [saying("a", "one", "two"), saying("b"), saying("c", "two", "three")]
    assert broken(table, proof()) == ["one", "two", "three"]
    with pytest.raises(VerificationError) as refused:
        checks.require(table, proof())
    assert refused.value.offences == ("one", "two", "three")
    checks.require([saying("b")], proof())


def test_nothing_follows_a_decisive_check_that_is_broken():
    assert broken([saying("a", "one", decisive=True), saying("b", "two")], proof()) == ["one"]
    assert broken([saying("a", decisive=True), saying("b", "two")], proof()) == ["two"]
    table = [saying("a", "one"), saying("b", decisive=True), saying("c", "two")]
    assert broken(table, proof()) == ["one", "two"]


def test_a_check_is_asked_where_all_needs_are_met():
    need = Need(lambda it: it.people, "nobody is counted")
    table = [saying("a", "one", needs=(need,)), saying("b", "two", needs=(need, SOUND))]
    assert broken(table, proof(people=True)) == ["one"]
    assert broken(table, proof(people=False)) == []
    with pytest.raises(AttributeError):  # an unknown case is no pass
        broken(table, proof())


def test_a_release_whose_classes_no_check_counts_is_refused():
    forms = (release_only.RINGS, release_only.GROUPS, release_only.BUCKETS, release_only.CLASSES)
    unknown = proof(form=None, counted=None)
    assert not any(need.met(unknown) for need in forms)
    (counted,) = (check for check in release_only.CHECKS if "in any form" in check.name)
    assert counted.decisive and not counted.needs
    assert broken([counted], unknown) == ["no check knows such a release"]
    assert broken([counted], proof(form="classes", counted=object())) == []


@pytest.mark.parametrize("by", ["suppression", "cell-key", "rounding", "noise", "a new one"])
def test_a_protection_that_no_check_judges_is_refused(by):
    keyed = by in ("cell-key", "rounding")
    protect = SimpleNamespace(by=by, keyed=keyed, changes=by != "suppression")
    compared = proof(policy=SimpleNamespace(protect=protect))
    judging = statistics_of_source.CHECKS[1:-1]
    asked = [check for check in judging if all(need.met(compared) for need in check.needs)]
    refused = broken(statistics_of_source.CHECKS[-1:], compared)
    assert (len(asked), bool(refused)) == ((0, True) if by == "a new one" else (1, False))
