"""Samples of a source: whole people, the same in every job and on every engine, and no person in two
parts; advice by them on every engine."""

import hashlib
from collections import Counter

import anonsql
from anonsql.engines import open_stage
from anonsql.features.advise import trials
from anonsql.jobs import pipeline, samples
from anonsql.jobs.samples import Sample, Size
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.policy import Policy

from .engines import DuckDB, policy_on
from .support import make_table, policy_data

TYPES = {"who": "INTEGER", "age": "INTEGER", "word": "VARCHAR"}
COLUMNS = {
    "who": "identifying",
    "age": {"type": "interval", "widths": [5, 20]},
    "word": {"type": "suppression"},
}
ROWS = [(i % 60 or None, 20 + i % 7, ("ü", "b", None)[i % 3]) for i in range(150)] * 2


def place(text):
    return int(hashlib.md5(text.encode()).hexdigest()[:10], 16) / 2**40


def written(values):
    return "person" + "".join("=" + ("" if value is None else str(value)) for value in values)


def expected(rows, sample, entity):
    """The sample by hand."""
    low, high = (sample.part - 1) * sample.share, sample.part * sample.share
    seen, kept = Counter(), []
    for row in rows:
        seen[row] += 1
        if entity:
            text = written(row[:1])
        else:
            text = hashlib.md5(written(row).encode()).hexdigest() + str(seen[row])
        if low <= place(text) < high:
            kept.append(row)
    return Counter(kept)


def drawn(policy, sample):
    with read_only_job(policy, "advise", target=open_stage, sample=sample) as job:
        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        source, entity = job.opened.source, policy.privacy.entity
        size = samples.size_of(job.engine, source, job.opened.columns, entity)
        rows = job.engine.query("verification/facts", table=source, columns=list(TYPES))
        kinds = [(column.name, column.kind) for column in job.engine.columns(source)]
    return Counter(map(tuple, rows)), size, kinds


def test_a_sample_has_whole_people_or_single_rows(everywhere):
    everywhere.make(TYPES, ROWS)
    for entity in ("who", None):
        privacy = {"entity": entity} if entity else {}
        policy = policy_on(everywhere, policy_data(COLUMNS, privacy=privacy))
        every, size, kinds = drawn(policy, None)
        assert every == Counter(ROWS)
        assert size == Size(300, 59 if entity else 300)
        parts = [Sample(0.5, 1), Sample(0.5, 2), Sample(0.2, 1)]
        found = [drawn(policy, part) for part in parts]
        assert [rows for rows, _, _ in found] == [expected(ROWS, one, entity) for one in parts]
        assert found[0][0] + found[1][0] == Counter(ROWS)
        assert 20 < found[2][0].total() < 120 and found[0][2] == kinds


def test_a_primary_key_tells_rows_apart(tmp_path):
    """Then no hash needs the other columns."""
    types = {**TYPES, "who": "INTEGER PRIMARY KEY"}
    rows = [(i, 20, "b") for i in range(300)]
    make_table(tmp_path / "source.duckdb", types, rows)
    sample = Sample(0.3, 2)
    policy = Policy.parse(policy_data(COLUMNS), tmp_path)
    assert drawn(policy, sample)[0] == expected(rows, sample, "who")


def advised(made, monkeypatch):
    """Advice where 20 people are as many as a sample has, and the policy that it is about."""
    monkeypatch.setattr(trials, "LEAST", 20)
    monkeypatch.setattr(trials, "MOST", 20)
    made.make(TYPES, [(i % 100, 20 + i % 7, "ab"[i % 2]) for i in range(200)])
    data = policy_data(COLUMNS, k=3, method={"type": "mondrian"}, privacy={"entity": "who"})
    policy = policy_on(made, data)
    return policy, anonsql.advise(policy, ks=[3], methods=["mondrian"], queries=5, budget=500)


def holds(report):
    """The choice was tried on two samples of 20 people, with the rows that these have, and on the
    whole table."""
    rows = [(i % 100, 0, 0) for i in range(200)]
    (line,), (whole,) = report.policies, report.whole
    assert (line.status, whole.status) == ("met", "met"), line.reason or whole.reason
    assert report.sample.samples == 2 and len(report.figures["mondrian k=3"]) == 2
    sampled = expected(rows, Sample(0.2), "who").total()
    assert (report.records, report.sample.rows, report.sample.of_rows) == (sampled, sampled, 200)
    assert report.needed is None and "On the whole table: mondrian" in report.recommended.reason


def test_advice_by_a_sample(tmp_path, monkeypatch):
    policy, report = advised(DuckDB(tmp_path), monkeypatch)
    holds(report)
    (other,) = anonsql.compare([policy], queries=5).policies
    timed = {"policy", "seconds", "front", "beaten_by"}
    assert report.whole[0].model_dump(exclude=timed) == other.model_dump(exclude=timed)


def test_advice_by_a_sample_of_every_engine(everywhere, monkeypatch):
    holds(advised(everywhere, monkeypatch)[1])
