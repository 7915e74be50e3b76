"""The stages that look at the source: open it, count it, and see whether policy, hierarchies and
rows fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Column, OfColumn, Relation
from anonsql.errors import InvariantError, PolicyError, PrivacyError, Problem, did_you_mean
from anonsql.hierarchies import automatic, recognition, reference_tables
from anonsql.hierarchies import dimensions as hierarchies
from anonsql.jobs import fingerprints, samples, scheme
from anonsql.jobs import warnings as job_warnings
from anonsql.jobs.job import Counted, Fingerprint, Job, Opened
from anonsql.jobs.scheme import Scheme
from anonsql.methods import registry
from anonsql.methods.local import buckets, patterns
from anonsql.methods.local.patterns import Marks
from anonsql.policy.columns import HARMLESS
from anonsql.policy.policy import is_at
from anonsql.policy.table_columns import TableColumns
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import Promise
from anonsql.release.columns import (
    name_clashes,
    not_averaged,
    not_in_csv,
    not_numeric_weights,
    released_columns,
    same_names,
    without_surrogates,
)
from anonsql.risks import weak_promises
from anonsql.star import cells
from anonsql.star import coded as coding
from anonsql.star.coded import Coded
from anonsql.system.journal import log


def open_source(job: Job) -> None:
    """Make the source readable and compare its columns with the policy's."""
    source = job.engine.open_source(job.first.source)
    job.warnings += job.engine.doubts
    columns = job.engine.columns(source)
    names = [column.name for column in columns]
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
                    hint or "Give it a role.",
                )
            )
    flags = {
        entry.flag: f"columns.{column}.flag"
        for column, entry in job.policy.columns.items()
        if entry.flag is not None
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
    if job.sample is not None:
        named = [column for column in columns if column.name in job.policy.columns]
        source = samples.draw(job.engine, source, named, job.sample, job.policy.privacy.entity)
    problems, made = find_hierarchies(job, job.policy, source, columns)
    job.problems += problems
    job.warnings += made
    job.problems += not_numeric_weights(columns, job.policy.columns)
    job.opened = Opened(source, columns)


def find_hierarchies(
    job: Job, policy: TableColumns, source: Relation, columns: Sequence[Column]
) -> tuple[list[Problem], list[Problem]]:
    """Read a table's hierarchies from tables of the database, make the automatic ones from its
    rows, and count values that built-in ones do not know. Return the problems with them, and
    warnings for the owner."""
    wrong: list[Problem] = []
    try:
        reference_tables.read(
            job.engine, policy, job.context.workspace, show_values=job.show_values
        )
    except PolicyError as error:
        wrong += error.problems
    problems, done = automatic.make(job.engine, source, columns, policy)
    if job.context.reading:
        return wrong + problems, done
    unknown, warnings = recognition.recognize(
        job.engine, source, columns, policy, show_values=job.show_values
    )
    return wrong + problems + unknown, done + warnings


def open_population(job: Job) -> None:
    """Make the population readable where there is one; compare its quasi-identifiers."""
    settings = job.policy.privacy.population
    if settings is None or job.places.population is None:
        return
    population = job.engine.open_population(settings, job.places.population)
    columns = {column.name: column for column in job.engine.columns(population)}
    for column in job.opened.columns:
        if column.name not in job.policy.quasi_identifiers:
            continue
        other = columns.get(column.name)
        if other is None:
            text = f"the population has no column {column.name!r}."
            job.problems.append(
                Problem("privacy.population", text, did_you_mean(column.name, columns))
            )
        elif (other.kind, other.scale) != (column.kind, column.scale):
            text = f"{column.name!r} is {other.family} there and {column.family} in the source."
            job.problems.append(Problem("privacy.population", text, "Cast one of them in a view."))
    job.opened = replace(job.opened, population=population)


def fingerprint_source(job: Job) -> None:
    """Compute the fingerprint of the release's inputs."""
    engine, policy, opened = job.engine, job.policy, job.opened
    text = fingerprints.of_source(engine, opened.source, opened.columns, policy)
    if opened.population:
        columns = engine.columns(opened.population)
        named = [column for column in columns if column.name in policy.quasi_identifiers]
        text += "/" + fingerprints.of_source(engine, opened.population, named, policy)
    job.fingerprint = Fingerprint(f"{text} {fingerprints.of_policy(policy, job.places)}")


def count_combinations(job: Job) -> None:
    """Count each distinct combination of quasi-identifying values, with kept columns changed as the
    policy says, or of a random sample of the rows: without these nothing of them is loaded. A job
    that reads a release compares it with the source as it is."""
    if job.policy.changes and not job.context.reading:
        from anonsql.jobs import changed_columns

        job.opened = changed_columns.change_columns(job, job.opened)
    if job.policy.privacy.differential is not None and not job.context.reading:
        from anonsql.jobs import differential

        job.opened = differential.sample(job, job.opened)
    job.counted = count(job)


def count(job: Job) -> Counted:
    """Count the combinations, the only scan of the source; none where there are problems."""
    engine, policy, opened = job.engine, job.policy, job.opened
    usable = _usable(job)
    slots = [QuasiColumn(index, column) for index, column in enumerate(usable, start=1)]
    if not slots or any(problem.where == "privacy.population" for problem in job.problems):
        return Counted()  # the problem is noted already
    columns, problems = coding.plan(policy.privacy, opened.columns, first=len(slots) + 1)
    job.problems += problems
    marks, coded = None, list[Coded]()
    if policy.bucketized is not None:
        job.problems += patterns.problems(policy, opened.columns)
        if job.problems:
            return Counted()  # rows that cannot be marked cannot be counted
        marks = _marks(policy, opened, slots, columns)
        patterns.mark(engine, opened.source, marks)
        rows, combinations, nulls = patterns.totals(engine, marks)
    else:
        drawn_from = opened.sampled.source if opened.sampled and policy.privacy.compared else ()
        beside = opened.population or drawn_from
        counted = {"attributes": slots, "coded": columns, "population": beside}
        engine.run("star/combinations", source=opened.source, **counted)
        rows, combinations, *nulls = engine.query("star/totals", **counted)[0]
        coded = _with_hierarchies(job, columns, nulls[len(slots) :])
    planned = []
    for slot, null_rows in zip(slots, nulls, strict=False):
        try:
            planned.append(
                hierarchies.plan(slot.index, slot.column, policy, null_rows, job.leaves.read)
            )
        except PolicyError as error:
            job.problems += _not_noted(job, slot.name, error)
    job.problems += registry.of(policy.method).problems(planned)
    named = [column for column in opened.columns if column.name in policy.columns]
    released = released_columns(policy, named, planned)
    job.problems += not_averaged(policy, named)
    job.problems += name_clashes(policy, released) + without_surrogates(released)
    if job.places.release.database.same_by_case:
        job.problems += same_names(released)
    if job.places.release.kind == "csv":
        job.problems += not_in_csv(released)
    return Counted(rows, combinations, planned, coded, released, marks)


def _usable(job: Job) -> list[Column]:
    order = list(job.policy.quasi_identifiers)
    usable = []
    for column in sorted(
        (column for column in job.opened.columns if column.name in order),
        key=lambda column: order.index(column.name),
    ):
        try:
            hierarchies.require_generalizable(column)
            usable.append(column)
        except PolicyError as error:
            job.problems += error.problems
    return usable


def _marks(
    policy: TablePlan, opened: Opened, slots: Sequence[QuasiColumn], columns: Sequence[Coded]
) -> Marks:
    parameters = policy.conditions
    kept = [
        column
        for column in opened.columns
        if policy.columns[column.name].role in HARMLESS or column.name in policy.replaced
    ]
    texts = [column.name for column in opened.columns if column.kind == "text"]
    conditions = {
        slot.index: parameters[slot.name].over(texts) for slot in slots if slot.name in parameters
    }
    by_name = {column.name: column for column in columns}
    bucketized = [by_name[name] for name in policy.bucketized or () if name in by_name]
    return Marks(slots, conditions, kept, bucketized)


def _with_hierarchies(job: Job, columns: Sequence[Coded], nulls: Sequence[int]) -> list[Coded]:
    made = []
    for column, null_rows in zip(columns, nulls, strict=True):
        try:
            leaves_of = job.leaves.read
            made.append(coding.with_hierarchy(column, job.policy, null_rows, leaves_of))
        except PolicyError as error:
            job.problems += _not_noted(job, column.name, error)
    return made


def _not_noted(job: Job, name: str, error: PolicyError) -> Sequence[Problem]:
    """Return no problem where it is known already why a hierarchy was not read or made."""
    noted = is_at((problem.where for problem in job.problems), f"columns.{name}.hierarchy")
    return [] if noted else error.problems


@dataclass(frozen=True)
class QuasiColumn(OfColumn):
    """A quasi-identifying column before its hierarchy is known."""

    index: int
    column: Column


def build_hierarchies(job: Job) -> None:
    """Make the dimension tables (of sensitive columns where the rows are); note problems."""
    bench, counted, attributes = job.workbench, job.counted, job.counted.attributes
    if not job.problems:
        bench.open(attributes, counted.coded, counted.combinations, populated=job.first.compared)
    of_coded = [column.attribute for column in counted.coded if column.attribute is not None]
    job.problems += bench.make_dimensions(attributes, of_coded, show_values=job.show_values)
    if not job.problems:
        bench.return_dimensions(attributes)


def code_values(job: Job) -> None:
    """Code the values that models are about; note values that the table lacks."""
    engine, privacy, counted = job.engine, job.policy.privacy, job.counted
    if not counted.attributes or job.problems:
        return
    if counted.marks is None:
        about, promise = counted.coded, Promise.of(privacy, counted.coded)
        cells.build(engine, about)
    else:
        about = [
            column for column in counted.marks.bucketized if column.name in privacy.t_closeness
        ]
        promise = Promise(job.policy.method.least_bucket)
        for column in about:
            buckets.code_whole(engine, column, whole="marked")
    job.problems += cells.problems(engine, about)
    if not job.problems:
        problems, warnings = weak_promises.too_weak(engine, privacy, promise, about)
        job.problems += problems
        job.warnings += warnings


def fit_scheme(job: Job) -> None:
    """Compare the published scheme that is applied again with the policy and its hierarchies."""
    published, attributes = scheme_of(job), job.counted.attributes
    if len(attributes) == len(job.policy.quasi_identifiers):
        job.problems += scheme.problems(published, attributes, job.policy)


def scheme_of(job: Job) -> Scheme:
    """Return the scheme that the job applies again; raise InvariantError where it has none."""
    if job.scheme is None:
        raise InvariantError("a job that applies no scheme has none to fit")
    return job.scheme


def require_sound(job: Job) -> None:
    """Raise the problems noted so far, and those of a table with too few rows."""
    if job.problems:
        raise PolicyError(job.problems)
    if unmet := job_warnings.unmet_promises(job):
        if not all(problem.unmet for problem in unmet):
            raise PolicyError(unmet)
        raise PrivacyError("\n".join(str(problem) for problem in unmet))


def warn(job: Job) -> None:
    """Note the warnings of ``check``, and the risk of kept columns in the source. Raise PolicyError
    where kept text has contents that the policy does not accept, PrivacyError when kept columns
    must reveal more than it allows."""
    for warning in job_warnings.size_warnings(job.policy, job.counted.attributes):
        log.warning("%s", warning)  # at once: the report may be hours away
    earlier = job.catalog.earlier()
    job.kept_in_source = job_warnings.note(job, job.opened.whole, earlier, job.scheme)
    if any(not problem.unmet for problem in job.problems):
        raise PolicyError(job.problems)
    if job.problems:
        raise PrivacyError("\n".join(map(str, job.problems)))


def look_at_text(job: Job) -> None:
    """Note what columns hold and the policy does not accept, where no class is counted later."""
    job_warnings.look_at_contents(job, job.opened, then_counted=False)
