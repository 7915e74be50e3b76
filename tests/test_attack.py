"""``anonsql attack``: what it finds by hand, releases that were spoiled, and every method."""

import json
import random
import re
from collections import Counter

import pytest
import yaml

import anonsql
from anonsql.attacks.statistics import Counted, residual
from anonsql.errors import PolicyError
from anonsql.features.attack.described import to_do
from anonsql.policy.policy import Policy

from .engines import policy_on
from .methods import PLAIN
from .support import cli, in_file, make_source, policy_data, policy_over, write_data

SUPPRESSION = {"role": "qi", "hierarchy": {"type": "suppression"}}
GROUPS = {
    "g": {"role": "qi", "hierarchy": {"type": "mask", "length": 3}},
    "disease": "sensitive",
}
TYPES = {"g": "VARCHAR", "disease": "VARCHAR"}


def grouped(values, groups=40):
    """Rows of some classes that all have these values."""
    return [(f"{group:03}", value) for group in range(groups) for value in values]


def published(folder, rows, k, columns=GROUPS, types=TYPES, **more):
    policy = policy_over(folder, types, rows, columns, k=k, **more)
    anonsql.run(policy)
    return policy


def advised(policy, report):
    """The policy with the line that a report ends with."""
    line, *_ = re.findall("`(.*?)`", report.to_do)
    line, data = yaml.safe_load(line), policy.model_dump(exclude_unset=True)
    data |= {"columns": data["columns"] | line} if "under `columns`" in report.to_do else line
    return Policy.parse(data, policy.origin.folder)


def by(report, kind):
    return {one.by: one for one in report.attacks if one.kind == kind}


def test_intervals_are_wilsons():
    assert Counted(100, 10).interval(0.95) == pytest.approx((0.0552, 0.1744), abs=1e-4)
    assert Counted(10, 0).interval(0.95) == pytest.approx((0, 0.2775), abs=1e-4)
    assert Counted(0, 0).interval(0.95) == (0, 1) and Counted(0, 0).rate is None
    left = residual(Counted(10_000, 5_000), Counted(10_000, 2_500), 0.95)
    assert left.risk == pytest.approx(1 / 3)
    error = 1.96 * ((0.005 / 0.75) ** 2 + (0.00433 * 0.5 / 0.75**2) ** 2) ** 0.5
    assert (left.lower, left.upper) == pytest.approx((1 / 3 - error, 1 / 3 + error), abs=1e-3)
    assert residual(Counted(10, 10), Counted(10, 10), 0.95).risk == 0
    assert residual(Counted(10, 1), Counted(10, 5), 0.95).risk == 0
    assert residual(Counted(0, 0), Counted(10, 5), 0.95) is None


def test_the_own_row_is_left_out_in_the_control(tmp_path):
    """Of x, x, y most say x, which two of three have; without the own row it is a draw for an x,
    and wrong for y: a third of all. The value that is most frequent in all is right more often."""
    rows = grouped("xxy", 20) + [(f"1{group:02}", value) for group in range(19) for value in "yyx"]
    policy = published(tmp_path, rows, 3)
    (found,) = by(anonsql.attack(policy, kinds=["inference"]), "inference").values()
    assert (found.attack.guesses, found.attack.successes, found.certain) == (117, 78, 0)
    assert (found.control.guesses, found.control.successes) == (117, 59)
    rows = [(f"{g:03}", value) for g in range(40) for value in ("aaaab", "cccca")[g % 2]]
    (folder := tmp_path / "of_five").mkdir()
    policy = published(folder, rows, 3)
    (found,) = by(report := anonsql.attack(policy, kinds=["inference"]), "inference").values()
    assert (found.attack.successes, found.control.successes) == (160, 160)
    assert (report.classes, report.by_classes, report.below_k) == (40, 0.2, 0)


def test_a_control_of_rows_that_were_not_released(tmp_path):
    """They have all values of the released ones but y, so that the guess x is right."""
    policy = published(tmp_path, grouped("xxy"), 3)
    in_file(tmp_path / "source.duckdb", "CREATE TABLE others AS FROM t WHERE disease = 'x'")
    report = anonsql.attack(policy, control="others", attempts=1_000)
    (found,) = by(report, "inference").values()
    assert (report.control, found.control.guesses, found.control.successes) == ("table", 80, 80)
    assert (found.risk, found.beyond) == (0, False)


def test_links_are_as_likely_as_the_classes_are_small(tmp_path):
    """Who knows the class and the serial number takes the right one of four rows by chance."""
    rows = [(f"{i // 4:03}", "x", i) for i in range(400)]
    columns = {**GROUPS, "serial": "insensitive"}
    policy = published(tmp_path, rows, 4, columns, {**TYPES, "serial": "INTEGER"})
    report = anonsql.attack(policy, kinds=["linkability"], seed=3)
    found = by(report, "linkability")["labels → kept columns"]
    assert found.attack.rate == 1 / 4
    assert found.control.successes == 0 and not found.beyond


def test_a_kept_column_that_names_rows_singles_out(tmp_path):
    rows = [(f"{i // 5:03}", "xyzxy"[i % 5], 7 * i) for i in range(200)]
    columns = {**GROUPS, "serial": "insensitive"}
    policy = published(tmp_path, rows, 5, columns, {**TYPES, "serial": "INTEGER"})
    report = anonsql.attack(policy)
    found = by(report, "singling-out")
    assert found["labels"].attack.guesses == 0
    kept = found["kept columns"]
    assert (kept.attack.guesses, kept.attack.successes) == (200, 200)
    assert kept.beyond and "100 % of the guesses single out one person" in kept.means
    policy = advised(policy, report)
    assert policy.columns["serial"].role == "quasi-identifying"
    anonsql.run(policy)
    assert not any(one.beyond for one in by(anonsql.attack(policy), "linkability").values())


@pytest.mark.parametrize(
    ("promised", "line"),
    [
        ({}, "l_diversity: {disease: 2}"),
        ({"l_diversity": {"disease": 2}}, "t_closeness: {disease: 0.3}"),
        ({"l_diversity": {"disease": 2}, "t_closeness": {"disease": 0.4}}, "k: 6"),
    ],
    ids=["nothing", "diversity", "both"],
)
def test_what_to_do_about_inference(tmp_path, promised, line):
    """A column that is promised more and more of; k where there is nothing else."""
    rows = grouped("xxxy", 20) + [
        (f"1{group:02}", value) for group in range(20) for value in "xyyy"
    ]
    policy = published(tmp_path, rows, 3, privacy=promised)
    report = anonsql.attack(policy, kinds=["inference"], confidence=0.5)
    (found,) = report.attacks
    attack = found.model_copy(update={"beyond": True, "lower": 0.5})
    text = to_do(policy, [attack], {"disease": 2}, broken=False, short=False)
    assert text.startswith("To reduce inference by labels → disease, write `") and line in text
    assert report.to_do == ("These attacks require no change." if not report.beyond else text)
    assert advised(policy, report.model_copy(update={"to_do": text})) != policy


def test_what_to_do_about_values_that_single_rows_out(tmp_path):
    """A greater k, or diversity, leaves the values as they are: they have to be rounded."""
    rows = [(f"{n % 4:03}", n * 1.5, n % 3) for n in range(200)]
    types = {"g": "VARCHAR", "disease": "DOUBLE", "ward": "INTEGER"}
    policy = published(tmp_path, rows, 3, {**GROUPS, "ward": "insensitive"}, types)
    report = anonsql.attack(policy, kinds=["singling-out"])
    assert {one.by for one in report.attacks if one.beyond} >= {"kept columns"}
    assert "columns.disease" in report.to_do and "change" in report.to_do
    data = policy.model_dump(exclude_unset=True)
    data["columns"]["disease"] = {"role": "sensitive", "change": {"round": 100}}
    rounded = Policy.parse(data, tmp_path)
    anonsql.run(rounded)
    assert "columns.disease" not in anonsql.attack(rounded, kinds=["singling-out"]).to_do


def test_a_class_below_k_is_found(tmp_path):
    alone = [(f"{90 + i}9", "x") for i in range(10)]
    columns = {"g": {"role": "qi", "max_level": 0, **GROUPS["g"]}, "disease": "sensitive"}
    policy = published(tmp_path, grouped("xxyyz") + alone, 5, columns, limit=0.2)
    assert not anonsql.attack(policy, kinds=["linkability"]).below_k
    in_file(tmp_path / "release.duckdb", *(f"INSERT INTO r VALUES {row}" for row in alone))
    report = anonsql.attack(policy, kinds=["singling-out"])
    assert (report.below_k, report.smallest_class, report.beyond) == (10, 1, True)
    assert report.to_do.startswith("Replace the release by `anonsql run`")
    alone = by(report, "singling-out")["labels"]
    assert (alone.attack.guesses, alone.attack.successes) == (10, 10) and alone.beyond


def test_a_value_without_alternative_is_found_where_diversity_is_promised(tmp_path):
    policy = published(tmp_path, grouped("xxyyz"), 5, privacy={"l_diversity": {"disease": 2}})
    clean = by(anonsql.attack(policy, kinds=["inference"]), "inference")
    assert not any(found.beyond for found in clean.values())
    rows = "SELECT g FROM r GROUP BY g ORDER BY g LIMIT 1"
    in_file(tmp_path / "source.duckdb", "UPDATE t SET disease = 'z' WHERE g = '000'")
    in_file(tmp_path / "release.duckdb", f"UPDATE r SET disease = 'z' WHERE g = ({rows})")
    (found,) = by(anonsql.attack(policy, kinds=["inference"]), "inference").values()
    assert (found.certain, found.beyond) == (5, True)
    assert "diversity rules out" in found.means
    assert anonsql.attack(policy, kinds=["inference"]).to_do.startswith("Replace the release")


def test_rows_in_another_order_than_their_own_are_found(tmp_path):
    policy = published(tmp_path, grouped("xxyyz"), 5)
    assert not anonsql.attack(policy, kinds=["linkability"]).order
    in_file(tmp_path / "release.duckdb", "CREATE OR REPLACE TABLE r AS FROM r ORDER BY g DESC")
    report = anonsql.attack(policy, kinds=["linkability"])
    assert report.order and report.beyond


def test_drawn_values_single_out_by_chance_alone(tmp_path):
    """One of the twenty values that a label stands for is the right one."""
    rows = [(10 * (i // 10), "x", i) for i in range(200)]
    columns = {"g": {"role": "qi", "hierarchy": {"type": "interval", "widths": [20, 40]}}}
    columns |= {"disease": "sensitive", "serial": "insensitive"}
    types = {"g": "INTEGER", "disease": "VARCHAR", "serial": "INTEGER"}
    policy = published(tmp_path, rows, 20, columns, types, release={"completed": 2})
    drawn = by(anonsql.attack(policy, kinds=["singling-out"]), "singling-out")
    drawn = drawn["all columns, drawn"]
    assert drawn.attack.guesses == 200 and 3 < drawn.attack.successes < 20 and not drawn.beyond
    (tmp_path / "exact").mkdir()
    policy = published(tmp_path / "exact", rows, 10, columns, types, release={"completed": 1})
    drawn = by(anonsql.attack(policy, kinds=["singling-out"]), "singling-out")
    drawn = drawn["all columns, drawn"]
    assert drawn.attack.successes == 200


def test_nothing_is_found_in_large_classes_of_chance(tmp_path):
    draw = random.Random(5)
    rows = [(f"{i % 6:03}", draw.choice("xyz")) for i in range(1_800)]
    report = anonsql.attack(published(tmp_path, rows, 100))
    assert not report.beyond and report.below_k == 0
    assert report.to_do == "These attacks require no change."
    assert not report.not_attacked
    assert all(one.attack.guesses == 0 or one.risk < 0.1 for one in report.attacks)


def test_every_engine_counts_the_same(everywhere):
    rows = grouped("xxy", 8) + [(f"1{group:02}", value) for group in range(6) for value in "yyx"]
    everywhere.make(TYPES, rows)
    policy = policy_on(everywhere, policy_data(GROUPS, k=3, release={"completed": 1}))
    anonsql.run(policy)
    report = anonsql.attack(policy)
    for drawn in ("", ", drawn"):
        found = by(report, "inference")[f"labels → disease{drawn}"]
        assert (found.attack.guesses, found.attack.successes) == (42, 28)
        assert found.control.successes == 22
    assert (report.classes, report.below_k, report.beyond) == (14, 0, True)
    alone = by(report, "singling-out")["all columns, drawn"]
    assert (alone.attack.guesses, alone.attack.successes) == (14, 14)


@pytest.mark.parametrize("method", PLAIN.values(), ids=list(PLAIN))
def test_every_method_is_attacked(tmp_path, method):
    draw = random.Random(2)
    rows = [
        (draw.randrange(40), draw.choice("fm"), draw.choice("vwxyz"), draw.randrange(3))
        for _ in range(120)
    ]
    columns = {
        "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10, 20]}},
        "sex": SUPPRESSION,
        "disease": "sensitive",
        "visits": "insensitive",
    }
    types = {"age": "INTEGER", "sex": "VARCHAR", "disease": "VARCHAR", "visits": "INTEGER"}
    needs = {"l_diversity": {"disease": 2}} if method["type"] in ("anatomy", "local") else {}
    policy = published(tmp_path, rows, 3, columns, types, method=method, privacy=needs)
    report = anonsql.attack(policy, attempts=200)
    (inferred,) = by(report, "inference").values()
    assert inferred.attack.guesses == 120 and inferred.attack.successes > 120 / 5
    assert len(by(report, "singling-out")) == 3 and len(by(report, "linkability")) == 2
    assert not report.beyond or advised(policy, report) != policy


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attempts": 0}, "0 attempts cannot find anything"),
        ({"kinds": ["inferense"]}, "no attack 'inferense'. Did you mean"),
        ({"confidence": 1}, "1 is not a valid confidence"),
        ({"control": "nobody"}, "nobody"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path, options, words):
    policy = published(tmp_path, grouped("xy", 2), 2)
    with pytest.raises(PolicyError, match=words):
        anonsql.attack(policy, **options)


def test_fewer_targets_are_looked_for_among_many_rows(tmp_path, monkeypatch):
    policy = published(tmp_path, grouped("xxyyz", 8), 40, limit=0.0)
    monkeypatch.setattr("anonsql.attacks.sides.MOST_PAIRS", 2)
    report = anonsql.attack(policy, kinds=["inference", "linkability"], attempts=32)
    assert [one.attack.guesses for one in report.attacks] == [2, 2, 2]
    monkeypatch.setattr("anonsql.attacks.sides.MOST_PAIRS", 0)
    with pytest.raises(PolicyError, match="Leave this attack out"):
        anonsql.attack(policy, kinds=["inference"])


def test_what_cannot_be_attacked_is_refused(tmp_path):
    policy = policy_over(tmp_path, TYPES, grouped("xy", 2), GROUPS, k=2)
    with pytest.raises(PolicyError, match="does not exist"):
        anonsql.attack(policy)
    anonsql.run(policy)
    in_file(tmp_path / "source.duckdb", "CREATE TABLE lacking AS SELECT g FROM t")
    with pytest.raises(PolicyError, match="lacks columns of the source: 'disease'"):
        anonsql.attack(policy, control="lacking")
    in_file(tmp_path / "release.duckdb", "ALTER TABLE r RENAME g TO h")
    with pytest.raises(PolicyError, match="no labels of 'g'"):
        anonsql.attack(policy)
    in_file(tmp_path / "release.duckdb", "ALTER TABLE r RENAME h TO g", "DELETE FROM r")
    with pytest.raises(PolicyError, match="it has no rows"):
        anonsql.attack(policy)


def test_one_row_is_attacked(tmp_path):
    """It is alone with what is known of nobody else."""
    policy = published(tmp_path, grouped("xy", 1), 2)
    in_file(tmp_path / "source.duckdb", "DELETE FROM t WHERE disease = 'y'")
    in_file(tmp_path / "release.duckdb", "DELETE FROM r WHERE disease = 'y'")
    report = anonsql.attack(policy)
    assert (report.rows, report.below_k, report.beyond) == (1, 1, True)
    (found,) = by(report, "inference").values()
    assert (found.attack.successes, found.control.successes, found.risk) == (1, 1, 0)


def test_without_a_sensitive_column_there_is_no_inference(tmp_path):
    columns = {"g": GROUPS["g"], "disease": "insensitive"}
    policy = published(tmp_path, grouped("xy", 2), 2, columns)
    with pytest.raises(PolicyError, match="no column of the policy is sensitive"):
        anonsql.attack(policy, kinds=["inference"])
    report = anonsql.attack(policy)
    assert [left.kind for left in report.not_attacked] == ["inference"]


def test_the_command(tmp_path):
    make_source(tmp_path, TYPES, grouped("xxy"))
    path = write_data(tmp_path, policy_data(GROUPS, k=3))
    anonsql.run(path)
    shown = " ".join(cli("attack", path, "--attempts", 50).output.split())
    assert "120 released rows in 40 classes by full-domain, k = 3" in shown
    assert "labels → disease" in shown and "singling-out by all columns: 100 %" in shown
    assert shown.endswith(
        "To reduce singling-out by all columns, write `privacy: {k: 3, suppression_limit: 0.0,"
        " l_diversity: {disease: 2}}` into the policy and run it again."
    )
    kinds = "inference,linkability"
    document = json.loads(cli("attack", path, "--json", "--kinds", kinds).stdout)
    assert Counter(one["kind"] for one in document["attacks"]) == {"inference": 1, "linkability": 2}
