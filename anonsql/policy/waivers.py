"""Cells that the owner publishes although a rule forbids it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from anonsql.errors import FieldError, did_you_mean
from anonsql.system.scalars import Text

if TYPE_CHECKING:
    from anonsql.policy.statistics import StatisticsPolicy

TOTAL = "*"
"""The label of a total."""


class Waiver(BaseModel):
    """One cell that may be published although a rule forbids it, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    table: Text = Field(description="a table that has the cell")
    cell: dict[Text, Text | None] = Field(
        description="its labels by dimension; a dimension left out is at its total"
    )
    levels: dict[Text, Annotated[int, Field(ge=0)]] = Field(
        {}, description="the levels of labels that are labels of several levels"
    )
    of: list[Text] = Field([], description="the measures; all of them when left out")
    reason: Text = Field(min_length=1, description="why it may be published; the release states it")

    @property
    def in_words(self) -> str:
        """The table and the labels of the cell."""
        labels = (
            f"{name} = {'NULL' if cell is None else cell}" for name, cell in self.cell.items()
        )
        of = f", {' and '.join(self.of)}" if self.of else ""
        return f"{self.table}, {' and '.join(labels) or 'the total'}{of}"


def require_waivers(policy: StatisticsPolicy) -> None:
    """Raise FieldError where a cell that is to be published can be none of its table."""
    waivers, protect = policy.protect.publish, policy.protect
    if waivers and protect.changes:
        text = f"it goes with `by: suppression`, and `by: {protect.by}` changes all values"
        raise FieldError("protect.publish", text)
    if waivers and protect.over_time is not None:
        text = (
            "it does not go with `over_time`: differences of such a cell from release to release"
            " are not audited; leave one of both out"
        )
        raise FieldError("protect.publish", text)
    cells = [
        (waiver.table, sorted(waiver.cell.items()), sorted(waiver.levels.items()), name)
        for waiver in waivers
        for name in waiver.of or policy.measures
    ]
    if any(cells.count(cell) > 1 for cell in cells):
        raise FieldError("protect.publish", "a cell is named twice: name it once")
    counts = policy.measures.keys() - policy.sums.keys()
    for number, waiver in enumerate(waivers):
        where = f"protect.publish[{number}]"
        _require_known(f"{where}.table", "table", [waiver.table], policy.tables)
        _require_known(f"{where}.cell", "dimension", waiver.cell, policy.tables[waiver.table].by)
        _require_known(f"{where}.levels", "dimension of the cell", waiver.levels, waiver.cell)
        _require_known(f"{where}.of", "measure", waiver.of, policy.measures)
        if waiver.of and protect.zeros == "protect":
            text = (
                "with `zeros: protect` one measure reveals whether a cell is empty, which the others"
                " hide: leave `of` out"
            )
            raise FieldError(f"{where}.of", text)
        for name, label in waiver.cell.items():
            if label == TOTAL and name not in waiver.levels:
                text = f"`{TOTAL}` is the total: leave the dimension out"
                raise FieldError(f"{where}.cell.{name}", text)
        if lacking := sorted(counts - set(waiver.of)) if counts & set(waiver.of) else []:
            text = f"counts are published together: add {', '.join(lacking)}, or name sums alone"
            raise FieldError(f"{where}.of", text)


def _require_known(where: str, what: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise FieldError where a name is not a known one."""
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or "see statistics"
            raise FieldError(where, f"{name!r} is no {what} ({hint})")


def waived_promise(policy: StatisticsPolicy) -> str:
    """Return what a promise excepts, as its beginning."""
    count = len(policy.protect.publish)
    if not count:
        return ""
    cells = "the cell" if count == 1 else f"the {count} cells"
    return f"except for {cells} that the owner publishes by name (`waived`), "
