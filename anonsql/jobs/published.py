"""What the release says that is in place before a run replaces it."""

from __future__ import annotations

from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs.job import Session
from anonsql.verification.facts import facts_of


def published_facts(session: Session) -> dict[str, str] | None:
    """Return the facts of the published release; None where there is none."""
    try:
        with session.target.published() as release:
            return facts_of(release)
    except (PolicyError, VerificationError):
        return None
