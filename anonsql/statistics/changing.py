"""Change the values of cells in place of hiding them, in the database: by noise that the people in
a cell determine, or to multiples of a base."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from anonsql.engines.base import Engine
from anonsql.errors import FieldError, PolicyError
from anonsql.policy.protect import CellKey, Rounding
from anonsql.statistics import keys, perturbation, rounding
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Plan, TableMeasure
from anonsql.system.arrays import IntArray, np

CHANGED = "changed"
"""The scratch table of changed values: cell, and the columns of cells that measures are counted
in."""
_CELLS = ("cells",)
_MOST_UNITS = 2**31
_SECOND = Decimal("0.5")
"""The noise of a sum that goes by the second largest contribution, in that by the largest."""


def columns_of(plan: Plan) -> list[str]:
    """Return the columns of cells that are changed: people first."""
    counts = [measure.counted for measure in plan.measures if measure.sum is None]
    sums = [measure.counted for measure in plan.measures if measure.sum is not None]
    return list(dict.fromkeys(["people", *counts, *sums]))


def by_noise(engine: Engine, plan: Plan, settings: CellKey) -> None:
    """Make the table of values with noise by cell keys. Needs the secret in the engine."""
    table = perturbation.table(settings.variance, settings.largest, least=settings.least)
    made = perturbation.factors(settings.deviation, settings.greatest, second=_SECOND)
    counts = [name for name in columns_of(plan) if name in ("people", "n")]
    sums = [entry.index for entry in plan.sums]
    ranks = [
        (f"sum of {entry.column.name}", [f"m{entry.index}_{rank}" for rank in (1, 2)])
        for entry in plan.sums
    ]
    keys.make_streams(engine, [("count", counts), *ranks])
    engine.load_numbers("perturbation", table.columns)
    engine.load_numbers("factors", made.columns)
    engine.run(
        "statistics/perturbed",
        cells=_CELLS,
        counts=counts,
        measures=sums,
        greatest_class=table.greatest_class,
    )


def by_rounding(engine: Engine, plan: Plan, cells: Cells, settings: Rounding) -> str:
    """Make the table of rounded values; return how they were rounded, in words."""
    columns = columns_of(plan)
    bases = {"people": settings.base, "n": settings.base}
    bases |= {f"m{entry.index}": settings.bases[entry.name] * entry.unit for entry in plan.sums}
    for entry in plan.sums:
        if bases[f"m{entry.index}"] >= _MOST_UNITS:
            text = f"{settings.bases[entry.name]:,} with {entry.scale} decimals is too large."
            where = f"protect.rounding.bases.{entry.name}"
            raise PolicyError.at(where, text, "Lower the base, or give the sum fewer `decimals`.")
    if settings.controlled and (values := _controlled(plan, cells, bases)) is not None:
        engine.load_numbers(CHANGED, {"cell": np.arange(cells.size, dtype=np.int64), **values})
        return rounding.CONTROLLED
    counts = [name for name in columns if name in ("people", "n")]
    sums = [(f"rounded sum of {entry.column.name}", [f"m{entry.index}"]) for entry in plan.sums]
    keys.make_streams(engine, [("rounded count", counts), *sums])
    engine.run("statistics/rounded", cells=_CELLS, columns=columns, bases=bases)
    asked, many, not_found = rounding.WHY_ALONE
    found = many if cells.size > rounding.CELLS else not_found
    return f"{rounding.ALONE}, {found if settings.controlled else asked}"


def _controlled(plan: Plan, cells: Cells, bases: dict[str, int]) -> dict[str, IntArray] | None:
    """Return rounded values whose totals add up; None where there are none, or too many cells."""
    by_column: dict[str, IntArray] = {}
    by_people = TableMeasure("people", "people", people=True)
    for measure in (by_people, *plan.measures):
        if measure.counted in by_column:
            continue
        relations = cells.relations_of(measure)
        values = rounding.controlled(relations, cells.of(measure), bases[measure.counted])
        if values is None:
            return None
        by_column[measure.counted] = values
    return by_column


def read(engine: Engine, columns: Sequence[str]) -> dict[str, IntArray]:
    """Return the changed values of every cell, by column, in the order of cells."""
    arrays = engine.numbers("statistics/changes", columns=columns)
    return dict(zip(columns, arrays, strict=True))


def require_possible(settings: CellKey) -> None:
    """Raise FieldError, at its place in the policy, where no noise is what the settings ask for."""
    try:
        perturbation.table(settings.variance, settings.largest, least=settings.least)
    except (ValueError, ArithmeticError) as error:
        raise FieldError("protect.cell_key", f"{error}") from None
    try:
        perturbation.factors(settings.deviation, settings.greatest, second=_SECOND)
    except (ValueError, ArithmeticError) as error:
        raise FieldError("protect.cell_key.deviation", f"{error}") from None
