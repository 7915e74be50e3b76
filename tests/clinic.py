"""A small clinic: patients, their visits, what was prescribed at visits, and doctors."""

import datetime as dt
import random

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
        "release": release,
    }
