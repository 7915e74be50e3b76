"""The stages that change kept columns of the source, and that hold a release to such changes."""

from __future__ import annotations

from dataclasses import replace

from anonsql.engines.base import Relation, ReleaseTables
from anonsql.errors import PolicyError, Problem, VerificationError
from anonsql.jobs.job import Job, Opened
from anonsql.policy.changes import Drawn
from anonsql.policy.privacy import Privacy
from anonsql.release import changes as making
from anonsql.verification import changes as proving
from anonsql.verification.facts import facts_of


def change_columns(job: Job, opened: Opened) -> Opened:
    """Return the source with its kept columns changed; note what is wrong with that."""
    engine, policy = job.engine, job.policy
    try:
        made = making.change(engine, opened.source, opened.columns, policy)
    except PolicyError as error:
        job.problems += error.problems
        return opened
    job.warnings += [
        warning for column in made.drawn if (warning := _rare(column, policy.privacy)) is not None
    ]
    columns = engine.columns(made.view)
    return replace(opened, source=made.view, columns=columns, changed=made)


def _rare(column: Drawn, privacy: Privacy) -> Problem | None:
    if not column.rare:
        return None
    values, who = len(column.values) + column.rare, "people" if privacy.entity else "rows"
    text = f"{column.rare:,} of {values:,} values have fewer than {privacy.k:,} {who}"
    text += ": all rows with these values are released with other values."
    return Problem(f"columns.{column.name}.change.pram", text, "Group such values in a view.")


def as_told(job: Job, staged: ReleaseTables) -> Relation:
    """Return the source with its columns changed by the changes that a staged release states,
    instead of the run's own. Raise VerificationError where values were drawn otherwise."""
    opened = job.opened
    if opened.changed is None:
        return opened.source
    engine, about, made = job.engine, facts_of(staged), opened.changed
    named = [column.name for column in opened.columns]
    columns = [column for column in engine.columns(made.source) if column.name in named]
    if made.drawn:
        asked = ((made.source, made.original), columns, made.drawn, about)
        offences = proving.recounted(engine, made.source, columns, job.policy, about)
        if offences := offences + proving.draw_offences(engine, *asked):
            raise VerificationError(offences)
    recoded = proving.claimed(job.policy, about, columns)
    return proving.expected_source(engine, made.original, columns, recoded, made.drawn)


def differences(job: Job, published: ReleaseTables) -> list[str]:
    """Change the kept columns of the job's source, except drawn ones, as a release states. Return
    stated facts to which the source does not lead."""
    engine, policy, opened, about = job.engine, job.policy, job.opened, facts_of(published)
    columns = [column for column in opened.columns if column.name in policy.columns]
    offences = proving.recounted(engine, opened.source, columns, policy, about)
    recoded = making.all_recoded(engine, opened.source, columns, policy)
    for column in recoded:
        offences += [
            f"__about states {name}={about.get(name)}, the source {value}"
            for name, value in column.facts.items()
            if about.get(name) != value
        ]
    claims = proving.claimed(policy, about, columns)
    view = proving.expected_source(engine, opened.source, columns, claims)
    job.opened = replace(opened, source=view, columns=engine.columns(view))
    return offences
