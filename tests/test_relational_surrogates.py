"""Surrogates of identifying columns in releases of several tables."""

from decimal import Decimal

import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError

from . import clinic
from .support import make_table, rows_of
from .test_relational import do, place, planted, settings

COLUMNS = {
    "patients": {**clinic.COLUMNS["patients"], "household": "VARCHAR", "passport": "VARCHAR"},
    "visits": {**clinic.COLUMNS["visits"], "episode": "INTEGER"},
    "prescriptions": {**clinic.COLUMNS["prescriptions"], "pharmacy": "DECIMAL(10,2)"},
    "doctors": {**clinic.COLUMNS["doctors"], "room": "INTEGER"},
}
SURROGATE = {"role": "identifying", "replace": "surrogate"}


def rows():
    """The clinic with households of up to four, some without; passports of one each; episodes of
    one patient each, pharmacies of many."""
    found = clinic.rows()
    patients = [
        (*row, None if n % 7 == 0 else f"house {n // 4:03}", f"X{n * 7919 % 1000:03}")
        for n, row in enumerate(found["patients"])
    ]
    visits = [(*row, int(row[1][1:]) * 2 + n % 2) for n, row in enumerate(found["visits"])]
    given = [(*row, Decimal(n % 5)) for n, row in enumerate(found["prescriptions"])]
    doctors = [(*row, 100 + n // 2) for n, row in enumerate(found["doctors"])]
    return {"patients": patients, "visits": visits, "prescriptions": given, "doctors": doctors}


def with_surrogates(policy):
    """The policy of a clinic with surrogates for columns of every table."""
    policy["privacy"] |= {"suppression_limit": {"patients": 0.2}, "k": 2}
    for table, columns in {
        "patients": ("household", "passport"),
        "visits": ("episode",),
        "prescriptions": ("pharmacy",),
        "doctors": ("room",),
    }.items():
        settings = policy["tables"][table].setdefault("columns", {})
        settings |= dict.fromkeys(columns, SURROGATE)
    return policy


def test_equal_where_the_values_are(engine):
    """Whole rows are compared: the release joined, each surrogate replaced by the set of rows that
    have it, is the source joined with each value replaced so. Names of columns keep out what labels
    hide: nothing is suppressed or generalized here but for what is needed."""
    source = rows()
    for name, item in source.items():
        engine.make(COLUMNS[name], item, table=name)
    policy = with_surrogates(clinic.policy(*place(engine))) | settings(engine)
    policy["privacy"] |= {"known_rows": 0, "suppression_limit": 0.0}
    report = anonsql.run(policy)
    released = {name: engine.read(name) for name in source}
    # the kept columns that tell rows apart: visits by their diagnosis and doctor are not unique, so
    # partitions are compared as sizes, within the rows of equal kept values
    for table, column in (("patients", -2), ("visits", -1), ("prescriptions", -1), ("doctors", -1)):
        before = sizes(row[column] for row in source[table])
        after = sizes(row[column] for row in released[table])
        assert before == after, table
        numbers = {row[column] for row in released[table]} - {None}
        assert numbers == set(range(1, len(numbers) + 1)), table
    assert sum(row[-2] is None for row in released["patients"]) == sum(
        row[-2] is None for row in source["patients"]
    )
    rooms = lambda some: {  # noqa: E731
        frozenset(row[0] for row in some if row[-1] == room) for room in {row[-1] for row in some}
    }
    assert rooms(source["doctors"]) == rooms(released["doctors"]), "a public key tells each row"
    warned = {warning.where: warning.message for warning in report.warnings}
    assert "belong to several people" in warned["tables.patients.columns.household.replace"]
    assert "several people" not in warned["tables.visits.columns.episode.replace"]
    assert (
        "5 of these rows belong to several"
        in warned["tables.prescriptions.columns.pharmacy.replace"]
    )
    assert not any(each.startswith(("tables.doctors", "tables.patients.columns.passport")) for each in warned)  # fmt: skip
    assert [entry.where for entry in anonsql.verify(policy).warnings] == [
        element for element in warned if element.endswith(".replace")
    ]


def sizes(values):
    """How many rows have each value, without what it is."""
    counts = {}
    for value in values:
        if value is not None:
            counts[value] = counts.get(value, 0) + 1
    return sorted(counts.values())


@pytest.fixture
def files(tmp_path):
    """A clinic in a DuckDB file, and a policy with surrogates."""
    path, policy = clinic.in_a_file(tmp_path, rows(), COLUMNS)
    with_surrogates(policy)["privacy"] |= {"known_rows": 0, "suppression_limit": 0.0}
    return path, policy


def test_the_numbers_say_nothing_of_what_they_replace(files):
    """They follow from the order of the released rows: other values in the source, in another
    order, have the same numbers."""
    path, policy = files
    # everybody's own year tells who is who in the release, for this test alone
    do(path, "UPDATE patients SET born = 1900 + rowid, sex = 'F'")
    policy["tables"]["patients"]["columns"]["born"] = {"role": "insensitive"}
    select = "SELECT born, passport FROM patients ORDER BY born"
    found = []
    for change in ("1", "reverse(passport)", "md5(passport)"):
        if change != "1":
            do(path, f"UPDATE patients SET passport = {change}")
        anonsql.run(policy)
        found.append(rows_of(path.with_name("released.duckdb"), select))
    assert found[0] == found[1] == found[2] and len({number for _, number in found[0]}) > 10


def test_two_columns_have_nothing_in_common(files):
    """Equal values of two columns have unrelated numbers: nobody joins by them."""
    path, policy = files
    do(path, "ALTER TABLE patients ADD COLUMN again VARCHAR")
    do(path, "UPDATE patients SET again = passport")
    policy["tables"]["patients"]["columns"]["again"] = SURROGATE
    anonsql.run(policy)
    pairs = rows_of(path.with_name("released.duckdb"), "SELECT passport, again FROM patients")
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
    assert any(one != other for one, other in pairs)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"s"."household" AS VARCHAR)', 'LEFT("s"."household", 5) AS VARCHAR)', "have 1 surrogates in"),
        ('"s"."household" AS VARCHAR)', '"s"."household" || "s"."passport" AS VARCHAR)', "values of 'household' have 51 surrogates in 51 pairs"),
        ('"s"."household" IS NOT NULL', "TRUE", "and 9 rows have one without the other"),
    ],
)  # fmt: skip
def test_the_proof_sees_what_a_value_was_replaced_by(files, monkeypatch, old, new, words):
    path, policy = files
    hits = planted(monkeypatch, "release/rows", old, new)
    with pytest.raises(VerificationError, match=words):
        anonsql.run(policy)
    assert hits and not path.with_name("released.duckdb").exists()


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE patients SET household = 1000 WHERE household = 1", "not from 1 without gaps"),
        ("ALTER TABLE visits ALTER episode TYPE VARCHAR", "'episode' is VARCHAR, not BIGINT"),
    ],
)
def test_what_a_release_alone_shows_of_surrogates(files, sql, words):
    path, policy = files
    anonsql.run(policy)
    do(path.with_name("released.duckdb"), sql)
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(policy)


def test_null_and_a_constant_are_verified_too(files):
    path, policy = files
    columns = policy["tables"]["patients"]["columns"]
    columns["household"] = {"role": "identifying", "replace": None}
    columns["passport"] = {"role": "identifying", "replace": "constant"}
    anonsql.run(policy)
    do(path.with_name("released.duckdb"), "UPDATE patients SET household = 'X', passport = 'Y'")
    with pytest.raises(VerificationError, match="a value other than NULL in 'household'"):
        anonsql.verify(policy)


def test_values_that_may_be_equal_and_look_different(files):
    path, policy = files
    do(path, "ALTER TABLE patients ALTER household TYPE BLOB USING CAST(household AS BLOB)")
    with pytest.raises(PolicyError, match=r"patients\.columns\.household\.replace.*in a view, or"):
        anonsql.run(policy)


def test_the_other_side_of_a_friendship(tmp_path):
    """A second way to people is replaced: which rows name one person is seen, and not whom."""
    path = tmp_path / "friends.duckdb"
    make_table(path, {"id": "INTEGER", "sex": "VARCHAR"}, [(n, "FM"[n % 2]) for n in range(40)], "people")  # fmt: skip
    pairs = [(n, n % 40, (n * 7 + 3) % 40) for n in range(80)]
    make_table(path, {"no": "INTEGER", "one": "INTEGER", "other": "INTEGER"}, pairs, "friends")
    star = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
    policy = {
        "source": {"database": str(path)},
        "release": {"database": str(tmp_path / "released.duckdb"), "completed": 0},
        "tables": {
            "people": {"key": "id", "columns": {"sex": star}},
            "friends": {"key": "no", "references": {"one": "people"}, "columns": {"other": SURROGATE}},
        },
        "privacy": {"k": 5, "of": "people"},
    }  # fmt: skip
    report = anonsql.run(policy)
    assert [warning.where for warning in report.warnings] == [
        "tables.friends.columns.other.replace"
    ]
    found = rows_of(tmp_path / "released.duckdb", "SELECT one, other FROM friends")
    assert sizes(other for _, other in found) == sizes(other for *_, other in pairs)
