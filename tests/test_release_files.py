"""Files of a release are those that the run published, by their SHA-256; and what their tables may
hold, in every kind of file and with several tables."""

import hashlib
import json
import pathlib
import random
import shutil
import sqlite3

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.policy import Policy

from . import clinic
from .engines import SQLite
from .support import cli, flat, in_file, make_source, opened, policy_data, policy_in, rows_of

SECRET = "Ivan Cano, HIV"
TYPES = {"age": "INTEGER", "sex": "VARCHAR", "note": "VARCHAR", "paid": "DOUBLE", "seen": "DATE"}
COLUMNS = {
    "age": {"type": "interval", "widths": [10, 100]},
    "sex": {"type": "suppression"},
    "note": "sensitive",
    "paid": "insensitive",
    "seen": "insensitive",
}
PLACES = {
    "duckdb": {"database": "r.duckdb", "table": "r"},
    "parquet": {"file": "r.parquet"},
    "folder": {"file": "out", "table": "r"},
    "csv": {"file": "r.csv"},
    "sqlite": {"database": "sqlite:///r.sqlite", "table": "r"},
}
FILES = {
    "duckdb": ["r.duckdb"],
    "parquet": ["r.parquet"],
    "folder": ["out/r.parquet", "out/r__about.parquet", "out/r__columns.parquet"],
    "csv": ["r.csv", "r.csv.about.json"],
    "sqlite": ["r.sqlite"],
}


def rows(count=400, seed=5):
    rnd = random.Random(seed)
    notes = ("flu", "gout", "cold", "über 'x', \"y\"")
    return [
        (
            rnd.randrange(20, 60),
            rnd.choice("fm"),
            rnd.choice(notes) if n % 9 else None,
            rnd.randrange(90) / 4,
            f"2024-0{n % 8 + 1}-11",
        )
        for n in range(count)
    ]


def policy_of(folder, kind, made=None, **more):
    """A policy with a release of a kind, over a table of the same kind of engine."""
    data = policy_data(COLUMNS, k=5, **{"release": PLACES[kind], **more})
    made = rows() if made is None else made
    if kind == "sqlite":
        SQLite(folder).make(TYPES, made)
        data["source"] = {"database": "sqlite:///source.sqlite", "table": "t"}
    elif not (folder / "source.duckdb").exists():
        make_source(folder, TYPES, made)
    return Policy.parse(data, folder)


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A release of every kind, made once."""
    folders = {}
    for kind in PLACES:
        folders[kind] = tmp_path_factory.mktemp(kind)
        anonsql.run(policy_of(folders[kind], kind))
    return folders


@pytest.fixture
def release(honest, tmp_path):
    """The folder of a release, whose files are as they were after the test."""
    kinds = []

    def of(kind):
        kinds.append(kind)
        shutil.copytree(honest[kind], tmp_path / kind)
        return honest[kind]

    yield of
    for kind in kinds:
        shutil.rmtree(honest[kind])
        shutil.copytree(tmp_path / kind, honest[kind])


@pytest.fixture
def unknown(honest, tmp_path):
    """Copies of the releases with their catalogs, to be altered."""

    def copied(kind):
        shutil.copytree(honest[kind], tmp_path / kind)
        return tmp_path / kind

    return copied


def refused(folder, kind, words):
    """Both verifications refuse the release and name what was found, never a value of it."""
    for sourced in (False, True):
        with pytest.raises(VerificationError, match=words) as error:
            anonsql.verify(policy_of(folder, kind), against_source=sourced)
        assert SECRET not in str(error.value) and "Ann" not in str(error.value)
        assert "Do not pass it on" in str(error.value)
        assert ("its source has changed since" in str(error.value)) == sourced


# every kind


@pytest.mark.parametrize("kind", PLACES)
def test_an_honest_release_has_the_files_of_its_run(release, kind):
    folder = release(kind)
    policy = policy_of(folder, kind)
    for sourced in (False, True):
        assert anonsql.verify(policy, against_source=sourced).files == len(FILES[kind])
    report = anonsql.run(policy)
    found = {file.rpartition("/")[2]: (folder / file).read_bytes() for file in FILES[kind]}
    assert report.release.files == {
        name: hashlib.sha256(content).hexdigest() for name, content in found.items()
    }
    assert anonsql.verify(policy).files == len(FILES[kind])


@pytest.mark.parametrize(
    ("kind", "file"), [(kind, file) for kind, files in FILES.items() for file in files]
)
@pytest.mark.parametrize("where", ["behind", "within"])
def test_a_file_of_other_bytes_is_refused(release, kind, file, where):
    """By the engine that opens it, by what is found in it, or by its SHA-256."""
    folder = release(kind)
    data = (folder / file).read_bytes()
    half = len(data) // 2
    other = data + SECRET.encode() if where == "behind" else data[:half] + b"~" + data[half + 1 :]
    (folder / file).write_bytes(other)
    for sourced in (False, True):
        with pytest.raises(anonsql.errors.AnonsqlError) as error:
            anonsql.verify(policy_of(folder, kind), against_source=sourced)
        assert error.value.exit_code in (1, 2) and SECRET not in str(error.value)


EDITS = {
    "duckdb": ["CREATE TABLE x AS FROM range(200000)", "CHECKPOINT", "DROP TABLE x", "CHECKPOINT"],
    "sqlite": ["PRAGMA user_version = 4711"],
    "parquet": [],
}


def altered(folder, kind):
    """Change the first file of a release so that no table of it shows that; return its path."""
    path = folder / FILES[kind][0]
    if kind == "sqlite":
        sql(*EDITS[kind])(path)
    elif kind == "duckdb":
        in_file(path, *EDITS[kind])
    else:
        written_with_its_facts(path, f"FROM '{path}'")
    return path


@pytest.mark.parametrize("kind", EDITS)
def test_what_no_table_shows_is_refused_by_the_record_of_the_run(release, kind):
    """Rows that were dropped, numbers of a header, another compression."""
    folder = release(kind)
    path = altered(folder, kind)
    refused(folder, kind, f"{path.name}: the SHA-256 differs from that of the published file")


@pytest.mark.parametrize("kind", EDITS)
def test_a_scheduled_run_makes_such_a_release_anew(release, kind):
    folder = release(kind)
    policy = policy_of(folder, kind)
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    altered(folder, kind)
    assert anonsql.run(policy, if_changed=True).status == "published"
    assert anonsql.verify(policy).files == len(FILES[kind])
    assert anonsql.run(policy, if_changed=True).status == "unchanged"


@pytest.mark.parametrize("kind", PLACES)
def test_a_release_that_no_catalog_knows(unknown, kind):
    """Its tables are verified, and both outputs say that its files are not."""
    folder = unknown(kind)
    (catalog,) = folder.glob("*.anonsql.duckdb")
    catalog.unlink()
    assert anonsql.verify(policy_of(folder, kind)).files is None


@pytest.mark.parametrize("at", [0, 9, 5000, 20000, -1])
def test_a_damaged_file_is_named_whatever_the_engine_says(release, at):
    folder = release("duckdb")
    data = bytearray((folder / "r.duckdb").read_bytes())
    data[at] ^= 0xFF
    (folder / "r.duckdb").write_bytes(data)
    refused(folder, "duckdb", "r.duckdb: the SHA-256 differs")


def test_a_release_that_is_not_there_is_a_wrong_policy(release):
    folder = release("folder")
    shutil.rmtree(folder / "out")
    with pytest.raises(anonsql.errors.PolicyError):
        anonsql.verify(policy_of(folder, "folder"))
    (folder / "out").mkdir()


@pytest.mark.parametrize("sourced", [False, True])
def test_a_release_that_no_run_published_is_refused(release, sourced):
    """Its number is another one than that of the last run, and of any earlier one."""
    folder = release("duckdb")
    in_file(
        folder / "r.duckdb",
        "UPDATE r__about SET value = '0123456789abcdef' WHERE property = 'release'",
    )
    with pytest.raises(VerificationError, match="no run that published this release"):
        anonsql.verify(policy_of(folder, "duckdb"), against_source=sourced)


def test_a_release_is_known_where_it_was_moved_to_with_its_catalog(unknown):
    folder = unknown("duckdb")
    assert anonsql.verify(policy_of(folder, "duckdb")).files == 1
    with (folder / "r.duckdb").open("ab") as file:
        file.write(SECRET.encode())
    with pytest.raises(VerificationError, match="the SHA-256 differs"):
        anonsql.verify(policy_of(folder, "duckdb"))


def test_an_earlier_release_that_was_restored_is_known(release):
    folder = release("duckdb")
    before = (folder / "r.duckdb").read_bytes()
    anonsql.run(policy_of(folder, "duckdb"))
    (folder / "r.duckdb").write_bytes(before)
    assert anonsql.verify(policy_of(folder, "duckdb")).files == 1


def without_form(folder, kind):
    """Make a release one of an earlier version, whose ``__columns`` has no form."""
    if kind == "csv":
        path = folder / "r.csv.about.json"
        document = json.loads(path.read_text())
        document["columns"] = [[*row[:3], row[4]] for row in document["columns"]]
        path.write_text(json.dumps(document, indent=1) + "\n")
    elif kind == "parquet":
        path = str(folder / "r.parquet")
        with duckdb.connect() as connection:
            facts = dict(
                connection.execute(
                    "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [path]
                ).fetchall()
            )
            columns = [[*row[:3], row[4]] for row in json.loads(facts["anonsql_columns"])]
            facts["anonsql_columns"] = json.dumps(columns)
            written = ", ".join(f"{key}: {quoted(text)}" for key, text in facts.items())
            connection.execute(f"CREATE TABLE r AS FROM '{path}'")
            connection.execute(f"COPY r TO '{path}' (FORMAT parquet, KV_METADATA {{{written}}})")
    else:
        in_file(folder / "r.duckdb", "ALTER TABLE r__columns DROP form")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize("kind", ["duckdb", "parquet", "csv"])
def test_a_release_of_an_earlier_version_is_named_and_replaced(release, kind):
    folder = release(kind)
    without_form(folder, kind)
    with pytest.raises(PolicyError, match="an earlier version of anonsql made the release"):
        anonsql.query(folder / f"r.{kind}", "SELECT COUNT(*) FROM r WHERE age > 3")
    for catalog in folder.glob("*.anonsql.duckdb"):
        catalog.rename(folder / "catalog")
    with pytest.raises(VerificationError, match="an earlier version of anonsql made the release"):
        anonsql.verify(policy_of(folder, kind))
    assert anonsql.run(policy_of(folder, kind)).status == "published"
    assert anonsql.verify(policy_of(folder, kind)).status == "verified"


def test_measures_of_any_size_are_published_and_bounded(tmp_path):
    """A loss that is written with an exponent, and a measure of many digits."""
    in_file(tmp_path / "source.duckdb", "CREATE TABLE t AS SELECT n AS age FROM range(30000) r (n)")
    columns = {"age": {"type": "interval", "widths": [2, 10]}}
    policy = Policy.parse(policy_data(columns, k=2, release=PLACES["duckdb"]), tmp_path)
    assert 0 < anonsql.run(policy).metrics["loss"] < 1e-4
    (catalog,) = tmp_path.glob("*.anonsql.duckdb")
    catalog.unlink()
    for fact, value in (("discernibility", "9" * 401), ("loss", "1.5")):
        (before,) = rows_of(
            tmp_path / "r.duckdb", f"SELECT value FROM r__about WHERE property = '{fact}'"
        )[0]
        change = "UPDATE r__about SET value = '{}' WHERE property = '{}'"
        in_file(tmp_path / "r.duckdb", change.format(value, fact))
        with pytest.raises(VerificationError, match=f"__about states {fact}="):
            anonsql.verify(policy)
        in_file(tmp_path / "r.duckdb", change.format(before, fact))


@pytest.mark.parametrize("kind", ["parquet", "folder"])
def test_a_further_entry_of_a_footer_is_refused(unknown, kind):
    folder = unknown(kind)
    path = folder / FILES[kind][0]
    written_with_its_facts(path, f"FROM '{path}'", names=SECRET)
    refused(folder, kind, "not part of a release: footer entry names")


def test_the_terminal_says_whether_files_were_compared(release, unknown):
    known, other = release("csv"), unknown("duckdb")
    next(other.glob("*.anonsql.duckdb")).unlink()
    for folder, kind, words in (
        (known, "csv", "2 files have the SHA-256 that the run recorded"),
        (other, "duckdb", "no catalog here has the SHA-256 of its files"),
    ):
        data = policy_data(COLUMNS, k=5, release=PLACES[kind])
        (folder / "p.yaml").write_text(json.dumps(data))
        assert words in flat(cli("verify", folder / "p.yaml").output)
    assert (known / "p.yaml").unlink() is None


# Parquet


def written_with_its_facts(path, select, **more):
    """Write a Parquet file anew by another SELECT, with the entries of its footer and others."""
    with duckdb.connect() as connection:
        entries = connection.execute(f"FROM parquet_kv_metadata('{path}')").fetchall()
        by_key = {key.decode(): value.decode() for _, key, value in entries} | more
        quoted = {key: value.replace("'", "''") for key, value in by_key.items()}
        texts = [f"{key}: '{value}'" for key, value in quoted.items()]
        metadata = f", KV_METADATA {{{', '.join(texts)}}}" if texts else ""
        settings = f"FORMAT PARQUET, COMPRESSION SNAPPY{metadata}"
        connection.execute(f"COPY ({select}) TO '{path}.new' ({settings})")
    path.with_name(f"{path.name}.new").replace(path)


def test_facts_of_another_shape_are_no_release(unknown):
    folder = unknown("parquet")
    path = folder / "r.parquet"
    written_with_its_facts(
        path, f"FROM '{path}'", anonsql_about=json.dumps([["anonsql", "1", "2"]])
    )
    with pytest.raises(anonsql.errors.PolicyError, match="is not a release of anonsql"):
        anonsql.verify(policy_of(folder, "parquet"))


def test_a_structure_in_a_parquet_file_is_refused(unknown):
    """The names of its fields are in no row."""
    folder = unknown("parquet")
    path = folder / "r.parquet"
    written_with_its_facts(path, f"SELECT * REPLACE ({{'{SECRET}': note}} AS note) FROM '{path}'")
    for sourced in (False, True):
        with pytest.raises(VerificationError, match="no column of a release") as error:
            anonsql.verify(policy_of(folder, "parquet"), against_source=sourced)
        assert SECRET not in str(error.value)


# DuckDB


def test_a_log_beside_a_duckdb_file_is_refused(unknown):
    folder = unknown("duckdb")
    (folder / "r.duckdb.wal").write_bytes(b"")
    with pytest.raises(anonsql.errors.AnonsqlError, match=r"r\.duckdb\.wal|WAL"):
        anonsql.verify(policy_of(folder, "duckdb"))


# CSV


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"replaces": null', f'"replaces": "{SECRET}"'),
        lambda text: text.replace("{", f'{{"name": "{SECRET}",', 1),
        lambda text: text.replace("{", f'{{"sha256": "{SECRET}",', 1),
        lambda text: text + " " * 40,
    ],
)
def test_a_companion_with_other_texts_is_refused(unknown, change):
    folder = unknown("csv")
    path = folder / "r.csv.about.json"
    before = path.read_text(encoding="utf-8")
    assert change(before) != before
    path.write_text(change(before), encoding="utf-8")
    refusals = (anonsql.errors.PolicyError, VerificationError)
    with pytest.raises(refusals, match=r"has no companion|is not a release|other texts in"):
        anonsql.verify(policy_of(folder, "csv"))


def test_a_csv_release_that_replaces_another_is_verified(release):
    folder = release("csv")
    anonsql.run(policy_of(folder, "csv"))
    assert json.loads((folder / "r.csv.about.json").read_text(encoding="utf-8"))["replaces"]
    assert anonsql.verify(policy_of(folder, "csv")).status == "verified"


# SQLite


def sql(*statements):
    def change(path):
        connection = sqlite3.connect(path, isolation_level=None)
        for statement in statements:
            connection.execute(statement)
        connection.close()

    return change


def defined(old, new):
    """The statement of a table, changed where SQLite keeps it."""

    def change(path):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA writable_schema = ON")
        replaced = "UPDATE sqlite_master SET sql = REPLACE(sql, ?, ?) WHERE name = 'r'"
        connection.execute(replaced, (old, new))
        connection.execute("PRAGMA schema_version = 77")
        connection.close()

    return change


SQLITE = {
    "a log": (sql("PRAGMA journal_mode = WAL"), "file r.sqlite-"),
    "a comment": (defined('"sex"', f'"sex" /* {SECRET} */'), "definition of table r"),
    "a default": (
        defined('"note" VARCHAR', "\"note\" VARCHAR DEFAULT 'Ann'"),
        "definition of table r",
    ),
    "a check": (defined('"note" VARCHAR', '"note" VARCHAR CHECK (1)'), "definition of table r"),
    "a type": (
        defined('"note" VARCHAR', '"note" IVAN'),
        "a column of table r with a type that no run declares",
    ),
    "a row number": (
        sql("UPDATE r SET rowid = 4711 WHERE rowid = (SELECT MAX(rowid) FROM r)"),
        "row numbers other than 1, 2, 3 … of table r",
    ),
    "statistics": (sql("CREATE INDEX i ON r (sex)", "ANALYZE", "DROP INDEX i"), "sqlite_stat1"),
    "an index": (sql("CREATE INDEX jane ON r (sex)"), "index jane"),
    "a trigger": (
        sql("CREATE TRIGGER jane AFTER INSERT ON r BEGIN SELECT 1; END"),
        "trigger jane",
    ),
    "a table whose name begins like SQLite's": (
        sql("CREATE TABLE sqliteXnames (n)"),
        "table sqliteXnames",
    ),
    "a view": (sql("CREATE VIEW w AS SELECT 1"), "view w"),
}


@pytest.mark.parametrize("what", SQLITE)
def test_what_a_sqlite_file_defines_besides_is_refused(unknown, what):
    folder = unknown("sqlite")
    change, words = SQLITE[what]
    before = (folder / "r.sqlite").read_bytes()
    change(folder / "r.sqlite")
    assert (folder / "r.sqlite").read_bytes() != before
    refused(folder, "sqlite", words)


def test_a_log_beside_a_sqlite_file_is_refused(unknown):
    folder = unknown("sqlite")
    (folder / "r.sqlite-journal").write_bytes(b"Ann")
    refused(folder, "sqlite", "file r.sqlite-journal")


# several tables


@pytest.fixture(scope="module")
def clinics(tmp_path_factory):
    """A release of several tables in a DuckDB file, and in a folder."""
    found = {}
    for kind in ("duckdb", "folder"):
        path, policy = clinic.in_a_file(tmp_path_factory.mktemp(f"clinic-{kind}"))
        policy |= clinic.AT_LEVELS
        if kind == "folder":
            policy["release"] = {"file": str(path.with_name("out")), "completed": 0}
        anonsql.run(policy)
        found[kind] = policy
    return found


@pytest.mark.parametrize(
    ("kind", "table"), [("duckdb", ""), ("folder", "visits"), ("folder", "doctors__columns")]
)
def test_a_file_of_several_tables(clinics, kind, table):
    """Files that hold more are refused, and verified again as they were."""
    policy = clinics[kind]
    place = pathlib.Path(policy["release"]["database" if kind == "duckdb" else "file"])
    file = place / f"{table}.parquet" if table else place
    before = file.read_bytes()
    if table:
        written_with_its_facts(file, f"FROM '{file}'")
    else:
        in_file(file, "CREATE TABLE x AS FROM range(200000)", "DROP TABLE x", "CHECKPOINT")
    for sourced in (False, True):
        with pytest.raises(VerificationError, match=f"{file.name}: the SHA-256 differs"):
            anonsql.verify(policy, against_source=sourced)
    file.write_bytes(before)
    assert anonsql.verify(policy).files == (1 if kind == "duckdb" else len([*place.iterdir()]))


# honest releases of other shapes


WIDE = {
    "b": ("BOOLEAN", "n % 3 = 0"),
    "i": ("UTINYINT", "n % 200"),
    "h": ("HUGEINT", "n"),
    "d": ("DECIMAL(30,3)", "n / 7"),
    "f": ("FLOAT", "CASE WHEN n % 5 = 0 THEN 'NaN' WHEN n % 5 = 1 THEN '-0.0' ELSE '0.0' END"),
    "t": ("TIMESTAMP_NS", "TIMESTAMP '2024-01-01' + INTERVAL (n) MINUTE"),
    "z": ("TIMESTAMPTZ", "TIMESTAMP '2024-01-01' + INTERVAL (n) MINUTE"),
    "u": ("UUID", "uuid()"),
    "l": ("VARCHAR[]", "['x' || n % 3, NULL]"),
    "e": ("INTEGER[]", "CASE WHEN n % 2 = 0 THEN [] ELSE [n, n] END"),
    "s": ("STRUCT(a INTEGER, b VARCHAR[])", "{'a': n, 'b': ['y', 'z']}"),
    "m": ("MAP(VARCHAR, INTEGER)", "MAP {'k' || n % 3: n}"),
    "j": ("JSON", "'{}'"),
    "x": ("BLOB", "('b' || n % 3)::BLOB"),
    "v": ("INTERVAL", "INTERVAL (n % 40) DAY"),
    "file_row_number": ("INTEGER", "n"),
    "long": ("VARCHAR", "repeat('é', n % 9 * 100)"),
    "nothing": ("VARCHAR", "NULL"),
}
NOT_IN_CSV = {"l", "e", "s", "m", "x"}


@pytest.mark.parametrize("kind", ["duckdb", "parquet", "folder", "csv"])
def test_columns_of_every_type_are_verified(tmp_path, kind):
    columns = {name: item for name, item in WIDE.items() if kind != "csv" or name not in NOT_IN_CSV}
    selected = ", ".join(
        f"CASE WHEN n % 11 > 0 THEN CAST({value} AS {type_}) END AS {name}"
        for name, (type_, value) in columns.items()
    )
    in_file(
        tmp_path / "source.duckdb",
        f"CREATE TABLE t AS SELECT n % 4 AS q, {selected} FROM range(3000) s (n)",
    )
    roles = {"q": {"type": "interval", "widths": [10]}, **dict.fromkeys(columns, "insensitive")}
    policy = policy_in(tmp_path, roles, k=5, **{"release": PLACES[kind]})
    assert anonsql.run(policy).verified
    assert anonsql.verify(policy).status == "verified"


@pytest.mark.parametrize("kind", PLACES)
def test_a_release_of_few_rows_is_verified(tmp_path, kind):
    policy = policy_of(tmp_path, kind, [(30, "f", None, None, None)] * 5)
    assert anonsql.run(policy).verified
    assert anonsql.verify(policy).status == "verified"


def test_a_table_that_fills_the_log_is_written_by_one_checkpoint(tmp_path):
    """DuckDB makes a checkpoint when the log has 16 MB: one between two tables of a release would
    leave blocks that were used before."""
    with opened(tmp_path / "s.duckdb") as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i % 2 AS age, repeat(md5(i::VARCHAR), 40) AS note"
            " FROM range(14000) AS r (i)"
        )
    columns = {
        "age": {"role": "qi", "hierarchy": {"type": "suppression"}},
        "note": {"role": "insensitive"},
    }
    policy = Policy.parse(
        {
            "source": {"database": "s.duckdb", "table": "t"},
            "release": {"database": "r.duckdb", "table": "r", "completed": 0},
            "columns": columns,
            "privacy": {"k": 2},
        },
        tmp_path,
    )
    assert anonsql.run(policy).verified
    with opened(tmp_path / "r.duckdb") as connection:
        size = connection.execute("PRAGMA database_size").fetchone()
    assert size[5] == 0  # free blocks
