"""``anonsql report``: a page that shows a release, for its owner or for its recipients."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from anonsql.commands import recipient_page
from anonsql.errors import PolicyError
from anonsql.jobs.job import Progress, silent
from anonsql.jobs.workspace import private_memory, scratch, usual_mode
from anonsql.policy.policy import EngineSettings, Given, Policy
from anonsql.query import opening
from anonsql.report.page_documents import Missing, OwnerPage, PageReport, RecipientPage
from anonsql.system import text_files

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
    text_files.require_replaceable(path, "--output")
    if audience == "recipient":
        from anonsql.report.pages import recipient

        told = _of_recipient(policy)
        written = _written(path, recipient.page_of(told), audience, recipient=told)
        with scratch() as folder:
            path.chmod(usual_mode(folder))  # to be handed out, as any other new file is
        return written
    return _of_owner(policy, path, progress, show_values)


def _of_owner(policy: Given, path: Path, progress: Progress, show_values: bool) -> PageReport:
    from anonsql.commands import owner_page
    from anonsql.report.pages import owner

    if not isinstance(policy, Policy) and opening.names_release(policy):
        text = "the owner's page needs the policy: a release alone does not say how it was made."
        raise PolicyError.at("POLICY", text, "Name the policy, or say --for recipient.")
    with private_memory():
        given, missing = Policy.of(policy), list[Missing]()
        told = owner_page.gather(given, progress, show_values=show_values)
        levels = told.report.levels if told.report else None
        space = owner_page.solution_space(given, levels, progress, missing)
        told = told.model_copy(update={"missing": [*told.missing, *missing]})
        return _written(path, owner.page_of(told, space), "owner", owner=told)


def _of_recipient(policy: Given) -> RecipientPage:
    place, named = opening.given(policy)
    if named is None:
        return recipient_page.gather(place, recipient_page.only_table(place), EngineSettings())
    if place.is_file and not place.path.exists():
        raise PolicyError.at("release", f"{place} does not exist.", "`anonsql run` makes it.")
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
    text_files.write_private(path, "--output", page)
    told = owner or recipient
    return PageReport(
        status="written",
        page=str(path),
        audience=audience,
        bytes=len(page.encode()),
        missing=[] if told is None else told.missing,
        owner=owner,
        recipient=recipient,
    )
