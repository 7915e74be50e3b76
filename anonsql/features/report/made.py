"""The run that made a release, from the catalog; missing parts are noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from anonsql.errors import AnonsqlError, PolicyError, TimeLimitError
from anonsql.features.report.document import Missing
from anonsql.features.run.document import RelationalReport, Report
from anonsql.features.runs import command as runs
from anonsql.features.runs.document import RunLine
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.workspace import private_memory
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policies import AnyPolicy
from anonsql.policy.policy import Policy
from anonsql.presentation.documents import Place
from anonsql.system.journal import Journal

Made = TypeVar("Made", RelationalReport, StatisticsReport)
_UNREADABLE = "The catalog could not be read."


@contextmanager
def noting(missing: list[Missing], what: str, why: str) -> Iterator[None]:
    """Note ``what`` is missing where the ``with`` block fails, unless its time is up."""
    try:
        yield
    except TimeLimitError:
        raise
    except AnonsqlError as error:
        missing.append(Missing(what=what, why=f"{why} {error}"))


def by_run(
    policy: AnyPolicy, release: str, kind: type[Made], what: str, missing: list[Missing]
) -> tuple[Made | None, RunLine | None]:
    """Return the report of the run that made a release, by its number, and the run; note ``what`` is
    missing."""
    with noting(missing, what, _UNREADABLE):
        for run in runs.runs(policy).runs:
            document = runs.show(policy, run.run)
            if isinstance(document.report, kind) and document.report.release_id == release:
                return document.report, run
        missing.append(Missing(what=what, why="No run in the catalog made this release."))
    return None, None


def recorded(
    policy: Policy,
    places: JobLocations,
    about: Mapping[str, str],
    levels: Mapping[str, int],
    missing: list[Missing],
) -> tuple[Report | None, RunLine | None]:
    """Return the catalog's report of a release that states ``about`` and ``levels``, and its run."""
    what = "How the release was made: its run"
    with noting(missing, what, _UNREADABLE):
        path = runs.catalog_of(policy)
        if not path.exists():
            raise PolicyError.at("catalog", f"there is no file {path}.")
        with private_memory(), Catalog.open(path, Journal(), made=True) as catalog:
            own = (
                (report, line)
                for row in catalog.runs()
                if (line := runs.line(row)).status == "done"
                and (report := _report(row[-1])) is not None
                and _lies_at(report.release, policy, places.release)
            )
            report, run = next(own, (None, None))
            if report and run and _is_of(report, catalog.release_id(run.run), about, levels):
                return report, run
            why = f"No run in the catalog {path} made this release."
            missing.append(Missing(what=what, why=why))
    return None, None


def _report(text: str | None) -> Report | None:
    """None also for a report of another version."""
    try:
        return None if text is None else Report.model_validate_json(text)
    except ValueError:
        return None


def _lies_at(location: Place, policy: Policy, release: Location) -> bool:
    """A folder may have been moved with its release and catalog since."""
    if location.table != policy.release.name:
        return False
    moved = release.is_file and Path(location.database).name == release.path.name
    return moved or location.database == str(release)


def _is_of(
    report: Report, release_id: str | None, about: Mapping[str, str], levels: Mapping[str, int]
) -> bool:
    """Return whether a report is the published release's. If the catalog does not know the
    release's number, all that both state must agree."""
    if release_id is not None and about.get("release") != release_id:
        return False
    stated = {"method": report.method, "k": str(report.k), "rows": str(report.released)}
    stated["masked"] = str(report.masked)
    if report.sampled is None:  # else the number of rows left out is no fact
        stated["suppressed"] = str(report.suppressed)
    if "classes" in about:  # several combinations have classes of their own
        stated |= {"classes": str(report.classes), "min_class": str(report.min_class)}
    agree = all(about.get(name) == value for name, value in stated.items())
    return agree and (report.levels or {}) == levels
