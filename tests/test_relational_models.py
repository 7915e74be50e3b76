"""Models about sensitive columns in several tables, against brute force on tiny databases."""

from contextlib import nullcontext
from functools import partial

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError

from . import clinic
from . import relational_oracle as oracle
from .models import cases
from .support import copied, edit, editing, in_file, make_table, rows_of
from .test_relational import planted
from .tiny_clinics import (
    NAMES,
    by_and_by,
    everyone,
    expected,
    grown,
    make,
    policy,
    released,
    satisfying,
)

CHAINS = {"p": (), "v": ("v", "r"), "r": ("v", "r"), "w": ("w",)}
"""The tables on one chain with each, but that of people."""
MODELS = {
    "distinct": ({"l_diversity": 2}, oracle.distinct(2)),
    "entropy": ({"l_diversity": {"type": "entropy", "l": 1.8}}, oracle.entropy(1.8)),
    "recursive": ({"l_diversity": {"type": "recursive", "l": 2, "c": 1.5}}, oracle.recursive(1.5, 2)),
    "alpha": ({"alpha_k": {"alpha": 0.6}}, oracle.alpha(0.6)),
    "alpha of one": ({"alpha_k": {"alpha": 0.5, "values": ["i"]}}, oracle.alpha(0.5, "i")),
    "equal": ({"t_closeness": 0.3}, oracle.equal(0.3)),
    **cases("BY_PEOPLE"),
}  # fmt: skip
lower = st.sampled_from("xy")
secret = st.sampled_from(["i", "j", None])
row_r = st.builds(lambda c, s: ("r", {"c": c}, s, []), lower, secret)
row_v = st.builds(
    lambda b, s, rs: ("v", {"b": b}, s, rs), lower, secret, st.lists(row_r, max_size=2)
)
row_w = st.builds(lambda d, s: ("w", {"d": d}, s, []), lower, secret)
person = st.builds(
    lambda a, s, vs, ws: ("p", {"a": a}, s, [*vs, *ws]),
    st.sampled_from("abc"),
    secret,
    st.lists(row_v, max_size=2),
    st.lists(row_w, max_size=1),
)
clinics = st.lists(person, min_size=4, max_size=7)
LIMITS = st.sampled_from(
    [{"p": 0.3}, {"p": 0.6}, {"p": 0.5, "v": 0.5}, {"p": 0.5, "r": 0.9, "w": 0.5}]
)
FEW = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def promising(path, k, known_rows, limits, asked):
    """The policy of such a database; ``asked`` are pairs of a table and a model."""
    made = policy(path, k, known_rows, limits)
    for name in NAMES:
        made["tables"][name]["columns"]["s"] = {"role": "sensitive"}
    for table, model in asked:
        for name, parameters in MODELS[model][0].items():
            made["privacy"].setdefault(name, {})[f"{table}.s"] = parameters
    return made


def required(people, asked):
    """What brute force asks of classes."""
    found = []
    for table, model in asked:
        whole = oracle.reference(people, table)
        found.append((table, CHAINS[table], partial(MODELS[model][1], whole=whole)))
    return found


def has_named(people, asked):
    """Whether the values that policies name are there."""
    named = [table for table, model in asked if model == "alpha of one"]
    rows = [row for item in people for row in everyone(item)]
    return all(any(r.table == table and r.secret == "i" for r in rows) for table in named)


ASKED = st.lists(
    st.tuples(st.sampled_from("pvrw"), st.sampled_from(list(MODELS))),
    min_size=1,
    max_size=2,
    unique_by=(lambda pair: (pair[0], *MODELS[pair[1]][0]), lambda pair: pair[0]),
)


@settings(FEW, max_examples=5)
@given(clinics, st.sampled_from([0, 1, 2, 3, "all"]), LIMITS, ASKED, st.booleans())
def test_the_satisfying_nodes_are_those_of_brute_force(
    tmp_path, people, known_rows, limits, asked, many
):
    assume(has_named(map(grown, people), asked))
    path = tmp_path / "tiny.duckdb"
    make(path, map(grown, people), secrets=True)
    with by_and_by() if many else nullcontext():
        nodes = anonsql.search(promising(path, 2, known_rows, limits, asked)).nodes
    models = required([grown(item) for item in people], asked)
    assert satisfying(nodes) == expected(people, 2, known_rows, limits, models)


def broken(people, known_rows, models):
    """What brute force finds wrong with released people."""
    labels = {id(row): tuple(row.values.values()) for item in people for row in everyone(item)}
    whole = known_rows == "all"
    labels = oracle.shapes(people, labels) if whole else labels
    return [
        found
        for size in (range(2) if whole else range(known_rows + 1))
        for found in oracle.breaking(people, labels, size, models)
    ]


@FEW
@given(clinics, st.sampled_from([0, 1, 2, "all"]), LIMITS, ASKED)
def test_what_is_published_keeps_the_models(tmp_path, people, known_rows, limits, asked):
    """Also what the proof takes for granted: where rows are missing it refuses no good release."""
    first = [grown(item) for item in people]
    assume(has_named(first, asked))
    path = tmp_path / "tiny.duckdb"
    make(path, first, secrets=True)
    given_policy = promising(path, 2, known_rows, limits, asked)
    try:
        report = anonsql.run(given_policy)
    except PrivacyError:
        assert not expected(people, 2, known_rows, limits, required(first, asked))
        return
    assert report.loss == min(node.loss for node in anonsql.search(given_policy).nodes)
    out = path.with_name("out.duckdb")
    assert broken(released(out, secrets=True), known_rows, required(first, asked)) == []
    assert anonsql.verify(given_policy).promises == report.promises != {}


def told_otherwise(given):
    """A person who differs in secrets alone."""
    table, values, told, below = given
    other = {"i": "j", "j": None, None: "i"}
    return table, values, other[told], [told_otherwise(item) for item in below]


@settings(FEW, max_examples=15)
@given(
    st.lists(person, min_size=1, max_size=3),
    st.sampled_from([0, 1, 2, "all"]),
    ASKED,
    st.booleans(),
)
def test_verify_counts_as_brute_force_does(tmp_path, people, known_rows, asked, many):
    """A release in which nobody is missing, made without models, that says that it keeps some."""
    everybody = [grown(item) for item in (*people, *map(told_otherwise, people))]
    path = tmp_path / "tiny.duckdb"
    make(path, everybody, secrets=True)
    anonsql.run(promising(path, 2, known_rows, {}, []))
    stated = promising(path, 2, known_rows, {}, asked)
    facts = anonsql.policy.policies.of(stated).model_facts
    out = path.with_name("out.duckdb")
    with editing(out) as connection:
        connection.executemany("INSERT INTO p__about VALUES (?, ?)", list(facts.items()))
    wrong = broken(released(out, secrets=True), known_rows, required(everybody, asked))
    with by_and_by() if many else nullcontext():
        if wrong:
            with pytest.raises(VerificationError, match="do not keep"):
                anonsql.verify(stated)
        else:
            assert anonsql.verify(stated).promises == facts


@pytest.mark.parametrize("prescribed", [(1, 2), (1, 0)])
@pytest.mark.parametrize("known_rows", [1, 2, "all"])
def test_a_visit_is_known_by_what_belongs_to_it(tmp_path, prescribed, known_rows):
    """Six people are alike in all they have, each with a visit for the same disease: the one with
    two prescriptions, or with none. Who knows two rows, or whole trees, knows which one that is."""
    path = tmp_path / "clinic.duckdb"
    others, same = prescribed
    in_file(
        path,
        "CREATE TABLE people AS SELECT i AS id, 'x' AS a FROM range(6) AS t(i);"
        "CREATE TABLE visits AS SELECT i AS id, i AS person, 'hiv' AS disease"
        " FROM range(6) AS t(i);"
        "INSERT INTO visits SELECT 10 + i, i, CASE i % 2 WHEN 0 THEN 'cold' ELSE 'flu' END"
        " FROM range(6) AS t(i);"
        "CREATE TABLE given AS SELECT 100 + 10 * n + i AS id, i AS visit, 'p' AS drug"
        f" FROM range(6) AS t(i), range({same}) AS u(n);"
        "INSERT INTO given SELECT 200 + 10 * n + i, 10 + i, 'p'"
        f" FROM range(6) AS t(i), range({others}) AS u(n)",
    )
    hidden = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
    policy = {
        "source": {"database": str(path)},
        "release": {"database": str(tmp_path / "released.duckdb"), "completed": 0},
        "tables": {
            "people": {"key": "id", "columns": {"a": hidden}},
            "visits": {
                "key": "id",
                "references": {"person": "people"},
                "columns": {"disease": {"role": "sensitive"}},
            },
            "given": {"key": "id", "references": {"visit": "visits"}, "columns": {"drug": hidden}},
        },
        "privacy": {
            "k": 3,
            "of": "people",
            "known_rows": known_rows,
            "l_diversity": {"visits.disease": 2},
        },
    }
    if known_rows == 1:
        anonsql.run(policy)
        return
    with pytest.raises(PrivacyError, match=r"l_diversity\.visits\.disease"):
        anonsql.run(policy)
    del policy["privacy"]["l_diversity"]
    anonsql.run(policy)
    policy["privacy"]["l_diversity"] = {"visits.disease": 2}
    edit(
        tmp_path / "released.duckdb",
        "INSERT INTO people__about VALUES ('l_diversity.visits.disease', 'distinct 2')",
    )
    with pytest.raises(VerificationError, match="do not keep"):
        anonsql.verify(policy)


def test_rows_that_were_suppressed_may_be_anybodys(tmp_path):
    """Somebody without a row has none, or had one that was suppressed: whole tables that are as far
    as that allows break no promise."""
    told = ["CA", "A", "CA", "", "Ab", "B"] * 2  # a small letter: the row is suppressed
    rows = [(person, value) for person, values in enumerate(told) for value in values]
    path = tmp_path / "tiny.duckdb"
    people = [(person, person % 2) for person in range(len(told))]
    make_table(path, {"id": "INTEGER", "g": "INTEGER"}, people, table="p")
    visits = [
        (number, person, f"r{number}" if item.islower() else "n", item.upper())
        for number, (person, item) in enumerate(rows)
    ]
    columns = {"id": "INTEGER", "person": "INTEGER", "d": "VARCHAR", "s": "VARCHAR"}
    make_table(path, columns, visits, table="v")
    hidden = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
    policy = {
        "source": {"database": str(path)},
        "release": {"database": str(tmp_path / "out.duckdb"), "completed": 0},
        "tables": {
            "p": {"key": "id", "columns": {"g": hidden}},
            "v": {
                "key": "id",
                "references": {"person": "p"},
                "columns": {"d": hidden, "s": {"role": "sensitive"}},
            },
        },
        "privacy": {
            "k": 2,
            "of": "p",
            "known_rows": 1,
            "suppression_limit": {"v": 0.9},
            "t_closeness": {"v.s": 0.375},
        },
        "method": {"type": "full-domain", "levels": {"p.g": 0, "v.d": 0}},
    }
    report = anonsql.run(policy)
    assert {table.table: table.suppressed for table in report.tables} == {"p": 0, "v": 2}
    anonsql.verify(policy)


# what people see, and what goes wrong


def clinic_with_a_promise(folder):
    path, policy = clinic.in_a_file(folder)
    policy["privacy"]["l_diversity"] = {"visits.diagnosis": 3}
    return path, policy


@pytest.fixture
def files(tmp_path):
    """A clinic in a DuckDB file, and its policy with a promise about diagnoses."""
    return clinic_with_a_promise(tmp_path)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The same, released."""
    path, policy = clinic_with_a_promise(tmp_path_factory.mktemp("published"))
    report = anonsql.run(policy)
    assert report.promises == {"l_diversity.visits.diagnosis": "distinct 3"}
    return path, policy


FACT = "property = 'l_diversity.visits.diagnosis'"
TAMPER = {
    "UPDATE visits SET diagnosis = 'flu'": "do not keep distinct 3 of visits.diagnosis",
    f"UPDATE patients__about SET value = 'distinct 2' WHERE {FACT}": "distinct 2",
    f"DELETE FROM patients__about WHERE {FACT}": "l_diversity.visits.diagnosis=None",
    "ALTER TABLE visits DROP COLUMN diagnosis": "diagnosis",
    "ALTER TABLE visits ALTER diagnosis TYPE VARCHAR[] USING [diagnosis]": "diagnosis",
}


@pytest.mark.parametrize("sql", TAMPER)
def test_verify_sees_what_was_changed(published, tmp_path, sql):
    path, given_policy = published
    given_policy = copied(given_policy, path.parent, tmp_path)
    edit(tmp_path / "released.duckdb", sql)
    with pytest.raises(VerificationError, match=TAMPER[sql]):
        anonsql.verify(given_policy)


@pytest.mark.parametrize("known_rows", [0, 1, 2])
def test_one_class_with_other_values_is_seen(files, known_rows):
    """Of those who match in their own row alone, all get one diagnosis."""
    path, given_policy = files
    given_policy["privacy"]["known_rows"] = known_rows
    anonsql.run(given_policy)
    edit(
        path.with_name("released.duckdb"),
        "UPDATE visits SET diagnosis = 'flu' WHERE patient_id IN (SELECT patient_id FROM patients"
        " WHERE (born, sex) = (SELECT (born, sex) FROM patients WHERE patient_id = 1))",
    )
    with pytest.raises(VerificationError, match="with 0 known rows"):
        anonsql.verify(given_policy)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("relational/sensitive/broken", "NOT w.ok", "FALSE"),
        ("relational/sensitive/broken", ">= 6", ">= 1"),
        ("relational/sensitive/told", 'r."x5"', "r.id"),
    ],
)
def test_the_proof_catches_what_the_search_does_wrong(files, monkeypatch, name, old, new):
    path, given_policy = files
    given_policy["privacy"]["l_diversity"] = {"visits.diagnosis": 6}
    given_policy["privacy"]["suppression_limit"] = 0.9
    hits = planted(monkeypatch, name, old, new)
    with pytest.raises(VerificationError, match="do not keep distinct 6"):
        anonsql.run(given_policy)
    assert hits and not path.with_name("released.duckdb").exists()


def test_the_run_holds_classes_against_the_source(files, monkeypatch):
    """What the release alone cannot tell: with the missing rows the whole table may be so."""
    _, given_policy = files
    del given_policy["privacy"]["l_diversity"]
    given_policy["privacy"] |= {"t_closeness": {"visits.diagnosis": 0.3}, "known_rows": 0}
    given_policy["privacy"]["suppression_limit"] = 0.9
    anonsql.run(given_policy)
    planted(monkeypatch, "relational/sensitive/broken", "<= 0.3", "<= 0.36")
    kept = {"method": {"type": "full-domain", "levels": {
        "patients.born": 1, "patients.sex": 0, "visits.day": 3, "prescriptions.drug": 1}}}  # fmt: skip
    with pytest.raises(VerificationError, match=r"do not keep t=0\.3"):
        anonsql.run(given_policy | kept)


def test_a_remedy_names_the_model(files):
    _, given_policy = files
    given_policy["privacy"]["alpha_k"] = {"visits.diagnosis": 0.01}
    with pytest.raises(PrivacyError, match=r"60 with alpha_k\.visits\.diagnosis: relax alpha_k"):
        anonsql.run(given_policy)
    assert "alpha_k.visits.diagnosis" in anonsql.search(given_policy).advice


@pytest.mark.parametrize(
    ("privacy", "words"),
    [
        ({"l_diversity": {"visit.diagnosis": 2}}, r"l_diversity\.visit\.diagnosis: there is no such.*'visits\.diagnosis'"),
        ({"l_diversity": {"visits.day": 2}}, "'visits.day' has the role quasi-identifying"),
        ({"l_diversity": {"doctors.ward": 2}}, "no such table.column of people"),
        ({"l_diversity": {"visits.diagnosis": {"l": 2, "min_range": 0.1}}}, r"min_range: it is for one table only"),
        ({"l_diversity": {"visits.diagnosis": {"l": 2, "min_span": 3}}}, r"min_span: it is for one table only"),
        ({"t_closeness": {"visits.diagnosis": {"t": 0.2, "distance": "ordered"}}}, "found ordered; it is for one table"),
        ({"t_closeness": {"visits.diagnosis": {"t": 0.2, "distance": "hierarchical"}}}, "found hierarchical; it is for"),
        ({"alpha_k": {"visits.diagnosis": {"alpha": 0.5, "values": ["measles"]}}}, r"alpha_k\.visits\.diagnosis\.values: 1 of 1 values do not occur"),
        ({"entity": "patient_id"}, "entity: this promise is for one table only"),
        ({"quasi_identifiers": [["born"]]}, "quasi_identifiers: this promise is for one table only"),
        ({"k_map": 3}, "k_map: this promise is for one table only"),
        ({"delta_presence": {"max": 0.5}}, "delta_presence: this promise is for one table only"),
        ({"kept": {"max_unique": 0.1}}, "kept: this promise is for one table only"),
    ],
)  # fmt: skip
def test_a_wrong_promise_is_refused_by_place(files, privacy, words):
    _, given_policy = files
    given_policy["privacy"] |= privacy
    with pytest.raises(PolicyError, match=words):
        anonsql.run(given_policy)
    assert anonsql.check(given_policy).exit_code == 2


def test_the_pages_tell_it_and_do_not_claim_to_check_it(files, tmp_path):
    path, given_policy = files
    anonsql.run(given_policy)
    page = anonsql.report(
        path.with_name("released.duckdb"), tmp_path / "p.html", audience="recipient"
    )
    told = page.relational
    assert [promise.name for promise in told.promises][
        1
    ] == "l_diversity.visits.diagnosis distinct 3"
    assert told.unchecked == ["l_diversity.visits.diagnosis"]
    assert not any("diagnosis" in item for item in told.does_not)
    assert {check.promise for check in told.checks} == {"k", "known_rows", "references"}
    assert "No statement here shows" in (tmp_path / "p.html").read_text()


def certain(path):
    """The people of whom an attacker who knows the own row and one visit is certain of that visit's
    diagnosis, by joining what is released."""
    sql = """
        WITH known AS (
            SELECT DISTINCT p.patient_id, p.born, p.sex, v.day, v.diagnosis
            FROM patients p JOIN visits v USING (patient_id)
        ), told AS (
            SELECT born, sex, day FROM known GROUP BY ALL HAVING COUNT(DISTINCT diagnosis) = 1
        )
        SELECT COUNT(DISTINCT patient_id) FROM known SEMI JOIN told USING (born, sex, day)
    """
    return rows_of(path, sql)[0][0]


def test_nobody_is_certain_of_a_diagnosis(tmp_path):
    """Whoever came in 2025 had the same: k alone hides who it was and tells what it was."""
    rows = clinic.rows()
    rows["visits"] = [
        (*row[:4], "cholera" if row[3].year == 2025 else row[4]) for row in rows["visits"]
    ]
    path, given_policy = clinic.in_a_file(tmp_path, rows)
    out = path.with_name("released.duckdb")
    levels = {"patients.born": 3, "patients.sex": 1, "visits.day": 2, "prescriptions.drug": 1}
    alone = given_policy | {"method": {"type": "full-domain", "levels": levels}}
    assert anonsql.run(alone).fewest_people >= 3
    assert certain(out) > 0
    given_policy["privacy"]["l_diversity"] = {"visits.diagnosis": 2}
    assert anonsql.run(given_policy).released_people > 0
    assert certain(out) == 0
