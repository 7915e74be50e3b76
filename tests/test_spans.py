"""How far the numbers of a class or bucket lie apart: against naive accounts, on tables that were
tampered with, and refused where a method does not look."""

import datetime as dt
import itertools
from collections import defaultdict
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import Column
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.methods.local import buckets
from anonsql.methods.local.buckets import Bucketized
from anonsql.methods.local.proof import bucket_differences
from anonsql.policy.policy import Policy
from anonsql.star.coded import Coded
from anonsql.verification.apart import bucket_offences

from .engines import policy_on, whole_but_on_spark
from .methods import PLAIN, judges_classes
from .model_oracle import span
from .support import in_file, make_table, policy_data, rows_of, term
from .test_buckets import (
    AGE,
    RARELY,
    dealt,
    eligible,
    in_order,
    local_rows,
    naive_dealing,
    published,
    release,
    scratch,  # noqa: F401 - a fixture
)


def apart(values, least, bound):
    """Whether values can be dealt in their order to buckets of l or more that span ``bound``, none
    of which has a value twice."""
    most = max(values.count(value) for value in set(values))
    return any(
        all(span(bucket) >= bound for bucket in naive_dealing(in_order(values), number))
        for number in range(most, len(values) // least + 1)
    )


@RARELY
@given(
    values=st.lists(st.one_of(st.none(), st.integers(0, 30)), min_size=1, max_size=40),
    others=st.lists(st.integers(0, 40), max_size=3),
    least=st.integers(2, 4),
    kind=st.sampled_from(["range", "span"]),
    share=st.sampled_from(["0.1", "0.3", "0.7"]),
)
def test_buckets_span_what_is_promised(scratch, values, others, least, kind, share):  # noqa: F811
    """As a share of the range of all values of the column, those of ``others`` too, or as it is."""
    local_rows(scratch, [(1, value, 0, None) for value in values])
    scratch.load("everybody", [(f"s{AGE}", "INTEGER")], [(item,) for item in [*values, *others]])
    model = term(kind, Decimal(share) * (10 if kind == "span" else 1), index=AGE)
    column = Bucketized(Coded(AGE, Column("age", "INTEGER"), measured=True), least, model)
    bound = float(share) * (10 if kind == "span" else max(0, span([*values, *others])))
    if not eligible(values, least) or not apart(values, least, bound):
        named = r"min_|l=" if eligible(values, least) else r"l="
        with pytest.raises(PrivacyError, match=named):
            buckets.deal(scratch, [column], whole="everybody")
        return
    buckets.deal(scratch, [column], whole="everybody")
    inside, _ = dealt(scratch, AGE)
    for bucket in inside.values():
        assert len(bucket) == len(set(bucket)) >= least
        assert span(bucket) >= bound
    assert in_order(itertools.chain(*inside.values())) == in_order(values)
    assert bucket_offences(scratch, *published(scratch, column), column) == []
    assert bucket_differences(scratch, [column], release(scratch, [column])) == []


COLUMNS = {"area": {"type": "mask", "length": 2}, "bmi": "sensitive"}


def people(folder, **more):
    """Forty people in four areas whose BMI hardly differs there, and a fifth area where it does."""
    rows = [(f"{area}{n % 2}", 20 + area * 5 + n / 10) for area in range(4) for n in range(8)]
    rows += [("41", 20.0 + 3 * n) for n in range(8)]
    make_table(folder / "source.duckdb", {"area": "VARCHAR", "bmi": "DECIMAL(6, 2)"}, rows)
    return policy_data(COLUMNS, k=2, privacy={"l_diversity": {"bmi": {"l": 3, **more}}}), rows


@pytest.mark.parametrize("method", ["full-domain", "mondrian", "cell-generalization", "local"])
@pytest.mark.parametrize("apart", [{"min_range": 0.5}, {"min_span": 10}])
def test_numbers_in_a_class_or_bucket_lie_apart(tmp_path, method, apart):
    data, rows = people(tmp_path, **apart)
    data["method"] = {"type": method}
    policy = Policy.parse(data, tmp_path)
    assert anonsql.check(policy).problems == []
    report = anonsql.run(policy)
    bound = 10 if "min_span" in apart else 0.5 * span([float(bmi) for _, bmi in rows])
    file, together = tmp_path / "release.duckdb", defaultdict(list)
    part = "r__sensitive_1" if method == "local" else "r"
    for key, value in rows_of(file, f"SELECT COLUMNS('bucket|area'), bmi FROM {part}"):
        together[key].append(float(value))
    assert min(map(span, together.values())) >= bound
    spans = sorted(map(span, together.values()))
    width = span([float(bmi) for _, bmi in rows])
    reported = report.spans["bmi"]
    assert reported.least == pytest.approx(spans[0] / width, abs=1e-5)
    assert reported.median == pytest.approx(spans[(len(spans) - 1) // 2] / width, abs=1e-5)
    name, number = next(iter(apart.items()))
    facts = dict(rows_of(file, "SELECT property, value FROM r__about"))
    assert facts["l_diversity.bmi"] == f"distinct 3 {name}={number}"
    anonsql.verify(policy)
    if len(together) == 1 and "min_range" in apart:
        return  # of one class by itself nobody can tell what the column's range was
    _bring_near(file, part, "sensitive" in part)
    with pytest.raises(VerificationError, match=r"do not keep .*min_"):
        anonsql.verify(policy)


def _bring_near(file, part, by_bucket):
    """Let the first class or bucket have three values that are next to each other."""
    key = "bmi_bucket" if by_bucket else "area"
    in_file(
        file,
        f"UPDATE {part} SET bmi = 30 + n / 100.0 FROM (SELECT rowid AS own, row_number() OVER"
        f" () AS n FROM {part}) AS o WHERE o.own = {part}.rowid AND {key} = (SELECT min({key})"
        f" FROM {part})",
    )


NOT_LOOKING = {name for name, settings in PLAIN.items() if not judges_classes(settings)} - {"local"}
"""Methods that do not judge every class by its values, nor, as local does, every bucket."""


@pytest.mark.parametrize("method", sorted(NOT_LOOKING))
def test_methods_that_do_not_look_refuse(tmp_path, method):
    data, _ = people(tmp_path, min_range=0.2)
    data["method"] = PLAIN[method]
    where = rf"privacy\.l_diversity\.bmi\.min_range: {method} counts values"
    with pytest.raises(PolicyError, match=where):
        Policy.parse(data, tmp_path)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"l": 3, "min_range": 5}, r"bmi\.min_range: found 5; write a share .*min_span"),
        ({"l": 3, "min_range": 0.5, "min_span": 5}, r"bmi\.min_span: min_range is given, too"),
        ({"l": 3, "min_range": 0}, r"bmi\.min_range"),
    ],
)
def test_settings_that_mean_nothing(tmp_path, asked, words):
    data, _ = people(tmp_path)
    data["privacy"]["l_diversity"]["bmi"] = asked
    with pytest.raises(PolicyError, match=words):
        Policy.parse(data, tmp_path)


def test_words_are_not_near_each_other(tmp_path):
    make_table(tmp_path / "source.duckdb", {"area": "VARCHAR", "bmi": "VARCHAR"}, [("10", "a")] * 9)
    data = policy_data(COLUMNS, k=2, privacy={"l_diversity": {"bmi": {"l": 2, "min_range": 0.2}}})
    policy = Policy.parse(data, tmp_path)
    assert [problem.where for problem in anonsql.check(policy).problems] == [
        "privacy.l_diversity.bmi.min_range"
    ]


def test_what_is_too_far_is_refused_with_what_is_not(tmp_path):
    data, _ = people(tmp_path, min_range=0.9)
    data["method"] = {"type": "local"}
    policy = Policy.parse(data, tmp_path)
    words = (
        r"min_range: the sensitive values of 'bmi' are too close .*Lower it to (0\.\d+), or lower l"
    )
    with pytest.raises(PrivacyError, match=words) as refused:
        anonsql.run(policy)
    assert [problem.where for problem in anonsql.check(policy).problems] == [
        "privacy.l_diversity.bmi.min_range"
    ]
    named = float(str(refused.value).split("Lower it to ")[1].split(",")[0])
    data["privacy"]["l_diversity"]["bmi"]["min_range"] = named
    assert anonsql.run(Policy.parse(data, tmp_path)).spans["bmi"].least >= named - 1e-6


@whole_but_on_spark
def test_dates_times_and_numbers_on_every_engine(engine, whole):
    """Classes of two days, of twelve hours, of a number that has no finite neighbour: only together
    they span enough."""
    day, moment = dt.date(2024, 2, 28), dt.datetime(2024, 2, 28, 18)
    rows = [
        (str(n % 4), day + dt.timedelta(n), moment + dt.timedelta(hours=6 * n), n / 2, n % 4)
        for n in range(8)
    ]
    rows += [("0", None, None, float("inf"), None), ("3", None, None, float("-inf"), None)]
    kinds = {"a": "VARCHAR", "day": "DATE", "moment": "TIMESTAMP", "x": "DOUBLE", "n": "INTEGER"}
    engine.make(kinds, rows)
    columns = {
        "a": {"type": "suppression"},
        **dict.fromkeys(("day", "moment", "x", "n"), "sensitive"),
    }
    bounds = {"day": (4, 4.5), "moment": (1, 1.125), "x": (2, 2.25)}
    cases = [({name: within}, 4) for name, (within, _) in bounds.items()]
    cases += [({name: beyond}, 1) for name, (_, beyond) in bounds.items()]
    if not whole:
        cases = [({name: within for name, (within, _) in bounds.items()}, 4)]
    for spans, classes in cases:
        data = policy_data(columns, k=2)
        data["privacy"]["l_diversity"] = {
            name: {"l": 2, "min_span": bound} for name, bound in spans.items()
        }
        assert anonsql.run(policy_on(engine, data)).classes == classes
