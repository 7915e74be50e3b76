"""The stages of a release by groups that follows others: groups are made within traces, so that no
group mixes rows that were told apart before."""

from __future__ import annotations

from dataclasses import replace

from anonsql.engines.base import Column
from anonsql.jobs.job import Chosen, Counted, HeldBack, Opened, Session
from anonsql.jobs.over_time import require_some, settings
from anonsql.methods.base import by_of
from anonsql.over_time import traces
from anonsql.over_time.traces import TRACED, GroupedTraces
from anonsql.release.recoding import ByGroups
from anonsql.release.staging import free_name
from anonsql.star.coded import Coded


def hold_back_again(
    session: Session, opened: Opened, counted: Counted, held_back: HeldBack
) -> HeldBack:
    """Hold back more of the rows that are left, judged by what those have alone: promises that
    compare a class with the whole table look at what is released of it."""
    traces.forget_rows(session.engine, held_back.rows)
    rows = replace(held_back.rows, source=opened.source, coded=counted.coded)
    traces.follow(session.engine, rows)
    protect = settings(session).deletions == "protect"
    later = traces.hold_back(session.engine, rows, protect=protect, again=True)
    sizes = require_some(session, held_back.following, held_back.sizes.then(later))
    return replace(held_back, rows=rows, sizes=sizes)


def give_traces(session: Session, counted: Counted, held_back: HeldBack) -> Counted:
    """Give the rows that are left their traces, as one more column."""
    name = free_name(list(session.policy.columns))
    traces.give(session.engine, held_back.rows, name)
    index = 1 + len(counted.attributes) + len(counted.coded)
    return replace(counted, within=[Coded(index, Column(name, "BIGINT"))])


def follow_traces(session: Session, opened: Opened) -> Opened:
    """Go on with the rows as they have traces."""
    return replace(opened, source=(TRACED,))


def place_in_groups(
    session: Session, opened: Opened, counted: Counted, chosen: Chosen, held_back: HeldBack
) -> HeldBack:
    """Let the coming ledger tell which rows are released alike: those whose groups are."""
    keys = by_of(chosen.recoding, ByGroups).keys(counted.attributes)
    grouped = GroupedTraces(opened.source, counted.within, keys)
    sizes = traces.place_in_groups(session.engine, held_back.rows, held_back.sizes, grouped)
    return replace(held_back, sizes=sizes)
