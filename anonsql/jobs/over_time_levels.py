"""The levels of a release that follows others: kept, named by the policy, or searched for among the
rows that were released alike so far."""

from __future__ import annotations

from dataclasses import replace

from anonsql.engines import open_stage
from anonsql.engines.base import Column
from anonsql.errors import PolicyError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import over_time, pipeline
from anonsql.jobs.job import Counted, Following, Job, Opened, Session
from anonsql.jobs.scheme import Scheme, meaning
from anonsql.jobs.sessions import looking
from anonsql.methods.full_domain import choose
from anonsql.over_time.ledger import load_secret
from anonsql.over_time.traces import TRACED
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.hierarchy import SuppressionHierarchy
from anonsql.policy.policy import Policy
from anonsql.release.staging import free_name

_NO_WEIGHT = 1e-9  # of the trace among the columns: it loses nothing
_RECORDED = 3  # what a ledger keeps of a column with a level: role, kind and meaning
_REMEDY = "Give it the hierarchy that it had, or set privacy.over_time.levels to search."


def decide_levels(session: Session, opened: Opened, following: Following) -> Scheme:
    """Return the levels that the release has: those of the ledger's last release, unless the policy
    names others or asks for a search; and those of a search for the first release, or where the
    last one had no levels, as it was made by another method."""
    last, named = following.book.last, choose.settings(session.policy).levels
    wanted = over_time.settings(session)
    if last is not None and named is not None:
        return Scheme(dict(named), {})
    if last is not None and last.levels and wanted.levels == "keep":
        return Scheme(_kept(session, dict(last.levels)), {})
    return Scheme(_searched(session, following), {})


def _kept(session: Session, levels: dict[str, int]) -> dict[str, int]:
    names = set(session.policy.quasi_identifiers)
    if names == set(levels):
        return levels
    more, gone = sorted(names - set(levels)), sorted(set(levels) - names)
    words = [f"it has {', '.join(more)} besides"] * bool(more)
    words += [f"it lacks {', '.join(gone)}"] * bool(gone)
    text = "the policy has other quasi-identifying columns than the last release: "
    text += f"{'; '.join(words)}."
    remedy = "Set it to search: rows that were released alike are then looked at anew."
    raise PolicyError.at("privacy.over_time.levels", text, remedy)


def require_levels(
    session: Session, counted: Counted, following: Following, published: Scheme
) -> Scheme:
    """Return the scheme with the levels that mean what they meant in the last release, where these
    are kept. Raise PolicyError where there is no such level any more."""
    counts, problems = dict(published.levels), list[Problem]()
    for attribute in counted.attributes if _keeps(session, following) else ():
        now, problem = _of_meaning(session, following, attribute)
        counts[attribute.name] = counts[attribute.name] if now is None else now
        problems += [problem] if problem is not None else []
    if problems:
        raise PolicyError(problems)
    if unfit := choose.level_problems(counts, counted.attributes):
        raise PolicyError(
            [
                Problem(
                    f"columns.{problem.where.removeprefix('method.levels.')}",
                    f"the last release has it at a level that may not be released: {problem.found}",
                    _REMEDY,
                )
                for problem in unfit
            ]
        )
    return replace(published, levels=counts)


def _keeps(session: Session, following: Following) -> bool:
    last, named = following.book.last, choose.settings(session.policy).levels
    return (
        bool(last is not None and last.levels)
        and named is None
        and over_time.settings(session).levels == "keep"
    )


def _of_meaning(
    session: Session, following: Following, attribute: Attribute
) -> tuple[int | None, Problem | None]:
    """Return the level that means what the column's level meant in the last release, and what is
    wrong where there is none; neither where the ledger does not know what it meant. Warn where a
    hierarchy that lists its values is another than it was: its labels say nothing of that."""
    last = following.book.last
    if last is None or len(what := last.columns.get(attribute.name, ())) < _RECORDED:
        return None, None
    before, number = what[_RECORDED - 1], last.levels[attribute.name]
    meanings = [meaning(session.policy, attribute, level) for level in range(attribute.height + 1)]
    if before in meanings:
        return meanings.index(before), None
    words = before.partition(" #")[0]
    where, release = f"{attribute.where}.hierarchy", f"release {last.number}"
    same_words = [name.partition(" #")[0] == words and words != before for name in meanings]
    if True in same_words:
        text = (
            f"it is another than in {release}: of values that went to other groups, rows are held"
            " back."
        )
        session.warnings.append(Problem(where, text, "Give it the groups that it had."))
        return same_words.index(True), None
    text = (
        f"{release} has it at level {number}, which was {words!r}; its hierarchy has no such level."
    )
    return None, Problem(where, text, _REMEDY)


def _searched(session: Session, following: Following) -> dict[str, int]:
    """Return the levels that lose least, where every class is judged within its traces: a search of
    its own, in which the trace is one more column that is never generalized."""
    first = following.book.last is None
    with looking(
        session.policy.by_itself(),
        "run",
        target=open_stage,
        progress=session.progress,
        show_values=session.show_values,
    ) as job:
        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        if not first:
            _add_traces(session, following, job)
        pipeline.go_through(job, pipeline.CHOOSE)
        described = {
            attribute.name: job.chosen.recoding.described(attribute)
            for attribute in job.counted.attributes
        }
        return {
            name: level
            for name, (level, _) in described.items()
            if name in session.policy.columns and level is not None
        }


def _with_trace(policy: Policy, name: str) -> Policy:
    trace = ColumnPolicy(
        role="quasi-identifying",
        hierarchy=SuppressionHierarchy(type="suppression"),
        max_level=0,
        weight=_NO_WEIGHT,
    )
    return policy.model_copy(update={"columns": {**policy.columns, name: trace}})


def _add_traces(session: Session, following: Following, job: Job) -> None:
    """Give the rows of the search's source their traces; leave out those of traces that have fewer
    than k rows, which no level can release."""
    key = over_time.key_of(job.opened, over_time.settings(session))
    load_secret(job.engine, following.book)
    following.ledger.bring_rows(job.engine, len(following.book.coded))
    job.engine.run(
        "over_time/named_rows",
        source=job.opened.source,
        key=key,
        hash=job.engine.own["keyed_hash"],
        k=session.policy.privacy.k,
    )
    name = free_name(list(session.policy.columns))
    job.engine.run(
        job.engine.own["scratch_view"],
        view=(TRACED,),
        select="over_time/with_traces",
        source=job.opened.source,
        key=key,
        name=name,
    )
    job.opened = Opened((TRACED,), [*job.opened.columns, Column(name, "BIGINT")])
    job.policy = _with_trace(job.policy, name)
