"""Any release against its source: what labels mean, the paper's tables, whole runs accepted, broken
ones refused."""

import datetime as dt
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy
from anonsql.privacy.l_diversity import LDiversity
from anonsql.privacy.promise import promised_facts
from anonsql.verification.linking import rows as rows_of_source
from anonsql.verification.linking.link import Link

from .engines import policy_on
from .exact_judges.assignment_graph import Effective, MatchGraph
from .exact_judges.assignment_graph import judge as judge_graph
from .exact_judges.linked_values import Values, links
from .support import (
    adult_policy,
    cli,
    edit,
    flat,
    in_file,
    job,
    make_described,
    make_facts,
    make_source,
    make_table,
    needs_data,
    policy_over,
    tree_file,
    updated,
    write_data,
    written_anew,
)
from .test_assignment_graph import figure_4
from .test_cli import document
from .test_engines import ALL_LEVELS, METHODS, WIDE_TYPES, wide_policy, wide_rows
from .test_reading import element

DIMENSIONS = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)

# releases by hand


def people(folder, k, rows, columns, types):
    """A policy over a small table; its release is what :func:`publish` writes."""
    return policy_over(folder, types, rows, columns, k=k)


def publish(policy, types, rows, masked=0, suppressed=0):
    """Write a release by hand; types are by column in order."""
    path = policy.path("release.duckdb")
    path.unlink(missing_ok=True)
    quasi = [
        place
        for place, name in enumerate(types)
        if name in policy.quasi_identifiers or name[-3:] in ("_lo", "_hi")
    ]
    classes = {tuple(str(row[place]) for place in quasi) for row in rows}
    facts = {
        "k": policy.privacy.k,
        "rows": len(rows),
        "masked": masked,
        "suppressed": suppressed,
        "classes": len(classes),
    }
    facts |= {**promised_facts(policy.privacy), "anonsql": "by hand"}
    roles = [
        (
            name,
            policy.columns[name].role if name in policy.columns else "quasi-identifying",
            None,
            "range",
            "by hand",
        )
        for name in types
    ]
    make_table(path, types, rows, "r")
    make_facts(path, facts)
    make_described(path, roles)
    written_anew(path)


PATIENTS = {"zip": "VARCHAR", "sex": "VARCHAR", "age": "INTEGER", "disease": "VARCHAR"}
TABLE_1 = [
    ("901152", "M", 30, "Flu"),
    ("901157", "F", 28, "Cancer"),
    ("901578", "M", 15, "Cancer"),
    ("902398", "M", 48, "AIDS"),
    ("902301", "M", 20, "None"),
]
TABLE_2 = [
    (zip_, sex, age, row[3])
    for row, (zip_, sex, age) in zip(
        TABLE_1, [("901***", "*", "[15,30]")] * 3 + [("9023**", "M", "[20,48]")] * 2
    )
]
TABLE_3 = [
    ("90115*", "*", "[28,30]", "Flu"),
    ("901***", "*", "[15,28]", "Cancer"),
    ("901***", "M", "[15,30]", "Cancer"),
    ("9023**", "M", "[20,48]", "AIDS"),
    ("9023**", "M", "[20,48]", "None"),
]
COLUMNS = {
    "zip": {"type": "mask", "length": 6},
    "sex": {"type": "suppression"},
    "age": {"type": "suppression"},
    "disease": "sensitive",
}


def patients(folder, k=2, columns=COLUMNS):
    return people(folder, k, TABLE_1, columns, PATIENTS)


def test_tables_2_and_3(tmp_path):
    policy = patients(tmp_path)
    types = dict.fromkeys(PATIENTS, "VARCHAR")
    publish(policy, types, TABLE_2)
    found = anonsql.verify(policy, against_source=True)
    assert (
        found.classes,
        found.min_class,
        found.against_source.matches,
        found.against_source.with_kept_values,
    ) == (2, 2, 13, None)
    assert found.against_source.alone
    assert found.risk.prosecutor.average is not None
    publish(policy, types, TABLE_3)
    with pytest.raises(VerificationError, match="smaller than k"):
        anonsql.verify(policy)
    found = anonsql.verify(policy, against_source=True)
    judged = found.against_source
    assert not judged.alone
    assert (
        found.classes,
        found.min_class,
        judged.least_original,
        judged.highest_probability,
    ) == (4, 2, 2, 0.5)
    assert (found.risk.prosecutor.highest, found.risk.prosecutor.average) == (0.5, None)
    with pytest.raises(VerificationError, match=r"match fewer than k=3 .* in the worst case 2"):
        anonsql.verify(updated(policy, privacy={"k": 3}), against_source=True)


def numbers(folder, count, k):
    rows = [(n, "s") for n in range(1, count + 1)]
    types, columns = (
        {"qid": "INTEGER", "s": "VARCHAR"},
        {"qid": {"type": "suppression"}, "s": "sensitive"},
    )
    return people(folder, k, rows, columns, types)


def test_table_4_is_refused_by_the_command(tmp_path):
    """The paper's example of ineffective matches: t2 is exposed."""
    policy = numbers(tmp_path, 5, 2)
    types = {"qid": "VARCHAR", "s": "VARCHAR"}
    publish(
        policy, types, [(label, "s") for label in ("[1,5]", "[2,3]", "[3,4]", "[3,4]", "[1,5]")]
    )
    path = write_data(
        tmp_path, {**policy.model_dump(mode="json", exclude_unset=True, by_alias=True)}
    )
    code, report = document("verify", path, "--against-source")
    assert (code, report["error"]) == (1, "verification")
    assert (
        "1 source rows and 1 released rows match fewer than k=2 rows of the other side, in the worst case 1"
        in (report["message"])
    )
    publish(
        policy, types, [(label, "s") for label in ("[1,5]", "[1,3]", "[3,4]", "[3,4]", "[1,5]")]
    )
    code, report = document("verify", path, "--against-source")
    assert (
        code,
        report["against_source"]["matches"],
        report["classes"],
    ) == (0, 12, 3)
    shown = cli("verify", path, "--against-source").stdout
    assert "every row matches at least 2 rows of the other side" in " ".join(
        shown.split()
    ) and "5 rows in 3 combinations of values (k=2)" in flat(shown)


def sets_of(matches):
    """What is released of each row, as a set of the numbers of the originals that match it."""
    found = [
        [str(i + 1) for i, released in enumerate(matches) if j in released]
        for j in range(len(matches))
    ]
    return [item[0] if len(item) == 1 else "{" + ", ".join(item) + "}" for item in found], found


def test_figure_4_is_refused_for_its_assignments(tmp_path):
    policy = numbers(tmp_path, 8, 3)
    publish(
        policy,
        {"qid": "VARCHAR", "s": "VARCHAR"},
        [(label, "s") for label in sets_of(figure_4())[0]],
    )
    with pytest.raises(VerificationError) as refused:
        anonsql.verify(policy, against_source=True)
    assert refused.value.offences == (
        "there are no k=3 assignments of released rows to source rows without a common pair: a row can be"
        " identified with a probability above 1/k",
    )


@pytest.mark.parametrize("kind", ["VARCHAR", "VARCHAR[]"])
def test_figure_5_passes(tmp_path, kind):
    ring = [{(i - step) % 5 for step in range(3)} for i in range(5)]
    policy = numbers(tmp_path, 5, 3)
    publish(
        policy,
        {"qid": kind, "s": "VARCHAR"},
        [(label, "s") for label in sets_of(ring)[kind != "VARCHAR"]],
    )
    found = anonsql.verify(policy, against_source=True)
    assert (
        found.classes,
        found.min_class,
        found.against_source.highest_probability,
        found.against_source.matches,
    ) == (5, 3, pytest.approx(1 / 3), 15)
    with pytest.raises(VerificationError):
        anonsql.verify(policy)


# what labels cover, against an oracle that makes labels from what they cover

WORDS = [
    "a",
    "b",
    "a, b",
    "{a}",
    '"q"',
    "…",
    " s ",
    "NULL",
    "x … y",
    "z",
]  # in the order of the hierarchy
TREE = {word: "first" if number < 5 else "second" for number, word in enumerate(WORDS)}
DAYS = [dt.date(2020, 1, 30) + dt.timedelta(days=n) for n in range(5)]


@st.composite
def released_numbers(draw):
    """(label, low, high, the values that it covers among 0 … 29 and NULL)"""
    kind = draw(st.sampled_from(["value", "interval", "closed", "set", "*", "null", "bound"]))
    if kind == "null":
        return None, None, None, {None}
    if kind == "*":
        return "*", None, None, {None, *range(30)}
    first = draw(st.integers(0, 29))
    if kind == "value":
        return str(first), first, first, {first}
    if kind == "interval":
        low = first // 10 * 10
        return f"[{low},{low + 10})", low, low + 9, set(range(low, low + 10))
    if kind == "set":
        values = draw(st.sets(st.none() | st.integers(0, 29), min_size=2, max_size=4))
        return (
            "{"
            + ", ".join(element(None if value is None else str(value)) for value in values)
            + "}",
            None,
            None,
            values,
        )
    last = draw(st.integers(first, 29))
    if kind == "bound":  # a label that tells less than its bounds
        return "*", first, last, set(range(first, last + 1))
    return f"[{first},{last}]", first, last, set(range(first, last + 1))


@st.composite
def released_words(draw):
    kind = draw(st.sampled_from(["value", "group", "names", "set", "*", "null"]))
    if kind == "null":
        return None, {None}
    if kind == "*":
        return "*", {None, *WORDS}
    if kind == "group":
        group = draw(st.sampled_from(["first", "second"]))
        return group, {word for word in WORDS if TREE[word] == group}
    if kind == "set":
        values = draw(
            st.lists(st.none() | st.sampled_from(WORDS), min_size=2, max_size=4, unique=True)
        )
        return "{" + ", ".join(map(element, values)) + "}", set(values)
    first = draw(st.integers(0, len(WORDS) - 1))
    if kind == "value" or first == len(WORDS) - 1:
        value = WORDS[first]
        return value, {value} | (
            {"a"} if value == "{a}" else set()
        )  # a value that looks like a set may be one
    last = draw(st.integers(first + 1, len(WORDS) - 1))
    return f"{WORDS[first]} … {WORDS[last]}", set(WORDS[first : last + 1])


@st.composite
def released_days(draw):
    first = draw(st.integers(0, 4))
    last = draw(st.integers(first, 4))
    kind = draw(st.sampled_from(["value", "month", "closed", "*"]))
    if kind == "*":
        return "*", set(DAYS)
    if kind == "value":
        return str(DAYS[first]), {DAYS[first]}
    if kind == "month":
        month = DAYS[first].strftime("%Y-%m")
        return month, {day for day in DAYS if day.strftime("%Y-%m") == month}
    return f"[{DAYS[first]},{DAYS[last]}]", set(DAYS[first : last + 1])


@pytest.fixture(scope="module")
def three_columns(tmp_path_factory):
    folder = tmp_path_factory.mktemp("three")
    rnd = random.Random(4)
    rows = [
        (
            rnd.choice([None, *range(30)]),
            rnd.choice([None, *WORDS]),
            rnd.choice(DAYS),
            rnd.choice("uvw"),
        )
        for _ in range(30)
    ]
    types = {"n": "INTEGER", "w": "VARCHAR", "d": "DATE", "s": "VARCHAR"}
    columns = {
        "n": {"type": "interval", "widths": [10]},
        "w": tree_file(folder / "h" / "w.csv", [[word, TREE[word], "*"] for word in WORDS]),
        "d": {"type": "date", "levels": ["month"]},
        "s": "sensitive",
    }
    return rows, people(folder, 2, rows, columns, types)


@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.tuples(
            released_numbers(),
            released_words(),
            released_days(),
            st.sampled_from("uvw"),
            st.booleans(),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 3),
)
def test_matches_are_those_of_the_oracle(three_columns, tmp_path_factory, released, k):
    rows, policy = three_columns
    types = {
        "n": "VARCHAR",
        "n_lo": "BIGINT",
        "n_hi": "BIGINT",
        "w": "VARCHAR",
        "d": "VARCHAR",
        "s": "VARCHAR",
    }
    written, covers = [], []
    for index, (
        (number, low, high, numbers),
        (word, words),
        (day, days),
        value,
        bounds,
    ) in enumerate(released):
        if bounds and index < len(rows):  # so that something matches
            n = rows[index][0]
            written.append((None if n is None else str(n), n, n, "*", "*", value))
            covers.append(({n}, {None, *WORDS}, set(DAYS)))
        else:
            ends = (low, high) if bounds or number == "*" else (None, None)
            written.append((number, *ends, word, day, value))
            covers.append((numbers, words, days))
    publish(policy, types, written)
    pairs = [
        (i, j)
        for i, (n, w, d, _) in enumerate(rows)
        for j, (first, second, third) in enumerate(covers)
        if n in first and w in second and d in third
    ]
    graph = MatchGraph.of(
        [1] * len(rows), [1] * len(covers), [i for i, _ in pairs], [j for _, j in pairs]
    )
    expected, _ = judge_graph(graph, k)
    known = links(graph, every_match(graph), values_of([row[5] for row in written]))
    with job(
        policy,
        tmp_path_factory.mktemp("judged"),
        (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies),
    ) as made:
        asked = updated(policy, privacy={"k": k, "l_diversity": {"s": LDiversity(l=2)}})
        with made.target.published() as published:
            sides = made.engine, published, asked, made.opened.source, made.counted.attributes
            with Link.between(*sides, roles=(), carried=["s"]) as link:
                offences, sizes = rows_of_source.by_labels(link, link.label_facets, classes=False)
    used = expected.matches - (0 if expected.unassigned else expected.ineffective)
    assert sizes[1] == used  # matches of no assignment are left out where there is one
    if expected.unassigned:
        assert offences == [
            f"{expected.unassigned} released rows have no matching source row of their own"
        ]
        return
    few = [text for text in offences if "distinct values" in text]
    assert not few or f"{known.least_distinct} distinct values" in few[0]
    assert bool(set(offences) - set(few)) >= (not expected.kept)
    if not offences:
        assert expected.kept and known.least_distinct >= 2


def every_match(graph):
    """All matches, as if some assignment used each."""
    edges = np.ones(len(graph.cell), dtype=bool)
    none = np.zeros(len(graph.originals) + len(graph.released), dtype=np.int64)
    return Effective(edges, none, none)


def values_of(words):
    """The sensitive values of released rows that are nodes of their own."""
    numbers = np.unique(words, return_inverse=True)[1]
    return Values(np.arange(len(words)), numbers, np.ones(len(words), dtype=np.int64))


def test_values_of_nothing_are_told_by_count(three_columns):
    _, policy = three_columns
    types = {"n": "VARCHAR", "w": "VARCHAR", "d": "VARCHAR", "s": "VARCHAR"}
    rows = [
        ("[40,50)", "*", "*", "u"),
        ("?", "{a, ?}", "*", "u"),
        ("{a, b", "nobody … z", "1999-01", "u"),
    ]
    publish(policy, types, rows, suppressed=27)
    with pytest.raises(VerificationError) as refused:
        anonsql.verify(updated(policy, privacy={"suppression_limit": 0.95}), against_source=True)
    offences = "\n".join(refused.value.offences)
    for text in (
        "3 of 3 distinct values of 'n' match",
        "1 of 3 distinct values of 'w'",
        "1 of 2 distinct values of 'd'",
        "3 released rows have no matching source row",
    ):
        assert text in offences
    assert "nobody" not in offences and "[40" not in offences


# what anonsql releases itself is accepted, on every engine; what was tampered with is not


FEW = ("n", "x", "day", "word")
SAME_LABELS = [  # as others that are tried here
    *(
        {"type": name}
        for name in ("full-subgraph", "cell-generalization", "homogeneous", "hilbert")
    ),
    {"type": "mondrian", "mode": "relaxed"},
    {"type": "hilbert", "representation": "range"},
]
CASES = [("duckdb", method) for method in METHODS if method not in SAME_LABELS] + [
    ("postgres", METHODS[1]),
    ("spark", {"levels": {"n": 3, "x": 3, "day": 2, "word": 1}}),
]


@pytest.mark.parametrize(
    ("engine", "method"),
    CASES,
    indirect=["engine"],
    ids=lambda item: "-".join(map(str, item.values())) if isinstance(item, dict) else item,
)
def test_releases_of_every_method_pass(engine, method):
    engine.make(WIDE_TYPES, wide_rows())
    data = wide_policy(engine.folder, method, k=3, limit=0.4)
    data["columns"] |= {
        column: {"role": "insensitive"}
        for column in data["columns"]
        if column not in (*FEW, "note")
    }
    policy = policy_on(engine, data)
    report = anonsql.run(policy)
    found = anonsql.verify(policy, against_source=True)
    judged = found.against_source
    assert (found.classes, found.min_class) == (report.classes, report.min_class)
    assert (judged.originals, judged.released, judged.left_over) == (
        60,
        report.released - report.masked,
        report.suppressed,
    )
    assert judged.with_kept_values and min(judged.least_original, judged.least_released) >= 3


@pytest.mark.parametrize(("suppressed", "bounds"), [("remove", True), ("mask", False)])
def test_full_domain_with_suppressed_rows(tmp_path, suppressed, bounds):
    make_source(tmp_path, WIDE_TYPES, wide_rows() * 3 + wide_rows(5, seed=9))
    data = wide_policy(
        tmp_path,
        {"levels": {**dict.fromkeys(ALL_LEVELS[1], 0), "n": 1, "moment": 2}},
        k=3,
        limit=0.5,
    )
    data["release"] |= {"suppressed": suppressed, "bounds": bounds}
    policy = Policy.parse(data, tmp_path)
    report = anonsql.run(policy)
    assert report.suppressed == 5
    found = anonsql.verify(policy, against_source=True)
    assert found.masked == report.masked == (5 if suppressed == "mask" else 0)
    assert (
        found.against_source.left_over,
        found.against_source.released,
    ) == (5, 180)
    edit(
        tmp_path / "release.duckdb",
        "UPDATE r SET word = CASE WHEN word IS NULL THEN 'plain' END WHERE word IS NULL OR word"
        " = 'plain'",
    )  # classes are as many and as large as before
    with pytest.raises(VerificationError, match="have no matching source row"):
        anonsql.verify(policy, against_source=True)


def test_a_source_that_changed_is_told(tmp_path):
    policy = patients(tmp_path)
    publish(policy, dict.fromkeys(PATIENTS, "VARCHAR"), TABLE_2)
    in_file(tmp_path / "source.duckdb", "INSERT INTO t VALUES ('902300', 'M', 21, 'Flu')")
    with pytest.raises(
        VerificationError, match="the source has 6 rows, but the release accounts for 5"
    ):
        anonsql.verify(policy, against_source=True)
    in_file(tmp_path / "source.duckdb", "ALTER TABLE t DROP COLUMN age")
    with pytest.raises(PolicyError, match=r"columns\.age"):
        anonsql.verify(policy, against_source=True)


def test_values_told_of_somebody(tmp_path):
    """Distinct l asks for values among the effective matches; a share of 1/l is asked where the
    method promises that."""
    policy = patients(tmp_path)
    asked = Policy.parse(
        {
            **policy.model_dump(mode="json", exclude_unset=True, by_alias=True),
            "privacy": {"k": 2, "l_diversity": {"disease": 2}},
        },
        tmp_path,
    )
    types = dict.fromkeys(PATIENTS, "VARCHAR")
    publish(asked, types, TABLE_3)
    with pytest.raises(VerificationError, match="1 distinct values of 'disease', fewer than 2"):
        anonsql.verify(asked, against_source=True)
    publish(asked, types, TABLE_2)
    assert anonsql.verify(asked, against_source=True).against_source.alone
    with job(asked, tmp_path / "judged", DIMENSIONS) as made, made.target.published() as published:
        data = asked.model_dump(mode="json", exclude_unset=True, by_alias=True)
        rings = Policy.parse({**data, "method": {"type": "ring"}}, tmp_path)
        sides = made.engine, published, rings, made.opened.source, made.counted.attributes
        with Link.between(*sides, roles=(), carried=["disease"]) as link:
            offences, _ = rows_of_source.by_labels(link, link.label_facets, classes=False)
    assert offences == [
        "an attacker can infer a value of 'disease' of a row with a probability above 1/2"
    ]


def test_promises_of_classes_need_classes(tmp_path):
    policy = patients(tmp_path)
    data = policy.model_dump(mode="json", exclude_unset=True, by_alias=True)
    asked = Policy.parse({**data, "privacy": {"k": 2, "t_closeness": {"disease": 0.9}}}, tmp_path)
    publish(asked, dict.fromkeys(PATIENTS, "VARCHAR"), TABLE_3)
    with pytest.raises(VerificationError, match=r"t_closeness\.disease: these are about classes"):
        anonsql.verify(asked, against_source=True)


@needs_data
def test_adult_passes(tmp_path):
    policy = adult_policy(
        tmp_path, ["age", "sex", "race", "education"], 10, limit=0.01, method={"type": "mondrian"}
    )
    anonsql.run(policy)
    judged = anonsql.verify(policy, against_source=True).against_source
    assert judged.with_kept_values and judged.highest_probability == 0.1
