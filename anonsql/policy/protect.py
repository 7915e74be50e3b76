"""The protection in a policy of statistics: the people, the rules, the method, the treatment of
empty cells, and the cells that the owner publishes although a rule forbids it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from anonsql.errors import FieldError, did_you_mean
from anonsql.policy.envelope import PolicyModel
from anonsql.policy.noise import Noise
from anonsql.system.scalars import Text

if TYPE_CHECKING:
    from anonsql.policy.statistics import StatisticsPolicy


def require_zeros(policy: StatisticsPolicy) -> None:
    """Raise FieldError where empty cells cannot be protected as a policy asks for."""
    protect, tables = policy.protect, policy.statistics.tables
    for number, table in enumerate(tables):
        if table.zeros is not None and protect.zeros == "publish":
            where = f"statistics.tables[{number}].zeros"
            raise FieldError(where, "it goes with `protect.zeros: protect`: leave it out")
    if protect.zeros == "publish":
        return
    if protect.changes:
        text = f"`protect` goes with `by: suppression`, and found `by: {protect.by}`: leave it out"
        raise FieldError("protect.zeros", text)
    if protect.over_time is not None:
        text = (
            "`protect` does not go with `over_time`: that takes cells without rows for 0; leave one"
            " of both out"
        )
        raise FieldError("protect.zeros", text)
    if protect.threshold is None:
        text = "`protect` needs a `threshold`, which says how many there must seem to be: give one"
        raise FieldError("protect.zeros", text)
    if not policy.zeros:
        text = "every table says `zeros: publish`: leave it out there, or here"
        raise FieldError("protect.zeros", text)
    for (number, one), (other_number, other) in itertools.combinations(enumerate(tables), 2):
        shared = [name for name in one.by if name in other.by]
        if len(shared) > 1 and one.zeros != other.zeros:
            at, beside = (number, other) if one.zeros is not None else (other_number, one)
            text = (
                f"its cells by {', '.join(shared)} are cells of {beside.table} too, which hides empty"
                f" cells: leave it out here, or write `zeros: publish` at {beside.table} too"
            )
            raise FieldError(f"statistics.tables[{at}].zeros", text)


def zeros_promise(policy: StatisticsPolicy) -> str:
    """Return the promise about empty cells, to be added to the promise about small ones."""
    if not policy.zeros:
        return ""
    but = ", ".join(name for name in policy.tables if name not in policy.zeros)
    return " or with none" + (f" (except in {but})" if but else "")


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
    """Return the exceptions of a promise, as its beginning."""
    count = len(policy.protect.publish)
    if not count:
        return ""
    cells = "the cell" if count == 1 else f"the {count} cells"
    return f"except for {cells} that the owner publishes by name (`waived`), "


class Dominance(PolicyModel):
    """The (n, k) rule: the n largest contributors of a cell may have a share k of its sum at most."""

    n: int = Field(ge=1, le=10, description="the largest contributors")
    share: float = Field(gt=0, lt=1, description="the share of the sum that they may have at most")


class CellKey(PolicyModel):
    """Noise by cell keys: the same people have the same noise in every table, run and engine."""

    variance: Annotated[Decimal, Field(gt=0, le=10_000)] = Field(
        Decimal(2), description="of the noise of counts"
    )
    largest: int = Field(5, ge=1, le=1000, description="deviation of counts")
    least: int = Field(
        3,
        ge=1,
        le=1000,
        description="no count is published from 1 to below it: it becomes 0 or more",
    )
    deviation: Annotated[Decimal, Field(gt=0, le=1)] = Field(
        Decimal("0.2"),
        description="standard deviation of the noise of sums, as a share of the largest contribution",
    )
    greatest: Annotated[Decimal, Field(gt=0, le=Decimal("0.66"))] = Field(
        Decimal("0.5"), description="largest noise of sums, as a share of the largest contribution"
    )


class Rounding(PolicyModel):
    """Values as multiples of a base, one of the two nearest."""

    base: int = Field(5, ge=2, le=10**9, description="of counts")
    bases: dict[Text, Annotated[int, Field(ge=2, le=10**12)]] = Field(
        {}, description="of sums, in whole units of the measure; each sum needs one"
    )
    controlled: bool = Field(
        True,
        description=(
            "where tables are small enough, choose multiples so that totals are the sums of their"
            " parts; else every value is rounded by its cell's key"
        ),
    )


class Protect(PolicyModel):
    """The people to protect, the cells that must not be published, and the method."""

    entity: Text | None = Field(
        None, description="the column that names people; every row is one when left out"
    )
    threshold: int | None = Field(
        None, ge=2, description="a cell with fewer people is not published"
    )
    uncertain: Literal["threshold", "double"] = Field(
        "threshold",
        description=(
            "with suppression: how large a hidden count of fewer people must still be able to be: the"
            " threshold; or double: twice its value"
        ),
    )
    dominance: Dominance | None = Field(
        None, description="of sums: the largest contributors may not have more than a share"
    )
    p_percent: float | None = Field(
        None,
        gt=0,
        lt=1,
        description=(
            "of sums: the second largest contributor cannot estimate the largest contribution to within"
            " this share of it"
        ),
    )
    by: Literal["suppression", "cell-key", "rounding", "noise"] = Field(
        "suppression",
        description=(
            "suppression: hide cells, and others from which they could be computed; cell-key: change"
            " all values by noise that the people in a cell determine; rounding: publish multiples"
            " of a base;"
            " noise: differential privacy"
        ),
    )
    zeros: Literal["publish", "protect"] = Field(
        "publish",
        description=(
            "with suppression: publish: an empty cell is left out, which reveals that it is empty;"
            " protect: it is a hidden row like a cell of few people"
        ),
    )
    over_time: Literal["added"] | None = Field(
        None,
        description=(
            "with suppression: the source only gains rows, and tables are published again and again:"
            " they are audited together with earlier ones, and small differences count as cells of"
            " few people"
        ),
    )
    cell_key: CellKey = CellKey()
    rounding: Rounding = Rounding()
    noise: Noise | None = Field(
        None, description="with noise: what differential privacy is asked for"
    )
    cost: Literal["people", "cells", "value"] = Field(
        "people", description="what hiding a cell loses: its people, 1, or its amount"
    )
    keep: list[Text] = Field(
        [], description="tables whose cells are hidden last, the most wanted first"
    )
    publish: list[Waiver] = Field(
        [], description="cells that are published although a rule forbids it, each with its reason"
    )

    @property
    def of_sums(self) -> bool:
        """Whether there is a rule about the contributors of sums."""
        return self.dominance is not None or self.p_percent is not None

    @property
    def changes(self) -> bool:
        """Whether values are changed in place of being hidden."""
        return self.by != "suppression"

    @property
    def keyed(self) -> bool:
        """Whether values are changed by the keys of people."""
        return self.by in ("cell-key", "rounding")

    @property
    def status(self) -> str:
        """The status of cells that are shown."""
        return "changed" if self.changes else "published"

    @property
    def contributors(self) -> int:
        """The number of largest contributors whose amounts are added, by the dominance rule. The
        two largest ones are always examined separately."""
        if self.dominance is not None:
            return self.dominance.n
        return 2 if self.p_percent is not None else 0
