"""The files of a published release, held against the SHA-256 that its run recorded of them."""

from __future__ import annotations

import json

from anonsql.errors import VerificationError
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job


def compared(job: Job, release_id: str) -> int | None:
    """Return how many files of a release have the SHA-256 that its run recorded: 0 on a server;
    None where no catalog knows the release. Raise VerificationError where a file differs, or the
    last run published another release there; BusyError while a run has the catalog."""
    found = job.target.digests()
    if not found:
        return 0
    with Catalog.reading(job.places.catalog, job.context.journal) as catalog:
        if catalog is None:
            return None
        report = catalog.report_of(release_id)
        last, _ = catalog.last_release(str(job.places.release), job.policy.release.name)
    if report is None:
        if last is not None:
            raise VerificationError(["the catalog knows no run that published this release"])
        return None
    recorded = json.loads(report)["release"].get("files")
    if not recorded:  # by an older version
        return None
    names = sorted(recorded.keys() | found.keys())
    if other := [name for name in names if recorded.get(name) != found.get(name)]:
        text = "not the file that the run published, by its SHA-256"
        raise VerificationError([f"{name}: {text}" for name in other])
    return len(found)
