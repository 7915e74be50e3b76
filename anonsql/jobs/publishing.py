"""The stages that write, prove and publish the release."""

from __future__ import annotations

from anonsql.engines.base import Relation, ReleaseTables
from anonsql.errors import PrivacyError, VerificationError
from anonsql.jobs import completing, examples, fingerprints, over_time, series, spans
from anonsql.jobs.job import (
    Chosen,
    Counted,
    HeldBack,
    KeptColumns,
    Opened,
    Session,
    Verified,
)
from anonsql.methods import registry
from anonsql.privacy.risk import facts_of, offence
from anonsql.release import staging
from anonsql.risks import limits, linked
from anonsql.risks.kept import counting, revealing
from anonsql.risks.kept import limits as kept_limits
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.risks.keys_of_people import problems as keys_of_people
from anonsql.risks.left_out import counting as left_out
from anonsql.risks.left_out import limits as left_out_limits
from anonsql.risks.left_out.counting import LeftOut
from anonsql.verification.release_only import from_release_alone


def guard_release(session: Session) -> None:
    """Refuse to replace anything but an earlier release of the same table, and the last release of
    a series by one that is none of it."""
    session.target.guard()
    series.require_ended(session)


def stage(
    session: Session,
    opened: Opened,
    counted: Counted,
    chosen: Chosen,
    in_source: KeptColumns | None,
) -> KeptColumns:
    """Write the release to a staging area, apart from the previous release. Return what the kept
    columns of the staged rows give away; raise PrivacyError where that, or the risk of the release
    as a whole, is more than the policy allows."""
    policy, target, recoding = session.policy, session.target, chosen.recoding
    registry.of(policy.method).stage(session.engine, target, opened.source, recoding)
    attributes, leaves = counted.attributes, session.leaves
    staging.stage_hierarchies(session.engine, target, policy, attributes, leaves)
    if in_source is not None:
        _count_people(session, opened, chosen, in_source)
    kept, given_away = _given_away(session, chosen, in_source)
    reached = _limited(session, counted, chosen)
    facts = {**chosen.facts, **reached, **given_away, "release": session.release_id}
    facts |= opened.changed.facts if opened.changed is not None else {}
    if policy.privacy.differential is not None:
        from anonsql.jobs import differential

        facts |= differential.spend(session)
    staging.stage_facts(target, policy, counted.rows, recoding, facts)
    if policy.release.draws:
        completing.stage(target, target.staged(), policy.release.draws, opened.columns)
    return kept


def count_left_out(session: Session, opened: Opened, counted: Counted, chosen: Chosen) -> LeftOut:
    """Return what the values of the source lose by suppression; raise PrivacyError where that is
    more than the policy allows. New rows that a published scheme does not fit have no limit."""
    policy, recoding = session.policy, chosen.recoding
    named = [column for column in opened.columns if column.name in policy.columns]
    least = 1 if session.show_values else policy.privacy.k
    overall = recoding.suppression.rows / max(counted.rows, 1)
    result = left_out.of_recoding(
        session.engine, opened.source, named, policy, recoding, least=least, overall=overall
    )
    if not recoding.suppression.quarantined:
        limit = policy.privacy.max_group_loss
        left_out_limits.require_within(limit, result, show_values=session.show_values)
    return result


def _count_people(session: Session, opened: Opened, chosen: Chosen, found: KeptColumns) -> None:
    """Say in the warning about rows of one person how many people the smallest class has; raise
    PrivacyError where it has fewer than k values of a generalized key of people."""
    policy, places = session.policy, (session.engine, opened.source, chosen.recoding)
    problems = []
    for key in found.keys:
        least = None
        if not policy.privacy.several:
            least = keys_of_people.least_people(*places, key.column)
        problems.append(keys_of_people.too_few(key, least, policy))
    if texts := [str(problem) for problem in problems if problem is not None]:
        raise PrivacyError("\n".join(texts))
    for key in found.keys:
        session.warnings.remove(keys_of_people.then_counted(key, policy))
    people = found.people
    if people is None or policy.privacy.several or people.warning not in session.warnings:
        return
    least = keys_of_people.least_people(*places, people.column)
    if least is not None:
        session.warnings[session.warnings.index(people.warning)] = people.in_classes(least)


def _given_away(
    session: Session, chosen: Chosen, in_source: KeptColumns | None
) -> tuple[KeptColumns, dict[str, object]]:
    """Return what the kept columns of the staged rows give away, and the facts about it."""
    policy, suppression = session.policy, chosen.recoding.suppression
    engine, rows = session.target.staged_rows()
    masked = suppression.masked and suppression.rows > 0
    kept_risk = counting.of_release(engine, rows, policy, masked=masked)
    if in_source is not None and kept_risk.kept == in_source.rows and not suppression.rows:
        steps = in_source.steps  # the same rows stand alone in the source
    else:
        steps = revealing.of_kept(engine, rows, policy, kept_risk.kept)
    kept_limits.require_within(policy.privacy.kept, kept_risk, steps)
    links = linked.of_release(engine, rows, policy)
    session.warnings += kept_warnings.homogeneous(policy, kept_risk) + linked.of_surrogates(
        policy, links
    )
    facts = {**kept_risk.facts, **kept_limits.facts(policy.privacy.kept), **linked.facts(links)}
    return KeptColumns(kept_risk.kept, steps), facts


def _limited(session: Session, counted: Counted, chosen: Chosen) -> dict[str, str]:
    """Return the facts on how near the staged rows come to the limits of the release as a whole;
    raise PrivacyError where one is broken."""
    risk, suppression = session.policy.privacy.risk, chosen.recoding.suppression
    if not risk.limits:
        return {}
    engine, rows = session.target.staged_rows()
    masks = suppression.masked and suppression.rows > 0
    reached = limits.of_rows(engine, rows, session.policy, masks=masks, rows=counted.rows)
    if broken := [offence(risk, limit) for limit in reached if not limit.kept]:
        raise PrivacyError(f"{'; '.join(broken)}. Relax it, or raise privacy.k.")
    return facts_of(reached)


def verify_release(
    session: Session, opened: Opened, chosen: Chosen, held_back: HeldBack | None
) -> Verified:
    """Prove the staged release, by itself and against the source, and where it follows others,
    together with them."""
    staged, tables = session.target.build()
    try:
        classes = from_release_alone(staged, session.policy, staged=True)
        method = registry.of(session.policy.method)
        sources = (_source(session, opened, staged), opened.population)
        if offences := method.differences(session.engine, tables, *sources, chosen.recoding):
            raise VerificationError(offences)
        if offences := _lost_groups(session, opened, chosen, staged):
            raise VerificationError(offences)
        if held_back is not None:
            over_time.prove(session, opened, chosen, held_back)
    except VerificationError:
        # a source that changed meanwhile is the likelier cause, and needs another remedy
        session.engine.require_unchanged()
        raise
    policy = session.policy
    return Verified(
        staged, classes, spans.of_release(staged, policy), examples.of_release(staged, policy)
    )


def _source(session: Session, opened: Opened, staged: ReleaseTables) -> Relation:
    """Return what the released rows must be made of: the source, with its kept columns changed by
    what the release tells of that. Without changes nothing of them is loaded."""
    if opened.changed is None:
        return opened.source
    from anonsql.jobs import changes

    return changes.as_told(session, opened, staged)


def _lost_groups(
    session: Session, opened: Opened, chosen: Chosen, staged: ReleaseTables
) -> list[str]:
    """Return what the release leaves out of groups beyond the policy's limit; without a limit
    nothing of it is loaded."""
    if session.policy.privacy.max_group_loss is None:
        return []
    from anonsql.verification.linking import group_shares

    attributes = chosen.recoding.attributes
    return group_shares.offences(session.engine, staged, session.policy, opened.source, attributes)


def publish_release(
    session: Session,
    opened: Opened,
    counted: Counted,
    chosen: Chosen,
    held_back: HeldBack | None,
) -> None:
    """Replace the previous release by the staged one: the last step that can fail. A ledger knows
    of it before and after, so that a kill in between leaves both in step."""
    policy = session.policy
    levels = [
        (
            attribute.name,
            chosen.recoding.described(attribute)[0],
            fingerprints.of_hierarchy(policy, attribute.name, digests=session.leaves.digests),
        )
        for attribute in counted.attributes
    ]
    session.context.journal.clock.stop()
    if policy.privacy.differential is not None:
        from anonsql.jobs import differential

        differential.book(session)
    session.catalog.record_release(
        session.run, str(session.places.release), policy.release.name, levels
    )
    if held_back is None:
        session.target.publish()
        return
    leveled = {name: level for name, level, _ in levels if level is not None}
    over_time.announce(session, opened, held_back, leveled)
    session.target.publish()
    held_back.following.ledger.settle(published=True)
