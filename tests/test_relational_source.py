"""``verify --against-source`` of several tables, held against a comparison in Python."""

import itertools
import random
import re
from collections import Counter
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, VerificationError

from . import clinic
from .engines import ENGINES, whole_but_on_spark
from .support import cli, copied, flat, rows_of, write_data
from .test_relational import do, generalized, make, place, settings

TABLES = ("patients", "visits", "prescriptions", "doctors")


def paths(rows):
    """Each row of a table with the rows that it refers to, without keys, and how often."""
    patients = {row[0]: row[1:] for row in rows["patients"]}
    visits = {row[0]: (row[2:], patients[row[1]]) for row in rows["visits"]}
    return {
        "patients": Counter(patients.values()),
        "visits": Counter(visits.values()),
        "prescriptions": Counter((row[2:], visits[row[1]]) for row in rows["prescriptions"]),
        "doctors": Counter(rows["doctors"]),
    }


def trees(rows):
    """Each patient with all that belongs to it, without keys, and how often."""

    def below(row, lower, *further):
        of = [item for item in rows[lower] if item[1] == row[0]]
        return sorted(repr((entry[2:], below(entry, *further) if further else ())) for entry in of)

    return Counter((row[1:], *below(row, "visits", "prescriptions")) for row in rows["patients"])


def beyond(released, source):
    """How many released rows, joined, are not the source's, by table, and how many whole trees; of
    doctors on both sides."""
    found, wanted = paths(released), paths(source)
    more = {name: (found[name] - wanted[name]).total() for name in TABLES}
    more["doctors"] += (wanted["doctors"] - found["doctors"]).total()
    return {**more, "trees": (trees(released) - trees(source)).total()}


@whole_but_on_spark
def test_a_release_is_the_sources(engine, whole):
    rows = clinic.rows()
    make(engine, rows)
    policy = clinic.policy(*place(engine)) | settings(engine)
    report = anonsql.run(policy)
    released = {name: engine.read(name) for name in TABLES}
    assert set(beyond(released, generalized(rows, report)).values()) == {0}
    found = anonsql.verify(policy, against_source=True).against_source
    for name in TABLES:
        assert (found[name].originals, found[name].released) == (len(rows[name]), len(released[name]))  # fmt: skip
        assert found[name].not_compared == []
    doctors = [*rows["doctors"][:-1], (*rows["doctors"][-1][:2], "another ward")]
    engine.make(clinic.COLUMNS["doctors"], doctors, table="doctors")
    with pytest.raises(VerificationError, match="doctors: 2 rows are in the release but not in the source, or the reverse"):  # fmt: skip
        anonsql.verify(policy, against_source=True)
    if not whole:
        return
    engine.make(clinic.COLUMNS["doctors"], rows["doctors"], table="doctors")
    moved = _moved(rows)
    engine.make(clinic.COLUMNS["visits"], moved["visits"], table="visits")
    wanted = beyond(released, generalized(moved, report))
    assert wanted["visits"]
    with pytest.raises(VerificationError) as error:
        anonsql.verify(policy, against_source=True)
    assert f"visits: {wanted['visits']:,} released rows, joined" in str(error.value)


def _moved(rows):
    """The clinic with each visit of every other patient of both sexes."""
    patients = [row[0] for row in rows["patients"]]
    turned = dict(zip(patients, patients[1:] + patients[:1]))
    visits = [(row[0], turned[row[1]], *row[2:]) for row in rows["visits"]]
    return {**rows, "visits": visits}


@pytest.mark.parametrize("name", ["postgres", "spark"])
def test_a_release_in_another_engine(name, tmp_path):
    """Rows of a server, released to a file: they travel to the server as texts."""
    with closing(ENGINES[name](tmp_path)) as engine:
        rows = clinic.rows()
        columns = {**clinic.COLUMNS["visits"], "dose": "DOUBLE", "seen": "BOOLEAN"}
        visits = [(*row, n / 7, n % 3 == 0) for n, row in enumerate(rows["visits"])]
        make(engine, rows)
        engine.make(columns, visits, table="visits")
        source, _ = place(engine)
        policy = clinic.policy(source, {"file": str(tmp_path / "folder")}) | settings(engine)
        policy["tables"]["visits"]["columns"] |= {
            "dose": {"role": "insensitive"},
            "seen": {"role": "insensitive"},
        }
        surrogate = {"role": "identifying", "replace": "surrogate"}
        policy["tables"]["patients"]["columns"]["name"] = surrogate
        anonsql.run(policy)
        found = anonsql.verify(policy, against_source=True).against_source
        assert {name: item.not_compared for name, item in found.items()} == {
            key: ["dose"] if key == "visits" else [] for key in TABLES
        }
        engine.make(columns, [(*row[:-1], not row[-1]) for row in visits], table="visits")
        with pytest.raises(
            VerificationError, match=r"visits: [0-9]+ released rows have no matching source row"
        ):
            anonsql.verify(policy, against_source=True)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A clinic and its release, in which only own rows are known: other tables can be altered as
    one likes, and nothing is wrong with the release by itself."""
    rows = clinic.rows(40, 90, 90)
    path, policy = clinic.in_a_file(tmp_path_factory.mktemp("clinic"), rows, known_rows=0, k=2)
    levels = {"patients.born": 2, "patients.sex": 0, "visits.day": 2, "prescriptions.drug": 0}
    policy["method"] = {"type": "full-domain", "levels": levels}
    report = anonsql.run(policy)
    return path.with_name("released.duckdb"), policy, generalized(rows, report)


CHANGES = {
    "whose": "UPDATE visits SET patient_id = CASE visit_id WHEN {a} THEN (SELECT patient_id FROM"
    " visits WHERE visit_id = {b}) ELSE (SELECT patient_id FROM visits WHERE visit_id = {a}) END"
    " WHERE visit_id IN ({a}, {b})",
    "what": "UPDATE visits SET diagnosis = 'diagnosis {c}' WHERE visit_id = {a}",
    "who": "UPDATE visits SET doctor_id = {c} WHERE visit_id = {a}",
    "when": "UPDATE visits SET day = o.day, day_lo = o.day_lo, day_hi = o.day_hi FROM (SELECT *"
    " FROM visits WHERE visit_id = {b}) AS o WHERE visits.visit_id = {a}",
    "at": "UPDATE prescriptions SET visit_id = {b} WHERE prescription_id = {a}",
    "given": "UPDATE prescriptions SET drug = 'insulin' WHERE prescription_id = {a}",
}


def restate(path, policy):
    """Let the release say what is right of its altered rows, where it says how many are single."""
    try:
        anonsql.verify(policy)
    except VerificationError as error:
        for offence in error.offences:
            said = re.match(
                r"(\w+)__about states not_covered=.*, the release and the policy (.*)", offence
            )
            if said:
                table, right = said.groups()
                sql = f"UPDATE {table}__about SET value = '{right}' WHERE property = 'not_covered'"
                do(path, sql)


@trying(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    what=st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=2),
    seed=st.integers(0, 10**6),
)
def test_what_was_altered_is_seen_just_when_it_can_be(released, what, seed):
    path, policy, source = released
    before, rng = path.read_bytes(), random.Random(seed)
    most = rows_of(path, "SELECT (SELECT COUNT(*) FROM visits), (SELECT COUNT(*) FROM prescriptions)")  # fmt: skip
    numbers = range(1, min(most[0]) + 1)
    try:
        for item in what:
            a, b = rng.sample(numbers, 2)
            do(path, CHANGES[item].format(a=a, b=b, c=rng.randrange(5)))
        restate(path, policy)
        altered = {name: rows_of(path, f"SELECT * FROM {name}") for name in TABLES}
        wanted = {name: count for name, count in beyond(altered, source).items() if count}
        try:
            anonsql.verify(policy, against_source=True)
            found = set()
        except VerificationError as error:
            found = set()
            for offence in error.offences:
                name, count = offence.split(" released")[0].split(": ")
                name = "trees" if "with all rows" in offence else name
                found.add(name)
                if "joined" in offence or name == "trees":
                    assert wanted[name] == int(count)
        assert found == set(wanted)
    finally:
        path.write_bytes(before)


def test_rows_of_people_who_look_alike_were_exchanged(released):
    """All rows, joined with those that they refer to, are the source's still."""
    path, policy, source = released
    before, tried = path.read_bytes(), 0
    visits = dict(rows_of(path, "SELECT visit_id, patient_id FROM visits ORDER BY visit_id"))
    try:
        for a, b in itertools.combinations(visits, 2):
            path.write_bytes(before)
            do(path, CHANGES["whose"].format(a=a, b=b))
            altered = {name: rows_of(path, f"SELECT * FROM {name}") for name in TABLES}
            wanted = {name: count for name, count in beyond(altered, source).items() if count}
            tried += wanted.keys() == {"trees"}
            if wanted.keys() == {"trees"}:
                with pytest.raises(VerificationError) as error:
                    anonsql.verify(policy, against_source=True)
                (offence,) = error.value.offences
                assert offence.startswith(f"patients: {wanted['trees']} released people, each with")
            if tried == 3:
                return
    finally:
        path.write_bytes(before)
    raise AssertionError("no two visits can be exchanged")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The folder of a clinic in a DuckDB file and of its release, which was held against it; the
    policy."""
    folder = tmp_path_factory.mktemp("published")
    limits = {"patients": 0.3, "visits": 0.2}
    _, policy = clinic.in_a_file(folder, suppression_limit=limits)
    policy["tables"]["visits"]["max_rows"] = 4
    policy["tables"]["patients"]["columns"]["name"]["replace"] = "surrogate"
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    return folder, policy


@pytest.fixture
def files(published, tmp_path):
    """The clinic's file, to be changed, with its release beside it; the policy."""
    folder, policy = published
    policy = copied(policy, folder, tmp_path)
    return tmp_path / "clinic.duckdb", policy


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("INSERT INTO patients VALUES ('P9', 'new', 1950, 'F')", "patients: the source has 61 rows, but the release accounts for 60"),
        ("DELETE FROM prescriptions WHERE prescription_id < 5", "prescriptions: the source has 195 rows, but the release accounts for 200"),
        ("INSERT INTO doctors VALUES (77, 'Dr. 77', 'heart')", "doctors: 1 rows are in the release but not in the source|doctors: the source has 6"),
        ("UPDATE visits SET diagnosis = 'new'", "visits: .* released rows have no matching source row of their own"),
        ("UPDATE patients SET name = NULL", "patients: .* released rows have no matching source row"),
        ("ALTER TABLE visits ALTER diagnosis TYPE BLOB USING diagnosis::BLOB", "'diagnosis' is VARCHAR in the release, BLOB in the source"),
    ],
)  # fmt: skip
def test_a_source_that_changed(files, sql, words):
    path, policy = files
    do(path, sql)
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(policy, against_source=True)
    anonsql.verify(policy)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE visits__columns SET level = 9 WHERE column_name = 'day'", "states level 9 for 'day'"),
        ("UPDATE visits__columns SET level = NULL WHERE column_name = 'day'", "states level None for 'day'"),
        ("UPDATE visits__columns SET level = 0 WHERE column_name = 'day'", "values of 'day' cannot result"),
        ("UPDATE visits__about SET value = CAST(value AS INTEGER) + 1 WHERE property = 'beyond_max_rows'", "visits: the source has 150 rows, but the release accounts for 151"),
        ("UPDATE visits__about SET value = CAST(value AS INTEGER) + (SELECT CASE WHEN CAST(value AS INTEGER) < 15 THEN 1 ELSE -1 END FROM visits__about WHERE property = 'suppressed') * CASE property WHEN 'suppressed' THEN 1 ELSE -1 END WHERE property IN ('beyond_max_rows', 'suppressed')", "visits: people have .* rows beyond max_rows=4, but .* are stated"),
        ("UPDATE patients__about SET value = '3' WHERE property = 'with_others'", "with_others=3, which is impossible"),
        ("UPDATE visits__about SET value = '-3' WHERE property = 'beyond_max_rows'", "beyond_max_rows=-3, the release and the policy something else"),
        ("ALTER TABLE visits DROP COLUMN day_lo", "visits: the bounds of 'day' are not right after it"),
        ("UPDATE visits SET day_lo = DATE '1900-01-01'", "values of 'day' have bounds that differ from those"),
        ("UPDATE patients SET name = 1", "surrogates in 'name' link more rows than any source value"),
        ("UPDATE doctors SET ward = 'another'", "doctors: 10 rows are in the release but not"),
    ],
)  # fmt: skip
def test_a_release_that_was_altered(files, sql, words):
    path, policy = files
    do(path.with_name("released.duckdb"), sql)
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(policy, against_source=True)


def test_the_policy_must_fit_the_source(files):
    path, policy = files
    do(path, "ALTER TABLE visits ADD COLUMN more INTEGER")
    with pytest.raises(PolicyError, match=r"visits\.columns\.more"):
        anonsql.verify(policy, against_source=True)


def test_the_terminal_says_what_was_compared(files, tmp_path):
    _, policy = files
    write_data(tmp_path, policy)
    command = ["verify", str(tmp_path / "policy.yaml"), "--against-source"]
    result = cli(*command)
    assert result.exit_code == 0
    assert "Against the source: released rows match rows of the source one to one" in flat(
        result.output
    )
    assert "doctors 0." in flat(result.output)
    assert "another person with equal released values." in flat(result.output)


def test_what_the_source_cannot_tell_is_said_where_people_lack_rows(files):
    _, policy = files
    found = anonsql.verify(policy, against_source=True)
    lacking = {name: item.left_over for name, item in found.against_source.items()}
    assert lacking["visits"] > 0
    assert f"visits {lacking['visits']:,}" in found.not_told
    assert anonsql.verify(policy).not_told is None
