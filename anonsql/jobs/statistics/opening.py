"""Open the source of statistics: its columns, who is counted, and the dimensions' hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonsql.engines.base import Column
from anonsql.errors import FieldError, PolicyError, Problem, did_you_mean
from anonsql.hierarchies import dimensions as hierarchies
from anonsql.jobs import fingerprints, sources
from anonsql.jobs.job import Counted, Fingerprint, Job, Opened
from anonsql.jobs.sources import QuasiColumn
from anonsql.jobs.statistics.noising import list_groups, rows_of
from anonsql.jobs.statistics.state import Tabulation, tabulation_of
from anonsql.risks import mess
from anonsql.risks.keys_of_people.finding import keys, may_be_called
from anonsql.statistics import changing, cubes, dependent
from anonsql.system.numbers import counted

_NUMBERS = ("integer", "decimal", "float")
_OF_SOURCE = "columns."
"""How the places of columns begin in a policy of rows."""


def open_source(job: Job) -> None:
    """Make the source readable, and note the columns that the policy needs and it lacks."""
    policy = tabulation_of(job).policy
    job.context.journal.counts = policy.protect.noise is None
    source = job.engine.open_source(policy.source)
    job.warnings += job.engine.doubts
    columns = job.engine.columns(source)
    job.opened = Opened(source, columns)
    by_name = {column.name: column for column in columns}
    for name, where in policy.needed.items():
        if name not in by_name:
            text = f"the source has no column {name!r}."
            job.problems.append(Problem(where, text, did_you_mean(name, by_name)))
    for name, measure in policy.sums.items():
        column = by_name.get(measure.sum)
        if column is not None and column.kind not in _NUMBERS:
            text = f"{measure.sum!r} is {column.family}, and a sum needs numbers."
            remedy = (
                "Cast the column to a number in a view."
                if policy.source.file is None
                else f"Set its type, source.columns.{measure.sum}.type (`decimal(14,2)`)."
            )
            job.problems.append(Problem(f"statistics.of.{name}.sum", text, remedy))
    if policy.protect.by == "cell-key":
        try:
            changing.require_possible(policy.protect.cell_key)
        except FieldError as error:
            job.problems.append(Problem(error.at, f"{error}.", "Change one of its settings."))
    if not job.problems:
        problems, made = sources.find_hierarchies(job, policy.first, source, columns)
        job.problems += map(_at_dimension, problems)
        job.warnings += map(_at_dimension, made)


def fingerprint_source(job: Job) -> None:
    """Compute the fingerprint of the tables' inputs."""
    policy = tabulation_of(job).policy
    require_sound(job)
    text = fingerprints.of_source(job.engine, job.opened.source, job.opened.columns, policy.first)
    of_policy = fingerprints.of_statistics(policy, job.places)
    job.fingerprint = Fingerprint(f"{text} {of_policy}")


def count_combinations(job: Job) -> None:
    """Count people by combination of the dimensions' values: the one scan of the source. Plan the
    dimensions; note problems with them, and rows without a person."""
    if job.problems:
        job.counted = Counted()
        return
    tabulation = tabulation_of(job)
    policy, engine = tabulation.policy, job.engine
    by_name = {column.name: column for column in job.opened.columns}
    slots = []
    for index, name in enumerate(policy.statistics.by, start=1):
        try:
            hierarchies.require_generalizable(by_name[name])
            slots.append(QuasiColumn(index, by_name[name]))
        except PolicyError as error:
            job.problems += map(_at_dimension, error.problems)
    if policy.sums and not job.problems:
        _read_amounts(job, tabulation)
        if policy.protect.noise is None:
            _warn_of_means(job, tabulation)
    if job.problems:
        job.counted = Counted()
        return
    _scan(job, tabulation, slots)
    rows, combinations, *nulls = engine.query(
        "star/totals", attributes=slots, coded=[], population=()
    )[0]
    planned = []
    for slot, null_rows in zip(slots, nulls, strict=True):
        try:
            arguments = (slot.index, slot.column, policy.first, null_rows, job.leaves.read)
            planned.append(hierarchies.plan(*arguments))
        except PolicyError as error:
            job.problems += map(_at_dimension, error.problems)
    job.counted = Counted(rows, combinations, planned)
    if not job.problems:
        job.problems += level_problems(job)
    if not job.problems:
        list_groups(job)
        _warn_of_keys(job)
        if policy.protect.noise is None:
            job.warnings += map(_at_dimension, mess.warnings(engine, planned))


def _warn_of_keys(job: Job) -> None:
    """Warn of columns that look like keys of people where every row counts as one: dimensions, and
    other columns, by their names, if people have several rows of one value."""
    policy, columns = tabulation_of(job).policy, job.opened.columns
    if policy.protect.entity is not None or policy.protect.noise is not None:
        return
    by = [column for column in columns if column.name in policy.statistics.by]
    called = [column for column in columns if column not in by and may_be_called(column)]
    for key in keys(job.engine, job.opened.source, [*by, *called], by):
        is_dimension = key.name in policy.statistics.by
        if not is_dimension and not key.repeats:
            continue
        where = f"statistics.by.{key.name}" if is_dimension else "protect.entity"
        text = (
            f"{key.name!r} looks like a column that identifies people: {key.found}. Every row"
            " counts as a person, so a published cell can be about one person."
        )
        remedy = f"Set `protect: {{entity: {key.name}, …}}`."
        if is_dimension:
            remedy = f"Leave the dimension out. {remedy}"
        job.warnings.append(Problem(where, text, remedy))


def _read_amounts(job: Job, tabulation: Tabulation) -> None:
    sums = cubes.sums_of(tabulation.policy, job.opened.columns)
    tabulation.amounts = dependent.amounts(job.engine, job.opened.source, sums)
    for entry, values in zip(sums, tabulation.amounts, strict=True):
        if values.countable:
            continue
        most = f"{cubes.LARGEST // entry.unit:,}"
        text = (
            f"{counted(values.beyond, 'value')} cannot be added up: they are not numbers,"
            f" infinite, or larger than {most}."
            if values.beyond
            else (
                f"the absolute values add up to more than {most}, the largest sum that can be"
                " published."
            )
        )
        remedy = "Leave out such rows in a view, divide the values there, or use fewer `decimals`."
        job.problems.append(Problem(f"statistics.of.{entry.name}.sum", text, remedy))


def _warn_of_means(job: Job, tabulation: Tabulation) -> None:
    """Warn of means that divide by rows, or people, without an amount."""
    policy = tabulation.policy
    missing = {
        name: values.missing for name, values in zip(policy.sums, tabulation.amounts, strict=True)
    }
    for name, ratio in policy.ratios.items():
        above, below = ratio.ratio
        if missing.get(above) and below not in policy.sums:
            column = policy.sums[above].sum
            text = (
                f"{counted(missing[above], 'row has', 'rows have')} no {column!r}, and {below!r}"
                f" also counts {'it' if missing[above] == 1 else 'them'}: {name!r} is not the mean of"
                " the known values."
            )
            remedy = "Leave these rows out in a view, or fill in the missing values."
            job.warnings.append(Problem(f"statistics.of.{name}.ratio", text, remedy))


def _scan(job: Job, tabulation: Tabulation, slots: Sequence[QuasiColumn]) -> None:
    policy, engine = tabulation.policy, job.engine
    by_name = {column.name: column for column in job.opened.columns}
    entity: Column | None = None
    if policy.protect.entity is not None:
        entity = by_name[policy.protect.entity]
    engine.run(
        "statistics/combinations",
        source=rows_of(job),
        attributes=slots,
        entity=entity and QuasiColumn(0, entity),
        sums=cubes.sums_of(policy, job.opened.columns),
        by_row=entity is None and policy.protect.of_sums,
    )
    people, entries, nobody = engine.query("statistics/people", entity=entity is not None)[0]
    tabulation.people, tabulation.several = people, entries > people
    least = policy.protect.threshold or 0
    if people < least:
        text = (
            f"there are only {people:,} people, fewer than the threshold, so all cells are hidden."
        )
        job.warnings.append(Problem("protect.threshold", text, "Wait until there are more."))
    if nobody:
        text = f"{counted(nobody, 'row has', 'rows have')} no {policy.protect.entity!r}."
        remedy = "Fill in the missing values, or leave these rows out in a view."
        job.problems.append(Problem("protect.entity", text, remedy))


def level_problems(job: Job) -> list[Problem]:
    """Return a problem for every finest level of a table that is not below the top."""
    policy = tabulation_of(job).policy
    heights = {attribute.name: attribute.height for attribute in job.counted.attributes}
    return [
        Problem(
            f"statistics.tables[{number}].levels.{name}",
            f"{level} is not below the top of {name!r}, which is level {heights[name]}.",
            "Lower the level, or make the table without this dimension.",
        )
        for number, table in enumerate(policy.statistics.tables)
        for name, level in table.levels.items()
        if level >= heights[name]
    ]


def build_hierarchies(job: Job) -> None:
    """Make the dimension tables, and note what is wrong with them."""
    before = len(job.problems)
    sources.build_hierarchies(job)
    job.problems[before:] = map(_at_dimension, job.problems[before:])


def require_sound(job: Job) -> None:
    """Raise PolicyError with all problems that were found."""
    if job.problems:
        raise PolicyError(job.problems)


def _at_dimension(problem: Problem) -> Problem:
    if not problem.where.startswith(_OF_SOURCE):
        return problem
    return replace(problem, where=f"statistics.by.{problem.where.removeprefix(_OF_SOURCE)}")
