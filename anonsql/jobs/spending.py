"""The account of differential privacy: what the releases of a source, of rows and of statistics,
have spent together. The catalog keeps it, and knows of no other catalog."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from anonsql.errors import PolicyError, Problem
from anonsql.jobs.job import Session
from anonsql.privacy.spending import SPENT, Spent, spent_by
from anonsql.system.journal import log
from anonsql.verification.facts import facts_of


def recall(session: Session, own: Spent, where: str) -> Spent:
    """Return what earlier releases of the source have spent, by the catalog and by the release that
    is replaced; warn where there are any. Raise PolicyError where that release does not say what it
    spent."""
    before = session.catalog.spent(_source(session)) | _replaced(session, where)
    if before.releases:
        both = before + own
        text = (
            f"The {both.releases} releases of this source spend {both.words} together. Releases in"
            " other catalogs are not counted."
        )
        remedy = (
            "Release it once, or give each release a part of what all of them may spend, and name"
            " the same `catalog` in all policies of the source."
        )
        session.warnings.append(Problem(where, text, remedy))
    return before


def book(session: Session, own: Spent) -> None:
    """Book what is about to be published as spent, even where publishing fails: that asks for more
    care than is needed, never for less."""
    session.catalog.spend(session.run, _source(session), own)


def _source(session: Session) -> str:
    """Return the name of the source's account, however its path is spelled."""
    place = session.places.source
    if place.path != Path() and place.path.exists():
        place = replace(place, path=place.path.resolve())
    return f"{place} {session.policy.source.table or ''}".strip()


def _replaced(session: Session, where: str) -> Spent:
    """Return what the release that is replaced says was spent; warn where it promises no
    differential privacy."""
    try:
        with session.target.published() as published:
            facts = facts_of(published)
    except PolicyError as error:
        log.debug("no release was found that is replaced: %s", error)
        return Spent()
    spent = spent_by(facts)
    if spent is None and SPENT in facts:
        text = f"the release that is replaced says {SPENT}={facts[SPENT]}, which cannot be read."
        remedy = "Restore it. For another place, name the `catalog` that holds the account."
        raise PolicyError.at(where, text, remedy)
    if spent is None and facts:
        text = (
            "the release that is replaced has no differential privacy: readers of both have none."
        )
        remedy = "Give the new release to readers who do not have the earlier one."
        session.warnings.append(Problem(where, text, remedy))
    return spent or Spent()
