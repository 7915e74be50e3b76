"""One body for every engine: the same policy over the same table gives the same release, and the
same refusals."""

import csv
import datetime as dt
import json
import random
from collections import Counter, defaultdict
from decimal import Decimal

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError, PrivacyError
from anonsql.measures.workload import WorkloadSettings
from anonsql.methods.full_domain.settings import FullDomain

from . import golden_values
from .engines import content_hash, policy_on, whole_but_on_spark
from .methods import cases
from .models import promised
from .support import ADULT, DATA, adult_policy, needs_data, policy_data, released_to, tree_file

WIDE_TYPES = {
    "n": "INTEGER",
    "big": "BIGINT",
    "amount": "DECIMAL(10,2)",
    "x": "DOUBLE",
    "flag": "BOOLEAN",
    "day": "DATE",
    "moment": "TIMESTAMP",
    "word": "VARCHAR",
    "code": "VARCHAR",
    "note": "VARCHAR",
}


def wide_rows(count=60, seed=1):
    """Rows of every kind of value, with NULLs and everything that quoting can go wrong with."""
    rnd = random.Random(seed)
    words = [
        "plain",
        "it's",
        'say "x"',
        "semi;colon",
        "back\\slash",
        "new\nline",
        "tab\t",
        "%s %%",
        "ünïcode ✓",
        "",
        " ",
        "NULL",
        "*",
        "{{ x }}",
    ]
    rows = []
    for _ in range(count):
        day = dt.date(2019, 12, 28) + dt.timedelta(days=rnd.randrange(400))
        row = (
            rnd.randrange(-30, 30),
            rnd.choice([2**62, -(2**62), 0, 7]),
            Decimal(rnd.randrange(-500, 500)) / 100,
            rnd.choice([0.1, 8.2, -0.0, 1e12, 0.30000000000000004, 2.5, 100.0]),
            rnd.random() < 0.5,
            day,
            dt.datetime.combine(day, dt.time(rnd.randrange(24), 59, 59, rnd.choice([0, 500000]))),
            rnd.choice(words) or "x",
            f"{rnd.randrange(100):05}",
            rnd.choice(words),
        )
        rows.append(tuple(None if rnd.random() < 0.05 else value for value in row))
    return rows


def wide_policy(folder, method=None, **privacy):
    words = sorted({row[7] for row in wide_rows() if row[7] is not None})
    tree = tree_file(
        folder / "h" / "word.csv",
        [[word, "short" if len(word) < 6 else "long", "*"] for word in words],
    )
    columns = {
        "n": {"type": "interval", "widths": [7, 21], "origin": 3},
        "big": {"type": "suppression"},
        "amount": {"type": "interval", "widths": [0.5, 5]},
        "x": {"type": "interval", "widths": [0.1, 1000000]},
        "flag": {"type": "suppression"},
        "day": {"type": "date", "levels": ["week"]},
        "moment": {"type": "date", "levels": ["day", "month", "quarter", "year", "decade"]},
        "word": tree,
        "code": {"type": "mask", "length": 5},
        "note": "sensitive",
    }
    return policy_data(columns, **privacy, **({"method": method} if method else {}))


def every_model(folder, suppressed="mask"):
    """A policy over the wide table that asks for every model there is; the population is the table
    itself."""
    data = wide_policy(
        folder,
        {
            "levels": {
                name: level
                for name, level in ALL_LEVELS[3].items()
                if name not in ("n", "x", "word", "flag")
            }
        },
        limit=0.9,
    )
    data["columns"] |= {name: {"role": "sensitive"} for name in ("n", "x", "flag")}
    data["columns"]["word"]["role"] = "sensitive"
    data["release"]["suppressed"] = suppressed
    data["privacy"] |= {
        "entity": "big",
        "l_diversity": {
            "word": {"l": 2, "type": "entropy"},
            "n": {"l": 2, "type": "recursive", "c": 3},
            "x": {"l": 2, "min_range": 0.1},
        },
        "t_closeness": {
            "word": {"t": 0.6, "distance": "hierarchical"},
            "n": {"t": 0.24, "distance": "ordered"},
            "x": 0.79,
            "flag": {"t": 0.22, "distance": "ordered", "order": ["true", "false"]},
        },
        "alpha_k": {"x": {"alpha": 0.9, "values": ["0.1", "8.2"]}, "note": 0.8},
        **promised("engines"),
        "population": data["source"],
        "k_map": 2,
        "delta_presence": {"max": 1},  # with a min nothing may be suppressed
    }
    return data


ALL_LEVELS = [
    {"n": 0, "big": 0, "amount": 0, "x": 0, "flag": 0, "day": 0, "moment": 0, "word": 0, "code": 0},
    {"n": 1, "big": 1, "amount": 1, "x": 1, "flag": 0, "day": 1, "moment": 1, "word": 1, "code": 2},
    {"n": 2, "big": 1, "amount": 2, "x": 2, "flag": 1, "day": 2, "moment": 2, "word": 1, "code": 4},
    {"n": 3, "big": 1, "amount": 3, "x": 3, "flag": 1, "day": 2, "moment": 3, "word": 2, "code": 5},
    {"n": 3, "big": 1, "amount": 2, "x": 2, "flag": 1, "day": 2, "moment": 4, "word": 1, "code": 5},
    {"n": 2, "big": 0, "amount": 3, "x": 3, "flag": 1, "day": 2, "moment": 5, "word": 2, "code": 5},
]
ADULT_LEVELS = {
    "age": 4,
    "sex": 0,
    "race": 0,
    "marital-status": 1,
    "education": 1,
    "native-country": 1,
    "workclass": 1,
    "occupation": 1,
    "salary-class": 0,
}
METHODS = [
    {"type": "full-subgraph"},
    {"type": "mondrian"},
    {"type": "mondrian", "cut": "median"},
    {"type": "mondrian", "mode": "relaxed"},
    {"type": "mondrian", "values": "hierarchy"},
    {"type": "cell-generalization"},
    {"type": "cell-generalization", "effort": 2},
    {"type": "cell-suppression"},
    {"type": "full-subtree"},
    {"type": "ordered-partition", "budget": 20},
    {"type": "ring"},
    {"type": "ring", "sets": "array"},
    {"type": "ring", "representation": "range"},
    {"type": "ring", "representation": "ancestor"},
    {"type": "homogeneous"},
    {"type": "hilbert"},
    {"type": "hilbert", "representation": "range"},
]


@pytest.mark.parametrize("number", range(len(ALL_LEVELS)))
def test_every_kind_of_value_is_generalized_the_same(engine, number):
    """Each row three times, so that k=3 holds at every level and every label is published."""
    engine.make(WIDE_TYPES, wide_rows() * 3)
    policy = policy_on(engine, wide_policy(engine.folder, {"levels": ALL_LEVELS[number]}, k=3))
    report = anonsql.run(policy)
    assert report.released == 180
    rows = engine.read()
    about = dict(engine.read("r__about"))
    assert about["rows"] == "180" and about["method"] == "full-domain"
    golden_values.check(
        f"every kind of value, levels {number}",
        rows=content_hash(rows),
        metrics=report.metrics,
        classes=report.classes,
        columns=sorted(engine.read("r__columns"), key=lambda row: row[0]),
    )
    assert anonsql.verify(policy).min_class == report.min_class


@pytest.mark.parametrize(
    "method", METHODS, ids=lambda method: "-".join(str(item) for item in method.values())
)
def test_groups_are_the_same(engine, method):
    """Methods that assign cells to groups, on every kind of value."""
    engine.make(WIDE_TYPES, wide_rows(200, seed=3))
    policy = policy_on(engine, wide_policy(engine.folder, method, k=5))
    report = anonsql.run(policy)
    rows = [
        row[:-1] for row in engine.read()
    ]  # the last column is kept, and which row goes where may be left to chance
    golden_values.check(
        f"groups of {method}",
        rows=content_hash(rows),
        metrics=report.metrics,
        classes=report.classes,
        columns=sorted(engine.read("r__columns"), key=lambda row: row[0]),
    )
    assert report.levels is None and report.classes > 5
    assert anonsql.verify(policy).min_class == report.min_class >= 5


FEW_TYPES = {
    "n": "INTEGER",
    "flag": "BOOLEAN",
    "word": "VARCHAR",
    "code": "VARCHAR",
    "note": "VARCHAR",
}


def few_columns():
    """Rows of few columns, whose lattice is small."""
    return [row[:1] + row[4:5] + row[7:] for row in wide_rows(240, seed=7)]


def few_policy(method, least=1):
    """A policy over them by a method, with so many distinct words in a class."""
    columns = {
        "n": {"type": "interval", "widths": [10, 20]},
        "flag": {"type": "suppression"},
        "word": "sensitive",
        "code": {"type": "mask", "length": 5},
        "note": "insensitive",
    }
    data = policy_data(columns, k=6, method=method)
    data["privacy"] |= {"l_diversity": {"word": least}} if least > 1 else {}
    return data


RELOCATING = cases("ON_EVERY_ENGINE")


@pytest.mark.parametrize("name", RELOCATING)
@pytest.mark.parametrize("least", [1, 2], ids=["k", "k and l"])
def test_relocation_is_the_same(engine, name, least):
    """Methods that change values: the same release where nothing is left to chance, the same
    promises where something is."""
    rows = few_columns()
    engine.make(FEW_TYPES, rows)
    policy = policy_on(engine, few_policy(RELOCATING[name], least))
    report = anonsql.run(policy)
    assert report.min_class >= 6 and report.relocated.cell_share <= 0.05
    found = engine.read()
    assert Counter((row[-3], row[-1]) for row in found) == Counter((row[2], row[4]) for row in rows)
    if "variant" not in RELOCATING[name]:
        labels = [
            row[:-3] + row[-2:-1] for row in found
        ]  # the others are kept, and which row goes where may be left to chance
        golden_values.check(
            f"relocation by {name}, l={least}",
            labels=content_hash(labels),
            metrics=report.metrics,
            levels=report.levels,
            relocated=report.relocated.columns,
        )
    if report.relocated.chi_squared is not None:
        assert report.relocated.chi_squared <= report.relocated.critical
    assert anonsql.verify(policy).min_class >= 6


def test_groups_without_frequent_values_are_the_same(engine):
    engine.make(WIDE_TYPES, wide_rows(80, seed=5))
    data = wide_policy(engine.folder, {"type": "hilbert"}, k=3)
    data["privacy"]["l_diversity"] = {"note": 3}
    policy = policy_on(engine, data)
    report = anonsql.run(policy)
    notes = defaultdict(Counter)
    for *labels, note in engine.read():
        notes[tuple(labels)][note] += 1
    assert all(3 * max(counts.values()) <= sum(counts.values()) for counts in notes.values())
    assert len(notes) == report.classes == anonsql.verify(policy).classes > 5


@pytest.mark.parametrize("elsewhere", [False, True], ids=["there", "in a file"])
def test_measures_are_the_same(engine, elsewhere):
    """What a release tells, lie it with the source or in a file of its own."""
    engine.make(WIDE_TYPES, wide_rows(200, seed=3))
    policy = policy_on(
        engine, wide_policy(engine.folder, {"type": "hilbert", "representation": "range"}, k=5)
    )
    if elsewhere:
        policy = released_to(policy, file=str(engine.folder / "released.parquet"))
    report = anonsql.run(policy)
    asked = "SELECT COUNT(*) FROM t WHERE {};\n"
    conditions = [
        "n BETWEEN -10 AND 10.5",
        "day < '2020-06-01' AND word IN ('it''s', 'plain')",
        "amount >= 1.5",
        "flag = TRUE AND x > 1",
    ]
    (engine.folder / "queries.sql").write_text("".join(map(asked.format, conditions)))
    by_file = anonsql.measure(policy, WorkloadSettings(file=engine.folder / "queries.sql"))
    at_random = anonsql.measure(policy, WorkloadSettings(queries=30))
    assert by_file.gcp == pytest.approx(report.metrics["gcp"]) and by_file.released == 200
    for name, item in (("of a file", by_file), ("at random", at_random)):
        golden_values.check(f"measures, queries {name}", penalties=item.penalties, error=item.error)
    with_note = [*conditions, "note > 'b' AND n > 0", "note = 'it''s'"]
    (engine.folder / "queries.sql").write_text("".join(map(asked.format, with_note)))
    assert (
        anonsql.measure(policy, WorkloadSettings(file=engine.folder / "queries.sql")).queries == 6
    )  # which row has which note is left to chance


@pytest.mark.parametrize("suppressed", ["remove", "mask"])
def test_search_and_suppression_are_the_same(engine, suppressed):
    rnd = random.Random(5)
    rows = [
        (rnd.randrange(60), rnd.choice("abc"), rnd.choice("xyz"), rnd.random() < 0.3)
        for _ in range(200)
    ]
    engine.make({"age": "INTEGER", "sex": "VARCHAR", "kept": "VARCHAR", "flag": "BOOLEAN"}, rows)
    columns = {
        "age": {"type": "interval", "widths": [10, 30]},
        "sex": {"type": "suppression"},
        "kept": "sensitive",
        "flag": {"type": "suppression"},
    }
    data = policy_data(columns, k=6, limit=0.1, release={"suppressed": suppressed})
    policy = policy_on(engine, data)
    found = anonsql.search(policy)
    report = anonsql.run(policy)
    golden_values.check(
        f"search, suppressed rows: {suppressed}",
        rows=content_hash(engine.read()),
        levels=report.levels,
        metrics=report.metrics,
        nodes=found.nodes,
        checked=found.checked,
    )
    assert report.suppressed > 0


def test_every_model_keeps_the_same_classes(engine):
    """All models at once, the population being the table itself; verified against the source and by
    the release alone."""
    engine.make(WIDE_TYPES, wide_rows() * 3)
    data = every_model(engine.folder)
    data["privacy"]["population"] = engine.places()[0]
    policy = policy_on(engine, data)
    report = anonsql.run(policy)
    assert report.classes and report.suppressed
    golden_values.check(
        "every model",
        rows=content_hash(engine.read()),
        suppressed=report.suppressed,
        classes=report.classes,
        metrics=report.metrics,
        promises=report.promises,
    )
    assert anonsql.verify(policy).classes == report.classes


def test_a_second_run_replaces_the_first(engine):
    engine.make({"a": "INTEGER"}, [(n % 3,) for n in range(30)])
    policy = policy_on(engine, policy_data({"a": {"type": "suppression"}}, k=5))
    anonsql.run(policy)
    engine.make({"a": "INTEGER"}, [(n % 2,) for n in range(20)])
    anonsql.run(policy)
    assert sorted(set(engine.read())) == [("0", 0, 0), ("1", 1, 1)]
    assert len(engine.read()) == 20


@pytest.mark.parametrize("rows", [[], [(1,)], [(None,)] * 9, [(1,)] * 9])
def test_small_tables(engine, rows):
    engine.make({"a": "INTEGER"}, rows)
    policy = policy_on(engine, policy_data({"a": {"type": "suppression"}}, k=5))
    if len(rows) < 5:
        with pytest.raises(PrivacyError, match="fewer than k=5"):
            anonsql.run(policy)
        assert not engine.released()
    else:
        assert anonsql.run(policy).min_class == 9


def test_a_column_without_a_role_stops_the_job(engine):
    engine.make({"a": "INTEGER", "secret": "VARCHAR"}, [(1, "x")] * 9)
    with pytest.raises(
        PolicyError, match=r"columns\.secret: this column of the source has no role"
    ):
        anonsql.run(policy_on(engine, policy_data({"a": {"type": "suppression"}}, k=5)))
    assert not engine.released()


def test_a_hierarchy_that_misses_values(engine):
    engine.make({"a": "VARCHAR"}, [("x",)] * 5 + [("y",)] * 5)
    tree = tree_file(engine.folder / "h" / "a.csv", [["x", "*"]])
    with pytest.raises(PolicyError, match="1 distinct value of the column is not covered"):
        anonsql.run(policy_on(engine, policy_data({"a": tree}, k=5)))
    assert not engine.released()


def test_nothing_satisfies(engine):
    engine.make({"a": "VARCHAR"}, [(str(n),) for n in range(20)])
    columns = {"a": {"role": "qi", "hierarchy": {"type": "mask", "length": 2}, "max_level": 0}}
    with pytest.raises(PrivacyError, match="no generalization satisfies k=5"):
        anonsql.run(policy_on(engine, policy_data(columns, k=5)))
    assert not engine.released()


def test_a_table_that_is_not_there(engine):
    engine.make({"a": "VARCHAR"}, [("x",)] * 5, table="people")
    policy = policy_on(engine, policy_data({"a": {"type": "suppression"}}), "peple")
    with pytest.raises(PolicyError, match=r"source\.table: there is no table '.*peple' .*people"):
        anonsql.run(policy)


def test_names_that_need_quoting(engine):
    names = ["select", "UPPER", 'it\'s a "b"; ünï per%cent']
    if engine.name == "spark":
        names += ["back`tick"]
    engine.make(dict.fromkeys(names, "INTEGER"), [tuple(range(len(names)))] * 6)
    columns = {name: {"type": "interval", "widths": [10]} for name in names}
    report = anonsql.run(
        policy_on(engine, policy_data(columns, k=5, method={"levels": dict.fromkeys(names, 1)}))
    )
    assert list(report.levels) == names
    assert len(engine.read()[0]) == 3 * len(names)


def test_check_and_if_changed(engine):
    engine.make(
        {"a": "INTEGER", "b": "VARCHAR", "id": "INTEGER"},
        [(n % 2, "xy"[n % 2], n) for n in range(20)],
    )
    data = policy_data({"a": {"type": "suppression"}, "b": "sensitive", "id": "identifying"}, k=5)
    policy = policy_on(engine, data)
    assert anonsql.check(policy).status == "ok"
    assert not engine.released()
    assert anonsql.run(policy, if_changed=True).status == "published"
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    engine.make(
        {"a": "INTEGER", "b": "VARCHAR", "id": "INTEGER"},
        [(n % 2, "yx"[n % 2], n) for n in range(20)],
    )
    assert anonsql.run(policy, if_changed=True).status == "published"
    assert {row[0]: row[3] for row in engine.read()} == {"0": "y", "1": "x"}
    engine.make(
        {"a": "INTEGER", "b": "VARCHAR", "id": "INTEGER"},
        [(n % 2, "yx"[n % 2], n + 1) for n in range(20)],
    )
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    assert (
        anonsql.run(policy_on(engine, {**data, "privacy": {"k": 6}}), if_changed=True).status
        == "published"
    )
    engine.make(
        {"a": "INTEGER", "b": "VARCHAR", "id": "INTEGER", "new": "VARCHAR"},
        [(n % 2, "yx"[n % 2], n, "s") for n in range(20)],
    )
    with pytest.raises(PolicyError, match=r"columns\.new"):
        anonsql.run(policy_on(engine, {**data, "privacy": {"k": 6}}), if_changed=True)


@pytest.mark.parametrize(
    "place",
    [
        {"database": "out.duckdb", "table": "r"},
        {"file": "out.parquet", "table": "r"},
        {"file": "out", "table": "r"},
        {"file": "out.csv", "table": "r"},
    ],
)
@whole_but_on_spark
def test_releases_to_files_from_every_engine(engine, whole, place):
    """The rows that travel are the same whatever engine they come from and whatever file they go
    to."""
    engine.make(WIDE_TYPES, wide_rows() * 3)
    data = wide_policy(engine.folder, {"levels": ALL_LEVELS[0]}, k=3)
    policy = released_to(policy_on(engine, data), **place)
    report = anonsql.run(policy)
    connection = duckdb.connect()
    if "file" not in place:
        connection.execute(f"ATTACH '{engine.folder / 'out.duckdb'}' AS o (READ_ONLY); USE o")
        rows = connection.execute("SELECT * FROM r").fetchall()
    elif place["file"] == "out.csv":
        told = json.loads((engine.folder / "out.csv.about.json").read_text())
        types = {item["name"]: item["type"] for item in told["types"]}
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.execute(
            "SELECT * FROM read_csv(?, header = true, allow_quoted_nulls = false,"
            f" columns = {types})",
            [str(engine.folder / "out.csv")],
        ).fetchall()
    else:
        file = engine.folder / (
            "out.parquet" if place["file"] == "out.parquet" else "out/r.parquet"
        )
        rows = connection.execute(f"SELECT * FROM '{file}'").fetchall()
        if place["file"] == "out.parquet":
            result = connection.execute(
                f"SELECT decode(value) FROM parquet_kv_metadata('{file}') WHERE decode(key) ="
                " 'anonsql_about'"
            )
            assert dict(json.loads(result.fetchone()[0]))["rows"] == "180"
    golden_values.check("releases to files", rows=content_hash(rows))
    assert anonsql.verify(policy).min_class == report.min_class
    if whole:
        assert anonsql.run(policy).classes == report.classes
    assert sorted(path.name for path in engine.folder.iterdir() if path.name.startswith(".")) == []


@needs_data
def test_adult_has_one_release_on_every_engine(engine):
    """Nine quasi-identifiers, k=10, 5 % suppression. Spark publishes what the others chose: the
    whole job takes minutes there (benchmarks/engines.py does it)."""
    with (DATA / "adult" / "adult.csv").open(encoding="utf-8", newline="") as lines:
        delimiter = ";" if ";" in lines.readline() else ","
        lines.seek(0)
        rows = list(csv.reader(lines, delimiter=delimiter))
    engine.make(dict.fromkeys(rows[0], "VARCHAR"), rows[1:])
    given = adult_policy(engine.folder, ADULT, 10, 0.05)
    source, release = engine.places()
    there = given.model_copy(update={"source": anonsql.policy.source.Source(**source)})
    policy = released_to(there, **release)
    if engine.name == "spark":
        policy = policy.model_copy(update={"method": FullDomain(levels=ADULT_LEVELS)})
    report = anonsql.run(policy)
    print(
        f"\n{engine.name}: {report.statements} statements, {sum(report.seconds.values()):.1f} s,"
        f" {content_hash(engine.read())[:16]}"
    )
    golden_values.check(
        "adult",
        rows=content_hash(engine.read()),
        levels=report.levels,
        suppressed=report.suppressed,
        metrics=report.metrics,
    )
