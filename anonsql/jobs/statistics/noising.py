"""What differential privacy adds to a job of statistics: rows of a person are bounded, cells are
those of a public domain, the noise is planned before anything is spent, drawn, and booked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from anonsql.engines.base import Relation
from anonsql.errors import InvariantError, PolicyError
from anonsql.jobs import spending
from anonsql.jobs.job import Job
from anonsql.jobs.sources import QuasiColumn
from anonsql.jobs.statistics.state import Tabulation, tabulation_of
from anonsql.policy.noise import Noise
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.privacy.spending import SPENT, Spent
from anonsql.statistics.cells import Cells
from anonsql.statistics.changing import CHANGED
from anonsql.statistics.noise import budget, domain, making, stating
from anonsql.statistics.noise.budget import Query
from anonsql.statistics.protection import Protected
from anonsql.system.arrays import np
from anonsql.verification.statistics.noise import Planned, additive_of

AT = "protect.noise"


@dataclass(frozen=True)
class Noised:
    """The noise of a job: its ``queries``; how many cells every vector of levels has, where the
    domain is public; and what earlier releases of the source have spent."""

    queries: Sequence[Query]
    sizes: Mapping[int, int] | None
    before: Spent = field(default_factory=Spent)


def noise_of(policy: StatisticsPolicy) -> Noise:
    """Return the settings of noise. Raise InvariantError where there are none."""
    if policy.protect.noise is None:
        raise InvariantError("the policy has no noise")
    return policy.protect.noise


def require_library(job: Job) -> None:
    """Note the problem that the library for noise is not installed."""
    if tabulation_of(job).policy.protect.noise is not None:
        try:
            making.library()
        except PolicyError as error:
            job.problems += error.problems


def rows_of(job: Job) -> Relation:
    """Return the rows that are counted: with noise as many of every person as may be."""
    policy = tabulation_of(job).policy
    noise, source = policy.protect.noise, job.opened.source
    if noise is None:
        return source
    columns = [column for column in job.opened.columns if column.name in policy.needed]
    entity = next(column for column in columns if column.name == policy.protect.entity)
    return making.bound(job.engine, source, columns, QuasiColumn(0, entity), noise.max_rows)


def list_groups(job: Job) -> None:
    """Give dimensions of a public domain all groups; note problems of dimensions that list none."""
    policy = tabulation_of(job).policy
    noise = policy.protect.noise
    if noise is None or noise.domain != "public":
        return
    listed = []
    for attribute in job.counted.attributes:
        try:
            listed.append(domain.listed(policy, attribute))
        except PolicyError as error:
            job.problems += error.problems
    if not job.problems:
        job.counted = replace(job.counted, attributes=listed)


def plan_noise(job: Job, groups: Mapping[tuple[int, int], int]) -> None:
    """Plan the noise of all cells; raise PolicyError where there are more than can be drawn."""
    tabulation = tabulation_of(job)
    policy, plan = tabulation.policy, tabulation.plan
    if policy.protect.noise is None:
        return
    noise, sizes = policy.protect.noise, None
    queries = budget.queries(policy, noise, plan)
    if noise.domain == "public":
        sizes = domain.sizes(plan, groups)
        domain.require_fit(sizes, list(budget.columns_of(plan, noise)))
    tabulation.noised = Noised(queries, sizes)


def recall_spent(job: Job) -> None:
    """Recall the spending of earlier releases of the source, and warn of it."""
    tabulation = tabulation_of(job)
    if tabulation.noised is None:
        return
    spent = noise_of(tabulation.policy).spent
    tabulation.noised = replace(tabulation.noised, before=spending.recall(job, spent, AT))


def book(job: Job) -> None:
    """Book the spending of the noise that is about to be published."""
    noise = tabulation_of(job).policy.protect.noise
    if noise is not None:
        spending.book(job, noise.spent)


def add_noise(job: Job, tabulation: Tabulation) -> Protected:
    """Return the published values of cells. From here on the job has no true counts: only the kept
    cells, with their vectors."""
    engine, plan = job.engine, tabulation.plan
    noise, noised = noise_of(tabulation.policy), tabulation.noised
    if noised is None:
        raise InvariantError("noise was not planned")
    made = making.make(noise, plan, tabulation.cells, noised.queries)
    size = int(made.kept.sum())
    numbers = np.arange(size, dtype=np.int64)
    vectors = tabulation.cells.counted["v"][made.kept]
    tabulation.cells = Cells({"v": vectors}, None, np.zeros(size, np.bool_))
    tabulation.additive_measures = {
        measure.name: made.additive[measure.counted] for measure in plan.measures
    }
    engine.run("statistics/together", portions=["cells"], name="all_cells")
    engine.drop("cells")
    engine.load_numbers("kept", {"cell": np.flatnonzero(made.kept), "number": numbers})
    engine.run("statistics/kept", attributes=plan.attributes)
    engine.drop("all_cells")
    engine.load_numbers(CHANGED, {"cell": numbers, **made.values})
    none = np.zeros(size, np.bool_)
    changed = {measure.name: made.values[measure.counted] for measure in plan.measures}
    shown = {measure.name: none for measure in plan.measures}
    return Protected(shown, shown, changed=changed)


def noise_facts(tabulation: Tabulation, name: str) -> dict[str, object]:
    """Return a table's facts on its noise, in addition to the facts from the policy."""
    noised, policy = tabulation.noised, tabulation.policy
    if noised is None:
        return {}
    noise = noise_of(policy)
    return {
        SPENT: (noised.before + noise.spent).fact,
        stating.PLAN: json.dumps(stating.planned(tabulation.plan, name, noised.queries)),
        **{
            f"additive.{measure}": "up to rounding" if additive else "no"
            for measure, additive in tabulation.additive_measures.items()
        },
    }


def compared_rows(job: Job) -> tuple[Relation, bool]:
    """Return the rows that published tables are compared with, and whether these are the counted
    rows: if a person has more rows than are counted, another draw of them differs."""
    tabulation, source = tabulation_of(job), job.opened.source
    if tabulation.policy.protect.noise is None:
        return source, True
    if tabulation.noised is not None and tabulation.counted_here:
        return (making.BOUNDED,), True
    rows, kept = (
        int(job.engine.query("sql/rows", table=table)[0][0])
        for table in (source, (making.BOUNDED,))
    )
    return source, rows == kept


def planned_noise(job: Job, about: Mapping[str, str]) -> Planned | None:
    """Return the plan that tables with noise are compared with, by the facts of one (``about``);
    None without noise. The run that draws the noise does not check how far off values are: refusing
    rare large noise would change its distribution."""
    tabulation = tabulation_of(job)
    noised, policy = tabulation.noised, tabulation.policy
    if noised is None:
        return None
    return Planned(
        noise_of(policy),
        tabulation.plan,
        noised.queries,
        compared_rows(job)[1] and not tabulation.counted_here,
        additive_of(about, policy),
    )
