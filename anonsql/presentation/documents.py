"""The base of all JSON documents, and parts that several of them have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from anonsql.errors import PolicyError, Problem

if TYPE_CHECKING:
    from anonsql.jobs.job import Job
    from anonsql.presentation.tree import Part

NOT_COVERED = (
    "what the promise says nothing of, in a sentence: how many released rows are the only ones with"
    " their values in the columns that are kept as they are; null where none is"
)
"""The description of the field that documents say it in."""
NOT_COVERED_OF_TABLES = (
    "by table that has such rows: what the promise says nothing of, in a sentence: how many"
    " released rows are the only ones with their values in the columns that are kept as they are"
)
_SCREEN = 1600
"""The characters that a document shows of itself in Python."""


class Document(BaseModel):
    """The base of all documents: frozen, without further fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __repr__(self) -> str:
        """Return the fields, cut to a screen; ``model_dump_json`` has all."""
        text = super().__repr__()
        return text if len(text) <= _SCREEN else f"{text[:_SCREEN]}…"

    __str__ = __repr__

    def described(self) -> Sequence[Part]:
        """Return the terminal's description of the document."""
        raise NotImplementedError


class Tabular(Document):
    """A document that Python and notebooks show as its command does, and that is a data frame on
    demand."""

    def _rows(self) -> list[dict[str, object]]:
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the printed description, cut to a screen; ``model_dump_json`` has all."""
        from anonsql.presentation import terminal

        return terminal.screen(self.described())

    __str__ = __repr__

    def to_pandas(self) -> Any:
        """Return the table as a data frame. Raise PolicyError where pandas is not installed."""
        from anonsql.presentation import notebook

        return notebook.frame(self._rows())

    def _repr_html_(self) -> str:
        from anonsql.presentation import notebook

        return notebook.html(self.described())


class OfRelease(Tabular):
    """A document of a run, which functions take in the place of the release's path."""

    def __fspath__(self) -> str:
        """Return the release's file, folder or URL. Raise PolicyError where none was published."""
        release: Place = getattr(self, "release")  # noqa: B009 - a field of those that inherit it
        if release.database == "memory" or getattr(self, "status", "") == "tried":
            text = "this run published nothing that can be opened by a path."
            raise PolicyError.at("RELEASE", text, "Give what `anonymize` returned, or a release.")
        return release.database


class Risk(Document):
    """Risk under one attacker, as probabilities and a share of the released rows; null where it has
    no meaning."""

    highest: float | None
    average: float | None
    records_at_risk: float | None


class ReachedLimit(Document):
    """A limit to the risk of a release as a whole, and how near the release comes to it."""

    name: str = Field(description="in privacy.risk")
    limit: str
    reached: float
    model: str | None = Field(None, description="of the population, by which it is estimated")


class LeftAlone(Document):
    """How many rows are still unique without a kept column and those before it."""

    column: str
    unique: int
    below_k: int


class InClasses(Document):
    """What classes reveal of a sensitive column."""

    homogeneous: float = Field(
        description="share of the rows that are in classes with one value of it"
    )
    highest_share: float = Field(description="largest share of one value in a class")


class Kept(Document):
    """What columns that are released unchanged reveal; k promises nothing of them."""

    columns: list[str] = Field(description="sensitive and insensitive ones beside the rows")
    rows: int = Field(description="released rows, masked ones counted in")
    unique: int = Field(description="rows whose values in these columns no other row has")
    below_k: int = Field(description="rows whose values in these columns fewer than k rows have")
    unique_released: int = Field(
        description="rows whose values in these and the quasi-identifying columns no other row has"
    )
    below_k_released: int = Field(description="likewise, that fewer than k rows have")
    without: list[LeftAlone] = Field(
        [],
        description="the columns that do most of it, one taken away after the other: what is"
        " unique without them",
    )
    sensitive: dict[str, InClasses] = Field(
        {},
        description="by sensitive column; none of ring, whose rows lie in no classes, nor of"
        " columns released apart",
    )


class Risks(Document):
    """The risks under the three attackers, and what columns that are released unchanged reveal."""

    prosecutor: Risk
    journalist: Risk
    marketer: Risk
    kept: Kept | None = Field(None, description="null in reports of versions that did not count it")

    @property
    def attackers(self) -> dict[str, Risk]:
        """The risks by attacker."""
        return {
            "prosecutor": self.prosecutor,
            "journalist": self.journalist,
            "marketer": self.marketer,
        }


FILES = (
    "files that have the SHA-256 that the run recorded of them; 0 on a server; null where the catalog"
    " does not know the release: then bytes besides its tables are not checked"
)


class Place(Document):
    """The place of a release."""

    database: str
    table: str


class PublishedPlace(Place):
    """Where a run published a release."""

    files: dict[str, str] = Field(
        {}, description="the SHA-256 of each published file by its name; none on servers"
    )


class ReleasedAs(Document):
    """What was done to one column of the source."""

    column: str
    role: str
    level: int | None
    form: str | None = Field(
        None, description="what the released values are, as in `__columns`; none of a removed one"
    )
    looks_like: str
    example: str | None = Field(
        None,
        description="a released value of one row or another, where values are generalized; none in"
        " the reports that the catalog keeps",
    )


class LeftOutValue(Document):
    """What one value of a column lost by suppression; or, where ``rare``, all values of the column
    together that too few rows have to be named."""

    column: str
    value: str | None = Field(
        description="of a quasi-identifying column its label at the least level that may be"
        " released; null where it is NULL, and of rare ones"
    )
    rare: bool = Field(
        False, description="values that fewer than k rows of the source have, together"
    )
    values: int = Field(1, description="1, or how many rare values lost rows")
    rows: int = Field(description="of the source that have it")
    released: int = Field(description="of those; masked ones are not counted")
    at_least: int | None = Field(
        None,
        description="where release and source only tell limits of `released`: the lower one;"
        " `released`, and `share` by it, is then the upper one",
    )
    share: float = Field(description="released / rows")


class Finding(Document):
    """A problem or a warning."""

    where: str
    message: str
    remedy: str


class Failure(Document):
    """What any command prints with `--json` when it fails."""

    status: Literal["failed"]
    error: str = Field(description="kind of the error")
    exit_code: int
    message: str
    problems: list[Finding]


def of_run(job: Job) -> dict[str, Any]:
    """Return the fields that the documents of runs have in common, by name."""
    place = PublishedPlace(
        database=str(job.places.release),
        table=job.first.release.name,
        files=dict(job.target.proved),
    )
    return {
        "verified": True,
        "seconds": job.seconds,
        "statements": job.context.journal.count(),
        "release": place,
        "warnings": [finding(warning) for warning in job.warnings],
    }


def finding(problem: Problem) -> Finding:
    """Return a problem in the form that documents have."""
    return Finding(where=problem.where, message=problem.found, remedy=problem.remedy)
