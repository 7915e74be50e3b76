"""What can be wrong with tables and policies of several: each is refused by its place, with what
would help, and nothing is published."""

import pytest

import anonsql
from anonsql.errors import PolicyError, PrivacyError
from anonsql.jobs.relational.deciding import _limit_for

from . import clinic
from .support import opened, quote
from .test_relational import changed, do


@pytest.fixture
def files(tmp_path):
    """A clinic in a DuckDB file, and its policy."""
    path, policy = clinic.in_a_file(tmp_path)
    return path, policy | clinic.AT_LEVELS


@pytest.mark.parametrize(
    ("change", "where", "found"),
    [
        ("INSERT INTO visits VALUES (900, 'nobody', 1, '2024-01-01', 'x')", "visits.references.patient_id", "1 row refers by 'patient_id' to a missing row"),
        ("UPDATE visits SET patient_id = NULL WHERE visit_id < 4", "visits.references.patient_id", "4 rows have no 'patient_id'"),
        ("UPDATE patients SET patient_id = 'P0001' WHERE patient_id = 'P0002'", "patients.key", "60 rows have 59 different values of 'patient_id'"),
        ("UPDATE visits SET doctor_id = 99 WHERE visit_id = 1", "visits.references.doctor_id", "1 row refers by 'doctor_id' to a missing row"),
        ("UPDATE patients SET patient_id = NULL WHERE patient_id = 'P0059'", "patients.key", "1 row has no 'patient_id'"),
        ("ALTER TABLE visits ADD COLUMN more INTEGER", "visits.columns.more", "this column of the source has no role"),
        ("ALTER TABLE visits DROP COLUMN diagnosis", "visits.columns.diagnosis", "the table has no column 'diagnosis'"),
        ("DROP TABLE prescriptions", "tables.prescriptions", "there is no table 'prescriptions'"),
        ("ALTER TABLE prescriptions ALTER visit_id TYPE VARCHAR", "prescriptions.references.visit_id", "it is VARCHAR, and 'visit_id' of visits is INTEGER"),
    ],
)  # fmt: skip
def test_a_wrong_source_is_refused_by_place(files, change, where, found):
    path, policy = files
    do(path, change)
    with pytest.raises(PolicyError) as error:
        anonsql.run(policy)
    assert where in str(error.value) and found in str(error.value), error.value
    assert not path.with_name("released.duckdb").exists()
    assert anonsql.check(policy).exit_code == 2


@pytest.mark.parametrize(
    ("tables", "privacy", "more", "words"),
    [
        ({"visits": {"references": {"patient_id": "patients", "diagnosis": "visits"}, "columns": {}}}, {}, {}, "refers to itself: make the column identifying"),
        ({"patients": {"references": {"born": "visits"}}}, {}, {}, "form a cycle|has no role"),
        ({"visits": {"references": {"patient_id": "patient"}}}, {}, {}, "no table 'patient'"),
        ({"prescriptions": {"references": {"visit_id": "visits", "patient_id": "patients"}}}, {}, {}, "2 references lead to people.*make the other column identifying"),
        ({"prescriptions": {"references": {}}}, {}, {}, "no reference leads to patients"),
        ({"visits": {"key": ["a", "b"]}}, {}, {}, "key: found a list, and a key is one column"),
        ({"visits": {"key": None}}, {}, {}, "name the column that identifies a row"),
        ({"doctors": {"references": {"doctor_id2": "patients"}}}, {}, {}, "is public, and patients is not"),
        ({"visits": {"public": True}}, {}, {}, "public"),
        ({}, {"of": "doctors"}, {}, "not a table of people"),
        ({}, {"known_rows": "2"}, {}, "known_rows: found '2'; a number from 0 to 3, or all"),
        ({}, {"known_rows": 7}, {}, "known_rows: found 7; a number from 0 to 3, or all"),
        ({}, {"over_time": {"key": "patient_id"}}, {}, "over_time: it follows the rows of one table"),
        ({}, {"l_diversity": {"diagnosis": 2}}, {}, "l_diversity"),
        ({}, {}, {"method": {"type": "mondrian"}}, "mondrian works on one table only; several tables need full-domain"),
        ({}, {}, {"method": {"type": "ring"}}, "ring works on one table only; several tables need full-domain"),
        ({}, {"suppression_limit": {"visit": 0.1}}, {}, "visits"),
        ({}, {"suppression_limit": {"visits": 1.5}}, {}, "suppression_limit: found 1.5; a share from 0"),
        ({"patients": {"max_rows": 2}}, {}, {}, "every person has exactly one row"),
        ({}, {}, {"release": {"file": "out.csv"}}, "several"),
        ({}, {}, {"release": {"database": "sqlite:///out.sqlite"}}, "SQLite"),
    ],
)  # fmt: skip
def test_a_wrong_policy_is_refused_by_place(files, tables, privacy, more, words):
    path, policy = files
    policy = changed(policy, **tables) | more
    policy["privacy"] |= privacy
    with pytest.raises(PolicyError, match=words) as error:
        anonsql.run(policy)
    assert not path.with_name("released.duckdb").exists()
    report = anonsql.check(policy)
    assert report.exit_code == 2 and report.problems, error


def test_tables_that_refer_and_are_not_in_the_policy(files):
    path, policy = files
    do(path, "ALTER TABLE patients ADD PRIMARY KEY (patient_id)")
    do(path, "CREATE TABLE bills (bill INTEGER, patient_id VARCHAR REFERENCES patients)")
    with pytest.raises(PolicyError, match="bills refers to patients, but is not in the policy"):
        anonsql.run(policy)
    anonsql.run(changed(policy, bills={"left_out": True}))
    bills = {"key": "bill", "columns": {"patient_id": {"role": "insensitive"}}}
    do(path, "ALTER TABLE visits ADD PRIMARY KEY (visit_id)")
    bills["references"] = {"visit": "visits"}
    do(path, "DROP TABLE bills")
    do(
        path,
        "CREATE TABLE bills (bill INTEGER, visit INTEGER, patient_id VARCHAR REFERENCES patients)",
    )
    with pytest.raises(
        PolicyError, match=r"would release the keys of that table\. Make it identifying"
    ):
        anonsql.run(changed(policy, bills=bills))


def test_a_table_that_refers_to_another_of_the_same_name(files):
    """What another schema has is not the table of that name that is released."""
    path, policy = files
    do(path, "CREATE SCHEMA other; CREATE TABLE other.patients (n INTEGER PRIMARY KEY)")
    do(
        path,
        "CREATE TABLE other.notes (id INTEGER, n INTEGER REFERENCES other.patients,"
        " patient VARCHAR)",
    )
    do(path, "INSERT INTO other.patients FROM range(3)")
    do(path, "INSERT INTO other.notes SELECT i, i % 3, 'P0001' FROM range(9) t(i)")
    columns = {"n": {"role": "insensitive"}}
    notes = {"key": "id", "references": {"patient": "patients"}, "columns": columns}
    anonsql.run(changed(policy, **{"other.notes": notes}))


def test_constraints_in_another_case(files):
    path, policy = files
    do(path, "ALTER TABLE patients ADD PRIMARY KEY (patient_id)")
    do(
        path,
        "CREATE TABLE bills (bill INTEGER, Whose VARCHAR, patient_id VARCHAR,"
        " FOREIGN KEY (WHOSE) REFERENCES PATIENTS(PATIENT_ID))",
    )
    with pytest.raises(PolicyError, match="bills refers to patients, but is not in the policy"):
        anonsql.run(policy)
    columns = {"Whose": {"role": "insensitive"}}
    bills = {"key": "bill", "references": {"patient_id": "patients"}, "columns": columns}
    with pytest.raises(PolicyError, match=r"columns\.Whose: it refers to patients"):
        anonsql.run(changed(policy, bills=bills))
    anonsql.run(changed(policy, bills={"left_out": True}))


def test_a_public_table_that_may_name_people_is_warned_of(files):
    path, policy = files
    do(path, "ALTER TABLE doctors RENAME COLUMN doctor TO full_name")
    report = anonsql.run(policy)
    assert [warning.where for warning in report.warnings] == ["tables.doctors"]
    assert "full_name" in report.warnings[0].message


def test_too_few_people(files):
    _, policy = files
    policy["privacy"]["k"] = 61
    with pytest.raises(PrivacyError, match="60 rows, fewer than k=61"):
        anonsql.run(policy)
    assert anonsql.check(policy).exit_code == 1


def test_nothing_satisfies_and_what_would(files):
    _, policy = files
    policy["privacy"] |= {"known_rows": "all", "k": 5, "suppression_limit": 0}
    with pytest.raises(PrivacyError, match=r"raise suppression_limit.patients to 0\.") as error:
        anonsql.run(policy)
    share = float(str(error.value).split("suppression_limit.patients to ")[1].split(" ")[0])
    policy["privacy"]["suppression_limit"] = share
    assert anonsql.run(policy).fewest_people >= 5


def test_levels_that_are_too_fine_and_what_would_help(files):
    _, policy = files
    fine = {"patients.born": 0, "patients.sex": 0, "visits.day": 0, "prescriptions.drug": 0}
    policy["method"] = {"type": "full-domain", "levels": fine}
    with pytest.raises(
        PrivacyError, match=r"leaves no person: choose coarser levels, or leave method"
    ):
        anonsql.run(policy)


def visits_of(path, *patients):
    """Nothing but one visit, all alike, of each of these patients."""
    do(path, "DELETE FROM prescriptions; DELETE FROM visits")
    for number, patient in enumerate(patients):
        do(path, f"INSERT INTO visits VALUES ({number}, 'P000{patient}', 1, '2024-05-05', 'x')")


def test_a_limit_of_other_tables_is_told_by_name(files):
    """No patient has to go, and more visits than may."""
    path, policy = files
    visits_of(path, 1, 2, 3, 4, 5, 6, 6)
    policy["privacy"] |= {"k": 4, "known_rows": 2, "suppression_limit": {"visits": 0.2}}
    advice = r"2 of 7 visits: raise suppression_limit\.visits to 0.2"
    with pytest.raises(PrivacyError, match=advice):
        anonsql.run(policy)
    policy["privacy"]["suppression_limit"] = {"visits": 0.286}
    assert anonsql.run(policy).fewest_people >= 4


def test_a_limit_that_no_policy_has_is_not_advised(files):
    """All visits would have to go: people who are suppressed whole are few enough."""
    path, policy = files
    visits_of(path, 1, 2, 3)
    policy["privacy"] |= {"k": 4, "suppression_limit": {"patients": 0.2, "visits": 0.4}}
    with pytest.raises(PrivacyError, match=r"of 3 visits: leave visits out of suppression_limit"):
        anonsql.run(policy)
    del policy["privacy"]["suppression_limit"]["visits"]
    assert anonsql.run(policy).released_people == 57


def test_the_share_that_is_advised_is_less_than_all():
    assert _limit_for("t", 9_999, 10_000).endswith("suppression_limit.t to 0.9999 or more")
    assert _limit_for("t", 1, 3).endswith("suppression_limit.t to 0.334 or more")


def test_a_model_that_nothing_keeps_is_told_without_more_suppression(files):
    _, policy = files
    policy["privacy"]["l_diversity"] = {"visits.diagnosis": 40}
    del policy["method"]
    with pytest.raises(PrivacyError, match=r"relax l_diversity\.visits\.diagnosis\.$"):
        anonsql.run(policy)


MANY = (
    "INSERT INTO visits SELECT 1000 + i, 'P0007', 1, DATE '1900-01-01' + CAST(i AS INTEGER),"
    " 'x' FROM range(100000) t(i)"
)


def test_a_person_with_too_many_rows_is_told(files):
    path, policy = files
    do(path, MANY)
    policy["privacy"]["known_rows"] = 2
    with pytest.raises(PolicyError, match=r"one person has 100,0.* rows.*Set max_rows"):
        anonsql.run(policy)
    anonsql.run(changed(policy, visits={"max_rows": 3}))


def test_equal_rows_count_no_more_than_may_be_known(files):
    """A thousand rows that nothing tells apart are no more than three of them."""
    path, policy = files
    do(path, "DELETE FROM prescriptions; DELETE FROM visits")
    do(
        path,
        "INSERT INTO visits SELECT i, 'P000' || i % 10, 1, DATE '2024-05-05' +"
        " CAST(i // 10 % 2 AS INTEGER), 'x' FROM range(60000) t(i)",
    )
    policy["privacy"]["known_rows"] = 3
    report = anonsql.run(policy)
    assert report.fewest_people >= 3
    assert anonsql.verify(policy).fewest_people == report.fewest_people


def test_a_release_of_something_else_is_not_replaced(files):
    path, policy = files
    anonsql.run(policy)
    do(path.with_name("released.duckdb"), "CREATE TABLE precious AS SELECT 1 AS x")
    with pytest.raises(PolicyError, match="precious"):
        anonsql.run(policy)
    assert do(path.with_name("released.duckdb"), "SELECT x FROM precious") == [(1,)]


def test_names_that_need_quotes(tmp_path):
    path = tmp_path / "odd.duckdb"
    with opened(path) as connection:
        connection.execute('CREATE TABLE "select" ("it\'s; ""key""" INTEGER, "größe" VARCHAR)')
        connection.execute('CREATE TABLE "a/b c" ("from" INTEGER, "order" INTEGER, "x y" VARCHAR)')
        connection.execute("INSERT INTO \"select\" SELECT i, 'ä' || i % 2 FROM range(20) t(i)")
        connection.execute("INSERT INTO \"a/b c\" SELECT i, i % 20, 'z' FROM range(60) t(i)")
    plain = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
    policy = {
        "source": {"database": str(path)},
        "tables": {
            "select": {"key": 'it\'s; "key"', "columns": {"größe": plain}},
            "a/b c": {
                "key": "from",
                "references": {"order": "select"},
                "columns": {"x y": plain},
            },
        },
        "privacy": {"k": 5, "of": "select", "known_rows": 2},
        "release": {"database": str(tmp_path / "out.duckdb"), "completed": 0},
    }
    report = anonsql.run(policy)
    assert report.levels == {"select.größe": 0, "a/b c.x y": 0}
    anonsql.verify(policy)


def test_what_is_wrong_with_a_hierarchy_is_told_of_every_table(files):
    _, policy = files
    wrong = {"role": "quasi-identifying", "hierarchy": {"type": "interval", "widths": [10]}}
    policy["tables"]["patients"]["columns"]["sex"] = wrong
    policy["tables"]["prescriptions"]["columns"]["drug"] = wrong
    found = [problem.where for problem in anonsql.check(policy).problems]
    assert any(item.startswith("tables.patients.columns.sex") for item in found), found
    assert any(entry.startswith("tables.prescriptions.columns.drug") for entry in found), found


def test_a_key_whose_values_may_be_equal_and_look_different(files):
    path, policy = files
    do(path, "ALTER TABLE prescriptions ALTER prescription_id TYPE DOUBLE")
    problems = anonsql.check(policy).problems
    assert [item.where for item in problems] == ["tables.prescriptions.key"]
    assert "DOUBLE" in problems[0].message and "Cast it to text" in problems[0].remedy
    do(path, "ALTER TABLE visits ALTER visit_id TYPE DOUBLE")
    do(path, "ALTER TABLE prescriptions ALTER visit_id TYPE DOUBLE")
    found = {problem.where for problem in anonsql.check(policy).problems}
    assert {"tables.visits.key", "tables.prescriptions.references.visit_id"} <= found


def refused(files, words, sql="", kind=PolicyError, **privacy):
    """Run the policy of a clinic that a statement changed before; it is refused."""
    path, policy = files
    if sql:
        do(path, sql)
    policy["privacy"] |= privacy
    with pytest.raises(kind, match=words):
        anonsql.run(policy)
    assert not path.with_name("released.duckdb").exists()
    assert anonsql.check(policy).exit_code == kind.exit_code


def renamed(policy, name):
    """The policy with another name of the public table."""
    policy["tables"][name] = policy["tables"].pop("doctors")
    policy["tables"]["visits"]["references"]["doctor_id"] = name


@pytest.mark.parametrize("name", ["patients__about", "Visits__columns", "PATIENTS", "visits"])
def test_names_of_tables_that_clash(files, name):
    path, policy = files
    if name == "visits":  # another schema's
        name = "other.visits"
        do(path, "CREATE SCHEMA other; CREATE TABLE other.visits AS FROM doctors")
    renamed(policy, name)
    refused((path, policy), "the release needs the name of one of")


def test_a_table_called_like_the_facts_of_none(files):
    path, policy = files
    do(path, "ALTER TABLE doctors RENAME TO t__about")
    renamed(policy, "t__about")
    anonsql.run(policy)
    assert anonsql.verify(policy, against_source=True).rows["t__about"] == 5


@pytest.mark.parametrize("name", ["a;b \"c'é--", "a.b", "a\nb", "DROP TABLE patients"])
def test_odd_names_of_tables(files, name):
    path, policy = files
    do(path, f"ALTER TABLE doctors RENAME TO {quote(name)}")
    renamed(policy, name)
    anonsql.run(policy)
    assert anonsql.verify(policy, against_source=True).rows[name] == 5
    released = quote(name.rpartition(".")[2])
    assert do(path.with_name("released.duckdb"), f"SELECT COUNT(*) FROM {released}") == [(5,)]


@pytest.mark.parametrize(
    ("change", "words", "sql"),
    [
        (
            lambda tables: tables["patients"].update(key="born_lo"),
            "patients.columns.born: its bounds column 'born_lo' would have the same name",
            "ALTER TABLE patients RENAME patient_id TO born_lo",
        ),
        (
            lambda tables: tables["visits"]["columns"].update(Diagnosis={"role": "insensitive"}),
            "visits.columns.Diagnosis: the table has no column",
            "",
        ),
        (
            lambda tables: tables["visits"].update(references={"doctor_id": "prescriptions"}),
            "they form a cycle: visits -> prescriptions -> visits",
            "",
        ),
    ],
    ids=["a key called like a bound", "columns that differ in case", "a circle of references"],
)
def test_tables_that_cannot_be_released(files, change, words, sql):
    change(files[1]["tables"])
    refused(files, words, sql)


@pytest.mark.parametrize(
    ("sql", "people"),
    [
        ("DELETE FROM prescriptions", 60),
        ("DELETE FROM prescriptions; DELETE FROM visits", 60),
        ("UPDATE visits SET doctor_id = NULL; DELETE FROM doctors", 60),
        ("DELETE FROM prescriptions; DELETE FROM visits WHERE patient_id > 'P0010'", 60),
    ],
)
def test_tables_without_rows_and_people_without(files, sql, people):
    path, policy = files
    do(path, sql)
    report = anonsql.run(policy)
    assert report.people == people
    assert anonsql.verify(policy, against_source=True).people == report.released_people


@pytest.mark.parametrize("sql", ["DELETE FROM visits", "UPDATE visits SET day = NULL"])
def test_a_table_without_values_is_not_measured(files, sql):
    path, policy = files
    do(path, f"DELETE FROM prescriptions; {sql}")
    anonsql.run(policy)
    assert list(anonsql.measure(policy).tables) == ["patients"]
    do(path, "UPDATE visits SET day = NULL; UPDATE patients SET born = NULL, sex = NULL")
    anonsql.run(policy)
    with pytest.raises(PolicyError, match="no quasi-identifying column has a value"):
        anonsql.measure(policy)


@pytest.mark.parametrize("condition", ["TRUE", "patient_id <> 'P0000'", "patient_id > 'P0001'"])
def test_fewer_people_than_k(files, condition):
    sql = (
        f"DELETE FROM patients WHERE {condition}; DELETE FROM visits WHERE {condition};"
        " DELETE FROM prescriptions WHERE visit_id NOT IN (SELECT visit_id FROM visits)"
    )
    refused(files, r"privacy\.k: patients has [012] rows?, fewer than k=3", sql, PrivacyError)


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("known", [0, 1, 2, 3])
def test_a_person_with_very_many_rows(files, known, most):
    path, policy = files
    policy["privacy"]["known_rows"] = known
    do(path, MANY)
    if most is None and known > 1:
        with pytest.raises(PolicyError, match=r"known rows are too many.*Set max_rows"):
            anonsql.run(policy)
        return
    if most is not None:
        policy["tables"]["visits"]["max_rows"] = most
    assert anonsql.run(policy).fewest_people >= 3


@pytest.mark.parametrize("most", [None, 3])
def test_all_rows_of_a_person_with_very_many(files, most):
    path, policy = files
    do(path, MANY)
    policy["privacy"]["known_rows"] = "all"
    if most is not None:
        policy["tables"]["visits"]["max_rows"] = most
    with pytest.raises(PrivacyError, match=r"suppression_limit\.patients to .* max_rows"):
        anonsql.run(policy)
    assert not path.with_name("released.duckdb").exists()


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("sqlite:///clinic.sqlite", "SQLite"),
        ("mariadb://u:secret@127.0.0.1:1/x", "MariaDB or MySQL"),
    ],
)
@pytest.mark.parametrize("command", [anonsql.run, anonsql.search, anonsql.check])
def test_databases_that_several_tables_are_not_released_from(files, url, word, command):
    """Refused before anything is connected to."""
    path, policy = files
    policy["source"]["database"] = url
    try:
        found = str(command(policy).problems)
    except PolicyError as error:
        found = str(error)
    assert f"the database is {word}, and several tables can only be released from DuckDB" in found
    assert "secret" not in found and not path.with_name("released.duckdb").exists()


def test_the_source_is_the_release(files):
    path, policy = files
    before = path.read_bytes()
    policy["release"]["database"] = str(path)
    with pytest.raises(PolicyError, match=r"release\.database: this is the source itself"):
        anonsql.run(policy)
    assert path.read_bytes() == before


def test_tables_of_two_databases(files):
    path, policy = files
    policy["tables"]["doctors"]["database"] = "another.duckdb"
    refused((path, policy), "tables.doctors.database: this field is not known")
    del policy["tables"]["doctors"]["database"]
    renamed(policy, "another.main.doctors")
    refused((path, policy), "tables.another.main.doctors")


@pytest.mark.parametrize("method", ["mondrian", "ring", "anatomy", "local", "hilbert"])
def test_other_methods(files, method):
    path, policy = files
    policy["method"] = {"type": method}
    refused(
        (path, policy),
        f"method.type: {method} works on one table only; several tables need full-domain",
    )
