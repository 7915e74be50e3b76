"""The account of differential privacy: the spending of all releases of a source, of rows and of
statistics. The catalog keeps it, and does not know other catalogs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from anonsql.errors import PolicyError, Problem
from anonsql.jobs.job import Job
from anonsql.privacy.spending import SPENT, Spent, spent_by
from anonsql.system.journal import log
from anonsql.verification.facts import facts_of

_OTHERS = "Releases in other catalogs are not counted, because the run does not know them."
_ONCE = "Release it once, or give each release a part of the total budget"
_NAME = "name the same `catalog` in all policies"


def recall(job: Job, own: Spent, where: str) -> Spent:
    """Return what earlier releases of the source have spent, by the catalog and by the release that
    is replaced. Warn where there are any, and where the policy names no catalog, as other releases
    then have others. Raise PolicyError where the release that is replaced does not say what it
    spent."""
    facts = _replaced(job)
    if (replaced := spent_by(facts)) is None and facts:
        _warn_of_none(job, facts, where)
    replaced = replaced or Spent()
    booked = job.catalog.spent(_source(job))
    before = booked + replaced if _is_foreign(job) else booked | replaced
    both = before + own
    if before.releases:
        text = f"The {both.releases} releases of this source together spend {both.words}. {_OTHERS}"
        job.warnings.append(Problem(where, text, f"{_ONCE}, and {_NAME} of the source."))
    elif job.first.catalog is None:
        job.warnings.append(Problem(where, _OTHERS, f"{_NAME.capitalize()} of the source."))
    return before


def book(job: Job, own: Spent) -> None:
    """Book what is about to be published as spent, even where publishing fails: that asks for more
    care than is needed, never for less. What a release spent that another catalog booked, and that
    is replaced, is booked too."""
    if _is_foreign(job) and (replaced := spent_by(_replaced(job))):
        job.catalog.spend(job.run, _source(job), replaced)
    job.catalog.spend(job.run, _source(job), own)


def _is_foreign(job: Job) -> bool:
    """Return whether no run of this catalog published the release that is replaced."""
    place = (str(job.places.release), job.first.release.name)
    return not job.catalog.published_at(*place)


def _source(job: Job) -> str:
    """Return the name of the source's account, however its path is spelled."""
    place = job.places.source
    if place.path != Path() and place.path.exists():
        place = replace(place, path=place.path.resolve())
    return f"{place} {job.first.source.table or ''}".strip()


def _replaced(job: Job) -> Mapping[str, str]:
    try:
        with job.target.published() as published:
            return facts_of(published)
    except PolicyError as error:
        log.debug("no earlier release was found to replace: %s", error)
        return {}


def _warn_of_none(job: Job, facts: Mapping[str, str], where: str) -> None:
    if SPENT in facts:
        text = f"the release to be replaced states {SPENT}={facts[SPENT]}, which cannot be read."
        remedy = (
            "Restore the release. To publish elsewhere, name the `catalog` that records the"
            " budget spent."
        )
        raise PolicyError.at(where, text, remedy)
    text = (
        "the release to be replaced has no differential privacy, so none holds for readers of"
        " both releases."
    )
    remedy = "Give the new release to readers who do not have the earlier one."
    job.warnings.append(Problem(where, text, remedy))
