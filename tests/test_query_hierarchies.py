"""Hierarchies that a release carries: read from it they answer as the policy's do, and verification
proves them."""

import random

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.policy import Policy

from .engines import policy_on, whole_but_on_spark
from .support import in_file, make_source, policy_data, policy_over, released_rows
from .test_query import asked

TYPES = {"n": "INTEGER", "town": "VARCHAR", "grade": "VARCHAR", "day": "DATE", "ill": "VARCHAR"}
TREE = {"north": ["a", "b", "c"], "south": ["d", "e"], "far": ["z"]}  # nobody lives in z
GRADES = [{"low": ["g1", "g2"], "high": ["g3", "g4"]}]
NUMBERS = [f"{n};{n // 3 * 3}-{n // 3 * 3 + 2};*" for n in range(12)]
LABELS = [
    ("town", 0, "z", "z"),
    ("town", 1, "far", "z"),
    ("n", 1, "9-11", "11"),
    ("grade", 1, "high", "g4"),
]


def policy_of(folder, method, release=None, suppressed="remove", rows=40):
    rnd = random.Random(7)
    values = [
        [
            rnd.randrange(10),
            rnd.choice("abcde"),
            rnd.choice(["g1", "g2", "g3", None]),
            f"2020-0{rnd.randrange(1, 5)}-01",
            rnd.choice("xyz"),
        ]
        for _ in range(rows)
    ]
    (folder / "source.duckdb").unlink(missing_ok=True)
    make_source(folder, TYPES, values)
    (folder / "numbers.csv").write_text("\n".join(NUMBERS))
    (folder / "grades.csv").write_text(";none;*\ng1;low;*\ng2;low;*\ng3;high;*\ng4;high;*\n")
    columns = {
        "n": {"type": "file", "path": "numbers.csv"},
        "town": {"type": "taxonomy", "tree": TREE},
        "grade": {"type": "file", "path": "grades.csv"},
        "day": {"type": "date", "levels": ["month", "year"]},
        "ill": "sensitive",
    }
    data = policy_data(columns, k=3, limit=0.2, method=method, release={"suppressed": suppressed})
    data["release"] = release or data["release"]
    return Policy.parse(data, folder)


METHODS = ["full-domain", "mondrian", "cell-generalization", "full-subtree", "hilbert", "ring"]
WHERE = [
    *(
        "town = 'a'",
        "town IN ('a', 'd')",
        "town = 'z'",
        "town <> 'c' AND n < 5",
        "n BETWEEN 2 AND 7",
    ),
    *("grade = 'g1'", "grade IS NULL", "grade >= 'g3' OR town = 'b'", "town LIKE 'a%'", "n = 11"),
]


@pytest.mark.parametrize("method", METHODS)
def test_a_recipient_gets_the_policys_answers(tmp_path, method):
    policy = policy_of(tmp_path, {"type": method})
    anonsql.run(policy)
    path = tmp_path / "release.duckdb"
    queries = [f"SELECT COUNT(*), SUM(n), MIN(n), MAX(n) FROM r WHERE {item}" for item in WHERE]
    with_policy, without = asked(policy, queries), asked(str(path), queries)
    for where, lines, by_policy in zip(WHERE, without, with_policy, strict=True):
        for one, other in zip(lines, by_policy, strict=True):
            assert (one.lower, one.upper) == (other.lower, other.upper), where
            assert one.estimate == pytest.approx(other.estimate), where
    duckdb.connect(str(path)).execute("DROP TABLE r__labels").close()
    bare = asked(str(path), queries[:1])[0]
    assert bare[0].upper >= without[0][0].upper


def test_nothing_of_the_data_is_in_it(tmp_path):
    policy = policy_of(tmp_path, {"type": "full-domain"})
    report = anonsql.run(policy)
    assert "r__labels" in report.extra_tables
    lines = released_rows(tmp_path, "FROM r__labels")
    assert {line[0] for line in lines} == {
        "n",
        "town",
        "grade",
    }  # of day there is only a rule
    assert set(LABELS) <= {item[:4] for item in lines}
    assert {("town", 1, "north", "a", 0), ("grade", 1, "none", None, 4)} <= set(lines)
    assert ("grade", 2, "*", None, 4) in lines and len(lines) == len(set(lines))
    assert len(lines) == 3 * (12 + 6 + 5)
    assert anonsql.verify(policy).status == "verified"


def test_it_can_be_left_out(tmp_path):
    path = str(tmp_path / "release.duckdb")
    place = {"database": "release.duckdb", "table": "r"}
    anonsql.run(policy_of(tmp_path, {"type": "full-domain"}))
    bare = policy_of(
        tmp_path, {"type": "full-domain"}, place | {"hierarchies": False, "completed": 0}
    )
    anonsql.run(bare)
    with duckdb.connect(path) as connection:
        assert "r__labels" not in {row[0] for row in connection.execute("SHOW TABLES").fetchall()}
    assert anonsql.verify(bare).status == "verified"
    with pytest.raises(VerificationError, match="there is no __labels"):
        anonsql.verify(policy_of(tmp_path, {"type": "full-domain"}))


TAMPERED = {
    "a leaf under another label": (
        "UPDATE r__labels SET label = 'south' WHERE column_name = 'town' AND level = 1 AND leaf = 'a'"
    ),
    "another leaf": "UPDATE r__labels SET leaf = 'y' WHERE label = 'far'",
    "a leaf less": "DELETE FROM r__labels WHERE column_name = 'town' AND leaf = 'z'",
    "a leaf less of a label": "DELETE FROM r__labels WHERE label = 'north' AND leaf = 'b'",
    "a column less": "DELETE FROM r__labels WHERE column_name = 'town'",
    "a leaf more": "INSERT INTO r__labels VALUES ('town', 1, 'far', 'y', 9)",
    "twice": "INSERT INTO r__labels SELECT * FROM r__labels WHERE label = 'a'",
    "another column": "INSERT INTO r__labels VALUES ('ill', 0, 'x', 'x', 0)",
    "another order": (
        "UPDATE r__labels SET place = 1 - place WHERE column_name = 'town' AND place < 2"
    ),
    "a column of its own": "ALTER TABLE r__labels ADD COLUMN note VARCHAR",
    "no column": "INSERT INTO r__labels VALUES (NULL, NULL, NULL, NULL, NULL)",
}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    policy = policy_of(folder, {"type": "full-domain"})
    anonsql.run(policy)
    return policy


@pytest.mark.parametrize("change", TAMPERED)
def test_another_hierarchy_is_found(published, tmp_path, change):
    path = published.path("release.duckdb")
    before = path.read_bytes()
    try:
        in_file(path, TAMPERED[change])
        with pytest.raises(VerificationError, match="__labels"):
            anonsql.verify(published)
    finally:
        path.write_bytes(before)
    assert anonsql.verify(published).status == "verified"


@pytest.mark.parametrize("file", ["out", "out.parquet"])
def test_parquet(tmp_path, file):
    """A folder has it as one more file; a single file has no place for it."""
    policy = policy_of(tmp_path, {"type": "full-domain"}, {"file": file})
    report = anonsql.run(policy)
    assert (tmp_path / "out" / "out__labels.parquet").is_file() == (file == "out")
    assert bool(report.extra_tables) == (file == "out")
    assert anonsql.verify(policy).status == "verified"
    sql = "SELECT COUNT(*) FROM out WHERE town = 'a'"
    found, known = (anonsql.query(item, sql).answers[0] for item in (tmp_path / file, policy))
    assert (found.upper == known.upper) == (file == "out") and known.upper < report.released


@whole_but_on_spark
def test_on_every_engine(engine, whole):
    """It is published, proved, asked, and removed with the next release."""
    rows = [(n % 6, "abcde"[n % 5]) for n in range(30)]
    engine.make({"n": "INTEGER", "town": "VARCHAR"}, rows)
    columns = {"n": {"type": "suppression"}, "town": {"type": "taxonomy", "tree": TREE}}
    policy = policy_on(engine, policy_data(columns, k=5))
    anonsql.run(policy)
    assert any(part.endswith("__labels") for part in engine.parts())
    assert anonsql.verify(policy).status == "verified"
    place = (
        policy.release.database
        if engine.name != "duckdb"
        else str(engine.folder / "release.duckdb")
    )
    if not whole:
        return
    table = policy.release.name
    sql = f"SELECT COUNT(*) FROM {table} WHERE town IN ('a', 'b')"
    answers, known = (anonsql.query(item, sql).answers for item in (place, policy))
    assert answers == known and known[0].upper < 30
    for wrong in (table.upper(), f"{table}s"):
        sql = f"SELECT COUNT(*) FROM {wrong}"
        if wrong == table.upper():
            assert anonsql.query(place, sql).answers[0].upper == 30
            continue
        with pytest.raises(PolicyError, match="FROM must name the released table") as error:
            anonsql.query(place, sql)
        assert f"'{policy.source.table}'" not in str(error.value)
    anonsql.run(policy_on(engine, policy_data(columns, k=5, release={"hierarchies": False})))
    assert not any(entry.endswith("__labels") for entry in engine.parts())


def test_a_table_is_found_without_case(tmp_path):
    policy = policy_of(tmp_path, {"type": "full-domain"})
    anonsql.run(policy)
    sql = "SELECT COUNT(*) FROM R WHERE TOWN = 'a'"
    assert anonsql.query(tmp_path / "release.duckdb", sql).answers[0].upper > 0
    with pytest.raises(PolicyError, match="Known: 'r'"):
        anonsql.query(tmp_path / "release.duckdb", "SELECT COUNT(*) FROM t")


def test_a_condition_on_a_label_is_explained(tmp_path):
    """No original value is called as a label is, so that a count is 0: a note says why."""
    rows = [(town, n % 3) for n in range(30) for town in ("Bonn", "Köln", "Ulm")]
    tree = {"west": ["Bonn", "Köln"], "south": ["Ulm"]}
    policy = policy_over(
        tmp_path,
        {"town": "VARCHAR", "ill": "INTEGER"},
        rows,
        {"town": {"type": "taxonomy", "tree": tree}, "ill": "sensitive"},
        k=40,
        limit=0.4,
        method={"type": "full-domain"},
    )
    anonsql.run(policy)
    ask = "SELECT COUNT(*) FROM r WHERE town = '{}'"
    notes = {town: anonsql.query(policy, ask.format(town)).notes for town in ("west", "Rom", "Ulm")}
    said = [
        town for town, own in notes.items() if any("is a label of town" in note for note in own)
    ]
    assert said == ["west"]
