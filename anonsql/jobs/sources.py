"""The stages that look at the source: open it, count it, and see whether policy, hierarchies and
rows fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Column, OfColumn, Relation
from anonsql.errors import PolicyError, PrivacyError, Problem, did_you_mean
from anonsql.hierarchies import automatic, reference_tables
from anonsql.hierarchies import dimensions as hierarchies
from anonsql.jobs import feasible, fingerprints, scheme, sizes
from anonsql.jobs import warnings as job_warnings
from anonsql.jobs.job import Counted, Fingerprint, KeptColumns, Opened, Session
from anonsql.jobs.scheme import Scheme
from anonsql.methods import registry
from anonsql.methods.local import buckets, patterns
from anonsql.methods.local.patterns import Marks
from anonsql.policy.columns import HARMLESS
from anonsql.policy.policy import Policy, is_at
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
from anonsql.star import coded as coding
from anonsql.star import values
from anonsql.star.coded import Coded
from anonsql.system.journal import log


def open_source(session: Session) -> Opened:
    """Make the source readable and compare its columns with the policy's."""
    source = session.engine.open_source(session.policy.source)
    session.warnings += session.engine.doubts
    columns = session.engine.columns(source)
    names = [column.name for column in columns]
    for name in names:
        if name not in session.policy.columns:
            hint = (
                did_you_mean(name, set(session.policy.columns) - set(names))
                if session.policy.columns.keys() - set(names)
                else ""
            )
            session.problems.append(
                Problem(
                    f"columns.{name}",
                    "this column of the source has no role.",
                    hint or "Give it one.",
                )
            )
    flags = {
        entry.flag: f"columns.{column}.flag"
        for column, entry in session.policy.columns.items()
        if entry.flag is not None
    }
    for name in session.policy.columns:
        if name not in names:
            text = (
                f"the source has no column {name!r}."
                if name in flags
                else "the source has no such column."
            )
            session.problems.append(
                Problem(flags.get(name, f"columns.{name}"), text, did_you_mean(name, names))
            )
    problems, made = find_hierarchies(session, session.policy, source, columns)
    session.problems += problems
    session.warnings += made
    session.problems += not_numeric_weights(columns, session.policy.columns)
    return Opened(source, columns)


def find_hierarchies(
    session: Session, policy: Policy, source: Relation, columns: Sequence[Column]
) -> tuple[list[Problem], list[Problem]]:
    """Read the hierarchies of a table that tables of the database give, and make those that are
    made from its rows. Return what is wrong with them, and what its owner is to know of them."""
    wrong: list[Problem] = []
    try:
        reference_tables.read(
            session.engine, policy, session.context.workspace, show_values=session.show_values
        )
    except PolicyError as error:
        wrong += error.problems
    problems, done = automatic.make(session.engine, source, columns, policy)
    return wrong + problems, done


def open_population(session: Session, opened: Opened) -> Opened:
    """Make the population readable, where the policy has one, and compare its quasi-identifying
    columns."""
    settings = session.policy.privacy.population
    if settings is None or session.places.population is None:
        return opened
    population = session.engine.open_population(settings, session.places.population)
    columns = {column.name: column for column in session.engine.columns(population)}
    for column in opened.columns:
        if column.name not in session.policy.quasi_identifiers:
            continue
        other = columns.get(column.name)
        if other is None:
            text = f"the population has no column {column.name!r}."
            session.problems.append(
                Problem("privacy.population", text, did_you_mean(column.name, columns))
            )
        elif (other.kind, other.scale) != (column.kind, column.scale):
            text = f"{column.name!r} is {other.family} there and {column.family} in the source."
            session.problems.append(
                Problem("privacy.population", text, "Cast one of them in a view.")
            )
    return replace(opened, population=population)


def fingerprint_source(session: Session, opened: Opened) -> Fingerprint:
    """Compute the fingerprint of what the release would be made from."""
    engine, policy = session.engine, session.policy
    text = fingerprints.of_source(engine, opened.source, opened.columns, policy)
    if opened.population:
        columns = engine.columns(opened.population)
        named = [column for column in columns if column.name in policy.quasi_identifiers]
        text += "/" + fingerprints.of_source(engine, opened.population, named, policy)
    return Fingerprint(f"{text} {fingerprints.of_policy(policy, session.places)}")


def count_combinations(session: Session, opened: Opened) -> Counted:
    """Count each distinct combination of quasi-identifying values: the only scan of the source.
    Where problems make that impossible, count nothing."""
    engine, policy = session.engine, session.policy
    usable = _usable(session, opened)
    slots = [QuasiColumn(index, column) for index, column in enumerate(usable, start=1)]
    if not slots or any(problem.where == "privacy.population" for problem in session.problems):
        return Counted()  # the problem is noted already
    columns, problems = coding.plan(policy.privacy, opened.columns, first=len(slots) + 1)
    session.problems += problems
    marks, coded = None, list[Coded]()
    if policy.bucketized is not None:
        session.problems += patterns.problems(policy, opened.columns)
        if session.problems:
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
        coded = _with_hierarchies(session, columns, nulls[len(slots) :])
    planned = []
    for slot, null_rows in zip(slots, nulls, strict=False):
        try:
            planned.append(
                hierarchies.plan(slot.index, slot.column, policy, null_rows, session.leaves.read)
            )
        except PolicyError as error:
            session.problems += _not_noted(session, slot.name, error)
    session.problems += registry.of(policy.method).problems(planned)
    named = [column for column in opened.columns if column.name in policy.columns]
    released = released_columns(policy, named, planned)
    session.problems += not_averaged(policy, named)
    session.problems += name_clashes(policy, released) + without_surrogates(released)
    if session.places.release.database.same_by_case:
        session.problems += same_names(released)
    if session.places.release.kind == "csv":
        session.problems += not_in_csv(released)
    return Counted(rows, combinations, planned, coded, released, marks)


def _usable(session: Session, opened: Opened) -> list[Column]:
    order = list(session.policy.quasi_identifiers)
    usable = []
    for column in sorted(
        (column for column in opened.columns if column.name in order),
        key=lambda column: order.index(column.name),
    ):
        try:
            hierarchies.require_generalizable(column)
            usable.append(column)
        except PolicyError as error:
            session.problems += error.problems
    return usable


def _marks(
    policy: Policy, opened: Opened, slots: Sequence[QuasiColumn], columns: Sequence[Coded]
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


def _with_hierarchies(
    session: Session, columns: Sequence[Coded], nulls: Sequence[int]
) -> list[Coded]:
    made = []
    for column, null_rows in zip(columns, nulls, strict=True):
        try:
            leaves_of = session.leaves.read
            made.append(coding.with_hierarchy(column, session.policy, null_rows, leaves_of))
        except PolicyError as error:
            session.problems += _not_noted(session, column.name, error)
    return made


def _not_noted(session: Session, name: str, error: PolicyError) -> Sequence[Problem]:
    """Return no problem where it is known already why a hierarchy was not read or made."""
    noted = is_at((problem.where for problem in session.problems), f"columns.{name}.hierarchy")
    return [] if noted else error.problems


@dataclass(frozen=True)
class QuasiColumn(OfColumn):
    """A quasi-identifying column before its hierarchy is known."""

    index: int
    column: Column


def build_hierarchies(session: Session, counted: Counted) -> None:
    """Make the dimension tables, and note what is wrong with them. Those of sensitive columns are
    made where the rows are."""
    bench, attributes = session.workbench, counted.attributes
    if not session.problems:
        populated = session.policy.privacy.compared
        bench.open(attributes, counted.coded, counted.combinations, populated=populated)
    of_coded = [column.attribute for column in counted.coded if column.attribute is not None]
    shown = session.show_values
    session.problems += bench.make_dimensions(attributes, of_coded, show_values=shown)
    if not session.problems:
        bench.return_dimensions(attributes)


def code_values(session: Session, counted: Counted) -> None:
    """Code the values that models are about, and note values that the policy names and the table
    lacks."""
    engine, privacy = session.engine, session.policy.privacy
    if not counted.attributes or session.problems:
        return
    if counted.marks is None:
        about, promise = counted.coded, Promise.of(privacy, counted.coded)
        values.build(engine, about)
    else:
        about = [
            column for column in counted.marks.bucketized if column.name in privacy.t_closeness
        ]
        promise = Promise(session.policy.method.least_bucket)
        for column in about:
            buckets.code_whole(engine, column, whole="marked")
    session.problems += values.problems(engine, about)
    if not session.problems:
        problems, warnings = weak_promises.too_weak(engine, privacy, promise, about)
        session.problems += problems
        session.warnings += warnings


def fit_scheme(session: Session, counted: Counted, published: Scheme) -> None:
    """Compare a published scheme with the policy's columns and hierarchies."""
    if len(counted.attributes) == len(session.policy.quasi_identifiers):
        session.problems += scheme.problems(published, counted.attributes, session.policy)


def require_sound(session: Session, counted: Counted) -> None:
    """Raise the problems noted so far: go on only if policy, hierarchies and data fit together and
    there are enough rows."""
    if session.problems:
        raise PolicyError(session.problems)
    if unmet := feasible.problems(session, counted):
        if not all(problem.unmet for problem in unmet):
            raise PolicyError(unmet)
        raise PrivacyError("\n".join(str(problem) for problem in unmet))


def warn(
    session: Session, opened: Opened, counted: Counted, published: Scheme | None
) -> KeptColumns:
    """Note the warnings of ``check``. Raise PolicyError where kept text holds what the policy does
    not accept, PrivacyError when kept columns must give away more than it allows."""
    for warning in sizes.warnings(session.policy, counted.attributes):
        log.warning("%s", warning)  # at once: the report may be hours away
    kept = job_warnings.note(session, opened, counted, session.catalog.earlier(), published)
    if any(not problem.unmet for problem in session.problems):
        raise PolicyError(session.problems)
    if session.problems:
        raise PrivacyError("\n".join(map(str, session.problems)))
    return kept
