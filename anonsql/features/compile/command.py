"""``anonsql compile``: the recoding of a chosen generalization as plain SQL files."""

from __future__ import annotations

from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.features.apply.command import require_one_scheme
from anonsql.features.compile import dbt, files
from anonsql.features.compile.document import CompileReport
from anonsql.features.kinds.one_table import OneTable
from anonsql.jobs import pipeline
from anonsql.jobs.sessions import running
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given
from anonsql.sql.dialects import Dialect
from anonsql.system.clock import Progress, silent


def compile(
    policy: Given,
    dialect: Dialect,
    folder: str | Path,
    *,
    levels_of: str | int | None = None,
    source: str | None = None,
    as_dbt: bool = False,
    progress: Progress = silent,
    show_values: bool = False,
) -> CompileReport:
    """Write the recoding as plain SQL files, for the best generalization of the policy's source or
    the one of ``levels_of`` (see ``apply``). ``source`` is the table's name where the files
    will run. With ``as_dbt``, ``folder`` is the file of a dbt model, and ``source`` what dbt calls
    the table."""
    result = of_one(policy, "compile")
    require_one_scheme(result, "compile")
    for name in result.changes:
        text = "`compile` writes no statements that change values of kept columns."
        raise PolicyError.at(f"columns.{name}.change", text, "Leave it out, or use `anonsql run`.")
    with running(result, "compile", progress, show_values) as job:
        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        if levels_of is None:
            pipeline.go_through(job, pipeline.CHOOSE)
        else:
            job.scheme = OneTable().scheme(job, str(levels_of))
            pipeline.go_through(job, pipeline.CHOOSE_AGAIN)
        pipeline.go_through(job, pipeline.LOOK_AT_TEXT)
        write = dbt.write if as_dbt else files.write
        return write(job, dialect, Path(folder).absolute(), source)
