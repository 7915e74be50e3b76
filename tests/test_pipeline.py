"""The stages of a job: each leaves in the job what later ones need."""

import pytest

from anonsql.errors import InvariantError
from anonsql.jobs import follow_up, pipeline
from anonsql.jobs.job import Job

from .support import job, policy_over

WAYS = {
    "run": pipeline.TRY_OUT,
    "search": pipeline.SEARCH,
    "check": pipeline.CHECK,
    "compile": (*pipeline.OPEN_SOURCE, *pipeline.CHOOSE),
    "compare": pipeline.TRY,
    "measure": pipeline.DIMENSIONS,
}
LEAVES = {
    pipeline.open_source: "opened",
    pipeline.count_combinations: "counted",
    pipeline.build_star: "schema",
    pipeline.warn: "kept_in_source",
    pipeline.choose: "chosen",
    pipeline.stage: "kept",
    pipeline.count_left_out: "left_out",
    pipeline.verify_release: "verified",
}
"""The field of a job in which a stage leaves its result."""


def made(folder):
    return policy_over(folder, {"a": "INTEGER"}, [(1,), (2,)] * 3, {"a": {"type": "suppression"}})


@pytest.mark.parametrize("command", WAYS)
def test_every_stage_leaves_its_result_in_the_job(tmp_path, command):
    stages = WAYS[command]
    with job(made(tmp_path), tmp_path, stages) as done:
        left = {name for stage, name in LEAVES.items() if stage in stages}
        assert left == {name for name in LEAVES.values() if getattr(done, name, None) is not None}
        assert list(done.seconds) == [stage.__name__ for stage in stages]
        assert done.statements.keys() == done.seconds.keys()


def test_a_stage_of_something_that_the_job_lacks_says_so(tmp_path):
    with job(made(tmp_path), tmp_path, pipeline.CHECK) as done:
        for stage, lacks in (
            (pipeline.fit_scheme, "applies no scheme"),
            (follow_up.hold_back, "no ledger"),
            (follow_up.follow_source, "no row was given its trace"),
        ):
            with pytest.raises(InvariantError, match=lacks):
                stage(done)


def test_stages_are_functions_of_the_job_that_say_what_they_do():
    for stages in (pipeline.RUN, pipeline.APPLY, follow_up.LEDGER, follow_up.FOLLOW):
        for stage in stages:
            assert stage.__annotations__ == {"job": Job.__name__, "return": "None"}, stage
            assert stage.__doc__, stage
