"""Data frames: what they become is what the same table of a database becomes; nothing is left on
disk; a frame that is no table is refused by name."""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError, PrivacyError
from anonsql.policy.policy import Policy

from .support import flat, make_source, policy_data, policy_in, policy_over, released_rows

COLUMNS = {
    "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10]}},
    "sex": {"role": "qi", "hierarchy": {"type": "suppression"}},
    "name": {"role": "identifying"},
    "disease": {"role": "sensitive"},
}
ROWS = [(20 + i % 17, "fm"[i % 2], f"name {i}", "abcd"[i % 4]) for i in range(160)]
FRAME = pd.DataFrame(ROWS, columns=["age", "sex", "name", "disease"])
POLICY = {"columns": COLUMNS, "privacy": {"k": 5}}


def relation(frame):
    connection = duckdb.connect()
    connection.register("frame", frame)
    return connection.table("frame")


KINDS = {
    "pandas": lambda frame: frame,
    "categories": lambda frame: frame.astype({"sex": "category", "disease": "category"}),
    "polars": pl.from_pandas,
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": pa.Table.from_pandas,
    "relation": relation,
}


@pytest.fixture(autouse=True)
def private(tmp_path, monkeypatch):
    """Temporary files in a folder of the test's own, which must be empty at its end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_policy_is_proposed_for_a_frame(kind):
    frame = FRAME.assign(lot=[number % 50 for number in range(len(FRAME))])
    text = anonsql.init(KINDS[kind](frame))
    proposed = yaml.safe_load(text)
    assert set(proposed["columns"]) == {*COLUMNS, "lot"} and "name 1" not in text
    assert proposed["columns"]["name"]["role"] == "identifying"
    assert not {"source", "release"} & set(proposed)
    undecided = [name for name, column in proposed["columns"].items() if column["role"] is None]
    with pytest.raises(PolicyError, match="the role is not chosen yet"):
        anonsql.anonymize(frame, proposed)
    for name in undecided:
        proposed["columns"][name] = {"role": "sensitive"}
    assert anonsql.anonymize(KINDS[kind](frame), proposed).report.min_class >= 10
    with pytest.raises(PolicyError, match="the role is not chosen yet"):
        anonsql.anonymize(frame, text)
    decided = text.replace("{role: null}", "{role: sensitive}")
    assert anonsql.anonymize(KINDS[kind](frame), decided).report.min_class >= 10


DECIDED = FRAME[["age", "sex"]].assign(zipcode=[f"{10115 + i % 3}" for i in range(160)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_proposal_that_leaves_nothing_open_is_a_policy(kind):
    frame = DECIDED.assign(disease=FRAME["disease"])
    release = anonsql.anonymize(KINDS[kind](frame), anonsql.init(KINDS[kind](frame)))
    assert release.report.verified and release.report.min_class >= 10
    asked = anonsql.query(release, "SELECT COUNT(*) FROM released WHERE age < 30")
    drawn = anonsql.read(release, draws=2)
    assert asked.answers[0].lower is not None and len(drawn.rows) == 2


def test_an_open_proposal_names_each_column_with_the_line_that_decides_it():
    """The line is run: it must be Python that decides the column."""
    work = [f"work {i % 40}" for i in range(160)]
    frame = DECIDED.assign(**{'a "lot"': [i % 50 for i in range(160)], "occupation": work})
    text = anonsql.init(frame)
    with pytest.raises(PolicyError) as error:
        anonsql.anonymize(frame, text)
    found = {problem.where: problem for problem in error.value.problems}
    assert set(found) == {'columns.a "lot".role', "columns.occupation.hierarchy"}
    policy = yaml.safe_load(text)
    for problem in found.values():
        assert "yaml.safe_load(text)" in problem.remedy
        exec(problem.remedy.split("and set `")[1].split("`")[0], {"policy": policy})
    assert policy["columns"]['a "lot"']["role"] == "sensitive"
    assert anonsql.anonymize(frame, policy).report.verified
    with pytest.raises(PolicyError, match="Set `policy") as error:
        anonsql.anonymize(frame, yaml.safe_load(text))
    assert "safe_load" not in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_messages_name_the_frame(kind):
    """Neither a temporary file nor a source or a view that a frame does not have."""
    settings = {"type": "table", "table": "x", "key": "y", "levels": ["z"]}
    countries = {"type": "countries"}
    wrong = [
        {"columns": {**COLUMNS, "more": {"role": "insensitive"}}},
        {"columns": {**COLUMNS, "sex": {"role": "qi", "hierarchy": settings}}},
        {"columns": {**COLUMNS, "sex": {"role": "qi", "hierarchy": countries}}},
        {"privacy": {"k": 161}},
    ]
    for change in wrong:
        with pytest.raises(anonsql.AnonsqlError) as error:
            anonsql.anonymize(KINDS[kind](FRAME), {**POLICY, **change})
        said = str(error.value)
        assert "the frame" in said
        for word in ("source ", ".duckdb", tempfile.gettempdir(), "a view", "--show-values"):
            assert word not in said, said
    with pytest.raises(PolicyError, match="table: the frame has no rows"):
        anonsql.init(KINDS[kind](FRAME).limit(0) if kind == "relation" else pl.DataFrame({"a": []}))


def test_warnings_name_the_frame():
    frame = FRAME.assign(sex=["DE", "fr"] * 78 + ["DE", "DE", "DE", "secret"])
    columns = {**COLUMNS, "sex": {"role": "qi", "hierarchy": {"type": "countries"}}}
    release = anonsql.anonymize(frame, {**POLICY, "columns": columns})
    (warning,) = [w for w in release.report.warnings if w.where == "columns.sex.hierarchy"]
    assert "correct them in the frame" in warning.remedy
    assert "`show_values=True` shows" in warning.remedy and "secret" not in str(warning)


@pytest.mark.parametrize("wrong", [FRAME, FRAME["age"], 3, None, pl.from_pandas(FRAME)])
def test_what_is_no_policy_or_release_is_refused_with_what_is(wrong):
    asked = "SELECT COUNT(*) FROM released"
    for function in (lambda: anonsql.query(wrong, asked), lambda: anonsql.read(wrong)):
        with pytest.raises(
            PolicyError, match=r"is not a release.*the value that `anonymize` returned"
        ):
            function()
    for function in (anonsql.run, anonsql.check, anonsql.measure, anonsql.risk, anonsql.verify):
        with pytest.raises(PolicyError, match=r"is not a policy.*`anonymize` takes data frames"):
            function(wrong)


def test_what_anonymize_returned_is_no_policy():
    release = anonsql.anonymize(FRAME, POLICY)
    with pytest.raises(
        PolicyError, match="`query` and `read` take the value that `anonymize` returned"
    ):
        anonsql.measure(release)
    for function in (anonsql.measure, anonsql.verify, anonsql.risk):
        with pytest.raises(
            PolicyError, match=r"To verify or measure it yourself, .* to `run` first"
        ):
            function(release)
    with pytest.raises(PolicyError, match="in the value that `anonymize` returned"):
        anonsql.query(release, "SELECT COUNT(*) FROM r")


def test_no_policy_is_proposed_for_what_is_no_table_or_empty():
    with pytest.raises(PolicyError, match="no rows"):
        anonsql.init(FRAME.head(0))
    with pytest.raises(PolicyError, match="not a table"):
        anonsql.init([1, 2])


def test_dates_as_text_get_a_remedy_for_frames():
    frame = FRAME.assign(born=["1980-01-02"] * len(FRAME))
    dates = {"role": "qi", "hierarchy": {"type": "date", "levels": ["year"]}}
    with pytest.raises(PolicyError, match=r"pandas\.to_datetime"):
        anonsql.anonymize(frame, {**POLICY, "columns": {**COLUMNS, "born": dates}})
    text = flat(anonsql.init(frame).replace("# ", ""))
    assert "convert them to dates in the frame" in text and "parse_dates" in text
    read = frame.assign(born=pd.to_datetime(frame["born"]))
    assert "type: date, levels: [" in anonsql.init(read)


def test_a_column_that_is_the_index_is_named_as_such():
    columns = {**COLUMNS, "other": {"role": "insensitive"}}
    for index in ("age", ["age", "name"]):
        with pytest.raises(PolicyError) as error:
            anonsql.anonymize(FRAME.set_index(index), {**POLICY, "columns": columns})
        found = {problem.where: str(problem) for problem in error.value.problems}
        assert "no such column" in found.pop("columns.other")
        assert set(found) == {f"columns.{name}" for name in ([index] if index == "age" else index)}
        for problem in found.values():
            assert "this is the frame's index" in problem and "reset_index()" in problem
    assert anonsql.anonymize(FRAME.set_index("age").reset_index(), POLICY).report.verified


def test_errors_show_only_their_own_message():
    """An error that is worded anew does not print the first one before it."""
    wrong = {**POLICY, "columns": {**COLUMNS, "more": {"role": "insensitive"}}}
    for policy in (wrong, {**POLICY, "privacy": {"k": 161}}):
        with pytest.raises(anonsql.AnonsqlError) as error:
            anonsql.anonymize(FRAME, policy)
        assert error.value.__suppress_context__ and error.value.__cause__ is None


def test_the_page_of_a_release_names_the_argument_of_python(tmp_path):
    release = anonsql.anonymize(FRAME, POLICY)
    with pytest.raises(PolicyError, match=r'in Python `audience="recipient"`'):
        anonsql.report(release, tmp_path / "r.html")
    anonsql.report(release, tmp_path / "r.html", audience="recipient")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The release of the same table in a database."""
    folder = tmp_path_factory.mktemp("database")
    types = ["INTEGER", "VARCHAR", "VARCHAR", "VARCHAR"]
    anonsql.run(policy_over(folder, dict(zip(COLUMNS, types, strict=True)), ROWS, COLUMNS, k=5))
    return sorted(released_rows(folder, "SELECT * FROM r"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_becomes_what_its_table_becomes(kind, expected):
    release = anonsql.anonymize(KINDS[kind](FRAME), POLICY)
    assert sorted(release.relation.fetchall()) == expected
    assert release.report.verified and release.report.min_class >= 5


def test_a_release_is_asked_and_read_as_one_that_is_published():
    release = anonsql.anonymize(FRAME, {**POLICY, "release": {"table": "r"}})
    answered = anonsql.query(release, "SELECT COUNT(*), AVG(age) FROM r WHERE disease = 'a'")
    count, mean = answered.answers
    rows = [row for row in ROWS if row[3] == "a"]
    assert (count.lower, count.upper) == (len(rows), len(rows)) and rows
    assert mean.lower <= sum(row[0] for row in rows) / len(rows) <= mean.upper
    assert (answered.release.database, answered.release.table) == ("memory", "r")
    assert anonsql.query(release, "SELECT STDDEV(age) FROM r").draws == 5
    drawn = anonsql.read(release, draws=2)
    assert [len(rows) for rows in drawn.rows] == [len(ROWS)] * 2
    assert len(drawn.expected()) == len(ROWS)
    with pytest.raises(PolicyError, match="there is no release of a table 'q'"):
        anonsql.query(release, "SELECT COUNT(*) FROM q")


def test_a_release_is_read_as_any_frame(expected):
    release = anonsql.anonymize(FRAME, POLICY)
    names = ["age", "age_lo", "age_hi", "sex", "disease"]
    assert list(release.to_pandas().columns) == release.to_polars().columns == names
    assert release.to_arrow().column_names == names
    assert sorted(release.to_polars().rows()) == expected
    assert release.tables == ["rows", "about", "columns", "completed"]
    assert release.about["k"] == "5" and release.about["rows"] == "160"
    assert release.table("columns").fetchall()[0][0] == "age"
    assert "160 rows" in repr(release) and "name 1" not in repr(release)
    assert release.report.release.database == "memory"


def test_all_tables_of_a_method_are_there():
    policy = POLICY | {
        "privacy": {"k": 4, "l_diversity": {"disease": 2}},
        "method": {"type": "local"},
    }
    release = anonsql.anonymize(FRAME, policy)
    tables = ["rows", "about", "columns", "sensitive_1", "expanded", "completed"]
    assert release.tables == tables
    assert sum(count for _, _, count in release.table("sensitive_1").fetchall()) == 160
    assert release.table("expanded").count("*").fetchall()[0][0] > 160


def test_a_policy_with_a_source_gets_the_frame_in_its_place(tmp_path, expected):
    data = policy_data(COLUMNS, k=5)
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(data))
    for given in (path, str(path), Policy.load(path), data):
        release = anonsql.anonymize(FRAME, given)
        assert sorted(release.relation.fetchall()) == expected
        assert release.report.release.table == "r"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["policy.yaml", "temporary"]


def test_hierarchies_are_found_beside_the_policy(tmp_path):
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    columns = COLUMNS | {"sex": {"role": "qi", "hierarchy": {"type": "file", "path": "sex.csv"}}}
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(POLICY | {"columns": columns}))
    assert anonsql.anonymize(FRAME, path).report.verified


def test_a_promise_that_cannot_be_kept_gives_nothing():
    with pytest.raises(PrivacyError):
        anonsql.anonymize(FRAME, POLICY | {"privacy": {"k": 161}})


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ([1, 2], "not a table"),
        ({"age": [1]}, "not a table"),
        (None, "not a table"),
        (FRAME.set_axis(["age", "age", "name", "disease"], axis=1), "several columns"),
        (FRAME.set_axis(["age", "AGE", "name", "disease"], axis=1), "several columns"),
        (FRAME.set_axis(["age", 7, "name", "disease"], axis=1), "type int"),
        (FRAME.assign(sex=["f", 1] * 80), "several types"),
        (FRAME.assign(sex=[{"a"}, "x"] * 80), "several types"),
        (FRAME.drop(columns="sex"), "columns.sex"),
        (FRAME.assign(more=1), "columns.more"),
        (FRAME.assign(sex=[["f"]] * 160), "columns.sex"),
    ],
)
def test_what_is_no_table_is_refused_by_name(frame, says):
    with pytest.raises(PolicyError, match=says):
        anonsql.anonymize(frame, POLICY)


def test_wrong_arguments_are_refused_by_name():
    for wrong in (None, 3):
        with pytest.raises(PolicyError, match="not a policy"):
            anonsql.anonymize(FRAME, wrong)
    with pytest.raises(PolicyError, match="has no 'zzz'"):
        anonsql.anonymize(FRAME, POLICY).table("zzz")


def test_an_empty_frame_is_refused_or_empty():
    try:
        assert anonsql.anonymize(FRAME.iloc[:0], POLICY).report.released == 0
    except anonsql.AnonsqlError as error:
        assert error.exit_code in (1, 2)


def test_moments_with_a_time_zone_are_released_in_utc():
    moment = datetime(2024, 5, 6, 7, tzinfo=UTC)
    frame = FRAME.assign(seen=pd.Series([moment] * 160).dt.tz_convert("America/New_York"))
    policy = POLICY | {"columns": COLUMNS | {"seen": {"role": "insensitive"}}}
    found = anonsql.anonymize(frame, policy).to_pandas()["seen"]
    assert {pd.Timestamp(item).tz_convert("UTC") for item in found} == {pd.Timestamp(moment)}


def test_a_package_that_is_missing_is_named(monkeypatch):
    release = anonsql.anonymize(FRAME, POLICY)
    for package, read in (("polars", release.to_polars), ("pandas", release.to_pandas)):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(PolicyError, match=f"pip install {package}"):
            read()


def test_notebooks_see_tables_without_markup_of_the_data():
    nasty = "<img src=x onerror=alert(1)>"
    frame = FRAME.rename(columns={"sex": nasty})
    columns = {nasty if name == "sex" else name: item for name, item in COLUMNS.items()}
    release = anonsql.anonymize(frame, POLICY | {"columns": columns})
    for shown in (release._repr_html_(), release.report._repr_html_()):
        assert "<table>" in shown and nasty not in shown and "&lt;img" in shown
    assert nasty in set(release.report.to_pandas()["column"])


def test_searches_and_comparisons_are_data_frames(tmp_path):
    types = ["INTEGER", "VARCHAR", "VARCHAR", "VARCHAR"]
    make_source(tmp_path, dict(zip(COLUMNS, types, strict=True)), ROWS)
    policy = policy_in(Path(tmp_path), COLUMNS, k=5)
    found = anonsql.search(policy)
    table = found.to_pandas()
    assert len(table) == len(found.nodes) and list(table.columns)[:2] == ["age", "sex"]
    assert "generalizations keep the promise" in found._repr_html_()
    assert repr(found) == str(found) and "generalizations keep the promise" in repr(found)
    for shown in (repr(found), repr(anonsql.check(policy))):
        assert len(shown) < 2000 and len(shown.splitlines()) <= 24
        assert len(shown.splitlines()) < 2 or max(map(len, shown.splitlines())) <= 80
    compared = anonsql.compare([policy], queries=10)
    assert list(compared.to_pandas()["policy"]) == ["policy 1"]
    assert "policy 1" in compared._repr_html_()


def test_answers_and_draws_are_shown_without_markup_of_the_data():
    nasty = "<img src=x onerror=alert(1)>"
    frame = FRAME.assign(disease=nasty)
    release = anonsql.anonymize(frame, POLICY)
    answer = anonsql.query(release, "SELECT disease, COUNT(*) FROM released GROUP BY disease")
    drawn = anonsql.read(release, draws=2)
    for shown in (answer._repr_html_(), drawn._repr_html_()):
        assert "<table>" in shown and nasty not in shown and "&lt;img" in shown
    assert drawn._repr_html_().count("<tr") == 11
    assert repr(drawn) == "<2 draws of 160 rows: age, sex, disease>"
    assert "160" in repr(answer) and len(repr(answer).splitlines()) <= 24
    assert list(answer.to_pandas()["disease"]) == [nasty]
    (line,) = answer.to_pandas().to_dict("records")
    assert (line["estimate"], line["lower"], line["upper"]) == (160, 160, 160)
    rows = anonsql.query(release, "SELECT age, sex FROM released LIMIT 3").to_pandas()
    assert rows.shape == (3, 2)


def test_the_report_of_a_run_is_its_path(tmp_path):
    types = ["INTEGER", "VARCHAR", "VARCHAR", "VARCHAR"]
    make_source(tmp_path, dict(zip(COLUMNS, types, strict=True)), ROWS)
    policy = policy_in(Path(tmp_path), COLUMNS, k=5)
    done, page = anonsql.run(policy), tmp_path / "page.html"
    sql = "SELECT COUNT(*) FROM r"
    assert (
        anonsql.query(done, sql).answers == anonsql.query(tmp_path / "release.duckdb", sql).answers
    )
    assert len(anonsql.read(done).rows[0]) == 160
    assert anonsql.report(done, page, audience="recipient").recipient.rows == 160
    assert (
        anonsql.report(anonsql.anonymize(FRAME, POLICY), page, audience="recipient").recipient.rows
        == 160
    )
    tried = anonsql.run(policy, dry_run=True)
    for nowhere in (tried, anonsql.anonymize(FRAME, POLICY).report):
        with pytest.raises(PolicyError, match="published nothing that can be opened"):
            anonsql.query(nowhere, sql)
