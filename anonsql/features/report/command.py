"""``anonsql report``: a page that shows a release, for its owner or for its recipients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonsql.errors import PolicyError
from anonsql.features import kinds
from anonsql.features.kinds.base import Audience, Kind, Page, PageOptions
from anonsql.features.report.document import PageReport
from anonsql.jobs import source_columns
from anonsql.jobs.workspace import scratch, usual_mode
from anonsql.policy.policies import AnyGiven
from anonsql.query import opening
from anonsql.system import text_files
from anonsql.system.clock import Progress, silent

if TYPE_CHECKING:
    from anonsql.features.report.statistics_exports import Format

_DEFAULT = "report.html"


def report(
    policy: AnyGiven,
    output: str | Path = _DEFAULT,
    *,
    audience: Audience = "owner",
    attack: bool = False,
    csv: str | Path | None = None,
    sdmx: str | Path | None = None,
    progress: Progress = silent,
    show_values: bool = False,
) -> PageReport:
    """Write a page (HTML, one file that loads nothing) that shows a published release: for the
    ``owner`` with its run and counts of the source, readable by you alone; for a ``recipient`` from
    the release alone, to be handed out with it. For a recipient the release itself (its file or
    folder) may be given in the policy's place. With ``attack`` the release is attacked for the
    owner's page. ``csv`` and ``sdmx`` are folders for additional copies of tables of statistics, as
    CSV and as SDMX-CSV. Change neither release nor source.

    Raise PolicyError when there is no release or the page cannot be written, VerificationError when
    the release does not keep its promise.
    """
    if audience not in ("owner", "recipient"):
        text = f"found {audience}; a page is for the owner or a recipient."
        raise PolicyError.at("--for", text, "Write owner or recipient.")
    if attack and audience != "owner":
        text = "the findings of attacks use the source, so they are only for its owner."
        raise PolicyError.at("--attack", text, "Leave it out.")
    named = opening.names_release(policy)
    if attack and not named:
        kinds.of(policy).require("report --attack")
    path = Path(output).absolute()
    text_files.require_replaceable(path, "--output")
    folders: dict[Format, Path] = {}
    if csv is not None:
        folders["csv"] = Path(csv).absolute()
    if sdmx is not None:
        folders["sdmx-csv"] = Path(sdmx).absolute()
    options = PageOptions(audience, attack, folders, progress, show_values)
    page = _of_release(policy, options) if named else _of_policy(policy, options)
    return _written(path, page, audience)


def _of_policy(policy: AnyGiven, options: PageOptions) -> Page:
    kind = kinds.of(policy)
    _require_exports(kind, options)
    alone = options.audience == "recipient"
    return kind.page(source_columns.of(policy, reading=alone, comparing=not alone), options)


def _of_release(release: object, options: PageOptions) -> Page:
    with scratch() as folder:
        location, _ = opening.given(opening.on_disk(release, folder))
        kind, names = kinds.of_release(location)
        _require_exports(kind, options)
        if options.audience == "owner":
            text = (
                "the owner's page needs the policy, because a release does not say how it was made."
            )
            raise PolicyError.at(
                "POLICY",
                text,
                'Name the policy, or use --for recipient (in Python `audience="recipient"`).',
            )
        return kind.page_of_release(location, names, options)


def _require_exports(kind: Kind[Any], options: PageOptions) -> None:
    """Raise PolicyError where files are asked for of a kind that has none."""
    if options.folders and not kind.exports:
        text = "these are for tables of statistics, but this is a release of rows."
        remedy = "Leave them out; any client reads the rows, and `release.file` writes files."
        raise PolicyError.at("--csv" if "csv" in options.folders else "--sdmx", text, remedy)


def _written(path: Path, page: Page, audience: Audience) -> PageReport:
    """Write a page, readable by others if it is for a recipient, and the files that belong to it;
    return its document."""
    from anonsql.features.report import statistics_exports

    text_files.write_private(path, "--output", page.html)
    with scratch() as folder:
        mode = usual_mode(folder)
        if audience == "recipient":
            path.chmod(mode)
        files = statistics_exports.write(page.exports, mode)
    document = PageReport(
        status="written",
        page=str(path),
        audience=audience,
        bytes=len(page.html.encode()),
        missing=page.document.missing,
        files=files,
    )
    return document.model_copy(update={page.field: page.document})
