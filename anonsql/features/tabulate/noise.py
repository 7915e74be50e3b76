"""The plan of noise, in documents and in words."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.presentation.documents import Document
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.tree import Figures, Part, Sentence
from anonsql.system.numbers import rounded

if TYPE_CHECKING:  # these load what counts, and most commands only look at the document
    from anonsql.jobs.statistics.state import Tabulation
    from anonsql.policy.statistics import StatisticsPolicy
    from anonsql.statistics.cubes import Plan

_SHOWN = 40


class NoiseOf(Document):
    """The noise of one measure at one vector of levels of a table."""

    table: str
    levels: dict[str, int] = Field(description="of the table's dimensions")
    measure: str
    cells: int | None = Field(description="of a public domain")
    share: float = Field(
        description="share of the whole budget; a vector of several tables counts once"
    )
    scale: float = Field(description="of the noise, in the measure's unit")
    mean_error: float = Field(
        description="expected mean absolute error, before values are adjusted"
    )
    bound: float = Field(description="exceeded by the error in at most 1 of 20 cells")
    threshold: int | None = Field(description="of stable keys: the lowest noisy count of people")


class NoisePlan(Document):
    """What noise is added, before anything is spent."""

    mechanism: Literal["gaussian", "laplace"]
    domain: Literal["public", "keys"]
    max_rows: int
    budget: str = Field(description="what one release spends")
    promise: str
    before: str | None = Field(description="what earlier releases of the source have spent")
    values: int | None = Field(description="vectors that get noise, of a public domain")
    parts: list[NoiseOf]


def document(tabulation: Tabulation) -> NoisePlan | None:
    """Return the plan of a job's noise; None where there is none."""
    from anonsql.jobs.statistics.noising import noise_of
    from anonsql.statistics.noise.making import error

    noised, policy = tabulation.noised, tabulation.policy
    if noised is None:
        return None
    noise, plan, sizes = noise_of(policy), tabulation.plan, noised.sizes
    total = sum(query.spends for query in noised.queries)
    by_place = {(query.vector, query.column): query for query in noised.queries}
    parts = []
    for name, vectors in plan.tables.items():
        for number in vectors:
            for measure in plan.measures:
                query = by_place[number, measure.counted]
                expected = error(query.mechanism, query.scale)
                people = by_place.get((number, "people"))
                parts.append(
                    NoiseOf(
                        table=name,
                        levels=_levels(policy, plan, name, number),
                        measure=measure.name,
                        cells=None if sizes is None else sizes[number],
                        share=rounded(float(query.spends / total)),
                        scale=rounded(query.scale / measure.unit),
                        mean_error=rounded(expected.mean / measure.unit),
                        bound=rounded(expected.bound / measure.unit),
                        threshold=people and people.threshold,
                    )
                )
    columns = len({query.column for query in noised.queries})
    return NoisePlan(
        mechanism=noise.mechanism,
        domain=noise.domain,
        max_rows=noise.max_rows,
        budget=noise.spent.words,
        promise=noise.promise,
        before=noised.before.fact if noised.before.releases else None,
        values=None if sizes is None else sum(sizes.values()) * columns,
        parts=parts,
    )


def _levels(policy: StatisticsPolicy, plan: Plan, table: str, number: int) -> dict[str, int]:
    levels = plan.vectors[number - 1].levels
    return {
        attribute.name: attribute.height if (level := levels[attribute.index]) is None else level
        for attribute in plan.dimensions(policy.tables[table])
    }


def described(plan: NoisePlan) -> list[Part]:
    """Return the added noise, and the expected errors of values."""
    domain = (
        "cells of the source with enough people, after noise"
        if plan.values is None
        else f"{plan.values:,} values, of all possible cells"
    )
    said = [
        f"Noise: discrete {plan.mechanism}, {plan.budget} in all, {plan.max_rows:,} rows of a"
        f" person; {domain}."
    ]
    if plan.mechanism == "gaussian":
        epsilons = [f"delta {delta}: {_epsilon(plan, delta)}" for delta in ("1e-6", "1e-9")]
        said.append(f"As epsilon, with {', '.join(epsilons)}.")
    if plan.before is not None:
        said.append(f"Spent before: {plan.before}.")
    return [*map(Sentence, said), _parts(plan), *map(Sentence, _errors(plan))]


def _parts(plan: NoisePlan) -> Figures:
    rows = [
        [
            part.table,
            ", ".join(f"{name} {level}" for name, level in part.levels.items()),
            part.measure,
            Number("" if part.cells is None else f"{part.cells:,}"),
            percent(part.share),
            Number(f"{part.mean_error:,.4g}"),
            Number(f"{part.bound:,.4g}"),
        ]
        for part in plan.parts[:_SHOWN]
    ]
    figures = ("cells", "share", "mean error", "95 % within")
    return Figures(["table", "levels", "measure", *figures], rows)


def _errors(plan: NoisePlan) -> list[str]:
    said = []
    if len(plan.parts) > _SHOWN:
        said.append(f"… and {len(plan.parts) - _SHOWN:,} more: see `--json`.")
    said.append(
        "The error is that of the noise alone, before values are made consistent, which reduces"
        " it. Further errors, which can be larger, come from rows of a person beyond"
        f" {plan.max_rows:,} and from amounts that `clip` reduces."
    )
    thresholds = [part.threshold for part in plan.parts if part.threshold is not None]
    if thresholds:
        least, most = min(thresholds), max(thresholds)
        to_most = f" to {most:,}, by level" if most > least else ""
        said.append(f"A cell is published if its noisy count of people reaches {least:,}{to_most}.")
    return said


def _epsilon(plan: NoisePlan, delta: str) -> str:
    from anonsql.privacy import zcdp

    rho = Decimal(plan.budget.split(",")[0].removeprefix("rho "))
    return f"{zcdp.epsilon_of(rho, Decimal(delta)):.4g}"
