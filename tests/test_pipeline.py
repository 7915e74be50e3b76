"""The stages of a job: each gets what it needs from those before it, by its types alone."""

import inspect
from typing import get_type_hints

import pytest

from anonsql.errors import InvariantError
from anonsql.jobs import pipeline
from anonsql.jobs.job import Counted, Job, Opened, Session, StarSchema
from anonsql.policy.policy import Policy

from .support import job, make_table, policy_data

WAYS = {
    "run": pipeline.RUN,
    "apply": (*pipeline.OPEN, *pipeline.APPLY),
    "search": pipeline.SEARCH,
    "check": pipeline.CHECK,
    "compile": (*pipeline.OPEN_SOURCE, *pipeline.CHOOSE),
    "compile --scheme": (*pipeline.OPEN_SOURCE, *pipeline.CHOOSE_AGAIN),
    "compare": pipeline.TRY,
    "measure": pipeline.DIMENSIONS,
}
WITH_SCHEME = {"apply", "compile --scheme"}


def lacking(stages, given):
    """The stages that need what none before them gives, with what they need."""
    given, found = {Session, Job, *given}, []
    for stage in stages:
        needed = {kind for kind, optional in pipeline.needs(stage) if not optional}
        found += [(stage.__name__, kind.__name__) for kind in needed - given]
        given.add(get_type_hints(stage)["return"])
    return found


@pytest.mark.parametrize("command", WAYS)
def test_every_stage_gets_what_it_needs(command):
    scheme = {kind for kind in pipeline.results() if kind.__name__ == "Scheme"}
    assert lacking(WAYS[command], scheme if command in WITH_SCHEME else ()) == []


def test_a_stage_that_comes_too_early_is_seen(tmp_path):
    early = (pipeline.open_source, pipeline.build_hierarchies)
    assert lacking(early, ()) == [("build_hierarchies", "Counted")]
    assert lacking(pipeline.APPLY, {Opened}) == [("fit_scheme", "Scheme")]
    make_table(tmp_path / "source.duckdb", {"a": "INTEGER"}, [(1,)])
    policy = Policy.parse(policy_data({"a": {"type": "suppression"}}), tmp_path)
    refused = pytest.raises(InvariantError, match="build_hierarchies needs Counted")
    with refused, job(policy, tmp_path, early):
        pass


def test_every_parameter_and_result_of_a_stage_has_a_type():
    for stages in WAYS.values():
        for stage in stages:
            hints = get_type_hints(stage)
            assert set(inspect.signature(stage).parameters) | {"return"} == set(hints), stage


def test_a_job_keeps_one_result_of_each_type():
    assert {Opened: "opened", Counted: "counted", StarSchema: "schema"}.items() <= (
        pipeline.results().items()
    )
    assert len(set(pipeline.results().values())) == len(Job.__annotations__)


def test_what_is_of_no_type_gets_the_whole_job():
    def meddle(job):
        return None

    assert pipeline.needs(meddle) == [(Job, False)]
