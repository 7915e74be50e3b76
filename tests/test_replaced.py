"""The warning of a second run: what a release and the one that it replaces tell together, against
naive Python."""

import random
from collections import Counter, defaultdict

import pytest

import anonsql
from anonsql.policy.policy import Policy
from anonsql.risks import replaced
from anonsql.version import __version__

from .engines import Postgres, SQLite, policy_on
from .support import (
    cli,
    in_file,
    make_source,
    opened,
    policy_data,
    policy_over,
    released_rows,
    write_data,
)

TYPES = {"age": "INTEGER", "zip": "VARCHAR", "sex": "VARCHAR", "ill": "VARCHAR"}
COLUMNS = {
    "age": {"type": "interval", "widths": [5, 10, 20]},
    "zip": {"type": "mask", "length": 3},
    "sex": {"type": "suppression"},
    "ill": "sensitive",
}
HEIGHTS = {"age": 4, "zip": 3, "sex": 1}
WIDTHS = {1: 5, 2: 10, 3: 20}


def label(name, value, level):
    """A value's label at a level."""
    if level == HEIGHTS[name]:
        return "*"
    if value is None or level == 0:
        return None if value is None else str(value)
    if name == "age":
        least = value // WIDTHS[level] * WIDTHS[level]
        return f"[{least},{least + WIDTHS[level]})"
    return value[:-level] + "*" * level


def raised(name, word, lower, higher):
    """A label at a higher level."""
    if lower == higher:
        return word
    if word in (None, "*"):
        return "*" if higher == HEIGHTS[name] else word
    if name == "age":
        return label(name, int(word.strip("[").split(",")[0]), higher)
    return label(name, word, higher)


def expected(old, new, k):
    """What two releases tell, one row at a time; each is (levels, rows of labels)."""
    names = list(HEIGHTS)
    higher = {name: max(old[0][name], new[0][name]) for name in names}
    sizes, inner = [], []
    for levels, rows in (old, new):
        count, within = Counter(), defaultdict(set)
        for row in rows:
            pairs = zip(names, row, strict=True)
            cell = tuple(raised(name, word, levels[name], higher[name]) for name, word in pairs)
            count[cell] += 1
            within[cell].add(row)
        sizes.append(count)
        inner.append(within)
    rows = classes = cut = 0
    for cell in set(sizes[0]) | set(sizes[1]):
        apart = abs(sizes[0][cell] - sizes[1][cell])
        if 0 < apart < k:
            rows, classes = rows + apart, classes + 1
        if len(inner[0][cell]) > 1 and len(inner[1][cell]) > 1:
            cut += len(inner[1][cell])
    return rows, classes, cut, sum(map(len, inner[1].values()))


def labels_at_hand(people, old, new):
    """Whether the table has every label that is rolled up."""
    for place, name in enumerate(HEIGHTS):
        lower, higher = old[0][name], new[0][name]
        if lower < higher < HEIGHTS[name]:
            there = {label(name, person[place], lower) for person in people}
            if {row[place] for row in old[1]} - there - {None, "*"}:
                return False
    return True


def policy_of(folder, levels=None, k=4, limit=0.6, **more):
    data = policy_data(COLUMNS, k=k, limit=limit, **more)
    for name, level in (levels or {}).items():
        data["columns"][name] |= {"min_level": level, "max_level": level}
    return data


def put(folder, people):
    (folder / "source.duckdb").unlink(missing_ok=True)
    make_source(folder, TYPES, people)


def someone(rnd):
    ages, codes = [*range(20, 52, 3), None], ["430", "431", "438", "521", None]
    return (rnd.choice(ages), rnd.choice(codes), rnd.choice("fm"), rnd.choice("abc"))


def of_over_time(report):
    return [warning for warning in report.warnings if warning.where == "privacy.over_time"]


@pytest.fixture
def told(monkeypatch):
    """What comparisons found, in their order."""
    found, warning = [], replaced.warning

    def keeping(each, k):
        found.append(each)
        return warning(each, k)

    monkeypatch.setattr(replaced, "warning", keeping)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_what_two_releases_tell_is_what_naive_python_finds(tmp_path, told, seed):
    rnd = random.Random(seed)
    people = [someone(rnd) for _ in range(80)]
    before, seen = None, Counter()
    for _ in range(9):
        rnd.shuffle(people)
        people = people[rnd.randrange(8) :] + [someone(rnd) for _ in range(rnd.randrange(8))]
        put(tmp_path, people)
        keep = before is not None and rnd.random() < 0.3
        levels = before[0] if keep else {n: rnd.randint(0, h) for n, h in HEIGHTS.items()}
        data = policy_of(tmp_path, levels, limit=0.95)
        data["release"]["suppressed"] = rnd.choice(["mask", "remove"])
        try:
            report = anonsql.run(Policy.parse(data, tmp_path))
        except anonsql.errors.PrivacyError:
            continue
        rows = released_rows(tmp_path, "SELECT age, zip, sex FROM r")
        now = (levels, rows)
        if before is None:
            assert told == [] and not of_over_time(report)
        else:
            found = told.pop()
            wanted = expected(before, now, 4)
            if labels_at_hand(people, before, now):
                assert (found.rows, found.classes, found.cut, found.of) == wanted
                warned = bool(wanted[0] or wanted[2])
            else:
                assert not found.known
                warned = True
            assert len(of_over_time(report)) == warned
            seen[found.rows > 0, found.cut > 0, before[0] == levels] += 1
        before = now
    assert len(seen) > 2, "every kind of comparison comes up"


def test_the_warning_says_how_many_rows_and_what_to_do(tmp_path):
    people = [(20 + n % 20, "430", "fm"[n % 2], "a") for n in range(200)]
    put(tmp_path, people)
    policy = Policy.parse(policy_of(tmp_path, {"age": 3, "zip": 3, "sex": 0}), tmp_path)
    assert not of_over_time(anonsql.run(policy))
    assert not of_over_time(anonsql.run(policy)), "nothing has changed"
    put(tmp_path, [*people, (25, "430", "f", "b"), (26, "430", "f", "b"), (25, "430", "m", "c")])
    assert not of_over_time(anonsql.run(policy, dry_run=True))
    report = anonsql.run(policy)
    (warning,) = of_over_time(report)
    assert warning.message == (
        "3 rows can be distinguished by comparing this release with the earlier one: 2 classes"
        " grew or shrank by fewer than k=4."
    )
    assert "over_time: {key: …}" in warning.remedy
    assert "3 rows can be distinguished" in report.model_dump_json()


def test_a_quiet_run_warns_of_what_new_data_brought(tmp_path):
    people = [(20 + n % 20, "430", "fm"[n % 2], "a") for n in range(200)]
    levels = {"age": 3, "zip": 3, "sex": 0}
    file = write_data(tmp_path, policy_of(tmp_path, levels))
    printed = []
    for given in (people, people, [*people, (25, "430", "f", "b")]):
        put(tmp_path, given)
        done = cli("run", file, "--quiet")
        assert (done.exit_code, done.stdout) == (0, "")
        printed.append(" ".join(done.stderr.split()))
    assert printed[:2] == ["", ""]
    assert printed[2].startswith("warning privacy.over_time: 1 row can be distinguished")


def test_the_warning_counts_rows_that_came_and_left(tmp_path):
    people = [(20 + n % 20, "430", "fm"[n % 2], "a") for n in range(200)]
    policy = Policy.parse(policy_of(tmp_path, {"age": 3, "zip": 3, "sex": 0}), tmp_path)
    put(tmp_path, [*people, (25, "430", "f", "b"), (26, "430", "f", "b"), (25, "430", "m", "c")])
    anonsql.run(policy)
    put(tmp_path, people[1:])
    (warning,) = of_over_time(anonsql.run(policy))
    assert warning.message.startswith("4 rows"), "one left, and so did those that had come"


def test_crowds_that_come_together_are_not_told_apart(tmp_path):
    people = [(20 + n % 20, "430", "fm"[n % 2], "a") for n in range(200)]
    put(tmp_path, people)
    policy = Policy.parse(policy_of(tmp_path, {"age": 3, "zip": 3, "sex": 0}), tmp_path)
    anonsql.run(policy)
    put(tmp_path, people + [(25, "430", "f", "b")] * 4)
    assert not of_over_time(anonsql.run(policy))


def test_levels_that_cross_are_told(tmp_path):
    people = [(20 + n % 40, ("430", "521")[n % 2], "fm"[n // 2 % 2], "a") for n in range(400)]
    put(tmp_path, people)
    for levels in ({"age": 3, "zip": 3, "sex": 0}, {"age": 4, "zip": 0, "sex": 0}):
        policy = Policy.parse(policy_of(tmp_path, levels), tmp_path)
        report = anonsql.run(policy)
    (warning,) = of_over_time(report)
    assert warning.message == (
        "the levels of age, zip differ from those of the release that will be replaced, and 4 of 4"
        " classes cut across its classes, so both releases together may narrow down rows."
    )


@pytest.mark.parametrize("what", ["gone", "foreign", "version", "columns", "level"])
def test_a_release_that_cannot_be_compared_stops_nothing(tmp_path, what, monkeypatch):
    people = [(20 + n % 20, "430", "fm"[n % 2], "a") for n in range(200)]
    put(tmp_path, people)
    data = policy_of(tmp_path, {"age": 3, "zip": 3, "sex": 0})
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    put(tmp_path, people[1:])
    release = tmp_path / "release.duckdb"
    if what == "gone":
        release.unlink()
    elif what == "columns":
        data["columns"]["sex"] = {"role": "identifying"}
        policy = Policy.parse(data, tmp_path)
    else:
        with opened(release) as connection:
            connection.execute(
                {
                    "foreign": "ALTER TABLE r RENAME zip TO code",
                    "version": "UPDATE r__about SET value = '0.0' WHERE property = 'anonsql'",
                    "level": "UPDATE r__columns SET looks_like = 'x', level = 2 WHERE level = 0",
                }[what]
            )
    report = anonsql.run(policy)
    assert report.status == "published"
    warnings = of_over_time(report)
    if what == "level":
        assert warnings[0].message.endswith(
            "it is not known how many rows both releases together distinguish."
        )
    else:
        assert warnings == []


def test_a_statement_that_fails_stops_nothing(tmp_path, monkeypatch):
    engine = Postgres(tmp_path)
    people = [(20 + n % 20, "430", "fm"[n % 2], "a") for n in range(200)]
    engine.make(TYPES, people)
    policy = policy_on(engine, policy_of(tmp_path, {"age": 3, "zip": 3, "sex": 0}))
    anonsql.run(policy)
    compared = replaced.compared

    def failing(staged, *given):
        staged.engine.query("verification/facts", table=("no", "such"), columns=["x"])
        return compared(staged, *given)

    monkeypatch.setattr(replaced, "compared", failing)
    engine.make(TYPES, people[1:])
    report = anonsql.run(policy)
    assert (report.status, report.released, of_over_time(report)) == ("published", 199, [])


def test_methods_whose_rows_are_no_classes_say_nothing(tmp_path):
    people = [(20 + n % 20, "430", "fm"[n % 2], "a") for n in range(100)]
    put(tmp_path, people)
    policy = Policy.parse(policy_of(tmp_path, limit=0.0, method={"type": "ring"}), tmp_path)
    for rows in (people, people[1:]):
        put(tmp_path, rows)
        assert not of_over_time(anonsql.run(policy))


def test_mondrian_compares_equal_labels_alone(tmp_path, told):
    people = [(20 + n % 20, "43" + str(n % 3), "fm"[n % 2], "a") for n in range(120)]
    policy = Policy.parse(policy_of(tmp_path, limit=0.0, method={"type": "mondrian"}), tmp_path)
    releases = []
    for rows in (people, people[5:] + people[:2]):
        put(tmp_path, rows)
        anonsql.run(policy)
        read = released_rows(tmp_path, "SELECT age, zip, sex FROM r")
        releases.append(Counter(read))
    old, new = releases
    apart = [abs(old[key] - new[key]) for key in old.keys() & new.keys()]
    wanted = [item for item in apart if 0 < item < 4]
    assert (told[0].rows, told[0].classes) == (sum(wanted), len(wanted)) and wanted


@pytest.mark.parametrize(
    ("on", "place"),
    [
        (Postgres, "own"),
        (Postgres, "out.duckdb"),
        (Postgres, "out.csv"),
        (SQLite, "own"),
        (SQLite, "out.parquet"),
        (SQLite, "out"),
    ],
)
def test_on_servers_and_in_files(tmp_path, on, place, told):
    """Levels differ, so that the dimension tables are needed where the release is read."""
    engine = on(tmp_path)
    rnd = random.Random(7)
    people = [someone(rnd) for _ in range(200)]
    releases = []
    for levels, rows in (
        ({"age": 1, "zip": 1, "sex": 0}, people),
        ({"age": 2, "zip": 2, "sex": 0}, people[2:] + people[:1]),
    ):
        engine.make(TYPES, rows)
        policy = policy_on(engine, policy_of(tmp_path, levels))
        data = policy.model_dump(mode="json", exclude_unset=True, by_alias=True)
        if place != "own":
            inside = {"database": place} if place.endswith("duckdb") else {"file": place}
            data["release"] = {**inside, "table": "r"} if "." in place else inside
        report = anonsql.run(Policy.parse(data, tmp_path))
        releases.append((levels, report))
    assert told and told[0].known and told[0].changed == ("age", "zip")
    assert told[0].rows == expected_of(people, releases)


def expected_of(people, releases):
    """The rows that two releases of suppressed cells tell apart, from the people themselves."""
    sets = []
    for (levels, _), rows in zip(releases, (people, people[2:] + people[:1]), strict=True):
        labelled = [
            tuple(label(n, row[place], levels[n]) for place, n in enumerate(HEIGHTS))
            for row in rows
        ]
        sizes = Counter(labelled)
        sets.append((levels, [item for item in labelled if sizes[item] >= 4]))
    return expected(*sets, 4)[0]


def test_the_version_is_what_a_release_says(tmp_path):
    put(tmp_path, [(20, "430", "f", "a")] * 8)
    anonsql.run(Policy.parse(policy_of(tmp_path), tmp_path))
    stated = released_rows(tmp_path, "SELECT * FROM r__about")
    assert ("anonsql", __version__) in stated


def test_an_earlier_release_whose_levels_are_texts_is_replaced(tmp_path):
    """It was edited, and nothing can be compared."""
    policy = policy_over(
        tmp_path, TYPES, [(n % 40, "100", "f", "flu") for n in range(200)], COLUMNS, k=5
    )
    anonsql.run(policy)
    in_file(tmp_path / "release.duckdb", "ALTER TABLE r__columns ALTER level TYPE VARCHAR")
    assert anonsql.run(policy).status == "published"
