"""Keys of people, such as a patient's number: refused where a class can show one, unless k counts
people or the policy accepts it by name; ordinary columns are none."""

import random
import uuid

import duckdb
import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError, PrivacyError
from anonsql.features.init.command import opened, source_of
from anonsql.policy.policy import Policy
from anonsql.risks.keys_of_people.finding import keys

from .engines import DATABASES, DuckDB, Postgres, Spark, policy_on
from .support import DATA, in_file, make_source, needs_data, policy_data, rows_of

TYPES = {"key": "VARCHAR", "age": "INTEGER", "sex": "VARCHAR", "nights": "INTEGER"}
INTERVALS = {
    "role": "quasi-identifying",
    "hierarchy": {"type": "interval", "widths": [5, 10, 20]},
}
HIDDEN = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
MASKED = {"role": "quasi-identifying", "hierarchy": {"type": "mask", "length": 7}}


def visits(key=lambda person: f"P{100_000 + person}", people=60, seed=1):
    """One row to 15 rows of each person, whose age and sex are the same in all of them."""
    drawn = random.Random(seed)
    rows = []
    for person in range(people):
        known = (key(person), drawn.randint(20, 90), drawn.choice("mf"))
        rows += [(*known, drawn.randint(1, 9)) for _ in range(drawn.randint(1, 15))]
    return rows


def data(name="patient_no", setting=MASKED, **more):
    columns = {"age": INTERVALS, "sex": HIDDEN, "nights": "insensitive"}
    more.setdefault("method", {"type": "cell-generalization"})
    return policy_data({name: setting, **columns}, k=10, limit=0.1, **more)


def made(folder, name="patient_no", rows=None, kind="VARCHAR"):
    types = {name if column == "key" else column: kind_ for column, kind_ in TYPES.items()}
    make_source(folder, {**types, name: kind}, rows or visits())


def found(policy):
    return [
        problem for problem in anonsql.check(policy).problems if "key of people" in problem.message
    ]


@pytest.mark.parametrize("method", ["cell-generalization", "full-domain", "hybrid", "ring"])
def test_a_patients_number_is_refused_by_check_and_run(tmp_path, method):
    rows = visits()
    made(tmp_path, rows=rows)
    policy = Policy.parse(data(method={"type": method}), tmp_path)
    report = anonsql.check(policy)
    (problem,) = report.problems
    assert (report.exit_code, problem.where) == (2, "columns.patient_no")
    assert f"60 values occur in {len(rows)} rows" in problem.message
    counts_people = "`privacy: {entity: patient_no, …}`" in problem.remedy
    assert counts_people is (method != "hybrid")  # which cannot count them
    with pytest.raises(PolicyError, match="key of people"):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()


def test_a_kept_key_is_refused_too(tmp_path):
    made(tmp_path, "customer_id", [(f"{100 + n // 2}", 30, "m", n % 3) for n in range(80)])
    for role in ("insensitive", "sensitive"):
        (problem,) = found(Policy.parse(data("customer_id", role), tmp_path))
        assert f"This {role} column is released unchanged." in problem.message


def test_entity_covers_it_and_what_it_determines(tmp_path):
    types = {"mrn": "VARCHAR", **TYPES}
    make_source(tmp_path, types, [(f"M{row[0]}", *row) for row in visits()])
    columns = {"mrn": "identifying", "key": {**MASKED, "min_level": 1}}
    columns |= {"age": INTERVALS, "sex": HIDDEN, "nights": "insensitive"}
    policy = policy_data(columns, k=10, limit=0.5, privacy={"entity": "mrn"})
    assert anonsql.run(Policy.parse(policy, tmp_path)).verified
    policy = policy_data({**columns, "key": MASKED}, k=10)
    (problem,) = found(Policy.parse(policy, tmp_path))
    assert "100% of the rows have a value in the form of an identifier" in problem.message


def test_an_entity_that_has_nothing_to_do_with_it_does_not(tmp_path):
    drawn = random.Random(2)
    rows = [(str(drawn.randint(1, 40)), *row) for row in visits()]
    make_source(tmp_path, {"ward": "VARCHAR", **TYPES}, rows)
    columns = {"ward": "identifying", "key": MASKED, "age": INTERVALS, "sex": HIDDEN}
    columns["nights"] = "insensitive"
    policy = policy_data(columns, k=10, limit=0.5, privacy={"entity": "ward"})
    assert [problem.where for problem in found(Policy.parse(policy, tmp_path))] == ["columns.key"]


def test_an_entity_that_counts_visits_does_not(tmp_path):
    """Each row, or each visit of two rows, is one."""
    rows = [(n // divisor, *row) for divisor in (1, 2) for n, row in enumerate(visits())]
    for start in (0, len(rows) // 2):
        (tmp_path / "source.duckdb").unlink(missing_ok=True)
        part = rows[start : start + len(rows) // 2]
        make_source(tmp_path, {"visit": "INTEGER", **TYPES}, part)
        columns = {"visit": "identifying", "key": MASKED, "age": INTERVALS, "sex": HIDDEN}
        columns["nights"] = "insensitive"
        policy = policy_data(columns, k=10, limit=0.5, privacy={"entity": "visit"})
        (problem,) = found(Policy.parse(policy, tmp_path))
        assert problem.where == "columns.key" and "entity" not in problem.remedy


def test_it_is_accepted_by_name_with_a_reason(tmp_path):
    made(tmp_path)
    accepted = {**MASKED, "contains": ["person-key"], "accepted": "numbers of <beds>"}
    policy = Policy.parse(data(setting=accepted), tmp_path)
    for report in (anonsql.check(policy), anonsql.run(policy)):
        (warning,) = (one for one in report.warnings if "the policy accepts" in one.message)
        assert warning.where == "columns.patient_no" and "k=10 counts rows" in warning.message
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT property, value FROM r__about"))
    assert about["contains.patient_no"] == "person-key"
    assert about["accepted.patient_no"] == "numbers of <beds>"
    assert anonsql.verify(policy).status == "verified"
    anonsql.report(policy, tmp_path / "page.html", audience="recipient")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "patient_no is released although it contains keys of people" in page


def test_of_a_generalized_column_nothing_else_can_be_accepted(tmp_path):
    accepted = {**MASKED, "contains": ["person-key", "mail"], "accepted": "why"}
    with pytest.raises(PolicyError, match="only sensitive and insensitive columns can have mail"):
        Policy.parse(data(setting=accepted), tmp_path)


@pytest.mark.parametrize("method", ["cell-generalization", "full-domain"])
def test_classes_of_few_people_are_refused_though_no_value_is_shown(tmp_path, method):
    made(tmp_path)
    policy = Policy.parse(
        data(setting={**MASKED, "min_level": 1}, method={"type": method}), tmp_path
    )
    assert not found(policy)
    with pytest.raises(PrivacyError, match=r"the smallest class has (one|\d) of them"):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()
    policy = Policy.parse(
        data(setting={**MASKED, "min_level": 7}, method={"type": method}), tmp_path
    )
    try:
        assert anonsql.run(policy).verified
    except PrivacyError as error:
        assert "the smallest class has" in str(error)


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("VARCHAR", lambda n: f"P{100_000 + 37 * n}"),
        ("VARCHAR", lambda n: f"AB-{50_000 + n}"),
        ("UUID", lambda n: uuid.UUID(int=n, version=4)),
        ("VARCHAR", lambda n: f"person{n}@example.org"),
        ("VARCHAR", lambda n: f"{100 + n}-12-{1000 + n}"),  # social security
        ("BIGINT", lambda n: 9_000_000_000 + 7919 * n),
        ("INTEGER", lambda n: 17 * n),  # rows with the same number agree in age and sex
        ("VARCHAR", lambda n: f"{n:05d}"),
    ],
)
def test_a_name_that_says_nothing_does_not_hide_it(tmp_path, kind, key):
    made(tmp_path, "x", visits(key), kind)
    for setting in (HIDDEN, "insensitive"):
        (problem,) = found(Policy.parse(data("x", setting), tmp_path))
        assert problem.where == "columns.x"


@pytest.mark.parametrize(
    "name", ["patient_no", "customerId", "mrn", "Kundennr", "mitglied-nr", "member_id", "SSN"]
)
def test_a_number_in_a_row_is_called_a_key(tmp_path, name):
    """Serial numbers whose rows agree in nothing."""
    drawn = random.Random(3)
    rows = [(n // 3, drawn.randint(20, 90), drawn.choice("mf"), 1) for n in range(300)]
    made(tmp_path, name, rows, "INTEGER")
    assert [problem.where for problem in found(Policy.parse(data(name, HIDDEN), tmp_path))] == [
        f"columns.{name}"
    ]


SHORT = {
    "pid": ("VARCHAR", lambda n: f"P{1000 + n}"),
    "id": ("INTEGER", lambda n: n + 1),
    "case_no": ("INTEGER", lambda n: 10_000 + n),
    "staff_id": ("INTEGER", lambda n: n),
    "chart_no": ("VARCHAR", lambda n: f"c{n}"),
    "pat_no": ("INTEGER", lambda n: n),
    "driver_id": ("INTEGER", lambda n: n),
    "patient_number_old": ("INTEGER", lambda n: n),
    "patient_ref2": ("INTEGER", lambda n: n),
    "x": ("DOUBLE", lambda n: 1_000_000.0 + n),
    "y": ("VARCHAR", lambda n: f"12-{345_000 + n}"),
    "z": ("VARCHAR", lambda n: f"P{1000 + n}"),
    "zid": ("VARCHAR", lambda n: "abcdefghijkl"[n % 12] + "mnopqrs"[n // 12]),
    "member": ("INTEGER", lambda n: 7000 + n),
}


@pytest.mark.parametrize("name", SHORT)
def test_a_short_key_is_found_by_one_column_of_a_person(tmp_path, name):
    kind, key = SHORT[name]
    drawn = random.Random(5)
    rows = [
        (*known[:2], drawn.choice("ABCD"), drawn.randint(1, 9))
        for known in ((key(n), drawn.randint(20, 60)) for n in range(60))
        for _ in range(drawn.randint(10, 15))
    ]
    types = {name: kind, "age": "INTEGER", "ward": "VARCHAR", "nights": "INTEGER"}
    make_source(tmp_path, types, rows)
    others = {"age": INTERVALS, "ward": "insensitive", "nights": "insensitive"}
    for setting in (HIDDEN, "insensitive"):
        policy = policy_data({name: setting, **others}, k=10, limit=0.1)
        report = anonsql.check(Policy.parse(policy, tmp_path))
        assert report.exit_code == 2
        assert [p.where for p in report.problems if "key of people" in p.message] == [
            f"columns.{name}"
        ]


@pytest.mark.parametrize("patients", [2, 10])
def test_an_unmistakable_name_counts_whatever_its_rows(tmp_path, patients):
    rows = [(n % patients, 20 + n % 7, "mf"[n % 2], 1) for n in range(1200)]
    made(tmp_path, "patient_no", rows, "INTEGER")
    assert found(Policy.parse(data("patient_no", HIDDEN), tmp_path))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("policy", lambda n: f"HMO plan {n % 27}"),
        ("account", lambda n: f"{4000 + 10 * (n % 25)}"),
        ("household", lambda n: f"{n % 30} rooms"),
        ("guest", lambda n: f"G{n % 40}"),
        ("year", lambda n: f"{1940 + n * 7919 % 60}"),
    ],
)
def test_a_word_that_need_name_no_person_is_none(tmp_path, name, key):
    drawn = random.Random(6)
    rows = [
        (
            key(n),
            84 - n * 7919 % 60 if name == "year" else drawn.randint(20, 80),
            drawn.choice("mf"),
            1,
        )
        for n in range(600)
    ]
    made(tmp_path, name, rows)
    for setting in (HIDDEN, "insensitive"):
        assert not found(Policy.parse(data(name, setting), tmp_path))


def test_groups_are_accepted_as_well_as_people_are_counted(tmp_path):
    rows = [(f"T{n // 12:02}", 8 + n // 12 % 8, "mf"[n // 12 % 2], n % 9) for n in range(480)]
    made(tmp_path, "team", rows)
    (problem,) = found(Policy.parse(data("team", HIDDEN), tmp_path))
    assert "If a value names a group and not a person, write `contains: [person-key]," in (
        problem.remedy
    )
    accepted = {**HIDDEN, "contains": ["person-key"], "accepted": "teams"}
    assert anonsql.run(Policy.parse(data("team", accepted), tmp_path)).verified


def test_check_warns_that_the_run_counts_a_hidden_key(tmp_path):
    made(tmp_path, rows=[(row[0], 50, "m", row[3]) for row in visits()])
    policy = Policy.parse(data(setting={**MASKED, "min_level": 7}), tmp_path)
    (warning,) = [w for w in anonsql.check(policy).warnings if "`run` counts" in w.message]
    assert "refuses fewer than k=10" in warning.message
    assert not [w for w in anonsql.run(policy).warnings if "`run` counts" in str(w)]


def test_an_acceptance_without_a_reason_is_the_one_problem(tmp_path):
    made(tmp_path)
    setting = {"role": "insensitive", "contains": ["person-key"]}
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(data("patient_no", setting)))
    problems = anonsql.check(tmp_path / "p.yaml").problems
    assert [problem.where for problem in problems] == ["columns.patient_no.accepted"]


def test_a_key_without_repetition_is_a_problem_only_where_it_is_kept(tmp_path):
    made(tmp_path, rows=[(f"P{100_000 + n}", 20 + n % 50, "mf"[n % 2], 1) for n in range(200)])
    assert not found(Policy.parse(data(), tmp_path))
    assert found(Policy.parse(data(setting="insensitive"), tmp_path))


def test_several_tables(tmp_path):
    in_file(
        tmp_path / "clinic.duckdb",
        "CREATE TABLE people AS SELECT i AS id, i % 3 AS age, 'P' || (100000 + i) AS patient_no"
        " FROM range(60) s(i)",
        "CREATE TABLE visits AS SELECT i AS visit, i % 60 AS person,"
        " 'P' || (100000 + i % 60) AS patient_no FROM range(240) s(i)",
    )

    def policy(setting):
        columns = {"patient_no": setting}
        visits = {"key": "visit", "references": {"person": "people"}, "columns": columns}
        return {
            "source": {"database": str(tmp_path / "clinic.duckdb")},
            "release": {"database": str(tmp_path / "release.duckdb"), "completed": 0},
            "tables": {"people": {"key": "id", "columns": {"age": HIDDEN, **columns}}}
            | {"visits": visits},
            "privacy": {"k": 5, "of": "people", "known_rows": 1},
        }

    where = {f"tables.{table}.columns.patient_no" for table in ("people", "visits")}
    kept = {"role": "insensitive"}
    assert {problem.where for problem in anonsql.check(policy(kept)).problems} == where
    accepted = {**kept, "contains": ["person-key"], "accepted": "made up"}
    anonsql.run(policy(accepted))
    assert not anonsql.check(policy({"role": "identifying"})).problems


@pytest.mark.parametrize("kind", [DuckDB, Postgres, *DATABASES.values(), Spark])
def test_every_engine_finds_the_same(tmp_path, kind):
    rows = [
        (f"P{100_000 + n}", f"AB{10_000 + n}", n, *row[1:])
        for row in visits()
        for n in [int(row[0][1:])]
    ]
    engine = kind(tmp_path)
    try:
        engine.make(
            {
                "patient_no": "VARCHAR",
                "x": "VARCHAR",
                "y": "INTEGER",
                **dict(list(TYPES.items())[1:]),
            },
            rows,
        )
        columns = {"patient_no": HIDDEN, "x": HIDDEN, "y": HIDDEN}
        columns |= {"age": INTERVALS, "sex": HIDDEN, "nights": "insensitive"}
        problems = found(policy_on(engine, policy_data(columns, k=10)))
    finally:
        if hasattr(engine, "close"):
            engine.close()
    assert [problem.where for problem in problems] == [
        f"columns.{n}" for n in ("patient_no", "x", "y")
    ]


def ordinary(rows, seed=1):
    """A table of people in one row each, with codes of places, diagnoses and occupations that
    determine other columns, as they do."""
    drawn = random.Random(seed)
    zips = [f"{drawn.randint(1000, 99999):05d}" for _ in range(min(rows // 3 + 5, 2000))]
    places = {
        code: (f"Town {n // 4}", "ABCDEF"[n // 4 % 6], drawn.choice("ur"), drawn.randint(1, 5))
        for n, code in enumerate(zips)
    }
    work = [
        (f"{drawn.randint(11, 53)}-{drawn.randint(1000, 9999)}", n % 6, n % 4) for n in range(300)
    ]
    for _ in range(rows):
        code, job = drawn.choice(zips), drawn.choice(work)
        year, month, day = drawn.randint(1930, 2010), drawn.randint(1, 12), drawn.randint(1, 28)
        yield (
            *(code, *places[code], *job, 2024 - year, (2024 - year) // 10, drawn.choice("mf")),
            *(f"{year}-{month:02}-{day:02}", year * 10000 + month * 100 + day),
            *(f"{day:02}.{month:02}.{year}", year, round(drawn.gauss(70, 10), 1)),
            f"{drawn.choice('ABCDE')}{drawn.randint(0, 99):02}.{drawn.randint(0, 9)}",
            f"{drawn.choice('CMS')}{drawn.randint(1000, 9999)}",
            int(drawn.lognormvariate(10, 0.7)),
            f"E0{1_000_000 + drawn.randint(0, rows // 3)}",
            f"36{drawn.randint(1, 300):03}{drawn.randint(1, rows):06}",
        )


ORDINARY = [
    "zip",
    "town",
    "state",
    "urban",
    "deprived",
    "occupation",
    "sector",
    "skill",
    "age",
    "band",
    "sex",
    "birth",
    "birthint",
    "birthtext",
    "year",
    "weight",
    "icd",
    "icdcm",
    "income",
    "area",
    "tract",
]


def keys_in(path):
    location, source = source_of(str(path), None, None)
    with opened(location, source) as table:
        columns = [profile.column for profile in table.profiles]
        return [key.name for key in keys(table.engine, table.relation, columns, columns)]


@pytest.mark.parametrize("rows", [50, 200, 1000, pytest.param(50_000, marks=pytest.mark.long)])
def test_codes_of_places_diagnoses_and_occupations_are_none(tmp_path, rows):
    with duckdb.connect() as connection:
        first, *_ = sample = list(ordinary(rows))
        kinds = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
        columns = [
            f"{name} {kinds[type(value)]}" for name, value in zip(ORDINARY, first, strict=True)
        ]
        connection.execute(f"CREATE TABLE t ({', '.join(columns)})")
        for start in range(0, rows, 500):
            part = sample[start : start + 500]
            marks = ", ".join(["(" + ", ".join("?" * len(first)) + ")"] * len(part))
            connection.execute(f"INSERT INTO t VALUES {marks}", [v for row in part for v in row])
        connection.execute(f"COPY t TO '{tmp_path / 't.parquet'}'")
    assert keys_in(tmp_path / "t.parquet") == []


@needs_data
@pytest.mark.parametrize(
    "file",
    [
        *("adult/adult.csv", "adult/adult_with_unknowns.csv", "fars/fars.csv"),
        *("acs/acs_national2019.csv", "census/census_synth.parquet", "toys/patients.csv"),
    ],
)
def test_columns_of_real_tables_are_none(tmp_path, file):
    read = (
        f"read_csv('{DATA / file}', sample_size = -1)"
        if file.endswith("csv")
        else f"'{DATA / file}'"
    )
    with duckdb.connect() as connection:
        for rows in (50, 1000, 1_000_000):
            sampled = f"USING SAMPLE reservoir({rows} ROWS) REPEATABLE (7)"
            path = tmp_path / f"{rows}.parquet"
            connection.execute(f"COPY (FROM {read} {sampled}) TO '{path}'")
            assert keys_in(path) == []


@pytest.mark.parametrize("rows", [200, 1000])
def test_ages_of_several_kinds_are_no_keys(tmp_path, rows):
    """Columns that say when a person was born, under names that say nothing."""
    drawn = random.Random(8)
    born = [drawn.randint(0, 79) for _ in range(rows)]
    people = [(1930 + n, 94 - n, (94 - n) // 10, drawn.choice("mf"), 94 - n) for n in born]
    make_source(
        tmp_path,
        {"a": "INTEGER", "age": "INTEGER", "band": "INTEGER", "sex": "VARCHAR", "b": "INTEGER"},
        people,
    )
    in_file(tmp_path / "source.duckdb", f"COPY t TO '{tmp_path / 't.parquet'}'")
    assert keys_in(tmp_path / "t.parquet") == []


def test_statistics_warn_of_it(tmp_path):
    made(tmp_path)
    policy = {
        "source": {"database": str(tmp_path / "source.duckdb"), "table": "t"},
        "release": {"database": str(tmp_path / "release.duckdb")},
        "statistics": {"by": {"patient_no": {}, "sex": {}}, "of": {"rows": "count"}},
        "protect": {"threshold": 5, "by": "suppression"},
    }
    policy["statistics"]["tables"] = [["patient_no", "sex"]]
    warned = [w for w in anonsql.check(policy).warnings if "identifies people" in w.message]
    assert [warning.where for warning in warned] == ["statistics.by.patient_no"]
    policy["statistics"]["by"] = {"sex": {}}
    policy["statistics"]["tables"] = [["sex"]]
    warned = [w for w in anonsql.check(policy).warnings if "identifies people" in w.message]
    assert [warning.where for warning in warned] == ["protect.entity"]  # people have several rows
    policy["protect"]["entity"] = "patient_no"
    assert not [w for w in anonsql.check(policy).warnings if "identifies people" in w.message]


def test_of_removed_columns_the_likeliest_to_name_people_is_warned_of(tmp_path):
    """A number of few rows each before a text of few values, and before amounts."""
    drawn = random.Random(5)
    rows = [
        (
            person,
            "abcd"[person % 4],
            drawn.choice([0, 0, drawn.randrange(10_000)]),
            20 + person % 40,
        )
        for person in range(300)
        for _ in range(3)
    ]
    types = {"nummer": "BIGINT", "note": "VARCHAR", "income": "INTEGER", "age": "INTEGER"}
    make_source(tmp_path, types, rows)

    def told(**removed):
        data = policy_data({**removed, "age": INTERVALS}, k=5)
        warnings = anonsql.run(Policy.parse(data, tmp_path)).warnings
        return {
            one.where: one.of_promise for one in warnings if "of this identifying" in one.message
        }

    removed = dict.fromkeys(("nummer", "note", "income"), "identifying")
    assert told(**removed) == {"columns.nummer": True}
    left = {"role": "sensitive", "contains": ["person-key"], "accepted": "a test"}
    assert told(nummer=left, note="insensitive", income="identifying") == {"columns.income": False}
