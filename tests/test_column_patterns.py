"""Lines of a policy that stand for many columns: which line a column gets, what is refused, and that
a release by patterns is the release by single lines, for files, databases and frames."""

import datetime as dt
import json

import duckdb
import pytest
import yaml

import anonsql
from anonsql.errors import BusyError, PolicyError, VerificationError
from anonsql.features.init.command import init
from anonsql.policy.column_patterns import expanded, is_pattern, literally, matches
from anonsql.query import opening

from .engines import policy_on
from .support import cli, flat, policy_data

NAMES = ["age", "q_1", "q_2", "q_10", "size [cm]", "note"]
EXPANDED = {
    # the lines of a policy: the line of each column
    "own lines": ({"age": 1, "q_1": 2}, {"age": 1, "q_1": 2}),
    "a pattern in its place": (
        {"q_*": 1, "age": 2},
        {"q_1": 1, "q_2": 1, "q_10": 1, "age": 2},
    ),
    "an own line before a pattern": ({"q_*": 1, "q_2": 2}, {"q_1": 1, "q_10": 1, "q_2": 2}),
    "one character": ({"q_?": 1}, {"q_1": 1, "q_2": 1}),
    "a class of characters": ({"q_[0-9]*": 1}, {"q_1": 1, "q_2": 1, "q_10": 1}),
    "a name that looks like a pattern": ({"size [cm]": 1}, {"size [cm]": 1}),
    "a name that is written as a pattern": ({"size [[]cm]": 1}, {"size [cm]": 1}),
    "two patterns that agree": ({"q_*": 1, "*_10": 1}, {"q_1": 1, "q_2": 1, "q_10": 1}),
    "a default after others": (
        {"*": 0, "age": 1, "q_*": 2},
        {"size [cm]": 0, "note": 0, "age": 1, "q_1": 2, "q_2": 2, "q_10": 2},
    ),
    "a default of no column": ({"[aqsn]*": 1, "*": 0}, dict.fromkeys(NAMES, 1)),
    "a column that is not there": ({"agee": 1}, {"agee": 1}),
}


@pytest.mark.parametrize("what", EXPANDED)
def test_lines_of_columns(what):
    lines, right = EXPANDED[what]
    entries, patterns = expanded(lines, NAMES)
    assert entries == right and list(entries) == list(right)
    assert set(patterns) == {line for line in lines if line not in NAMES and is_pattern(line)}


REFUSED = {
    "no column": ({"r_*": 1}, "columns.r_*: no column of the source matches this pattern."),
    "case": ({"Q_*": 1}, "columns.Q_*: no column of the source matches this pattern."),
    "only columns with lines": (
        {"ag*": 1, "age": 2},
        "columns.ag*: no column of the source that has no line of its own matches this pattern.",
    ),
    "two that differ": (
        {"q_*": 1, "*_10": 2, "*_1*": 1},
        "columns.*_10: the column 'q_10' matches both this pattern and 'q_*', which have different settings.",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_lines_that_are_refused(what):
    lines, text = REFUSED[what]
    with pytest.raises(PolicyError) as caught:
        expanded(lines, NAMES)
    assert str(caught.value.problems[0]).startswith(text) and caught.value.problems[0].remedy


@pytest.mark.parametrize("name", ["a*b", "a?b", "a[0-9]b", "[a]", "plain"])
def test_a_name_as_a_pattern(name):
    assert matches(literally(name), name) and not matches(literally(name), "a0b")


ITEMS = 12
HEADER = ["age", "sex", "note", *(f"q_{n}" for n in range(1, ITEMS + 1))]
ROWS = [
    [20 + n // 10, "mf"[n % 2], "ab"[n % 3 == 0], *((n * item) % 5 for item in range(1, ITEMS + 1))]
    for n in range(120)
]
QI = {
    "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10]}},
    "sex": {"role": "qi", "hierarchy": {"type": "suppression"}},
}
PRIVACY = {"privacy": {"k": 3, "suppression_limit": 0.1}, "method": {"type": "full-domain"}}
BY_PATTERNS = {**QI, "q_*": {"role": "insensitive"}, "*": {"role": "identifying"}}
ONE_BY_ONE = {
    **QI,
    **{name: {"role": "insensitive"} for name in HEADER[3:]},
    "note": {"role": "identifying"},
}


def write(folder, columns, place="file", **more):
    file = folder / "people.csv"
    file.write_text("\n".join(",".join(map(str, row)) for row in [HEADER, *ROWS]) + "\n")
    source = {"file": "people.csv"}
    if place == "database":
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            connection.execute("CREATE OR REPLACE TABLE people AS FROM read_csv(?)", [str(file)])
        source = {"database": "people.duckdb", "table": "people"}
    release = {"database": "release.duckdb", "table": "r", "completed": 0}
    policy = {"source": source, "release": release, "columns": columns, **PRIVACY, **more}
    (folder / "p.yaml").write_text(yaml.safe_dump(policy, sort_keys=False))
    return folder / "p.yaml"


def released(folder):
    with duckdb.connect(str(folder / "release.duckdb"), read_only=True) as connection:
        result = connection.execute("FROM r ORDER BY ALL")
        return [column[0] for column in result.description], result.fetchall()


@pytest.mark.parametrize("place", ["file", "database"])
def test_a_release_by_patterns_is_that_by_single_lines(tmp_path, place):
    for folder, columns in (("a", BY_PATTERNS), ("b", ONE_BY_ONE)):
        (tmp_path / folder).mkdir()
        policy = write(tmp_path / folder, columns, place)
        assert anonsql.run(policy).verified
        anonsql.verify(policy, against_source=True)
        assert anonsql.run(policy, if_changed=True).status == "unchanged"
    assert released(tmp_path / "a") == released(tmp_path / "b")
    assert "note" not in released(tmp_path / "a")[0] and "q_12" in released(tmp_path / "a")[0]


def test_a_release_is_verified_without_its_source(tmp_path):
    policy = write(tmp_path, BY_PATTERNS)
    anonsql.run(policy)
    (tmp_path / "people.csv").unlink()
    assert anonsql.verify(policy).status == "verified"
    assert anonsql.query(policy, "SELECT count(*) FROM r").released == 120
    with pytest.raises(PolicyError, match=r"people\.csv"):
        anonsql.run(policy)


def test_a_release_is_verified_while_its_source_gets_columns(tmp_path):
    columns = {**QI, "q_*": {"role": "insensitive"}, "n*": {"role": "identifying"}}
    policy = write(tmp_path, columns)
    anonsql.run(policy)
    header, *rows = (tmp_path / "people.csv").read_text().splitlines()
    lines = [f"{header},q_new", *(f"{row},1" for row in rows)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    assert anonsql.verify(policy).status == "verified"
    assert anonsql.risk(policy).of == "release"
    assert "q_new" not in released(tmp_path)[0]
    anonsql.run(policy)
    assert "q_new" in released(tmp_path)[0]
    anonsql.verify(policy, against_source=True)
    with duckdb.connect(str(tmp_path / "release.duckdb")) as connection:
        connection.execute("ALTER TABLE r ADD COLUMN note VARCHAR")
    with pytest.raises(VerificationError, match="note"):
        anonsql.verify(policy)


COMPARING = {
    "measure": anonsql.measure,
    "attack": anonsql.attack,
    "report": lambda policy: anonsql.report(policy, policy.parent / "page.html"),
}


@pytest.mark.parametrize("command", COMPARING)
def test_a_comparison_names_columns_that_source_or_release_lacks(tmp_path, command):
    policy = write(tmp_path, {**QI, "q_*": {"role": "insensitive"}, "n*": {"role": "identifying"}})
    anonsql.run(policy)
    COMPARING[command](policy)
    file = tmp_path / "people.csv"
    before = file.read_text()
    file.write_text(before.replace("q_12", "q_new", 1))
    with pytest.raises(PolicyError) as caught:
        COMPARING[command](policy)
    assert [one.found for one in caught.value.problems] == [
        "the source has 1 column that the release does not have: q_new.",
        "the release has 1 column that the source does not have: q_12.",
    ]
    header, *rows = before.splitlines()
    lines = [f"{header},n_2", *(f"{row},1" for row in rows)]
    file.write_text("\n".join(lines) + "\n")
    assert "n_2" not in released(tmp_path)[0]
    COMPARING[command](policy)


def test_columns_with_ends_of_computed_names_are_the_sources(tmp_path):
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 20 + i % 40 AS age, i % 9 AS temp, i % 7 AS temp_mean,"
            " i % 5 AS temp_lo, i % 3 AS temp_hi, i % 2 AS temp_median FROM range(400) r (i)"
        )
    data = {
        "source": {"database": "s.duckdb", "table": "t"},
        "release": {"database": "release.duckdb", "table": "r"},
        "columns": {"a*": {**QI["age"], "values": "mean"}, "*": {"role": "insensitive"}},
        **PRIVACY,
        "method": {"type": "mondrian"},
    }
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    assert anonsql.run(tmp_path / "p.yaml").verified
    names = released(tmp_path)[0]
    assert "age_mean" in names and "age_lo" in names and "temp_lo" in names
    (tmp_path / "s.duckdb").unlink()
    assert anonsql.verify(tmp_path / "p.yaml").status == "verified"


def test_what_keeps_a_release_from_being_opened_is_said(tmp_path, monkeypatch):
    policy = write(tmp_path, BY_PATTERNS)
    with pytest.raises(PolicyError, match=r"release\.duckdb does not exist"):
        anonsql.verify(policy)
    anonsql.run(policy)
    (tmp_path / "release.duckdb").write_bytes(b"no database")
    with pytest.raises(PolicyError, match=r"release\.duckdb"):
        anonsql.verify(policy)

    def busy(*_):
        raise BusyError("another run holds the lock")

    monkeypatch.setattr(opening, "located", busy)
    with pytest.raises(BusyError):
        anonsql.verify(policy)


def test_check_says_how_many_columns_a_pattern_stands_for(tmp_path):
    columns = {**QI, "q_*": {"role": "insensitive"}, "*": {"role": "insensitive"}}
    result = cli("check", write(tmp_path, columns))
    said = flat(result.output)
    assert "'q_*' matches 12 columns." in said and "'*' matches 1 column." in said
    assert "1 column that the policy does not name is released unchanged: note." in said
    assert (
        "12 columns are released unchanged: q_1, q_2, q_3, q_4, q_5 and more. A column that is"
        " later added to the source and that matches will be released, too."
    ) in said
    document = json.loads(cli("check", tmp_path / "p.yaml", "--json").stdout)
    assert document["patterns"] == {"columns.q_*": 12, "columns.*": 1}
    places = [warning["where"] for warning in document["warnings"]]
    assert places.count("columns.*") == places.count("columns.q_*") == 1


def test_a_default_that_removes_needs_no_warning(tmp_path):
    report = anonsql.check(write(tmp_path, BY_PATTERNS))
    assert report.patterns == {"columns.q_*": 12, "columns.*": 1}
    assert not [one for one in report.warnings if one.where == "columns.*"]


def test_check_names_a_pattern_that_is_wrong(tmp_path):
    columns = {**BY_PATTERNS, "r_*": {"role": "sensitive"}}
    report = anonsql.check(write(tmp_path, columns))
    assert [one.where for one in report.problems] == ["columns.r_*"]
    open_role = {**QI, "q_*": {"role": None}, "note": {"role": "identifying"}}
    report = anonsql.check(write(tmp_path, open_role))
    assert [one.where for one in report.problems] == ["columns.q_*.role"]


def test_a_column_that_a_promise_names_needs_a_line_of_its_own(tmp_path):
    columns = {**QI, "q_*": {"role": "sensitive"}, "note": {"role": "identifying"}}
    privacy = {"k": 3, "l_diversity": {"q_1": {"type": "distinct", "l": 2}}}
    report = anonsql.check(write(tmp_path, columns, privacy=privacy))
    assert "give the column a line of its own" in report.problems[0].message
    own = {**columns, "q_1": {"role": "sensitive"}}
    report = anonsql.check(write(tmp_path, own, privacy=privacy))
    assert report.patterns == {"columns.q_*": 11}


def test_frames_take_patterns_and_init_writes_one_line_for_a_family():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i // 10 + 20 AS age, i % 7 AS other, "
            + ", ".join(f"(i * {n}) % 5 AS item{n:02}" for n in range(1, ITEMS + 1))
            + " FROM range(120) r (i)"
        )
        text = anonsql.init(connection.table("t"))
        policy = yaml.safe_load(text)
        assert list(policy["columns"]) == ["age", "other", "item[0-9][0-9]"]
        assert "12 columns in one line" in text
        policy["columns"]["item[0-9][0-9]"]["role"] = "insensitive"
        policy["columns"]["other"]["role"] = "identifying"
        done = anonsql.anonymize(connection.table("t"), policy)
        names = [f"item{n:02}" for n in range(1, ITEMS + 1)]
        assert set(names) <= set(done.relation.columns) and "other" not in done.relation.columns


def test_patterns_of_init_fit_digits_alone():
    with duckdb.connect() as connection:
        names = [f"q{n}_{part}" for n in (*range(7, 13), 100) for part in (1, 2)]
        columns = ", ".join(f"i % 5 AS {name}" for name in names)
        connection.execute(
            f"CREATE TABLE t AS SELECT i // 10 + 20 AS age, {columns},"
            " 'Ann ' || i % 9 AS q7_1_remark FROM range(120) r (i)"
        )
        lines = list(yaml.safe_load(anonsql.init(connection.table("t")))["columns"])
    patterns = [f"q{'[0-9]' * digits}_[0-9]" for digits in (1, 2, 3)]
    assert lines == ["age", *patterns, "q7_1_remark"]


def test_several_tables_take_patterns(tmp_path):
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i AS id, 20 + i % 3 AS age, i AS q_1, i % 5 AS q_2"
            " FROM range(60) r (i); CREATE TABLE visits AS SELECT i AS id, i % 60 AS person,"
            " i % 4 AS v_1, i % 3 AS v_2 FROM range(120) r (i)"
        )
    data = {
        "source": {"database": "s.duckdb"},
        "release": {"database": "r.duckdb"},
        "tables": {
            "people": {
                "key": "id",
                "columns": {
                    "age": {"role": "qi", "hierarchy": {"type": "suppression"}},
                    "q_*": {"role": "identifying"},
                },
            },
            "visits": {
                "key": "id",
                "references": {"person": "people"},
                "columns": {"*": {"role": "insensitive"}},
            },
        },
        "privacy": {"k": 3, "of": "people", "suppression_limit": 0.1},
        "method": {"type": "full-domain"},
    }
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    report = anonsql.check(tmp_path / "p.yaml")
    assert report.problems == []
    assert report.patterns == {"tables.people.columns.q_*": 2, "tables.visits.columns.*": 2}
    assert "tables.visits.columns.*" in [one.where for one in report.warnings]
    assert anonsql.run(tmp_path / "p.yaml").verified
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("ALTER TABLE visits ADD COLUMN v_3 INTEGER DEFAULT 1")
    assert anonsql.verify(tmp_path / "p.yaml").status == "verified"
    with pytest.raises(PolicyError, match="the source has 1 column that the release does not have"):
        anonsql.measure(tmp_path / "p.yaml")
    (tmp_path / "s.duckdb").unlink()
    assert anonsql.verify(tmp_path / "p.yaml").status == "verified"
    assert anonsql.query(tmp_path / "p.yaml", "SELECT count(*) FROM visits").released == 120


def test_patterns_and_proposals_on_every_engine(everywhere):
    """Numbers and days that are far from are found there, too."""
    engine = everywhere
    types = {
        "age": "INTEGER",
        "born": "DATE",
        **dict.fromkeys([f"q_{n}" for n in range(6)], "INTEGER"),
    }
    days = [dt.date(1900, 1, 1), *(dt.date(1950 + n, 2, 3) for n in range(49))]
    rows = [
        (999 if n % 10 == 0 else 20 + n % 50, days[n % 50], *(n * item % 4 for item in range(6)))
        for n in range(200)
    ]
    engine.make(types, rows)
    columns = {"age": {"type": "interval", "widths": [10, 100]}, "born": "identifying"}
    policy = policy_on(engine, policy_data({**columns, "q_*": "insensitive"}, k=5))
    report = anonsql.run(policy)
    assert report.released == 200 and anonsql.check(policy).patterns == {"columns.q_*": 6}
    assert anonsql.verify(policy).status == "verified"
    source, _ = engine.places()
    url = source["database"].replace("sqlite:///", f"sqlite:///{engine.folder}/")
    place = url if "://" in url or url.startswith("local[") else str(engine.folder / url)
    init(place, source["table"], engine.folder / "proposed.yaml")
    text = (engine.folder / "proposed.yaml").read_text(encoding="utf-8")
    said, lines = flat(text.replace("# ", "")), yaml.safe_load(text)["columns"]
    assert "20 values of 999 are far from" in said and "4 values of 1900-01-01 are far from" in said
    assert lines["age"]["hierarchy"]["widths"][-1] < 100 and list(lines)[-1] == "q_[0-9]"
