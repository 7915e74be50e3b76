"""``anonsql verify``: verify a published release by itself, and against the source on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, get_args

from anonsql.engines.base import ReleaseTables
from anonsql.errors import InvariantError, PolicyError, VerificationError
from anonsql.features import kinds
from anonsql.features.run import document_of_job
from anonsql.features.verify.against_source import (
    Comparison,
    change_as_told,
    compare,
    require_groups,
)
from anonsql.features.verify.document import (
    Check,
    RelationalVerifyReport,
    VerificationSql,
    VerifyReport,
)
from anonsql.jobs import pipeline, published_files, source_columns
from anonsql.jobs.job import Job
from anonsql.jobs.reference_tables import tables_read
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.locations import JobLocations
from anonsql.policy.policies import AnyGiven, AnyPolicy
from anonsql.policy.policy import Policy
from anonsql.presentation.documents import Kept, Place, Risk, Risks, finding
from anonsql.privacy.promise import promised_facts
from anonsql.risks.kept import revealing
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.risks.kept.counting import KeptRisk
from anonsql.risks.people import FACTS
from anonsql.sql.dialects import Dialect
from anonsql.system.clock import Progress, silent
from anonsql.system.numbers import rounded
from anonsql.verification.classes import Proof
from anonsql.verification.columns import kept_risk
from anonsql.verification.differential import ON_TRUST
from anonsql.verification.facts import (
    Classes,
    average_names,
    count_of,
    facts_of,
    missing_rows,
)
from anonsql.verification.release_only import prove

if TYPE_CHECKING:
    from anonsql.features.tabulate.document import StatisticsVerifyReport
    from anonsql.verification.linking.people import JudgedPeople


_ADVICE = (
    "The release may have been changed, or made by another version of anonsql{since}. Do not pass"
    " it on; `anonsql run` makes it again."
)


def verify_release(
    policy: AnyPolicy,
    *,
    against_source: bool = False,
    progress: Progress = silent,
) -> VerifyReport | RelationalVerifyReport | StatisticsVerifyReport:
    """Verify a published release: see :func:`anonsql.api.verify`."""
    with tables_read(policy):
        try:
            return kinds.of(policy).verify(policy, against_source=against_source, progress=progress)
        except VerificationError as error:
            if error.advice:
                raise
            since = ", or its source has changed since" if against_source else ""
            raise VerificationError(error.offences, _ADVICE.format(since=since)) from None


def verify_table(
    policy: Policy,
    *,
    against_source: bool = False,
    progress: Progress = silent,
) -> VerifyReport:
    """Verify a published release of one table: see :func:`anonsql.api.verify`."""
    places = JobLocations.of(policy)
    progress("verify", 0, 0)
    at = places.source if against_source else places.release
    with (
        read_only_job(policy, "verify", at=at, progress=progress, reading=True) as job,
        published_files.opened(job) as published,
    ):
        elsewhere = against_source and _is_made_elsewhere(published, policy)
        proof, refused = _alone(published, policy, elsewhere=elsewhere)
        if refused is not None and not elsewhere:
            raise refused
        alone = proof.classes if proof else None
        compared, open_facts = Comparison(), proof.open_facts if proof else ()
        if against_source:
            compared, open_facts = _with_source(job, published, proof, elsewhere=elsewhere)
        kept, given_away = _kept(published, policy, alone)
        if refused is not None and (offences := _of_classes_alone(policy) + given_away):
            raise VerificationError([*refused.offences, *offences])
        steps = revealing.of_kept(published.engine, published.rows, policy, kept.kept)
        about = facts_of(published)
        compared_files = published_files.compared(job, about.get("release", ""))
        missing = missing_rows(about) + max(0, count_of(about, "masked"))
    classes = alone or compared.sizes
    if classes is None:
        raise InvariantError("a release was neither verified nor refused")
    return VerifyReport(
        status="verified",
        k=policy.privacy.k,
        promises=promised_facts(policy.privacy.about_columns()),
        limits=document_of_job.limits(policy, classes),
        released=classes.rows,
        masked=classes.masked,
        missing=missing,
        classes=classes.classes,
        min_class=classes.min_class,
        min_people=_min_people(classes, compared.people),
        not_covered=kept.not_covered,
        identity=policy.identity,
        files=compared_files,
        as_told=[*open_facts, *average_names(policy)],
        on_trust=[] if policy.privacy.differential is None else list(ON_TRUST),
        risk=(
            document_of_job.risks(classes, steps)
            if alone
            else _risks(policy.privacy.k, document_of_job.kept(kept, steps))
        ),
        release=Place(database=str(places.release), table=policy.release.name),
        against_source=compared.document,
        warnings=[finding(problem) for problem in kept_warnings.of_release(policy, kept, steps)],
    )


def verification_sql(policy: AnyGiven, dialect: Dialect | None = None) -> VerificationSql:
    """Return the promises of a policy as plain statements that run on its published release in any
    client: no row means that a promise holds. They are written in the ``dialect``, that of the
    release's database where none is named. Raise PolicyError when there is no release."""
    if dialect is not None and dialect not in get_args(Dialect):
        known = ", ".join(get_args(Dialect))
        raise PolicyError.at("dialect", f"{dialect!r} is not known.", f"Known: {known}.")
    result = source_columns.of(policy, reading=True)
    kind = kinds.of(result)
    kind.require("verify --sql")
    release, places = result.first.release.name, JobLocations.of(result)
    with (
        read_only_job(result, "verify", at=places.release, progress=silent, reading=True) as job,
        job.target.published() as published,
    ):
        wanted = dialect or published.engine.dialect
        statements = kind.statements(job, published, wanted)
    return VerificationSql(
        dialect=wanted,
        release=Place(database=str(places.release), table=release),
        checks=[Check.model_validate(asdict(check)) for check in statements],
    )


def _is_made_elsewhere(published: ReleaseTables, policy: Policy) -> bool:
    """Return whether a release states no method and has nothing that only a run writes: then its
    rows are judged by their labels alone, whatever method the policy names. Releases with
    relocation, groups or buckets cannot be judged so."""
    judged_by_method = policy.method.changes_values or policy.tabled
    stated = {"method", "release"} & facts_of(published).keys()
    return not (judged_by_method or stated or published.extras)


def _alone(
    published: ReleaseTables, policy: Policy, *, elsewhere: bool
) -> tuple[Proof | None, VerificationError | None]:
    """Return the proof of a release that keeps its promise by itself, or the error that says why it
    does not."""
    try:
        return prove(published, policy, elsewhere=elsewhere), None
    except VerificationError as error:
        return None, error


def _with_source(
    job: Job, published: ReleaseTables, proof: Proof | None, *, elsewhere: bool
) -> tuple[Comparison, Sequence[str]]:
    """Compare a release with its source; return the comparison, and the facts that neither it nor
    the release alone proves. Raise VerificationError where the release differs."""
    make_dimensions(job)
    if job.policy.changes:
        change_as_told(job, published)
    alone = proof is not None and proof.classes is not None
    compared = compare(job, published, alone=alone, elsewhere=elsewhere)
    open_facts = proof.open_facts if proof is not None else ()
    known = {"max_group_loss"} if require_groups(job, published) else set[str]()
    if proof is not None and not elsewhere:
        _compare_columns(job, published)
        _compare_marginals(job, published)
        known |= {fact for fact in open_facts if fact.startswith("change.")}
        if compared.people is not None and compared.people.exact:
            known |= set(FACTS)
    return compared, [fact for fact in open_facts if fact not in known]


def _compare_columns(job: Job, published: ReleaseTables) -> None:
    """Raise VerificationError where the type of a kept column is not the source's."""
    from anonsql.verification import structure

    offences = structure.against_source(
        job.engine, published, job.policy, job.opened.source, job.counted.attributes
    )
    job.engine.require_unchanged()
    if offences:
        raise VerificationError(offences)


def _compare_marginals(job: Job, published: ReleaseTables) -> None:
    """Raise VerificationError where the published frequencies of values are not the source's."""
    if not job.policy.release.marginals:
        return
    from anonsql.verification import marginals

    offences = marginals.against_source(
        job.engine, published, job.policy, job.opened.source, job.counted.attributes
    )
    job.engine.require_unchanged()
    if offences:
        raise VerificationError(offences)


def _kept(
    published: ReleaseTables, policy: Policy, alone: Classes | None
) -> tuple[KeptRisk, list[str]]:
    """Return the risk by kept columns, and the limits that it exceeds: none if the release was
    verified by itself (``alone``)."""
    if alone is not None and alone.kept is not None:
        return alone.kept, []
    risk, _, offences = kept_risk(published, policy, facts_of(published))
    return risk, offences


def make_dimensions(job: Job) -> None:
    """Make the dimension tables of the job's source; raise PolicyError where the policy does not
    fit the source."""
    pipeline.go_through(job, pipeline.DIMENSIONS)
    if job.problems:
        raise PolicyError(job.problems)
    job.engine.drop("combinations", "marked")


def _of_classes_alone(policy: Policy) -> list[str]:
    """Return the promises about equivalence classes that cannot be judged by possible rows."""
    settings = policy.privacy.by_column()
    others = [f"{model}.{name}" for model, name, setting in settings if not setting.by_values]
    others += ["entity"] * (policy.privacy.entity is not None)
    others += [f"risk.{name}" for name in policy.privacy.risk.limits]
    return (
        [
            f"{', '.join(others)}: these are about classes of at least k rows, and cannot be"
            " checked without"
        ]
        if others
        else []
    )


def _min_people(classes: Classes, people: JudgedPeople | None) -> int | None:
    """Return the people of the class with fewest: by the source, if that is exact."""
    if people is not None and people.exact:
        return people.least
    return document_of_job.min_people(classes)


def _risks(k: int, kept: Kept) -> Risks:
    """Return the risks where classes do not show them: at most 1/k."""
    known = Risk(highest=rounded(1 / k), average=None, records_at_risk=None)
    return Risks(
        prosecutor=known,
        journalist=known,
        marketer=Risk(highest=None, average=None, records_at_risk=None),
        kept=kept,
    )
