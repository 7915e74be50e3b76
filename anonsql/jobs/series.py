"""A series of releases over time that a policy would leave: by replacing its last release with one
that promises nothing over time, as if there had been none before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonsql.errors import BusyError, PolicyError, Problem
from anonsql.jobs import over_time
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job
from anonsql.jobs.published_files import published_facts
from anonsql.over_time.ledger import Book

_WHERE = "privacy.over_time"
_FACT = "over_time"


def require_ended(job: Job) -> None:
    """Raise PolicyError where a release without a promise over time would end a series."""
    if job.follows_others:
        return
    published = published_facts(job)
    if published is not None and _FACT not in published:
        return
    book = _ledger(job)
    if not goes_on(job, published, book):
        return
    last = book.last if book is not None else None
    which = f"release {last.number}" if last is not None else (published or {}).get(_FACT, "one")
    text = (
        f"the releases so far keep their promise together, the last one as {which} of a series,"
        " but the policy has no `over_time`: readers of both releases could distinguish rows that"
        " were added or removed."
    )
    remedy = "Restore `over_time`; or end the series: `anonsql ledger POLICY --end`."
    raise PolicyError([Problem(_WHERE, text, remedy)])


def goes_on(job: Job, published: Mapping[str, str] | None, book: Book | None) -> bool:
    """Return whether a series is neither ended nor begun anew: the ``published`` release, by its
    facts, is of a series whose ledger is lost or has releases; or the ledger has this release, and
    it is not there any more."""
    if published is not None:
        return _FACT in published and (book is None or bool(book.entries))
    return book is not None and bool(book.entries) and _is_of_release(job, book)


def _ledger(job: Job) -> Book | None:
    try:
        return over_time.ledger_of(job).read() if job.run else over_time.present(job)
    except (PolicyError, BusyError):
        return None


def _is_of_release(job: Job, book: Book) -> bool:
    """A catalog has one ledger, which may be that of other releases."""
    if job.target.private(job.first.release.name) is not None:
        return True
    name = f"{job.places.release} {job.first.release.name}"
    return any(name in run for run in _runs(job, book.entries[-1].run))


def _runs(job: Job, number: int) -> list[tuple[Any, ...]]:
    if job.run:
        return job.catalog.runs(number)
    with Catalog.reading(job.places.catalog, job.context.journal) as catalog:
        return [] if catalog is None else catalog.runs(number)
