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
            raise FieldError(where, "this setting needs `protect.zeros: protect`: leave it out")
    if protect.zeros == "publish":
        return
    if protect.changes:
        text = (
            f"`protect` needs `by: suppression`, and the policy has `by: {protect.by}`: leave"
            " it out"
        )
        raise FieldError("protect.zeros", text)
    if protect.over_time is not None:
        text = (
            "`protect` cannot be combined with `over_time`, which takes cells without rows as 0;"
            " leave out one of the two"
        )
        raise FieldError("protect.zeros", text)
    if protect.threshold is None:
        text = (
            "`protect` needs a `threshold`, the number of people that a hidden cell must be"
            " able to have: add one"
        )
        raise FieldError("protect.zeros", text)
    if not policy.zeros:
        text = "every table has `zeros: publish`: leave it out there, or here"
        raise FieldError("protect.zeros", text)
    for (number, one), (other_number, other) in itertools.combinations(enumerate(tables), 2):
        shared = [name for name in one.by if name in other.by]
        if len(shared) > 1 and one.zeros != other.zeros:
            at, beside = (number, other) if one.zeros is not None else (other_number, one)
            text = (
                f"its cells by {', '.join(shared)} are also cells of {beside.table}, which hides"
                f" empty cells: leave it out here, or write `zeros: publish` at {beside.table} too"
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

    table: Text = Field(description="a table with the cell")
    cell: dict[Text, Text | None] = Field(
        description="its labels by dimension; a dimension that is left out is at its total"
    )
    levels: dict[Text, Annotated[int, Field(ge=0)]] = Field(
        {}, description="the level of each label that occurs on several levels"
    )
    of: list[Text] = Field([], description="the measures; all of them when left out")
    reason: Text = Field(
        min_length=1, description="why the cell may be published; the release states this reason"
    )

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
        text = f"this needs `by: suppression`; `by: {protect.by}` changes all values"
        raise FieldError("protect.publish", text)
    if waivers and protect.over_time is not None:
        text = (
            "it cannot be combined with `over_time`, because the audit does not compare such a"
            " cell between releases; leave out one of the two"
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
        _require_known(
            f"{where}.levels", "name a dimension of the cell", waiver.levels, waiver.cell
        )
        _require_known(f"{where}.of", "measure", waiver.of, policy.measures)
        if waiver.of and protect.zeros == "protect":
            text = (
                "with `zeros: protect` one published measure would reveal whether a cell is"
                " empty, which the hidden measures keep secret: leave `of` out"
            )
            raise FieldError(f"{where}.of", text)
        for name, label in waiver.cell.items():
            if label == TOTAL and name not in waiver.levels:
                text = f"`{TOTAL}` is the total: leave the dimension out"
                raise FieldError(f"{where}.cell.{name}", text)
        if lacking := sorted(counts - set(waiver.of)) if counts & set(waiver.of) else []:
            text = (
                f"counts can only be published together: add {', '.join(lacking)}, or name"
                " only sums"
            )
            raise FieldError(f"{where}.of", text)


def _require_known(where: str, what: str, names: Iterable[str], known: Collection[str]) -> None:
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

    n: int = Field(ge=1, le=10, description="the number of largest contributors")
    share: float = Field(
        gt=0, lt=1, description="the largest share of the sum that they may have together"
    )


class CellKey(PolicyModel):
    """Noise by cell keys: the same people have the same noise in every table, run and engine."""

    variance: Annotated[Decimal, Field(gt=0, le=10_000)] = Field(
        Decimal(2), description="variance of the noise of counts"
    )
    largest: int = Field(5, ge=1, le=1000, description="largest noise of counts")
    least: int = Field(
        3,
        ge=1,
        le=1000,
        description=(
            "no count from 1 to below this is published: it becomes 0, or this number or more"
        ),
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
        {}, description="the base for each sum, in whole units of the measure"
    )
    controlled: bool = Field(
        True,
        description=(
            "if tables are small enough, choose multiples so that totals equal the sums of their"
            " parts; otherwise round every value by its cell's key"
        ),
    )


class Protect(PolicyModel):
    """The people to protect, the cells that must not be published, and the method."""

    entity: Text | None = Field(
        None,
        description="the column that identifies people; by default every row counts as a person",
    )
    threshold: int | None = Field(
        None, ge=2, description="cells with fewer people are not published"
    )
    uncertain: Literal["threshold", "double"] = Field(
        "threshold",
        description=(
            "with suppression: the upper bound that readers can compute for a hidden count of few"
            " people must reach the threshold, or with `double` twice the count"
        ),
    )
    dominance: Dominance | None = Field(
        None, description="for sums: the largest share that the largest contributors may have"
    )
    p_percent: float | None = Field(
        None,
        gt=0,
        lt=1,
        description=(
            "for sums: the second largest contributor cannot estimate the largest contribution to"
            " within this share of it"
        ),
    )
    by: Literal["suppression", "cell-key", "rounding", "noise"] = Field(
        "suppression",
        description=(
            "suppression: hide cells, and other cells from which they could be computed;"
            " cell-key: change all values by noise that depends on the people in a cell; rounding:"
            " publish multiples of a base; noise: differential privacy"
        ),
    )
    zeros: Literal["publish", "protect"] = Field(
        "publish",
        description=(
            "with suppression: publish leaves empty cells out, which reveals that they are empty;"
            " protect hides them like cells with few people"
        ),
    )
    over_time: Literal["added"] | None = Field(
        None,
        description=(
            "with suppression, if the source only gains rows and tables are published repeatedly:"
            " tables are audited together with earlier ones, and small differences are treated as"
            " cells with few people"
        ),
    )
    cell_key: CellKey = CellKey()
    rounding: Rounding = Rounding()
    noise: Noise | None = Field(
        None, description="with noise: the differential privacy that is promised"
    )
    cost: Literal["people", "cells", "value"] = Field(
        "people", description="the cost of hiding a cell: its people, 1, or its amount"
    )
    keep: list[Text] = Field(
        [], description="tables whose cells are hidden last, the most important first"
    )
    publish: list[Waiver] = Field(
        [], description="cells that are published although a rule forbids it, each with a reason"
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
