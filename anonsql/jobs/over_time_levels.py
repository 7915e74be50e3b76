"""The levels of a release that follows others: kept, named by the policy, or searched for among the
rows that had equal labels so far."""

from __future__ import annotations

from dataclasses import replace

from anonsql.engines import open_stage
from anonsql.engines.base import Column
from anonsql.errors import PolicyError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import over_time, pipeline
from anonsql.jobs.job import Following, Job, Opened
from anonsql.jobs.scheme import Scheme, meaning
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.sources import scheme_of
from anonsql.methods.full_domain import choose
from anonsql.over_time.ledger import load_secret
from anonsql.over_time.traces import TRACED
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.hierarchy import SuppressionHierarchy
from anonsql.policy.table_plan import TablePlan
from anonsql.release.staging import free_name

_NO_WEIGHT = 1e-9  # of the trace among the columns: it loses nothing
_RECORDED = 3  # what a ledger keeps of a column with a level: role, kind and meaning
_REMEDY = "Restore the earlier hierarchy, or set privacy.over_time.levels to search."


def decide_levels(job: Job) -> None:
    """Decide the levels that the release has: those of the ledger's last release, unless the policy
    names others or asks for a search; and those of a search for the first release, or where the
    last one had no levels, as it was made by another method."""
    following = over_time.following_of(job)
    last, named = following.book.last, choose.settings(job.policy).levels
    if last is not None and named is not None:
        levels = dict(named)
    elif last is not None and last.levels and over_time.settings(job).levels == "keep":
        levels = _kept(job, dict(last.levels))
    else:
        levels = _searched(job, following)
    job.scheme = Scheme(levels, {})


def _kept(job: Job, levels: dict[str, int]) -> dict[str, int]:
    names = set(job.policy.quasi_identifiers)
    if names == set(levels):
        return levels
    more, gone = sorted(names - set(levels)), sorted(set(levels) - names)
    words = [f"it also has {', '.join(more)}"] * bool(more)
    words += [f"it lacks {', '.join(gone)}"] * bool(gone)
    text = "the quasi-identifying columns differ from those of the last release: "
    text += f"{'; '.join(words)}."
    remedy = "Set it to search: rows that were released with the same values are then regrouped."
    raise PolicyError.at("privacy.over_time.levels", text, remedy)


def require_levels(job: Job) -> None:
    """Give the columns the levels with the same meaning as in the last release, where levels are
    kept. Raise PolicyError where there is no such level any more."""
    published, attributes = scheme_of(job), job.counted.attributes
    following = over_time.following_of(job)
    levels, problems = dict(published.levels), list[Problem]()
    for attribute in attributes if _keeps(job, following) else ():
        now, problem = _of_meaning(job, following, attribute)
        levels[attribute.name] = levels[attribute.name] if now is None else now
        problems += [problem] if problem is not None else []
    if problems:
        raise PolicyError(problems)
    if unfit := choose.level_problems(levels, attributes):
        raise PolicyError(
            [
                Problem(
                    f"columns.{problem.where.removeprefix('method.levels.')}",
                    "the last release has this column at a level that must not be released:"
                    f" {problem.found}",
                    _REMEDY,
                )
                for problem in unfit
            ]
        )
    job.scheme = replace(published, levels=levels)


def _keeps(job: Job, following: Following) -> bool:
    last, named = following.book.last, choose.settings(job.policy).levels
    return (
        bool(last is not None and last.levels)
        and named is None
        and over_time.settings(job).levels == "keep"
    )


def _of_meaning(
    job: Job, following: Following, attribute: Attribute
) -> tuple[int | None, Problem | None]:
    """Return the level with the meaning of the column's level in the last release, or the problem
    if there is none; neither if the ledger does not know the meaning. Warn where a hierarchy that
    lists its values has changed: its labels do not show that."""
    last = following.book.last
    if last is None or len(what := last.columns.get(attribute.name, ())) < _RECORDED:
        return None, None
    before, number = what[_RECORDED - 1], last.levels[attribute.name]
    meanings = [meaning(job.policy, attribute, level) for level in range(attribute.height + 1)]
    if before in meanings:
        return meanings.index(before), None
    words = before.partition(" #")[0]
    where, release = f"{attribute.where}.hierarchy", f"release {last.number}"
    same_words = [name.partition(" #")[0] == words and words != before for name in meanings]
    if True in same_words:
        text = (
            f"the hierarchy differs from that of {release}: rows whose values changed groups are"
            " held back."
        )
        job.warnings.append(Problem(where, text, "Restore the earlier groups."))
        return same_words.index(True), None
    text = (
        f"{release} has this column at level {number}, which was {words!r}; its hierarchy has no"
        " such level now."
    )
    return None, Problem(where, text, _REMEDY)


def _searched(job: Job, following: Following) -> dict[str, int]:
    """Return the levels that lose least, where every class is judged within its traces: a search of
    its own, in which the trace is one more column that is never generalized."""
    with read_only_job(
        job.policy.by_itself(),
        "run",
        target=open_stage,
        progress=job.progress,
        show_values=job.show_values,
    ) as search:
        pipeline.go_through(search, pipeline.OPEN_SOURCE)
        if following.book.last is not None:
            _add_traces(job, following, search)
        pipeline.go_through(search, pipeline.CHOOSE)
        described = {
            attribute.name: search.chosen.recoding.by.described(attribute)
            for attribute in search.counted.attributes
        }
        return {
            name: level
            for name, (level, _) in described.items()
            if name in job.policy.columns and level is not None
        }


def _add_traces(job: Job, following: Following, search: Job) -> None:
    source, engine = search.opened.source, search.engine
    key = over_time.key_of(search.opened, over_time.settings(job))
    load_secret(engine, following.book)
    following.ledger.bring_rows(engine, len(following.book.coded))
    engine.run(
        "over_time/named_rows",
        source=source,
        key=key,
        hash=engine.own["keyed_hash"],
        k=job.policy.privacy.k,
    )
    name = free_name(list(job.policy.columns))
    view = {"view": (TRACED,), "select": "over_time/with_traces"}
    engine.run(engine.own["scratch_view"], source=source, key=key, name=name, **view)
    search.opened = Opened((TRACED,), [*search.opened.columns, Column(name, "BIGINT")])
    search.first = _with_trace(search.policy, name)


def _with_trace(policy: TablePlan, name: str) -> TablePlan:
    trace = ColumnPolicy(
        role="quasi-identifying",
        hierarchy=SuppressionHierarchy(type="suppression"),
        max_level=0,
        weight=_NO_WEIGHT,
    )
    return policy.changed(columns={**policy.columns, name: trace})
