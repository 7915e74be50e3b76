"""Releases whose sensitive values lie in tables of their own, against the source: every condition
naively, and planted faults."""

import random
import re
import shutil
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import anonsql
from anonsql.errors import PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.policy.columns import HARMLESS
from anonsql.policy.policy import Policy
from anonsql.verification.linking import buckets as linking
from anonsql.verification.linking.link import Link

from .engines import Postgres, policy_on
from .numbering_oracle import renumbered_release
from .support import edit, editing, job, rows_of
from .test_anatomy import COLUMNS as APART
from .test_anatomy import TYPES as APART_TYPES
from .test_anatomy import data_of as anatomy_of
from .test_anatomy import made as anatomy
from .test_local import COLUMNS, TYPES, covers, data_of, made, read

DIMENSIONS = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)
SEED, TABLES, CHANGES = 4, 3, 4
FLAGS = {"age": 5, "zip": 6}
PLACES = {"age": 1, "zip": 3, "disease": 4}
SHOWN = ("group_id", "age", "age_lo", "age_hi", "gender", "zip", "age_bucket", "zip_bucket")


def people(count, rnd):
    """Few values, so that many rows may be many; a note that is not everybody's own."""
    ills = ["flu", "flu", "flu", "cold", "cold", "gout", "gout", None]
    return [
        (
            f"n{number}",
            rnd.choice([20, 21, 22, 30, None]),
            rnd.choice("FM"),
            rnd.choice(["43100", "43101", "43210", None]),
            ills[number % 8],
            rnd.choice([True, False, False, None]),
            rnd.choice([True, False, False, False, None]),
            rnd.choice("ab"),
        )
        for number in range(count)
    ]


# what must be true, naively


def fits(row, person, buckets):
    """Whether a released row may be a person's."""
    if not covers(row, "gender", person[2]) or row["note"] != person[7]:
        return False
    for column, place in PLACES.items():
        bucket = row[f"{column}_bucket"]
        minds = column == "disease" or person[FLAGS[column]] is not False
        if bucket is not None:
            if not minds or person[place] not in buckets[column][bucket]:
                return False
        elif row[column] != "*" and (minds or not covers(row, column, person[place])):
            return False
    return True


def assignable(fit):
    """Whether every row of a matrix of what fits gets a column of its own."""
    if fit.shape[0] > fit.shape[1]:
        return False
    return bool(fit[linear_sum_assignment(~fit)].all())


def effective(fit):
    """The pairs that some assignment uses: each tried."""
    found = np.zeros_like(fit)
    for row, column in zip(*np.nonzero(fit), strict=True):
        others = np.delete(np.delete(fit, row, axis=0), column, axis=1)
        found[row, column] = assignable(others)
    return found


def conditions(persons, rows, buckets, missing):
    """What the judge proves, naively."""
    if len(rows) + missing != len(persons):
        return False
    for column, place in PLACES.items():
        mine = [
            person
            for person in persons
            if column == "disease" or person[FLAGS[column]] is not False
        ]
        held, own = (
            sum(buckets[column].values(), Counter()),
            Counter(entry[place] for entry in mine),
        )
        hidden = sum(row.get(column) == "*" and row[f"{column}_bucket"] is None for row in rows)
        if held - own or held.total() < own.total() - missing - hidden:
            return False
    fit = np.array([[fits(row, item, buckets) for item in persons] for row in rows])
    if not assignable(fit):
        return False
    used = effective(fit)
    for column, place in PLACES.items():
        slots = []
        for bucket, values in buckets[column].items():
            may = used[[row[f"{column}_bucket"] == bucket for row in rows]].any(axis=0)
            for value in values.elements():
                own = [element[place] == value for element in persons]
                slots.append(may & np.array(own))
        if slots and not assignable(np.array(slots)):
            return False
    return True


def true_somehow(persons, rows, buckets):
    """Whether one assignment serves rows and all buckets at once: every one is tried."""
    left = {(c, b): Counter(values) for c, of in buckets.items() for b, values in of.items()}

    def place(number, free):
        if number == len(rows):
            return not any(item.total() for item in left.values())
        row = rows[number]
        for index in free:
            person = persons[index]
            if not fits(row, person, buckets):
                continue
            held = [
                ((column, row[f"{column}_bucket"]), person[at])
                for column, at in PLACES.items()
                if row[f"{column}_bucket"] is not None
            ]
            if all(left[bucket][value] > 0 for bucket, value in held):
                left.update({key: left[key] - Counter([value]) for key, value in held})
                if place(number + 1, free - {index}):
                    return True
                left.update({key: left[key] + Counter([value]) for key, value in held})
        return False

    return place(0, frozenset(range(len(persons))))


# faults


def change(connection, rnd):
    """One change of some kind to a release."""
    numbers = [row[0] for row in connection.execute("SELECT record_id FROM r").fetchall()]
    one, other = rnd.sample(numbers, 2)
    part = rnd.choice([1, 2, 3])
    column = list(PLACES)[part - 1]
    kind = rnd.choice(["rows", "bucket", "values", "value", "gender", "zip", "note", "withhold"])

    def swap(names):
        assignments = ", ".join(f"{name} = o.{name}" for name in names)
        connection.execute("CREATE OR REPLACE TEMP TABLE was AS FROM r")
        for mine, its in ((one, other), (other, one)):
            connection.execute(
                f"UPDATE r SET {assignments} FROM was AS o WHERE r.record_id = ? AND o.record_id = ?",
                [mine, its],
            )

    if kind == "rows":
        swap(SHOWN)
    elif kind == "bucket":
        swap(["disease_bucket"])
    elif kind in ("gender", "zip"):
        connection.execute(
            f"UPDATE r SET {kind} = (SELECT {kind} FROM r WHERE record_id = ?) WHERE record_id = ?",
            [one, other],
        )
    elif kind == "note":
        (
            swap(["note"])
            if rnd.random() < 0.5
            else connection.execute("UPDATE r SET note = 'a' WHERE record_id = ?", [one])
        )
    elif kind == "withhold":
        connection.execute(
            "UPDATE r SET age = NULL, age_lo = NULL, age_hi = NULL, "
            "age_bucket = (SELECT max(age_bucket) FROM r) WHERE record_id = ?",
            [one],
        )
    else:
        held = connection.execute(f"SELECT rowid, {column} FROM r__sensitive_{part}").fetchall()
        if len(held) > 1:
            (first, value), (second, its) = rnd.sample(held, 2)
            update = f"UPDATE r__sensitive_{part} SET {column} = ? WHERE rowid = ?"
            connection.execute(update, [its, first])
            if kind == "values":
                connection.execute(update, [value, second])


def judged(work):
    """Whether the release of a job holds against its source."""
    with work.target.published() as published:
        try:
            source, attributes = work.opened.source, work.counted.attributes
            sides = work.engine, published, work.policy, source, attributes
            with Link.between(*sides, roles=HARMLESS) as link:
                found = linking.against_source(link)
        except VerificationError:
            return False
    assert found.together and all(bucket.possible for bucket in found.buckets.values())
    return True


def test_the_judge_finds_what_a_naive_account_finds(tmp_path):
    """True releases pass, with NULL flags, widened and hidden cells among them; changed ones are
    refused exactly if a naive account of the conditions refuses them, and never if any assignment
    makes them true."""
    rnd, answers, hidden = random.Random(SEED), Counter(), 0
    for number in range(TABLES):
        folder = tmp_path / str(number)
        folder.mkdir()
        persons = people(8, rnd)
        policy = made(folder, persons, k=2, least=2, grouping=["mdp", "ncp"][number % 2])
        try:
            anonsql.run(policy)
        except PrivacyError:  # a value is too frequent among those who mind
            continue
        file, kept = folder / "release.duckdb", folder / "kept"
        shutil.copy(file, kept)
        with job(policy, folder / "judged", DIMENSIONS) as work:
            assert judged(work)
            hidden += any(row["age"] == "*" for row in read(folder)[0])
            for turn in range(CHANGES):
                shutil.copy(kept, file)
                with editing(file) as connection:
                    if turn:
                        change(connection, rnd)
                    else:  # what is false in every release: these are drawn by chance
                        connection.execute("UPDATE r SET note = 'z' WHERE record_id = 1")
                rows, buckets = read(folder)
                expected = conditions(persons, rows, buckets, 0)
                true = true_somehow(persons, rows, buckets)
                assert judged(work) == expected
                assert expected or not true
                answers[expected, true] += 1
    assert answers[False, False] and hidden


# faults of which plain verification knows nothing


OWN = [
    (
        f"n{number}",
        20 + number * 7 % 23,
        "FM"[number % 2],
        f"43{number % 3}{number * 7 % 20:02}",
        "abcdefg"[number % 7],
        (True, False, None, False)[number % 4],
        number % 3 == 0,
        f"own {number}",
    )
    for number in range(48)
]


def execute(policy, *statements):
    edit(policy.path("release.duckdb"), *statements)


def verified_alone(policy):
    """Plain verification passes, once numbers and what ``__about`` tells are mended to fit."""
    renumbered_release(policy.path("release.duckdb"))
    for _ in range(3):
        try:
            anonsql.verify(policy)
            return
        except VerificationError as error:
            matches = [
                re.match(r"__about states (\S+)=.*, the release and the policy (\S+)$", offence)
                for offence in error.offences
            ]
            assert all(matches), error.offences
        execute(
            policy,
            *(
                f"UPDATE r__about SET value = '{match[2]}' WHERE property = '{match[1]}'"
                for match in matches
            ),
        )
    anonsql.verify(policy)


def refused(policy, match):
    verified_alone(policy)
    with pytest.raises(VerificationError, match=match):
        anonsql.verify(policy, against_source=True)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A release by local in which every row has a note of its own."""
    folder = tmp_path_factory.mktemp("local")
    policy = made(folder, OWN, k=3, least=3)
    anonsql.run(policy)
    shutil.copy(folder / "release.duckdb", folder / "kept")
    found = anonsql.verify(policy, against_source=True).against_source
    assert found.with_kept_values and (found.originals, found.released) == (48, 48)
    assert all(bucket.possible for bucket in found.buckets.values())
    assert found.buckets["disease"].buckets == found.buckets["disease"].sensitive == 48
    assert found.buckets["age"].sensitive == 24 and found.buckets["zip"].sensitive == 16
    return policy, *read(folder)


@pytest.fixture
def local(released):
    """The same for a test that changes it."""
    yield released
    shutil.copy(released[0].path("kept"), released[0].path("release.duckdb"))


NO_ROW = (
    "released rows, with their kept values and those of their buckets, have no matching source row"
)


def test_two_rows_exchanged_between_groups(local):
    policy, rows, _ = local
    by_note = {item[7]: item for item in OWN}
    pairs = [
        (a, b)
        for a in rows
        for b in rows
        if a["gender"] == b["gender"]
        and a["age"]
        and b["age"]
        and a["zip"]
        and b["zip"]
        and a["age"] != "*" != b["age"]
        and not covers(b, "age", by_note[a["note"]][1])
    ]
    one, other = (entry["record_id"] for entry in pairs[0])
    assignments = ", ".join(f"{name} = o.{name}" for name in SHOWN)
    execute(
        policy,
        "CREATE TEMP TABLE was AS FROM r",
        f"UPDATE r SET {assignments} FROM was AS o WHERE r.record_id = {one} AND o.record_id = {other}",
        f"UPDATE r SET {assignments} FROM was AS o WHERE r.record_id = {other} AND o.record_id = {one}",
    )
    refused(policy, f"[12] {NO_ROW}")


def test_values_exchanged_between_buckets(local):
    policy, _, buckets = local
    one, other, value, its = next(
        (one, other, value, its)
        for one, held in buckets["disease"].items()
        for other, others in buckets["disease"].items()
        for value in held.keys() - others.keys()
        for its in others.keys() - held.keys()
    )
    table = "UPDATE r__sensitive_3 SET disease = '{}' WHERE disease_bucket = {} AND disease = '{}'"
    execute(policy, table.format(its, one, value), table.format(value, other, its))
    refused(policy, f"2 {NO_ROW}|2 values of 'disease' in buckets have no matching row there")


def test_a_kept_value_changed(local):
    policy, *_ = local
    execute(policy, "UPDATE r SET note = 'nobody''s' WHERE note = 'own 5'")
    refused(policy, "1 of 48 distinct values of 'note' match no value of the source")


def test_a_label_moved_to_a_sibling(local):
    policy, rows, _ = local
    label = next(row["zip"] for row in rows if row["zip"] and row["zip"] != "*")
    sibling = label[:2] + {"0": "1", "1": "2", "2": "0"}.get(label[2], label[2]) + label[3:]
    if sibling == label:  # no digit of the middle is shown
        sibling = "44" + label[2:]
    execute(policy, f"UPDATE r SET zip = '{sibling}' WHERE zip = '{label}'")
    verified_alone(policy)
    with pytest.raises(VerificationError, match=f"match no value of the source|{NO_ROW}"):
        anonsql.verify(policy, against_source=True)


def test_a_withheld_cell_of_people_who_do_not_mind(local):
    """Zip codes of a whole group in a new bucket, which nobody there had asked for."""
    policy, rows, _ = local
    by_note = {item[7]: item for item in OWN}
    groups = {row["group_id"] for row in rows if row["zip"] and row["zip"] != "*"}
    zips = {g: [(r, by_note[r["note"]][3]) for r in rows if r["group_id"] == g] for g in groups}
    group = next(g for g, found in zips.items() if len({value for _, value in found}) >= 3)
    withheld = Counter(value for _, value in zips[group])
    assert set(withheld.values()) == {1}
    values = ", ".join(f"(999, '{value}', 1)" for value in withheld)
    execute(
        policy,
        f"INSERT INTO r__sensitive_2 VALUES {values}",
        f"UPDATE r SET zip = NULL, zip_bucket = 999 WHERE group_id = {group}",
    )
    refused(policy, "values of 'zip' in buckets have no matching sensitive source cell")


def without(policy, rows):
    """Take the values of rows out of their buckets."""
    by_note = {item[7]: item for item in OWN}
    statements = []
    for row in rows:
        for part, (column, place) in enumerate(PLACES.items(), start=1):
            if row.get(f"{column}_bucket") is not None:
                value, bucket = by_note[row["note"]][place], row[f"{column}_bucket"]
                own = f"{column} = '{value}' AND {column}_bucket = {bucket}"
                statements.append(f"DELETE FROM r__sensitive_{part} WHERE {own}")
    execute(policy, *statements)


def test_a_cell_that_somebody_minds_is_generalized(local, tmp_path):
    """The other way round: taken out of its bucket and published. As * it tells nothing, and may be
    hidden."""
    policy, rows, _ = local
    group = next(row["group_id"] for row in rows if row["zip_bucket"] is not None)
    without(
        policy,
        [
            {"note": row["note"], "zip_bucket": row["zip_bucket"]}
            for row in rows
            if row["group_id"] == group
        ],
    )
    shown = f"UPDATE r SET zip_bucket = NULL, zip = '{{}}' WHERE group_id = {group}"
    with job(policy, tmp_path / "judged", DIMENSIONS) as work:
        execute(policy, shown.format("43***"))
        assert not judged(work)
        execute(policy, shown.format("*"))
        assert judged(work)


def test_rows_left_out_are_accounted_for(local, tmp_path):
    """Rows that were suppressed are of the source's left over, and no more values are missing than
    theirs."""
    policy, rows, _ = local
    group = [row for row in rows if row["group_id"] == rows[0]["group_id"]]
    with job(policy, tmp_path / "judged", DIMENSIONS) as work:
        execute(policy, f"DELETE FROM r WHERE group_id = {rows[0]['group_id']}")
        assert not judged(work)  # rows are missing that nothing tells of
        facts = f"UPDATE r__about SET value = '{len(group)}' WHERE property = 'suppressed'"
        execute(policy, facts)
        assert not judged(work)  # and buckets have values of rows that are not there
        without(policy, group)
        assert judged(work)


def test_too_much_to_be_told_is_no_refusal(local, monkeypatch):
    policy, *_ = local
    monkeypatch.setattr(linking, "MOST_PAIRS", 10)
    found = anonsql.verify(policy, against_source=True).against_source
    assert found.with_kept_values is None
    assert {bucket.possible for bucket in found.buckets.values()} == {None}
    execute(policy, "UPDATE r__sensitive_3 SET disease = 'zz' WHERE rowid = 0")
    with pytest.raises(
        VerificationError, match="1 values of 'disease' in buckets have no matching"
    ):
        anonsql.verify(policy, against_source=True)


def test_anatomy(tmp_path):
    policy = anatomy(tmp_path)
    anonsql.run(policy)
    found = anonsql.verify(policy, against_source=True).against_source
    assert found.with_kept_values and found.buckets["disease"].possible
    assert found.buckets["disease"].buckets == 60
    shutil.copy(tmp_path / "release.duckdb", tmp_path / "kept")
    apart_rows = rows_of(tmp_path / "kept", "FROM r__sensitive")
    one, other = next(
        ((g, v), (h, w))
        for g, v, n in apart_rows
        for h, w, m in apart_rows
        if v
        and w
        and v != w
        and n == m
        and (g, w) not in [apart_row[:2] for apart_row in apart_rows]
        and (h, v) not in [item[:2] for item in apart_rows]
    )
    table = "UPDATE r__sensitive SET disease = '{}' WHERE group_id = {} AND disease = '{}'"
    execute(policy, table.format(other[1], *one), table.format(one[1], *other))
    refused(policy, NO_ROW)
    for fault, match in {
        "UPDATE r SET id = -1 WHERE id = 7": "1 of 60 distinct values of 'id' match no value",
        "UPDATE r SET id = CASE id WHEN 7 THEN 8 WHEN 8 THEN 7 ELSE id END": NO_ROW,
    }.items():
        shutil.copy(tmp_path / "kept", tmp_path / "release.duckdb")
        execute(policy, fault)
        refused(policy, match)


# engines


def test_on_every_engine(engine):
    engine.make(TYPES, OWN)
    policy = policy_on(engine, data_of(k=3, least=3, columns=COLUMNS))
    anonsql.run(policy)
    found = anonsql.verify(policy, against_source=True).against_source
    assert found.with_kept_values and all(bucket.possible for bucket in found.buckets.values())
    assert found.buckets["age"].buckets == 24


@pytest.mark.parametrize("kind", ["local", "anatomy"])
def test_a_release_in_another_engine_than_its_source(tmp_path, kind):
    """Released values travel to where the source is; those of floats cannot be compared there."""
    server = Postgres(tmp_path)
    if kind == "local":
        server.make({**TYPES, "age": "DOUBLE"}, OWN)
        data = data_of(k=3, least=3)
    else:
        server.make(
            APART_TYPES, [(20 + n % 7, "mf"[n % 2], [None, "a", "b"][n % 3], n) for n in range(30)]
        )
        data = anatomy_of(columns=APART)
    data["source"] = server.places()[0]
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    found = anonsql.verify(policy, against_source=True).against_source
    assert found.with_kept_values and found.buckets["disease"].possible
    if kind == "local":
        assert found.buckets["age"].possible is None and found.buckets["zip"].possible
    part = "r__sensitive_3" if kind == "local" else "r__sensitive"
    value, fault = ("'a'", "'b'") if kind == "anatomy" else ("'a'", "'z'")
    execute(policy, f"UPDATE {part} SET disease = {fault} WHERE disease = {value}")
    with pytest.raises(VerificationError):
        anonsql.verify(policy, against_source=True)
