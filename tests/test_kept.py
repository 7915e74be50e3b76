"""What columns give away that are released unchanged: counted, told, warned of and limited,
against naive Python."""

import math
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import Column
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.features.run import described as tried
from anonsql.jobs import pipeline
from anonsql.policy.envelope import Release
from anonsql.policy.policy import Policy
from anonsql.risks.kept.counting import Compared, not_covered, uniqueness
from anonsql.risks.kept.revealing import most_revealing

from .engines import Postgres, Spark, policy_on
from .methods import CHANGING
from .support import (
    edit,
    editing,
    job,
    make_table,
    opened,
    policy_data,
    policy_in,
    rows_of,
    updated,
)

TYPES = {"i": "INTEGER", "t": "VARCHAR", "f": "DOUBLE", "b": "BOOLEAN", "l": "INTEGER[]"}


def same(value):
    """A value as groups know it: NULL and NaN are values like others, minus zero is zero."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return tuple(value) if isinstance(value, list) else value


def lonely(rows, k):
    """(rows, unique rows, rows in groups below k), one row at a time."""
    keys = [tuple(map(same, row)) for row in rows]
    sizes = Counter(keys)
    if not rows or not rows[0]:
        return (0, 0, 0)
    return (len(rows), sum(sizes[k] == 1 for k in keys), sum(sizes[key] < k for key in keys))


@pytest.fixture(scope="module")
def engine_of_tests(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    make_table(folder / "source.duckdb", {"q": "INTEGER"}, [(1,)])
    policy = policy_in(folder, {"q": {"type": "suppression"}}, k=2)
    with job(policy, folder, (pipeline.open_source,)) as made:
        yield made.engine


VALUES = {
    "i": st.none() | st.integers(0, 2),
    "t": st.none() | st.sampled_from(["a", "A", "a ", "ä", ""]),
    "f": st.none() | st.sampled_from([0.0, -0.0, 0.1, math.nan, math.inf]),
    "b": st.none() | st.booleans(),
    "l": st.none() | st.sampled_from([[1], [1, 2], []]),
}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(*VALUES.values()), min_size=1, max_size=12),
    st.sets(st.sampled_from(list(TYPES))),
    st.integers(2, 4),
)
def test_rows_alone_by_any_columns_are_those_of_the_oracle(engine_of_tests, rows, names, k):
    engine_of_tests.drop("small")
    engine_of_tests.load("small", list(TYPES.items()), rows)
    chosen = [name for name in TYPES if name in names]
    columns = [Compared(Column(name, TYPES[name])) for name in chosen]
    places = [list(TYPES).index(name) for name in chosen]
    found = uniqueness(engine_of_tests, ("small",), columns, k)
    wanted = lonely([tuple(row[place] for place in places) for row in rows], k)
    assert (found.rows, found.unique, found.below_k) == wanted


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*VALUES.values()), min_size=2, max_size=12))
def test_the_most_revealing_column_is_the_one_without_which_the_fewest_rows_are_alone(
    engine_of_tests, rows
):
    engine_of_tests.drop("small")
    engine_of_tests.load("small", list(TYPES.items()), rows)
    columns = [Compared(Column(name, kind)) for name, kind in TYPES.items()]
    found = uniqueness(engine_of_tests, ("small",), columns, 2)
    left, before = list(TYPES), found.unique
    for step in most_revealing(engine_of_tests, ("small",), columns, found, 2):
        without = {
            name: lonely(
                [
                    tuple(row[list(TYPES).index(item)] for item in left if item != name)
                    for row in rows
                ],
                2,
            )
            for name in left
        }
        assert before > 0
        assert without[step.column][1] == min(unique for _, unique, _ in without.values())
        assert (step.unique, step.below_k) == without[step.column][1:]
        left.remove(step.column)
        before = step.unique


def test_two_columns_that_tell_the_same_are_both_taken_away(engine_of_tests):
    engine_of_tests.drop("small")
    rows = [(n, n, n % 2) for n in range(50)]
    engine_of_tests.load("small", [(name, "INTEGER") for name in "xyz"], rows)
    columns = [Compared(Column(name, "INTEGER")) for name in "xyz"]
    found = uniqueness(engine_of_tests, ("small",), columns, 2)
    steps = most_revealing(engine_of_tests, ("small",), columns, found, 2)
    assert ([step.column for step in steps], steps[-1].unique) == (["x", "y"], 0)


def test_columns_are_chosen_by_a_part_of_many_rows(engine_of_tests, monkeypatch):
    """Of 4,000 rows one in eight groups is looked at; what is told is counted on all."""
    monkeypatch.setattr("anonsql.risks.kept.revealing._LOOKED_AT", 500)
    engine_of_tests.drop("small")
    rows = [(n % 2, n, n % 7, n % 3) for n in range(4000)]
    engine_of_tests.load("small", [(name, "INTEGER") for name in "wxyz"], rows)
    columns = [Compared(Column(name, "INTEGER")) for name in "wxyz"]
    found = uniqueness(engine_of_tests, ("small",), columns, 2)
    [step] = most_revealing(engine_of_tests, ("small",), columns, found, 2)
    assert (found.unique, step.column, step.unique) == (4000, "x", 0)


# releases, by every kind of method

HERE = {"age": "INTEGER", "city": "VARCHAR", "ill": "VARCHAR", "dose": "DOUBLE", "note": "VARCHAR"}


def people(count=60):
    words = ["flu", "gout", "cold", None]
    return [
        (
            20 + n * 7 % 40,
            "abc"[n * 5 % 3],
            words[n * n % 4 if n % 9 else 3],
            n * 3 % 11 / 4,
            f"n{n % 20}",
        )
        for n in range(count)
    ]


def policy_of(folder, method, roles=None, **privacy):
    columns = {
        "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 20]}},
        "city": {"role": "qi", "hierarchy": {"type": "suppression"}},
        "ill": "sensitive",
        "dose": "insensitive",
        "note": "insensitive",
        **(roles or {}),
    }
    return policy_in(folder, columns, k=4, method=method, privacy=privacy)


METHODS = {
    "levels": ({"type": "full-domain"}, {"suppression_limit": 0.5}),
    "mondrian": ({"type": "mondrian"}, {}),
    "ring": ({"type": "ring"}, {}),
    **{name: (settings, {}) for name, settings in CHANGING.items()},
    "local": ({"type": "local"}, {"l_diversity": {"ill": 2}}),
    "anatomy": ({"type": "anatomy"}, {"l_diversity": {"ill": 2}}),
}


def released(folder, table="r"):
    """The released rows as dictionaries."""
    with opened(folder / "release.duckdb", read_only=True) as connection:
        found = connection.execute(f"SELECT * FROM {table}")
        names = [item[0] for item in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("name", METHODS)
def test_what_a_release_gives_away_is_counted_on_its_rows(tmp_path, name):
    method, privacy = METHODS[name]
    apart = name in ("local", "anatomy")
    make_table(tmp_path / "source.duckdb", HERE, people())
    report = anonsql.run(policy := policy_of(tmp_path, method, **privacy))
    rows, found = released(tmp_path), report.risk.kept
    assert found.columns == (["dose", "note"] if apart else ["ill", "dose", "note"])

    def by(columns):
        return lonely([tuple(row[column] for column in columns) for row in rows], 4)

    assert (found.rows, found.unique, found.below_k) == by(found.columns)
    assert by([*found.columns, "age", "city"])[1:] == (
        found.unique_released,
        found.below_k_released,
    )
    classes = defaultdict(list)
    for row in rows:
        classes[row["age"], row["city"]].append(row.get("ill"))
    if apart or name == "ring":
        assert found.sensitive == {}
    else:
        alike = sum(len(one_class) for one_class in classes.values() if len(set(one_class)) == 1)
        most = max(max(Counter(item).values()) / len(item) for item in classes.values())
        within = found.sensitive["ill"]
        assert within.homogeneous == pytest.approx(alike / len(rows), abs=1e-11)
        assert within.highest_share == pytest.approx(most, abs=1e-11)
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT property, value FROM r__about"))
    assert (about["kept_unique"], about["released_unique"]) == (
        str(found.unique),
        str(found.unique_released),
    )
    assert anonsql.verify(policy).risk == report.risk


def test_masked_rows_are_no_class_and_hide_what_they_are_told_to(tmp_path):
    rows = [(20, "a", "flu", 1.0, "x")] * 6 + [
        (55, "b", word, n, "y") for n, word in enumerate(["flu", "cold", "gout", "flu"])
    ]
    rows[-4:] = [(20 + 10 * n, *row[1:]) for n, row in enumerate(rows[-4:])]
    make_table(tmp_path / "source.duckdb", HERE, rows)
    roles = {"dose": {"role": "insensitive", "suppressed": "mask"}}
    given_levels = {"levels": {"age": 0, "city": 0}}
    policy = policy_of(tmp_path, given_levels, roles, suppression_limit=0.5)
    report = anonsql.run(policy := updated(policy, release={"suppressed": "mask"}))
    assert report.masked == 4
    kept = report.risk.kept
    assert kept.sensitive["ill"].homogeneous == 1 == kept.sensitive["ill"].highest_share
    assert (kept.rows, kept.unique) == (10, 2)  # (flu, NULL, y) twice
    assert anonsql.verify(policy).risk == report.risk


def test_nothing_kept_gives_nothing_away(tmp_path):
    make_table(tmp_path / "source.duckdb", {"age": "INTEGER"}, [(1,), (1,), (2,), (2,)])
    report = anonsql.run(policy := policy_in(tmp_path, {"age": {"type": "suppression"}}, k=2))
    found = report.risk.kept
    assert (found.columns, found.unique, found.without, found.sensitive) == ([], 0, [], {})
    assert report.warnings == [] == anonsql.check(policy).warnings


def test_the_engines_count_alike(engine):
    rows = [(*row, None if n % 3 else "{}") for n, row in enumerate(people())]
    engine.make({**HERE, "extra": "VARCHAR"}, rows)
    columns = {
        "age": {"type": "interval", "widths": [5, 20]},
        "city": {"type": "suppression"},
        "ill": "sensitive",
        **dict.fromkeys(("dose", "note", "extra"), "insensitive"),
    }
    policy = policy_on(engine, policy_data(columns, k=4, limit=0.5))
    report = anonsql.run(policy)
    found = report.risk.kept
    assert (found.rows, found.unique, found.below_k) == lonely(
        [row[-4:] for row in engine.read()], 4
    )
    steps = [(item.column, item.unique) for item in found.without]
    left = lonely([(row[-4], *row[-2:]) for row in engine.read()], 4)[1]
    assert steps == [("dose", left), ("note", 0)]
    assert anonsql.verify(policy).risk == report.risk
    assert report.warnings == anonsql.check(policy).warnings


# what a program or a person is told


def test_run_says_what_check_says(tmp_path):
    make_table(tmp_path / "source.duckdb", HERE, people())
    policy = policy_of(tmp_path, {}, suppression_limit=0.5)
    checked, ran = anonsql.check(policy).warnings, anonsql.run(policy).warnings
    assert checked == ran
    [warning] = checked
    assert warning.where == "privacy.kept"
    unique = lonely([row[2:] for row in people()], 4)[1]
    assert f"{unique} of 60 rows are unique by the 3 columns" in warning.message
    assert "max_unique" not in warning.remedy and "limit" not in warning.remedy


@pytest.mark.parametrize("kind", ["INTEGER", "DOUBLE", "VARCHAR"])
def test_a_column_that_singles_out_every_row_is_warned_of_whatever_its_type(tmp_path, kind):
    rows = [(n % 3, n + 0.5 if kind == "DOUBLE" else str(n)) for n in range(30)]
    make_table(tmp_path / "source.duckdb", {"q": "INTEGER", "own": kind}, rows)
    data = policy_data({"q": {"type": "suppression"}, "own": "insensitive"}, k=4)
    [warning] = anonsql.run(Policy.parse(data, tmp_path)).warnings
    assert warning.where == "columns.own" and "30 of 30 values differ" in warning.message


def test_few_kept_values_are_not_warned_of(tmp_path):
    rows = [(n % 3, "ab"[n % 2], n % 5) for n in range(300)]
    make_table(tmp_path / "source.duckdb", {"q": "INTEGER", "a": "VARCHAR", "b": "INTEGER"}, rows)
    data = policy_data({"q": {"type": "suppression"}, "a": "sensitive", "b": "insensitive"}, k=4)
    assert anonsql.run(Policy.parse(data, tmp_path)).warnings == []


# limits


def limited(folder, limit, name="max_unique", **more):
    return policy_of(folder, {}, kept={name: limit}, **more)


@pytest.mark.parametrize("name", ["max_unique", "max_below_k"])
def test_a_limit_stops_the_run_before_anything_is_published(tmp_path, name):
    make_table(tmp_path / "source.duckdb", HERE, people())
    _, unique, below = lonely([row[2:] for row in people()], 4)
    count = unique if name == "max_unique" else below
    exact, less = count / 60, (count - 1) / 60
    with pytest.raises(PrivacyError, match=f"{count} of 60 rows .*privacy.kept.{name}"):
        anonsql.run(limited(tmp_path, round(less, 6), name))
    assert not (tmp_path / "release.duckdb").exists()
    problems = anonsql.check(limited(tmp_path, round(less, 6), name)).problems
    assert [problem.where for problem in problems] == ["privacy.kept"]
    within = limited(tmp_path, math.ceil(exact * 1e6) / 1e6, name)
    assert anonsql.check(within).status == "ok"
    report = anonsql.run(within)
    decided = name == "max_unique" and count < 60  # whoever sets a limit; 1 allows all
    assert (report.warnings == []) == decided
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT property, value FROM r__about"))
    assert f"kept.{name}" in about and anonsql.verify(within)


def test_what_suppression_may_mend_is_decided_on_the_staged_rows(tmp_path):
    """Two rows are unique, and both are suppressed; with another limit they are not, and the run
    stops at the end."""
    rows = [(20, "a", "flu", 1.0, "x")] * 8 + [
        (50, "b", "gout", 2.0, "y"),
        (59, "c", "cold", 3.0, "z"),
    ]
    make_table(tmp_path / "source.duckdb", HERE, rows)
    given_levels = {"levels": {"age": 0, "city": 0}}
    none = {"max_unique": 0}
    report = anonsql.run(policy_of(tmp_path, given_levels, suppression_limit=0.2, kept=none))
    assert (report.suppressed, report.risk.kept.unique) == (2, 0)
    (tmp_path / "release.duckdb").unlink()
    top = {"levels": {"age": 3, "city": 1}}
    with pytest.raises(PrivacyError, match=r"2 of 10 rows.*Without"):
        anonsql.run(policy_of(tmp_path, top, suppression_limit=0.2, kept=none))
    assert not (tmp_path / "release.duckdb").exists()


def test_verification_counts_for_itself(tmp_path):
    make_table(tmp_path / "source.duckdb", HERE, people())
    policy = policy_of(tmp_path, {})
    anonsql.run(policy)
    with pytest.raises(VerificationError, match=r"more than privacy.kept.max_unique"):
        anonsql.verify(limited(tmp_path, 0))
    for name in ("kept_unique", "released_below_k", "homogeneous.ill", "highest_share.ill"):
        with editing(tmp_path / "release.duckdb") as connection:
            [(before,)] = connection.execute(
                "SELECT value FROM r__about WHERE property = ?", [name]
            ).fetchall()
            connection.execute("UPDATE r__about SET value = '0.123' WHERE property = ?", [name])
        with pytest.raises(VerificationError, match=f"__about states {name}=0.123"):
            anonsql.verify(policy)
        with editing(tmp_path / "release.duckdb") as connection:
            connection.execute("UPDATE r__about SET value = ? WHERE property = ?", [before, name])
    anonsql.verify(policy)


def test_values_that_cannot_be_grouped_count_by_their_text(tmp_path):
    """JSON and points on PostgreSQL, in a release there and in a file."""
    engine = Postgres(tmp_path)
    engine.connection.execute(
        f"CREATE TABLE {engine.source}.t AS SELECT n % 2 AS q, CAST('{{\"a\":' || n % 5 || '}}' AS"
        " json) AS j, point(n % 3, 0) AS p, interval '1 hour' * (n % 4) AS d, CASE WHEN n % 2 = 0"
        " THEN 0.5 END AS x FROM generate_series(1, 40) AS n"
    )
    columns = {"q": {"type": "suppression"}, "j": "sensitive", "p": "insensitive"}
    there = policy_on(engine, policy_data({**columns, "d": "sensitive", "x": "insensitive"}, k=2))
    rows = [(n % 5, n % 3, n % 4, n % 2) for n in range(1, 41)]
    file = there.model_copy(
        update={"release": Release(database="r.duckdb", table="r", completed=0)}
    )
    for policy in (there, file):
        found = anonsql.run(policy).risk.kept
        assert (found.rows, found.unique, found.below_k) == lonely(rows, 2)
        assert found.sensitive["d"].highest_share == 0.5 and found.sensitive["j"].homogeneous == 0
        assert anonsql.verify(policy).risk.kept == found
    engine.close()


def test_maps_of_spark_count_by_their_text(tmp_path):
    engine = Spark(tmp_path)
    engine.spark.sql(
        f"CREATE TABLE {engine.source}.t USING parquet AS SELECT CAST(id % 2 AS INT) AS q, map('a',"
        " id % 5) AS m, array(map('b', id % 3)) AS n FROM range(20)"
    )
    data = policy_data({"q": {"type": "suppression"}, "m": "sensitive", "n": "insensitive"}, k=2)
    found = anonsql.run(policy_on(engine, data)).risk.kept
    rows = [(n % 5, n % 3) for n in range(20)]
    assert (found.rows, found.unique, found.below_k) == lonely(rows, 2)
    assert found.without[0].column in ("m", "n")
    engine.close()


def test_compiled_sql_promises_no_limit(tmp_path):
    make_table(tmp_path / "source.duckdb", HERE, people())
    with pytest.raises(PolicyError, match=r"privacy.kept.max_unique: compiled SQL"):
        anonsql.compile(limited(tmp_path, 1), "duckdb", tmp_path / "sql")


def test_verify_warns_too_and_of_values_that_classes_give_away(tmp_path):
    rows = [(20 + n // 10, "a", "flu" if n < 10 else "abc"[n % 3], n / 4, "x") for n in range(40)]
    make_table(tmp_path / "source.duckdb", HERE, rows)
    policy = policy_of(tmp_path, {"levels": {"age": 0, "city": 0}}, {"dose": "sensitive"})
    report = anonsql.run(policy)
    assert report.risk.kept.sensitive["ill"].homogeneous == 0.25
    messages = {warning.where: warning.message for warning in report.warnings}
    assert (
        set(messages) == {"columns.dose", "columns.ill"} and "25.0% of" in messages["columns.ill"]
    )
    messages = {item.where: item.message for item in anonsql.verify(policy).warnings}
    assert (
        set(messages) == {"columns", "columns.ill"}
        and "40 of 40 rows are unique" in messages["columns"]
    )
    diverse = policy_of(tmp_path, {}, l_diversity={"ill": 2}, kept={"max_unique": 1})
    checked = anonsql.check(diverse).warnings
    assert anonsql.run(diverse).warnings == checked == anonsql.check(diverse).warnings


def test_columns_may_have_any_name(tmp_path):
    """Also those that statements give to what they count."""
    names = ["n", "s", "size", "most", "v1", "h1", "p", "others", "i"]
    rows = [tuple(n % (2 + place) for place in range(len(names))) for n in range(60)]
    make_table(
        tmp_path / "source.duckdb",
        dict.fromkeys([*names, "e", "g"], "INTEGER"),
        [(*row, n // 3, 1) for n, row in enumerate(rows)],
    )
    columns = dict.fromkeys(names, "sensitive")
    columns |= {"n": {"type": "suppression"}, "most": {"type": "suppression"}}
    data = policy_data({**columns, "e": "identifying", "g": "insensitive"}, k=4)
    del data["columns"]["v1"]
    data["columns"]["v1"] = {"role": "qi", "hierarchy": {"type": "suppression"}}
    data["privacy"]["entity"] = "e"
    policy = Policy.parse(data, tmp_path)
    report = anonsql.run(policy)
    assert (
        report.risk.kept.unique
        == lonely(
            [
                [row[names.index(column)] for column in report.risk.kept.columns if column != "g"]
                for row in rows
            ],
            4,
        )[1]
    )
    assert anonsql.verify(policy).risk == report.risk


# what the verdict says


def about_of(folder, table="r"):
    """The facts of a release, in their order."""
    return dict(rows_of(folder / "release.duckdb", f"SELECT property, value FROM {table}__about"))


@pytest.mark.parametrize("name", METHODS)
def test_the_verdict_says_beside_the_promise_how_many_rows_are_single(tmp_path, name):
    method, privacy = METHODS[name]
    make_table(tmp_path / "source.duckdb", HERE, people())
    report = anonsql.run(policy := policy_of(tmp_path, method, **privacy))
    kept = ["dose", "note"] if name in ("local", "anatomy") else ["ill", "dose", "note"]
    rows = [tuple(row[item] for item in kept) for row in released(tmp_path)]
    total, single, _ = lonely(rows, 4)
    names = f"{', '.join(kept[:-1])} and {kept[-1]}"
    wanted = None
    if single:
        wanted = (
            f"{single} of {total} rows are the only ones with their {names}; k does not cover them"
        )
    assert report.not_covered == wanted == anonsql.verify(policy).not_covered
    about = about_of(tmp_path)
    assert next(iter(about)) == "promise" and about.get("not_covered") == wanted
    assert not single or list(about)[1] == "not_covered"


def test_the_verdict_of_verify_is_counted_on_the_rows_and_not_read(tmp_path):
    make_table(tmp_path / "source.duckdb", HERE, people())
    policy = policy_of(tmp_path, {})
    wanted = anonsql.run(policy).not_covered
    for name, lie in (("not_covered", "0 of 60 rows"), ("promise", "nobody is found")):
        with editing(tmp_path / "release.duckdb") as connection:
            [(before,)] = connection.execute(
                "SELECT value FROM r__about WHERE property = ?", [name]
            ).fetchall()
            connection.execute("UPDATE r__about SET value = ? WHERE property = ?", [lie, name])
        with pytest.raises(VerificationError, match=f"__about states {name}={lie}"):
            anonsql.verify(policy)
        with editing(tmp_path / "release.duckdb") as connection:
            connection.execute("UPDATE r__about SET value = ? WHERE property = ?", [before, name])
    assert anonsql.verify(policy).not_covered == wanted
    edit(tmp_path / "release.duckdb", "DELETE FROM r__about WHERE property = 'not_covered'")
    with pytest.raises(VerificationError, match="__about has no not_covered"):
        anonsql.verify(policy)


def test_nothing_alarming_is_said_where_no_row_is_single(tmp_path):
    rows = [(20 + n % 8, "ab"[n % 2], "flu", 0.5, "x") for n in range(40)]
    make_table(tmp_path / "source.duckdb", HERE, rows)
    report = anonsql.run(policy := policy_of(tmp_path, {}))
    assert report.not_covered is None is anonsql.verify(policy).not_covered
    assert "not_covered" not in about_of(tmp_path)


def test_the_sentence_names_a_few_of_many_columns():
    assert not_covered(1, 9, ["paid"], 5) == (
        "1 of 9 rows is the only one with its paid; k does not cover it"
    )
    assert not_covered(12807, 76433, list("abcde"), 1, "visits") == (
        "12,807 of 76,433 rows of visits are the only ones with their a, b, c and 2 other kept"
        " columns; the promise does not cover them"
    )
    assert not_covered(0, 9, ["paid"], 5) is None is not_covered(3, 9, [], 5)


@pytest.mark.parametrize("limit", [0.999, 1])
def test_a_limit_that_allows_all_turns_no_warning_off(tmp_path, limit):
    make_table(tmp_path / "source.duckdb", HERE, people())
    policy = limited(tmp_path, limit, suppression_limit=0.5)
    if limit < 1:
        with pytest.raises(PrivacyError) as error:
            anonsql.run(policy)
        assert "raise the limit" not in str(error.value)
        return
    report = anonsql.run(policy)
    assert [warning.where for warning in report.warnings] == ["privacy.kept"] and report.not_covered


def test_queries_to_try_group_by_no_column_that_is_kept(tmp_path, capsys):
    make_table(tmp_path / "source.duckdb", HERE, people())
    report = anonsql.run(policy_of(tmp_path, {}))
    grouped = [query for query in tried.queries(report) if "GROUP BY" in query]
    assert grouped and not any(name in query for query in grouped for name in ("ill", "dose"))
    for query in grouped:
        rows_of(tmp_path / "release.duckdb", query)
