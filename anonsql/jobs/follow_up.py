"""A whole job that follows earlier releases: the stages, the levels of its release, and the loop of
promises that compare a class with the whole table.

Levels are kept, named by the policy, or searched for among the rows that had equal labels so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonsql.engines import open_stage
from anonsql.engines.base import Column
from anonsql.errors import InvariantError, PolicyError, PrivacyError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import decisions, over_time, pipeline
from anonsql.jobs.job import Following, HeldBack, Job, Opened, Stage
from anonsql.jobs.over_time import ANEW, WHERE, following_of, key_of, open_ledger, settings
from anonsql.jobs.scheme import Scheme, meaning
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.sources import scheme_of, warn
from anonsql.methods.base import by_of
from anonsql.methods.full_domain import choose
from anonsql.methods.full_domain.method import CLASSES
from anonsql.over_time import traces
from anonsql.over_time.ledger import load_secret
from anonsql.over_time.traces import FOLLOWED, TRACED, GroupedTraces, Rows, TraceSizes
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.hierarchy import SuppressionHierarchy
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import Promise
from anonsql.release.recoding import ByGroups
from anonsql.release.staging import free_name
from anonsql.star import cells
from anonsql.star.coded import Coded

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


_MANY = 0.2
"""The share of rows held back from which on a run warns of it."""


def hold_back(job: Job) -> None:
    """Give every row its trace, and hold back the rows that no release can hide at the scheme's
    levels; without a scheme, at the highest levels that may be released and form groups."""
    following, wanted = following_of(job), settings(job)
    counted, scheme = job.counted, job.scheme
    levels = {
        attribute.index: attribute.max_level if scheme is None else scheme.levels[attribute.name]
        for attribute in counted.attributes
    }
    promise = Promise.of(job.policy.privacy, counted.coded)
    source, key = job.opened.source, key_of(job.opened, wanted)
    rows = Rows(source, key, counted.attributes, levels, counted.coded, promise)
    traces.follow(job.engine, rows)
    sizes = traces.hold_back(job.engine, rows, protect=wanted.deletions == "protect")
    job.held_back = HeldBack(following, rows, sizes)
    _require_some(job, job.held_back, sizes)
    _warn(job, sizes)


def _warn(job: Job, sizes: TraceSizes) -> None:
    rows = sizes.released + sizes.held_back
    if sizes.held_back > _MANY * rows:
        text = (
            f"{sizes.held_back:,} of {rows:,} rows are held back, because too few rows have been"
            " released with the same values so far, or because these rows disappeared or changed."
        )
        remedy = "Release less often, or after larger changes: see `anonsql guide over-time`."
        job.warnings.append(Problem(WHERE, text, remedy))
    if sizes.exposed:
        text = f"{traces.missing_here(sizes.exposed, job.policy.privacy.k)}."
        remedy = "To hold rows back instead, set `deletions: protect`."
        job.warnings.append(Problem(f"{WHERE}.deletions", text, remedy))


def _require_some(job: Job, held_back: HeldBack, sizes: TraceSizes) -> None:
    before = held_back.following.book.last
    if before is not None and before.released and sizes.gone and not sizes.known:
        raise PrivacyError(
            f"None of the {sizes.gone:,} rows released before is in the source: it is another"
            " table, or its rows have new keys. Together with the earlier releases no promise can"
            f" hold. {ANEW}"
        )
    if not sizes.released:
        other = f", or set {WHERE}.levels to search" if job.policy.method.leveled else ""
        raise PrivacyError(
            f"All {sizes.held_back:,} rows of the source would be held back: none belongs to a"
            f" group of k={job.policy.privacy.k} rows that were released with the same values so far."
            f" Wait for more rows{other}."
        )


def hold_back_again(job: Job) -> None:
    """Hold back more of the rows that are left, judged by what those have alone: promises that
    compare a class with the whole table look at what is released of it."""
    held_back = _held_back(job)
    traces.forget_rows(job.engine, held_back.rows)
    rows = replace(held_back.rows, source=job.opened.source, coded=job.counted.coded)
    traces.follow(job.engine, rows)
    protect = settings(job).deletions == "protect"
    later = traces.hold_back(job.engine, rows, protect=protect, again=True)
    sizes = held_back.sizes.then(later)
    _require_some(job, held_back, sizes)
    job.held_back = replace(held_back, rows=rows, sizes=sizes)


def follow_source(job: Job) -> None:
    """Go on with the rows that are not held back."""
    _held_back(job)
    job.opened = replace(job.opened, source=(FOLLOWED,))


def count_again(job: Job) -> None:
    """Count the combinations of the rows that are left; dimension tables stay as they are."""
    engine, counted = job.engine, job.counted
    coded = [*counted.coded, *counted.within]
    engine.drop("combinations", "cells", "steps")
    for column in coded:
        engine.drop(f"values_{column.index}", f"groups_{column.index}")
    parameters = {"attributes": counted.attributes, "coded": coded, "population": ()}
    engine.run("star/combinations", source=job.opened.source, **parameters)
    rows, combinations, *_ = engine.query("star/totals", **parameters)[0]
    cells.build(engine, coded)
    job.counted = replace(counted, rows=rows, combinations=combinations)


def give_traces(job: Job) -> None:
    """Give the rows that are left their traces, as one more column: groups are made within traces,
    so that no group mixes rows that earlier releases separate."""
    counted, name = job.counted, free_name(list(job.policy.columns))
    traces.give(job.engine, _held_back(job).rows, name)
    index = 1 + len(counted.attributes) + len(counted.coded)
    job.counted = replace(counted, within=[Coded(index, Column(name, "BIGINT"))])


def follow_traces(job: Job) -> None:
    """Go on with the rows as they have traces."""
    job.opened = replace(job.opened, source=(TRACED,))


def place_in_groups(job: Job) -> None:
    """Let the coming ledger state which rows have equal labels: rows of the same group."""
    held_back, counted = _held_back(job), job.counted
    keys = by_of(job.chosen.recoding, ByGroups).keys(counted.attributes)
    grouped = GroupedTraces(job.opened.source, counted.within, keys)
    sizes = traces.place_in_groups(job.engine, held_back.rows, held_back.sizes, grouped)
    job.held_back = replace(held_back, sizes=sizes)


def state_facts(job: Job) -> None:
    """Let the release state its place in its series."""
    held_back = _held_back(job)
    sizes, book = held_back.sizes, held_back.following.book
    stated = {
        "over_time": f"release {book.coming}{', begun anew' if book.anew else ''}",
        "held_back": sizes.held_back,
        **({"exposed": sizes.exposed} if settings(job).deletions == "tell" else {}),
    }
    job.chosen = replace(job.chosen, facts={**job.chosen.facts, **stated})


LEDGER = (open_ledger, decide_levels)
FOLLOW = (hold_back, follow_source, count_again)
DECIDE = (decisions.build_star, decisions.choose)


def go_through(job: Job, last: Sequence[Stage]) -> None:
    """Run the stages from the opened source on; ``last`` follow when rows are decided."""
    if job.policy.method.leveled:
        _by_levels(job)
    else:
        _by_groups(job)
    pipeline.go_through(job, (state_facts, *last))


def _by_levels(job: Job) -> None:
    pipeline.go_through(job, (*LEDGER, *pipeline.FIT, require_levels, warn, *FOLLOW))
    pipeline.go_through(job, DECIDE)
    while job.chosen.recoding.suppression.rows:
        _refuse_failing(job)
        pipeline.go_through(job, DECIDE)


def _by_groups(job: Job) -> None:
    """Decide about the rows of a release by groups. Of the rows that are not held back every trace
    keeps the promise at the highest levels, so groups can be made within traces."""
    pipeline.go_through(job, (open_ledger, *pipeline.FIT, warn, hold_back, follow_source))
    rows = job.counted.rows
    while job.counted.coded and _released(job) < rows:
        rows = _released(job)
        pipeline.go_through(job, (count_again, hold_back_again))
    pipeline.go_through(job, (give_traces, follow_traces, count_again, *DECIDE, place_in_groups))


def _released(job: Job) -> int:
    return job.held_back.sizes.released if job.held_back is not None else job.counted.rows


def _refuse_failing(job: Job) -> None:
    """Hold back the classes that do not keep the promise: only one that compares a class with the
    whole table, which has changed with the rows held back, can fail here."""
    before = job.held_back
    if before is None:
        return
    attributes: Sequence[Attribute] = job.chosen.recoding.attributes
    failing = job.engine.query("over_time/failing", table=CLASSES, attributes=attributes)
    refused = [*before.refused, *failing]
    traces.forget_decision(job.engine)
    job.engine.drop("chosen_classes", "chosen_frequencies")
    # a trace is compared with the source as it is, not with what was left of it last time
    job.opened = Opened(before.rows.source, job.opened.columns)
    pipeline.go_through(job, (count_again,))
    protect = settings(job).deletions == "protect"
    sizes = traces.hold_back(job.engine, before.rows, protect=protect, refused=refused)
    job.held_back = HeldBack(before.following, before.rows, sizes, refused)
    job.opened = Opened((traces.FOLLOWED,), job.opened.columns)
    pipeline.go_through(job, (count_again,))


def _held_back(job: Job) -> HeldBack:
    if job.held_back is None:
        raise InvariantError("no row was given its trace")
    return job.held_back
