"""Twelve generated tables, with the role and the kind of hierarchy that each column ought to get.

The truth was written before `init` was measured against it. A column's line reads
`name: roles kind`: the roles are I (identifying), Q (quasi-identifying), S (sensitive) and N
(insensitive), several where a data owner may reasonably choose; the kind says how a
quasi-identifier's values are generalized (number, category, code, date, country).
"""

from __future__ import annotations

import csv
import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Value = object
Maker = Callable[[random.Random, int], Value]


@dataclass(frozen=True)
class Table:
    """Rows to generate, the truth in lines, a maker per column, and values that stand apart."""

    rows: int
    truth: str
    makers: dict[str, Maker]
    apart: dict[str, str]

    def columns(self) -> dict[str, tuple[str, str]]:
        """Return each column's accepted roles and its kind of hierarchy."""
        pairs = [line.strip().split(":") for line in self.truth.strip().splitlines()]
        words = {name: text.split() for name, text in pairs}
        return {name: (word[0], " ".join(word[1:])) for name, word in words.items()}

    def write(self, path: Path, seed: int = 7) -> Path:
        """Write the table as CSV and return its path."""
        dice = random.Random(seed)
        names = list(self.makers)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            for row in range(self.rows):
                writer.writerow([self.makers[name](dice, row) for name in names])
        return path


def among(*values: Value) -> Maker:
    """Draw one of the values."""
    return lambda dice, row: dice.choice(values)


def words(text: str) -> Maker:
    """Draw one of the words."""
    return among(*text.split())


def whole(low: int, high: int) -> Maker:
    """Draw a whole number."""
    return lambda dice, row: dice.randint(low, high)


def around(mean: float, deviation: float, digits: int | None = None) -> Maker:
    """Draw a normal number that is not negative."""
    return lambda dice, row: round(max(dice.gauss(mean, deviation), 0), digits)


def skewed(median: float, digits: int | None = 2) -> Maker:
    """Draw an amount: log-normal about its median."""
    return lambda dice, row: round(median * dice.lognormvariate(0, 0.7), digits)


def day(first: int, last: int, form: str = "%Y-%m-%d") -> Maker:
    """Draw a day of the years from first to last."""
    days = (dt.date(last, 12, 31) - dt.date(first, 1, 1)).days
    start = dt.date(first, 1, 1)
    return lambda dice, row: (start + dt.timedelta(dice.randint(0, days))).strftime(form)


def coded(form: str, low: int, high: int) -> Maker:
    """Draw a number, written by a format."""
    return lambda dice, row: form.format(dice.randint(low, high))


def counted(form: str = "{}", start: int = 1) -> Maker:
    """Number the rows."""
    return lambda dice, row: form.format(row + start)


def sometimes(share: float, value: Value, maker: Maker) -> Maker:
    """Put a value that stands apart in a share of the rows."""
    return lambda dice, row: value if dice.random() < share else maker(dice, row)


def person(dice: random.Random, row: int) -> str:
    """Make a family name out of syllables: nearly all of them differ."""
    return "".join(dice.choice(SYLLABLES) for _ in range(3)).capitalize()


SYLLABLES = [
    "ba",
    "ker",
    "lo",
    "min",
    "sta",
    "ro",
    "we",
    "den",
    "hu",
    "gel",
    "ta",
    "mo",
    "schi",
    "fra",
    "no",
    "vi",
]
FIRST = words("Anna Ben Clara David Eva Felix Greta Hans Ida Jan Karl Lena Max Nina Otto Paula")
ICD = among("I10", "E11.9", "J45.0", "C50.9", "F32.1", "K35.8", "S72.0", "N18.3", "M54.5", "I21.4")
JOBS = words("nurse teacher clerk driver engineer cook lawyer farmer plumber manager")
ITEMS = [f"q_{number}" for number in range(1, 61)]


def letters(dice: random.Random, count: int, alphabet: str = "abcdef0123456789") -> str:
    """Make a word of random letters."""
    return "".join(dice.choice(alphabet) for _ in range(count))


TABLES = {
    "discharges": Table(
        2400,
        """
        patient_id: I
        case_no: I
        birth_date: Q date
        sex: Q category
        zip: Q code
        ward: QN category
        admitted: Q date
        discharged: Q date
        nights: QS number
        main_diagnosis: S
        discharge_type: QN category
        cost: S
        """,
        {
            "patient_id": whole(10_000_000, 10_001_900),
            "case_no": counted("{:07d}", 4_000_000),
            "birth_date": sometimes(0.03, "1900-01-01", day(1930, 2010)),
            "sex": words("M F"),
            "zip": lambda dice, row: f"8{dice.choice('0134')}{dice.randint(0, 99):02d}1",
            "ward": words("surgery medicine paediatrics maternity neurology"),
            "admitted": day(2023, 2023),
            "discharged": day(2023, 2024),
            "nights": around(5, 3),
            "main_diagnosis": ICD,
            "discharge_type": words("home home home transfer died"),
            "cost": skewed(4200),
        },
        {"birth_date": "1900-01-01"},
    ),
    "payroll": Table(
        800,
        """
        emp_no: I
        last_name: I
        first_name: I
        email: I
        iban: I
        dob: Q date
        gender: Q category
        department: Q category
        job_title: Q category
        grade: QN category
        hired: Q date
        base_salary: S
        bonus: S
        union_member: S
        sick_days: S
        """,
        {
            "emp_no": counted("{}", 10_001),
            "last_name": person,
            "first_name": FIRST,
            "email": lambda dice, row: f"{person(dice, row).lower()}{row}@example.org",
            "iban": lambda dice, row: f"DE{dice.randint(10, 99)}{letters(dice, 18, '0123456789')}",
            "dob": day(1960, 2002),
            "gender": words("Female Male Male"),
            "department": words("Sales Finance IT Legal Production Logistics"),
            "job_title": among("Clerk", "Team lead", "Analyst", "Engineer", "Director", "Driver"),
            "grade": whole(1, 9),
            "hired": day(1995, 2023),
            "base_salary": skewed(48_000, -2),
            "bonus": sometimes(0.4, 0, skewed(3000)),
            "union_member": words("Y N N"),
            "sick_days": sometimes(0.05, -1, around(8, 4)),
        },
        {"sick_days": "-1"},
    ),
    "pupils": Table(
        395,
        """
        pupil: I
        school: Q category
        sex: Q category
        age: Q number
        address: Q category
        year_group: Q category
        parent_job: Q category
        siblings: Q number
        travel_minutes: QN number
        absences: QS number
        health: S
        mark: S
        """,
        {
            "pupil": counted(),
            "school": words("Nord Nord Ost Hafen"),
            "sex": words("F M"),
            "age": whole(12, 19),
            "address": words("U U U R"),
            "year_group": whole(7, 12),
            "parent_job": whole(1, 9),
            "siblings": whole(0, 5),
            "travel_minutes": sometimes(0.06, 999, around(25, 12)),
            "absences": around(6, 5),
            "health": whole(1, 5),
            "mark": whole(1, 6),
        },
        {"travel_minutes": "999"},
    ),
    "customers": Table(
        1500,
        """
        customer_id: I
        full_name: I
        iban: I
        phone: I
        postcode: Q code
        birth_year: Q number
        marital: Q category
        occupation: Q category
        branch: QN category
        opened: QN date
        segment: QN category
        balance: S
        credit_score: S
        defaulted: S
        """,
        {
            "customer_id": counted("C{:06d}", 204_000),
            "full_name": lambda dice, row: f"{FIRST(dice, row)} {person(dice, row)}",
            "iban": lambda dice, row: (
                f"GB{dice.randint(10, 99)}BARC" + letters(dice, 14, "0123456789")
            ),
            "phone": coded("+44 7{:09d}", 0, 999_999_999),
            "postcode": lambda dice, row: (
                f"{dice.choice('MLSB')}{dice.randint(1, 20)} "
                f"{dice.randint(1, 9)}{letters(dice, 2, 'ABDEF')}"
            ),
            "birth_year": sometimes(0.02, 1900, whole(1940, 2004)),
            "marital": words("single married divorced widowed"),
            "occupation": JOBS,
            "branch": among(101, 102, 104, 107, 110, 203, 204, 209, 301, 305),
            "opened": day(2001, 2023, "%d.%m.%Y"),
            "segment": words("A B C D"),
            "balance": skewed(2500),
            "credit_score": sometimes(0.04, 999_999, around(620, 80)),
            "defaulted": among(0, 0, 0, 0, 1),
        },
        {"birth_year": "1900", "credit_score": "999999"},
    ),
    "survey": Table(
        600,
        "respid: I\nwt: N\nage: Q number\nsex: Q category\nregion: Q category\neduc: Q category\n"
        "hh_size: Q number\nincome: S\n" + "\n".join(f"{item}: N" for item in ITEMS),
        {
            "respid": counted("{}", 70_001),
            "wt": lambda dice, row: round(dice.lognormvariate(0, 0.4), 4),
            "age": sometimes(0.04, 99, whole(18, 84)),
            "sex": among(1, 2, 1, 2, 9),
            "region": whole(1, 16),
            "educ": among(1, 2, 3, 4, 5, 6, 9),
            "hh_size": whole(1, 7),
            "income": sometimes(0.1, 999_999, skewed(2400, -1)),
        }
        | {item: among(1, 2, 3, 4, 5, 5, 4, 3, 9) for item in ITEMS},
        {"age": "99", "income": "999999"},
    ),
    "visits": Table(
        2000,
        """
        visit_id: I
        session: I
        ip: I
        ts: Q date
        country: Q country
        browser: QN category
        device: QN category
        page: N
        duration_ms: N
        status: N
        """,
        {
            "visit_id": lambda dice, row: "-".join(letters(dice, n) for n in (8, 4, 4, 4, 12)),
            "session": lambda dice, row: random.Random(row // 3).getrandbits(64),
            "ip": lambda dice, row: ".".join(str(dice.randint(1, 254)) for _ in range(4)),
            "ts": lambda dice, row: (
                f"{day(2024, 2024)(dice, row)} "
                f"{dice.randint(0, 23):02d}:{dice.randint(0, 59):02d}:{dice.randint(0, 59):02d}"
            ),
            "country": words("DE FR US GB AT CH PL IT"),
            "browser": words("Chrome Firefox Safari Edge"),
            "device": words("phone desktop tablet"),
            "page": among("/", "/shop", "/cart", "/help", "/about", "/news/1", "/news/2"),
            "duration_ms": skewed(8000, None),
            "status": among(200, 200, 200, 404, 500),
        },
        {},
    ),
    "claims": Table(
        1200,
        """
        policy: I
        claim: I
        insured_born: Q date
        insured_sex: Q category
        insured_zip: Q code
        hobby: Q category
        vehicle_year: QN number
        agent: QN category
        claim_date: Q date
        icd10: S
        amount: S
        deductible: N
        """,
        {
            "policy": coded("P{}", 100_000, 100_900),
            "claim": counted("CL-{:06d}"),
            "insured_born": sometimes(0.03, "01/01/1900", day(1945, 2005, "%m/%d/%Y")),
            "insured_sex": words("MALE FEMALE"),
            "insured_zip": coded("{:05d}", 43_000, 43_299),
            "hobby": words("chess golf sailing reading cycling diving"),
            "vehicle_year": whole(1998, 2023),
            "agent": coded("A{:02d}", 1, 12),
            "claim_date": day(2022, 2023, "%m/%d/%Y"),
            "icd10": ICD,
            "amount": skewed(3100),
            "deductible": among(500, 1000, 2000),
        },
        {"insured_born": "1900-01-01"},
    ),
    "register": Table(
        900,
        """
        LfdNr: I
        Nachname: I
        Vorname: I
        Geburtsjahr: Q number
        PLZ: Q code
        Geschlecht: Q category
        Familienstand: Q category
        Staatsangehörigkeit: Q category
        Beruf: Q category
        Aufnahmedatum: Q date
        Größe_cm: Q number
        Gewicht_kg: QS number
        Raucher: S
        Diagnose: S
        Einkommen: S
        """,
        {
            "LfdNr": counted(),
            "Nachname": person,
            "Vorname": FIRST,
            "Geburtsjahr": sometimes(0.03, 1900, whole(1935, 2005)),
            "PLZ": coded("{:05d}", 1_067, 1_329),
            "Geschlecht": words("m w m w m w d"),
            "Familienstand": words("ledig verheiratet geschieden verwitwet"),
            "Staatsangehörigkeit": words("deutsch deutsch türkisch polnisch syrisch"),
            "Beruf": words("Lehrer Maurer Koch Arzt Pfleger Beamter Student Rentner"),
            "Aufnahmedatum": day(2021, 2023, "%d.%m.%Y"),
            "Größe_cm": sometimes(0.05, 999, around(172, 9)),
            "Gewicht_kg": sometimes(0.05, -1, around(75, 13)),
            "Raucher": words("ja nein nein"),
            "Diagnose": ICD,
            "Einkommen": sometimes(0.06, 999_999, skewed(31_000, -2)),
        },
        {"Geburtsjahr": "1900", "Größe_cm": "999", "Gewicht_kg": "-1", "Einkommen": "999999"},
    ),
    "thirteen": Table(
        13,
        """
        name: I
        age: Q number
        sex: Q category
        zip: Q code
        job: Q category
        disease: S
        """,
        {
            "name": person,
            "age": among(23, 25, 31, 31, 38, 42, 42, 55, 61),
            "sex": words("M F"),
            "zip": words("81667 81675 81925 81931"),
            "job": words("nurse clerk cook"),
            "disease": words("flu asthma cancer"),
        },
        {},
    ),
    "nine": Table(
        9,
        """
        zipcode: Q code
        age: Q number
        salary: S
        disease: S
        """,
        {
            "zipcode": words("47677 47602 47678 47905 47909 47906 47605 47673 47607"),
            "age": among(29, 22, 27, 43, 52, 47, 30, 36, 32),
            "salary": lambda dice, row: 3000 + row * 1000,
            "disease": among("gastric ulcer", "gastritis", "flu", "bronchitis", "pneumonia"),
        },
        {},
    ),
    "library": Table(
        1500,
        """
        card_no: I
        reader: I
        birthday: Q date
        street: I
        district: Q category
        title: N
        loan_ts: Q date
        returned: Q date
        late_days: N
        fee: SN
        kind: N
        desk: QN category
        """,
        {
            "card_no": whole(500_000, 500_700),
            "reader": lambda dice, row: f"{FIRST(dice, row)} {person(dice, row)}",
            "birthday": day(1940, 2015),
            "street": lambda dice, row: f"{person(dice, row)}str. {dice.randint(1, 99)}",
            "district": words("Mitte Nord Sued West"),
            "title": coded("T{}", 1, 300),
            "loan_ts": lambda dice, row: (
                f"{day(2023, 2023)(dice, row)} 10:{dice.randint(0, 59):02d}:00"
            ),
            "returned": day(2023, 2024),
            "late_days": sometimes(0.7, 0, whole(1, 40)),
            "fee": sometimes(0.7, 0, skewed(2)),
            "kind": words("book cd game"),
            "desk": whole(1, 4),
        },
        {},
    ),
    "gym": Table(
        700,
        """
        member: I
        nickname: I
        yob: Q number
        sex: Q category
        town: Q category
        joined: Q date
        plan: QN category
        visits_per_week: QN number
        resting_hr: SQ
        bmi: SQ number
        injury: S
        trainer: QN category
        """,
        {
            "member": counted("M-{:05d}"),
            "nickname": lambda dice, row: person(dice, row).lower() + str(row),
            "yob": sometimes(0.03, 9999, whole(1950, 2008)),
            "sex": among(0, 1),
            "town": words("Ulm Kiel Jena"),
            "joined": day(2015, 2023, "%d/%m/%Y"),
            "plan": words("basic plus"),
            "visits_per_week": whole(0, 7),
            "resting_hr": sometimes(0.03, -9, around(66, 8)),
            "bmi": around(25, 4, 1),
            "injury": words("none none knee back"),
            "trainer": words("A B C D E"),
        },
        {"yob": "9999", "resting_hr": "-9"},
    ),
}
