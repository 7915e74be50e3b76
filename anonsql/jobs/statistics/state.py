"""The results that stages of a job that publishes statistics leave for later ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonsql.engines.base import Part, ReleaseTables
from anonsql.errors import InvariantError, PolicyError
from anonsql.jobs.job import Job, JobKind, Stages
from anonsql.policy.release_parts import WHOLE, parts_beside
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Plan
from anonsql.statistics.dependent import Amounts
from anonsql.statistics.earlier import Earlier
from anonsql.statistics.labels import CostlyLabel
from anonsql.statistics.protection import Protected
from anonsql.statistics.ratios import Ratio
from anonsql.system.arrays import BoolArray, IntArray, np

if TYPE_CHECKING:
    from anonsql.jobs.statistics.noising import Noised


@dataclass
class Tabulation(JobKind):
    """The policy of a job that publishes statistics, and the results of its stages: how many people
    there are, and whether a person is in several combinations; the values of every sum
    (``amounts``); the plan of counts; the cells; their protection; and how values were ``rounded``
    (None: not at all). ``names`` are the names of cells, and ``earlier`` the releases before, where
    tables are published repeatedly. Where there is noise, ``noised`` is its plan,
    ``additive_measures`` have totals that are the sums of their parts; ``costly`` are the labels
    that cost most, ``counted_here`` is whether this job has counted cells, and ``ratios`` follow
    from published values of other measures."""

    policy: StatisticsPolicy
    people: int = 0
    several: bool = False
    rounded: str | None = None
    names: IntArray | None = None
    earlier: Sequence[Earlier] = ()
    stored: Sequence[Mapping[str, IntArray]] = ()
    amounts: Sequence[Amounts] = ()
    plan: Plan = field(init=False)
    cells: Cells = field(init=False)
    protected: Protected = field(init=False)
    noised: Noised | None = None
    costly: Sequence[CostlyLabel] = ()
    additive_measures: Mapping[str, bool] = field(default_factory=dict)
    counted_here: bool = False
    ratios: Sequence[Ratio] = ()
    rows: Mapping[str, int] = field(init=False)

    @property
    def stages(self) -> Stages:
        """See the base class."""
        from anonsql.jobs.statistics import pipeline

        return pipeline.stages()

    def inside(self, table: str) -> BoolArray:
        """Return which cells are rows of a table."""
        return np.isin(self.cells.counted["v"], list(self.plan.tables[table])) & ~self.gone

    @property
    def gone(self) -> BoolArray:
        """The cells without a row: the keys of people change all their values to 0, so that they
        cannot be distinguished from empty cells."""
        changed = self.protected.changed
        if changed is None or not self.policy.protect.keyed:
            return np.zeros(self.cells.size, np.bool_)
        there = [*self.protected.hidden.values(), *(values != 0 for values in changed.values())]
        return np.asarray(~np.any(there, axis=0), np.bool_)

    @property
    def parts(self) -> Mapping[str, Sequence[Part]]:
        """The parts of the release of every table: rows, ``__about`` and ``__columns``."""
        first, *others = self.policy.tables
        return {first: ("rows", "about", "columns")} | {name: parts_beside(name) for name in others}


def tabulation_of(job: Job) -> Tabulation:
    """Return what a job that publishes statistics has; raise InvariantError for another job."""
    if not isinstance(job.kind, Tabulation):
        raise InvariantError("a job that releases rows has no statistics")
    return job.kind


def table_of(release: ReleaseTables, parts: Sequence[Part]) -> ReleaseTables:
    """Return one table of a release, by its parts; raise PolicyError where it lacks one."""
    by_part = release.by_part
    if lacking := [part for part in parts if part not in by_part]:
        text = f"the release has no {', '.join(part.removeprefix(WHOLE) for part in lacking)}."
        raise PolicyError.at("statistics.tables", text, "`anonsql tabulate` makes them all.")
    tables = {
        base: by_part[part] for base, part in zip(("rows", "about", "columns"), parts, strict=True)
    }
    return ReleaseTables.of(release.engine, tables, release.unexpected_objects, release.within)
