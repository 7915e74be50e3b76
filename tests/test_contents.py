"""What kept text holds that points to people: recognized on every engine, a problem until it is
accepted by name, and nothing else is taken for it."""

import importlib.util
import json
import os
from pathlib import Path

import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.features.init import command as profile
from anonsql.policy.policy import Policy
from anonsql.risks.contents import expressions, looking

from .engines import DATABASES, DuckDB, Postgres, Spark, policy_on
from .support import cli, in_file, make_source, make_table, opened, policy_data, policy_in, rows_of

HELD = {
    "phone": ["tel 0123456789", "+49 30 1234567", "call (212) 555-0134 now", "0171/1234567"],
    "mail": ["write to a.b@mail.example.org", "ANNA@EXAMPLE.COM"],
    "url": ["see https://example.org/x", "on www.example.org today"],
    "iban": ["IBAN DE89 3704 0044 0532 0130 00", "pay GB82WEST12345698765432 soon"],
    "card": ["card 4111 1111 1111 1111", "5500-0055-5555-5559", "amex 378282246310005"],
    "national-number": [
        "SSN 078-05-1120",
        "RSSMRA85T10A562S",
        "65 170839 J 003",
        "DNI 12345678Z",
        "255081416802538",
    ],
    "name": ["Caller Anna upset", "ANDREAS asked", "by Mr. Smithson", "José, again"],
}
"""Texts that hold each kind and no other."""
INNOCENT = [
    *("53703", "2024-01-05", "01.02.2024 10:30", "2024-01-05 10:30:00.123456789", "A00.1"),
    *("0002-1433-80"[:7], "H-0123-45", "City 017", "ST-2024-000123", "T4 N1 M0", "10:20:30"),
    *("St. Anna", "Santa Maria", "San Jose", "Saint Joseph", "Prof-specialty", "Never-married"),
    *("DE89 3704 0044 0532 0130 01", "4111 1111 1111 1112", "12345678A", "1/2/2024", "-0.50"),
    *("Outlying-US(Guam-USVI-etc)", "C0000123", "1.234.567,89", "5 mg 3x", "Ward 12 B"),
]
PEOPLE = [(20 + i % 2, f"name {i}") for i in range(60)]


def table_of(texts):
    """Sixty people, each with one of some texts."""
    return [(age, name, texts[i % len(texts)]) for i, (age, name) in enumerate(PEOPLE)]


TYPES = {"age": "INTEGER", "name": "VARCHAR", "note": "VARCHAR"}
COLUMNS = {
    "age": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
    "name": "identifying",
    "note": "insensitive",
}


def data(note="insensitive", **more):
    return policy_data({**COLUMNS, "note": note}, k=5, **more)


def kinds_of(problem):
    """The kinds that a problem's remedy proposes to accept."""
    return set(problem.remedy.split("contains: [")[1].split("]")[0].split(", "))


def problems(policy):
    return {problem.where: problem for problem in anonsql.check(policy).problems}


@pytest.mark.parametrize("kind", HELD)
def test_each_kind_is_a_problem_of_check_and_of_run(tmp_path, kind):
    make_source(tmp_path, TYPES, table_of(HELD[kind]))
    policy = Policy.parse(data(), tmp_path)
    report = anonsql.check(policy)
    (found,) = report.problems
    assert (report.exit_code, found.where) == (2, "columns.note")
    assert kinds_of(found) == {kind} and "60 of 60 rows hold" in found.message
    with pytest.raises(PolicyError, match="60 of 60 rows hold"):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()
    with pytest.raises(PolicyError, match="60 of 60 rows hold"):
        anonsql.run(policy, dry_run=True)
    accepted = {"role": "sensitive", "contains": [kind], "accepted": "made up for a test"}
    policy = Policy.parse(data(accepted), tmp_path)
    assert not anonsql.check(policy).problems
    assert anonsql.run(policy).verified


@pytest.mark.parametrize("text", INNOCENT)
def test_codes_dates_and_places_are_none(tmp_path, text):
    make_source(tmp_path, TYPES, table_of([text]))
    assert not problems(Policy.parse(data(), tmp_path))


def test_only_what_is_accepted_by_name_is_accepted(tmp_path):
    rows = table_of(["tel 0123456789", "Anna Berg", "none"])
    make_source(tmp_path, TYPES, rows)
    accepted = {"role": "insensitive", "contains": ["phone"], "accepted": "the office's numbers"}
    (found,) = problems(Policy.parse(data(accepted), tmp_path)).values()
    assert "20 of 60 rows hold a personal name" in found.message
    assert "telephone" not in found.message
    assert kinds_of(found) == {"phone", "name"}


def test_the_reason_stands_in_the_release_and_on_its_pages(tmp_path):
    make_source(tmp_path, TYPES, table_of(["tel 0123456789"]))
    reason = "numbers of <the> office"
    accepted = {"role": "insensitive", "contains": ["phone"], "accepted": reason}
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(data(accepted)), encoding="utf-8")
    anonsql.run(path)
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT property, value FROM r__about"))
    assert (about["contains.note"], about["accepted.note"]) == ("phone", reason)
    assert anonsql.verify(path).status == "verified"
    assert anonsql.verify(path, against_source=True).status == "verified"
    for audience, page in (("owner", "owner.html"), ("recipient", "recipient.html")):
        anonsql.report(path, tmp_path / page, audience=audience)
        text = (tmp_path / page).read_text(encoding="utf-8")
        assert "note is released although it contains telephone numbers" in text
        assert "numbers of &lt;the&gt; office" in text
    other = Policy.parse(data({**accepted, "accepted": "another reason"}), tmp_path)
    with pytest.raises(VerificationError, match=r"accepted\.note"):
        anonsql.verify(other)
    with pytest.raises(VerificationError, match=r"accepted\.note"):
        anonsql.verify(Policy.parse(data(), tmp_path))


@pytest.mark.parametrize(
    ("note", "where"),
    [
        ({"role": "insensitive", "contains": ["phone"]}, "columns.note.accepted"),
        ({"role": "insensitive", "contains": ["phone"], "accepted": " "}, "columns.note.accepted"),
        ({"role": "insensitive", "accepted": "why"}, "columns.note.contains"),
        ({"role": "insensitive", "contains": [], "accepted": "w"}, "columns.note.contains"),
        ({"role": "identifying", "contains": ["phone"], "accepted": "w"}, "columns.note.contains"),
        ({"role": "insensitive", "contains": ["fone"], "accepted": "w"}, "columns.note.contains"),
        (
            {"role": "insensitive", "contains": ["mail", "mail"], "accepted": "w"},
            "columns.note.contains",
        ),
    ],
)
def test_an_acceptance_names_kinds_and_says_why(tmp_path, note, where):
    with pytest.raises(PolicyError) as caught:
        Policy.parse(data(note), tmp_path)
    assert caught.value.problems[0].where.startswith(where)


MIXED = [
    *("tel 0123456789 for Anna", "a@b.example.org", "IBAN DE89 3704 0044 0532 0130 00"),
    *("card 4111 1111 1111 1111", "DNI 12345678Z", "65 170839 J 003", "255081416802538"),
    *("http://example.org", None, "53703", "St. Anna"),
]


@pytest.mark.parametrize("kind", [DuckDB, Postgres, *DATABASES.values(), Spark])
def test_every_engine_recognizes_the_same(tmp_path, kind):
    engine = kind(tmp_path)
    try:
        engine.make(TYPES, table_of(MIXED))
        (found,) = problems(policy_on(engine, data())).values()
    finally:
        if hasattr(engine, "close"):
            engine.close()
    for count, what in [
        (6, "a telephone number"),
        (6, "a personal name"),
        (6, "a mail address"),
        (6, "a bank account's number"),
        (6, "a payment card's number"),
        (16, "a national identification number"),
        (5, "a link"),
    ]:
        assert f"{count} of 55 rows hold {what}" in found.message


@pytest.mark.parametrize("kind", [DuckDB, Postgres, *DATABASES.values(), Spark])
def test_every_engine_looks_into_bytes(tmp_path, kind):
    """As UTF-8 where they are text; other bytes stop nothing. (MariaDB stops at them before, where
    it compares kept columns as text.)"""
    other = b"none" if kind.__name__ == "MariaDB" else b"\xff\xfe\x00"
    texts = [b"jane.doe@example.org", "von José, gestern".encode(), other, b"ward 3"]
    engine = kind(tmp_path)
    try:
        engine.make({**TYPES, "note": "BINARY" if kind is Spark else "BLOB"}, table_of(texts))
        (found,) = problems(policy_on(engine, data())).values()
    finally:
        if hasattr(engine, "close"):
            engine.close()
    assert kinds_of(found) == {"mail", "name"}
    assert "15 of 60 rows hold a mail address" in found.message
    assert "15 of 60 rows hold a personal name" in found.message


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("BIGINT", [4111111111111111, 5500005555555559]),
        ("DECIMAL(20, 0)", [4111111111111111]),
        ("BLOB[]", [[b"jane.doe@example.org"]]),
        ("STRUCT(a BLOB)", [{"a": b"jane.doe@example.org"}]),
        ("MAP(VARCHAR, VARCHAR)", [{"desk": "jane.doe@example.org"}]),
        ("UNION(n INTEGER, v VARCHAR)", ["jane.doe@example.org"]),
    ],
)
def test_text_in_values_of_other_types_is_looked_at(tmp_path, kind, values):
    make_source(tmp_path, {**TYPES, "note": kind}, table_of(values))
    (found,) = problems(Policy.parse(data(), tmp_path)).values()
    assert kinds_of(found) <= {"card", "mail"} and "60 of 60 rows hold" in found.message


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("BIGINT", [4111111111111112, 12, -3]),
        ("BIT", ["0101", "1111"]),
        ("UUID", ["4111a1b2-0000-4000-8000-00000000000a"]),
        ("TIME", ["10:20:30"]),
        ("DOUBLE", [4111111111111111.0]),
    ],
)
def test_values_of_other_types_hold_nothing(tmp_path, kind, values):
    make_source(tmp_path, {**TYPES, "note": kind}, table_of(values))
    assert not problems(Policy.parse(data(), tmp_path))


def test_bits_are_looked_into_as_bytes(tmp_path):
    make_source(tmp_path, {**TYPES, "note": "VARCHAR"}, table_of(["jane.doe@example.org"]))
    in_file(tmp_path / "source.duckdb", "ALTER TABLE t ALTER note TYPE BIT USING note::BLOB::BIT")
    (found,) = problems(Policy.parse(data(), tmp_path)).values()
    assert kinds_of(found) == {"mail"} and "60 of 60 rows hold" in found.message


def test_free_text_is_text_that_no_other_row_has(tmp_path):
    texts = [f"Water came through the roof, room {i} is wet" for i in range(60)]
    make_source(tmp_path, TYPES, table_of(texts))
    (found,) = problems(Policy.parse(data(), tmp_path)).values()
    assert kinds_of(found) == {"free-text"}
    (tmp_path / "source.duckdb").unlink()
    make_source(tmp_path, TYPES, table_of(texts[:5]))
    assert not problems(Policy.parse(data(), tmp_path))


def test_text_in_lists_is_looked_at(tmp_path):
    rows = [(age, name, ["x", "tel 0123456789"]) for age, name in PEOPLE]
    make_source(tmp_path, {**TYPES, "note": "VARCHAR[]"}, rows)
    (found,) = problems(Policy.parse(data(), tmp_path)).values()
    assert kinds_of(found) == {"phone"}


def test_a_sample_is_called_one(tmp_path, monkeypatch):
    monkeypatch.setattr("anonsql.risks.contents.looking.MOST_VALUES", 10)
    texts = [f"tel 0123456{i:03d}" for i in range(60)]
    make_table(tmp_path / "source.duckdb", TYPES, table_of(texts))
    (found,) = problems(Policy.parse(data(), tmp_path)).values()
    assert "sampled rows hold a telephone number" in found.message


def csv_tables():
    folder = Path(os.environ["ANONSQL_DATA"]) if os.environ.get("ANONSQL_DATA") else None
    known = ["adult/adult.csv", "fars/fars.csv", "acs/acs_national2019.csv"]
    found = [] if folder is None else [folder / item for item in known]
    return [*found, Path(anonsql.__file__).parent / "guide" / "patients.csv"]


@pytest.mark.parametrize("path", csv_tables(), ids=lambda path: path.stem)
def test_columns_of_real_tables_hold_nothing(tmp_path, path):
    """Whatever the column, kept as it is; people's names aside."""
    if not path.exists():
        pytest.skip(f"no {path.name}")
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 'x' AS q, COLUMNS(*) FROM read_csv(?, all_varchar = true)",
            [str(path)],
        )
        names = [row[0] for row in connection.execute("DESCRIBE t").fetchall()]
    columns = {name: "identifying" if name == "name" else "insensitive" for name in names}
    columns["q"] = COLUMNS["age"]
    found = problems(policy_in(tmp_path, columns, k=2))
    assert not found


def test_several_tables(tmp_path):
    in_file(
        tmp_path / "clinic.duckdb",
        "CREATE TABLE people AS SELECT i AS id, i % 3 AS age FROM range(60) s(i)",
        "CREATE TABLE visits AS SELECT i AS visit, i % 60 AS person,"
        " 'tel 0123456' || (100 + i % 7) AS note FROM range(120) s(i)",
        "CREATE TABLE wards AS SELECT 1 AS ward, 'a@b.example.org' AS desk",
    )

    def policy(note, wards):
        return {
            "source": {"database": str(tmp_path / "clinic.duckdb")},
            "release": {"database": str(tmp_path / "release.duckdb"), "completed": 0},
            "tables": {
                "people": {"key": "id", "columns": {"age": COLUMNS["age"]}},
                "visits": {
                    "key": "visit",
                    "references": {"person": "people"},
                    "columns": {"note": note},
                },
                "wards": {"key": "ward", "public": True, "columns": wards},
            },
            "privacy": {"k": 5, "of": "people", "known_rows": 1},
        }

    kept = {"role": "insensitive"}
    found = {problem.where for problem in anonsql.check(policy(kept, {})).problems}
    assert found == {"tables.visits.columns.note", "tables.wards.columns.desk"}
    with pytest.raises(PolicyError, match="120 of 120 rows hold a telephone number"):
        anonsql.run(policy(kept, {}))
    phone = kept | {"contains": ["phone"], "accepted": "made up"}
    mail = {"desk": kept | {"contains": ["mail"], "accepted": "the desk's own"}}
    anonsql.run(policy(phone, mail))
    assert anonsql.verify(policy(phone, mail)).status == "verified"
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT property, value FROM wards__about"))
    assert about["accepted.desk"] == "the desk's own"
    anonsql.report(tmp_path / "release.duckdb", tmp_path / "page.html", audience="recipient")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "visits.note is released although it contains telephone numbers" in text
    with pytest.raises(VerificationError, match=r"accepted\.note"):
        anonsql.verify(policy(phone | {"accepted": "other"}, mail))


def test_check_prints_it_as_json(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, table_of(["tel 0123456789"]))
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(data()), encoding="utf-8")
    result = cli("check", path, "--json")
    assert result.exit_code == 2
    (problem,) = json.loads(result.stdout)["problems"]
    assert problem["where"] == "columns.note"


def test_names_are_in_order_and_none_is_a_word():
    names = expressions.given_names()
    assert len(set(names)) == len(names) > 1000
    words = {"May", "June", "April", "Rose", "Grace", "Paris", "Virginia", "Mark", "Will"}
    assert not words & set(names)


@pytest.mark.skipif(
    importlib.util.find_spec("presidio_analyzer") is None,
    reason="presidio-analyzer is not installed (extra `presidio`)",
)
def test_presidio_finds_numbers_of_more_countries(tmp_path, monkeypatch):
    make_source(tmp_path, TYPES, table_of(["PESEL 44051401359"]))
    policy = Policy.parse(data(), tmp_path)
    (found,) = problems(policy).values()
    assert kinds_of(found) == {"national-number"}
    monkeypatch.setattr(looking, "installed", lambda: False)
    assert not problems(policy)


def test_init_proposes_to_remove_such_text_and_says_why(tmp_path):
    make_source(tmp_path, TYPES, table_of(["tel 0123456789", "none"]))
    profile.init(str(tmp_path / "source.duckdb"), "t", tmp_path / "p.yaml")
    lines = (tmp_path / "p.yaml").read_text(encoding="utf-8").splitlines()
    where = lines.index("  note: {role: identifying}")
    assert "Removed: 30 of 60 rows hold a telephone number." in lines[where - 1]


def test_init_proposes_nothing_for_a_table_without_rows(tmp_path):
    make_source(tmp_path, TYPES, [])
    with pytest.raises(PolicyError, match="no rows"):
        profile.init(str(tmp_path / "source.duckdb"), "t", tmp_path / "p.yaml")
    assert not (tmp_path / "p.yaml").exists()
