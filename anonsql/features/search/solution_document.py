"""What pages show of the solution space: the generalizations that keep the promise, and what their
levels mean."""

from __future__ import annotations

from pydantic import Field

from anonsql.features.search.document import SearchNode
from anonsql.presentation.documents import Document


class LevelShown(Document):
    """A level of a column's hierarchy."""

    level: int
    name: str = Field(description="in words that name no value")
    example: str | None = Field(
        description=(
            "the label, at this level, of the most frequent value that is not NULL; null where"
            " fewer than k rows have it"
        )
    )
    lost: float = Field(description="share of information that the column loses at this level")


class ColumnShown(Document):
    """A quasi-identifying column with the levels that may be released, the least first."""

    name: str
    key: str = Field(description="the name as a policy (YAML) writes it")
    levels: tuple[LevelShown, ...]


class SolutionSpace(Document):
    """The generalizations of a table by its policy's hierarchies that keep the promise, by loss:
    the front of those that no other beats in loss and suppressed rows, the chosen one, and those of
    least loss."""

    table: str
    rows: int
    k: int
    promises: dict[str, str] = Field(description="what else every class keeps")
    limit: int = Field(description="rows that may be suppressed at most")
    method: str
    minimize: str | None = Field(
        description="the measure by which the chosen one is best; null where it need not be"
    )
    columns: tuple[ColumnShown, ...]
    size: int = Field(description="number of all generalizations")
    satisfied: int = Field(description="number of those that keep the promise")
    minimal: int = Field(description="number of those that are minimal")
    nodes: tuple[SearchNode, ...]
    front: tuple[int, ...] = Field(description="places in ``nodes``, from 0")
    chosen: int | None = Field(description="the place of the one that the policy publishes")

    def lines(self, node: SearchNode) -> str:
        """Return the line of a policy that publishes a generalization."""
        levels = ", ".join(f"{column.key}: {node.levels[column.name]}" for column in self.columns)
        return f"method: {{type: {self.method}, levels: {{{levels}}}}}"
