"""``anonsql verify --against-source``: how a published release compares with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.features.verify.document import AgainstSource, BucketsAgainstSource, SampledRows
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.policy.columns import HARMLESS, KEPT
from anonsql.policy.table_plan import TablePlan
from anonsql.system.numbers import rounded
from anonsql.verification.facts import Classes, facts_of

if TYPE_CHECKING:
    from anonsql.verification.linking.buckets import JudgedApart
    from anonsql.verification.linking.changed_values import JudgedChanges
    from anonsql.verification.linking.people import JudgedPeople
    from anonsql.verification.linking.rows import JudgedRows
    from anonsql.verification.linking.sampled import JudgedSample

_Sides: TypeAlias = tuple[Engine, ReleaseTables, TablePlan, Relation, Sequence[Attribute]]
"""What every comparison takes: the engine of the source, the release, its policy, and the source
with its quasi-identifying columns."""


@dataclass(frozen=True)
class Comparison:
    """The comparison of a release with its source, as the ``document`` has it. If the source shows
    them: the release's ``sizes`` by its rows, whatever its classes are, and its ``people``."""

    document: AgainstSource | None = None
    sizes: Classes | None = None
    people: JudgedPeople | None = None


def change_as_told(job: Job, published: ReleaseTables) -> None:
    """Change the kept columns of the job's source by the changes that a release states. Raise
    VerificationError if the source does not lead to the stated values."""
    from anonsql.jobs import changed_columns

    offences = changed_columns.differences(job, published)
    job.engine.require_unchanged()
    if offences:
        raise VerificationError(offences)


def compare(job: Job, published: ReleaseTables, *, alone: bool, elsewhere: bool) -> Comparison:
    """Compare a release with the job's source, as its method asks for. ``alone``: it keeps its
    promise by itself. Whether rows can be the source's with their kept values is left open where
    the release was made ``elsewhere``, by a method that may change these. Raise VerificationError
    where they cannot come from the source."""
    from anonsql.verification.linking.link import Link

    sides, policy = _sides(job, published), job.policy
    if policy.method.changes_values:
        from anonsql.verification.linking import changed_values

        with Link.between(*sides, roles=KEPT) as link:
            comparison = Comparison(_by_changes(changed_values.against_source(link)))
    elif policy.privacy.differential is not None:
        from anonsql.verification.linking import sampled

        with Link.between(*sides, roles=()) as link:
            comparison = Comparison(_by_chance(sampled.against_source(link)))
    elif policy.tabled:
        from anonsql.verification.linking import buckets

        with Link.between(*sides, roles=HARMLESS) as link:
            comparison = Comparison(_by_buckets(buckets.against_source(link)))
    else:
        comparison = _of_rows(job, sides, alone=alone, elsewhere=elsewhere)
    job.engine.require_unchanged()
    return comparison


def _sides(job: Job, published: ReleaseTables) -> _Sides:
    return job.engine, published, job.policy, job.opened.source, job.counted.attributes


def _of_rows(job: Job, sides: _Sides, *, alone: bool, elsewhere: bool) -> Comparison:
    """Compare the rows of a release with the source's, and the people of its classes with those of
    the source."""
    from anonsql.verification.linking import people, rows
    from anonsql.verification.linking.link import Link

    engine, release, policy, source, _ = sides
    shown = release.engine.columns(release.rows)
    linking = people.linking_columns(policy, engine.columns(source), shown)
    told = [column.name for column in shown if column.name in policy.privacy.l_diversity]
    carried = list(dict.fromkeys([*linking, *told]))
    with Link.between(*sides, roles=KEPT, carried=carried, every=False) as link:
        judged = rows.against_source(link, alone=alone, elsewhere=elsewhere)
        sizes, held = judged.classes(link), people.against_source(link, source, linking)
    return Comparison(_by_rows(policy, judged, held, alone=alone), sizes, held)


def require_groups(job: Job, published: ReleaseTables) -> bool:
    """Raise VerificationError where the release provably leaves out more of a group of the job's
    source than the policy allows; return whether that can be judged of this release."""
    from anonsql.verification.linking import group_shares

    offences = group_shares.offences(*_sides(job, published))
    job.engine.require_unchanged()
    if offences:
        raise VerificationError(offences)
    return group_shares.can_be_read(job.policy, facts_of(published))


def _by_rows(
    policy: TablePlan, judged: JudgedRows, people: JudgedPeople | None, *, alone: bool
) -> AgainstSource:
    counted = people if policy.privacy.entity is not None else None
    return AgainstSource(
        alone=alone,
        originals=judged.originals,
        released=judged.released,
        left_over=judged.originals - judged.released,
        matches=judged.pairs,
        least_original=judged.least_original,
        least_released=judged.least_released,
        highest_probability=rounded(1 / policy.privacy.k),
        with_kept_values=judged.together,
        least_people=counted.least if counted else None,
        most_people=counted.most if counted and policy.method.equal_rows_are_classes else None,
        people_linked=counted.linked if counted else None,
    )


def _by_changes(judged: JudgedChanges) -> AgainstSource:
    return AgainstSource(
        alone=True,
        originals=judged.originals,
        released=judged.released,
        left_over=judged.originals - judged.released,
        changed_rows=judged.rows,
        changed_cells=judged.cells,
        max_changed_cells=judged.max_cells,
        chi_squared=None if judged.chi_squared is None else rounded(judged.chi_squared),
        critical=None if judged.critical is None else rounded(judged.critical),
    )


def _by_chance(sample: JudgedSample) -> AgainstSource:
    return AgainstSource(
        alone=True,
        originals=sample.originals,
        released=sample.released,
        left_over=sample.originals - sample.released,
        sample=SampledRows(
            classes=sample.classes,
            released_classes=sample.released_classes,
            rows=sample.large,
            kept=sample.kept,
            least=sample.least,
            most=sample.most,
        ),
    )


def _by_buckets(judged: JudgedApart) -> AgainstSource:
    return AgainstSource(
        alone=True,
        originals=judged.originals,
        released=judged.released,
        left_over=judged.originals - judged.released,
        with_kept_values=judged.together,
        buckets={
            name: BucketsAgainstSource.model_validate(asdict(bucket))
            for name, bucket in judged.buckets.items()
        },
    )
