"""Policies side by side: figures as each would have by itself, and nothing anywhere afterwards."""

import io
import json
import os
import random
import tempfile
from contextlib import closing

import jsonschema
import pytest
import yaml
from rich.console import Console

import anonsql
from anonsql.errors import BusyError, PolicyError, VerificationError
from anonsql.features.compare import trials
from anonsql.features.compare.described import describe, in_words
from anonsql.features.compare.document import CompareLine, CompareReport
from anonsql.jobs import pipeline, publishing
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.workspace import workspace
from anonsql.measures.workload import WorkloadSettings, quantile
from anonsql.policy.policy import Policy
from anonsql.presentation import terminal
from anonsql.sql.templates import folder as shipped
from anonsql.system.journal import Journal

from .engines import Postgres, policy_on
from .methods import CHANGING, PLAIN, cases
from .support import cli, flat, make_source, make_table, policy_data, policy_in, rows_of, tree_file
from .test_measure import NAMES, TOWNS, TYPES, covered
from .test_measure_local import COLUMNS as LOCAL_COLUMNS
from .test_measure_local import ROWS as LOCAL_ROWS
from .test_measure_local import TYPES as LOCAL_TYPES
from .test_measure_local import chance, data_of, released_by

INTERVAL = {"type": "interval", "widths": [2, 4]}


def town(folder, names=NAMES):
    """A hierarchy file of the towns, in this order."""
    regions = {name: region for region, inside in TOWNS.items() for name in inside}
    return tree_file(
        folder / "h" / f"{'-'.join(str(NAMES.index(name)) for name in names)}.csv",
        [[name, regions[name], "*"] for name in names],
    )


def random_rows(seed, rows=60):
    rnd = random.Random(seed)
    return [
        (rnd.choice([*range(9), None]), rnd.choice(NAMES), rnd.choice("xyz")) for _ in range(rows)
    ]


def write(folder, name, columns=None, **more):
    """A policy file over the table of towns."""
    columns = columns or {"n": INTERVAL, "town": town(folder), "ill": "sensitive"}
    data = policy_data(columns, **{"k": 3, "limit": 0.3, **more})
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a source, and one for temporary files."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    make_source(tmp_path, TYPES, random_rows(1))
    return tmp_path


def snapshot(folder):
    """Every file below a folder with what is in it, and when it was changed."""
    return {
        path: path.is_file() and (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
    }


MOVED = [name for name in PLAIN if name in CHANGING]


def test_figures_are_those_of_run_and_measure(here):
    reversed_columns = {"town": town(here, NAMES[::-1]), "ill": "sensitive", "n": INTERVAL}
    paths = [
        write(
            here,
            "levels",
            k=5,
            limit=0.9,
            method={"levels": {"n": 0, "town": 1}},
            release={"file": "folder", "table": "r", "suppressed": "mask"},
        ),
        write(here, "strict", reversed_columns, method={"type": "mondrian"}, limit=0.0),
        write(here, "rings", method={"type": "ring", "seed": 3, "sets": "array"}, limit=0.0),
        *(write(here, name, method=PLAIN[name]) for name in MOVED),
    ]
    before = snapshot(here)
    found = anonsql.compare(paths, queries=40)
    assert snapshot(here) == before
    assert [policy.policy for policy in found.policies] == ["levels", "strict", "rings", *MOVED]
    assert (found.records, found.queries, found.columns) == (60, 40, ["n", "town"])
    for path, line in zip(paths, found.policies):
        assert (line.status, line.reason) == ("met", None)
        report, measured = anonsql.run(path), anonsql.measure(path, WorkloadSettings(queries=40))
        assert (line.loss, line.discernibility) == (
            report.metrics["loss"],
            report.metrics.get("discernibility"),  # none of rings
        )
        assert (line.suppressed, line.risk, line.k) == (
            report.suppressed,
            report.risk.prosecutor.highest,
            report.k,
        )
        assert line.suppressed_share == pytest.approx(report.suppressed / 60)
        assert (line.gcp, line.error) == (measured.gcp, measured.error)
        assert line.gcp == pytest.approx(report.metrics["gcp"]) and line.seconds > 0
        assert line.relocated == (report.relocated.cell_share if report.relocated else None)
    assert found.policies[0].suppressed
    assert all(line.relocated > 0 == line.suppressed for line in found.policies[3:])
    assert (
        "relocated" not in found.best and "loss" not in found.best
    )  # only one relocates; the hierarchies differ in their order
    assert len({item.error.mean for item in found.policies}) > 2
    before = snapshot(here)  # with releases and catalogs
    assert anonsql.compare(paths[:1], queries=40).policies[0].error == found.policies[0].error
    assert snapshot(here) == before


def released_before_it_goes(monkeypatch, folder):
    """Keep what is measured: for each policy the queries, the staged file copied to the folder of
    its release."""
    kept, usefulness = [], trials.staged.usefulness

    def keeping(job, columns, asked, **more):
        (folder / f"kept{len(kept)}").mkdir()
        (folder / f"kept{len(kept)}" / "release.duckdb").write_bytes(job.target._built.read_bytes())
        kept.append(usefulness(job, columns, asked, **more))
        return kept[-1]

    monkeypatch.setattr(trials.staged, "usefulness", keeping)
    return kept


def words_of(query, values):
    """What a query asks of each column as a set, its places counted in the order of the column's
    values."""
    found = {}
    for name, ranges in query.conditions.items():
        known = sorted({value for value in values[name] if value is not None})
        found[name] = {
            known[place - 1] for first, last in ranges.places for place in range(first, last + 1)
        }
    return found


def same(error, estimates, truths):
    errors = [abs(estimate - truth) / max(truth, 1) for estimate, truth in zip(estimates, truths)]
    assert error.mean == pytest.approx(sum(errors) / len(errors)) and error.median == pytest.approx(
        quantile(errors, 0.5)
    )
    assert error.empty == truths.count(0) and any(errors)


def test_errors_are_those_of_sums_over_rows(here, monkeypatch):
    rows = rows_of(here / "source.duckdb", "FROM t")
    kept = released_before_it_goes(monkeypatch, here)
    (line,) = anonsql.compare(
        [write(here, "one", method={"type": "mondrian"})], queries=25
    ).policies
    values = {"n": {row[0] for row in rows}, "town": {row[1] for row in rows}}
    estimates, truths = [], []
    for query in kept[0].queries:
        asked = {"n": values["n"], "town": values["town"], **words_of(query, values)}
        truths.append(sum(n in asked["n"] and name in asked["town"] for n, name, _ in rows))
        estimate = 0.0
        for labels in rows_of(here / "kept0" / "release.duckdb", "SELECT n, town FROM r"):
            meant = [
                covered(label, values[name], NAMES) for name, label in zip(("n", "town"), labels)
            ]
            estimate += (
                len(meant[0] & asked["n"])
                / len(meant[0])
                * len(meant[1] & asked["town"])
                / len(meant[1])
            )
        estimates.append(estimate)
    same(line.error, estimates, truths)


def test_local_is_asked_the_same_and_answers_by_rows_and_buckets(here, monkeypatch):
    make_table(here / "source.duckdb", LOCAL_TYPES, LOCAL_ROWS, table="people")
    whole = policy_data(
        LOCAL_COLUMNS
        | {name: {"role": "qi", "hierarchy": {"type": "suppression"}} for name in ("n", "town")},
        k=2,
    )
    whole["columns"] |= {
        "n_private": {"role": "identifying"},
        "town_private": {"role": "identifying"},
    }
    kept = released_before_it_goes(monkeypatch, here)
    source = {"source": {"database": "source.duckdb", "table": "people"}}
    found = anonsql.compare(
        [Policy.parse(item | source, here) for item in (data_of(columns=LOCAL_COLUMNS), whole)],
        queries=25,
    )
    cells, _ = released_by(here / "kept0")
    values = {
        name: [row[number] for row in LOCAL_ROWS]
        for number, name in enumerate(("n", "town", "kind"))
    }
    estimates, truths = [], []
    for query in kept[0].queries:
        asked = words_of(query, values)
        truths.append(
            sum(
                all(values[name][number] in words for name, words in asked.items())
                for number in range(len(LOCAL_ROWS))
            )
        )
        estimates.append(
            sum(
                chance(cell, {name: words.__contains__ for name, words in asked.items()})
                for cell in cells
            )
        )
    same(found.policies[0].error, estimates, truths)
    assert [policy.status for policy in found.policies] == ["met", "met"] and kept[
        0
    ].queries == kept[1].queries
    assert found.columns == ["kind", "n", "town"] and [
        entry.policy for entry in found.policies
    ] == [
        "policy 1",
        "policy 2",
    ]
    assert any("buckets" in note for note in found.policies[0].notes) and any(
        "hierarchies or weights differ" in note for note in found.notes
    )
    assert (
        not {"loss", "gcp", "discernibility", "error"} & found.best.keys()
    )  # of local they mean something else


def test_the_population_counts_for_the_promise_alone(here):
    make_table(
        here / "people.duckdb",
        TYPES,
        random_rows(1) * 2 + [(n, "g" * (n - 19), "x") for n in range(20, 28)],
    )
    columns = {
        "n": {"role": "qi", "hierarchy": {"type": "suppression"}},
        "town": {"role": "qi", "hierarchy": {"type": "mask", "length": 8}},
    }
    path = write(here, "mapped", columns | {"ill": "sensitive"}, limit=0.5)
    data = yaml.safe_load(path.read_text())
    data["privacy"] |= {"k_map": 3, "population": {"database": "people.duckdb", "table": "t"}}
    path.write_text(yaml.safe_dump(data))
    (line,) = anonsql.compare([path], queries=30).policies
    anonsql.run(path)
    measured = anonsql.measure(path, WorkloadSettings(queries=30))
    assert (line.gcp, line.error) == (measured.gcp, measured.error) and line.promises == {
        "k_map": "3"
    }


def test_where_releases_go_nothing_is_looked_at(here):
    path = write(
        here, "one", release={"database": "release.duckdb", "table": "r"}, catalog="notes.duckdb"
    )
    (here / "release.duckdb").write_text("something else")
    (here / "notes.duckdb").write_text("and no catalog")
    elsewhere = write(here, "two", release={"database": "no folder/release.duckdb", "table": "r"})
    with workspace(here / "release.duckdb"):  # a run works on it
        before = snapshot(here)
        found = anonsql.compare([path, elsewhere], queries=5)
        assert snapshot(here) == before
    assert [policy.status for policy in found.policies] == ["met", "met"]
    (here / "notes.duckdb").unlink()
    (here / "release.duckdb").unlink()
    anonsql.run(path)
    held = Catalog.open(here / "notes.duckdb", Journal())
    anonsql.compare([path], queries=5)
    held.close()
    assert [run.command for run in anonsql.runs(here / "notes.duckdb").runs] == ["run"]


def test_what_fails_is_a_line(here, monkeypatch):
    missing = {
        "n": INTERVAL,
        "town": tree_file(here / "h" / "few.csv", [["e", "*"]]),
        "ill": "sensitive",
    }
    paths = [
        write(here, "many", k=61),
        write(here, "fits"),
        write(here, "missing", missing),
        write(here, "nobody", {"n": INTERVAL, "who": "sensitive"}),
    ]
    before = snapshot(here)
    found = anonsql.compare(paths, queries=5)
    assert snapshot(here) == before
    assert [policy.status for policy in found.policies] == ["not met", "met", "failed", "failed"]
    assert (
        "fewer than k=61" in found.policies[0].reason
        and "columns.town.hierarchy" in found.policies[2].reason
    )
    assert all(
        item.loss is None and item.error is None and item.seconds > 0
        for item in found.policies
        if item.reason
    )
    assert found.best == {} and found.records == 60
    assert cli("compare", paths[0], paths[2], "-q").exit_code == 1
    result = cli("compare", paths[2], "--quiet")
    assert (result.exit_code, result.stdout) == (
        2,
        "",
    ) and "missing: failed: columns.town.hierarchy" in flat(result.stderr)

    def broken(*_, **__):
        raise VerificationError(["2 classes are smaller than k=3"])

    monkeypatch.setattr(publishing, "prove", broken)
    found = anonsql.compare([paths[1]], queries=5)
    assert (
        found.policies[0].status == "not met"
        and "2 classes are smaller" in found.policies[0].reason
    )
    assert snapshot(here) == before

    def moved(*_, **__):
        raise BusyError("the source moved")

    monkeypatch.setattr(publishing, "prove", moved)
    with pytest.raises(BusyError):
        anonsql.compare([paths[1]])
    assert snapshot(here) == before


def test_refused_before_anything_runs(here, monkeypatch):
    make_table(here / "other.duckdb", TYPES, random_rows(2))
    make_table(here / "source.duckdb", TYPES, random_rows(2), table="u")
    one = write(here, "one", k=61)
    for name, source in (
        ("file", {"database": "other.duckdb", "table": "t"}),
        ("table", {"database": "source.duckdb", "table": "u"}),
    ):
        other = write(here, name, source=source)
        with pytest.raises(
            PolicyError,
            match=rf"one reads the table t of .*source\.duckdb, and {name} reads the table",
        ):
            anonsql.compare([one, other])
    os.symlink(here / "source.duckdb", here / "link.duckdb")
    linked = write(here, "linked", k=61, source={"database": "link.duckdb", "table": "t"})
    assert [policy.status for policy in anonsql.compare([one, linked], queries=3).policies] == [
        "not met",
        "not met",
    ]
    monkeypatch.setattr(pipeline, "go_through", None)
    with pytest.raises(PolicyError, match=r"one\.yaml: this policy is named twice"):
        anonsql.compare([one, here / "h" / ".." / "one.yaml"])
    wrong = [write(here, "wrong", k=0), write(here, "wronger", method={"type": "magic"})]
    with pytest.raises(PolicyError, match=r"(?s)wrong\.yaml: privacy\.k: .*wronger\.yaml: method"):
        anonsql.compare([one, *wrong])
    with pytest.raises(
        PolicyError, match=r"one: method\.sets|apart: release\.file: the method publishes 2 tables"
    ):
        columns = {"n": "qi", "town": "sensitive", "ill": "insensitive"}
        apart = write(
            here,
            "apart",
            columns,
            limit=0.0,
            method={"type": "anatomy"},
            release={"file": "r.parquet"},
        )
        data = yaml.safe_load(apart.read_text())
        data["privacy"]["l_diversity"] = {"town": 2}
        apart.write_text(yaml.safe_dump(data))
        anonsql.compare([one, apart])
    for nothing in ({"policies": []}, {"policies": [one], "queries": 0}):
        with pytest.raises(PolicyError):
            anonsql.compare(**nothing)


def test_other_columns(here):
    both, fewer = (
        write(here, "both"),
        write(here, "fewer", {"n": INTERVAL, "town": "insensitive", "ill": "sensitive"}),
    )
    other = write(here, "other", {"n": "insensitive", "town": town(here), "ill": "sensitive"})
    found = anonsql.compare([both, fewer], queries=20)
    assert found.columns == ["n"] and "both: n, town; fewer: n" in found.notes[0]
    assert not {"loss", "gcp", "discernibility"} & found.best.keys()
    assert found.policies[1].error == anonsql_measure(fewer)
    found = anonsql.compare([fewer, other], queries=20)
    assert found.columns == [] and found.queries == 0
    assert all(
        policy.error is None and "no query error" in policy.notes[0] for policy in found.policies
    )


def anonsql_measure(path):
    anonsql.run(path)
    return anonsql.measure(path, WorkloadSettings(queries=20)).error


def test_anatomy_is_told_to_hide_no_identity(here):
    path = write(here, "apart", limit=0.0, method={"type": "anatomy"})
    data = yaml.safe_load(path.read_text())
    data["privacy"]["l_diversity"] = {"ill": 2}
    path.write_text(yaml.safe_dump(data))
    found = anonsql.compare([path, write(here, "levels")], queries=10)
    assert (
        found.policies[0].error.mean == found.policies[0].gcp == 0
        and "not hidden" in found.policies[0].notes[0]
    )
    assert "error" not in found.best and "gcp" not in found.best and "loss" not in found.best


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ({}, ""),
        *cases("IN_FEW_WORDS").values(),
        ({"type": "mondrian", "mode": "relaxed", "cut": "median"}, "relaxed cut=median"),
        (
            {"minimize": "discernibility", "algorithm": "datafly"},
            "algorithm=datafly minimize=discernibility",
        ),
        ({"levels": {"n": 1}}, "levels given"),
        ({"type": "ring", "seed": 5}, ""),
    ],
)
def test_settings_in_few_words(tmp_path, method, words):
    policy = policy_in(tmp_path, {"n": INTERVAL}, method=method)
    assert trials.settings(policy) == words


def test_the_command(here):
    long = write(
        here,
        "a_name_of_a_policy_that_is_much_longer_than_any_column_of_a_table_could_be_wide",
        method={"type": "mondrian"},
    )
    (here / "sub").mkdir()
    two = write(here, "levels")
    three = here / "sub" / "levels.yaml"
    three.write_text(
        write(here, "many", k=61, source={"database": "../source.duckdb", "table": "t"}).read_text()
    )
    result = cli("compare", long, two, three, "--queries", 20)
    assert result.exit_code == 0, result.output
    table = result.stdout[: result.stdout.index(str(three))].splitlines()
    assert (
        max(map(len, table)) <= 80
        and "full-domain" in flat(result.stdout)
        and "*" in flat(result.stdout)
    )
    assert long.stem in "".join(line.split()[0] for line in table[3:] if line.split())
    lines = [
        table.index(next(entry for entry in table if entry.startswith(name)))
        for name in (long.stem[:9], str(two)[:9])
    ]
    assert "20 random COUNT queries over n, town" in flat(result.stdout)
    assert cli("compare", "--help").stdout.count("GCP")
    document = json.loads(cli("compare", long, two, three, "--queries", 20, "--json").stdout)
    errors = [policy["error"]["median"] for policy in document["policies"][:2]]
    assert (lines[0] < lines[1]) == (errors[0] <= errors[1])
    jsonschema.validate(
        document, json.loads((shipped("schemas") / "report.schema.json").read_text())
    )
    assert [item["policy"] for item in document["policies"]] == [long.stem, str(two), str(three)]
    assert document["best"]["loss"] == [long.stem] and document["policies"][2]["loss"] is None
    refused = cli("compare", two, two, "--json")
    assert refused.exit_code == 2 and json.loads(refused.stdout)["status"] == "failed"


def test_on_a_server_nothing_is_left(tmp_path):
    with closing(Postgres(tmp_path)) as server:
        server.make(TYPES, random_rows(4))
        server.connection.execute(
            f"CREATE SCHEMA {server.release}; CREATE TABLE {server.release}.r AS SELECT 1 AS"
            " precious"
        )
        data = policy_data(
            {"n": INTERVAL, "town": {"type": "suppression"}, "ill": "sensitive"}, k=3, limit=0.3
        )
        there = [
            policy_on(server, {**data, "method": {"type": method}})
            for method in ("mondrian", "ring")
        ]
        lost = policy_on(server, data | {"privacy": {"k": 500}})
        release = there[0].release.model_copy(
            update={"database": None, "table": None, "file": str(tmp_path / "released.parquet")}
        )
        in_a_file = there[0].model_copy(update={"release": release})
        found = anonsql.compare([*there, lost, in_a_file], queries=20)
        assert [policy.status for policy in found.policies] == ["met", "met", "not met", "met"]
        assert (
            server.schemas() == []
            and server.parts() == {"r"}
            and not (tmp_path / "released.parquet").exists()
        )
        assert server.read() == [(1,)]
        one, other = found.policies[0], found.policies[3]
        assert (one.loss, one.gcp, one.error) == (other.loss, other.gcp, other.error)
        server.connection.execute(f"DROP TABLE {server.release}.r")
        anonsql.run(there[0])
        measured = anonsql.measure(there[0], WorkloadSettings(queries=20))
        assert (one.gcp, one.error) == (measured.gcp, measured.error)


def compared_line(name, median, **more):
    """A line of a policy that is met."""
    error = {"mean": 1.0, "median": median, "ninetieth": 137.8, "empty": 0}
    basics = {
        **{"policy": name, "status": "met", "reason": None, "method": "mondrian", "settings": ""},
        **{"k": 5, "promises": {}, "suppression_limit": 0, "loss": 0.5, "gcp": 0.4},
        **{
            "discernibility": 123456789.0,
            "suppressed": 3,
            "suppressed_share": 0.02,
            "error": error,
        },
        **{"untrue": 0.0, "uniform": False, "risk": 0.2, "seconds": 12345.6},
    }
    return CompareLine.model_validate({**basics, **more})


def compared_report(*lines, best=None):
    place = {"database": "s.duckdb", "table": "t"}
    return CompareReport(
        source=place,
        records=9,
        columns=["a"],
        queries=10,
        sanity_bound=1,
        policies=lines,
        best=best or {},
        notes=[],
    )


def test_the_table_is_sorted_fits_and_ends_in_words():
    report = compared_report(
        compared_line("worse", 0.5, untrue=0.031, relocated=0.01, uniform=True),
        compared_line("none", 0.0, status="not met", reason="why", error=None),
        compared_line("better", 0.032, k=7),
        best={"error": ["better"], "loss": ["worse"]},
    )
    console = Console(width=80, file=io.StringIO())
    terminal.show(console, describe(report))
    printed = console.file.getvalue()
    assert max(map(len, printed.splitlines())) <= 80
    safety, usefulness = printed.split("\nThe policies\n")[1].split("\nUsefulness\n")
    table = safety[: safety.index("none: not met")]
    assert table.index("better") < table.index("worse") < table.index("none")
    assert all(words in table for words in ("3.1 %", "yes", "no", "not met"))
    figures = ("*3.2 %", "50 %", "above 1000 %", "12,345.6")
    assert all(words in usefulness for words in figures)
    closing = flat(printed[: printed.index("The policies")].partition("better answers")[2])
    closing = f"better answers {closing}"
    assert closing.startswith(
        "better answers queries best: half of them have an error of at most 3.2 %"
    )
    assert "worse loses least information." in closing
    assert "In worse 3.1 % of the rows have changed values." in closing
    assert "The promises differ" in closing


def test_equally_good_policies_are_named_together():
    found = in_words(compared_report(compared_line("a", 0.1), compared_line("b", 0.1)))
    assert found.startswith("a and b answer queries equally well")
    assert in_words(compared_report(compared_line("a", 0.1, status="failed"))) == ""


def test_what_is_untrue_and_uniform(here):
    found = anonsql.compare(
        [
            write(here, "uniform"),
            write(here, "groups", method={"type": "mondrian"}),
            *(write(here, name, k=7, method=PLAIN[name]) for name in MOVED),
        ],
        queries=5,
    )
    uniform, groups, *moved = found.policies
    assert (uniform.uniform, groups.uniform) == (True, False)
    assert uniform.untrue == groups.untrue == 0
    assert all(line.uniform and line.untrue > 0 for line in moved)
