"""``anonsql report``: a page that shows a release, for its owner or for its recipients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from anonsql.errors import PolicyError
from anonsql.features.report import recipient, several_tables
from anonsql.features.report.document import PageReport
from anonsql.features.report.page_document import Missing, OwnerPage, RecipientPage
from anonsql.features.report.several_tables_document import RelationalPage
from anonsql.features.report.statistics_document import StatisticsPage
from anonsql.jobs.workspace import private_memory, scratch, usual_mode
from anonsql.policy import refusals
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations
from anonsql.policy.policies import (
    AnyGiven,
    names_statistics,
    names_tables,
    of_several,
    of_statistics,
)
from anonsql.policy.policy import Given, Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.query import opening
from anonsql.system import text_files
from anonsql.system.clock import Progress, silent

if TYPE_CHECKING:
    from anonsql.features.report.statistics_exports import Export, Format

Audience = Literal["owner", "recipient"]
_DEFAULT = "report.html"
_POLICIES = (Policy, RelationalPolicy, StatisticsPolicy)
_NO_POLICY = "the owner's page needs the policy: a release alone does not say how it was made."


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
    """Write a page (HTML, one file that loads nothing) that shows what is published: for the
    ``owner`` with how it was made and counts of the source, readable by you alone; for a
    ``recipient`` from the release alone, to be handed out with it. For a recipient the release
    itself (its file or folder) may be given in the policy's place. With ``attack`` the release is
    attacked for the owner's page. ``csv`` and ``sdmx`` are folders that the tables of statistics
    are written to besides, as CSV and as SDMX-CSV. Change neither release nor source.

    Raise PolicyError when there is no release or the page cannot be written, VerificationError when
    the release does not keep its promise.
    """
    if audience not in ("owner", "recipient"):
        text = f"found {audience}; a page is for the owner or a recipient."
        raise PolicyError.at("--for", text, "Say owner or recipient.")
    if attack and audience != "owner":
        text = "what attacks find is told by the source, and for its owner alone."
        raise PolicyError.at("--attack", text, "Leave it out.")
    named = not isinstance(policy, _POLICIES) and opening.names_release(policy)
    if attack and not named and names_statistics(policy):
        raise refusals.STATISTICS.error("report --attack")
    if attack and not named and names_tables(policy):
        raise refusals.SEVERAL_TABLES.error("report --attack")
    path = Path(output).absolute()
    text_files.require_replaceable(path, "--output")
    folders: dict[Format, Path] = {}
    if csv is not None:
        folders["csv"] = Path(csv).absolute()
    if sdmx is not None:
        folders["sdmx-csv"] = Path(sdmx).absolute()
    if (found := _of_statistics(policy, audience, folders, progress)) is not None:
        return _written_statistics(path, audience, *found)
    if folders:
        text = "these are for tables of statistics, and this is a release of rows."
        remedy = "Leave them out; any client reads the rows, and `release.file` writes files."
        raise PolicyError.at("--csv" if csv is not None else "--sdmx", text, remedy)
    if (several := _of_several(policy, audience, progress)) is not None:
        from anonsql.features.report import several_tables_page

        return _written(path, several_tables_page.page_of(several), audience, relational=several)
    result = cast(Given, policy)
    if audience == "recipient":
        from anonsql.features.report import recipient_page

        page = _of_recipient(result)
        return _written(path, recipient_page.page_of(page), audience, recipient=page)
    return _of_owner(result, path, progress, attack=attack, show_values=show_values)


def _of_statistics(
    policy: AnyGiven, audience: Audience, folders: Mapping[Format, Path], progress: Progress
) -> tuple[StatisticsPage, list[Export]] | None:
    """Return what the page of published statistics tells, and the files that are asked for; None
    where it is rows that are released."""
    from anonsql.features.report import statistics, statistics_exports

    exports: list[Export] = []

    def export(tables: statistics.Tables) -> None:
        exports.extend(statistics_exports.of(tables, folders))

    if isinstance(policy, _POLICIES) or not opening.names_release(policy):
        if not names_statistics(policy):
            return None
        known = of_statistics(policy)
        if audience == "owner":
            return statistics.of_owner(known, progress, export), exports
        with statistics.published(known, progress) as tables:
            export(tables)
            return statistics.page_of_release(tables, JobLocations.of(known).release), exports
    location, _ = opening.given(policy)
    with statistics.released(location) as found:
        if found is None:
            return None
        if audience == "owner":
            raise PolicyError.at("POLICY", _NO_POLICY, "Name the policy, or say --for recipient.")
        export(found)
        return statistics.page_of_release(found, location), exports


def _written_statistics(
    path: Path, audience: Audience, page: StatisticsPage, exports: Sequence[Export]
) -> PageReport:
    """Write the page of published statistics, and their files; return what they tell."""
    from anonsql.features.report import statistics_exports, statistics_page

    written = _written(path, statistics_page.page_of(page), audience, statistics=page)
    with scratch() as folder:
        files = statistics_exports.write(exports, usual_mode(folder))
    return written.model_copy(update={"files": files})


def _of_several(policy: AnyGiven, audience: Audience, progress: Progress) -> RelationalPage | None:
    """Return what the page of a release of several tables tells; None where there is one table."""
    if isinstance(policy, Policy):
        return None
    if isinstance(policy, RelationalPolicy) or not opening.names_release(policy):
        several = of_several(policy)
        if several is None:
            return None
        if audience == "owner":
            return several_tables.of_owner(several, progress)
        names = [several.plan(name).release.table or "" for name in several.people_first]
        location = JobLocations.of(several).release
        return several_tables.of_recipient(location, names, several.engine)
    location, _ = opening.given(policy)
    names = several_tables.tables_of(location)
    if not names:
        return None
    if audience == "owner":
        raise PolicyError.at("POLICY", _NO_POLICY, "Name the policy, or say --for recipient.")
    return several_tables.of_recipient(location, names, EngineSettings())


def _of_owner(
    policy: Given, path: Path, progress: Progress, *, attack: bool, show_values: bool
) -> PageReport:
    from anonsql.features.report import owner, owner_page

    if not isinstance(policy, Policy) and opening.names_release(policy):
        raise PolicyError.at("POLICY", _NO_POLICY, "Name the policy, or say --for recipient.")
    with private_memory():
        result, missing = Policy.of(policy), list[Missing]()
        page = owner.gather(result, progress, attacked=attack, show_values=show_values)
        levels = page.report.levels if page.report else None
        space = owner.solution_space(result, levels, progress, missing)
        page = page.model_copy(update={"missing": [*page.missing, *missing]})
        return _written(path, owner_page.page_of(page, space), "owner", owner=page)


def _of_recipient(policy: Given) -> RecipientPage:
    location, named = opening.given(policy)
    if named is None:
        return recipient.gather(location, recipient.only_table(location), EngineSettings())
    if location.is_file and not location.path.exists():
        raise PolicyError.at(
            "release", f"{location} does not exist.", "`anonsql run` (or `tabulate`) makes it."
        )
    return recipient.gather(location, named.release.name, named.engine)


def _written(
    path: Path,
    page: str,
    audience: Audience,
    *,
    owner: OwnerPage | None = None,
    recipient: RecipientPage | None = None,
    relational: RelationalPage | None = None,
    statistics: StatisticsPage | None = None,
) -> PageReport:
    """Write a page, which is to be handed out where it is for a recipient; return what it tells."""
    text_files.write_private(path, "--output", page)
    if audience == "recipient":
        with scratch() as folder:
            path.chmod(usual_mode(folder))
    result = owner or recipient or relational or statistics
    return PageReport(
        status="written",
        page=str(path),
        audience=audience,
        bytes=len(page.encode()),
        missing=[] if result is None else result.missing,
        owner=owner,
        recipient=recipient,
        relational=relational,
        statistics=statistics,
        files=[],
    )
