"""What the search needs for ``privacy.max_group_loss``: the values of the source, laid out beside
the cells."""

from __future__ import annotations

from anonsql.engines.base import Column
from anonsql.errors import PrivacyError
from anonsql.jobs.job import Counted, Opened, Session
from anonsql.policy.policy import Policy
from anonsql.risks.left_out import counting
from anonsql.search.frequency import FrequencySets
from anonsql.search.group_losses import GroupLosses
from anonsql.search.plan import SearchPlan
from anonsql.search.roll_up import RollUps


def of_job(
    session: Session, opened: Opened, counted: Counted, sets: FrequencySets, most: int
) -> GroupLosses | None:
    """Return what values lose at the nodes of a job's lattice; None where the policy sets no limit
    to it, or no row may be suppressed (``most``)."""
    policy = session.policy
    limit = policy.privacy.max_group_loss
    if limit is None or not most or policy.privacy.several:
        return None
    k, attributes = policy.privacy.k, counted.attributes
    kept = _kept(policy, opened, counted)
    sensitive = [watched for watched in kept if policy.columns[watched.name].role == "sensitive"]
    session.engine.drop("group_values")
    if sensitive:
        shared = {"source": opened.source, "attributes": attributes}
        session.engine.run("search/group_values", kept=sensitive, least=k, **shared)
        columns = [*(Column(f"c{attribute.index}", "INTEGER") for attribute in attributes)]
        columns += [Column("number", "INTEGER"), Column("code", "BIGINT"), Column("n", "BIGINT")]
        session.workbench.carry("group_values", columns)
    return GroupLosses(sets, limit, k, valued=bool(sensitive))


def require_some(
    session: Session, opened: Opened, counted: Counted, plan: SearchPlan, roll_ups: RollUps
) -> None:
    """Raise PrivacyError where even the highest levels leave out too much of a group, while they
    are within the suppression limit."""
    limit = session.policy.privacy.max_group_loss
    tops = {attribute.index: attribute.max_level for attribute in counted.attributes}
    suppressed = roll_ups.sizes([tops], plan.known)[0].suppressed
    if plan.losses is None or limit is None or suppressed > plan.max_suppressed:
        return
    worst = plan.losses.worst([tops], roll_ups)[0]
    if worst is None or not worst.beyond(limit):
        return
    names = {column.index: column.name for column in counted.attributes}
    names |= {watched.index: watched.name for watched in _kept(session.policy, opened, counted)}
    loss = counting.GroupLoss(names[worst.number], None, worst.rows, worst.lost)
    text = counting.too_much(loss, limit, named=False)
    raise PrivacyError(f"no generalization keeps it, even at the highest levels. {text}")


def _kept(policy: Policy, opened: Opened, counted: Counted) -> list[counting.Watched]:
    """Return the columns that are kept as they are, numbered."""
    named = [column for column in opened.columns if column.name in policy.columns]
    return counting.watched(policy, named, counted.attributes)
