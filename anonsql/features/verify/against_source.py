"""``anonsql verify --against-source``: how a published release compares with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.features.verify.document import (
    AgainstSource,
    BucketsAgainstSource,
    LinkedValues,
    SampledRows,
)
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.policy.policy import Policy
from anonsql.system.numbers import rounded

if TYPE_CHECKING:
    from anonsql.verification.attack.judge import Judged
    from anonsql.verification.attack.people import JudgedPeople
    from anonsql.verification.attack.relocated import JudgedRelocation
    from anonsql.verification.attack.sampled import JudgedSample
    from anonsql.verification.attack.separate_tables import JudgedApart

_Sides: TypeAlias = tuple[Engine, ReleaseTables, Policy, Relation, Sequence[Attribute]]
"""What every comparison takes: the engine of the source, the release, its policy, and the source
with its quasi-identifying columns."""
_COUNTS = (
    *("originals", "released", "left_over", "unmatched", "matches", "ineffective", "components"),
    *("least_original", "least_released", "disjoint"),
)
"""The counts of a verdict by matches that the document has under the same names."""


@dataclass(frozen=True)
class Comparison:
    """How a release compares with its source. Which field is set depends on what it is: rows of
    classes (``judged``, whether they can be assigned ``together``, and whose rows they are:
    ``people``), rows of which some were relocated, or rows with sensitive values in tables
    apart."""

    judged: Judged | None = None
    together: bool | None = None
    people: JudgedPeople | None = None
    relocation: JudgedRelocation | None = None
    apart: JudgedApart | None = None
    sample: JudgedSample | None = None

    def document(self, policy: Policy, *, alone: bool) -> AgainstSource | None:
        """Return the comparison for the report; ``alone``: the release keeps its promise by
        itself."""
        if self.judged is not None:
            document = _by_matches(policy, self.judged, alone, self.together)
            return document.model_copy(update=_of_people(policy, self.people))
        if self.relocation is not None:
            return _by_changes(self.relocation)
        if self.sample is not None:
            return _by_chance(self.sample)
        return None if self.apart is None else _by_buckets(self.apart)


def change_as_told(job: Job, published: ReleaseTables) -> None:
    """Change the kept columns of the job's source by what a release tells of that. Raise
    VerificationError where the source does not lead to what is told."""
    from anonsql.jobs import changes

    offences = changes.differences(job, published)
    job.engine.require_unchanged()
    if offences:
        raise VerificationError(offences)


def compare(job: Job, published: ReleaseTables, *, elsewhere: bool) -> Comparison:
    """Compare a release with the job's source, as its method asks for. Whether rows can be the
    source's with their kept values is left open where the release was made ``elsewhere``, by a
    method that may change these. Raise VerificationError where they cannot come from the source."""
    sides = _sides(job, published)
    if job.policy.method.changes_values:
        from anonsql.verification.attack import relocated

        comparison = Comparison(relocation=relocated.against_source(*sides))
    elif job.policy.privacy.differential is not None:
        from anonsql.verification.attack import sampled

        comparison = Comparison(sample=sampled.against_source(*sides))
    elif job.policy.tabled:
        from anonsql.verification.attack import separate_tables

        comparison = Comparison(apart=separate_tables.against_source(*sides))
    else:
        comparison = _of_classes(job, sides, elsewhere=elsewhere)
    job.engine.require_unchanged()
    return comparison


def _sides(job: Job, published: ReleaseTables) -> _Sides:
    return job.engine, published, job.policy, job.opened.source, job.counted.attributes


def _of_classes(job: Job, sides: _Sides, *, elsewhere: bool) -> Comparison:
    """Judge a release by which row of the source each released row may be, and hold the people of
    its classes against those of the source."""
    from anonsql.verification.attack import judge, people, relocated

    by_share = not job.policy.method.equal_rows_are_classes
    judged = judge.against_source(*sides, by_share=by_share)
    together, offences = None, list[str]()
    if not elsewhere:
        together, offences = relocated.with_kept_values(*sides)
    job.engine.require_unchanged()
    if offences:
        raise VerificationError(offences)
    folder = job.context.workspace
    return Comparison(judged, together, people.against_source(*sides, folder=folder))


def require_groups(job: Job, published: ReleaseTables) -> None:
    """Raise VerificationError where the release provably leaves out more of a group of the job's
    source than the policy allows."""
    from anonsql.verification.attack import group_shares

    offences = group_shares.offences(*_sides(job, published))
    job.engine.require_unchanged()
    if offences:
        raise VerificationError(offences)


def _of_people(policy: Policy, people: JudgedPeople | None) -> dict[str, object]:
    """Return what the report says of people by the source."""
    if people is None or policy.privacy.entity is None:
        return {}
    return {
        "least_people": people.least,
        "most_people": people.most,
        "people_linked": people.linked,
    }


def _by_matches(
    policy: Policy, judged: Judged, alone: bool, together: bool | None
) -> AgainstSource:
    """Return what was found of rows of classes."""
    promised = {} if policy.method.equal_rows_are_classes else policy.privacy.l_diversity
    limits = {name: float(diversity.least) for name, diversity in promised.items()}
    linked = {
        name: LinkedValues(
            highest_share=rounded(links.highest_share),
            least_distinct=links.least_distinct,
            limit=rounded(1 / limits[name]) if name in limits else None,
        )
        for name, links in judged.sensitive.items()
    }
    return AgainstSource(
        alone=alone,
        with_kept_values=together,
        **{name: getattr(judged.verdict, name) for name in _COUNTS},
        highest_probability=rounded(judged.verdict.highest_probability),
        sensitive=linked,
    )


def _by_changes(judged_relocation: JudgedRelocation) -> AgainstSource:
    """Return what was found of rows of which some were relocated."""
    return AgainstSource(
        alone=True,
        originals=judged_relocation.originals,
        released=judged_relocation.released,
        left_over=judged_relocation.originals - judged_relocation.released,
        changed_rows=judged_relocation.changes.rows,
        changed_cells=judged_relocation.changes.cells,
        fewest=judged_relocation.changes.least,
        max_changed_cells=judged_relocation.max_cells,
        chi_squared=None
        if judged_relocation.chi_squared is None
        else rounded(judged_relocation.chi_squared),
        critical=None
        if judged_relocation.critical is None
        else rounded(judged_relocation.critical),
    )


def _by_chance(sample: JudgedSample) -> AgainstSource:
    """Return what was found of the rows of a random sample."""
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


def _by_buckets(judged_apart: JudgedApart) -> AgainstSource:
    """Return what was found of rows with sensitive values in tables apart."""
    return AgainstSource(
        alone=True,
        originals=judged_apart.originals,
        released=judged_apart.released,
        left_over=judged_apart.originals - judged_apart.released,
        matches=judged_apart.matches,
        ineffective=judged_apart.ineffective,
        with_kept_values=judged_apart.together,
        buckets={
            name: BucketsAgainstSource.model_validate(asdict(bucket))
            for name, bucket in judged_apart.buckets.items()
        },
    )
