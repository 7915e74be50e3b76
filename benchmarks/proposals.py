"""The roles that ``anonsql init`` proposes, against those that a person gives:
``ANONSQL_DATA=… python -m benchmarks.proposals``.

The person's roles were written down before any proposal was looked at. Adult, ACS and FARS are read
from the folder ``ANONSQL_DATA`` and left out where there is none; the other tables are made here.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import yaml

from anonsql.features.init.command import init
from anonsql.features.init.several_tables import init_tables

_ROLES = {
    "i": "identifying",
    "q": "quasi-identifying",
    "s": "sensitive",
    "n": "insensitive",
    "w": "weight",
}
_GENERALIZED_OR_REMOVED = ("identifying", "quasi-identifying")

PERSON = {
    "Adult": {
        "q": "age workclass education education-num marital-status occupation relationship race sex"
        " native-country",
        "s": "capital-gain capital-loss salary-class",
        "n": "hours-per-week split",
        "w": "fnlwgt",
    },
    "ACS": {
        "q": "PUMA AGEP SEX MSP HISP RAC1P NOC NPF HOUSING_TYPE OWN_RENT DENSITY INDP INDP_CAT EDU",
        "s": "PINCP PINCP_DECILE POVPIP DVET DREM DPHY DEYE DEAR",
        "n": "WGTP",
        "w": "PWGTP",
    },
    "FARS": {"q": "iage irace ideathmon ideathday isex ihispanic istatenum", "s": "iinjury"},
    "hospital": {
        "i": "patients.first_name patients.last_name patients.phone patients.insurance_no"
        " visits.doctor visits.note",
        "q": "patients.birth_date patients.age patients.sex patients.zip patients.city"
        " visits.admitted visits.discharged",
        "s": "patients.blood_group visits.icd10 visits.cost",
        "n": "visits.ward",
    },
    "web shop": {
        "i": "order_no customer_id email shipping_name remark",
        "q": "city postcode country ordered_at",
        "s": "amount",
        "n": "product quantity newsletter device",
    },
    "employees": {
        "i": "emp_no full_name work_email manager_id remarks",
        "q": "gender birth_date hire_date department job_title office",
        "s": "salary bonus performance_rating",
        "n": "fte",
    },
    "pupils": {
        "i": "pupil_ref surname given_name teacher comments",
        "q": "birthdate nationality home_language postcode",
        "s": "free_meals special_needs exam_score",
        "n": "form absences",
    },
    "claims": {
        "i": "claim_nr policyholder_nr mobile bank_account adjuster_note",
        "q": "gender year_of_birth occupation region claim_date",
        "s": "claim_amount hospitalised",
        "n": "vehicle_make fault annual_mileage",
    },
}
"""The roles that a person gives, by table and role; the columns of several tables as
`table.column`, without keys and references, which have no role."""

_NAMES = [
    "Anna",
    "Bela",
    "Carl",
    "Dora",
    "Emil",
    "Fay",
    "Gus",
    "Hana",
    "Ivan",
    "Jill",
    "Karl",
    "Lena",
    "Max",
    "Nora",
    "Otto",
    "Pia",
]
_SURNAMES = [
    "Adler",
    "Brook",
    "Costa",
    "Dunn",
    "Evans",
    "Frost",
    "Gray",
    "Hale",
    "Ivers",
    "Jones",
    "Klein",
    "Lamb",
    "Moss",
]
_CITIES = (
    ("Springfield", "62701 62702 62703 62704"),
    ("Riverton", "82501"),
    ("Fairview", "37062 37064"),
    ("Georgetown", "78626 78628 78633"),
    ("Clinton", "39056"),
    ("Salem", "97301 97302"),
)
_PLACES = [(city, code) for city, codes in _CITIES for code in codes.split()]


def _pick(of: str, words: list[str]) -> str:
    """SQL that picks a word by a hash of the row's number and a name."""
    listed = ", ".join(f"'{word}'" for word in words)
    return f"([{listed}])[1 + (hash('{of}' || i) % {len(words)})::INTEGER]"


_CITY, _ZIP = (_pick("place", [place[n] for place in _PLACES]) for n in (0, 1))
_FULL = f"{_pick('f', _NAMES)} || ' ' || {_pick('l', _SURNAMES)}"
_PHONE = "(200 + hash('a' || i) % 700) || '-555-0' || (100 + hash('p' || i) % 800)"
_BORN = "DATE '1930-01-01' + (hash('b' || i) % 30000)::INTEGER"

_HOSPITAL = f"""
CREATE TABLE patients AS SELECT
    i AS patient_id, {_pick("f", _NAMES)} AS first_name, {_pick("l", _SURNAMES)} AS last_name,
    {_BORN} AS birth_date, date_diff('year', {_BORN}, DATE '2024-01-01') AS age,
    {_pick("s", ["f", "m"])} AS sex, {_ZIP} AS zip, {_CITY} AS city, {_PHONE} AS phone,
    'K' || (100000000 + hash('n' || i) % 900000000) AS insurance_no,
    {_pick("g", ["A", "B", "AB", "0"])} AS blood_group
FROM range(1, 1001) r (i);
ALTER TABLE patients ADD PRIMARY KEY (patient_id);
CREATE TABLE visits AS SELECT
    i AS visit_id, 1 + (hash('v' || i) % 1000)::BIGINT AS patient_id,
    DATE '2022-01-01' + (hash('d' || i) % 700)::INTEGER AS admitted,
    DATE '2022-01-01' + (hash('d' || i) % 700 + hash('e' || i) % 12)::INTEGER AS discharged,
    {_pick("w", ["north", "south", "icu"])} AS ward,
    'Dr ' || {_pick("doctor", _SURNAMES)} AS doctor,
    {_pick("c", ["J18.9", "I10", "E11.9", "K35.8", "S72.0", "F32.1", "C50.9"])} AS icd10,
    round(exp(5 + 3 * (hash('m' || i) % 1000) / 1000), 2) AS cost,
    CASE WHEN i % 3 = 0 THEN 'called Mrs ' || {_pick("l", _SURNAMES)} || ', 555-0' || (100 + i % 90)
        WHEN i % 3 = 1 THEN 'stable' ELSE 'see letter' END AS note
FROM range(1, 3001) r (i);
ALTER TABLE visits ADD PRIMARY KEY (visit_id);
"""
_SHOP = f"""
CREATE TABLE orders AS SELECT
    'A' || (500000 + o) AS order_no, i AS customer_id,
    lower(replace({_FULL}, ' ', '.')) || i || '@example.org' AS email, {_FULL} AS shipping_name,
    {_CITY} AS city, {_ZIP} AS postcode, {_pick("country", ["US", "US", "CA", "GB"])} AS country,
    TIMESTAMP '2023-01-01 00:00:00' + to_minutes((hash('t' || o) % 500000)::INTEGER) AS ordered_at,
    (['lamp', 'chair', 'desk', 'shelf', 'rug'])[1 + (hash('x' || o) % 5)::INTEGER] AS product,
    1 + hash('q' || o) % 4 AS quantity,
    round(exp(2 + 5 * (hash('m' || o) % 1000) / 1000), 2) AS amount,
    CASE WHEN o % 10 = 0 THEN 'please ring ' || {_pick("f", _NAMES)} || ' on ' || {_PHONE}
        WHEN o % 10 = 1 THEN 'leave at the door' END AS remark,
    i % 3 = 0 AS newsletter, (['phone', 'desktop'])[1 + (hash('y' || o) % 2)::INTEGER] AS device
FROM (SELECT o, 1 + (hash('z' || o) % 800)::BIGINT AS i FROM range(1, 4001) r (o)) AS numbered;
"""
_EMPLOYEES = f"""
CREATE TABLE employees AS SELECT
    1000 + i AS emp_no, {_FULL} AS full_name,
    lower(replace({_FULL}, ' ', '.')) || i || '@firm.example' AS work_email,
    {_pick("s", ["female", "male"])} AS gender, {_BORN} AS birth_date,
    DATE '2000-01-01' + (hash('h' || i) % 8000)::INTEGER AS hire_date,
    {_pick("dep", ["sales", "finance", "it", "hr", "legal"])} AS department,
    {_pick("job", ["clerk", "manager", "engineer", "analyst", "assistant"])} AS job_title,
    {_pick("off", [city for city, _ in _CITIES])} AS office,
    round(exp(10 + 2 * (hash('m' || i) % 1000) / 1000), -2) AS salary,
    round(exp(10 * (hash('o' || i) % 1000) / 1000), -1) AS bonus,
    1 + hash('rate' || i) % 5 AS performance_rating, 1001 + (hash('boss' || i) % 30)::BIGINT
        AS manager_id,
    CASE WHEN i % 8 = 0 THEN 'talked to ' || {_pick("f", _NAMES)} || ' about case ' || i END
        AS remarks,
    (ARRAY[0.5, 0.8, 1.0, 1.0, 1.0])[1 + (hash('fte' || i) % 5)::INTEGER] AS fte
FROM range(1, 601) r (i);
"""
_PUPILS = f"""
CREATE TABLE pupils AS SELECT
    md5('p' || i) AS pupil_ref, {_pick("l", _SURNAMES)} AS surname, {_pick("f", _NAMES)} AS given_name,
    7 + hash('form' || i) % 6 AS form, DATE '2006-01-01' + (hash('b' || i) % 2200)::INTEGER AS birthdate,
    {_pick("nat", ["British", "Irish", "Polish", "Indian"])} AS nationality,
    {_pick("lang", ["en", "pl", "hi", "ga"])} AS home_language, {_ZIP} AS postcode,
    hash('meal' || i) % 4 = 0 AS free_meals, hash('sen' || i) % 9 = 0 AS special_needs,
    30 + hash('exam' || i) % 70 AS exam_score, hash('abs' || i) % 20 AS absences,
    {_pick("tf", _NAMES)} || ' ' || {_pick("tl", _SURNAMES)} AS teacher,
    CASE WHEN i % 4 = 0 THEN 'spoke to mother of ' || {_pick("f", _NAMES)} || ' about visit ' || i END
        AS comments
FROM range(1, 901) r (i);
"""
_CLAIMS = f"""
CREATE TABLE claims AS SELECT
    'C-' || (70000 + o) AS claim_nr, 5000 + i AS policyholder_nr, '+44 7700 ' || (900000 + i) AS mobile,
    {_pick("s", ["f", "m"])} AS gender, 1940 + hash('y' || i) % 65 AS year_of_birth,
    {_pick("occ", ["nurse", "driver", "clerk", "cook"])} AS occupation,
    {_pick("reg", ["north", "south", "east", "west"])} AS region,
    DATE '2021-01-01' + (hash('d' || o) % 1000)::INTEGER AS claim_date,
    round(exp(4 + 5 * (hash('m' || o) % 1000) / 1000), 2) AS claim_amount,
    {_pick("make", ["Ford", "Opel", "Fiat"])} AS vehicle_make, hash('fa' || o) % 2 = 0 AS fault,
    'rang insured on 0' || (7700900000 + i) AS adjuster_note, hash('h' || o) % 12 = 0 AS hospitalised,
    'DE' || (10 + hash('iban' || i) % 80) || (100000000000000000 + i)::VARCHAR AS bank_account,
    hash('mi' || i) % 40000 AS annual_mileage
FROM (SELECT o, 1 + (hash('z' || o) % 700)::BIGINT AS i FROM range(1, 2001) r (o)) AS numbered;
"""
"""Tables that nobody looked at while proposals were made better."""


@dataclass(frozen=True)
class Counts:
    """How the proposed roles compare with a person's: those that are alike, those left open, those
    that are others, and of these the columns that were kept and that a person protects."""

    right: int
    open: int
    other: list[str]
    unprotected: list[str]
    entity: str | None


def compared(policy: dict[str, Any], roles: dict[str, str]) -> Counts:
    """Compare the columns of a policy, of one table or several, with a person's roles."""
    settings = policy.get("columns") or {
        f"{table}.{name}": column
        for table, parts in policy["tables"].items()
        for name, column in (parts.get("columns") or {}).items()
    }
    proposed = {name: settings[name]["role"] for name in roles}
    other = [name for name, role in roles.items() if proposed[name] not in (role, None)]
    return Counts(
        sum(proposed[name] == role for name, role in roles.items()),
        sum(role is None for role in proposed.values()),
        other,
        [
            name
            for name in other
            if roles[name] in _GENERALIZED_OR_REMOVED
            and proposed[name] not in _GENERALIZED_OR_REMOVED
        ],
        policy["privacy"].get("entity"),
    )


def by_column(roles: dict[str, str]) -> dict[str, str]:
    """The role of each column, of columns by role."""
    return {name: _ROLES[role] for role, names in roles.items() for name in names.split()}


def proposals(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The policy that is proposed for each database, which is made in a folder."""
    data = os.environ.get("ANONSQL_DATA")
    files = {
        "Adult": "adult/adult_with_unknowns.csv",
        "ACS": "acs/acs_national2019.csv",
        "FARS": "fars/fars.csv",
    }
    for name, file in files.items() if data else ():
        init(str(Path(data or "", file)), None, folder / f"{name}.yaml")
        yield name, yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    for name, table, made in (
        ("hospital", None, _HOSPITAL),
        ("web shop", "orders", _SHOP),
        ("employees", "employees", _EMPLOYEES),
        ("pupils", "pupils", _PUPILS),
        ("claims", "claims", _CLAIMS),
    ):
        database, output = folder / f"{name}.duckdb", folder / f"{name}.yaml"
        with duckdb.connect(str(database)) as connection:
            connection.execute(made)
        if table is None:
            init_tables(str(database), "patients", output)
        else:
            init(str(database), table, output)
        yield name, yaml.safe_load(output.read_text(encoding="utf-8"))


def main() -> None:
    """Print the counts as a table."""
    print("| database | columns | as a person | left open | otherwise | kept, a person protects |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, policy in proposals(Path(folder)):
            roles = by_column(PERSON[name])
            counts = compared(policy, roles)
            print(
                f"| {name} | {len(roles)} | {counts.right} | {counts.open} | {len(counts.other)}"
                f" | {len(counts.unprotected)} |"
            )
            words = ", ".join(counts.other)
            print(f"{name}: entity {counts.entity}; otherwise: {words}", file=sys.stderr)


if __name__ == "__main__":
    main()
