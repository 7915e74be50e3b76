"""A small clinic: patients, their visits, what was prescribed at visits, and doctors."""

import datetime as dt
import random

from .support import in_file, make_table

COLUMNS = {
    "patients": {"patient_id": "VARCHAR", "name": "VARCHAR", "born": "INTEGER", "sex": "VARCHAR"},
    "doctors": {"doctor_id": "INTEGER", "doctor": "VARCHAR", "ward": "VARCHAR"},
    "visits": {
        "visit_id": "INTEGER",
        "patient_id": "VARCHAR",
        "doctor_id": "INTEGER",
        "day": "DATE",
        "diagnosis": "VARCHAR",
    },
    "prescriptions": {"prescription_id": "INTEGER", "visit_id": "INTEGER", "drug": "VARCHAR"},
}
WARDS = ("surgery", "heart", "children's")
DRUGS = ("statin", "opioid", "insulin", "penicillin")


def rows(patients=60, visits=150, prescriptions=200, seed=1):
    """The rows of each table; some patients have many visits, some none."""
    rng = random.Random(seed)
    people = [
        (f"P{n:04}", f'O\'Brien "{n}"; --', rng.randrange(1940, 2000), rng.choice("FM"))
        for n in range(patients)
    ]
    doctors = [(n, f"Dr. {n}", WARDS[n % 3]) for n in range(5)]
    stays = [
        (
            n,
            f"P{int(patients * rng.random() ** 1.5):04}",
            rng.randrange(5) if rng.random() < 0.9 else None,
            dt.date(2024, 1, 1) + dt.timedelta(days=rng.randrange(700)),
            f"diagnosis {rng.randrange(6)}",
        )
        for n in range(visits)
    ]
    given = [(n, rng.randrange(visits), rng.choice(DRUGS)) for n in range(prescriptions)]
    return {"patients": people, "doctors": doctors, "visits": stays, "prescriptions": given}


def tables():
    """What a policy says of the tables."""
    return {
        "patients": {
            "key": "patient_id",
            "columns": {
                "name": {"role": "identifying"},
                "born": {
                    "role": "quasi-identifying",
                    "hierarchy": {"type": "interval", "widths": [10, 20]},
                },
                "sex": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
            },
        },
        "visits": {
            "key": "visit_id",
            "references": {"patient_id": "patients", "doctor_id": "doctors"},
            "columns": {
                "day": {
                    "role": "quasi-identifying",
                    "hierarchy": {"type": "date", "levels": ["month", "year"]},
                },
                "diagnosis": {"role": "sensitive"},
            },
        },
        "prescriptions": {
            "key": "prescription_id",
            "references": {"visit_id": "visits"},
            "columns": {
                "drug": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
            },
        },
        "doctors": {"key": "doctor_id", "public": True},
    }


def policy(source, release, **privacy):
    """The policy of a clinic."""
    limits = {"suppression_limit": {"patients": 0.3}}
    return {
        "source": source,
        "tables": tables(),
        "privacy": {"k": 3, "of": "patients", "known_rows": 1, **limits, **privacy},
        "release": {"completed": 0, **release},
    }


AT_LEVELS = {
    "method": {
        "type": "full-domain",
        "levels": {
            "patients.born": 3,
            "patients.sex": 0,
            "visits.day": 3,
            "prescriptions.drug": 1,
        },
    }
}
"""What spares the search where nothing is about it."""


def in_a_file(folder, clinic_rows=None, columns=COLUMNS, **privacy):
    """A clinic in a DuckDB file of a folder, and the policy that releases it beside the file."""
    path = folder / "clinic.duckdb"
    for name, table_rows in (rows() if clinic_rows is None else clinic_rows).items():
        make_table(path, columns[name], table_rows, table=name)
    release = {"database": str(folder / "released.duckdb")}
    return path, policy({"database": str(path)}, release, **privacy)


LARGE = """
CREATE TABLE patients AS
SELECT
    'P' || LPAD(CAST(i AS VARCHAR), 9, '0') AS patient_id,
    'O''Neill "' || i || '" Ö' AS name,
    CAST(1935 + 70 * SQRT(({u1}) * ({u2})) AS INTEGER) AS born,
    CASE WHEN {u3} < 0.52 THEN 'F' ELSE 'M' END AS sex
FROM range($patients) t(i);
CREATE TABLE doctors AS
SELECT i AS doctor_id, 'Dr. ' || i AS doctor, ['surgery', 'heart', 'eyes'][i % 3 + 1] AS ward
FROM range(60) t(i);
CREATE TABLE visits AS
SELECT
    'V' || LPAD(CAST(i AS VARCHAR), 9, '0') AS visit_id,
    'P' || LPAD(CAST(CAST(FLOOR($patients * POWER({u1}, 1.3)) AS BIGINT) AS VARCHAR), 9, '0')
        AS patient_id,
    CAST(FLOOR(60 * {u2}) AS INTEGER) AS doctor_id,
    DATE '2023-01-01' + CAST(FLOOR(730 * {u3}) AS INTEGER) AS day,
    'diagnosis ' || CAST(CAST(FLOOR(40 * {u4} * {u4}) AS INTEGER) AS VARCHAR) AS diagnosis
FROM range($visits) t(i);
CREATE TABLE prescriptions AS
SELECT
    i AS prescription_id,
    'V' || LPAD(CAST(CAST(FLOOR($visits * {u1}) AS BIGINT) AS VARCHAR), 9, '0') AS visit_id,
    'drug ' || CAST(CAST(FLOOR(12 * {u2} * {u2}) AS INTEGER) AS VARCHAR) AS drug
FROM range($prescriptions) t(i);
"""
"""Statements that make a large clinic, by DuckDB; ``{u1}`` and so on are uniforms of the row."""


def large(path, patients=20_000, visits=120_000, prescriptions=200_000):
    """A clinic of many rows in a DuckDB file: a few patients have very many visits."""
    uniforms = {f"u{n}": f"(hash(i * 31 + {n}) % 1000003 / 1000003.0)" for n in range(1, 5)}
    sizes = {"patients": patients, "visits": visits, "prescriptions": prescriptions}
    text = LARGE.format(**uniforms)
    for name, count in sizes.items():
        text = text.replace(f"${name}", str(count))
    in_file(path, text)
    return path


def large_policy(path, release, **privacy):
    """The policy of a large clinic: drugs are in groups, and nobody has more than some rows."""
    made = policy({"database": str(path)}, {"database": str(release)}, **privacy)
    tree = {
        f"group {part}": [f"drug {n}" for n in range(4 * part, 4 * part + 4)] for part in range(3)
    }
    drug = {"role": "quasi-identifying", "hierarchy": {"type": "taxonomy", "tree": tree}}
    made["tables"]["prescriptions"]["columns"]["drug"] = drug
    born = {"type": "interval", "widths": [5, 10, 20, 40]}
    made["tables"]["patients"]["columns"]["born"]["hierarchy"] = born
    return made
