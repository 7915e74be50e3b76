"""Advice on methods and k: figures as `compare` has them, the choices that none beats, and one that
is recommended, in words that are true of the table."""

import io
import json
import random
import re
from contextlib import closing
from dataclasses import replace

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import anonsql
from anonsql.errors import BusyError, PolicyError
from anonsql.features.advise import command
from anonsql.features.advise import decision as choices
from anonsql.features.advise.choices import choices_of, weights_of
from anonsql.features.advise.decision import COUNTS
from anonsql.features.advise.described import describe
from anonsql.features.advise.document import Change, SampleSize
from anonsql.features.advise.trials import FIXED, LEAST, MOST, Trials, untried
from anonsql.features.compare.document import ColumnEntries, CompareLine, with_front
from anonsql.features.compare.staged import in_words
from anonsql.features.compare.trials import Trial, Tried
from anonsql.features.measure.document import QueryError
from anonsql.features.measure.usefulness import measuring
from anonsql.jobs.samples import Size
from anonsql.policy.policy import Policy
from anonsql.presentation import terminal
from anonsql.schemas import schemas

from .engines import Postgres, policy_on
from .methods import PLAIN
from .support import (
    cli,
    flat,
    make_source,
    policy_data,
    released_rows,
    rows_of,
    write_data,
)
from .test_compare import snapshot

INTERVAL = {"type": "interval", "widths": [5, 10, 40]}
COLUMNS = {
    "age": INTERVAL,
    "day": {"type": "date", "levels": ["month", "year"]},
    "sex": {"type": "suppression"},
    "zip": {"type": "mask", "length": 3},
    "ill": "sensitive",
}
TYPES = {"age": "INTEGER", "day": "DATE", "sex": "VARCHAR", "zip": "VARCHAR", "ill": "VARCHAR"}


@pytest.fixture
def policy(tmp_path):
    rows = [
        (
            20 + i % 40,
            f"2024-{1 + i % 12:02}-{1 + i % 28:02}",
            "mf"[i % 2],
            f"1{i % 10}0",
            "xyz"[i % 3],
        )
        for i in range(240)
    ]
    make_source(tmp_path, TYPES, rows)
    return written(tmp_path)


def written(folder, **more):
    path = folder / "policy.yaml"
    data = policy_data(COLUMNS, **{"k": 4, "limit": 0.1, **more})
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


def test_figures_are_those_of_compare_and_nothing_is_left(policy, tmp_path):
    before = snapshot(tmp_path)
    stages = []
    found = anonsql.advise(
        policy,
        ks=[4, 8],
        methods=["full-domain", "mondrian"],
        queries=30,
        progress=lambda stage, done, total: stages.append(stage),
    )
    standings = dict.fromkeys(stage.partition(",")[0] for stage in stages)
    assert list(standings) == ["0 of 4", "1 of 4", "2 of 4", "3 of 4"]
    assert all(
        re.match(r"\d of 4, [1-6]?\d s left: (full-domain|mondrian) k=", stage) for stage in stages
    )
    assert snapshot(tmp_path) == before
    assert [entry.policy for entry in found.policies] == [
        *("full-domain k=4", "mondrian k=4", "full-domain k=8", "mondrian k=8")
    ]
    data = yaml.safe_load(policy.read_text())
    same = [
        {**data, "method": {"type": method}, "privacy": {**data["privacy"], "k": k}}
        for k in (4, 8)
        for method in ("full-domain", "mondrian")
    ]
    for item in same:
        item["source"]["database"] = str(tmp_path / "source.duckdb")
        item["release"]["database"] = str(tmp_path / "release.duckdb")
    timed = {"policy", "seconds", "front", "beaten_by"}
    for line, other in zip(found.policies, anonsql.compare(same, queries=30).policies, strict=True):
        assert line.model_dump(exclude=timed) == other.model_dump(exclude=timed)


def test_words_are_true_of_the_release(policy, tmp_path):
    found = anonsql.advise(policy, ks=[6], methods=["full-domain", "mondrian"], queries=10)
    for line in found.policies:
        changed = yaml.safe_load(policy.read_text())
        changed["privacy"]["k"], changed["method"] = 6, {"type": line.method}
        path = write_data(tmp_path, changed, "again.yaml")
        anonsql.run(path)
        for column, places in (("age", "age_hi - age_lo"), ("day", "day_hi - day_lo")):
            entries = next(entry for entry in line.columns if entry.column == column)
            widths = sorted(
                row[0]
                for row in released_rows(tmp_path, f"SELECT {places} FROM r")
                if row[0] is not None
            )
            rows = released_rows(tmp_path, "SELECT COUNT(*) FROM r")[0][0]
            place = -(-9 * rows // 10) - 1
            assert entries.within == (widths[place] if place < len(widths) else None)
            assert (entries.ordered, entries.unit) == (True, "days" if column == "day" else None)
        sexes = released_rows(tmp_path, "SELECT sex FROM r")
        sex = next(item for item in line.columns if item.column == "sex")
        exact = sum(word in ("m", "f") for (word,) in sexes) / len(sexes)
        assert sex.exact == pytest.approx(exact) and sex.anything == pytest.approx(
            sum(word in ("*", "{f, m}") for (word,) in sexes) / len(sexes)
        )
        assert sex.size == 2 and not sex.ordered and sex.within is None


def line(policy, k, loss, error, risk=0.1, untrue=0.0, **more):
    method = policy.split()[0]
    given = {"uniform": False, "seconds": 1.0, "status": "met", "reason": None, **more}
    given |= {"settings": "", "promises": {}, "suppression_limit": 0.0}
    return CompareLine(
        policy=f"{policy} k={k}",
        method=method,
        k=k,
        loss=loss,
        error=None
        if error is None
        else QueryError(mean=error, median=error, ninetieth=1.0, empty=0),
        risk=risk,
        untrue=untrue,
        **given,
    )


def recommend(lines, k):
    """The recommendation, with changes that name their choice."""
    changes = {line.policy: Change(method=line.policy, k=None) for line in lines}
    advice = choices.recommend(lines, changes, k)
    assert advice is None or advice.take.method == advice.policy
    return advice


def test_the_front():
    lines = [
        line("full-domain", 5, 0.4, 0.3, 0.2),
        line("mondrian", 5, 0.1, 0.2, 0.2),
        line("mondrian", 10, 0.2, 0.3, 0.1),
        line("changing", 5, 0.05, 0.1, 0.2, untrue=0.1),
        line("ring", 5, 0.1, 0.2, 0.2),
        line("anatomy", 5, 0.0, 0.0, 0.2),
        line("local", 5, None, None, None, status="failed", reason="why"),
        line("full-subtree", 5, 0.4, None, 0.2),
    ]
    found = {item.policy: item for item in with_front(lines)}
    assert {name: entry.front for name, entry in found.items()} == {
        "full-domain k=5": False,
        "mondrian k=5": True,
        "mondrian k=10": True,
        "changing k=5": True,
        "ring k=5": True,
        "anatomy k=5": None,
        "local k=5": None,
        "full-subtree k=5": False,
    }
    assert found["full-domain k=5"].beaten_by == ["mondrian k=5", "ring k=5", "mondrian k=10"]
    advice = recommend(list(found.values()), 5)
    assert advice.policy == "mondrian k=5"  # changing answers better, but not with true values
    assert "Of the 4 choices that keep k=5 and release no untrue values" in advice.reason
    assert (
        "it has the lowest median error of COUNT queries: 20 % (ring 20 %, full-domain 30 %"
        in advice.reason
    )


def test_what_is_recommended_keeps_the_policys_k_where_one_can():
    lines = [line("mondrian", 3, 0.1, 0.1), line("mondrian", 5, 0.2, 0.2)]
    assert recommend(lines, 4).policy == "mondrian k=5"
    assert recommend(lines, 3).policy == "mondrian k=3"
    weaker = recommend(lines, 10)
    assert weaker.policy == "mondrian k=5" and "No choice keeps k=10" in weaker.reason
    assert recommend([line("local", 5, 0.0, 0.0)], 5) is None


def test_alternatives():
    lines = [
        line("ring", 5, 0.1, 0.2),
        line("ring", 10, 0.1, 0.21),
        line("ring", 20, 0.1, 0.3),
        line("mondrian", 5, 0.1, 0.25),
        line("full-domain", 5, 0.1, 0.5, uniform=True),
    ]
    found = recommend(lines, 5)
    assert found.policy == "ring k=5"
    assert "ring k=10 has 21 % instead of 20 %" in found.alternatives[0]
    assert "the same values as other rows: mondrian k=5 (25 %)" in found.alternatives[1]
    assert "full-domain k=5 (50 %)" in found.alternatives[2]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"values": 1, "exact": 1.0}, "age exact"),
        ({"values": 9, "anything": 1.0}, "age `*`"),
        ({"values": 4, "within": 3.0, "ordered": True}, "age within 3"),
        ({"values": 4, "within": 31.0, "unit": "days", "ordered": True}, "age within 31 days"),
        ({"values": 4, "within": 0.125, "ordered": True}, "age within 0.125"),
        ({"values": 4, "within": 1234567.0, "ordered": True}, "age within 1,234,567"),
        (
            {"values": 4, "within": 40.0, "ordered": True, "sets": True},
            "age one of 4 values at most 40 apart",
        ),
        (
            {"values": 4, "exact": 0.5, "anything": 0.1},
            "age one of 4 values. Of all rows: age exact in 50 %, `*` in 10 %",
        ),
    ],
)
def test_what_entries_tell(more, words):
    given = {"ordered": False, "within": None, "unit": None, "sets": False, "size": 9}
    entries = ColumnEntries(column="age", **{**given, "exact": 0.0, "anything": 0.0, **more})
    made = line("mondrian", 5, 0.1, 0.1, columns=[entries])
    assert in_words(made) == f"For 90 % of the released rows: {words}."


def test_methods_that_refuse_the_policy_say_so(policy):
    found = anonsql.advise(policy, ks=[2], methods=["anatomy", "local"], queries=5)
    refused = {item.method: item for item in found.policies}
    assert refused["anatomy"].status == "refused" and "anatomy" in refused["anatomy"].reason
    assert found.policies[0].seconds == 0.0


def test_the_policys_own_method_keeps_its_settings(tmp_path, policy):
    path = written(
        tmp_path, method={"type": "full-domain", "levels": {"age": 4, "day": 3, "sex": 1, "zip": 3}}
    )
    found = anonsql.advise(path, ks=[4, 200], methods=["full-domain", "mondrian"], queries=5)
    own, other, greater, _ = found.policies
    assert own.loss == 1.0 and (own.k, greater.k, other.method) == (4, 200, "mondrian")
    assert found.recommended.policy == "mondrian k=4"
    assert found.recommended.take.lines() == ["method: {type: mondrian}"]
    of_own = anonsql.advise(path, ks=[4], methods=["full-domain"], queries=5).recommended
    assert of_own.take == Change(method=None, k=None) and of_own.take.lines() == []
    of_k = anonsql.advise(path, ks=[200], methods=["full-domain"], queries=5).recommended
    assert of_k.take.lines() == ["privacy: {k: 200}"]


def test_a_policy_as_an_object_or_a_mapping(policy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for form, ks in ((Policy.load(policy), None), (yaml.safe_load(policy.read_text()), [8])):
        found = anonsql.advise(form, ks=ks, methods=["mondrian"], queries=5)
        # half of it would hide nobody
        assert [item.k for item in found.policies] == (ks or [4, 8])
        assert {entry.status for entry in found.policies} == {"met"}
        assert "mondrian k=8" in found._repr_html_()


def test_without_time_it_says_so_and_how_much_to_give(policy):
    found = anonsql.advise(policy, ks=[4, 8], methods=["mondrian"], budget=0.001, queries=5)
    assert {line.status for line in found.policies} <= {"given up", "not tried"}
    assert found.recommended is None and found.needed == 0.004
    said = "No choice was finished in 0.001 seconds: try --budget 0.004."
    assert found.closing == f"{said} The most promising untried choice is mondrian k=4."
    result = cli("advise", policy, "--k", "4", "--methods", "mondrian", "--budget", "0.01")
    assert result.exit_code == 2
    assert "mondrian k=4: not tried: the budget of 0.01 seconds is spent" in flat(result.stdout)


class Machine:
    """Trials that take no time but by a clock of their own: ``seconds`` for 1,000 rows and as many
    for what each does anyway, of each method; ``errors`` are what methods come to."""

    def __init__(self, seconds, errors, rows=1_000_000, each=4, slower=1.3):
        self.seconds, self.errors, self.slower = seconds, errors, slower
        self.now, self.size = 0.0, Size(rows, rows // each)
        self.log, self.ended = [], []

    def attempt(self, choice, sample, limit, _standing):
        share = 1.0 if sample is None else sample.share
        people = round(share * self.size.people)
        rows = share * self.size.rows * (self.slower if sample is None else 1)
        seconds = self.seconds[choice.label] * (rows + FIXED) / FIXED
        self.log.append((choice.name, people, sample and sample.part))
        self.now += min(seconds, limit)
        self.ended.append("given up" if seconds > limit else "met")
        if seconds > limit:
            return untried(choice.policy, choice, "given up", "not finished")
        part = 0 if sample is None else sample.part
        error = self.errors[choice.label] * (1 + 0.1 * part) * (10 / people) ** 0.5
        return Tried(line(choice.label, choice.k, 0.1, error))

    def trials(self, plain, budget):
        arguments = (*plain, self.size, budget, COUNTS, self.attempt, self.slower)
        made = Trials(*arguments, clock=lambda: self.now)
        made.run()
        return made


METHODS = ("mondrian", "cell-generalization", "full-domain")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A policy, and choices of three methods and numbers k."""
    path = written(tmp_path_factory.mktemp("plain"))
    base = Policy.load(path)
    return base, choices_of(path, base, (4, 2, 8), METHODS, "counts")


@given(
    st.lists(st.floats(0.01, 100), min_size=3, max_size=3),
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
    st.sampled_from([500, 30_000, 1_000_000, 10**8]),
    st.sampled_from([1, 3]),
    st.sampled_from([10, 60, 300, 10_000]),
)
def test_trials_end_in_time_with_an_advice(plain, seconds, errors, rows, each, budget):
    speed = dict(zip(METHODS, seconds, strict=True))
    machine = Machine(speed, dict(zip(METHODS, errors, strict=True)), rows, each)
    trials = machine.trials(plain, budget)
    assert machine.now <= budget + 1e-6
    lines = [done.line for done in trials.compared()]
    first = min(rows, LEAST * each)
    if speed["mondrian"] * (first * 1.3 + FIXED) / FIXED <= budget / 2:
        assert recommend(lines, 4) is not None
    samples = [(name, people) for name, people, part in machine.log if part == 1]
    assert all(people <= MOST for _, people in samples)
    assert len(set(machine.log)) == len(machine.log)  # nothing is done twice
    whole = [name for name, _, part in machine.log if part is None]
    if trials.part and whole:
        own = [name for name in whole if name.endswith("k=4")]
        figures = {name: sum(found) / len(found) for name, found in trials.figures().items()}
        assert own == sorted(own, key=figures.get)  # the best first
        before = machine.log.index((whole[0], machine.size.people, None))
        tried = {name for name, _ in samples}
        assert tried >= {f"{method} k=4" for method in METHODS}
        assert all(part for _, _, part in machine.log[:before])
    for number, (name, _, part) in enumerate(machine.log):
        if part == trials.part and machine.ended[number] == "given up":
            later = machine.log[number + 1 :]
            assert not [x for x, _, y in later if y == part and x.split()[0] == name.split()[0]]


def test_more_time_means_more_people_then_a_second_sample_then_the_whole_table(plain):
    errors = {"mondrian": 0.2, "cell-generalization": 0.3, "full-domain": 0.9}
    people = []
    for budget in (6, 20, 60, 300):
        machine = Machine({"mondrian": 1.0, "cell-generalization": 2.0, "full-domain": 0.5}, errors)
        trials = machine.trials(plain, budget)
        people.append(trials.people)
        unreached = [x.line.reason for x in trials.compared() if x.line.status == "not tried"]
        assert (budget > 100) == (not unreached)
        spent = f"the budget of {budget} seconds is spent; --budget allows more."
        assert set(unreached) <= {spent}
    assert people == sorted(people) and people[0] == LEAST and people[-1] == MOST
    second = [name for name, _, part in machine.log if part == 2]
    assert second == ["mondrian k=4", "cell-generalization k=4"]  # full-domain is far behind
    whole = [name for name, _, part in machine.log if part is None]
    assert whole == ["mondrian k=4"] and machine.now <= 300  # the next best takes too long
    few = Machine({"mondrian": 0.1, "cell-generalization": 0.1, "full-domain": 0.1}, errors, 20_000)
    assert few.trials(plain, 60).part == 0
    assert {part for _, _, part in few.log} == {None, 1} and len(few.log) == 10


def test_a_slow_method_leaves_time_for_others_and_is_not_tried_with_another_k(plain):
    errors = dict.fromkeys(METHODS, 0.2)
    machine = Machine({"mondrian": 1e6, "cell-generalization": 1.0, "full-domain": 1.0}, errors)
    trials = machine.trials(plain, 60)
    statuses = {done.line.policy: done.line.status for done in trials.compared()}
    assert statuses["cell-generalization k=4"] == statuses["full-domain k=4"] == "met"
    assert {statuses[f"mondrian k={k}"] for k in (4, 2, 8)} == {"given up"}
    assert [name for name, _, _ in machine.log if "mondrian" in name] == ["mondrian k=4"]


SAMPLE = SampleSize(people=100, rows=300, samples=2, of_people=1000, of_rows=3000)


def sampled(lines, figures, whole=(), sample=SAMPLE):
    changes = {line.policy: Change(method=line.policy, k=None) for line in lines}
    ranking = replace(COUNTS, figures=figures)
    return choices.recommend(lines, changes, 5, ranking, sample=sample, whole=whole)


def test_what_samples_leave_open_is_said():
    lines = [line("mondrian", 5, 0.1, 0.2), line("full-domain", 5, 0.1, 0.3)]
    apart = {"mondrian k=5": [0.2, 0.22], "full-domain k=5": [0.3, 0.29]}
    reason = sampled(lines, apart).reason
    assert "on 2 samples of 100 people each: 20 % to 22 % (full-domain 29 % to 30 %)." in reason
    assert "separate" not in reason and "No choice was finished on the whole table" in reason
    near = {"mondrian k=5": [0.2, 0.31], "full-domain k=5": [0.3, 0.29]}
    assert "The samples do not distinguish it from full-domain." in sampled(lines, near).reason
    turned = {"mondrian k=5": [0.2, 0.5], "full-domain k=5": [0.3, 0.29]}  # the mean ranks
    assert sampled(lines, turned).policy == "full-domain k=5"
    one = SAMPLE.model_copy(update={"samples": 1})
    assert "difference to another sample was not measured" in sampled(lines, {}, sample=one).reason


def test_the_whole_table_decides_among_those_that_were_tried_on_it():
    names = ("ring", "mondrian", "full-domain")
    lines = [line(name, 5, 0.1, error) for name, error in zip(names, (0.1, 0.2, 0.3), strict=True)]
    figures = {item.policy: [item.median_error] for item in lines}
    better = [line("ring", 5, 0.1, 0.05), line("full-domain", 5, 0.1, 0.01)]
    found = sampled(lines, figures, better)
    assert found.policy == "full-domain k=5"
    assert found.reason.endswith("On the whole table: full-domain 1 %, ring 5 %.")
    assert "ring has the lowest median error of COUNT queries on 2 samples" in found.reason
    slow = [line("ring", 5, None, None, status="given up")]
    assert sampled(lines, figures, slow).policy == "ring k=5"
    broken = [line("ring", 5, None, None, status="not met")]
    assert sampled(lines, figures, broken).policy == "mondrian k=5"


def test_methods_that_a_policy_does_not_allow_are_named_with_the_reason(tmp_path, policy):
    """By what the methods say themselves, not by a list."""
    path = written(tmp_path, privacy={"entity": "ill"})
    base = Policy.load(path)
    made = choices_of(path, base, [4], ["all"], "counts")
    assert {"mondrian hierarchy", "mondrian", "ring"} <= {choice.label for choice in made}
    for choice in made:
        data = yaml.safe_load(path.read_text()) | {"method": {"type": choice.method}}
        try:
            Policy.parse(data, tmp_path)
        except PolicyError as error:
            assert str(choice.policy) == str(error)
        else:
            assert isinstance(choice.policy, Policy)
    assert any(isinstance(choice.policy, PolicyError) for choice in made)


def test_methods_come_in_the_order_of_what_they_promise(policy, tmp_path):
    base = Policy.load(policy)
    for purpose, first in (("models", "cell-generalization"), ("counts", "ring")):
        made = choices_of(policy, base, None, None, purpose)
        assert [choice.k for choice in made[:4]] == [4] * 4 and made[0].label == first
    nodes = next(choice for choice in made if choice.label == "mondrian hierarchy")
    assert nodes.change.lines() == ["method: {type: mondrian, values: hierarchy}"]
    own = written(tmp_path, method={"type": "mondrian", "values": "hierarchy"})
    made = choices_of(own, Policy.load(own), None, None, "counts")
    changes = {choice.label: choice.change.method for choice in made}
    assert changes["mondrian hierarchy"] is None and changes["mondrian"] == "{type: mondrian}"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_what_is_done_is_shown_when_it_is_interrupted(policy, monkeypatch, error):
    run = Trial.run

    def interrupted(self, *words):
        if self.policy.method.type == "ring":
            raise error
        return run(self, *words)

    monkeypatch.setattr(Trial, "run", interrupted)
    result = cli(
        "advise", policy, "--k", "4", "--methods", "mondrian,ring,full-domain", "--queries", "5"
    )
    assert result.exit_code == 130
    assert result.stdout.startswith("Interrupted: the following choices were finished.")
    assert "ring k=4, full-domain k=4: not tried: the command was interrupted." in flat(
        result.stdout
    )
    assert "Recommended: mondrian k=4." in flat(result.stdout)


def test_exit_codes(policy):
    assert (
        cli("advise", policy, "--k", "4", "--methods", "mondrian", "--queries", "5").exit_code == 0
    )
    unmet = cli("advise", policy, "--k", "500", "--methods", "mondrian", "--quiet")
    assert unmet.exit_code == 1 and unmet.stdout == ""
    assert unmet.stderr.startswith("error: mondrian k=500: not met: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--methods", "mondrain"], "Did you mean 'mondrian'"),
        (["--k", "5,x"], "is not a list of whole numbers"),
        (["--k", "1"], "Give whole numbers of at least 2"),
        (["--budget", "0"], "Give more than 0"),
        (["--budget", "nan"], "Give more than 0"),
    ],
)
def test_wrong_options(policy, words, message):
    result = cli("advise", policy, *words)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_no_source(tmp_path):
    with pytest.raises((PolicyError, BusyError)):
        anonsql.advise(tmp_path / "none.yaml")


@pytest.mark.parametrize("rest", ["anatomy", pytest.param("all", marks=pytest.mark.long)])
def test_the_document_and_the_page(policy, tmp_path, rest):
    page = tmp_path / "advice.html"
    result = cli(
        *("advise", policy, "--k", "4", "--methods", f"mondrian,{rest}", "--queries", "5"),
        *("--json", "--html", page),
    )
    document = json.loads(result.stdout)
    schema = schemas()["report.schema.json"]
    jsonschema.validate(document, {**schema, "anyOf": [{"$ref": "#/$defs/AdviceReport"}]})
    lines = {line["policy"]: line for line in document["policies"]}
    assert len(lines) >= (len(PLAIN) if rest == "all" else 2)
    assert lines["mondrian k=4"]["status"] == "met" and lines["mondrian k=4"]["loss"] > 0
    assert lines["anatomy k=4"]["status"] == "refused"
    text = page.read_text(encoding="utf-8").replace("\u00a0", " ")
    assert f"Recommended: {document['recommended']['policy']}." in text
    assert lines["mondrian k=4"]["means"].partition(" `")[0] in text


def test_it_fits_80_columns(policy):
    environment = {"COLUMNS": "80", "TERM": "dumb", "FORCE_COLOR": "1"}
    result = cli("advise", policy, "--queries", "5", **environment)
    assert result.exit_code == 0, result.output
    lines = [item for item in (result.stdout + result.stderr).splitlines() if "/" not in item]
    assert [entry for entry in lines if len(entry.rstrip()) > 80] == []
    assert "Recommended:" in flat(result.stdout) and "To use it" in flat(result.stdout)


def test_entries_of_a_release_on_a_server(tmp_path):
    """Widths of integers, decimals, dates and timestamps there are those of a file."""
    types = {"n": "INTEGER", "d": "NUMERIC(8,2)", "day": "DATE", "at": "TIMESTAMP"}
    rows = [
        (i % 30, i % 7 + 0.25, f"2024-01-{1 + i % 28:02}", f"2024-02-01 {i % 24:02}:30:00")
        for i in range(120)
    ]
    columns = {
        **{key: {"type": "interval", "widths": [5, 10]} for key in ("n", "d")},
        **{key: {"type": "date", "levels": ["day", "month"]} for key in ("day", "at")},
    }
    data = policy_data(columns, k=3, limit=0.1)
    with closing(Postgres(tmp_path)) as server:
        server.make(types, rows)
        there = anonsql.advise(policy_on(server, data), ks=[3], methods=["mondrian"], queries=5)
    make_source(tmp_path, types, rows)
    here = anonsql.advise(Policy.parse(data, tmp_path), ks=[3], methods=["mondrian"], queries=5)
    assert [item.status for item in there.policies] == ["met"]
    assert there.policies[0].columns == here.policies[0].columns
    assert all(column.within > 0 for column in here.policies[0].columns)


@pytest.mark.parametrize(
    ("purpose", "target", "said"),
    [
        ("counts", None, "the least median error of COUNT queries"),
        ("means", None, "the least error of means by group"),
        ("models", None, "the lowest pMSE of pairs of columns"),
        ("models", "sex", "in a regression of sex"),
    ],
)
def test_choices_are_ranked_by_what_the_release_is_for(policy, monkeypatch, purpose, target, said):
    """Of one method the completed table is the source; of the other, which answers queries by its
    labels better, its columns were shuffled."""
    rows = rows_of(policy.parent / "source.duckdb", "FROM t")
    worse = [list(column) for column in zip(*rows)]
    for number, column in enumerate(worse):
        random.Random(number).shuffle(column)
    drawn = {"mondrian": rows, "full-domain": list(zip(*worse))}

    def by_hand(job, release):
        kinds = [("draw", "INTEGER"), *TYPES.items()]
        made = drawn[job.policy.method.type]
        job.engine.load("by_hand", kinds, [(1, *row) for row in made])
        return ("by_hand",)

    monkeypatch.setattr(measuring, "completed_of", by_hand)
    report = anonsql.advise(
        policy,
        ks=[4],
        methods=["mondrian", "full-domain"],
        purpose=purpose,
        target=target,
        queries=30,
    )
    best = "full-domain k=4" if purpose == "counts" else "mondrian k=4"
    assert report.recommended.policy == best and said in report.recommended.reason
    first = next(line for line in report.policies if line.policy == best)
    assert first.front and report.purpose == purpose
    printed = io.StringIO()
    terminal.show(Console(file=printed, width=80), describe(report))
    assert f"For {purpose}, ranked by the {report.ranked_by}." in flat(printed.getvalue())


def test_weights_of_columns_go_by_their_effects_on_the_target(tmp_path, monkeypatch):
    """The town alone says who is ill. The lines to take make the policy whose figures are shown."""
    chance = random.Random(7)
    rows = [
        (chance.randrange(20, 60), "2024-01-01", chance.choice("mf"), f"1{town}0", "xy"[town > 4])
        for town in (chance.randrange(10) for _ in range(300))
    ]
    make_source(tmp_path, TYPES, rows)
    path = written(tmp_path)
    data = yaml.safe_load(path.read_text())
    asked = {"ks": [4], "purpose": "models", "target": "ill", "queries": 20}
    found = anonsql.advise(path, methods=["mondrian", "mondrian weighted"], **asked)
    plain, weighted = found.policies
    assert (plain.policy, weighted.policy) == ("mondrian k=4", "mondrian weighted k=4")
    assert weighted.penalties["zip"] < plain.penalties["zip"]
    assert found.recommended.policy == "mondrian weighted k=4"
    method, columns = found.recommended.take.lines()
    assert method == "method: {type: mondrian}"
    weights = yaml.safe_load(columns)["columns"]
    assert weights.pop("zip")["weight"] > 3.5
    assert {own["weight"] for own in weights.values()} == {0.25}
    weights = yaml.safe_load(columns)["columns"]
    assert "which affects loss: compare GCP" in " ".join(found.notes)
    printed = io.StringIO()
    terminal.show(Console(file=printed, width=200), describe(found))
    assert "write into the policy; leave what else `columns` says:" in printed.getvalue()
    for name, own in weights.items():
        data["columns"][name] |= own
    taken = {**data, **yaml.safe_load(method), "measure": {"target": "ill"}}
    for part in ("source", "release"):
        taken[part]["database"] = str(tmp_path / f"{part}.duckdb")
    (by_hand,) = anonsql.compare([taken], queries=20).policies
    timed = {"policy", "seconds", "front", "beaten_by"}
    assert weighted.model_dump(exclude=timed) == by_hand.model_dump(exclude=timed)
    again = write_data(tmp_path, taken, "again.yaml")
    same = anonsql.advise(again, methods=["mondrian weighted"], **asked)
    assert same.recommended.take.lines() == []  # the policy has these weights
    monkeypatch.setattr(command, "MOST", 100)
    base = Policy.load(again)
    size, weights = command._look(base, 60.0, "models", lambda *_: None)
    assert (size.people, weights["zip"] > 3) == (300, True)  # of a sample of them
    made = choices_of(again, base, None, None, "models", weights=weights)
    assert [choice.label for choice in made[:2]] == [
        *("cell-generalization weighted", "cell-generalization")
    ]


@pytest.mark.parametrize("more", [{}, {"purpose": "models"}, {"target": "ill"}])
def test_weights_need_models_of_a_target(policy, more):
    with pytest.raises(PolicyError, match="Weights need `--for models`, and a target"):
        anonsql.advise(policy, methods=["mondrian weighted"], **more)


def test_weights_are_those_of_the_mean_effect():
    assert weights_of({"a": 0.2, "b": 0.1, "c": 0.0}) == {"a": 2.0, "b": 1.0, "c": 0.25}
    assert weights_of({"a": 0.9, **dict.fromkeys("bcdefgh", 0.0)})["a"] == 4.0
    assert weights_of({"a": 0.019, "b": 0.0}) == {}, "chance explains as much"
    assert weights_of({"a": 0.1, "b": 0.1}) == weights_of({"a": 0.0}) == weights_of({}) == {}


def test_without_completed_tables_choices_are_ranked_by_queries(policy, monkeypatch):
    monkeypatch.setattr(measuring, "completed_of", lambda *_: None)
    found = anonsql.advise(policy, ks=[4], methods=["mondrian"], purpose="means", queries=5)
    assert found.ranked_by == "median error of COUNT queries"
    assert any("no choice has the error of means" in note for note in found.notes)
    with pytest.raises(PolicyError, match="for: there is no purpose 'mean'"):
        anonsql.advise(policy, purpose="mean")
