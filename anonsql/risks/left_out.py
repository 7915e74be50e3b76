"""The losses of a source's values by suppression, counted in the rows' engine. No value of few rows
is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import PrivacyError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.suppression_limit import least_limit, max_suppressed
from anonsql.release.recoding import Recoding
from anonsql.risks.kept.counting import Compared, kept_columns

MOST_NAMED = 50
"""The greatest number of values that are named, the greatest lost shares first."""
CLEARLY_MORE = 0.05
"""An insensitive value is reported if it loses so much more than all rows, as shares of rows, and
at least twice as much."""
ROWS, COUNTS = "left_out_rows", "left_out_counts"
"""The scratch tables of suppressed rows, and of the losses of their values."""
_RARE, _NAMED, _OTHERS, _LIMITED = range(4)
"""The lists of values' losses."""


@dataclass(frozen=True)
class GroupLoss:
    """Of the ``rows`` with a ``value`` of a ``column``, so many are ``lost``: suppressed. ``rare``:
    so many ``values`` together, of too few rows to be named."""

    column: str
    value: str | None
    rows: int
    lost: int
    values: int = 1
    rare: bool = False

    @property
    def share(self) -> float:
        """The share of the rows that is released, unmasked."""
        return 1 - self.lost / self.rows


@dataclass(frozen=True)
class LeftOut:
    """The losses of values, the greatest shares first, and the losses that ``max_group_loss``
    limits."""

    losses: Sequence[GroupLoss] = ()
    limited: Sequence[GroupLoss] = ()


@dataclass(frozen=True)
class Watched(Compared):
    """A kept column, with its number among the columns that losses are counted of."""

    index: int = 0


def watched(
    policy: TablePlan, columns: Sequence[Column], attributes: Sequence[Attribute]
) -> list[Watched]:
    """Return the columns kept as they are, numbered after the quasi-identifying ``attributes``."""
    first = max(attribute.index for attribute in attributes) + 1
    kept = kept_columns(policy, columns)
    return [
        Watched(comparison.column, number) for number, comparison in enumerate(kept, start=first)
    ]


def limited_numbers(
    policy: TablePlan, attributes: Sequence[Attribute], kept: Sequence[Watched]
) -> list[int]:
    """Return the numbers of the columns that ``max_group_loss`` is about: quasi-identifying and
    sensitive ones."""
    sensitive = [column.index for column in kept if policy.columns[column.name].role == "sensitive"]
    return [*(attribute.index for attribute in attributes), *sensitive]


def of_recoding(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    policy: TablePlan,
    recoding: Recoding,
    *,
    least: int,
    overall: float,
) -> LeftOut:
    """Return what values lose by a staged recoding, ``overall`` being the share of all rows; values
    of fewer than ``least`` rows are not named."""
    pair = recoding.by.left_out()
    if not recoding.suppression.rows or pair is None:
        return LeftOut()
    template, parameters = pair
    attributes, kept = recoding.attributes, watched(policy, columns, recoding.attributes)
    placed = {column.column.name: f"r{column.position}" for column in recoding.released}
    shown = [replace(entry, column=_named(entry.column, placed)) for entry in kept]
    engine.run(
        template,
        source=source,
        attributes=attributes,
        kept=shown if parameters.get("split") else kept,
        valued=recoding.valued,
        **parameters,
    )
    engine.run("risks/left_out/counts", source=source, attributes=attributes, kept=kept)
    engine.drop(ROWS)
    return losses_of_values(engine, policy, attributes, kept, least=least, overall=overall)


def losses_of_values(
    engine: Engine,
    policy: TablePlan,
    attributes: Sequence[Attribute],
    kept: Sequence[Watched],
    *,
    least: int,
    overall: float,
) -> LeftOut:
    """Return what the table ``left_out_counts`` has, and drop it. Insensitive values are reported
    if at least k rows have them and they lose clearly more than all rows do."""
    names = {attribute.index: attribute.name for attribute in attributes}
    names |= {column.index: column.name for column in kept}
    numbers, k = limited_numbers(policy, attributes, kept), policy.privacy.k
    others = [number for number in names if number not in numbers]
    lists = [
        (_NAMED, numbers, least, MOST_NAMED),
        (_LIMITED, numbers, k, 1),
        *([(_OTHERS, others, max(least, k), MOST_NAMED)] if others else []),
    ]
    losses: list[GroupLoss] = []
    rare: list[GroupLoss] = []
    limited: list[GroupLoss] = []
    clear = max(2 * overall, overall + CLEARLY_MORE)
    for kind, number, value, values, rows, lost in engine.query(
        "risks/left_out/losses", lists=lists, least=least
    ):
        loss = GroupLoss(names[number], value, rows, lost)
        if kind == _LIMITED:
            limited.append(loss)
        elif kind == _NAMED or (kind == _OTHERS and 1 - loss.share > clear):
            losses.append(loss)
        elif kind == _RARE and number in numbers:
            rare.append(replace(loss, values=values, rare=True))
    engine.drop(COUNTS)
    return LeftOut(sorted([*losses, *rare], key=lambda loss: loss.share), limited)


def _named(column: Column, names: Mapping[str, str]) -> Column:
    return replace(column, name=names.get(column.name, column.name))


def require_within(limit: Decimal | None, left_out: LeftOut, *, show_values: bool) -> None:
    """Raise PrivacyError, naming the least sufficient limit, where a value of at least k rows of
    the source loses more than the limit allows."""
    for worst in left_out.limited:
        if limit is not None and worst.lost > max_suppressed(limit, worst.rows):
            raise PrivacyError(too_much(worst, limit, named=show_values))


def too_much(worst: GroupLoss, limit: Decimal, *, named: bool) -> str:
    """Return in words that a value loses too much, and what would do."""
    value = f" {worst.value!r}" if named else ""
    enough = least_limit(worst.lost, worst.rows)
    raised = f"set it to {enough:f}" if enough is not None else "leave it out"
    return (
        f"privacy.max_group_loss: {worst.lost:,} of {worst.rows:,} rows with the same"
        f" value{value} of {worst.column} would be suppressed, more than {limit:g} of them:"
        f" {raised}, raise min_level of that column, lower privacy.k, or choose full-domain, which"
        " searches for levels that keep the limit."
    )
