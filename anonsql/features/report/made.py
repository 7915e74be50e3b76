"""The run that made a release and the history, from the catalog; missing parts are noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from anonsql.errors import AnonsqlError, PolicyError, TimeLimitError
from anonsql.features.report.document import EarlierRun, Missing
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
MOST_HISTORY = 50
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


@dataclass
class Recorded:
    """The report of the published release of one table, its run, and the history."""

    report: Report | None = None
    run: RunLine | None = None
    history: list[EarlierRun] = field(default_factory=list)
    published: int = 0


def recorded(
    policy: Policy,
    places: JobLocations,
    about: Mapping[str, str],
    levels: Mapping[str, int],
    missing: list[Missing],
) -> Recorded:
    """Return the catalog's record of a release that states ``about`` and ``levels``."""
    what = "How the release was made: its run and the history"
    with noting(missing, what, _UNREADABLE):
        path = runs.catalog_of(policy)
        if not path.exists():
            raise PolicyError.at("catalog", f"there is no file {path}.")
        with private_memory(), Catalog.open(path, Journal(), made=True) as catalog:
            pairs = [(runs.line(row), _report(row[-1])) for row in catalog.runs()]
            own = [
                (line, report)
                for line, report in pairs
                if report is not None and _lies_at(report.release, policy, places.release)
            ]
            history = [_earlier(line, report) for line, report in own[:MOST_HISTORY]][::-1]
            result = Recorded(history=history, published=len(own))
            pair = next((row for row in own if row[0].status == "done"), None)
            if pair is None or not _is_of(pair[1], catalog.release_id(pair[0].run), about, levels):
                why = f"No run in the catalog {path} made this release."
                missing.append(Missing(what=what, why=why))
                return result
            result.run, result.report = pair
            return result
    return Recorded()


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


def _earlier(line: RunLine, report: Report) -> EarlierRun:
    held_back = report.over_time.held_back if report.over_time is not None else 0
    return EarlierRun(
        run=line.run,
        started=line.started,
        seconds=line.seconds,
        records=report.records,
        suppressed=(report.suppressed + held_back) / max(report.records, 1),
        min_class=report.min_class,
        loss=report.metrics.get("loss"),
    )
