"""Rows of one person: risk counts people where a policy names them, and an identifier that repeats
is warned of."""

import re
from random import Random

import pytest

import anonsql
from anonsql.errors import VerificationError
from anonsql.features.init import command as profile
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import editing, make_table, policy_data, policy_over, rows_of

TYPES = {"person": "INTEGER", "q": "INTEGER", "s": "VARCHAR"}
VISITS = [
    (n // 6, n // 60, "ab"[n % 2]) for n in range(120)
]  # two classes of 10 people, 6 rows each


def visits(role="identifying", method=None, entity="person", k=5):
    data = policy_data(
        {"person": role, "q": {"type": "suppression"}, "s": "sensitive"}, k=k, method=method or {}
    )
    if entity:
        data["privacy"]["entity"] = entity
    return data


@pytest.mark.parametrize("role", ["identifying", "insensitive"])
@pytest.mark.parametrize("method", [{}, {"type": "mondrian"}, {"type": "full-subtree"}])
def test_risk_goes_by_people(tmp_path, method, role):
    make_table(tmp_path / "source.duckdb", TYPES, VISITS)
    policy = Policy.parse(visits(role, method), tmp_path)
    report = anonsql.run(policy)
    assert (report.classes, report.min_class, report.min_people) == (2, 60, 10)
    assert report.risk.prosecutor.model_dump() == {
        "highest": 0.1,
        "average": 0.1,
        "records_at_risk": 0.0,
    }
    found = anonsql.verify(policy)
    assert (found.min_people, found.risk) == (10, report.risk)
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT property, value FROM r__about"))
    assert (about["people_in_classes"], about["min_people"], about["people_at_risk"]) == (
        "20",
        "10",
        "0",
    )


def test_the_engines_count_people_alike(engine):
    engine.make(TYPES, VISITS)
    policy = policy_on(engine, visits())
    assert anonsql.run(policy).risk.prosecutor.highest == 0.1
    assert anonsql.verify(policy).min_people == 10


def test_people_at_risk_and_people_of_several_classes(tmp_path):
    """Person 0 is in both classes; the second has three people."""
    rows = [(n % 4, 0, "a") for n in range(12)] + [(n % 3, 1, "a") for n in range(12)]
    make_table(tmp_path / "source.duckdb", TYPES, rows)
    data = visits(k=3, method={"levels": {"q": 0}})
    report = anonsql.run(policy := Policy.parse(data, tmp_path))
    assert report.risk.prosecutor.highest == pytest.approx(1 / 3)
    assert report.risk.prosecutor.average == pytest.approx(2 / 7)
    assert report.risk.prosecutor.records_at_risk == 1
    assert anonsql.verify(policy).risk == report.risk


@pytest.mark.parametrize(
    ("role", "name", "value", "wrong"),
    [
        ("identifying", "min_people", "61", "is impossible"),
        ("identifying", "min_people", "4", "fewer than k=5"),
        ("identifying", "people_in_classes", "19", "is impossible"),
        ("identifying", "people_in_classes", "many", "does not state"),
        ("identifying", "people_at_risk", "1", "is impossible"),
        ("insensitive", "min_people", "9", "the release and the policy"),
    ],
)
def test_verification_does_not_believe_other_numbers_of_people(tmp_path, role, name, value, wrong):
    make_table(tmp_path / "source.duckdb", TYPES, VISITS)
    policy = Policy.parse(visits(role), tmp_path)
    anonsql.run(policy)
    with editing(tmp_path / "release.duckdb") as connection:
        connection.execute("UPDATE r__about SET value = ? WHERE property = ?", [value, name])
    with pytest.raises(VerificationError, match=wrong):
        anonsql.verify(policy)


@pytest.mark.parametrize(("name", "value"), [("min_people", "9"), ("people_in_classes", "21")])
def test_the_source_contradicts_other_numbers_of_people(tmp_path, name, value):
    """The release alone cannot: its rows may be those of so many people."""
    make_table(tmp_path / "source.duckdb", TYPES, VISITS)
    policy = Policy.parse(visits(), tmp_path)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    with editing(tmp_path / "release.duckdb") as connection:
        connection.execute("UPDATE r__about SET value = ? WHERE property = ?", [value, name])
    anonsql.verify(policy)
    with pytest.raises(VerificationError, match=f"states {name}={value}, the source has [12]0"):
        anonsql.verify(policy, against_source=True)


def test_compare_counts_people(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, VISITS)
    for name, method in (("a", {}), ("b", {"type": "mondrian"})):
        policy = Policy.parse(visits(method=method), tmp_path)
        (tmp_path / f"{name}.yaml").write_text(
            policy.model_dump_json(by_alias=True, exclude_none=True, exclude_unset=True)
        )
    found = anonsql.compare([tmp_path / "a.yaml", tmp_path / "b.yaml"])
    assert [item.risk for item in found.policies] == [0.1, 0.1]


@pytest.mark.parametrize(
    ("rows", "few"),
    [
        (
            [(n // 6, n // 6, "ab"[n % 2]) for n in range(60)],
            10,
        ),  # people whose rows are alike, for k=5
        ([(n // 6, n // 12, "ab"[n % 2]) for n in range(60)], 10),
        ([(n // 6, 0, "ab"[n % 2]) for n in range(60)], 0),
        ([(None, 0, "a")] * 5 + [(n // 6, n // 6 % 9, "ab"[n % 2]) for n in range(60)], 10),
    ],
)
def test_people_whom_k_rows_do_not_hide_are_counted(tmp_path, rows, few):
    make_table(tmp_path / "source.duckdb", TYPES, rows)
    policy = Policy.parse(visits(entity=None), tmp_path)
    [warning] = anonsql.check(policy).warnings
    assert warning.where == "columns.person"
    hidden = re.findall(r"(\d+) people would count as hidden", warning.message)
    assert "10 values" in warning.message and hidden == ([str(few)] if few else [])
    assert "privacy.entity: person" in warning.remedy
    [of_run] = anonsql.run(policy).warnings
    assert of_run.message.startswith(warning.message) and of_run.remedy == warning.remedy
    assert re.search(
        r"The smallest class of this release has \d+ people|one person", of_run.message
    )
    assert anonsql.check(Policy.parse(visits(), tmp_path)).warnings == []


@pytest.mark.parametrize("method", ["full-domain", "mondrian"])
def test_a_run_says_how_many_people_the_smallest_class_has(tmp_path, method):
    rows = [(n // 6 if n < 30 else 100 + n, n // 30, "ab"[n % 2]) for n in range(60)]
    make_table(tmp_path / "source.duckdb", TYPES, rows)
    policy = Policy.parse(visits(entity=None, method={"type": method}), tmp_path)
    [warning] = anonsql.run(policy).warnings
    assert "The smallest class of this release has 5 people." in warning.message


def customers(folder, phone, role):
    """A policy over two rows of each customer, whose number has a role."""
    rows = [(n // 2, phone(n), n % 3, "ab"[n % 2]) for n in range(80)]
    types = {"customer_no": "INTEGER", "phone": "VARCHAR", "q": "INTEGER", "d": "VARCHAR"}
    quasi = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
    columns = {"customer_no": role, "phone": "identifying", "q": quasi, "d": "sensitive"}
    return policy_over(folder, types, rows, columns, k=5)


def test_a_number_that_repeats_by_chance_does_not_hide_the_key(tmp_path):
    policy = customers(tmp_path, lambda n: f"{max(n, 1)}", "identifying")
    warnings = anonsql.check(policy).warnings
    assert [warning.where for warning in warnings] == ["columns.customer_no"]


def test_an_identifier_that_repeats_by_chance_is_not(tmp_path):
    rows = [(n if n else 1, n % 6, "a") for n in range(60)]
    make_table(tmp_path / "source.duckdb", TYPES, rows)
    assert anonsql.check(Policy.parse(visits(entity=None), tmp_path)).warnings == []


def test_init_says_so_too(tmp_path):
    types = {"patient_id": "INTEGER", "age": "INTEGER", "disease": "VARCHAR"}
    rows = [(n // 12, n // 12, "ab"[n % 2]) for n in range(120)]
    make_table(tmp_path / "source.duckdb", types, rows)

    found = profile.init(str(tmp_path / "source.duckdb"), "t", tmp_path / "p.yaml")
    [warning] = found.warnings
    assert warning.where == "columns.patient_id" and "10 values occur in 120" in warning.message
    text = (tmp_path / "p.yaml").read_text()
    assert "`entity: patient_id` in `privacy`" in " ".join(text.replace("#", " ").split())
    Policy.load(tmp_path / "p.yaml")


COLUMNS = {"id": "INTEGER", "q": "INTEGER", "z": "INTEGER", "s": "VARCHAR"}
SURROGATE = {"role": "identifying", "replace": "surrogate"}
OF_CLASSES = [
    "full-domain",
    "attribute-suppression",
    "full-subtree",
    "full-subgraph",
    "mondrian",
    "ordered-partition",
    "cell-suppression",
    "cell-generalization",
]
"""The methods that count people."""


def visitors(seed, people=60):
    """60 people with one row or five equal ones, and the same rows dealt to other people."""
    random = Random(seed)
    rows = []
    for person in range(people):
        row = (person, person % 12, person // 12, random.choice("abc"))
        rows += [row] * random.choice([1, 5])
    names = [row[0] for row in rows]
    random.shuffle(names)
    return rows, [(name, *row[1:]) for name, row in zip(names, rows)]


def visited(method, role="identifying", **more):
    widths = {"q": [2, 4, 8], "z": [2, 4]}
    intervals = {name: {"type": "interval", "widths": width} for name, width in widths.items()}
    columns = {"id": role, **intervals, "s": "sensitive"}
    return policy_data(columns, k=5, method={"type": method}, **more, privacy={"entity": "id"})


@pytest.mark.parametrize("role", ["identifying", SURROGATE], ids=["removed", "surrogate"])
@pytest.mark.parametrize("method", OF_CLASSES)
def test_people_are_held_against_the_source(tmp_path, method, role):
    """Rows that were dealt to other people before the run make a release that is right by itself,
    with classes that have one true person."""
    rows, dealt = visitors(3)
    policy = Policy.parse(visited(method, role), tmp_path)
    source = tmp_path / "source.duckdb"
    make_table(source, COLUMNS, dealt)
    least = anonsql.run(policy).min_people
    found = anonsql.verify(policy, against_source=True).against_source
    assert found.least_people <= least <= found.most_people
    assert found.people_linked is (None if role == "identifying" else True)
    source.unlink()
    make_table(source, COLUMNS, rows)
    anonsql.verify(policy)
    with pytest.raises(VerificationError) as error:
        anonsql.verify(policy, against_source=True)
    assert "people" in str(error.value)
    assert ("values of 'id'" in str(error.value)) is (role == SURROGATE)


@pytest.mark.parametrize("role", ["identifying", SURROGATE], ids=["removed", "surrogate"])
def test_the_engines_hold_people_against_the_source(engine, role):
    rows, dealt = visitors(5)
    data = visited("full-domain", role)
    engine.make(COLUMNS, dealt)
    policy = policy_on(engine, data)
    least = anonsql.run(policy).min_people
    found = anonsql.verify(policy, against_source=True)
    assert (found.min_people, found.against_source.least_people) == (least, least)
    engine.make(COLUMNS, rows)
    with pytest.raises(VerificationError, match=r"people|values of 'id'"):
        anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suppressed", ["remove", "mask"])
@pytest.mark.parametrize("method", ["full-domain", "mondrian", "cell-suppression"])
def test_right_people_are_never_refused(tmp_path, method, suppressed, seed):
    random = Random(seed)
    rows = [
        (random.choice([None, *range(25)]), random.randrange(9), random.randrange(5), "ab"[n % 2])
        for n in range(160)
    ]
    make_table(tmp_path / "source.duckdb", COLUMNS, rows)
    data = visited(method, SURROGATE, limit=0.4)
    data["release"]["suppressed"] = suppressed
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    assert anonsql.verify(policy, against_source=True).against_source.people_linked


def test_surrogates_of_others_than_people_are_held_against_the_source(tmp_path):
    rows, dealt = visitors(4)
    data = visited("full-domain", SURROGATE)
    del data["privacy"]["entity"]
    make_table(tmp_path / "source.duckdb", COLUMNS, dealt)
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    (tmp_path / "source.duckdb").unlink()
    make_table(tmp_path / "source.duckdb", COLUMNS, rows)
    with pytest.raises(VerificationError, match="values of 'id', with all the rows they link"):
        anonsql.verify(policy, against_source=True)


def test_what_rows_alone_do_not_tell_of_people_is_said(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, VISITS)
    policy = Policy.parse(visits(), tmp_path)
    anonsql.run(policy)
    told = {"people_in_classes", "min_people", "people_at_risk"}
    assert told <= set(anonsql.verify(policy).as_told)
    assert not told & set(anonsql.verify(policy, against_source=True).as_told)
