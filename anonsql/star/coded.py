"""Columns whose values cells have as codes, besides the quasi-identifying ones: those that privacy
models are about, and the one that identifies people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from anonsql.engines.base import ORDERED, Column, OfColumn
from anonsql.errors import PolicyError, Problem
from anonsql.hierarchies import dimensions as hierarchies
from anonsql.hierarchies.dimensions import Attribute, ReadLeaves
from anonsql.hierarchies.leaf_tables import spelled_out
from anonsql.policy.privacy import Privacy
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.base import Needs


@dataclass(frozen=True)
class Coded(OfColumn):
    """A coded column, as the templates of ``star`` and ``privacy`` see it.

    ``index`` continues the numbering of the quasi-identifying attributes. ``ordered`` says whether
    a model needs the order of the column's values, ``measured`` whether one needs the distances
    between them. ``order`` is the order that the policy gives for a text column, ``order_at`` its
    place in the policy. ``named`` are the values that a model is about, where it is not about all,
    ``named_at`` their place in the policy. ``attribute`` has the column's hierarchy, where it has
    one, under the same index.
    """

    index: int
    column: Column
    ordered: bool = False
    order: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    attribute: Attribute | None = None
    measured: bool = False
    order_at: str = field(default="", repr=False)
    named_at: str = field(default="", repr=False)

    @property
    def positions(self) -> list[tuple[str, int]]:
        """The values of ``order`` with their positions in it, from 1; NULL comes before all."""
        return [(word, position) for position, word in enumerate(self.order, start=1)]


def plan(
    privacy: Privacy, columns: Sequence[Column], first: int
) -> tuple[list[Coded], list[Problem]]:
    """Return the coded columns of a policy among a table's ``columns``, numbered from ``first``,
    and what is wrong with them. A column that the table lacks is left out: the comparison of the
    policy's columns with the table's reports it."""
    by_name = {column.name: column for column in columns}
    planned: list[Coded] = []
    problems: list[Problem] = []
    for name in privacy.coded_columns():
        if name in by_name:
            try:
                planned.append(_plan(privacy, by_name[name], first + len(planned)))
            except PolicyError as error:
                problems += error.problems
    return planned, problems


def _plan(privacy: Privacy, column: Column, index: int) -> Coded:
    if column.kind == "other":
        text = (
            f"values of type {column.family} cannot be compared, and the policy's promise needs"
            " comparisons."
        )
        raise PolicyError.at(f"columns.{column.name}", text, "Cast it in a view.")
    needs_at = [
        (f"privacy.{model}.{name}", entry.needs)
        for model, name, entry in privacy.by_column()
        if name == column.name
    ]
    for location, needs in needs_at:
        if needs.order and not needs.given and column.kind not in ORDERED:
            text = f"{column.name!r} is {column.family}, which has no order of its own."
            raise PolicyError.at(location, text, "Give its values in `order`.")
    for location, needs in needs_at:
        if needs.apart and column.kind not in ORDERED:
            text = f"{column.name!r} is {column.family}, and only numbers and dates have distances."
            raise PolicyError.at(f"{location}.{needs.apart}", text, "Leave it out.")
    nothing = ("", Needs())
    order_at, ordering = next((need for need in needs_at if need[1].given), nothing)
    named_at, naming = next((row for row in needs_at if row[1].named), nothing)
    return Coded(
        index,
        column,
        any(needs.order for _, needs in needs_at),
        ordering.given,
        naming.named,
        measured=any(needs.apart for _, needs in needs_at),
        order_at=f"{order_at}.order",
        named_at=f"{named_at}.values",
    )


def with_hierarchy(
    coded: Coded, policy: TablePlan, nulls: int, leaves_of: ReadLeaves = spelled_out
) -> Coded:
    """Return the column with the hierarchy that the policy gives it as a sensitive column;
    ``nulls`` of its rows are NULL, and ``leaves_of`` reads listed leaves. Raise PolicyError when
    the hierarchy does not fit."""
    settings = policy.columns[coded.name]
    if settings.role != "sensitive" or settings.hierarchy is None:
        return coded
    planned = hierarchies.plan(coded.index, coded.column, policy, nulls, leaves_of)
    return replace(coded, attribute=planned)
