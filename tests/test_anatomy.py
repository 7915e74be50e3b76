"""Anatomy: groups by a naive account of what they must keep, releases that are refused, and several
tables that are one."""

import json
import re
import shutil
from collections import Counter, defaultdict
from types import SimpleNamespace

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import Column
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline, publishing
from anonsql.methods.anatomy import separate as anatomy
from anonsql.methods.anatomy import separate as method
from anonsql.policy.policy import Policy
from anonsql.release.salts import fresh_salt

from .engines import policy_on, whole_but_on_spark
from .examples import searches
from .support import (
    ADULT,
    DATA,
    change_staged,
    cli,
    flat,
    in_file,
    job,
    make_source,
    needs_data,
    policy_data,
    released_to,
    rows_of,
    write_data,
)

TYPES = {"age": "INTEGER", "sex": "VARCHAR", "disease": "VARCHAR", "id": "INTEGER"}
COLUMNS = {"age": "qi", "sex": "qi", "disease": "sensitive", "id": "insensitive"}
DISEASES = ["flu", "cold", "gout", None, "flu"]
ROWS = [(20 + n % 7, "mf"[n % 2], DISEASES[n % 5], n) for n in range(60)]


def data_of(k=1, least=2, columns=COLUMNS, **more):
    data = policy_data(columns, k=k, method={"type": "anatomy"}, **more)
    data["privacy"]["l_diversity"] = {"disease": least}
    return data


def made(folder, rows=ROWS, **more):
    make_source(folder, TYPES, rows)
    return Policy.parse(data_of(**more), folder)


# groups: what anybody who counts can say of them


def eligible(rows, least):
    return max(Counter(row[2] for row in rows).values()) * least <= len(rows)


def keeps(rows, released, apart, k, least):
    """Whether two released tables keep all that is promised: ``released`` are (age, sex, id,
    group), the id telling which row of the source it is, ``apart`` (group, disease, count)."""
    by_id = {row[3]: row for row in rows}
    assert Counter(
        (None if row[0] is None else str(row[0]), row[1], row[3]) for row in rows
    ) == Counter(row[:3] for row in released)
    true = Counter((group, by_id[number][2]) for *_, number, group in released)
    assert true == {(group, disease): count for group, disease, count in apart} and len(
        true
    ) == len(apart)
    sizes = Counter(row[3] for row in released)
    assert min(sizes.values()) >= max(k, least)
    assert all(count * least <= sizes[group] for group, _, count in apart)
    if k <= least:
        assert {count for *_, count in apart} == {1} and sorted(sizes) == list(
            range(1, len(rows) // least + 1)
        )
    return sizes


def penalty(rows, released):
    """GCP as if each row had its whole group's values, by Definition 8 of the paper."""
    by_id = {row[3]: row for row in rows}
    members = defaultdict(list)
    for *_, number, group in released:
        members[group].append(by_id[number])
    lost = 0.0
    for column in range(2):
        domain = len({row[column] for row in rows})
        lost += (
            sum(
                len(member) * (len({row[column] for row in member}) - 1)
                for member in members.values()
            )
            / (domain - 1)
            if domain > 1
            else 0
        )
    return lost / 2 / len(rows)


def scratch(done):
    """The two tables as they would be staged."""
    group, query = done.counted.released[-1].position, done.engine.query
    with fresh_salt(done.engine):
        rows = query("release/separated", released=done.counted.released)
        given = {"titles": ["g", "s", "n"], "own": Column("s", "VARCHAR")}
        given |= {"dealt": "separated", "bucket": f"r{group}", "value": "s", "withheld": None}
        apart = query("release/sensitive", **given)
    return [(row[0], *row[-3:]) for row in rows], list(apart)


tables = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 3)),
        st.sampled_from(["m", "f", None, "*"]),
        st.sampled_from(["a", "b", "c", "d", "e", None]),
    ),
    min_size=1,
    max_size=25,
).map(lambda rows: [(*row, number) for number, row in enumerate(rows)])


@searches
@given(tables, st.integers(1, 7), st.integers(2, 4))
def test_groups_keep_what_is_promised(tmp_path_factory, rows, k, least):
    policy = made(tmp_path_factory.mktemp("anatomy"), rows, k=k, least=least)
    through = (*pipeline.OPEN, *pipeline.CHOOSE)
    if len(rows) < k or not eligible(rows, least):
        with pytest.raises(PrivacyError) as error, job(policy, policy.origin.folder, through):
            pass
        most = max(Counter(row[2] for row in rows).values())
        if len(rows) >= k:
            assert f"{most} of {len(rows)} rows" in str(
                error.value
            ) and "privacy.l_diversity.disease" in str(error.value)
            assert ("No l is possible" in str(error.value)) == (len(rows) // most < 2)
            assert len(rows) // most < 2 or f"Lower l to {len(rows) // most} or less" in str(
                error.value
            )
        return
    with job(policy, policy.origin.folder, through) as done:
        released, apart = scratch(done)
        sizes = keeps(rows, [(*row[:2], row[2], row[3]) for row in released], apart, k, least)
        assert (done.chosen.facts["classes"], done.chosen.facts["min_class"]) == (
            len(sizes),
            min(sizes.values()),
        )
        assert done.chosen.recoded.metrics["group_gcp"] == pytest.approx(penalty(rows, released))
        assert done.chosen.recoded.metrics["discernibility"] == sum(
            size**2 for size in sizes.values()
        )
        assert done.chosen.recoded.metrics["sensitive_share"] == pytest.approx(
            max(count / sizes[group] for group, _, count in apart)
        )
        assert (done.chosen.recoded.metrics["loss"], done.chosen.recoded.metrics["gcp"]) == (0, 0)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=9), st.integers(1, 12), st.integers(2, 5))
def test_dealing_never_puts_too_many_of_a_value_together(counts, k, least):
    """By what the module says of it, row by row."""
    rows = sum(counts)
    if max(counts) * least > rows or rows < k:
        return
    by = anatomy.deal(rows, k, least)
    values = [
        value
        for value, count in sorted(enumerate(counts), key=lambda item: -item[1])
        for _ in range(count)
    ]
    groups = defaultdict(list)
    for place, value in enumerate(values):
        groups[place % by.heaps % by.groups].append(value)
    assert len(groups) == by.groups
    for members in groups.values():
        assert len(members) >= max(k, least) and max(Counter(members).values()) * least <= len(
            members
        )


def test_chance_decides_which_rows_meet(tmp_path):
    """Of two rows of one disease and two of another, each of the first meets each of the second
    half of the time; and the numbers of the groups tell nothing either."""
    rows = [(1, "m", "flu", 0), (2, "m", "flu", 1), (3, "m", "cold", 2), (4, "m", "cold", 3)]
    policy = made(tmp_path, rows, k=1, least=2)
    met, first, times = 0, 0, 100
    with job(policy, tmp_path, (*pipeline.OPEN, *pipeline.CHOOSE)) as done:
        for _ in range(times):
            done.engine.drop("separated")
            anatomy.separate(
                done.engine,
                done.opened.source,
                (done.counted.attributes, done.counted.released),
                done.counted.coded[0],
                anatomy.deal(4, 1, 2),
            )
            group = {row[2]: row[3] for row in scratch(done)[0]}
            met += group[0] == group[2]
            first += group[0] == 1
    assert 25 <= met <= 75 and 25 <= first <= 75  # beyond once in a million runs


# a release


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    anonsql.run(made(folder, k=4, least=2))
    return folder


def test_what_is_released(released):
    read = released / "release.duckdb"
    rows, apart = (
        rows_of(read, "SELECT age, sex, id, group_id FROM r"),
        rows_of(read, "FROM r__sensitive"),
    )
    keeps(ROWS, rows, apart, 4, 2)
    assert [row[0] for row in apart] == sorted(row[0] for row in apart)
    names = [row[0] for row in rows_of(read, "DESCRIBE r")]
    assert names == ["age", "age_lo", "age_hi", "sex", "id", "group_id"]
    assert rows_of(
        read, "SELECT count(*) FROM r WHERE age <> age_lo::VARCHAR OR age_lo <> age_hi"
    ) == [(0,)]
    assert rows_of(read, "DESCRIBE r__sensitive")[1][:2] == ("disease", "VARCHAR")
    about = dict(rows_of(read, "FROM r__about"))
    assert about["identity"].startswith("not hidden") and about["extra_tables"] == "__sensitive"
    assert (about["l_diversity.disease"], about["k"], about["min_class"]) == (
        "distinct 2",
        "4",
        "4",
    )
    looks = {row[0]: row[4] for row in rows_of(read, "FROM r__columns")}
    assert (
        "__sensitive" in looks["group_id"]
        and "__sensitive" in looks["disease"]
        and looks["age"] == "as it is"
    )
    found = anonsql.verify(Policy.parse(data_of(k=4, least=2), released))
    assert (found.released, found.classes, found.min_class) == (60, 15, 4)
    alike = Counter((row[0], row[1]) for row in ROWS)
    assert (
        found.risk.prosecutor.highest == 1 / min(alike.values())
        and found.identity == about["identity"]
    )


def corrupted(released, folder, *statements):
    shutil.copy(released / "release.duckdb", folder)
    in_file(folder / "release.duckdb", *statements)


ONE = "(SELECT min(group_id) FROM r)"


@pytest.mark.parametrize(
    ("statement", "offence"),
    [
        (
            "UPDATE r SET group_id = 2 WHERE id = (SELECT min(id) FROM r WHERE group_id = 1)",
            "2 groups have a different number of rows",
        ),
        ("UPDATE r SET group_id = NULL WHERE id = 7", "1 rows have no group"),
        (
            f"UPDATE r SET group_id = 999 WHERE group_id = {ONE}",
            "2 groups have a different number of rows",
        ),
        (
            f"DELETE FROM r__sensitive WHERE group_id = {ONE}",
            "1 groups have a different number of rows",
        ),
        (
            "UPDATE r__sensitive SET group_id = NULL WHERE group_id = 3",
            "have no group, or a count below 1",
        ),
        (
            "INSERT INTO r__sensitive VALUES (1, 'new', 0)",
            "1 rows of the table of sensitive values have no group, or a count below 1",
        ),
        (
            "INSERT INTO r__sensitive VALUES (1, 'new', 5)",
            "1 groups have a different number of rows",
        ),
        (
            "INSERT INTO r__sensitive SELECT * FROM r__sensitive",
            "pairs of group and sensitive value occur there more than once",
        ),
        (
            (
                "DELETE FROM r__sensitive WHERE group_id = 1; INSERT INTO r__sensitive VALUES (1,"
                " 'flu', 3), (1, 'cold', 1)"
            ),
            "1 groups have a sensitive value in more than 1/2 of their rows",
        ),
        (
            "ALTER TABLE r__sensitive ADD COLUMN name VARCHAR",
            "has the columns group_id, disease, count, name",
        ),
        ("ALTER TABLE r__sensitive ALTER count TYPE VARCHAR", "not integers"),
        ("ALTER TABLE r DROP COLUMN group_id", "columns that are missing: group_id"),
        ("DROP TABLE r__sensitive", "there is no table of sensitive values"),
        ("ALTER TABLE r ADD COLUMN disease VARCHAR", "the sensitive column 'disease' is next to"),
        (
            "CREATE TABLE r__sensitive_2 AS SELECT 1 AS x",
            "not part of a release: table r__sensitive_2",
        ),
        (
            (
                "UPDATE r SET group_id = 1 WHERE group_id = 2; UPDATE r__sensitive SET group_id = 1"
                " WHERE group_id = 2"
            ),
            "pairs of group and sensitive value",
        ),
        (
            "UPDATE r__about SET value = '14' WHERE property = 'classes'",
            "__about states classes=14",
        ),
        ("DELETE FROM r WHERE id = 3", "1 groups have a different number"),
    ],
)
def test_a_corrupted_release_is_refused(released, tmp_path, statement, offence):
    corrupted(released, tmp_path, *statement.split("; "))
    with pytest.raises(VerificationError, match=re.escape(offence)):
        anonsql.verify(Policy.parse(data_of(k=4, least=2), tmp_path))


def test_a_release_that_promises_less_is_refused(released, tmp_path):
    corrupted(released, tmp_path)
    with pytest.raises(VerificationError, match="groups with 60 rows are smaller than k=5"):
        anonsql.verify(Policy.parse(data_of(k=5, least=2), tmp_path))
    with pytest.raises(VerificationError, match="in more than 1/3 of their rows"):
        anonsql.verify(Policy.parse(data_of(k=4, least=3), tmp_path))


@pytest.mark.parametrize(
    ("change", "offence"),
    [
        ("UPDATE r SET id = 1000 WHERE id = 3", "those in the table of rows"),
        (
            "UPDATE r SET group_id = 3 - group_id WHERE group_id IN (1, 2)",
            "those in the table of rows",
        ),
        (
            "UPDATE r__sensitive SET disease = 'new' WHERE disease = 'flu'",
            "those counted in the table of sensitive values",
        ),
    ],
)
def test_what_is_not_the_source_taken_apart_is_not_published(
    tmp_path, monkeypatch, change, offence
):
    """Something corrupts the staged file after it was written, so that it is consistent by
    itself."""
    policy = made(tmp_path, k=1, least=2)
    change_staged(monkeypatch, change)
    monkeypatch.setattr(publishing, "prove", lambda *_, **__: SimpleNamespace(classes=None))
    with pytest.raises(VerificationError, match=f"are not {offence}"):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.parametrize(
    "wrong", ["CASE WHEN s = 'flu' THEN 'cold' WHEN s = 'cold' THEN 'flu' ELSE s END", "'flu'"]
)
def test_values_that_are_not_their_rows_own_are_not_published(tmp_path, monkeypatch, wrong):
    """A fault of the method itself, in all that it makes: the source tells."""
    policy, separate = made(tmp_path, k=1, least=2), method.separate

    def faulty(engine, *given):
        separate(engine, *given)
        engine._connection.execute(f"UPDATE separated SET s = {wrong}")

    monkeypatch.setattr(method, "separate", faulty)
    monkeypatch.setattr(publishing, "prove", lambda *_, **__: SimpleNamespace(classes=None))
    with pytest.raises(VerificationError, match=r"rows\) are not those of the separated source"):
        anonsql.run(policy)


# several tables are one release


LEVELS = {"levels": {"age": 0, "sex": 0}}
PLAIN = policy_data(
    {**COLUMNS, "age": {"type": "suppression"}, "sex": {"type": "suppression"}}, k=2, method=LEVELS
)


@whole_but_on_spark
def test_a_release_of_another_method_is_replaced_wholly(engine, whole):
    engine.make(TYPES, ROWS)
    apart = policy_on(engine, data_of(k=1, least=2))
    plain = policy_on(engine, PLAIN)
    base = {"r", "r__about", "r__columns"}
    if whole:
        anonsql.run(plain)
        assert engine.parts() == base
    report = anonsql.run(apart)
    assert engine.parts() == base | {"r__sensitive"} and report.extra_tables[0].endswith(
        "r__sensitive"
    )
    rows = [(row[0], row[3], row[4], row[5]) for row in engine.read()]
    keeps(ROWS, rows, engine.read("r__sensitive"), 1, 2)
    assert anonsql.verify(apart).classes == report.classes
    if whole:
        anonsql.run(apart)
        with pytest.raises((VerificationError, PolicyError)):
            anonsql.verify(plain)
    anonsql.run(plain)
    assert engine.parts() == base
    with pytest.raises(VerificationError, match="there is no table of sensitive values"):
        anonsql.verify(apart)


def test_a_table_in_the_way_of_an_extra_one_stays(engine):
    engine.make(TYPES, ROWS)
    plain = policy_on(engine, PLAIN)
    anonsql.run(plain)
    engine.put("r__sensitive")
    if engine.name != "duckdb":  # a schema may hold other things, a release file may not
        anonsql.run(plain)
    with pytest.raises(PolicyError, match="r__sensitive"):
        anonsql.run(policy_on(engine, data_of(k=1, least=2)))
    assert engine.read("r__sensitive") == [(1,)]


@pytest.mark.parametrize("file", ["out", "out.duckdb"])
def test_releases_to_files(engine, file):
    engine.make(TYPES, ROWS)
    place = {"file": file, "table": "r"} if file == "out" else {"database": file, "table": "r"}
    policy = released_to(policy_on(engine, data_of(k=1, least=2)), **place)
    anonsql.run(policy)
    anonsql.run(policy)
    assert anonsql.verify(policy).classes == 30
    connection = duckdb.connect()
    if file == "out":
        folder = engine.folder / "out"
        assert sorted(path.name for path in folder.iterdir()) == [
            f"r{part}.parquet" for part in ("", "__about", "__columns", "__sensitive")
        ]
        read = {part: f"'{folder / f'r{part}.parquet'}'" for part in ("", "__sensitive")}
    else:
        connection.execute(f"ATTACH '{engine.folder / file}' AS o (READ_ONLY)")
        read = {part: f"o.r{part}" for part in ("", "__sensitive")}
    rows = connection.execute(f"SELECT age, sex, id, group_id FROM {read['']}").fetchall()
    keeps(ROWS, rows, connection.execute(f"FROM {read['__sensitive']}").fetchall(), 1, 2)


def test_a_folder_is_replaced_wholly_and_holds_nothing_else(tmp_path):
    policy = released_to(made(tmp_path), file="out", table="r")
    plain = released_to(Policy.parse(PLAIN, tmp_path), file="out", table="r")
    anonsql.run(policy)
    anonsql.run(plain)
    assert not (tmp_path / "out" / "r__sensitive.parquet").exists()
    (tmp_path / "out" / "r__sensitive.parquet").write_bytes(b"mine")
    for item in (policy, plain):
        with pytest.raises(
            PolicyError, match=r"contains something else: file r__sensitive\.parquet"
        ):
            anonsql.run(item)
    assert (tmp_path / "out" / "r__sensitive.parquet").read_bytes() == b"mine"


def test_one_parquet_file_cannot_hold_it(tmp_path):
    policy = released_to(made(tmp_path), file="out.parquet", table="r")
    with pytest.raises(
        PolicyError, match=r"release\.file: the method publishes 2 tables.*Name a folder"
    ):
        anonsql.run(policy)


def test_another_tables_release_with_more_tables_is_left_alone(released, tmp_path):
    corrupted(released, tmp_path)
    make_source(tmp_path, TYPES, ROWS)
    data = data_of()
    data["release"]["table"] = "other"
    with pytest.raises(PolicyError, match="is the release of another table, r"):
        anonsql.run(Policy.parse(data, tmp_path))


# what is refused


def refused(**changes):
    data = data_of()
    for path, value in changes.items():
        *outer, last = path.split("__")
        inner = data
        for name in outer:
            inner = inner.setdefault(name, {})
        inner[last] = value
    return data


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"columns__id": {"role": "sensitive"}},
            "exactly one sensitive column, and the policy has 2: disease, id",
        ),
        (
            {
                "columns__disease": {"role": "insensitive"},
                "privacy__l_diversity": {},
                "privacy__k": 2,
            },
            "exactly one sensitive column, and the policy has none",
        ),
        (
            {"privacy__l_diversity": {}, "privacy__k": 2},
            "privacy.l_diversity: anatomy needs it for the sensitive column",
        ),
        (
            {"privacy__l_diversity": {"disease": {"l": 2, "type": "entropy"}}},
            "privacy.l_diversity.disease.type: found entropy",
        ),
        (
            {"privacy__t_closeness": {"disease": 0.5}},
            "privacy.t_closeness.disease: anatomy keeps only l_diversity",
        ),
        ({"privacy__entity": "id"}, "privacy.entity: anatomy publishes"),
        (
            {"privacy__population": {"database": "p.duckdb", "table": "t"}, "privacy__k_map": 2},
            "privacy.population: anatomy publishes",
        ),
        (
            {"privacy__suppression_limit": 0.1},
            "privacy.suppression_limit: anatomy suppresses no row",
        ),
        ({"release__suppressed": "mask"}, "release.suppressed: found mask"),
        (
            {"columns__age": {"role": "qi", "max_level": 1}},
            "columns.age: min_level and max_level have no effect with anatomy",
        ),
        (
            {"privacy__quasi_identifiers": [["age"], ["sex"]]},
            "several quasi_identifiers need full-domain",
        ),
    ],
)
def test_what_anatomy_cannot_promise_is_refused(changes, message):
    with pytest.raises(PolicyError, match=re.escape(message)):
        Policy.parse(refused(**changes))


@pytest.mark.parametrize(
    ("column", "role", "named"),
    [
        ("Group_ID", "insensitive", "group_id"),
        ("group_id", "identifying", "group_id"),
        ("COUNT", "sensitive", "count"),
    ],
)
def test_names_that_clash(tmp_path, column, role, named):
    types = {"age": "INTEGER", "disease": "VARCHAR", column: "INTEGER"}
    make_source(tmp_path, types, [(n, "ab"[n % 2], n % 2) for n in range(8)])
    sensitive = "disease" if role != "sensitive" else column
    data = data_of(
        columns={"age": "qi", "disease": "insensitive", column: role} | {sensitive: "sensitive"}
    )
    data["privacy"]["l_diversity"] = {sensitive: 2}
    with pytest.raises(
        PolicyError, match=f"its column '{named}' would have the same name as another column"
    ):
        anonsql.run(Policy.parse(data, tmp_path))


def test_check_tells_what_a_run_would(tmp_path, caplog):
    rows = [(n, "m", "secret" if n < 9 else f"d{n}", n) for n in range(20)]
    policy = made(tmp_path, rows, least=3)
    checked = anonsql.check(policy)
    assert [(problem.where, problem.remedy) for problem in checked.problems] == [
        ("privacy.l_diversity.disease", "Lower l to 2 or less, or choose another method.")
    ]
    for show in (False, True):
        caplog.clear()
        with pytest.raises(
            PrivacyError, match=r"9 of 20 rows, a share of 45\.0%, and l=3"
        ) as error:
            anonsql.run(policy, show_values=show)
        assert ("secret" in caplog.text) is show and "secret" not in str(error.value)


def test_commands_that_need_levels_refuse_it(tmp_path):
    policy = made(tmp_path)
    for command in (
        anonsql.search,
        lambda given: anonsql.compile(given, "duckdb", tmp_path / "sql"),
    ):
        with pytest.raises(PolicyError, match="anatomy"):
            command(policy)


def test_summaries_say_that_identity_is_not_hidden(tmp_path):
    made(tmp_path)
    path = write_data(tmp_path, data_of())
    shown = cli("run", path, "--verbose").stdout
    assert (
        "Identity is not hidden" in flat(shown)
        and "shares its quasi-identifying values" not in shown
    )
    queries = re.findall(r"^  (SELECT .*?;)$", shown, re.M | re.S)
    assert len(queries) == 3
    _, expected, (share,) = (rows_of(tmp_path / "release.duckdb", query) for query in queries)
    assert len(expected) == 10 and share == (0.5,)
    again = cli("verify", path).stdout
    assert "Identity is not hidden" in flat(again)
    document = json.loads(cli("run", path, "--if-changed", "--json").stdout)
    assert document["status"] in ("published", "unchanged") and document["extra_tables"] == [
        "r__sensitive"
    ]


@needs_data
def test_adult(tmp_path):
    quasi = ["age", "sex", "race"]
    columns = {
        name: "qi" if name in quasi else "sensitive" if name == "occupation" else "insensitive"
        for name in ADULT
    }
    data = data_of(columns=columns) | {"source": {"file": str(DATA / "adult" / "adult.csv")}}
    data["privacy"]["l_diversity"] = {"occupation": 7}
    given = Policy.parse(data, tmp_path)
    report = anonsql.run(given)
    assert report.classes == report.released // 7 and report.min_class == 7
    read = tmp_path / "release.duckdb"
    assert rows_of(read, "SELECT max(count), count(*) FROM r__sensitive") == [(1, report.released)]
    assert anonsql.verify(given).classes == report.classes
