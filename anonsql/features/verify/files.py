"""The files of a published release, held against the SHA-256 that its run recorded of them."""

from __future__ import annotations

import json

from anonsql.errors import BusyError, SqlError, VerificationError
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job


def compared(job: Job, release_id: str) -> int | None:
    """Return how many files of a release have the SHA-256 that its run recorded: 0 on a server;
    None where the catalog does not know the release. Raise VerificationError where one differs."""
    found = job.target.digests()
    if not found:
        return 0
    try:
        with Catalog.reading(job.places.catalog, job.context.journal) as catalog:
            where = (str(job.places.release), job.policy.release.name)
            made_from, report = catalog.last_release(*where) if catalog else (None, None)
    except (BusyError, SqlError):
        return None
    recorded = json.loads(report)["release"].get("files") if report else None
    if not recorded or (made_from or "").rpartition(" ")[2] != release_id:
        return None
    names = sorted(recorded.keys() | found.keys())
    if other := [name for name in names if recorded.get(name) != found.get(name)]:
        text = "not the file that the run published, by its SHA-256"
        raise VerificationError([f"{name}: {text}" for name in other])
    return len(found)
