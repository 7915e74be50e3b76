"""The files of a published release, compared with the SHA-256 that its run recorded of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError, SqlError, VerificationError
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job
from anonsql.verification.facts import facts_of


@contextmanager
def opened(job: Job) -> Iterator[ReleaseTables]:
    """Open the release; VerificationError where it is unreadable, and not what was published."""
    try:
        with job.target.published() as published:
            yield published
    except (PolicyError, SqlError) as error:
        unreadable = isinstance(error, SqlError) or isinstance(error.__context__, SqlError)
        if not unreadable or not (found := job.target.digests()):
            raise
        where = (str(job.places.release), job.first.release.name)
        with Catalog.reading(job.places.catalog, job.context.journal) as catalog:
            report = catalog.last_release(*where)[1] if catalog is not None else None
        _require_same(_recorded(report), found)
        raise


def compared(job: Job, release_id: str) -> int | None:
    """Return how many files of a release have the SHA-256 that its run recorded: 0 on a server;
    None where no catalog knows the release. Raise VerificationError where a file differs, or the
    last run published another release there; BusyError while a run has the catalog."""
    if not job.target.digests():
        return 0
    with Catalog.reading(job.places.catalog, job.context.journal) as catalog:
        return None if catalog is None else compared_by(catalog, job, release_id)


def compared_by(catalog: Catalog, job: Job, release_id: str) -> int | None:
    """Return what :func:`compared` does, by a catalog that is open."""
    found = job.target.digests()
    if not found:
        return 0
    report = catalog.report_of(release_id)
    last, _ = catalog.last_release(str(job.places.release), job.first.release.name)
    if report is None:
        if last is not None:
            raise VerificationError(["the catalog contains no run that published this release"])
        return None
    recorded = _recorded(report)
    _require_same(recorded, found)
    return len(found) if recorded else None  # older versions recorded none


def _recorded(report: str | None) -> Mapping[str, str]:
    return json.loads(report)["release"].get("files", {}) if report else {}


def _require_same(recorded: Mapping[str, str], found: Mapping[str, str]) -> None:
    if not recorded or sorted(recorded.values()) == sorted(found.values()):
        return
    known = set(recorded.values())
    other = [name for name, digest in found.items() if digest not in known]
    missing = [name for name in recorded if name not in found]
    raise VerificationError(
        [f"{name}: the SHA-256 differs from that of the published file" for name in other]
        or [f"{name}: this published file is missing" for name in missing]
    )


def published_facts(job: Job) -> dict[str, str] | None:
    """Return the facts of the published release; None where there is none."""
    try:
        with job.target.published() as release:
            return facts_of(release)
    except (PolicyError, VerificationError):
        return None
