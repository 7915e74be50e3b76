"""``anonsql ledger``: show the ledger of releases over time, begin another one, or end a series."""

from __future__ import annotations

from typing import Literal

from anonsql.errors import PolicyError
from anonsql.features.ledger.document import LedgerRelease, LedgerReport
from anonsql.jobs import over_time
from anonsql.jobs.published_files import published_facts
from anonsql.jobs.sessions import read_only_job, running
from anonsql.over_time.ledger import Book, Entry
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given, Policy
from anonsql.system.clock import silent

_WHERE = "privacy.over_time"


def ledger(policy: Given, *, begin_anew: bool = False, end: bool = False) -> LedgerReport:
    """Return the entries of the ledger of a policy's releases over time. With ``begin_anew`` forget
    it first, and begin another one: the promise holds from the next release on, which says so. With
    ``end`` forget it, and let policies without ``over_time`` follow. Raise PolicyError where the
    policy has no ``over_time`` (which ``end`` does not need) or there is no ledger, BusyError while
    a run holds it."""
    policy = of_one(policy, "ledger")
    if begin_anew and end:
        text = "a series is begun anew or ended."
        raise PolicyError.at("--end", text, "leave out one of the two: --begin-anew or --end.")
    if end:
        return _end(policy)
    wanted = policy.privacy.over_time
    if wanted is None:
        remedy = "Write `privacy: {over_time: {key: …}}` into the policy, and run it."
        raise PolicyError.at(_WHERE, "the policy promises nothing over time.", remedy)
    if not begin_anew:
        return _read(policy)
    book = Book(wanted.key, policy.privacy.coded_columns(), anew=True)
    with running(policy, "ledger --begin-anew", silent, False) as job:
        over_time.ledger_of(job).begin_anew(book)
        return _told(over_time.place(job), book, "begun anew")


def _end(policy: Policy) -> LedgerReport:
    """End a series: forget all entries of its ledger. A ledger without releases remains, as after a
    fresh start, so that a later series says that it is not the first."""
    with running(policy, "ledger --end", silent, False) as job:
        location = over_time.place(job)
        try:
            before = over_time.ledger_of(job).read()
        except PolicyError:  # a part of it is lost
            before = None
        if not over_time.goes_on(job, published_facts(job), before):
            text = f"{location} contains no series of releases."
            raise PolicyError.at(_WHERE, text, "There is nothing to end.")
        key, coded = ("", ()) if before is None else (before.key, before.coded)
        book = Book(key, coded, anew=True)
        over_time.ledger_of(job).begin_anew(book)
        return _told(location, book, "ended")


def _read(policy: Policy) -> LedgerReport:
    """Return the ledger of a policy; raise PolicyError where there is none."""
    with read_only_job(policy, "ledger", reading=True) as job:
        book, location = over_time.present(job), over_time.place(job)
    if book is None:
        raise PolicyError.at(
            _WHERE, f"there is no ledger in {location}.", "`anonsql run` begins one."
        )
    return _told(location, book, "kept")


def _told(
    location: str, book: Book, status: Literal["kept", "begun anew", "ended"]
) -> LedgerReport:
    return LedgerReport(
        status=status,
        ledger=location,
        key=book.key,
        anew=book.anew,
        promises=book.last.promises if book.last is not None else "",
        releases=[_release(entry) for entry in book.entries],
    )


def _release(entry: Entry) -> LedgerRelease:
    return LedgerRelease(
        release=entry.number,
        run=entry.run,
        made=entry.made,
        published=entry.settled,
        k=entry.k,
        levels=dict(entry.levels),
        released=entry.released,
        held_back=entry.held_back,
        gone=entry.gone,
        exposed=entry.exposed,
        smallest=entry.smallest,
    )
