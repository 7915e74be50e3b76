"""The document of ``search``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from anonsql.presentation.documents import Document, Tabular

if TYPE_CHECKING:
    from anonsql.features.search.charts import SearchCharts
    from anonsql.presentation.tree import Part


class SearchNode(Document):
    """One satisfying generalization."""

    levels: dict[str, int]
    height: int
    minimal: bool = Field(description="no satisfying generalization is below it")
    suppressed: int
    classes: int
    min_class: int
    loss: float


class SearchRound(Document):
    """One step of a search."""

    title: str
    counted: int = Field(description="nodes whose frequency set was looked at")
    satisfied: int = Field(description="of those, or of a pass's candidates")
    undecided: int | None = Field(
        description="nodes without a verdict after it, where that is tracked"
    )
    seconds: float


class Explained(Document):
    """How a search went (--explain)."""

    algorithm: str
    rules: dict[str, int] = Field(
        description="verdicts on nodes of the whole lattice, by how they were reached"
    )
    rounds: list[SearchRound]
    seconds: dict[str, float] = Field(description="by stage")
    statements: dict[str, int] = Field(description="on the data's engine, by stage")


class SearchReport(Tabular):
    """What `anonsql search` found."""

    quasi_identifiers: list[str]
    lattice: int = Field(description="number of all generalizations")
    checked: int = Field(
        description="generalizations of all subsets whose frequency set was looked at"
    )
    statements: int
    seconds: float
    nodes: list[SearchNode]
    explained: Explained | None = None

    @property
    def charts(self) -> SearchCharts:
        """The charts of the search, as objects of Altair."""
        from anonsql.features.search.charts import SearchCharts

        return SearchCharts(self)

    def _described(self) -> Sequence[Part]:
        from anonsql.features.search.described import describe

        return describe(self)

    def _rows(self) -> list[dict[str, object]]:
        """See the base class: the generalizations, a column for the level of each
        quasi-identifying one."""
        return [
            {**entry.levels, **entry.model_dump(exclude={"levels"})}
            for entry in sorted(self.nodes, key=lambda node: node.loss)
        ]


class RelationalNode(Document):
    """One generalization of all tables that keeps the promise."""

    levels: dict[str, int] = Field(description="by `table.column`")
    height: int
    suppressed: dict[str, int] = Field(description="rows suppressed by themselves, by table")
    released: dict[str, int] = Field(description="rows, by table")
    loss: float


class RelationalSearchReport(Tabular):
    """What `anonsql search` found for a policy of several tables."""

    quasi_identifiers: list[str] = Field(description="as `table.column`")
    lattice: int = Field(description="number of all generalizations")
    judged: int = Field(description="generalizations that were counted")
    statements: int
    seconds: float
    nodes: list[RelationalNode] = Field(description="the one that loses least first")
    advice: str | None = Field(None, description="what would help, where none keeps the promise")

    def _described(self) -> Sequence[Part]:
        from anonsql.features.search.described import of_tables

        return of_tables(self)

    def _rows(self) -> list[dict[str, object]]:
        return [
            {**node.levels, **node.model_dump(exclude={"levels", "suppressed", "released"})}
            for node in self.nodes
        ]
