"""``anonsql ledger``: what the ledger of releases over time says, and how to begin another one."""

from __future__ import annotations

from anonsql.errors import PolicyError
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import silent
from anonsql.jobs.sessions import running
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.over_time.ledger import Book, Entry
from anonsql.policy.locations import Places
from anonsql.policy.policy import Policy
from anonsql.report.over_time_documents import LedgerRelease, LedgerReport
from anonsql.system.journal import Journal

_WHERE = "privacy.over_time"


def ledger(policy: Policy, *, begin_anew: bool = False) -> LedgerReport:
    """Return what a ledger says: see :func:`anonsql.api.ledger`."""
    wanted = policy.privacy.over_time
    if wanted is None:
        remedy = "Give the policy `privacy: {over_time: {key: …}}`, and run it."
        raise PolicyError.at(_WHERE, "the policy promises nothing over time.", remedy)
    if not begin_anew:
        return _told(policy, _read(policy))
    book = Book(wanted.key, policy.privacy.coded_columns(), anew=True)
    with running(policy, "ledger --begin-anew", silent, False) as job:
        job.catalog.ledger(job.context.workspace).begin_anew(book)
    return _told(policy, book).model_copy(update={"status": "begun anew"})


def _read(policy: Policy) -> Book:
    """Return the ledger of a policy; raise PolicyError where there is none."""
    path, journal = Places.of(policy).catalog, Journal()
    with (
        private_memory(),
        scratch() as folder,
        Catalog.reading(path, journal) as catalog,
    ):
        found = None if catalog is None else catalog.ledger(folder).read()
    if found is None:
        raise PolicyError.at(_WHERE, f"there is no ledger in {path}.", "`anonsql run` begins one.")
    return found


def _told(policy: Policy, book: Book) -> LedgerReport:
    """Return a ledger as a document."""
    return LedgerReport(
        status="kept",
        ledger=str(Places.of(policy).catalog),
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
