"""A release as one CSV file with its companion: every value comes back as it was, nothing else is
taken for a release, and a run that ends between the two files harms nobody."""

import contextlib
import csv
import hashlib
import json
import sqlite3
import stat

import pytest

import anonsql
from anonsql.engines import column_types, rename
from anonsql.errors import PolicyError, VerificationError

from .support import in_file, in_memory, make_table, policy_data, rows_of
from .test_values import CARRIED, SPELLED, TYPES, make_source, texts

TEXTS = [
    *("", "NULL", "null", " ", " leading", "trailing ", "a,b", "a;b", 'say "yes"', '"', '""', "'"),
    *("two\nlines", "two\r\nlines", "\r", "\n", "a\tb", "\\", "\\N", "#", "=1+1", "+1", "-1", "@a"),
    *("ünï 🎉 \u202e", "\ufefftext", "0123", "1e5", "true", "2020-01-01", "x" * 100_000, None),
]
VALUES = {
    "VARCHAR": TEXTS,
    "BOOLEAN": ["true", "false", None],
    "BIGINT": [str(-(2**63)), str(2**63 - 1), "0", None],
    "HUGEINT": [str(-(2**127)), str(2**127 - 1), None],
    "UHUGEINT": [str(2**128 - 1), "0", None],
    "DECIMAL(38,10)": ["1234567890123456789012345678.0123456789", "-0.0000000001", None],
    "DOUBLE": [
        *("0.1", "1e308", "5e-324", "-0.0", "0.30000000000000004", "123456789012345680"),
        *("nan", "inf", "-inf", None),
    ],
    "FLOAT": ["0.1", "16777216", "1e-45", "nan", "-inf", None],
    "DATE": ["0044-03-15 (BC)", "9999-12-31", "infinity", "1582-10-10", None],
    "TIME": ["00:00:00", "23:59:59.999999", None],
    "TIMESTAMP": ["1969-12-31 23:59:59.999999", "0001-01-01 (BC) 00:00:00", "-infinity", None],
    "TIMESTAMP_NS": ["2020-01-01 00:00:00.123456789", None],
    "TIMESTAMP WITH TIME ZONE": ["2020-06-01 12:00:00+02", "1900-01-01 00:00:00+00", None],
    "UUID": ["00000000-0000-0000-0000-000000000001", None],
    "INTERVAL": ["1 year 2 months -3 days 04:05:06.000007", None],
    "JSON": ['{"a": [1,  2], "b": "x\\"y"}', None],
}
COLUMNS = {"q": {"type": "interval", "widths": [10, 20]}, "x": "sensitive"}


def made(folder, kind="VARCHAR", values=("a", "b", "c"), **more):
    """A policy over a table of one quasi-identifying and one sensitive column, to a CSV file."""
    rows = [(number % 4, value) for number, value in enumerate(list(values) * 4)]
    (folder / "source.duckdb").unlink(missing_ok=True)
    make_table(folder / "source.duckdb", {"q": "INTEGER", "x": kind}, rows)
    columns = more.pop("columns", COLUMNS)
    return policy_data(columns, **{"release": {"file": "out.csv"}, **more})


@pytest.fixture
def released(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    policy = made(tmp_path)
    anonsql.run(policy, if_changed=True)
    return policy, tmp_path / "out.csv", tmp_path / "out.csv.about.json"


@pytest.mark.parametrize("kind", VALUES)
def test_every_value_comes_back(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    policy = made(tmp_path, kind, VALUES[kind])
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    told = json.loads((tmp_path / "out.csv.about.json").read_text())
    types = {item["name"]: item["type"] for item in told["types"]}
    assert types["x"] == kind
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(types) == ["q", "q_lo", "q_hi", "x"]
    source = rows_of(tmp_path / "source.duckdb", "SET TimeZone = 'UTC'; SELECT x::VARCHAR FROM t")
    assert sorted(row[3] for row in rows) == sorted(text or "" for (text,) in source)
    # NULL and the empty text are told apart, which Python's csv does not do
    found = in_memory(
        "SELECT COUNT(*) FROM read_csv('out.csv', header = true, all_varchar = true,"
        " allow_quoted_nulls = false) WHERE x IS NULL"
    )
    assert found == [(sum(text is None for (text,) in source),)]


def test_values_of_every_type_that_csv_can_hold_keep_their_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    types = {kind: TYPES[kind] for kind in TYPES if column_types.fits_csv(kind)}
    names = make_source(tmp_path, types)
    roles = {name: ("sensitive", "insensitive")[n % 2] for n, name in enumerate(names.values())}
    columns = {"q": {"type": "suppression"}, **roles}
    anonsql.run(policy_data(columns, release={"file": "out.csv"}))
    told = json.loads((tmp_path / "out.csv.about.json").read_text())
    carried = {item["name"]: item["type"] for item in told["types"]}
    fields = ", ".join(f"'{name}': 'VARCHAR'" for name in carried)
    read = f"read_csv('out.csv', header = true, allow_quoted_nulls = false, columns = {{{fields}}})"
    for kind, name in names.items():
        wanted, _ = texts(tmp_path / "source.duckdb", "f.t", name)
        assert carried[name] == CARRIED["duckdb"].get(kind, SPELLED.get(kind, kind))
        as_told = f"(SELECT CAST({name} AS {carried[name]}) AS {name} FROM {read})"
        assert texts(tmp_path, as_told, name)[0] == wanted, kind


def test_types_that_csv_cannot_hold_are_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    types = {kind: TYPES[kind] for kind in TYPES if not column_types.fits_csv(kind)}
    assert len(types) > 10
    names = make_source(tmp_path, types)
    columns = {"q": {"type": "suppression"}, **dict.fromkeys(names.values(), "insensitive")}
    found = anonsql.check(policy_data(columns, release={"file": "out.csv"})).problems
    unheld = {kind: name for kind, name in names.items() if "ENUM" not in kind}
    assert {item.where for item in found} == {f"columns.{name}" for name in unheld.values()}


def test_the_companion_tells_what_csv_cannot(released):
    _, file, companion = released
    told = json.loads(companion.read_text())
    assert told["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert told["bytes"] == file.stat().st_size
    assert ["k", "2"] in told["about"]
    assert ["q", "quasi-identifying"] in [row[:2] for row in told["columns"]]


def test_only_the_owner_can_read_what_is_not_published(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    replace, modes = rename.replace_file, {}

    def noted(built, target, mode):
        modes[target.name] = stat.S_IMODE(built.stat().st_mode)
        replace(built, target, mode)

    monkeypatch.setattr(rename, "replace_file", noted)
    anonsql.run(made(tmp_path))
    assert list(modes.items()) == [("out.csv.about.json", 0o600), ("out.csv", 0o600)]


def test_the_mode_of_an_earlier_release_stays(released):
    policy, file, companion = released
    file.chmod(0o644)
    companion.chmod(0o640)
    anonsql.run(policy)
    assert [stat.S_IMODE(item.stat().st_mode) for item in (file, companion)] == [0o644, 0o640]


def test_one_changed_value_is_found(released):
    policy, file, _ = released
    text = file.read_text()
    file.write_text(text[:-2] + ("a" if text[-2] != "a" else "b") + "\n")
    with pytest.raises(VerificationError, match=r"differs from its companion out\.csv\.about"):
        anonsql.verify(policy)
    with pytest.raises(VerificationError, match="differs from its companion"):
        anonsql.query(str(file), "SELECT COUNT(*) FROM out")
    changed = file.read_text()
    with pytest.raises(PolicyError, match=r"differs from its companion .* or remove this one"):
        anonsql.run(policy, if_changed=True)
    assert file.read_text() == changed  # it may be somebody's work
    file.unlink()
    assert anonsql.run(policy, if_changed=True).status == "published"
    anonsql.verify(policy)


def retold(file, companion, content, change=None):
    """Another file, and a companion that tells of it."""
    file.write_bytes(content)
    told = json.loads(companion.read_text())
    told |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    if change:
        change(told)
    companion.write_text(json.dumps(told))


def test_a_changed_pair_is_judged_by_its_rows(released):
    """Whoever changes both files meets the checks that every release meets."""
    policy, file, companion = released
    content = file.read_bytes()
    more = content.splitlines()[1].replace(b"[0,10)", b"[10,20)") + b"\n"
    retold(file, companion, content + more)
    with pytest.raises(VerificationError) as caught:
        anonsql.verify(policy)
    assert "companion" not in str(caught.value)


def swapped(told):
    told[-1]["name"], told[-2]["name"] = told[-2]["name"], told[-1]["name"]


def repeated(told):
    told[-1]["name"] = told[-2]["name"].upper()


@pytest.mark.parametrize("change", [swapped, repeated])
def test_the_names_are_those_of_the_first_record(tmp_path, monkeypatch, change):
    monkeypatch.chdir(tmp_path)
    rows = [(number % 4, "abc"[number % 3], "xyz"[number % 3]) for number in range(12)]
    make_table(tmp_path / "source.duckdb", {"q": "INTEGER", "x": "VARCHAR", "y": "VARCHAR"}, rows)
    policy = policy_data({**COLUMNS, "y": "sensitive"}, release={"file": "out.csv"})
    anonsql.run(policy)
    companion = tmp_path / "out.csv.about.json"
    told = json.loads(companion.read_text())
    change(told["types"])
    companion.write_text(json.dumps(told))
    for command in (
        lambda: anonsql.verify(policy),
        lambda: anonsql.query("out.csv", "SELECT COUNT(*) FROM out"),
    ):
        with pytest.raises(VerificationError, match=r"each once and in that order") as caught:
            command()
        assert str(companion.name) in str(caught.value)


def test_a_repeated_name_is_refused_though_the_file_has_it_too(released):
    policy, file, companion = released
    content = file.read_bytes().replace(b"q_hi", b"q_lo", 1)
    retold(file, companion, content, lambda told: told["types"][2].update(name="q_lo"))
    with pytest.raises(VerificationError, match=r"each once and in that order"):
        anonsql.verify(policy)


@pytest.mark.parametrize("first", [b"", b"\xff\xfe", b'"q', b"1,2,3,4\n"])
def test_a_first_record_that_names_nothing_is_not_told(released, first):
    policy, file, companion = released
    retold(file, companion, first + (file.read_bytes() if first else b""))
    with pytest.raises(VerificationError, match=r"does not name the columns") as caught:
        anonsql.verify(policy)
    assert "1,2,3,4" not in str(caught.value)


@pytest.mark.parametrize("times", [1, 2])
def test_a_run_that_ends_between_the_two_files(released, monkeypatch, times):
    policy, file, companion = released
    before, told = file.read_bytes(), companion.read_bytes()
    in_file(file.with_name("source.duckdb"), "UPDATE t SET x = 'new' WHERE q = 0")
    replace = rename.replace_file

    def killed(built, target, mode):
        if target == file:
            raise KeyboardInterrupt
        replace(built, target, mode)

    monkeypatch.setattr(rename, "replace_file", killed)
    for _ in range(times):
        with pytest.raises(KeyboardInterrupt):
            anonsql.run(policy)
    monkeypatch.undo()
    monkeypatch.chdir(file.parent)
    assert file.read_bytes() == before
    assert companion.read_bytes() != told
    with pytest.raises(VerificationError, match="a run ended between writing the two files"):
        anonsql.verify(policy)
    assert anonsql.run(policy, if_changed=True).status == "published"
    anonsql.verify(policy)


def test_the_first_run_may_end_between_the_two_files(released):
    policy, file, _ = released
    file.unlink()
    with pytest.raises(PolicyError, match="does not exist"):
        anonsql.verify(policy)
    assert anonsql.run(policy).status == "published"


def test_an_unchanged_release_is_left_alone(released):
    policy, file, _ = released
    before = file.stat()
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("name", ["out.csv", "out.csv.about.json"])
@pytest.mark.parametrize("text", ["name,age\nAnna,3\n", "{}", ""])
def test_a_file_of_others_is_not_replaced(tmp_path, monkeypatch, name, text):
    monkeypatch.chdir(tmp_path)
    policy = made(tmp_path)
    (tmp_path / name).write_text(text)
    for command in (anonsql.run, anonsql.verify):
        with pytest.raises(PolicyError, match=r"something else|does not exist|not a release"):
            command(policy)
    found = anonsql.check(policy).problems
    assert [item.where for item in found] == ["release.file"]
    assert (tmp_path / name).read_text() == text


def test_a_companion_cannot_smuggle_sql(released):
    policy, _, companion = released
    told = json.loads(companion.read_text())
    for kind in ("VARCHAR) AS x, (SELECT 1", "INTEGER[]", "BLOB", "varchar", 'ENUM("a")'):
        told["types"][0]["type"] = kind
        companion.write_text(json.dumps(told))
        with pytest.raises(PolicyError, match="is not a release of anonsql"):
            anonsql.verify(policy)


def test_columns_that_the_file_does_not_have_are_refused(released):
    policy, _, companion = released
    told = json.loads(companion.read_text())
    told["types"].append({"name": "more", "type": "VARCHAR"})
    companion.write_text(json.dumps(told))
    with pytest.raises(anonsql.errors.AnonsqlError):
        anonsql.verify(policy)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("VARCHAR[]", ["a"]),
        ("INTEGER[2]", [1, 2]),
        ("MAP(VARCHAR, INTEGER)", {"a": 1}),
        ("BLOB", b"a"),
    ],
)
def test_values_that_csv_cannot_hold_are_refused(tmp_path, monkeypatch, kind, value):
    monkeypatch.chdir(tmp_path)
    policy = made(tmp_path, kind, [value], columns={**COLUMNS, "x": "insensitive"})
    with pytest.raises(PolicyError, match=r"columns\.x: CSV cannot store .* ends in \.parquet"):
        anonsql.run(policy)
    assert "columns.x" in [problem.where for problem in anonsql.check(policy).problems]
    assert not (tmp_path / "out.csv").exists()
    dropped = made(tmp_path, kind, [value], columns={**COLUMNS, "x": "identifying"})
    assert anonsql.run(dropped).status == "published"


def test_tables_apart_and_arrays_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {"q": {"type": "suppression"}, "x": "sensitive"}
    apart = made(tmp_path, method={"type": "anatomy"}, columns=columns)
    apart["privacy"]["l_diversity"] = {"x": 2}
    arrays = made(tmp_path, method={"type": "ring", "sets": "array"})
    for policy, where, text in (
        (apart, "release.file", "publishes 2 tables, and a CSV file holds only one"),
        (arrays, "method.sets", "CSV has no arrays"),
    ):
        with pytest.raises(PolicyError, match=text):
            anonsql.run(policy)
        assert where in [problem.where for problem in anonsql.check(policy).problems]


def test_the_catalog_is_not_the_companion(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    policy = made(tmp_path, catalog="out.csv.about.json")
    with pytest.raises(PolicyError, match=r"catalog: this file is"):
        anonsql.run(policy)


def test_queries_and_schemes_need_the_file_alone(released):
    policy, file, _ = released
    sql = "SELECT COUNT(*) FROM out WHERE q < 10"
    answer = anonsql.query(file, sql).answers[0]
    assert answer == anonsql.query(policy, sql).answers[0]
    again = {**policy, "release": {"file": "again.csv"}}
    assert anonsql.apply(again, "out.csv").levels == anonsql.apply(again, 1).levels
    assert anonsql.measure(again)
    with pytest.raises(PolicyError, match="is not a release of anonsql"):
        (file.parent / "plain.csv").write_text("a,b\n1,2\n")
        anonsql.query("plain.csv", "SELECT COUNT(*) FROM plain")


def test_columns_with_hostile_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ['say "a", b', "two\nlines", "=1+1", " x "]
    rows = [(1, *(f"v{number}" for number in range(3)))] * 4
    make_table(tmp_path / "source.duckdb", dict.fromkeys(names, "VARCHAR"), rows)
    columns = {names[0]: {"type": "suppression"}, **dict.fromkeys(names[1:], "insensitive")}
    policy = policy_data(columns, release={"file": "out.csv"})
    anonsql.run(policy)
    anonsql.verify(policy)
    with (tmp_path / "out.csv").open(newline="") as file:
        assert next(csv.reader(file)) == names


def test_one_column_with_null(tmp_path, monkeypatch):
    """A row of one NULL is an empty line."""
    monkeypatch.chdir(tmp_path)
    make_table(tmp_path / "source.duckdb", {"q": "VARCHAR"}, [("a",)] * 3 + [(None,)] * 3)
    tree = tmp_path / "tree.csv"
    tree.write_text("a;*\n")
    policy = policy_data({"q": {"type": "file", "path": str(tree)}}, release={"file": "out.csv"})
    assert anonsql.run(policy).released == 6
    anonsql.verify(policy)


@pytest.mark.parametrize("text", ["\r", "\r\nx", "x\ry"])
def test_returns_in_the_first_row_are_no_ends_of_lines(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    with contextlib.closing(sqlite3.connect("source.sqlite")) as connection:
        connection.execute('CREATE TABLE t (q INTEGER, "x\r\n" TEXT)')
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, text)] * 3)
        connection.commit()
    columns = {"q": {"type": "suppression"}, "x\r\n": "insensitive"}
    data = policy_data(columns, k=2, release={"file": "out.csv"})
    data["source"] = {"database": "sqlite:///source.sqlite", "table": "t"}
    anonsql.run(data)
    anonsql.verify(data, against_source=True)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert [row["x\r\n"] for row in csv.DictReader(file)] == [text] * 3


def test_rows_of_sqlite_arrive(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with contextlib.closing(sqlite3.connect("source.sqlite")) as connection:
        connection.execute("CREATE TABLE t (q INTEGER, x TEXT, y REAL, raw BLOB)")
        rows = [(n % 4, text, n / 10, b"x") for n, text in enumerate(TEXTS * 4)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    columns = {**COLUMNS, "y": "insensitive", "raw": "insensitive"}
    data = policy_data(columns, release={"file": "out.csv"})
    data["source"] = {"database": "sqlite:///source.sqlite", "table": "t"}
    with pytest.raises(PolicyError, match=r"columns\.raw: CSV cannot store"):
        anonsql.run(data)
    data["columns"]["raw"] = {"role": "identifying"}
    anonsql.run(data)
    anonsql.verify(data, against_source=True)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        found = [(row["x"], float(row["y"])) for row in csv.DictReader(file)]
    assert sorted(found) == sorted((text or "", y) for _, text, y, _ in rows)
