"""The stages that write, prove and publish the release."""

from __future__ import annotations

from anonsql.engines.base import Relation, ReleaseTables
from anonsql.errors import PrivacyError, VerificationError
from anonsql.jobs import completing, examples, fingerprints, over_time
from anonsql.jobs.job import Job, KeptColumns, Verified
from anonsql.methods import registry
from anonsql.privacy.risk import facts_of, offence
from anonsql.release import staging
from anonsql.risks import left_out, limits, linked
from anonsql.risks.kept import counting, revealing
from anonsql.risks.kept import limits as kept_limits
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.risks.keys_of_people import problems as keys_of_people
from anonsql.verification.release_only import prove


def guard_release(job: Job) -> None:
    """Refuse to replace what is no release of the same table, or one of a series by another."""
    job.target.guard()
    over_time.require_ended(job)


def stage(job: Job) -> None:
    """Write the release to a staging area. Raise PrivacyError where its kept columns, or the risk
    of the whole release, reveal more than the policy allows."""
    policy, target, opened, recoding = job.policy, job.target, job.opened, job.chosen.recoding
    registry.of(policy.method).stage(job.engine, target, opened.source, recoding)
    staging.stage_labels(job.engine, target, policy, job.counted.attributes, job.leaves)
    if policy.release.marginals:
        from anonsql.release import marginals

        marginals.stage(job.engine, target, opened.source, recoding)
    if job.kept_in_source is not None:
        _count_people(job, job.kept_in_source)
    job.kept, given_away = _given_away(job)
    facts = {**job.chosen.facts, **_limited(job), **given_away, "release": job.release_id}
    facts |= opened.changed.facts if opened.changed is not None else {}
    if policy.privacy.differential is not None:
        from anonsql.jobs import differential

        facts |= differential.spend(job)
    staging.stage_facts(target, policy, job.counted.rows, recoding, facts)
    if policy.release.draws:
        job.drawn = completing.stage(target, target.staged(), policy.release.draws, opened.columns)


def count_left_out(job: Job) -> None:
    """Count what the values of the source lose by suppression; raise PrivacyError where that is
    more than the policy allows. New rows that a published scheme does not fit have no limit."""
    policy, opened, recoding = job.policy, job.opened, job.chosen.recoding
    named = [column for column in opened.columns if column.name in policy.columns]
    least = 1 if job.show_values else policy.privacy.k
    overall = recoding.suppression.rows / max(job.counted.rows, 1)
    job.left_out = left_out.of_recoding(
        job.engine, opened.source, named, policy, recoding, least=least, overall=overall
    )
    if not recoding.suppression.quarantined:
        limit = policy.privacy.max_group_loss
        left_out.require_within(limit, job.left_out, show_values=job.show_values)


def _count_people(job: Job, kept: KeptColumns) -> None:
    policy, recoded = job.policy, (job.engine, job.opened.source, job.chosen.recoding)
    problems = []
    for key in kept.keys:
        least = None
        if not policy.privacy.several:
            least = keys_of_people.least_people(*recoded, key.column)
        problems.append(keys_of_people.too_few(key, least, policy))
    if texts := [str(problem) for problem in problems if problem is not None]:
        raise PrivacyError("\n".join(texts))
    for key in kept.keys:
        job.warnings.remove(keys_of_people.then_counted(key, policy))
    people = kept.people
    if people is None or policy.privacy.several or people.warning not in job.warnings:
        return
    least = keys_of_people.least_people(*recoded, people.column)
    if least is not None:
        job.warnings[job.warnings.index(people.warning)] = people.in_classes(least)


def _given_away(job: Job) -> tuple[KeptColumns, dict[str, object]]:
    policy, in_source = job.policy, job.kept_in_source
    suppression = job.chosen.recoding.suppression
    engine, rows = job.target.staged_rows()
    masked = suppression.masked and suppression.rows > 0
    kept_risk = counting.of_release(engine, rows, policy, masked=masked)
    if in_source is not None and kept_risk.kept == in_source.rows and not suppression.rows:
        steps = in_source.steps  # the same rows are unique in the source
    else:
        steps = revealing.of_kept(engine, rows, policy, kept_risk.kept)
    kept_limits.require_within(policy.privacy.kept, kept_risk, steps)
    links = linked.of_release(engine, rows, policy)
    job.warnings += kept_warnings.homogeneous(policy, kept_risk) + linked.of_surrogates(
        policy, links
    )
    facts = {**kept_risk.facts, **kept_limits.facts(policy.privacy.kept), **linked.facts(links)}
    return KeptColumns(kept_risk.kept, steps), facts


def _limited(job: Job) -> dict[str, str]:
    risk, suppression = job.policy.privacy.risk, job.chosen.recoding.suppression
    if not risk.limits:
        return {}
    engine, rows = job.target.staged_rows()
    masks = suppression.masked and suppression.rows > 0
    reached = limits.of_rows(engine, rows, job.policy, masks=masks, rows=job.counted.rows)
    if broken := [offence(risk, limit) for limit in reached if not limit.kept]:
        raise PrivacyError(f"{'; '.join(broken)}. Relax it, or raise privacy.k.")
    return facts_of(reached)


def verify_release(job: Job) -> None:
    """Prove the staged release: alone, by the source, and with the releases that it follows."""
    policy, recoding = job.policy, job.chosen.recoding
    staged, tables = job.target.build()
    classes = prove(staged, policy, staged=True, drawn=job.drawn).classes
    sources = (_source(job, staged), job.opened.population)
    differences = registry.of(policy.method).differences
    if offences := differences(job.engine, tables, *sources, recoding):
        raise VerificationError(offences)
    if policy.release.marginals:
        from anonsql.verification import marginals

        sides = tables["rows"], sources[0]
        if offences := marginals.of_recoding(job.engine, staged, sides, policy, recoding):
            raise VerificationError(offences)
    if offences := _lost_groups(job, staged):
        raise VerificationError(offences)
    if job.held_back is not None:
        over_time.prove(job, job.held_back)
    by_column = (examples.spans_of(staged, policy), examples.examples_of(staged, policy))
    job.verified = Verified(staged, classes, *by_column)


def _source(job: Job, staged: ReleaseTables) -> Relation:
    """Return what the released rows must be made of; without changes nothing of them is loaded."""
    if job.opened.changed is None:
        return job.opened.source
    from anonsql.jobs import changed_columns

    return changed_columns.as_told(job, staged)


def _lost_groups(job: Job, staged: ReleaseTables) -> list[str]:
    """Check the limit on lost groups; without a limit nothing of it is loaded."""
    if job.policy.privacy.max_group_loss is None:
        return []
    from anonsql.verification.linking import group_shares

    attributes = job.chosen.recoding.attributes
    return group_shares.offences(job.engine, staged, job.policy, job.opened.source, attributes)


def publish_release(job: Job) -> None:
    """Replace the previous release by the staged one: the last step that can fail. A ledger knows
    of it before and after, so that a kill in between leaves both in step."""
    policy = job.policy
    levels = [
        (
            attribute.name,
            job.chosen.recoding.by.described(attribute)[0],
            fingerprints.of_hierarchy(policy, attribute.name, digests=job.leaves.digests),
        )
        for attribute in job.counted.attributes
    ]
    job.context.journal.clock.stop()
    if policy.privacy.differential is not None:
        from anonsql.jobs import differential

        differential.book(job)
    job.catalog.record_release(job.run, str(job.places.release), policy.release.name, levels)
    if job.held_back is None:
        job.target.publish()
        return
    leveled = {name: level for name, level, _ in levels if level is not None}
    over_time.announce(job, job.held_back, leveled)
    job.target.publish()
    job.held_back.following.ledger.settle(published=True)
