"""`anonsql report`: what the pages of a release tell agrees with source, release and catalog; what
they must not hold is not in them; what is missing is said."""

import doctest
import errno
import json
import os
import random
import re
import stat
from itertools import pairwise
from pathlib import Path

import pytest
import vl_convert
import yaml

import anonsql
from anonsql import errors
from anonsql.features.report import charts, distributions, owner, promises, recipient
from anonsql.features.report.command import report
from anonsql.features.report.document import Bar, Distribution
from anonsql.features.report.released import says
from anonsql.features.risk import described as risks
from anonsql.policy.policy import Policy
from anonsql.presentation import numbers as shown
from anonsql.presentation import page, policy_text
from anonsql.version import __version__

from .browser import faults, overflow
from .methods import CHANGING
from .models import cases
from .support import (
    cli,
    editing,
    flat,
    in_file,
    make_table,
    opened,
    policy_data,
    rows_of,
    write_data,
)

RARE = "MARKER"
PLANTED = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=2>"
COLUMNS = {
    "name": "VARCHAR",
    "age": "INTEGER",
    "sex": "VARCHAR",
    "zip": "VARCHAR",
    "seen": "DATE",
    "weight": "DOUBLE",
    "note": "VARCHAR",
    PLANTED: "VARCHAR",
    "disease": "VARCHAR",
}
ROLES = {
    "name": "identifying",
    "age": {"type": "interval", "widths": [10, 20]},
    "sex": {"type": "suppression"},
    "zip": {"type": "mask", "length": 4},
    "seen": {"type": "date", "levels": ["year"]},
    "weight": "insensitive",
    "note": "insensitive",
    PLANTED: {"type": "suppression"},
    "disease": "sensitive",
}
VALUES = ["flu", "cancer", "asthma", PLANTED, "שפעת 😀", "a'b\"c"]


def people(count=300):
    """Rows with markers that fewer than k rows have, in every column that can hold text."""
    chance = random.Random(4)
    found = []
    for number in range(count):
        age = None if number % 60 == 59 else chance.randint(20, 79)
        seen = f"202{chance.randint(0, 5)}-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}"
        weight = round(chance.gauss(70, 10), 1)
        planted = chance.choice([PLANTED, "plain"])
        area = f"{chance.randint(1, 3)}00{number % 7}"
        row = [f"{RARE}-{number}", age, chance.choice("FM"), area, seen, weight]
        found.append([*row, chance.choice("xy"), planted, VALUES[number % len(VALUES)]])
    for number in range(3):
        found[number][6], found[number][8] = f"{RARE}{number}", f"{RARE}-{number}"
        found[number][3], found[number][5] = f"{RARE[number]}{RARE[number]}99", 987654.25 + number
    return found


def policy_of(**more):
    data = policy_data(ROLES, k=5, limit=0.1)
    data["source"] = {"database": "MARKER_source.duckdb", "table": "MARKER_table"}
    data["catalog"] = "MARKER_catalog.duckdb"
    return data | more


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release of planted names and markers, with its policy's file, published twice."""
    place = tmp_path_factory.mktemp("MARKER_folder")
    make_table(place / "MARKER_source.duckdb", COLUMNS, people(), table="MARKER_table")
    write_data(place, policy_of(), "MARKER_policy.yaml")
    anonsql.run(place / "MARKER_policy.yaml")
    anonsql.run(place / "MARKER_policy.yaml")
    return place


@pytest.fixture(scope="module")
def made(folder):
    """Both pages of the release, and those of its risks and of attacks on it."""
    policy = folder / "MARKER_policy.yaml"
    own = report(policy, folder / "owner.html", attack=True)
    found = {"source": True, "fraction": 0.1, "special": 2, "identifiers": True}
    anonsql.risk(policy, html=folder / "risk.html", **found)
    anonsql.attack(policy, html=folder / "attack.html", attempts=100)
    given = report(folder / "release.duckdb", folder / "handout.html", audience="recipient")
    return own, given


@pytest.fixture(scope="module")
def told(made):
    return made[0].owner


# what the owner's page tells


def test_the_verdict_is_that_of_the_run(folder, told):
    last = anonsql.runs(folder / "MARKER_policy.yaml").runs[0]
    assert told.run.run == last.run == 2
    assert (
        told.report.released
        == told.verified.released
        == rows_of(folder / "release.duckdb", "SELECT count(*) FROM r")[0][0]
    )
    assert told.missing == []
    (sizes,) = told.class_sizes
    assert sum(size.classes for size in sizes.sizes) == told.verified.classes
    assert min(entry.rows for entry in sizes.sizes) == told.verified.min_class >= 5
    assert told.report.seconds


def test_the_table_of_stages_adds_up(told):
    *stages, whole = charts.stages(told.report.seconds).rows
    assert [name for name, _ in stages] == [name.replace("_", " ") for name in told.report.seconds]
    assert whole == ["all", shown.seconds(sum(told.report.seconds.values()))]


def test_distributions_are_those_of_the_tables(folder, told):
    by_name = {column.column: column for column in told.columns}
    assert by_name["name"].released is None and by_name["name"].distribution is None
    rows = people()
    for name in ("note", "disease", PLANTED):
        place = list(COLUMNS).index(name)
        counts = {}
        for row in rows:
            counts[row[place]] = counts.get(row[place], 0) + 1
        bars = {bar.label: bar for bar in by_name[name].distribution.bars}
        known = {value: n for value, n in counts.items() if n >= 5}
        assert {label: bar.source for label, bar in bars.items() if label in counts} == known
        if len(known) < len(counts):
            pooled = bars[f"{len(counts) - len(known)} values of fewer than 5 rows each"]
            assert pooled.source == sum(n for n in counts.values() if n < 5)
        released = {}
        quoted = name.replace('"', '""')
        for value, n in rows_of(
            folder / "release.duckdb", f'SELECT "{quoted}", count(*) FROM r GROUP BY 1'
        ):
            released[value] = n
        if name != PLANTED:  # generalized: spread over the values that it covers
            assert {v: bars[v].released for v in known} == {v: released.get(v, 0) for v in known}
            total = sum(released.values())
            distance = sum(abs(counts[v] / len(rows) - released.get(v, 0) / total) for v in counts)
            assert by_name[name].distribution.distance == pytest.approx(distance / 2)
    for name in ("age", "seen", "weight"):
        spread = by_name[name].distribution
        assert spread.kind == "numbers" and spread.rows == len(rows)
        assert all(bar.source == 0 or bar.source >= 5 for bar in spread.bars)
        assert spread.released == pytest.approx(told.report.released)


def test_the_wasserstein_distance_is_the_area_between_the_two(folder, told):
    weights = sorted(row[5] for row in people())
    released = [item for (item,) in rows_of(folder / "release.duckdb", "SELECT weight FROM r")]
    area = 0.0
    for low, high in pairwise(weights):
        below = sum(entry <= low for entry in weights) / len(weights)
        after = sum(element <= low for element in released) / len(released)
        area += abs(below - after) * (high - low)
    weight = next(column for column in told.columns if column.column == "weight")
    assert weight.distribution.distance == pytest.approx(area)


def test_who_could_be_found_is_what_risk_and_attack_find(folder, told):
    policy = folder / "MARKER_policy.yaml"
    before, after = told.exposed["the original table"], told.exposed["the release"]
    untimed = {"seconds", "statements"}
    source = anonsql.risk(policy, source=True, special=3)
    assert before.model_dump(exclude=untimed) == source.model_dump(exclude=untimed)
    assert after.model_dump(exclude=untimed) == anonsql.risk(policy).model_dump(exclude=untimed)
    found = anonsql.attack(policy)
    assert told.attacked.model_dump(exclude=untimed) == found.model_dump(exclude=untimed)
    chart = risks.histogram(told.exposed)
    shares = {row[0]: [*row[2:]] for row in chart.figures.rows}
    assert shares["1"] == [shown.percent(before.unique / before.rows), shown.percent(0)]
    bars = chart.spec["layer"][0]["data"]["values"]
    for name in told.exposed:
        assert sum(bar["share"] for bar in bars if bar["of"] == name) == pytest.approx(1)
    lines = {line["says"]: line["size"] for line in chart.spec["layer"][1]["data"]["values"]}
    assert lines == {"0.2": "4", "1/11": "10", "0.05": "11 to 19"}
    page_text = (folder / "owner.html").read_text()
    assert "Singling out" in page_text and "Adversaries and attacks" in page_text


def test_no_page_of_risks_or_attacks_names_a_value(folder, made):
    for name in ("risk", "attack"):
        assert f"{RARE}-" not in (folder / f"{name}.html").read_text()


def test_usefulness_is_what_measure_finds(folder, told):
    measured = anonsql.measure(folder / "MARKER_policy.yaml", queries=2)
    found = told.usefulness
    assert (found.gcp, found.lost) == (measured.gcp, measured.penalties)
    assert found.analyses.queries == measured.usefulness.queries
    assert found.analyses.propensity == measured.usefulness.propensity


def test_no_value_of_few_rows_is_named_even_to_the_owner(folder, made):
    figures = made[0].model_dump_json()
    text = (folder / "owner.html").read_text(encoding="utf-8")
    for number in range(3):
        for value in (f"{RARE}{number}", f"{RARE}-{number}", str(987654.25 + number)):
            assert value not in figures and value not in text
    names = [
        value.value
        for column in made[0].owner.columns
        if column.released
        for value in column.released.common
    ]
    assert "flu" in names and PLANTED in names


# what the recipient's page holds


def test_nothing_of_source_policy_or_catalog_is_in_the_recipients_page(folder, made):
    content = (folder / "handout.html").read_bytes()
    assert RARE.encode() not in content and b"987654" not in content
    assert str(folder).encode() not in content and b"<script" not in content
    assert RARE not in made[1].model_dump_json(exclude={"page"})
    by_policy = report(folder / "MARKER_policy.yaml", folder / "same.html", audience="recipient")
    assert by_policy.recipient == made[1].recipient
    assert RARE.encode() not in (folder / "same.html").read_bytes()


def test_the_code_book_is_the_releases(folder, made):
    book = {column.column: column for column in made[1].recipient.columns}
    described = rows_of(folder / "release.duckdb", "SELECT column_name FROM r__columns")
    assert list(book) == [name for (name,) in described]
    for name in ("sex", "disease", PLANTED):
        quoted = name.replace('"', '""')
        counted = rows_of(
            folder / "release.duckdb", f'SELECT "{quoted}", count(*) AS n FROM r GROUP BY 1'
        )
        assert {item.value: item.rows for item in book[name].common} == {
            value: n for value, n in counted if n >= 5
        }
        assert book[name].values == len(counted)
        assert book[name].rare == sum(n < 5 for _, n in counted)


def test_the_queries_of_the_page_can_be_asked(folder, made):
    given = made[1].recipient
    with opened(folder / "release.duckdb", read_only=True) as client:
        for sql in given.queries:
            assert client.execute(sql).fetchall()
        for check in given.checks:
            assert check.sql is None or client.execute(check.sql).fetchall() == []
    assert any(check.sql for check in given.checks)
    assert anonsql.query(folder / "release.duckdb", given.question).answers[0].estimate > 0


# the files


@pytest.mark.parametrize("name", ["p.json", "p.JSON", "policy", "policy.conf", "p.yml"])
@pytest.mark.usefixtures("made")
def test_a_policy_has_any_name(folder, tmp_path, name):
    """A policy in JSON is one of YAML, too; ``run`` and ``verify`` take it by whatever name."""
    file = folder / name
    data = yaml.safe_load((folder / "MARKER_policy.yaml").read_text())
    file.write_text(json.dumps(data))
    table = data["release"]["table"]
    try:
        for audience in ("owner", "recipient"):
            told = report(file, tmp_path / f"{audience}.html", audience=audience)
            assert told.status == "written"
        assert anonsql.query(str(file), f"SELECT COUNT(*) FROM {table}").answers
        assert anonsql.attack(file, attempts=1, with_releases=[str(file)]).together.sets
    finally:
        file.unlink()


def test_the_owners_page_is_his_alone_and_the_recipients_is_not(folder, made):
    assert stat.S_IMODE((folder / "owner.html").stat().st_mode) == 0o600
    usual = folder / "usual"
    usual.write_text("")
    handout = stat.S_IMODE((folder / "handout.html").stat().st_mode)
    assert handout == stat.S_IMODE(usual.stat().st_mode)
    for item in made:
        assert item.bytes == os.path.getsize(item.page) < 3_000_000
    assert "counts of the original table" in (folder / "owner.html").read_text(encoding="utf-8")


def test_a_full_disk_leaves_the_old_page_and_nothing_else(folder, made, monkeypatch):
    before = (folder / "handout.html").read_bytes(), sorted(os.listdir(folder))

    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(errors.ResourceError, match="no space left"):
        report(folder / "release.duckdb", folder / "handout.html", audience="recipient")
    assert ((folder / "handout.html").read_bytes(), sorted(os.listdir(folder))) == before


def test_only_a_regular_file_is_replaced(folder, tmp_path):
    (tmp_path / "page.html").symlink_to(folder / "release.duckdb")
    for path in (tmp_path, tmp_path / "page.html", tmp_path / "none" / "page.html"):
        with pytest.raises(errors.PolicyError, match="--output"):
            report(folder / "release.duckdb", path, audience="recipient")
    assert (tmp_path / "page.html").is_symlink()


@pytest.mark.parametrize("name", ["release.duckdb", "MARKER_source.duckdb", "MARKER_policy.yaml"])
@pytest.mark.parametrize("audience", ["owner", "recipient"])
def test_what_is_no_page_is_not_replaced(folder, tmp_path, name, audience):
    policy = copied(folder, tmp_path)
    before = (tmp_path / name).read_bytes()
    with pytest.raises(errors.PolicyError, match=r"--output: .* is not a page.*Name another file"):
        report(policy, tmp_path / name, audience=audience)
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("text", ["", "<!doctype HTML><p>old</p>"])
def test_a_page_and_an_empty_file_are_replaced(folder, tmp_path, text):
    (tmp_path / "page.html").write_text(text)
    report(folder / "release.duckdb", tmp_path / "page.html", audience="recipient")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


# what is missing


def copied(folder, place, *without):
    """The folder of the release, without some of its files."""
    for path in folder.iterdir():
        if path.is_file() and path.name not in without:
            (place / path.name).write_bytes(path.read_bytes())
    return place / "MARKER_policy.yaml"


def missing(policy, place):
    told = report(policy, place / "page.html")
    text = (place / "page.html").read_text(encoding="utf-8")
    assert all(page.environment().filters["e"](item.why) in text for item in told.missing)
    return [(entry.what, entry.why) for entry in told.missing], told.owner


def test_a_catalog_that_is_gone_is_said(folder, tmp_path):
    policy = copied(folder, tmp_path, "MARKER_catalog.duckdb")
    found, told = missing(policy, tmp_path)
    assert [what for what, _ in found] == ["How the release was made: its run"]
    assert told.report is None and told.run is None and told.verified.classes > 1
    assert told.usefulness is not None and not (tmp_path / "MARKER_catalog.duckdb").exists()


def test_a_source_that_is_gone_is_said(folder, tmp_path):
    policy = copied(folder, tmp_path, "MARKER_source.duckdb")
    found, told = missing(policy, tmp_path)
    assert found[0][0].startswith("What was lost") and "MARKER_source.duckdb" in found[0][1]
    assert told.report is not None and told.usefulness is None
    assert all(column.distribution is None for column in told.columns)


def test_a_source_with_other_values_is_said(folder, tmp_path):
    policy = copied(folder, tmp_path)
    in_file(tmp_path / "MARKER_source.duckdb", "UPDATE MARKER_table SET sex = 'X'")
    found, told = missing(policy, tmp_path)
    assert "cover no value of the source" in found[0][1] and told.usefulness is None


def test_a_catalog_of_another_release_is_said(folder, tmp_path):
    policy = copied(folder, tmp_path)
    with opened(tmp_path / "MARKER_catalog.duckdb") as client:
        client.execute(
            "UPDATE runs SET report = replace(report, '\"released\":', '\"released\":1')"
        )
    found, told = missing(policy, tmp_path)
    assert "made this release" in found[0][1] and told.report is None and told.run is None


@pytest.mark.parametrize("field", ["levels", "classes", "min_class"])
def test_another_runs_report_of_as_many_rows_is_not_shown(folder, tmp_path, field):
    policy = copied(folder, tmp_path)
    with opened(tmp_path / "MARKER_catalog.duckdb") as client:
        recorded = client.execute("SELECT run, report FROM runs").fetchall()
        for number, text in recorded:
            made = json.loads(text)
            if field == "levels":
                made["levels"]["age"] += 1
            else:
                made[field] += 1
            client.execute("UPDATE runs SET report = ? WHERE run = ?", [json.dumps(made), number])
    found, told = missing(policy, tmp_path)
    assert "made this release" in found[0][1] and told.report is None and told.run is None
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The last one is the present release" not in flat(text)


def test_the_number_of_a_release_tells_its_run_where_it_is_recorded(folder, tmp_path):
    policy = copied(folder, tmp_path)
    made = anonsql.run(policy, if_changed=True)
    found, told = missing(policy, tmp_path)
    assert found == [] and told.report.seconds == made.seconds
    with editing(tmp_path / "release.duckdb") as client:
        client.execute(f"UPDATE r__about SET value = '{'0' * 16}' WHERE property = 'release'")
    found, told = missing(policy, tmp_path)
    assert "made this release" in found[0][1] and told.report is None and told.run is None


def test_a_release_of_another_version_says_so(folder, tmp_path):
    policy = copied(folder, tmp_path)
    with editing(tmp_path / "release.duckdb") as client:
        client.execute("UPDATE r__about SET value = '0.0.7' WHERE property = 'anonsql'")
    told = report(policy, tmp_path / "page.html").owner
    assert told.versions["anonsql, the release"] == "0.0.7"
    assert told.versions["anonsql, this page"] == __version__


def test_no_release_names_the_command_that_makes_one(folder, tmp_path):
    policy = copied(folder, tmp_path, "release.duckdb")
    for audience in ("owner", "recipient"):
        with pytest.raises(errors.PolicyError, match="anonsql run"):
            report(policy, tmp_path / "page.html", audience=audience)
    (tmp_path / "other.duckdb").write_bytes((tmp_path / "MARKER_source.duckdb").read_bytes())
    with pytest.raises(errors.PolicyError, match="not a release of anonsql"):
        report(tmp_path / "other.duckdb", tmp_path / "page.html", audience="recipient")
    with pytest.raises(errors.PolicyError, match="--for recipient"):
        report(folder / "release.duckdb", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_a_release_that_breaks_its_promise_gets_no_page(folder, tmp_path):
    policy = copied(folder, tmp_path)
    in_file(tmp_path / "release.duckdb", "UPDATE r SET sex = 'nobody else' WHERE rowid = 0")
    with pytest.raises(errors.VerificationError):
        report(policy, tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


# every method

METHODS = {
    "mondrian": {"method": {"type": "mondrian"}},
    "ring": {"method": {"type": "ring"}},
    **{name: {"method": settings} for name, settings in CHANGING.items()},
    "anatomy": {
        "method": {"type": "anatomy"},
        "privacy": {"k": 1, "l_diversity": {"disease": 2}},
    },
    "local": {
        "method": {"type": "local"},
        "privacy": {"k": 5, "suppression_limit": 0.1, "l_diversity": {"disease": 2, "age": 2}},
    },
    "several": {"privacy": {"k": 5, "quasi_identifiers": [["age"], ["sex", "zip", "seen"]]}},
}


@pytest.mark.parametrize("name", METHODS)
def test_pages_of_every_kind_of_method(name, tmp_path):
    rows = [person[:7] + person[8:] for person in people(120)]
    types = {column: kind for column, kind in COLUMNS.items() if column != PLANTED}
    make_table(tmp_path / "source.duckdb", types, rows)
    roles = {column: item for column, item in ROLES.items() if column != PLANTED}
    if name == "local":
        age = {"role": "semi-sensitive", "hierarchy": ROLES["age"], "sensitive_when": "weight > 75"}
        roles["age"] = age
    policy = Policy.parse(policy_data(roles, k=5, limit=0.1, **{}) | METHODS[name], tmp_path)
    ran = anonsql.run(policy)
    own = report(policy, tmp_path / "owner.html").owner
    given = report(policy, tmp_path / "handout.html", audience="recipient").recipient
    # the catalog keeps no values, so the page counts who is left out anew
    assert own.report == ran.model_copy(update={"left_out": []}) and own.missing == []
    assert own.usefulness.lost and own.promises[0].name.startswith("k = ")
    compared = {entry.column for entry in own.columns if entry.distribution}
    assert compared == set(types) - {"name"}
    text = (tmp_path / "owner.html").read_text(encoding="utf-8")
    shown_of = {"local": "in buckets"} | dict.fromkeys(CHANGING, "changed")
    assert name not in shown_of or f'">{shown_of[name]}</th>' in text
    assert (own.class_sizes == []) == (name == "ring")
    assert len(own.class_sizes) == (2 if name == "several" else 0 if name == "ring" else 1)
    assert given.class_sizes == own.class_sizes
    content = (tmp_path / "handout.html").read_bytes()
    assert RARE.encode() not in content and b"987654" not in content
    for value in {str(row[5]) for row in rows}:  # ranges and sets begin and end at such values
        assert f">{value}<".encode() not in content


# charts, words and secrets


def specs(path):
    """The specifications in a page, as its script reads them."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(r'<script type="application/json" class="chart">(.*?)</script>', text)
    return [json.loads(item) for item in found]


def test_every_chart_is_a_specification_that_compiles(folder, made):
    found = specs(folder / "owner.html") + specs(folder / "handout.html")
    assert len(found) > 8
    for spec in found:
        vega = vl_convert.vegalite_to_vega(spec)
        assert vega["marks"] and "url" not in json.dumps(spec)


def test_charts_say_what_their_figures_are():
    bars = [Bar(label="a", source=6, released=5.0), Bar(label="b", source=4, released=5.0)]
    found = Distribution(kind="names", bars=bars, rows=10, released=10.0, distance=0.1)
    chart = charts.distribution(found, 3)
    assert chart.name == "column-3" and "10 %" in chart.says
    assert chart.figures.rows == [("a", 6, "60 %", 5, "50 %"), ("b", 4, "40 %", 5, "50 %")]
    shares = [value["share"] for value in chart.spec["data"]["values"]]
    assert shares == [0.6, 0.5, 0.4, 0.5]
    equal = found.model_copy(update={"distance": 0.0})
    assert "the same as before" in charts.distribution(equal, 1).says


@pytest.mark.parametrize(
    "module", [distributions, policy_text, promises, shown, page], ids=lambda m: m.__name__
)
def test_examples_in_docstrings(module):
    assert doctest.testmod(module) == (0, doctest.testmod(module).attempted)
    assert doctest.testmod(module).attempted


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("l_diversity.d", "distinct 3"),
        ("l_diversity.d", "entropy 2.5 min_range=0.2"),
        ("l_diversity.d", "recursive 3 c=2"),
        ("t_closeness.d", "ordered 0.2"),
        ("alpha_k.d", "0.5 of some values"),
        *cases("IN_WORDS").items(),
        ("k_map", "7"),
        ("differential.epsilon", "1"),
        ("delta_presence", "0.1 to 0.5"),
        ("p", "0.05"),
        ("alpha", "0.01"),
        ("min_bucket", "4"),
    ],
)
def test_every_promise_has_words(name, what):
    (_, one) = promises.of(5, "full-domain", {name: what})
    assert one.name == f"{name} {what}" and one.says.endswith(".") and "keeps “" not in one.says
    assert promises.stated({name: what, "rows": "9"}) == {name: what}


def test_a_promise_of_others_is_told_as_it_is_written():
    (_, one) = promises.of(5, "full-domain", {"own_model.d": "red 3"})
    assert "own_model.d: red 3" in one.says


def test_every_form_of_a_label_has_words(made):
    for column in made[1].recipient.columns:
        explained = says(column)
        assert explained and "does not cover it" not in explained


def test_secrets_are_not_in_the_policys_text(tmp_path):
    data = policy_data({"a": "qi"}, k=2, method={"type": "ring", "seed": 987123})
    data["source"] = {"database": "postgresql://me:MARKER@host/db", "table": "t"}
    data["release"] = {"database": "postgresql://me:${PASSWORD}@host/db", "table": "r"}
    data["engine"] = {"spark": {"fs.s3a.secret.key": "MARKER", "spark.executor.memory": "8g"}}
    for policy in (data, tmp_path / "policy.yaml"):
        (tmp_path / "policy.yaml").write_text("# MARKER\n" + json.dumps(data), encoding="utf-8")
        text = policy_text.shown(Policy.of(policy))
        assert "MARKER" not in text and "987123" not in text
        assert "me:***@host" in text and "${PASSWORD}" in text and "8g" in text


# the command


def test_the_command(folder, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = tmp_path / "page.html"
    done = cli("report", folder / "release.duckdb", "--for", "recipient", "-o", path, "--open")
    assert done.exit_code == 0 and "made from the release only" in flat(done.stdout)
    assert opened == [path.as_uri()]
    done = cli("report", folder / "MARKER_policy.yaml", "-o", path, "--json")
    document = json.loads(done.stdout)
    assert document["status"] == "written" and document["page"] == str(path)
    assert document["owner"]["verified"]["k"] == 5 and document["recipient"] is None
    assert cli("report", tmp_path / "none.yaml", "-o", path).exit_code == 2
    assert cli("report", folder / "MARKER_policy.yaml", "--for", "nobody").exit_code == 2


def test_the_function_refuses_other_readers(folder, tmp_path):
    with pytest.raises(errors.PolicyError, match="owner or recipient"):
        anonsql.report(folder / "MARKER_policy.yaml", tmp_path / "x.html", audience="all")
    with pytest.raises(errors.PolicyError, match="for its owner"):
        anonsql.report(folder / "release.duckdb", tmp_path / "x", audience="recipient", attack=True)


# in a browser


@pytest.mark.parametrize("name", ["owner", "handout", "risk", "attack"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_in_a_browser(name, scheme, folder, made, visit):
    opened = visit(folder / f"{name}.html", scheme=scheme)
    drawn = opened.locator("figure.chart .plot svg").count()
    assert drawn == len(specs(folder / f"{name}.html"))
    for width in (390, 1280, 2560):
        opened.set_viewport_size({"width": width, "height": 900})
        assert overflow(opened) <= 0, width
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.className") == "skip"
    assert opened.locator("h1").inner_text()
    assert name == "attack" or PLANTED in opened.inner_text("main")


def test_a_planted_name_of_a_table_is_text(tmp_path, visit):
    name = f"{PLANTED} \u202e 😀 \"'"
    types, rows = {"a": "VARCHAR", PLANTED: "VARCHAR"}, [("x", "y")] * 9
    make_table(tmp_path / "source.duckdb", types, rows, table=name)
    data = policy_data({"a": {"type": "suppression"}, PLANTED: "sensitive"}, k=2)
    data["source"]["table"] = data["release"]["table"] = name
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    report(policy, tmp_path / "owner.html")
    given = report(policy, tmp_path / "handout.html", audience="recipient").recipient
    assert all(rows_of(tmp_path / "release.duckdb", sql) for sql in given.queries)
    anonsql.attack(policy, html=tmp_path / "attack.html")
    for page_name in ("owner", "handout", "attack"):
        opened = visit(tmp_path / f"{page_name}.html")
        assert PLANTED in opened.inner_text("main")
        assert name in opened.locator("h1").inner_text()
        assert opened.locator("img").count() == 0


@pytest.mark.parametrize("name", ["owner", "handout", "risk", "attack"])
def test_pages_are_accessible(name, folder, made, visit):
    opened = visit(folder / f"{name}.html", bypass_csp=True)
    assert faults(opened) == []


def test_a_printed_page_shows_all_tables_and_only_then(folder, made, visit):
    opened = visit(folder / "owner.html")
    closed = "document.querySelectorAll('details:not([open])').length"
    before = opened.evaluate(closed)
    assert before > 0
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.evaluate(closed) == 0
    opened.evaluate("dispatchEvent(new Event('afterprint'))")
    assert opened.evaluate(closed) == before
    assert opened.pdf()[:4] == b"%PDF"


def test_a_dark_page_is_printed_light_and_within_the_paper(folder, made, visit):
    opened = visit(folder / "owner.html", scheme="dark", width=700)
    ink = "getComputedStyle(document.body).color"
    assert opened.evaluate(ink) == "rgb(230, 232, 234)"
    opened.emulate_media(media="print", color_scheme="dark")
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.evaluate(ink) == "rgb(29, 35, 43)"
    assert overflow(opened) <= 0


def test_charts_are_drawn_for_whoever_does_not_scroll(folder, made, browser):
    context = browser.new_context()
    opened = context.new_page()
    opened.goto((folder / "owner.html").as_uri())
    plots, wanted = opened.locator("figure.chart .plot svg"), len(specs(folder / "owner.html"))
    for _ in range(200):
        if plots.count() == wanted:
            break
        opened.wait_for_timeout(100)
    assert plots.count() == wanted
    assert opened.evaluate("scrollY") == 0
    context.close()


def test_tooltips_are_text(folder, made, visit):
    opened = visit(folder / "owner.html")
    figure = opened.locator("figure.chart", has_text="שפעת").first
    figure.scroll_into_view_if_needed()
    bars = figure.locator("svg .mark-rect.role-mark path")
    seen = set()
    for place in range(bars.count()):
        box = bars.nth(place).bounding_box()
        opened.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
        seen.add(opened.locator(".tooltip").text_content())
    assert any(PLANTED in item for item in seen)
    assert opened.locator(".tooltip script, .tooltip img").count() == 0


FILES = [path for path in Path(page.__file__).parent.iterdir() if path.is_file()]


def test_no_template_lets_markup_through():
    for path in FILES:
        if path.name.endswith(".j2"):
            source = path.read_text(encoding="utf-8")
            assert "| safe" not in source and "autoescape" not in source, path.name


def test_rendering_is_made_of_the_documents_alone(made):
    own, given = made
    assert owner.page_of(own.owner) == owner.page_of(own.owner)
    assert given.recipient.table in recipient.page_of(given.recipient)


@pytest.mark.parametrize("until", [None, "2001-01-31", "2099-12-31"])
def test_the_page_names_the_recipient_and_the_next_review(tmp_path, until):
    """No release follows from the recipient: a run is not made again for another one."""
    make_table(tmp_path / "source.duckdb", {"a": "INTEGER", "d": "VARCHAR"}, [(1, "x")] * 9, "t")
    columns = {"a": {"type": "interval", "widths": [10]}, "d": "sensitive"}
    data = policy_data(columns, k=2)
    path = write_data(tmp_path, data)
    anonsql.run(path)
    named = {"who": "analysts <b>", "means": "a register", "terms": "a contract"}
    data["release"]["for"] = named | ({"until": until} if until else {})
    path = write_data(tmp_path, data)
    assert anonsql.run(path, if_changed=True).status == "unchanged"
    assert not Policy.load(path).model_dump()["release"].get("for")
    text = Path(report(path, tmp_path / "page.html").page).read_text()
    for heading in ("Context", "Adversaries and attacks", "Testing", "Residual risk"):
        assert re.search(f"<h2[^>]*>{heading}</h2>", text)
    assert "analysts &lt;b&gt;" in text and "a register" in text and "a contract" in text
    review = text[text.index("Monitoring and next review</h2>") :].partition("</section>")[0]
    assert (until or "release.for.until") in review
    assert ('class="warn"' in review) == (until == "2001-01-31")


def test_figures_of_the_record_are_marked(folder, told):
    """Without the catalog no figure is marked, as none is there."""
    marked = owner.page_of(told).count("run&#39;s record</span>")
    alone = owner.page_of(told.model_copy(update={"report": None, "run": None}))
    assert marked >= 2 and "run&#39;s record</span>" not in alone
