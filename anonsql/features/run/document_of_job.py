"""The results of a job, as the documents that commands return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from anonsql.features.ledger.document import OverTime
from anonsql.features.run.document import ChangedValues, Relocated, Report, Span, Withheld
from anonsql.jobs.job import HeldBack, Job
from anonsql.measures import risk
from anonsql.policy.columns import REPLACED
from anonsql.policy.release_parts import part_name
from anonsql.policy.table_plan import TablePlan
from anonsql.presentation.documents import (
    InClasses,
    Kept,
    LeftAlone,
    LeftOutValue,
    ReachedLimit,
    ReleasedAs,
    Risks,
    of_run,
)
from anonsql.privacy.promise import promised_facts
from anonsql.risks.kept.counting import KeptRisk
from anonsql.risks.kept.revealing import UniquenessWithout
from anonsql.risks.left_out import LeftOut
from anonsql.system.numbers import rounded
from anonsql.verification.facts import Classes

if TYPE_CHECKING:
    pass


def report(job: Job, status: Literal["published", "tried"] = "published") -> Report:
    """Return the report of a run, or of a policy that was tried and published nothing."""
    policy, classes, suppression = job.policy, job.verified.classes, job.chosen.recoding.suppression
    return Report(
        status=status,
        method=policy.method.type,
        records=job.records,
        sampled=job.counted.rows if job.opened.sampled is not None else None,
        released=classes.rows,
        suppressed=0 if suppression.quarantined else suppression.rows,
        quarantined=suppression.rows if suppression.quarantined else 0,
        left_out=left_out(job.left_out),
        masked=classes.masked,
        levels=_levels(job),
        optimal=job.chosen.recoded.optimal,
        columns=columns(job),
        k=policy.privacy.k,
        promises=promised_facts(policy.privacy),
        limits=limits(policy, classes),
        suppression_limit=policy.privacy.suppression_limit,
        combinations=len(policy.combinations),
        min_class=classes.min_class,
        min_people=min_people(classes),
        classes=classes.classes,
        metrics=job.chosen.recoded.metrics,
        risk=risks(classes, job.kept.steps),
        not_covered=classes.kept and classes.kept.not_covered,
        identity=policy.identity,
        withheld=_withheld(job),
        spans={
            name: Span(least=rounded(span.least), median=rounded(span.median))
            for name, span in job.verified.spans.items()
        },
        relocated=_relocated(job),
        changed=_changed(job),
        over_time=_over_time(job.held_back),
        extra_tables=[part_name(policy.release.name, part) for part in policy.release_parts],
        query=policy.source.query,
        **of_run(job),
    )


def recorded(report: Report) -> Report:
    """Return a report as the catalog keeps it: without examples, values, and the source's query."""
    columns = [column.model_copy(update={"example": None}) for column in report.columns]
    return report.model_copy(update={"columns": columns, "left_out": [], "query": None})


def shown(report: Report, policy: TablePlan, examples: Mapping[str, str]) -> Report:
    """Return a report of the catalog with the missing parts: ``examples`` and the query."""
    columns = [
        column.model_copy(update={"example": examples.get(column.column)})
        for column in report.columns
    ]
    return report.model_copy(update={"columns": columns, "query": policy.source.query})


def left_out(counted: LeftOut) -> list[LeftOutValue]:
    """Return the losses of values by suppression."""
    return [
        LeftOutValue(
            column=loss.column,
            value=loss.value,
            rare=loss.rare,
            values=loss.values,
            rows=loss.rows,
            released=loss.rows - loss.lost,
            share=rounded(loss.share),
        )
        for loss in counted.losses
    ]


def columns(job: Job) -> list[ReleasedAs]:
    """Return how each column of the source is released."""
    described = {
        attribute.name: job.chosen.recoding.by.described(attribute)
        for attribute in job.counted.attributes
    }
    by = "bucket" if job.policy.bucketized else "group"
    policy, released = job.policy, list[ReleasedAs]()
    for name in (column.name for column in job.opened.columns):
        kept = (None, policy.columns[name].looks(name))
        level, (form, text) = described.get(name, kept)
        if name in policy.apart:
            form, text = "apart", f"by {by}, in the table __{policy.tabled[name]}"
        elif name in policy.replaced:
            form, text = REPLACED[policy.replaced[name]]
        gone = name in policy.removed
        released.append(
            ReleasedAs(
                column=name,
                role=policy.columns[name].role,
                level=level,
                form=None if gone else form,
                looks_like="removed" if gone else text,
                example=job.verified.examples.get(name),
            )
        )
    return released


def risks(classes: Classes, revealing: Sequence[UniquenessWithout] = ()) -> Risks:
    """Return the risks of identification under the three attackers, of people where k counts them.
    ``revealing`` are the kept columns that single rows out."""
    alike, people = classes.alike or classes, classes.people
    if people is not None and alike.expected is not None:  # rings: a person's share of a window
        owners = people.people * alike.expected / max(alike.rows, 1)
        figures = risk.of_classes(people.people, owners, people.least, people.at_risk)
    elif people is not None:
        figures = risk.of_classes(people.people, people.classes, people.least, people.at_risk)
    else:
        owners = alike.classes if alike.expected is None else alike.expected
        rows = alike.rows - alike.masked
        figures = risk.of_classes(rows, owners, alike.min_class, alike.at_risk)
    given_away = None if classes.kept is None else kept(classes.kept, revealing)
    return Risks.model_validate({**figures, "kept": given_away})


def kept(kept_risk: KeptRisk, revealing: Sequence[UniquenessWithout]) -> Kept:
    """Return the risk by kept columns."""
    return Kept(
        columns=list(kept_risk.columns),
        rows=kept_risk.kept.rows or kept_risk.released.rows,
        unique=kept_risk.kept.unique,
        below_k=kept_risk.kept.below_k,
        unique_released=kept_risk.released.unique,
        below_k_released=kept_risk.released.below_k,
        without=[LeftAlone.model_validate(asdict(without)) for without in revealing],
        sensitive={
            name: InClasses.model_validate(asdict(classes))
            for name, classes in kept_risk.sensitive.items()
        },
    )


def limits(policy: TablePlan, classes: Classes) -> list[ReachedLimit]:
    """Return how near a release comes to the limits of its policy."""
    facts = policy.privacy.risk.facts
    return [
        ReachedLimit(
            name=one.name,
            limit=facts[f"risk.{one.name}"],
            reached=rounded(one.value),
            model=one.model,
        )
        for one in classes.limits
        if one.value is not None
    ]


def min_people(classes: Classes) -> int | None:
    """Return the people of the smallest class, where k counts people."""
    return classes.people.least if classes.people is not None else None


def _withheld(job: Job) -> dict[str, Withheld]:
    by_name = {}
    for name, sizes in job.chosen.recoded.dealt.items():
        counts = {
            "hidden": job.chosen.recoded.hidden.get(name, 0),
            "widened": job.schema.widened.widened.get(name, 0),
            "unknown": job.schema.widened.unknown.get(name, 0),
        }
        by_name[name] = Withheld(
            cells=sizes.cells, buckets=sizes.buckets, smallest=sizes.smallest, **counts
        )
    return by_name


def _changed(job: Job) -> ChangedValues | None:
    changed = job.opened.changed
    if changed is None:
        return None
    share = rounded(changed.rows / max(1, job.counted.rows))
    return ChangedValues(rows=changed.rows, row_share=share, columns=dict(changed.values))


def _relocated(job: Job) -> Relocated | None:
    relocated = job.chosen.recoding.by.changed
    if relocated is None:
        return None
    p = job.policy.method.promised(job.policy.privacy)["p"]
    return Relocated(
        cells=relocated.cells,
        cell_share=rounded(relocated.cells / (job.counted.rows * len(job.counted.attributes))),
        p=float(p),
        rows=relocated.rows,
        row_share=rounded(relocated.rows / job.counted.rows),
        columns={
            attribute.name: relocated.changed[attribute.index]
            for attribute in job.counted.attributes
        },
        chi_squared=None if relocated.chi_squared is None else rounded(relocated.chi_squared),
        critical=None if relocated.critical is None else rounded(relocated.critical),
    )


def _over_time(held_back: HeldBack | None) -> OverTime | None:
    if held_back is None:
        return None
    book, sizes = held_back.following.book, held_back.sizes
    return OverTime(
        release=book.coming,
        begun_anew=book.anew,
        held_back=sizes.held_back,
        gone=sizes.gone,
        exposed=sizes.exposed,
        smallest=sizes.smallest,
    )


def _levels(job: Job) -> dict[str, int] | None:
    levels = {
        attribute.name: job.chosen.recoding.by.described(attribute)[0]
        for attribute in job.counted.attributes
    }
    return {name: level for name, level in levels.items() if level is not None} or None
