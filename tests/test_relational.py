"""Releases of several tables: on every engine, with all that can be wrong with them."""

import copy
import datetime as dt
import json

import duckdb
import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.features.init.several_tables import init_tables
from anonsql.sql import templates

from . import clinic
from . import models as model_cases
from .engines import SPARK_SETTINGS, whole_but_on_spark
from .support import copied, editing


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
    for name, row in rows.items():
        engine.make(clinic.COLUMNS[name], row, table=name)


def settings(engine):
    """What a policy says besides: the catalog of a release on a server is a file of the test."""
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


@whole_but_on_spark
def test_keys_join_what_belonged_together(engine, whole, tmp_path):
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
    assert verified.rows == {name: len(item) for name, item in rows.items()}
    asked = anonsql.query(
        policy,
        "SELECT p.sex, COUNT(DISTINCT p.patient_id) FROM visits v JOIN patients p"
        " ON v.patient_id = p.patient_id WHERE YEAR(v.day) = 2024 GROUP BY p.sex",
    )
    sexes = {row[0]: row[3] for row in rows["patients"]}
    with_visits = {row[1] for row in rows["visits"] if row[3].year == 2024}
    for line in asked.answers:
        people = sum(line.group["sex"] in (sexes[with_visit], "*") for with_visit in with_visits)
        assert line.draws and 0 < line.estimate <= len(with_visits) and people
    if not whole:
        return
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
        **model_cases.promised("by people"),
    }
    policy = clinic.policy(*place(engine), known_rows=0, **promised) | settings(engine)
    coarse = {"patients.born": 1, "patients.sex": 0, "visits.day": 3, "prescriptions.drug": 1}
    policy["method"] = {"type": "full-domain", "levels": coarse}
    policy["privacy"]["suppression_limit"] = 0.9
    report = anonsql.run(policy)
    assert 0 < report.released_people < 60 and len(report.promises) == len(promised)
    assert anonsql.verify(policy).promises == report.promises
    policy["privacy"] |= {"known_rows": 2, "l_diversity": {"visits.diagnosis": 3}}
    for name in promised.keys() - {"l_diversity"}:
        del policy["privacy"][name]
    report = anonsql.run(policy, dry_run=True)
    assert report.fewest_people >= 3
    assert report.promises == {"l_diversity.visits.diagnosis": "distinct 3"}


@pytest.mark.parametrize("known_rows", [2, "all"])
def test_in_place_counts_the_same(engine, known_rows):
    """The search on the server itself finds what it finds on the embedded DuckDB."""
    if engine.name == "duckdb":
        pytest.skip("DuckDB is its own workbench")
    make(engine, clinic.rows(patients=40, visits=25, prescriptions=20))
    limits = {"patients": 0.95} if known_rows == "all" else {"patients": 0.5, "visits": 0.3}
    promised = {"k": 2, "known_rows": known_rows, "suppression_limit": limits}
    promised["l_diversity"] = {"visits.diagnosis": 2}
    data = {**clinic.policy(*place(engine), **promised), **settings(engine)}
    found = {}
    for where in ("embedded", "in-place"):
        data["engine"] = {**data.get("engine", {}), "workbench": where}
        found[where] = [node.model_dump() for node in anonsql.search(data).nodes]
    assert found["embedded"] == found["in-place"] != []


def test_init_finds_what_belongs_together(engine, tmp_path):
    """No engine here declares keys: they are found by names and values."""
    make(engine, clinic.rows())
    source, _ = place(engine)
    of = "patients" if engine.name == "duckdb" else f"{engine.source}.patients"
    report = init_tables(source["database"], of, tmp_path / "policy.yaml")
    made = yaml.safe_load((tmp_path / "policy.yaml").read_text())
    assert {name: item["key"] for name, item in made["tables"].items()} == {
        name: entry["key"] for name, entry in clinic.tables().items()
    }
    assert {name: element.get("references", {}) for name, element in made["tables"].items()} == {
        name: each.get("references", {}) for name, each in clinic.tables().items()
    }
    assert "doctors.public" in report.undecided and made["privacy"]["of"] == "patients"


def test_a_release_is_replaced_as_a_whole(engine):
    make(engine, clinic.rows())
    policy = clinic.policy(*place(engine)) | settings(engine)
    policy["release"]["completed"] = 1
    anonsql.run(policy)
    anonsql.run(policy)
    assert len(engine.parts()) == 15, "four tables with their facts, and three completed ones"
    anonsql.verify(policy)


@pytest.fixture
def files(tmp_path):
    """A clinic in a DuckDB file, and its policy."""
    return clinic.in_a_file(tmp_path)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A clinic in a DuckDB file, its policy, and its release, which the run has proved."""
    path, policy = clinic.in_a_file(tmp_path_factory.mktemp("published"))
    policy |= clinic.AT_LEVELS
    anonsql.run(policy)
    return path, policy


def do(path, sql):
    with (
        editing(path) if path.name == "released.duckdb" else duckdb.connect(str(path))
    ) as connection:
        return connection.execute(sql).fetchall()


def changed(policy, **tables):
    """The policy with settings of tables changed; None takes one away."""
    policy = copy.deepcopy(policy)
    for name, settings in tables.items():
        if settings is None:
            del policy["tables"][name]
        else:
            policy["tables"].setdefault(name, {}).update(settings)
    return policy


def test_no_more_rows_than_max_rows(files):
    path, policy = files
    do(
        path,
        "INSERT INTO visits SELECT 1000 + i, 'P0007', 1, '2024-05-05', 'x' FROM range(5000) t(i)",
    )
    policy = changed(policy, visits={"max_rows": 2}, prescriptions={"max_rows": 1})
    report = anonsql.run(policy)
    tables = {item.table: item for item in report.tables}
    assert tables["visits"].beyond_max_rows >= 4990
    for name, most, above in (("visits", 2, "patient_id"), ("prescriptions", 1, None)):
        sql = (
            f"SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM {name} GROUP BY {above or 'visit_id'})"
        )
        assert do(path.with_name("released.duckdb"), sql)[0][0] <= most
    anonsql.verify(policy)


def test_a_dry_run_publishes_nothing(files):
    path, policy = files
    report = anonsql.run(policy, dry_run=True)
    assert report.status == "tried" and report.verified
    assert sorted(item.name for item in path.parent.iterdir()) == ["clinic.duckdb"]


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
    "INSERT INTO visits__about VALUES ('note', 'P0007')": "facts that such a release does not have:  note",
    "DELETE FROM visits__about WHERE property = 'release'": "release=None",
    "UPDATE doctors__about SET value = '0123456789abcdef' WHERE property = 'release'": "different",
    "UPDATE visits__about SET value = '0.9' WHERE property = 'suppression_limit'": "limit=0.9",
    "UPDATE patients__about SET value = '7' WHERE property = 'loss'": "loss=7",
    "UPDATE patients__about SET value = '[]' WHERE property = 'other_tables'": "other_tables",
    "DELETE FROM doctors__about WHERE property = 'public'": "public=None",
    "UPDATE visits__columns SET looks_like = 'P0007'": "looks_like=P0007",
    "UPDATE visits__columns SET level = 1 WHERE column_name = 'day'": "'day'",
    "UPDATE patients SET born = 'P0007'": "cannot result from the policy's hierarchy",
    "UPDATE visits SET day_lo = DATE '1999-01-01'": "bounds",
    "ALTER TABLE visits ALTER patient_id TYPE VARCHAR USING '00' || patient_id": "'patient_id' is V",
    "ALTER TABLE prescriptions ALTER visit_id TYPE DOUBLE": "'visit_id' is DOUBLE, not BIGINT",
    "ALTER TABLE visits ALTER visit_id TYPE VARCHAR USING 'x' || visit_id": "'visit_id' is VARCHAR, not BIGINT",
    "ALTER TABLE visits__columns ADD COLUMN note VARCHAR DEFAULT 'P0007'": "__columns has other columns",
    "ALTER TABLE visits__columns ADD COLUMN note VARCHAR": "visits: __columns has other columns",
    "ALTER TABLE doctors__about ADD COLUMN note VARCHAR": "doctors: __about has other columns",
    "ALTER TABLE visits__columns ALTER level TYPE VARCHAR": "visits: __columns has other columns",
    "ALTER TABLE visits__columns ALTER level TYPE DOUBLE": "visits: __columns has other columns",
    "ALTER TABLE patients ALTER sex TYPE VARCHAR COLLATE NOCASE": "collation of patients\\.",
    "ALTER TABLE doctors ALTER ward SET DEFAULT 'P0007'": "collation of doctors\\.",
    "ALTER TABLE visits ADD PRIMARY KEY (visit_id)": "collation of visits\\.",
    "ALTER TABLE visits ALTER day SET NOT NULL": "collation of visits\\.",
    "CREATE INDEX i ON visits (diagnosis)": "not part of a release: index i\\.",
    **{
        f"UPDATE visits__about SET value = '000' || value WHERE property = '{fact}'": f"{fact}=000"
        for fact in ("suppressed", "with_others", "beyond_max_rows", "rows", "known_rows")
    },
    **{
        f"UPDATE patients__about SET value = '{loss}' WHERE property = 'loss'": f"loss={loss}"
        for loss in ("00.0100", "1/7", "0.10", "1e-1", ".5", "0.5 ", "0.1234567890123", "inf")
    },
    **{
        f"UPDATE {table}__about SET value = '{text}' WHERE property = 'anonsql'": f"anonsql={text}"
        for table, text in (("patients", "9.9.9-smith-has-hiv"), ("doctors", "1.0.smith"))
    },
    **{
        f"UPDATE {table}__about SET value = {text} WHERE property = '{fact}'": f"other {fact} than"
        for table, fact, text in (
            ("patients", "other_tables", "value || ' '"),
            ("patients", "other_tables", "REPLACE(value, ', ', ',')"),
            ("visits", "references", "REPLACE(value, ': ', ':')"),
            ("visits", "references", """REPLACE(value, '{', '{"patient_id": "P0007", ')"""),
            ("doctors", "references", "'{ }'"),
        )
    },
    "DELETE FROM doctors__about WHERE property = 'references'": "other references than",
}


@pytest.mark.parametrize("sql", TAMPER)
def test_verify_sees_what_was_changed(published, tmp_path, sql):
    path, policy = published
    policy = copied(policy, path.parent, tmp_path)
    do(tmp_path / "released.duckdb", sql)
    with pytest.raises((VerificationError, PolicyError), match=TAMPER[sql]):
        anonsql.verify(policy)


def test_a_reference_of_another_kind_than_its_key_is_refused(published, tmp_path):
    """As texts the same numbers could be written in ways that say more."""
    path, policy = published
    policy = copied(policy, path.parent, tmp_path)
    do(tmp_path / "released.duckdb", "ALTER TABLE visits ALTER doctor_id TYPE VARCHAR")
    with pytest.raises(
        VerificationError, match="'doctor_id' is VARCHAR, but the key of doctors is INTEGER"
    ):
        anonsql.verify(policy)


def planted(monkeypatch, name, old, new):
    """Plant a fault in the statements of one of the writer's templates that have a text; return how
    many these were."""
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
        ("relational/census/rare", "c.n < 3", "c.n < 1", "fewer than k"),
        ("relational/map", "n.surrogate", "n.surrogate % 7 AS surrogate", "different keys"),
        ("release/rows", 'JOIN "map_1" AS k2', "JOIN (SELECT value, surrogate % 50 + 1 AS surrogate FROM map_1) AS k2", "other values|fewer than k"),
        ("release/rows", 's."diagnosis"', "'flu'", "other values"),
    ],
)  # fmt: skip
def test_the_proof_catches_what_the_writer_does_wrong(files, monkeypatch, name, old, new, words):
    path, policy = files
    hits = planted(monkeypatch, name, old, new)
    with pytest.raises(VerificationError, match=words):
        anonsql.run(policy)
    assert hits and not path.with_name("released.duckdb").exists()


def test_nothing_of_the_source_is_in_the_file(files, fresh_writers):
    path, policy = files
    anonsql.run(policy)
    content = path.with_name("released.duckdb").read_bytes()
    assert b"O'Brien" not in content and b"P0001" not in content


def test_a_folder_of_parquet_files(files):
    path, policy = files
    policy["release"] = {"file": str(path.with_name("folder")), "completed": 0}
    anonsql.run(policy)
    names = {item.name for item in path.with_name("folder").iterdir()}
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
    assert [item["table"] for item in document["tables"]] == list(policy["tables"])
    assert report.to_pandas().shape[0] == 4


def test_columns_that_point_to_single_rows_are_warned_of(files):
    path, policy = files
    do(path, "ALTER TABLE patients ADD COLUMN pay INTEGER")
    do(path, "UPDATE patients SET pay = rowid")
    policy["tables"]["patients"]["columns"]["pay"] = {"role": "insensitive"}
    found = [warning.where for warning in anonsql.check(policy).warnings]
    assert "tables.patients.columns.pay" in found


def test_a_search_without_a_result_says_what_would_help(files):
    _, policy = files
    policy["privacy"] |= {"known_rows": 2, "k": 40, "suppression_limit": 0}
    found = anonsql.search(policy)
    assert not found.nodes and found.advice.endswith("lower k or known_rows.")
