"""What a policy of statistics says of protection: who is protected, by which rules, and how."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import (
    Field,
)

from anonsql.policy.envelope import PolicyModel
from anonsql.policy.noise import Noise
from anonsql.policy.waivers import Waiver
from anonsql.system.scalars import Text


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
    """Values as multiples of a base, one of the two beside them."""

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
    """Who is protected, which cells may not be published, and how."""

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
        """Of how many of the largest contributors the amounts are added: those of the dominance
        rule. The two largest ones are looked at by themselves wherever there are any."""
        if self.dominance is not None:
            return self.dominance.n
        return 2 if self.p_percent is not None else 0
