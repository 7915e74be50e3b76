"""What a release file may hold: its rows and facts, byte by byte, and nothing else, in every kind
of file and with several tables."""

import hashlib
import json
import random
import shutil
import sqlite3
import struct

import duckdb
import pytest

import anonsql
from anonsql.engines.duckdb.parquet import compact
from anonsql.engines.duckdb.parquet.structures import FOOTER, PAGE
from anonsql.errors import VerificationError
from anonsql.policy.policy import Policy

from . import clinic
from .engines import SQLite
from .support import in_file, make_source, opened, policy_data, policy_in

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
    """Copies of the releases, to be altered."""

    def copied(kind):
        shutil.copytree(honest[kind], tmp_path / kind)
        return tmp_path / kind

    return copied


def refused(folder, kind, words):
    """Both verifications refuse the release and name what was found, never a value of it."""
    for sourced in (False, True):
        with pytest.raises(VerificationError, match=f"no part of a release: .*{words}") as error:
            anonsql.verify(policy_of(folder, kind), against_source=sourced)
        assert SECRET not in str(error.value) and "Ann" not in str(error.value)


# every kind


@pytest.mark.parametrize("kind", PLACES)
def test_an_honest_release_is_verified(release, kind):
    folder = release(kind)
    for sourced in (False, True):
        policy = policy_of(folder, kind)
        assert anonsql.verify(policy, against_source=sourced).status == "verified"


@pytest.mark.parametrize(
    ("kind", "file"), [(kind, file) for kind, files in FILES.items() for file in files]
)
def test_bytes_behind_a_file_are_refused(release, kind, file):
    """By the engine that opens it, or by what is found in it."""
    folder = release(kind)
    with (folder / file).open("ab") as out:
        out.write(SECRET.encode() * 60)
    if file == "r.csv":
        retold(folder)
    for sourced in (False, True):
        with pytest.raises(anonsql.errors.AnonsqlError) as error:
            anonsql.verify(policy_of(folder, kind), against_source=sourced)
        assert error.value.exit_code in (1, 2) and SECRET not in str(error.value)


def retold(folder):
    """Make the companion tell the CSV file that lies beside it."""
    content = (folder / "r.csv").read_bytes()
    path = folder / "r.csv.about.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# Parquet


class Parquet:
    """A Parquet file of one row group taken to pieces: its footer, and for each column the headers
    and bodies of its pages."""

    def __init__(self, path):
        self.path, data = path, path.read_bytes()
        length = int.from_bytes(data[-8:-4], "little")
        self.footer, _ = compact.read(data[-8 - length : -8], FOOTER)
        self.columns, at = [], 4
        for chunk in self.footer[4][0][1]:
            pages, end = [], at + chunk[3][7]
            while at < end:
                header, used = compact.read(data[at : at + 1000], PAGE)
                pages.append([header, data[at + used : at + used + header[3]]])
                at += used + header[3]
            self.columns.append(pages)

    def facts(self, name):
        """What the footer says of a column."""
        chunks = self.footer[4][0][1]
        return next(chunk[3] for chunk in chunks if chunk[3][3][0] == name.encode())

    def pages(self, name):
        """The pages of a column."""
        chunks = self.footer[4][0][1]
        return self.columns[[chunk[3][3][0] for chunk in chunks].index(name.encode())]

    def write(self, between=b"", footer=FOOTER):
        """Write it again, all lengths and positions true."""
        out, group = bytearray(b"PAR1"), self.footer[4][0]
        for chunk, pages in zip(group[1], self.columns):
            facts, start, unpacked = chunk[3], len(out), 0
            facts.pop(11, None)
            for header, body in pages:
                header[3] = len(body)
                facts[11 if header[1] == 2 else 9] = len(out)
                head = compact.written(header, PAGE)
                out += head + body
                unpacked += len(head) + header[2]
            facts[6], facts[7] = unpacked, len(out) - start
        group[2] = sum(chunk[3][6] for chunk in group[1])
        group[6] = len(out) - 4
        foot = compact.written(self.footer, footer)
        self.path.write_bytes(
            bytes(out) + between + foot + len(foot).to_bytes(4, "little") + b"PAR1"
        )


def test_a_parquet_file_written_again_is_verified(release):
    folder = release("parquet")
    Parquet(folder / "r.parquet").write()
    assert anonsql.verify(policy_of(folder, "parquet")).status == "verified"


def entry(key):
    return lambda file: file.footer.setdefault(5, []).append({1: key, 2: SECRET.encode()})


def twice(file):
    file.footer[5].append(dict(file.footer[5][0]))


def spaced(file):
    file.footer[5][0][2] = file.footer[5][0][2].replace(b", ", b",", 1)


def longer(file):
    """A further field in a row of the facts."""
    told = json.loads(file.footer[5][0][2])
    told[0].append(SECRET)
    file.footer[5][0][2] = json.dumps(told, ensure_ascii=False).encode()


def extreme(field, value):
    """Another least (6) or greatest (5) value, in both fields that have it."""

    def change(file):
        facts = file.facts("note")[12]
        assert facts[field] == facts[{5: 1, 6: 2}[field]]
        facts[field] = facts[{5: 1, 6: 2}[field]] = value

    return change


def writer(version):
    return lambda file: file.footer.update({6: b"DuckDB version %s (build 8d78114e90)" % version})


def stated(field, change):
    def changed(file):
        facts = file.facts("note")[12]
        facts[field] = change(facts.get(field))

    return changed


def skipped(page):
    """A frame behind a page that decoders skip."""

    def change(file):
        frame = b"\x50\x2a\x4d\x18" + len(SECRET).to_bytes(4, "little") + SECRET.encode()
        file.pages("note")[page][1] += frame

    return change


FOOTERS = {
    "an entry": (entry(b"names"), "footer entry names in r.parquet"),
    "an entry twice": (twice, "second footer entry anonsql_about"),
    "an entry written otherwise": (spaced, "footer entry anonsql_about"),
    "a writer of any length": (writer(b"v2.0.1-%s" % (b"A" * 3000)), "another writer"),
    "a writer with a word": (writer(b"v2.0.1-Ann"), "another writer"),
    "a writer of many digits": (writer(b"v2.0.%s" % (b"7" * 3000)), "another writer"),
    "another writer": (lambda file: file.footer.update({6: SECRET.encode()}), "another writer"),
    "a name of the schema": (lambda file: file.footer[2][0].update({4: b"Ann"}), "another schema"),
    "a greater maximum": (extreme(5, b"zzz Ann"), "statistics of other values .* column note"),
    "a smaller minimum": (extreme(6, b"Ann"), "statistics of other values than .* column note"),
    "a minimum of another column": (extreme(6, b"f"), "statistics of other values"),
    "another number of NULL": (stated(3, lambda n: n + 1), "numbers of NULL or NaN"),
    "another number of values": (stated(4, lambda n: n + 1), "number of distinct values"),
    "a number of NaN": (stated(9, lambda n: 7), "numbers of NULL or NaN"),
    "an inexact bound": (stated(8, lambda n: False), "statistics of column note"),
    "a frame to be skipped": (skipped(-1), "bytes behind a compressed page in column note"),
    "one in a dictionary": (skipped(0), "bytes behind a compressed page in column note"),
    "rows in the footer": (lambda file: file.footer.update({3: 7}), "number of rows"),
    "a row group's number": (lambda file: file.footer[4][0].update({7: 77}), "row group 0"),
    "a chunk's place": (lambda file: file.footer[4][0][1][0].update({2: 77}), "position"),
}


@pytest.mark.parametrize("what", FOOTERS)
def test_what_a_parquet_file_says_besides_is_refused(release, what):
    folder = release("parquet")
    file = Parquet(folder / "r.parquet")
    change, words = FOOTERS[what]
    change(file)
    file.write()
    refused(folder, "parquet", words)


NESTED = {
    "the name of an element": ({4: b"element"}, {4: SECRET.encode()}),
    "the name of a key": ({4: b"key"}, {4: SECRET.encode()}),
    "the name of a value": ({4: b"value"}, {4: SECRET.encode()}),
    "the length of a text": ({4: b"note"}, {2: 4711}),
    "the digits of a text": ({4: b"note"}, {8: 4711}),
}


@pytest.mark.parametrize("what", NESTED)
def test_names_and_numbers_of_a_schema_are_those_that_duckdb_writes(tmp_path, what):
    """DuckDB reads a file whatever they are."""
    in_file(
        tmp_path / "source.duckdb",
        "CREATE TABLE t AS SELECT n % 2 AS q, 'x' AS note, ['x'] AS l, MAP {'k': n % 3} AS m"
        " FROM range(20) s (n)",
    )
    roles = {"q": {"type": "suppression"}, **dict.fromkeys(("note", "l", "m"), "insensitive")}
    policy = policy_in(tmp_path, roles, k=5, release=PLACES["parquet"])
    anonsql.run(policy)
    file = Parquet(tmp_path / "r.parquet")
    named, change = NESTED[what]
    for element in file.footer[2]:
        if named.items() <= element.items():
            element.update(change)
            for chunk in file.footer[4][0][1]:
                chunk[3][3] = [change.get(4, n) if n == named[4] else n for n in chunk[3][3]]
    file.write()
    with duckdb.connect() as connection:
        assert len(connection.sql(f"FROM '{tmp_path}/r.parquet'").fetchall()) == 20
    words = "a column of the schema that DuckDB does not write"
    with pytest.raises(VerificationError, match=f"no part of a release: {words}"):
        anonsql.verify(policy)


def test_facts_of_another_shape_are_no_release(release):
    folder = release("parquet")
    file = Parquet(folder / "r.parquet")
    longer(file)
    file.write()
    with pytest.raises(anonsql.errors.PolicyError, match="is no release of anonsql"):
        anonsql.verify(policy_of(folder, "parquet"))


@pytest.mark.parametrize(
    ("kind", "file"), [("parquet", "r.parquet"), *(("folder", file) for file in FILES["folder"])]
)
def test_parquet_files_of_every_place(release, kind, file):
    folder = release(kind)
    name = file.rpartition("/")[2]
    change = Parquet(folder / file)
    entry(b"names")(change)
    change.write()
    refused(folder, kind, f"footer entry names in {name}")
    change.footer[5].pop()
    change.write(between=SECRET.encode())
    refused(folder, kind, f"{len(SECRET)} bytes between its rows and its footer in {name}")


def test_fields_that_the_format_has_for_others(release):
    """A footer with a field more, and one whose numbers are longer than they need be."""
    folder = release("parquet")
    path = folder / "r.parquet"
    file = Parquet(path)
    more = compact.Struct("footer", {**FOOTER.fields, 9: "binary"})
    file.footer[9] = SECRET.encode()
    file.write(footer=more)
    refused(folder, "parquet", "field 9 of a footer in r.parquet")
    del file.footer[9]
    file.write()
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    foot = data[-8 - length : -8]
    assert foot[:2] == b"\x15\x02"  # version 1
    foot = b"\x15\x82\x00" + foot[2:]
    path.write_bytes(data[: -8 - length] + foot + len(foot).to_bytes(4, "little") + b"PAR1")
    refused(folder, "parquet", "a footer that is not written in the shortest way")


def written_with_its_facts(path, select, bloom=False):
    """Write a Parquet file anew by another SELECT, with the entries of its footer."""
    with duckdb.connect() as connection:
        told = connection.execute(f"FROM parquet_kv_metadata('{path}')").fetchall()
        entries = ", ".join(
            "{}: '{}'".format(key.decode(), value.decode().replace("'", "''"))
            for _, key, value in told
        )
        connection.execute(
            f"COPY ({select}) TO '{path}.new' (FORMAT PARQUET, COMPRESSION ZSTD,"
            f" WRITE_BLOOM_FILTER {bloom}, KV_METADATA {{{entries}}})"
        )
    path.with_name(f"{path.name}.new").replace(path)


def test_a_bloom_filter_is_refused(release):
    """It tells of values, and verification cannot hold it against the rows."""
    folder = release("parquet")
    path = folder / "r.parquet"
    written_with_its_facts(path, f"FROM '{path}'", bloom=True)
    refused(folder, "parquet", "field 14 of a column's metadata")


def test_a_structure_in_a_parquet_file_is_refused(release):
    """The names of its fields are in no row."""
    folder = release("parquet")
    path = folder / "r.parquet"
    written_with_its_facts(path, f"SELECT * REPLACE ({{'{SECRET}': note}} AS note) FROM '{path}'")
    for sourced in (False, True):
        with pytest.raises(VerificationError, match="no column of a release") as error:
            anonsql.verify(policy_of(folder, "parquet"), against_source=sourced)
        assert SECRET not in str(error.value)


def test_a_dictionary_value_that_no_row_has_is_refused(release):
    """The dictionary of a column with one value more, as writers make it that keep that of the
    source."""
    folder = release("parquet")
    path, other = folder / "r.parquet", folder / "other.parquet"
    with duckdb.connect() as connection:
        values = (
            "SELECT note, MIN(file_row_number) AS n FROM"
            f" read_parquet('{path}', file_row_number = TRUE) WHERE note IS NOT NULL GROUP BY note"
        )
        connection.execute(
            f"COPY (SELECT note FROM ((SELECT note, n FROM ({values})) UNION ALL SELECT"
            f" '{SECRET}', 9000 UNION ALL SELECT 'flu', 9000 + i FROM range(100) r (i)) ORDER BY n)"
            f" TO '{other}' (FORMAT PARQUET, COMPRESSION ZSTD, WRITE_BLOOM_FILTER FALSE)"
        )
    file, source = Parquet(path), Parquet(other)
    dictionary = source.pages("note")[0]
    assert dictionary[0][1] == 2 and dictionary[0][7][1] == file.pages("note")[0][0][7][1] + 1
    file.pages("note")[0] = dictionary
    file.facts("note")[12][4] += 1
    file.write()
    other.unlink()
    refused(folder, "parquet", "dictionary values that no row has of column note in r.parquet")


# DuckDB


def test_rows_that_were_deleted_are_refused(release):
    folder = release("duckdb")
    planted = f"UPDATE r SET note = '{SECRET}' WHERE rowid % 7 = 3"
    deleted = f"DELETE FROM r WHERE note = '{SECRET}'"
    in_file(folder / "r.duckdb", planted, "CHECKPOINT", deleted, "CHECKPOINT")
    refused(folder, "duckdb", r"rows that were deleted or changed, still stored, of r\b")


def test_blocks_that_were_used_before_are_refused(release):
    folder = release("duckdb")
    in_file(
        folder / "r.duckdb",
        f"CREATE TABLE x AS SELECT '{SECRET}' || i AS n, random() AS r FROM range(200000) t (i)",
        "CHECKPOINT",
        "DROP TABLE x",
        "CHECKPOINT",
    )
    refused(folder, "duckdb", "that were used before")


@pytest.mark.parametrize("offset", [30, 60, 200, 4095, 4096 + 3000, 8192 + 3000])
def test_bytes_in_the_headers_of_a_duckdb_file_are_refused(release, offset):
    """Some are seen by DuckDB itself, by a checksum."""
    folder = release("duckdb")
    with (folder / "r.duckdb").open("r+b") as file:
        file.seek(offset)
        file.write(b"A")
    with pytest.raises(anonsql.errors.AnonsqlError):
        anonsql.verify(policy_of(folder, "duckdb"))


def checksum(data):
    """What DuckDB writes before its headers: of eight bytes each."""
    result = 5381
    for (word,) in struct.iter_unpack("<Q", data):
        result ^= word * 0xBF58476D1CE4E5B9 % 2**64
    return struct.pack("<Q", result)


HEADERS = {  # where, in which header, and what
    "a version": (0, 52, b"v2.0.1-Ivan_Cano_HIV", "the file"),
    "a version of digits": (0, 52, b"v2.0.1758233344", "the file"),
    "another storage": (0, 12, struct.pack("<Q", 65), "the file"),
    "a number of writes": (1, 8, struct.pack("<Q", 1758233344), "the database"),
    "the size of blocks": (2, 40, struct.pack("<Q", 524288), "the database"),
    "the length of vectors": (2, 48, struct.pack("<Q", 4096), "the database"),
    "the version of the catalog": (2, 56, struct.pack("<Q", 4711), "the database"),
}


@pytest.mark.parametrize("what", HEADERS)
def test_headers_of_a_duckdb_file_with_true_checksums(release, what):
    header, at, content, named = HEADERS[what]
    folder = release("duckdb")
    data = bytearray((folder / "r.duckdb").read_bytes())
    start = header * 4096
    assert data[start : start + 8] == checksum(data[start + 8 : start + 4096])
    data[start + at : start + at + len(content)] = content
    data[start : start + 8] = checksum(data[start + 8 : start + 4096])
    (folder / "r.duckdb").write_bytes(data)
    with pytest.raises(anonsql.errors.AnonsqlError, match=f"bytes in the header of {named}|cannot"):
        anonsql.verify(policy_of(folder, "duckdb"))


def test_bytes_behind_the_blocks_of_a_duckdb_file_are_refused(release):
    folder = release("duckdb")
    with (folder / "r.duckdb").open("ab") as file:
        file.write(b"x" * 800)
    refused(folder, "duckdb", "800 bytes behind the last block in r.duckdb")


def test_a_log_beside_a_duckdb_file_is_refused(release):
    folder = release("duckdb")
    (folder / "r.duckdb.wal").write_bytes(b"")
    with pytest.raises(anonsql.errors.AnonsqlError, match=r"r\.duckdb\.wal|WAL"):
        anonsql.verify(policy_of(folder, "duckdb"))


# CSV


CSV = {
    "a byte order mark": lambda text: "\ufeff" + text,
    "line ends": lambda text: text.replace("\n", "\r\n"),
    "a quoted field": lambda text: text.replace("flu", '"flu"', 1),
    "no last line end": lambda text: text.removesuffix("\n"),
    "a number written otherwise": lambda text: text.replace(".5,", ".500,", 1),
}


@pytest.mark.parametrize("what", CSV)
def test_a_csv_file_that_is_written_otherwise_is_refused(release, what):
    folder = release("csv")
    path = folder / "r.csv"
    before = path.read_bytes().decode()
    assert CSV[what](before) != before
    path.write_bytes(CSV[what](before).encode())
    retold(folder)
    with pytest.raises(VerificationError, match=r"bytes that its rows|does not name the columns"):
        anonsql.verify(policy_of(folder, "csv"))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + " " * 40,
        lambda text: text.replace('"bytes"', '"bytes" ', 1),
        lambda text: text.replace('"replaces": null', f'"replaces": "{SECRET}"'),
        lambda text: text.replace("{", f'{{"sha256": "{SECRET}",', 1),
    ],
)
def test_a_companion_that_is_written_otherwise_is_refused(release, change):
    folder = release("csv")
    path = folder / "r.csv.about.json"
    before = path.read_text(encoding="utf-8")
    assert change(before) != before
    path.write_text(change(before), encoding="utf-8")
    refused(folder, "csv", r"bytes that no run writes in r\.csv\.about\.json")


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


def bytes_at(first, number, *others):
    """A number in the header."""

    def change(path):
        data = bytearray(path.read_bytes())
        for start in (first, *others):
            data[start : start + 4] = number.to_bytes(4, "big")
        path.write_bytes(data)

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


def more_in_the_records(path):
    """A table that had a column more: its records still do."""
    connection = sqlite3.connect(path, isolation_level=None)
    statement = "SELECT sql FROM sqlite_master WHERE name = 'r'"
    before = connection.execute(statement).fetchone()[0]
    connection.execute("ALTER TABLE r ADD COLUMN name VARCHAR")
    connection.execute("UPDATE r SET name = ?", (SECRET,))
    after = connection.execute(statement).fetchone()[0]
    connection.close()
    defined(after, before)(path)
    sql("VACUUM")(path)
    assert SECRET.encode() in path.read_bytes()


SQLITE = {
    "user_version": (sql("PRAGMA user_version = 4711"), "a user_version in r.sqlite"),
    "application_id": (sql("PRAGMA application_id = 4711"), "an application_id in r.sqlite"),
    "a log": (sql("PRAGMA journal_mode = WAL"), "by a log|file r.sqlite-"),
    "a version": (bytes_at(96, 3758233), "a version of SQLite that there is not"),
    "changes": (bytes_at(24, 4711, 92), "counters that no run makes"),
    "changes of tables": (bytes_at(40, 1758233344), "counters that no run makes"),
    "free pages": (
        sql("CREATE TABLE x AS SELECT * FROM r, (SELECT 1 UNION SELECT 2)", "DROP TABLE x"),
        "free pages in r.sqlite",
    ),
    "a comment": (defined('"sex"', f'"sex" /* {SECRET} */'), "definition of table r"),
    "a default": (
        defined('"note" VARCHAR', "\"note\" VARCHAR DEFAULT 'Ann'"),
        "definition of table r",
    ),
    "a check": (defined('"note" VARCHAR', '"note" VARCHAR CHECK (1)'), "definition of table r"),
    "a type": (defined('"note" VARCHAR', '"note" IVAN'), "a type that no run declares of table r"),
    "a row number": (
        sql("UPDATE r SET rowid = 4711 WHERE rowid = (SELECT MAX(rowid) FROM r)"),
        "row numbers other than 1, 2, 3 … of table r",
    ),
    "a row number in the facts": (
        sql("UPDATE r__about SET rowid = 4711 WHERE rowid = (SELECT MAX(rowid) FROM r__about)"),
        "row numbers other than 1, 2, 3 … of table r__about",
    ),
    "old data within a page": (
        sql(
            "PRAGMA secure_delete = OFF",
            f"INSERT INTO r__about VALUES ('{SECRET}', '{SECRET}')",
            "DELETE FROM r__about WHERE rowid = (SELECT MAX(rowid) FROM r__about)",
        ),
        "bytes that its rows do not have in r.sqlite",
    ),
    "a column more in the records": (more_in_the_records, "bytes that its rows do not have"),
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
def test_what_a_sqlite_file_holds_besides_is_refused(release, what):
    folder = release("sqlite")
    change, words = SQLITE[what]
    before = (folder / "r.sqlite").read_bytes()
    change(folder / "r.sqlite")
    assert (folder / "r.sqlite").read_bytes() != before
    refused(folder, "sqlite", words)


def test_bytes_behind_the_pages_of_a_sqlite_file_are_refused(release):
    folder = release("sqlite")
    with (folder / "r.sqlite").open("ab") as file:
        file.write(b"x" * 800)
    refused(folder, "sqlite", "800 bytes behind the last page in r.sqlite")


def test_pages_of_another_size_are_refused(release):
    folder = release("sqlite")
    sql("PRAGMA page_size = 8192", "VACUUM")(folder / "r.sqlite")
    refused(folder, "sqlite", "bytes that its rows do not have")


def test_a_log_beside_a_sqlite_file_is_refused(release):
    folder = release("sqlite")
    (folder / "r.sqlite-journal").write_bytes(b"Ann")
    refused(folder, "sqlite", "file r.sqlite-journal")


# several tables


@pytest.fixture(scope="module")
def clinics(tmp_path_factory):
    """A release of several tables in a DuckDB file, and in a folder."""
    found = {}
    for kind in ("duckdb", "folder"):
        path, policy = clinic.in_a_file(tmp_path_factory.mktemp(f"clinic-{kind}"))
        if kind == "folder":
            policy["release"] = {"file": str(path.with_name("out")), "completed": 0}
        anonsql.run(policy)
        anonsql.verify(policy)
        found[kind] = policy
    return found


def altered(clinics, folder, kind):
    """A copy of a release of several tables, and its policy."""
    policy = json.loads(json.dumps(clinics[kind]))
    field = "database" if kind == "duckdb" else "file"
    original = policy["release"][field]
    copy = folder / original.rpartition("/")[2]
    policy["release"][field] = str(copy)
    (shutil.copytree if kind == "folder" else shutil.copy)(original, copy)
    return copy, policy


@pytest.mark.parametrize("table", ["patients", "visits", "visits__about", "doctors__columns"])
def test_several_tables_in_a_folder(clinics, tmp_path, table):
    folder, policy = altered(clinics, tmp_path, "folder")
    file = Parquet(folder / f"{table}.parquet")
    entry(b"names")(file)
    file.write()
    for sourced in (False, True):
        with pytest.raises(VerificationError, match=f"footer entry names in {table}.parquet"):
            anonsql.verify(policy, against_source=sourced)


HELD_BESIDE = {
    "rows that were deleted or changed, still stored, of visits": (
        "DELETE FROM visits WHERE rowid % 7 = 3",
    ),
    "that were used before": (
        "CREATE TABLE x AS SELECT random() AS r FROM range(200000)",
        "CHECKPOINT",
        "DROP TABLE x",
    ),
}


@pytest.mark.parametrize("words", HELD_BESIDE)
def test_several_tables_in_a_duckdb_file(clinics, tmp_path, words):
    path, policy = altered(clinics, tmp_path, "duckdb")
    in_file(path, *HELD_BESIDE[words], "CHECKPOINT")
    for sourced in (False, True):
        with pytest.raises(VerificationError, match=words):
            anonsql.verify(policy, against_source=sourced)


def test_bytes_behind_a_file_of_several_tables(clinics, tmp_path):
    path, policy = altered(clinics, tmp_path, "duckdb")
    with path.open("ab") as file:
        file.write(b"x" * 800)
    with pytest.raises(VerificationError, match="800 bytes behind the last block"):
        anonsql.verify(policy)


# honest releases of other shapes


@pytest.mark.parametrize("kind", PLACES)
def test_several_row_groups_are_verified(tmp_path, kind):
    """More rows than a row group has, with dictionaries that differ from one to the next."""
    made = [
        (20 + n % 40, "fm"[n % 2], f"note {n % 977}", n / 4, "2024-01-11") for n in range(40000)
    ]
    policy = policy_of(tmp_path, kind, made[: 40000 if kind == "sqlite" else 10])
    if kind != "sqlite":
        in_file(
            tmp_path / "source.duckdb",
            "DELETE FROM t",
            "INSERT INTO t SELECT 20 + n % 40, 'fm'[n % 2 + 1], 'note ' || n % (977 + n // 100000),"
            " n % 5000 / 4, DATE '2024-01-11' FROM range(300000) s (n)",
        )
    assert anonsql.run(policy).verified
    assert anonsql.verify(policy).status == "verified"


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
    leave parts of a catalog that was used before."""
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
