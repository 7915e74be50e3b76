"""Local generalization and bucketization: releases against a naive account of what they must keep,
and against the attacker that the paper supposes."""

import re
import shutil
from collections import Counter, defaultdict
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.features.check.command import check
from anonsql.jobs import pipeline, publishing
from anonsql.policy.policy import Policy
from anonsql.risks import weak_promises

from . import golden_values
from .engines import policy_on, whole_but_on_spark
from .examples import searches, whole_jobs
from .support import DATA, in_file, job, make_source, needs_data, policy_data, policy_in, rows_of
from .test_engines import WIDE_TYPES, wide_rows

TYPES = {
    "name": "VARCHAR",
    "age": "INTEGER",
    "gender": "VARCHAR",
    "zip": "VARCHAR",
    "disease": "VARCHAR",
    "age_private": "BOOLEAN",
    "zip_private": "BOOLEAN",
    "note": "VARCHAR",
}
COLUMNS = {
    "name": "identifying",
    "age": {"role": "semi-sensitive", "flag": "age_private"},
    "gender": {"role": "qi"},
    "zip": {
        "role": "semi-sensitive",
        "flag": "zip_private",
        "hierarchy": {"type": "mask", "length": 5},
    },
    "disease": "sensitive",
    "note": "insensitive",
}
# A table of the shape of the paper's Fig. 1: who minds whether age and zip code are known.
PEOPLE = [
    ("Alice", 27, "F", "43103", "flu", False, True, "1001"),
    ("Ann", 22, "F", "43105", "gastritis", False, True, "1002"),
    ("Carl", 31, "M", "43101", "pneumonia", True, False, "1003"),
    ("Mark", 24, "M", "43107", "pneumonia", True, False, "1004"),
    ("Bob", 34, "M", "43110", "bronchitis", True, False, "1005"),
    ("Dora", 41, "F", "43102", "flu", False, False, "1006"),
    ("Eve", 45, "F", "43109", "dyspepsia", False, False, "1007"),
    ("Tom", 29, "M", "43108", "dyspepsia", True, False, "1008"),
    ("Gus", 52, "M", "43104", "gastritis", True, True, "1009"),
    ("Hal", 38, "M", "43106", "flu", True, True, "1010"),
]


def data_of(k=2, least=2, columns=COLUMNS, limit=0.0, privacy=None, **method):
    data = policy_data(columns, k=k, limit=limit, method={"type": "local", **method})
    data["privacy"] |= (
        privacy
        if privacy is not None
        else {"l_diversity": dict.fromkeys(("age", "zip", "disease"), least)}
    )
    return data


def made(folder, rows=PEOPLE, **more):
    make_source(folder, TYPES, rows)
    return Policy.parse(data_of(**more), folder)


def read(folder):
    """A release's rows as mappings, and its buckets: {column: {bucket: Counter of values}}."""
    file = folder / "release.duckdb"
    names = [row[0] for row in rows_of(file, "DESCRIBE r")]
    rows = [dict(zip(names, row, strict=True)) for row in rows_of(file, "FROM r")]
    buckets = {}
    for number, column in enumerate(("age", "zip", "disease"), start=1):
        buckets[column] = defaultdict(Counter)
        for bucket, value, count in rows_of(file, f"FROM r__sensitive_{number}"):
            buckets[column][bucket][value] += count
    return rows, buckets


def covers(row, column, value):
    """Whether a released row's label of a column may stand for a value; nothing is covered by a
    cell that is withheld."""
    if row.get(f"{column}_bucket") is not None:
        return False
    label = row[column]
    if label is None or value is None or label == "*":
        return label == "*" or label is value
    if column == "age":
        return row["age_lo"] <= value <= row["age_hi"]
    return len(label) == len(value) and all(
        one in (other, "*") for one, other in zip(label, value, strict=True)
    )


def matching(rows, person, flags=(5, 6)):
    """The released rows that may be a person's, for an attacker who knows all quasi-identifying
    values of hers, and which of her cells she minds being known (Definition 11)."""
    private = {"age": person[flags[0]] is not False, "zip": person[flags[1]] is not False}
    found = []
    for row in rows:
        alike = covers(row, "gender", person[2])
        for column, value in (("age", person[1]), ("zip", person[3])):
            withheld = row[f"{column}_bucket"] is not None or row[column] == "*"
            alike &= withheld if private[column] else covers(row, column, value)
        found += [row] * alike
    return found


def keeps(people, rows, buckets, k, least):
    """All that is promised of a release of the table above, naively."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["group_id"]].append(row)
    names = ("age", "age_lo", "age_hi", "gender", "zip")
    for members in groups.values():
        assert len(members) >= k
        assert (
            len(
                {
                    (
                        *(member[name] for name in names),
                        member["age_bucket"] is None,
                        member["zip_bucket"] is None,
                    )
                    for member in members
                }
            )
            == 1
        )
    for column, by_bucket in buckets.items():
        assert Counter(
            row[f"{column}_bucket"] for row in rows if row[f"{column}_bucket"] is not None
        ) == {bucket: values.total() for bucket, values in by_bucket.items()}
        assert all(
            values.total() >= least and set(values.values()) == {1} for values in by_bucket.values()
        )
    by_note = {person[7]: person for person in people}
    assert sorted(row["record_id"] for row in rows) == list(range(1, len(rows) + 1))
    for row in rows:
        person = by_note[row["note"]]
        for column, minds in (("age", person[5] is not False), ("zip", person[6] is not False)):
            if row[f"{column}_bucket"] is not None:
                assert minds  # a bucket holds nothing that somebody does not mind being known
            elif minds:
                flag = {"age": 5, "zip": 6}[column]
                assert row[column] == "*" and any(
                    by_note[item["note"]][flag] is False for item in groups[row["group_id"]]
                )
        for column, value in (("age", person[1]), ("gender", person[2]), ("zip", person[3])):
            if row.get(f"{column}_bucket") is None:
                assert covers(row, column, value)
            else:
                assert row[column] is None and value in buckets[column][row[f"{column}_bucket"]]
        assert person[4] in buckets["disease"][row["disease_bucket"]]
    return groups


def test_the_story_of_the_paper(tmp_path):
    """Of the table as it is, whoever knows Mark's gender and zip code finds his row, age and
    disease (Fig. 1). Of the release he finds two rows or more, and several ages and diseases, none
    with more than 1/2 (Fig. 2). Buckets of age and of disease are made apart, and hold sensitive
    values alone (Fig. 4)."""
    anonsql.run(made(tmp_path))
    rows, buckets = read(tmp_path)
    keeps(PEOPLE, rows, buckets, 2, 2)
    mark = PEOPLE[3]
    assert sum(person[2:4] == mark[2:4] for person in PEOPLE) == 1
    found = matching(rows, mark)
    assert len(found) >= 2 and mark[7] in {row["note"] for row in found}
    for column, value in (("age", mark[1]), ("disease", mark[4])):
        values = Counter()
        for row in found:
            values.update(buckets[column][row[f"{column}_bucket"]])
        assert value in values and len(values) >= 2
    ages = Counter(value for values in buckets["age"].values() for value in values.elements())
    assert ages == Counter(person[1] for person in PEOPLE if person[5])
    assert {row["note"] for row in rows if row["age"] is None} == {
        person[7] for person in PEOPLE if person[5]
    }
    together = [
        {
            frozenset(row["note"] for row in rows if row[f"{column}_bucket"] == bucket)
            for bucket in buckets[column]
        }
        for column in ("age", "disease")
    ]
    assert together[0] != together[1]


people = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(20, 29)),
        st.sampled_from(["F", "M", None]),
        st.sampled_from(["43100", "43101", "43110", "43200", None]),
        st.sampled_from(["flu", "cold", "gout", "a", "b", None]),
        st.sampled_from([False, False, True, None]),
        st.sampled_from([False, False, True]),
    ),
    min_size=6,
    max_size=30,
).map(lambda rows: [(f"n{number}", *row, str(number)) for number, row in enumerate(rows)])


@whole_jobs
@given(
    people,
    st.integers(2, 4),
    st.integers(2, 3),
    st.sampled_from([{}, {"cut": "loss"}, {"grouping": "ncp"}]),
)
def test_releases_keep_what_is_promised(tmp_path_factory, rows, k, least, method):
    folder = tmp_path_factory.mktemp("local")
    policy = made(folder, rows, k=k, least=least, limit=0.9, **method)
    try:
        report = anonsql.run(policy)
    except PrivacyError as error:
        assert "rows have patterns of sensitive cells" in str(error) or "allows at most 1/" in str(
            error
        )
        return
    released, buckets = read(folder)
    groups = keeps(rows, released, buckets, k, least)
    assert report.classes == len(groups) and report.min_class == min(map(len, groups.values()))
    assert report.metrics["discernibility"] == sum(
        len(group) ** 2 for group in groups.values()
    ) + report.suppressed * len(rows)
    assert report.suppressed == len(rows) - len(released)
    assert report.metrics["ncp"] == pytest.approx(naive_ncp(rows, released))
    assert report.verified


def naive_ncp(people, rows):
    """Section 3.2.2 over the released cells: width by width of the domain, leaves under the
    ancestor by leaves of the hierarchy. The domains are those of the values that are somewhere
    quasi-identifying."""
    ages = {person[1] for person in people if person[5] is False} - {None}
    zips = {person[3] for person in people if person[6] is False}
    genders = {person[2] for person in people}
    lost = 0.0
    for row in rows:
        if row["age_bucket"] is None and row["age"] == "*":
            lost += 1
        elif row["age_bucket"] is None and row["age"] is not None and row["age_hi"] > row["age_lo"]:
            lost += (row["age_hi"] - row["age_lo"]) / (max(ages) - min(ages))
        for column, domain in (("zip", zips), ("gender", genders)):
            if (
                row.get(f"{column}_bucket") is None
                and row[column] is not None
                and "*" in row[column]
            ):
                lost += sum(covers(row, column, value) for value in domain) / len(domain)
    return lost


def test_nobody_is_linked_to_a_value_with_more_than_a_share_of_l(tmp_path):
    """Lemma 2: over the rows that may be a person's, each equally likely, and the values of their
    buckets."""
    rows = [
        (
            f"n{n}",
            20 + n * 7 % 23,
            "FM"[n % 2],
            f"431{n * 7 % 20:02}",
            "abcdefg"[n % 7],
            n % 3 == 0,
            n % 7 == 0,
            str(n),
        )
        for n in range(90)
    ]
    for least in (2, 4):
        (tmp_path / str(least)).mkdir()
        anonsql.run(made(tmp_path / str(least), rows, k=3, least=least))
        released, buckets = read(tmp_path / str(least))
        for person in rows:
            found = matching(released, person)
            assert len(found) >= 3
            for column in ("age", "zip", "disease"):
                chances = Counter()
                for row in found:
                    if row[f"{column}_bucket"] is not None:
                        values = buckets[column][row[f"{column}_bucket"]]
                        for value, count in values.items():
                            chances[value] += Fraction(count, values.total() * len(found))
                assert all(chance <= Fraction(1, least) for chance in chances.values())


# Algorithm 3, by hand


def naive_mdp(cells, k):
    """Parts of rows (tuples of numbers, None where withheld): along the widest attribute at the
    place nearest the median that leaves k rows on both sides, else along the next one."""
    attributes = range(len(cells[0]))
    domain = [sorted({cell[a] for cell in cells} - {None}) for a in attributes]
    spread = [(item[-1] - item[0]) or 1 if item else 1 for item in domain]

    def cut(part):
        widths = []
        for a in attributes:
            values = [cell[a] for cell in part]
            if values[0] is not None and max(values) > min(values):
                widths.append((-(max(values) - min(values)) / spread[a], a))
        for _, a in sorted(widths):
            best = None
            for place in sorted({cell[a] for cell in part})[:-1]:
                below = sum(cell[a] <= place for cell in part)
                if min(below, len(part) - below) >= k and (
                    best is None or abs(len(part) - 2 * below) < best[0]
                ):
                    best = (abs(len(part) - 2 * below), place)
            if best:
                sides = [[c for c in part if c[a] <= best[1]], [c for c in part if c[a] > best[1]]]
                return [leaf for side in sides for leaf in cut(side)]
        return [part]

    patterns = defaultdict(list)
    for cell in cells:
        patterns[tuple(value is None for value in cell)].append(cell)
    return [leaf for part in patterns.values() for leaf in cut(part)]


@searches
@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 7), st.booleans()), min_size=4, max_size=40
    ),
    st.integers(2, 4),
)
def test_medians_are_cut_as_algorithm_3_does(tmp_path_factory, rows, k):
    folder = tmp_path_factory.mktemp("mdp")
    make_source(folder, {"a": "INTEGER", "b": "INTEGER", "hide": "BOOLEAN"}, rows)
    cells = [(a, None if hide else b) for a, b, hide in rows]
    patterns = Counter(hide for *_, hide in rows)
    if min(patterns.values()) < k:
        return  # widening is tested elsewhere
    columns = {"a": {"role": "qi"}, "b": {"role": "semi-sensitive", "flag": "hide"}}
    with (
        pytest.MonkeyPatch.context() as patch,
        job(
            policy_in(
                folder,
                columns,
                k=k,
                method={"type": "local", "grouping": "mdp"},
                privacy={"t_closeness": {"b": 0.9}},
            ),
            folder,
            pipeline.OPEN,
        ) as done,
    ):
        patch.setattr(weak_promises, "too_weak", lambda *_: ([], []))  # groups alone are looked at
        pipeline.go_through(done, pipeline.CHOOSE)
        found = done.engine._connection.execute("SELECT n, v1, v2 FROM groups").fetchall()

    def label(values):
        least, most = (None, None) if values[0] is None else (min(values), max(values))
        return None if least is None else str(least) if least == most else f"[{least},{most}]"

    expected = [
        (len(part), label([c[0] for c in part]), label([c[1] for c in part]))
        for part in naive_mdp(cells, k)
    ]
    assert Counter(found) == Counter(expected)


# outcomes


def test_a_column_that_is_not_eligible(tmp_path):
    rows = [
        (*person[:4], "flu" if number < 8 else "gout", *person[5:])
        for number, person in enumerate(PEOPLE)
    ]
    with pytest.raises(PrivacyError) as error:
        anonsql.run(made(tmp_path, rows))
    message = str(error.value)
    assert [problem.where for problem in check(Policy.parse(data_of(), tmp_path)).problems] == [
        "privacy.l_diversity.disease"
    ]
    assert (
        "privacy.l_diversity.disease" in message
        and "8 of 10" in message
        and "t_closeness" in message
        and "'flu'" not in message
    )
    assert not (tmp_path / "release.duckdb").exists()


def test_sensitive_cells_unlike_the_column_are_refused(tmp_path):
    """Two of forty mind, and both have the same: any bucket of theirs would tell it, whatever the
    promise."""
    rows = [(n % 4 == 0, n < 2, n % 3) for n in range(40)]
    make_source(
        tmp_path,
        {"ill": "BOOLEAN", "hide": "BOOLEAN", "age": "INTEGER"},
        [(True, True, 1), (True, True, 1), *rows[2:]],
    )
    data = policy_data(
        {"ill": {"role": "semi-sensitive", "flag": "hide"}, "age": "qi"},
        k=2,
        method={"type": "local"},
    )
    for promise, message in (
        ({"t_closeness": {"ill": 0.2}}, "differ from the whole column by more than t=0.2"),
        ({"l_diversity": {"ill": 2}}, "allows at most 1/2"),
    ):
        with pytest.raises(PrivacyError, match=message):
            anonsql.run(Policy.parse({**data, "privacy": {**data["privacy"], **promise}}, tmp_path))


def test_who_minds_most_is_not_left_out(tmp_path):
    """Two of ten people mind age and zip code; with k=3 they can form no group, and nobody minds
    more: one of the four who mind their age alone is lent to them, and the zip code of all three is
    hidden."""
    people = [(*person[:6], person[6] and person[2] == "M", person[7]) for person in PEOPLE]
    policy = made(tmp_path, people, k=3)
    assert check(policy).problems == []
    lent = Counter()
    for _ in range(12):
        report = anonsql.run(policy)
        rows, buckets = read(tmp_path)
        assert (report.suppressed, report.released) == (0, 10)
        assert (report.withheld["age"].widened, report.withheld["zip"].widened) == (0, 1)
        assert report.withheld["zip"].hidden == 3
        hidden = {row["note"] for row in rows if row["zip"] == "*"}
        assert {"1009", "1010"} < hidden
        lent.update(hidden - {"1009", "1010"})
        keeps(people, rows, buckets, 3, 2)
        anonsql.verify(policy)
    assert set(lent) <= {"1003", "1004", "1005", "1008"} and len(lent) > 1  # 4 ** -11 of being one


def test_fewer_rows_than_k_are_nobodys_group(tmp_path):
    with pytest.raises(PrivacyError, match=r"the source has 10 rows, fewer than k=11"):
        anonsql.run(made(tmp_path, k=11))


def test_patterns_are_widened(tmp_path):
    """Alice alone minds her zip code: she goes with those who mind both, and the age of all of them
    is hidden."""
    rows = [(*person[:6], person[6] and person[0] != "Ann", person[7]) for person in PEOPLE]
    report = anonsql.run(made(tmp_path, rows, k=3))
    released, buckets = read(tmp_path)
    keeps(rows, released, buckets, 3, 2)
    withheld = report.withheld
    assert (
        withheld["age"].cells,
        withheld["age"].hidden,
        withheld["age"].widened,
        withheld["zip"].cells,
        withheld["zip"].hidden,
    ) == (4, 3, 1, 3, 0)
    hidden = [row for row in released if row["age"] == "*"]
    assert {row["note"] for row in hidden} == {"1001", "1009", "1010"} and {
        row["age_bucket"] for row in hidden
    } == {None}


def test_who_does_not_mind_is_not_known_by_it(tmp_path):
    """Bob does not mind his age, which everybody knows then: he is not found by it among those who
    do, nor are they."""
    rows = [
        ("Bob", 30, "F", False),
        ("b", 65, "F", True),
        ("c", 70, "F", True),
        ("d", 41, "M", True),
        ("e", 52, "M", True),
    ]
    make_source(
        tmp_path, {"name": "VARCHAR", "age": "INTEGER", "sex": "VARCHAR", "hide": "BOOLEAN"}, rows
    )
    age = {"role": "semi-sensitive", "flag": "hide"}
    columns = {"name": "identifying", "age": age, "sex": "qi"}
    privacy = {"l_diversity": {"age": 2}}
    anonsql.run(policy_in(tmp_path, columns, method={"type": "local"}, privacy=privacy))
    file = tmp_path / "release.duckdb"
    assert Counter(rows_of(file, "SELECT sex, age, age_bucket IS NULL FROM r")) == {
        ("F", "*", True): 3,
        ("M", None, False): 2,
    }
    assert sorted(row[1] for row in rows_of(file, "FROM r__sensitive_1")) == [41, 52]


@pytest.mark.parametrize("private", [True, False, None])
def test_everybody_minds_or_nobody_does(tmp_path, private):
    """NULL is nobody's consent: what nobody knows of is withheld."""
    rows = [(*person[:5], private, private, person[7]) for person in PEOPLE]
    report = anonsql.run(made(tmp_path, rows, k=3))
    released, buckets = read(tmp_path)
    keeps(rows, released, buckets, 3, 2)
    withheld = 0 if private is False else len(PEOPLE)
    assert {row["age"] is None for row in released} == {private is not False}
    assert report.withheld["age"].cells == withheld and report.withheld["age"].unknown == (
        len(PEOPLE) if private is None else 0
    )
    assert bool(buckets["zip"]) == (private is not False)
    assert anonsql.verify(Policy.parse(data_of(k=3), tmp_path)).status == "verified"


def test_nothing_is_left_to_generalize(tmp_path):
    """Every quasi-identifying cell of everybody is withheld: one group of all."""
    make_source(tmp_path, {"age": "INTEGER", "hide": "BOOLEAN"}, [(n, True) for n in range(6)])
    columns = {"age": {"role": "semi-sensitive", "flag": "hide"}}
    privacy = {"l_diversity": {"age": 3}}
    report = anonsql.run(policy_in(tmp_path, columns, method={"type": "local"}, privacy=privacy))
    assert (report.classes, report.min_class, report.metrics["ncp"]) == (1, 6, 0)


def test_a_condition_says_who_minds(tmp_path):
    columns = {
        **COLUMNS,
        "age": {"role": "semi-sensitive", "sensitive_when": "gender = 'M' OR Age > 40"},
        "zip": {
            "role": "semi-sensitive",
            "sensitive_when": "zip_private",
            "hierarchy": {"type": "mask", "length": 5},
        },
        "age_private": "identifying",
        "zip_private": "identifying",
    }
    policy = made(tmp_path, columns=columns)
    anonsql.run(policy)
    rows, _ = read(tmp_path)
    withheld = {row["note"] for row in rows if row["age"] is None}
    assert withheld == {person[7] for person in PEOPLE if person[2] == "M" or person[1] > 40}
    warnings = check(policy).warnings
    assert [
        warning.where
        for warning in warnings
        if "learns what the condition says about age" in warning.message
    ] == ["columns.age.sensitive_when"]


def test_a_changed_mind_is_a_change(tmp_path):
    """Flags are not released, and the release depends on them all the same."""
    policy = made(tmp_path)
    assert [anonsql.run(policy, if_changed=True).status for _ in range(2)] == [
        "published",
        "unchanged",
    ]
    in_file(tmp_path / "source.duckdb", "UPDATE t SET name = 'Someone' WHERE name = 'Ann'")
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    in_file(tmp_path / "source.duckdb", "UPDATE t SET age_private = TRUE WHERE note = '1006'")
    assert anonsql.run(policy, if_changed=True).status == "published"
    assert {row["age"] for row in read(tmp_path)[0] if row["note"] == "1006"} <= {None, "*"}


def _conditioned(data, text):
    data["columns"]["age"] = {
        "role": "semi-sensitive",
        "sensitive_when": text,
        "hierarchy": {"type": "suppression"},
    }
    data["columns"].update(age_private={"role": "identifying"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda data: data["columns"]["age"].update(flag="note"),
            "columns.age.flag: a flag is never released",
        ),
        (
            lambda data: data["columns"]["age"].update(flag="name"),
            "columns.name: it is VARCHAR, and a flag must be boolean",
        ),
        (
            lambda data: data["columns"]["age"].update(flag="nobody"),
            "columns.age.flag: the source has no column 'nobody'",
        ),
        (
            lambda data: _conditioned(data, "disease = 'flu'"),
            "a reader who sees that 'age' is withheld would learn what the condition says about disease",
        ),
        (
            lambda data: _conditioned(data, "age > 'abc'"),
            "columns.age.sensitive_when: the source does not accept this condition",
        ),
        (
            lambda data: _conditioned(data, "name LIKE 'x\\_%'"),
            "LIKE supports only a quoted pattern without a backslash",
        ),
        (
            lambda data: data["columns"]["age"].pop("flag"),
            "columns.age: a semi-sensitive column needs either `flag",
        ),
        (
            lambda data: data["columns"]["age"].update(sensitive_when="TRUE"),
            "columns.age: a semi-sensitive column needs either `flag",
        ),
        (
            lambda data: data["columns"]["gender"].update(flag="age_private"),
            "columns.gender: flag: only semi-sensitive columns",
        ),
        (
            lambda data: data["privacy"]["l_diversity"].pop("zip"),
            "needs either l_diversity or t_closeness",
        ),
        (lambda data: data["privacy"].update(t_closeness={"zip": 0.2}), "'zip' has both"),
        (
            lambda data: data["privacy"].update(alpha_k={"zip": 0.2}),
            "privacy.alpha_k.zip: local keeps only l_diversity or t_closeness",
        ),
        (
            lambda data: data["privacy"].update(entity="note"),
            "privacy.entity: local cannot keep this",
        ),
        (
            lambda data: data["privacy"]["l_diversity"].update(zip={"l": 2, "type": "entropy"}),
            "privacy.l_diversity.zip.type",
        ),
        (
            lambda data: data.update(method={"type": "mondrian"}),
            "columns.age.role: semi-sensitive columns need `method: {type: local}`",
        ),
        (lambda data: data["release"].update(suppressed="mask"), "release.suppressed: found mask"),
        (
            lambda data: data["columns"]["age"].update(max_level=1),
            "min_level and max_level have no effect with local",
        ),
        (
            lambda data: data["method"].update(grouping="ncp", cut="median"),
            "only `grouping: mdp` cuts",
        ),
        (
            lambda data: data["columns"].update(age_private={"role": "sensitive"}),
            "columns.age.flag: a flag is never released",
        ),
    ],
)
def test_policies_that_make_no_sense(tmp_path, change, message):
    make_source(tmp_path, TYPES, PEOPLE)
    data = data_of(
        columns={**COLUMNS, "age": dict(COLUMNS["age"]), "gender": dict(COLUMNS["gender"])}
    )
    for name in ("gender", "age"):
        data["columns"][name].setdefault("hierarchy", {"type": "suppression"})
    change(data)
    with pytest.raises(PolicyError, match=re.escape(message)):
        anonsql.run(Policy.parse(data, tmp_path))


def test_a_mask_of_whole_numbers(tmp_path):
    """Numbers are released as ranges with bounds, whatever hierarchy they have."""
    make_source(
        tmp_path,
        {"zip": "INTEGER", "hide": "BOOLEAN"},
        [(10100 + n, n % 3 == 0) for n in range(30)],
    )
    columns = {
        "zip": {
            "role": "semi-sensitive",
            "flag": "hide",
            "hierarchy": {"type": "mask", "length": 5},
        }
    }
    method, privacy = {"type": "local", "grouping": "mdp"}, {"l_diversity": {"zip": 3}}
    report = anonsql.run(policy_in(tmp_path, columns, k=4, method=method, privacy=privacy))
    assert report.classes == 5  # one of who mind, and four of five


def test_names_that_clash(tmp_path):
    make_source(
        tmp_path,
        {"a": "INTEGER", "a_bucket": "INTEGER", "Record_ID": "INTEGER", "hide": "BOOLEAN"},
        [(1, 1, 1, True)] * 4,
    )
    columns = {
        "a": {"role": "semi-sensitive", "flag": "hide"},
        "a_bucket": "insensitive",
        "Record_ID": "insensitive",
    }
    data = policy_data(columns, k=2, method={"type": "local"}, privacy={"t_closeness": {"a": 0.5}})
    with pytest.raises(PolicyError) as error:
        anonsql.run(Policy.parse(data, tmp_path))
    assert "'a_bucket' would have the same name" in str(
        error.value
    ) and "'record_id' would have the same name" in str(error.value)


# a release


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    anonsql.run(made(folder))
    return folder


@pytest.mark.parametrize(
    ("statement", "offence"),
    [
        (
            "UPDATE r SET group_id = NULL WHERE record_id = 3",
            "1 rows have no number, or no group",
        ),
        ("UPDATE r SET record_id = 3 WHERE record_id = 4", "1 rows have no number, or no group"),
        (
            "UPDATE r SET record_id = 11 WHERE record_id = 3",
            "1 rows have a number that is not between 1 and the number of rows",
        ),
        (
            "UPDATE r SET record_id = 1 - record_id WHERE record_id < 3",
            "2 rows have a number that is not between 1",
        ),
        (
            "UPDATE r SET age_hi = 20 WHERE note IN ('1004', '1006')",
            "1 rows have bounds of a value that is in a bucket",
        ),
        (
            (
                "UPDATE r SET age_lo = 20 WHERE group_id = (SELECT group_id FROM r WHERE note ="
                " '1004')"
            ),
            "rows have bounds of a value",
        ),
        (
            "UPDATE r SET group_id = 77 WHERE record_id = 3",
            "groups with 2 rows are smaller than k=2",
        ),
        ("UPDATE r SET gender = 'X' WHERE record_id = 3", "1 groups have rows that differ"),
        (
            "UPDATE r SET age = '20', age_lo = 20, age_hi = 20 WHERE note = '1004'",
            "have no age_bucket, or have a value in addition to it",
        ),
        ("UPDATE r SET disease_bucket = NULL WHERE record_id = 3", "1 rows have no disease_bucket"),
        (
            "UPDATE r SET disease_bucket = 99 WHERE record_id = 3",
            "1 rows have a disease_bucket that the table of buckets lacks",
        ),
        (
            "UPDATE r__sensitive_3 SET disease = 'flu'",
            "pairs of disease_bucket and value occur in the table of buckets more than once",
        ),
        (
            "UPDATE r__sensitive_3 SET count = 2",
            "have a different number of rows than their values",
        ),
        ("DROP TABLE r__sensitive_2", "no table __sensitive_2"),
        ("DROP VIEW r__expanded", "there is no __expanded"),
        ("ALTER TABLE r ADD COLUMN disease VARCHAR", "the sensitive column 'disease' is next to"),
        ("ALTER TABLE r DROP COLUMN group_id", "missing: group_id"),
        (
            "ALTER TABLE r__sensitive_1 ADD COLUMN name VARCHAR",
            "has the columns age_bucket, age, count, name",
        ),
        ("UPDATE r__about SET value = '9' WHERE property = 'classes'", "__about states classes=9"),
    ],
)
def test_a_corrupted_release_is_refused(released, tmp_path, statement, offence):
    shutil.copy(released / "release.duckdb", tmp_path)
    in_file(tmp_path / "release.duckdb", statement)
    with pytest.raises(VerificationError, match=re.escape(offence)):
        anonsql.verify(Policy.parse(data_of(), tmp_path))


def refused_by_source(monkeypatch, policy, folder, stage, offence):
    """A run with another stage in the place of :func:`pipeline.stage` is refused by the source,
    where nobody looks at the release alone."""
    monkeypatch.setattr(publishing, "prove", lambda *_, **__: SimpleNamespace(classes=None))
    stages = (*pipeline.OPEN, *pipeline.CHOOSE, stage, pipeline.verify_release)
    with (
        pytest.raises(VerificationError, match=re.escape(offence)),
        job(policy, folder, stages),
    ):
        pass


@pytest.mark.parametrize(
    ("table", "change", "offence"),
    [
        ("local_rows", "s11 = 'x' WHERE s11 = 'flu'", "are not the source's"),
        ("local_rows", "group_id = 5 - group_id", "those that were divided into buckets"),
        (
            "bucketed",
            "b4 = 3 - b4 WHERE b4 IN (1, 2)",
            "are not those with their groups and buckets",
        ),
        ("groups", "v2 = 'F'", "1 value of 'gender' is outside its label"),
        (
            "groups",
            "v1 = '30' WHERE v1 IS NULL",
            "1 value of 'age' is outside its label",
        ),
        ("both", "grp = 1 - grp, group_id = 1 - group_id", "are in the wrong group"),
        ("both", "group_id = 1", "groups and their numbers do not correspond"),
        ("local_rows", "w4 = 0", "rows have a cell in a bucket or withheld that should not be"),
        ("patterns", "f1 = 0", "patterns are released with a cell that is sensitive"),
    ],
)
def test_what_is_not_the_source_is_not_published(tmp_path, monkeypatch, table, change, offence):
    """A fault of the method itself, after the rows were dealt, or before: the source tells."""
    policy, stage = made(tmp_path), pipeline.stage

    def faulty(done):
        marks = {item.name: item.index for item in done.counted.marks.bucketized}
        text = (
            change.replace("s11", f"s{marks['disease']}")
            .replace("b4", f"b{marks['age']}")
            .replace("w4", f"w{marks['age']}")
        )
        if table == "both":
            text = text.replace("1 - grp", "(SELECT max(grp) + min(grp) FROM local_rows) - grp")
        pipeline.go_through(done, (stage,))
        for word in ("local_rows", "bucketed") if table == "both" else (table,):
            done.engine._connection.execute(f"UPDATE {word} SET {text}")

    refused_by_source(monkeypatch, policy, tmp_path, faulty, offence)


@pytest.mark.parametrize(
    ("table", "change", "offence"),
    [
        (
            "groups",
            "v3 = NULL WHERE v3 = '*'",
            "withheld cells that are neither sensitive nor hidden",
        ),
        ("local_rows", "pattern = 0, lent = 0 WHERE lent = 1", "are not the source's"),
        ("local_rows", "s5 = '99999' WHERE lent = 1", "are not the source's"),
        ("local_rows", "lent = 0 WHERE lent = 1", "or withheld that should not be"),
        ("local_rows", "lent = 1 WHERE pattern = 1", "or withheld that should not be"),
        ("patterns", "f1 = 0 WHERE lent = 1", "are released with a cell that is sensitive"),
    ],
)
def test_rows_are_lent_as_they_should_be(tmp_path, monkeypatch, table, change, offence):
    people = [(*person[:6], person[6] and person[2] == "M", person[7]) for person in PEOPLE]
    policy, stage = made(tmp_path, people, k=3), pipeline.stage

    def faulty(done):
        zipped = next(item.index for item in done.counted.marks.bucketized if item.name == "zip")
        pipeline.go_through(done, (stage,))
        text = change.replace("s5", f"s{zipped}")
        done.engine._connection.execute(f"UPDATE {table} SET {text}")

    refused_by_source(monkeypatch, policy, tmp_path, faulty, offence)


@whole_but_on_spark
def test_on_every_engine(engine, whole):
    """The same promises, the same groups."""
    engine.make(TYPES, PEOPLE)
    columns = {
        **COLUMNS,
        "zip": {
            "role": "semi-sensitive",
            "sensitive_when": "zip_private = TRUE OR LOWER(gender) = 'x'",
            "hierarchy": {"type": "suppression"},
        },
    }
    columns["zip_private"] = "identifying"
    data = data_of(
        columns=columns,
        privacy={"l_diversity": {"age": 2, "disease": 2}, "t_closeness": {"zip": 0.8}},
    )
    policy = policy_on(engine, data)
    report = anonsql.run(policy)
    assert (report.released, report.suppressed, report.classes, report.min_class) == (10, 0, 5, 2)
    assert anonsql.verify(policy).classes == 5
    rows = engine.read()
    assert {row[6] for row in rows} <= {"F", "M", "*"} and len(rows) == 10
    assert sum(row[2] is None for row in engine.read("r__sensitive_1")) == 0
    assert {row[0] for row in engine.read("r__expanded")} == set(range(1, 11))
    if not whole:
        return
    assert anonsql.run(policy).classes == 5
    data["privacy"]["k"] = 3  # who minds both is lent a row
    lent = anonsql.run(policy_on(engine, data))
    assert (lent.suppressed, lent.min_class) == (0, 3) and sum(
        item.widened for item in lent.withheld.values()
    )


@pytest.mark.parametrize("method", [{}, {"cut": "loss"}, {"grouping": "ncp"}], ids=str)
def test_every_kind_of_value(engine, method):
    """Each kind of column in each role; the same groups on every engine."""
    engine.make(WIDE_TYPES, wide_rows(120, seed=4))
    semi = {
        name: {"role": "semi-sensitive", "sensitive_when": "big > 0 OR note < 'm'"}
        for name in ("x", "moment", "word")
    }
    semi |= {name: {"role": "semi-sensitive", "flag": "flag"} for name in ("n", "amount", "day")}
    columns = {
        name: semi.get(name, "sensitive" if name == "code" else "qi")
        for name in WIDE_TYPES
        if name not in ("flag", "note")
    }
    data = policy_data(
        {**columns, "note": "insensitive"}, k=4, limit=0.5, method={"type": "local", **method}
    )
    data["privacy"]["t_closeness"] = dict.fromkeys((*semi, "code"), 0.6)
    policy = policy_on(engine, data)
    report = anonsql.run(policy)
    assert report.min_class >= 4 and anonsql.verify(policy).classes == report.classes
    golden_values.check(
        f"local {method}",
        metrics=report.metrics,
        classes=report.classes,
        suppressed=report.suppressed,
        withheld=report.withheld,
        columns=sorted(engine.read("r__columns"), key=str),
    )


@needs_data
def test_on_real_rows(tmp_path):
    """The survey's rows, with a fifth of their cells sensitive, by a condition that has nothing to
    do with them."""
    in_file(
        tmp_path / "source.duckdb",
        f"""CREATE TABLE t AS SELECT SEX::VARCHAR AS sex, try_cast(AGEP AS INTEGER) AS age, MSP AS marital, RAC1P AS race, EDU AS education,
        INDP AS industry, try_cast(PINCP AS DOUBLE) AS income, row_number() OVER () AS id
        FROM read_csv('{DATA / "acs" / "acs_national2019.csv"}', all_varchar = true)""",
        "CREATE TABLE u AS SELECT *, hash(id, 1) % 5 = 0 AS p1, hash(id, 2) % 5 = 0 AS p2, hash(id,"
        " 3) % 5 = 0 AS p3 FROM t",
        "DROP TABLE t; ALTER TABLE u RENAME TO t; ALTER TABLE t DROP id",
    )
    columns = {
        "sex": {"role": "semi-sensitive", "flag": "p1"},
        "age": {"role": "semi-sensitive", "flag": "p2"},
        "industry": {"role": "semi-sensitive", "flag": "p3"},
        **{name: {"role": "qi"} for name in ("marital", "race", "education")},
        "income": "sensitive",
    }
    data = policy_data(columns, k=10, method={"type": "local"})
    data["privacy"] |= {
        "l_diversity": {"age": 8, "income": 5},
        "t_closeness": {"sex": 0.2, "industry": 0.3},
    }
    report = anonsql.run(Policy.parse(data, tmp_path))
    assert report.suppressed == 0 and report.min_class >= 10
    assert 0.15 < report.withheld["age"].cells / report.records < 0.25
