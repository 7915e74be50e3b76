"""The document of ``risk``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.presentation.documents import Document, Place
from anonsql.risks.safe_harbor import Identifier, Seen


class ClassesOfSize(Document):
    """Classes whose number of rows is between two numbers."""

    least: int
    most: int
    classes: int
    rows: int


class AboveThreshold(Document):
    """Rows with a risk of re-identification above an accepted one."""

    accepted: float = Field(
        description="a risk, 1 / class size; rows with exactly this risk are not counted"
    )
    rows: int
    share: float


class PopulationModel(Document):
    """How many members of the population one model expects to be unique in it."""

    model: Literal["zayatz", "pitman", "snb"]
    uniques: float | None = Field(description="null if the model did not converge")
    share: float | None = Field(description="of the population")


class PopulationUniques(Document):
    """How many members of the population are unique in it by the quasi-identifying columns."""

    size: float = Field(description="members of the population that the rows represent")
    fraction: float = Field(description="the source's share of the population")
    models: list[PopulationModel]
    chosen: Literal["zayatz", "pitman", "snb"] = Field(
        description="by the rule of Dankar, El Emam, Neisa and Roffey 2012"
    )
    uniques: float = Field(description="by the chosen model")
    share: float


class IndividualRisk(Document):
    """The risk of rows, or of people, by the number of members of the population that each row
    represents (Benedetti, Franconi 1998)."""

    units: int = Field(description="rows, or people if they have several rows")
    expected: float = Field(description="expected number of re-identifications")
    average: float
    highest: float
    accepted: float
    above: int = Field(description="units with a risk above the accepted one")
    any_null: bool = Field(description="whether NULL matches anything there")


class ColumnOfSpecials(Document):
    """How much a column makes rows unique."""

    column: str
    sets: int = Field(
        description="minimal sets of columns that make rows unique and contain the column"
    )
    share: float = Field(description="of all such sets")


class SpecialSet(Document):
    """A set of columns, and how many rows it makes unique while no subset of it does."""

    columns: list[str]
    rows: int


class SpecialsByColumns(Document):
    """Rows by the fewest columns that they are unique in."""

    columns: int
    rows: int
    average_score: float = Field(description="of SUDA2: the higher, the more special")
    highest_score: float


class Specials(Document):
    """Special uniques (SUDA2): by how few columns rows are unique."""

    largest: int = Field(description="the largest number of columns in a set")
    rows: int = Field(description="rows that are unique by such a set")
    by_columns: list[SpecialsByColumns]
    columns: list[ColumnOfSpecials] = Field(
        description="columns, those with the highest contribution first"
    )
    sets: list[SpecialSet] = Field(description="the ten sets that make most rows unique")
    intrusion: float | None = Field(
        description="DIS: the probability that a match of a row that is unique by all columns is"
        " right, if the table is a sample (Elliot 2000); null if no row is alone or in"
        " a pair"
    )


class LooksLike(Document):
    """A column that looks like one of the identifiers of HIPAA's safe harbor."""

    column: str
    kind: Identifier
    by: Seen
    released: str = Field(description="the form in which the policy releases the column")
    passes: bool = Field(description="whether it is released in a form that is not allowed")
    says: str


class RiskReport(Document):
    """What `anonsql risk` found."""

    of: Literal["release", "source"]
    columns: list[str] = Field(description="the quasi-identifying ones")
    rows: int = Field(description="without masked rows")
    masked: int = Field(description="rows that are * in all of these columns")
    classes: int
    unique: int = Field(description="rows that are alone in their class")
    highest: float = Field(description="risk of re-identification of a row: 1 / class size in rows")
    average: float = Field(description="over rows")
    entity: str | None = Field(
        description="the policy's column that identifies people: a person may have several of the"
        " counted rows"
    )
    above: list[AboveThreshold]
    sizes: list[ClassesOfSize]
    population: PopulationUniques | None = Field(
        description="null if neither its size nor a fraction is given"
    )
    individual: IndividualRisk | None = Field(
        description="null if rows have no weight and no population is given"
    )
    people: IndividualRisk | None = Field(
        description="of people by all of their rows, if `entity` identifies them"
    )
    specials: Specials | None = Field(description="null if they were not asked for")
    identifiers: list[LooksLike] | None = Field(
        description="columns that look like identifiers of HIPAA's safe harbor; null if they were"
        " not asked for"
    )
    statements: int
    seconds: float
    place: Place

    @property
    def counting(self) -> str:
        """A sentence on the unit of these figures, if people may have several rows."""
        if self.entity is None:
            return ""
        return (
            f"These figures count rows, and a person ({self.entity}) may have several:"
            " `anonsql verify` prints the risk of people."
        )
