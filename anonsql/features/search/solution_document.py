"""What pages tell of the solution space: every generalization of a lattice with its verdict, in
columns of numbers, so that fifty thousand are still small."""

from __future__ import annotations

from pydantic import Field

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
    weight: float
    levels: tuple[LevelShown, ...]

    @property
    def least(self) -> int:
        """The least level that may be released."""
        return self.levels[0].level


class Satisfying(Document):
    """Satisfying generalizations, by number in ascending order, one entry for each in every
    list."""

    numbers: tuple[int, ...]
    loss: tuple[float, ...]
    suppressed: tuple[int, ...]
    classes: tuple[int, ...]
    min_class: tuple[int, ...]
    minimal: tuple[bool, ...]


class Failing(Document):
    """Generalizations that were counted and fail. Each decides, besides itself, every one that it
    generalizes, unless it is ``alone``: a generalization of those may satisfy."""

    numbers: tuple[int, ...]
    suppressed: tuple[int, ...] = Field(
        description="rows in classes that break the promise; more than may be suppressed"
    )
    alone: tuple[bool, ...]
    partly: bool = Field(
        False,
        description=(
            "whether those that are not alone were counted by a part of the promise: more rows may"
            " break the whole"
        ),
    )
    combination: tuple[int, ...] = Field(
        description="which of several combinations of columns breaks it, from 0; else 0"
    )


class SolutionSpace(Document):
    """Every generalization of a table by its policy's hierarchies, and which of them keep the
    promise.

    A generalization has a number, from 1, the last column's level fastest. ``satisfying`` lists all
    that satisfy where ``whole``; else there are too many, and it lists those of least loss.
    """

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
    combinations: tuple[tuple[str, ...], ...] = Field(
        description="of columns that keep the promise each by itself; one of all, or several"
    )
    size: int = Field(description="number of all generalizations")
    satisfied: int = Field(description="how many of them satisfy")
    minimal: int = Field(description="how many of those are minimal")
    whole: bool
    satisfying: Satisfying
    failing: Failing
    chosen: int | None = Field(description="the one that the policy publishes")

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(len(column.levels) for column in self.columns)

    def levels(self, number: int) -> tuple[int, ...]:
        """Return the level of each column at a generalization."""
        rest, numbers = number - 1, []
        for column in reversed(self.columns):
            rest, step = divmod(rest, len(column.levels))
            numbers.append(column.least + step)
        return tuple(reversed(numbers))
