"""Values that a release names and that too few of its rows may be."""

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import Column
from anonsql.errors import VerificationError
from anonsql.labels.bench import bench_for
from anonsql.verification import labels as proving
from anonsql.verification.classes import Proof

from .label_oracle import ReleasedLabel
from .support import job, label_bench, make_table, policy_in, rows_of
from .test_judge import PATIENTS, numbers, patients, publish
from .test_reading import element


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with label_bench(tmp_path_factory.mktemp("labels")) as made:
        yield made


def loaded(bench, values):
    """The bench, with released values of a column."""
    columns = [
        *(("col", "INTEGER"), ("id", "BIGINT"), ("label", "VARCHAR"), ("listed", "VARCHAR[]")),
        *(("n", "BIGINT"), ("lo", "VARCHAR"), ("hi", "VARCHAR")),
    ]
    rows = []
    for number, (released, n) in enumerate(values):
        plain = released.label is None or isinstance(released.label, str)
        both = (released.label, None) if plain else (None, released.label)
        rows.append((0, number, *both, n, *released.bounds))
    bench.load("labels_values", columns, rows)
    return bench


def exposed(bench, values, column, k):
    return proving.exposed(loaded(bench, values), 0, column, k)


EVERY = {None, *range(10)}


@st.composite
def releases(draw):
    """Released values of a column of 0 … 9 and NULL, what each covers, and what each names."""
    made = []
    for _ in range(draw(st.integers(1, 8))):
        kind, rows = (
            draw(st.sampled_from(["value", "closed", "set", "list", "*", "half-open"])),
            draw(st.integers(1, 3)),
        )
        if kind in ("*", "half-open"):
            made.append(((ReleasedLabel("*" if kind == "*" else "[0,5)"), rows), EVERY, set()))
        elif kind == "closed":
            first = draw(st.integers(0, 9))
            last = draw(st.integers(first, 9))
            made.append(
                (
                    (ReleasedLabel(f"[{first},{last}]", (str(first), str(last))), rows),
                    set(range(first, last + 1)),
                    {first, last},
                )
            )
        elif kind == "value":
            value = draw(st.sampled_from([*range(10), None]))
            made.append(
                ((ReleasedLabel(None if value is None else str(value)), rows), {value}, {value})
            )
        else:
            values = draw(st.sets(st.sampled_from([*range(10), None]), min_size=2, max_size=4))
            texts = [None if item is None else str(item) for item in values]
            label = texts if kind == "list" else "{" + ", ".join(map(element, texts)) + "}"
            made.append(((ReleasedLabel(label), rows), values, values))
    return made


@settings(max_examples=100, deadline=None)
@given(releases(), st.integers(1, 6), st.sampled_from(["INTEGER", "DOUBLE", "DECIMAL(5,2)"]))
def test_exposed_values_are_those_of_the_oracle(bench, made, k, kind):
    named = set().union(*(names for _, _, names in made))
    few = sum(sum(rows for (_, rows), covers, _ in made if value in covers) < k for value in named)
    assert exposed(bench, [item for item, _, _ in made], Column("n", kind), k) == (few, len(named))


def test_values_of_text_and_of_days(bench):
    words = [(ReleasedLabel(label), 2) for label in ("{a, b}", "b", '{"c, d", NULL}', None)]
    assert exposed(bench, words, Column("w", "VARCHAR"), 3) == (
        2,
        4,
    )  # a and "c, d" twice; b and NULL four times
    assert exposed(bench, [*words, (ReleasedLabel("x … y"), 1)], Column("w", "VARCHAR"), 3) == (
        0,
        4,
    )
    days = [
        (ReleasedLabel(label), 1)
        for label in ("[2020-01-01,2020-01-31]", "2020-01-31", "2020-01-15")
    ]
    assert exposed(bench, days, Column("d", "DATE"), 2) == (1, 3)


@pytest.mark.parametrize(
    ("labels", "bounds", "kind"),
    [
        (["[1,2]", "7"], None, "DECIMAL"),
        (["[2020-01-01,2020-02-01]"], None, "DATE"),
        (["[2020-01-01 10:00:00,2020-02-01]"], None, "TIMESTAMP"),
        (["{a, b}", "[x,y]"], None, "VARCHAR"),
        (["7"], "BIGINT", "BIGINT"),
    ],
)
def test_types_as_far_as_a_release_tells(bench, labels, bounds, kind):
    loaded(bench, [(ReleasedLabel(label), 1) for label in labels])
    assert proving.column_of(bench, 0, "n", bounds).type == kind


def test_releases_by_themselves(tmp_path):
    policy = numbers(tmp_path, 5, 3)
    types = {"qid": "VARCHAR[]", "s": "VARCHAR"}
    ring = [[str((row + step) % 5 + 1) for step in range(3)] for row in range(5)]
    publish(policy, types, [(item, "s") for item in ring])
    assert offences(policy, tmp_path) == []
    publish(policy, types, [(entry, "s") for entry in [*ring[:4], ["5", "6"]]])
    assert offences(policy, tmp_path) == [
        "3 of 6 values named in 'qid' can belong to fewer than k=3 rows"
    ]
    publish(
        policy,
        {"qid": "VARCHAR", "s": "VARCHAR"},
        [(label, "s") for label in ("[1,5]", "[2,3]", "[3,4]", "[3,4]", "[1,5]")],
    )
    assert offences(policy, tmp_path) == [
        "2 of 5 values named in 'qid' can belong to fewer than k=3 rows"
    ]  # 1 and 5


def test_masked_rows_cover_nothing(tmp_path):
    policy = patients(
        tmp_path,
        columns={name: {"type": "suppression"} for name in ("zip", "sex", "age")}
        | {"disease": "sensitive"},
    )
    rows = [("{a, b}", "M", "[1,2]", "x"), ("a", "M", "1", "y"), ("*", "*", "*", "z")]
    publish(policy, dict.fromkeys(PATIENTS, "VARCHAR"), rows, masked=1, suppressed=1)
    assert len(offences(policy, tmp_path)) == 2  # b, and the end 2
    publish(policy, dict.fromkeys(PATIENTS, "VARCHAR"), rows)
    assert offences(policy, tmp_path) == []


def offences(policy, folder):
    with (
        job(policy, folder / "work", ()) as made,
        made.target.published() as published,
        bench_for(published.engine) as bench,
    ):
        return proving.named(Proof(published, policy, bench, staged=False, elsewhere=False))


def rings(folder, values, bounds, **method):
    """A release by rings of a column of texts or numbers."""
    kind = "INTEGER" if isinstance(values[0], int) else "VARCHAR"
    make_table(folder / "source.duckdb", {"c": kind}, [(value,) for value in values])
    policy = policy_in(
        folder, {"c": "qi"}, k=3, method={"type": "ring", **method}, release={"bounds": bounds}
    )
    anonsql.run(policy)
    return policy


@pytest.mark.parametrize(
    ("value", "method"),
    [
        *((value, {}) for value in ("{a, b}", "[1,5]", "a … b", "*")),
        *(("{a, b}", method) for method in ({"sets": "array"}, {"representation": "range"})),
        ("[1,5]", {"representation": "range"}),
    ],
)
def test_values_that_look_like_more_than_one_are_values(tmp_path, value, method):
    policy = rings(tmp_path, ["!", value, value, value, "~"], False, **method)
    alone = [value] if method.get("sets") else value
    assert [row[0] for row in rows_of(tmp_path / "release.duckdb", "SELECT c FROM r")].count(
        alone
    ) == 1  # one window of itself alone
    assert anonsql.verify(policy).min_class == 3


@pytest.mark.parametrize(("representation", "changed"), [("set", "{1, 9}"), ("range", "[1,9]")])
@pytest.mark.parametrize("bounds", [True, False])
def test_rings_that_name_what_few_rows_may_be_are_refused(
    tmp_path, representation, changed, bounds
):
    policy = rings(tmp_path, [1, 1, 2, 2, 3, 3, 4], bounds, representation=representation)
    anonsql.verify(policy)
    connection = duckdb.connect(str(tmp_path / "release.duckdb"))
    more = ", c_lo = 1, c_hi = 9" if bounds else ""
    connection.execute(
        f"UPDATE r SET c = '{changed}'{more} WHERE rowid = (SELECT MIN(rowid) FROM r)"
    )
    connection.close()
    with pytest.raises(
        VerificationError, match=r"values named in 'c' can belong to fewer than k=3 rows"
    ):
        anonsql.verify(policy)
