"""``anonsql report``: a page that shows a release, for its owner or for its recipients."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from anonsql.commands import recipient_page
from anonsql.errors import PolicyError
from anonsql.jobs.job import Progress, silent
from anonsql.jobs.workspace import private_memory
from anonsql.policy.policy import EngineSettings, Given, Policy
from anonsql.query import opening
from anonsql.report.page_documents import OwnerPage, PageReport, RecipientPage
from anonsql.system import private_files

Audience = Literal["owner", "recipient"]
_DEFAULT = "report.html"


def report(
    policy: Given,
    output: str | Path = _DEFAULT,
    *,
    audience: Audience = "owner",
    progress: Progress = silent,
    show_values: bool = False,
) -> PageReport:
    """Write a page (HTML, one file that loads nothing) that shows what is published: for the
    ``owner`` with how it was made and counts of the source, readable by you alone; for a
    ``recipient`` from the release alone, to be handed out with it. For a recipient the release
    itself (its file or folder) may be given in the policy's place. Change neither release nor
    source.

    Raise PolicyError when there is no release or the page cannot be written, VerificationError when
    the release does not keep its promise.
    """
    if audience not in ("owner", "recipient"):
        text = f"found {audience}; a page is for the owner or a recipient."
        raise PolicyError.at("--for", text, "Say owner or recipient.")
    path = Path(output).absolute()
    if audience == "recipient":
        told = _of_recipient(policy)
        return _written(path, _render_recipient(told), audience, recipient=told)
    return _of_owner(policy, path, progress, show_values)


def _of_owner(policy: Given, path: Path, progress: Progress, show_values: bool) -> PageReport:
    from anonsql.commands import owner_page

    if not isinstance(policy, Policy) and opening.is_release(policy):
        text = "the owner's page needs the policy: a release alone does not say how it was made."
        raise PolicyError.at("POLICY", text, "Name the policy, or say --for recipient.")
    with private_memory():
        told = owner_page.gather(Policy.of(policy), progress, show_values=show_values)
        return _written(path, _render_owner(told), "owner", owner=told)


def _of_recipient(policy: Given) -> RecipientPage:
    place, named = opening.given(policy)
    if named is None:
        return recipient_page.gather(place, recipient_page.only_table(place), EngineSettings())
    return recipient_page.gather(place, named.release.name, named.engine)


def _written(
    path: Path,
    page: str,
    audience: Audience,
    *,
    owner: OwnerPage | None = None,
    recipient: RecipientPage | None = None,
) -> PageReport:
    """Write a page and return what it tells."""
    content = page.encode("utf-8", errors="replace")
    private_files.write(path, content, "--output")
    told = owner or recipient
    return PageReport(
        status="written",
        page=str(path),
        audience=audience,
        bytes=len(content),
        missing=[] if told is None else told.missing,
        owner=owner,
        recipient=recipient,
    )


def _render_owner(told: OwnerPage) -> str:
    from anonsql.report.pages import owner

    return owner.page(told)


def _render_recipient(told: RecipientPage) -> str:
    from anonsql.report.pages import recipient

    return recipient.page(told)
