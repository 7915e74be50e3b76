"""Releases of several tables: on every engine, with all that can be wrong with them."""

import copy
import datetime as dt
import json

import duckdb
import pytest
import yaml

import anonsql
from anonsql.commands.init_tables import init_tables
from anonsql.errors import PolicyError, PrivacyError, VerificationError

from . import clinic
from .support import insert, quote


def place(engine):
    """Source and release of several tables on an engine."""
    source, release = engine.places("patients")
    if engine.name == "duckdb":
        folder = engine.folder
        return {"database": str(folder / source["database"])}, {
            "database": str(folder / release["database"])
        }
    made = {"database": source["database"], "schema": engine.source}
    return made, {"database": release["database"], "schema": engine.release}


def make(engine, rows):
    """The tables of a clinic on an engine."""
    for name, each in rows.items():
        engine.make(clinic.COLUMNS[name], each, table=name)


def settings(engine):
    """What a policy says besides: the catalog of a release on a server is a file of the test."""
    from .engines import SPARK_SETTINGS

    more = {"engine": {"spark": SPARK_SETTINGS}} if engine.name == "spark" else {}
    return {"catalog": str(engine.folder / "catalog.duckdb"), **more}


def joined(rows):
    """Each prescription with its visit and patient, without keys."""
    patients = {row[0]: row[1:] for row in rows["patients"]}
    visits = {row[0]: (patients[row[1]], *row[2:]) for row in rows["visits"]}
    return sorted(repr((visits[row[1]], row[2:])) for row in rows["prescriptions"])


def generalized(rows, report):
    """The rows of the clinic as a release has them, by Python alone."""

    def born(value, level):
        if level == 0:
            return (str(value), value, value)
        if level == 3:
            return ("*", None, None)
        width = (10, 20)[level - 1]
        low = value // width * width
        return (f"[{low},{low + width})", low, low + width - 1)

    def day(value, level):
        first, last = {
            0: (value, value),
            1: (value.replace(day=1), _last(value)),
            2: (dt.date(value.year, 1, 1), dt.date(value.year, 12, 31)),
            3: (None, None),
        }[level]
        text = (str(value), f"{value:%Y-%m}", str(value.year), "*")[level]
        return (text, first, last)

    levels = report.levels
    star = lambda value, column: "*" if levels[column] else value  # noqa: E731
    return {
        "patients": [
            (key, *born(year, levels["patients.born"]), star(sex, "patients.sex"))
            for key, _, year, sex in rows["patients"]
        ],
        "visits": [
            (key, whose, doctor, *day(when, levels["visits.day"]), what)
            for key, whose, doctor, when, what in rows["visits"]
        ],
        "prescriptions": [
            (key, visit, star(drug, "prescriptions.drug"))
            for key, visit, drug in rows["prescriptions"]
        ],
        "doctors": rows["doctors"],
    }


def _last(day):
    following = (day.replace(day=28) + dt.timedelta(days=4)).replace(day=1)
    return following - dt.timedelta(days=1)


def test_keys_join_what_belonged_together(engine, tmp_path):
    rows = clinic.rows()
    make(engine, rows)
    limits = {"patients": 0.0, "visits": 0.0}
    policy = clinic.policy(*place(engine), suppression_limit=limits, k=2) | settings(engine)
    report = anonsql.run(policy)
    assert report.fewest_people >= 2 and report.released_people == 60
    released = {name: engine.read(name) for name in rows}
    wanted = generalized(rows, report)
    assert joined(released) == joined(wanted)
    assert sorted(released["doctors"]) == sorted(rows["doctors"])
    for name in ("patients", "visits", "prescriptions"):
        assert sorted(row[0] for row in released[name]) == list(range(1, len(rows[name]) + 1))
    verified = anonsql.verify(policy)
    assert (verified.people, verified.fewest_people) == (60, report.fewest_people)
    assert verified.rows == {name: len(each) for name, each in rows.items()}
    asked = anonsql.query(
        policy,
        "SELECT p.sex, COUNT(DISTINCT p.patient_id) FROM visits v JOIN patients p"
        " ON v.patient_id = p.patient_id WHERE YEAR(v.day) = 2024 GROUP BY p.sex",
    )
    sexes = {row[0]: row[3] for row in rows["patients"]}
    with_visits = {row[1] for row in rows["visits"] if row[3].year == 2024}
    for line in asked.answers:
        people = sum(line.group["sex"] in (sexes[each], "*") for each in with_visits)
        assert line.lower <= people <= line.upper
    page = anonsql.report(policy, tmp_path / "page.html")
    assert page.relational.report.released_people == 60 and not page.recipient


def test_values_are_counted_by_people(engine):
    """Models of every kind of statement; some people are suppressed, so that the source is asked
    too."""
    make(engine, clinic.rows())
    promised = {
        "l_diversity": {"visits.diagnosis": {"type": "entropy", "l": 2}},
        "t_closeness": {"visits.diagnosis": 0.4},
        "alpha_k": {"visits.diagnosis": {"alpha": 0.7, "values": ["diagnosis 1"]}},
        "beta_likeness": {"visits.diagnosis": 4},
        "delta_disclosure": {"visits.diagnosis": 5},
    }
    policy = clinic.policy(*place(engine), known_rows=0, **promised) | settings(engine)
    coarse = {"patients.born": 1, "patients.sex": 0, "visits.day": 3, "prescriptions.drug": 1}
    policy["method"] = {"type": "full-domain", "levels": coarse}
    policy["privacy"]["suppression_limit"] = 0.9
    report = anonsql.run(policy)
    assert 0 < report.released_people < 60 and len(report.promises) == 5
    assert anonsql.verify(policy).promises == report.promises
    policy["privacy"] |= {"known_rows": 2, "l_diversity": {"visits.diagnosis": 3}}
    for name in ("delta_disclosure", "t_closeness", "beta_likeness", "alpha_k"):
        del policy["privacy"][name]
    report = anonsql.run(policy, dry_run=True)
    assert report.fewest_people >= 3
    assert report.promises == {"l_diversity.visits.diagnosis": "distinct 3"}


def test_init_finds_what_belongs_together(engine, tmp_path):
    """No engine here declares keys: they are found by names and values."""
    make(engine, clinic.rows())
    source, _ = place(engine)
    of = "patients" if engine.name == "duckdb" else f"{engine.source}.patients"
    report = init_tables(source["database"], of, tmp_path / "policy.yaml")
    made = yaml.safe_load((tmp_path / "policy.yaml").read_text())
    assert {name: each["key"] for name, each in made["tables"].items()} == {
        name: each["key"] for name, each in clinic.tables().items()
    }
    assert {name: each.get("references", {}) for name, each in made["tables"].items()} == {
        name: each.get("references", {}) for name, each in clinic.tables().items()
    }
    assert "doctors.public" in report.undecided and made["privacy"]["of"] == "patients"


def test_a_release_is_replaced_as_a_whole(engine):
    make(engine, clinic.rows())
    policy = clinic.policy(*place(engine)) | settings(engine)
    anonsql.run(policy)
    before = {name: engine.read(name) for name in clinic.COLUMNS}
    anonsql.run(policy)
    after = {name: engine.read(name) for name in clinic.COLUMNS}
    keys = lambda rows: {row[0]: row[1:] for row in rows["visits"]}  # noqa: E731
    assert keys(before) != keys(after), "new surrogates"
    assert len(engine.parts()) == 12


@pytest.fixture
def files(tmp_path):
    """A clinic in a DuckDB file with declared keys, to be changed, and its policy."""
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        for name, columns in clinic.COLUMNS.items():
            fields = ", ".join(f"{quote(column)} {kind}" for column, kind in columns.items())
            connection.execute(f"CREATE TABLE {name} ({fields})")
            insert(connection, name, clinic.rows()[name])
    return path, clinic.policy(
        {"database": str(path)}, {"database": str(tmp_path / "released.duckdb")}
    )


def do(path, sql):
    with duckdb.connect(str(path)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("change", "where", "found"),
    [
        ("INSERT INTO visits VALUES (900, 'nobody', 1, '2024-01-01', 'x')", "visits.references.patient_id", "1 rows refer by 'patient_id' to rows that are not there"),
        ("UPDATE visits SET patient_id = NULL WHERE visit_id < 4", "visits.references.patient_id", "4 rows have no 'patient_id': they are nobody's"),
        ("UPDATE patients SET patient_id = 'P0001' WHERE patient_id = 'P0002'", "patients.key", "60 rows have 59 different values of 'patient_id'"),
        ("UPDATE visits SET doctor_id = 99 WHERE visit_id = 1", "visits.references.doctor_id", "1 rows refer by 'doctor_id' to rows that are not there"),
        ("UPDATE patients SET patient_id = NULL WHERE patient_id = 'P0059'", "patients.key", "1 rows have no 'patient_id'"),
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


def changed(policy, **tables):
    """The policy with settings of tables changed; None takes one away."""
    policy = copy.deepcopy(policy)
    for name, settings in tables.items():
        if settings is None:
            del policy["tables"][name]
        else:
            policy["tables"].setdefault(name, {}).update(settings)
    return policy


@pytest.mark.parametrize(
    ("tables", "privacy", "more", "words"),
    [
        ({"visits": {"references": {"patient_id": "patients", "diagnosis": "visits"}, "columns": {}}}, {}, {}, "refers to itself"),
        ({"patients": {"references": {"born": "visits"}}}, {}, {}, "form a circle|has no role"),
        ({"visits": {"references": {"patient_id": "patient"}}}, {}, {}, "no table 'patient'"),
        ({"prescriptions": {"references": {"visit_id": "visits", "patient_id": "patients"}}}, {}, {}, "2 ways lead to people"),
        ({"prescriptions": {"references": {}}}, {}, {}, "none leads to patients"),
        ({"visits": {"key": ["a", "b"]}}, {}, {}, "[Tt]ext is needed"),
        ({"visits": {"key": None}}, {}, {}, "name the column that tells the rows apart"),
        ({"doctors": {"references": {"doctor_id2": "patients"}}}, {}, {}, "is public, and patients is not"),
        ({"visits": {"public": True}}, {}, {}, "public"),
        ({}, {"of": "doctors"}, {}, "no table of people"),
        ({}, {"known_rows": 7}, {}, "known_rows: found 7; 0 to 3 rows, or all"),
        ({}, {"over_time": {"key": "patient_id"}}, {}, "over_time: it follows the rows of one table"),
        ({}, {"l_diversity": {"diagnosis": 2}}, {}, "l_diversity"),
        ({}, {}, {"method": {"type": "mondrian"}}, "found mondrian; several tables need full-domain"),
        ({}, {}, {"method": {"type": "ring"}}, "found ring; several tables need full-domain"),
        ({}, {"suppression_limit": {"visit": 0.1}}, {}, "visits"),
        ({}, {"suppression_limit": {"visits": 1.5}}, {}, "suppression_limit: found 1.5; a share from 0"),
        ({"patients": {"max_rows": 2}}, {}, {}, "every person has one row"),
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
    with pytest.raises(PolicyError, match="bills refers to patients and is not in the policy"):
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
    with pytest.raises(PolicyError, match="would release that table's keys"):
        anonsql.run(changed(policy, bills=bills))


def test_a_public_table_that_may_name_people_is_warned_of(files):
    path, policy = files
    do(path, "ALTER TABLE doctors RENAME COLUMN doctor TO full_name")
    report = anonsql.run(policy)
    assert [each.where for each in report.warnings] == ["tables.doctors"]
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


def test_no_more_rows_than_max_rows(files):
    path, policy = files
    do(
        path,
        "INSERT INTO visits SELECT 1000 + i, 'P0007', 1, '2024-05-05', 'x' FROM range(5000) t(i)",
    )
    policy = changed(policy, visits={"max_rows": 2}, prescriptions={"max_rows": 1})
    report = anonsql.run(policy)
    tables = {each.table: each for each in report.tables}
    assert tables["visits"].beyond_max_rows >= 4990
    for name, most, above in (("visits", 2, "patient_id"), ("prescriptions", 1, None)):
        sql = (
            f"SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM {name} GROUP BY {above or 'visit_id'})"
        )
        assert do(path.with_name("released.duckdb"), sql)[0][0] <= most
    anonsql.verify(policy)


def test_a_person_with_too_many_rows_is_told(files):
    path, policy = files
    do(
        path,
        "INSERT INTO visits SELECT 1000 + i, 'P0007', 1, '2024-05-05', 'x' FROM range(100000) t(i)",
    )
    policy["privacy"]["known_rows"] = 2
    with pytest.raises(PolicyError, match=r"one person has 100,0.* rows.*Set max_rows"):
        anonsql.run(policy)
    anonsql.run(changed(policy, visits={"max_rows": 3}))


def test_a_dry_run_publishes_nothing(files):
    path, policy = files
    report = anonsql.run(policy, dry_run=True)
    assert report.status == "tried" and report.verified
    assert sorted(each.name for each in path.parent.iterdir()) == ["clinic.duckdb"]


def test_a_release_of_something_else_is_not_replaced(files):
    path, policy = files
    anonsql.run(policy)
    do(path.with_name("released.duckdb"), "CREATE TABLE precious AS SELECT 1 AS x")
    with pytest.raises(PolicyError, match="precious"):
        anonsql.run(policy)
    assert do(path.with_name("released.duckdb"), "SELECT x FROM precious") == [(1,)]


TAMPER = {
    "DELETE FROM visits WHERE visit_id = 1": "keys of",
    "UPDATE prescriptions SET visit_id = 100000 WHERE prescription_id = 1": "no row of visits",
    "UPDATE patients SET sex = 'X' WHERE patient_id = 1": "fewer than k",
    "UPDATE visits SET day = 'never' WHERE visit_id = 2": "fewer than k",
    "UPDATE patients SET patient_id = 2 WHERE patient_id = 1": "different keys",
    "ALTER TABLE visits ADD COLUMN name VARCHAR": "name",
    "UPDATE patients__about SET value = '2' WHERE property = 'k'": "k=2",
    "UPDATE visits__about SET value = '77' WHERE property = 'suppressed'": "suppressed=77",
    "UPDATE visits__about SET value = '1' WHERE property = 'rows'": "rows=1",
    "DROP TABLE doctors": "doctors",
}


@pytest.mark.parametrize("sql", TAMPER)
def test_verify_sees_what_was_changed(files, sql):
    path, policy = files
    anonsql.run(policy)
    anonsql.verify(policy)
    do(path.with_name("released.duckdb"), sql)
    with pytest.raises((VerificationError, PolicyError), match=TAMPER[sql]):
        anonsql.verify(policy)


def planted(monkeypatch, name, old, new):
    """Plant a fault in the statements of one of the writer's templates that have a text; return how
    many these were."""
    from anonsql.sql import templates

    render, hits = templates.render, []

    def other(template, dialect="duckdb", /, **parameters):
        text = render(template, dialect, **parameters)
        if name in (template, parameters.get("select")) and old in text:
            hits.append(template)
            return text.replace(old, new)
        return text

    monkeypatch.setattr(templates, "render", other)
    return hits


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("relational/search/rare", "COUNT(*) < 3", "COUNT(*) < 1", "fewer than k"),
        ("relational/map", "n.surrogate", "n.surrogate % 7 AS surrogate", "different keys"),
        ("relational/released", 'JOIN "map_1" AS k2', "JOIN (SELECT value, surrogate % 50 + 1 AS surrogate FROM map_1) AS k2", "other values"),
        ("relational/released", 's."diagnosis"', "'flu'", "other values"),
    ],
)  # fmt: skip
def test_the_proof_catches_what_the_writer_does_wrong(files, monkeypatch, name, old, new, words):
    path, policy = files
    hits = planted(monkeypatch, name, old, new)
    with pytest.raises(VerificationError, match=words):
        anonsql.run(policy)
    assert hits and not path.with_name("released.duckdb").exists()


def test_nothing_of_the_source_is_in_the_file(files):
    path, policy = files
    anonsql.run(policy)
    content = path.with_name("released.duckdb").read_bytes()
    assert b"O'Brien" not in content and b"P0001" not in content


def test_names_that_need_quotes(tmp_path):
    path = tmp_path / "odd.duckdb"
    with duckdb.connect(str(path)) as connection:
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
        "release": {"database": str(tmp_path / "out.duckdb")},
    }
    report = anonsql.run(policy)
    assert report.levels == {"select.größe": 0, "a/b c.x y": 0}
    anonsql.verify(policy)


def test_a_folder_of_parquet_files(files):
    path, policy = files
    policy["release"] = {"file": str(path.with_name("folder"))}
    anonsql.run(policy)
    names = {each.name for each in path.with_name("folder").iterdir()}
    assert {"patients.parquet", "visits.parquet", "visits__about.parquet"} <= names
    anonsql.verify(policy)
    anonsql.run(policy)


def test_levels_that_are_named(files):
    _, policy = files
    levels = {"patients.born": 3, "patients.sex": 1, "visits.day": 2, "prescriptions.drug": 1}
    policy["method"] = {"type": "full-domain", "levels": levels}
    assert anonsql.run(policy).levels == levels
    policy["method"]["levels"] = {**levels, "visits.day": 0}
    with pytest.raises(PrivacyError, match=r"method\.levels does not keep it"):
        anonsql.run(policy)


def test_the_documents_are_json(files):
    _, policy = files
    report = anonsql.run(policy)
    document = json.loads(report.model_dump_json())
    assert [each["table"] for each in document["tables"]] == list(policy["tables"])
    assert report.to_pandas().shape[0] == 4


def test_columns_that_point_to_single_rows_are_warned_of(files):
    path, policy = files
    do(path, "ALTER TABLE patients ADD COLUMN pay INTEGER")
    do(path, "UPDATE patients SET pay = rowid")
    policy["tables"]["patients"]["columns"]["pay"] = {"role": "insensitive"}
    found = [each.where for each in anonsql.check(policy).warnings]
    assert "tables.patients.columns.pay" in found


def test_what_is_wrong_with_a_hierarchy_is_told_of_every_table(files):
    _, policy = files
    wrong = {"role": "quasi-identifying", "hierarchy": {"type": "interval", "widths": [10]}}
    policy["tables"]["patients"]["columns"]["sex"] = wrong
    policy["tables"]["prescriptions"]["columns"]["drug"] = wrong
    found = [each.where for each in anonsql.check(policy).problems]
    assert any(each.startswith("tables.patients.columns.sex") for each in found), found
    assert any(each.startswith("tables.prescriptions.columns.drug") for each in found), found


def test_a_search_without_a_result_says_what_would_help(files):
    _, policy = files
    policy["privacy"] |= {"known_rows": 2, "k": 40, "suppression_limit": 0}
    found = anonsql.search(policy)
    assert not found.nodes and found.advice.startswith("Lower k or known_rows")


def test_a_key_whose_values_may_be_equal_and_look_different(files):
    path, policy = files
    do(path, "ALTER TABLE prescriptions ALTER prescription_id TYPE DOUBLE")
    problems = anonsql.check(policy).problems
    assert any("DOUBLE" in each.message and "Cast it to text" in each.remedy for each in problems)
