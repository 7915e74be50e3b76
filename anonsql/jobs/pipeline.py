"""The stages of a job, in order. Each takes the job and stores its result in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Column
from anonsql.errors import (
    InvariantError,
    PolicyError,
    PrivacyError,
    Problem,
    SqlError,
    VerificationError,
    did_you_mean,
)
from anonsql.hierarchies import dimensions as hierarchies
from anonsql.jobs import cautions, feasible, scheme, sizes
from anonsql.jobs import fingerprints as fingerprint
from anonsql.jobs.decisions import choose, record_lattice, search, search_all
from anonsql.jobs.job import Job
from anonsql.methods import registry
from anonsql.methods.local import buckets, patterns
from anonsql.methods.local.patterns import Marks
from anonsql.release import columns as released
from anonsql.release import staging as publish
from anonsql.report import spans
from anonsql.risks import weak_promises
from anonsql.risks.kept import counting, telling
from anonsql.risks.kept import limits as kept_limits
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.search.frequency import FrequencySets
from anonsql.search.roll_up import RollUps
from anonsql.star import cells as star
from anonsql.star import coded, values
from anonsql.star.coded import Coded
from anonsql.star.models import Promise
from anonsql.system.journal import log
from anonsql.verification.alone import from_release_alone


def guard_release(job: Job) -> None:
    """Refuse to replace anything but an earlier release of the same table."""
    job.target.guard()


def open_source(job: Job) -> None:
    """Make the source readable and compare its columns with the policy's."""
    job.source = job.engine.open_source(job.policy.source)
    job.warnings += job.engine.doubts
    job.columns = job.engine.columns(job.source)
    names = [column.name for column in job.columns]
    for name in names:
        if name not in job.policy.columns:
            hint = (
                did_you_mean(name, set(job.policy.columns) - set(names))
                if job.policy.columns.keys() - set(names)
                else ""
            )
            job.problems.append(
                Problem(
                    f"columns.{name}",
                    "this column of the source has no role.",
                    hint or "Give it one.",
                )
            )
    flags = {
        each.flag: f"columns.{column}.flag"
        for column, each in job.policy.columns.items()
        if each.flag is not None
    }
    for name in job.policy.columns:
        if name not in names:
            text = (
                f"the source has no column {name!r}."
                if name in flags
                else "the source has no such column."
            )
            job.problems.append(
                Problem(flags.get(name, f"columns.{name}"), text, did_you_mean(name, names))
            )


def open_population(job: Job) -> None:
    """Make the population readable, where the policy has one, and compare its quasi-identifying
    columns."""
    asked = job.policy.privacy.population
    if asked is None or job.places.population is None:
        return
    job.population = job.engine.open_population(asked, job.places.population)
    there = {column.name: column for column in job.engine.columns(job.population)}
    for column in job.columns:
        if column.name not in job.policy.quasi_identifiers:
            continue
        other = there.get(column.name)
        if other is None:
            text = f"the population has no column {column.name!r}."
            job.problems.append(
                Problem("privacy.population", text, did_you_mean(column.name, there))
            )
        elif (other.kind, other.scale) != (column.kind, column.scale):
            text = f"{column.name!r} is {other.family} there and {column.family} in the source."
            job.problems.append(Problem("privacy.population", text, "Cast one of them in a view."))


def fingerprint_source(job: Job) -> None:
    """Compute the fingerprint of what the release would be made from."""
    made_from = fingerprint.of_source(job.engine, job.source, job.columns, job.policy)
    if job.population:
        named = [
            column
            for column in job.engine.columns(job.population)
            if column.name in job.policy.quasi_identifiers
        ]
        made_from += "/" + fingerprint.of_source(job.engine, job.population, named, job.policy)
    job.made_from = f"{made_from} {fingerprint.of_policy(job.policy, job.places)}"


def count_combinations(job: Job) -> None:
    """Count each distinct combination of quasi-identifying values: the only scan of the source."""
    named = [column for column in job.columns if column.name in job.policy.quasi_identifiers]
    order = list(job.policy.quasi_identifiers)
    usable = []
    for column in sorted(named, key=lambda column: order.index(column.name)):
        try:
            hierarchies.require_generalizable(column)
            usable.append(column)
        except PolicyError as error:
            job.problems += error.problems
    slots = [QuasiColumn(index, column) for index, column in enumerate(usable, start=1)]
    if not slots or any(each.where == "privacy.population" for each in job.problems):
        return  # the problem is noted already
    columns, problems = coded.plan(job.policy.privacy, job.columns, first=len(slots) + 1)
    job.problems += problems
    if job.policy.bucketized is not None:
        job.problems += patterns.problems(job.policy, job.columns)
        if job.problems:
            return  # rows that cannot be marked cannot be counted
        nulls = _mark(job, slots, columns)
    else:
        counted = {"attributes": slots, "coded": columns, "population": job.population}
        job.engine.run("star/combinations", source=job.source, **counted)
        job.rows, job.combinations, *nulls = job.engine.query("star/totals", **counted)[0]
        job.coded = _with_hierarchies(job, columns, nulls[len(slots) :])
    planned = []
    for slot, column, null_rows in zip(slots, usable, nulls, strict=False):
        try:
            planned.append(hierarchies.plan(slot.index, column, job.policy, null_rows))
        except PolicyError as error:
            job.problems += error.problems
    job.attributes = planned
    job.problems += registry.of(job.policy.method).problems(planned)
    job.released = released.released_columns(
        job.policy, [c for c in job.columns if c.name in job.policy.columns], planned
    )
    job.problems += released.name_clashes(job.policy, job.released)
    if job.places.release.is_file:
        job.problems += released.same_names(job.released)


def _mark(job: Job, slots: Sequence[QuasiColumn], columns: Sequence[Coded]) -> list[int]:
    """Mark the withheld entries of the rows, and count the others; return the number of NULLs in
    each quasi-identifying column."""
    told = job.policy.conditions
    kept = [each for each in job.columns if job.policy.columns[each.name].role == "insensitive"]
    texts = [each.name for each in job.columns if each.kind == "text"]
    conditions = {each.index: told[each.name].over(texts) for each in slots if each.name in told}
    by_name = {each.name: each for each in columns}
    bucketized = [by_name[name] for name in job.policy.bucketized or () if name in by_name]
    job.marks = Marks(slots, conditions, kept, bucketized)
    patterns.mark(job.engine, job.source, job.marks)
    job.rows, job.combinations, nulls = patterns.totals(job.engine, job.marks)
    return nulls


def _with_hierarchies(job: Job, columns: Sequence[Coded], nulls: Sequence[int]) -> list[Coded]:
    """Return the coded columns, with hierarchies where the policy gives them."""
    made = []
    for each, null_rows in zip(columns, nulls, strict=True):
        try:
            made.append(coded.with_hierarchy(each, job.policy, null_rows))
        except PolicyError as error:
            job.problems += error.problems
    return made


@dataclass(frozen=True)
class QuasiColumn:
    """A quasi-identifying column before its hierarchy is known."""

    index: int
    column: Column

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def cast(self) -> str | None:
        """The type that the column's values are cast to in statements, where it is not their
        own."""
        return self.column.cast


def build_hierarchies(job: Job) -> None:
    """Make the dimension tables, and note what is wrong with them."""
    every = [*job.attributes, *(each.attribute for each in job.coded if each.attribute is not None)]
    for attribute in every:
        hierarchies.build(job.engine, attribute)
    if every:
        job.problems += hierarchies.lint(job.engine, every, job.show_values)


def code_values(job: Job) -> None:
    """Code the values that models are about, and note values that the policy names and the table
    lacks."""
    if job.attributes and not job.problems:
        about = _code_closeness(job, job.marks) if job.marks is not None else job.coded
        if job.marks is None:
            values.build(job.engine, job.coded)
        job.problems += values.problems(job.engine, about)
    if job.attributes and not job.problems:
        problems, warnings = weak_promises.too_weak(job.engine, job.policy.privacy, about)
        job.problems += problems
        job.warnings += warnings


def _code_closeness(job: Job, marks: Marks) -> list[Coded]:
    """Code all values of the bucketized columns with a promise about their distribution; return
    these columns."""
    about = [each for each in marks.bucketized if each.name in job.policy.privacy.t_closeness]
    for each in about:
        buckets.code_whole(job.engine, each, whole="marked")
    return about


def fit_scheme(job: Job) -> None:
    """Compare the scheme with the policy's columns and hierarchies."""
    if job.scheme is None:
        raise InvariantError("there is no scheme to fit")
    if len(job.attributes) == len(job.policy.quasi_identifiers):
        job.problems += scheme.problems(job.scheme, job.attributes, job.policy)


def require_sound(job: Job) -> None:
    """Raise the problems noted so far: go on only if policy, hierarchies and data fit together and
    there are enough rows."""
    if job.problems:
        raise PolicyError(job.problems)
    if unmet := feasible.problems(job):
        raise PrivacyError("\n".join(str(each) for each in unmet))


def warn(job: Job) -> None:
    """Note the warnings of ``check``. Raise PrivacyError when kept columns must give away more than
    the policy allows."""
    for each in sizes.warnings(job.policy, job.attributes):
        log.warning("%s", each)  # at once: the report may be hours away
    cautions.note(job, job.catalog.earlier())
    if job.problems:
        raise PrivacyError("\n".join(map(str, job.problems)))


def build_star(job: Job) -> None:
    """Code the combinations into cells; where entries are withheld, settle first which ones."""
    if job.marks is not None:
        job.promise = Promise(
            job.policy.privacy.k
        )  # for groups; buckets have promises of their own
        job.marks = replace(job.marks, attributes=job.attributes)
        job.widened = patterns.settle(job.engine, job.marks, job.promise.k)
        job.star = patterns.build(job.engine, job.marks, job.rows)
        return
    job.promise = Promise.of(job.policy.privacy, job.coded)
    job.star = star.build(job.engine, job.attributes, job.coded, job.promise, job.rows)
    job.sets = FrequencySets(job.engine, job.star, job.promise)
    job.roll_ups = RollUps(job.sets)


def stage(job: Job) -> None:
    """Write the release to a staging area, apart from the previous release."""
    method = registry.of(job.policy.method)
    method.stage(job.engine, job.target, job.source, job.recoding)
    publish.stage_hierarchies(job.engine, job.target, job.policy, job.attributes)
    facts = {**job.facts, **_given_away(job), "release": job.release_id}
    publish.stage_facts(job.target, job.policy, job.rows, job.recoding, facts)


def _given_away(job: Job) -> dict[str, object]:
    """Return the facts about what the kept columns of the staged rows give away. Raise PrivacyError
    where that is more than the policy allows."""
    limits, suppression = job.policy.privacy.kept, job.recoding.suppression
    engine, rows = job.target.staged_rows()
    masked = suppression.masked and suppression.rows > 0
    found = counting.of_release(engine, rows, job.policy, masked=masked)
    if found.kept != job.kept_in_source or suppression.rows:  # otherwise they are the source's
        job.telling = telling.of_kept(engine, rows, job.policy, found.kept)
    kept_limits.require_within(limits, found, job.telling)
    job.warnings += kept_warnings.homogeneous(job.policy, found)
    return {**found.facts, **kept_limits.facts(limits)}


def verify_release(job: Job) -> None:
    """Prove the staged release, by itself and against the source."""
    job.staged, tables = job.target.build()
    try:
        job.classes = from_release_alone(job.staged, job.policy, staged=True)
        method = registry.of(job.policy.method)
        sources = (job.source, job.population)
        if offences := method.differences(job.engine, tables, *sources, job.recoding):
            raise VerificationError(offences)
    except VerificationError:
        # a source that changed meanwhile is the likelier cause, and needs another remedy
        job.engine.require_unchanged()
        raise
    job.spans = spans.of_release(job.staged, job.policy)


def publish_release(job: Job) -> None:
    """Replace the previous release by the staged one: the last step that can fail."""
    told = [(each, job.recoding.described(each)[0]) for each in job.attributes]
    levels = [
        (each.name, level, fingerprint.of_hierarchy(job.policy, each.name)) for each, level in told
    ]
    job.context.journal.clock.stop()
    job.catalog.record_release(job.run, str(job.places.release), job.policy.release.name, levels)
    job.target.publish()


CHECK = (open_source, open_population, count_combinations, build_hierarchies, code_values)
SEARCH = (*CHECK, require_sound, build_star, search_all, record_lattice)
OPEN = (guard_release, open_source, open_population)
FIT = (count_combinations, build_hierarchies, code_values, require_sound)
DECIDE = (build_star, search, record_lattice, choose)
CHOOSE = (*FIT, *DECIDE)
FIT_AGAIN = (count_combinations, build_hierarchies, code_values, fit_scheme, require_sound)
DECIDE_AGAIN = (build_star, choose)
CHOOSE_AGAIN = (*FIT_AGAIN, *DECIDE_AGAIN)
PUBLISH = (stage, verify_release, publish_release)
RELEASE = (*FIT, warn, *DECIDE, *PUBLISH)
APPLY = (*FIT_AGAIN, warn, *DECIDE_AGAIN, *PUBLISH)
RUN = (*OPEN, *RELEASE)
TRY = (open_source, open_population, *CHOOSE, stage, verify_release)


def go_through(job: Job, stages: Sequence[Callable[[Job], None]]) -> None:
    """Run the stages, timing each and counting its statements."""
    for stage_function in stages:
        name = stage_function.__name__
        job.progress(name, 0, 0)
        started, before = time.perf_counter(), job.context.journal.count()
        try:
            stage_function(job)
        except SqlError:
            # a source that changed meanwhile is the likelier cause, and needs another remedy
            job.engine.require_unchanged()
            raise
        job.seconds[name] = round(time.perf_counter() - started, 4)
        job.statements[name] = job.context.journal.count() - before
        log.info(
            "%s: %.3f s",
            name,
            job.seconds[name],
            extra={"fields": {"run": job.run, "stage": name, "seconds": job.seconds[name]}},
        )
