"""``anonsql ledger``: what the ledger of releases over time says, and how to begin another one."""

from __future__ import annotations

from typing import Literal

from anonsql.errors import PolicyError
from anonsql.jobs import over_time
from anonsql.jobs.job import silent
from anonsql.jobs.sessions import looking, running
from anonsql.over_time.ledger import Book, Entry
from anonsql.policy.policy import Policy
from anonsql.report.over_time_documents import LedgerRelease, LedgerReport

_WHERE = "privacy.over_time"


def ledger(policy: Policy, *, begin_anew: bool = False) -> LedgerReport:
    """Return what a ledger says: see :func:`anonsql.api.ledger`."""
    wanted = policy.privacy.over_time
    if wanted is None:
        remedy = "Give the policy `privacy: {over_time: {key: …}}`, and run it."
        raise PolicyError.at(_WHERE, "the policy promises nothing over time.", remedy)
    if not begin_anew:
        return _read(policy)
    book = Book(wanted.key, policy.privacy.coded_columns(), anew=True)
    with running(policy, "ledger --begin-anew", silent, False) as job:
        over_time.ledger_of(job).begin_anew(book)
        return _told(over_time.place(job), book, "begun anew")


def _read(policy: Policy) -> LedgerReport:
    """Return the ledger of a policy; raise PolicyError where there is none."""
    with looking(policy, "ledger", reading=True) as job:
        found, place = over_time.present(job), over_time.place(job)
    if found is None:
        raise PolicyError.at(_WHERE, f"there is no ledger in {place}.", "`anonsql run` begins one.")
    return _told(place, found, "kept")


def _told(place: str, book: Book, status: Literal["kept", "begun anew"]) -> LedgerReport:
    """Return a ledger as a document."""
    return LedgerReport(
        status=status,
        ledger=place,
        key=book.key,
        anew=book.anew,
        promises=book.last.promises if book.last is not None else "",
        releases=[_release(each) for each in book.entries],
    )


def _release(entry: Entry) -> LedgerRelease:
    """Return a release of a ledger as a line of the document."""
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
