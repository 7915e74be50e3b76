"""The document of ``search``, and the solution space on pages."""

from __future__ import annotations

from pydantic import Field

from anonsql.presentation.documents import Document, Tabular


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
    counted: int = Field(description="nodes whose frequency set was checked")
    satisfied: int = Field(description="of these, or of a pass's candidates")
    undecided: int | None = Field(
        description="nodes without a verdict after it, if that is tracked"
    )
    seconds: float


class Explained(Document):
    """How a search went (--explain)."""

    algorithm: str
    rules: dict[str, int] = Field(
        description="verdicts on nodes of the whole lattice, by the way they were reached"
    )
    rounds: list[SearchRound]
    seconds: dict[str, float] = Field(description="by stage")
    statements: dict[str, int] = Field(description="on the data's engine, by stage")


class SearchReport(Tabular):
    """What `anonsql search` found."""

    quasi_identifiers: list[str]
    lattice: int = Field(description="number of all generalizations")
    checked: int = Field(
        description="generalizations of all subsets whose frequency set was checked"
    )
    statements: int
    seconds: float
    nodes: list[SearchNode]
    explained: Explained | None = None

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
    suppressed: dict[str, int] = Field(description="rows suppressed individually, by table")
    released: dict[str, int] = Field(description="rows, by table")
    loss: float


class RelationalSearchReport(Tabular):
    """What `anonsql search` found for a policy of several tables."""

    quasi_identifiers: list[str] = Field(description="as `table.column`")
    lattice: int = Field(description="number of all generalizations")
    judged: int = Field(description="generalizations that were counted")
    statements: int
    seconds: float
    nodes: list[RelationalNode] = Field(description="those with the lowest loss first")
    advice: str | None = Field(None, description="what would help, if none keeps the promise")

    described_by = "of_tables"

    def _rows(self) -> list[dict[str, object]]:
        return [
            {**node.levels, **node.model_dump(exclude={"levels", "suppressed", "released"})}
            for node in self.nodes
        ]


class LevelShown(Document):
    """A level of a column's hierarchy."""

    level: int
    name: str = Field(description="in words that name no value")
    example: str | None = Field(
        description=(
            "the label, at this level, of the most frequent value that is not NULL; null if fewer"
            " than k rows have it"
        )
    )
    lost: float = Field(description="share of information that the column loses at this level")


class ColumnShown(Document):
    """A quasi-identifying column with the levels that may be released, the least first."""

    name: str
    key: str = Field(description="the name as written in a policy (YAML)")
    levels: tuple[LevelShown, ...]


class SolutionSpace(Document):
    """The generalizations of a table by its policy's hierarchies that keep the promise, by loss:
    the front that no other beats in loss and suppressed rows, the chosen one, and those of least
    loss."""

    table: str
    rows: int
    k: int
    promises: dict[str, str] = Field(description="the other promises of every class")
    limit: int = Field(description="the largest number of rows that may be suppressed")
    method: str
    minimize: str | None = Field(
        description="the measure by which the chosen one is best; null if it need not be"
    )
    columns: tuple[ColumnShown, ...]
    size: int = Field(description="number of all generalizations")
    satisfied: int = Field(description="number of those that keep the promise")
    minimal: int = Field(description="number of those that are minimal")
    nodes: tuple[SearchNode, ...]
    front: tuple[int, ...] = Field(description="places in ``nodes``, from 0")
    chosen: int | None = Field(
        description="the place of the generalization that the policy publishes"
    )

    def lines(self, node: SearchNode) -> str:
        """Return the line of a policy that publishes a generalization."""
        levels = ", ".join(f"{column.key}: {node.levels[column.name]}" for column in self.columns)
        return f"method: {{type: {self.method}, levels: {{{levels}}}}}"
