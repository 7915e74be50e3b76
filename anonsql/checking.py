"""``anonsql check``: everything wrong with policy, hierarchies and data in one go; nothing is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from anonsql import local_policy, pipeline, sizes
from anonsql.catalog import Catalog
from anonsql.engines import open_engine, open_target
from anonsql.engines.base import Context
from anonsql.errors import PolicyError, Problem
from anonsql.job import Job, Progress, silent
from anonsql.journal import Journal
from anonsql.method_policy import Hybrid
from anonsql.methods import anatomy, patterns
from anonsql.methods.patterns import Marks
from anonsql.places import Places
from anonsql.policy import Given, Policy, is_at, parse_leniently, plain, read_policy
from anonsql.report.documents import CheckReport
from anonsql.report.of_job import finding
from anonsql.workspace import private_files, scratch

_NEARLY_UNIQUE = 0.9


def check(policy: Given, *, progress: Progress = silent, show_values: bool = False) -> CheckReport:
    """All problems and warnings. A policy that is wrong in places is checked as far as the rest goes."""
    problems: list[Problem] = []
    given: Policy | None
    if isinstance(policy, Policy):
        given = policy
    elif isinstance(policy, Mapping):
        given, problems = parse_leniently(plain(policy), Path())
    else:
        file = Path(policy).absolute()
        given, problems = parse_leniently(read_policy(policy), file.parent, file)
    if given is None:
        return _report(problems, [], None)
    skipped = {problem.where for problem in problems}
    try:
        places = Places.of(given)
        problems += places.problems()
        if (
            any(each.where.startswith("release") for each in places.problems())
            and not places.release.is_file
        ):
            return _report(problems, [], None)  # there is no such target to look at
        journal = Journal()
        with (
            private_files(),
            scratch() as folder,
            Catalog.open(None, journal) as catalog,
            closing(
                open_engine(
                    places.source,
                    context := Context(folder, given.engine, journal, purpose="anonsql check"),
                )
            ) as engine,
            closing(open_target(engine, places, given, context)) as target,
        ):
            job = Job(given, places, engine, target, catalog, context, progress, show_values)
            warnings = _on_data(job)
            found = [each for each in job.problems if each.where not in skipped]
            warnings = [each for each in warnings if not is_at(skipped, each.where)]
            return _report(problems + found, warnings, job, sound=not skipped)
    except PolicyError as error:
        return _report([*problems, *error.problems], [], None)


def _on_data(job: Job) -> list[Problem]:
    """The checks that look at the source; problems go to the job, warnings are returned."""
    pipeline.go_through(job, pipeline.CHECK)
    if job.attributes and job.rows < job.policy.privacy.k:
        text = f"the source has {job.rows:,} rows, fewer than k={job.policy.privacy.k}."
        job.problems.append(Problem("privacy.k", text, "Lower k, or wait for more rows."))
    elif job.policy.separated is not None and job.attributes and not job.problems:
        least = int(job.policy.privacy.l_diversity[job.policy.separated].least)
        problem = anatomy.unfit(job.engine, job.coded[0], least, show_values=job.show_values)
        job.problems += [problem] if problem else []
    elif job.marks is not None and not job.problems:
        job.problems += _local_problems(job, job.marks)
    _guard(job)
    return (
        sizes.warnings(job.policy, job.attributes)
        + _nearly_unique(job)
        + _telling(job)
        + _untrue(job)
    )


def _local_problems(job: Job, marks: Marks) -> list[Problem]:
    """Patterns that fewer rows have than k and that cannot be left out, and values too frequent for the l that is asked."""
    privacy, found = job.policy.privacy, []
    lost = patterns.lost_rows(job.engine, privacy.k)
    if lost > privacy.max_suppressed(job.rows):
        text = f"{lost:,} of {job.rows:,} rows have patterns of sensitive cells that fewer than k={privacy.k} rows have."
        found.append(
            Problem(
                "privacy.suppression_limit",
                text,
                "Raise it, lower k, or make a semi-sensitive column sensitive.",
            )
        )
    for each in marks.bucketized:
        if each.name in privacy.l_diversity:
            patterns.code_own_values(job.engine, marks, each)
            least = int(privacy.l_diversity[each.name].least)
            words = {"among": "sensitive cells", "instead": "promise `t_closeness`"}
            problem = anatomy.unfit(job.engine, each, least, show_values=job.show_values, **words)
            found += [problem] if problem else []
    return found


def _guard(job: Job) -> None:
    """Note what a run would refuse to replace."""
    try:
        pipeline.guard_release(job)
    except PolicyError as error:
        job.problems += [each for each in error.problems if each not in job.places.problems()]


def _nearly_unique(job: Job) -> list[Problem]:
    """Columns that would be released as they are although they single out almost every row."""
    kept = [each for each in job.columns if each.name in job.policy.columns]
    kept = [
        each for each in kept if job.policy.columns[each.name].role in ("sensitive", "insensitive")
    ]
    kept = [each for each in kept if each.name not in job.policy.apart]
    if not kept or not job.rows:
        return []
    counts = job.engine.query("profile/distinct", relation=job.source, columns=kept)[0]
    return [
        Problem(
            f"columns.{column.name}",
            f"this {job.policy.columns[column.name].role} column is released as it is, and {count:,} of {job.rows:,} values differ.",
            "If it can be linked to a person, make it identifying or quasi-identifying.",
        )
        for column, count in zip(kept, counts, strict=True)
        if job.rows > 1 and count > _NEARLY_UNIQUE * job.rows and column.kind != "float"
    ]


def _telling(job: Job) -> list[Problem]:
    """Conditions by which the fact alone that a cell is withheld tells something sensitive."""
    return [
        Problem(*each) for each in local_policy.warnings(job.policy.columns, job.policy.conditions)
    ]


def _untrue(job: Job) -> list[Problem]:
    """How much of the release need not be true."""
    method, columns = job.policy.method, len(job.policy.quasi_identifiers)
    if not isinstance(method, Hybrid) or not (most := method.max_cells(job.rows, columns)):
        return []
    rows = f"{min(most, job.rows):,} of {job.rows:,} rows"
    text = f"up to {most:,} of {job.rows * columns:,} quasi-identifying cells, in up to {rows}, will not be true."
    return [
        Problem(
            "method.p", text, "Lower it, or choose another method, where single rows must be true."
        )
    ]


def _report(
    problems: Sequence[Problem], warnings: Sequence[Problem], job: Job | None, sound: bool = False
) -> CheckReport:
    """The document; sizes of the search only when the policy is ``sound`` enough for them to be right."""
    sound = sound and job is not None and len(job.attributes) == len(job.policy.quasi_identifiers)
    return CheckReport(
        status="problems" if problems else "ok",
        problems=[finding(each) for each in problems],
        warnings=[finding(each) for each in warnings],
        records=job.rows if job else None,
        combinations=job.combinations if job and sound else None,
        lattice=sizes.lattice(job.policy, job.attributes) if job and sound else None,
    )
